"""Strips that run alike: one of each kind stands for all of it, so that large nests are counted and allocated too.

Strips are of one kind where their accesses, as sets of [tile in the strip, key, element], are moved copies of each
other. Then so is all that follows from them: what is loaded, stored and alive. Strip o is moved back by o V, for some
integer matrix V. Each condition of a set then has a constant that depends on o, beside what varies inside the set:
where that constant lies so high that the condition always holds, or so low that it never does, its value does not
matter. Strips whose constants agree but for that are of one kind. This is exact for any V; a good V, under which most
conditions stay, makes few kinds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import islpy as isl
import numpy as np

from arrayol.arrays import IntArray
from arrayol.tiling.enumerate import Constraints, constraints

_TRIED = 6  # moves of an axis


@dataclass(frozen=True, eq=False)
class Kinds:
    """Outer coordinates of one strip of each kind, (kinds, outer) in lexicographic order, and its number of strips."""

    strip: IntArray
    count: IntArray


def kinds_of(strips: IntArray, windows: isl.Set, sets: Sequence[isl.Set]) -> Kinds:
    """The kinds of strips, known by their outer coordinates (n, outer), for sets of points that begin with those.

    What comes after is moved; a set may have more dimensions than another. `windows`, which strips move along with
    their coordinates, says of the times of tiles that they lie in them.
    """
    outer = strips.shape[1]
    bounded = [_Bounded.of(part, outer) for whole in sets for part in whole.compute_divs().get_basic_sets()]
    always = [_Bounded.of(part, outer) for part in windows.get_basic_sets()]
    width = max((one.inner for one in [*bounded, *always]), default=0)
    moves = np.zeros((outer, width), np.int64)
    tried = [_moves(bounded, always, axis, width) for axis in range(outer)]
    for axis, choices in enumerate(tried):
        moves[axis] = choices[0]
    for axis, choices in enumerate(tried):
        if len(choices) > 1:
            numbers = [len(_grouped(strips, bounded, _with(moves, axis, choice))[0]) for choice in choices]
            moves = _with(moves, axis, choices[int(np.argmin(numbers))])
    first, count = _grouped(strips, bounded, moves)
    order = np.argsort(first)
    return Kinds(strips[first[order]], count[order])


def _with(moves: IntArray, axis: int, choice: IntArray) -> IntArray:
    changed = moves.copy()
    changed[axis] = choice
    return changed


@dataclass(frozen=True, eq=False)
class _Bounded:
    """A conjunction, and bounds (inner, 2) of its dimensions inside a strip for all strips: [least, most]."""

    part: Constraints
    outer: int
    inner: int
    points: isl.Set

    @staticmethod
    def of(part: isl.BasicSet, outer: int) -> _Bounded:
        return _Bounded(
            constraints(part), outer, part.dim(isl.dim_type.set) - outer, isl.Set.from_basic_set(part.remove_divs())
        )

    def ranges(self, moves: IntArray) -> list[tuple[int, int]]:
        """The least and the most that each inner dimension takes where each strip is moved back."""
        found = []
        for place in range(self.inner):
            form = isl.Aff.zero_on_domain(isl.LocalSpace.from_space(self.points.get_space()))
            form = form.set_coefficient_val(isl.dim_type.in_, self.outer + place, isl.Val(1))
            for axis in range(self.outer):
                form = form.set_coefficient_val(isl.dim_type.in_, axis, isl.Val(-int(moves[axis, place])))
            least, most = self.points.min_val(form), self.points.max_val(form)
            found.append((int(least.to_python()), int(most.to_python())) if least.is_int() else (0, 0))
        return found

    def columns(self, strips: IntArray, moves: IntArray) -> Iterator[IntArray]:
        """What decides which points the conjunction has in each strip, but for where it lies."""
        ranges, moves = self.ranges(moves[:, : self.inner]), moves[:, : self.inner]
        dead = np.zeros(len(strips), np.bool_)
        shifts: list[IntArray] = []  # of each quotient, by strip
        decides: list[IntArray] = []
        for factors, divisor in zip(self.part.quotients, self.part.divisors, strict=True):
            constant, (least, most) = self._split(factors, strips, moves, shifts, ranges)
            decides.append(constant % divisor)
            shifts.append(constant // divisor)
            ranges = [*ranges, (least // int(divisor), (most + int(divisor) - 1) // int(divisor))]
        for factors, equal in zip(self.part.factors, self.part.equal, strict=True):
            constant, (least, most) = self._split(factors, strips, moves, shifts, ranges)
            dead |= (constant < -most) | ((constant > -least) if equal else False)
            decides.append(constant if equal else np.minimum(constant, -least))
        yield from (np.where(dead, 0, column) for column in decides)
        yield dead.astype(np.int64)

    def _split(
        self,
        factors: IntArray,
        strips: IntArray,
        moves: IntArray,
        shifts: Sequence[IntArray],
        ranges: Sequence[tuple[int, int]],
    ) -> tuple[IntArray, tuple[int, int]]:
        """A form as a number for each strip, and the least and the most of what varies inside a strip."""
        inside = factors[1 + self.outer : 1 + self.outer + self.inner]
        quotients = factors[1 + self.outer + self.inner :][: len(shifts)]
        constant = factors[0] + strips @ (factors[1 : 1 + self.outer] + moves @ inside)
        for factor, shift in zip(quotients, shifts, strict=True):
            constant = constant + factor * shift
        ends = [
            sorted((int(f) * low, int(f) * high)) for f, (low, high) in zip([*inside, *quotients], ranges, strict=True)
        ]
        return constant, (sum(low for low, _ in ends), sum(high for _, high in ends))


def _grouped(strips: IntArray, bounded: Sequence[_Bounded], moves: IntArray) -> tuple[IntArray, IntArray]:
    """The first strip of each kind, and the number of its strips."""
    kind = np.zeros(len(strips), np.int64)
    for one in bounded:
        keys = [column for column in one.columns(strips, moves) if (column != column[0]).any()]
        if keys:
            kind = np.unique(np.column_stack([kind, *keys]), axis=0, return_inverse=True)[1].reshape(-1)
    _, first, count = np.unique(kind, return_index=True, return_counts=True)
    return first, count


# Moves under which conditions stay: B v = -a for those of as many conditions a o + B x + c >= 0 as can be.


def _moves(bounded: Sequence[_Bounded], always: Sequence[_Bounded], axis: int, width: int) -> list[IntArray]:
    """Moves for a step along an outer axis, those under which most conditions stay first, among them `always`."""
    first = [row for one in always for row in _directions(one, axis, width)]
    seen = Counter(row for one in bounded for row in _directions(one, axis, width))
    # Conditions on several dimensions tie them together; a bound of one alone is far from most strips.
    rows = sorted(seen, key=lambda row: (sum(map(bool, row)) == 1, -seen[row], row))
    found: dict[tuple[int, ...], int] = {}
    for start in rows:
        move = _solution([*first, start, *rows], width)
        if move is not None and move not in found:
            found[move] = sum(number for row, number in seen.items() if _stays(row, move))
    best = sorted(found, key=lambda move: (-found[move], move))[:_TRIED]
    return [np.array(move, np.int64) for move in best] or [np.zeros(width, np.int64)]


def _directions(one: _Bounded, axis: int, width: int) -> Iterator[tuple[Fraction, ...]]:
    """Each condition as (B, a), quotients as the fractions they round; of one direction, however it is scaled."""
    held: list[list[Fraction]] = []
    for factors, divisor in [
        *zip(one.part.quotients, one.part.divisors, strict=True),
        *((factors, 1) for factors in one.part.factors),
    ]:
        row = [Fraction(int(factor)) for factor in factors[1 + one.outer : 1 + one.outer + one.inner]]
        row += [Fraction(0)] * (width - one.inner) + [Fraction(int(factors[1 + axis]))]
        for factor, quotient in zip(factors[1 + one.outer + one.inner :], held, strict=False):
            row = [own + int(factor) * part for own, part in zip(row, quotient, strict=True)]
        row = [part / int(divisor) for part in row]
        if len(held) < len(one.part.quotients):
            held.append(row)
        lead = next((part for part in row[:-1] if part), None)
        if lead is not None:
            yield tuple(part / lead for part in row)


def _stays(row: Sequence[Fraction], move: Sequence[int]) -> bool:
    return sum((part * step for part, step in zip(row, move, strict=False)), row[-1]) == 0


def _solution(rows: Sequence[tuple[Fraction, ...]], width: int) -> tuple[int, ...] | None:
    """A move under which the first condition stays, and each other that can as well; None if it is no integer."""
    kept: list[list[Fraction]] = []  # in echelon form
    for row in rows:
        own = list(row)
        for other in kept:
            factor = own[_lead(other)]
            own = [part - factor * known for part, known in zip(own, other, strict=True)]
        if not any(own[:-1]):
            continue
        lead = _lead(own)
        own = [part / own[lead] for part in own]
        kept = [[part - known[lead] * new for part, new in zip(known, own, strict=True)] for known in kept] + [own]
        if len(kept) == width:
            break
    move = [Fraction(0)] * width
    for form in kept:
        move[_lead(form)] = -form[-1]
    return tuple(map(int, move)) if all(part.denominator == 1 for part in move) else None


def _lead(row: Sequence[Fraction]) -> int:
    """The place of the first factor that is not 0."""
    return next(place for place, part in enumerate(row) if part)
