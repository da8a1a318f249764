"""Loops in time: the arrays of which each step reads one slice, and the statements of a step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from arrayol.c_import.forms import names_of
from arrayol.c_import.graphs import mapped, with_values
from arrayol.c_import.model import COperation, ElementAccess, ForLoop, Form, Statement, data_of


def sliced_arrays(group: Sequence[Statement], time: ForLoop) -> dict[str, tuple[int, Form]] | None:
    """The arrays of which a step reads one slice; None where the loop's number is needed otherwise."""
    targets = {one.target.array for one in group}
    found: dict[str, tuple[int, Form]] = {}
    for statement in group:
        if any(time.name in names_of(form) for form in _forms(statement)):
            return None
        for access in _reads(statement):
            held = [(place, form) for place, form in enumerate(access.subscripts) if form.factor(time.name)]
            if not held:
                continue
            place, form = held[0]
            slice_ = (place, form.without(time.name))
            if len(held) > 1 or form.factor(time.name) != 1 or access.array in targets:
                return None
            if found.setdefault(access.array, slice_) != slice_:
                return None
    reads = [access for one in group for access in _reads(one)]
    if any(
        access.array in found and not access.subscripts[found[access.array][0]].factor(time.name) for access in reads
    ):
        return None
    inner = {loop.name for one in group for loop in one.loops}
    return None if any(form.factor(name) for _, form in found.values() for name in inner) else found


def _reads(statement: Statement) -> Iterator[ElementAccess]:
    """All that a statement reads, also in its target's subscripts, but for what `+=` reads."""
    for value in (statement.value, *data_of(statement.target)):
        yield from value.reads()


def _forms(statement: Statement) -> Iterator[Form]:
    """All forms but the subscripts of what is read."""
    yield from statement.target.subscripts
    for condition in statement.conditions:
        yield from condition.forms()
    for access in _reads(statement):
        for condition in access.guards:
            yield from condition.forms()
    for loop in statement.loops:
        yield from (loop.low, loop.high)
    for value in (statement.value, *data_of(statement.target)):
        yield from (node.form for node in value.nodes() if node.form is not None)


def without_time(statement: Statement, sliced: dict[str, tuple[int, Form]]) -> Statement:
    """The statement inside its first loop, with slices of arrays in place of them."""
    known: dict[int, COperation] = {}

    def change(node: COperation) -> COperation:
        access = node.access
        if access is None or access.array not in sliced:
            return node
        return replace(node, access=replace(access, subscripts=dropped(access.subscripts, sliced[access.array][0])))

    for value in data_of(statement.target):
        mapped(value, change, known)
    return replace(
        statement,
        loops=statement.loops[1:],
        position=statement.position[1:],
        target=with_values(statement.target, known),
        value=mapped(statement.value, change, known),
    )


def dropped(items: tuple[Form, ...], place: int) -> tuple[Form, ...]:
    return items[:place] + items[place + 1 :]
