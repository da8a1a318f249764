"""Exact Pareto fronts as arrays: points ascending, each value once, with the fewest units among equals.

Values are integers, smaller is better. Sums of fronts are how whole designs come from groups
(docs/how-search-works.md, "From groups to whole designs").

A point dominates another when it is nowhere larger and somewhere smaller; of equal points none dominates, all stay.
Each point is compared with every other one, dominated or not, so that the count depends on the number of points alone:
n (n - 1) ordered pairs. What subspaces save is thus the pairs that are never compared: a point that is dominated within
its subspace is on no front of all, for dominance is transitive, and only the survivors of all subspaces are compared
with each other. Where points are too many to be compared in pairs they are sorted, and nothing is counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import IntArray
from hwmodel.design import Fusion

# One row per design, one column per objective, smaller is better: int64, or Python integers where those do not fit.
Points = NDArray[np.generic]

COMPARED_AT_MOST = 10_000  # points; beyond (10^8 ordered pairs) fronts are sorted, and nothing is counted
_PAIRS_AT_ONCE = 1 << 21


@dataclass(frozen=True)
class CountedFront:
    """Rows that nothing dominates, ascending, and the ordered pairs (a, b), a != b, that were compared for it."""

    rows: NDArray[np.intp]
    comparisons: int


def points_of(values: Sequence[Sequence[int]]) -> Points:
    """Exact points, one row for each of at least one sequence of objectives."""
    try:
        return np.array(values, dtype=np.int64)
    except OverflowError:
        return np.array(values, dtype=object)


def counted_front(points: Points) -> CountedFront:
    """Compare every point with every other one; in blocks, so that memory stays bounded."""
    count = len(points)
    dominated = np.zeros(count, dtype=bool)
    comparisons = 0
    step = max(1, _PAIRS_AT_ONCE // max(1, count))
    for start in range(0, count, step):
        block = np.arange(start, min(start + step, count))
        compared = block[:, None] != np.arange(count)[None, :]
        dominated[block] = _dominated(points, block, compared).any(axis=1)
        comparisons += int(np.count_nonzero(compared))
    return CountedFront(np.flatnonzero(~dominated), comparisons)


def _dominated(points: Points, block: NDArray[np.intp], compared: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether the column's point dominates the row's, where they are compared: (len(block), len(points))."""
    nowhere_larger = compared.copy()
    smaller = np.zeros_like(compared)
    for objective in range(points.shape[1]):
        theirs, ours = points[None, :, objective], points[block, None, objective]
        np.less_equal(theirs, ours, out=nowhere_larger, where=nowhere_larger)
        smaller |= np.less(theirs, ours, out=np.zeros_like(compared), where=nowhere_larger)
    return nowhere_larger & smaller


def non_dominated(points: Points) -> NDArray[np.intp]:
    """Rows of the Pareto front, ascending; equal points stay together."""
    import moocore  # type: ignore[import-untyped]  # noqa: PLC0415

    if not len(points):
        return np.zeros(0, dtype=np.intp)
    # Dominance sees only the order along each objective, and small ranks are exact as floats.
    return np.flatnonzero(moocore.is_nondominated(_ranks(points).astype(np.float64), keep_weakly=True))


def _ranks(points: Points) -> NDArray[np.intp]:
    columns = [np.unique(column, return_inverse=True)[1].reshape(-1) for column in points.T]
    return np.stack(columns, axis=1)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A feasible fusion and the integers it is compared by, one per objective."""

    fusion: Fusion
    values: tuple[int, ...]


class GrowingFront:
    """The front of designs that come one by one. Holds at most the front so far and `at_once` more candidates.

    `comparisons` counts ordered pairs; it becomes None for good once there were more than `at_once` candidates to
    compare with each other, and sorting took over.
    """

    def __init__(self, at_once: int = COMPARED_AT_MOST) -> None:
        self.comparisons: int | None = 0
        self._at_once = at_once
        self._held: list[Candidate] = []
        self._fresh = 0

    def add(self, candidate: Candidate) -> None:
        """Take one more candidate."""
        self._held.append(candidate)
        self._fresh += 1
        if self._fresh > self._at_once:
            self.comparisons = None
            self._sort()

    @property
    def held(self) -> Sequence[Candidate]:
        """The candidates of the front so far, and some that may be dominated."""
        return self._held

    def finish(self) -> list[Candidate]:
        """The candidates that none dominates, in the order in which they came."""
        if self.comparisons is None:
            self._sort()
        elif self._held:
            front = counted_front(points_of([held.values for held in self._held]))
            self.comparisons = front.comparisons
            self._held = [self._held[row] for row in front.rows]
        return self._held

    def _sort(self) -> None:
        rows = non_dominated(points_of([held.values for held in self._held]))
        self._held = [self._held[row] for row in rows]
        self._fresh = 0


Rows = NDArray[np.intp]
Item = TypeVar("Item")

SUMS_AT_ONCE = 1 << 21  # pairs of points; more are combined in parts, so that memory stays bounded
_COMPARED_AT_ONCE = 1 << 22  # figures of pairs of points
_MANY = 1 << 10  # points of which most are told apart sooner than they are sorted


@dataclass(frozen=True, slots=True)
class Front:
    """Points of shape (n, figures), ascending, none dominated or equal; `units` of shape (n,).

    `origin` has for each point the row, or the pair of rows, it came from: of shape (n,) or (n, 2).
    """

    values: IntArray
    units: IntArray
    origin: Rows

    def __len__(self) -> int:
        return len(self.values)

    def at(self, rows: Rows) -> Front:
        """Some of the points."""
        return Front(self.values[rows], self.units[rows], self.origin[rows])


@dataclass(frozen=True, slots=True)
class Combination:
    """How figures of groups make those of a whole: `largest` tells, for each, whether by the maximum or by the sum.

    A point with a figure above its limit is dropped: sums and maxima only grow. Of wholes with equal figures the one
    with the fewest units stays, unless `units_matter` not.
    """

    largest: tuple[bool, ...]
    limits: tuple[int | None, ...]
    units_matter: bool = True

    @property
    def trades_units(self) -> bool:
        """Whether a dominated part with fewer units may belong to a whole that is not: under a maximum it may."""
        return self.units_matter and any(self.largest)

    def whole(self, left: IntArray, right: IntArray) -> IntArray:
        """Figures of wholes, of shape (..., figures), from those of two parts."""
        if not any(self.largest):
            return left + right
        return np.where(np.array(self.largest), np.maximum(left, right), left + right)

    def within(self, values: IntArray) -> NDArray[np.bool_]:
        """Which points keep all limits."""
        kept = np.ones(len(values), np.bool_)
        for column, limit in enumerate(self.limits):
            if limit is not None:
                kept &= values[:, column] <= limit
        return kept


def front_of(values: IntArray, units: IntArray, *, trade_units: bool = False) -> Front:
    """The front of points (n, figures); among equal points the one with the fewest units, then the first.

    With `trade_units` the units count as one more figure, as parts of a whole may need (`Combination.trades_units`).
    """
    rows = _pareto_rows(values, units, trade_units=trade_units)
    return Front(values[rows], units[rows], rows)


def merged(fronts: Sequence[Front], combination: Combination) -> Front:
    """The front of several fronts together; `origin` are rows of their concatenation."""
    values, units = (np.concatenate([getattr(front, name) for front in fronts]) for name in ("values", "units"))
    return front_of(values, units, trade_units=combination.trades_units)


def combined(left: Front, right: Front, combination: Combination) -> Front:
    """The front of all wholes made of one point of each; `origin` holds pairs of rows."""
    step = max(1, SUMS_AT_ONCE // max(1, len(right)))
    parts = [_sums(left, right, slice(start, start + step), combination) for start in range(0, len(left), step)]
    if len(parts) <= 1:
        return parts[0] if parts else _sums(left, right, slice(0, 0), combination)
    values, units, origin = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("values", "units", "origin")
    )
    rows = _pareto_rows(values, units, trade_units=combination.trades_units)
    return Front(values[rows], units[rows], origin[rows])


def _sums(left: Front, right: Front, rows: slice, combination: Combination) -> Front:
    values = combination.whole(left.values[rows, None, :], right.values[None, :, :])
    units = (left.units[rows, None] + right.units[None, :]).reshape(-1)
    values = values.reshape(len(units), left.values.shape[1])
    if any(limit is not None for limit in combination.limits):
        kept = np.flatnonzero(combination.within(values))
        chosen = kept[_pareto_rows(values[kept], units[kept], trade_units=combination.trades_units)]
    else:  # sums are many, and none need be copied
        chosen = _pareto_rows(values, units, trade_units=combination.trades_units)
    first = rows.start if rows.start is not None else 0
    places, others = np.divmod(chosen, max(1, len(right)))
    return Front(values[chosen], units[chosen], np.stack([places + first, others], axis=1))


def _pareto_rows(values: IntArray, units: IntArray, *, trade_units: bool) -> Rows:
    """Rows of the front in ascending order of their values."""
    if trade_units:
        values = np.concatenate([values, units[:, None]], axis=1)
    count, figures = values.shape
    if not count:
        return np.zeros(0, np.intp)
    if figures == 2 and count > _MANY:
        rows = _near_the_front(values)
        return rows[_sorted_front(values[rows], units[rows])]
    return _sorted_front(values, units)


def _near_the_front(values: IntArray) -> Rows:
    """Rows, ascending, of points (n, 2) with all of the front: those that no point before them in a sort dominates.

    One sort of one column, which leaves few of the sums of two fronts.
    """
    order = np.argsort(values[:, 0])
    second = values[order, 1]
    return np.sort(order[second <= np.minimum.accumulate(second)])


def _sorted_front(values: IntArray, units: IntArray) -> Rows:
    """Rows of the front of some points, at least one, in ascending order of their values."""
    count, figures = values.shape
    order = np.lexsort((units, *(values[:, column] for column in reversed(range(figures)))))
    ascending = values[order]
    fresh = np.ones(count, np.bool_)
    fresh[1:] = (ascending[1:] != ascending[:-1]).any(axis=1)
    order, ascending = order[fresh], ascending[fresh]
    if figures == 1:
        return order[:1]
    if figures == 2:
        best = np.minimum.accumulate(ascending[:, 1])
        kept = np.ones(len(order), np.bool_)
        kept[1:] = ascending[1:, 1] < best[:-1]
        return order[kept]
    return order[non_dominated(ascending)]


def dominated(values: IntArray, by: IntArray) -> NDArray[np.bool_]:
    """Which of points (n, figures) some other point (m, figures) dominates."""
    return surpassed(values, np.full(len(values), -1), by, np.zeros(len(by), np.int64))


def surpassed(values: IntArray, units: IntArray, by: IntArray, by_units: IntArray) -> NDArray[np.bool_]:
    """Which of points (n, figures) some other point (m, figures) dominates, or equals with no more units."""
    found = np.zeros(len(values), np.bool_)
    if not len(by):
        return found
    if values.shape[1] == 2:
        order = np.lexsort((by_units, by[:, 1], by[:, 0]))
        by, by_units = by[order], by_units[order]
        least = np.concatenate([[np.iinfo(np.int64).max], np.minimum.accumulate(by[:, 1])])
        first, end = (np.searchsorted(by[:, 0], values[:, 0], side=side) for side in ("left", "right"))
        below = (least[end] < values[:, 1]) | ((least[first] <= values[:, 1]) & (least[first] < least[0]))
        same = np.minimum(first, len(by) - 1)  # of points with the same first figure that with the least second
        return np.asarray(below | ((by[same] == values).all(axis=1) & (by_units[same] <= units)))
    step = max(1, _COMPARED_AT_ONCE // by.size)
    for start in range(0, len(values), step):
        part = slice(start, start + step)
        some = values[part, None, :]
        below = np.all(by <= some, axis=2) & (np.any(by < some, axis=2) | (by_units <= units[part, None]))
        found[part] = below.any(axis=1)
    return found


def thinned(front: Front, epsilon: float) -> Front:
    """A part of the front that has, for each of its points, one at most 1 + epsilon times as large in every figure.

    Sums and maxima of such parts of groups' fronts have the same property for whole designs.
    """
    if not epsilon or not len(front):
        return front
    allowed = 1 + Fraction(str(epsilon))
    kept: list[int] = []
    scaled = front.values * allowed.denominator
    bounds = front.values * allowed.numerator
    for row in range(len(front)):
        if not kept or not (scaled[kept] <= bounds[row]).all(axis=1).any():
            kept.append(row)
    return front.at(np.array(kept, np.intp))


def evenly(items: Sequence[Item], count: int) -> list[Item]:
    """At most `count` of the items, at least two, evenly in their order, the first and the last among them."""
    if len(items) <= count:
        return list(items)
    return [items[round(place * (len(items) - 1) / (count - 1))] for place in range(count)]
