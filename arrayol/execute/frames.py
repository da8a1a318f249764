"""Infinite dimensions: as many frames as the input brings.

Executed are the specifications in which every repetition over an infinite dimension takes one index of it from, and
gives one index of it to, each infinite array: frame t is made by repetitions (t, ...), of frame t of the inputs and of
what delays carry from the frames before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from numpy.typing import NDArray

from arrayol.errors import error
from arrayol.ir.model import (
    Component,
    CompoundTask,
    Elementary,
    Link,
    Port,
    RepetitiveTask,
    Shape,
    Spec,
    TiledDefault,
    callees,
)


def with_frames(spec: Spec, task: str, inputs: Mapping[str, NDArray[Any]]) -> Spec:
    """The specification with every infinite dimension that `task` uses as long as that of its inputs.

    Raises ArrayolError: `frame-mismatch` where two inputs bring different numbers of frames, `frame-rate` where a
    repetition takes or gives other than one frame, `no-frames` where no input says how many there are.
    """
    used = list(_used(spec, spec.components[task]))
    if not any(None in shape for component in used for shape in _shapes(component)):
        return spec
    for component in used:
        if isinstance(component, RepetitiveTask):
            _require_one_frame_each(spec, component)
    frames = _frames(spec.components[task], inputs)
    finite = {component.name: _with_length(component, frames) for component in used}
    return replace(spec, components={**spec.components, **finite})


def _used(spec: Spec, component: Component) -> Iterator[Component]:
    yield component
    if not isinstance(component, Elementary):
        for name in dict.fromkeys(callees(component)):
            yield from _used(spec, spec.components[name])


def _shapes(component: Component) -> Iterator[Shape]:
    yield from (port.shape for port in _ports(component))
    if isinstance(component, RepetitiveTask):
        yield component.repetition


def _ports(component: Component) -> Iterator[Port]:
    yield from (*component.inputs, *component.outputs)
    if isinstance(component, CompoundTask):
        yield from component.arrays.values()


def _frames(component: Component, inputs: Mapping[str, NDArray[Any]]) -> int:
    """The length of the inputs along their infinite dimensions."""
    found = {}
    for port in component.inputs:
        if None in port.shape and port.name in inputs and inputs[port.name].ndim == len(port.shape):
            found[port.name] = int(inputs[port.name].shape[port.shape.index(None)])
    if not found:
        message = f"no input says how many frames of '{component.name}' to execute"
        raise error("no-frames", message, component.span, hint="an input with a dimension * brings them")
    if len(set(found.values())) > 1:
        each = ", ".join(f"'{name}' {count}" for name, count in found.items())
        raise error("frame-mismatch", f"the inputs bring different numbers of frames: {each}", component.span)
    return next(iter(found.values()))


def _require_one_frame_each(spec: Spec, task: RepetitiveTask) -> None:
    arrays = {port.name: port for port in (*task.inputs, *task.outputs)}
    wave = task.repetition.index(None) if None in task.repetition else None
    defaults = [delay.default for delay in task.delays if isinstance(delay.default, TiledDefault)]
    links: list[Link | TiledDefault] = [*task.input_links, *task.output_links, *defaults]
    for link in links:
        shape = arrays[link.array].shape
        if None in shape and not _one_frame(link, shape.index(None), wave):
            raise error(
                "frame-rate",
                f"a repetition of '{task.name}' uses more than its own frame of '{link.array}', not executed yet",
                link.tiler.span,
                hint="along the dimension *, origin and fitting must be 0 and paving 1 for the repetition's own *",
            )


def _one_frame(link: Link | TiledDefault, axis: int, wave: int | None) -> bool:
    tiler = link.tiler
    unit = tuple(int(column == wave) for column in range(len(tiler.paving[axis])))
    return wave is not None and tiler.origin[axis] == 0 and tiler.paving[axis] == unit and not any(tiler.fitting[axis])


def _with_length(component: Component, frames: int) -> Component:
    def shape(old: Shape) -> Shape:
        return tuple(frames if length is None else length for length in old)

    def ports(old: tuple[Port, ...]) -> tuple[Port, ...]:
        return tuple(replace(port, shape=shape(port.shape)) for port in old)

    inputs, outputs = ports(component.inputs), ports(component.outputs)
    if isinstance(component, RepetitiveTask):
        return replace(component, inputs=inputs, outputs=outputs, repetition=shape(component.repetition))
    if isinstance(component, CompoundTask):
        arrays = {name: replace(port, shape=shape(port.shape)) for name, port in component.arrays.items()}
        return replace(component, inputs=inputs, outputs=outputs, arrays=arrays)
    return replace(component, inputs=inputs, outputs=outputs)
