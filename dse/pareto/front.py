"""The front of designs that come one by one: pairs compared and counted while they are few, sorted beyond."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dse.pareto.counted import COMPARED_AT_MOST, counted_front, points_of
from dse.pareto.sorting import non_dominated
from hwmodel.design import Fusion


@dataclass(frozen=True, slots=True)
class Candidate:
    """A feasible fusion and the integers it is compared by, one per objective."""

    fusion: Fusion
    values: tuple[int, ...]


class GrowingFront:
    """Holds at most the front so far and `at_once` more candidates.

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
