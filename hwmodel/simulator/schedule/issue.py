"""When the repetitions of a step start, and on which units together (docs/machine.md, section 4)."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import IntArray
from hwmodel.accesses import Accesses, Extents, flat, points
from hwmodel.simulator.schedule.chains import Waiting
from hwmodel.simulator.schedule.plan import Plan, fault, scan_places
from hwmodel.units import riding_dimensions, unit_dimension

# Single repetitions, each on a unit when its operands are there.


@dataclass(frozen=True, slots=True)
class Jobs:
    """The repetitions of one task in one step, in scan order.

    `remaining` is the length of the longest chain of delays in the step from each repetition on. `after` has the jobs
    that read each one's result, with the cycles after its start when they can, and `waits` the number of jobs that each
    waits for. `released` is the first cycle at which other operands are there.
    """

    remaining: Sequence[int]
    after: Sequence[Sequence[tuple[int, int]]]
    waits: Sequence[int]
    released: Sequence[int]


def starts_of(jobs: Jobs, units: int, interval: int) -> list[int]:
    """The cycle at which each job starts, from the start of the step; always a multiple of the interval.

    Whenever a unit is free, of the jobs whose operands are there the one with the longest remaining chain starts, of
    equal ones the first in the scan. A job occupies its unit for the interval. Raises SimulatorError (`deadlock`).
    """
    count = len(jobs.remaining)
    starts = [0] * count
    waits = list(jobs.waits)
    ready_at = [next_multiple(cycle, interval) for cycle in jobs.released]
    coming = [(ready_at[job], -jobs.remaining[job], job) for job in range(count) if not waits[job]]
    heapq.heapify(coming)
    ready: list[tuple[int, int]] = []
    free = [0] * units
    done, now = 0, 0
    while coming or ready:
        now = max(now, free[0])
        if not ready:
            now = max(now, coming[0][0])
        while coming and coming[0][0] <= now:
            _, priority, job = heapq.heappop(coming)
            heapq.heappush(ready, (priority, job))
        _, job = heapq.heappop(ready)
        starts[job] = now
        heapq.heapreplace(free, now + interval)
        done += 1
        for reader, gap in jobs.after[job]:
            waits[reader] -= 1
            ready_at[reader] = max(ready_at[reader], next_multiple(now + gap, interval))
            if not waits[reader]:
                heapq.heappush(coming, (ready_at[reader], -jobs.remaining[reader], reader))
    if done < count:
        raise fault("deadlock", f"{count - done} repetitions of a step wait for each other")
    return starts


def next_multiple(cycle: int, interval: int) -> int:
    """The first cycle from this one on at which a repetition may start."""
    return cycle + -cycle % interval


# Lines: which repetitions start together, on units side by side, and in which order.


@dataclass(frozen=True)
class Lines:
    """The level of each instance in its step, its position in the order of issue, and its line.

    `line` is equal for instances of one step and level that are consecutive along the unit dimension and equal in all
    others; without such a dimension every instance has its own line. `alone`: units share nothing, chains have no
    levels. `along` is the unit dimension.
    """

    level: IntArray
    order: IntArray
    line: IntArray
    alone: bool
    along: int | None

    @staticmethod
    def of(accesses: Accesses, plan: Plan, waiting: Waiting, step: IntArray, task: str) -> Lines:
        """The lines of a task's instances."""
        work, extents = plan.works[task], accesses.extents(task)
        along = unit_dimension(accesses, riding_dimensions(accesses, plan.design.tasks, plan.last), plan.scan, task)
        level = _levels(waiting, len(step))
        point = points(extents)[work.repetition]
        delays = [(k, part) for delay in accesses.delays(task) for k, part in enumerate(delay.vector) if part]
        keys = [np.arange(len(step))]  # instances of a step stand in scan order
        if along is not None:
            # Lines in the order in which the scan comes to where they would begin if nothing were left out.
            ahead = _scan_keys(plan, task, extents, along)
            keys = [keys[0], ahead[work.repetition]]
        if len(delays) == 1:
            dimension, part = delays[0]
            keys.append(point[:, dimension] if part > 0 else -point[:, dimension])
        issued = np.lexsort([*keys, level, step])
        order, line = np.empty(len(step), np.int64), np.empty(len(step), np.int64)
        order[issued] = np.arange(len(step))
        line[issued] = np.cumsum(_begins(np.column_stack([step, level, point])[issued], along))
        return Lines(level, order, line, len(delays) > 1, along)

    def rounds(self, bounds: IntArray, units: int) -> list[list[list[int]]]:
        """The instances of each step in rounds: up to `units` that are consecutive on one line.

        Those of step s are between entries s and s + 1 of `bounds`.
        """
        issued = np.argsort(self.order)  # step after step
        line = self.line[issued]
        changes = np.append(True, line[1:] != line[:-1])[: len(line)]
        within = np.arange(len(line)) - np.flatnonzero(changes)[np.cumsum(changes) - 1]
        starts = np.flatnonzero(within % units == 0)
        rounds, instances = np.searchsorted(starts, bounds).tolist(), issued.tolist()
        ends = [*starts.tolist(), len(instances)]
        each = [instances[start:end] for start, end in itertools.pairwise(ends)]
        return [each[first:end] for first, end in itertools.pairwise(rounds)]


def _begins(rows: IntArray, along: int | None) -> NDArray[np.bool_]:
    """Mask of the rows (step, level, indices) that do not continue the line of the row before."""
    begins = np.ones(len(rows), np.bool_)
    if along is not None:
        expected = np.zeros(rows.shape[1], np.int64)
        expected[2 + along] = 1
        begins[1:] = (np.abs(np.diff(rows, axis=0)) != expected).any(axis=1)
    return begins


def _scan_keys(plan: Plan, task: str, extents: Extents, along: int) -> IntArray:
    """For every repetition, the scan position of the one with index 0 along a dimension and all others equal."""
    start = points(extents)
    start[:, along] = 0
    return scan_places(plan.blocks_of(task), extents)[flat(start, extents)]


def _levels(waiting: Waiting, count: int) -> IntArray:
    """The number of instances of its step on the longest chain that leads to each instance."""
    level = np.zeros(count, np.int64)
    while True:
        before = level.copy()
        for reader in waiting.reader:
            source = np.flatnonzero(reader >= 0)
            level[reader[source]] = np.maximum(level[reader[source]], level[source] + 1)
        if np.array_equal(before, level):
            return level
