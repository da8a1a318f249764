"""Hypothesis strategies for explorations, and for one thing of network, platform or study that changes between two."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import permutations

from hypothesis import assume
from hypothesis import strategies as st
from strategies_machine import platforms
from strategies_networks import TYPES, networks

from arrayol.errors import ArrayolError
from arrayol.ir.network import Flow, Network, NetworkArray, Process
from arrayol.ir.spec import Delay, Port, TiledDefault
from dse.search.context import SearchContext
from dse.search.exact.exact import exact_seconds
from dse.search.figures import Columns, columns_of
from dse.space.mappings import MappingSpace
from dse.space.study import Study, parse_constraint
from hwmodel.cost_model.model import MachineModel
from hwmodel.platform import Platform

MOST_SECONDS = 0.6  # of predicted work of an exact search: most networks take less, a few a hundred times as much
OBJECTIVES = (
    ("latency_cycles",),
    ("latency_cycles", "internal_memory_elements"),
    ("internal_memory_bits", "latency_cycles", "units"),
    ("frame_cycles", "internal_memory_elements", "dsp"),
    ("latency_microseconds", "memory_blocks", "traffic_bytes"),
)
LIMITS = ((), (), ("units <= 5",), ("lut <= 20", "latency_cycles <= 400"), ("latency_cycles <= 90",))
SCANS = {0: ("",), 1: ("0", "-0"), 2: ("0,1", "1,0", "-0,-1"), 3: ("0,1,2", "-0,1,2")}
WAYS: Mapping[str, tuple[object, ...]] = {  # what a study may say, but for names and shapes
    "units": ((1,), (1, 2), (2,)),
    "cuts": (("none",), ("lines",), ("none", "lines")),
    "links": (("buffer",), ("fifo",), ("buffer", "fifo")),
    "layouts": (("none",), ("linear",), ("none", "linear")),
    "policies": (("reuse",), ("tile",), ("reuse", "strip"), ("strip", "reuse")),
    "recompute": ((False,), (True,), (False, True)),
    "reuse_memory": (False, True),
    "longest_group": (None, 1, 2),
    "epsilon": (0.0, 0.3),
}


@dataclass(frozen=True)
class Wanted:
    """All that an exploration depends on."""

    network: Network
    platform: Platform
    study: Study
    objectives: tuple[str, ...]
    limits: tuple[str, ...]

    def context(self) -> SearchContext:
        """The space and its columns. Raises ArrayolError where they do not fit."""
        return SearchContext(MappingSpace(MachineModel(self.network, self.platform), self.study), self.columns())

    def columns(self) -> Columns:
        """The columns that designs are compared by."""
        limits = tuple(map(parse_constraint, self.limits))
        model = MachineModel(self.network, self.platform)
        return columns_of(self.objectives, limits, model, reuse_memory=self.study.reuse_memory)

    def is_quick(self) -> bool:
        """Whether an exact search is predicted to be over soon, or is refused."""
        try:
            context = self.context()
        except ArrayolError:
            return True
        return exact_seconds(context.space, context.columns, MOST_SECONDS) <= MOST_SECONDS


@st.composite
def wanteds(draw: st.DrawFn, *, most: int = 3) -> Wanted:
    """A few designs of a small network that are soon searched, at times with all that can be opened."""
    network = draw(networks(most=most))
    given = {name: draw(st.sampled_from((*ways[:1] * 3, *ways))) for name, ways in WAYS.items()}
    wanted = Wanted(
        network,
        draw(platforms()),
        Study(blocks=draw(_blocks(network)), orders=_orders(network), **given),  # type: ignore[arg-type]
        draw(st.sampled_from(OBJECTIVES)),
        draw(st.sampled_from(LIMITS)),
    )
    assume(wanted.is_quick())
    return wanted


@st.composite
def changed(draw: st.DrawFn, wanted: Wanted) -> tuple[str, Wanted]:
    """The same but for one thing, and what that is; at times nothing comes of the change."""
    kind = draw(
        st.sampled_from(["network"] * 8 + ["another network", "platform", "platform", "study", "study", "wish"])
    )
    if kind == "network":
        name, change = draw(st.sampled_from(_CHANGES))
        network = draw(change(wanted.network))
        return name, _fitted(replace(wanted, network=network))
    if kind == "another network":
        return kind, _fitted(replace(wanted, network=draw(networks(most=3))))
    if kind == "platform":
        other = draw(platforms())
        part = draw(st.sampled_from(["memory", "local", "elementary"]))
        return part, replace(wanted, platform=wanted.platform.model_copy(update={part: getattr(other, part)}))
    if kind == "study":
        part = draw(st.sampled_from(["blocks", *WAYS]))
        found = draw(_blocks(wanted.network)) if part == "blocks" else draw(st.sampled_from(WAYS[part]))
        return part, replace(wanted, study=_with(wanted.study, {part: found}))
    part = draw(st.sampled_from(["objectives", "limits"]))
    choices = st.sampled_from(OBJECTIVES if part == "objectives" else LIMITS)
    return part, replace(wanted, **{part: draw(choices)})


def _with(study: Study, update: Mapping[str, object]) -> Study:
    given = {name: getattr(study, name) for name in study.model_fields_set}
    return Study.model_validate({**given, **update})


def _fitted(wanted: Wanted) -> Wanted:
    """With a study that names tasks and ranks of the network alone."""
    processes = wanted.network.processes
    kept = {
        name: shapes
        for name, shapes in wanted.study.blocks.items()
        if name in processes and all(len(shape) == len(processes[name].repetition) for shape in shapes)
    }
    kept |= {name: ((1,) * len(one.repetition),) for name, one in processes.items() if name not in kept}
    return replace(wanted, study=_with(wanted.study, {"blocks": kept, "orders": _orders(wanted.network)}))


def _orders(network: Network) -> tuple[str, ...]:
    ranks = {len(process.repetition) for process in network.processes.values()}
    return tuple(text for rank in sorted(ranks) for text in SCANS[rank])


@st.composite
def _blocks(draw: st.DrawFn, network: Network) -> dict[str, tuple[tuple[int, ...], ...]]:
    found = {}
    for name, process in network.processes.items():
        shape = st.tuples(*(st.integers(1, extent or 1) for extent in process.repetition))
        found[name] = tuple(draw(st.lists(shape, min_size=1, max_size=2, unique=True)))
    return found


Change = Callable[[Network], st.SearchStrategy[Network]]


def _one_process(change: Callable[[st.DrawFn, Process], Process]) -> Change:
    """A change of one process, any."""

    @st.composite
    def changes(draw: st.DrawFn, network: Network) -> Network:
        name = draw(st.sampled_from(list(network.processes)))
        return replace(network, processes={**network.processes, name: change(draw, network.processes[name])})

    return changes


@_one_process
def _elementary(draw: st.DrawFn, process: Process) -> Process:
    del draw
    return replace(process, elementary="f" if process.elementary == "e" else "e")


@_one_process
def _origin(draw: st.DrawFn, process: Process) -> Process:
    """A window that begins elsewhere, along an axis that wraps."""
    flow = draw(st.sampled_from(process.inputs))
    origin = list(flow.tiler.origin)
    if origin and not any(extent is None for extent in process.repetition):
        origin[draw(st.integers(0, len(origin) - 1))] += draw(st.sampled_from([-1, 1, 2]))
    return _with_input(process, flow, replace(flow, tiler=replace(flow.tiler, origin=tuple(origin))))


@_one_process
def _fitting(draw: st.DrawFn, process: Process) -> Process:
    """A pattern turned round, or each element of it one and the same."""
    flow = draw(st.sampled_from(process.inputs))
    factor = draw(st.sampled_from([-1, 0, 2]))
    if any(extent is None for extent in process.repetition):
        factor = 1
    fitting = tuple(tuple(factor * entry for entry in row) for row in flow.tiler.fitting)
    return _with_input(process, flow, replace(flow, tiler=replace(flow.tiler, fitting=fitting)))


@_one_process
def _delay(draw: st.DrawFn, process: Process) -> Process:
    """A delay fewer, one turned round, or another constant at its border."""
    if not process.delays:
        return process
    place = draw(st.integers(0, len(process.delays) - 1))
    delay = process.delays[place]
    left = (*process.delays[:place], *process.delays[place + 1 :])
    constant = replace(delay, default=7)
    found: tuple[Delay, ...] = draw(st.sampled_from([left, (*left, constant), (*left, delay)]))
    return replace(process, delays=found)


def _with_input(process: Process, former: Flow, flow: Flow) -> Process:
    return replace(process, inputs=tuple(flow if one is former else one for one in process.inputs))


@st.composite
def _type(draw: st.DrawFn, network: Network) -> Network:
    """An array of other elements, in every port that it comes to."""
    name, kind = draw(st.sampled_from(list(network.arrays))), draw(st.sampled_from(TYPES))

    def flows(given: tuple[Flow, ...]) -> tuple[Flow, ...]:
        return tuple(replace(one, port=replace(one.port, type=kind)) if one.array == name else one for one in given)

    def ports(given: tuple[Port, ...], linked: tuple[Flow, ...]) -> tuple[Port, ...]:
        new = {flow.port.name: flow.port for flow in linked}
        return tuple(new.get(port.name, port) for port in given)

    processes = {}
    for key, one in network.processes.items():
        inputs, outputs = flows(one.inputs), flows(one.outputs)
        processes[key] = replace(
            one,
            inputs=inputs,
            outputs=outputs,
            input_ports=ports(one.input_ports, inputs),
            output_ports=ports(one.output_ports, outputs),
        )
    return replace(network, processes=processes, arrays=_arrays(network, name, type=kind))


@st.composite
def _output(draw: st.DrawFn, network: Network) -> Network:
    """An array that was read inside alone leaves the network too, or no longer."""
    made = [array for array in network.arrays.values() if array.producers and array.readers]
    if not made:
        return network
    array = draw(st.sampled_from(made))
    arrays = _arrays(network, array.name, is_output=not array.is_output)
    return replace(network, arrays=arrays, outputs=tuple(name for name, one in arrays.items() if one.is_output))


def _arrays(network: Network, name: str, **update: object) -> dict[str, NetworkArray]:
    return {**network.arrays, name: replace(network.arrays[name], **update)}  # type: ignore[arg-type]


@st.composite
def _order_of_arrays(draw: st.DrawFn, network: Network) -> Network:
    names = draw(st.permutations(list(network.arrays)))
    return replace(network, arrays={name: network.arrays[name] for name in names})


@st.composite
def _order_of_tasks(draw: st.DrawFn, network: Network) -> Network:
    """Another order in which the tasks can run."""
    orders = [names for names in permutations(network.processes) if _can_run(network, names)]
    names = draw(st.sampled_from(orders))
    return _read_by(replace(network, processes={name: network.processes[name] for name in names}))


def _can_run(network: Network, names: tuple[str, ...]) -> bool:
    done: set[str] = set()
    for name in names:
        needed = {maker for array in network.processes[name].reads for maker in network.arrays[array].producers}
        if not needed <= done:
            return False
        done.add(name)
    return True


@st.composite
def _without_a_task(draw: st.DrawFn, network: Network) -> Network:
    """Without one whose results nobody reads; so an array has a reader less."""
    if len(network.processes) == 1:
        return network
    ends = [
        name
        for name, process in network.processes.items()
        if not any(network.arrays[array].readers for array in process.writes)
    ]
    gone = draw(st.sampled_from(ends))
    processes = {name: process for name, process in network.processes.items() if name != gone}
    left = {
        name: replace(array, producers=tuple(task for task in array.producers if task != gone))
        for name, array in network.arrays.items()
    }
    arrays = {name: left[name] for name, array in network.arrays.items() if left[name].producers or not array.producers}
    return _read_by(replace(network, processes=processes, arrays=arrays))


def _read_by(network: Network) -> Network:
    """With the writers and readers of its arrays, and what nobody reads as outputs."""
    arrays = {}
    for name, array in network.arrays.items():
        readers = tuple(process.name for process in network.processes.values() if name in process.reads)
        producers = tuple(process.name for process in network.processes.values() if name in process.writes)
        is_output = array.is_output or bool(producers and not readers)
        arrays[name] = replace(array, producers=producers, readers=readers, is_output=is_output)
    return replace(network, arrays=arrays, outputs=tuple(name for name, one in arrays.items() if one.is_output))


@st.composite
def _names(draw: st.DrawFn, network: Network) -> Network:
    """Two tasks, or two arrays that are made here, change names."""
    tasks = list(network.processes)
    made = [name for name, array in network.arrays.items() if array.producers]
    names = draw(st.sampled_from([tasks, made]))
    one, other = draw(st.sampled_from(names)), draw(st.sampled_from([*names, "another"]))
    return _renamed(network, {one: other, other: one})


def _renamed(network: Network, new: Mapping[str, str]) -> Network:
    def name(given: str) -> str:
        return new.get(given, given)

    def flow(given: Flow) -> Flow:
        return replace(given, array=name(given.array))

    def delay(given: Delay) -> Delay:
        if not isinstance(given.default, TiledDefault):
            return given
        return replace(given, default=replace(given.default, array=name(given.default.array)))

    processes = {
        name(key): replace(
            one,
            name=name(one.name),
            task=name(one.task),
            inputs=tuple(map(flow, one.inputs)),
            outputs=tuple(map(flow, one.outputs)),
            delays=tuple(map(delay, one.delays)),
        )
        for key, one in network.processes.items()
    }
    arrays = {
        name(key): replace(
            one,
            name=name(one.name),
            producers=tuple(map(name, one.producers)),
            readers=tuple(map(name, one.readers)),
        )
        for key, one in network.arrays.items()
    }
    return replace(network, processes=processes, arrays=arrays, outputs=tuple(map(name, network.outputs)))


_CHANGES: tuple[tuple[str, Change], ...] = (
    ("elementary", _elementary),
    ("origin", _origin),
    ("fitting", _fitting),
    ("delay", _delay),
    ("type", _type),
    ("output", _output),
    ("order of arrays", _order_of_arrays),
    ("order of tasks", _order_of_tasks),
    ("a task less", _without_a_task),
    ("names", _names),
)
