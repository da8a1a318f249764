"""The nodes of a streaming group: its tasks, a load for each array that comes, a store for each that leaves.

A `Touch` (`hwmodel.accesses`) is one tiler through which a node reads or writes an array.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from arrayol.errors import error
from arrayol.ir.network import Process
from arrayol.ir.spec import Delay, Tiler, port_named
from arrayol.source import Span
from arrayol.text import listed
from hwmodel.accesses import Accesses, Extents, Touch
from hwmodel.stream.frames import require_frame_by_frame, require_no_earlier
from hwmodel.stream.refusals import not_streamed, require_forward
from hwmodel.streamed import NodeKind

_INSIDE = 'keep frames inside of a design that is one stream, with frames = ["inside"] in a study'
_INDICES = 1 << 22  # of a dimension
_ELEMENTS = 1 << 12  # of a pattern


@dataclass(frozen=True)
class Node:
    """One node: the extents of its repetitions, the tilers through which it reads and writes, delays that ever act.

    A load or store has a repetition for each index along the axes that some task moves along; the other axes are its
    pattern. `process` is None for them.
    """

    name: str
    kind: NodeKind
    extents: Extents
    reads: tuple[Touch, ...]
    writes: tuple[Touch, ...]
    delays: tuple[Delay, ...] = ()
    process: Process | None = None

    def port_size(self, port: str) -> int:
        """The elements of one pattern of an output."""
        if self.process is None:
            return math.prod(self.writes[0].pattern)
        return math.prod(extent or 1 for extent in port_named(self.process.output_ports, port).shape)

    def port_bits(self, accesses: Accesses, port: str) -> int:
        """The bits of an element of an output."""
        if self.process is None:
            return accesses.network.arrays[self.writes[0].array].type.bits
        return port_named(self.process.output_ports, port).type.bits


class StreamGroup:
    """The nodes of tasks that stream together, by name: loads, then tasks in dataflow order, then stores.

    Raises ArrayolError (`not-streamed`, `made-in-part`).
    """

    def __init__(self, accesses: Accesses, tasks: Sequence[str]) -> None:
        self.accesses = accesses
        self.tasks = tuple(name for name in accesses.network.processes if name in set(tasks))
        self._require_whole()
        if accesses.frames_inside:
            require_frame_by_frame(accesses, self.tasks)
            require_no_earlier(accesses, self.tasks, "all frames are inside")
        else:
            self._require_one_frame()
        for touch in (touch for task in self.tasks for touch in (*self.reads(task), *accesses.writes[task])):
            require_forward(touch)
        nodes = [*self._loads(), *map(self._task, self.tasks), *self._stores()]
        for node in nodes:
            _require_small(node)
        self.nodes = {node.name: node for node in nodes}

    @cached_property
    def made_arrays(self) -> tuple[str, ...]:
        """The arrays that its tasks make, in the network's order."""
        written = {touch.array for task in self.tasks for touch in self.accesses.writes[task]}
        return tuple(name for name in self.accesses.network.arrays if name in written)

    @cached_property
    def _moved_along(self) -> dict[str, tuple[int, ...]]:
        """By array, the axes that some task of the group moves along."""
        axes: dict[str, set[int]] = {}
        for task in self.tasks:
            for touch in (*self.accesses.reads[task], *self.accesses.writes[task]):
                moving = {axis for axis, row in enumerate(touch.tiler.paving) if any(row)}
                axes.setdefault(touch.array, set()).update(moving)
        return {array: tuple(sorted(moving)) for array, moving in axes.items()}

    def is_set_up(self, array: str) -> bool:
        """Whether an array is there before the first pulse: resident, or from outside and no task moves along it."""
        if self.accesses.is_resident(array):
            return True
        if self.accesses.frames_inside and None in self.accesses.network.arrays[array].shape:
            return False  # it has other data in each frame
        return array not in self.made_arrays and not self._moved_along.get(array)

    def reads(self, task: str) -> tuple[Touch, ...]:
        """The tilers through which a task reads what is not set up."""
        return tuple(touch for touch in self.accesses.reads[task] if not self.is_set_up(touch.array))

    def writers(self, array: str) -> Iterator[tuple[Node, Touch]]:
        """The nodes that write an array, and through which tilers."""
        for node in self.nodes.values():
            for touch in node.writes:
                if touch.array == array:
                    yield node, touch

    @cached_property
    def links(self) -> tuple[tuple[int, Node, Touch, Node, Touch], ...]:
        """Every read with every tiler through which the same array is written: (number of the read, ...)."""
        return tuple(
            (number, reader, read, writer, write)
            for reader in self.nodes.values()
            for number, read in enumerate(reader.reads)
            for writer, write in self.writers(read.array)
        )

    def _task(self, task: str) -> Node:
        process = self.accesses.network.processes[task]
        return Node(
            task,
            "task",
            self.accesses.extents(task),
            self.reads(task),
            self.accesses.writes[task],
            self.accesses.delays(task),
            process,
        )

    def _loads(self) -> Iterator[Node]:
        read = {touch.array for task in self.tasks for touch in self.reads(task)}
        for array in self.accesses.network.arrays:
            if array in read and array not in self.made_arrays:
                touch = self._place_by_place(f"load {array}", array)
                yield Node(touch.process, "load", self._extents(array), (), (touch,))

    def _stores(self) -> Iterator[Node]:
        inside = set(self.tasks)
        for array in self.made_arrays:
            known = self.accesses.network.arrays[array]
            if known.is_output or not inside.issuperset(known.readers):
                touch = self._place_by_place(f"store {array}", array)
                yield Node(touch.process, "store", self._extents(array), (touch,), ())

    def _extents(self, array: str) -> Extents:
        shape = self.accesses.shape(array)
        return tuple(shape[axis] for axis in self._moved_along[array])

    def _place_by_place(self, node: str, array: str) -> Touch:
        """The tiler of a load or store: one place for each index along the axes that are moved along."""
        shape, moved = self.accesses.shape(array), self._moved_along[array]
        others = [axis for axis in range(len(shape)) if axis not in moved]
        paving = tuple(tuple(int(axis == other) for other in moved) for axis in range(len(shape)))
        fitting = tuple(tuple(int(axis == other) for other in others) for axis in range(len(shape)))
        tiler = Tiler((0,) * len(shape), paving, fitting, False, self._span(array))
        return Touch(node, array, array, tiler, tuple(shape[axis] for axis in others))

    def _span(self, array: str) -> Span:
        """Where a task of the group reads or writes an array."""
        touches = (touch for task in self.tasks for touch in (*self.accesses.reads[task], *self.accesses.writes[task]))
        return next(touch.tiler.span for touch in touches if touch.array == array)

    def _require_whole(self) -> None:
        for array in self.made_arrays:
            known = self.accesses.network.arrays[array]
            others = [task for task in known.producers if task not in self.tasks]
            if others and any(reader in self.tasks for reader in known.readers):
                raise error(
                    "made-in-part",
                    f"the group {' '.join(self.tasks)} reads '{array}' and makes only a part of it: {listed(others)} "
                    f"{'makes' if len(others) == 1 else 'make'} the rest",
                    hint=f"put all tasks that write '{array}' in the group, or none of them",
                )

    def _require_one_frame(self) -> None:
        for task in self.tasks:
            process = self.accesses.network.processes[task]
            for delay in process.delays:
                steps = zip(delay.vector, process.repetition, strict=True)
                if delay.acts and any(step and extent is None for step, extent in steps):
                    text = f"'{task}' needs the repetition {list(delay.vector)} before, of another frame"
                    outside = f'let the state lie outside, with load = "frame" in [array."{task}.{delay.port}"]'
                    raise not_streamed(text, delay.span, hint=f"{outside}; or {_INSIDE}")
            for touch in self.accesses.reads[task]:
                shape = self.accesses.network.arrays[touch.array].shape
                infinite = [axis for axis, extent in enumerate(shape) if extent is None]
                if touch.array in self.made_arrays and any(
                    self.accesses.shape(touch.array)[axis] > 1 for axis in infinite
                ):
                    text = f"'{task}' reads '{touch.array}' of several frames, of which the group makes one"
                    raise not_streamed(text, touch.tiler.span, hint=f"end the group at this array; or {_INSIDE}")


def _require_small(node: Node) -> None:
    """Raises ArrayolError for sizes that are too large to be counted index by index."""
    for at, extent in enumerate(node.extents):
        if extent > _INDICES:
            text = f"dimension {at} of '{node.name}' has {extent:,} indices: a stream has up to {_INDICES:,}"
            raise not_streamed(text)
    for touch in (*node.reads, *node.writes):
        size = math.prod(touch.pattern)
        if size > _ELEMENTS:
            text = f"'{node.name}' has {size:,} elements of '{touch.array}' at once: a stream has up to {_ELEMENTS:,}"
            raise not_streamed(text, touch.tiler.span)
