"""The greedy list schedule of one unit (docs/machine.md, section 4), for delays whose chains have no levels to share.

Whenever the unit is free, it starts one of the repetitions whose operands are there: the one with the longest remaining
chain, of equals the first in the scan. Steps with equal jobs (`ReadyList.key`) have one schedule.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from heapq import heapify, heappop, heappush

import numpy as np

from arrayol.arrays import IntArray


@dataclass(frozen=True, eq=False)
class ReadyList:
    """Repetitions of one step by `priority` (least first), and pairs of a `source` and the `reader` that waits for it.

    `delay` is the number of the delay of each pair.
    """

    priority: IntArray
    source: IntArray
    reader: IntArray
    delay: IntArray

    @cached_property
    def key(self) -> bytes:
        """Bytes that are equal for steps with equal schedules."""
        sizes = np.array([len(self.priority), len(self.source)])
        parts = (sizes, self.priority, self.source, self.reader, self.delay)
        return b"".join(part.astype(np.int64).tobytes() for part in parts)


def priorities(remaining: IntArray, rank: IntArray) -> IntArray:
    """The order of starting: the longest remaining chain first, ties in scan order."""
    place = np.empty(len(rank), np.int64)
    place[np.lexsort((rank, -remaining))] = np.arange(len(rank))
    return place


def start_rounds(jobs: ReadyList, waits: list[int]) -> IntArray:
    """The round in which each repetition starts; `waits` by delay are the rounds until its operand can be read."""
    count = len(jobs.priority)
    priority, start, open_sources, earliest = jobs.priority.tolist(), [0] * count, [0] * count, [0] * count
    after: list[list[tuple[int, int]]] = [[] for _ in range(count)]
    for source, reader, delay in zip(jobs.source.tolist(), jobs.reader.tolist(), jobs.delay.tolist(), strict=True):
        after[source].append((reader, waits[delay]))
        open_sources[reader] += 1
    coming = [(0, priority[job], job) for job in range(count) if not open_sources[job]]
    heapify(coming)
    ready: list[tuple[int, int]] = []
    now = 0
    while coming or ready:
        if not ready:
            now = max(now, coming[0][0])
        while coming and coming[0][0] <= now:
            heappush(ready, heappop(coming)[1:])
        _, job = heappop(ready)
        start[job] = now
        for reader, lag in after[job]:
            earliest[reader] = max(earliest[reader], now + lag)
            open_sources[reader] -= 1
            if not open_sources[reader]:
                heappush(coming, (earliest[reader], priority[reader], reader))
        now += 1
    return np.array(start, np.int64)
