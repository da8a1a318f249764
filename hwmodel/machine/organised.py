"""What each memory of a design is built of: its ports as tilers, units and occupancies make them, and its organisation.

Without a technology there are no kinds of memories to build of, and nothing is said. Sizes are those of the estimate:
a bank is taken to hold an equal share of its memory's data.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from arrayol.ir.spec import port_named
from hwmodel.accesses import Accesses, Touch
from hwmodel.datapath.derive import derivation_of
from hwmodel.design import GroupDesign
from hwmodel.local_memory.bank_functions import BankFunction
from hwmodel.local_memory.memory_kinds import Kinds
from hwmodel.local_memory.offsets import Access, Edge, box_places, run_places
from hwmodel.local_memory.organisations import Organisation, Terms, organise, organise_fifo, organise_state
from hwmodel.local_memory.port_plan import Ports, plan_ports
from hwmodel.machine.estimate import DesignEstimate, GroupEstimate, MemoryUse
from hwmodel.machine.group import Group
from hwmodel.platform import Platform
from hwmodel.units import Riding, riding_dimensions, unit_dimension

Organised = tuple[MemoryUse, Organisation]
RANDOM_DATA = 32  # a smaller pattern that data subscript is a multiplexer of registers


def terms_of(platform: Platform) -> Terms | None:
    """What memories are built of on a platform; None where it names no technology."""
    technology, local = platform.prices, platform.local
    if technology is None or not technology.memory_kinds:
        return None
    kinds = Kinds(technology.memory_kinds, tuple(technology.register_cost.items()))
    return Terms(kinds, local.price, local.register_bits, local.copies_most, power_of_two=local.bank_power_of_two)


def organisations(
    accesses: Accesses, platform: Platform, groups: Sequence[GroupDesign], estimate: DesignEstimate
) -> tuple[Organised, ...]:
    """The organisation of each memory of a design, the groups' in order, then what stands beside them.

    Locals are left out: they are registers of the datapath. Nothing without a technology.
    """
    terms = terms_of(platform)
    if terms is None:
        return ()
    views = [_View(accesses, platform, design, own) for design, own in zip(groups, estimate.groups, strict=True)]
    inside = ((use, view.organisation(use, terms)) for view in views for use in view.estimate.memories)
    return (*inside, *_beside(accesses, views, estimate.resident, terms))


def _beside(
    accesses: Accesses, views: Sequence[_View], resident: Sequence[MemoryUse], terms: Terms
) -> Iterator[Organised]:
    """Arrays that are loaded once are read by all tasks; a ROM is one of its own for each task that reads it."""
    for use in resident:
        if use.kind == "local":
            continue
        readers = [reader for view in views for reader in view.readers(use.name)]
        bits, size = accesses.network.arrays[use.name].type.bits, accesses.size(use.name)
        rank = len(accesses.shape(use.name))
        loaded = views[0].words(use.name, views[0].platform.local.write_width) if use.kind == "once" else ()
        for ports in [(reader,) for reader in readers] if use.kind == "rom" else [tuple(readers)]:
            plan = plan_ports(Ports(rank, ports, (), loaded), power_of_two=terms.power_of_two)
            yield use, organise(plan, bits, size, _shared(size), terms)


def _shared(data: int) -> Callable[[BankFunction], int]:
    def depth(function: BankFunction) -> int:
        return -(-data // function.banks)

    return depth


@dataclass(frozen=True)
class _View:
    """A group of a design with its estimate."""

    accesses: Accesses
    platform: Platform
    design: GroupDesign
    estimate: GroupEstimate

    @cached_property
    def group(self) -> Group:
        return Group(self.accesses, self.design.tasks)

    @cached_property
    def rates(self) -> Mapping[str, tuple[int, int]]:
        """Units and occupancy of each task."""
        return {one.task: (one.units, one.interval) for one in self.estimate.processors}

    @cached_property
    def riding(self) -> Riding:
        """Which dimension of each task rides on each of the last one's."""
        return riding_dimensions(self.accesses, self.group.tasks, self.group.last)

    def along(self, task: str) -> tuple[int, int] | None:
        """The dimension that units of a task share, and 1, or -1 where it is walked downwards; None without one."""
        dimension = unit_dimension(self.accesses, self.riding, self.design.blocks.scan, task)
        if dimension is None:
            return None
        (cut,) = (processor.cut for processor in self.design.processors if processor.task == task)
        blocks = self.design.blocks if task == self.group.last else cut
        down = blocks is not None and dict(zip(blocks.scan.dimensions, blocks.scan.descending, strict=True))[dimension]
        return dimension, -1 if down else 1

    def organisation(self, use: MemoryUse, terms: Terms) -> Organisation:
        """That of a buffer, a FIFO or a state of the group."""
        if use.kind == "state":
            task, _, port = use.name.rpartition(".")
            shape = port_named(self.accesses.network.processes[task].input_ports, port).shape
            data = math.prod(extent or 1 for extent in shape)
            return organise_state(use.data // data, self.rates[task][0], use.bits // max(1, use.data) * data, terms)
        bits = self.accesses.network.arrays[use.name].type.bits
        if use.kind == "fifo":
            ends = [*self.writers(use.name), *self.readers(use.name)]
            wide = max(end.units * -(-len(end.places) // end.cycles) for end in ends)
            return organise_fifo(use.data, wide, bits, terms)
        local = self.platform.local
        loaded = self.words(use.name, local.write_width) if use.name in self.group.loaded else ()
        stored = self.words(use.name, local.read_width) if use.name in self.group.stored else ()
        rank = len(self.accesses.shape(use.name))
        ports = Ports(rank, tuple(self.readers(use.name)), tuple(self.writers(use.name)), loaded, stored)
        plan = plan_ports(ports, power_of_two=terms.power_of_two)
        return organise(plan, bits, use.data, _shared(use.data), terms)

    def words(self, array: str, width: int | None) -> tuple[tuple[tuple[int, ...], ...], ...]:
        """The sets of a word of an array at the port, or of as many data as the platform says."""
        memory, kind = self.platform.memory, self.accesses.network.arrays[array].type
        each = memory.data_per_word or max(1, (memory.word_bits or 1) // (8 * kind.bytes))
        return run_places(min(width or each, each), self.accesses.shape(array))

    def readers(self, array: str) -> list[Access]:
        """What the tasks of the group read of an array."""
        return [self.access(touch) for task in self.group.tasks for touch in self.group.reads(task, array)]

    def writers(self, array: str) -> list[Access]:
        """What they write."""
        return [self.access(touch) for task in self.group.tasks for touch in self.group.writes(task, array)]

    def access(self, touch: Touch) -> Access:
        """One tiler at the units and the occupancy of its task."""
        task, (units, cycles) = touch.process, self.rates[touch.process]
        along = self.along(task)
        step = tuple(row[along[0]] * along[1] if along else 0 for row in touch.tiler.paving)
        return Access(
            box_places(touch.tiler.fitting, touch.pattern),
            step,
            units if along else 1,
            cycles,
            self._random(touch),
            ordered=not self.group.delays(task),
            edges=self._edges(touch, [part * (units - 1) for part in step]),
        )

    def _random(self, touch: Touch) -> int:
        """The places that a repetition reads at subscripts of its data."""
        process = self.accesses.network.processes[touch.process]
        elementary, prices, clock = process.definition, self.platform.prices, self.platform.clock_mhz
        if math.prod(touch.pattern) < RANDOM_DATA or prices is None or clock is None:
            return 0
        if elementary is None or elementary.body is None:
            return 0
        graph = derivation_of(elementary, prices, clock).graph
        nodes = zip(graph.operators, graph.details, strict=True)
        return sum(operator == "access" and detail == (touch.port, 0) for operator, detail in nodes)

    def _edges(self, touch: Touch, ahead: Sequence[int]) -> tuple[Edge | None, ...]:
        """How the axes of an array bend under a tiler whose last unit is `ahead` of its first."""
        tiler, border = touch.tiler, touch.tiler.border
        if not tiler.wrap and (border is None or border.is_constant):
            return ()
        extents, edges = self.accesses.extents(touch.process), list[Edge | None]()
        for axis, extent in enumerate(self.accesses.network.arrays[touch.array].shape):
            moves = [(part, own) for part, own in zip(tiler.paving[axis], extents, strict=True) if part]
            low = tiler.origin[axis] + sum(min(0, part) * (own - 1) for part, own in moves) - min(0, ahead[axis])
            high = tiler.origin[axis] + sum(max(0, part) * (own - 1) for part, own in moves) - max(0, ahead[axis])
            step = math.gcd(*(part for part, _ in moves))
            edges.append(Edge(extent, (low, max(low, high), step), border) if extent is not None else None)
        return tuple(edges)
