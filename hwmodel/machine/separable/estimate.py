"""The estimate of one plain design of a separable group, with where its cycles and bits go."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from hwmodel.accesses import Touch, subscripts
from hwmodel.design import GroupDesign, units_of
from hwmodel.machine.costs import design_costs, with_memories
from hwmodel.machine.estimate import GroupEstimate, MemoryUse, memory_use
from hwmodel.machine.exact import cycles_by_end, processor_times, step_ends
from hwmodel.machine.memories import organised_memories
from hwmodel.machine.organised import Builder, rates_at
from hwmodel.machine.priced import require_units
from hwmodel.machine.separable.axes import Ints, Link
from hwmodel.machine.separable.batch import GroupBatch
from hwmodel.machine.separable.block_order import PlaceCounts, Structures
from hwmodel.machine.separable.counts import Counted, GroupCounts
from hwmodel.machine.separable.live_sets import LiveSets
from hwmodel.machine.separable.pieces import buffer_contents
from hwmodel.machine.separable.timing import Timing, step_kinds
from hwmodel.machine.ticks import require_legal


def is_plain(design: GroupDesign) -> bool:
    """Whether a design opens nothing but a policy, keeps or layouts: no outer blocks, cuts, FIFOs or recomputing."""
    return not (design.blocks.outer or design.fifos or design.recompute) and all(
        processor.cut is None for processor in design.processors
    )


def estimate_separably(batch: GroupBatch, design: GroupDesign) -> GroupEstimate | None:
    """The estimate of a plain design; None where its structure is no product after all (see `GroupBatch.price`).

    Raises ArrayolError (`scan-against-delay`, `too-many-units`).
    """
    batch = batch.with_layouts(design.layouts)
    group = batch.counts.parts.group
    require_legal(group, group.last, design.blocks)
    structures = batch.structures_of(design)
    if not structures.holds.all():
        return None
    rates = {processor.task: processor.rate for processor in design.processors}
    timing = batch.timing(group.tasks, design.blocks.scan)
    if not timing.has_formula(structures).all():
        return None
    require_units(dict(zip(group.tasks, timing.most_units(structures)[0].tolist(), strict=True)), rates)
    (kinds,) = step_kinds(batch.counts, structures, cyclic=False)
    port, times = timing.port(kinds).of_structure(0), kinds.times[0]
    busy = {task: timing.busy(kinds, task, rates[task])[0] for task in group.tasks}
    length, end = step_ends(port, busy)
    first, last = steps_between(batch.counts.counted, structures)
    live = LiveSets(batch.counts)
    contents = buffer_contents(batch.counts, structures, first)
    sizes = {number: own.size for number, own in contents.items()}
    kept = _memories(batch, live.sizes(structures)[0], sizes)
    builder = Builder.of(batch.local_ports(design.blocks.scan), design.layouts)
    by_array = {batch.counts.memories[number].name: own for number, own in contents.items()}
    memories = organised_memories(builder, kept, by_array, rates_at(timing.paths, rates))
    sizes = {number: own.size_in_succession for number, own in contents.items()}
    in_succession = _memories(batch, live.folded_sizes(structures), sizes)
    return GroupEstimate(
        tasks=group.tasks,
        latency_cycles=int(length @ times),
        internal_memory_data=sum(memory.data for memory in memories),
        internal_memory_bits=sum(memory.bits for memory in memories),
        traffic_bytes=int(batch.traffic(structures)[0]),
        port_bytes=int(batch.port_traffic(structures)[0]),
        units=sum(units_of(rate) for rate in rates.values()),
        memory_blocks=sum(memory.blocks or 0 for memory in memories) if batch.platform.counts_blocks else None,
        costs=with_memories(design_costs(batch.accesses, batch.paths, rates), memories),
        frame_cycles=_frame_cycles(batch, timing, structures, rates),
        frame_memory_data=sum(memory.data for memory in in_succession),
        frame_memory_bits=sum(memory.bits for memory in in_succession),
        processors=processor_times(
            length * times, end, {task: busy[task] * times for task in busy}, timing.paths, rates
        ),
        memories=memories,
        ends=cycles_by_end(length * times, end, group.tasks),
        steps=last - first + 1,
        path="separable",
        energy=batch.energy.uses(structures, kept, rates) if batch.energy is not None else None,
    )


def _frame_cycles(batch: GroupBatch, timing: Timing, structures: Structures, rates: dict[str, int]) -> int:
    (kinds,) = step_kinds(batch.counts, structures, cyclic=True)
    busy = {task: timing.busy(kinds, task, rate)[0] for task, rate in rates.items()}
    length, _ = step_ends(timing.port(kinds).of_structure(0), busy)
    return int(length @ kinds.times[0])


def _memories(batch: GroupBatch, live: Ints, addressed: Mapping[int, int]) -> tuple[MemoryUse, ...]:
    return tuple(
        memory_use(
            batch.platform,
            (memory.kind, memory.name, memory.bits),
            size,
            batch.banks(memory),
            addressed.get(number),
        )
        for number, (memory, size) in enumerate(zip(batch.counts.memories, live.tolist(), strict=True))
    )


def steps_between(counted: list[Counted], structures: Structures) -> tuple[int, int]:
    """The first step that does anything and the last, counted from the tick of the first block."""
    columns = int(structures.inner.places[0])
    firsts, lasts = [], []
    for entry, quantity in enumerate(counted):
        outer, inner = (_ends(order.steps, entry) for order in (structures.outer, structures.inner))
        if outer and inner:
            firsts.append(outer[0] * columns + inner[0] + quantity.stage)
            lasts.append(outer[1] * columns + inner[1] + quantity.stage)
    return min(firsts), max(lasts)


def _ends(by_place: PlaceCounts, entry: int) -> tuple[int, int] | None:
    """The first and the last place of the only choice of sides where an entry counts something."""
    _, entries, place = by_place.changes
    own = entries == entry
    count = by_place.at(0 * place[own], 0 * place[own] + entry, place[own])[0]
    if not count.any():
        return None
    ends = np.append(place[own][1:], 0)
    return int(place[own][count > 0][0]), int(ends[count > 0][-1]) - 1


# Which arrays of a separable group a FIFO may carry, by counts and few repetitions (docs/machine.md, section 4). What
# this offers and the schedule does not allow is refused where it is priced.

_TRIED = 27  # repetitions of the writer whose data are followed


def separable_fifos(counts: GroupCounts) -> tuple[str, ...]:
    """The arrays of which every element that is made is read once, by one tiler, and nothing outside.

    Those are left out of which some repetition's data, among a few, are not read one after the other.
    """
    group = counts.parts.group
    inner = [array for array in group.made if array not in group.stored and len(counts.parts.pieces[array]) == 1]
    return tuple(array for array in inner if _read_once(counts, array) and _in_a_row(counts, array))


def _read_once(counts: GroupCounts, array: str) -> bool:
    links = counts.parts.reads.get(array, [])
    if len(links) != 1 or not counts.is_read_whole(array):
        return False
    reader, maker = _only_reads(counts, array), counts.parts.writes[array].task
    if reader.tiler.border is not None:
        return False
    made = _runs(counts, maker, counts.parts.writes[array]) * math.prod(
        counts.parts.group.writes(maker, array)[0].pattern
    )
    # All that is made is read; as many reads as elements read each of them once.
    return made == _runs(counts, reader.process, links[0]) * math.prod(reader.pattern)


def _only_reads(counts: GroupCounts, array: str) -> Touch:
    (link,) = counts.parts.reads[array]
    return counts.parts.group.reads(link.task, array)[0]


def _runs(counts: GroupCounts, task: str, link: Link) -> int:
    return math.prod(len(indices) for indices in _accessing(counts, task, link))


def _accessing(counts: GroupCounts, task: str, link: Link) -> list[Ints]:
    """Along each dimension of a task the indices that run and access through a tiler."""
    allowed = link.allowed
    running = enumerate(counts.running(task))
    return [indices[allowed[dimension][indices]] if dimension in allowed else indices for dimension, indices in running]


def _in_a_row(counts: GroupCounts, array: str) -> bool:
    """Whether a few repetitions' data, which are written in a row, are read in a row too."""
    group, reader = counts.parts.group, _only_reads(counts, array)
    (link,) = counts.parts.reads[array]
    maker = counts.parts.writes[array].task
    rng = np.random.default_rng(len(array))
    writing = _accessing(counts, maker, counts.parts.writes[array])
    sample = [rng.choice(indices, min(len(indices), _TRIED)) for indices in writing]
    number = max((len(one) for one in sample), default=1)
    repetitions = np.stack([np.resize(one, number) for one in sample], axis=1) if sample else np.zeros((1, 0), np.int64)
    elements = group.accesses.elements(group.writes(maker, array)[0], repetitions)
    columns = _readers(counts, link, elements)
    readers = np.stack(columns, axis=2) if columns else np.zeros((*elements.shape, 0), np.int64)
    taken = group.accesses.elements(reader, readers.reshape(-1, readers.shape[2]))
    place = (taken == elements.reshape(-1, 1)).argmax(axis=1).reshape(elements.shape)
    same = (readers[:, 1:] == readers[:, :-1]).all(axis=2)
    goes_on = same & (place[:, 1:] == place[:, :-1] + 1)
    next_one = ~same & (place[:, :-1] == taken.shape[1] - 1) & (place[:, 1:] == 0)
    return bool((goes_on | next_one).all())


def _readers(counts: GroupCounts, link: Link, elements: Ints) -> list[Ints]:
    """Along each dimension of the reading task the index of the repetition that reads each element."""
    places = subscripts(elements, counts.parts.group.accesses.shape(link.piece))
    columns = []
    for dimension, indices in enumerate(_accessing(counts, link.task, link)):
        axis = link.axis_of(dimension)
        if axis is None:
            columns.append(np.full(elements.shape, indices[0]))
            continue
        of_element = np.zeros(link.axes[axis].extent, np.int64)
        runs = np.isin(link.axes[axis].repetition, indices)
        of_element[link.axes[axis].element[runs]] = link.axes[axis].repetition[runs]
        columns.append(of_element[places[axis]])
    return columns
