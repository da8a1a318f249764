"""Loops that run through a picture as if it were one row, as `for (i = 0; i < H * W; i++) d[i] = 0`: two loops.

Where others keep to rows, as `d[y * W + x]` does, the picture has two dimensions only if this loop has two as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import prod

from arrayol.c_import.expansion.renaming import Renaming
from arrayol.c_import.forms import names_of, rounded
from arrayol.c_import.graphs import mapped
from arrayol.c_import.model import (
    Bordered,
    COperation,
    Dynamic,
    ElementAccess,
    ForLoop,
    Form,
    Rounded,
    Statement,
    Term,
    data_of,
)
from arrayol.c_import.words import free_name
from arrayol.ir.affine import Affine

LEAST_ROW = 4  # shorter ones are steps along one dimension
LEAST_WALKED = 3  # elements of a row, as the colours of a pixel; a quotient and a rest of 2 say which of two buffers


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
        found = [_split(one, loop, (outer, inner), renaming) if loop in one.loops else one for one in found]
    return found


def with_quotients(statements: Sequence[Statement]) -> list[Statement]:
    """The statements with two loops for each one of which they ask for a quotient and a rest, as `i / W`, `i % W`.

    The inner loop has as many iterations as the least divisor says; others must be multiples of it.
    """
    found = list(statements)
    loops = list(dict.fromkeys(loop for one in found for loop in one.loops))
    names = {loop.name for loop in loops}
    for loop in loops:  # those that are made, too: a quotient may be parted again
        inside = [one for one in found if loop in one.loops]
        divisors = set[int]().union(*(_divisors(one, loop.name) for one in inside))
        row, count = min(divisors, default=0), loop.high.number
        bounds = [form for one in inside for other in one.loops for form in (other.low, other.high)]
        if loop.low.number != 0 or count is None or not divisors or any(loop.name in names_of(form) for form in bounds):
            continue
        if not LEAST_WALKED <= row < count or any(number % row for number in (count, *divisors)):
            continue
        if not any(_walks(one, loop.name, row) for one in inside):
            continue
        outer = ForLoop(free_name(f"{loop.name}_row", names), Affine(), Affine(constant=count // row), loop.span)
        inner = ForLoop(loop.name, Affine(), Affine(constant=row), loop.span)
        names.add(outer.name)
        loops.append(outer)
        renaming = Renaming(_parted(loop.name, outer.name, row, divisors))
        own: Form = Affine(((loop.name, 1),))
        inside_row = Renaming({Rounded("//", own, row): Affine(), Rounded("%", own, row): own})
        for place, one in enumerate(found):
            if loop in one.loops:
                split = _split(one, loop, (outer, inner), renaming)
                found[place] = _without_parts(inside_row.statement(split, split.loops, split.position))
    return found


def _without_parts(statement: Statement) -> Statement:
    """The statement without loops over quotients and rests that are forms now, which also replace data in reads."""

    def change(node: COperation) -> COperation:
        access = node.access
        return node if access is None else replace(node, access=replace(access, subscripts=_plain(access.subscripts)))

    statement = replace(statement, value=mapped(statement.value, change))
    for loop in statement.loops:
        for condition in statement.conditions:
            form = condition.form
            if condition.kind != "==" or form is None or abs(form.factor(loop.name)) != 1:
                continue
            value = form.without(loop.name).scaled(-form.factor(loop.name))
            if any(not isinstance(term, str) for term, _ in value.terms):
                continue
            at = statement.loops.index(loop)
            others = (*statement.loops[:at], *statement.loops[at + 1 :])
            if not names_of(value) <= {other.name for other in others[:at]}:
                continue
            position = (*statement.position[: at + 1], *statement.position[at + 2 :])
            conditions = tuple(one for one in statement.conditions if one is not condition)
            inside = replace(statement, conditions=conditions)
            return _without_parts(Renaming({loop.name: value}).statement(inside, others, position))
    return statement


def _plain(subscripts: tuple[Form, ...]) -> tuple[Form, ...]:
    """Subscripts with forms in place of data that are forms without quotients and rests."""
    found: list[Form] = []
    for form in subscripts:
        result: Form = Affine(constant=form.constant)
        for term, factor in form.terms:
            own: Form = Affine(((term, 1),))
            inner = term.value.form if isinstance(term, Dynamic) else None
            is_plain = inner is not None and all(isinstance(one, str) for one, _ in inner.terms)
            result += (inner if inner is not None and is_plain else own).scaled(factor)
        found.append(result)
    return tuple(found)


def _divisors(statement: Statement, name: str) -> set[int]:
    """The divisors of the quotients and rests of an iterator that a statement asks for."""
    accesses = (statement.target, *statement.reads)
    values = (statement.value, *data_of(statement.target))
    forms = [node.form for value in values for node in value.nodes() if node.form is not None]
    forms += [form for one in accesses for form in one.subscripts]
    forms += _guarding(statement)
    return {term.divisor for form in forms for term in _rounded_terms(form) if term.form == Affine(((name, 1),))}


def _walks(statement: Statement, name: str, row: int) -> bool:
    """Whether a statement takes an iterator for rows and a place in one, in a subscript each or in its conditions."""
    own: Form = Affine(((name, 1),))
    asked = [one.subscripts for one in statement.reads]
    asked.append(tuple(_guarding(statement)))
    for forms in asked:
        terms = [[term for term in _rounded_terms(form) if term.form == own] for form in forms]
        rests = {place for place, each in enumerate(terms) if Rounded("%", own, row) in each}
        rows = {place for place, each in enumerate(terms) if any(one.operator == "//" for one in each)}
        if rests - rows and rows - rests:
            return True
    return False


def _guarding(statement: Statement) -> list[Form]:
    """The forms of all conditions of a statement and of its reads."""
    guards = [*statement.conditions, *(guard for one in statement.reads for guard in one.guards)]
    return [form for guard in guards for form in guard.forms()]


def _rounded_terms(form: Form) -> Iterator[Rounded]:
    """All quotients and rests of a form, also those in others."""
    for term, _ in form.terms:
        if isinstance(term, Rounded):
            yield term
        inner = (
            term.value.form
            if isinstance(term, Dynamic)
            else term.form
            if isinstance(term, Rounded | Bordered)
            else None
        )
        yield from _rounded_terms(inner) if inner is not None else ()


def _parted(name: str, outer: str, row: int, divisors: Iterable[int]) -> dict[Term, Form]:
    """What stands in place of an iterator, and of its quotients and rests, where it is `row * outer` and a new one."""
    own: Form = Affine(((name, 1),))
    rows: Form = Affine(((outer, 1),))
    values: dict[Term, Form] = {name: rows.scaled(row) + own}
    for divisor in divisors:
        values[Rounded("//", own, divisor)] = rounded("//", rows, divisor // row)
        values[Rounded("%", own, divisor)] = rounded("%", rows, divisor // row).scaled(row) + own
    return values


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


def _split(statement: Statement, loop: ForLoop, both: tuple[ForLoop, ForLoop], renaming: Renaming) -> Statement:
    """A statement with two loops in place of one."""
    at = statement.loops.index(loop)
    loops = (*statement.loops[:at], *both, *statement.loops[at + 1 :])
    return renaming.statement(statement, loops, (*statement.position[: at + 1], 0, *statement.position[at + 1 :]))


def _start(access: ElementAccess, own: Form) -> Form | None:
    """Where a loop begins that goes on by one element of one dimension; None where it does not."""
    start = access.subscripts[0] - own if len(access.subscripts) == 1 else own
    return start if names_of(start).isdisjoint(names_of(own)) else None
