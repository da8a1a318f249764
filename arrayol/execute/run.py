"""The reference execution of a task on NumPy arrays."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrayol.checks.top import choose_top
from arrayol.errors import error
from arrayol.execute.arithmetic import describe_range, first_outside
from arrayol.execute.compile_body import CompiledBody, compile_body
from arrayol.execute.environment import DTYPES, LeadingTask, Values, empty
from arrayol.execute.extern import ExternProgram, Functions, not_allowed
from arrayol.execute.frames import first_frames, with_frames
from arrayol.execute.repetitions import bind, sizes
from arrayol.ir.spec import Component, CompoundTask, ConstArray, Elementary, Part, Port, RepetitiveTask, Spec
from arrayol.language.syntax.diagnose import did_you_mean

Programs = dict[
    tuple[str, int], CompiledBody | ExternProgram
]  # of elementaries by name, under so many axes of repetitions
_LANES = 1 << 15  # values of one vector operation, so that its operands stay in the caches


def execute(
    spec: Spec,
    task: str,
    inputs: Mapping[str, NDArray[Any]],
    *,
    frames: int | None = None,
    functions: Functions | None = None,
    programs: Programs | None = None,
) -> dict[str, NDArray[Any]]:
    """The output arrays of a task (or elementary) of a checked specification, by port, for these input arrays.

    Every input port has an array of its shape and of the NumPy type of its element type; an infinite dimension has as
    many frames as the inputs bring, or the first `frames` of them. `functions` has the Python functions that may be
    run, by the text after `extern`; `programs` are those of other executions of the same elementaries and functions,
    and receive those of this one. The result is exact, to the last bit (docs/execution.md); no input is
    changed. Raises ArrayolError where inputs do not fit the ports (`missing-input`, `unknown-port`, `shape-mismatch`,
    `type-mismatch`, those of frames.py), where something has no body to execute, and where the data leads to what has
    no value (division by zero, a subscript out of range, ...), with the task, the repetition and the place.
    """
    name = choose_top(spec, task)
    framed = with_frames(spec, name, inputs, frames)
    component = framed.spec.components[framed.task]
    _refuse_unknown(spec.given_inputs(component), component, inputs)
    inputs = with_tables(spec, component, inputs)
    ports = spec.components[name].inputs
    used = {port.name: inputs[port.name] for port in ports if port.name in inputs}
    if frames is not None:
        used |= {port.name: first_frames(port, used[port.name], frames) for port in ports if port.name in used}
    arrays = {port.name: _fitting(port, used) for port in component.inputs}
    outputs = {port.name: _empty(port, ()) for port in component.outputs}
    with np.errstate(all="ignore"):
        _Execution(framed.spec, functions or {}, {} if programs is None else programs).run(
            component, arrays | outputs, (), None
        )
    return {
        port.name: first_frames(port, outputs[port.name], framed.whole.get(port.name))
        for port in spec.components[name].outputs
    }


def with_tables(spec: Spec, component: Component, inputs: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """The arrays of all inputs of a component: those that are given, and const arrays."""
    read = (port.name for port in component.inputs if port.name in spec.tables)
    return {**inputs, **{name: table_array(spec.tables[name]) for name in read}}


def table_array(table: ConstArray) -> NDArray[Any]:
    """The elements of a const array; they cannot be changed."""
    return np.frombuffer(table.data, DTYPES[table.type].newbyteorder("<")).reshape(table.shape)


def _refuse_unknown(ports: Sequence[Port], component: Component, inputs: Mapping[str, NDArray[Any]]) -> None:
    names = [port.name for port in ports]
    for name in inputs:
        if name not in names:
            hint = did_you_mean(name, names) or f"its inputs are {', '.join(names) or 'none'}"
            raise error("unknown-port", f"'{component.name}' has no input '{name}'", component.span, hint=hint)


def _fitting(port: Port, inputs: Mapping[str, NDArray[Any]]) -> Values:
    if port.name not in inputs:
        raise error("missing-input", f"there is no array for input '{port.name}'", port.span)
    array = np.asarray(inputs[port.name])
    if array.shape != sizes(port.shape):
        message = f"input '{port.name}' has the shape {array.shape}, expected {sizes(port.shape)}"
        raise error("shape-mismatch", message, port.span)
    if array.dtype != DTYPES[port.type]:
        message = f"input '{port.name}' has the type {array.dtype}, expected {DTYPES[port.type]} ({port.type})"
        raise error("type-mismatch", message, port.span, hint="convert it first, with astype")
    found = first_outside(array, port.type)
    if found is not None:
        message = f"input '{port.name}' has the value {found}; {describe_range(port.type)}"
        raise error("value-out-of-range", message, port.span, hint="limit the values first, with numpy.clip")
    return array


def _empty(port: Port, trailing: tuple[int, ...]) -> Values:
    return empty((*sizes(port.shape), *trailing), DTYPES[port.type])


def _part_view(array: Values, part: Part | None, port: Port) -> Values:
    """A part of an array as a view, for a port of the part's shape."""
    if part is None:
        return array
    extents = iter(sizes(port.shape))
    taken = [
        slice(first, first + step * (next(extents) - 1) + 1, step) if kept else first
        for first, step, kept in zip(part.origin, part.step, part.kept, strict=True)
    ]
    return array[(*taken, ...)]


@dataclass(frozen=True, slots=True)
class _Execution:
    """Runs components of one specification.

    Every array has the axes of its shape, then `trailing` axes: one for each dimension of the batches of repetitions
    that are around. So a hierarchy runs as array work at all its levels.
    """

    spec: Spec
    functions: Functions
    programs: Programs

    def run(
        self, component: Component, arrays: Mapping[str, Values], trailing: tuple[int, ...], place: LeadingTask | None
    ) -> None:
        """Compute the output arrays of a component, which are given with its inputs by port."""
        match component:
            case Elementary():
                here = LeadingTask(component.name, None, place)
                self._program(component, len(trailing)).run(dict(arrays), trailing, here)
            case RepetitiveTask():
                self._repeat(component, arrays, trailing, place)
            case CompoundTask():
                self._compose(component, arrays, trailing, place)

    def _compose(
        self, task: CompoundTask, arrays: Mapping[str, Values], trailing: tuple[int, ...], place: LeadingTask | None
    ) -> None:
        """The calls in dataflow order; an intermediate array lives from its first call to the last that has it."""
        live = dict(arrays)
        for position, call in enumerate(task.calls):
            callee = self.spec.components[call.callee]
            for name in call.results:
                if name not in live:
                    live[name] = _empty(task.arrays[name], trailing)
            formals = [*callee.inputs, *callee.outputs]
            actuals = zip(formals, (*call.arguments, *call.results), strict=True)
            bound = {port.name: _part_view(live[name], call.part_at(port.name), port) for port, name in actuals}
            self.run(callee, bound, trailing, place)
            del bound
            later = task.calls[position + 1 :]
            needed = {name for call in later for name in (*call.arguments, *call.results)}
            live = {name: array for name, array in live.items() if name in needed or name in arrays}

    def _repeat(
        self, task: RepetitiveTask, arrays: Mapping[str, Values], trailing: tuple[int, ...], place: LeadingTask | None
    ) -> None:
        callee = self.spec.components[task.callee]
        bound = bind(task, callee, arrays, trailing)
        limit = max(1, _LANES // (self._weight(callee, len(task.repetition) + len(trailing)) * math.prod(trailing)))
        for batch in bound.order.batches(limit):
            patterns = bound.read(batch)
            memory = {output.port.name: output.memory(batch, trailing) for output in bound.outputs}
            patterns |= {name: array for name, (array, _) in memory.items()}
            lanes, here = (*batch.shape, *trailing), LeadingTask(task.name, batch, place)
            if isinstance(callee, Elementary):
                self._program(callee, len(lanes)).run(patterns, lanes, here)
            else:
                self.run(callee, patterns, lanes, here)
            for output in bound.outputs:
                output.deliver(batch, *memory[output.port.name])

    def _weight(self, callee: Component, rank: int) -> int:
        """Values that one repetition computes at once, about."""
        if isinstance(callee, Elementary):
            return max(1, self._program(callee, rank).width)
        ports = [*callee.inputs, *callee.outputs, *(callee.arrays.values() if isinstance(callee, CompoundTask) else ())]
        return max((math.prod(sizes(port.shape)) for port in ports), default=1) or 1

    def _program(self, elementary: Elementary, rank: int) -> CompiledBody | ExternProgram:
        key = elementary.name, rank
        if key not in self.programs:
            self.programs[key] = self._programmed(elementary, rank)
        return self.programs[key]

    def _programmed(self, elementary: Elementary, rank: int) -> CompiledBody | ExternProgram:
        if elementary.body is not None:
            return compile_body(elementary, rank)
        if elementary.extern is None:
            message = f"'{elementary.name}' has no body, so there is nothing to execute"
            hint = "give it a body, as in { y = x }; without one it can only be explored"
            raise error("black-box", message, elementary.span, hint=hint)
        if elementary.extern not in self.functions:
            raise not_allowed(elementary)
        return ExternProgram(elementary, self.functions[elementary.extern])
