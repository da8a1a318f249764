"""What every array between the tasks of a network holds, by the reference execution."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrayol.execute.run import execute
from arrayol.ir.network import Flow, Network, Process
from arrayol.ir.spec import Call, Component, CompoundTask, Link, Port, RepetitiveTask, Spec
from arrayol.source import Span
from hwmodel.accesses import Accesses
from hwmodel.simulator.external import of_other_frames, one_frame
from hwmodel.simulator.simulate import black_boxes

Arrays = Mapping[str, NDArray[Any]]


@dataclass(frozen=True)
class Reference:
    """A specification's network, and for one frame the values of all its arrays, row-major.

    `values` is None where only tokens can move: without inputs, with black boxes, or where a task reads what other
    frames made.
    """

    spec: Spec
    accesses: Accesses
    values: Arrays | None

    def needed_outside(self, array: str, tasks: Collection[str]) -> NDArray[np.bool_]:
        """Which elements of an array other processes than these read; of an output all are needed."""
        others = [process for process in self._reads if process not in tasks]
        return self.read_by(array, others) | self.accesses.network.arrays[array].is_output

    def read_by(self, array: str, tasks: Collection[str]) -> NDArray[np.bool_]:
        """Which elements of an array these processes read."""
        found = np.zeros(self.accesses.size(array), np.bool_)
        for process in tasks:
            if array in self._reads[process]:
                found |= self._reads[process][array]
        return found

    @cached_property
    def _reads(self) -> Mapping[str, Mapping[str, NDArray[np.bool_]]]:
        """By process and by array, which elements the process reads."""
        return {process: self._marked(process) for process in self.accesses.network.processes}

    def _marked(self, process: str) -> dict[str, NDArray[np.bool_]]:
        repetitions = self.accesses.repetitions(process)
        found: dict[str, NDArray[np.bool_]] = {}
        for touch in self.accesses.reads[process]:
            reading = repetitions[self.accesses.happens(touch, repetitions)]
            marks = found.setdefault(touch.array, np.zeros(self.accesses.size(touch.array), np.bool_))
            marks[self.accesses.elements(touch, reading)] = True
        return found


def reference_of(spec: Spec, network: Network, inputs: Arrays | None) -> Reference:
    """The arrays of the network for these inputs (one frame or more). Raises ArrayolError where they have no result."""
    accesses = Accesses(network)
    if inputs is None or black_boxes(spec, network, {}) or of_other_frames(accesses):
        return Reference(spec, accesses, None)
    flat, name = _with_every_array(spec, network)
    found = {**inputs, **execute(flat, name, inputs), **execute(spec, network.name, inputs)}
    return Reference(
        spec, accesses, {array: one_frame(accesses, array, found[array]).reshape(-1) for array in network.arrays}
    )


def _with_every_array(spec: Spec, network: Network) -> tuple[Spec, str]:
    """The network as a specification of its own, whose top task puts out every array that a process makes."""
    span = spec.components[network.name].span
    ports = {name: Port(name, array.type, array.shape, span) for name, array in network.arrays.items()}
    tasks = {name: _task(process, ports, span) for name, process in network.processes.items()}
    calls = tuple(
        Call(tuple(port.name for port in task.outputs), task.name, tuple(port.name for port in task.inputs), span)
        for task in tasks.values()
    )
    inputs = tuple(ports[name] for name in network.inputs)
    made = tuple(ports[name] for name, array in network.arrays.items() if array.producer is not None)
    top = CompoundTask(f"every array of {network.name}", inputs, made, calls, ports, span)
    components: dict[str, Component] = {**spec.elementaries, top.name: top}
    return Spec(spec.name, {}, components | {task.name: task for task in tasks.values()}), top.name


def _task(process: Process, ports: Mapping[str, Port], span: Span) -> RepetitiveTask:
    """The process as a task whose ports have the names of the network's arrays."""

    def links(flows: Iterable[Flow]) -> tuple[Link, ...]:
        return tuple(Link(flow.port.name, flow.array, flow.tiler, span) for flow in flows)

    return RepetitiveTask(
        f"repeated {process.name}",
        tuple(ports[name] for name in sorted(process.reads)),
        tuple(ports[name] for name in sorted(process.writes)),
        process.repetition,
        process.elementary,
        links(process.inputs),
        links(process.outputs),
        process.delays,
        span,
    )
