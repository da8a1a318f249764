"""A group of a network, element by element: what its repetitions read, write and need of earlier ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from typing import Any

from arrayol.ir.borders import Border
from arrayol.ir.network import Network, Process
from arrayol.ir.spec import Delay, Shape, TiledDefault, Tiler
from hwmodel.design import GroupDesign
from hwmodel.platform import Platform

Point = tuple[int, ...]
Access = tuple[str, Point]  # an array and an element of it
Node = tuple[str, str, int]  # a dimension of a task, or an axis of an array


class RefusedError(Exception):
    """A design that docs/machine.md, section 6, refuses; its text is the error's code."""


@dataclass
class Grouped:
    """The group of a design in its network: what docs/machine.md takes from the specification."""

    network: Network
    platform: Platform
    design: GroupDesign
    known: dict[tuple[object, ...], Any] = field(default_factory=dict, kw_only=True)  # what need not be found again

    def space(self, task: str) -> Point:
        return tuple(1 if extent is None else extent for extent in self.network.processes[task].repetition)

    def points(self, task: str) -> list[Point]:
        return list(product(*(range(extent) for extent in self.space(task))))

    def shape(self, array: str) -> Point:
        if ("shape", array) not in self.known:
            self.known["shape", array] = self.find_shape(array)
        return self.known["shape", array]

    def find_shape(self, array: str) -> Point:
        declared = self.network.arrays[array].shape
        if all(extent is not None for extent in declared):
            return tuple(extent for extent in declared if extent is not None)
        reached = [1] * len(declared)
        for task, process in self.network.processes.items():
            for name, tiler, pattern in (*inputs(process), *outputs(process), *defaults(process)):
                if name == array:
                    for r, f in product(self.points(task), box(pattern)):
                        reached = [max(a, b + 1) for a, b in zip(reached, index_of(tiler, r, f), strict=True)]
        return tuple(found if extent is None else extent for found, extent in zip(reached, declared, strict=True))

    def patterns(self, task: str, r: Point, *, writes: bool) -> Iterator[tuple[str, int, list[Point]]]:
        """Array, number of the tiler, and elements row-major of what one repetition reads or writes."""
        for array, number, found, border in self.placed(task, r, writes=writes):
            declared = self.network.arrays[array].shape
            inside = [beyond(border, e, declared) if border else e for e in found]
            yield array, number, [e for e in inside if e is not None]

    def places(self, task: str, r: Point, *, writes: bool) -> Iterator[tuple[str, list[Point]]]:
        """Array and places row-major of what one repetition accesses, also those beyond a constant border."""
        for array, _, found, border in self.placed(task, r, writes=writes):
            declared = self.network.arrays[array].shape
            inside = [beyond(border, e, declared) if border else e for e in found]
            yield array, [e if own is None else own for e, own in zip(found, inside, strict=True)]

    def placed(self, task: str, r: Point, *, writes: bool) -> Iterator[tuple[str, int, list[Point], Border | None]]:
        """Array, number of the tiler, places row-major before a border, and the border."""
        process = self.network.processes[task]
        tilers = [*outputs(process)] if writes else [*inputs(process), *defaults(process)]
        acts = [True] * len(tilers)
        if writes:
            exits = [flow.exit for flow in process.outputs]
            acts = [leaves is None or not self.inside(task, plus(r, leaves)) for leaves in exits]
        else:
            tiled = [delay for delay in process.delays if isinstance(delay.default, TiledDefault)]
            for number, delay in enumerate(tiled, len(tilers) - len(tiled)):
                acts[number] = not delay.acts or not self.inside(task, minus(r, delay.vector))
        for number, (array, tiler, pattern) in enumerate(tilers):
            if acts[number]:
                shape, declared = self.shape(array), self.network.arrays[array].shape
                found = []
                for f in box(pattern):
                    index = index_of(tiler, r, f)
                    wrap = [tiler.wrap and extent is not None for extent in declared]
                    found.append(tuple(i % s if w else i for i, s, w in zip(index, shape, wrap, strict=True)))
                yield array, number, found, tiler.border

    def reads(self, task: str, r: Point) -> set[Access]:
        if ("reads", task, r) not in self.known:
            found = {(array, e) for array, _, pattern in self.patterns(task, r, writes=False) for e in pattern}
            self.known["reads", task, r] = found
        return self.known["reads", task, r]

    def writes(self, task: str, r: Point) -> set[Access]:
        if ("writes", task, r) not in self.known:
            found = {(array, e) for array, _, pattern in self.patterns(task, r, writes=True) for e in pattern}
            self.known["writes", task, r] = found
        return self.known["writes", task, r]

    def inside(self, task: str, r: Point) -> bool:
        return all(0 <= index < extent for index, extent in zip(r, self.space(task), strict=True))

    def delays(self, task: str) -> list[Delay]:
        found = []
        for delay in self.network.processes[task].delays:
            extents = self.network.processes[task].repetition
            reaches = all(abs(d) < (s or 1) for d, s in zip(delay.vector, extents, strict=True))
            if delay.acts and reaches:
                found.append(delay)
        return found

    def frame_delays(self, task: str) -> list[tuple[Delay, int]]:
        process = self.network.processes[task]
        found = []
        for delay in process.delays:
            back = sum(d for d, s in zip(delay.vector, process.repetition, strict=True) if s is None)
            if delay.acts and back:
                found.append((delay, back))
        return found

    @property
    def tasks(self) -> list[str]:
        return [name for name in self.network.processes if name in self.design.tasks]

    @property
    def last(self) -> str:
        """The leading last task, in whose loops all others walk."""
        *others, lead = self.lasts
        if any(not self.goes_with(task) for task in others):
            raise RefusedError("several-last-tasks")
        return lead

    @property
    def lasts(self) -> list[str]:
        read = {array for task in self.tasks for array in self.network.processes[task].reads}
        for array, makers in self.makers().items():
            writers = {task for task, process in self.network.processes.items() if array in process.writes}
            if array in read and writers != set(makers):
                raise RefusedError("made-in-part")
        return [task for task in self.tasks if not self.network.processes[task].writes & read]

    def goes_with(self, task: str) -> list[tuple[int, int, Fraction]]:
        """A dimension of the leading task, the one of another last task in its loop, and indices there for one here."""
        found, lead = [], self.lasts[-1]
        for there in range(len(self.space(lead))):
            same = self.loop(("task", lead, there))
            if self.outermost(lead, there, same):
                found += [
                    (there, own, ratio) for own, ratio in self.of_task(task, same) if self.outermost(task, own, same)
                ]
        return found

    def outermost(self, task: str, dimension: int, loop: dict[Node, Fraction]) -> bool:
        """Whether no other dimension of the task in the loop passes more of it, nor an earlier one as much."""
        own = dict(self.of_task(task, loop))
        return all((own[dimension], -dimension) >= (ratio, -other) for other, ratio in own.items())

    def of_task(self, task: str, loop: dict[Node, Fraction]) -> list[tuple[int, Fraction]]:
        numbers = range(len(self.space(task)))
        return [(k, loop["task", task, k]) for k in numbers if ("task", task, k) in loop and self.space(task)[k] > 1]

    def loop(self, first: Node) -> dict[Node, Fraction]:
        """All dimensions and axes that the tilers link with one, each with the places of it that an index passes."""
        found, fresh = {first: Fraction(1)}, [first]
        while fresh:
            node = fresh.pop()
            for dimension, axis, step in self.steps():
                if node not in (dimension, axis):
                    continue
                other, ratio = (axis, found[node] / step) if node == dimension else (dimension, found[node] * step)
                if other not in found:
                    fresh.append(other)
                if found.setdefault(other, ratio) != ratio:
                    raise RefusedError("several-last-tasks")
        return found

    def steps(self) -> Iterator[tuple[Node, Node, int]]:
        """A dimension of a task and an axis along which it goes forwards, by so many elements."""
        for task in self.tasks:
            process = self.network.processes[task]
            for array, tiler, _ in (*inputs(process), *outputs(process), *defaults(process)):
                declared = self.network.arrays[array].shape
                for axis, k in product(range(len(declared)), range(len(self.space(task)))):
                    step, around = tiler.paving[axis][k], declared[axis]
                    if tiler.wrap and around is not None and abs(step) >= around:
                        step %= around
                    if step > 0 and self.space(task)[k] > 1:
                        yield ("task", task, k), ("array", array, axis), step

    def makers(self) -> dict[str, list[str]]:
        processes = self.network.processes
        found = {name: [task for task in self.tasks if name in processes[task].writes] for name in self.network.arrays}
        return {name: tasks for name, tasks in found.items() if tasks}

    def made(self) -> dict[str, str]:
        """The arrays that the group makes, and the last task of each."""
        return {name: tasks[-1] for name, tasks in self.makers().items()}

    def readers(self, array: str) -> list[str]:
        return [task for task in self.tasks if array in self.network.processes[task].reads]

    def needed_outside(self) -> set[Access]:
        if ("outside",) not in self.known:
            self.known["outside",] = self.find_needed_outside()
        return self.known["outside",]

    def find_needed_outside(self) -> set[Access]:
        found = {
            (name, e) for name in self.made() if self.network.arrays[name].is_output for e in box(self.shape(name))
        }
        for task in self.network.processes:
            if task not in self.tasks:
                for r in self.points(task):
                    found |= {access for access in self.reads(task, r) if access[0] in self.made()}
        # What is read of a later frame, its own tasks make.
        return found | {(name, self.in_first_frame(name, e)) for name, e in found}

    def in_first_frame(self, array: str, element: Point) -> Point:
        """The element at the same place of the first frame; all tilers go on by one frame."""
        shape = self.network.arrays[array].shape
        return tuple(0 if extent is None else at for at, extent in zip(element, shape, strict=True))


def inputs(process: Process) -> list[tuple[str, Tiler, Point]]:
    return [(flow.array, flow.tiler, tuple(extent or 1 for extent in flow.port.shape)) for flow in process.inputs]


def outputs(process: Process) -> list[tuple[str, Tiler, Point]]:
    return [(flow.array, flow.tiler, tuple(extent or 1 for extent in flow.port.shape)) for flow in process.outputs]


def defaults(process: Process) -> list[tuple[str, Tiler, Point]]:
    ports = {port.name: tuple(extent or 1 for extent in port.shape) for port in process.input_ports}
    return [
        (delay.default.array, delay.default.tiler, ports[delay.port])
        for delay in process.delays
        if isinstance(delay.default, TiledDefault)
    ]


def box(shape: Point) -> list[Point]:
    return list(product(*(range(extent) for extent in shape)))


def index_of(tiler: Tiler, r: Point, f: Point) -> Point:
    return tuple(
        origin
        + sum(a * b for a, b in zip(paving, r, strict=True))
        + sum(a * b for a, b in zip(fitting, f, strict=True))
        for origin, paving, fitting in zip(tiler.origin, tiler.paving, tiler.fitting, strict=True)
    )


def beyond(border: Border, element: Point, shape: Shape) -> Point | None:
    """What stands for an element with a border, by the period of what goes on; None for a constant outside."""
    found = []
    for e, s in zip(element, shape, strict=True):
        if s is None or 0 <= e < s:
            found.append(e)
        elif border.is_constant:
            return None
        elif border.mode == "nearest":
            found.append(sorted((0, e, s - 1))[1])
        else:
            back = [*range(s), *range(s)[::-1]] if border.mode == "reflect" else [*range(s), *range(s - 1)[:0:-1]]
            found.append(back[e % len(back)])
    return tuple(found)


def minus(r: Point, d: Point) -> Point:
    return tuple(a - b for a, b in zip(r, d, strict=True))


def plus(r: Point, d: Point) -> Point:
    return tuple(a + b for a, b in zip(r, d, strict=True))
