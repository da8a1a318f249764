"""The best whole designs that can be put together from the group designs a heuristic search has seen so far.

Figures of a whole design are sums, or maxima, over its groups: what is best for a group is best wherever it stands. So
an evolution need not wait until its crossover brings good groups together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from dse.combine import WholeFront, fusion_front, whole_front
from dse.evenly import evenly
from dse.fronts import Combination, Front, Values, front_of
from dse.graph import Mask, TaskGraph
from dse.space import can_run
from hwmodel.design import GroupDesign

POINTS_OF_GROUP = 60
POINTS_OF_WHOLE = 200  # also of each part on the way
DOWN_SETS = 2000  # beyond, wholes are not put together: wide graphs have too many

Groups = dict[Mask, GroupDesign]


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole design with its figures."""

    groups: Groups
    values: tuple[int, ...]
    units: int


@dataclass
class Stock:
    """The fronts of the designs seen of each group, with those designs; at most POINTS_OF_GROUP of each are used."""

    graph: TaskGraph
    fusions: Sequence[Sequence[Mask]]  # those that may be made; none: all
    how: Combination
    fronts: dict[Mask, Front] = field(default_factory=dict)
    designs: dict[Mask, list[GroupDesign]] = field(default_factory=dict)

    def add(self, found: Mapping[Mask, Mapping[GroupDesign, tuple[int, ...]]]) -> None:
        """Take feasible designs of some groups, each with its figures."""
        for group, priced in found.items():
            together = [*self.designs.get(group, []), *priced]
            values = np.array(list(priced.values()), np.int64)
            units = np.array([_units(design) for design in priced], np.int64)
            if group in self.fronts:
                values = np.concatenate([self.fronts[group].values, values])
                units = np.concatenate([self.fronts[group].units, units])
            front = front_of(values, units, trade_units=self.how.trades_units)
            self.designs[group] = [together[row] for row in front.origin]
            self.fronts[group] = Front(front.values, front.units, np.arange(len(front)))

    def wholes(self) -> list[Whole]:
        """The front of whole designs of these groups, ascending in their figures, at most POINTS_OF_WHOLE of it.

        Empty where the groups make more than DOWN_SETS down-sets.
        """
        used = {group: _some(front, POINTS_OF_GROUP) for group, front in self.fronts.items()}
        found = [whole for front in self._fronts(used) for whole in self._named(front, used)]
        if not found:
            return []
        values, units = np.array([one.values for one in found]), np.array([one.units for one in found])
        rows = evenly(front_of(values, units).origin.tolist(), POINTS_OF_WHOLE)
        return [found[row] for row in rows]

    def _fronts(self, used: Mapping[Mask, Front]) -> Iterator[WholeFront]:
        if self.fusions:
            for fusion in self.fusions:
                if all(group in used for group in fusion):
                    yield fusion_front(self.graph, used.__getitem__, self.how, fusion, most=POINTS_OF_WHOLE)
            return
        following = _following(self.graph, used)
        if following is not None:
            yield whole_front(self.graph, used.__getitem__, self.how, following.__getitem__, most=POINTS_OF_WHOLE)

    def _named(self, whole: WholeFront, used: Mapping[Mask, Front]) -> Iterator[Whole]:
        front = whole.front
        for row in range(len(front)):
            groups = {one.group: self.designs[one.group][used[one.group].origin[one.row]] for one in whole.choices(row)}
            yield Whole(groups, tuple(front.values[row].tolist()), int(front.units[row]))


def _some(front: Front, count: int) -> Front:
    rows = np.array(evenly(range(len(front)), count), np.intp)
    return Front(front.values[rows], front.units[rows], front.origin[rows])


def _following(graph: TaskGraph, groups: Iterable[Mask]) -> dict[Mask, list[Mask]] | None:
    """For each down-set that these groups make, those that may run next; None where there are too many."""
    known = sorted(groups)
    found: dict[Mask, list[Mask]] = {}
    fresh = [0]
    while fresh:
        done = fresh.pop()
        if done in found:
            continue
        found[done] = _next(graph, known, done)
        if len(found) > DOWN_SETS:
            return None
        fresh += [done | group for group in found[done]]
    return found


def _next(graph: TaskGraph, groups: list[Mask], done: Mask) -> list[Mask]:
    """The groups that can run after a down-set, one order of execution standing for all where that is seen at once."""
    left = [group for group in groups if not group & done]
    ready = [group for group in left if can_run(graph, group, done)]
    first = ~done & (done + 1)  # of the tasks that have not run: all that it needs has
    if all(group in ready for group in left if group & first):
        return [group for group in ready if group & first]
    return ready


def _units(design: GroupDesign) -> int:
    return sum(processor.units for processor in design.processors)


def values_of(wholes: list[Whole], figures: int) -> tuple[Values, Values]:
    """Figures of shape (wholes, figures) and units (wholes,) of whole designs."""
    values = np.array([one.values for one in wholes], np.int64).reshape(len(wholes), figures)
    return values, np.array([one.units for one in wholes], np.int64)
