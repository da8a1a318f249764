"""The counted quantities of a separable group: runs, loads and stores of a tick, and births and deaths in memories.

Each count is a product of counts along the block dimensions, times a constant `factor` for the indices that move with
none of them and so belong to every tick alike. `GroupCounts.holds` decides, once for a group, whether this also covers
the elements that are needed outside. A piece that is stored has to be needed outside as a whole (or as a product of
index sets), and its task (or a task whose state the next frame reads) has to run whole for the blocks' sake. For
repetitions that only the outside needs run at the last tick (docs/machine.md, section 2), and "needed by no tick" is
the complement of a product, which is not Cartesian.

Stores and buffer contents are counted by pieces (`axes`); an array has one burst and one buffer for all its pieces.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np

from arrayol.arrays import IntArray
from arrayol.ir.spec import port_named
from hwmodel.cost_model.counted.axes.axes import Mask, Parts
from hwmodel.cost_model.counted.axes.coupling import along_each, is_product
from hwmodel.cost_model.counted.axes.first_use import Fields, Masks, fields_along
from hwmodel.cost_model.counted.axes.line_cache import LineCache
from hwmodel.cost_model.counted.axes.links import TilerLink
from hwmodel.cost_model.counted.axes.moved import Burst, Counted, CountedBursts, Needed, needed_of
from hwmodel.cost_model.counted.axes.places import NEVER
from hwmodel.cost_model.group.access_counts import Counts as AccessCounts
from hwmodel.cost_model.group.access_counts import accesses_of_products
from hwmodel.cost_model.group.group import frames_kept
from hwmodel.cost_model.group.ticks import STORES
from hwmodel.cost_model.issue.rounds import RowLines
from hwmodel.cost_model.tables.memories import BufferMemory, DelayState, TableMemory
from hwmodel.design import Scan, kind_of_array
from hwmodel.local_words import LocalWord
from hwmodel.memory_kinds import LocalMemoryKind
from hwmodel.units import DimensionMap, riding_dimensions, unit_dimension

UnitDimensions = tuple[int | None, ...]
LastUse = Literal["read", "stored", "lost"]


@dataclass(frozen=True, slots=True)
class Lifetime:
    """Instances in a memory: born in one stage and dead from a stage on, `factor` of them for each index of a field."""

    source: str  # the field: a piece's, or a task's chains
    fate: LastUse | Literal["chain"]
    born: int
    dead: int
    factor: int


@dataclass(frozen=True, slots=True)
class Source:
    """An origin of data in the buffer `memory` (its number): the loads of an array, or the tiler that writes a piece.

    The data are born `stage` steps after a tick, and the last stage that uses them follows `lag` steps later (0 if none
    uses them). `free` is the number of data for each index that moves with the blocks.
    """

    piece: str
    memory: int
    stage: int
    lag: int
    free: int


@dataclass(frozen=True, slots=True)
class CountedMemory:
    """A local memory and its contents: `size` data for each instance, or a size (`fixed`) that no block changes."""

    memory: TableMemory
    size: int
    living: tuple[Lifetime, ...]
    fixed: int = 0


@dataclass(frozen=True, eq=False)
class GroupCounts:
    """The counted quantities of a separable group."""

    parts: Parts
    masks: Masks
    whole: tuple[Fields, ...]  # by dimension of the blocks, for one block
    by_run: bool  # whether runs of addresses are counted too (`runs`)
    local: Mapping[Burst, LocalWord]  # of the bursts whose local words are counted
    lines: LineCache = field(default_factory=LineCache, repr=False)  # that are known of all groups of a network
    fifos: frozenset[str] = frozenset()  # arrays without a buffer
    again: frozenset[str] = frozenset()  # tasks that recompute

    @cached_property
    def counted(self) -> list[Counted]:
        """The quantities: loads, then tasks in dataflow order, then stores."""
        group, stages = self.parts.group, self.parts.stages
        loads = [Counted("load", name, name, stages.load[name], self._free_read(name)) for name in group.loaded]
        tasks = [Counted("task", task, task, stages.task[task], self.free_runs(task)) for task in group.tasks]
        stores = [
            Counted("store", self.parts.array_of(piece), piece, STORES, self._free_stored(piece))
            for piece in self.stored
        ]
        return [*loads, *tasks, *stores]

    @cached_property
    def names(self) -> list[tuple[str, str]]:
        """Kind and name of each quantity; the stores of several pieces of one array have equal names."""
        return [(quantity.kind, quantity.name) for quantity in self.counted]

    @cached_property
    def bursts(self) -> dict[Burst, list[int]]:
        """The numbers of the quantities that make each burst: a load or a store of an array, with all its pieces."""
        numbers: dict[Burst, list[int]] = {}
        for number, (kind, name) in enumerate(self.names):
            if kind != "task":
                numbers.setdefault((kind, name), []).append(number)
        return numbers

    @cached_property
    def moved(self) -> CountedBursts:
        """The contents of each burst, and the axes along which its runs are counted."""
        entries = {burst: [self.counted[number] for number in numbers] for burst, numbers in self.bursts.items()}
        return CountedBursts(self.parts, entries, self.by_run, self.local)

    @cached_property
    def stored(self) -> list[str]:
        """The pieces with elements that are needed outside."""
        return [piece for array in self.parts.group.stored for piece in self.parts.pieces[array] if self._needed[piece]]

    @cached_property
    def needed_in_part(self) -> dict[str, tuple[Mask, ...]]:
        """Masks by axis of the indices that are needed outside, for pieces of which not all elements are."""
        return {piece: needed for piece, needed in self._needed.items() if isinstance(needed, tuple)}

    @cached_property
    def factor(self) -> IntArray:
        """The constant factor of each quantity, (Q,)."""
        return np.array([quantity.factor for quantity in self.counted])

    @cached_property
    def shift(self) -> IntArray:
        """Steps by which each entry lags behind the first load: quantities, lines of tasks, indices of delays, runs."""
        stages = [quantity.stage for quantity in self.counted]
        own = self.parts.stages.task
        lines, along = ([own[task] for task in tasks] for tasks in (self.parts.group.tasks, self.delayed))
        runs = [moved.stage for moved in self.moved.axes]
        return np.array([*stages, *lines, *along, *runs]) - min(stages)

    @cached_property
    def memories(self) -> list[CountedMemory]:
        """The memories: buffers, then delay states."""
        states = (state for task in self.parts.group.tasks for state in self._states(task))
        return [*map(self._buffer, self._buffered), *states]

    @property
    def _buffered(self) -> list[str]:
        """The arrays that have a buffer."""
        group = self.parts.group
        return [name for name in (*group.loaded, *group.writers_of) if name not in self.fifos]

    def kind_of(self, array: str) -> LocalMemoryKind:
        """The kind of the local memory of an array that is loaded or made."""
        return kind_of_array(array, self.fifos)

    @cached_property
    def sources(self) -> list[Source]:
        """The sources of data of each buffer, in the order of the memories."""
        return [
            self._source(piece, number)
            for number, array in enumerate(self._buffered)
            for piece in self.parts.pieces.get(array, [array])
        ]

    @cached_property
    def read_in_part(self) -> dict[str, tuple[list[int], bool]]:
        """Pieces that the group makes and does not store, and of which it reads a part only.

        For each: the block dimensions along which some indices are not read, and whether a free axis has such indices.
        """
        partly = {}
        for piece in self.parts.writes:
            if piece in self.parts.reads and piece not in self.stored and not self.is_read_whole(piece):
                unread = [not np.array_equal(*masks) for masks in self._axes(piece)]
                rank = self.parts.rank
                partly[piece] = [block for block in range(rank) if unread[block]], any(unread[rank:])
        return partly

    @cached_property
    def followed(self) -> frozenset[str]:
        """Pieces whose last uses can be followed reader by reader, if they are not Cartesian together.

        These have several readers, or are also stored, or are read in part; and along free axes each reader reads all
        indices that are brought.
        """
        parts = self.parts
        return frozenset(
            piece
            for piece, links in parts.reads.items()
            if piece not in self.made_again
            and (len(links) > 1 or piece in self.stored or piece in self.read_in_part)
            and not any(merge.differs[0] for merge in self.masks.merges.get(("last", piece), []))
            and all(
                np.array_equal(self.masks.read[piece, axis], self.free_indices(piece, axis))
                for axis in parts.free_axes(piece)
            )
        )

    @cached_property
    def may_recompute(self) -> frozenset[str] | None:
        """The tasks that run all of Need at every tick if the group recomputes.

        None if their runs would not be Cartesian.

        They are Cartesian if no dimensions are merged, and all that these tasks make and others read is read whole.
        """
        parts, group = self.parts, self.parts.group
        again = group.recomputable
        read = [piece for piece, link in parts.writes.items() if link.task in again and piece in parts.reads]
        if parts.spaces.couple or self.needed_in_part or not all(map(self.is_read_whole, read)):
            return None
        return again

    @cached_property
    def made_again(self) -> list[str]:
        """The pieces that recomputing tasks make."""
        return [piece for piece, link in self.parts.writes.items() if link.task in self.again]

    @cached_property
    def memory_of(self) -> dict[str, int]:
        """The number of each piece's buffer among the memories."""
        return {source.piece: source.memory for source in self.sources}

    @cached_property
    def bits(self) -> IntArray:
        """The bits of a word of each memory, (memories,)."""
        return np.array([counted.memory.bits for counted in self.memories], np.int64)

    @cached_property
    def accesses(self) -> AccessCounts:
        """Accesses to each memory by tasks that do not recompute; the same for all blocks. Without loads and stores."""
        group = self.parts.group
        running = {task: self.running(task) for task in group.tasks if task not in self.again}
        return accesses_of_products(group, running, self.kind_of)

    def free_runs(self, task: str) -> int:
        """The repetitions of a task for each index that moves with the blocks."""
        return math.prod(int(self.masks.runs[task, free].sum()) for free in self.parts.free_dimensions(task))

    def cells_running(self, task: str) -> list[Mask]:
        """Masks of the indices of a task that run, along each (merged) dimension."""
        masks = [np.ones(extent, np.bool_) for extent in self.parts.extents(task)]
        for fields, moving in zip(self.whole, self.parts.dimensions[task], strict=True):
            if moving is not None:
                masks[moving] &= fields.work[task][0] != NEVER
        for dimension in self.parts.free_dimensions(task):
            masks[dimension] &= self.masks.runs[task, dimension]
        return masks

    def running(self, task: str) -> list[IntArray]:
        """The indices of a task that run, along each dimension of its repetition space."""
        extents = self.parts.group.accesses.extents(task)
        indices = [np.zeros(0, np.int64) for _ in extents]
        for dimensions, cells in zip(self.parts.spaces.dimensions(task), self.cells_running(task), strict=True):
            for k, mask in zip(dimensions, along_each(cells, [extents[k] for k in dimensions]), strict=True):
                indices[k] = np.flatnonzero(mask)
        return indices

    def repetitions(self, task: str) -> int:
        """The number of repetitions of a task that run."""
        return math.prod(map(len, self.running(task)))

    def runs_as_a_product(self, task: str) -> bool:
        """Whether all combinations of the indices that run do run, also within merged dimensions."""
        extents = self.parts.group.accesses.extents(task)
        sets = zip(self.parts.spaces.dimensions(task), self.cells_running(task), strict=True)
        return all(is_product(cells, [extents[k] for k in dimensions]) for dimensions, cells in sets)

    def free_rows(self, task: str, dimension: int | None) -> RowLines:
        """The lines of rows along a free dimension of a task, or along none: kind 0 is no row, kind 1 the row."""
        if dimension is None:
            return RowLines.whole(1)
        return RowLines.of_indices(self.running(task)[dimension])

    def free_along(self, task: str, dimension: int) -> int:
        """The number of indices that run along a free dimension of a task; 1 for one that moves with the blocks."""
        if self.parts.spaces.set_of(task, dimension) in self.parts.dimensions[task]:
            return 1
        return len(self.running(task)[dimension])

    def levels_hold(self, task: str) -> bool:
        """Whether the running indices along a task's delay are consecutive, if it moves along a free dimension."""
        delay = self.parts.delay(task)
        if delay is None or delay.dimension in self.parts.dimensions[task]:
            return True
        running = self.running(task)[delay.own]
        return not len(running) or int(running[-1] - running[0]) + 1 == len(running)

    @cached_property
    def delayed(self) -> list[str]:
        """The tasks with an acting delay, in dataflow order."""
        return [task for task in self.parts.group.tasks if self.parts.delay(task) is not None]

    @cached_property
    def riding(self) -> DimensionMap:
        """The dimensions of all tasks that ride on dimensions of the last task."""
        group = self.parts.group
        return riding_dimensions(group.accesses, group.tasks, group.last)

    def unit_dimensions(self, scan: Scan) -> UnitDimensions:
        """The dimension of each task's lines under a scan, in dataflow order."""
        accesses = self.parts.group.accesses
        return tuple(unit_dimension(accesses, self.riding, scan, task) for task in self.parts.group.tasks)

    def latest_readers(self, piece: str) -> int:
        """Bits of the tilers that read a piece and whose task has the latest stage.

        All bits (-1) if all have one stage.
        """
        stages = [self.parts.stages.task[link.task] for link in self.parts.reads[piece]]
        if len(set(stages)) == 1:
            return -1
        return sum(1 << bit for bit, stage in enumerate(stages) if stage == max(stages))

    def holds(self) -> bool:
        """Whether the sets that no block changes (indices that run, are made, read, or stored) are Cartesian."""
        tasks = self.parts.group.tasks
        return (
            all(self._made_holds(piece) for piece in self.parts.writes)
            and all(self._runs_whole(task) for task in tasks if self._must_run_whole(task))
            and all(self.runs_as_a_product(task) for task in tasks)
            and self._frees_hold()
            and self.moved.hold()
        )

    def is_read_whole(self, piece: str) -> bool:
        """Whether the group reads all that it makes of a piece."""
        return all(np.array_equal(*masks) for masks in self._axes(piece))

    def _axes(self, piece: str) -> list[tuple[Mask, Mask]]:
        """Masks of the indices that are read and made, along each axis of a piece that the group makes and reads."""
        along = [
            (fields.read[piece][0] != NEVER, fields.made[piece][0] != NEVER)
            for fields in self.whole
            if piece in fields.read
        ]
        free = [(self.masks.read[piece, axis], self._made_free(piece, axis)) for axis in self.parts.free_axes(piece)]
        return [*along, *free]

    def _made_free(self, piece: str, axis: int) -> Mask:
        """Mask of the indices of a piece's free axis that are made."""
        return self.masks.touched(self.parts.writes[piece], axis)

    def _made_holds(self, piece: str) -> bool:
        """Whether all that is read of a piece is made in this frame, and its elements needed outside are Cartesian."""
        read = piece in self.parts.reads
        if read and any((wanted & ~made).any() for wanted, made in self._axes(piece)):
            return False
        return self._needed[piece] != "unlike"

    @cached_property
    def _needed(self) -> dict[str, Needed]:
        """The elements of each piece that are needed outside."""
        return {piece: needed_of(self.parts, link) for piece, link in self.parts.writes.items()}

    def _must_run_whole(self, task: str) -> bool:
        """Whether other groups or the next frame may need repetitions that no block needs."""
        stored = any(piece in self.stored for piece in self.parts.pieces_of(task))
        return stored or bool(self.parts.group.frame_delays(task))

    def _runs_whole(self, task: str) -> bool:
        """Whether all indices of a task run."""
        free = all(self.masks.runs[task, dimension].all() for dimension in self.parts.free_dimensions(task))
        return free and all(bool((fields.work[task] != NEVER).all()) for fields in self.whole)

    def free_indices(self, piece: str, axis: int) -> Mask:
        """Mask of the indices of a piece's free axis that are loaded or made."""
        return self.masks.read[piece, axis] if piece in self.parts.group.loaded else self._made_free(piece, axis)

    def free_subscripts(self, piece: str, axis: int) -> IntArray:
        """The subscripts of an axis of the array, part of a free axis of a piece, that are loaded or made."""
        sides = self.parts.spaces.axes(self.parts.array_of(piece))
        side = next(number for number, own in enumerate(sides) if axis in own)
        shape = self.parts.group.accesses.shape(self.parts.array_of(piece))
        cells = along_each(self.free_indices(piece, side), [shape[own] for own in sides[side]])
        return np.flatnonzero(cells[sides[side].index(axis)])

    def stored_subscripts(self, piece: str, axis: int) -> IntArray:
        """The subscripts of an axis of the array, part of a free axis of a piece, that are stored."""
        needed = self.needed_in_part.get(piece)
        return self.free_subscripts(piece, axis) if needed is None else np.flatnonzero(needed[axis])

    def _frees_hold(self) -> bool:
        """Whether the indices of merged free axes are all combinations of subscripts."""
        for piece in dict.fromkeys([*self.parts.group.loaded, *self.parts.writes]):
            shape = self.parts.group.accesses.shape(self.parts.array_of(piece))
            for side in self.parts.free_axes(piece):
                extents = [shape[axis] for axis in self.parts.axes_of(piece, side)]
                if not is_product(self.free_indices(piece, side), extents):
                    return False
        return True

    def _free_read(self, piece: str) -> int:
        """The elements of a piece that are read, for each index that moves with the blocks."""
        return math.prod(int(self.masks.read[piece, axis].sum()) for axis in self.parts.free_axes(piece))

    def _free_made(self, piece: str) -> int:
        """The elements of a piece that are made, for each index that moves with the blocks."""
        return math.prod(int(self._made_free(piece, axis).sum()) for axis in self.parts.free_axes(piece))

    def _free_stored(self, piece: str) -> int:
        """The elements of a piece that are stored, for each index that moves with the blocks."""
        needed = self.needed_in_part.get(piece)
        if needed is None:
            return self._free_made(piece)
        return math.prod(int(needed[axis].sum()) for axis in self.parts.free_axes(piece))

    def _buffer(self, array: str) -> CountedMemory:
        group = self.parts.group
        touches = [touch for task in group.tasks for touch in (*group.reads(task, array), *group.writes(task, array))]
        banks = max(math.prod(touch.pattern) for touch in touches)
        bits = group.network.arrays[array].type.bits
        living = [way for piece in self.parts.pieces.get(array, [array]) for way in self._living(piece)]
        return CountedMemory(BufferMemory(array, bits, banks), 1, tuple(living))

    def _source(self, piece: str, memory: int) -> Source:
        group, stages = self.parts.group, self.parts.stages
        readers = [link for link in self.parts.reads.get(piece, []) if self._reads_something(link)]
        uses = [stages.task[link.task] for link in readers]
        if piece in group.loaded:
            return Source(piece, memory, stages.load[piece], max(uses) - stages.load[piece], self._free_read(piece))
        stage = stages.task[self.parts.writes[piece].task]
        latest = max([stage, *uses, *([STORES] if piece in self.stored else [])])
        return Source(piece, memory, stage, latest - stage, self._free_made(piece))

    def _reads_something(self, link: TilerLink) -> bool:
        """Whether a tiler reads its piece in some repetition that runs."""
        cells = enumerate(self.cells_running(link.task))
        running = [cells_of & link.allowed.get(dimension, True) for dimension, cells_of in cells]
        touched = [
            along.touched if along.dimension is None else along.touched_by(running[along.dimension])
            for along in link.axes
        ]
        return all(mask.any() for mask in (*running, *touched))

    def _living(self, piece: str) -> list[Lifetime]:
        """The lifetimes of a piece in its buffer: until the last read, until the store, or (lost) for one step."""
        group, stages = self.parts.group, self.parts.stages
        last = max((stages.task[link.task] for link in self.parts.reads.get(piece, [])), default=0)
        if piece in group.loaded:
            return [Lifetime(piece, "read", stages.load[piece], last + 1, self._free_read(piece))]
        born, made = stages.task[self.parts.writes[piece].task], self._free_made(piece)
        if piece in self.made_again:
            fate: LastUse = "read" if piece in self.parts.reads else "lost"
            dead = last + 1 if fate == "read" else born + 1
            # Of what is stored the first instance lives on.
            stored = [Lifetime(piece, "stored", dead, STORES + 1, made)] if piece in self.stored else []
            return [Lifetime(piece, fate, born, dead, made), *stored]
        if piece in self.stored:
            return [Lifetime(piece, "stored", born, STORES + 1, made)]
        if piece not in self.parts.reads:
            return [Lifetime(piece, "lost", born, born + 1, made)]
        if self.is_read_whole(piece):
            return [Lifetime(piece, "read", born, last + 1, made)]
        # All of it for the step that makes it, then on what is read.
        return [
            Lifetime(piece, "lost", born, born + 1, made),
            Lifetime(piece, "read", born + 1, last + 1, self._free_read(piece)),
        ]

    def _states(self, task: str) -> list[CountedMemory]:
        """The delay states of a task, one for each acting delay or delay from frame to frame."""
        group = self.parts.group
        process = group.network.processes[task]
        acting, across = group.delays(task), group.frame_delays(task)
        states = []
        for delay in process.delays:
            if delay not in (*acting, *across):
                continue
            port = port_named(process.input_ports, delay.port)
            size = math.prod(extent or 1 for extent in port.shape)
            kept = frames_kept(process.repetition, delay)
            fixed = kept * math.prod(group.accesses.extents(task)) * size
            living = () if kept else (self._chains(task),)
            states.append(CountedMemory(DelayState(f"{task}.{delay.port}", port.type.bits), size, living, fixed))
        return states

    def _chains(self, task: str) -> Lifetime:
        """The lifetimes of a task's chains of delays, each from its first to its last instance."""
        stage, delay = self.parts.stages.task[task], self.parts.delay(task)
        factor = 1
        for free in self.parts.free_dimensions(task):
            runs = self.masks.runs[task, free]
            chained = delay is not None and delay.dimension == free
            factor *= several_in_chain(runs, delay.step) if chained and delay else int(runs.sum())
        return Lifetime(task, "chain", stage, stage + 1, factor)


def several_in_chain(runs: Mask, step: int) -> int:
    """The number of chains x, x + step, ... of running indices that have two indices or more."""
    return sum(int(runs[first :: abs(step)].sum()) > 1 for first in range(min(abs(step), len(runs))))


def make_counts(
    parts: Parts, masks: Masks, lines: LineCache, *, by_run: bool, local: Mapping[Burst, LocalWord]
) -> GroupCounts | None:
    """The counted quantities of a group; None if its block-independent sets are not Cartesian.

    With `by_run`, runs of addresses are counted too; otherwise the local words of the bursts in `local`.
    """
    whole = []
    for block, extent in enumerate(parts.extents(parts.group.last)):
        whole.append(fields_along(parts, masks, block, np.zeros((1, extent), np.int64)))
    counts = GroupCounts(parts, masks, tuple(whole), by_run, local, lines)
    return counts if counts.holds() else None
