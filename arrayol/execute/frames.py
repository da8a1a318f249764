"""Infinite dimensions: as many frames as the inputs have, at whatever rates the tasks take and give them.

Along an infinite dimension a tiler's index is step t + offset, where t counts repetitions (or frames of an infinite
port) and the offset lies in low..high over everything else. With N frames of an array to read, t runs as long as
step t + high < N. After T repetitions the first step T + low frames of an array that is written are whole, since t = T
would be the first to write more of them; memory reaches to step (T - 1) + high, beyond which nothing is written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from numpy.typing import NDArray

from arrayol.errors import ArrayolError, error
from arrayol.ir.exits import writing_parts
from arrayol.ir.intervals import reached
from arrayol.ir.spec import (
    Component,
    CompoundTask,
    Elementary,
    Link,
    Port,
    RepetitiveTask,
    Shape,
    Spec,
    TiledDefault,
    Tiler,
    callees,
    port_named,
)
from arrayol.source import Span
from arrayol.text import rounded

ENDLESS = 1 << 60  # frames of what no input bounds

Lengths = tuple[int | None, ...]  # frames for each of some ports; None for one without an infinite dimension


@dataclass(frozen=True, slots=True)
class Framed:
    """A specification with finite dimensions only, and the key of its top component.

    `whole`: of each output with an infinite dimension the frames that are whole; its array may be longer.
    """

    spec: Spec
    task: str
    whole: Mapping[str, int]


def with_frames(spec: Spec, task: str, inputs: Mapping[str, NDArray[Any]], frames: int | None) -> Framed:
    """The specification with every infinite dimension that `task` uses as long as its inputs make it.

    `frames`: of each input that many are used, and with no such input each output gets that many. Inputs with
    different numbers of frames are right where none has a frame to spare. Raises ArrayolError: `frame-mismatch`,
    `no-frames` where nothing says how many there are, `too-few-frames` where they do not suffice for one frame of
    every output, `no-infinite-dimension`, `frame-rate` where the tilers are not what can be executed.
    """
    component = spec.components[task]
    if frames is not None:
        require_infinite(spec, task)
    if not any(map(_is_infinite, used(spec, task))):
        return Framed(spec, task, {})
    available = _frames_of(component, inputs, frames)
    lengths = tuple(available.get(port.name) for port in component.inputs)
    bounds = _Planner(spec, ENDLESS).plan(task, lengths).whole
    _refuse_spare_frames(spec, component, available, bounds)
    wanted = _wanted(component, bounds, available, frames)
    planner = _Planner(spec, _turns_for(spec, task, lengths, wanted))
    planned = planner.plan(task, lengths)
    _refuse_none(component, planned.whole, available)
    whole = {port.name: count for port, count in zip(component.outputs, wanted, strict=True) if count is not None}
    finite = {**spec.components, **{planned.key: planned.component for planned in planner.plans.values()}}
    return Framed(replace(spec, components=finite), planned.key, whole)


def used(spec: Spec, task: str) -> list[Component]:
    """A component and all that it calls, each once."""
    names, waiting = {task: None}, [task]
    while waiting:
        component = spec.components[waiting.pop()]
        for name in () if isinstance(component, Elementary) else callees(component):
            if name not in names:
                names[name] = None
                waiting.append(name)
    return [spec.components[name] for name in names]


def first_frames(port: Port, values: NDArray[Any], frames: int | None) -> NDArray[Any]:
    """The first frames of an array along the port's infinite dimension, as a view."""
    if frames is None or None not in port.shape:
        return values
    return values[(*(slice(None),) * port.shape.index(None), slice(frames))]


def require_infinite(spec: Spec, task: str) -> None:
    """Raises ArrayolError (`no-infinite-dimension`) where a number of frames would mean nothing."""
    if not any(map(_is_infinite, used(spec, task))):
        component = spec.components[task]
        message = f"'{component.name}' has no dimension *, so --frames has nothing to count"
        raise error("no-infinite-dimension", message, component.span, hint="leave --frames out")


def _is_infinite(component: Component) -> bool:
    shapes = [port.shape for port in (*component.inputs, *component.outputs)]
    return any(None in shape for shape in shapes) or (
        isinstance(component, RepetitiveTask) and None in component.repetition
    )


def _frames_of(component: Component, inputs: Mapping[str, NDArray[Any]], frames: int | None) -> dict[str, int]:
    """The frames of each input that has an infinite dimension."""
    available = {}
    for port in component.inputs:
        if None in port.shape and port.name in inputs:
            if inputs[port.name].ndim != len(port.shape):
                expected = ", ".join("*" if extent is None else str(extent) for extent in port.shape)
                message = f"input '{port.name}' has the shape {inputs[port.name].shape}, expected ({expected})"
                raise error("shape-mismatch", message, port.span)
            length = int(inputs[port.name].shape[port.shape.index(None)])
            if frames is not None and length < frames:
                message = f"there are {rounded(length)} frames of input '{port.name}', "
                message += f"fewer than the {rounded(frames)} asked for"
                raise error("too-few-frames", message, port.span)
            available[port.name] = length if frames is None else frames
    return available


def _refuse_spare_frames(spec: Spec, component: Component, available: Mapping[str, int], bounds: Lengths) -> None:
    """Inputs with different numbers of frames must all be needed to the last one."""
    if len(set(available.values())) <= 1:
        return
    for name in available:
        fewer = {**available, name: available[name] - 1}
        lengths = tuple(fewer.get(port.name) for port in component.inputs)
        if _Planner(spec, ENDLESS).plan(component.name, lengths).whole == bounds:
            each = ", ".join(f"'{name}' {rounded(count)}" for name, count in available.items())
            hint = f"--frames {min(available.values())} takes the first {min(available.values())} of each"
            message = f"the inputs bring different numbers of frames: {each}"
            raise error("frame-mismatch", message, component.span, hint=hint)


def _wanted(component: Component, bounds: Lengths, available: Mapping[str, int], frames: int | None) -> Lengths:
    """The frames to compute of each output."""
    asked = frames if frames is not None else min(available.values(), default=None)
    if asked is None and (ENDLESS in bounds or all(bound is None for bound in bounds)):
        message = f"no input says how many frames of '{component.name}' to execute"
        raise error("no-frames", message, component.span, hint="--frames says it, as in --frames 10")
    return tuple(asked if bound == ENDLESS else bound for bound in bounds)


def _turns_for(spec: Spec, task: str, lengths: Lengths, wanted: Lengths) -> int:
    """The fewest repetitions, of each task that reads nothing infinite, that give the frames that are wanted."""

    def enough(turns: int) -> bool:
        whole = _Planner(spec, turns).plan(task, lengths).whole
        return all(has is None or need is None or has >= need for has, need in zip(whole, wanted, strict=True))

    high = 1
    while not enough(high) and high < ENDLESS:
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _refuse_none(component: Component, whole: Lengths, available: Mapping[str, int]) -> None:
    empty = [port.name for port, count in zip(component.outputs, whole, strict=True) if count == 0]
    if empty:
        each = ", ".join(f"'{name}' {rounded(count)}" for name, count in available.items())
        message = f"the inputs have too few frames for one of output '{empty[0]}': {each}"
        raise error("too-few-frames", message, component.span, hint="give more frames")


@dataclass(frozen=True, slots=True)
class _Pace:
    """Indices along an infinite axis: step t + offset, low <= offset <= high."""

    step: int
    low: int
    high: int

    def turns(self, frames: int) -> int:
        """How many t read no more than the first `frames` frames."""
        return ENDLESS if frames >= ENDLESS else max(0, (frames - 1 - self.high) // self.step + 1)

    def whole(self, turns: int) -> int:
        """How many frames are written whole by that many t."""
        return ENDLESS if turns >= ENDLESS else max(0, self.step * turns + self.low)

    def extent(self, turns: int) -> int:
        """How many frames that many t write to."""
        return ENDLESS if turns >= ENDLESS else max(0, self.step * (turns - 1) + self.high + 1)


@dataclass(frozen=True, slots=True)
class _Planned:
    """A component for certain lengths of its inputs: of each output the frames that are whole, and those of memory."""

    key: str
    component: Component
    whole: Lengths
    extent: Lengths


@dataclass(frozen=True, slots=True)
class _Planner:
    """Components with finite dimensions, one for each combination of input lengths that occurs.

    `turns`: repetitions along the infinite dimension of a task that reads nothing infinite.
    """

    spec: Spec
    turns: int
    plans: dict[tuple[str, Lengths], _Planned] = field(default_factory=dict)

    def plan(self, name: str, lengths: Lengths) -> _Planned:
        """The component `name` for inputs of those lengths."""
        if (name, lengths) not in self.plans:
            component = self.spec.components[name]
            frames = {port.name: length for port, length in zip(component.inputs, lengths, strict=True)}
            key = f"{name} {lengths}"
            match component:
                case Elementary():
                    nothing = (None,) * len(component.outputs)
                    planned = _Planned(name, component, nothing, nothing)
                case CompoundTask():
                    planned = self._compound(key, component, frames)
                case RepetitiveTask():
                    planned = self._repetitive(key, component, frames)
            self.plans[name, lengths] = planned
        return self.plans[name, lengths]

    def _compound(self, key: str, task: CompoundTask, frames: Mapping[str, int | None]) -> _Planned:
        whole, extent, calls = dict(frames), dict(frames), []
        for call in task.calls:
            planned = self.plan(call.callee, tuple(whole.get(name) for name in call.arguments))
            for name, has, reach in zip(call.results, planned.whole, planned.extent, strict=True):
                if has is not None and reach is not None:  # several calls may write parts of each frame
                    earlier = whole.get(name)
                    whole[name] = has if earlier is None else min(earlier, has)
                    extent[name] = max(extent.get(name) or 0, reach)
            calls.append(replace(call, callee=planned.key))
        arrays = {name: _sized(port, extent.get(name)) for name, port in task.arrays.items()}
        finite = replace(
            task, inputs=_sized_all(task.inputs, extent), outputs=_sized_all(task.outputs, extent),
            calls=tuple(calls), arrays=arrays,
        )  # fmt: skip
        return _Planned(key, finite, _lengths(task.outputs, whole), _lengths(task.outputs, extent))

    def _repetitive(self, key: str, task: RepetitiveTask, frames: Mapping[str, int | None]) -> _Planned:
        _require_executable(self.spec, task)
        callee = self.spec.components[task.callee]
        bounds, inner = list(_default_bounds(task, callee, frames)), {}
        for link in task.input_links:
            port, length = port_named(callee.inputs, link.port), frames[link.array]
            pace = _pace_of(task, task.inputs, link.array, link.tiler, port)
            if pace is not None and length is not None:
                if None in port.shape:
                    inner[port.name] = pace.turns(length)
                else:
                    bounds.append(pace.turns(length))
        turns = min(bounds, default=self.turns) if None in task.repetition else None
        planned = self.plan(task.callee, tuple(inner.get(port.name) for port in callee.inputs))
        whole: dict[str, int] = {}
        extent: dict[str, int] = {}
        for link in task.output_links:
            position = [port.name for port in callee.outputs].index(link.port)
            port = callee.outputs[position]
            pace = _writing_pace(task, link, port)
            has, reach = (planned.whole[position], planned.extent[position]) if None in port.shape else (turns, turns)
            if pace is not None and has is not None and reach is not None:
                whole[link.array] = min(whole.get(link.array, ENDLESS), pace.whole(has))
                extent[link.array] = max(extent.get(link.array, 0), pace.extent(reach))
        finite = replace(
            task, inputs=_sized_all(task.inputs, frames), outputs=_sized_all(task.outputs, extent),
            repetition=_sized_shape(task.repetition, turns), callee=planned.key,
        )  # fmt: skip
        return _Planned(key, finite, _lengths(task.outputs, whole), _lengths(task.outputs, extent))


def _default_bounds(task: RepetitiveTask, callee: Component, frames: Mapping[str, int | None]) -> Iterator[int]:
    """Repetitions that the tiled defaults of delays leave possible."""
    for delay in task.delays:
        default = delay.default
        if not isinstance(default, TiledDefault) or (length := frames[default.array]) is None:
            continue
        pace = _pace_of(task, task.inputs, default.array, default.tiler, port_named(callee.inputs, delay.port))
        assert pace is not None
        wave = task.repetition.index(None) if None in task.repetition else None
        only_first = wave is not None and all(step == 0 for axis, step in enumerate(delay.vector) if axis != wave)
        turns = pace.turns(length)
        # A delay along the frames alone reads its default in the first ones only.
        if not (only_first and wave is not None and turns >= delay.vector[wave]):
            yield turns


def _pace_of(task: RepetitiveTask, arrays: Sequence[Port], array: str, tiler: Tiler, port: Port) -> _Pace | None:
    """How a tiler goes along the infinite axis of an array; None where the array has none."""
    shape = port_named(tuple(arrays), array).shape
    if None not in shape:
        return None
    axis = shape.index(None)
    moves = [
        *zip(task.repetition, tiler.paving[axis], strict=True),
        *zip(port.shape, tiler.fitting[axis], strict=True),
    ]
    steps = [factor for extent, factor in moves if extent is None]
    if len(steps) != 1 or steps[0] < 1:
        hint = "one dimension *, of the repetition or of the port, must move forwards along that of the array"
        raise _not_executed(f"this tiler goes along the dimension * of '{array}' in a way", tiler.span, hint)
    reaches = (factor * (extent - 1) for extent, factor in moves if extent is not None)
    return _Pace(steps[0], *reached(tiler.origin[axis], reaches))


def _writing_pace(task: RepetitiveTask, link: Link, port: Port) -> _Pace | None:
    """How a link goes along the infinite axis of an output, by the repetitions that write."""
    parts = writing_parts(link, task.repetition)
    paces = [
        _pace_of(replace(task, repetition=part.extents), task.outputs, link.array, part.tiler, port) for part in parts
    ]
    found = [pace for pace in paces if pace is not None]
    if not found:
        return None
    return _Pace(found[0].step, min(pace.low for pace in found), max(pace.high for pace in found))


def _require_executable(spec: Spec, task: RepetitiveTask) -> None:
    """Refuse repetitions whose first frames depend on later ones, or whose lengths depend on one another."""
    callee = spec.components[task.callee]
    for delay in task.delays:
        if None in port_named(callee.inputs, delay.port).shape:
            hint = "give the port a finite size"
            raise _not_executed(f"port '{delay.port}' takes a delayed array with a dimension *,", delay.span, hint)
        for extent, step in zip(task.repetition, delay.vector, strict=True):
            if extent is None and step < 0 and delay.acts:
                hint = "turn the delay round, or give the dimension * a finite size for the execution"
                raise _not_executed(
                    f"port '{delay.port}' takes what a repetition of a later frame puts out,", delay.span, hint
                )
    if task.repetition.count(None) > 1:
        raise _not_executed(f"'{task.name}' repeats over two dimensions *,", task.span, "make one of them finite")


def _not_executed(what: str, span: Span, hint: str) -> ArrayolError:
    return error("frame-rate", f"{what} which is not executed", span, hint=hint)


def _sized_shape(shape: Shape, frames: int | None) -> Shape:
    return tuple(frames if length is None else length for length in shape)


def _sized(port: Port, frames: int | None) -> Port:
    return replace(port, shape=_sized_shape(port.shape, frames))


def _sized_all(ports: tuple[Port, ...], frames: Mapping[str, int | None] | Mapping[str, int]) -> tuple[Port, ...]:
    return tuple(_sized(port, frames.get(port.name)) for port in ports)


def _lengths(ports: tuple[Port, ...], frames: Mapping[str, int | None] | Mapping[str, int]) -> Lengths:
    return tuple(frames.get(port.name) if None in port.shape else None for port in ports)
