"""The values behind the data that taps took: each task executed on what its taps read."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
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
    """What each read of each node took in the first frame: by lane, reader and place the repetition that made it."""

    def __init__(self) -> None:
        self._taken: dict[tuple[str, int], dict[LaneName, list[tuple[int, int, int]]]] = defaultdict(
            lambda: defaultdict(list)
        )

    def add(self, lane: LaneName, read: TapRead) -> None:
        """Note one read."""
        self._taken[read.tap.node, read.tap.read][lane].append((read.reader, read.tap.place, read.datum))

    def gathered(self, node: str, read: int, made: Mapping[tuple[str, str], Values], patterns: Values) -> None:
        """Put the values of what a read took into its patterns (repetitions, places)."""
        for lane, rows in self._taken[node, read].items():
            readers, places, data = np.array(rows, np.int64).T
            patterns[readers, places] = made[lane.node, lane.port][data, lane.place]


class StreamEvaluation:
    """Computes, node by node, what a group makes of what its taps took."""

    def __init__(
        self,
        spec: Spec,
        accesses: Accesses,
        group: StreamedGroup,
        nodes: Mapping[str, NodeReads],
        arrays: Mapping[str, Values],
        functions: Functions,
    ) -> None:
        self.spec, self.accesses, self.group, self.nodes = spec, accesses, group, nodes
        self.arrays, self.functions = arrays, functions

    def outputs(self, operands: Operands) -> dict[str, Values]:
        """What the group made of each array that it writes, row-major (zeros where others write)."""
        made: dict[tuple[str, str], Values] = {}
        arrays: dict[str, Values] = {}
        for name, node in self.nodes.items():
            kind = self.group.nodes[name].kind
            if kind == "load":
                (touch,) = node.writes
                elements = self.accesses.elements(touch, points(self.group.nodes[name].firing.extents))
                made[name, touch.port] = self._array(touch.array)[elements]
            elif kind == "task":
                results = self._run(name, node, operands, made)
                for port, patterns in results.items():
                    made[name, port] = patterns
                self._write(name, node, made, arrays)
        return self._stored(operands, made, arrays)

    def _write(
        self, name: str, node: NodeReads, made: Mapping[tuple[str, str], Values], arrays: dict[str, Values]
    ) -> None:
        for touch in node.writes:
            patterns = made[name, touch.port]
            size = self.accesses.size(touch.array)
            array = arrays.setdefault(touch.array, np.zeros(size, patterns.dtype))
            rows, elements = self.accesses.touched(touch, points(self.group.nodes[name].firing.extents))
            array[elements] = patterns[rows]

    def _stored(
        self, operands: Operands, made: Mapping[tuple[str, str], Values], arrays: dict[str, Values]
    ) -> dict[str, Values]:
        """Arrays that stores take element by element are what the stores took."""
        for name, node in self.nodes.items():
            if self.group.nodes[name].kind == "store":
                (touch,) = node.reads
                elements = self.accesses.elements(touch, points(self.group.nodes[name].firing.extents))
                patterns = np.zeros(elements.shape, arrays[touch.array].dtype)
                operands.gathered(name, 0, made, patterns)
                arrays[touch.array] = np.zeros_like(arrays[touch.array])
                arrays[touch.array][elements] = patterns
        return arrays

    def _run(
        self, name: str, node: NodeReads, operands: Operands, made: Mapping[tuple[str, str], Values]
    ) -> dict[str, Values]:
        process = self.accesses.network.processes[name]
        elementary = self.spec.components[process.elementary]
        assert isinstance(elementary, Elementary), "processes repeat elementaries"
        space = self.accesses.extents(name)
        inputs = {touch.port: self._patterns(name, node, touch, operands, made) for touch in self.accesses.reads[name]}
        every = tuple(range(len(space)))
        written = {touch.port for touch in node.writes} | {delay.output for delay in process.delays}
        alone = task_by_repetition(elementary, space, process.delays, written, dict.fromkeys(inputs, every))
        spec = Spec(self.spec.name, {}, {elementary.name: elementary, alone.name: alone})
        results = execute(spec, alone.name, inputs, functions=self.functions)
        return {port: values.reshape(math.prod(space), -1) for port, values in results.items()}

    def _patterns(
        self,
        name: str,
        node: NodeReads,
        touch: Touch,
        operands: Operands,
        made: Mapping[tuple[str, str], Values],
    ) -> Values:
        """What all repetitions read through one tiler, with the space's axes and the pattern's."""
        space = self.accesses.extents(name)
        repetitions = points(space)
        array = self.accesses.network.arrays[touch.array]
        border = touch.tiler.border
        if touch in node.reads:
            kind = next(values.dtype for (maker, port), values in made.items() if self._makes(maker, port, touch.array))
            patterns = np.zeros((len(repetitions), math.prod(touch.pattern)), kind)
            operands.gathered(name, node.reads.index(touch), made, patterns)
        else:
            patterns = self._array(touch.array)[self.accesses.elements(touch, repetitions)]
        if border is not None and border.is_constant:
            outside = self.accesses.beyond(touch, repetitions)
            patterns = np.where(outside, np.array(array.type.held(border.value), patterns.dtype), patterns)
        return patterns.reshape(*space, *touch.pattern)

    def _array(self, name: str) -> Values:
        """The elements of an array from outside, row-major."""
        array = self.arrays[name] if name in self.arrays else table_array(self.spec.tables[name])
        return array.reshape(-1)

    def _makes(self, maker: str, port: str, array: str) -> bool:
        return any(touch.port == port and touch.array == array for touch in self.nodes[maker].writes)
