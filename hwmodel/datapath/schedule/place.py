"""The start cycle of each operation: as soon as possible, then later if that shortens what registers hold.

Time is counted in ticks of a picosecond; a cycle has `room` of them. A combinational operation starts within a cycle,
after the one that it waits for, if it still fits, else in the next cycle. All others start on registers.

At an interval of I cycles, an operation of a shared class takes the first cycle whose slot (the cycle modulo I) is free
on one of the class's m units. There are n <= m I operations, so one of the next I slots is free: each waits at most I -
1 cycles, and the bound ceil(n / I) of units is reached. Operations that occupy a unit for several cycles start at
multiples of these, so that the slots of a unit are not fragmented.

The second pass goes from the outputs backwards. An operation moves to the latest cycle that its users allow if its
result is wider than the operands that then wait for it: a move never increases the total bits that wait.

Bodies with many parallel operations are placed level by level. A level has the operations with equally many others on
the longest path before them. They do not depend on each other, so a pass processes a level at once, with arrays; only
operations that move to another slot of a shared class are processed one by one.

The passes read operations and their results in the order of levels, so that those of a level are a slice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice, pairwise, repeat
from typing import TypeAlias

import numpy as np

from hwmodel.datapath.graph.sorts import Ints
from hwmodel.datapath.schedule.dataflow import Dataflow, distinct_of

FAR = 1 << 60


@dataclass(frozen=True, slots=True)
class Timing:
    """The timing of a class's operations: `ticks` until the result.

    `within` is the last tick of its first cycle at which it may start, 0 on registers. `pipelined` operators hold their
    result in a register of their own.
    """

    ticks: int
    within: int
    pipelined: bool


@dataclass(frozen=True, slots=True)
class Sharing:
    """A shared class: its units, and the cycles that an operation occupies one."""

    units: int
    every: int = 1


@dataclass(frozen=True, eq=False)
class PlacedOperations:
    """A schedule: the start of each operation in ticks."""

    ticks: Ints

    @cached_property
    def starts(self) -> list[int]:
        """The starts in ticks, as a list."""
        starts: list[int] = self.ticks.tolist()
        return starts


def combinational(ticks: int, room: int) -> Timing:
    """An operator with that many ticks; one that is longer than a cycle is spread over several, between registers."""
    return Timing(ticks, room - ticks, False) if ticks <= room else Timing(-(-ticks // room) * room, 0, False)


def pipelined(cycles: int, room: int) -> Timing:
    """An operator with that many register stages."""
    return Timing(cycles * room, 0, True)


class Slots:
    """Slots of a class: `left` is the number of free units in the cycles that equal s modulo the interval.

    `further` has for a taken slot a later one, such that none between them is free; the last slot precedes the first.
    Paths over several such steps are shortened whenever one is followed.
    """

    __slots__ = ("further", "interval", "left")

    def __init__(self, interval: int, sharing: Sharing) -> None:
        self.interval = interval
        self.left = [0] * interval
        for slot in range(0, interval - sharing.every + 1, sharing.every):
            self.left[slot] = sharing.units
        self.further = [*range(1, interval), 0]

    def take(self, cycle: int) -> int:
        """Take the first cycle from this one on whose slot is free. Valid as long as no slot was given back."""
        left, further, interval = self.left, self.further, self.interval
        slot = cycle % interval
        free_slot = slot
        while not left[free_slot]:
            after = further[free_slot]
            if not left[after]:
                after = further[free_slot] = further[after]
            free_slot = after
        left[free_slot] -= 1
        return cycle + (free_slot - slot) % interval

    def move(self, slot: int, to: int) -> None:
        """Give back a slot and take another one."""
        self.left[slot] += 1
        self.left[to] -= 1

    def last(self, earliest: int, latest: int) -> int | None:
        """The last cycle with a free slot, from `earliest` to `latest`; None without any."""
        left, interval = self.left, self.interval
        for cycle in range(latest, max(earliest, latest - interval + 1) - 1, -1):
            if left[cycle % interval]:
                return cycle
        return None


@dataclass(frozen=True, eq=False)
class Problem:
    """The operations to schedule: the class of each in `classes`, and `timings` and `sharing` by class.

    `places` is `classes` as an array. `arrivals` are the cycles in which the inputs are in their registers, by value.
    """

    dataflow: Dataflow
    interval: int
    room: int
    classes: Sequence[int]
    places: Ints
    timings: Sequence[Timing]
    sharing: Sequence[Sharing | None]
    arrivals: Ints

    @cached_property
    def ticks(self) -> Ints:
        """The ticks that each operation takes."""
        return np.array([timing.ticks for timing in self.timings], np.int64)[self.places]

    @cached_property
    def within(self) -> Ints:
        """The last tick of its first cycle at which each operation may start."""
        return np.array([timing.within for timing in self.timings], np.int64)[self.places]

    @cached_property
    def shared(self) -> Ints:
        """Whether the class of each operation is shared."""
        return np.array([sharing is not None for sharing in self.sharing], bool)[self.places]


def slots_of(problem: Problem) -> dict[int, Slots]:
    """The slots of the shared classes, all free."""
    return {
        place: Slots(problem.interval, sharing) for place, sharing in enumerate(problem.sharing) if sharing is not None
    }


def as_soon_as_possible(problem: Problem, order: Ints) -> tuple[PlacedOperations, dict[int, Slots]]:
    """Starts in an order in which operands come before their users, and the free slots afterwards.

    The loop reads lists in this order: `available` has 0 for constants, the inputs, then the results.
    """
    room, interval, slots = problem.room, problem.interval, slots_of(problem)
    rows = [
        (timing.ticks, timing.within, own.left if own is not None else [], own)
        for timing, own in zip(problem.timings, map(slots.get, range(len(problem.sharing))), strict=True)
    ]
    available = [0, *(problem.arrivals * room).tolist()]
    append = available.append
    for first, second, others, (ticks, within, left, own) in _in_order(problem, order, rows):
        start, other = available[first], available[second]
        if other > start:  # noqa: PLR1730  a call takes longer, and this is done for every operation
            start = other
        if others:
            start = max(start, *[available[value] for value in others])
        offset = start % room
        if offset > within:
            start += room - offset
        if own is not None:
            slot = start // room % interval
            if left[slot]:  # as `take`, where there is nothing to look for
                left[slot] -= 1
            else:
                start = own.take(start // room) * room
        append(start + ticks)
    starts = np.empty(len(order), np.int64)
    starts[order] = available[1 + problem.dataflow.first :]
    return PlacedOperations(starts - problem.ticks), slots


Row: TypeAlias = tuple[int, int, list[int], Slots | None]


def _in_order(problem: Problem, order: Ints, rows: Sequence[Row]) -> Iterator[tuple[int, int, tuple[int, ...], Row]]:
    """For each operation the positions of its operands in `available`, and the row of its class."""
    first = problem.dataflow.first
    places = np.zeros(first + len(order) + 1, np.int64)  # by value; of none, -1, the last
    places[:first] = np.arange(1, first + 1)
    places[first + order] = np.arange(first + 1, first + 1 + len(order))
    left, right, more = problem.dataflow.pairs
    others: Iterable[tuple[int, ...]] = repeat((), len(order))
    if more:
        others = filled = [()] * len(order)
        at = (places[first:-1] - first - 1).tolist()  # by operation: its place in the order
        taken = iter(places[list(chain.from_iterable(more.values()))].tolist())
        for operation, values in more.items():
            filled[at[operation]] = tuple(islice(taken, len(values)))
    return zip(
        places[left[order]].tolist(),
        places[right[order]].tolist(),
        others,
        map(rows.__getitem__, problem.places[order].tolist()),
        strict=True,
    )


def urgencies_of(problem: Problem, deadlines: Ints) -> Ints:
    """The latest starts in ticks at which outputs meet their deadlines: the least are the most urgent.

    `deadlines` are ticks by value, FAR for values that are no outputs. An operation is no less urgent than its users;
    if both are equally urgent it comes before them in the graph.
    """
    first, operands, classes = problem.dataflow.first, problem.dataflow.operands, problem.classes
    ticks = [timing.ticks for timing in problem.timings]
    due: list[int] = deadlines.tolist()
    urgency = [0] * len(operands)
    for operation in range(len(operands) - 1, -1, -1):
        start = due[first + operation] - ticks[classes[operation]]
        urgency[operation] = start
        for value in operands[operation]:
            if value >= 0 and due[value] > start:
                due[value] = start
    return np.array(urgency, np.int64)


def later(
    problem: Problem, placed: PlacedOperations, slots: dict[int, Slots], deadlines: Ints, waiting: Sequence[bool]
) -> PlacedOperations:
    """Move operations later if registers then hold less; those in `waiting` as late as possible.

    `deadlines` are ticks by value by which outputs must be there, FAR for values that are no outputs.
    """
    room, first, bits = problem.room, problem.dataflow.first, problem.dataflow.bits
    operands, starts = problem.dataflow.operands, placed.ticks.tolist()
    due: list[int] = deadlines.tolist()  # by value: the tick at which its first user starts
    last_use = [-1] * len(due)  # by value: the cycle in which its last user starts, of those that were moved already
    for operation in sorted(range(len(starts) - 1, -1, -1), key=starts.__getitem__, reverse=True):  # users first
        value, place = first + operation, problem.classes[operation]
        timing, start, taken = problem.timings[place], starts[operation], operands[operation]
        cycle = start // room
        latest = due[value] - timing.ticks if due[value] < FAR else -1
        latest -= max(0, latest % room - timing.within)
        target = latest // room
        if target > cycle:
            gain = bits[value]
            if not waiting[operation]:
                for operand in set(taken):
                    if operand >= 0 and last_use[operand] < target:
                        gain -= bits[operand]
            if gain > 0:
                moved = move(slots.get(place), problem.interval, cycle, latest, timing, room)
                if moved is not None:
                    starts[operation] = start = moved
                    cycle = start // room
        for operand in taken:
            if operand >= 0:
                due[operand] = min(due[operand], start)
                last_use[operand] = max(last_use[operand], cycle)
    return PlacedOperations(np.array(starts, np.int64))


def move(slots: Slots | None, interval: int, cycle: int, latest: int, timing: Timing, room: int) -> int | None:
    """The new start of an operation: the tick `latest`, or the last free slot before it; None if there is none."""
    if slots is None:
        return latest
    slot = slots.last(cycle + 1, latest // room)
    if slot is None:
        return None
    slots.move(cycle % interval, slot % interval)
    return latest if slot == latest // room else slot * room + timing.within


WIDE = 24  # operations in a level, on average, from which on arrays pay


@dataclass(frozen=True, eq=False)
class Levels:
    """Operations by level. Those of level l are `order[begins[l]:begins[l + 1]]`.

    Their operands without constants, each once for a user, are `values[ends[l]:ends[l + 1]]`: the first `first` values
    are inputs, then come results in this order. `users` is the position of each one's user in its level.
    """

    first: int
    order: Ints
    begins: list[int]
    values: Ints
    users: Ints
    ends: list[int]

    @property
    def are_wide(self) -> bool:
        """Whether levels are wide enough for arrays to pay off."""
        return len(self.order) >= WIDE * (len(self.begins) - 1)

    @cached_property
    def forwards(self) -> list[tuple[slice, slice, Ints, Ints]]:
        """For each level, users last: its operations, their results among the values, the operands and their users."""
        first = self.first
        return [
            (slice(begin, end), slice(first + begin, first + end), self.values[left:right], self.users[left:right])
            for (begin, end), (left, right) in zip(pairwise(self.begins), pairwise(self.ends), strict=True)
        ]

    def values_by_level(self, values: Ints) -> Ints:
        """Reorder an array by value to the order of levels."""
        return np.concatenate([values[: self.first], values[self.first :][self.order]])

    def in_the_body(self, operations: Ints) -> Ints:
        """Reorder an array by operation from the order of levels to that of the body."""
        reordered = np.empty_like(operations)
        reordered[self.order] = operations
        return reordered


def levels_of(dataflow: Dataflow) -> Levels:
    """The levels of a body."""
    first = dataflow.first
    depth = [-1] * first  # by value; the operations are appended
    left, right, more = dataflow.pairs
    for operation, (one, other) in enumerate(zip(left.tolist(), right.tolist(), strict=True)):
        level = depth[one] if one >= 0 else -1
        if other >= 0 and depth[other] > level:
            level = depth[other]
        if operation in more:
            level = max(level, *[depth[value] for value in more[operation]], -1)
        depth.append(level + 1)
    levels = np.array(depth[first:], np.int64)
    order = np.argsort(levels, kind="stable")
    counts = np.bincount(levels)
    begins = [0, *np.cumsum(counts).tolist()]
    places = np.arange(len(dataflow.widths))  # by value: its place among those in the order of levels
    places[first + order] = np.arange(first, first + len(order))
    values, users = dataflow.edges
    keys = distinct_of((places[first:][users] - first) * len(depth) + values)
    users, values = keys // len(depth), places[keys % len(depth)]
    ends = np.searchsorted(users, begins)
    users -= np.repeat(np.array(begins[:-1], np.int64), np.diff(ends))
    return Levels(first, order, begins, values, users, ends.tolist())


def urgencies(problem: Problem, levels: Levels, deadlines: Ints) -> Ints:
    """The latest starts in ticks at which outputs meet their deadlines."""
    ticks = problem.ticks[levels.order]
    due = levels.values_by_level(deadlines)
    for own, results, values, users in reversed(levels.forwards):
        np.minimum.at(due, values, (due[results] - ticks[own])[users])
    return levels.in_the_body(due[levels.first :] - ticks)


def unshared_by_levels(problem: Problem, levels: Levels) -> PlacedOperations:
    """The schedule of `as_soon_as_possible` if no class is shared, so that any order will do."""
    room, ticks, within = problem.room, problem.ticks[levels.order], problem.within[levels.order]
    starts = np.zeros(len(ticks), np.int64)
    available = np.concatenate([problem.arrivals * room, starts])
    for own, results, values, users in levels.forwards:
        ready = starts[own]
        np.maximum.at(ready, users, available[values])
        offset = ready % room
        ready += np.where(offset > within[own], room - offset, 0)
        available[results] = ready + ticks[own]
    return PlacedOperations(levels.in_the_body(starts))


def later_by_levels(
    problem: Problem,
    levels: Levels,
    placed: PlacedOperations,
    slots: dict[int, Slots],
    deadlines: Ints,
    waiting: Sequence[bool],
) -> PlacedOperations:
    """The schedule of `later`, with users in later levels first."""
    room, order = problem.room, levels.order
    ticks, within, shared, starts = (
        each[order] for each in (problem.ticks, problem.within, problem.shared, placed.ticks)
    )
    cycles, bits = starts // room, levels.values_by_level(problem.dataflow.widths)
    waits = np.array(waiting, bool)[order] if any(waiting) else None
    classes = problem.places[order]
    due = levels.values_by_level(deadlines)
    last_use = np.full(len(due), -1, np.int64)
    for own, results, values, users in reversed(levels.forwards):
        own_cycles, limit = cycles[own], due[results]
        latest = limit - ticks[own]
        target = latest // room
        moving = (target > own_cycles) & (limit < FAR)
        if moving.any():
            np.minimum(latest, target * room + within[own], out=latest)
            held = np.bincount(users, bits[values] * (last_use[values] < target[users]), len(target))
            gains = bits[results] > held
            moving &= gains if waits is None else gains | waits[own]
            free = moving & ~shared[own]
            np.copyto(starts[own], latest, where=free)
            np.copyto(own_cycles, target, where=free)
            for place in np.flatnonzero(moving & shared[own]).tolist():
                kind, cycle = int(classes[own.start + place]), int(own_cycles[place])
                moved = move(slots[kind], problem.interval, cycle, int(latest[place]), problem.timings[kind], room)
                if moved is not None:
                    starts[own.start + place], own_cycles[place] = moved, moved // room
        np.minimum.at(due, values, starts[own][users])
        np.maximum.at(last_use, values, own_cycles[users])
    return PlacedOperations(levels.in_the_body(starts))
