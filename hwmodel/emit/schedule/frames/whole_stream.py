"""A streaming group in a whole frame, from its run in a shorter one: with fewer places of its outermost loop.

Its steps are chunks of pulses, and a round of them passes a whole number of those places. So what the port moves in a
round lies as many places further on in the next one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from arrayol.arrays import IntArray
from hwmodel.emit.schedule.frames.travel import Direction
from hwmodel.emit.schedule.frames.whole_frame import MovedArray, Ticks, WholeFrame
from hwmodel.emit.schedule.port import DmaEngine
from hwmodel.emit.schedule.repetition import LoopCut, NotRepeatedError, ScanLoops, StepRepetition
from hwmodel.simulator.periods import StepUse, uses_of
from hwmodel.simulator.streams.group_run import StreamGroupRun


@dataclass(frozen=True)
class WholeStream(WholeFrame):
    """A streaming group in the whole frame, and its run in the shorter frame."""

    run: StreamGroupRun

    @cached_property
    def _kept(self) -> IntArray:
        """The steps that take time."""
        return np.flatnonzero(np.array(self.run.lengths) > 0)

    @cached_property
    def _lengths(self) -> IntArray:
        return np.array(self.run.lengths, np.int64)[self._kept]

    @cached_property
    def _short_uses(self) -> Sequence[StepUse]:
        every = uses_of(self.run.events)
        return [every[step] for step in self._kept.tolist()]

    @property
    def _loop(self) -> LoopCut:
        (loop,) = self.loops.loops
        return loop

    @property
    def chunks(self) -> StepRepetition:
        """Which chunk of pulses repeats which: there are two fewer than steps, as the first is loaded before it."""
        return ScanLoops(self.loops.loops, len(self.run.lengths) - 2).repetition(setup=False)

    def _moving(self, engine: DmaEngine) -> Iterator[MovedArray]:
        arrays = list(self.accesses.network.arrays)
        for write, moved in enumerate((self.run.moves.loads, self.run.moves.stores)):
            yield from (MovedArray(arrays.index(name), name, write) for name in moved)

    def _starts(self, array: str, start: IntArray, ticks: Ticks) -> tuple[IntArray, IntArray]:
        shape, loop = self.accesses.shape(array), self._loop
        less = [self.short.less.get(Direction(array, axis, True), 0) for axis in range(len(shape))]
        if not any(less):
            return start, start
        extents = tuple(extent - own for extent, own in zip(shape, less, strict=True))
        there, inside = (list(np.unravel_index(start, extents)) for _ in range(2))
        between, before = ticks[0] - ticks[1], np.maximum(ticks[1] - loop.first, 0) // loop.round * loop.round
        for axis, left_out in enumerate(less):
            there[axis] = there[axis] + between * left_out // loop.left_out
            if (there[axis] >= shape[axis]).any():
                raise NotRepeatedError(f"requests lead outside '{array}'")
            inside[axis] = inside[axis] - before * left_out // loop.left_out
        return np.ravel_multi_index(there, shape), np.ravel_multi_index(inside, shape, mode="wrap")
