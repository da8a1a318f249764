"""Places in ring buffers: scalars that a loop moves by a step and that start again at the other end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from arrayol.c_import.arithmetic import affine_condition, unwrapped
from arrayol.c_import.constants import limits
from arrayol.c_import.forms import names_of, rounded
from arrayol.c_import.graphs import mapped
from arrayol.c_import.lowering.symbols import Address, Content
from arrayol.c_import.model import UNKNOWN, COperation, ElementGuard, ForLoop, Form, Rounded, not_negative
from arrayol.c_import.ranges import Ranges
from arrayol.ir.affine import Affine


@dataclass(frozen=True, slots=True)
class Turn:
    """That a scalar moves by a step in each iteration, and stays in `low`..`low` + extent, as a place in a ring."""

    step: int
    extent: int
    low: int = 0

    def after(self, start: Form, count: Form) -> Form:
        """The place after some iterations."""
        return rounded("%", start - self.low + count.scaled(self.step), self.extent) + self.low

    def holds(self, start: Content, ranges: Ranges) -> bool:
        """Whether a scalar starts inside; in a trial its start is not known."""
        if not isinstance(start, COperation) or start.form is None:
            return False
        if start.kind == "unknown":
            return True
        least, greatest = ranges.least(start.form), ranges.greatest(start.form)
        return least is not None and greatest is not None and self.low <= least <= greatest < self.low + self.extent


@dataclass(frozen=True, slots=True)
class Rotation:
    """That a pointer moves by a step from row to row of an array, and starts again with the first one."""

    turn: Turn

    def after(self, place: Address, count: Form) -> Address:
        """Where it points after some iterations."""
        return Address(place.array, (self.turn.after(place.subscripts[0], count), *place.subscripts[1:]))


def rotation_of(places: Sequence[Content]) -> Rotation | None:
    """How the first of these pointers moves, each of which takes the place of the next one; None for other places."""
    found = [one for one in places if isinstance(one, Address)]
    if len(found) < len(places):
        return None
    array, inner = found[0].array, found[0].subscripts[1:]
    rows = [one.subscripts[0].number for one in found]
    numbers = [row for row in rows if row is not None]
    if any(one.array is not array or one.subscripts[1:] != inner for one in found) or len(numbers) < len(rows):
        return None
    count, step = len(rows), numbers[1] - numbers[0]
    if any(row != (numbers[0] + place * step) % count for place, row in enumerate(numbers)):
        return None
    return Rotation(Turn(step % count, count))


@dataclass(frozen=True, slots=True)
class PeriodicStep:
    """That a scalar moves by a step once in so many iterations, as the place of what a decimator makes does.

    It moves in iteration n, from 0, where n + `phase` is `period` - 1 modulo the period, if conditions hold `where` all
    iterations have the same.
    """

    step: int
    period: int
    phase: int
    where: tuple[COperation, ...] = ()

    def after(self, start: Form, count: Form) -> Form:
        """What the scalar is after some iterations."""
        return start + rounded("//", count + self.phase, self.period).scaled(self.step)


def counter_of(before: COperation, after: COperation, loop: ForLoop) -> PeriodicStep | None:
    """How a scalar counts some of a loop's iterations, as `if (i % 8 == 7) n++` does; None for other changes."""
    step = None if after.form is None or before.form is None else (after.form - before.form).number
    if step is not None:
        return PeriodicStep(step, 1, 0)
    condition, moved, kept = after.operands if after.kind == "choice" else (after, after, after)
    guard = affine_condition(condition) if moved.form == before.form else None
    if guard is not None:
        return _counted(before, kept, guard.negated(), loop)
    return (
        _counted_where(before, condition, moved, loop) if before.form is not None and kept.form == before.form else None
    )


def _counted_where(before: COperation, condition: COperation, moved: COperation, loop: ForLoop) -> PeriodicStep | None:
    """A scalar that moves where conditions hold, one of which at most hangs on the loop's iterator."""
    parts, fixed = list[ElementGuard](), list[COperation]()
    for part in _all_of(condition):
        known = affine_condition(part)
        if known is None:
            return None
        if any(name == loop.name or name.startswith(UNKNOWN) for form in known.forms() for name in names_of(form)):
            parts.append(known)
        else:
            fixed.append(part)
    if len(parts) > 1:
        return None
    inner = _counted(before, moved, parts[0], loop) if parts else counter_of(before, moved, loop)
    return None if inner is None else replace(inner, where=(*fixed, *inner.where))


def _counted(before: COperation, moved: COperation, condition: ElementGuard, loop: ForLoop) -> PeriodicStep | None:
    """A scalar that moves where a condition holds."""
    step = None if moved.form is None or before.form is None else (moved.form - before.form).number
    found = None if step is None else _period_and_phase(condition, loop)
    return None if step is None or found is None else PeriodicStep(step, *found)


def _all_of(condition: COperation) -> Iterator[COperation]:
    """The conditions that must hold together."""
    if condition.kind != "and":
        yield condition
        return
    for operand in condition.operands:
        yield from _all_of(operand)


def _period_and_phase(condition: ElementGuard, loop: ForLoop) -> tuple[int, int] | None:
    """When an iterator has the rest that a condition says: `(i + b) % m == r`, `!= r` of two, or an end of 0..m."""
    form, low = condition.form, loop.low.number
    term, factor = form.terms[0] if form is not None and len(form.terms) == 1 else ("", 0)
    if form is None or low is None or not isinstance(term, Rounded) or term.operator != "%" or abs(factor) != 1:
        return None
    rest, period, step = -form.constant * factor, term.divisor, term.form.factor(loop.name)
    if condition.kind == ">=" and rest != (period - 1 if factor == 1 else 0):
        return None
    if condition.kind == "!=":
        if period != 2:
            return None
        rest += 1
    start = term.form.without(loop.name).number
    if start is None or abs(step) != 1:
        return None
    first = (rest - start) * step - low  # the first iteration in which it holds, modulo the period
    return period, (period - 1 - first) % period


def turn_of(before: COperation, after: COperation, number: Callable[[Form], int | None]) -> Turn | None:
    """How an iteration turns a scalar: by `(p + 1) % N`, by a mask, or by a choice at the end of the ring.

    `number` is the number that a form of consts is, which they are from then on.
    """
    if before.form is None:
        return None
    after, low, extent = mapped(after, _without_wraps), limits(before.type)[0], limits(before.type)[1] + 1
    step = (after.form - before.form).number if after.form is not None else None
    if step is not None:  # an unsigned type is a ring by itself
        return Turn(step, extent) if low == 0 else None
    turn = _turn(before.form, after, number)
    fits = turn is not None and (turn.extent + abs(turn.step) < extent or (low == 0 and turn.extent == extent))
    return turn if fits else None


def _without_wraps(value: COperation) -> COperation:
    """A value in a type that holds all places of a ring, as `idx + 1` of an unsigned char."""
    inner = value.operands[0].form if value.kind == "convert" and value.form is None else None
    return value if inner is None else replace(value, form=inner)


def _turn(before: Form, after: COperation, number: Callable[[Form], int | None]) -> Turn | None:
    if after.form is not None:
        term = after.form.terms[0][0] if len(after.form.terms) == 1 else None
        if not isinstance(term, Rounded) or term.operator != "%" or after.form != Affine(((term, 1),)):
            return None
        step = (term.form - before).number
        return None if step is None else Turn(step, term.divisor)
    while after.kind == "convert":
        after = after.operands[0]
    return _by_remainder(before, after) or next(_turned(before, after, number), None)


def _by_remainder(before: Form, after: COperation) -> Turn | None:
    """The turn of C's rest, `(p + 1) % N`, which is written with a quotient where p may be negative."""
    if after.kind != "-" or after.operands[1].kind != "*" or after.operands[0].form is None:
        return None
    quotient, divisor = after.operands[1].operands
    extent = divisor.form.number if divisor.form is not None else None
    step = (after.operands[0].form - before).number
    if quotient.kind != "//" or extent is None or step is None or step < 0:
        return None
    return Turn(step, extent)


def _turned(before: Form, after: COperation, number: Callable[[Form], int | None]) -> Iterator[Turn]:
    """Turns by a choice: `p + 1 == N ? 0 : p + 1`, `p == 0 ? N - 1 : p - 1`, `p + 2 >= N ? p + 2 - N : p + 2`."""
    condition = affine_condition(after.operands[0]) if after.kind == "choice" else None
    if condition is None:
        return
    first, second = map(unwrapped, after.operands[1:])
    for holds, end, moved in ((condition, first, second), (condition.negated(), second, first)):
        step = None if moved is None else (moved - before).number
        if end is None or moved is None or not step:
            continue
        whole = number(end - moved)
        if whole is not None and 0 < step <= -whole and holds == not_negative(moved + whole):
            yield Turn(step, -whole)
        elif whole is not None and 0 < -step <= whole and holds == not_negative(moved.scaled(-1) - 1):
            yield Turn(step, whole)
        elif step == 1 and end.number == 0:
            extents = [number(one) for one in _bounds(holds, moved)]
            yield from (Turn(1, one) for one in extents if one is not None and one > 0)
        elif step == -1 and holds in _at_end(moved) and (last := number(end)) is not None and last > 1:
            yield Turn(-1, last, 1)
        elif step == -1 and holds in _at_end(before):
            last = number(end)
            if last is not None and last >= 0:
                yield Turn(-1, last + 1)


def _bounds(condition: ElementGuard, form: Form) -> list[Form]:
    """The values of a form where a condition holds with equality; one that has the form in it says nothing."""
    if condition.form is None or condition.kind == "!=":
        return []
    return [form - condition.form.scaled(factor) for factor in ((1, -1) if condition.kind == "==" else (1,))]


def _at_end(before: Form) -> list[ElementGuard]:
    """The ways to say that a place is the first one of its ring: `p == 0`, `p - 1 < 0`."""
    return [ElementGuard("==", before), ElementGuard("==", before.scaled(-1)), not_negative(before.scaled(-1))]
