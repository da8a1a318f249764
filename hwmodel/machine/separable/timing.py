"""Cycles of the structures of a separable group under combinations of units."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hwmodel.machine.port import Port, PortCycles
from hwmodel.machine.separable.axes import Ints
from hwmodel.machine.separable.counts import GroupCounts
from hwmodel.machine.separable.lines import Lines
from hwmodel.machine.separable.steps import StepKinds
from hwmodel.platform import Platform

_CELLS = 1 << 21  # of intermediate arrays at a time


@dataclass(frozen=True, eq=False)
class Timing:
    """How long steps are; columns of units stand for `tasks`, `occupancy` is that of a repetition in cycles."""

    counts: GroupCounts
    platform: Platform
    tasks: tuple[str, ...]
    occupancy: dict[str, int]

    def most_units(self, lines: Lines) -> Ints:
        """The most repetitions of each task that can run at once in a step, (S, tasks)."""
        outer, inner = lines.outer.chains[lines.pairs[:, 0]], lines.inner.chains[lines.pairs[:, 1]]
        factor = np.array([self.counts.chain_factors(task)[0] for task in self.counts.parts.group.tasks])
        order = [self.counts.parts.group.tasks.index(task) for task in self.tasks]
        most: Ints = (outer * inner * factor)[:, order]
        return most

    def legal(self, lines: Lines, units: Ints) -> NDArray[np.bool_]:
        """Whether so many units (U, tasks) can work at once in some step, (S, U); any number suits what never runs."""
        most = self.most_units(lines)[:, None, :]
        return np.asarray(((units[None, :, :] <= most) | (most == 0)).all(axis=2))

    def cycles(self, parts: Iterable[StepKinds], structures: int, units: Ints) -> Ints:
        """The sum of all steps' lengths, (S, U)."""
        found = np.zeros((structures, len(units)), np.int64)
        for part in parts:
            found[part.chosen] = self._sums(part, units)
        return found

    def port(self, kinds: StepKinds) -> PortCycles:
        """The port's cycles in each kind of step, (S, K)."""
        port = Port(self.counts.parts.group.accesses, self.platform)
        sides = [np.zeros(kinds.times.shape, np.int64) for _ in range(2)]
        for number, one in enumerate(self.counts.counted):
            if one.kind != "task":
                sides[one.kind == "store"] += port.burst_cycles(one.name, kinds.happens[:, :, number])
        return PortCycles(sides[0], sides[1], self.platform.memory.port == "shared")

    def cycles_of_each(self, parts: Iterable[StepKinds], units: Ints) -> Ints:
        """The sum of all steps' lengths (S,) of structures with units (S, tasks), of each its own."""
        found = np.zeros(len(units), np.int64)
        for part in parts:
            found[part.chosen] = self._summed(part, self._lengths(part, units))
        return found

    def least(self, parts: Iterable[StepKinds], most: Ints) -> tuple[Ints, Ints]:
        """The cycles (S,) with units `most` (S, tasks), and the fewest units (S, tasks) that take no more.

        No step is longer with more units. So their sum is the same as with the most units only if each step is as long
        as with those, L cycles; and it is if every processor takes L at most. One that runs n repetitions in the step,
        of o cycles and l more until the results are there, does so with u units if ceil(n / u) o + l <= L, which is
        u >= n / floor((L - l) / o); its chains of delays take as long with any units. That bounds each task's units by
        themselves: whatever the others have, it needs the largest of these bounds over the steps.
        """
        cycles, fewest = np.zeros(len(most), np.int64), np.ones_like(most)
        for part in parts:
            length = self._lengths(part, most)
            cycles[part.chosen] = self._summed(part, length)
            for place, task in enumerate(self.tasks):
                rounds = np.maximum((length - self._latency(task)) // self.occupancy[task], 1)
                needed = -(-self._number(part, task) // rounds)
                fewest[part.chosen, place] = np.maximum(needed.max(axis=1), 1)
        return cycles, fewest

    def busy(self, kinds: StepKinds, task: str, units: int | Ints) -> Ints:
        """Cycles that a processor computes in each kind of step (S, K), with so many units or with (S, 1) of them."""
        place = self.counts.parts.group.tasks.index(task)
        number = self._number(kinds, task)
        longest = kinds.longest[:, :, place] * self.counts.chain_factors(task)[1]
        rounds = np.maximum(-(-number // units), longest) * self.occupancy[task]
        return np.where(number > 0, rounds + self._latency(task), 0)

    def _number(self, kinds: StepKinds, task: str) -> Ints:
        """Repetitions of a task in each kind of step, (S, K)."""
        counted = [(one.kind, one.name) for one in self.counts.counted]
        return kinds.happens[:, :, counted.index(("task", task))]

    def _latency(self, task: str) -> int:
        process = self.counts.parts.group.network.processes[task]
        return self.platform.datapath(process.elementary).latency

    def _lengths(self, kinds: StepKinds, units: Ints) -> Ints:
        """How long each kind of step is (S, K) with units (all structures, tasks), of each structure its own."""
        length = self.port(kinds).cycles
        for place, task in enumerate(self.tasks):
            length = np.maximum(length, self.busy(kinds, task, units[kinds.chosen, place, None]))
        return length

    def _summed(self, kinds: StepKinds, length: Ints) -> Ints:
        found: Ints = np.einsum("sk,sk->s", length, kinds.times)
        return found

    def _sums(self, kinds: StepKinds, units: Ints) -> Ints:
        """Each combination shares with others the longest of port and first processors."""
        port = self.port(kinds).cycles
        tables = []
        for task, column in zip(self.tasks, units.T, strict=True):
            found, variant = np.unique(column, return_inverse=True)
            tables.append((np.stack([self.busy(kinds, task, number) for number in found.tolist()]), variant.ravel()))
        prefixes = _prefixes(np.stack([variant for _, variant in tables], axis=1))
        total = np.zeros((len(kinds.times), len(units)), np.int64)
        widest = max(len(parent) for parent, _, _ in prefixes) * kinds.times.shape[1]
        chunk = max(1, _CELLS // widest)
        for start in range(0, len(total), chunk):
            some = slice(start, start + chunk)
            longest = port[None, some]
            for (parent, variant, _), (table, _) in zip(prefixes, tables, strict=True):
                longest = np.maximum(longest[parent], table[variant, some])
            sums = np.einsum("usk,sk->su", longest, kinds.times[some])
            total[some] = sums[:, prefixes[-1][2]]
        return total


def _prefixes(variants: Ints) -> list[tuple[Ints, Ints, Ints]]:
    """For each column the distinct beginnings of rows up to it.

    Of each: the shorter beginning that it goes on from, and the variant added; of each row: its beginning.
    """
    found = []
    before = np.zeros(len(variants), np.int64)
    for column in variants.T:
        pairs, number = np.unique(np.stack([before, column], axis=1), axis=0, return_inverse=True)
        before = number.ravel()
        found.append((pairs[:, 0], pairs[:, 1], before))
    return found
