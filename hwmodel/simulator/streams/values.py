"""The values behind the data that taps took: each task executed on what its taps read."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrayol.execute.extern import Functions
from arrayol.execute.run import execute, table_array
from arrayol.ir.spec import Elementary, Spec
from hwmodel.accesses import Accesses, Touch, points
from hwmodel.simulator.streams.events import LaneName, NodeReads, TapRead
from hwmodel.simulator.values import task_by_repetition
from hwmodel.streamed import StreamedGroup

Values = NDArray[Any]


class Operands:
    """The data that reads took in a frame: by lane, reader and place the repetition that made each.

    With it, how many frames before the reader's that was: below 0 where it was made in a later one.
    """

    def __init__(self) -> None:
        self._taken: dict[tuple[str, int], dict[LaneName, list[tuple[int, int, int, int]]]] = defaultdict(
            lambda: defaultdict(list)
        )

    def add(self, lane: LaneName, read: TapRead) -> None:
        """Note one read."""
        self._taken[read.tap.node, read.tap.read][lane].append((read.reader, read.tap.place, read.datum, read.later))

    def ahead(self, node: str, read: int) -> Iterator[tuple[LaneName, int]]:
        """The lanes of a read, and how many frames ahead it reads."""
        for lane, rows in self._taken[node, read].items():
            yield lane, max(-later for _, _, _, later in rows)

    def gathered(self, node: str, read: int, made: Mapping[tuple[str, str], Values], patterns: Values) -> None:
        """Put the values of what a read took into its patterns (frames, repetitions, places)."""
        frames = np.arange(len(patterns))[:, None]
        for lane, rows in self._taken[node, read].items():
            readers, places, data, later = np.array(rows, np.int64).T
            values = made[lane.node, lane.port]
            of = frames - later if len(values) > 1 else 0
            patterns[frames, readers, places] = values[of, data, lane.place]


@dataclass(frozen=True)
class StreamEvaluation:
    """Computes, node by node, what a group makes of what its taps took, in some frames (of all arrays that have them).

    Values of nodes are (frames, repetitions, places); of those that do the same in each frame there is one.
    """

    spec: Spec
    accesses: Accesses
    group: StreamedGroup
    nodes: Mapping[str, NodeReads]
    arrays: Mapping[str, Values]
    functions: Functions
    frames: int = 1

    def outputs(self, operands: Operands) -> dict[str, Values]:
        """The arrays that the group writes, row-major (zeros where others write).

        Arrays that wait for later frames have so many frames less.
        """
        made: dict[tuple[str, str], Values] = {}
        arrays: dict[str, Values] = {}
        for name, node in self.nodes.items():
            kind = self.group.nodes[name].kind
            if kind == "load":
                (touch,) = node.writes
                elements = self.accesses.elements(touch, points(self.group.nodes[name].firing.extents))
                made[name, touch.port] = self._by_frame(touch.array)[:, elements]
            elif kind == "task":
                results = self._run(name, node, operands, made)
                for port, patterns in results.items():
                    made[name, port] = patterns
                self._write(name, node, made, arrays)
        return {array: self._row_major(array, values) for array, values in self._stored(operands, made, arrays).items()}

    def _write(
        self, name: str, node: NodeReads, made: Mapping[tuple[str, str], Values], arrays: dict[str, Values]
    ) -> None:
        for touch in node.writes:
            patterns = made[name, touch.port]
            size = self.accesses.size(touch.array)
            array = arrays.setdefault(touch.array, np.zeros((len(patterns), size), patterns.dtype))
            frames = min(len(array), len(patterns))
            arrays[touch.array] = array[:frames]
            rows, elements = self.accesses.touched(touch, points(self.group.nodes[name].firing.extents))
            arrays[touch.array][:, elements] = patterns[:frames, rows]

    def _stored(
        self, operands: Operands, made: Mapping[tuple[str, str], Values], arrays: dict[str, Values]
    ) -> dict[str, Values]:
        """Arrays that stores take element by element are what the stores took."""
        for name, node in self.nodes.items():
            if self.group.nodes[name].kind == "store":
                (touch,) = node.reads
                elements = self.accesses.elements(touch, points(self.group.nodes[name].firing.extents))
                patterns = np.zeros((len(arrays[touch.array]), *elements.shape), arrays[touch.array].dtype)
                operands.gathered(name, 0, made, patterns)
                arrays[touch.array] = np.zeros_like(arrays[touch.array])
                arrays[touch.array][:, elements] = patterns
        return arrays

    def _run(
        self, name: str, node: NodeReads, operands: Operands, made: Mapping[tuple[str, str], Values]
    ) -> dict[str, Values]:
        process = self.accesses.network.processes[name]
        elementary = self.spec.components[process.elementary]
        assert isinstance(elementary, Elementary), "processes repeat elementaries"
        axis = process.repetition.index(None) if None in process.repetition else None
        frames = 1 if axis is None else self._complete(name, node, operands, made)
        space = tuple(frames if at == axis else extent for at, extent in enumerate(self.accesses.extents(name)))
        every = tuple(range(len(space)))
        inputs = {
            touch.port: _frames_at(self._patterns(name, node, touch, operands, made, frames), axis)
            for touch in self.accesses.reads[name]
        }
        written = {touch.port for touch in node.writes} | {delay.output for delay in process.delays}
        alone = task_by_repetition(elementary, space, process.delays, written, dict.fromkeys(inputs, every))
        spec = Spec(self.spec.name, {}, {elementary.name: elementary, alone.name: alone})
        results = execute(spec, alone.name, inputs, functions=self.functions)
        return {port: self._by_repetition(values, space, axis) for port, values in results.items()}

    def _complete(self, name: str, node: NodeReads, operands: Operands, made: Mapping[tuple[str, str], Values]) -> int:
        """The frames of which all that a node reads is there."""
        whole = self.frames
        for number in range(len(node.reads)):
            for lane, ahead in operands.ahead(name, number):
                known = len(made[lane.node, lane.port])
                whole = min(whole, known - ahead) if known > 1 or self.frames == 1 else whole
        return max(1, whole)

    def _by_repetition(self, values: Values, space: tuple[int, ...], axis: int | None) -> Values:
        """Results (space, pattern) as (frames, repetitions, places)."""
        if axis is None:
            return values.reshape(1, math.prod(space), -1)
        return np.moveaxis(values, axis, 0).reshape(space[axis], math.prod(space) // space[axis], -1)

    def _patterns(
        self,
        name: str,
        node: NodeReads,
        touch: Touch,
        operands: Operands,
        made: Mapping[tuple[str, str], Values],
        frames: int,
    ) -> Values:
        """The patterns that all repetitions read through one tiler: frames, axes of their space, axes of a pattern."""
        space = self.accesses.extents(name)
        repetitions = points(space)
        array = self.accesses.network.arrays[touch.array]
        border = touch.tiler.border
        if touch in node.reads:
            kind = next(values.dtype for (maker, port), values in made.items() if self._makes(maker, port, touch.array))
            patterns = np.zeros((frames, len(repetitions), math.prod(touch.pattern)), kind)
            operands.gathered(name, node.reads.index(touch), made, patterns)
        else:
            patterns = self._by_frame(touch.array)[:1, self.accesses.elements(touch, repetitions)]
            patterns = np.broadcast_to(patterns, (frames, *patterns.shape[1:]))
        if border is not None and border.is_constant:
            outside = self.accesses.beyond(touch, repetitions)
            patterns = np.where(outside, np.array(array.type.held(border.value), patterns.dtype), patterns)
        return patterns.reshape(frames, *space, *touch.pattern)

    def _by_frame(self, name: str) -> Values:
        """The elements of an array from outside (frames, elements), row-major."""
        array = self.arrays[name] if name in self.arrays else table_array(self.spec.tables[name])
        shape = self.accesses.network.arrays[name].shape
        if None not in shape or self.frames == 1:
            return array.reshape(1, -1)
        return np.moveaxis(array, shape.index(None), 0).reshape(self.frames, -1)

    def _row_major(self, name: str, values: Values) -> Values:
        """An array of frames (frames, elements) as its elements in row-major order."""
        shape = self.accesses.network.arrays[name].shape
        if None not in shape or len(values) == 1:
            return values.reshape(-1)
        whole = values.reshape(len(values), *(extent for extent in shape if extent is not None))
        return np.moveaxis(whole, 0, shape.index(None)).reshape(-1)

    def _makes(self, maker: str, port: str, array: str) -> bool:
        return any(touch.port == port and touch.array == array for touch in self.nodes[maker].writes)


def _frames_at(patterns: Values, axis: int | None) -> Values:
    """Patterns with the frames in the place of an axis, which has one index; without them where there is none."""
    return patterns[0] if axis is None else np.moveaxis(np.take(patterns, 0, axis + 1), 0, axis)


def frames_of(accesses: Accesses, arrays: Mapping[str, NDArray[Any]]) -> int:
    """How many frames the arrays from outside have."""
    shapes = {name: accesses.network.arrays[name].shape for name in arrays}
    counts = [arrays[name].shape[shape.index(None)] for name, shape in shapes.items() if None in shape]
    return min(counts, default=1) if accesses.frames_inside else 1
