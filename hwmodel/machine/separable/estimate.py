"""The estimate of one plain design of a separable group, with where its cycles and bits go."""

from __future__ import annotations

import numpy as np

from hwmodel.design import GroupDesign
from hwmodel.machine.breakdown import cycles_by_end, processor_times, step_ends
from hwmodel.machine.costs import unit_costs
from hwmodel.machine.estimate import GroupEstimate, MemoryUse
from hwmodel.machine.separable.axes import Ints
from hwmodel.machine.separable.batch import GroupBatch
from hwmodel.machine.separable.counts import Counted
from hwmodel.machine.separable.lines import Lines
from hwmodel.machine.separable.live_sets import LiveSets
from hwmodel.machine.separable.profile import Profile
from hwmodel.machine.separable.steps import step_kinds
from hwmodel.machine.separable.timing import Timing
from hwmodel.machine.sizes import memory_use
from hwmodel.machine.ticks import require_legal
from hwmodel.machine.units import require_units


def is_plain(design: GroupDesign) -> bool:
    """Whether a design opens nothing but a policy or layouts: no cuts, FIFOs or recomputing."""
    return not (design.fifos or design.recompute) and all(processor.cut is None for processor in design.processors)


def estimate_separably(batch: GroupBatch, design: GroupDesign) -> GroupEstimate | None:
    """The estimate of a plain design; None where its structure is no product after all (see `GroupBatch.price`).

    Raises ArrayolError (`scan-against-delay`, `too-many-units`).
    """
    batch = batch.with_layouts(design.layouts)
    group = batch.counts.parts.group
    require_legal(group, group.last, design.blocks)
    lines = batch.lines(design.blocks.scan, np.array([design.blocks.shape], np.int64).reshape(1, -1), design.policy)
    if not lines.holds.all():
        return None
    units = {processor.task: processor.units for processor in design.processors}
    timing = batch.timing(group.tasks)
    require_units(dict(zip(group.tasks, timing.most_units(lines)[0].tolist(), strict=True)), units)
    (kinds,) = step_kinds(batch.counts, lines, cyclic=False)
    port, times = timing.port(kinds).of_structure(0), kinds.times[0]
    busy = {task: timing.busy(kinds, task, units[task])[0] for task in group.tasks}
    length, end = step_ends(port, busy)
    live = LiveSets(batch.counts)
    memories = _memories(batch, live.sizes(lines)[0])
    in_succession = _memories(batch, live.folded_sizes(lines))
    blocks = [memory.blocks for memory in memories if memory.blocks is not None]
    return GroupEstimate(
        tasks=group.tasks,
        latency_cycles=int(length @ times),
        internal_memory_data=sum(memory.data for memory in memories),
        internal_memory_bits=sum(memory.bits for memory in memories),
        traffic_bytes=int(batch.traffic(lines)[0]),
        units=sum(units.values()),
        memory_blocks=sum(blocks) if batch.platform.local.block_bits is not None else None,
        costs=unit_costs(batch.accesses, batch.platform, units),
        frame_cycles=_frame_cycles(batch, timing, lines, units),
        frame_memory_data=sum(memory.data for memory in in_succession),
        frame_memory_bits=sum(memory.bits for memory in in_succession),
        processors=processor_times(length * times, end, {task: busy[task] * times for task in busy}, units),
        memories=memories,
        ends=cycles_by_end(length * times, end, group.tasks),
        steps=_steps(batch.counts.counted, lines),
        path="separable",
    )


def _frame_cycles(batch: GroupBatch, timing: Timing, lines: Lines, units: dict[str, int]) -> int:
    (kinds,) = step_kinds(batch.counts, lines, cyclic=True)
    busy = {task: timing.busy(kinds, task, number)[0] for task, number in units.items()}
    length, _ = step_ends(timing.port(kinds).of_structure(0), busy)
    return int(length @ kinds.times[0])


def _memories(batch: GroupBatch, sizes: Ints) -> tuple[MemoryUse, ...]:
    return tuple(
        memory_use(batch.platform, (memory.kind, memory.name, memory.bits), size, batch.banks(memory))
        for memory, size in zip(batch.counts.memories, sizes.tolist(), strict=True)
    )


def _steps(counted: list[Counted], lines: Lines) -> int:
    """Steps from the first that does anything to the last."""
    columns = int(lines.inner.places[0])
    firsts, lasts = [], []
    for entry, one in enumerate(counted):
        outer, inner = (_ends(line.steps, entry) for line in (lines.outer, lines.inner))
        if outer and inner:
            firsts.append(outer[0] * columns + inner[0] + one.stage)
            lasts.append(outer[1] * columns + inner[1] + one.stage)
    return max(lasts) - min(firsts) + 1


def _ends(profile: Profile, entry: int) -> tuple[int, int] | None:
    """The first and the last place of the only line where an entry counts something."""
    _, entries, place = profile.turns
    own = entries == entry
    count = profile.seen(0 * place[own], 0 * place[own] + entry, place[own])[0]
    if not count.any():
        return None
    ends = np.append(place[own][1:], 0)
    return int(place[own][count > 0][0]), int(ends[count > 0][-1]) - 1
