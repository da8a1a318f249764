"""What whole designs can be made of the groups searched so far: a lower bound of the final front, while it comes.

The recursion of `dse.combine` over down-sets, with fronts thinned so far that it takes some hundredths of a second.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from math import isqrt

import numpy as np
from numpy.typing import NDArray

from dse.fronts import Combination, Front, Values
from dse.graph import Mask, TaskGraph, bits
from dse.search.indicators import undominated
from dse.volume import RisingVolume, spread

POINTS_AT_MOST = 48  # of a down-set's front, and of a group's
PLACES_AT_MOST = 4_000  # down-sets; of wider graphs there is no outlook
STEPS_AT_MOST = 20_000  # from a down-set by a group to another
_SUMS_AT_MOST = 1 << 19  # pairs of points over all steps, of two figures; each further one takes about thrice as long

_Place = Hashable  # a down-set, or within a listed fusion its number and the down-set
_Steps = dict[_Place, list[tuple[_Place, Mask]]]  # into each place, by the place before and a group

_START, _END = 0, -1


class Outlook:
    """The hypervolume of the front of whole designs that the groups finished so far allow; it only rises.

    `objectives` is the number of leading columns that are compared; further ones are there for constraints, which
    `how` holds. With `fusions`, lists of groups in orders in which they can run, only those are whole designs.
    """

    def __init__(
        self, graph: TaskGraph, how: Combination, objectives: int, fusions: Sequence[Sequence[Mask]] = ()
    ) -> None:
        self._graph = graph
        self._how = how
        self._objectives = objectives
        self._fusions = fusions
        self._volume = RisingVolume()
        self._seen = 0  # groups at the last look
        self._too_wide = False

    @property
    def reference(self) -> NDArray[np.float64] | None:
        """The corner of the box: a tenth beyond the worst values of the first front there was."""
        return self._volume.reference

    def hypervolume(self, fronts: Mapping[Mask, Front]) -> float | None:
        """The share of the box between 0 and the reference (`RisingVolume`) that the front so far dominates.

        Of the exact front's share a lower bound, equal where no front was thinned. None while the groups make no
        whole design, and where there are too many down-sets for a quick look.
        """
        if self._too_wide or len(fronts) == self._seen:
            return self._volume.share
        self._seen = len(fronts)
        made = {group: front.values for group, front in fronts.items() if len(front)}
        steps = self._steps_of_fusions(made) if self._fusions else self._steps_of_down_sets(made)
        if steps is None:
            self._too_wide = True
        elif _END in steps:
            self._volume.with_points(self._front(steps, made)[:, : self._objectives])
        return self._volume.share

    def _front(self, steps: _Steps, made: Mapping[Mask, Values]) -> Values:
        """The front at the end, thinned where it is long; places come in an order in which they can be reached."""
        figures = len(self._how.largest)
        cost = sum(map(len, steps.values())) * 3 ** max(0, figures - 2)
        count = max(2 * figures, min(POINTS_AT_MOST, isqrt(_SUMS_AT_MOST // cost)))
        used = {group for into in steps.values() for _, group in into}
        groups = {group: spread(made[group], count) for group in used}
        fronts: dict[_Place, Values] = {_START: np.zeros((1, figures), np.int64)}
        for place, into in steps.items():
            sums = [self._sums(fronts[before], groups[group]) for before, group in into]
            fronts[place] = spread(_undominated(np.concatenate(sums)), count)
        return fronts[_END]

    def _sums(self, left: Values, right: Values) -> Values:
        """The points of all pairs that keep the limits."""
        sums = self._how.whole(left[:, None, :], right[None, :, :]).reshape(-1, left.shape[1])
        return sums if not any(limit is not None for limit in self._how.limits) else sums[self._how.within(sums)]

    def _steps_of_down_sets(self, made: Iterable[Mask]) -> _Steps | None:
        """The steps that lead from nothing to all tasks; None where there are too many."""
        after = _Followers(self._graph, made)
        into: dict[Mask, list[tuple[Mask, Mask]]] = {0: []}
        layers: list[list[Mask]] = [[] for _ in range(len(self._graph) + 1)]
        layers[0].append(0)
        count = 0
        for layer in layers:
            for done in layer:
                for group in after.groups(done):
                    reached = done | group
                    if reached not in into:
                        into[reached] = []
                        layers[reached.bit_count()].append(reached)
                    into[reached].append((done, group))
                    count += 1
                if len(into) > PLACES_AT_MOST or count > STEPS_AT_MOST:
                    return None
        return self._useful(into, layers)

    def _useful(self, into: Mapping[Mask, list[tuple[Mask, Mask]]], layers: Sequence[Sequence[Mask]]) -> _Steps:
        """The steps from which all tasks can be reached, by layers."""
        everything = self._graph.all
        useful = {everything} & into.keys()
        for layer in reversed(layers):
            for done in layer:
                if done in useful:
                    useful.update(before for before, _ in into[done])
        kept = (done for layer in layers[1:] for done in layer if done in useful)
        return {_END if done == everything else done: list(into[done]) for done in kept}

    def _steps_of_fusions(self, made: Mapping[Mask, Values]) -> _Steps | None:
        """The steps of the listed fusions whose groups are all there; None where there are too many."""
        found: _Steps = {}
        last: list[tuple[_Place, Mask]] = []
        for number, fusion in enumerate(self._fusions):
            if all(group in made for group in fusion):
                before: _Place = _START
                for place, group in enumerate(fusion[:-1]):
                    found[number, place] = [(before, group)]
                    before = (number, place)
                last.append((before, fusion[-1]))
            if len(found) > PLACES_AT_MOST:
                return None
        return {**found, _END: last} if last else found


class _Followers:
    """Which of some groups can run after a down-set."""

    def __init__(self, graph: TaskGraph, groups: Iterable[Mask]) -> None:
        self._graph = graph
        self._by_first: dict[int, list[tuple[Mask, Mask]]] = {}
        for group in groups:
            needed = 0
            for task in bits(group):
                needed |= graph.predecessors[task]
            first = (group & -group).bit_length() - 1
            self._by_first.setdefault(first, []).append((group, needed & ~group))

    def groups(self, done: Mask) -> Iterator[Mask]:
        """Those that hold none of its tasks and read only it and themselves."""
        for task in bits(self._graph.all & ~done):
            if not self._graph.predecessors[task] & ~done:
                for group, needed in self._by_first.get(task, ()):
                    if not (group & done or needed & ~done):
                        yield group


def _undominated(values: Values) -> Values:
    """Points that none dominates, ascending where they have two figures."""
    if values.shape[1] != 2 or not len(values):
        return values[undominated(values)]
    # A point is kept where it is below all before it: two equal first figures may both stay, which only costs a place.
    ascending = values[np.argsort(values[:, 0])]
    best = np.minimum.accumulate(ascending[:, 1])
    kept = np.ones(len(ascending), np.bool_)
    kept[1:] = ascending[1:, 1] < best[:-1]
    return ascending[kept]
