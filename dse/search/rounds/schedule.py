"""What each round looks at: sides of blocks, scans, rates, and the groups of tasks.

A round holds all that the one before holds, so that what is priced stays priced and only the rest is new.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import product
from operator import mod
from typing import Literal

from dse.pareto.combine import completions_of
from dse.pareto.fronts import evenly
from dse.search.groups.job_cost import has_one_index_inside
from dse.search.pricing import RateChoices, count_combinations
from dse.space.mappings import MappingSpace, Shape, count_of, place_in_product
from dse.space.orders import Order, intervals, prefixes, topological_orders
from dse.space.outer_blocks import neighbouring_shapes
from dse.space.rates import FINEST, balanced, finest_ladder, ladder, near
from dse.space.task_graph import Mask, bits
from hwmodel.cost_model.group.legal_scans import LegalScans
from hwmodel.design import Blocks, Scan

Scans = Literal["few", "upwards", "all"]
Options = Literal["none", "on fronts", "spread", "all"]
Structure = tuple[Scan, Shape]
COMBINATIONS_AT_MOST = 4096  # of rates that are all tried
COMBINATIONS_AT_ONCE = 512  # that are all tried in every round: bounds leave most of them out
FEW_TASKS = 8  # in the whole graph: of more, earlier rounds try the fewer rates, so that there soon is a front
LEAST_RATES = 2
MANY_TASKS = 64  # in the whole graph: tables of a group take the square of its tasks
SKETCHED = 16  # tasks of the groups that make a first front then, of strips
FEW_TOGETHER = 8, 64  # tasks of groups that come next
FIRST_TOGETHER = 4  # tasks of the groups that come first after the whole and single tasks
SCANS_FOUND = 1 << 10  # in a round by their places, over all kinds of shapes: each takes some milliseconds
FEW_MOVING, COUNTED = 4, 1 << 16  # dimensions that delays move along; of more, so many steps of counts are done a round
FEW_DIMENSIONS = 3  # from so many on coarse rounds take two scans


@dataclass(frozen=True, slots=True)
class Round:
    """`ratio` between the numbers of blocks (None: every side there is), orders of the tasks, scans, rates at most.

    Of more plain `structures` of a group it takes about so many. `options` says how cuts, FIFOs, layouts, policies,
    keeps and recomputing are tried: one at a time on structures of each group's front, also on such that are spread
    over all that were priced, or all together on all.
    """

    ratio: float | None
    orders: int
    scans: Scans
    rates: int
    structures: int
    options: Options = "none"


ROUNDS = (
    Round(8.0, 1, "few", 16, 1 << 13),
    Round(4.0, 2, "few", 48, 1 << 14, "on fronts"),
    Round(2.0, 4, "upwards", 96, 1 << 16, "spread"),
    Round(FINEST, 8, "upwards", 192, 1 << 18, "spread"),
    Round(None, 16, "upwards", COMBINATIONS_AT_MOST, 1 << 19, "spread"),
    Round(None, 16, "all", COMBINATIONS_AT_MOST, 1 << 19, "all"),
)
STRUCTURES_AT_LEAST = 1 << 13  # that a round takes of a group, of however many tasks the graph is
GOLDEN = 11400714819323198485  # 2^64 divided by the golden ratio
SCANS_AT_LEAST, SCANS_AT_MOST = 8, 1 << 12  # where a round does not take all: what is priced together has one scan


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

    @cached_property
    def steps(self) -> Mapping[Mask, Sequence[Mask]]:
        """For each prefix of an order the groups that lead from it to another."""
        down_sets = sorted({done for order in self.orders for done in prefixes(order)}, key=Mask.bit_count)
        return {
            done: [after & ~done for after in down_sets if after & done == done and after != done] for done in down_sets
        }

    def groups(self, number: int) -> tuple[Mask, ...]:
        """The groups of a round with one last task, or with streams, in the order in which their first fronts say most.

        The whole first, then single tasks. Then such that stand side by side: of 2^k tasks, at places of an order that
        are multiples of 2^k, then at those of 2^(k-1), and so on; then the rest. Of each, groups of four tasks first,
        then those of twice and of half as many, and so on: every length soon has groups that make whole designs
        together, and each length takes about the same work. Where the whole has so many tasks that its tables take
        long, first come those that cut the order in groups of 64, 32, 16 and 8, then of more and of fewer.
        """
        space, longest = self.space, self.space.study.longest_group
        orders = self.orders[: ROUNDS[number].orders]
        if self.takes_all_groups:
            several = space.study.has_streams  # groups that end in several tasks may stream
            found = [group for group in space.groups if several or space.last(group) is not None]
        else:
            found = list(dict.fromkeys(g for order in orders for g in intervals(space.graph, order, longest)))
        place = {task: number for number, task in enumerate(orders[0])}
        tasks = len(space.graph)
        cuts = () if self.whole_is_first else self._cuts
        apart = sorted(self._lengths, key=lambda length: (abs(math.log2(length / FIRST_TOGETHER)), -length))

        def value(group: Mask) -> tuple[int, int, int]:
            length, end = group.bit_count(), max(place[task] for task in bits(group)) + 1
            if self.whole_is_first and length in (1, tasks):
                return 0, -length, end
            for turn, cut in enumerate(cuts):
                if (end - length) % cut == 0 and length == min(cut, tasks - end + length):
                    return 0, turn, end
            if length & (length - 1):
                return tasks + 1, length, end
            aligned = end & -end if end < tasks else length
            return max(1, length // aligned), apart.index(length), end

        return tuple(sorted(found, key=value))

    @cached_property
    def _cuts(self) -> Sequence[int]:
        """The lengths of groups in which an order is cut, in the order in which they are priced."""
        few, many = FEW_TOGETHER
        return sorted(self._lengths, key=lambda length: (not few <= length <= many, -length))

    @property
    def _lengths(self) -> Sequence[int]:
        """Lengths of groups that cut an order evenly."""
        return [1 << power for power in range(len(self.space.graph).bit_length() + 1)]

    def sketched(self) -> Sequence[Mask]:
        """Groups that make a whole design together, for a first front soon; none of few tasks, whose whole comes soon.

        They are single tasks; of very many tasks, which take too long one by one, groups as large as are soon priced.
        """
        graph, longest = self.space.graph, self.space.study.longest_group or SKETCHED
        if self.has_few_tasks:
            return ()
        order, most = self.orders[0], 1 if self.whole_is_first else min(SKETCHED, longest)
        ending = {max(map(order.index, bits(group))): group for group in intervals(graph, order, most)}  # longest last
        groups, end = list[Mask](), len(order)
        while end:
            groups.append(ending[end - 1])
            end -= groups[-1].bit_count()
        return groups if set(groups) <= set(self.groups(0)) else ()

    def sketch(self, group: Mask) -> Structure | None:
        """A plain structure of a group: blocks of one index along the outer loop of a scan that span all other extents.

        Designs of such strips have most of what few blocks of each group have of a front. None where none is offered.
        """
        last = self.space.last(group)
        assert last is not None, "groups of rounds have one"
        extents = self.space.accesses.extents(last)
        for scan, shape in self.upto(last, 0):
            outer = scan.dimensions[:1]
            if shape == tuple(1 if at in outer else extent for at, extent in enumerate(extents)):
                return scan, shape
        return None

    @property
    def has_few_tasks(self) -> bool:
        """Whether the whole graph has, so that all of its groups take little."""
        return len(self.space.graph) <= FEW_TASKS

    @property
    def whole_is_first(self) -> bool:
        """Whether the whole graph is priced before all other groups."""
        return len(self.space.graph) <= MANY_TASKS

    def fresh(self, group: Mask, number: int, *, free: bool) -> Sequence[Structure]:
        """The plain structures of a group that a round prices and none before it has, ordered by scan.

        All of its structures where it has more combinations of rates than the round before.
        """
        last = self.space.last(group)
        assert last is not None, "groups of rounds have one"
        if number and self.rates(group, number, free=free) != self.rates(group, number - 1, free=free):
            return sorted(self.upto(last, number), key=by_scan)
        key = last, number
        if key not in self._new:
            before = self.upto(last, number - 1)
            new = (one for one in self.upto(last, number) if one not in before)
            self._new[key] = sorted(new, key=by_scan)
        return self._new[key]

    def upto(self, task: str, number: int) -> Mapping[Structure, None]:
        """Blocks of a last task under scans, in a round and all before it; none for round -1."""
        key = task, number
        if key not in self._structures:
            found = dict(self.upto(task, number - 1)) if number >= 0 else {}
            for structure in self._of_round(task, ROUNDS[number]) if number >= 0 else ():
                found.setdefault(structure, None)
            self._structures[key] = found
        return self._structures[key]

    @cached_property
    def _new(self) -> dict[tuple[str, int], list[Structure]]:
        return {}

    @cached_property
    def _structures(self) -> dict[tuple[str, int], dict[Structure, None]]:
        return {}

    def _of_round(self, task: str, wanted: Round) -> Iterator[Structure]:
        """All structures, or some of the shapes and of the scans where they are too many to be listed."""
        extents, choices = tuple(self.space.accesses.extents(task)), self._choices(task, wanted.ratio)
        most = max(STRUCTURES_AT_LEAST, wanted.structures // len(self.space.graph))
        scans = count_of(sampled_scans(self.space.scans(task, extents), wanted.scans, extents))
        shapes, found = math.prod(map(len, choices)), dict[Sequence[Scan], None]()
        counted = self._counted_at_most(task)
        if shapes * scans > most or shapes > counted:
            self.thinned.add(task)
            shapes = min(shapes, max(1, most // max(1, min(scans, SCANS_AT_LEAST))), counted)
            scans = min(scans, SCANS_AT_MOST, most // shapes)
        else:
            scans = sys.maxsize
        for parts in sampled_product(choices, shapes):
            shape = tuple(side for part in parts for side in part)
            own = sampled_scans(self.space.scans(task, shape), wanted.scans, extents)
            if count_of(own) > scans and own not in found:
                if len(found) * scans > SCANS_FOUND:
                    own = sampled_scans(own, "few", extents)
                else:
                    found[own] = None
            for scan in sampled(own, scans):
                yield scan, shape

    def _counted_at_most(self, task: str) -> int:
        """For how many shapes scans may be counted: the time grows with the sets of dimensions that have a delay."""
        delays = self.space.accesses.delays(task)
        moving = sum(any(steps) for steps in zip(*(delay.vector for delay in delays), strict=True))
        return max(1, COUNTED // (max(1, moving) << moving)) if moving > FEW_MOVING else sys.maxsize

    @cached_property
    def thinned(self) -> set[str]:
        """Last tasks of whose structures some round has not taken all that are as fine as it looks."""
        return set()

    def left_out(self, task: str) -> int:
        """How many structures of a last task no round has taken, once all are done."""
        left = self.space.count_structures(task) - len(self.upto(task, len(ROUNDS) - 1))
        return max(0, left) if task in self.thinned else 0  # rounds may look at finer sides than a study lists

    def _choices(self, task: str, ratio: float | None) -> Sequence[Sequence[Shape]]:
        """The sides along each extent, or in one list the shapes that the study has."""
        if self.space.lists_shapes(task):
            return (self.space.shapes(task),)
        extents, blocks = self.space.accesses.extents(task), self.space.study.blocks
        sides = [self.sides(extent) for extent in extents]
        if ratio is not None:
            some = [ladder(extent, ratio) for extent in extents]
            pairs = zip(sides, some, strict=True)
            sides = [near(*pair) for pair in pairs] if blocks == "divisors" else some
        return [[(side,) for side in each] for each in sides]

    def sides(self, extent: int) -> tuple[int, ...]:
        """The sides of blocks along an extent in the last rounds, where the study lists no shapes; ascending."""
        return self.space.sides(extent) if self.space.study.blocks == "divisors" else finest_ladder(extent)

    def neighbouring_blocks(self, blocks: Blocks, task: str) -> Iterator[Blocks]:
        """Legal blocks of a last task that are a side larger or smaller in one dimension, or listed beside these.

        Where no round takes all scans, also those with two neighbouring loops exchanged, or one walked the other way.
        """
        twice, extents = blocks.scan.twice, self.space.accesses.extents(task)
        shapes = [(shape, blocks.outer) for shape in neighbouring_shapes(self.space, task, blocks.shape, self.sides)]
        if self.space.study.outer_blocks is None and twice:
            wholes = neighbouring_shapes(self.space, task, blocks.outer, self.sides)
            shapes += [(blocks.shape, whole) for whole in wholes if not any(map(mod, extents, whole))]
        for shape, whole in shapes:
            pairs = zip(whole, shape, strict=False)
            outer = tuple(own if at in twice else side for at, (own, side) in enumerate(pairs))
            found = Blocks(shape, blocks.scan, outer)
            if found != blocks and found.fit(len(shape)) and self.space.model.is_legal(task, found):
                yield found
        if task in self.thinned and not twice:
            offered = self.space.scans(task, blocks.shape)
            yield from (Blocks(blocks.shape, scan) for scan in neighbouring_scans(blocks.scan) if scan in offered)

    def rates(self, group: Mask, number: int, *, free: bool) -> RateChoices:
        """The rates that a group's structures are priced under; all on offer where units are `free`."""
        tasks = self.space.tasks(group)
        offered = tuple(map(self.space.rates, tasks))
        most, at_once = ROUNDS[number].rates, COMBINATIONS_AT_ONCE
        if not self.has_few_tasks and most < COMBINATIONS_AT_MOST:
            most, at_once = max(LEAST_RATES, most * FEW_TASKS // len(self.space.graph)), 0
        if free or count_combinations(offered) <= max(most, at_once):
            return RateChoices(offered)
        work = [math.prod(self.space.accesses.extents(task)) for task in tasks]
        return RateChoices(chosen=tuple(evenly(balanced(work, offered), most)))


def by_scan(structure: Structure) -> str:
    """By what structures of a group are ordered, so that those of one scan are priced together."""
    return str(structure[0])


def sampled_scans(legal: Sequence[Scan], scans: Scans, extents: Shape) -> Sequence[Scan]:
    """All legal scans, those that only go upwards (all where none does), or the first and last of these.

    Only the last takes such with a dimension of one index inside others: it is no line that units could share.
    """
    if scans == "all":
        return legal
    if isinstance(legal, LegalScans):
        single = frozenset(at for at, extent in enumerate(extents) if extent == 1)
        upwards: Sequence[Scan] = _only(legal, upwards=True) or legal
        assert isinstance(upwards, LegalScans), "made of such"
        upwards = _only(upwards, outermost=single) or upwards
    else:
        upwards = tuple(scan for scan in legal if not any(scan.descending)) or legal
        upwards = tuple(scan for scan in upwards if not has_one_index_inside(scan, extents)) or upwards
    if scans == "upwards" or sum(extent > 1 for extent in extents) < FEW_DIMENSIONS or count_of(upwards) < 2:
        return upwards
    return upwards[0], upwards[-1]


@lru_cache(maxsize=4096)
def _only(scans: LegalScans, *, upwards: bool = False, outermost: frozenset[int] = frozenset()) -> LegalScans:
    return scans.only(upwards=upwards, outermost=outermost)


def sampled(scans: Sequence[Scan], most: int) -> Sequence[Scan]:
    """At most so many of some scans."""
    return scans if count_of(scans) <= most else _chosen(scans, most)


@lru_cache(maxsize=4096)
def _chosen(scans: Sequence[Scan], most: int) -> Sequence[Scan]:
    return [scans[place] for place in places(count_of(scans), most)]


def sampled_product(choices: Sequence[Sequence[Shape]], most: int) -> Iterator[tuple[Shape, ...]]:
    """At most about so many of the elements of a product of choices, and its corners.

    Corners have the first or the last of all choices, or of all but one, where the other is taken.
    """
    number = math.prod(map(len, choices))
    if number <= most:
        yield from product(*choices)
        return
    ends = tuple(choice[0] for choice in choices), tuple(choice[-1] for choice in choices)
    corners = [*ends, *((*ends[1][:at], first, *ends[1][at + 1 :]) for at, first in enumerate(ends[0]))]
    yield from dict.fromkeys([*corners, *(place_in_product(choices, place) for place in places(number, most))])


def places(number: int, most: int) -> Iterator[int]:
    """At most so many places of `number`, spread evenly: by multiples of the golden ratio, without their wholes.

    Equal steps would stand in step with the sizes of a product, and so take always the same of its last choices.
    """
    return iter(dict.fromkeys((turn * GOLDEN % (1 << 64)) * number >> 64 for turn in range(most)))


def neighbouring_scans(scan: Scan) -> Iterator[Scan]:
    """Scans that differ from one in two neighbouring loops, or in the direction of one."""
    dimensions, descending = list(scan.dimensions), list(scan.descending)
    for at in range(len(dimensions) - 1):
        order = [*range(at), at + 1, at, *range(at + 2, len(dimensions))]
        yield Scan(tuple(dimensions[each] for each in order), tuple(descending[each] for each in order))
    for at, down in enumerate(descending):
        yield Scan(scan.dimensions, (*descending[:at], not down, *descending[at + 1 :]))
