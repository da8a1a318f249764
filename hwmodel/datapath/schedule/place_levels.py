"""The passes of place.py level by level, for bodies with many operations beside each other.

A level holds the operations with as many others on the longest way before them. They do not depend on each other, so a
pass takes a level at once, with arrays; only those that move to another slot of a shared class are taken one by one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from hwmodel.datapath.schedule.dataflow import Dataflow, Ints, distinct_of
from hwmodel.datapath.schedule.place import FAR, Placed, Problem, Slots, move

WIDE = 24  # operations in a level, on average, from which on arrays pay


@dataclass(frozen=True, eq=False)
class Levels:
    """Operations by level. Those of level l are `order[begins[l]:begins[l + 1]]`.

    Their operands without constants, each once for a user, are `values[ends[l]:ends[l + 1]]`, and `users` has for each
    the place of its user in `order`.
    """

    order: Ints
    begins: list[int]
    values: Ints
    users: Ints
    ends: list[int]

    @property
    def are_wide(self) -> bool:
        """Whether arrays pay."""
        return len(self.order) >= WIDE * (len(self.begins) - 1)

    def forwards(self) -> Iterator[tuple[slice, slice]]:
        """The places of each level in `order`, and in `values`: users last."""
        places, edges = pairwise(self.begins), pairwise(self.ends)
        return ((slice(*own), slice(*of_edges)) for own, of_edges in zip(places, edges, strict=True))

    def backwards(self) -> Iterator[tuple[slice, slice]]:
        """The same with users first."""
        return iter([*self.forwards()][::-1])


def levels_of(dataflow: Dataflow) -> Levels:
    """The levels of a body."""
    first = dataflow.first
    depth = [-1] * (len(dataflow.bits) + 1)  # the last is that of constants, which are values below 0
    for operation, operands in enumerate(dataflow.operands):
        level = -1
        for value in operands:
            if value >= 0 and depth[value] > level:
                level = depth[value]
        depth[first + operation] = level + 1
    levels = np.array(depth[first:-1], np.int64)
    order = np.argsort(levels, kind="stable")
    counts = np.bincount(levels)
    begins = [0, *np.cumsum(counts).tolist()]
    places = np.empty(len(order), np.int64)
    places[order] = np.arange(len(order))
    values, users = dataflow.edges
    keys = distinct_of(places[users] * len(depth) + values)
    users, values = keys // len(depth), keys % len(depth)
    return Levels(order, begins, values, users, np.searchsorted(users, begins).tolist())


def urgencies(problem: Problem, levels: Levels, deadlines: Sequence[int]) -> Ints:
    """The ticks at which operations must start so that outputs meet their deadlines."""
    first = problem.dataflow.first
    ticks = problem.ticks
    due = np.array(deadlines, np.int64)
    urgency = np.empty(len(ticks), np.int64)
    for own, edges in levels.backwards():
        operations = levels.order[own]
        urgency[operations] = due[first + operations] - ticks[operations]
        np.minimum.at(due, levels.values[edges], urgency[levels.order[levels.users[edges]]])
    return urgency


def unshared_by_levels(problem: Problem, levels: Levels) -> Placed:
    """What place.py's `as_soon_as_possible` does where no class is shared, so that operations may come in any order."""
    room, first, within, ticks = problem.room, problem.dataflow.first, problem.within, problem.ticks
    starts = np.zeros(len(ticks), np.int64)
    available = np.concatenate([np.array(problem.arrivals, np.int64) * room, starts])
    for own, edges in levels.forwards():
        operations = levels.order[own]
        ready = np.zeros(len(operations), np.int64)
        np.maximum.at(ready, levels.users[edges] - own.start, available[levels.values[edges]])
        offset = ready % room
        ready += np.where(offset > within[operations], room - offset, 0)
        starts[operations] = ready
        available[first + operations] = ready + ticks[operations]
    return Placed(starts)


def later_by_levels(
    problem: Problem,
    levels: Levels,
    placed: Placed,
    slots: dict[int, Slots],
    deadlines: Sequence[int],
    waiting: Sequence[bool],
) -> Placed:
    """What place.py's `later` does, users of later levels first."""
    room, first = problem.room, problem.dataflow.first
    ticks, within, shared = problem.ticks, problem.within, problem.shared
    bits, waits = problem.dataflow.widths, np.array(waiting, bool)
    starts, due = placed.ticks.copy(), np.array(deadlines, np.int64)
    last_use = np.full(len(due), -1, np.int64)
    for own, edges in levels.backwards():
        operations, values = levels.order[own], levels.values[edges]
        users = levels.users[edges] - own.start
        latest = due[first + operations] - ticks[operations]
        latest -= np.maximum(0, latest % room - within[operations])
        target = latest // room
        later = (target > starts[operations] // room) & (due[first + operations] < FAR)
        held = np.bincount(users, bits[values] * (last_use[values] < target[users]), len(operations))
        moving = later & (waits[operations] | (bits[first + operations] > held))
        free = moving & ~shared[operations]
        starts[operations[free]] = latest[free]
        for place in np.flatnonzero(moving & shared[operations]).tolist():
            operation = int(operations[place])
            kind = problem.classes[operation]
            cycle = int(starts[operation]) // room
            moved = move(slots[kind], problem.interval, cycle, int(latest[place]), problem.timings[kind], room)
            if moved is not None:
                starts[operation] = moved
        by_edge = starts[operations][users]
        np.minimum.at(due, values, by_edge)
        np.maximum.at(last_use, values, by_edge // room)
    return Placed(starts)
