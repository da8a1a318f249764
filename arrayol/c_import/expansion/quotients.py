"""Loops that walk through a picture by quotients and rests, as `y = i / W; x = i % W`: two loops.

What such a loop reads of its picture then moves with both of them, so it is a window, as it is where the C has a loop
over rows and one along them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from arrayol.c_import.expansion.flat_loops import split
from arrayol.c_import.expansion.renaming import Renaming
from arrayol.c_import.forms import extreme, names_of, rounded
from arrayol.c_import.graphs import mapped
from arrayol.c_import.model import (
    Bordered,
    COperation,
    Dynamic,
    ElementGuard,
    ForLoop,
    Form,
    Rounded,
    Statement,
    Term,
    data_of,
)
from arrayol.c_import.words import free_name
from arrayol.ir.affine import Affine

_LEAST_ROW = 3  # elements, as the colours of a pixel; a quotient and a rest of 2 say which of two buffers


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
        if not _LEAST_ROW <= row < count or any(number % row for number in (count, *divisors)):
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
                parted = split(one, loop, (outer, inner), renaming)
                found[place] = _without_parts(inside_row.statement(parted, parted.loops, parted.position))
    return found


def _without_parts(statement: Statement) -> Statement:
    """The statement without loops over quotients and rests that are forms now, which also replace data in reads."""

    def change(node: COperation) -> COperation:
        access = node.access
        return node if access is None else replace(node, access=replace(access, subscripts=_plain(access.subscripts)))

    statement = replace(statement, value=mapped(statement.value, change))
    for at, loop in enumerate(statement.loops):
        others = (*statement.loops[:at], *statement.loops[at + 1 :])
        for value, rest, divisor, decided in _decisions(loop, statement.conditions):
            least, most = (extreme(rest, others, greatest=end).number for end in (False, True))
            is_known = least is not None and most is not None and 0 <= least <= most < divisor
            if not is_known or not names_of(value) <= {other.name for other in statement.loops[:at]}:
                continue
            inside = replace(statement, conditions=tuple(one for one in statement.conditions if one not in decided))
            position = (*statement.position[: at + 1], *statement.position[at + 2 :])
            return _without_parts(Renaming({loop.name: value}).statement(inside, others, position))
    return statement


def _decisions(
    loop: ForLoop, conditions: Sequence[ElementGuard]
) -> Iterator[tuple[Form, Form, int, tuple[ElementGuard, ...]]]:
    """Conditions that leave a loop one number: a form, where another one is in 0 .. divisor - 1.

    They are those of a loop that is over quotients, `0 <= form - divisor * loop < divisor`, or over rests,
    `(form - loop) % divisor == 0`.
    """
    for one in conditions:
        form: Form = Affine() if one.form is None else one.form
        (term, _), *more = form.terms or ((None, 0),)
        if one.kind == "==" and isinstance(term, Rounded) and term.operator == "%" and not more and not form.constant:
            value = term.form.without(loop.name)
            if term.form.factor(loop.name) == -1 and loop.low.number == 0 and loop.high.number == term.divisor:
                yield value, value, term.divisor, (one,)
        divisor = -form.factor(loop.name)
        if one.kind == ">=" and divisor > 1:
            opposite = form.scaled(-1) + (divisor - 1)
            both = [other for other in conditions if other.kind == ">=" and other.form == opposite]
            whole = [(name, factor) for name, factor in form.terms if factor % divisor == 0 and name != loop.name]
            value = Affine(tuple(whole))
            if both and all(isinstance(name, str) for name, _ in whole):
                yield value.divided(divisor), form.without(loop.name) - value, divisor, (one, both[0])


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
        rests = {place for place, form in enumerate(forms) if _is_remainder(form, name, row)}
        quotients = [
            {one for one in _rounded_terms(form) if one.form == own and one.operator == "//"} for form in forms
        ]
        if rests and any(each and place not in rests for place, each in enumerate(quotients)):
            return True
    return any(_skips(form, name, row) for subscripts in asked[:-1] for form in subscripts)


def _skips(form: Form, name: str, row: int) -> bool:
    """Whether a subscript goes on with each place in a row, and by more or less than a row at its end."""
    own: Form = Affine(((name, 1),))
    step, stride = form.factor(name), row * form.factor(name)
    for term, factor in form.terms:
        inner = term.value.form if isinstance(term, Dynamic) else None
        if inner is not None and inner.terms:
            step += factor * inner.factor(Rounded("%", own, row))
            stride += factor * inner.factor(Rounded("//", own, row))
    return step != 0 and stride not in {0, row * step}


def _is_remainder(form: Form, name: str, row: int) -> bool:
    """Whether a form has the rest of an iterator, also as `i - i / W * W`, and no quotient beside it."""
    own: Form = Affine(((name, 1),))
    terms = [*_rounded_terms(form)]
    if not any(one.operator == "//" and one.form == own for one in terms):
        return Rounded("%", own, row) in terms
    quotient = sum(
        factor for term, factor in form.terms if [*_rounded_terms(Affine(((term, 1),)))] == [Rounded("//", own, row)]
    )
    return form.factor(name) != 0 and quotient == -row * form.factor(name)


def _guarding(statement: Statement) -> list[Form]:
    """The forms of all conditions of a statement and of its reads."""
    guards = [*statement.conditions, *(guard for one in statement.reads for guard in one.guards)]
    return [form for guard in guards for form in guard.forms()]


def _rounded_terms(form: Form) -> Iterator[Rounded]:
    """All quotients and rests of a form, also those in others and in what reads take for data."""
    for term, _ in form.terms:
        if isinstance(term, Rounded):
            yield term
        if isinstance(term, Rounded | Bordered):
            yield from _rounded_terms(term.form)
        elif isinstance(term, Dynamic) and term.value.form is not None:
            yield from _rounded_terms(term.value.form)


def _parted(name: str, outer: str, row: int, divisors: Iterable[int]) -> dict[Term, Form]:
    """What stands in place of an iterator, and of its quotients and rests, where it is `row * outer` and a new one."""
    own: Form = Affine(((name, 1),))
    rows: Form = Affine(((outer, 1),))
    values: dict[Term, Form] = {name: rows.scaled(row) + own}
    for divisor in divisors:
        values[Rounded("//", own, divisor)] = rounded("//", rows, divisor // row)
        values[Rounded("%", own, divisor)] = rounded("%", rows, divisor // row).scaled(row) + own
    return values
