"""The local memories of a group: buffers, FIFOs and delay states (docs/machine.md, section 5)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from functools import partial

import numpy as np

from arrayol.ir.spec import Delay, port_named
from hwmodel.local_memory.bank_functions import BankFunction
from hwmodel.local_memory.organisations import Organisation
from hwmodel.machine.built.local_ports import Rates
from hwmodel.machine.built.organised import Builder, with_organisation
from hwmodel.machine.estimate import MemoryKind, MemoryUse, memory_use
from hwmodel.machine.group import Elements, frames_back
from hwmodel.machine.moves import largest_live, largest_live_folded
from hwmodel.machine.plan import Plan
from hwmodel.machine.schedule.chains import Chains, open_intervals
from hwmodel.machine.schedule.fifo import depth as depth_of_fifo
from hwmodel.machine.schedule.processors import Busy, Processors

BufferDepth = Callable[[str, BankFunction], int]  # of the buffer of an array the words of the deepest bank


def kept_memories(plan: Plan, *, in_succession: bool = False) -> tuple[MemoryUse, ...]:
    """Buffers and delay states, which no unit changes; `in_succession` those of frames that follow one another."""
    period = plan.ticks if in_succession else None
    return (
        *(_buffer(plan, array, period) for array in plan.buffers),
        *(state for task in plan.group.tasks for state in _states(plan, task, period)),
    )


def _buffer(plan: Plan, array: str, period: int | None) -> MemoryUse:
    """The buffer of an array, of a frame or of frames that follow one another every `period` steps."""
    buffer, kind = plan.buffers[array], plan.group.network.arrays[array].type
    live = _live(buffer.held.born, buffer.held.last, period)
    contents = buffer.contents if period is None else buffer.contents.in_succession
    return memory_use(plan.platform, ("buffer", array, kind.bits), live, _banks(plan, array), contents.size)


def fifo_memories(processors: Processors, busy: Mapping[str, Busy], arrays: Iterable[str]) -> tuple[MemoryUse, ...]:
    """The FIFOs of some arrays under the schedules of their pipelines."""
    fifos = []
    for data in (processors.fifos[array] for array in arrays):
        source, target = processors.starts(busy, data.source), processors.starts(busy, data.target)
        # Steps follow each other, however long they are: any lengths that hold the pipeline give the same depth.
        longest = np.maximum(busy[data.source].cycles, busy[data.target].cycles)
        begin = np.cumsum(longest) - longest
        arrives = (begin[source.step] + source.cycle)[data.writer] + data.lags(busy[data.source].path) - 1
        leaves = (begin[target.step] + target.cycle)[data.reader] + data.chunks(busy[data.target].path)
        bits = processors.group.network.arrays[data.array].type.bits
        what: tuple[MemoryKind, str, int] = ("fifo", data.array, bits)
        fifos.append(memory_use(processors.paths.platform, what, depth_of_fifo(arrives, leaves)))
    return tuple(fifos)


def organised_memories(
    builder: Builder | None, memories: Iterable[MemoryUse], depth: BufferDepth, rates: Rates
) -> tuple[MemoryUse, ...]:
    """Memories with what they are built of at some rates, and what tasks have of resident arrays."""
    if builder is None:
        return tuple(memories)
    built = [with_organisation(use, organisation_of(builder, depth, use, rates)) for use in memories]
    return (*built, *(builder.resident_use(task, array, rates) for task, array in builder.residents))


def organisation_of(builder: Builder, depth: BufferDepth, use: MemoryUse, rates: Rates) -> Organisation:
    """What a memory of a group is built of."""
    if use.kind == "fifo":
        return builder.fifo(use.name, rates, use.live)
    if use.kind == "state":
        ((units, _),) = (rates[task] for task in builder.touching("state", use.name))
        return builder.state(use.name, units, use.addressed)
    return builder.buffer(use.name, rates, use.addressed, partial(depth, use.name))


def _live(born: Elements, last: Elements, period: int | None) -> int:
    return largest_live(born, last) if period is None else largest_live_folded(born, last, period)


def _banks(plan: Plan, array: str) -> int:
    """Banks of a buffer: its layout's, else the largest pattern that a task reads from or writes to it."""
    for layout in plan.design.layouts:
        if layout.array == array:
            return layout.banks
    group = plan.group
    touches = [touch for task in group.tasks for touch in (*group.reads(task, array), *group.writes(task, array))]
    return max(math.prod(touch.pattern) for touch in touches)


def _states(plan: Plan, task: str, period: int | None) -> list[MemoryUse]:
    process = plan.group.network.processes[task]
    acting = (*plan.group.delays(task), *plan.group.frame_delays(task))
    states = []
    for delay in process.delays:
        if delay in acting:
            port = port_named(process.input_ports, delay.port)
            each, name = math.prod(extent or 1 for extent in port.shape), f"{task}.{delay.port}"
            live, words = each * _chains_open(plan, task, delay, period), each * plan.processors.state(name).words
            addressed = words if period is None else live
            states.append(memory_use(plan.platform, ("state", name, port.type.bits), live, addressed=addressed))
    return states


def _chains_open(plan: Plan, task: str, delay: Delay, period: int | None) -> int:
    """Values of a delay that are kept at once: open chains, or the repetitions of the frames it reaches back."""
    repetitions = plan.group.accesses.repetitions(task)
    back = frames_back(plan.group.network.processes[task].repetition, delay)
    if back:
        return back * len(repetitions)
    stage = plan.processors.stages[task]
    extents = plan.group.accesses.extents(task)
    chains = Chains.of(repetitions[stage.work.repetition], extents, delay.vector)
    return _live(*open_intervals(chains, stage.step), period)
