"""Whole designs that are known, and what they leave of a group that is still to be searched.

Let r be the figures of what completes a group to a whole design. A design d of the group is in no whole design that is
wanted if for every r a known whole design dominates d + r, or equals it with no more units, or d + r keeps no limit.
For that all r must be known: the fronts of all groups that may stand beside this one. Groups are connected, so beside
a group of more tasks than any part of the graph without it has there are only smaller ones. Where such groups come
last, in the order of their numbers of tasks, mostly little of them is left.

Where points are many, some stand for all: of whole designs those that are spread over the front, of rests points that
are no more than any of a run of them. Then less is left out, and never too much.

The interim front, a lower bound of the final one, is made by the recursion of `dse.pareto.combine`, its fronts thinned
so far that it takes some tenths of a second. A thinned front holds some of the points of the whole one, and so do the
sums made of it: what they dominate the exact front dominates.
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
from dse.pareto.combine import ListedFront, WholeFront, completions_of
from dse.pareto.fronts import Combination, Front, merged, surpassed
from dse.pareto.hypervolume import Octaves, RisingVolume, octaves_of, spread_rows
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


POINTS_AT_MOST = 48  # of a down-set's front, and of a group's
STEPS_AT_MOST = 20_000  # from a down-set by a group to another; beyond, there is no interim front
_INTERIM_SUMS_AT_MOST = (
    1 << 19
)  # pairs of points over all steps, of two figures; each further one takes about thrice as long


@dataclass(frozen=True)
class FrontSoFar:
    """A front of whole designs, and the points of the groups' fronts that it was made of."""

    whole: WholeFront | ListedFront
    used: Mapping[Mask, Front]


class InterimFront:
    """The front of the whole designs that the groups finished so far allow; its hypervolume only rises.

    `objectives` is the number of leading columns that are compared; further ones are there for constraints, which
    `combination` holds. With `fusions`, lists of groups in orders in which they can run, only those are whole designs.
    """

    def __init__(
        self, graph: TaskGraph, combination: Combination, objectives: int, fusions: Sequence[Sequence[Mask]] = ()
    ) -> None:
        self._graph = graph
        self._combination = combination
        self._objectives = objectives
        self._fusions = fusions
        self._volume = RisingVolume()
        self._seen: dict[Mask, Front] = {}  # at the last look
        self._too_wide = False

    @property
    def reference(self) -> NDArray[np.float64] | None:
        """The corner of the box, in octaves: that of the first front there was."""
        return self._volume.reference

    def bound(self, least: Octaves) -> float | None:
        """The least share that the front so far has of the hypervolume of any other, if nothing is below that."""
        return self._volume.share_of_any(least)

    def hypervolume(self, fronts: Mapping[Mask, Front]) -> float | None:
        """The share of the box between 1 and the reference (`RisingVolume`) that the front so far dominates.

        Of the exact front's share a lower bound, equal where no front was thinned. None while the groups make no
        whole design, and where there are too many down-sets for a quick look.
        """
        is_same = fronts.keys() == self._seen.keys() and all(fronts[group] is self._seen[group] for group in fronts)
        made = None if is_same else self.wholes(fronts)
        self._seen = dict(fronts)
        if made is not None:
            self._volume.with_points(made.whole.front.values[:, : self._objectives])
        return self._volume.share

    def wholes(self, fronts: Mapping[Mask, Front]) -> FrontSoFar | None:
        """The front of the whole designs that these allow, of thinned ones; None as above."""
        feasible = {group: front for group, front in fronts.items() if len(front)}
        completions = None if self._too_wide else completions_of(self._graph, feasible, self._fusions)
        if completions is None or completions.steps > STEPS_AT_MOST:
            self._too_wide = True
            return None
        if not completions.steps:
            return None
        figures = len(self._combination.largest)
        cost = completions.steps * 3 ** max(0, figures - 2)
        most = max(2 * figures, min(POINTS_AT_MOST, isqrt(_INTERIM_SUMS_AT_MOST // cost)))

        def thin(part: Front) -> Front:
            return part.at(spread_rows(octaves_of(part.values), most))

        used = {group: thin(part) for group, part in feasible.items()}
        return FrontSoFar(completions.front(used, self._combination, thin), used)
