"""The machine model of a network on a platform (docs/machine.md).

`MachineModel` is the way in. It makes tables of group designs, by counts if their structures are Cartesian and by
enumeration otherwise, and has them evaluated. It also says which options may improve a plain structure.
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
from hwmodel.cost_model.bounds import require_network
from hwmodel.cost_model.costs import loaded_once, resident_memories
from hwmodel.cost_model.counted.axes.fetches import StructureKeeps
from hwmodel.cost_model.counted.axes.line_cache import LineCache
from hwmodel.cost_model.counted.batch import GroupBatch, open_batch
from hwmodel.cost_model.counted.fifo_tables import fifo_tables, takes_fifos
from hwmodel.cost_model.counted.fifos import separable_fifos
from hwmodel.cost_model.energy import EnergyCosts, energy_prices
from hwmodel.cost_model.enumerated.plan import plan_group
from hwmodel.cost_model.enumerated.plan_tables import enumerate_tables, plan_tables
from hwmodel.cost_model.estimate import DesignEstimate, GroupEstimate, MemoryUse, Once
from hwmodel.cost_model.evaluate.estimate import (
    estimates,
    latencies_of,
    memories_of,
    require_legal_rates,
    step_ends,
)
from hwmodel.cost_model.evaluate.evaluation import bounded, fastest, price
from hwmodel.cost_model.evaluate.lower_bounds import Bounded
from hwmodel.cost_model.group.group import Group
from hwmodel.cost_model.group.legal_scans import LegalScans, count_structures, legal_scans, rows_of_same_scans
from hwmodel.cost_model.group.one_level import Halves, halves_of, in_one_level
from hwmodel.cost_model.group.scans import breaking_pair
from hwmodel.cost_model.group.ticks import Ticks, read_at, require_legal, tick_group
from hwmodel.cost_model.issue.fifo import fifo_data
from hwmodel.cost_model.memories.local_ports import LocalPorts, LonePorts
from hwmodel.cost_model.metrics import Metrics
from hwmodel.cost_model.streaming.stream_groups import StreamPricer
from hwmodel.cost_model.tables.group_tables import GroupTables
from hwmodel.cost_model.together import PORT, Period, copies_outside, period_cycles
from hwmodel.design import Blocks, Design, GroupDesign, Processor, Scan, is_plain, rates_of, row_major, structure_of
from hwmodel.figures import LATENCY
from hwmodel.frame_states import with_states_outside
from hwmodel.frame_steps import require_in_step
from hwmodel.platform import Platform
from hwmodel.platform_memories import ArrayChannels
from hwmodel.residence import NO_LOADS, Loads
from hwmodel.streamed import Frames

# Options that may improve a plain structure: cuts, FIFOs, policies (docs/explore.md, "What the default tries").


@dataclass(frozen=True, slots=True)
class ApplicableOptions:
    """The options that may improve a plain structure: cuts of tasks, FIFOs of arrays, and whether policies differ.

    A cut is offered to a task that has, at some tick, at least twice its share of a block. A FIFO is offered for an
    array with one reader that reads every element once (whether in the order of writing also depends on units).
    Policies differ if an element from outside is read at several ticks.
    """

    cuts: tuple[str, ...]
    fifos: tuple[str, ...]
    policies_differ: bool


def possible_fifos(group: Group) -> tuple[str, ...]:
    """The arrays that a FIFO may carry, whatever the blocks; a group that recomputes may allow others."""
    extents = group.accesses.extents(group.last)
    processors = tuple(Processor(task) for task in group.tasks)
    ticks = tick_group(group, GroupDesign(processors, Blocks(extents, row_major(len(extents)))))
    return tuple(array for array in group.writers_of if _may_be_fifo(group, ticks, array))


def offers_of_separable(
    batch: GroupBatch, blocks: Sequence[Blocks], fifos: tuple[str, ...]
) -> list[ApplicableOptions | None]:
    """The options of a separable group for blocks of one scan; None for a structure that is not Cartesian.

    Raises ArrayolError (`scan-against-delay`).
    """
    group = batch.counts.parts.group
    for each in blocks:
        require_legal(group, group.last, each)
    shapes, scan = np.array([each.shape for each in blocks], np.int64).reshape(len(blocks), -1), blocks[0].scan
    pairs = zip(batch.uneven_tasks(scan, shapes), batch.reads_again(scan, shapes).tolist(), strict=True)
    return [None if uneven is None else ApplicableOptions(uneven, fifos, again) for uneven, again in pairs]


def find_applicable(group: Group, blocks: Blocks, fifos: tuple[str, ...]) -> ApplicableOptions:
    """The options of a group with these blocks. Raises ArrayolError for a scan that is refused."""
    ticks = tick_group(group, GroupDesign(tuple(Processor(task) for task in group.tasks), blocks))
    cuts = tuple(task for task in group.tasks if task != group.last and _is_uneven(ticks, task))
    return ApplicableOptions(cuts, fifos, any(_read_again(group, ticks, array) for array in group.loaded))


def _is_uneven(ticks: Ticks, task: str) -> bool:
    """Whether a task has at some tick at least twice its share of the work."""
    work = np.bincount(ticks.work[task].tick, minlength=len(ticks.block))
    return len(work) > 1 and int(work.max()) * len(work) >= 2 * int(work.sum()) > 0


def _may_be_fifo(group: Group, ticks: Ticks, array: str) -> bool:
    """Whether a FIFO for an array is not refused at any units."""
    try:
        fifo_data(group, ticks, array)
    except ArrayolError:
        return False
    return True


def _read_again(group: Group, ticks: Ticks, array: str) -> bool:
    """Whether an element of an array is read at several ticks."""
    first = np.full(group.accesses.size(array), len(ticks.block))
    last = np.full(group.accesses.size(array), -1)
    for reader in group.readers(array):
        for element, tick in read_at(group, reader, array, ticks.work[reader]):
            np.minimum.at(first, element, tick)
            np.maximum.at(last, element, tick)
    return bool((last > first).any())


ESTIMATED_AT_ONCE = 512  # designs
ESTIMATES_KEPT = 1024  # of groups: results are written again and again
PORTS_KEPT = 64  # of kinds of structures, among those that are evaluated alone
TABLE_BYTES = 5 << 25  # of the groups evaluated last, besides the present one
STREAMS_KEPT = 32  # groups as streams
SPLIT_KEPT = 2  # models with a dimension split
TASKS_OPEN = 512  # of the groups evaluated last, in all: larger groups have larger tables


class MachineModel:
    """Evaluates mapped designs of one network on one platform; values that designs have in common are cached.

    `loads` says how inputs come to the chip, if not by default. `lines` are those of another model, which may be of
    another network: both then compute what hangs on equal lines once. `channels` says where arrays lie, as in
    `Accesses`. Raises ArrayolError: `figure-too-large` if 64
    bits may not hold some figure, `frames-out-of-step` if not all frames are alike.
    """

    def __init__(
        self,
        network: Network,
        platform: Platform,
        loads: Loads = NO_LOADS,
        lines: LineCache | None = None,
        channels: ArrayChannels | None = (),
    ) -> None:
        self.given = network  # with all states inside
        self.network = network = with_states_outside(network, loads)
        self.platform = platform
        self.accesses = Accesses(network, loads, channels=channels)
        require_in_step(self.accesses)
        platform.require_datapaths(network)
        require_network(self.accesses, platform)
        self._batches: dict[tuple[str, ...], GroupBatch | None] = {}
        self._lines = LineCache() if lines is None else lines
        self._ports: dict[tuple[object, ...], LocalPorts] = {}
        self._separable: dict[tuple[str, ...], bool] = {}
        self._fifos: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._lone: dict[str, LonePorts | None] = {}
        self._estimates: dict[GroupDesign, GroupEstimate] = {}
        self._split: dict[tuple[str, Halves], MachineModel] = {}
        self._streams: dict[tuple[tuple[str, ...], Frames], StreamPricer] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        own = self.accesses  # what is remembered stays here
        return MachineModel, (self.given, self.platform, dict(own.loads), None, own.channels)

    def with_channels(self, channels: ArrayChannels | None) -> MachineModel:
        """The model of the same network where arrays lie in other channels."""
        return MachineModel(self.given, self.platform, self.accesses.loads, self._lines, channels)

    def legal_scans(self, task: str, shape: Extents) -> LegalScans:
        """The scan orders that a task's delays allow for blocks of a shape.

        The first ones are also legal for blocks of one repetition; the others follow, unless they order blocks as an
        earlier one does.
        """
        return legal_scans(self.accesses.extents(task), self.accesses.delays(task), shape)

    def rows_of_same_scans(self, task: str, shapes: NDArray[np.int64]) -> list[NDArray[np.intp]]:
        """Group the rows of block shapes (S, rank) of a task by equal `legal_scans`.

        Groups are ordered by their first row.
        """
        return rows_of_same_scans(self.accesses.extents(task), self.accesses.delays(task), shapes)

    def count_structures(self, task: str, sides: Sequence[Sequence[int]], scans: Collection[Scan] | None = None) -> int:
        """The number of pairs of a block shape, over all choices of `sides`, and a legal scan (of `scans` if given)."""
        return count_structures(self.accesses.extents(task), self.accesses.delays(task), sides, scans)

    def is_legal(self, task: str, blocks: Blocks) -> bool:
        """Whether the delays of a task allow the scan of these blocks."""
        return breaking_pair(self.accesses.extents(task), self.accesses.delays(task), blocks) is None

    def is_feasible(self, task: str, units: int, interval: int, *, in_fifos: bool) -> bool:
        """Whether memories may serve the ports of a task with so many units at an initiation interval.

        See `LonePorts`.
        """
        if task not in self._lone:
            self._lone[task] = LonePorts.of(self.accesses, self.platform, task)
        lone, process = self._lone[task], self.network.processes[task]
        cycles = self.platform.datapath(process, interval).interval
        return lone is None or lone.is_feasible(units, cycles, in_fifos=in_fifos)

    def estimate(self, group: GroupDesign) -> GroupEstimate:
        """The estimate of a group. Raises ArrayolError for choices that docs/machine.md, section 6, refuses."""
        return self.estimates([group])[0]

    def estimates(self, groups: Sequence[GroupDesign]) -> list[GroupEstimate]:
        """The estimates of many groups; plain designs with equal tasks, scan and layouts are evaluated together."""
        new = [group for group in dict.fromkeys(groups) if group not in self._estimates]
        streams = [group for group in new if group.stream is not None]
        self._estimates |= {group: self.streams_of(group).estimate(group) for group in streams}
        new = [group for group in new if group.stream is None]
        estimated = dict(zip(new, self._estimated(new), strict=True))
        estimates = [estimated.get(group) or self._estimates[group] for group in groups]
        if len(self._estimates) + len(estimated) > ESTIMATES_KEPT:
            self._estimates.clear()
        self._estimates |= estimated
        return estimates

    def _estimated(self, groups: Sequence[GroupDesign]) -> list[GroupEstimate]:
        """The estimates of groups that are not cached: in batches by counts if possible, else by structure."""
        estimates: dict[int, GroupEstimate] = {}
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
                estimates.update(zip([some[number] for number in taken], own, strict=True))
        single = [group for place, group in enumerate(groups) if place not in estimates]
        others = self._evaluate_single(single, self._unbatched)
        return [estimates[place] if place in estimates else others[group] for place, group in enumerate(groups)]

    def streams(self, tasks: tuple[str, ...], frames: Frames = "outside") -> StreamPricer:
        """The evaluation of a group of tasks as streams. Raises ArrayolError (`not-streamed`, `made-in-part`)."""
        key = tasks, frames
        if key not in self._streams:
            if len(self._streams) >= STREAMS_KEPT:
                self._streams.clear()
            accesses = self.accesses.of_frames(frames)
            self._streams[key] = StreamPricer(accesses, tasks, self.platform, self.energy_prices)
        return self._streams[key]

    def streams_of(self, group: GroupDesign) -> StreamPricer:
        """The evaluation of a streaming group. Raises ArrayolError (`not-streamed`, `made-in-part`)."""
        assert group.stream is not None, "it streams"
        return self.streams(group.tasks, group.stream.frames)

    def memories_in_succession(self, group: GroupDesign) -> tuple[MemoryUse, ...]:
        """The memories of a group, as built, if frames follow each other without pause (docs/machine.md, section 8)."""
        tables = plan_tables(plan_group(self.accesses, self.platform, group), in_succession=True)
        require_legal_rates(tables, 0, rates_of(group))
        return memories_of(tables, 0, rates_of(group))

    def estimate_enumerated(self, group: GroupDesign) -> GroupEstimate:
        """The estimate of a group from enumerated tables, which take every design."""
        return self._evaluate_single([group], self.enumerated)[group]

    def _evaluate_single(
        self, groups: Sequence[GroupDesign], tables_of: Callable[[GroupDesign], GroupTables]
    ) -> dict[GroupDesign, GroupEstimate]:
        """The estimates of some groups; the tables of a structure are made once for all its rates."""
        structures: dict[GroupDesign, list[GroupDesign]] = {}
        for group in groups:
            structures.setdefault(structure_of(group), []).append(group)
        by_group: dict[GroupDesign, GroupEstimate] = {}
        for structure, designs in structures.items():
            tables = tables_of(structure)
            by_group |= {group: estimates(tables, [rates_of(group)])[0] for group in designs}
        return by_group

    def price_structure(self, structure: GroupDesign, rates: NDArray[np.int64]) -> Metrics:
        """The figures (1, U) of one structure, with any options, under combinations of rates (U, tasks).

        The units and intervals of the structure itself are ignored. Raises ArrayolError for a structure that is refused
        at any rates, and for intervals that the platform does not offer.
        """
        return price(self.tables(structure), rates)

    def fastest(
        self, structure: GroupDesign, offered: Sequence[Sequence[int]], *, times: Collection[str] = (LATENCY,)
    ) -> Metrics:
        """The figures (1, V) of a structure at the rates that no others dominate, of those offered to each task.

        Offered rates ascend. Valid if only figures with `units_are_free` are compared, and `times` names the times
        among them. See `evaluate.fastest`. V is more than 1 if processors are scheduled (FIFOs, several delays, unequal
        chains of a delay that lasts), or if one initiation interval is faster in some steps and another in others.
        """
        return fastest(self.tables(structure), offered, times=times)

    def bounded(
        self, structure: GroupDesign, offered: Sequence[Sequence[int]], *, times: Collection[str] = (LATENCY,)
    ) -> Bounded:
        """Lower bounds of the figures of a structure's designs over all rates offered, with a way to evaluate them."""
        return bounded(self.tables(structure), offered, times=times)

    def tables(self, structure: GroupDesign) -> GroupTables:
        """The tables of a structure, by counts if possible.

        Raises ArrayolError for a structure that is refused at any rates.
        """
        single = self._batch_of(structure)
        return single.of.tables(*single.blocks, single.keeps) if single is not None else self._opened(structure)

    def _unbatched(self, structure: GroupDesign) -> GroupTables:
        """The tables of a structure that is estimated without a batch: blocks of blocks are counted if they can be."""
        tables = self.tables(structure) if structure.blocks.outer else None
        return self._opened(structure) if tables is None or tables.missing.any() else tables

    def _opened(self, structure: GroupDesign) -> GroupTables:
        """The tables of a structure with FIFOs or other options: by counts if only FIFOs are open, else enumerated."""
        batch, tables = self._batch_with_fifos(structure), None
        if batch is not None:
            tables = fifo_tables(batch, structure_of(structure), self._ports_of(structure))
        return tables or self.enumerated(structure)

    def enumerated(self, structure: GroupDesign) -> GroupTables:
        """The tables of a structure, by enumeration.

        Raises ArrayolError for a structure that is refused at any rates.
        """
        return enumerate_tables(self.accesses, self.platform, structure_of(structure), self._ports_of(structure))

    def takes_in_batches(self, structure: GroupDesign) -> bool:
        """Whether a structure of a separable group is evaluated in batches, if it is Cartesian."""
        blocks = structure.blocks
        if blocks.outer and halves_of(self.network, structure) is None:
            return False
        is_alike = is_plain(replace(structure, schedule=Blocks(blocks.shape, blocks.scan)))
        if is_alike and structure.recompute:
            return self.is_separable(structure.tasks) and self.batch_for(structure) is not None
        return is_alike

    def takes_by_counts(self, structure: GroupDesign) -> bool:
        """Whether a structure is evaluated from counts, so that the size of its arrays hardly matters.

        For structures with FIFOs or recomputation, this also finds out whether they are Cartesian.
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
        """The batch for a structure with FIFOs, and otherwise only keeps and bank layouts; None if there is none."""
        is_plain_else = is_plain(replace(structure, fifos=frozenset())) and not structure.recompute
        has_alone = structure.fifos and is_plain_else and self.is_separable(structure.tasks)
        return self.batch(structure.tasks) if has_alone else None

    def _batch_of(self, structure: GroupDesign) -> _Single | None:
        """The batch in which a structure is evaluated alone; None if there is none.

        Raises ArrayolError for a structure that is refused at any rates.
        """
        model, own = self._in_one_level(structure)
        batch = model.batch_for(own) if is_plain(own) else None
        if batch is None:
            return None
        group = Group(self.accesses, own.tasks) if structure.blocks.outer else batch.counts.parts.group
        require_legal(group, group.last, structure.blocks)
        return _Single(batch.with_layouts(own.layouts), own)

    def batch_for(self, structure: GroupDesign) -> GroupBatch | None:
        """The batch for plain designs like a structure, with its recomputation; None if there is none."""
        batch = self.batch(structure.tasks)
        return batch.recomputing() if batch is not None and structure.recompute else batch

    def _in_one_level(self, structure: GroupDesign) -> tuple[MachineModel, GroupDesign]:
        """The structure with its blocks of blocks in one level and the model of the split network, if there is one."""
        is_batched = self.takes_in_batches(structure) and self.is_separable(structure.tasks)
        halves = halves_of(self.network, structure) if structure.blocks.outer and is_batched else None
        if halves is None:
            return self, structure
        key = structure.tasks[-1], halves
        model = self._split.pop(key, None)
        if model is None:
            if len(self._split) >= SPLIT_KEPT:
                del self._split[next(iter(self._split))]
            network = halves.network(self.network, key[0])
            own = self.accesses
            model = MachineModel(network, self.platform, own.loads, self._lines, own.channels)
        self._split[key] = model  # the one that was asked for last stands last
        return model, in_one_level(structure, halves)

    def _ports_of(self, structure: GroupDesign) -> LocalPorts:
        """The local ports of a structure, cached, since many structures have the same."""
        key = structure.tasks, *LocalPorts.key(structure)
        if key not in self._ports:
            if len(self._ports) >= PORTS_KEPT:
                self._ports.clear()
            self._ports[key] = LocalPorts.of(Group(self.accesses, structure.tasks), self.platform, structure)
        return self._ports[key]

    def batch(self, tasks: tuple[str, ...]) -> GroupBatch | None:
        """The batch for plain designs of a group; None if the group is not separable.

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
        """Drop the tables of the least recently used groups, down to `TABLE_BYTES` and `TASKS_OPEN`."""
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
        """Drop the tables of structures, which are large; groups and estimates stay."""
        self._lines.clear()
        self._split.clear()
        for batch in self._batches.values():
            if batch is not None:
                batch.kept.clear()

    def is_separable(self, tasks: tuple[str, ...]) -> bool:
        """Whether a group has a batch for its plain designs; False for a group that is refused."""
        if tasks not in self._separable:
            try:
                self._separable[tasks] = self.batch(tasks) is not None
            except ArrayolError:
                self._separable[tasks] = False
        return self._separable[tasks]

    def offers(self, tasks: tuple[str, ...], blocks: Sequence[Blocks]) -> list[ApplicableOptions]:
        """The options of a group with each of some blocks; blocks of one scan are evaluated together.

        Raises ArrayolError for a group or scan that is refused.
        """
        group, batch = Group(self.accesses, tasks), self.batch(tasks)
        if tasks not in self._fifos:
            apart = batch is not None and not batch.counts.parts.spaces.couple
            self._fifos[tasks] = separable_fifos(batch.counts) if batch and apart else possible_fifos(group)
        fifos, found = self._fifos[tasks], dict[Blocks, ApplicableOptions | None]()
        by_scan: dict[Scan, list[Blocks]] = {}
        for own in dict.fromkeys(blocks):
            if batch is not None and not own.outer:
                by_scan.setdefault(own.scan, []).append(own)
        for alike in by_scan.values():
            assert batch is not None, "else none stands by its scan"
            step = batch.at_once or len(alike)
            for some in (alike[start : start + step] for start in range(0, len(alike), step)):
                found.update(zip(some, offers_of_separable(batch, some, fifos), strict=True))
        return [found.get(own) or find_applicable(group, own, fifos) for own in blocks]

    @property
    def data_per_word(self) -> int:
        """The number of data (m) in a word of the external memory, of the widest element type outside; at least 1."""
        (channel,) = self.platform.channels
        if channel.data_per_word is not None:
            return channel.data_per_word
        arrays = [array for name, array in self.network.arrays.items() if self.accesses.lies_outside(name)]
        widest = max(8 * array.type.bytes for array in arrays)
        return max(1, (channel.word_bits or 1) // widest)

    def step_cycles(self, group: GroupDesign) -> tuple[int, ...]:
        """The length of every step of a group in cycles, in order."""
        if group.stream is not None:
            pricer = self.streams_of(group)
            return tuple(pricer.steps(pricer.streamed(group)).lengths.tolist())
        plan, rates = plan_group(self.accesses, self.platform, group), rates_of(group)
        require_legal_rates(plan_tables(plan), 0, rates)
        busy = {task: processor_busy.cycles for task, processor_busy in plan.processors.all_busy(rates).items()}
        latencies = latencies_of(plan.processors.paths, plan.single_readers, rates)
        return tuple(step_ends(plan.port, busy, latencies)[0].tolist())

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
        rates = {own.task: (own.units, own.interval) for group in groups for own in group.processors}
        resident = resident_memories(self.accesses, self.platform, rates)
        leaking = self.energy_prices.leaking if self.energy_prices is not None else None
        clock, period = self.platform.clock_mhz, self._period(groups) if design.together else None
        return DesignEstimate(tuple(groups), clock, reuse_memory, self.once, resident, leaking, period)

    def _period(self, groups: Sequence[GroupEstimate]) -> Period:
        """The period of groups that run at the same time."""
        latencies, at_port = [group.latency_cycles for group in groups], [group.additive[PORT] for group in groups]
        copies = copies_outside(self.accesses, [group.tasks for group in groups])
        (channel,) = self.platform.channels
        return Period(period_cycles(latencies, at_port, channel.turn), channel.turn, copies)

    @cached_property
    def energy_prices(self) -> EnergyCosts | None:
        """The energies of single operations; None if the platform does not give them."""
        return energy_prices(self.platform, self.network)

    @cached_property
    def once(self) -> Once:
        """The sizes of the arrays that are loaded once."""
        return loaded_once(self.accesses, self.platform)


def counted_estimates(batch: GroupBatch, designs: Sequence[GroupDesign]) -> tuple[list[int], list[GroupEstimate]]:
    """The estimates of plain designs with one scan and the same layouts, of which all recompute or none.

    Only those with Cartesian structures are taken; the first result has their indices. Raises ArrayolError
    (`scan-against-delay`, `too-many-units`) for the first design that is refused.
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
    """One structure and the batch in which it is evaluated."""

    of: GroupBatch
    structure: GroupDesign

    @property
    def blocks(self) -> tuple[Scan, NDArray[np.int64]]:
        """The scan, and the block shape as a table of one row."""
        blocks = self.structure.blocks
        return blocks.scan, np.array([blocks.shape], np.int64).reshape(1, -1)

    @property
    def keeps(self) -> StructureKeeps:
        """The keeps of the structure."""
        return StructureKeeps.alike(self.of.keeps_of(self.structure), 1)
