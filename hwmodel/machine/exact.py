"""The exact path: a group's estimate from every repetition and element of it, as array work."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from arrayol.ir.model import Delay, port_named
from hwmodel.access import Accesses
from hwmodel.design import GroupDesign
from hwmodel.machine.breakdown import cycles_by_end, processor_times, step_ends
from hwmodel.machine.chains import Chains, open_intervals
from hwmodel.machine.estimate import GroupEstimate, MemoryUse, Number
from hwmodel.machine.fifo import FifoData, Starts, depth, fifo_data, require_order
from hwmodel.machine.group import Elements, Group, frames_back
from hwmodel.machine.memories import buffer_banks, memory_use
from hwmodel.machine.moves import Held, Stored, largest_live, largest_live_folded, load_array, make_array
from hwmodel.machine.occupancy import check_layouts
from hwmodel.machine.port import Port, Transfer
from hwmodel.machine.processors import Busy, Processors
from hwmodel.machine.stages import stage_group
from hwmodel.machine.ticks import tick_group
from hwmodel.platform import Platform


@dataclass(frozen=True, eq=False)
class Plan:
    """All that a group does, by step; steps count from 0, and the first that does anything need not be a load's."""

    group: Group
    design: GroupDesign
    held: tuple[Held, ...]
    transfers: tuple[Transfer, ...]
    processors: Processors
    busy: Mapping[str, Busy]
    fifos: Mapping[str, FifoData]
    steps: int
    ticks: int


def estimate_exactly(accesses: Accesses, platform: Platform, design: GroupDesign) -> GroupEstimate:
    """The estimate of any group. Raises ArrayolError for what docs/machine.md, section 6, refuses."""
    plan = plan_group(accesses, platform, design)
    port = Port(accesses, platform)
    busy = {task: found.cycles for task, found in plan.busy.items()}
    length, end = step_ends(port.by_step(plan.transfers, plan.steps), busy)
    memories = _memories(plan, platform, np.cumsum(length) - length, None)
    in_succession = _memories(plan, platform, np.cumsum(length) - length, plan.ticks)
    sizes = [memory.blocks for memory in memories if memory.blocks is not None]
    return GroupEstimate(
        tasks=plan.group.tasks,
        latency_cycles=int(length.sum()),
        internal_memory_data=sum(memory.data for memory in memories),
        internal_memory_bits=sum(memory.bits for memory in memories),
        traffic_bytes=sum(len(moved.element) * port.element_bytes(moved.array) for moved in plan.transfers),
        units=sum(processor.units for processor in design.processors),
        memory_blocks=sum(sizes) if platform.local.block_bits is not None else None,
        costs=unit_costs(accesses, platform, design),
        frame_cycles=_frame_cycles(plan, port, busy),
        frame_memory_data=sum(memory.data for memory in in_succession),
        frame_memory_bits=sum(memory.bits for memory in in_succession),
        processors=processor_times(length, end, busy, {one.task: one.units for one in design.processors}),
        memories=memories,
        ends=cycles_by_end(length, end, plan.group.tasks),
        steps=plan.steps,
        path="exact",
    )


def step_cycles(accesses: Accesses, platform: Platform, design: GroupDesign) -> tuple[int, ...]:
    """The length of every step of a group, in order."""
    plan = plan_group(accesses, platform, design)
    port = Port(accesses, platform).by_step(plan.transfers, plan.steps)
    length, _ = step_ends(port, {task: found.cycles for task, found in plan.busy.items()})
    return tuple(length.tolist())


def plan_group(accesses: Accesses, platform: Platform, design: GroupDesign) -> Plan:
    """What a group does in each step. Raises ArrayolError for what is refused."""
    group = Group(accesses, design.tasks)
    check_layouts(group, design, platform)
    ticks = tick_group(group, design)
    stages = stage_group(group, design)
    fifos = {array: fifo_data(group, ticks, array) for array in sorted(design.fifos)}
    loads = [load_array(group, design, ticks, stages, array) for array in group.loaded]
    made = [make_array(group, ticks, stages, array) for array in group.made]
    held = [*loads, *(found for found, _ in made)]
    stores = [stored for _, stored in made if len(stored.element)]
    work_steps = {task: work.tick + stages.task[task] for task, work in ticks.work.items()}
    everything = [*(found.born for found in held), *(found.step for found in stores), *work_steps.values()]
    first = min(int(found.min()) for found in everything if len(found))
    final = max(int(found.max()) for found in everything if len(found))
    work_steps = {task: found - first for task, found in work_steps.items()}
    processors = Processors(group, design, platform, ticks.work, work_steps)
    busy = processors.busy(fifos, final - first + 1)
    for data in fifos.values():
        require_order(group, data, _starts(processors, busy, data.source), _starts(processors, busy, data.target))
    return Plan(
        group,
        design,
        tuple(replace(found, born=found.born - first, last=found.last - first) for found in held),
        _transfers(loads, stores, first),
        processors,
        busy,
        fifos,
        final - first + 1,
        len(ticks.block),
    )


def unit_costs(accesses: Accesses, platform: Platform, design: GroupDesign) -> dict[str, Number]:
    """Costs by name, summed over the units of a group."""
    costs: dict[str, Number] = {}
    for processor in design.processors:
        elementary = accesses.network.processes[processor.task].elementary
        for name, amount in platform.datapath(elementary).cost.items():
            costs[name] = costs.get(name, 0) + amount * processor.units
    return costs


def _transfers(loads: Sequence[Held], stores: Sequence[Stored], first: int) -> tuple[Transfer, ...]:
    return (
        *(Transfer(found.array, found.element, found.born - first, write=False) for found in loads),
        *(Transfer(found.array, found.element, found.step - first, write=True) for found in stores),
    )


def _frame_cycles(plan: Plan, port: Port, busy: Mapping[str, Elements]) -> int:
    """The steps folded modulo the number of ticks: each load, task and store has one tick in each folded step."""
    folded = [replace(moved, step=moved.step % plan.ticks) for moved in plan.transfers]
    place = np.arange(plan.steps) % plan.ticks
    cycles = {}
    for task, found in busy.items():
        cycles[task] = np.zeros(plan.ticks, np.int64)
        np.add.at(cycles[task], place, found)
    return int(step_ends(port.by_step(folded, plan.ticks), cycles)[0].sum())


def _memories(plan: Plan, platform: Platform, began: Elements, period: int | None) -> tuple[MemoryUse, ...]:
    """Buffers, FIFOs and delay states; with a period, those of frames that follow one another after so many steps."""
    arrays = plan.group.network.arrays
    found = []
    for held in plan.held:
        if held.array not in plan.design.fifos:
            banks = buffer_banks(plan.group, plan.design, held.array)
            size = _live(held.born, held.last, period)
            found.append(memory_use(platform, "buffer", held.array, size, arrays[held.array].type.bits, banks))
    found += [
        memory_use(platform, "fifo", data.array, _depth(plan, data, began), arrays[data.array].type.bits)
        for data in plan.fifos.values()
    ]
    for task in plan.group.tasks:
        found += _states(plan, platform, task, period)
    return tuple(found)


def _live(born: Elements, last: Elements, period: int | None) -> int:
    return largest_live(born, last) if period is None else largest_live_folded(born, last, period)


def _depth(plan: Plan, data: FifoData, began: Elements) -> int:
    """A datum counts from the last cycle of its making to the cycle of its read."""
    source = plan.processors.stages[data.source]
    lag = data.lag(source.occupancy, source.datapath.latency)
    starts = _starts(plan.processors, plan.busy, data.source), _starts(plan.processors, plan.busy, data.target)
    cycle = [began[found.step] + found.cycle for found in starts]
    return depth(cycle[0][data.writer] + lag - 1, cycle[1][data.reader])


def _starts(processors: Processors, busy: Mapping[str, Busy], task: str) -> Starts:
    stage, start = processors.stages[task], busy[task].start
    return Starts(stage.step, start if start is not None else np.zeros(0, np.int64), stage.rank, stage.work.repetition)


def _states(plan: Plan, platform: Platform, task: str, period: int | None) -> list[MemoryUse]:
    process = plan.group.network.processes[task]
    found = []
    acting = (*plan.group.delays(task), *plan.group.frame_delays(task))
    for delay in process.delays:
        if delay not in acting:
            continue
        port = port_named(process.input_ports, delay.port)
        size = math.prod(extent or 1 for extent in port.shape) * _kept(plan, task, delay, period)
        found.append(memory_use(platform, "state", f"{task}.{delay.port}", size, port.type.bits))
    return found


def _kept(plan: Plan, task: str, delay: Delay, period: int | None) -> int:
    """Values of a delay that are kept at once: open chains, or the repetitions of the frames it reaches back."""
    repetitions = plan.group.accesses.repetitions(task)
    back = frames_back(plan.group.network.processes[task].repetition, delay)
    if back:
        return back * len(repetitions)
    stage = plan.processors.stages[task]
    extents = plan.group.accesses.extents(task)
    chains = Chains.of(repetitions[stage.work.repetition], extents, delay.vector)
    return _live(*open_intervals(chains, stage.step), period)
