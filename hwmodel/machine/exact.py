"""The exact path: a group's estimate from every repetition and element of it, as array work.

It follows the contract word for word: every run of a task with its tick and step, every element with the steps that
bring and last use it (`plan`). So it takes every design, and is what the separable path is tested against. Its cost
grows with the size of the arrays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from hwmodel.accesses import Accesses
from hwmodel.design import GroupDesign, interval_of, units_of
from hwmodel.local_memory.bank_functions import BankFunction
from hwmodel.machine.built.figures import rates_at
from hwmodel.machine.costs import design_costs, with_memories
from hwmodel.machine.energy import PlanEnergy, energy_prices, with_residents
from hwmodel.machine.estimate import LOADS, STORES, EnergyUse, GroupEstimate, MemoryUse, ProcessorTime, internal_memory
from hwmodel.machine.group import Elements
from hwmodel.machine.memories import fifo_memories, kept_memories, organised_memories
from hwmodel.machine.plan import Plan, plan_group
from hwmodel.machine.port import PortCycles
from hwmodel.machine.priced import require_units
from hwmodel.machine.schedule.datapaths import Datapaths
from hwmodel.machine.schedule.processors import Busy
from hwmodel.platform import Platform

# Cycles by cause: what ends each step, and what a processor waits for (docs/machine.md, section 9).


def step_ends(port: PortCycles, busy: Mapping[str, Elements]) -> tuple[Elements, Elements]:
    """Each step's length, and what ends it: 0 its loads, 1 its stores, 2 + k the k-th processor.

    Of several that end it together the port comes first, then the processors in dataflow order.
    """
    of_port = port.cycles
    processors = np.stack([*busy.values()])
    longest = processors.max(axis=0)
    port_ends = of_port >= longest
    side = (port.stores > port.loads).astype(np.int64)
    return np.maximum(of_port, longest), np.where(port_ends, side, 2 + processors.argmax(axis=0))


def cycles_by_end(length: Elements, end: Elements, tasks: Sequence[str]) -> dict[str, int]:
    """The cycles of the steps that each resource ends, those that end none left out."""
    names = (LOADS, STORES, *tasks)
    by_end = {name: int(length[end == number].sum()) for number, name in enumerate(names)}
    return {name: cycles for name, cycles in by_end.items() if cycles}


def processor_times(
    length: Elements, end: Elements, busy: Mapping[str, Elements], paths: Datapaths, rates: Mapping[str, int]
) -> tuple[ProcessorTime, ...]:
    """How each processor spends the steps."""
    times = []
    for task, cycles in busy.items():
        waiting = length - cycles
        causes = (waiting[end == 0], waiting[end == 1], waiting[end > 1])
        units, interval = units_of(rates[task]), paths.at(task, interval_of(rates[task])).interval
        waits = (int(cause.sum()) for cause in causes)
        times.append(ProcessorTime(task, units, interval, paths.fill(task, rates[task]), int(cycles.sum()), *waits))
    return tuple(times)


def estimate_exactly(
    accesses: Accesses, platform: Platform, design: GroupDesign, plan: Plan | None = None
) -> GroupEstimate:
    """The estimate of any group, with the plan of its structure where that is known.

    Raises ArrayolError for what docs/machine.md, section 6, refuses.
    """
    plan = plan or plan_group(accesses, platform, design)
    rates = {processor.task: processor.rate for processor in design.processors}
    busy = _timed(plan, rates)
    cycles = {task: busy_of.cycles for task, busy_of in busy.items()}
    length, end = step_ends(plan.port, cycles)
    fifos = fifo_memories(plan, busy, plan.fifos)
    paths = plan.processors.paths
    kept = (*kept_memories(plan), *fifos)
    memories = organised_memories(plan.builder, kept, plan.depth, rates_at(paths, rates))
    data, bits = internal_memory(memories)
    return GroupEstimate(
        tasks=plan.group.tasks,
        latency_cycles=int(length.sum()),
        internal_memory_data=data,
        internal_memory_bits=bits,
        traffic_bytes=plan.traffic_bytes,
        port_bytes=plan.port_bytes,
        units=sum(units_of(rate) for rate in rates.values()),
        memory_blocks=sum(memory.blocks or 0 for memory in memories) if platform.counts_blocks else None,
        costs=with_memories(design_costs(accesses, paths, rates), memories),
        frame_cycles=_frame_cycles(plan, cycles),
        processors=processor_times(length, end, cycles, plan.processors.paths, rates),
        memories=memories,
        ends=cycles_by_end(length, end, plan.group.tasks),
        steps=plan.steps,
        path="exact",
        energy=_energy(plan, busy, memories),
    )


def _energy(plan: Plan, busy: Mapping[str, Busy], memories: Sequence[MemoryUse]) -> tuple[EnergyUse, ...] | None:
    prices = energy_prices(plan.platform, plan.group.network)
    if prices is None:
        return None
    every = with_residents(plan.group.accesses, plan.platform, plan.group.tasks, memories)
    return PlanEnergy.of(plan, prices).uses({task: of_task.path for task, of_task in busy.items()}, every)


def memories_in_succession(accesses: Accesses, platform: Platform, design: GroupDesign) -> tuple[MemoryUse, ...]:
    """The memories of a group, as they are built, where frames follow each other (docs/machine.md, section 8)."""
    plan, rates = plan_group(accesses, platform, design), {one.task: one.rate for one in design.processors}
    kept = (*kept_memories(plan, in_succession=True), *fifo_memories(plan, _timed(plan, rates), plan.fifos))
    contents = {array: buffer.contents.in_succession for array, buffer in plan.buffers.items()}

    def depth(array: str, function: BankFunction) -> int:
        return contents[array].depth(function)

    return organised_memories(plan.builder, kept, depth, rates_at(plan.processors.paths, rates))


def step_cycles(accesses: Accesses, platform: Platform, design: GroupDesign) -> tuple[int, ...]:
    """The length of every step of a group in cycles, in order."""
    plan = plan_group(accesses, platform, design)
    busy = _timed(plan, {processor.task: processor.rate for processor in design.processors})
    length, _ = step_ends(plan.port, {task: busy_of.cycles for task, busy_of in busy.items()})
    return tuple(length.tolist())


def _timed(plan: Plan, rates: Mapping[str, int]) -> dict[str, Busy]:
    """What each processor does. Raises ArrayolError for what is refused at these rates."""
    for task, rate in rates.items():
        plan.processors.paths.at(task, interval_of(rate))  # refused before units are
    require_units(plan.processors.most, rates)
    busy = plan.processors.all_busy(rates)
    plan.require_order(busy, tuple(plan.fifos))
    return busy


def _frame_cycles(plan: Plan, cycles: Mapping[str, Elements]) -> int:
    folded = {task: plan.folded(by_step) for task, by_step in cycles.items()}
    return int(step_ends(plan.folded_port, folded)[0].sum())
