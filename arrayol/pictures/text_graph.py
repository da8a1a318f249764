"""The task graph to draw: the flat network, also where a repetition around a task keeps it from being canonical."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from math import prod

from arrayol.errors import error
from arrayol.ir.network import Flow, Network, Process, flatten
from arrayol.ir.spec import CompoundTask, Elementary, RepetitiveTask, Shape, Spec, callees

DRAWN_AT_MOST = 400  # calls, those of compound tasks included


def task_graph(spec: Spec, top: str) -> Network:
    """The flat network of a task or elementary; a task that is repeated as a whole is one process, of `task NAME`.

    Raises ArrayolError (`too-large-to-draw`) for more than DRAWN_AT_MOST calls.
    """
    calls = _calls(spec, top)
    if calls > DRAWN_AT_MOST:
        message = f"'{top}' unfolds to {calls} calls, and at most {DRAWN_AT_MOST} can be drawn"
        raise error("too-large-to-draw", message, spec.components[top].span, hint="show one of the tasks it calls")
    return flatten(_canonical(spec), top)


def repeated_task(process: Process) -> str | None:
    """The task that a process repeats as a whole, or None where it repeats an elementary."""
    _, separator, name = process.elementary.partition("task ")
    return name if separator else None


def rates(process: Process, flow: Flow) -> dict[str, Fraction]:
    """Elements read through an input per element written, by output port: paper A's k_ij, delays left out."""
    written = {one.port.name: _size(one.port.shape) for one in process.outputs}
    return {name: Fraction(_size(flow.port.shape), size) for name, size in written.items()}


def reachable(spec: Spec, top: str) -> Iterator[str]:
    """The names of a component and of all that it calls, each once, the callers first."""
    seen, waiting = {top}, [top]
    while waiting:
        name = waiting.pop()
        yield name
        component = spec.components[name]
        found = () if isinstance(component, Elementary) else callees(component)
        new = [callee for callee in dict.fromkeys(found) if callee not in seen]
        seen.update(new)
        waiting += reversed(new)


def _size(shape: Shape) -> int:
    return prod(extent for extent in shape if extent is not None)


def _canonical(spec: Spec) -> Spec:
    """The same specification with a black box in the place of each task that is repeated as a whole."""
    components = dict(spec.components)
    for name, task in spec.components.items():
        if isinstance(task, RepetitiveTask) and not isinstance(spec.components[task.callee], Elementary):
            callee = spec.components[task.callee]
            box = f"task {callee.name}"  # a blank, so no name of the file
            components[box] = Elementary(box, callee.inputs, callee.outputs, None, None, callee.span)
            components[name] = replace(task, callee=box)
    return replace(spec, components=components)


def _calls(spec: Spec, top: str) -> int:
    """Calls that flattening goes through. They double per level where a task calls the next one twice: by a table."""
    calls: dict[str, int] = {}
    waiting = [top]
    while waiting:
        component = spec.components[waiting[-1]]
        inner = [call.callee for call in component.calls] if isinstance(component, CompoundTask) else []
        missing = [name for name in inner if name not in calls]
        if missing:
            waiting += missing
        else:
            calls[waiting.pop()] = 1 + sum(calls[name] for name in inner)
    return calls[top]
