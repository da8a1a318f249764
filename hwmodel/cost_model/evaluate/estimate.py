"""Estimates of designs, with the breakdown of their cycles and bits, from the tables of their structures."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from arrayol.arrays import IntArray
from arrayol.errors import error
from hwmodel.cost_model.costs import design_costs, with_memories
from hwmodel.cost_model.energy import energy_uses, with_residents
from hwmodel.cost_model.estimate import (
    LOADS,
    STORES,
    EnergyUse,
    GroupEstimate,
    MemoryUse,
    ProcessorTime,
    internal_memory,
    memory_use,
)
from hwmodel.cost_model.evaluate.additive import additive_figures, port_bits
from hwmodel.cost_model.evaluate.times import columns_of, cycles_of_each
from hwmodel.cost_model.group.access_counts import Counts
from hwmodel.cost_model.issue.datapaths import Datapaths
from hwmodel.cost_model.memories.organised import with_organisation
from hwmodel.cost_model.memory_port.port import PortCycles
from hwmodel.cost_model.tables.group_tables import GroupTables
from hwmodel.cost_model.tables.memories import MemoryRow, Sized, TaskMemory
from hwmodel.cost_model.tables.steps import StepTable
from hwmodel.cost_model.together import PORT, SERVICE
from hwmodel.design import interval_of, units_of
from hwmodel.memory_kinds import KindName

Rates = Mapping[str, int]  # by task

# Cycles by cause: what ends each step, and what a processor waits for (docs/machine.md, section 9).


def step_ends(
    port: PortCycles, busy: Mapping[str, IntArray], latencies: Mapping[str, int]
) -> tuple[IntArray, IntArray]:
    """The length of each step, and its end: 0 for its loads, 1 for its stores, 2 + k for the k-th processor.

    If several end a step together, the port comes first, then the processors in dataflow order. Loads of single
    buffers wait until the tasks of `latencies` have left.
    """
    of_port = port.cycles
    processors = np.stack([*busy.values()])
    longest = processors.max(axis=0)
    left = np.zeros_like(of_port)
    for task, latency in latencies.items():
        left = np.maximum(left, busy[task] - latency)
    held = np.where(port.late > 0, left + port.late, 0)
    port_ends = np.maximum(of_port, held) >= longest
    side = ((port.stores > port.loads) & (held <= of_port)).astype(np.int64)
    length = np.maximum(np.maximum(of_port, held), longest)
    return length, np.where(port_ends, side, 2 + processors.argmax(axis=0))


def latencies_of(paths: Datapaths, tasks: Collection[str], rates: Rates) -> dict[str, int]:
    """The latencies of some tasks at their rates."""
    return {task: paths.at(task, interval_of(rates[task])).latency for task in tasks}


def _cycles_by_end(length: IntArray, end: IntArray, tasks: Sequence[str]) -> dict[str, int]:
    """The cycles of the steps that each resource ends, without resources that end none."""
    names = (LOADS, STORES, *tasks)
    by_end = {name: int(length[end == number].sum()) for number, name in enumerate(names)}
    return {name: cycles for name, cycles in by_end.items() if cycles}


def _processor_times(
    length: IntArray, end: IntArray, busy: Mapping[str, IntArray], paths: Datapaths, rates: Rates
) -> tuple[ProcessorTime, ...]:
    """The computing and waiting cycles of each processor."""
    times = []
    for task, cycles in busy.items():
        waiting = length - cycles
        causes = (waiting[end == 0], waiting[end == 1], waiting[end > 1])
        units, interval = units_of(rates[task]), paths.at(task, interval_of(rates[task])).interval
        waits = (int(cause.sum()) for cause in causes)
        times.append(ProcessorTime(task, units, interval, paths.fill(task, rates[task]), int(cycles.sum()), *waits))
    return tuple(times)


@dataclass(frozen=True, eq=False)
class _Steps:
    """The kinds of steps of one structure at its rates: occurrences, and cycles of port and processors, (K,) each."""

    times: IntArray
    port: PortCycles
    busy: Mapping[str, IntArray]

    @property
    def of_port(self) -> dict[str, int]:
        """The cycles in which the port serves a frame, and the most of a step."""
        busy = self.port.busy
        return {PORT: int(busy @ self.times), SERVICE: int(busy.max(initial=0, where=self.times > 0))}

    @staticmethod
    def of_each(steps: StepTable, tasks: Sequence[str], rates: IntArray) -> list[_Steps]:
        """The steps of structures with rates (S, tasks), one row for each; processors in the order of `tasks`."""
        found: dict[int, _Steps] = {}
        for part in steps.parts(cyclic=False):
            busy = dict[str, IntArray]()
            for work in part.works:
                cycles = work.at(rates[part.rows[:, None], columns_of(steps.tasks, work.tasks)]).cycles
                busy |= dict(zip(work.tasks, cycles, strict=True))
            for row, structure in enumerate(part.rows.tolist()):
                task_busy = {task: busy[task][row] for task in tasks}
                found[structure] = _Steps(part.times[row], part.port.of_structure(row), task_busy)
        return [found[structure] for structure in range(len(rates))]


def estimates(tables: GroupTables, rates: Sequence[Rates]) -> list[GroupEstimate]:
    """The estimates of designs, one for each structure, at rates by task.

    Raises ArrayolError for choices that docs/machine.md, section 6, refuses.
    """
    for row, own in enumerate(rates):
        require_legal_rates(tables, row, own)
    table = np.array([[own[task] for task in tables.steps.tasks] for own in rates], np.int64)
    every = _Estimates(tables, table)
    return [every.estimate(row, own) for row, own in enumerate(rates)]


def require_legal_rates(tables: GroupTables, row: int, rates: Rates) -> None:
    """Raises ArrayolError if rates of a structure are not on offer, have too many units, or break a FIFO's order."""
    for task, rate in rates.items():
        tables.steps.paths.at(task, interval_of(rate))  # refused before units are
    most = dict(zip(tables.steps.tasks, tables.steps.longest[row].tolist(), strict=True))
    require_units({task: most[task] for task in tables.group.tasks}, rates)
    tables.steps.require_order(rates)


def require_units(most: Mapping[str, int], rates: Rates) -> None:
    """Raises ArrayolError (`too-many-units`) for a processor with more units than can ever work at once.

    `most` is the longest line of each task; 0 for a task that never runs, for which any number of units is accepted.
    """
    for task, number in most.items():
        units = units_of(rates[task])
        if units < 1:
            raise ValueError(f"'{task}' has {units} units")
        if units > number > 0:
            raise error(
                "too-many-units",
                f"processor '{task}' has {units} units, but never more than {number} of its repetitions can run "
                "at once",
                hint=f"give it at most {number}, or larger blocks",
            )


@dataclass(frozen=True, eq=False)
class _Estimates:
    """Designs with rates (S, tasks), one for each structure of the tables."""

    tables: GroupTables
    rates: IntArray
    _accesses: dict[tuple[KindName, str], tuple[IntArray, IntArray]] = field(default_factory=dict, repr=False)

    @cached_property
    def steps(self) -> Sequence[_Steps]:
        """The kinds of steps of each design in a frame."""
        return _Steps.of_each(self.tables.steps, self.tables.group.tasks, self.rates)

    @cached_property
    def count(self) -> list[int]:
        """The number of steps of each design in a frame."""
        return list(self.tables.steps.count.tolist())

    @cached_property
    def frame_cycles(self) -> list[int]:
        """Cycles from one frame to the next of each design, if frames follow each other without pause."""
        return list(cycles_of_each(self.tables.steps, self.rates, cyclic=True).tolist())

    @cached_property
    def additive(self) -> dict[str, list[int]]:
        """The figures that add up over groups but for those of the port, for all structures."""
        figures = additive_figures(self.tables, self.rates[:, None])
        return {name: figure()[:, 0].tolist() for name, figure in figures.items() if name not in (PORT, SERVICE)}

    @cached_property
    def port_bits(self) -> dict[str, IntArray]:
        """Bits of the words that the port moves, by array, (S,)."""
        return port_bits(self.tables)

    def estimate(self, row: int, rates: Rates) -> GroupEstimate:
        """The estimate of one of the designs."""
        tables, paths, steps = self.tables, self.tables.steps.paths, self.steps[row]
        length, end = step_ends(steps.port, steps.busy, latencies_of(paths, tables.steps.readers, rates))
        busy = {task: cycles * steps.times for task, cycles in steps.busy.items()}
        memories = memories_of(tables, row, rates)
        data, bits = internal_memory(memories)
        return GroupEstimate(
            tasks=tables.group.tasks,
            latency_cycles=int(length @ steps.times),
            internal_memory_elements=data,
            internal_memory_bits=bits,
            additive={name: figures[row] for name, figures in self.additive.items()} | steps.of_port,
            units=sum(units_of(rate) for rate in rates.values()),
            memory_blocks=sum(memory.blocks or 0 for memory in memories) if tables.platform.counts_blocks else None,
            costs=with_memories(design_costs(tables.group.accesses, paths, rates), memories),
            frame_cycles=self.frame_cycles[row],
            processors=_processor_times(length * steps.times, end, busy, paths, rates),
            memories=memories,
            ends=_cycles_by_end(length * steps.times, end, tables.group.tasks),
            steps=self.count[row],
            evaluator=tables.evaluator,
            energy=self._energy(row, rates, memories),
        )

    def _energy(self, row: int, rates: Rates, memories: Sequence[MemoryUse]) -> tuple[EnergyUse, ...] | None:
        tables, prices = self.tables, self.tables.prices
        if prices is None:
            return None

        def at(values: IntArray) -> int:
            return int(values[row if len(values) > 1 else 0])

        every = with_residents(tables.group.accesses, tables.platform, tables.group.tasks, memories)
        counts = Counts()
        for use in every:
            reads, writes = self._accesses_of(use)
            counts[use.kind, use.name, False], counts[use.kind, use.name, True] = at(reads), at(writes)
        paths, runs = tables.steps.paths, tables.accesses.runs
        datapaths = {task: (at(runs[task]), paths.at(task, interval_of(rate))) for task, rate in rates.items()}
        bits = {name: int(port_bits[row]) for name, port_bits in self.port_bits.items()}
        return energy_uses(prices, datapaths, counts, every, bits)

    def _accesses_of(self, use: MemoryUse) -> tuple[IntArray, IntArray]:
        """Data read and written, (S,) or (1,), counted once for all structures."""
        key = use.kind, use.name
        if key not in self._accesses:
            self._accesses[key] = self.tables.accesses.of_memory(*key)
        return self._accesses[key]


# Memories of one structure at rates, with what they are built of.


def memories_of(tables: GroupTables, row: int, rates: Rates) -> tuple[MemoryUse, ...]:
    """The memories of a structure at rates by task: buffers, states, FIFOs by name, and those of tasks."""
    platform, builder, buffers = tables.platform, tables.builder, tables.buffers
    # Those of all structures are asked for: they take hardly longer together than of one.
    live, words = (own(tables.rows)[row].tolist() for own in (buffers.live, buffers.addressed))
    memories: list[MemoryRow] = [*buffers.memories]
    for fifo in sorted(tables.fifos, key=lambda fifo: fifo.name):
        data = fifo.data(tuple(rates[task] for task in fifo.tasks)) or 0
        memories, live, words = [*memories, fifo], [*live, data], [*words, data]
    at = tables.steps.paths.at_rates(rates)
    if builder is not None:
        of_tasks = [own for own in TaskMemory.all_of(builder) if own.is_needed(builder, at)]
        nothing = [0] * len(of_tasks)
        memories, live, words = [*memories, *of_tasks], [*live, *nothing], [*words, *nothing]
    uses = [
        memory_use(platform, (own.kind.name, own.name, own.bits), alive, own.banks, addressed)
        for own, alive, addressed in zip(memories, live, words, strict=True)
    ]
    if builder is None:
        return tuple(uses)
    return tuple(
        with_organisation(use, own.organisation(builder, at, Sized(use.addressed, buffers, number, tables.rows, row)))
        for number, (own, use) in enumerate(zip(memories, uses, strict=True))
    )
