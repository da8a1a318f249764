"""The archive of whole designs, which only grows, and how groups' fronts make whole designs of intervals of orders.

What has run before an interval of an order is a prefix of it. So the recursion of `dse.pareto.combine` goes over
prefixes alone, at most orders x (tasks + 1) of them, with a step for every group that leads from one to another. Its
fronts are thinned on the way by boxes on logarithmic axes: of all points in a box one stays, and the best of each
figure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from dse.pareto.combine import Groups, ListedFront, WholeFront, completions_of, whole_front
from dse.pareto.fronts import Combination, Front, Rows, Values, front_of
from dse.search.rounds.schedule import Schedule
from dse.space.orders import prefixes
from dse.space.task_graph import Mask
from hwmodel.design import GroupDesign

POINTS_OF_PREFIX = 256
POINTS_OF_GROUP = 96


@dataclass
class Archive:
    """Whole designs of which none dominates another: figures (n, figures), units (n,) and the groups of each."""

    combination: Combination
    values: Values = field(init=False)
    units: Values = field(init=False)
    designs: list[Groups] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.values = np.zeros((0, len(self.combination.largest)), np.int64)
        self.units = np.zeros(0, np.int64)

    @property
    def used(self) -> Counter[Mask]:
        """How many designs use each group."""
        return Counter(group for design in self.designs for group in design)

    def add(self, schedule: Schedule, fronts: Mapping[Mask, Front], design: Callable[[Mask, int], GroupDesign]) -> None:
        """Take the whole designs that fronts of groups make; `design` is the one behind a row of a group's front."""
        rows = {group: box_rows(front.values, POINTS_OF_GROUP) for group, front in fronts.items() if len(front)}
        whole = _whole(schedule, {group: fronts[group].at(own) for group, own in rows.items()}, self.combination)
        units, values = (
            np.concatenate(pair) for pair in ((self.units, whole.front.units), (self.values, whole.front.values))
        )
        front, known = front_of(values, units), len(self.designs)
        designs = []
        for row in front.origin.tolist():
            if row < known:
                designs.append(self.designs[row])
            else:
                choices = whole.choices(row - known)
                designs.append({one.group: design(one.group, int(rows[one.group][one.row])) for one in choices})
        self.values, self.units, self.designs = front.values, front.units, designs


def _whole(schedule: Schedule, fronts: Mapping[Mask, Front], combination: Combination) -> WholeFront | ListedFront:
    """The front of whole designs of some groups."""
    space = schedule.space

    def thin(front: Front) -> Front:
        return front.at(box_rows(front.values, POINTS_OF_PREFIX))

    if schedule.takes_all_groups:
        completions = completions_of(space.graph, fronts, space.fusions)
        assert completions is not None, "no more down-sets than of all groups"
        return completions.front(fronts, combination, thin)
    down_sets = sorted({done for order in schedule.orders for done in prefixes(order)}, key=Mask.bit_count)

    def follow(done: Mask) -> list[Mask]:
        steps = (after & ~done for after in down_sets if after & done == done and after != done)
        return [group for group in steps if group in fronts]

    return whole_front(space.graph, fronts.__getitem__, combination, follow, thin=thin)


def box_rows(values: Values, most: int) -> Rows:
    """Some rows of a front (n, figures): one of each box of a grid on logarithmic axes, and the best of each figure.

    The grid is the finest of those tried, each twice as coarse as the one before, with at most `most` boxes.
    """
    if len(values) <= most:
        return np.arange(len(values))
    scaled, side = np.log2(np.maximum(values, 1)), 2.0**-12
    while True:
        _, rows = np.unique(np.floor(scaled / side).astype(np.int64), axis=0, return_index=True)
        if len(rows) <= most:
            return np.unique(np.concatenate([rows, values.argmin(axis=0)]))
        side *= 2
