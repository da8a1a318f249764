"""The task graph that is shown, and its tasks as compact text for a terminal.

The graph is the flat network, also where a repetition around a task keeps that from being canonical: such a task is
shown as a black box, and no task is unfolded more often than it is called.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from math import prod

from arrayol.errors import error
from arrayol.ir.exits import writing_share
from arrayol.ir.network import Flow, Network, NetworkArray, Process, flatten
from arrayol.ir.spec import (
    CompoundTask,
    Delay,
    Elementary,
    IntMatrix,
    Port,
    RepetitiveTask,
    Shape,
    Spec,
    TiledDefault,
    Tiler,
    callees,
)
from arrayol.ir.types import ElementType
from arrayol.language.constants import constant_text
from arrayol.language.syntax.diagnose import shown_shape
from arrayol.text import counted

DRAWN_AT_MOST = 400  # calls, those of compound tasks included


def task_graph(spec: Spec, top: str) -> Network:
    """The flat network of a task or elementary; a task that is repeated as a whole is one process, of `task NAME`.

    Raises ArrayolError (`too-large-to-draw`) for more than DRAWN_AT_MOST calls.
    """
    calls = _calls(spec, top)
    if calls > DRAWN_AT_MOST:
        message = f"'{top}' unfolds to {calls:,} calls, and at most {DRAWN_AT_MOST} can be drawn"
        raise error("too-large-to-draw", message, spec.components[top].span, hint="show one of the tasks it calls")
    return flatten(_canonical(spec), top)


def repeated_task(process: Process) -> str | None:
    """The task that a process repeats as a whole, or None where it repeats an elementary."""
    _, separator, name = process.elementary.partition("task ")
    return name if separator else None


def rates(process: Process, flow: Flow) -> dict[str, Fraction]:
    """Elements read through an input per element written, by output port: paper A's k_ij, delays left out."""
    written = {
        output.port.name: _size(output.port.shape) * writing_share(output.exit, process.repetition)
        for output in process.outputs
    }
    return {name: Fraction(_size(flow.port.shape), size) for name, size in written.items()}


def reachable(spec: Spec, top: str) -> Iterator[str]:
    """The names of a component and of all that it calls, each once, the callers first."""
    seen, waiting = {top}, [top]
    while waiting:
        name = waiting.pop()
        yield name
        component = spec.components[name]
        called = () if isinstance(component, Elementary) else callees(component)
        new = [callee for callee in dict.fromkeys(called) if callee not in seen]
        seen.update(new)
        waiting += reversed(new)


def _size(shape: Shape) -> int:
    return prod(extent for extent in shape if extent is not None)


def _canonical(spec: Spec) -> Spec:
    """A specification with a black box in the place of each task that is repeated as a whole."""
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


Row = tuple[str, str, str, str, str]  # port, arrow, array, what flows, rate


def graph_text(network: Network) -> str:
    """All processes of a network, in dataflow order, below its signature."""
    given = [name for name in network.inputs if network.arrays[name].rom_bits is None]
    ends = [[network.arrays[name] for name in names] for names in (given, network.outputs)]
    reads, writes = (", ".join(f"{array.name}: {typed(array.type, array.shape)}" for array in end) for end in ends)
    heading = f"{network.name}({reads}) -> ({writes})"
    counts = f"{counted(len(network.processes), 'process', 'processes')}, {counted(len(network.arrays), 'array')}"
    tables = [array for array in network.arrays.values() if array.rom_bits is not None]
    counts += "".join(f"\nconst {array.name}: {typed(array.type, array.shape)}" for array in tables)
    blocks = [process_text(process, network.arrays) for process in network.processes.values()]
    return "\n\n".join([f"{heading}\n{counts}", *blocks])


def process_text(process: Process, arrays: Mapping[str, NetworkArray], *, tilers: bool = False) -> str:
    """A process: what it repeats, then a line per link and delay; with `tilers` a second line per link."""
    rows = list(_rows(process, arrays, tilers=tilers))
    widths = [max(len(row[column]) for row in rows if isinstance(row, tuple)) for column in range(4)] if rows else []
    lines = [heading_text(process)]
    for row in rows:
        if isinstance(row, str):
            lines.append(f"  {' ' * (widths[0] + 1)}{row}")
        else:
            cells = [cell.ljust(width) for cell, width in zip(row[:4], widths, strict=True)]
            lines.append(f"  {cells[0]} {cells[1]} {cells[2]}  {cells[3]}  {row[4]}".rstrip())
    return "\n".join(lines)


def heading_text(process: Process) -> str:
    """`hflr: repeat [1080, 480] of smooth`."""
    return f"{process.name}: {repetition_text(process)}"


def repetition_text(process: Process) -> str:
    """What a process repeats; an elementary that is called without a repetition runs once."""
    if process.task == process.elementary:
        return "elementary, run once"
    return f"repeat {shown_shape(process.repetition) or '[]'} of {process.elementary}"


def rate_text(process: Process, flow: Flow) -> str:
    """`11/3 per y`: elements read per element written, grouped where outputs have the same rate."""
    outputs: dict[str, list[str]] = {}
    for name, rate in rates(process, flow).items():
        outputs.setdefault(str(rate), []).append(name)
    return "; ".join(f"{rate} per {', '.join(names)}" for rate, names in outputs.items())


def delay_text(delay: Delay) -> str:
    """`prev <- last delay [0, 1] else 0`."""
    array = delay.default.array if isinstance(delay.default, TiledDefault) else constant_text(delay.default)
    text = f"{delay.port} <- {delay.output} delay {list(delay.vector)} else {array}"
    return text if delay.acts else f"{text}, never acts"


def written_text(flow: Flow) -> str:
    """The port that writes, `c delay [1, 0]` where it is an exit."""
    return flow.port.name if flow.exit is None else f"{flow.port.name} delay {list(flow.exit)}"


def typed(element: ElementType, shape: Shape) -> str:
    """`f32[4, 4]`, or `f32` for a scalar."""
    return f"{element}{shown_shape(shape)}"


def pattern_text(port: Port, array: Shape) -> str:
    """`f32[4] of [1080, 1920]`: a port's pattern and the shape of its array, whose element type is the same."""
    return f"{typed(port.type, port.shape)} of {shown_shape(array)}" if array else f"{port.type}, a scalar"


def matrix_text(matrix: IntMatrix) -> str:
    """`[1, 0; 0, 4]`; one without columns is `[]`, as the language writes it."""
    return f"[{'; '.join(', '.join(map(str, row)) for row in matrix)}]" if any(matrix) else "[]"


def tiler_parts(tiler: Tiler) -> list[str]:
    """`origin [0, 0]`, `paving [1, 0; 0, 4]`, `fitting [0; 1]`, and `wrap` or `else nearest` where it has that."""
    parts = [f"origin {list(tiler.origin)}", f"paving {matrix_text(tiler.paving)}"]
    parts += [f"fitting {matrix_text(tiler.fitting)}", *(["wrap"] if tiler.wrap else [])]
    if tiler.border is None:
        return parts
    return [*parts, f"else {constant_text(tiler.border.value) if tiler.border.is_constant else tiler.border.mode}"]


def reads_text(process: Process) -> list[str]:
    """What a process reads, line by line: `x <- src at origin [0, 0] ...`, and its delays."""
    lines = [f"{flow.port.name} <- {flow.array} at {' '.join(tiler_parts(flow.tiler))}" for flow in process.inputs]
    for delay in process.delays:
        default = delay.default
        tiler = f" at {' '.join(tiler_parts(default.tiler))}" if isinstance(default, TiledDefault) else ""
        lines.append(f"{delay_text(delay)}{tiler}")
    return lines


def writes_text(process: Process) -> list[str]:
    """What a process writes, line by line: `y -> dst at origin [0, 0] ...`."""
    return [f"{written_text(flow)} -> {flow.array} at {' '.join(tiler_parts(flow.tiler))}" for flow in process.outputs]


def _rows(process: Process, arrays: Mapping[str, NetworkArray], *, tilers: bool) -> Iterator[Row | str]:
    """The cells of each line; a text is a tiler's line of its own."""
    for flow in process.inputs:
        rate = f"reads {rate_text(process, flow)}" if process.outputs else ""
        yield (flow.port.name, "<-", flow.array, pattern_text(flow.port, arrays[flow.array].shape), rate)
        if tilers:
            yield "at " + " ".join(tiler_parts(flow.tiler))
    for delay in process.delays:
        yield (delay.port, "<-", delay.output, delay_text(delay).removeprefix(f"{delay.port} <- {delay.output} "), "")
        if tilers and isinstance(delay.default, TiledDefault):
            yield "else at " + " ".join(tiler_parts(delay.default.tiler))
    for flow in process.outputs:
        yield (written_text(flow), "->", flow.array, pattern_text(flow.port, arrays[flow.array].shape), "")
        if tilers:
            yield "at " + " ".join(tiler_parts(flow.tiler))
