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
from hwmodel.machine.group_plan import GroupPlan, KindsOfSteps
from hwmodel.machine.memories import fifo_memories, kept_memories, organised_memories
from hwmodel.machine.plan import plan_group
from hwmodel.machine.port import PortCycles
from hwmodel.machine.priced import require_units
from hwmodel.machine.schedule.datapaths import Datapaths
from hwmodel.machine.schedule.processors import Pipeline
from hwmodel.machine.units_exact import PlannedStructure
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


def estimate_planned(planned: PlannedStructure, design: GroupDesign) -> GroupEstimate:
    """The estimate of a design of a planned structure.

    Raises ArrayolError for what docs/machine.md, section 6, refuses.
    """
    plan, rates = planned.plan, _rates(design)
    pipelines, fifos = _scheduled(plan.processors, rates)
    times, port, busy = _in_steps(plan, pipelines, folded=False)
    length, end = step_ends(port, busy)
    paths, accesses, platform = plan.processors.paths, plan.group.accesses, plan.platform
    memories = organised_memories(plan.builder, (*planned.kept, *fifos), plan.depth, rates_at(paths, rates))
    data, bits = internal_memory(memories)
    all_cycles = {task: cycles * times for task, cycles in busy.items()}
    return GroupEstimate(
        tasks=plan.group.tasks,
        latency_cycles=int(length @ times),
        internal_memory_data=data,
        internal_memory_bits=bits,
        traffic_bytes=plan.traffic_bytes,
        port_bytes=plan.port_bytes,
        units=sum(units_of(rate) for rate in rates.values()),
        memory_blocks=sum(memory.blocks or 0 for memory in memories) if platform.counts_blocks else None,
        costs=with_memories(design_costs(accesses, paths, rates), memories),
        frame_cycles=_frame_cycles(plan, pipelines),
        processors=processor_times(length * times, end, all_cycles, paths, rates),
        memories=memories,
        ends=cycles_by_end(length * times, end, plan.group.tasks),
        steps=plan.steps,
        path=plan.path,
        energy=_energy(plan, rates, memories),
    )


def _energy(plan: GroupPlan, rates: Mapping[str, int], memories: Sequence[MemoryUse]) -> tuple[EnergyUse, ...] | None:
    prices = energy_prices(plan.platform, plan.group.network)
    if prices is None:
        return None
    every = with_residents(plan.group.accesses, plan.platform, plan.group.tasks, memories)
    paths = {task: plan.processors.paths.at(task, interval_of(rate)) for task, rate in rates.items()}
    return PlanEnergy.of(plan, prices).uses(paths, every)


def memories_in_succession(accesses: Accesses, platform: Platform, design: GroupDesign) -> tuple[MemoryUse, ...]:
    """The memories of a group, as they are built, where frames follow each other (docs/machine.md, section 8)."""
    plan, rates = plan_group(accesses, platform, design), _rates(design)
    _, fifos = _scheduled(plan.processors, rates)
    kept = (*kept_memories(plan, in_succession=True), *fifos)
    contents = {array: buffer.contents.in_succession for array, buffer in plan.buffers.items()}

    def depth(array: str, function: BankFunction) -> int:
        return contents[array].depth(function)

    return organised_memories(plan.builder, kept, depth, rates_at(plan.processors.paths, rates))


def step_cycles(accesses: Accesses, platform: Platform, design: GroupDesign) -> tuple[int, ...]:
    """The length of every step of a group in cycles, in order."""
    plan = plan_group(accesses, platform, design)
    processors, busy = plan.processors, dict[str, Elements]()
    for pipeline, own in _scheduled(processors, _rates(design))[0].items():
        equal, _ = processors.in_equal_steps(pipeline)
        busy |= {task: cycles[equal.of] for task, cycles in own.items()}
    return tuple(step_ends(plan.port, {task: busy[task] for task in plan.group.tasks})[0].tolist())


def _rates(design: GroupDesign) -> dict[str, int]:
    return {processor.task: processor.rate for processor in design.processors}


_Scheduled = dict[Pipeline, dict[str, Elements]]  # by task the cycles of each kind of step


def _scheduled(processors: KindsOfSteps, rates: Mapping[str, int]) -> tuple[_Scheduled, list[MemoryUse]]:
    """What each pipeline does in each kind of its steps, and the FIFOs by name.

    Raises ArrayolError for what is refused at these rates.
    """
    busy, fifos = _Scheduled(), list[MemoryUse]()
    for task, rate in rates.items():
        processors.paths.at(task, interval_of(rate))  # refused before units are
    require_units(processors.most, rates)
    for pipeline in processors.pipelines:
        one_of_each = processors.one_of_each(pipeline)
        own = one_of_each.busy(pipeline, tuple(rates[task] for task in pipeline))
        one_of_each.require_order(own, one_of_each.fifos)
        fifos += fifo_memories(one_of_each, own, one_of_each.fifos)
        busy[pipeline] = {task: of_task.cycles for task, of_task in own.items()}
    return busy, sorted(fifos, key=lambda use: use.name)


def _in_steps(
    plan: GroupPlan, pipelines: _Scheduled, *, folded: bool
) -> tuple[Elements, PortCycles, dict[str, Elements]]:
    """Of each kind of step how often it occurs, the port, and each processor in dataflow order."""
    kinds, busy = plan.step_kinds(tuple(pipelines), folded=folded), dict[str, Elements]()
    for own, kind in zip(pipelines.values(), kinds.pipelines, strict=True):
        busy |= {task: cycles[kind] for task, cycles in own.items()}
    return kinds.times, kinds.port, {task: busy[task] for task in plan.group.tasks}


def _frame_cycles(plan: GroupPlan, pipelines: _Scheduled) -> int:
    times, port, busy = _in_steps(plan, pipelines, folded=True)
    return int(step_ends(port, busy)[0] @ times)
