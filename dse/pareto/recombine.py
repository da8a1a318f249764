"""The best whole designs that can be put together from the group designs a heuristic search has seen so far.

Figures of a whole design are sums, or maxima, over its groups: what is best for a group is best wherever it stands. So
an evolution need not wait until its crossover brings good groups together.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from dse.pareto.combine import ListedFront, Thinning, WholeFront, listed_front, whole_front
from dse.pareto.evenly import evenly
from dse.pareto.fronts import Combination, Front, Values, front_of
from dse.space.fusions import can_run
from dse.space.task_graph import Mask, TaskGraph, bits
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
        wholes = wholes_of(self.graph, used, self.fusions)
        if wholes is None or not wholes.steps:
            return []
        whole = wholes.front(used, self.how, partial(_some, count=POINTS_OF_WHOLE))
        return [self._named(whole, row, used) for row in evenly(range(len(whole.front)), POINTS_OF_WHOLE)]

    def _named(self, whole: WholeFront | ListedFront, row: int, used: Mapping[Mask, Front]) -> Whole:
        choices = whole.choices(row)
        groups = {one.group: self.designs[one.group][used[one.group].origin[one.row]] for one in choices}
        return Whole(groups, tuple(whole.front.values[row].tolist()), int(whole.front.units[row]))


@dataclass(frozen=True)
class Wholes:
    """The whole designs that some groups make: the `fusions` that are complete, or `following` from each down-set."""

    graph: TaskGraph
    fusions: Sequence[Sequence[Mask]]
    following: Mapping[Mask, Sequence[Mask]]

    @property
    def steps(self) -> int:
        """How many steps by a group their front takes; 0 where there is no whole design."""
        return sum(map(len, self.fusions)) + sum(map(len, self.following.values()))

    def front(self, fronts: Mapping[Mask, Front], how: Combination, thin: Thinning) -> WholeFront | ListedFront:
        """Their front, thinned on the way."""
        if self.fusions:
            return listed_front(self.graph, fronts.__getitem__, how, self.fusions, thin=thin)
        return whole_front(self.graph, fronts.__getitem__, how, self.following.__getitem__, thin=thin)


def wholes_of(graph: TaskGraph, groups: Collection[Mask], fusions: Sequence[Sequence[Mask]]) -> Wholes | None:
    """The whole designs of these groups, of these fusions or (none listed) of all; None with too many down-sets."""
    if fusions:
        return Wholes(graph, [fusion for fusion in fusions if all(group in groups for group in fusion)], {})
    following = _following(graph, groups)
    return None if following is None else Wholes(graph, (), _useful(graph, following))


def _following(graph: TaskGraph, groups: Iterable[Mask]) -> dict[Mask, list[Mask]] | None:
    """For each down-set that these groups make, those that may run next; None where there are too many."""
    by_first: dict[Mask, list[Mask]] = {}
    for group in groups:
        by_first.setdefault(group & -group, []).append(group)
    following: dict[Mask, list[Mask]] = {}
    fresh = [0]
    while fresh:
        done = fresh.pop()
        if done in following:
            continue
        following[done] = _next(graph, by_first, done)
        if len(following) > DOWN_SETS:
            return None
        fresh += [done | group for group in following[done]]
    return following


def _next(graph: TaskGraph, by_first: Mapping[Mask, list[Mask]], done: Mask) -> list[Mask]:
    """The groups that can run after a down-set, one order of execution standing for all where that is seen at once.

    Every whole design has a group with the first task that has not run. If all such groups can run now, it may as well
    run now.
    """
    first = ~done & (done + 1)
    holding = [group for group in by_first.get(first, ()) if not group & done]
    if all(can_run(graph, group, done) for group in holding):
        return holding
    ready = (1 << task for task in bits(graph.all & ~done) if can_run(graph, 1 << task, done))
    groups = (group for task in ready for group in by_first.get(task, ()) if not group & done)
    return [group for group in groups if can_run(graph, group, done)]


def _useful(graph: TaskGraph, following: Mapping[Mask, list[Mask]]) -> dict[Mask, list[Mask]]:
    """The same without the steps that lead to no whole design."""
    leading = {graph.all}
    useful: dict[Mask, list[Mask]] = {}
    for done in sorted(following, key=Mask.bit_count, reverse=True):
        useful[done] = [group for group in following[done] if done | group in leading]
        if useful[done]:
            leading.add(done)
    return useful


def _some(front: Front, count: int) -> Front:
    return front.at(np.array(evenly(range(len(front)), count), np.intp))


def _units(design: GroupDesign) -> int:
    return sum(processor.units for processor in design.processors)


def values_of(wholes: list[Whole], figures: int) -> tuple[Values, Values]:
    """Figures of shape (wholes, figures) and units (wholes,) of whole designs."""
    values = np.array([one.values for one in wholes], np.int64).reshape(len(wholes), figures)
    return values, np.array([one.units for one in wholes], np.int64)
