"""Chains of maps at any size: every figure by hand, in Python's integers, whatever the number and size of blocks.

Task i of n makes array i + 1 of array i, element by element. Block v is loaded in step v, task i computes it in step
v + 1 + i, and it is stored in step v + n + 1. Blocks are given as runs (count, size) in the order of the scan.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from hwmodel.platform import Platform

Runs = Sequence[tuple[int, int]]


@dataclass(frozen=True)
class Maps:
    """n tasks with so many units each, on arrays whose elements have so many bits (n + 1).

    `lines` has for each run of equal blocks how long the lines of its blocks are; 1 where left out.
    """

    platform: Platform
    units: tuple[int, ...]
    bits: tuple[int, ...]
    lines: tuple[int, ...] = ()

    def latency_cycles(self, runs: Runs) -> int:
        ends = [0, *accumulate(count for count, _ in runs)]
        marks = sorted({end + lag for end in ends for lag in range(len(self.units) + 2)})
        return sum((end - start) * self._step(runs, ends, start, folded=False) for start, end in pairwise(marks))

    def frame_cycles(self, runs: Runs) -> int:
        ends = [0, *accumulate(count for count, _ in runs)]
        marks = sorted({(end + lag) % ends[-1] for end in ends for lag in range(len(self.units) + 2)} | {0, ends[-1]})
        return sum((end - start) * self._step(runs, ends, start, folded=True) for start, end in pairwise(marks))

    def _step(self, runs: Runs, ends: Sequence[int], step: int, *, folded: bool) -> int:
        def block(lag: int) -> tuple[int, int]:
            place = (step - lag) % ends[-1] if folded else step - lag
            inside = [
                (size, line)
                for (_, size), line, (start, end) in zip(
                    runs, self.lines or (1,) * len(runs), pairwise(ends), strict=True
                )
                if start <= place < end
            ]
            return inside[0] if inside else (0, 1)

        load = self._burst(block(0)[0], self.bits[0])
        store = self._burst(block(len(self.units) + 1)[0], self.bits[-1])
        port = load + store if self.platform.memory.port == "shared" else max(load, store)
        return max(port, *(self._busy(task, *block(task + 1)) for task in range(len(self.units))))

    def _burst(self, data: int, bits: int) -> int:
        memory = self.platform.memory
        words = -(-data // memory.data_per_word) if memory.data_per_word else -(-data * bits // (memory.word_bits or 1))
        return memory.latency + words if data else 0

    def _busy(self, task: int, data: int, line: int) -> int:
        datapath = self.platform.entry(f"e{task}")
        rounds = data // line * -(-line // self.units[task])
        return rounds * datapath.initiation_interval + datapath.latency if data else 0

    def data(self, runs: Runs) -> int:
        """What each array holds: a block that comes and the one before it."""
        blocks = [size for count, size in runs for _ in range(min(count, 2))]
        return max([*blocks[:1], *(one + other for one, other in pairwise(blocks))])

    def internal_memory_elements(self, runs: Runs) -> int:
        return len(self.bits) * self.data(runs)

    def internal_memory_bits(self, runs: Runs) -> int:
        return sum(self.bits) * self.data(runs)

    def memory_blocks(self, runs: Runs) -> int | None:
        size = self.platform.local.block_bits
        return None if size is None else sum(-(-self.data(runs) * bits // size) for bits in self.bits)

    def traffic_bytes(self, runs: Runs) -> int:
        elements = sum(count * size for count, size in runs)
        return elements * (math.ceil(self.bits[0] / 8) + math.ceil(self.bits[-1] / 8))

    def cost(self) -> int:
        return sum(units * self.platform.entry(f"e{task}").cost.get("lut", 0) for task, units in enumerate(self.units))
