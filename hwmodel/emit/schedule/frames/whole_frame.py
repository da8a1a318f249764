"""The requests of a whole frame, from those of a shorter one: the same runs, further on by the blocks between."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import IntArray
from hwmodel.accesses import Accesses
from hwmodel.design import GroupDesign
from hwmodel.emit.schedule.activity import Activity, symbols_of
from hwmodel.emit.schedule.frames.short_frame import ShortFrame
from hwmodel.emit.schedule.frames.travel import Direction, speeds_in_group
from hwmodel.emit.schedule.port import AddressMap, DmaEngine
from hwmodel.emit.schedule.repetition import NotRepeatedError, ScanLoops, StepRepetition
from hwmodel.simulator.group import GroupRun
from hwmodel.simulator.periods import StepUse, uses_of

Ticks = tuple[IntArray, IntArray]  # of some rows the step of the whole frame, and the one that it repeats


@dataclass(frozen=True)
class MovedArray:
    """An array that is loaded or stored: its number and name, and the tick of step 0."""

    array: int
    name: str
    write: int
    tick: int = 0


@dataclass(frozen=True)
class WholeFrame(ABC):
    """Some group in the whole frame: its accesses and its addresses there, and its number in the design.

    With `setup` a step goes before the first frame.
    """

    accesses: Accesses
    addresses: AddressMap
    short: ShortFrame
    number: int
    setup: bool

    @property
    @abstractmethod
    def _lengths(self) -> IntArray:
        """The cycles of each step of the shorter frame."""

    @property
    @abstractmethod
    def _short_uses(self) -> Sequence[StepUse]:
        """The cycles that each step of the shorter frame computes, and those in which the port serves it."""

    @property
    def _backwards(self) -> frozenset[str]:
        """The arrays that are walked backwards along a loop that is cut."""
        return frozenset()

    @abstractmethod
    def _moving(self, engine: DmaEngine) -> Iterator[MovedArray]:
        """The arrays that an engine moves in every frame."""

    @abstractmethod
    def _starts(self, array: str, start: IntArray, ticks: Ticks) -> tuple[IntArray, IntArray]:
        """The element of each run's start in the whole frame, and the place that it has in its block."""

    @cached_property
    def loops(self) -> ScanLoops:
        """The loops of its steps."""
        return ScanLoops(self.short.loops[self.number], len(self._lengths))

    @cached_property
    def repetition(self) -> StepRepetition:
        """Which step repeats which."""
        return self.loops.repetition(self._backwards, setup=self.setup)

    @cached_property
    def _frame_steps(self) -> IntArray:
        return self.loops.repetition(setup=False).steps

    @property
    def steps(self) -> int:
        """The number of its steps."""
        return len(self._frame_steps)

    @property
    def cycles(self) -> int:
        """Its time in a frame."""
        return int(self._lengths[self._frame_steps].sum())

    @property
    def uses(self) -> list[StepUse]:
        """The cycles that each step of a frame computes, and those in which the port serves it."""
        return [self._short_uses[step] for step in self._frame_steps.tolist()]

    def requests(self, engine: DmaEngine) -> Activity:
        """The requests of an engine in the whole frame.

        Raises NotRepeatedError if steps that should be alike ask for words at other places of their blocks.
        """
        requests, ends = engine.requests, self.repetition.ends(engine.requests.ends)
        rows = self.repetition.rows(requests.ends)
        step = np.repeat(np.arange(len(ends)), np.diff(ends, prepend=-1))
        short_step = self.repetition.steps[step]
        word = requests.places["word"]
        moved, local = word.numbers[rows], np.full((len(rows), 2), -1, np.int64)
        controls = {name: numbers[rows] for name, numbers in requests.controls.items()}
        for own in self._moving(engine):
            at = np.flatnonzero((engine.runs[rows, 0] == own.array) & (controls["write"] == own.write))
            start = engine.runs[rows[at], 1]
            ticks = (step[at] - self.setup + own.tick, short_step[at] - self.setup + own.tick)
            there, local[at, 0] = self._starts(own.name, start, ticks)
            local[at, 1] = moved[at] - self._word(own.name, start)
            moved[at] += self._word(own.name, there) - self._word(own.name, start)
        self._require_alike(engine, rows, local)
        words = np.where(moved < 0, -1, moved % word.modulus)
        places = {"word": replace(word, numbers=words, which=None if word.which is None else word.which[rows])}
        return Activity(requests.name, ends, (), controls, places, self.setup)

    def _word(self, array: str, elements: IntArray) -> IntArray:
        """The word of the external memory in which each element begins."""
        return elements * self.addresses.slots[array] // self.addresses.word_bytes

    def _require_alike(self, engine: DmaEngine, rows: IntArray, local: IntArray) -> None:
        """Require that the requests of steps that should be alike have the same controls and places in their blocks."""
        requests = engine.requests
        first = np.unique(rows, return_index=True)[1]  # each row of the shorter frame, where it first occurs
        table = np.stack([*requests.controls.values(), engine.runs[:, 0], *local[first].T], axis=1)
        self.repetition.require_alike(symbols_of(table)[0], requests.ends)


@dataclass(frozen=True)
class WholeGroup(WholeFrame):
    """A group of blocks in the whole frame, and its run in the shorter frame."""

    run: GroupRun

    @cached_property
    def _lengths(self) -> IntArray:
        return np.array(self.run.lengths, np.int64)

    @cached_property
    def _short_uses(self) -> Sequence[StepUse]:
        return uses_of(self.run.events)

    @property
    def _backwards(self) -> frozenset[str]:
        scan = self._design.blocks.scan
        cut = [
            (self._speeds[dimension], down)
            for loop, dimension, down in zip(self.loops.loops, scan.dimensions, scan.descending, strict=True)
            if loop.left_out
        ]
        return frozenset(along.name for speeds, down in cut for along, speed in speeds.items() if (speed < 0) != down)

    def _moving(self, engine: DmaEngine) -> Iterator[MovedArray]:
        """The arrays that an engine moves in every frame."""
        moves, arrays = self.run.moves, list(self.accesses.network.arrays)
        for name, moved in moves.arrays.items():
            readers = [moves.stage[task] for (task, _), read in moves.reads.items() if read.touch.array == name]
            for port in engine.lanes:
                if port.array == name and port.write:
                    yield MovedArray(arrays.index(name), name, 1, moves.first - 1)
                elif port.array == name and moved.loaded:
                    yield MovedArray(arrays.index(name), name, 0, moves.first - (min(readers) - 1))

    def _starts(self, array: str, start: IntArray, ticks: Ticks) -> tuple[IntArray, IntArray]:
        """The element of each run's start in the whole frame, and the place that it has in its block."""
        shape = self.accesses.shape(array)
        less = [self.short.less.get(Direction(array, axis, True), 0) for axis in range(len(shape))]
        extents = tuple(extent - own for extent, own in zip(shape, less, strict=True))
        places = list(np.unravel_index(start, extents)) if shape else []
        inside = list[IntArray]()
        for axis, left_out in enumerate(less):
            if left_out:
                base, ahead = self._base(array, axis, ticks)
                # What lies more than half an array away is nearer around its end, where a tiler wraps.
                near = (places[axis] - base + extents[axis] // 2) % extents[axis] - extents[axis] // 2
                places[axis] = (base + near + ahead) % shape[axis]
                inside.append(near)
            else:
                inside.append(places[axis])
        there = np.ravel_multi_index(places, shape) if shape else start
        return there, np.ravel_multi_index(inside, shape, mode="wrap") if shape else start

    def _base(self, array: str, axis: int, ticks: Ticks) -> tuple[IntArray, IntArray]:
        """Where the block of each tick lies along an axis in the shorter frame, and how much further in the whole."""
        whole, short = self.loops.places(ticks[0], whole=True), self.loops.places(ticks[1], whole=False)
        along, scan = Direction(array, axis, True), self._design.blocks.scan
        for number, (loop, dimension) in enumerate(zip(self.loops.loops, scan.dimensions, strict=True)):
            speed = self._speeds[dimension].get(along)
            if loop.left_out and speed is not None:
                kept, ahead = short[number], whole[number] - short[number]
                if scan.descending[number]:
                    kept, ahead = loop.kept - 1 - kept, loop.left_out - ahead
                less, side = self.short.less[along], self._design.blocks.shape[dimension]
                # Where it moves backwards, it begins at the end, which is further on in the whole frame.
                end, further = (self.accesses.shape(array)[axis] - less - 1, less) if speed < 0 else (0, 0)
                return _times(speed, side * kept) + end, _times(speed, side * ahead) + further
        raise NotRepeatedError(f"no loop of the group moves along axis {axis} of '{array}'")

    @property
    def _design(self) -> GroupDesign:
        return self.run.moves.plan.design

    @cached_property
    def _speeds(self) -> dict[int, dict[Direction, Fraction]]:
        """By dimension of the last task, how far it moves along the axes of arrays."""
        group = self._design
        speeds = {}
        for dimension in group.blocks.scan.dimensions:
            own = speeds_in_group(self.accesses, group.tasks, Direction(group.tasks[-1], dimension, False))
            speeds[dimension] = dict(own or {})
        return speeds


def _times(speed: Fraction, steps: NDArray[np.int64]) -> IntArray:
    """A speed times steps, rounded down."""
    return np.asarray(steps * speed.numerator // speed.denominator)
