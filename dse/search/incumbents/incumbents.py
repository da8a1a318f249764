"""Whole designs that are known, and what they leave of a group that is still to be searched.

Let r be the figures of what completes a group to a whole design. A design d of the group is in no whole design that is
wanted if for every r a known whole design dominates d + r, or equals it with no more units, or d + r keeps no limit.
For that all r must be known: the fronts of all groups that may stand beside this one. Groups are connected, so beside
a group of more tasks than any part of the graph without it has there are only smaller ones. Where such groups come
last, in the order of their numbers of tasks, mostly little of them is left.

Where points are many, some stand for all: of whole designs those that are spread over the front, of rests points that
are no more than any of a run of them. Then less is left out, and never too much.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from math import isqrt

import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import IntArray
from dse.pareto.combine import completions_of
from dse.pareto.fronts import Combination, Front, merged, surpassed
from dse.pareto.hypervolume import octaves_of, spread_rows
from dse.space.mappings import MappingSpace
from dse.space.task_graph import Mask, TaskGraph

POINTS, POINTS_OF_MANY = 1024, 128  # of a front: of two figures, and of more, which are compared pair by pair
_SUMS_AT_MOST = 1 << 23  # pairs of points over all steps from a down-set to another
_FEW = 16  # runs of rests that are looked at first
_PAIRS_AT_ONCE = 1 << 20  # of designs and rests


def in_turns(graph: TaskGraph, kinds: Mapping[Mask, Sequence[Mask]]) -> Iterator[list[Mask]]:
    """The first of each kind: all beside which groups as large may stand, then turn by turn the others."""

    def turn(first: Mask) -> int:
        beside = (part.bit_count() for group in kinds[first] for part in graph.components(graph.all & ~group))
        return first.bit_count() if max(beside, default=0) < first.bit_count() else 0

    for _, some in groupby(sorted(kinds, key=turn), key=turn):
        yield list(some)


@dataclass(frozen=True)
class Incumbents:
    """Whole designs by figures (m, figures) and units (m,), and what may complete a group to one, in the same way."""

    values: IntArray
    units: IntArray
    rests: IntArray
    units_of_rests: IntArray

    def beat(self, values: IntArray, units: IntArray, combination: Combination) -> NDArray[np.bool_]:
        """Which designs of the group, of these figures (n, figures) and units (n,), no whole design needs."""
        beaten = np.zeros(len(values), np.bool_)
        for most in sorted({min(_FEW, len(self.rests)), len(self.rests)}):
            rests, step = _lowered(self.rests, self.units_of_rests, most), max(1, _PAIRS_AT_ONCE // max(1, most))
            left = np.flatnonzero(~beaten)
            for start in range(0, len(left), step):
                rows = left[start : start + step]
                beaten[rows] = self._beat(values[rows], units[rows], *rests, combination)
        return beaten

    def _beat(
        self, values: IntArray, units: IntArray, rests: IntArray, units_of_rests: IntArray, combination: Combination
    ) -> NDArray[np.bool_]:
        wholes = combination.whole(values[:, None, :], rests[None, :, :]).reshape(-1, values.shape[1])
        beaten = surpassed(wholes, (units[:, None] + units_of_rests).ravel(), self.values, self.units)
        lost: NDArray[np.bool_] = beaten | ~combination.within(wholes)
        return np.asarray(lost.reshape(len(values), len(rests)).all(axis=1))


@dataclass(frozen=True)
class IncumbentFront:
    """The whole designs that the fronts of some groups make: of all that may stand beside those that are asked for."""

    space: MappingSpace
    combination: Combination
    fronts: Mapping[Mask, Front]

    def compatible_with(self, groups: Sequence[Mask]) -> Incumbents | None:
        """What is known of groups that have the same designs; None unless all that may stand beside them is.

        Also where units count in what dominates, as rests with fewer units would be needed too, and where there are too
        many ways to complete a group.
        """
        others = (other for other in self.space.groups for group in groups if not other & group)
        if self.combination.trades_units or not all(other in self.fronts for other in others):
            return None
        rests = [rest for rest in map(self._rests, groups) if rest is not None]
        if self._wholes is None or len(rests) < len(groups):
            return None
        rest = merged(rests, self.combination)
        return Incumbents(self._wholes.values, self._wholes.units, rest.values, rest.units)

    @cached_property
    def _wholes(self) -> Front | None:
        return self._completed(self._feasible, _spread)

    def _rests(self, group: Mask) -> Front | None:
        """What completes a group: the front of whole designs in which it takes nothing."""
        nothing = np.zeros((1, len(self.combination.largest)), np.int64)
        beside = {other: front for other, front in self._feasible.items() if not other & group}
        return self._completed(beside | {group: Front(nothing, nothing[:, 0], np.zeros(1, np.intp))}, _no_more)

    @property
    def _feasible(self) -> dict[Mask, Front]:
        return {group: front for group, front in self.fronts.items() if len(front)}

    def _completed(self, fronts: Mapping[Mask, Front], some: Callable[[Front, int], Front]) -> Front | None:
        completions = completions_of(self.space.graph, fronts, self.space.fusions)
        if completions is None:
            return None
        figures = len(self.combination.largest)
        most = min(POINTS if figures <= 2 else POINTS_OF_MANY, isqrt(_SUMS_AT_MOST // max(1, completions.steps)))

        def thin(front: Front) -> Front:
            return some(front, max(most, 2 * figures))

        return completions.front({group: thin(front) for group, front in fronts.items()}, self.combination, thin).front


def _spread(front: Front, most: int) -> Front:
    """Some points that stand for all."""
    return front.at(spread_rows(octaves_of(front.values), most))


def _no_more(front: Front, most: int) -> Front:
    """Points that are no more than those of a run, one for each of so many runs."""
    values, units = _lowered(front.values, front.units, most)
    return front if values is front.values else Front(values, units, np.zeros(len(values), np.intp))


def _lowered(values: IntArray, units: IntArray, most: int) -> tuple[IntArray, IntArray]:
    """Lower bounds of points in at most `most` runs: for each run the least of each figure, and of units."""
    if len(values) <= most:
        return values, units
    starts = np.linspace(0, len(values), most, endpoint=False).astype(np.intp)
    return np.minimum.reduceat(values, starts), np.minimum.reduceat(units, starts)
