"""Energies of structures of a separable group: repetitions, accesses and words by counts.

Which repetitions run does not depend on blocks, nor what they read and write, so nearly all accesses of a group are one
number for each memory; but for tasks that recompute, which run an index as often as it has places. Blocks decide how
often data are loaded, how large memories are, and with that what an access takes; the port moves whole words, so its
bits are summed over the kinds of steps (see `timing`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from hwmodel.accesses import Accesses
from hwmodel.design import interval_of
from hwmodel.machine.access_counts import Counts, accesses_of_products
from hwmodel.machine.energy import (
    EnergyPrices,
    energy_uses,
    repetition_fj,
    with_residents,
)
from hwmodel.machine.estimate import EnergyUse, MemoryKind, MemoryUse
from hwmodel.machine.int64 import require_energy
from hwmodel.machine.port import Port
from hwmodel.machine.schedule.datapaths import Datapaths
from hwmodel.machine.separable.axes import Ints
from hwmodel.machine.separable.block_order import Structures
from hwmodel.machine.separable.built import AccessesOf
from hwmodel.machine.separable.counts import GroupCounts
from hwmodel.machine.separable.runs import runs_of_kinds
from hwmodel.machine.separable.timing import step_kinds

EnergyOf = Callable[[int, Sequence[MemoryUse], Mapping[str, int]], tuple[EnergyUse, ...]]


def moved_data(counts: GroupCounts, structures: Structures) -> Ints:
    """What is counted (S, Q), in the order of `counts.counted`, over all steps."""
    rows, columns = (order.steps.totals()[:, : len(counts.factor)] for order in (structures.outer, structures.inner))
    moved: Ints = rows[structures.pairs[:, 0]] * columns[structures.pairs[:, 1]] * counts.factor
    return moved


def task_runs(counts: GroupCounts, structures: Structures) -> dict[str, Ints]:
    """How often each task runs, (1,) or (S,)."""
    tasks = counts.parts.group.tasks
    runs = {task: np.array([counts.repetitions(task)]) for task in tasks if task not in counts.again}
    if counts.again:
        moved = moved_data(counts, structures)
        runs |= {task: moved[:, counts.names.index(("task", task))] for task in counts.again}
    return runs


@dataclass(frozen=True, eq=False)
class LocalAccesses:
    """How often the memories of some structures are accessed, by tasks and for what is loaded and stored."""

    counts: GroupCounts
    structures: Structures

    def by_tasks(self, kind: MemoryKind, name: str, *, writes: bool) -> Ints:
        """Data that tasks read from a memory or write to it, (1,) or (S,)."""
        key = kind, name, writes
        own = np.array([self.counts.accesses[key]])
        return own + np.array([again[key] for again in self._again]) if self.counts.again else own

    def of_row(self, row: int) -> Counts:
        """All accesses in one structure."""
        found = Counts(self.counts.accesses + self._again_in(row))
        for (kind, name), data in zip(self.counts.names, self.moved[row].tolist(), strict=True):
            if kind != "task":
                found["buffer", name, kind == "load"] += data
        return found

    @cached_property
    def moved(self) -> Ints:
        """What is counted, (S, Q)."""
        return moved_data(self.counts, self.structures)

    @cached_property
    def _again(self) -> list[Counts]:
        return list(map(self._again_in, range(len(self.structures.pairs))))

    def _again_in(self, row: int) -> Counts:
        """Those by tasks that recompute: an index counts as often as it has places."""
        parts, found = self.counts.parts, Counts()
        for task in self.counts.again:
            running, factor = self.counts.running(task), 1
            for walked, pick in zip(self.structures.walked, self.structures.picks[row], strict=True):
                times, moving = walked.table.again[task][pick], parts.dimensions[task][walked.block]
                if moving is None:
                    factor *= int(times[0])
                else:
                    (dimension,) = parts.spaces.dimensions(task)[moving]
                    running[dimension] = np.repeat(running[dimension], times[running[dimension]])
            for key, number in accesses_of_products(parts.group, {task: running}, self.counts.fifos).items():
                found[key] += number * factor
        return found


def port_words(counts: GroupCounts, port: Port, structures: Structures) -> dict[str, Ints]:
    """By array the words that the port moves (S,), of the bursts or requests of each step."""
    moved = {name: np.zeros(len(structures.pairs), np.int64) for _, name in counts.bursts}
    for kinds in step_kinds(counts, structures, cyclic=False):
        for number, (burst, entries) in enumerate(counts.bursts.items()):
            data = kinds.happens[:, :, entries].sum(axis=2)
            kind, name = burst
            if port.by_run:
                runs = runs_of_kinds(counts, burst, data, kinds.runs)
                requests = port.requested(name, write=kind == "store").requests(*runs, kinds.starts[:, number])
                words = requests.number * requests.words
            else:
                words = port.words(name, data)
            moved[name][kinds.chosen] += (words * kinds.times).sum(axis=1)
    return moved


@dataclass(frozen=True)
class GroupEnergy:
    """Energies of plain structures of one group at the prices of a platform."""

    accesses: Accesses
    counts: GroupCounts
    paths: Datapaths
    prices: EnergyPrices

    def uses(self, structures: Structures) -> EnergyOf:
        """What says where the energy of one of some structures goes, with memories of some sizes and tasks at rates."""
        outside, runs = self._port_bits(structures), task_runs(self.counts, structures)
        accesses = LocalAccesses(self.counts, structures)

        def of_row(row: int, memories: Sequence[MemoryUse], rates: Mapping[str, int]) -> tuple[EnergyUse, ...]:
            counts, paths = accesses.of_row(row), self.paths
            own = {task: int(each[row if len(each) > 1 else 0]) for task, each in runs.items()}
            datapaths = {task: (own[task], paths.at(task, interval_of(rate))) for task, rate in rates.items()}
            bits = {name: int(own[row]) for name, own in outside.items()}
            every = with_residents(self.accesses, paths.platform, rates, memories)
            return energy_uses(self.prices, datapaths, counts, every, bits)

        return of_row

    def of_structures(self, structures: Structures, memory: Ints, banks: Sequence[int]) -> Ints:
        """Of memories, local and external, (S, 1), where nothing can be built.

        `memory` (S, memories) are the data of local ones, `banks` how many each has. Raises ArrayolError
        (`figure-too-large`).
        """
        terms: list[tuple[Ints, Ints]] = []
        accesses, of_tasks = self.local_accesses(structures), LocalAccesses(self.counts, structures)
        for column, (local, number) in enumerate(zip(self.counts.memories, banks, strict=True)):
            sizes, of = np.unique(-(-memory[:, column] // number) * local.bits, return_inverse=True)
            prices = np.array([self.prices.access(size, local.bits) for size in sizes.tolist()], np.int64)
            terms += [(count, prices[of.ravel()]) for count in accesses(local.kind, local.name)]
        for use in with_residents(self.accesses, self.paths.platform, self.counts.parts.group.tasks, ()):
            numbers = [of_tasks.by_tasks(use.kind, use.name, writes=writes) for writes in (False, True)]
            prices = np.array([self.prices.memory(use)[0] if any(map(np.any, numbers)) else 0])
            terms += [(number, prices) for number in numbers]
        return self.outside(structures) + _sum(terms, len(memory))[:, None]

    def local_accesses(self, structures: Structures) -> AccessesOf:
        """What says how many data are read from a memory and written to it, (1,) or (S,) each."""
        local, bursts = LocalAccesses(self.counts, structures), self.counts.bursts

        def accesses(kind: MemoryKind, name: str) -> tuple[Ints, Ints]:
            reads, writes = (local.by_tasks(kind, name, writes=own) for own in (False, True))
            if kind != "buffer":
                return reads, writes
            stored, loaded = (local.moved[:, bursts.get((way, name), [])].sum(axis=1) for way in ("store", "load"))
            return reads + stored, writes + loaded

        return accesses

    def outside(self, structures: Structures) -> Ints:
        """Of the external memory alone, (S, 1)."""
        external = np.array([self.prices.external])
        terms = [(bits, external) for bits in self._port_bits(structures).values()]
        return _sum(terms, len(structures.pairs))[:, None]

    def beside_memories(self, structures: Structures) -> tuple[dict[str, Ints], Callable[[], Ints]]:
        """How often each task runs, (1, 1) or (S, 1), and what takes the energy of the external memory."""
        runs = {task: own[:, None] for task, own in task_runs(self.counts, structures).items()}
        return runs, partial(self.outside, structures)

    def of_rates(self, structures: Structures, tasks: Sequence[str], rates: Ints) -> Ints:
        """Of the datapaths of tasks at combinations of rates (1, U, tasks) or (S, U, tasks), (1, U) or (S, U)."""
        runs, terms = task_runs(self.counts, structures), list[tuple[Ints, Ints]]()
        shape = max(len(rates), *map(len, runs.values())), rates.shape[1]
        for place, task in enumerate(tasks):
            intervals, of = np.unique(interval_of(rates[:, :, place]), return_inverse=True)
            each = np.array([sum(repetition_fj(self.paths.at(task, one))) for one in intervals.tolist()], np.int64)
            terms.append((runs[task][:, None], each[of.reshape(rates.shape[:2])]))
        return _sum(terms, shape)

    def _port_bits(self, structures: Structures) -> dict[str, Ints]:
        port = Port(self.accesses, self.paths.platform)
        words = port_words(self.counts, port, structures)
        return {name: number * port.word_bits(name) for name, number in words.items()}


def _sum(terms: Sequence[tuple[Ints, Ints]], shape: int | tuple[int, int]) -> Ints:
    """The sum of products, of a shape. Raises ArrayolError where 64 bits may not hold it."""
    require_energy(sum(float(number.max(initial=0)) * float(price.max(initial=0)) for number, price in terms))
    total = np.zeros(shape, np.int64)
    for number, price in terms:
        total += number * price
    return total
