"""Plain designs of one separable group in batches, or such that recompute: no cuts or FIFOs.

A structure is a block shape under a scan; what depends on rates (units and intervals) is only how long steps are. So
all shapes under one scan are priced together, and each under all combinations of rates (`GroupBatch.price`), or, where
units cost nothing in what is compared, under the one or few that stand for all (`GroupBatch.fastest`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import product

import numpy as np
from numpy.typing import NDArray

from hwmodel.accesses import Accesses
from hwmodel.design import BankLayout, Blocks, GroupDesign, Keep, Processor, Scan, units_of
from hwmodel.local_words import LocalWord
from hwmodel.machine.bounded import Bounded, LeastRates, least_of
from hwmodel.machine.built.local_ports import LocalPorts, terms_of
from hwmodel.machine.built.organised import Builder
from hwmodel.machine.built.resident_figures import resident_figures
from hwmodel.machine.built.served import all_rates, fastest_served, served
from hwmodel.machine.corrected import corrected
from hwmodel.machine.energy import EnergyPrices, energy_prices
from hwmodel.machine.group import Group
from hwmodel.machine.port import Port
from hwmodel.machine.priced import (
    FRAME,
    LATENCY,
    TIMES,
    Figures,
    Priced,
    PricedEnergy,
    count_combinations,
    unit_figures,
)
from hwmodel.machine.schedule.datapaths import Datapaths
from hwmodel.machine.schedule.processors import check_layouts
from hwmodel.machine.separable.axes import Ints, find_parts
from hwmodel.machine.separable.axis_table import AxisTable, Walk, axis_table, fields_of, reading_along
from hwmodel.machine.separable.block_order import OrderCounts, Structures, Walked, make_structures
from hwmodel.machine.separable.built import BatchMemories, Words
from hwmodel.machine.separable.counts import GroupCounts, Memory, make_counts
from hwmodel.machine.separable.distinct import distinct_rows, places_of
from hwmodel.machine.separable.energy import GroupEnergy, moved_data, port_words
from hwmodel.machine.separable.fastest_rates import FastestRates
from hwmodel.machine.separable.fetches import Reading, StructureKeeps
from hwmodel.machine.separable.first_use import find_masks
from hwmodel.machine.separable.line_cache import LineCache
from hwmodel.machine.separable.moved import Burst
from hwmodel.machine.separable.timing import Timing, access_cycles, step_kinds
from hwmodel.machine.ticks import stage_group
from hwmodel.machine.units_exact import PlannedStructure
from hwmodel.platform import Platform

_CELLS = 1 << 20  # of a component of the blocks, times structures priced together
_TABLES = 1 << 28  # bytes of tables of one group
_NOTHING = np.zeros((1, 1), np.int64)
_RECOMPUTING = "recomputing"


def open_batch(
    accesses: Accesses, platform: Platform, tasks: Sequence[str], lines: LineCache | None = None
) -> GroupBatch | None:
    """What prices a group in batches, with `lines` that other groups of the network know; None if it is not separable.

    Raises ArrayolError (`several-last-tasks`, `several-frames`).
    """
    group = Group(accesses, tasks)
    if platform.memory.rows is not None:
        return None
    parts = find_parts(group, stage_group(group))
    masks = find_masks(parts) if parts is not None else None
    if parts is None or masks is None:
        return None
    port = Port(accesses, platform)
    local = {} if port.by_run else _local_words(port, group)
    counts = make_counts(parts, masks, lines or LineCache(), by_run=port.by_run, local=local)
    if counts is None:
        return None
    paths = Datapaths(group.network, platform)
    return GroupBatch(accesses, platform, tuple(tasks), counts, paths, energy_prices(platform, accesses.network))


def _local_words(port: Port, group: Group) -> dict[Burst, LocalWord]:
    """The words of the memories inside that are loaded and stored, where they are known."""
    arrays = (*(("load", name) for name in group.loaded), *(("store", name) for name in group.stored))
    words = {burst: port.local_word(burst[1], write=burst[0] == "store") for burst in arrays}
    return {burst: word for burst, word in words.items() if word is not None}


@dataclass(eq=False)
class Kept:
    """Tables of block sides, dimensions put together of them, and the bytes of both, at the last `count`."""

    tables: dict[tuple[Walk, bytes], AxisTable] = field(default_factory=dict)
    widest: dict[Walk, tuple[Ints, AxisTable]] = field(default_factory=dict)  # the one of most rows, and these
    readings: dict[tuple[Walk, bytes], Reading] = field(default_factory=dict)
    orders: dict[tuple[object, ...], OrderCounts] = field(default_factory=dict)
    ports: dict[tuple[Scan, frozenset[str]], LocalPorts] = field(default_factory=dict)
    opened: dict[object, GroupBatch] = field(default_factory=dict)  # the same group with FIFOs, or recomputing
    size: int = 0

    def count(self) -> None:
        """Find out the bytes, with what was computed of orders since they were made."""
        self.size = sum(table.nbytes for table in self.tables.values())
        self.size += sum(order.nbytes for order in self.orders.values())
        for batch in self.opened.values():
            batch.kept.count()
            self.size += batch.kept.size

    def clear(self) -> None:
        """Forget all; what is asked for again is made again."""
        self.tables.clear()
        self.widest.clear()
        self.readings.clear()
        self.orders.clear()
        self.ports.clear()
        self.opened.clear()
        self.size = 0


@dataclass(frozen=True)
class GroupBatch:
    """The plain designs of one group on one platform; tables of block sides are `kept` for the next call."""

    accesses: Accesses
    platform: Platform
    tasks: tuple[str, ...]
    counts: GroupCounts
    paths: Datapaths
    prices: EnergyPrices | None
    layouts: tuple[BankLayout, ...] = ()
    kept: Kept = field(default_factory=Kept, repr=False, compare=False)

    def takes(self, scan: Scan, shapes: NDArray[np.int64], keeps: StructureKeeps | None = None) -> NDArray[np.bool_]:
        """Which structures need not go through the exact path, (S,)."""
        structures = self.structures(scan, shapes, keeps)
        taken: NDArray[np.bool_] = structures.holds & self.timing(self.tasks, scan).has_formula(structures)
        return taken

    def price(
        self,
        scan: Scan,
        shapes: NDArray[np.int64],
        rates: NDArray[np.int64],
        keeps: StructureKeeps | None = None,
    ) -> Priced:
        """The figures of blocks of shapes (S, rank) under a scan that is legal for all, and of rates (U, tasks).

        Without `keeps` what is loaded is kept until its last use.

        Tasks stand as they were given. Structures that are no products after all (several readers of one array, each
        the later along another dimension), or whose delays skip indices of a step, are priced by the exact path.
        """
        memories = self._memories(scan, self.structures(scan, shapes, keeps))
        return self._price(memories, memories.words.every, scan, shapes, rates, keeps)

    def _price(
        self,
        memories: BatchMemories,
        rows: Ints,
        scan: Scan,
        shapes: NDArray[np.int64],
        rates: NDArray[np.int64],
        keeps: StructureKeeps | None,
    ) -> Priced:
        """The same of some of the structures, by their rows, of those that memories are known of."""
        timing, structures, shapes = self.timing(self.tasks, scan), memories.words.structures.only(rows), shapes[rows]

        def cycles(*, cyclic: bool) -> Figures:
            return timing.cycles(step_kinds(self.counts, structures, cyclic=cyclic), len(shapes), rates)

        priced = self._priced(
            memories,
            rows,
            timing.legal(structures, rates),
            rates[None, :, :],
            latency=cycles(cyclic=False),
            frame=lambda: cycles(cyclic=True),
        )
        wrong = np.flatnonzero(~(structures.holds & timing.has_formula(structures)))
        planned = self._planned(scan, shapes, wrong, keeps.only(rows) if keeps is not None else None)
        return corrected(priced, wrong, [own.price(rates) for own in planned])

    def fastest(
        self,
        scan: Scan,
        shapes: NDArray[np.int64],
        offered: Sequence[Sequence[int]],
        keeps: StructureKeeps | None = None,
        *,
        times: Collection[str] = (LATENCY,),
    ) -> Priced:
        """The same at the rates that nothing beats, (S, V): of the fastest of their families those of fewest units.

        Each task has one of the rates `offered` to it (ascending). Of a family of rates (`Offered`) no more is tried
        than the most units; and none that is never faster than another (`fastest_rates`), so that V is mostly 1.
        Fastest of some families is what has the least of all `times` that are named (of `priced.TIMES`) at once;
        without a name, all are. That is enough where only figures with `units_are_free` are compared: `Timing.least`
        says why. The other legal combinations are `left_out`. Where none is legal, one that is not stands for all.
        """
        structures, timing = self.structures(scan, shapes, keeps), self.timing(self.tasks, scan)
        fast = FastestRates.of(timing, structures, offered, times)
        wrong = ~(structures.holds & timing.has_formula(structures))
        memories = self._memories(scan, structures)
        priced = self._priced(
            memories,
            memories.words.every,
            fast.legal,
            fast.combinations,
            latency=fast.time(LATENCY),
            frame=lambda: fast.time(FRAME),
        )
        unserved = np.flatnonzero((fast.legal & ~priced.legal).any(axis=1) & ~wrong)
        plain = ~wrong
        plain[unserved] = False
        left_out = count_combinations(fast.numbers[plain]) - int(fast.legal[plain].sum())
        again = [self._fastest_served(scan, shapes[[row]], offered, keeps, times, row) for row in unserved.tolist()]
        exact = [own.fastest(offered, times=times) for own in self._planned(scan, shapes, np.flatnonzero(wrong), keeps)]
        rows = np.concatenate([unserved, np.flatnonzero(wrong)])
        return corrected(replace(priced, left_out=left_out), rows, [*again, *exact])

    def _fastest_served(
        self,
        scan: Scan,
        shape: NDArray[np.int64],
        offered: Sequence[Sequence[int]],
        keeps: StructureKeeps | None,
        times: Collection[str],
        row: int,
    ) -> Priced:
        """The same of one structure, of which the fastest rates have ports that no memory serves: of all rates."""
        own = keeps.only(np.array([row])) if keeps is not None else None
        rates, untried = all_rates(offered)
        priced = self.price(scan, shape, rates, own)
        chosen = fastest_served(
            [priced.objective(name)[0] for name in times], units_of(rates).sum(axis=1), priced.legal[0]
        )
        found = self.price(scan, shape, rates[chosen] if len(chosen) else rates[:1], own)
        return replace(found, left_out=int(priced.legal.sum()) - int(found.legal.sum()), untried=untried)

    def bounded(
        self,
        scan: Scan,
        shapes: NDArray[np.int64],
        offered: Sequence[Sequence[int]],
        keeps: StructureKeeps | None = None,
        *,
        times: Collection[str] = (LATENCY,),
    ) -> Bounded:
        """What no design of blocks of these shapes has less of, and their prices under all rates offered to tasks.

        Of times those named.
        """
        structures, timing = self.structures(scan, shapes, keeps), self.timing(self.tasks, scan)
        memories, fast = self._memories(scan, structures), FastestRates.of(timing, structures, offered, times)
        least, energy = LeastRates(self.accesses, self.paths, self.tasks, offered), self.energy
        of_times = {name: least_of(fast.time(name), fast.legal) if name in times else _NOTHING for name in TIMES}
        priced = least.priced(
            np.asarray(fast.legal.any(axis=1, keepdims=True)),
            of_times,
            self._least_memory(memories),
            memories.builder,
            (self.traffic(structures)[:, None], lambda: self.port_traffic(structures)[:, None]),
            None if energy is None else least.energy(energy.prices, *energy.beside_memories(structures)),
        )
        rates = np.array(list(product(*offered)), np.int64).reshape(-1, len(self.tasks))

        def price(rows: NDArray[np.int64]) -> Priced:
            return self._price(memories, rows, scan, shapes, rates, keeps)

        return Bounded(priced, fast.fewest, structures.holds & timing.has_formula(structures), price)

    def _least_memory(self, memories: BatchMemories) -> tuple[Figures, Figures]:
        """What is live at once in data and bits, (S, 1)."""
        live = memories.words.live(memories.words.every)
        return live.sum(axis=1, keepdims=True), (live @ self.counts.bits)[:, None]

    def _priced(
        self,
        memories: BatchMemories,
        rows: Ints,
        legal: NDArray[np.bool_],
        combinations: Ints,
        *,
        latency: Figures,
        frame: Callable[[], Figures],
        left_out: int = 0,
    ) -> Priced:
        """Times as they are given, with all other figures, of some structures by their rows."""
        structures, memory = memories.words.structures.only(rows), memories.words.addressed(rows)
        has_blocks = self.platform.local.block_bits is not None
        there, refusal = self._served(memories.builder, memory, combinations)
        number, costs = unit_figures(self.accesses, self.paths, self.tasks, combinations)
        return Priced(
            legal=legal & there,
            combinations=combinations,
            latency_cycles=latency,
            addressed_data=memory.sum(axis=1, keepdims=True),
            addressed_bits=(memory @ self.counts.bits)[:, None],
            counted_blocks=self.blocks_of(memory).sum(axis=1, keepdims=True) if has_blocks else None,
            traffic_bytes=self.traffic(structures)[:, None],
            units=number,
            unit_costs=costs,
            frame=frame,
            port=lambda: self.port_traffic(structures)[:, None],
            left_out=left_out,
            energy=self._energy_of(structures, memory, combinations),
            built=memories.priced(self.paths, self.tasks, combinations, rows),
            refusal=refusal,
            resident=partial(resident_figures, memories.builder, self.paths, self.tasks, combinations),
        )

    def _served(
        self, builder: Builder | None, memory: Ints, combinations: Ints
    ) -> tuple[NDArray[np.bool_], str | None]:
        """Which structures have all their memories at which rates, (S, U), and why not all."""
        if builder is None:
            return np.ones((1, 1), np.bool_), None
        buffers = [
            (local.name, memory[:, number] * local.bits)
            for number, local in enumerate(self.counts.memories)
            if local.kind == "buffer"
        ]
        return served(builder, self.paths, self.tasks, combinations, dict(buffers))

    def _memories(self, scan: Scan, structures: Structures) -> BatchMemories:
        """The memories of structures."""
        energy, builder = self.energy, Builder.of(self.local_ports(scan), self.layouts)
        accesses = partial(energy.local_accesses, structures) if energy is not None else None
        return BatchMemories(Words(self.counts, structures), builder, accesses)

    def _energy_of(self, structures: Structures, memory: Ints, combinations: Ints) -> PricedEnergy | None:
        """Energies of structures, when they are first asked for; None where the platform does not give them."""
        energy = self.energy
        if energy is None:
            return None
        banks, is_built = [self.banks(local) for local in self.counts.memories], terms_of(self.platform) is not None

        def femtojoules() -> Figures:
            own = energy.outside(structures) if is_built else energy.of_structures(structures, memory, banks)
            return own + energy.of_rates(structures, self.tasks, combinations)

        return PricedEnergy(femtojoules, energy.prices.leaking)

    @property
    def energy(self) -> GroupEnergy | None:
        """What energies are made of; None where the platform does not give them."""
        prices = self.prices
        return GroupEnergy(self.accesses, self.counts, self.paths, prices) if prices is not None else None

    def with_layouts(self, layouts: tuple[BankLayout, ...]) -> GroupBatch:
        """The same with bank layouts of buffers; tables are shared. Raises ArrayolError for layouts that cannot be."""
        check_layouts(self.counts.parts.group, layouts, self.counts.fifos, self.platform)
        cycles = access_cycles(self.counts, self.platform, layouts)
        return replace(self, layouts=layouts, paths=Datapaths(self.paths.network, self.platform, cycles))

    def with_fifos(self, fifos: frozenset[str]) -> GroupBatch:
        """The same group with FIFOs, which work in other stages, but for the times of its processors.

        Raises ArrayolError (`fifo-refused`) where a FIFO's reader would work in another step.
        """
        if fifos not in self.kept.opened:
            parts = self.counts.parts
            stages = stage_group(parts.group, fifos)
            counts = replace(self.counts, parts=replace(parts, stages=stages), fifos=fifos)
            self.kept.opened[fifos] = replace(self, counts=counts, kept=Kept())
        return self.kept.opened[fifos]

    def recomputing(self) -> GroupBatch | None:
        """The same group recomputing; None where what its tasks make again and again is no product."""
        again = self.counts.may_recompute
        if not again:
            return None if again is None else self
        if _RECOMPUTING not in self.kept.opened:
            self.kept.opened[_RECOMPUTING] = replace(self, counts=replace(self.counts, again=again), kept=Kept())
        return self.kept.opened[_RECOMPUTING]

    def timing(self, tasks: tuple[str, ...], scan: Scan) -> Timing:
        """The lengths of steps under a scan; columns of rates stand for `tasks`."""
        return Timing(self.counts, replace(self.paths, filling=self.local_ports(scan).fill), tasks)

    def local_ports(self, scan: Scan) -> LocalPorts:
        """The ports of the buffers under a scan."""
        apart = frozenset(layout.array for layout in self.layouts)
        if (scan, apart) not in self.kept.ports:
            ports = LocalPorts(self.counts.parts.group, self.platform, scan, apart=apart)
            self.kept.ports[scan, apart] = ports
        return self.kept.ports[scan, apart]

    def banks(self, memory: Memory) -> int:
        """Banks of a memory: its layout's, else one for each element of the largest pattern."""
        buffers = {layout.array: layout.banks for layout in self.layouts} if memory.kind == "buffer" else {}
        return buffers.get(memory.name, memory.banks)

    def uneven_tasks(self, scan: Scan, shapes: NDArray[np.int64]) -> list[tuple[str, ...] | None]:
        """Tasks before the last with twice their share of a block or more at some tick; None for no product.

        Of blocks of each shape (S, rank) under a scan.
        """
        structures, group = self.structures(scan, shapes), self.counts.parts.group
        most, total = np.zeros((2, len(shapes), len(self.counts.names)), np.int64)
        for kinds in step_kinds(self.counts, structures, cyclic=False):
            most[kinds.chosen] = kinds.happens.max(axis=1)
            total[kinds.chosen] = np.einsum("skq,sk->sq", kinds.happens, kinds.times)
        rows, columns = structures.pairs.T
        ticks = (structures.outer.places[rows] * structures.inner.places[columns])[:, None]
        uneven = (ticks > 1) & (total > 0) & (most * ticks >= 2 * total)
        tasks = [(number, name) for number, (kind, name) in enumerate(self.counts.names) if kind == "task"]
        return [
            tuple(name for number, name in tasks if own[number] and name != group.last) if holds else None
            for own, holds in zip(uneven, structures.holds.tolist(), strict=True)
        ]

    def reads_again(self, scan: Scan, shapes: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether an element from outside is read at several ticks, of blocks of each shape, (S,)."""
        again = np.zeros(len(shapes), np.bool_)
        for walk, _, sides in self.walks(scan, shapes):
            rows, pick = np.unique(sides, axis=0, return_inverse=True)
            _, fields = fields_of(self.counts, walk, rows)
            for name in self.counts.parts.group.loaded:
                of_side: NDArray[np.bool_] = np.asarray((fields.last[name] > fields.read[name]).any(axis=1))
                again |= of_side[pick.ravel()]
        return again

    def keeps_of(self, design: GroupDesign) -> tuple[Keep, ...]:
        """What a design keeps of each array from outside."""
        return tuple(map(design.keep_of, self.counts.parts.group.loaded))

    def structures_of(self, *designs: GroupDesign) -> Structures:
        """Those of plain designs of one scan, what each keeps included."""
        shapes = np.array([design.blocks.shape for design in designs], np.int64).reshape(len(designs), -1)
        return self.structures(designs[0].blocks.scan, shapes, StructureKeeps.of(map(self.keeps_of, designs)))

    @property
    def listed(self) -> frozenset[str]:
        """Arrays whose buffers may have to be told from their data in some structures, one structure at a time."""
        counts, parts = self.counts, self.counts.parts
        if parts.spaces.couple:
            return frozenset(parts.array_of(source.piece) for source in counts.sources)
        lived = {*counts.stored, *counts.read_in_part}  # such are a product only where they are read at once
        followed = (piece for piece in counts.followed if piece in lived or counts.latest_readers(piece) != -1)
        return frozenset(map(parts.array_of, followed))

    @property
    def at_once(self) -> int | None:
        """How many structures should be priced together: few where dimensions that stand as one have many cells."""
        parts = self.counts.parts
        cells = max((math.prod(parts.extents(task)) for task in parts.group.tasks), default=1)
        return max(1, _CELLS // cells) if parts.spaces.couple else None

    def walks(self, scan: Scan, shapes: Ints) -> list[tuple[Walk, tuple[int, ...], Ints]]:
        """How a scan walks the dimensions of the blocks, by their outermost loops: loops of the scan, and sides."""
        walks = []
        for block, own in enumerate(self.counts.parts.blocks):
            loops = tuple(loop for loop, k in enumerate(scan.dimensions) if k in own)
            dimensions = tuple(scan.dimensions[loop] for loop in loops)
            descending = tuple(scan.descending[loop] for loop in loops)
            walks.append((Walk(block, dimensions, descending), loops, shapes[:, list(dimensions)]))
        return sorted(walks, key=lambda walk: walk[1])

    def reading(self, scan: Scan, shapes: NDArray[np.int64]) -> Reading:
        """How blocks of these shapes read arrays from outside along each dimension."""
        readings, picks = [], []
        for walk, _, sides in self.walks(scan, shapes):
            rows, pick = np.unique(sides, axis=0, return_inverse=True)
            key = walk, rows.tobytes()
            if key not in self.kept.readings:
                self.kept.readings[key] = reading_along(self.counts, walk, rows)
            readings.append(self.kept.readings[key])
            picks.append(pick.ravel())
        return Reading.of_structures(readings, picks)

    def structures(self, scan: Scan, shapes: NDArray[np.int64], keeps: StructureKeeps | None = None) -> Structures:
        """The orders of blocks of these shapes, and what they keep."""
        walked, picks, walks = [], [], self.walks(scan, shapes)
        loaded, whole = len(self.counts.parts.group.loaded), np.ones(len(shapes), np.bool_)
        fetched = np.zeros((len(shapes), len(walks), loaded), np.int64)
        if keeps is not None and walks and any(keep != Keep(0) for each in keeps.choices for keep in each):
            fetched, whole = keeps.codes(self.reading(scan, shapes), [loops for _, loops, _ in walks])
        for number, (walk, loops, sides) in enumerate(walks):
            choices = np.column_stack([sides, fetched[:, number]])
            first, pick = distinct_rows(choices)
            table, place = self._table(walk, choices[first])
            walked.append(Walked(walk.block, table, loops))
            picks.append(place[pick])
        rows = np.array(picks, np.int64).reshape(len(walked), len(shapes)).T
        structures = make_structures(self.counts, scan, walked, rows, self.kept.orders)
        return replace(structures, holds=structures.holds & whole)

    def _table(self, walk: Walk, rows: Ints) -> tuple[AxisTable, Ints]:
        """The table of some choices of sides and fetches, one a row, or a wider one; which of its rows they are."""
        kept, loops, key = self.kept, len(walk.dimensions), (walk, rows.tobytes())
        wider = kept.widest.get(walk)
        place = None if wider is None else places_of(rows, wider[0])
        if wider is not None and place is not None:
            return wider[1], place
        if key not in kept.tables:
            if kept.size > _TABLES:
                kept.clear()
            kept.tables[key] = table = axis_table(self.counts, walk, rows[:, :loops], rows[:, loops:])
            kept.size += table.nbytes
            if wider is None or len(rows) > len(wider[0]):
                kept.widest[walk] = rows, table
        return kept.tables[key], np.arange(len(rows))

    def blocks_of(self, memory: Ints) -> Ints:
        """The blocks of memories of so many words, (S, memories); 0 on a platform without blocks."""
        size = self.platform.local.block_bits
        if size is None:
            return np.zeros_like(memory)
        banks = np.array([self.banks(local) for local in self.counts.memories], np.int64)
        blocks: Ints = banks * -(-(-(-memory // banks) * self.counts.bits) // size)
        return blocks

    def traffic(self, structures: Structures) -> Ints:
        """Bytes loaded and stored, (S,)."""
        port = Port(self.accesses, self.platform)
        element = [0 if kind == "task" else port.element_bytes(name) for kind, name in self.counts.names]
        moved: Ints = moved_data(self.counts, structures) @ np.array(element)
        return moved

    def port_traffic(self, structures: Structures) -> Ints:
        """Bytes that the port moves for that, whole words, (S,)."""
        port, total = Port(self.accesses, self.platform), np.zeros(len(structures.pairs), np.int64)
        for name, words in port_words(self.counts, port, structures).items():
            total += port.bytes_of_words(name, words)
        return total

    def _planned(
        self, scan: Scan, shapes: Ints, rows: Ints, keeps: StructureKeeps | None
    ) -> Iterator[PlannedStructure]:
        """Some structures of these shapes by the exact path, one by one."""
        processors, loaded = tuple(Processor(task) for task in self.tasks), self.counts.parts.group.loaded
        for row in rows.tolist():
            blocks = Blocks(tuple(shapes[row].tolist()), scan)
            own = keeps.choices[keeps.which[row]] if keeps is not None else ()
            chosen = zip(loaded, own, strict=keeps is not None)
            recompute = bool(self.counts.again)
            design = GroupDesign(processors, blocks, layouts=self.layouts, recompute=recompute, keeps=tuple(chosen))
            yield PlannedStructure.of(self.accesses, self.platform, design, self.local_ports(scan))
