"""Loops in time: the arrays of which each step reads one slice, and the statements of a step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from arrayol.c_import.forms import names_of
from arrayol.c_import.graphs import mapped
from arrayol.c_import.model import Form, Loop, Statement, Value


def sliced_arrays(group: Sequence[Statement], time: Loop) -> dict[str, tuple[int, Form]] | None:
    """The arrays of which a step reads one slice; None where the loop's number is needed otherwise."""
    targets = {one.target.array for one in group}
    found: dict[str, tuple[int, Form]] = {}
    for statement in group:
        if any(time.name in names_of(form) for form in _forms(statement)):
            return None
        for access in statement.value.reads():
            held = [(place, form) for place, form in enumerate(access.subscripts) if form.factor(time.name)]
            if not held:
                continue
            place, form = held[0]
            slice_ = (place, form.without(time.name))
            if len(held) > 1 or form.factor(time.name) != 1 or access.array in targets:
                return None
            if found.setdefault(access.array, slice_) != slice_:
                return None
    reads = [access for one in group for access in one.value.reads()]
    if any(
        access.array in found and not access.subscripts[found[access.array][0]].factor(time.name) for access in reads
    ):
        return None
    inner = {loop.name for one in group for loop in one.loops}
    return None if any(form.factor(name) for _, form in found.values() for name in inner) else found


def _forms(statement: Statement) -> Iterator[Form]:
    """All forms but the subscripts of what is read."""
    yield from statement.target.subscripts
    for condition in statement.conditions:
        yield from condition.forms()
    for access in statement.value.reads():
        for condition in access.guards:
            yield from condition.forms()
    for loop in statement.loops:
        yield from (loop.low, loop.high)
    for node in statement.value.nodes():
        if node.form is not None:
            yield node.form


def without_time(statement: Statement, sliced: dict[str, tuple[int, Form]]) -> Statement:
    """The statement inside its first loop, with slices of arrays in place of them."""
    return replace(
        statement,
        loops=statement.loops[1:],
        position=statement.position[1:],
        value=_sliced_value(statement.value, sliced),
    )


def _sliced_value(value: Value, sliced: dict[str, tuple[int, Form]]) -> Value:
    def change(node: Value) -> Value:
        access = node.access
        if access is None or access.array not in sliced:
            return node
        return replace(node, access=replace(access, subscripts=dropped(access.subscripts, sliced[access.array][0])))

    return mapped(value, change)


def dropped(items: tuple[Form, ...], place: int) -> tuple[Form, ...]:
    return items[:place] + items[place + 1 :]
