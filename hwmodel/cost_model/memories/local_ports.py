"""The ports of a group's memories in a cycle, from tilers, units and occupancies.

With a technology, a task may read through windows (docs/machine.md, section 13). The window of an array depends on the
tiler, units and occupancy of its reader, and on the words that the loader writes. It does not depend on blocks, nor on
other readers and writers.

A necessary condition, from the elements that the task alone touches in a cycle: designs may still be refused because no
bank function separates them, because of other tasks, or because blocks are too large for registers. If it fails, each
design of the task at that rate is refused (docs/machine.md, section 6).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from arrayol.errors import ArrayolError
from hwmodel.accesses import Accesses, Touch
from hwmodel.cost_model.group.group import Group
from hwmodel.design import Blocks, GroupDesign, Scan, row_major
from hwmodel.local_memory.memory_kinds import Kinds
from hwmodel.local_memory.offsets import Access, Edge, Place, box_places, run_places
from hwmodel.local_memory.organisations import ROM_READS, Terms, Ways, ways_of
from hwmodel.local_memory.port_plan import PortPlan, Ports, Sets, plan_ports, reader_window, window_of
from hwmodel.local_words import local_width
from hwmodel.platform import Platform
from hwmodel.residence import ONCE
from hwmodel.units import DimensionMap, riding_dimensions, unit_dimension

Rates = Mapping[str, tuple[int, int]]  # units and occupancy by task


def terms_of(platform: Platform) -> Terms | None:
    """The kinds and prices of memories on a platform; None if it names no technology."""
    return platform.once("terms", lambda: _terms_of(platform))


def _terms_of(platform: Platform) -> Terms | None:
    technology, local = platform.prices, platform.local
    if technology is None or not technology.memory_kinds:
        return None
    kinds = Kinds(technology.memory_kinds, tuple(technology.register_cost.items()))
    return Terms(
        kinds,
        local.price,
        local.register_bits,
        local.copies_most,
        local.read_ports,
        local.banks_most,
        local.bank_power_of_two,
        technology.overhead,
        max(channel.word_bits or 0 for channel in platform.channels),
    )


@dataclass(frozen=True)
class LocalPorts:
    """The ports of a group under a scan of its last task; `cuts` are the blocks of other tasks.

    Arrays in `apart` have no windows: FIFOs, and arrays with a bank layout.
    """

    group: Group
    platform: Platform
    scan: Scan
    cuts: Mapping[str, Blocks] = field(default_factory=dict)
    apart: frozenset[str] = frozenset()
    _fills: dict[tuple[str, int, int], int] = field(default_factory=dict, repr=False, compare=False)
    _touching: dict[str, tuple[str, ...]] = field(default_factory=dict, repr=False, compare=False)
    _served: dict[object, Ways] = field(default_factory=dict, repr=False, compare=False)
    _ways: dict[tuple[object, ...], tuple[PortPlan, Ways]] = field(default_factory=dict, repr=False, compare=False)
    _directions: dict[str, tuple[int, int] | None] = field(default_factory=dict, repr=False, compare=False)
    _accesses: dict[tuple[object, ...], Access] = field(default_factory=dict, repr=False, compare=False)

    @staticmethod
    def of(group: Group, platform: Platform, design: GroupDesign) -> LocalPorts:
        """The ports of a design."""
        cuts = {processor.task: processor.cut for processor in design.processors if processor.cut is not None}
        apart = design.fifos | {layout.array for layout in design.layouts}
        return LocalPorts(group, platform, design.blocks.scan, cuts, apart)

    @staticmethod
    def key(design: GroupDesign) -> tuple[object, ...]:
        """A key of all that the ports of a design depend on, without its tasks' rates."""
        cuts = tuple((processor.task, processor.cut and processor.cut.scan) for processor in design.processors)
        return cuts, design.blocks.scan, design.fifos, frozenset(layout.array for layout in design.layouts)

    @cached_property
    def terms(self) -> Terms | None:
        """The kinds and prices of memories; None without a technology."""
        return terms_of(self.platform)

    def fill(self, task: str, units: int, cycles: int) -> int:
        """Additional rounds of each line of a task while its windows fill, at so many units and an occupancy."""
        key = task, units, cycles
        if key not in self._fills:
            self._fills[key] = self._fill(task, units, cycles)
        return self._fills[key]

    def _fill(self, task: str, units: int, cycles: int) -> int:
        terms = self.terms
        if terms is None or self.group.delays(task):
            return 0
        fills, accesses, built_in = [0], self.group.accesses, self.built_in(task, cycles)
        for touch in accesses.reads[task]:
            if touch.array not in self.apart and not accesses.is_built_in(touch, built_in):
                loaded = self.loaded_words(touch.array)
                access = self.access(touch, units, cycles)
                window = reader_window(access, loaded, power_of_two=terms.power_of_two, most=terms.banks_most)
                fills.append(0 if window is None else window.fill)
        return max(fills)

    def built_in(self, task: str, cycles: int) -> frozenset[str]:
        """The inputs that a task's datapath has as constants at an occupancy."""
        return self.platform.datapath(self.group.network.processes[task], cycles).built_in

    def ways(self, array: str, rates: Rates) -> tuple[PortPlan, Ways]:
        """The ports of an array's buffer, without its bank layout, and the organisations that serve them.

        Equal ways are one object.
        """
        key = array, *(rates[task] for task in self.touching(array))
        if key not in self._ways:
            plan = self.planned(self.ports(array, rates))
            ways = ways_of(plan, self._known_terms)
            self._ways[key] = plan, self._served.setdefault((ways.candidates, ways.is_random, ways.routes), ways)
        return self._ways[key]

    def planned(self, ports: Ports) -> PortPlan:
        """Choose windows and bank functions that serve ports."""
        terms = self._known_terms
        return plan_ports(ports, power_of_two=terms.power_of_two, most=terms.banks_most)

    def touching(self, array: str) -> tuple[str, ...]:
        """The tasks that read or write the buffer of an array."""
        if array not in self._touching:
            group = self.group
            self._touching[array] = tuple(
                task for task in group.tasks if group.reads(task, array) or group.writes(task, array)
            )
        return self._touching[array]

    @property
    def _known_terms(self) -> Terms:
        assert self.terms is not None, "there is something to build with"
        return self.terms

    def ports(self, array: str, rates: Rates) -> Ports:
        """All ports of an array's buffer."""
        shape = tuple(self.group.accesses.shape(array))
        readers, writers = tuple(self.readers(array, rates)), tuple(self.writers(array, rates))
        axis = self._axis_of_rows(array)
        return Ports(len(shape), readers, writers, self.loaded_words(array), self.stored_words(array), shape, axis)

    def _axis_of_rows(self, array: str) -> int | None:
        """The last axis of an array that any loop moves along, if the innermost loop that moves any moves it too.

        None if it moves another axis; -1 if no loop moves along any axis.
        """
        touches = [*self.group.reads(self.group.last, array), *self.group.writes(self.group.last, array)]
        for touch in touches:
            axes = [axis for axis, row in enumerate(touch.tiler.paving) if any(row)]
            for dimension in reversed(self.scan.dimensions):
                moved = [axis for axis in axes if touch.tiler.paving[axis][dimension]]
                if moved:
                    return axes[-1] if moved[-1] == axes[-1] else None
        return -1

    def readers(self, array: str, rates: Rates) -> list[Access]:
        """The accesses by which tasks of the group read an array."""
        touches = self.group.touches(array)[0]
        return [self.access(touch, *rates[touch.process]) for touch in touches]

    def writers(self, array: str, rates: Rates) -> list[Access]:
        """The accesses by which tasks of the group write an array."""
        touches = self.group.touches(array)[1]
        return [self.access(touch, *rates[touch.process], results=True) for touch in touches]

    def loaded_words(self, array: str) -> Sets:
        """The joint sets of the words that the loader writes; empty for an array that is not loaded."""
        accesses = self.group.accesses
        if array not in self.group.loaded and accesses.load.get(array) != ONCE:
            return ()
        return self._words(array, write=False)

    def stored_words(self, array: str) -> Sets:
        """The joint sets of the words that the storer reads; empty for an array that is not stored."""
        return self._words(array, write=True) if array in self.group.stored else ()

    def _words(self, array: str, *, write: bool) -> Sets:
        """The joint sets of a word of an array that is loaded, or (`write`) stored, in a cycle."""
        size = self.group.network.arrays[array].type.bytes
        return run_places(local_width(self.platform, size, write=write), self.group.accesses.shape(array))

    @cached_property
    def _riding(self) -> DimensionMap:
        return riding_dimensions(self.group.accesses, self.group.tasks, self.group.last)

    def _along(self, task: str) -> tuple[int, int] | None:
        """The unit dimension of a task, and 1, or -1 if it descends; None without one."""
        if task not in self._directions:
            self._directions[task] = self._direction(task)
        return self._directions[task]

    def _direction(self, task: str) -> tuple[int, int] | None:
        """Compute `_along`."""
        dimension = unit_dimension(self.group.accesses, self._riding, self.scan, task)
        if dimension is None:
            return None
        cut = self.cuts.get(task)
        scan = self.scan if task == self.group.last else cut.scan if cut is not None else None
        down = scan is not None and dict(zip(scan.dimensions, scan.descending, strict=True))[dimension]
        return dimension, -1 if down else 1

    def access(self, touch: Touch, units: int, cycles: int, *, results: bool = False) -> Access:
        """The access through one tiler at the units and the occupancy of its task; `results` are written, else read."""
        key = touch, units, cycles, results
        if key not in self._accesses:
            self._accesses[key] = self._access(touch, units, cycles, results)
        return self._accesses[key]

    def _access(self, touch: Touch, units: int, cycles: int, results: bool) -> Access:
        along = self._along(touch.process)
        step = tuple(row[along[0]] * along[1] if along else 0 for row in touch.tiler.paving)
        return Access(
            box_places(touch.tiler.fitting, touch.pattern),
            step,
            units if along else 1,
            cycles,
            self.platform.lookups(self.group.network.processes[touch.process], touch.port),
            # A default stands behind the lanes of a state that comes element by element.
            ordered=not self.group.delays(touch.process) and touch.default_of is None,
            edges=self._edges(touch, [part * (units - 1) for part in step]),
            results=results,
            moves=tuple(self._moves(touch, units, along[0] if along else None)),
        )

    def _moves(self, touch: Touch, units: int, shared: int | None) -> Iterator[Place]:
        """The step of an access from repetition to repetition along each dimension.

        Units share the dimension `shared`.
        """
        repetition = self.group.network.processes[touch.process].repetition
        for dimension, (extent, *move) in enumerate(zip(repetition, *touch.tiler.paving, strict=True)):
            by = units if dimension == shared else 1
            if extent is None or extent > by:
                yield tuple(part * by for part in move)

    def _edges(self, touch: Touch, ahead: Sequence[int]) -> tuple[Edge | None, ...]:
        """The ends of an array's axes under a tiler with a border or wrapping.

        Its last unit is `ahead` of its first.
        """
        tiler, border = touch.tiler, touch.tiler.border
        if not tiler.wrap and (border is None or border.is_constant):
            return ()
        extents, edges = self.group.accesses.extents(touch.process), list[Edge | None]()
        for axis, extent in enumerate(self.group.network.arrays[touch.array].shape):
            moves = [
                (part, extent_of_dimension)
                for part, extent_of_dimension in zip(tiler.paving[axis], extents, strict=True)
                if part
            ]
            low = (
                tiler.origin[axis]
                + sum(min(0, part) * (extent_of_dimension - 1) for part, extent_of_dimension in moves)
                - min(0, ahead[axis])
            )
            high = (
                tiler.origin[axis]
                + sum(max(0, part) * (extent_of_dimension - 1) for part, extent_of_dimension in moves)
                - max(0, ahead[axis])
            )
            step = math.gcd(*(part for part, _ in moves))
            edges.append(Edge(extent, (low, max(low, high), step), border) if extent is not None else None)
        return tuple(edges)


@dataclass(frozen=True)
class LonePorts:
    """The ports of a single task, with its units along the line of a row-major scan."""

    ports: LocalPorts
    terms: Terms

    @staticmethod
    def of(accesses: Accesses, platform: Platform, task: str) -> LonePorts | None:
        """The ports of a task; None if memories always serve it, or it cannot be a group."""
        try:
            group = Group(accesses, (task,))
        except ArrayolError:
            return None
        ports = LocalPorts(group, platform, row_major(len(accesses.extents(task))))
        return None if ports.terms is None else LonePorts(ports, ports.terms)

    def is_feasible(self, units: int, cycles: int, *, in_fifos: bool) -> bool:
        """Whether memories may serve so many units with an occupancy of some cycles.

        With `in_fifos`, arrays that a FIFO may carry need no memory.
        """
        accesses, (task,) = self.ports.group.accesses, self.ports.group.tasks
        arrays = accesses.network.arrays
        sides = ((touch, side is accesses.reads) for side in (accesses.reads, accesses.writes) for touch in side[task])
        return all(
            self._serves(touch, units, cycles, read=read)
            or (in_fifos and bool(arrays[touch.array].producers) and len(arrays[touch.array].readers) == 1)
            for touch, read in sides
        )

    def _serves(self, touch: Touch, units: int, cycles: int, *, read: bool) -> bool:
        """Whether a tiler's elements of a cycle may have as many banks, copies, or registers."""
        access = self.ports.access(touch, units, cycles, results=not read)
        terms, array = self.terms, touch.array
        if not access.random and units * -(-len(access.places) // cycles) <= terms.banks_most:
            return True  # a bank for each place of each unit, even where they have some in common
        window, most = window_of(access) if read else None, access.in_a_cycle
        if window is not None:
            most = min(most, window.each)
        if read and most <= terms.copies_most * ROM_READS:
            return True
        least = len(set(access.places)) * self.ports.group.network.arrays[array].type.bits  # that its memory holds
        return not access.random and (most <= terms.banks_most or least <= terms.register_bits)
