"""One group of fused tasks: the arrays that it loads, makes and stores."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import IntArray
from arrayol.errors import error
from arrayol.ir.network import Network
from arrayol.ir.spec import Delay
from arrayol.text import listed
from hwmodel.accesses import Accesses, Extents, Touch
from hwmodel.frame_steps import of_every_frame
from hwmodel.last_tasks import following, last_tasks


class Group:
    """The tasks of a group in dataflow order.

    Raises ArrayolError (`several-last-tasks`, `several-frames`, `made-in-part`).
    """

    def __init__(self, accesses: Accesses, tasks: Sequence[str]) -> None:
        self.accesses = accesses
        self.network: Network = accesses.network
        self.tasks = tuple(name for name in self.network.processes if name in set(tasks))
        if len(self.tasks) != len(tasks):
            raise ValueError(f"not processes of '{self.network.name}', each once: {', '.join(tasks)}")
        self._require_whole_or_stored()
        *_, self.last = last_tasks(self.network, self.tasks)  # the leading one
        self.following = following(accesses, self.tasks)
        for task in self.tasks:
            self._require_earlier_frames(task)

    @cached_property
    def writers_of(self) -> dict[str, tuple[str, ...]]:
        """The arrays of which the group makes all or a part, in the network's order, with the tasks that do."""
        makers = {
            array.name: tuple(task for task in array.producers if task in self.tasks)
            for array in self.network.arrays.values()
        }
        return {array: tasks for array, tasks in makers.items() if tasks}

    def arrays_of(self, task: str) -> list[str]:
        """The arrays that a task of the group makes."""
        return [array for array, makers in self.writers_of.items() if task in makers]

    @cached_property
    def loaded(self) -> tuple[str, ...]:
        """The arrays that the group loads, in the network's order; resident arrays are not loaded."""
        return tuple(
            name
            for name in self.network.arrays
            if name not in self.writers_of and not self.accesses.is_resident(name) and self.readers(name)
        )

    @cached_property
    def stored(self) -> tuple[str, ...]:
        """The arrays that the group makes and of which some element is needed outside, in the network's order."""
        return tuple(
            name for name in self.writers_of if self.network.arrays[name].is_output or self.outside_touches(name)
        )

    def readers(self, array: str) -> tuple[str, ...]:
        """The tasks of the group that read an array, in dataflow order."""
        return tuple(task for task in self.tasks if any(touch.array == array for touch in self.accesses.reads[task]))

    def reads(self, task: str, array: str) -> tuple[Touch, ...]:
        """The tilers through which a task reads an array."""
        return self._touches[0].get((task, array), ())

    def writes(self, task: str, array: str) -> tuple[Touch, ...]:
        """The tilers through which a task writes an array."""
        return self._touches[1].get((task, array), ())

    def touches(self, array: str) -> tuple[tuple[Touch, ...], tuple[Touch, ...]]:
        """The tilers through which tasks of the group read an array, and those through which they write it."""
        if array not in self._of_array:
            reads, writes = (
                [touch for task in self.tasks for touch in of(task, array)] for of in (self.reads, self.writes)
            )
            self._of_array[array] = tuple(reads), tuple(writes)
        return self._of_array[array]

    @cached_property
    def _of_array(self) -> dict[str, tuple[tuple[Touch, ...], tuple[Touch, ...]]]:
        """A cache of `touches`."""
        return {}

    @cached_property
    def _touches(self) -> tuple[dict[tuple[str, str], tuple[Touch, ...]], ...]:
        """The tilers through which each task reads, and writes, each array."""
        sides = self.accesses.reads, self.accesses.writes
        touches: tuple[dict[tuple[str, str], tuple[Touch, ...]], ...] = ({}, {})
        for side, by_task in zip(sides, touches, strict=True):
            for touch in (touch for task in self.network.processes for touch in side[task]):
                key = touch.process, touch.array
                by_task[key] = (*by_task.get(key, ()), touch)
        return touches

    def delays(self, task: str) -> tuple[Delay, ...]:
        """A task's delays that act within a frame."""
        if task not in self._delays:
            self._delays[task] = self.accesses.delays(task)
        return self._delays[task]

    @cached_property
    def _delays(self) -> dict[str, tuple[Delay, ...]]:
        """A cache of `delays`."""
        return {}

    @cached_property
    def recomputable(self) -> frozenset[str]:
        """The tasks that run all of Need at every tick if the group recomputes."""
        lasts = {self.last, *self.following}
        return frozenset(
            task for task in self.tasks if task not in lasts and not (self.delays(task) or self.frame_delays(task))
        )

    def frame_delays(self, task: str) -> tuple[Delay, ...]:
        """A task's delays that reach into earlier frames."""
        process = self.network.processes[task]
        return tuple(delay for delay in process.delays if delay.acts and frames_back(process.repetition, delay))

    def needed_outside(self, array: str) -> NDArray[np.bool_]:
        """Mask of an array's elements that another group reads in any frame, or that the network outputs."""
        if self.network.arrays[array].is_output:
            return np.ones(self.accesses.size(array), np.bool_)
        needed = np.zeros(self.accesses.size(array), np.bool_)
        for touch in self.outside_touches(array):
            every = np.arange(math.prod(self.accesses.extents(touch.process)))
            for _, read in self.accesses.in_parts(touch, every):
                needed[read] = True
        return of_every_frame(self.accesses, array, needed)

    def writer(self, array: str, task: str) -> IntArray:
        """The repetition of a task that writes each element of an array; -1 for elements of other tasks or frames."""
        every = np.arange(math.prod(self.accesses.extents(task)))
        writer = np.full(self.accesses.size(array), -1, np.int64)
        for touch in self.writes(task, array):
            for rows, written in self.accesses.in_parts(touch, every):
                writer[written] = rows[:, None]
        return writer

    def outside_touches(self, array: str) -> list[Touch]:
        """The tilers through which tasks outside the group read an array."""
        return [
            touch
            for task, touches in self.accesses.reads.items()
            for touch in touches
            if touch.array == array and task not in self.tasks
        ]

    def _require_whole_or_stored(self) -> None:
        """Raises ArrayolError (`made-in-part`) if the group reads an array of which it makes only a part."""
        for array, makers in self.writers_of.items():
            others = [task for task in self.network.arrays[array].producers if task not in makers]
            if others and self.readers(array):
                raise error(
                    "made-in-part",
                    f"the group {' '.join(self.tasks)} reads '{array}' and makes only a part of it: {listed(others)} "
                    f"{'makes' if len(others) == 1 else 'make'} the rest",
                    hint=f"put all tasks that write '{array}' in the group, or none of them",
                )

    def _require_earlier_frames(self, task: str) -> None:
        """Raises ArrayolError (`several-frames`) if a delay reads later frames."""
        for delay in self.frame_delays(task):
            back = frames_back(self.network.processes[task].repetition, delay)
            if back < 0:
                raise error(
                    "several-frames",
                    f"'{task}' reads '{delay.output}' of {-back} frames later by its delay {list(delay.vector)}; the "
                    "machine computes frame after frame",
                    delay.span,
                    hint="a delay along the infinite dimension has to reach backwards to be mapped",
                )


def frames_back(repetition: Sequence[int | None], delay: Delay) -> int:
    """The number of frames that a delay reaches back: its component along the infinite dimension, 0 without one."""
    return sum(step for step, extent in zip(delay.vector, repetition, strict=True) if extent is None)


def frames_kept(repetition: Sequence[int | None], delay: Delay) -> int:
    """How many frames the state of a delay over frames keeps the value of each repetition; 0 for another delay.

    It is one more than the delay reaches back if it also leads to another repetition: that may come when the value of
    its own frame is there.
    """
    back, steps = frames_back(repetition, delay), zip(delay.vector, repetition, strict=True)
    return back + int(back > 0 and any(step for step, extent in steps if extent is not None))


def require_one_frame(group: Group, array: str, reader: str, elements: IntArray) -> None:
    """Raises ArrayolError (`several-frames`) if a fused task reads elements that are made in another frame."""
    makers = group.writers_of[array]
    there = np.zeros(group.accesses.size(array), np.bool_)
    for task in makers:
        there |= group.writer(array, task) >= 0
    foreign = elements[~there[elements]]
    if foreign.size:
        subscripts = np.unravel_index(int(foreign[0]), group.accesses.shape(array))
        raise error(
            "several-frames",
            f"'{reader}' reads element {[int(index) for index in subscripts]} of '{array}', which "
            f"{listed([repr(task) for task in makers])} makes in another frame; between fused tasks only one frame is "
            "there",
            hint=f"put '{reader}' and {listed([repr(task) for task in makers])} in different groups",
        )


# Needs closed under a task's delays: with repetition r also r - d (docs/machine.md, section 2).

Slices = tuple[slice, ...]


def closed(need: IntArray, extents: Extents, delays: Sequence[Delay]) -> IntArray:
    """The least tick among those of r, r + d, r + 2 d, ... for every repetition r, given by row-major numbers."""
    if not delays:
        return need
    grid = need.reshape(extents).copy()
    while True:
        before = grid.copy()
        for delay in delays:
            _close_chains(grid, delay.vector)
        if len(delays) == 1 or np.array_equal(before, grid):
            return grid.ravel()


def _close_chains(grid: IntArray, vector: tuple[int, ...]) -> None:
    """Close a grid under one delay by doubling.

    After the step 2^k d, each entry is the least of those up to (2^(k+1) - 1) d later.
    """
    step = vector
    while all(abs(part) < extent for part, extent in zip(step, grid.shape, strict=True)):
        source, target = shifted(step, grid.shape)
        grid[source] = np.minimum(grid[source], grid[target])
        step = tuple(2 * part for part in step)


def shifted(step: Sequence[int], extents: Sequence[int]) -> tuple[Slices, Slices]:
    """The box of the repetitions r - step and the box of the repetitions r, where both lie in the space."""
    early = tuple(slice(max(0, -part), extent - max(0, part)) for part, extent in zip(step, extents, strict=True))
    late = tuple(slice(max(0, part), extent - max(0, -part)) for part, extent in zip(step, extents, strict=True))
    return early, late


def closed_over_frames(
    need: IntArray, extents: Extents, across: Sequence[Delay], within: Sequence[Delay], never: int, final: int
) -> IntArray:
    """Let repetitions that only a later frame needs, by delays that reach back a frame, run at tick `final`."""
    if not across:
        return need
    grid = need.reshape(extents).copy()
    while True:
        before = grid.copy()
        for delay in across:
            step = [0 if extent == 1 else part for part, extent in zip(delay.vector, extents, strict=True)]
            early, late = shifted(step, extents)
            grid[early] = np.where((grid[late] != never) & (grid[early] == never), final, grid[early])
        grid = closed(grid.ravel(), extents, within).reshape(extents)
        if np.array_equal(before, grid):
            return grid.ravel()
