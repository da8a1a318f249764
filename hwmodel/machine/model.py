"""The machine model of a network on a platform (docs/machine.md).

The way in: `MachineModel` makes tables of group designs, by counts where these are products and by every run and
element where not, and has them evaluated; and it says what may usefully be opened in a plain structure.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrayol.errors import ArrayolError
from arrayol.ir.network import Network
from hwmodel.accesses import Accesses, Extents
from hwmodel.design import Blocks, Design, GroupDesign, Processor, Scan, is_plain, rates_of, row_major, structure_of
from hwmodel.figures import LATENCY
from hwmodel.machine.bounds import require_network
from hwmodel.machine.built.local_ports import LocalPorts
from hwmodel.machine.built.lone_ports import LonePorts
from hwmodel.machine.energy import EnergyPrices, energy_prices
from hwmodel.machine.enumerated.plan import plan_group
from hwmodel.machine.enumerated.plan_tables import enumerate_tables, plan_tables
from hwmodel.machine.estimate import DesignEstimate, GroupEstimate, MemoryUse, Once
from hwmodel.machine.evaluate.estimate import estimates, memories_of, require_legal_rates, step_ends
from hwmodel.machine.evaluate.evaluation import bounded, fastest, price
from hwmodel.machine.evaluate.lower_bounds import Bounded
from hwmodel.machine.group import Group
from hwmodel.machine.legal_scans import LegalScans, count_structures, legal_scans, rows_of_same_scans
from hwmodel.machine.one_level import Halves, halves_of, in_one_level
from hwmodel.machine.priced import Priced
from hwmodel.machine.residents import loaded_once, resident_memories
from hwmodel.machine.scans import breaking_pair
from hwmodel.machine.schedule.fifo import fifo_data
from hwmodel.machine.separable.batch import GroupBatch, open_batch
from hwmodel.machine.separable.fetches import StructureKeeps
from hwmodel.machine.separable.fifo_tables import fifo_tables, takes_fifos
from hwmodel.machine.separable.fifos import separable_fifos
from hwmodel.machine.separable.line_cache import LineCache
from hwmodel.machine.tables.group_tables import GroupTables
from hwmodel.machine.ticks import Ticks, read_at, require_legal, tick_group
from hwmodel.platform import Platform
from hwmodel.residence import NO_LOADS, Loads

# Options that may improve a plain structure: cuts, FIFOs, policies (docs/explore.md, "What the default tries").


@dataclass(frozen=True, slots=True)
class Offers:
    """Tasks that a cut may help, arrays that a FIFO may carry, and whether policies move different data.

    A cut is offered to a task that has at some tick twice its share of a block or more; a FIFO for an array with one
    reader that reads every element once (whether in the order of writing depends on units too); policies differ where
    an element from outside is read at several ticks.
    """

    cuts: tuple[str, ...]
    fifos: tuple[str, ...]
    policies_differ: bool


def possible_fifos(group: Group) -> tuple[str, ...]:
    """The arrays that a FIFO may carry, whatever the blocks; recomputing may allow others."""
    extents = group.accesses.extents(group.last)
    processors = tuple(Processor(task) for task in group.tasks)
    ticks = tick_group(group, GroupDesign(processors, Blocks(extents, row_major(len(extents)))))
    return tuple(array for array in group.made if _may_be_fifo(group, ticks, array))


def offers_of_separable(batch: GroupBatch, blocks: Sequence[Blocks], fifos: tuple[str, ...]) -> list[Offers | None]:
    """What a separable group offers with blocks of one scan; None where a structure is no product after all."""
    group = batch.counts.parts.group
    for own in blocks:
        require_legal(group, group.last, own)
    shapes, scan = np.array([own.shape for own in blocks], np.int64).reshape(len(blocks), -1), blocks[0].scan
    pairs = zip(batch.uneven_tasks(scan, shapes), batch.reads_again(scan, shapes).tolist(), strict=True)
    return [None if uneven is None else Offers(uneven, fifos, again) for uneven, again in pairs]


def find_offers(group: Group, blocks: Blocks, fifos: tuple[str, ...]) -> Offers:
    """What a group with these blocks offers. Raises ArrayolError for a scan that is refused."""
    ticks = tick_group(group, GroupDesign(tuple(Processor(task) for task in group.tasks), blocks))
    cuts = tuple(task for task in group.tasks if task != group.last and _is_uneven(ticks, task))
    return Offers(cuts, fifos, any(_read_again(group, ticks, array) for array in group.loaded))


def _is_uneven(ticks: Ticks, task: str) -> bool:
    work = np.bincount(ticks.work[task].tick, minlength=len(ticks.block))
    return len(work) > 1 and int(work.max()) * len(work) >= 2 * int(work.sum()) > 0


def _may_be_fifo(group: Group, ticks: Ticks, array: str) -> bool:
    try:
        fifo_data(group, ticks, array)
    except ArrayolError:
        return False
    return True


def _read_again(group: Group, ticks: Ticks, array: str) -> bool:
    first = np.full(group.accesses.size(array), len(ticks.block))
    last = np.full(group.accesses.size(array), -1)
    for reader in group.readers(array):
        for element, tick in read_at(group, reader, array, ticks.work[reader]):
            np.minimum.at(first, element, tick)
            np.maximum.at(last, element, tick)
    return bool((last > first).any())


ESTIMATED_AT_ONCE = 512  # designs
ESTIMATES_KEPT = 1024  # of groups: results are written again and again
PORTS_KEPT = 64  # of kinds of structures, of those that are priced by themselves
TABLE_BYTES = 5 << 25  # of the groups priced last, beside the one that is priced
SPLIT_KEPT = 2  # models with a dimension split
TASKS_OPEN = 512  # of groups priced last, added up: what is known of larger groups takes more


class MachineModel:
    """Prices mapped designs of one network on one platform; what designs have in common is computed once.

    `loads` are those of inputs that do not come by default. Raises ArrayolError (`figure-too-large`) where 64 bits may
    not hold their figures.
    """

    def __init__(self, network: Network, platform: Platform, loads: Loads = NO_LOADS) -> None:
        self.network = network
        self.platform = platform
        self.accesses = Accesses(network, loads)
        platform.require_datapaths(network)
        require_network(self.accesses, platform)
        self._batches: dict[tuple[str, ...], GroupBatch | None] = {}
        self._lines = LineCache()
        self._ports: dict[tuple[object, ...], LocalPorts] = {}
        self._separable: dict[tuple[str, ...], bool] = {}
        self._fifos: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._lone: dict[str, LonePorts | None] = {}
        self._estimates: dict[GroupDesign, GroupEstimate] = {}
        self._split: dict[tuple[str, Halves], MachineModel] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return MachineModel, (self.network, self.platform, dict(self.accesses.loads))  # what is remembered stays here

    def legal_scans(self, task: str, shape: Extents) -> LegalScans:
        """The scan orders that a task's delays allow for blocks of a shape.

        First those legal for blocks of one repetition too; then others, unless they order blocks as one before does.
        """
        return legal_scans(self.accesses.extents(task), self.accesses.delays(task), shape)

    def rows_of_same_scans(self, task: str, shapes: NDArray[np.int64]) -> list[NDArray[np.intp]]:
        """The rows of block shapes (S, rank) of a task that have the same `legal_scans`, groups by their first row."""
        return rows_of_same_scans(self.accesses.extents(task), self.accesses.delays(task), shapes)

    def count_structures(self, task: str, sides: Sequence[Sequence[int]], scans: Collection[Scan] | None = None) -> int:
        """How many legal scans block shapes of a task have in all, with all choices of `sides`; of `scans` only."""
        return count_structures(self.accesses.extents(task), self.accesses.delays(task), sides, scans)

    def is_legal(self, task: str, blocks: Blocks) -> bool:
        """Whether the delays of a task allow the scan of such blocks."""
        return breaking_pair(self.accesses.extents(task), self.accesses.delays(task), blocks) is None

    def may_serve(self, task: str, units: int, interval: int, *, in_fifos: bool) -> bool:
        """Whether memories may serve so many units of a task at an interval; see `LonePorts`."""
        if task not in self._lone:
            self._lone[task] = LonePorts.of(self.accesses, self.platform, task)
        lone, process = self._lone[task], self.network.processes[task]
        cycles = self.platform.datapath(process, interval).interval
        return lone is None or lone.may_serve(units, cycles, in_fifos=in_fifos)

    def estimate(self, group: GroupDesign) -> GroupEstimate:
        """The estimate of a group. Raises ArrayolError for choices that docs/machine.md, section 6, refuses."""
        return self.estimates([group])[0]

    def estimates(self, groups: Sequence[GroupDesign]) -> list[GroupEstimate]:
        """The estimates of many groups, plain ones of the same tasks, scan and layouts together."""
        new = [group for group in dict.fromkeys(groups) if group not in self._estimates]
        made = dict(zip(new, self._estimated(new), strict=True))
        found = [made.get(group) or self._estimates[group] for group in groups]
        if len(self._estimates) + len(made) > ESTIMATES_KEPT:
            self._estimates.clear()
        self._estimates |= made
        return found

    def _estimated(self, groups: Sequence[GroupDesign]) -> list[GroupEstimate]:
        found: dict[int, GroupEstimate] = {}
        families: dict[object, list[int]] = {}
        for place, group in enumerate(groups):
            if is_plain(group):
                key = group.tasks, group.blocks.scan, group.layouts, group.recompute
                families.setdefault(key, []).append(place)
        for places in families.values():
            batch = self.batch_for(groups[places[0]])
            if batch is None:
                continue
            for start in range(0, len(places), ESTIMATED_AT_ONCE):
                some = places[start : start + ESTIMATED_AT_ONCE]
                taken, own = counted_estimates(batch, [groups[place] for place in some])
                found.update(zip([some[number] for number in taken], own, strict=True))
        others = self._one_by_one([group for place, group in enumerate(groups) if place not in found], self._opened)
        return [found[place] if place in found else others[group] for place, group in enumerate(groups)]

    def memories_in_succession(self, group: GroupDesign) -> tuple[MemoryUse, ...]:
        """The memories of a group, as they are built, where frames follow each other (docs/machine.md, section 8)."""
        tables = plan_tables(plan_group(self.accesses, self.platform, group), in_succession=True)
        require_legal_rates(tables, 0, rates_of(group))
        return memories_of(tables, 0, rates_of(group))

    def exact(self, group: GroupDesign) -> GroupEstimate:
        """The estimate from tables that are enumerated, which takes every design."""
        return self._one_by_one([group], self.enumerated)[group]

    def _one_by_one(
        self, groups: Sequence[GroupDesign], tables_of: Callable[[GroupDesign], GroupTables]
    ) -> dict[GroupDesign, GroupEstimate]:
        """Those of some groups; the tables of a structure are the same at all rates, and take longest."""
        structures: dict[GroupDesign, list[GroupDesign]] = {}
        for group in groups:
            structures.setdefault(structure_of(group), []).append(group)
        found: dict[GroupDesign, GroupEstimate] = {}
        for structure, own in structures.items():
            tables = tables_of(structure)
            found |= {group: estimates(tables, [rates_of(group)])[0] for group in own}
        return found

    def price_structure(self, structure: GroupDesign, rates: NDArray[np.int64]) -> Priced:
        """One structure, whatever it opens, under combinations of rates (U, tasks): figures of shape (1, U).

        The units and intervals that the structure itself names count for nothing. Raises ArrayolError for what is
        refused whatever the units, and for intervals that the platform does not offer.
        """
        return price(self.tables(structure), rates)

    def fastest(
        self, structure: GroupDesign, offered: Sequence[Sequence[int]], *, times: Collection[str] = (LATENCY,)
    ) -> Priced:
        """The same at the rates that nothing beats, of those offered to each task (ascending): figures of shape (1, V).

        Right where only figures with `units_are_free` are compared, of `times` those named. See `evaluate.fastest`;
        V is more than 1 where processors are scheduled (FIFOs, several delays, unequal chains of a delay that lasts),
        or where one interval is faster in some steps and another in others.
        """
        return fastest(self.tables(structure), offered, times=times)

    def bounded(
        self, structure: GroupDesign, offered: Sequence[Sequence[int]], *, times: Collection[str] = (LATENCY,)
    ) -> Bounded:
        """What none of its designs has less of, of times those named, and its prices under all rates offered."""
        return bounded(self.tables(structure), offered, times=times)

    def tables(self, structure: GroupDesign) -> GroupTables:
        """The tables of a structure, by counts where that can be. Raises ArrayolError for what is always refused."""
        single = self._batch_of(structure)
        return single.of.tables(*single.blocks, single.keeps) if single is not None else self._opened(structure)

    def _opened(self, structure: GroupDesign) -> GroupTables:
        """The tables of a structure that is in no batch: by counts for the sake of FIFOs, else enumerated."""
        batch, found = self._batch_with_fifos(structure), None
        if batch is not None:
            found = fifo_tables(batch, structure_of(structure), self._ports_of(structure))
        return found or self.enumerated(structure)

    def enumerated(self, structure: GroupDesign) -> GroupTables:
        """The tables of a structure, from every run and element. Raises ArrayolError for what is always refused."""
        return enumerate_tables(self.accesses, self.platform, structure_of(structure), self._ports_of(structure))

    def takes_in_batches(self, structure: GroupDesign) -> bool:
        """Whether a structure of a separable group is priced in batches, if it is a product."""
        blocks = structure.blocks
        if blocks.outer and halves_of(self.network, structure) is None:
            return False
        is_alike = is_plain(replace(structure, blocks=Blocks(blocks.shape, blocks.scan)))
        if is_alike and structure.recompute:
            return self.is_separable(structure.tasks) and self.batch_for(structure) is not None
        return is_alike

    def takes_by_counts(self, structure: GroupDesign) -> bool:
        """Whether a structure is priced from counts, in batches or planned by itself, however large its arrays are.

        Of one with FIFOs, or that recomputes, it is found out whether it is a product.
        """
        if self.takes_in_batches(structure) and not structure.recompute:
            return True
        try:
            if structure.recompute:
                single = self._batch_of(structure)
                return single is not None and bool(single.of.takes(*single.blocks, single.keeps)[0])
            batch = self._batch_with_fifos(structure)
            return batch is not None and takes_fifos(batch, structure)
        except ArrayolError:
            return True  # it is refused soon

    def _batch_with_fifos(self, structure: GroupDesign) -> GroupBatch | None:
        """What may plan a structure by counts that opens FIFOs, and nothing else but keeps and bank layouts."""
        is_plain_else = is_plain(replace(structure, fifos=frozenset())) and not structure.recompute
        has_alone = structure.fifos and is_plain_else and self.is_separable(structure.tasks)
        return self.batch(structure.tasks) if has_alone else None

    def _batch_of(self, structure: GroupDesign) -> _Single | None:
        """What prices a structure in batches. Raises ArrayolError for what is refused whatever the units."""
        model, own = self._in_one_level(structure)
        batch = model.batch_for(own) if is_plain(own) else None
        if batch is None:
            return None
        group = Group(self.accesses, own.tasks) if structure.blocks.outer else batch.counts.parts.group
        require_legal(group, group.last, structure.blocks)
        return _Single(batch.with_layouts(own.layouts), own)

    def batch_for(self, structure: GroupDesign) -> GroupBatch | None:
        """What prices a plain structure in batches, recomputing if it does; None where there is none."""
        batch = self.batch(structure.tasks)
        return batch.recomputing() if batch is not None and structure.recompute else batch

    def _in_one_level(self, structure: GroupDesign) -> tuple[MachineModel, GroupDesign]:
        """A model that has the blocks of a structure in one level, where there is one, and the structure there."""
        is_batched = self.takes_in_batches(structure) and self.is_separable(structure.tasks)
        halves = halves_of(self.network, structure) if structure.blocks.outer and is_batched else None
        if halves is None:
            return self, structure
        key = structure.tasks[-1], halves
        model = self._split.pop(key, None)
        if model is None:
            if len(self._split) >= SPLIT_KEPT:
                del self._split[next(iter(self._split))]
            model = MachineModel(halves.network(self.network, key[0]), self.platform, self.accesses.loads)
        self._split[key] = model  # the one that was asked for last stands last
        return model, in_one_level(structure, halves)

    def _ports_of(self, structure: GroupDesign) -> LocalPorts:
        """The local ports of a structure, which many others have too."""
        key = structure.tasks, *LocalPorts.key(structure)
        if key not in self._ports:
            if len(self._ports) >= PORTS_KEPT:
                self._ports.clear()
            self._ports[key] = LocalPorts.of(Group(self.accesses, structure.tasks), self.platform, structure)
        return self._ports[key]

    def batch(self, tasks: tuple[str, ...]) -> GroupBatch | None:
        """What prices the plain designs of a group in batches; None where it is not separable (docs/machine.md).

        Raises ArrayolError for a group that is refused.
        """
        last = next(reversed(self._batches), None)
        if tasks != last:  # the one that was asked for last stands last
            if last is not None and (left := self._batches[last]) is not None:
                left.kept.count()
            known = tasks in self._batches
            opened = self._batches.pop(tasks) if known else open_batch(self.accesses, self.platform, tasks, self._lines)
            self._forget_oldest()
            self._batches[tasks] = opened
        return self._batches[tasks]

    def _forget_oldest(self) -> None:
        """Drop the tables of the groups that were asked for longest ago, where there are too many bytes of them."""
        tasks = 0
        for group in reversed(tuple(self._batches)):
            tasks += len(group)
            if tasks > TASKS_OPEN and self._batches[group] is not None:
                del self._batches[group]
        kept = [batch.kept for batch in self._batches.values() if batch is not None]
        size = sum(tables.size for tables in kept)
        for tables in kept:
            if size <= TABLE_BYTES:
                return
            size -= tables.size
            tables.clear()

    def forget_tables(self) -> None:
        """Drop what is known of structures, which is large; of groups and their estimates it stays."""
        self._lines.clear()
        self._split.clear()
        for batch in self._batches.values():
            if batch is not None:
                batch.kept.clear()

    def is_separable(self, tasks: tuple[str, ...]) -> bool:
        """Whether `batch` prices the plain designs of a group; not so where that is refused."""
        if tasks not in self._separable:
            try:
                self._separable[tasks] = self.batch(tasks) is not None
            except ArrayolError:
                self._separable[tasks] = False
        return self._separable[tasks]

    def offers(self, tasks: tuple[str, ...], blocks: Sequence[Blocks]) -> list[Offers]:
        """What may be opened in a group with each of some blocks, those of one scan together.

        Raises ArrayolError for a group or scan that is refused.
        """
        group, batch = Group(self.accesses, tasks), self.batch(tasks)
        if tasks not in self._fifos:
            apart = batch is not None and not batch.counts.parts.spaces.couple
            self._fifos[tasks] = separable_fifos(batch.counts) if batch and apart else possible_fifos(group)
        fifos, found = self._fifos[tasks], dict[Blocks, Offers | None]()
        by_scan: dict[Scan, list[Blocks]] = {}
        for own in dict.fromkeys(blocks):
            if batch is not None and not own.outer:
                by_scan.setdefault(own.scan, []).append(own)
        for alike in by_scan.values():
            assert batch is not None, "else none stands by its scan"
            step = batch.at_once or len(alike)
            for some in (alike[start : start + step] for start in range(0, len(alike), step)):
                found.update(zip(some, offers_of_separable(batch, some, fifos), strict=True))
        return [found.get(own) or find_offers(group, own, fifos) for own in blocks]

    @property
    def data_per_word(self) -> int:
        """How many data (m), of the widest element type that lies outside, the memory moves per cycle; at least 1."""
        (channel,) = self.platform.channels
        if channel.data_per_word is not None:
            return channel.data_per_word
        arrays = [array for name, array in self.network.arrays.items() if self.accesses.lies_outside(name)]
        widest = max(8 * array.type.bytes for array in arrays)
        return max(1, (channel.word_bits or 1) // widest)

    def step_cycles(self, group: GroupDesign) -> tuple[int, ...]:
        """The length of every step of a group in cycles, in order."""
        plan, rates = plan_group(self.accesses, self.platform, group), rates_of(group)
        require_legal_rates(plan_tables(plan), 0, rates)
        busy = {task: own.cycles for task, own in plan.processors.all_busy(rates).items()}
        return tuple(step_ends(plan.port, busy)[0].tolist())

    def evaluate(self, design: Design, *, reuse_memory: bool = False) -> DesignEstimate:
        """The estimate of a whole design; with `reuse_memory` its groups share their local memories.

        Raises ValueError where the groups are not a partition of the network's processes.
        """
        names = [name for group in design.groups for name in group.tasks]
        if sorted(names) != sorted(self.network.processes):
            raise ValueError(f"not a partition of the processes of '{self.network.name}': {design.fusion}")
        return self.whole(design, [self.estimate(group) for group in design.groups], reuse_memory=reuse_memory)

    def whole(self, design: Design, groups: Sequence[GroupEstimate], *, reuse_memory: bool = False) -> DesignEstimate:
        """The estimate of a whole design of its groups' estimates, with what stands beside them."""
        units = {processor.task: processor.units for group in design.groups for processor in group.processors}
        resident = resident_memories(self.accesses, self.platform, units)
        leaking = self.energy_prices.leaking if self.energy_prices is not None else None
        return DesignEstimate(tuple(groups), self.platform.clock_mhz, reuse_memory, self.once, resident, leaking)

    @cached_property
    def energy_prices(self) -> EnergyPrices | None:
        """What energies are made of; None where the platform does not give them."""
        return energy_prices(self.platform, self.network)

    @cached_property
    def once(self) -> Once:
        """What the arrays take that are loaded once."""
        return loaded_once(self.accesses, self.platform)


def counted_estimates(batch: GroupBatch, designs: Sequence[GroupDesign]) -> tuple[list[int], list[GroupEstimate]]:
    """The estimates of plain designs of one scan and the same layouts, all of which recompute or none.

    Of those, by their places, whose structures are products. Raises ArrayolError (`scan-against-delay`,
    `too-many-units`) for the first design that is refused.
    """
    scan = designs[0].blocks.scan
    batch = batch.with_layouts(designs[0].layouts)
    group = batch.counts.parts.group
    for design in designs:
        require_legal(group, group.last, design.blocks)
    shapes = np.array([design.blocks.shape for design in designs], np.int64).reshape(len(designs), -1)
    tables = batch.tables(scan, shapes, StructureKeeps.of(map(batch.keeps_of, designs)))
    taken = np.flatnonzero(~tables.missing)
    if not len(taken):
        return [], []
    return taken.tolist(), estimates(tables.only(taken), [rates_of(designs[row]) for row in taken.tolist()])


@dataclass(frozen=True)
class _Single:
    """One structure, and the batch that it makes by itself."""

    of: GroupBatch
    structure: GroupDesign

    @property
    def blocks(self) -> tuple[Scan, NDArray[np.int64]]:
        """Its scan, and its shape as a table of one row."""
        blocks = self.structure.blocks
        return blocks.scan, np.array([blocks.shape], np.int64).reshape(1, -1)

    @property
    def keeps(self) -> StructureKeeps:
        """What it keeps."""
        return StructureKeeps.alike(self.of.keeps_of(self.structure), 1)
