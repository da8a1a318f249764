"""The flat network of a task: one process per call of a repetitive or elementary task, linked by whole arrays.

This is paper A's canonical form seen as a graph: exploration, execution and the hardware model start from it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, replace

from arrayol.errors import error
from arrayol.ir.intervals import reached
from arrayol.ir.spec import (
    Component,
    CompoundTask,
    ConstArray,
    Delay,
    Elementary,
    Link,
    Part,
    Port,
    RepetitiveTask,
    Shape,
    Spec,
    TiledDefault,
    Tiler,
    port_named,
    whole_array_tiler,
)
from arrayol.ir.types import ElementType
from arrayol.text import counted, few


@dataclass(frozen=True, slots=True)
class View:
    """All of an array, or a part of it, as a port of a component sees it."""

    array: str
    shape: Shape  # of the array
    part: Part | None = None

    def sub_view(self, part: Part | None) -> View:
        """What a part of this view is of the array."""
        if part is None or self.part is None:
            return replace(self, part=part or self.part)
        inner = iter(zip(part.origin, part.step, part.extents, part.kept, strict=True))
        whole = zip(self.part.origin, self.part.step, self.part.kept, strict=True)
        taken = [_moved(origin, step, *next(inner)) if kept else (origin, 1, 1, False) for origin, step, kept in whole]
        first, step, extents, kept = zip(*taken, strict=True)
        return replace(self, part=Part(first, step, extents, kept, part.span))

    def tiler(self, tiler: Tiler, repetition: Shape, pattern: Shape) -> Tiler:
        """The tiler of the array that touches what `tiler` touches of the part.

        Raises ArrayolError (`wraps-in-part`, `border-in-part`) where it wraps, or has a border, at ends of the part
        that are none of the array.
        """
        part = self.part
        if part is None:
            return tiler
        if tiler.wrap or tiler.border:
            _require_own_ends(self, tiler, (*repetition, *pattern))
        rows = iter(zip(tiler.origin, tiler.paving, tiler.fitting, strict=True))
        nothing = (0, (0,) * len(repetition), (0,) * len(pattern))
        moved = [
            _scaled(origin, step, *(next(rows) if kept else nothing))
            for origin, step, kept in zip(part.origin, part.step, part.kept, strict=True)
        ]
        origin, paving, fitting = zip(*moved, strict=True)
        return Tiler(origin, paving, fitting, tiler.wrap, tiler.span, tiler.border)


def _moved(
    origin: int, step: int, first: int, inner: int, extent: int | None, kept: bool
) -> tuple[int, int, int | None, bool]:
    return origin + step * first, step * inner, extent, kept


def _scaled(
    first: int, step: int, origin: int, paving: tuple[int, ...], fitting: tuple[int, ...]
) -> tuple[int, tuple[int, ...], tuple[int, ...]]:
    paving, fitting = (tuple(step * factor for factor in row) for row in (paving, fitting))
    return first + step * origin, paving, fitting


def _require_own_ends(view: View, tiler: Tiler, extents: Shape) -> None:
    part = view.part
    assert part is not None, "only parts have ends of their own"
    kept = [axis for axis, stays in enumerate(part.kept) if stays]
    for axis, origin, paving, fitting in zip(kept, tiler.origin, tiler.paving, tiler.fitting, strict=True):
        extent = part.extents[axis]
        if extent is None or extent == view.shape[axis]:
            continue
        moves = zip((*paving, *fitting), extents, strict=True)
        low, high = reached(origin, (factor * ((length or 1) - 1) for factor, length in moves))
        if (
            low < 0
            or high >= extent
            or any(length is None and factor for factor, length in zip((*paving, *fitting), extents, strict=True))
        ):
            where = f"at the ends of a part of '{view.array}', which only `run` and C can follow"
            hint = "let a task copy the part into a separate array, and read that"
            if tiler.border:
                raise error("border-in-part", f"the border of this link acts {where}", tiler.span, hint=hint)
            raise error("wraps-in-part", f"this tiler wraps {where}", tiler.span, hint=hint)


@dataclass(frozen=True, slots=True)
class Flow:
    """A pattern of a process: its port (name, element type, pattern shape) and where it lies in an array.

    With an `exit` only the repetitions r write for which r + exit lies outside the repetition space.
    """

    port: Port
    array: str
    tiler: Tiler
    exit: tuple[int, ...] | None = None

    def is_whole(self, shape: Shape) -> bool:
        """Whether every repetition of a frame has the array, of this shape, as its pattern, element by element."""
        axes = [axis for axis, extent in enumerate(shape) if extent is not None]
        if self.port.shape != tuple(shape[axis] for axis in axes) or any(self.tiler.origin):
            return False
        number = dict(zip(axes, range(len(axes)), strict=True))
        rows = enumerate(zip(self.tiler.paving, self.tiler.fitting, strict=True))
        return all(
            (axis not in number or not any(paving))
            and all(factor == (number.get(axis) == own) for own, factor in enumerate(fitting))
            for axis, (paving, fitting) in rows
        )


@dataclass(frozen=True, slots=True)
class Process:
    """A repeated elementary task. A delay's tiled default names a flat array.

    `input_ports` and `output_ports` are all ports of the elementary, also those that only delays link. `local_bits` are
    those of its locals. `definition` is the elementary itself, whose body says what a datapath computes. Of delays that
    are `held` outside, an input brings the state.
    """

    name: str
    task: str
    elementary: str
    repetition: Shape
    inputs: tuple[Flow, ...]
    outputs: tuple[Flow, ...]
    delays: tuple[Delay, ...]
    input_ports: tuple[Port, ...]
    output_ports: tuple[Port, ...]
    local_bits: int = 0
    definition: Elementary | None = None
    held: tuple[Delay, ...] = ()

    @property
    def state_pairs(self) -> frozenset[tuple[str, str]]:
        """The output and the input of each delay, wherever its state lies: datapaths are the same."""
        return frozenset((delay.output, delay.port) for delay in (*self.delays, *self.held))

    def __repr__(self) -> str:
        space = ", ".join("*" if extent is None else str(extent) for extent in self.repetition)
        reads, writes = ([flow.array for flow in flows] for flows in (self.inputs, self.outputs))
        return f"Process({self.name!r}: {few(reads)} -> {few(writes)}, [{space}] of {self.elementary})"

    @property
    def reads(self) -> frozenset[str]:
        """Names of the arrays it reads, tiled defaults of delays included."""
        defaults = (delay.default for delay in self.delays)
        tiled = {default.array for default in defaults if isinstance(default, TiledDefault)}
        return frozenset({flow.array for flow in self.inputs} | tiled)

    @property
    def writes(self) -> frozenset[str]:
        return frozenset(flow.array for flow in self.outputs)


@dataclass(frozen=True, slots=True)
class EarlierFrame:
    """What an array was so many `frames` before, as the `delay` of its reader has it; else the delay's default."""

    array: str
    frames: int
    delay: Delay


@dataclass(frozen=True, slots=True)
class NetworkArray:
    """An array between processes; an input of the network has no producers, one written in parts has several.

    A const array is an input with `rom_bits`: what a ROM of its elements takes, 0 where a counter makes them. One that
    is of an `earlier` frame holds what another array was then; nobody makes it in its own.
    """

    name: str
    type: ElementType
    shape: Shape
    producers: tuple[str, ...]
    readers: tuple[str, ...]
    is_output: bool
    rom_bits: int | None = None
    earlier: EarlierFrame | None = None


@dataclass(frozen=True, slots=True)
class Network:
    """Processes in dataflow order and the arrays between them, both by name."""

    name: str
    processes: Mapping[str, Process]
    arrays: Mapping[str, NetworkArray]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]

    @property
    def there_before(self) -> tuple[str, ...]:
        """The arrays that are there before a frame: the inputs, and those of earlier frames."""
        return (*self.inputs, *(name for name, array in self.arrays.items() if array.earlier is not None))

    def taken_later(self, array: str) -> tuple[int, ...]:
        """By array of an earlier frame that is this one how many frames later it is taken."""
        earlier = (own.earlier for own in self.arrays.values() if own.earlier is not None)
        return tuple(own.frames for own in earlier if own.array == array)

    def __repr__(self) -> str:
        size = f"{counted(len(self.processes), 'process', 'processes')}, {counted(len(self.arrays), 'array')}"
        return f"Network({self.name!r}: {few(self.inputs)} -> {few(self.outputs)}, {size})"


def flatten(spec: Spec, top: str) -> Network:
    """The network of task `top`, with hierarchies of compound tasks resolved.

    A process has its task's name, or TASK@RESULT where the task occurs more than once, with a number behind it where
    several of those give one result. Arrays inside a nested compound task are named RESULT.array after the first result
    of the call. A process that is bound to a part of an array has tilers of the whole array.

    Raises ArrayolError: `not-canonical` for a repetition around a task that is not elementary (paper A starts from
    specifications without those), `wraps-in-part` and `border-in-part` for a tiler that wraps, or has a border, at ends
    of a part that are none of the array.
    """
    component = spec.components[top]
    names = {port.name: View(port.name, port.shape) for port in (*component.inputs, *component.outputs)}
    ports: dict[str, Port] = {port.name: port for port in (*component.inputs, *component.outputs)}
    unnamed = list(_processes(spec, component, names, "", ports))
    occurrences = Counter(process.task for process in unnamed)
    processes: dict[str, Process] = {}
    for process in unnamed:
        suffix = f"@{process.outputs[0].array}" if occurrences[process.task] > 1 and process.outputs else ""
        name = free_name(process.task + suffix, processes)
        processes[name] = replace(_with_links(process, spec.tables, ports), name=name)
    outputs = tuple(port.name for port in component.outputs)
    inputs = tuple(port.name for port in component.inputs)
    roms = {name: spec.tables[name].rom_bits for name in inputs if name in spec.tables}
    return Network(top, processes, _arrays(processes, ports, outputs, roms), inputs, outputs)


def _with_links(process: Process, tables: Mapping[str, ConstArray], ports: Mapping[str, Port]) -> Process:
    """The process whose elementary knows which inputs are const arrays, and which are parts of arrays."""
    if process.definition is None:
        return process
    parts = frozenset(flow.port.name for flow in process.inputs if not flow.is_whole(ports[flow.array].shape))
    whole = (flow for flow in process.inputs if flow.array in tables and flow.port.name not in parts)
    known = tuple((flow.port.name, tables[flow.array]) for flow in whole)
    return replace(process, definition=replace(process.definition, constants=known, parts=parts))


def free_name(preferred: str, taken: Container[str]) -> str:
    """PREFERRED, or PREFERRED_2, PREFERRED_3 and so on where that is taken."""
    number, name = 1, preferred
    while name in taken:
        number += 1
        name = f"{preferred}_{number}"
    return name


def _arrays(
    processes: Mapping[str, Process], ports: Mapping[str, Port], outputs: tuple[str, ...], roms: Mapping[str, int]
) -> dict[str, NetworkArray]:
    return {
        name: NetworkArray(
            name,
            port.type,
            port.shape,
            tuple(process.name for process in processes.values() if name in process.writes),
            tuple(process.name for process in processes.values() if name in process.reads),
            name in outputs,
            roms.get(name),
        )
        for name, port in ports.items()
    }


def _processes(
    spec: Spec, component: Component, names: Mapping[str, View], prefix: str, ports: dict[str, Port]
) -> Iterator[Process]:
    """The processes of a component whose ports and arrays have the flat names `names`."""
    if isinstance(component, Elementary):
        yield _single(component, names)
    elif isinstance(component, RepetitiveTask):
        yield _repeated(spec, component, names)
    else:
        inner = _inner_names(component, names, prefix, ports)
        for call in component.calls:
            callee = spec.components[call.callee]
            formals = (port.name for port in (*callee.inputs, *callee.outputs))
            actuals = zip(formals, (*call.arguments, *call.results), strict=True)
            bound = {formal: inner[actual].sub_view(call.part_at(formal)) for formal, actual in actuals}
            yield from _processes(spec, callee, bound, f"{inner[call.results[0]].array}.", ports)


def _inner_names(
    component: CompoundTask, names: Mapping[str, View], prefix: str, ports: dict[str, Port]
) -> dict[str, View]:
    """What a compound task's arrays are; its own arrays are entered in `ports`."""
    inner = dict(names)
    for name, port in component.arrays.items():
        if name not in inner:
            flat = prefix + name
            while flat in ports:  # the call that makes this task's result may hold an array of the same name
                flat += "_"
            inner[name] = View(flat, port.shape)
            ports[flat] = replace(port, name=flat)
    return inner


def _repeated(spec: Spec, task: RepetitiveTask, names: Mapping[str, View]) -> Process:
    callee = spec.components[task.callee]
    if not isinstance(callee, Elementary):
        raise error(
            "not-canonical",
            f"task '{task.name}' repeats '{callee.name}', which is not an elementary task",
            task.span,
            hint="exploration starts from tasks that repeat elementary tasks; put the repetition inside those",
        )
    return Process(
        task.name,
        task.name,
        callee.name,
        task.repetition,
        tuple(_flow(port_named(callee.inputs, link.port), link, task, names) for link in task.input_links),
        tuple(_flow(port_named(callee.outputs, link.port), link, task, names) for link in task.output_links),
        tuple(_bound_delay(delay, port_named(callee.inputs, delay.port), task, names) for delay in task.delays),
        callee.inputs,
        callee.outputs,
        _local_bits(callee),
        callee,
    )


def _flow(port: Port, link: Link, task: RepetitiveTask, names: Mapping[str, View]) -> Flow:
    view = names[link.array]
    return Flow(port, view.array, view.tiler(link.tiler, task.repetition, port.shape), link.exit)


def _bound_delay(delay: Delay, port: Port, task: RepetitiveTask, names: Mapping[str, View]) -> Delay:
    default = delay.default
    if isinstance(default, TiledDefault):
        view = names[default.array]
        tiler = view.tiler(default.tiler, task.repetition, port.shape)
        return replace(delay, default=replace(default, array=view.array, tiler=tiler))
    return delay


def _single(component: Elementary, names: Mapping[str, View]) -> Process:
    """An elementary task that is called without a repetition: one repetition, whose patterns are all it is bound to."""
    inputs, outputs = (
        tuple(
            Flow(port, names[port.name].array, names[port.name].tiler(_whole(port), (1,), port.shape)) for port in ports
        )
        for ports in (component.inputs, component.outputs)
    )
    name, ports = component.name, (component.inputs, component.outputs)
    return Process(name, name, name, (1,), inputs, outputs, (), *ports, _local_bits(component), component)


def _whole(port: Port) -> Tiler:
    return whole_array_tiler(len(port.shape), port.span, steps=1)


def _local_bits(elementary: Elementary) -> int:
    return sum(local.bits for local in elementary.locals)
