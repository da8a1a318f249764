"""What is counted in a separable group: work, loads and stores of a tick, and the memories with what lives in them.

Each count is a product of counts along the dimensions of the blocks, times a `factor` for the indices that move along
none of them and so belong to every tick alike. `GroupCounts.holds` decides, once for a group, whether that covers what
is needed outside it too: of an array that is stored, all that is made has to be needed outside, and what makes it (or
is read by the next frame) has to run whole for the blocks' sake. For what only the outside needs belongs to the last
tick (docs/machine.md, section 2), and "needed by no tick" is the complement of a product, which is none.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from arrayol.ir.spec import port_named
from hwmodel.machine.group import frames_back
from hwmodel.machine.separable.axes import Ints, Mask, Parts, separate
from hwmodel.machine.separable.first_use import NEVER, Fields, Masks, fields_along
from hwmodel.machine.ticks import STORES

Fate = Literal["read", "stored", "lost"]


@dataclass(frozen=True, slots=True)
class Counted:
    """Something that happens `factor` times for each index of a field, `stage` steps after its tick."""

    kind: Literal["load", "store", "task"]
    name: str
    stage: int
    factor: int


@dataclass(frozen=True, slots=True)
class Living:
    """Instances in a memory, born in one stage and dead from a stage on, `factor` of them for each index of a field."""

    source: str  # the field: an array's, or a task's chains
    fate: Fate | Literal["chain"]
    born: int
    dead: int
    factor: int


@dataclass(frozen=True, slots=True)
class Memory:
    """A local memory: what lives in it, `size` data for each instance, or (`fixed`) a size that no block changes."""

    kind: Literal["buffer", "state"]
    name: str
    bits: int
    banks: int
    size: int
    living: tuple[Living, ...]
    fixed: int = 0


@dataclass(frozen=True, eq=False)
class GroupCounts:
    """All that is counted in a separable group."""

    parts: Parts
    masks: Masks
    whole: tuple[Fields, ...]  # by dimension of the blocks, for one block

    @cached_property
    def counted(self) -> list[Counted]:
        """Loads, tasks in dataflow order, stores."""
        group, stages = self.parts.group, self.parts.stages
        loads = [Counted("load", name, stages.load[name], self._free_read(name)) for name in group.loaded]
        tasks = [Counted("task", task, stages.task[task], self.free_runs(task)) for task in group.tasks]
        stores = [Counted("store", name, STORES, self._free_made(name)) for name in group.stored]
        return [*loads, *tasks, *stores]

    @cached_property
    def names(self) -> list[tuple[str, str]]:
        """Kind and name of all that is counted."""
        return [(quantity.kind, quantity.name) for quantity in self.counted]

    @cached_property
    def factor(self) -> Ints:
        """The factor of all that is counted, (Q,)."""
        return np.array([quantity.factor for quantity in self.counted])

    @cached_property
    def shift(self) -> Ints:
        """Steps by which all that is counted, then the longest chains of tasks lag behind the first load, (Q + T,)."""
        stages = [quantity.stage for quantity in self.counted]
        tasks = [quantity.stage for quantity in self.counted if quantity.kind == "task"]
        return np.array([*stages, *tasks]) - min(stages)

    @cached_property
    def memories(self) -> list[Memory]:
        """Buffers, then delay states."""
        group = self.parts.group
        buffers = [self._buffer(name) for name in (*group.loaded, *group.made)]
        return [*buffers, *(state for task in group.tasks for state in self._states(task))]

    @cached_property
    def bits(self) -> Ints:
        """The bits of a datum of each memory."""
        return np.array([memory.bits for memory in self.memories], np.int64)

    def free_runs(self, task: str) -> int:
        """Repetitions of a task for each index of what moves with the blocks."""
        return math.prod(int(self.masks.runs[task, free].sum()) for free in self.parts.free_dimensions(task))

    def running(self, task: str) -> list[Ints]:
        """Along each dimension of a task the indices that run."""
        masks = [np.ones(extent, np.bool_) for extent in self.parts.group.accesses.extents(task)]
        for fields, moving in zip(self.whole, self.parts.dimensions[task], strict=True):
            if moving is not None:
                masks[moving] &= fields.work[task][0] != NEVER
        for dimension in self.parts.free_dimensions(task):
            masks[dimension] &= self.masks.runs[task, dimension]
        return [np.flatnonzero(mask) for mask in masks]

    def chain_factors(self, task: str) -> tuple[int, int]:
        """Chains of a task's delay for each index of what moves with the blocks, and repetitions of each at once."""
        delay, number, longest = self.parts.delay(task), 1, 1
        for free in self.parts.free_dimensions(task):
            runs = self.masks.runs[task, free]
            if delay is not None and delay[1] == free:
                chains, longest, _ = free_chains(runs, delay[0].vector[free])
                number *= chains
            else:
                number *= int(runs.sum())
        return number, longest

    def latest_readers(self, array: str) -> int:
        """A bit for each reading tiler of an array whose task works latest; all bits where all work in one stage."""
        stages = [self.parts.stages.task[link.task] for link in self.parts.reads[array]]
        if len(set(stages)) == 1:
            return -1
        return sum(1 << bit for bit, stage in enumerate(stages) if stage == max(stages))

    def holds(self) -> bool:
        """Whether what is needed outside, read, and made are products too; all that does not depend on the blocks."""
        return all(self._made_holds(name) for name in self.parts.group.made) and all(
            self._runs_whole(task) for task in self.parts.group.tasks if self._must_run_whole(task)
        )

    def is_read_whole(self, array: str) -> bool:
        """Whether all that the group makes of an array is read in it."""
        return all(np.array_equal(*masks) for masks in self._axes(array))

    def _axes(self, array: str) -> list[tuple[Mask, Mask]]:
        """Along each axis of an array that the group makes and reads: what is read and what is made."""
        along = [
            (fields.read[array][0] != NEVER, fields.made[array][0] != NEVER)
            for fields in self.whole
            if array in fields.read
        ]
        free = [(self.masks.read[array, axis], self._made_free(array, axis)) for axis in self.parts.free_axes(array)]
        return [*along, *free]

    def _made_free(self, array: str, axis: int) -> Mask:
        return self.masks.touched(self.parts.writes[array], axis)

    def _made_holds(self, array: str) -> bool:
        """Whether all that is read of an array is made in this frame, and all that is needed outside is all of it."""
        read = array in self.parts.reads
        if read and any((wanted & ~made).any() for wanted, made in self._axes(array)):
            return False
        group = self.parts.group
        if array not in group.stored:
            return True
        if group.network.arrays[array].is_output or self._is_touched_whole(array):
            return True
        return bool(group.needed_outside(array)[group.writer(array, group.maker(array)) >= 0].all())

    def _is_touched_whole(self, array: str) -> bool:
        """Whether one tiler outside the group reads all of an array: a quick yes."""
        for touch in self.parts.group.outside_touches(array):
            link = separate(self.parts.group.accesses, touch)
            happens = link is not None and all(map(np.any, link.allowed.values()))
            if link is not None and happens and all(axis.touched.all() for axis in link.axes):
                return True
        return False

    def _must_run_whole(self, task: str) -> bool:
        """Whether the outside or the next frame may need repetitions that no block does."""
        stored = any(name in self.parts.group.stored for name in self.parts.arrays_of(task))
        return stored or bool(self.parts.group.frame_delays(task))

    def _runs_whole(self, task: str) -> bool:
        free = all(self.masks.runs[task, dimension].all() for dimension in self.parts.free_dimensions(task))
        return free and all(bool((fields.work[task] != NEVER).all()) for fields in self.whole)

    def _free_read(self, array: str) -> int:
        return math.prod(int(self.masks.read[array, axis].sum()) for axis in self.parts.free_axes(array))

    def _free_made(self, array: str) -> int:
        return math.prod(int(self._made_free(array, axis).sum()) for axis in self.parts.free_axes(array))

    def _buffer(self, array: str) -> Memory:
        group = self.parts.group
        touches = [touch for task in group.tasks for touch in (*group.reads(task, array), *group.writes(task, array))]
        banks = max(math.prod(touch.pattern) for touch in touches)
        bits = group.network.arrays[array].type.bits
        return Memory("buffer", array, bits, banks, 1, tuple(self._living(array)))

    def _living(self, array: str) -> list[Living]:
        """What of an array is read from its buffer, stored from it, or (lost) neither."""
        group, stages = self.parts.group, self.parts.stages
        last = max((stages.task[link.task] for link in self.parts.reads.get(array, [])), default=0)
        if array in group.loaded:
            return [Living(array, "read", stages.load[array], last + 1, self._free_read(array))]
        born, made = stages.task[group.maker(array)], self._free_made(array)
        if array in group.stored:
            return [Living(array, "stored", born, STORES + 1, made)]
        if array not in self.parts.reads:
            return [Living(array, "lost", born, born + 1, made)]
        if self.is_read_whole(array):
            return [Living(array, "read", born, last + 1, made)]
        # All of it for the step that makes it, then on what is read.
        return [
            Living(array, "lost", born, born + 1, made),
            Living(array, "read", born + 1, last + 1, self._free_read(array)),
        ]

    def _states(self, task: str) -> list[Memory]:
        group = self.parts.group
        process = group.network.processes[task]
        acting, across = group.delays(task), group.frame_delays(task)
        states = []
        for delay in process.delays:
            if delay not in (*acting, *across):
                continue
            port = port_named(process.input_ports, delay.port)
            size = math.prod(extent or 1 for extent in port.shape)
            back = frames_back(process.repetition, delay)
            fixed = back * math.prod(group.accesses.extents(task)) * size
            living = () if back else (self._chains(task),)
            states.append(Memory("state", f"{task}.{delay.port}", port.type.bits, 1, size, living, fixed))
        return states

    def _chains(self, task: str) -> Living:
        stage, delay = self.parts.stages.task[task], self.parts.delay(task)
        factor = 1
        for free in self.parts.free_dimensions(task):
            runs = self.masks.runs[task, free]
            chained = delay is not None and delay[1] == free
            factor *= free_chains(runs, delay[0].vector[free])[2] if chained and delay else int(runs.sum())
        return Living(task, "chain", stage, stage + 1, factor)


def free_chains(runs: Mask, step: int) -> tuple[int, int, int]:
    """Chains x, x + step, ... of indices that run, all in one tick: number, longest, those of two indices or more."""
    lengths = [int(runs[first :: abs(step)].sum()) for first in range(min(abs(step), len(runs)))]
    if step < 0:
        lengths = [int(runs[::-1][first :: abs(step)].sum()) for first in range(min(abs(step), len(runs)))]
    running = [length for length in lengths if length]
    return len(running), max(running, default=0), sum(length > 1 for length in running)


def make_counts(parts: Parts, masks: Masks) -> GroupCounts | None:
    """The counts of a group; None where something that no block changes is not a product."""
    whole = []
    for block, extent in enumerate(parts.group.accesses.extents(parts.group.last)):
        whole.append(fields_along(parts, masks, block, np.zeros((1, extent), np.int64)))
    counts = GroupCounts(parts, masks, tuple(whole))
    return counts if counts.holds() else None
