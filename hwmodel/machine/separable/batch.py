"""Plain designs of one separable group in batches: no cuts, FIFOs or recomputing.

A structure is a block shape under a scan; what depends on units is only how long steps are. So all shapes under one
scan are priced together, and each under all combinations of units (`GroupBatch.price`), or, where units cost nothing in
what is compared, under the one combination that stands for all (`GroupBatch.fastest`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hwmodel.accesses import Accesses
from hwmodel.design import BankLayout, Blocks, GroupDesign, Policy, Processor, Scan
from hwmodel.machine.group import Group
from hwmodel.machine.port import Port
from hwmodel.machine.priced import (
    FRAME,
    LATENCY,
    Figures,
    Priced,
    count_combinations,
    how_many_suit,
    offered_units,
    unit_figures,
)
from hwmodel.machine.processors import check_layouts, plain_occupancy
from hwmodel.machine.separable.axes import Ints, find_parts
from hwmodel.machine.separable.axis_table import AxisTable, axis_table, fields_of, unchanging_along
from hwmodel.machine.separable.block_order import OrderCounts, Structures, make_structures
from hwmodel.machine.separable.counts import GroupCounts, Memory, make_counts
from hwmodel.machine.separable.first_use import Fetch, fetch_of, find_masks
from hwmodel.machine.separable.live_sets import LiveSets
from hwmodel.machine.separable.timing import Timing, occupancies, step_kinds
from hwmodel.machine.ticks import stage_group
from hwmodel.machine.units_exact import fastest_structure, price_structure
from hwmodel.platform import Platform

_CYCLIC = {LATENCY: False, FRAME: True}  # which steps a time is the sum of


def open_batch(accesses: Accesses, platform: Platform, tasks: Sequence[str]) -> GroupBatch | None:
    """What prices a group in batches; None where it is not separable or its steps have no closed form.

    Raises ArrayolError (`several-last-tasks`, `several-frames`).
    """
    group = Group(accesses, tasks)
    if platform.memory.rows is not None or not all(_has_formula(group, platform, task) for task in group.tasks):
        return None
    rank = len(accesses.extents(group.last))
    blocks = Blocks((1,) * rank, Scan(tuple(range(rank)), (False,) * rank))
    stages = stage_group(group, GroupDesign(tuple(Processor(task) for task in tasks), blocks))
    parts = find_parts(group, stages)
    masks = find_masks(parts) if parts is not None else None
    counts = make_counts(parts, masks) if parts is not None and masks is not None else None
    return GroupBatch(accesses, platform, tuple(tasks), counts) if counts is not None else None


def _has_formula(group: Group, platform: Platform, task: str) -> bool:
    process = group.network.processes[task]
    recurrence = max(platform.datapath(process).recurrence.values(), default=0)
    return not group.delays(task) or recurrence <= plain_occupancy(platform, process)


@dataclass(eq=False)
class Kept:
    """Tables of block sides, dimensions put together of them, and the bytes that the tables take: nearly all of it."""

    tables: dict[tuple[int, bool, Fetch, bytes], AxisTable] = field(default_factory=dict)
    unchanging: dict[tuple[int, bool, bytes], NDArray[np.bool_]] = field(default_factory=dict)
    orders: dict[tuple[object, ...], OrderCounts] = field(default_factory=dict)
    size: int = 0

    def clear(self) -> None:
        """Forget all; what is asked for again is made again."""
        self.tables.clear()
        self.unchanging.clear()
        self.orders.clear()
        self.size = 0


@dataclass(frozen=True)
class GroupBatch:
    """The plain designs of one group on one platform; tables of block sides are `kept` for the next call."""

    accesses: Accesses
    platform: Platform
    tasks: tuple[str, ...]
    counts: GroupCounts
    layouts: tuple[BankLayout, ...] = ()
    kept: Kept = field(default_factory=Kept, repr=False, compare=False)

    def price(
        self, scan: Scan, shapes: NDArray[np.int64], units: NDArray[np.int64], policy: Policy = "reuse"
    ) -> Priced:
        """The figures of blocks of shapes (S, rank) under a scan that is legal for all, and of units (U, tasks).

        Tasks stand as they were given. Structures that are no products after all (several readers of one array, each
        the later along another dimension) are priced by the exact path.
        """
        structures = self.structures(scan, shapes, policy)
        timing = self.timing(self.tasks)

        def cycles(*, cyclic: bool) -> Figures:
            return timing.cycles(step_kinds(self.counts, structures, cyclic=cyclic), len(shapes), units)

        priced = self._priced(
            structures,
            timing.legal(structures, units),
            units[None, :, :],
            latency=cycles(cyclic=False),
            frame=lambda: cycles(cyclic=True),
        )
        designs = self._exceptions(scan, shapes, policy, structures)
        exact = [price_structure(self.accesses, self.platform, design, units) for design in designs]
        return _corrected(priced, np.flatnonzero(~structures.holds), exact)

    def fastest(
        self,
        scan: Scan,
        shapes: NDArray[np.int64],
        offered: Sequence[int],
        policy: Policy = "reuse",
        *,
        times: Collection[str] = (LATENCY,),
    ) -> Priced:
        """The same with one combination of units of each structure, (S, 1): of the fastest ones that with the fewest.

        Each task has one of the `offered` numbers of units (ascending). Fastest is what has the least of all `times`
        that are named (of `priced.TIMES`) at once; without a name, all are. That is enough where only figures with
        `units_are_free` are compared: `Timing.least` says why. The other legal combinations are `left_out`. Where none
        is legal, one that is not stands for all.
        """
        structures = self.structures(scan, shapes, policy)
        timing, numbers = self.timing(self.tasks), offered_units(offered)
        choices = how_many_suit(timing.most_units(structures), numbers)
        most = numbers[np.maximum(choices - 1, 0)]
        cycles, fewest = {}, np.ones_like(most)
        for name in times:
            kinds = step_kinds(self.counts, structures, cyclic=_CYCLIC[name])
            cycles[name], needed = timing.least(kinds, most)
            fewest = np.maximum(fewest, needed)
        units = numbers[np.searchsorted(numbers, fewest)]

        def time(name: str) -> Figures:
            if name not in cycles:
                cycles[name] = timing.cycles_of_each(step_kinds(self.counts, structures, cyclic=_CYCLIC[name]), units)
            return cycles[name][:, None]

        legal = np.asarray((choices > 0).all(axis=1))
        priced = self._priced(
            structures,
            legal[:, None],
            units[:, None, :],
            latency=time(LATENCY),
            frame=lambda: time(FRAME),
            left_out=count_combinations(choices[structures.holds]) - int(legal[structures.holds].sum()),
        )
        designs = self._exceptions(scan, shapes, policy, structures)
        exact = [fastest_structure(self.accesses, self.platform, design, offered, times=times) for design in designs]
        return _corrected(priced, np.flatnonzero(~structures.holds), exact)

    def _priced(
        self,
        structures: Structures,
        legal: NDArray[np.bool_],
        combinations: Ints,
        *,
        latency: Figures,
        frame: Callable[[], Figures],
        left_out: int = 0,
    ) -> Priced:
        """Times as they are given, with all other figures."""
        memory = LiveSets(self.counts).sizes(structures)
        number, costs = unit_figures(self.accesses, self.platform, self.tasks, combinations)
        return Priced(
            legal=legal,
            combinations=combinations,
            latency_cycles=latency,
            internal_memory_data=memory.sum(axis=1, keepdims=True),
            internal_memory_bits=(memory @ self.counts.bits)[:, None],
            memory_blocks=self._blocks(memory),
            traffic_bytes=self.traffic(structures)[:, None],
            units=number,
            costs=costs,
            frame=frame,
            left_out=left_out,
        )

    def with_layouts(self, layouts: tuple[BankLayout, ...]) -> GroupBatch:
        """The same with bank layouts of buffers; tables are shared. Raises ArrayolError for layouts that cannot be."""
        check_layouts(self.counts.parts.group, layouts, frozenset(), self.platform)
        return replace(self, layouts=layouts)

    def timing(self, tasks: tuple[str, ...]) -> Timing:
        """The lengths of steps; columns of units stand for `tasks`."""
        return Timing(self.counts, self.platform, tasks, occupancies(self.counts, self.platform, self.layouts))

    def banks(self, memory: Memory) -> int:
        """Banks of a memory: its layout's, else one for each element of the largest pattern."""
        buffers = {layout.array: layout.banks for layout in self.layouts} if memory.kind == "buffer" else {}
        return buffers.get(memory.name, memory.banks)

    def uneven_tasks(self, blocks: Blocks) -> tuple[str, ...] | None:
        """Tasks before the last with twice their share of a block or more at some tick; None for no product."""
        structures = self.structures(blocks.scan, np.array([blocks.shape], np.int64).reshape(1, -1))
        if not structures.holds.all():
            return None
        (kinds,) = step_kinds(self.counts, structures, cyclic=False)
        ticks = int(structures.outer.places[0] * structures.inner.places[0])
        group, uneven = self.counts.parts.group, []
        for number, (kind, name) in enumerate(self.counts.names):
            work = kinds.happens[0, :, number]
            if kind == "task" and name != group.last and ticks > 1:
                total = int(work @ kinds.times[0])
                uneven += [name] if int(work.max()) * ticks >= 2 * total > 0 else []
        return tuple(uneven)

    def reads_again(self, blocks: Blocks) -> bool:
        """Whether an element from outside is read at several ticks."""
        for block, descending in zip(blocks.scan.dimensions, blocks.scan.descending, strict=True):
            _, fields = fields_of(self.counts, block, np.array([blocks.shape[block]]), descending=descending)
            loaded = self.counts.parts.group.loaded
            if any(bool((fields.last[name] > fields.read[name]).any()) for name in loaded):
                return True
        return False

    def _unchanging(self, scan: Scan, shapes: Ints) -> NDArray[np.bool_]:
        """Which arrays from outside are the same at every tick, (S, arrays): along each dimension of the blocks."""
        unchanging = np.ones((len(shapes), len(self.counts.parts.group.loaded)), np.bool_)
        for block, descending in zip(scan.dimensions, scan.descending, strict=True):
            sides, pick = np.unique(shapes[:, block], return_inverse=True)
            key = block, descending, sides.tobytes()
            if key not in self.kept.unchanging:
                self.kept.unchanging[key] = unchanging_along(self.counts, block, sides, descending=descending)
            unchanging &= self.kept.unchanging[key][pick.ravel()]
        return unchanging

    def structures(self, scan: Scan, shapes: NDArray[np.int64], policy: Policy = "reuse") -> Structures:
        """The orders of blocks of these shapes."""
        tables, picks = [], []
        unchanging = np.zeros((len(shapes), len(self.counts.parts.group.loaded)), np.bool_)
        if policy != "reuse":
            unchanging = self._unchanging(scan, shapes)
        for block, descending in zip(scan.dimensions, scan.descending, strict=True):
            fetch = fetch_of(policy, innermost=block == scan.dimensions[-1])
            columns = np.column_stack([shapes[:, block], unchanging & (fetch != "once")])
            rows, pick = np.unique(columns, axis=0, return_inverse=True)
            key = block, descending, fetch, rows.tobytes()
            if key not in self.kept.tables:
                table = axis_table(
                    self.counts, block, rows[:, 0], descending=descending, fetch=fetch, unchanging=rows[:, 1:] > 0
                )
                self.kept.tables[key] = table
                self.kept.size += table.nbytes
            tables.append(self.kept.tables[key])
            picks.append(pick.ravel())
        return make_structures(
            self.counts, tables, np.array(picks).reshape(len(tables), len(shapes)).T, self.kept.orders
        )

    def _blocks(self, memory: Ints) -> Figures | None:
        size = self.platform.local.block_bits
        if size is None:
            return None
        banks = np.array([self.banks(local) for local in self.counts.memories], np.int64)
        blocks: Figures = (banks * -(-(-(-memory // banks) * self.counts.bits) // size)).sum(axis=1, keepdims=True)
        return blocks

    def traffic(self, structures: Structures) -> Ints:
        """Bytes loaded and stored, (S,)."""
        port = Port(self.accesses, self.platform)
        element = [0 if kind == "task" else port.element_bytes(name) for kind, name in self.counts.names]
        size = self.counts.factor * np.array(element)
        rows, columns = (order.steps.totals()[:, : len(size)] for order in (structures.outer, structures.inner))
        moved: Ints = (rows[structures.pairs[:, 0]] * columns[structures.pairs[:, 1]]) @ size
        return moved

    def _exceptions(self, scan: Scan, shapes: Ints, policy: Policy, structures: Structures) -> list[GroupDesign]:
        """The structures that are no products after all, with one unit for each task."""
        processors = tuple(Processor(task) for task in self.tasks)
        return [
            GroupDesign(processors, Blocks(tuple(shape), scan), layouts=self.layouts, policy=policy)
            for shape in shapes[~structures.holds].tolist()
        ]


def _corrected(priced: Priced, wrong: Ints, exact: Sequence[Priced]) -> Priced:
    """The same with what the exact path says of the structures `wrong`."""
    if not exact:
        return priced

    def put(values: NDArray[Any], of: Callable[[Priced], NDArray[Any]]) -> NDArray[Any]:
        corrected = np.array(values)
        corrected[wrong] = np.concatenate([of(other) for other in exact])
        return corrected

    def column(name: str) -> Figures:
        return put(priced.objective(name), lambda other: other.objective(name))

    shared = len(priced.combinations) < len(priced.legal)
    return Priced(
        legal=put(priced.legal, lambda other: other.legal),
        combinations=priced.combinations if shared else put(priced.combinations, lambda other: other.combinations),
        latency_cycles=column(LATENCY),
        internal_memory_data=column("internal_memory_data"),
        internal_memory_bits=column("internal_memory_bits"),
        memory_blocks=None if priced.memory_blocks is None else column("memory_blocks"),
        traffic_bytes=column("traffic_bytes"),
        units=column("units"),
        costs={name: column(name) for name in priced.costs},
        frame=lambda: column(FRAME),
        left_out=priced.left_out + sum(other.left_out for other in exact),
    )
