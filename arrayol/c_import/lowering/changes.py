"""How a scalar changes in an iteration: what it is behind one, made of a symbol for what it was before."""

from __future__ import annotations

from collections.abc import Collection

from arrayol.c_import.forms import names_of
from arrayol.c_import.lowering.symbols import (
    Address,
    Cell,
    Content,
    PointerCell,
    Poison,
)
from arrayol.c_import.model import COperation, Form, Statement
from arrayol.ir.affine import Affine

# A step, or `own` (a new value in each iteration), `carried`, or `switched` (a pointer that goes to another array).
Changes = dict[tuple[int, ...], "Form | str"]
UNKNOWN = "?"


def symbol_of(cell: Cell | PointerCell, content: Content, name: str) -> Content:
    form: Form = Affine(((name, 1),))
    if isinstance(cell, PointerCell):
        return Address(content.array, (*content.subscripts[:-1], form)) if isinstance(content, Address) else content
    return COperation(
        "unknown", cell.type, text=name, form=None if cell.type[0] == "f" or cell.type == "bool" else form
    )


def change_of(before: Content, after: Content, used: set[str], consts: Collection[str]) -> Form | str:
    """How a scalar changes from the symbol that it was before an iteration."""
    if after is before:
        return Affine()
    if isinstance(before, Address) and isinstance(after, Address) and after.array is before.array:
        step = after.subscripts[-1] - before.subscripts[-1]
        is_step = len(after.subscripts) == len(before.subscripts)
        return step if is_step and not any(name.startswith(UNKNOWN) for name in names_of(step)) else "own"
    if isinstance(before, Address) and isinstance(after, Address):
        return "switched"
    if not isinstance(before, COperation):
        return "own"
    if isinstance(after, COperation) and before.form is not None and after.form is not None:
        step = after.form - before.form
        if not _depends(step, consts):
            return step
    return "carried" if isinstance(after, Poison) or before.text in used else "own"


def _depends(form: Form, consts: Collection[str]) -> bool:
    """Whether a form is more than a sum of consts and numbers."""
    return any(not isinstance(term, str) or term not in consts for term, _ in form.terms)


def unknown_of(value: COperation) -> set[str]:
    """The symbols of a trial that a value depends on."""
    found: set[str] = set()
    for node in value.nodes():
        if node.kind == "unknown":
            found.add(node.text)
        forms = [node.form] if node.form is not None else []
        if node.access is not None:
            forms += node.access.subscripts
        for form in forms:
            found |= {name for name in names_of(form) if name.startswith(UNKNOWN)}
    return found


def unknown_of_statement(statement: Statement) -> set[str]:
    found = unknown_of(statement.value)
    forms: list[Form] = [*statement.target.subscripts]
    forms += [form for condition in statement.conditions for form in condition.forms()]
    forms += [form for loop in statement.loops for form in (loop.low, loop.high)]
    for access in statement.reads:
        forms += [form for condition in access.guards for form in condition.forms()]
    return found.union(*({name for name in names_of(form) if name.startswith(UNKNOWN)} for form in forms))
