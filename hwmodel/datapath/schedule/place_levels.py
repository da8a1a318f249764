"""The passes of place.py level by level, for bodies with many parallel operations.

A level has the operations with equally many others on the longest path before them. They do not depend on each other,
so a pass processes a level at once, with arrays; only operations that move to another slot of a shared class are
processed one by one.

The passes read operations and their results in the order of levels, so that those of a level are a slice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from hwmodel.datapath.graph.sorts import Ints
from hwmodel.datapath.schedule.dataflow import Dataflow, distinct_of
from hwmodel.datapath.schedule.place import FAR, PlacedOperations, Problem, Slots, move

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
    """The schedule of place.py's `as_soon_as_possible` if no class is shared, so that any order will do."""
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
    """The schedule of place.py's `later`, with users in later levels first."""
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
