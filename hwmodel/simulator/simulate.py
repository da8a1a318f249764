"""A design on the simulated machine, whole or group by group, and whether it computes what the specification says.

Why groups may be simulated one by one. Groups run one after another and pass whole arrays through the external memory,
where each array has its own place, is written by one group and never again. Suppose each group of a design, given the
reference execution's arrays, leaves the reference execution's values in all elements that are read outside it. Then by
induction so does every group of the whole design, which runs them in an order in which arrays are made before they are
read. The movement of data depends on no value, so cycles and memories are equal in both. The conditions of the
induction are checked in each run: a group finds in the external memory only what it reads, stores all that is needed
outside, and changes no array of others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrayol.errors import ArrayolError
from arrayol.execute.extern import Functions
from arrayol.execute.run import execute, with_tables
from arrayol.ir.network import Flow, Network, Process
from arrayol.ir.spec import Call, Component, CompoundTask, Elementary, Link, Port, RepetitiveTask, Spec
from arrayol.source import Span
from hwmodel.accesses import Accesses
from hwmodel.design import Design, GroupDesign
from hwmodel.frame_states import first_states, with_states_inside
from hwmodel.frame_steps import of_every_frame
from hwmodel.platform import Platform
from hwmodel.simulator.group import GroupRun, LocalMemories, run_group
from hwmodel.simulator.memories.memories import Memory, Setup, external_memory, of_other_frames, one_frame, set_up
from hwmodel.simulator.periods import PeriodRun, require_copies, run_period, uses_of
from hwmodel.simulator.schedule.patterns import touched_patterns
from hwmodel.simulator.schedule.plan import fault
from hwmodel.simulator.streams.group_run import StreamGroupRun, run_stream_group
from hwmodel.simulator.values import ValueCheck, Values
from hwmodel.streamed import StreamedGroup

Arrays = Mapping[str, NDArray[Any]]
AnyRun = GroupRun | StreamGroupRun
OTHER_RATES = {"too-few-frames", "frame-mismatch", "frame-rate", "no-frames"}  # why inputs show no other frames
Local = LocalMemories | StreamedGroup  # of a group in blocks, or of one that streams


@dataclass(frozen=True)
class Simulation:
    """A design's run: its groups' runs, its outputs by name, and whether they equal those of the reference execution.

    Without bodies (black boxes), or without what a task reads of other frames, only tokens move: `outputs` is empty and
    `identical` None. Groups that run at the same time have a `period`.
    """

    groups: tuple[AnyRun, ...]
    outputs: Arrays
    identical: bool | None
    period: PeriodRun | None = None

    @property
    def setup(self) -> Setup:
        """The resident arrays, as they were on the chip before the frame."""
        return self.groups[0].setup

    @property
    def cycles(self) -> int:
        """Cycles of the frame, from the first load of the first group to the last store of the last.

        In periods, to the end of that of the last group.
        """
        if self.period is not None:
            return len(self.groups) * self.period.cycles
        return sum(group.cycles for group in self.groups)


def simulate(
    spec: Spec,
    accesses: Accesses,
    platform: Platform,
    design: Design,
    local: Sequence[Local],
    inputs: Arrays | None,
    functions: Functions | None = None,
) -> Simulation:
    """Run a design, with the local memories of each group, on inputs by name (one frame or more).

    The outputs are those of one frame, or with frames inside of a stream those of all. Without `inputs`, or with black
    boxes, tokens move but nothing is computed. Raises SimulatorError if the design breaks a rule of the machine,
    ArrayolError if an input does not fit or the data have no result.
    """
    network = accesses.network
    if any(isinstance(own, StreamedGroup) and own.stream.frames == "inside" for own in local):
        return _over_frames(spec, accesses.of_frames("inside"), platform, (design, local), inputs, functions or {})
    runs = run_groups(accesses, platform, design, local)
    known = reference_of(spec, accesses, inputs, functions) if of_other_frames(accesses) else None
    if inputs is None or black_boxes(spec, network, functions or {}) or (known is not None and known.values is None):
        return Simulation(tuple(run for run, _ in runs), {}, None)
    reference = execute(spec, network.name, inputs, functions=functions)
    given = with_tables(spec, spec.components[network.name], inputs)
    values: Values = {name: one_frame(accesses, name, given[name]).reshape(-1) for name in network.inputs}
    values |= first_states(accesses)
    values |= known.of_other_frames if known is not None else {}
    evaluation = ValueCheck(spec, accesses, functions or {})
    for run, memory in runs:
        if isinstance(run, StreamGroupRun):
            run.evaluate(spec, accesses, functions or {}, values, memory)
        else:
            evaluation.run(run, values)
    memory = runs[-1][1]
    outputs = {name: values[name][memory[name]].reshape(accesses.shape(name)) for name in network.outputs}
    same = all(outputs[name].tobytes() == one_frame(accesses, name, reference[name]).tobytes() for name in outputs)
    return Simulation(tuple(run for run, _ in runs), outputs, same)


def _over_frames(
    spec: Spec,
    accesses: Accesses,
    platform: Platform,
    design: tuple[Design, Sequence[Local]],
    inputs: Arrays | None,
    functions: Functions,
) -> Simulation:
    """Run a design that is one stream with frames inside of it; its outputs are those of all frames of the inputs."""
    network = accesses.network
    ((run, _),) = run_groups(accesses, platform, *design)
    assert isinstance(run, StreamGroupRun), "frames lie inside of a stream"
    if inputs is None or black_boxes(spec, network, functions):
        return Simulation((run,), {}, None)
    reference = execute(spec, network.name, inputs, functions=functions)
    made = run.over_frames(spec, accesses, functions, with_tables(spec, spec.components[network.name], inputs))
    outputs = {name: made[name].reshape(reference[name].shape) for name in network.outputs}
    same = all(outputs[name].tobytes() == reference[name].tobytes() for name in outputs)
    return Simulation((run,), outputs, same)


def in_periods(accesses: Accesses, simulation: Simulation, cycles: int, copies: Mapping[str, int]) -> Simulation:
    """The simulation of groups that run at the same time, in periods of so many cycles, with copies of arrays outside.

    Each group takes the steps of its run by itself, and waits for the port in them. The values are those of its frame.
    Raises SimulatorError if a period is too short, or a copy is still in use.
    """
    require_copies(accesses, [run.tasks for run in simulation.groups], copies)
    period = run_period([uses_of(run.events) for run in simulation.groups], cycles)
    return replace(simulation, period=replace(period, copies=copies))


def run_groups(
    accesses: Accesses, platform: Platform, design: Design, local: Sequence[Local]
) -> list[tuple[AnyRun, Memory]]:
    """Run the groups after the setup, one after another over one external memory, which is returned with each run.

    Raises SimulatorError if a rule of the machine is broken, also if an output is not stored whole (`never-stored`).
    """
    network = accesses.network
    memory = external_memory(accesses, network.there_before)
    setup = set_up(accesses, platform, memory)
    runs: list[tuple[AnyRun, Memory]] = []
    made_counts = Counter({name: len(elements) for name, elements in of_other_frames(accesses).items()})
    for group, memories in zip(design.groups, local, strict=True):
        if isinstance(memories, StreamedGroup):
            streamed = run_stream_group(accesses, platform, memories, memory, setup, made_counts)
            made_counts.update({name: accesses.size(name) for name in streamed.first_token})
            runs.append((streamed, memory))
            continue
        run = run_group(accesses, platform, group, memories, memory, setup, made_counts)
        made_counts.update({name: len(moved.element) for name, moved in run.moves.arrays.items() if not moved.loaded})
        runs.append((run, memory))
    for name in network.outputs:
        if (memory[name] < 0).any():
            raise fault("never-stored", f"elements of the output '{name}' are never stored")
    return runs


def black_boxes(spec: Spec, network: Network, functions: Functions) -> tuple[str, ...]:
    """The elementaries that cannot be computed, without a body or a function; with one of them, only tokens move."""
    names = dict.fromkeys(process.elementary for process in network.processes.values())
    return tuple(name for name in names if not _computes(spec.components[name], functions))


def _computes(component: Component, functions: Functions) -> bool:
    """Whether a component has a body or a function."""
    return isinstance(component, Elementary) and (component.body is not None or (component.extern or "") in functions)


# What every array between the tasks of a network holds, by the reference execution.


@dataclass(frozen=True)
class ReferenceValues:
    """A specification's network, and the values of all its arrays for one frame, row-major.

    `values` is None if only tokens can move: without inputs, with black boxes, or if the inputs have fewer frames than
    tasks read at once.
    """

    spec: Spec
    accesses: Accesses
    values: Arrays | None

    @property
    def of_other_frames(self) -> Values:
        """The values that only other frames make, as their tokens number them."""
        found = of_other_frames(self.accesses) if self.values is not None else {}
        return {name: self.values[name][elements] for name, elements in found.items() if self.values is not None}

    def needed_outside(self, array: str, tasks: Collection[str]) -> NDArray[np.bool_]:
        """Mask of an array's elements that processes other than `tasks` read, in any frame; all of an output."""
        others = [process for process in self._reads if process not in tasks]
        read = of_every_frame(self.accesses, array, self.read_by(array, others))
        return read | self.accesses.network.arrays[array].is_output

    def read_by(self, array: str, tasks: Collection[str]) -> NDArray[np.bool_]:
        """Mask of an array's elements that these processes read."""
        read = np.zeros(self.accesses.size(array), np.bool_)
        for process in tasks:
            if array in self._reads[process]:
                read |= self._reads[process][array]
        return read

    @cached_property
    def evaluation(self) -> ValueCheck:
        """The evaluation of groups that are given these arrays."""
        return ValueCheck(self.spec, self.accesses, {})

    @cached_property
    def _reads(self) -> Mapping[str, Mapping[str, NDArray[np.bool_]]]:
        """Masks of the elements that each process reads, by process and array."""
        return {process: self._marked(process) for process in self.accesses.network.processes}

    def _marked(self, process: str) -> dict[str, NDArray[np.bool_]]:
        repetitions = self.accesses.repetitions(process)
        by_array: dict[str, NDArray[np.bool_]] = {}
        for touch in self.accesses.reads[process]:
            marks = by_array.setdefault(touch.array, np.zeros(self.accesses.size(touch.array), np.bool_))
            marks[touched_patterns(self.accesses, touch, repetitions)[1].distinct] = True
        return by_array


def reference_of(
    spec: Spec, accesses: Accesses, inputs: Arrays | None, functions: Functions | None = None
) -> ReferenceValues:
    """The values of the network's arrays for these inputs (one frame or more).

    Raises ArrayolError if they have no result.
    """
    network = accesses.network
    if inputs is None or black_boxes(spec, network, functions or {}):
        return ReferenceValues(spec, accesses, None)
    flat, name = _with_every_array(spec, network)
    given = with_tables(spec, spec.components[network.name], inputs)
    try:
        made = execute(flat, name, given, functions=functions)
    except ArrayolError as refused:
        if of_other_frames(accesses) and all(one.code in OTHER_RATES for one in refused.diagnostics):
            return ReferenceValues(spec, accesses, None)
        raise
    if of_other_frames(accesses) and any(made[array].size < accesses.size(array) for array in made):
        return ReferenceValues(spec, accesses, None)
    arrays = {**given, **made, **execute(spec, network.name, inputs, functions=functions)}
    values = {
        name: one_frame(accesses, name, own).reshape(-1) for name, own in arrays.items() if name in network.arrays
    }
    return ReferenceValues(spec, accesses, values | first_states(accesses))


def _with_every_array(spec: Spec, network: Network) -> tuple[Spec, str]:
    """The network as a specification whose top task outputs every array that a process makes, and that task's name."""
    network, span = with_states_inside(network), spec.components[network.name].span
    ports = {name: Port(name, array.type, array.shape, span) for name, array in network.arrays.items()}
    tasks = {name: _task(process, ports, span) for name, process in network.processes.items()}
    calls = tuple(
        Call(tuple(port.name for port in task.outputs), task.name, tuple(port.name for port in task.inputs), span)
        for task in tasks.values()
    )
    inputs = tuple(ports[name] for name in network.inputs)
    outputs = tuple(ports[name] for name, array in network.arrays.items() if array.producers)
    top = CompoundTask(f"every array of {network.name}", inputs, outputs, calls, ports, span)
    components: dict[str, Component] = {**spec.elementaries, top.name: top}
    return Spec(spec.name, {}, components | {task.name: task for task in tasks.values()}), top.name


def _task(process: Process, ports: Mapping[str, Port], span: Span) -> RepetitiveTask:
    """A process as a task whose ports have the names of the network's arrays."""

    def links(flows: Iterable[Flow]) -> tuple[Link, ...]:
        return tuple(Link(flow.port.name, flow.array, flow.tiler, span, flow.exit) for flow in flows)

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


# One group by itself, fed with what the specification says that others make.


@dataclass(frozen=True)
class SingleRun:
    """The run of a single group, and whether it leaves the reference execution's values for others (None: tokens)."""

    run: AnyRun
    identical: bool | None


def simulate_group(reference: ReferenceValues, platform: Platform, group: GroupDesign, local: Local) -> SingleRun:
    """Run a single group with its local memories, given the reference execution's arrays.

    Raises SimulatorError if it breaks a rule of the machine, also if an element that is needed outside is not stored
    (`never-stored`) or an array of others is changed (`overwrite`); ArrayolError if the data have no result.
    """
    accesses = reference.accesses
    made_arrays = {array for task in group.tasks for array in accesses.network.processes[task].writes}
    memory = _external_memory(reference, group, made_arrays)
    before = {name: tokens.copy() for name, tokens in memory.items() if name not in made_arrays}
    setup = set_up(accesses, platform, memory)
    run: AnyRun
    others = {name: len(elements) for name, elements in of_other_frames(accesses).items() if name in made_arrays}
    if isinstance(local, StreamedGroup):
        run = run_stream_group(accesses, platform, local, memory, setup, others)
    else:
        run = run_group(accesses, platform, group, local, memory, setup, others)
    _require_unchanged(before, memory)
    needed = {
        name: reference.needed_outside(name, group.tasks) & _written_by_group(accesses, name, group)
        for name in sorted(made_arrays)
    }
    _require_stored(needed, memory)
    if reference.values is None:
        return SingleRun(run, None)
    values: Values = {name: reference.values[name] for name in before}
    values |= {name: own for name, own in reference.of_other_frames.items() if name in made_arrays}
    if isinstance(run, StreamGroupRun):
        run.evaluate(reference.spec, accesses, {}, values, memory)
    else:
        reference.evaluation.run(run, values)
    same = all(
        values[name][memory[name][elements]].tobytes() == reference.values[name][elements].tobytes()
        for name, elements in needed.items()
    )
    return SingleRun(run, same)


def _written_by_group(accesses: Accesses, array: str, group: GroupDesign) -> NDArray[np.bool_]:
    """Mask of an array's elements that the group makes: its own part if others write the array too."""
    is_made = np.zeros(accesses.size(array), np.bool_)
    if set(accesses.network.arrays[array].producers) <= set(group.tasks):
        return ~is_made
    for touch in (touch for task in group.tasks for touch in accesses.writes[task] if touch.array == array):
        is_made[accesses.touched(touch, accesses.repetitions(touch.process))[1]] = True
    return is_made


def _external_memory(reference: ReferenceValues, group: GroupDesign, made: set[str]) -> Memory:
    """The external memory before a group: the inputs, and only what its tasks read of arrays that other groups make."""
    network = reference.accesses.network
    memory = external_memory(reference.accesses, network.arrays.keys() - made)
    for name in memory.keys() - made - set(network.there_before):
        memory[name][~reference.read_by(name, group.tasks)] = -1
    return memory


def _require_unchanged(before: Memory, memory: Memory) -> None:
    """Raises SimulatorError (`overwrite`) if an array that the group does not make has changed."""
    for name, tokens in before.items():
        if not np.array_equal(memory[name], tokens):
            raise fault("overwrite", f"the group stores elements of '{name}', which it does not make")


def _require_stored(needed: Mapping[str, NDArray[np.bool_]], memory: Memory) -> None:
    """Raises SimulatorError (`never-stored`) if an element that is needed outside is missing."""
    for name, elements in needed.items():
        if (memory[name][elements] < 0).any():
            raise fault("never-stored", f"elements of '{name}' that are needed outside the group are never stored")
