"""Computation units: single repetitions, each on a unit when its operands are there."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass

from hwmodel.simulator.errors import fault


@dataclass(frozen=True, slots=True)
class Jobs:
    """The repetitions of one task in one step, in scan order.

    `remaining` is the length of the longest chain of delays in the step from each on, `after` the jobs that read what
    each makes, `waits` for how many of the step each waits; `released` the first cycle at which other operands are
    there.
    """

    remaining: Sequence[int]
    after: Sequence[Sequence[int]]
    waits: Sequence[int]
    released: Sequence[int]


def starts_of(jobs: Jobs, units: int, occupancy: int, gap: int) -> list[int]:
    """The cycle at which each job starts, from the start of the step.

    Whenever a unit is free, of the jobs whose operands are there the one with the longest remaining chain starts, of
    equals the first in the scan. `occupancy` is how long a job keeps its unit, `gap` how long after its start what it
    hands on can be read. Raises RefereeError (`deadlock`).
    """
    count = len(jobs.remaining)
    starts = [0] * count
    waits = list(jobs.waits)
    ready_at = list(jobs.released)
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
        heapq.heapreplace(free, now + occupancy)
        done += 1
        for reader in jobs.after[job]:
            waits[reader] -= 1
            ready_at[reader] = max(ready_at[reader], now + gap)
            if not waits[reader]:
                heapq.heappush(coming, (ready_at[reader], -jobs.remaining[reader], reader))
    if done < count:
        raise fault("deadlock", f"{count - done} repetitions of a step wait for each other")
    return starts


def starts_of_independent(count: int, units: int, occupancy: int) -> list[int]:
    """As `starts_of`, for jobs that wait for nothing: each takes the first free unit."""
    free = [0] * units
    starts = []
    for _ in range(count):
        starts.append(free[0])
        heapq.heapreplace(free, free[0] + occupancy)
    return starts
