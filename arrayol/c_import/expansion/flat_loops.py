"""Loops that run through a picture as if it were one row, as `for (i = 0; i < H * W; i++) d[i] = 0`: two loops.

Where others keep to rows, as `d[y * W + x]` does, the picture has two dimensions only if this loop has two as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import prod

from arrayol.c_import.expansion.renaming import Renaming
from arrayol.c_import.forms import names_of
from arrayol.c_import.model import ElementAccess, ForLoop, Form, Statement
from arrayol.c_import.words import free_name
from arrayol.ir.affine import Affine

LEAST_ROW = 4  # shorter ones are steps along one dimension


def with_rows(statements: Sequence[Statement], declared: Mapping[str, Sequence[int]]) -> list[Statement]:
    """The statements with a loop over rows and one along them in place of each that runs through an array of rows.

    `declared` has extents of arrays of which the C says them, by name.
    """
    known = {
        name: {prod(dims[place:]) for place in range(1, len(dims))} for name, dims in declared.items() if len(dims) > 1
    }
    found = list(statements)
    loops = list(dict.fromkeys(loop for one in found for loop in one.loops))
    names = {loop.name for loop in loops}
    for loop in loops:  # those that are made, too: a plane of a cube has rows again
        inside = [one for one in found if loop in one.loops]
        count, runs = loop.high.number, _runs(loop, inside)
        if loop.low.number != 0 or count is None or not runs:
            continue
        row = _declared_row(count, runs, known)
        if row is None and not any(array in known for array, _ in runs):
            row = _stepped_row(count, runs, _rows(one for one in found if loop not in one.loops))
        if row is None:
            continue
        outer = ForLoop(free_name(f"{loop.name}_row", names), Affine(), (loop.high - loop.low).divided(row), loop.span)
        inner = ForLoop(loop.name, Affine(), Affine(constant=row), loop.span)
        names.add(outer.name)
        loops.append(inner)
        renaming = Renaming({loop.name: Affine(((outer.name, row), (inner.name, 1)))})
        found = [split(one, loop, (outer, inner), renaming) if loop in one.loops else one for one in found]
    return found


def _rows(statements: Iterable[Statement]) -> dict[str, set[int]]:
    """By array of one dimension, how long the rows are that its subscripts step over."""
    found: dict[str, set[int]] = {}
    for one in statements:
        for access in (one.target, *one.reads):
            if len(access.subscripts) == 1:
                factors = {factor for _, factor in access.subscripts[0].terms if factor >= LEAST_ROW}
                found.setdefault(access.array, set()).update(factors)
    return found


def _runs(loop: ForLoop, inside: Sequence[Statement]) -> list[tuple[str, Form]]:
    """The arrays that a loop runs through element by element, each with where it begins; none where it does more."""
    own: Form = Affine(((loop.name, 1),))
    found: list[tuple[str, Form]] = []
    for one in inside:
        forms = [form for other in one.loops for form in (other.low, other.high)]
        for access in (one.target, *one.reads):
            start = _start(access, own)
            if start is None:
                forms += access.subscripts
            else:
                found.append((access.array, start))
        if any(loop.name in names_of(form) for form in forms):
            return []
    return found


def _declared_row(count: int, runs: Sequence[tuple[str, Form]], rows: Mapping[str, set[int]]) -> int | None:
    """The longest row that all arrays have of which the C says the rows, and that each run begins with."""
    found: list[set[int]] = []
    for array, start in runs:
        numbers = [start.constant, *(factor for _, factor in start.terms)]
        if array in rows:
            found.append({row for row in rows[array] if not any(number % row for number in numbers)})
    common = set.intersection(*found) if found else set()
    return max((row for row in common if row < count and count % row == 0), default=None)


def _stepped_row(count: int, runs: Sequence[tuple[str, Form]], rows: Mapping[str, set[int]]) -> int | None:
    """The one row that other loops step over in arrays that a loop runs through from their first element on."""
    found = set[int]().union(*(rows.get(array, set()) for array, start in runs if start.number == 0))
    row = found.pop() if len(found) == 1 and all(start.number == 0 for _, start in runs) else count
    return row if row < count and count % row == 0 else None


def split(statement: Statement, loop: ForLoop, both: tuple[ForLoop, ForLoop], renaming: Renaming) -> Statement:
    """The statement with two loops, an outer and an inner one, in place of one that `renaming` replaces."""
    at = statement.loops.index(loop)
    loops = (*statement.loops[:at], *both, *statement.loops[at + 1 :])
    return renaming.statement(statement, loops, (*statement.position[: at + 1], 0, *statement.position[at + 1 :]))


def _start(access: ElementAccess, own: Form) -> Form | None:
    """Where a loop begins that goes on by one element of one dimension; None where it does not."""
    start = access.subscripts[0] - own if len(access.subscripts) == 1 else own
    return start if names_of(start).isdisjoint(names_of(own)) else None
