"""Copy propagation: locals that only hold on to a value leave, and their readers read the value itself.

A scalar that is kept for the rest of an iteration, as t of `t = w; w = x; y = t`, is not needed once w is an array.
An array of values that another one had some iterations before, as of a shift register, is that other array, read
further back.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from arrayol.c_import.graphs import mapped
from arrayol.c_import.model import (
    BOOL,
    COperation,
    ElementAccess,
    ForLoop,
    Form,
    Statement,
    Variable,
    data_of,
    not_negative,
)
from arrayol.ir.affine import Affine


def without_copies(
    variables: Mapping[str, Variable], statements: Sequence[Statement], scans: Collection[str]
) -> list[Statement]:
    """The statements without locals that only copy; `scans` are expanded arrays, whose elements are written once."""
    kept = _without_detours(variables, statements, scans)
    place = 0
    while place < len(kept):
        changed = _without(kept[place], kept, variables, scans)
        if changed is None:
            place += 1
        else:
            kept = changed
    return [replace(one, number=number) for number, one in enumerate(kept)]


def _without_detours(
    variables: Mapping[str, Variable], statements: Sequence[Statement], scans: Collection[str]
) -> list[Statement]:
    """A scalar that is only made to be the next value of a scan is that value from the start: `t = x; y = w; w = t`."""
    kept = list(statements)
    for store in statements:
        access = store.value.access
        if store.target.array not in scans or access is None or access.subscripts or store.conditions:
            continue
        writers = [one for one in kept if one.target.array == access.array]
        if len(writers) != 1 or not variables[access.array].local or access.array in scans:
            continue
        writer, element = writers[0], store.target
        readers = [one for one in kept if any(read.array == access.array for read in one.value.reads())]
        alike = all(one.loops[: len(store.loops)] == store.loops for one in (writer, *readers))
        if not alike or writer.loops != store.loops or writer.conditions or writer.accumulate:
            continue
        if any(one.position < writer.position for one in readers) or _hides(access.array, kept):
            continue
        changed = [_renamed(one, access.array, element) for one in kept if one is not store]
        kept = [replace(one, target=element) if one.target.array == access.array else one for one in changed]
    return kept


def _hides(name: str, statements: Sequence[Statement]) -> bool:
    """Whether an array is read in the subscripts of what is written."""
    return any(access.array == name for one in statements for value in data_of(one.target) for access in value.reads())


def _renamed(statement: Statement, name: str, element: ElementAccess) -> Statement:
    """A statement that reads an element in place of a scalar."""
    if not any(access.array == name for access in statement.value.reads()):
        return statement

    def change(node: COperation) -> COperation:
        if node.access is None or node.access.array != name:
            return node
        return replace(node, access=replace(node.access, array=element.array, subscripts=element.subscripts))

    return replace(statement, value=mapped(statement.value, change))


def _without(
    statement: Statement, statements: Sequence[Statement], variables: Mapping[str, Variable], scans: Collection[str]
) -> list[Statement] | None:
    """All statements without this one, if it is a copy; None where it is none."""
    name = statement.target.array
    others = [one for one in statements if one is not statement]
    if not variables[name].local or any(one.target.array == name for one in others) or statement.accumulate:
        return None
    written = {one.target.array for one in statements}
    if any(access.array in written and access.array not in scans for access in statement.value.reads()):
        return None
    readers = [one for one in others if any(access.array == name for access in one.reads)]
    if _hides(name, readers):
        return None
    if not variables[name].dims:
        return _without_scalar(statement, others, readers)
    copy = _copy_of(statement, scans) if name in scans else None
    return None if copy is None else _without_array(statement, copy, others, readers)


def _without_scalar(
    statement: Statement, others: Sequence[Statement], readers: Sequence[Statement]
) -> list[Statement] | None:
    depth, value = len(statement.loops), statement.value
    is_plain = value.access is not None or (value.kind == "choice" and value.operands[2].access is not None)
    if statement.conditions or not depth or not is_plain:
        return None
    if any(one.loops[:depth] != statement.loops or one.position < statement.position for one in readers):
        return None
    name = statement.target.array

    def change(node: COperation) -> COperation:
        return statement.value if node.access is not None and node.access.array == name else node

    return [replace(one, value=mapped(one.value, change)) if one in readers else one for one in others]


@dataclass(frozen=True)
class _Copy:
    """An array that holds elements of another, `back` iterations before, and a number in the first ones."""

    access: ElementAccess
    back: int
    first: COperation | None
    loop: ForLoop
    type: str


def _copy_of(statement: Statement, scans: Collection[str]) -> _Copy | None:
    """The copy that the update of a scan makes; None where it computes something."""
    value, loop = statement.value, statement.loops[-1]
    target = statement.target.subscripts
    if not _counts(target, loop):
        return None
    if value.access is not None:
        is_shift = value.access.array in scans and value.access.subscripts == target
        return _Copy(value.access, 0, None, loop, value.type) if is_shift or _moves(value.access, loop) else None
    if value.kind != "choice" or value.operands[1].kind != "literal":
        return None
    condition, first, before = value.operands
    number = _first_iterations(condition, loop)
    if (
        number is None
        or before.access is None
        or data_of(before.access)
        or before.type != value.type
        or first.type != value.type
    ):
        return None
    return _Copy(before.access, number, first, loop, value.type)


def _counts(subscripts: Sequence[Form], loop: ForLoop) -> bool:
    """Whether the last subscript alone counts the loop, upwards."""
    own: Form = Affine(((loop.name, 1),))
    return subscripts[-1] == own and not any(form.factor(loop.name) for form in subscripts[:-1])


def _moves(access: ElementAccess, loop: ForLoop) -> bool:
    """Whether an access names another element in each iteration, and nothing that depends on data."""
    return not data_of(access) and any(form.factor(loop.name) for form in access.subscripts)


def _first_iterations(condition: COperation, loop: ForLoop) -> int | None:
    """How many iterations a condition chooses, if it is `n == low` or `n < low + k` of this loop."""
    if condition.kind not in {"==", "<"}:
        return None
    left, right = (one.form for one in condition.operands)
    if left is None or right is None or left != Affine(((loop.name, 1),)):
        return None
    apart = (right - loop.low).number
    if condition.kind == "==":
        return 1 if apart == 0 else None
    return apart


def _without_array(
    statement: Statement, copy: _Copy, others: Sequence[Statement], readers: Sequence[Statement]
) -> list[Statement] | None:
    """The others with the copied elements in place of the array's; None where one reads it in another way."""
    changes: dict[int, Statement] = {}
    for reader in readers:
        value = _read_through(reader, statement, copy)
        if value is None:
            return None
        changes[id(reader)] = replace(reader, value=value)
    return [changes.get(id(one), one) for one in others]


def _read_through(reader: Statement, statement: Statement, copy: _Copy) -> COperation | None:
    name, depth, target = statement.target.array, len(statement.loops), statement.target.subscripts
    if reader.loops[:depth] != statement.loops or statement.conditions:
        return None
    known: dict[int, COperation] = {}
    inside: set[int] = set()
    for node in reader.value.nodes():
        if node.kind == "choice" and node.operands[2].access is not None and node.operands[2].access.array == name:
            number = _first_iterations(node.operands[0], copy.loop)
            same = copy.first is None or node.operands[1].text == copy.first.text
            back = _distance(node.operands[2].access, target)
            if number is None or back != number or node.operands[1].kind != "literal" or not same:
                return None
            known[id(node)] = _element(copy, node.operands[1], back)
            inside.add(id(node.operands[2]))
    for node in reader.value.nodes():
        if node.access is None or node.access.array != name or id(node) in inside:
            continue
        if _distance(node.access, target) != 0 or reader.position < statement.position:
            return None
        known[id(node)] = _element(copy, copy.first, 0)
    return mapped(reader.value, lambda node: node, known)


def _distance(access: ElementAccess, target: Sequence[Form]) -> int | None:
    """How many iterations before its own an element was written."""
    apart = [(one - other).number for one, other in zip(target, access.subscripts, strict=True)]
    return apart[-1] if all(one == 0 for one in apart[:-1]) else None


def _element(copy: _Copy, first: COperation | None, back: int) -> COperation:
    """The element that the copy had so many iterations before; `first` where there was none."""
    count = copy.back + back
    own: Form = Affine(((copy.loop.name, 1),))
    shifted = tuple(_moved(form, copy.loop, back) for form in copy.access.subscripts)
    if first is None or count == 0:
        return COperation("read", copy.type, access=replace(copy.access, subscripts=shifted))
    access = replace(copy.access, subscripts=shifted, guards=(not_negative(own - copy.loop.low - count),))
    low = copy.loop.low + count
    operands = COperation("form", "i32", form=own), COperation("form", "i32", form=low)
    return COperation(
        "choice", copy.type, (COperation("<", BOOL, operands), first, COperation("read", copy.type, access=access))
    )


def _moved(form: Form, loop: ForLoop, back: int) -> Form:
    """A subscript in the iteration that was so many before."""
    return form - form.factor(loop.name) * back
