"""Estimates of streaming groups: what one costs under its decisions, and figures of many at once for a search."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from hwmodel.accesses import Accesses
from hwmodel.cost_model.costs import design_costs, with_memories
from hwmodel.cost_model.energy import EnergyCosts, energy_uses
from hwmodel.cost_model.estimate import (
    LOADS,
    STORES,
    EnergyUse,
    GroupEstimate,
    MemoryUse,
    ProcessorTime,
    internal_memory,
)
from hwmodel.cost_model.group.access_counts import Counts
from hwmodel.cost_model.issue.datapaths import Datapaths
from hwmodel.cost_model.metrics import EvaluatedEnergy, Metrics
from hwmodel.cost_model.streaming.axis_ends import axis_steps
from hwmodel.cost_model.streaming.port_steps import PortSteps, StreamPort
from hwmodel.cost_model.streaming.stream_memories import StreamMemories, output_name
from hwmodel.cost_model.together import PORT, SERVICE
from hwmodel.design import GroupDesign, Processor, rates_of, units_of
from hwmodel.memory_kinds import CHAIN, CHUNK
from hwmodel.platform import Platform
from hwmodel.stream.model import StreamModel
from hwmodel.stream.refusals import not_streamed
from hwmodel.streamed import Firing, Stream, StreamedGroup


@dataclass(frozen=True)
class StreamPricer:
    """A group of tasks as streams on a platform. Raises ArrayolError (`not-streamed`, `made-in-part`)."""

    accesses: Accesses
    tasks: tuple[str, ...]
    platform: Platform
    prices: EnergyCosts | None

    @cached_property
    def model(self) -> StreamModel:
        """Loops, starts and line buffers."""
        return StreamModel(self.accesses, self.tasks, self.platform)

    @cached_property
    def port(self) -> StreamPort:
        """The memory port."""
        return StreamPort(self.model.group, self.platform)

    @cached_property
    def _paths(self) -> Datapaths:
        return Datapaths(self.accesses.network, self.platform)

    def designs(
        self, stream: Stream, chunks: Sequence[int] | None = None
    ) -> Iterator[tuple[GroupDesign, GroupEstimate]]:
        """A stream under some chunks of the port, by default those that are worth trying, with its estimate.

        Of `chunks` those that divide a frame are taken. A stream with AXI4-Streams has no chunks.
        """
        streamed = self.model.streamed(stream)
        cycles = self.model.pulses(streamed)
        every: Sequence[PortSteps]
        if stream.interface == "axis":
            every = [axis_steps(self.port, streamed, cycles)]
        elif chunks is None:
            every = self.port.chunks(streamed, cycles)
        else:
            every = [self.port.steps(streamed, chunk, cycles) for chunk in chunks if streamed.frame % chunk == 0]
        memories = self._memories(streamed)
        for steps in every:
            own = replace(streamed, stream=replace(stream, chunk=steps.chunk))
            design = design_of(own)
            yield design, self._estimate(own, design, steps, memories.all_of(steps))

    def _memories(self, streamed: StreamedGroup) -> StreamMemories:
        return StreamMemories(self.model.group, self.platform, streamed, self.model.choices(streamed.stream))

    def streamed(self, design: GroupDesign) -> StreamedGroup:
        """The streams of a design. Raises ArrayolError where its units and intervals are not those of its pace."""
        assert design.stream is not None, "it streams"
        streamed = self.model.streamed(design.stream)
        if design_of(streamed) != design:
            raise not_streamed(f"the group {' '.join(design.tasks)} has other units or intervals than its pace says")
        return streamed

    def steps(self, streamed: StreamedGroup, *, whole: bool = True) -> PortSteps:
        """The steps of the port, all of a frame if `whole`, else those that stand for all.

        Raises ArrayolError for a chunk that does not divide a frame.
        """
        chunk, cycles = streamed.stream.chunk, self.model.pulses(streamed)
        if streamed.stream.interface == "axis":
            return axis_steps(self.port, streamed, cycles)
        if chunk < 1 or streamed.frame % chunk:
            raise not_streamed(f"chunks of {chunk} pulses do not divide a frame of {streamed.frame:,}")
        return self.port.steps(streamed, chunk, cycles, whole=whole)

    def estimate(self, design: GroupDesign) -> GroupEstimate:
        """The estimate of a design."""
        streamed = self.streamed(design)
        steps = self.steps(streamed, whole=False)
        return self._estimate(streamed, design, steps, self._memories(streamed).all_of(steps))

    def _estimate(
        self, streamed: StreamedGroup, design: GroupDesign, steps: PortSteps, memories: tuple[MemoryUse, ...]
    ) -> GroupEstimate:
        data, bits = internal_memory(memories)
        rates = rates_of(design)
        moved = [(self.port.port.element_bytes(own.array), own.all_data) for own in steps.ports]
        slowest = max(streamed.tasks, key=lambda task: _busy(streamed.nodes[task].firing))
        return GroupEstimate(
            tasks=streamed.tasks,
            latency_cycles=steps.latency_cycles,
            internal_memory_elements=data,
            internal_memory_bits=bits,
            additive={
                "traffic_bytes": sum(size * number for size, number in moved),
                "port_bytes": sum(own.bytes_moved for own in steps.ports),
                PORT: int(steps.port.busy @ steps.weight),
                SERVICE: int(steps.port.busy.max()),
            },
            units=sum(units_of(rate) for rate in rates.values()),
            memory_blocks=sum(memory.blocks or 0 for memory in memories) if self.platform.counts_blocks else None,
            costs=with_memories(design_costs(self.accesses, self._paths, rates), memories),
            frame_cycles=steps.frame_cycles,
            processors=tuple(_times(task, streamed.nodes[task].firing, steps) for task in streamed.tasks),
            memories=memories,
            ends=_ends(steps, slowest),
            steps=steps.number,
            evaluator="counted",
            energy=self._energy(streamed, rates, steps, memories),
        )

    def _energy(
        self, streamed: StreamedGroup, rates: dict[str, int], steps: PortSteps, memories: Sequence[MemoryUse]
    ) -> tuple[EnergyUse, ...] | None:
        if self.prices is None:
            return None
        counts = Counts()
        for port in steps.ports:
            for writes in (False, True):
                counts[CHUNK.name, port.array, writes] += port.all_data
        for task in streamed.tasks:
            for touch in self.accesses.reads[task]:
                if self.accesses.is_resident(touch.array):
                    kind = self.accesses.residents[touch.array].name
                    reads = math.prod(self.accesses.extents(task)) * math.prod(touch.pattern)
                    counts[kind, f"{task}.{touch.array}", False] += reads
        datapaths = {
            task: (math.prod(self.accesses.extents(task)), self._paths.at(task, streamed.nodes[task].firing.interval))
            for task in rates
        }
        bits = dict.fromkeys(dict.fromkeys(own.array for own in steps.ports), 0)
        for own in steps.ports:
            bits[own.array] += own.all_words * own.word_bits
        others = [use for use in memories if use.kind != CHAIN.name]
        uses = energy_uses(self.prices, datapaths, counts, others, bits)
        lines = self._line_energy(streamed)
        return (*uses, *(EnergyUse("local memory", f"{CHAIN.name} {name}", fj) for name, fj in lines.items() if fj))

    def _line_energy(self, streamed: StreamedGroup) -> dict[str, int]:
        """By output the energy of its line buffers: each datum is written and read once in each segment."""
        assert self.prices is not None, "the platform gives them"
        found: dict[str, int] = {}
        for chain in streamed.chains:
            firing = streamed.nodes[chain.node].firing
            born = math.prod(firing.extents) // firing.units
            each = sum(2 * self.prices.access(segment.depth * chain.bits, chain.bits) for segment in chain.segments)
            name = output_name(chain)
            found[name] = found.get(name, 0) + born * each
        return found


def design_of(streamed: StreamedGroup) -> GroupDesign:
    """The group design of a stream, with the units and intervals that follow from its pace."""
    firing = ((task, streamed.nodes[task].firing) for task in streamed.tasks)
    processors = tuple(Processor(task, own.units, None, own.interval) for task, own in firing)
    return GroupDesign(processors, streamed.stream)


def metrics_of_streams(pairs: Sequence[tuple[GroupDesign, GroupEstimate]], prices: EnergyCosts | None) -> Metrics:
    """The figures of streams, each a structure under its own rates (S, 1)."""
    designs, estimates = zip(*pairs, strict=True)

    def column(values: Sequence[float | int]) -> np.ndarray:
        return np.array(values)[:, None]

    blocks = [own.memory_blocks for own in estimates]
    resident = [_residents(own.memories) for own in estimates]
    costs = {name: column([own.costs[name] for own in estimates]) for name in estimates[0].costs}
    energies = [sum(use.femtojoules for use in own.energy or ()) for own in estimates]
    return Metrics(
        legal=np.ones((len(pairs), 1), np.bool_),
        combinations=np.array([[list(rates_of(design).values())] for design in designs], np.int64),
        latency_cycles=column([own.latency_cycles for own in estimates]),
        addressed_data=column([own.internal_memory_elements for own in estimates]),
        addressed_bits=column([own.internal_memory_bits for own in estimates]),
        counted_blocks=None if None in blocks else column([number or 0 for number in blocks]),
        units=column([own.units for own in estimates]),
        unit_costs=costs,
        frame=lambda: column([own.frame_cycles for own in estimates]),
        additive={name: partial(column, [own.additive[name] for own in estimates]) for name in estimates[0].additive},
        energy=None if prices is None else EvaluatedEnergy(lambda: column(energies), prices.leaking),
        resident=lambda: np.array(resident, np.int64).T[:, :, None],
    )


def _residents(memories: Sequence[MemoryUse]) -> tuple[int, int, int]:
    """Data, bits and blocks of internal memories that hold the same data through a frame."""
    own = [use for use in memories if use.is_internal and use.is_resident]
    return sum(use.data for use in own), sum(use.bits for use in own), sum(use.blocks or 0 for use in own)


def _busy(firing: Firing) -> int:
    """The cycles in which a unit of a node works in a frame."""
    rounds = math.prod(
        -(-extent // firing.units) if at == firing.shared else extent for at, extent in enumerate(firing.extents)
    )
    return rounds * firing.interval


def _times(task: str, firing: Firing, steps: PortSteps) -> ProcessorTime:
    """A processor computes, waits for the port where that takes longer than the pulses, and else for its neighbours."""
    computing = min(_busy(firing), steps.latency_cycles)
    port, longer = steps.port, np.maximum(steps.port.cycles - steps.work, 0) * steps.weight * steps.frames
    by_stores = port.stores > port.loads
    loads, stores = int(longer[~by_stores].sum()), int(longer[by_stores].sum())
    loads = min(loads, steps.latency_cycles - computing)
    stores = min(stores, steps.latency_cycles - computing - loads)
    rest = steps.latency_cycles - computing - loads - stores
    return ProcessorTime(task, firing.units, firing.interval, 0, computing, loads, stores, rest)


def _ends(steps: PortSteps, slowest: str) -> dict[str, int]:
    """The cycles of steps that the port ends, and those of all others, which the busiest task has."""
    port = steps.port
    length, by_port = steps.lengths * steps.weight * steps.frames, port.cycles > steps.work
    stores = by_port & (port.stores > port.loads)
    ends = {
        LOADS: int(length[by_port & ~stores].sum()),
        STORES: int(length[stores].sum()),
        slowest: int(length[~by_port].sum()),
    }
    return {name: cycles for name, cycles in ends.items() if cycles}
