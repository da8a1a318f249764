"""Whole designs from group designs: the front over all fusions.

Source: docs/how-search-works.md, "From groups to whole designs".

The groups of a legal fusion can run one after another; what has run after each is a down-set, a set of tasks that holds
all that its tasks need. So fusions are the paths from the empty set to all tasks, each step a group that can run next,
and

    F[all done] = Pareto(union over its last groups g of F[done before g] + G[g])

with G[g] the front of a group, where + adds (or takes the maximum of) every pair of points. This is exact: sums and
maxima are monotone, so a point that is dominated in F[done] is dominated in all that comes of it, and points may be
dropped at every down-set. A fusion is met once for each order in which its groups can run, with equal figures, which
costs time and changes nothing. Of each point the down-set before and the group's row are kept, which gives its groups
by going back. For a chain the down-sets are its prefixes.

A heuristic search has not the fronts of all groups, only designs of some (`Stock`). What is best for a group is best
wherever it stands, so the same recursion, its fronts thinned on the way, makes the best whole designs of what was seen,
and an evolution need not wait until its crossover brings good groups together. The interim front does the same.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from arrayol.arrays import IntArray
from dse.pareto.fronts import Combination, Front, Rows, combined, evenly, front_of, merged
from dse.space.fusions import can_run, next_groups
from dse.space.task_graph import Mask, TaskGraph, bits
from hwmodel.design import GroupDesign

Thinning = Callable[[Front], Front]  # some points of a front


@dataclass(frozen=True, slots=True)
class Choice:
    """One group of a whole design: its tasks and the row of its design in the group's front."""

    group: Mask
    row: int


@dataclass(frozen=True, slots=True)
class _Steps:
    """Where the points of a down-set's front came from: the row before and the group's row of each, of shape (n, 2).

    `place` tells for each point which of `sources`, pairs of the down-set before and the group, it is.
    """

    sources: tuple[tuple[Mask, Mask], ...]
    place: Rows
    rows: Rows


@dataclass(frozen=True)
class WholeFront:
    """The front of whole designs; `choices` gives the groups of one of its points."""

    front: Front
    _steps: Mapping[Mask, _Steps]
    _all: Mask

    def choices(self, point: int) -> tuple[Choice, ...]:
        """The groups of point number `point` of the front, in an order in which they can run."""
        choices: list[Choice] = []
        done, row = self._all, int(self.front.origin[point])
        while done:
            steps = self._steps[done]
            before, group = steps.sources[steps.place[row]]
            choices.append(Choice(group, int(steps.rows[row, 1])))
            done, row = before, int(steps.rows[row, 0])
        return tuple(reversed(choices))


def whole_front(
    graph: TaskGraph,
    groups: Callable[[Mask], Front],
    combination: Combination,
    follow: Callable[[Mask], Iterable[Mask]] | None = None,
    *,
    thin: Thinning | None = None,
) -> WholeFront:
    """The front of whole designs of all fusions; with `thin` only some points of each part are kept.

    `follow(done)` gives the groups that may run after a down-set, by default all that can (`next_groups`).
    `groups(group)` is the front of a group's designs (made with `combination.trades_units`), empty where none is
    feasible.
    """
    figures = len(combination.largest)
    nothing = Front(np.zeros((1, figures), np.int64), np.zeros(1, np.int64), np.zeros(1, np.intp))
    fronts: dict[Mask, Front] = {0: nothing}
    steps: dict[Mask, _Steps] = {}
    arriving: dict[Mask, list[tuple[Mask, Mask, Front]]] = {}
    for size in range(len(graph) + 1):
        for done in sorted(mask for mask in {*arriving, *fronts} if mask.bit_count() == size):
            if done:
                fronts[done], steps[done] = _settle(arriving.pop(done), combination, thin)
            for group in next_groups(graph, done) if follow is None else follow(done):
                sums = combined(fronts[done], groups(group), combination)
                if len(sums):
                    arriving.setdefault(done | group, []).append((done, group, sums))
            if done != graph.all:
                del fronts[done]
    empty = Front(np.zeros((0, figures), np.int64), np.zeros(0, np.int64), np.zeros(0, np.intp))
    complete = fronts.get(graph.all, empty)
    return WholeFront(front_of(complete.values, complete.units), steps, graph.all)


@dataclass(frozen=True)
class ListedFront:
    """The front of the whole designs of some fusions; `choices` gives the groups of one of its points."""

    front: Front
    _wholes: tuple[WholeFront, ...]
    _starts: Rows

    def choices(self, point: int) -> tuple[Choice, ...]:
        """The groups of point number `point` of the front, in an order in which they can run."""
        row = self.front.origin[point]
        place = int(np.searchsorted(self._starts, row, side="right")) - 1
        return self._wholes[place].choices(int(row - self._starts[place]))


def listed_front(
    graph: TaskGraph,
    groups: Callable[[Mask], Front],
    combination: Combination,
    fusions: Sequence[Sequence[Mask]],
    *,
    thin: Thinning | None = None,
) -> ListedFront:
    """The front of whole designs of these fusions alone, each a list of groups in an order in which they can run.

    With `thin` only some points of each part of a fusion are kept.
    """
    wholes = tuple(fusion_front(graph, groups, combination, fusion, thin=thin) for fusion in fusions)
    starts = np.cumsum([0, *(len(whole.front) for whole in wholes[:-1])])
    points = merged([whole.front for whole in wholes], combination)
    front = front_of(points.values, points.units)
    return ListedFront(Front(front.values, front.units, points.origin[front.origin]), wholes, starts)


def fusion_front(
    graph: TaskGraph,
    groups: Callable[[Mask], Front],
    combination: Combination,
    fusion: Sequence[Mask],
    *,
    thin: Thinning | None = None,
) -> WholeFront:
    """The front of the whole designs of one fusion, its groups in an order in which they can run; `thin` as above."""
    following: dict[Mask, Mask] = {}
    done = 0
    for group in fusion:
        following[done] = group
        done |= group

    def follow(before: Mask) -> tuple[Mask, ...]:
        return (following[before],) if before in following else ()

    return whole_front(graph, groups, combination, follow, thin=thin)


def _settle(
    arriving: list[tuple[Mask, Mask, Front]], combination: Combination, thin: Thinning | None
) -> tuple[Front, _Steps]:
    """One down-set's front from all that lead to it, and where each of its points came from."""
    front = merged([sums for _, _, sums in arriving], combination)
    if thin is not None:
        front = thin(front)
    counts = [len(sums) for _, _, sums in arriving]
    place = np.repeat(np.arange(len(arriving)), counts)[front.origin]
    rows = np.concatenate([sums.origin for _, _, sums in arriving])[front.origin]
    return front, _Steps(tuple((done, group) for done, group, _ in arriving), place, rows)


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
    """The fronts of the designs seen of each group, with those designs; so many points of each are used."""

    graph: TaskGraph
    fusions: Sequence[Sequence[Mask]]  # those that may be made; none: all
    combination: Combination
    fronts: dict[Mask, Front] = field(default_factory=dict)
    designs: dict[Mask, list[GroupDesign]] = field(default_factory=dict)
    points_of_group: int = POINTS_OF_GROUP
    points_of_whole: int = POINTS_OF_WHOLE

    def add(self, designs: Mapping[Mask, Mapping[GroupDesign, tuple[int, ...]]]) -> None:
        """Take feasible designs of some groups, each with its figures."""
        for group, priced in designs.items():
            together = [*self.designs.get(group, []), *priced]
            values = np.array(list(priced.values()), np.int64)
            units = np.array([_units(design) for design in priced], np.int64)
            if group in self.fronts:
                values = np.concatenate([self.fronts[group].values, values])
                units = np.concatenate([self.fronts[group].units, units])
            front = front_of(values, units, trade_units=self.combination.trades_units)
            self.designs[group] = [together[row] for row in front.origin]
            self.fronts[group] = Front(front.values, front.units, np.arange(len(front)))

    def wholes(self) -> list[Whole]:
        """The front of whole designs of these groups, ascending in their figures, at most `points_of_whole` of it.

        Empty where the groups make more than DOWN_SETS down-sets.
        """
        used = {group: _sampled(front, self.points_of_group) for group, front in self.fronts.items()}
        completions = completions_of(self.graph, used, self.fusions)
        if completions is None or not completions.steps:
            return []
        whole = completions.front(used, self.combination, partial(_sampled, count=self.points_of_whole))
        return [self._named(whole, row, used) for row in evenly(range(len(whole.front)), self.points_of_whole)]

    def _named(self, whole: WholeFront | ListedFront, row: int, used: Mapping[Mask, Front]) -> Whole:
        choices = whole.choices(row)
        groups = {choice.group: self.designs[choice.group][used[choice.group].origin[choice.row]] for choice in choices}
        return Whole(groups, tuple(whole.front.values[row].tolist()), int(whole.front.units[row]))


@dataclass(frozen=True)
class Completions:
    """The whole designs that some groups make: the `fusions` that are complete, or `following` from each down-set."""

    graph: TaskGraph
    fusions: Sequence[Sequence[Mask]]
    following: Mapping[Mask, Sequence[Mask]]

    @property
    def steps(self) -> int:
        """How many steps by a group their front takes; 0 where there is no whole design."""
        return sum(map(len, self.fusions)) + sum(map(len, self.following.values()))

    def front(self, fronts: Mapping[Mask, Front], combination: Combination, thin: Thinning) -> WholeFront | ListedFront:
        """Their front, thinned on the way."""
        if self.fusions:
            return listed_front(self.graph, fronts.__getitem__, combination, self.fusions, thin=thin)

        def follow(done: Mask) -> Sequence[Mask]:
            return self.following.get(done, ())  # without any complete design not even the first has a group

        return whole_front(self.graph, fronts.__getitem__, combination, follow, thin=thin)


def completions_of(graph: TaskGraph, groups: Collection[Mask], fusions: Sequence[Sequence[Mask]]) -> Completions | None:
    """The whole designs of these groups, of these fusions or (none listed) of all; None with too many down-sets."""
    if fusions:
        return Completions(graph, [fusion for fusion in fusions if all(group in groups for group in fusion)], {})
    following = _following(graph, groups)
    return None if following is None else Completions(graph, (), _useful(graph, following))


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
    """The steps of `following` that lead to whole designs."""
    leading = {graph.all}
    useful: dict[Mask, list[Mask]] = {}
    for done in sorted(following, key=Mask.bit_count, reverse=True):
        useful[done] = [group for group in following[done] if done | group in leading]
        if useful[done]:
            leading.add(done)
    return useful


def _sampled(front: Front, count: int) -> Front:
    return front.at(np.array(evenly(range(len(front)), count), np.intp))


def _units(design: GroupDesign) -> int:
    return sum(processor.units for processor in design.processors)


def values_of(wholes: list[Whole], figures: int) -> tuple[IntArray, IntArray]:
    """Figures of shape (wholes, figures) and units (wholes,) of whole designs."""
    values = np.array([whole.values for whole in wholes], np.int64).reshape(len(wholes), figures)
    return values, np.array([whole.units for whole in wholes], np.int64)
