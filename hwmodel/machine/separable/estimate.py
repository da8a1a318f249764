"""The estimates of plain designs of a separable group, with where their cycles and bits go.

Designs under one scan are estimated together: what happens in their steps, the words of their buffers and the depths of
their banks are array work over all of them, the same as where they are priced. For each alone its rows are read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hwmodel.design import GroupDesign, units_of
from hwmodel.local_memory.bank_functions import BankFunction
from hwmodel.machine.built.figures import rates_at
from hwmodel.machine.built.organised import Builder
from hwmodel.machine.costs import design_costs, with_memories
from hwmodel.machine.estimate import GroupEstimate, MemoryUse, internal_memory, memory_use
from hwmodel.machine.exact import cycles_by_end, processor_times, step_ends
from hwmodel.machine.memories import organised_memories
from hwmodel.machine.port import PortCycles
from hwmodel.machine.priced import require_units
from hwmodel.machine.separable.axes import Ints
from hwmodel.machine.separable.batch import GroupBatch
from hwmodel.machine.separable.block_order import OrderCounts, Structures
from hwmodel.machine.separable.built import Words
from hwmodel.machine.separable.energy import EnergyOf
from hwmodel.machine.separable.timing import StepKinds, Timing, step_kinds
from hwmodel.machine.ticks import require_legal


def is_plain(design: GroupDesign) -> bool:
    """Whether a design opens nothing but a policy, keeps, layouts or recomputing: no outer blocks, cuts or FIFOs."""
    return not (design.blocks.outer or design.fifos) and all(processor.cut is None for processor in design.processors)


def estimate_separably(batch: GroupBatch, designs: Sequence[GroupDesign]) -> list[GroupEstimate | None]:
    """The estimates of plain designs of one scan and the same layouts, all of which recompute or none.

    None for one whose structure is no product after all (see `GroupBatch.price`). Raises ArrayolError
    (`scan-against-delay`, `too-many-units`) for the first design that is refused.
    """
    scan = designs[0].blocks.scan
    batch = batch.with_layouts(designs[0].layouts)
    group = batch.counts.parts.group
    for design in designs:
        require_legal(group, group.last, design.blocks)
    structures = batch.structures_of(*designs)
    timing = batch.timing(group.tasks, scan)
    taken = np.flatnonzero(structures.holds & timing.has_formula(structures)).tolist()
    most, rates = timing.most_units(structures), [_rates(design) for design in designs]
    for row in taken:
        require_units(dict(zip(group.tasks, most[row].tolist(), strict=True)), rates[row])
    if not taken:
        return [None] * len(designs)
    own = _Structures.of(batch, timing, structures, rates)
    builder = Builder.of(batch.local_ports(scan), batch.layouts)
    found: list[GroupEstimate | None] = [None] * len(designs)
    for row in taken:
        found[row] = own.estimate(row, rates[row], builder)
    return found


def _rates(design: GroupDesign) -> dict[str, int]:
    return {processor.task: processor.rate for processor in design.processors}


@dataclass(frozen=True, eq=False)
class _Steps:
    """The kinds of steps of one structure at its rates: how often each occurs (K,), the port, each processor (K,)."""

    times: Ints
    port: PortCycles
    busy: Mapping[str, Ints]

    @staticmethod
    def of_each(timing: Timing, parts: Iterable[StepKinds], rates: Ints) -> list[_Steps]:
        """Those of structures with rates (S, tasks), of each its own."""
        steps: dict[int, _Steps] = {}
        for kinds in parts:
            port = timing.port(kinds)
            busy = {
                task: timing.busy(kinds, task, rates[kinds.chosen, place, None])
                for place, task in enumerate(timing.tasks)
            }
            for row, structure in enumerate(kinds.chosen.tolist()):
                own = {task: cycles[row] for task, cycles in busy.items()}
                steps[structure] = _Steps(kinds.times[row], port.of_structure(row), own)
        return [steps[structure] for structure in range(len(rates))]

    @property
    def cycles(self) -> int:
        """Those of all steps."""
        return int(step_ends(self.port, self.busy)[0] @ self.times)


@dataclass(frozen=True, eq=False)
class _Structures:
    """Structures with the figures of each, (S,) or (S, memories); `steps` in a frame, `folded` where frames follow."""

    batch: GroupBatch
    timing: Timing
    steps: Sequence[_Steps]
    folded: Sequence[_Steps]
    number: Ints
    traffic: Ints
    port_traffic: Ints
    words: Words
    energy: EnergyOf | None

    @staticmethod
    def of(
        batch: GroupBatch, timing: Timing, structures: Structures, rates: Sequence[Mapping[str, int]]
    ) -> _Structures:
        """Of structures, of each at its rates."""
        table = np.array([[own[task] for task in timing.tasks] for own in rates], np.int64)
        steps, folded = (
            _Steps.of_each(timing, step_kinds(batch.counts, structures, cyclic=cyclic), table)
            for cyclic in (False, True)
        )
        return _Structures(
            batch,
            timing,
            steps,
            folded,
            number_of_steps(batch, structures),
            batch.traffic(structures),
            batch.port_traffic(structures),
            Words(batch.counts, structures),
            batch.energy.uses(structures) if batch.energy is not None else None,
        )

    def estimate(self, row: int, rates: Mapping[str, int], builder: Builder | None) -> GroupEstimate:
        """The estimate of one of the designs."""
        batch, paths, steps = self.batch, self.timing.paths, self.steps[row]
        length, end = step_ends(steps.port, steps.busy)
        busy = {task: cycles * steps.times for task, cycles in steps.busy.items()}
        kept = kept_memories(batch, self.words, row)
        numbers = {memory.name: number for number, memory in enumerate(batch.counts.memories)}

        def depth(array: str, function: BankFunction) -> int:
            return int(self.words.depths(numbers[array], function, self.words.every)[row])

        memories = organised_memories(builder, kept, depth, rates_at(paths, rates))
        data, bits = internal_memory(memories)
        return GroupEstimate(
            tasks=self.timing.tasks,
            latency_cycles=steps.cycles,
            internal_memory_data=data,
            internal_memory_bits=bits,
            traffic_bytes=int(self.traffic[row]),
            port_bytes=int(self.port_traffic[row]),
            units=sum(units_of(rate) for rate in rates.values()),
            memory_blocks=sum(memory.blocks or 0 for memory in memories) if batch.platform.counts_blocks else None,
            costs=with_memories(design_costs(batch.accesses, paths, rates), memories),
            frame_cycles=self.folded[row].cycles,
            processors=processor_times(length * steps.times, end, busy, paths, rates),
            memories=memories,
            ends=cycles_by_end(length * steps.times, end, self.timing.tasks),
            steps=int(self.number[row]),
            path="separable",
            energy=self.energy(row, memories, rates) if self.energy is not None else None,
        )


def kept_memories(batch: GroupBatch, words: Words, row: int) -> tuple[MemoryUse, ...]:
    """Buffers and delay states of one of some structures."""
    live, addressed = (own(words.every)[row].tolist() for own in (words.live, words.addressed))
    return tuple(
        memory_use(
            batch.platform,
            (memory.kind, memory.name, memory.bits),
            live,
            batch.banks(memory),
            words if memory.kind == "buffer" else None,
        )
        for memory, live, words in zip(batch.counts.memories, live, addressed, strict=True)
    )


def number_of_steps(batch: GroupBatch, structures: Structures) -> Ints:
    """How many steps there are from the first that does anything to the last, (S,)."""
    (row, column), wide = structures.pairs.T, structures.inner.places
    stage = np.array([quantity.stage for quantity in batch.counts.counted], np.int64)
    rows, columns = (_ends(order, len(stage)) for order in (structures.outer, structures.inner))
    first, last = (rows[end][row] * wide[column, None] + columns[end][column] + stage for end in (0, 1))
    there = (rows[1][row] >= 0) & (columns[1][column] >= 0)
    most = int(np.abs(last).max()) + 1
    number: Ints = np.where(there, last, -1).max(axis=1) - np.where(there, first, most).min(axis=1) + 1
    return number


def _ends(order: OrderCounts, entries: int) -> tuple[Ints, Ints]:
    """The first and last place where each of the first entries counts something, (S, entries); last -1 for none."""
    side, entry, place = order.steps.changes
    until = np.append(place[1:], 0)
    own = (entry < entries) & (order.steps.at(side, entry, place)[0] > 0)
    side, entry, place, until = side[own], entry[own], place[own], until[own]
    shape = len(order.places), entries
    first, last = np.full(shape, int(order.places.max())), np.full(shape, -1)
    np.minimum.at(first, (side, entry), place)
    np.maximum.at(last, (side, entry), until - 1)
    return first, last
