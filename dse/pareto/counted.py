"""Pareto fronts by comparison, every comparison counted where it is made (paper A, figure 9), or sorted, by moocore.

A point dominates another when it is nowhere larger and somewhere smaller; of equal points none dominates, all stay.
Each point is compared with every other one, dominated or not, so that the count depends on the number of points alone:
n (n - 1) ordered pairs. What subspaces save is thus the pairs that are never compared: a point that is dominated within
its subspace is on no front of all, for dominance is transitive, and only the survivors of all subspaces are compared
with each other. Where points are too many to be compared in pairs they are sorted, and nothing is counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

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
