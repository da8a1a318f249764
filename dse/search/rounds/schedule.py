"""What each round looks at: sides of blocks, scans, rates, and the groups of tasks.

A round holds all that the one before holds, so that what is priced stays priced and only the rest is new.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Literal

from dse.pareto.combine import completions_of
from dse.pareto.fronts import evenly
from dse.search.pricing import RateChoices, count_combinations
from dse.space.ladder import FINEST, finest_ladder, ladder, near
from dse.space.mappings import MappingSpace, Shape
from dse.space.orders import Order, intervals, topological_orders
from dse.space.rates import balanced
from dse.space.task_graph import Mask
from hwmodel.design import Scan

Scans = Literal["few", "upwards", "all"]
Structure = tuple[Scan, Shape]
COMBINATIONS_AT_MOST = 4096  # of rates that are all tried
FEW_DIMENSIONS = 3  # from so many on coarse rounds take two scans


@dataclass(frozen=True, slots=True)
class Round:
    """`ratio` between the numbers of blocks (None: every side there is), orders of the tasks, scans, rates at most.

    With `options` cuts, FIFOs, layouts, policies, keeps and recomputing are tried on the archive's structures.
    """

    ratio: float | None
    orders: int
    scans: Scans
    rates: int
    options: bool = False


ROUNDS = (
    Round(8.0, 1, "few", 24),
    Round(4.0, 2, "few", 48),
    Round(2.0, 4, "upwards", 96, options=True),
    Round(FINEST, 8, "upwards", 192, options=True),
    Round(None, 16, "upwards", COMBINATIONS_AT_MOST, options=True),
    Round(None, 16, "all", COMBINATIONS_AT_MOST, options=True),
)


@dataclass(frozen=True)
class Schedule:
    """The rounds of a space; `groups` are all of the study's where they are listed, else intervals of orders."""

    space: MappingSpace

    @cached_property
    def takes_all_groups(self) -> bool:
        """Whether every group of the study is looked at; else those that are intervals of orders."""
        space = self.space
        return space.lists_groups and completions_of(space.graph, space.groups, space.fusions) is not None

    @cached_property
    def orders(self) -> tuple[Order, ...]:
        """The orders of the last round, those of earlier rounds first."""
        return topological_orders(self.space.graph, ROUNDS[-1].orders)

    def groups(self, number: int) -> tuple[Mask, ...]:
        """The groups of a round with one last task, in the order in which their first fronts say most.

        Single tasks and the whole first, then lengths that are powers of two, then the rest: fused designs carry the
        front, and all lengths soon have some.
        """
        space = self.space
        if self.takes_all_groups:
            found = [group for group in space.groups if space.last(group) is not None]
        else:
            longest = space.study.longest_group
            orders = self.orders[: ROUNDS[number].orders]
            found = list(dict.fromkeys(g for order in orders for g in intervals(space.graph, order, longest)))
        whole = len(space.graph)

        def value(group: Mask) -> tuple[bool, int]:
            tasks = group.bit_count()
            is_first = tasks in (1, whole) or tasks & (tasks - 1) == 0
            return not is_first, 0 if tasks == whole else tasks

        return tuple(sorted(found, key=value))

    def structures(self, task: str, number: int) -> Mapping[Structure, None]:
        """Blocks of a last task under scans, in a round and all before it; none for round -1."""
        key = task, number
        if key not in self._structures:
            found = dict(self.structures(task, number - 1)) if number >= 0 else {}
            for structure in self._of_round(task, ROUNDS[number]) if number >= 0 else ():
                found.setdefault(structure, None)
            self._structures[key] = found
        return self._structures[key]

    @cached_property
    def _structures(self) -> dict[tuple[str, int], dict[Structure, None]]:
        return {}

    def _of_round(self, task: str, wanted: Round) -> Iterator[Structure]:
        for shape in self._shapes(task, wanted.ratio):
            for scan in _some_scans(self.space.scans(task, shape), wanted.scans):
                yield scan, shape

    def _shapes(self, task: str, ratio: float | None) -> Iterator[Shape]:
        blocks = self.space.study.blocks
        if isinstance(blocks, Mapping) and task in blocks:
            yield from self.space.shapes(task)
            return
        extents = self.space.accesses.extents(task)
        sides = [finest_ladder(extent) if ratio is None else ladder(extent, ratio) for extent in extents]
        if blocks == "divisors":
            every = [self.space.sides(extent) for extent in extents]
            sides = [own if ratio is None else near(own, some) for own, some in zip(every, sides, strict=True)]
        yield from product(*sides)

    def rates(self, group: Mask, number: int, *, free: bool) -> RateChoices:
        """The rates that a group's structures are priced under; all on offer where units are `free`."""
        tasks = self.space.tasks(group)
        offered = tuple(map(self.space.rates, tasks))
        most = ROUNDS[number].rates
        if free or count_combinations(offered) <= most:
            return RateChoices(offered)
        work = [len(self.space.accesses.repetitions(task)) for task in tasks]
        return RateChoices(chosen=tuple(evenly(balanced(work, offered), most)))


def _some_scans(legal: tuple[Scan, ...], scans: Scans) -> tuple[Scan, ...]:
    """Of the legal scans all, those that only go upwards (all where none does), or of many of those two."""
    upwards = tuple(scan for scan in legal if not any(scan.descending)) or legal
    if scans == "all":
        return legal
    if scans == "upwards" or not upwards or len(upwards[0].dimensions) < FEW_DIMENSIONS:
        return upwards
    return upwards[:1] + upwards[-1:] if len(upwards) > 1 else upwards
