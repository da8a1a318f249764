"""The greedy list schedule of the repetitions of one step (docs/machine.md, section 4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from heapq import heapify, heappop, heappush

import numpy as np

from hwmodel.machine.group import Elements


@dataclass(frozen=True, eq=False)
class Jobs:
    """Repetitions of one step, of one or several processors (n of them), and what they wait for (k waits).

    `processor` and `priority` (least first) of each; `source`, `reader` and `lag` of each wait: the reader starts `lag`
    cycles after the source's start, or later.
    """

    processor: Elements
    priority: Elements
    source: Elements
    reader: Elements
    lag: Elements

    @cached_property
    def key(self) -> bytes:
        """Equal for steps with equal schedules."""
        sizes = np.array([len(self.processor), len(self.source)])
        parts = (sizes, self.processor, self.priority, self.source, self.reader, self.lag)
        return b"".join(part.astype(np.int64).tobytes() for part in parts)

    def moved(self, first: int) -> Jobs:
        """The same with jobs numbered from `first` on."""
        return replace(self, source=self.source + first, reader=self.reader + first)

    @staticmethod
    def joined(processor: Elements, parts: Sequence[Jobs]) -> Jobs:
        """Jobs of several processors together, numbered through."""
        names = ("priority", "source", "reader", "lag")
        return Jobs(processor, *(np.concatenate([getattr(part, name) for part in parts]) for name in names))


def remaining_chain(count: int, source: Elements, reader: Elements) -> Elements:
    """For each of `count` repetitions, how many the longest chain of delays from it on has, itself included."""
    remaining = np.ones(count, np.int64)
    while len(source):
        longer = remaining.copy()
        np.maximum.at(longer, source, remaining[reader] + 1)
        if np.array_equal(longer, remaining):
            break
        remaining = longer
    return remaining


def priorities(remaining: Elements, rank: Elements) -> Elements:
    """Places in the order of starting: the longest remaining chain first, ties in scan order."""
    place = np.empty(len(rank), np.int64)
    place[np.lexsort((rank, -remaining))] = np.arange(len(rank))
    return place


def start_cycles(jobs: Jobs, units: Sequence[int], occupancy: Sequence[int]) -> Elements:
    """When each repetition starts: whenever a unit is free, the first by priority of those that wait for nothing.

    `units` and `occupancy` (cycles that a repetition keeps a unit) are given by processor.
    """
    run = _Run(jobs, units, occupancy)
    time = 0
    while run.coming:
        time = run.coming[0][0]
        run.advance(time)
    return np.array(run.start, np.int64)


class _Run:
    """The state of a schedule: what comes (repetitions that become ready, units that become free), by time."""

    def __init__(self, jobs: Jobs, units: Sequence[int], occupancy: Sequence[int]) -> None:
        count = len(jobs.processor)
        self.processor = jobs.processor.tolist()
        self.priority = jobs.priority.tolist()
        self.occupancy = occupancy
        self.free = list(units)
        self.ready: list[list[tuple[int, int]]] = [[] for _ in units]
        self.start = [0] * count
        self.waits = [0] * count
        self.earliest = [0] * count
        self.after: list[list[tuple[int, int]]] = [[] for _ in range(count)]
        for source, reader, lag in zip(jobs.source.tolist(), jobs.reader.tolist(), jobs.lag.tolist(), strict=True):
            self.after[source].append((reader, lag))
            self.waits[reader] += 1
        # Events (time, job): job becomes ready; (time, -1 - processor): a unit of the processor is free again.
        self.coming = [(0, job) for job in range(count) if not self.waits[job]]
        heapify(self.coming)

    def advance(self, time: int) -> None:
        """Take all that comes at a time, then start what can start."""
        touched = set()
        while self.coming and self.coming[0][0] == time:
            _, what = heappop(self.coming)
            if what < 0:
                self.free[-1 - what] += 1
                touched.add(-1 - what)
            else:
                processor = self.processor[what]
                heappush(self.ready[processor], (self.priority[what], what))
                touched.add(processor)
        for processor in touched:
            self._start(processor, time)

    def _start(self, processor: int, time: int) -> None:
        ready = self.ready[processor]
        while ready and self.free[processor]:
            _, job = heappop(ready)
            self.free[processor] -= 1
            self.start[job] = time
            heappush(self.coming, (time + self.occupancy[processor], -1 - processor))
            for reader, lag in self.after[job]:
                self.earliest[reader] = max(self.earliest[reader], time + lag)
                self.waits[reader] -= 1
                if not self.waits[reader]:
                    heappush(self.coming, (self.earliest[reader], reader))


def most_at_once(start: Elements, occupancy: int) -> int:
    """The largest number of repetitions that occupy a unit at the same time."""
    if not len(start):
        return 0
    begun = np.sort(start)
    return int((np.arange(1, len(begun) + 1) - np.searchsorted(begun, begun - occupancy, side="right")).max())
