"""Cycles of the structures of a separable group under combinations of units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hwmodel.machine.port import Port, PortCycles
from hwmodel.machine.separable.ledger import Ledger
from hwmodel.machine.separable.lines import Lines
from hwmodel.machine.separable.links import Ints
from hwmodel.machine.separable.steps import StepKinds
from hwmodel.platform import Platform

_CELLS = 1 << 21  # of intermediate arrays at a time


@dataclass(frozen=True, eq=False)
class Timing:
    """How long steps are; columns of units stand for `tasks`, `occupancy` is that of a repetition in cycles."""

    ledger: Ledger
    platform: Platform
    tasks: tuple[str, ...]
    occupancy: dict[str, int]

    def most_units(self, lines: Lines) -> Ints:
        """The most repetitions of each task that can run at once in a step, (S, tasks)."""
        outer, inner = lines.outer.chains[lines.pairs[:, 0]], lines.inner.chains[lines.pairs[:, 1]]
        factor = np.array([self.ledger.chain_factors(task)[0] for task in self.ledger.parts.group.tasks])
        order = [self.ledger.parts.group.tasks.index(task) for task in self.tasks]
        most: Ints = (outer * inner * factor)[:, order]
        return most

    def legal(self, lines: Lines, units: Ints) -> NDArray[np.bool_]:
        """Whether so many units (U, tasks) can work at once in some step, (S, U); any number suits what never runs."""
        most = self.most_units(lines)[:, None, :]
        return np.asarray(((units[None, :, :] <= most) | (most == 0)).all(axis=2))

    def cycles(self, parts: Sequence[StepKinds], structures: int, units: Ints) -> Ints:
        """The sum of all steps' lengths, (S, U)."""
        found = np.zeros((structures, len(units)), np.int64)
        for part in parts:
            found[part.chosen] = self._sums(part, units)
        return found

    def port(self, kinds: StepKinds) -> PortCycles:
        """The port's cycles in each kind of step, (S, K)."""
        port = Port(self.ledger.parts.group.accesses, self.platform)
        sides = [np.zeros(kinds.times.shape, np.int64) for _ in range(2)]
        for number, one in enumerate(self.ledger.counted):
            if one.kind != "task":
                sides[one.kind == "store"] += port.burst_cycles(one.name, kinds.happens[:, :, number])
        return PortCycles(sides[0], sides[1], self.platform.memory.port == "shared")

    def busy(self, kinds: StepKinds, task: str, units: int) -> Ints:
        """Cycles that a processor with so many units computes in each kind of step, (S, K)."""
        place = self.ledger.parts.group.tasks.index(task)
        counted = [number for number, one in enumerate(self.ledger.counted) if one.kind == "task"][place]
        process = self.ledger.parts.group.network.processes[task]
        number = kinds.happens[:, :, counted]
        longest = kinds.longest[:, :, place] * self.ledger.chain_factors(task)[1]
        rounds = np.maximum(-(-number // units), longest) * self.occupancy[task]
        return np.where(number > 0, rounds + self.platform.datapath(process.elementary).latency, 0)

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
