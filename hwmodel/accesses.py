"""What the repetitions of a network's processes touch, element by element: the relations that every model shares.

Figures are per frame: an infinite dimension of a repetition space has one repetition, an infinite axis of an array as
many elements as that repetition touches. Repetitions and elements are numbered row-major.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import IntArray
from arrayol.execute.patterns import elements_of
from arrayol.ir.network import Flow, Network, Process
from arrayol.ir.spec import Delay, Port, Shape, TiledDefault, Tiler, port_named
from hwmodel import memory_kinds
from hwmodel.memory_kinds import LocalMemoryKind
from hwmodel.platform_memories import ArrayChannels
from hwmodel.residence import MEMORY_OF_LOAD, Loads, loads_of
from hwmodel.streamed import Frames

_AT_ONCE = 1 << 20  # accesses of which there are all indices

Extents = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Touch:
    """One tiler through which a process reads or writes an array.

    `pattern` is its pattern's shape. `default_of` is the delay whose tiled default it is; it is then read only by the
    repetitions r with r - d outside the space (by all of them where the delay never acts). An output with an `exit`
    is written only by those with r + exit outside. Where frames lie inside, the tiler is that of one frame, and `ahead`
    has by place of the pattern (row-major) of which later frame its element is; it is empty where none is. Where
    repetitions of one frame read several, it has all of these.
    """

    process: str
    port: str
    array: str
    tiler: Tiler
    pattern: Extents
    default_of: Delay | None = None
    exit: tuple[int, ...] | None = None
    ahead: Extents = ()

    @property
    def outside(self) -> tuple[int, ...] | None:
        """The vector v for which only repetitions r with r - v outside the space access; None: all do."""
        if self.exit is not None:
            return tuple(-step for step in self.exit)
        return self.default_of.vector if self.default_of is not None and self.default_of.acts else None


@dataclass(frozen=True)
class Accesses:
    """The accesses of one network, with the loads that were asked for (`hwmodel.residence`).

    With `frames_inside` arrays have one frame, and what reads those of later frames waits for them (`Touch.ahead`).
    `channels` says in which channels of the external memory arrays lie; by their sizes where it is empty
    (`hwmodel.channels`). None leaves them open: the model then takes for each step the channels that suit it best.
    """

    network: Network
    loads: Loads = field(default_factory=dict)
    frames_inside: bool = False
    channels: ArrayChannels | None = ()
    _memo: dict[str, Extents] = field(default_factory=dict, compare=False, repr=False)

    @cached_property
    def load(self) -> Loads:
        """How each input comes to the chip."""
        return loads_of(self.network, self.loads)

    @cached_property
    def residents(self) -> Mapping[str, LocalMemoryKind]:
        """The arrays that are on the chip in every frame, beside all groups, each with the kind of its memory."""
        return {name: MEMORY_OF_LOAD[load] for name, load in self.load.items() if load in MEMORY_OF_LOAD}

    def is_resident(self, array: str) -> bool:
        """Whether an array is on the chip in every frame."""
        return array in self.residents

    def takes_memory(self, array: str) -> bool:
        """Whether an array that is resident takes memory: a const array may be what a counter makes."""
        return self.residents[array] != memory_kinds.ROM or bool(self.network.arrays[array].rom_bits)

    def is_built_in(self, touch: Touch, built_in: Container[str]) -> bool:
        """Whether a tiler reads a ROM that a datapath, which has the inputs `built_in` as constants, makes needless."""
        return touch.port in built_in and self.residents.get(touch.array) == memory_kinds.ROM

    def needs_memory(self, task: str, array: str, built_in: Container[str]) -> bool:
        """Whether a task whose datapath has the inputs `built_in` as constants has a memory of a resident array."""
        touches = (touch for touch in self.reads[task] if touch.array == array)
        return self.takes_memory(array) and not all(self.is_built_in(touch, built_in) for touch in touches)

    @property
    def reads_roms(self) -> bool:
        """Whether a process reads an array that is in ROMs."""
        return any(
            kind == memory_kinds.ROM and self.network.arrays[name].readers for name, kind in self.residents.items()
        )

    def lies_outside(self, array: str) -> bool:
        """Whether an array lies in the external memory: all but those in ROMs."""
        return self.residents.get(array) != memory_kinds.ROM

    def extents(self, process: str) -> Extents:
        """The repetition space of a process, for one frame."""
        return tuple(1 if extent is None else extent for extent in self.network.processes[process].repetition)

    @cached_property
    def reads(self) -> Mapping[str, tuple[Touch, ...]]:
        """What each process reads, by its name, tiled defaults of delays included."""
        return {name: tuple(self._reads(process)) for name, process in self.network.processes.items()}

    @cached_property
    def writes(self) -> Mapping[str, tuple[Touch, ...]]:
        """What each process writes, by its name."""
        return {
            name: tuple(self._touch(process, flow.port, flow) for flow in process.outputs)
            for name, process in self.network.processes.items()
        }

    def shape(self, array: str) -> Extents:
        """The shape of an array, for one frame."""
        if array not in self._memo:
            touches = [
                touch
                for by_process in (self.reads, self.writes)
                for touches_of_one in by_process.values()
                for touch in touches_of_one
                if touch.array == array
            ]
            self._memo[array] = tuple(
                max((self._reach(touch, axis) for touch in touches), default=1) if extent is None else extent
                for axis, extent in enumerate(self.network.arrays[array].shape)
            )
        return self._memo[array]

    def size(self, array: str) -> int:
        """The number of elements of an array, for one frame."""
        return math.prod(self.shape(array))

    def of_frames(self, frames: Frames) -> Accesses:
        """Accesses with the dimension of frames inside, as the outermost loop, or outside."""
        return self if (frames == "inside") is self.frames_inside else self._other

    @cached_property
    def _other(self) -> Accesses:
        return replace(self, frames_inside=not self.frames_inside, _memo={})

    @cached_property
    def meets_frames(self) -> bool:
        """Whether some process reads several frames, or what it made in an earlier one."""
        return self.frames_back > 0 or any(
            touch.ahead for touches in self.of_frames("inside").reads.values() for touch in touches
        )

    @cached_property
    def frames_to_run(self) -> int:
        """With frames inside, how many show all that tasks meet: two of each output, and those that these need."""
        return 2 + self.frames_ahead + self.frames_back

    @cached_property
    def frames_ahead(self) -> int:
        """How many frames of the inputs after its own a frame of some output needs, by all tasks on the way."""
        ahead: dict[str, int] = {}
        reads = self.of_frames("inside").reads
        for name, process in self.network.processes.items():
            latest = max((ahead.get(own.array, 0) + max(own.ahead, default=0) for own in reads[name]), default=0)
            ahead |= {array: max(latest, ahead.get(array, 0)) for array in process.writes}
        return max(ahead.values(), default=0)

    @cached_property
    def frames_back(self) -> int:
        """Over how many frames delays reach at most, also those whose states lie outside; 0 where none does."""
        back = [
            delay.vector[process.repetition.index(None)]
            for name, process in self.network.processes.items()
            for delay in self.delays_over_frames(name)
        ]
        back += [array.earlier.frames for array in self.network.arrays.values() if array.earlier is not None]
        return max(back, default=0)

    def shape_to_run(self, array: str) -> Extents:
        """The shape of an array in a run: for one frame and those that it needs, or with frames inside for several."""
        frames = self.frames_to_run if self.frames_inside else 1 + self.frames_ahead
        pairs = zip(self.shape(array), self.network.arrays[array].shape, strict=True)
        return tuple(max(own, frames) if extent is None else own for own, extent in pairs)

    def delays(self, process: str) -> tuple[Delay, ...]:
        """The delays of a process that act within a frame; with frames inside, also those over frames."""
        own = self.network.processes[process]
        over_frames = [extent is None and self.frames_inside for extent in own.repetition]
        steps = [*zip(self.extents(process), over_frames, strict=True)]
        return tuple(
            delay
            for delay in own.delays
            if delay.acts
            and all(over or abs(step) < extent for step, (extent, over) in zip(delay.vector, steps, strict=True))
        )

    def delays_over_frames(self, process: str) -> tuple[Delay, ...]:
        """The delays of a process that act from one frame to a later one."""
        own = self.network.processes[process]
        return tuple(
            delay
            for delay in own.delays
            if delay.acts
            and any(part and extent is None for part, extent in zip(delay.vector, own.repetition, strict=True))
        )

    def repetitions(self, process: str) -> IntArray:
        """All repetitions in row-major order, an (n, rank) array of their indices."""
        return points(self.extents(process))

    def elements(self, touch: Touch, repetitions: IntArray) -> IntArray:
        """The (n, pattern size) elements that n repetitions, given as an (n, rank) array, touch, patterns row-major.

        What a border has for places outside is an element inside; where it is a constant, which is no element, another
        element of the same pattern stands in its place (0 where there is none), so that sets of elements are right.
        """
        shape, border = self.shape(touch.array), touch.tiler.border
        if border is None and not touch.tiler.wrap:
            return self._inside(touch, repetitions)
        numbers = np.zeros((len(repetitions), math.prod(touch.pattern)), np.int64)
        outside = np.zeros(numbers.shape, np.bool_)
        for axis, extent in enumerate(shape):
            index = self.coordinates(touch, axis, repetitions)
            if self.network.arrays[touch.array].shape[axis] is not None:
                index = index % extent if touch.tiler.wrap else elements_of(border, index, extent)
            if border is not None and border.is_constant:
                out = (index < 0) | (index >= extent)
                if follows_axes(touch):
                    index = _replaced(index, out)
                outside |= out
            numbers = numbers * extent + index
        return numbers if not outside.any() or follows_axes(touch) else _replaced(numbers, outside)

    def beyond(self, touch: Touch, repetitions: IntArray) -> NDArray[np.bool_]:
        """Which places of the patterns (n, pattern size) of n repetitions lie beyond the ends of the array."""
        outside = np.zeros((len(repetitions), math.prod(touch.pattern)), np.bool_)
        for axis, extent in enumerate(self.shape(touch.array)):
            index = self.coordinates(touch, axis, repetitions)
            outside |= (index < 0) | (index >= extent)
        return outside

    def coordinates(self, touch: Touch, axis: int, repetitions: IntArray) -> IntArray:
        """e(r, f) along an axis, before any wrap or border."""
        tiler = touch.tiler
        place = tiler.origin[axis] + _combined(repetitions, tiler.paving[axis])
        return place[:, None] + _combined(points(touch.pattern), tiler.fitting[axis])[None, :]

    def _inside(self, touch: Touch, repetitions: IntArray) -> IntArray:
        """The elements of patterns that do not reach beyond the array: moved copies of one."""
        start, pattern = np.zeros(len(repetitions), np.int64), np.zeros(math.prod(touch.pattern), np.int64)
        for axis, extent in enumerate(self.shape(touch.array)):
            start = start * extent + touch.tiler.origin[axis] + _combined(repetitions, touch.tiler.paving[axis])
            pattern = pattern * extent + _combined(points(touch.pattern), touch.tiler.fitting[axis])
        return start[:, None] + pattern[None, :]

    def touched(self, touch: Touch, repetitions: IntArray) -> tuple[NDArray[np.intp], IntArray]:
        """The repetitions of an (n, rank) array that access through a tiler, as its rows, and their elements."""
        rows = np.flatnonzero(self.happens(touch, repetitions))
        return rows, self.elements(touch, repetitions[rows])

    def in_parts(self, touch: Touch, numbers: IntArray) -> Iterator[tuple[NDArray[np.intp], IntArray]]:
        """Rows and elements that repetitions (n,), given by their numbers, access through a tiler; some at a time."""
        step, extents = max(1, _AT_ONCE // max(1, math.prod(touch.pattern))), self.extents(touch.process)
        for start in range(0, len(numbers), step):
            some = numbers[start : start + step]
            repetitions = (
                np.stack(np.unravel_index(some, extents), axis=1) if extents else np.zeros((len(some), 0), int)
            )
            rows, elements = self.touched(touch, repetitions)
            yield rows + start, elements

    def happens(self, touch: Touch, repetitions: IntArray) -> NDArray[np.bool_]:
        """Which of n repetitions access through this tiler at all.

        The tiled default of a delay is read where there is no earlier repetition, an exit written where there is no
        later one; a pattern that lies outside as a whole, where the border is a constant, is not read at all.
        """
        if touch.tiler.border is not None and touch.tiler.border.is_constant:
            return np.asarray(~self.beyond(touch, repetitions).all(axis=1))
        if touch.outside is None:
            return np.ones(len(repetitions), np.bool_)
        before = repetitions - np.array(touch.outside, np.int64)
        extents = np.array(self.extents(touch.process), np.int64)
        return np.asarray(((before < 0) | (before >= extents)).any(axis=1))

    def _reads(self, process: Process) -> Iterator[Touch]:
        for flow in process.inputs:
            yield self._touch(process, flow.port, flow)
        for delay in process.delays:
            if isinstance(delay.default, TiledDefault):
                port = port_named(process.input_ports, delay.port)
                yield self._touch(process, port, delay.default, delay)

    def _touch(self, process: Process, port: Port, link: Flow | TiledDefault, default_of: Delay | None = None) -> Touch:
        pattern, shape = _finite(port.shape), self.network.arrays[link.array].shape
        tiler = _small_tiler(link.tiler, shape, self.extents(process.name), pattern)
        leaves = link.exit if isinstance(link, Flow) else None
        touch = Touch(process.name, port.name, link.array, tiler, pattern, default_of, leaves)
        if not self.frames_inside or None not in shape:
            return touch
        return _in_one_frame(touch, shape.index(None), self.extents(process.name))

    def _reach(self, touch: Touch, axis: int) -> int:
        """One more than the greatest index of an axis that a touch reaches in one frame."""
        ranges = (
            *zip(touch.tiler.paving[axis], self.extents(touch.process), strict=True),
            *zip(touch.tiler.fitting[axis], touch.pattern, strict=True),
        )
        return touch.tiler.origin[axis] + sum(max(0, factor) * (extent - 1) for factor, extent in ranges) + 1


def tilers_of(process: Process) -> Iterator[tuple[str, Tiler]]:
    """The tilers of a process, tiled defaults of delays included, each with its array."""
    for flow in (*process.inputs, *process.outputs):
        yield flow.array, flow.tiler
    for delay in process.delays:
        if isinstance(delay.default, TiledDefault):
            yield delay.default.array, delay.default.tiler


def follows_axes(touch: Touch) -> bool:
    """Whether a pattern is a box: each of its dimensions moves along one axis of the array at most."""
    columns = zip(*touch.tiler.fitting, strict=True)
    return all(sum(map(bool, column)) <= 1 for column in columns)


def _combined(vectors: IntArray, factors: Sequence[int]) -> IntArray:
    """The product of vectors (n, rank) with factors of their components, most of which are 0 as a rule."""
    total = np.zeros(len(vectors), np.int64)
    for axis, factor in enumerate(factors):
        if factor:
            total += factor * vectors[:, axis]
    return total


def _replaced(indices: IntArray, outside: NDArray[np.bool_]) -> IntArray:
    """Indices (n, pattern size) with the first one inside of the same row for those outside, 0 where none is."""
    first = np.take_along_axis(indices, (~outside).argmax(axis=1)[:, None], axis=1)
    return np.where(outside, np.where(outside.all(axis=1, keepdims=True), 0, first), indices)


def points(shape: Sequence[int]) -> IntArray:
    """All index vectors of a shape in row-major order, as a (number, rank) array."""
    if not shape:
        return np.zeros((1, 0), np.int64)
    return np.indices(tuple(shape), np.int64).reshape(len(shape), -1).T


def flat(repetitions: IntArray, extents: Sequence[int]) -> IntArray:
    """The row-major numbers of repetitions given as an (n, rank) array."""
    numbers = np.zeros(len(repetitions), np.int64)
    for axis, extent in enumerate(extents):
        numbers = numbers * extent + repetitions[:, axis]
    return numbers


def subscripts(elements: IntArray, shape: Sequence[int]) -> IntArray:
    """The subscripts along each axis, (rank, ...), of elements given by their row-major numbers."""
    indices = np.unravel_index(elements, shape) if shape else ()  # which does not take an array of one number
    return np.array(indices, np.int64).reshape(len(shape), *elements.shape)


def _small_tiler(tiler: Tiler, shape: Shape, repetition: Extents, pattern: Extents) -> Tiler:
    """A tiler of the same accesses by small factors: 0 along a single index, the remainder along an axis that wraps."""
    wrapped = [extent if tiler.wrap else None for extent in shape]

    def rows(matrix: Sequence[Sequence[int]], extents: Extents) -> tuple[tuple[int, ...], ...]:
        moving = ([factor if extent > 1 else 0 for factor, extent in zip(row, extents, strict=True)] for row in matrix)
        return tuple(tuple(map(_remainder, row, repeat(around))) for row, around in zip(moving, wrapped, strict=True))

    return replace(
        tiler,
        origin=tuple(map(_remainder, tiler.origin, wrapped)),
        paving=rows(tiler.paving, repetition),
        fitting=rows(tiler.fitting, pattern),
    )


def _in_one_frame(touch: Touch, axis: int, extents: Extents) -> Touch:
    """A touch of an array whose frames are along an axis, as one of a single frame; `extents` are its repetitions."""
    tiler, moving = touch.tiler, any(touch.tiler.paving[axis])
    frames = tiler.origin[axis] + _combined(points(touch.pattern), tiler.fitting[axis])
    if moving:
        frames = np.unique(frames[:, None] + _combined(points(extents), tiler.paving[axis])[None, :])

    def cleared(matrix: tuple[tuple[int, ...], ...]) -> tuple[tuple[int, ...], ...]:
        return tuple((0,) * len(row) if at == axis else row for at, row in enumerate(matrix))

    origin = tuple(0 if at == axis else own for at, own in enumerate(tiler.origin))
    tiler = replace(tiler, origin=origin, paving=cleared(tiler.paving), fitting=cleared(tiler.fitting))
    return replace(touch, tiler=tiler, ahead=tuple(frames.tolist()) if frames.any() else ())


def _remainder(factor: int, around: int | None) -> int:
    """A factor that is less than what it goes around."""
    return factor if around is None or abs(factor) < around else factor % around


def _finite(shape: Shape) -> Extents:
    return tuple(1 if extent is None else extent for extent in shape)
