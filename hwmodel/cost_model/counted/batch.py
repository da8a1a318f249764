"""Tables of many plain (or recomputing) structures of one separable group at once: without cuts or FIFOs.

A structure is a block shape under a scan. The rates (units and initiation intervals) only decide how long steps are,
and how memories are built. So one table covers all shapes under one scan (`GroupBatch.tables`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import IntArray
from hwmodel.accesses import Accesses
from hwmodel.cost_model.counted.axes.axes import Mask, find_parts
from hwmodel.cost_model.counted.axes.fetches import Reading, StructureKeeps
from hwmodel.cost_model.counted.axes.first_use import find_masks
from hwmodel.cost_model.counted.axes.line_cache import LineCache
from hwmodel.cost_model.counted.axes.moved import Burst
from hwmodel.cost_model.counted.axis_table import AxisTable, LoopOrder, axis_table, fields_of, reading_along
from hwmodel.cost_model.counted.block_order import OrderCounts, Structures, Walked, make_structures
from hwmodel.cost_model.counted.buffer_size.sizes import CountedBuffers
from hwmodel.cost_model.counted.counted_accesses import CountedAccesses
from hwmodel.cost_model.counted.counted_steps import CountedSteps, kinds_of
from hwmodel.cost_model.counted.counts import GroupCounts, make_counts
from hwmodel.cost_model.counted.step_kinds import step_kinds
from hwmodel.cost_model.energy import EnergyCosts, energy_prices
from hwmodel.cost_model.enumerated.plan_tables import enumerate_tables
from hwmodel.cost_model.group.group import Group
from hwmodel.cost_model.group.ticks import stage_group
from hwmodel.cost_model.issue.datapaths import Datapaths
from hwmodel.cost_model.issue.occupancy import LayoutOccupancy
from hwmodel.cost_model.issue.processors import check_layouts
from hwmodel.cost_model.memories.local_ports import LocalPorts
from hwmodel.cost_model.memory_port.port import MemoryPort
from hwmodel.cost_model.numbering import distinct_rows, places_of
from hwmodel.cost_model.tables.group_tables import GroupTables
from hwmodel.design import BankLayout, Blocks, GroupDesign, Processor, ReuseLevel, Scan
from hwmodel.local_words import LocalWord
from hwmodel.platform import Platform

_CELLS = 1 << 20  # of a component of the blocks, times structures evaluated together
_TABLES = 1 << 28  # bytes of tables of one group
_RECOMPUTING = "recomputing"


def open_batch(
    accesses: Accesses, platform: Platform, tasks: Sequence[str], lines: LineCache | None = None
) -> GroupBatch | None:
    """The batch of a group; None if the group is not separable. `lines` caches lines that groups have in common.

    Raises ArrayolError (`several-last-tasks`, `several-frames`).
    """
    group = Group(accesses, tasks)
    if platform.has_rows:
        return None
    parts = find_parts(group, stage_group(group))
    masks = find_masks(parts) if parts is not None else None
    if parts is None or masks is None:
        return None
    port = MemoryPort(accesses, platform)
    local = {} if port.by_run else _local_words(port, group)
    counts = make_counts(parts, masks, lines or LineCache(), by_run=port.by_run, local=local)
    if counts is None:
        return None
    paths = Datapaths(group.network, platform)
    return GroupBatch(accesses, platform, tuple(tasks), counts, paths, energy_prices(platform, accesses.network))


def _local_words(port: MemoryPort, group: Group) -> dict[Burst, LocalWord]:
    """The local words of loads and stores, where they are known."""
    arrays = (*(("load", name) for name in group.loaded), *(("store", name) for name in group.stored))
    words = {burst: port.local_word(burst[1], write=burst[0] == "store") for burst in arrays}
    return {burst: word for burst, word in words.items() if word is not None}


@dataclass(eq=False)
class SideTables:
    """Cached tables of block sides, combinations of dimensions, and the bytes of both at the last `count`."""

    tables: dict[tuple[LoopOrder, bytes], AxisTable] = field(default_factory=dict)
    widest: dict[LoopOrder, tuple[IntArray, AxisTable]] = field(default_factory=dict)  # the one of most rows, and these
    readings: dict[tuple[LoopOrder, bytes], Reading] = field(default_factory=dict)
    orders: dict[tuple[object, ...], OrderCounts] = field(default_factory=dict)
    ports: dict[tuple[Scan, frozenset[str]], LocalPorts] = field(default_factory=dict)
    opened: dict[object, GroupBatch] = field(default_factory=dict)  # the same group with FIFOs, or recomputing
    size: int = 0

    def count(self) -> None:
        """Measure the bytes again, with the values that were derived from orders since they were made."""
        self.size = sum(table.nbytes for table in self.tables.values())
        self.size += sum(order.nbytes for order in self.orders.values())
        for batch in self.opened.values():
            batch.kept.count()
            self.size += batch.kept.size

    def clear(self) -> None:
        """Drop all tables; they are computed again when they are needed."""
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
    prices: EnergyCosts | None
    layouts: tuple[BankLayout, ...] = ()
    kept: SideTables = field(default_factory=SideTables, repr=False, compare=False)

    def takes(self, scan: Scan, shapes: IntArray, keeps: StructureKeeps | None = None) -> Mask:
        """Which structures are Cartesian and need no schedule, (S,)."""
        structures = self.structures(scan, shapes, keeps)
        accepted: Mask = structures.holds & self.steps(scan, structures).has_formula
        return accepted

    def tables(self, scan: Scan, shapes: IntArray, keeps: StructureKeeps | None = None) -> GroupTables:
        """The tables of blocks with shapes (S, rank) under a scan that is legal for all.

        Rates are in the order of `tasks`.

        Without `keeps`, loaded data are kept until their last use. Structures that turn out not to be Cartesian
        (several readers of one array, each the later along another dimension), or whose delays skip indices of a step,
        are missing from the tables; they are enumerated one by one when they are asked for.
        """

        def enumerated(row: int) -> GroupTables:
            processors, loaded = tuple(Processor(task) for task in self.tasks), self.counts.parts.group.loaded
            blocks = Blocks(tuple(shapes[row].tolist()), scan)
            own = keeps.choices[keeps.which[row]] if keeps is not None else ()
            chosen = tuple(zip(loaded, own, strict=keeps is not None))
            recompute = bool(self.counts.again)
            design = GroupDesign(processors, blocks, layouts=self.layouts, recompute=recompute, keeps=chosen)
            return enumerate_tables(self.accesses, self.platform, design, self.local_ports(scan))

        structures = self.structures(scan, shapes, keeps)
        missing = ~(structures.holds & self.steps(scan, structures).has_formula)
        return replace(self.tables_of(scan, structures), missing=missing, tables_of=enumerated)

    def tables_of(self, scan: Scan, structures: Structures) -> GroupTables:
        """The tables of structures, from counts; the rows of structures that are not Cartesian mean nothing."""
        return GroupTables(
            group=self.counts.parts.group,
            platform=self.platform,
            ports=self.local_ports(scan),
            layouts=self.layouts,
            evaluator="counted",
            prices=self.prices,
            steps=self.steps(scan, structures),
            buffers=CountedBuffers(self.counts, structures, self.layouts),
            accesses=CountedAccesses(self.counts, structures, MemoryPort(self.accesses, self.platform)),
            rows=np.arange(len(structures.pairs)),
            missing=np.zeros(len(structures.pairs), np.bool_),
        )

    def steps(self, scan: Scan, structures: Structures) -> CountedSteps:
        """The steps of structures under a scan."""
        paths = replace(self.paths, filling=self.local_ports(scan).fill)
        return CountedSteps(self.counts, structures, paths, self.tasks)

    def with_layouts(self, layouts: tuple[BankLayout, ...]) -> GroupBatch:
        """Give bank layouts to buffers; tables are shared. Raises ArrayolError for layouts that are refused."""
        check_layouts(self.counts.parts.group, layouts, self.counts.fifos, self.platform)
        occupied = LayoutOccupancy.of(self.counts.parts.group, layouts, self.platform, kinds_of(self.counts))
        return replace(self, layouts=layouts, paths=Datapaths(self.paths.network, self.platform, occupied))

    def with_fifos(self, fifos: frozenset[str]) -> GroupBatch:
        """Open the same group with FIFOs: other stages and fewer buffers, but not the times of the joined processors.

        Raises ArrayolError (`fifo-refused`) where a FIFO's reader would work in another step.
        """
        if fifos not in self.kept.opened:
            parts = self.counts.parts
            stages = stage_group(parts.group, fifos)
            counts = replace(self.counts, parts=replace(parts, stages=stages), fifos=fifos)
            self.kept.opened[fifos] = replace(self, counts=counts, kept=SideTables())
        return self.kept.opened[fifos]

    def recomputing(self) -> GroupBatch | None:
        """Open the same group with recomputation; None if the runs of its tasks would not be Cartesian."""
        again = self.counts.may_recompute
        if not again:
            return None if again is None else self
        if _RECOMPUTING not in self.kept.opened:
            self.kept.opened[_RECOMPUTING] = replace(self, counts=replace(self.counts, again=again), kept=SideTables())
        return self.kept.opened[_RECOMPUTING]

    def local_ports(self, scan: Scan) -> LocalPorts:
        """The ports of the buffers under a scan."""
        with_layout = frozenset(layout.array for layout in self.layouts)
        if (scan, with_layout) not in self.kept.ports:
            ports = LocalPorts(self.counts.parts.group, self.platform, scan, apart=with_layout)
            self.kept.ports[scan, with_layout] = ports
        return self.kept.ports[scan, with_layout]

    def uneven_tasks(self, scan: Scan, shapes: NDArray[np.int64]) -> list[tuple[str, ...] | None]:
        """Tasks before the last with at least twice their share of a block at some tick.

        None for non-Cartesian structures.

        One entry for each of the shapes (S, rank) of blocks under a scan.
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
        """Whether an element from outside is read at several ticks, for blocks of each shape, (S,)."""
        again = np.zeros(len(shapes), np.bool_)
        for walk, _, sides in self.walks(scan, shapes):
            rows, pick = np.unique(sides, axis=0, return_inverse=True)
            _, fields = fields_of(self.counts, walk, rows)
            for name in self.counts.parts.group.loaded:
                of_side: NDArray[np.bool_] = np.asarray((fields.last[name] > fields.read[name]).any(axis=1))
                again |= of_side[pick.ravel()]
        return again

    def keeps_of(self, design: GroupDesign) -> tuple[ReuseLevel, ...]:
        """The keep of a design for each array from outside."""
        return tuple(map(design.keep_of, self.counts.parts.group.loaded))

    def structures_of(self, *designs: GroupDesign) -> Structures:
        """The structures of plain designs of one scan, with the keeps of each."""
        shapes = np.array([design.blocks.shape for design in designs], np.int64).reshape(len(designs), -1)
        return self.structures(designs[0].blocks.scan, shapes, StructureKeeps.of(map(self.keeps_of, designs)))

    @property
    def listed(self) -> frozenset[str]:
        """Arrays whose buffers may have to be sized from their data in some structures, one structure at a time."""
        counts, parts = self.counts, self.counts.parts
        if parts.spaces.couple:
            return frozenset(parts.array_of(source.piece) for source in counts.sources)
        lived = {*counts.stored, *counts.read_in_part}  # such are a product only where they are read at once
        followed = (piece for piece in counts.followed if piece in lived or counts.latest_readers(piece) != -1)
        return frozenset(map(parts.array_of, followed))

    @property
    def at_once(self) -> int | None:
        """The number of structures to evaluate together: few where merged dimensions have many cells.

        None for no limit.
        """
        parts = self.counts.parts
        cells = max((math.prod(parts.extents(task)) for task in parts.group.tasks), default=1)
        return max(1, _CELLS // cells) if parts.spaces.couple else None

    def walks(self, scan: Scan, shapes: IntArray) -> list[tuple[LoopOrder, tuple[int, ...], IntArray]]:
        """How a scan walks each block dimension: the walk, its loops, and the sides (S, loops) of blocks of each shape.

        Ordered by the outermost loop.
        """
        walks = []
        for block, merged in enumerate(self.counts.parts.blocks):
            loops = tuple(loop for loop, k in enumerate(scan.dimensions) if k in merged)
            dimensions = tuple(scan.dimensions[loop] for loop in loops)
            descending = tuple(scan.descending[loop] for loop in loops)
            walks.append((LoopOrder(block, dimensions, descending), loops, shapes[:, list(dimensions)]))
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
        """The structures of blocks of these shapes (S, rank), with their keeps."""
        walked, picks, walks = [], [], self.walks(scan, shapes)
        loaded, whole = len(self.counts.parts.group.loaded), np.ones(len(shapes), np.bool_)
        fetched = np.zeros((len(shapes), len(walks), loaded), np.int64)
        if keeps is not None and walks and any(keep != ReuseLevel(0) for each in keeps.choices for keep in each):
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

    def _table(self, walk: LoopOrder, rows: IntArray) -> tuple[AxisTable, IntArray]:
        """The table of some choices of sides and fetches, one a row, and the row of each choice.

        It may be a larger table.
        """
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
