"""Which scalars and pointers a statement may assign, and how an iteration of a loop changes them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from pycparser import c_ast

from arrayol.c_import.forms import names_of
from arrayol.c_import.lowering.symbols import (
    Address,
    CArray,
    Cell,
    Content,
    PointerCell,
    Poison,
    StructCell,
)
from arrayol.c_import.lowering.turns import PeriodicStep, Rotation, Turn, turn_of
from arrayol.c_import.model import UNKNOWN, COperation, ForLoop, Form, Statement, data_of
from arrayol.c_import.reading.syntax import has_steps, nodes_of
from arrayol.c_import.reading.trees import Chosen
from arrayol.ir.affine import Affine

MOVES = {"memcpy", "memmove", "memset"}  # functions that change what their first argument points to
# How a scalar changes in an iteration: its value after one, in terms of a symbol for its value before.
Move: TypeAlias = "Form | Turn | PeriodicStep | Rotation"
# By key: a step, a turn (in a ring), a count of some iterations, `own` (a new value in each iteration, before it is
# used), `carried` (it hands a value on), `switched` (a pointer to another array), or whose place a pointer takes.
Changes = dict[tuple[int, ...], "Form | Turn | PeriodicStep | Exchange | str"]


@dataclass(frozen=True, slots=True)
class Exchange:
    """That a pointer takes the place that another one had, by its key."""

    source: tuple[int, ...]


def symbol_of(cell: Cell | PointerCell, content: Content, name: str) -> Content:
    """The symbol for what a scalar is before an iteration; a pointer keeps its array."""
    form: Form = Affine(((name, 1),))
    if isinstance(cell, PointerCell):
        return Address(content.array, (*content.subscripts[:-1], form)) if isinstance(content, Address) else content
    return COperation(
        "unknown", cell.type, text=name, form=None if cell.type[0] == "f" or cell.type == "bool" else form
    )


def change_of(
    before: Content,
    after: Content,
    used: set[str],
    consts: Collection[str],
    number: Callable[[Form], int | None],
) -> Form | Turn | str:
    """How a scalar changes from the symbol that it was before an iteration; see `turn_of` for `number`."""
    if after is before:
        return Affine()
    if isinstance(before, Address) and isinstance(after, Address) and _is_along(before, after):
        step = after.subscripts[-1] - before.subscripts[-1]
        is_step = len(after.subscripts) == len(before.subscripts)
        return step if is_step and not any(name.startswith(UNKNOWN) for name in names_of(step)) else "own"
    if isinstance(before, Address) and isinstance(after, Address):
        return "switched"
    if not isinstance(before, COperation):
        return "own"
    moved = _step_of(before, after, consts, number) if isinstance(after, COperation) else None
    if moved is not None:
        return moved
    return "carried" if isinstance(after, Poison) or before.text in used else "own"


def _is_along(before: Address, after: Address) -> bool:
    """Whether a pointer has stayed in a row of its array."""
    return after.array is before.array and after.subscripts[:-1] == before.subscripts[:-1]


def _step_of(
    before: COperation, after: COperation, consts: Collection[str], number: Callable[[Form], int | None]
) -> Form | Turn | None:
    """The step or turn from what a scalar was before an iteration; None where it is neither."""
    if before.form is not None and after.form is not None:
        moved = after.form - before.form
        if not _depends(moved, consts):
            return moved
    return turn_of(before, after, number)


def changes_of_pointers(
    before: Mapping[Cell | PointerCell, Content], after: Mapping[Cell | PointerCell, Content]
) -> Iterator[tuple[PointerCell, Exchange]]:
    """The pointers that take the places of others."""
    places = {cell: place for cell, place in before.items() if isinstance(place, Address)}
    for cell, own in places.items():
        content = after.get(cell)
        if not isinstance(cell, PointerCell) or not isinstance(content, Address) or _is_along(own, content):
            continue
        for other, place in places.items():
            if content.array is place.array and content.subscripts == place.subscripts:
                yield cell, Exchange(other.key)


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


def takes_more(content: Content, loop: ForLoop) -> bool:
    """Whether the iterations of a loop read elements of their own, and not only the scalars that they hand on.

    A loop that reads none, as one over the bits of a CRC, is a step of the loop around it.
    """
    reads = content.reads() if isinstance(content, COperation) else ()
    return any(
        loop.name in names_of(form)
        for access in reads
        for form in (
            *access.subscripts,
            *(node.form for value in data_of(access) for node in value.nodes() if node.form),
        )
    )


def cells_of(symbol: Any) -> list[Cell | PointerCell]:
    """The scalars and pointers that a name stands for."""
    if isinstance(symbol, StructCell):
        return [cell for one in symbol.cells.values() for cell in cells_of(one)]
    if isinstance(symbol, CArray):
        return list((symbol.cells or {}).values())
    return [symbol] if isinstance(symbol, Cell | PointerCell) else []


def assigned_names(node: Any) -> set[str]:
    """Names of scalars and pointers of outer blocks that a statement may assign, also by their address."""
    if isinstance(node, c_ast.Compound | c_ast.For):
        names: set[str] = set()
        declared: set[str] = set()
        for _, child in node.children():
            declared |= _declared(child)
            names |= assigned_names(child) - declared
        return names
    own = {target} if (target := _assigned(node)) is not None else set()
    return own.union(*(assigned_names(child) for _, child in node.children()))


def has_assignments(node: Any) -> bool:
    """Whether an expression assigns something itself."""
    return has_steps(node) or bool(nodes_of(node, c_ast.Assignment))


def has_effects(function: Any) -> bool:
    """Whether a function may change what outlives a call of it."""
    parameters = function.decl.type.args.params if function.decl.type.args else []
    own = {one.name for one in parameters if isinstance(one, c_ast.Decl) and isinstance(one.type, c_ast.TypeDecl)}
    if assigned_names(function.body) - own:
        return True
    if any(isinstance(one.lvalue, c_ast.UnaryOp) for one in nodes_of(function, c_ast.Assignment)):
        return True
    kept = [one for one in nodes_of(function, c_ast.Decl) if "static" in (one.storage or [])]
    return any("const" not in (one.quals or []) for one in kept)


def _declared(node: Any) -> set[str]:
    """The names that a statement of a block declares."""
    if isinstance(node, c_ast.DeclList):
        return {one.name for one in node.decls}
    return {node.name} if isinstance(node, c_ast.Decl | Chosen) and node.name else set()


def _assigned(node: Any) -> str | None:
    """The name that a node itself may assign; of a declaration, which a refused one leaves without a value."""
    if isinstance(node, c_ast.Decl | Chosen):
        return None if node.name is None else str(node.name)
    target = None
    if isinstance(node, c_ast.Assignment):
        target = node.lvalue
    elif isinstance(node, c_ast.UnaryOp) and node.op in {"++", "--", "p++", "p--", "&"}:
        target = node.expr
    elif isinstance(node, c_ast.FuncCall) and getattr(node.name, "name", None) in MOVES and node.args:
        target = node.args.exprs[0]
    while isinstance(target, c_ast.StructRef | c_ast.Cast | c_ast.ArrayRef | c_ast.BinaryOp):
        part = "expr" if isinstance(target, c_ast.Cast) else "left" if isinstance(target, c_ast.BinaryOp) else "name"
        target = getattr(target, part)
    return str(target.name) if isinstance(target, c_ast.ID) else None
