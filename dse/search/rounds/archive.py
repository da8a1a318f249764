"""The archive of whole designs, which only grows, and how groups' fronts make whole designs of intervals of orders.

What has run before an interval of an order is a prefix of it. So the recursion of `dse.pareto.combine` goes over
prefixes alone, at most orders x (tasks + 1) of them, with a step for every group that leads from one to another. Its
fronts are thinned on the way by boxes on logarithmic axes: of all points in a box one stays, and the best of each
figure.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from dse.pareto.boxes import box_rows
from dse.pareto.combine import (
    Completions,
    Groups,
    ListedFront,
    Thinning,
    WholeFront,
    completions_of,
    whole_front,
)
from dse.pareto.fronts import Combination, Front
from dse.search.incumbents.complete_designs import Wholes
from dse.search.integer_partitions import Code, codes_along
from dse.search.rounds.schedule import Schedule
from dse.space.task_graph import Mask
from hwmodel.design import GroupDesign

POINTS_OF_PREFIX = 256
POINTS_OF_GROUP = 96
LEAST_POINTS = 12  # of either, however many steps there are
SUMS_AT_ONCE = 1 << 23  # pairs of points over all steps
EXACT_POINTS = 1 << 14  # of a prefix: fronts up to so many are not thinned where all groups are known whole
_STEP_SECONDS = 3e-4
_SUM_SECONDS = 2e-7

Design = Callable[[Mask, int], GroupDesign]  # the one behind a row of a group's front


@dataclass
class Archive:
    """The best whole designs so far; `wholes` only gets better.

    Of the last look at the groups there are the `steps`, and the pairs of points, `sums`, over all of them.
    """

    combination: Combination
    wholes: Wholes = field(init=False)
    steps: int = 0
    sums: int = 0

    def __post_init__(self) -> None:
        self.wholes = Wholes.none(len(self.combination.largest))

    @property
    def used(self) -> Counter[Mask]:
        """How many designs use each group."""
        return Counter(group for design in self.wholes.designs for group in design)

    @property
    def seconds(self) -> float:
        """How long it will about take to add more, by the steps of the last time."""
        return _STEP_SECONDS * self.steps + _SUM_SECONDS * self.sums

    def add(self, schedule: Schedule, fronts: Mapping[Mask, Front], design: Design) -> None:
        """Take the whole designs that fronts of groups make."""
        feasible = {group: front for group, front in fronts.items() if len(front)}
        paths = _Paths.of(schedule, feasible)
        self.steps = paths.steps
        share = min(1.0, math.sqrt(SUMS_AT_ONCE / max(1, paths.steps * _MOST_SUMS)))
        of_group, of_prefix = (max(LEAST_POINTS, int(most * share)) for most in (POINTS_OF_GROUP, POINTS_OF_PREFIX))
        rows = {group: box_rows(front.values, of_group) for group, front in feasible.items()}
        self.sums = self.steps * of_prefix * sum(map(len, rows.values())) // max(1, len(rows))
        thin = _Thinning(of_prefix)
        whole = paths.front({group: feasible[group].at(own) for group, own in rows.items()}, self.combination, thin)
        self._join(whole, lambda group, row: design(group, int(rows[group][row])))

    def add_all(self, schedule: Schedule, fronts: Mapping[Mask, Front], design: Design) -> bool:
        """Take whole designs of complete fronts, thinned as little as can be; whether nothing was thinned."""
        thin = _Thinning(EXACT_POINTS)
        feasible = {group: front for group, front in fronts.items() if len(front)}
        whole = _Paths.of(schedule, feasible).front(feasible, self.combination, thin)
        self._join(whole, design)
        return not thin.has_lost

    @staticmethod
    def partitions(schedule: Schedule, groups: Collection[Mask]) -> frozenset[Code]:
        """The integer partitions of the fusions that some groups make."""
        return _Paths.of(schedule, groups).partitions

    def _join(self, whole: WholeFront | ListedFront, design: Design) -> None:
        def groups(row: int) -> Groups:
            return {one.group: design(one.group, one.row) for one in whole.choices(row)}

        # At once: an interrupt may come at any time.
        self.wholes = self.wholes.joined(whole.front.values, whole.front.units, groups)


_MOST_SUMS = POINTS_OF_PREFIX * POINTS_OF_GROUP


class _Thinning:
    """Keeps so many points of a front at most, and notes whether any was lost."""

    def __init__(self, most: int) -> None:
        self.most, self.has_lost = most, False

    def __call__(self, front: Front) -> Front:
        self.has_lost |= len(front) > self.most
        return front.at(box_rows(front.values, self.most))


@dataclass(frozen=True)
class _Paths:
    """The whole designs that some groups make: all of them, or ways through the prefixes of a schedule's orders."""

    schedule: Schedule
    completions: Completions | None
    following: Mapping[Mask, Sequence[Mask]]

    @staticmethod
    def of(schedule: Schedule, groups: Collection[Mask]) -> _Paths:
        space = schedule.space
        if schedule.takes_all_groups:
            completions = completions_of(space.graph, groups, space.fusions)
            assert completions is not None, "no more down-sets than of all groups"
            return _Paths(schedule, completions, {})
        following = {done: [g for g in steps if g in groups] for done, steps in schedule.steps.items()}
        return _Paths(schedule, None, following)

    @property
    def steps(self) -> int:
        """How many steps by a group they have; 0 where there is no whole design."""
        return self.completions.steps if self.completions else sum(map(len, self.following.values()))

    @property
    def partitions(self) -> frozenset[Code]:
        """The integer partitions of their fusions."""
        tasks, some = len(self.schedule.space.graph), self.completions
        return codes_along(some.fusions if some else (), some.following if some else self.following, tasks)

    def front(self, fronts: Mapping[Mask, Front], combination: Combination, thin: Thinning) -> WholeFront | ListedFront:
        """Their front, thinned on the way."""
        if self.completions is not None:
            return self.completions.front(fronts, combination, thin)
        graph = self.schedule.space.graph
        return whole_front(graph, fronts.__getitem__, combination, self.following.__getitem__, thin=thin)
