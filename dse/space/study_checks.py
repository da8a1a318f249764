"""Studies beside network and platform: what names of copies mean, what does not fit, what Verilog is emitted for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from arrayol.errors import ArrayolError, Diagnostic
from arrayol.ir.network import Network
from arrayol.ir.spec import Spec
from arrayol.language.parameters.copies import component_name, copies_of
from arrayol.language.syntax.diagnose import did_you_mean
from arrayol.text import listed
from dse.space.fusions import can_run
from dse.space.mappings import MappingSpace, keep_of
from dse.space.rates import check_intervals
from dse.space.study import STREAM_STYLE, ArrayStudy, Study, parse_scan
from dse.space.task_graph import Mask, TaskGraph
from hwmodel.accesses import Accesses
from hwmodel.cost_model.group.group import frames_back
from hwmodel.emit.verilog.coverage import Coverage
from hwmodel.frame_states import STATE_LOADS, states_over_frames
from hwmodel.platform import Platform
from hwmodel.residence import unfit_load
from hwmodel.streamed import Frames, Interface

AXIS: Interface = "axis"
INSIDE: Frames = "inside"


def check_space(space: MappingSpace) -> None:
    """Raises ArrayolError with every name, shape and interval of a study that does not fit network and platform."""
    check_study(space.study, space.graph, space.accesses)
    check_intervals(space.study, space.model.platform, space.model.network)
    check_buffers(space.study, space.model.platform)


def emitted_only(study: Study, coverage: Coverage) -> Study:
    """The study without a memory port where only AXI4-Streams are emitted, and bank layouts where they are.

    Streams that are not emitted are left out where they are priced. Raises ArrayolError: `not-emitted` and
    `not-in-hardware` where nothing of the specification is emitted on the platform, and where the study asks for groups
    at the same time, or for layouts alone, and none of them is emitted.
    """
    axi_streams, frames_inside = AXIS in study.interfaces, INSIDE in study.frames
    allowed = {"axi_streams": axi_streams and study.has_streams, "frames_inside": frames_inside and study.has_streams}
    if (refusal := coverage.why_nothing(**allowed)) is not None:
        raise refusal
    if study.together and coverage.why_no_periods is not None:
        raise coverage.why_no_periods
    changed: dict[str, Any] = {}
    if coverage.why_no_layouts is not None:
        if "none" not in study.layouts:
            raise coverage.why_no_layouts
        changed["layouts"] = ("none",)
    if coverage.why_no_port is not None:
        changed |= {"styles": (STREAM_STYLE,), "interfaces": (AXIS,)}
    if coverage.why_not_over_frames is not None:
        changed |= {"styles": (STREAM_STYLE,), "frames": (INSIDE,)}
    return study.model_copy(update=changed)


STATES_TRIED = 3  # with a choice of their own in a study that says nothing: each makes twice as many networks


def with_choices_of_states(study: Study, network: Network) -> Study:
    """The study in which states of delays over frames, if they are few, may lie inside and outside.

    It keeps what it says of them, and leaves them inside where designs shall have nothing but AXI4-Streams.
    """
    free = [name for name in states_over_frames(network) if name not in study.array]
    if len(free) > STATES_TRIED or study.interfaces == (AXIS,) or study.frames == (INSIDE,):
        return study
    array = {**study.array, **{name: ArrayStudy(load=STATE_LOADS) for name in free}}
    return study.model_copy(update={"array": array}) if free else study


def check_buffers(study: Study, platform: Platform) -> None:
    """Raises ArrayolError if a study has single buffers that the platform's memory does not fill."""
    if not platform.has_rows:
        return
    single = (name for name, kinds in study.buffers.items() if "single" in kinds)
    misfits = [
        _unfit(
            study,
            f"'array.{name}' cannot have a single buffer: the memory has rows, and bursts in another order",
            'take buffers = ["double"], or a platform without [memory.rows]',
            "array",
            name,
            "buffers",
        )
        for name in single
    ]
    if misfits:
        raise ArrayolError(misfits)


def check_study(study: Study, graph: TaskGraph, accesses: Accesses) -> None:
    """Raises ArrayolError with every name and shape of a study that does not fit the network."""
    misfits = [
        *_unfit_fusions(study, graph),
        *_unfit_shapes(study, graph, accesses),
        *_unfit_orders(study, graph, accesses),
        *_unfit_outer_blocks(study, graph, accesses),
        *_unfit_loads(study, accesses.network),
        *_unfit_keeps(study, accesses),
        *_unfit_sharing(study, accesses.network),
        *_unfit_together(study, accesses),
    ]
    if misfits:
        raise ArrayolError(misfits)


def _unfit_fusions(study: Study, graph: TaskGraph) -> Iterator[Diagnostic]:
    if study.fusions == "all":
        return
    number = {name: place for place, name in enumerate(graph.names)}
    for fusion in study.fusions:
        named = [task for group in fusion for task in group]
        strangers = [task for task in named if task not in number]
        if strangers:
            yield _unknown_task(study, graph, strangers[0], "fusions")
            continue
        shown = " | ".join(" ".join(group) for group in fusion)
        if sorted(named) != sorted(graph.names):
            missing = [name for name in graph.names if name not in named]
            what = f"leaves out '{missing[0]}'" if missing else "names a task twice"
            yield _unfit(
                study, f"the fusion [{shown}] {what}", "each task of the spec stands in exactly one group", "fusions"
            )
            continue
        yield from _illegal_groups(study, graph, [sum(1 << number[task] for task in group) for group in fusion], shown)


def _illegal_groups(study: Study, graph: TaskGraph, groups: list[Mask], shown: str) -> Iterator[Diagnostic]:
    done = 0
    for group in groups:
        first = group & -group
        if graph.component(first, group) != group:
            hint = "the tasks of a group are linked by arrays between them"
            yield _unfit(study, f"the fusion [{shown}] has a group whose tasks are not linked", hint, "fusions")
            return
        if not can_run(graph, group, done):
            hint = "list the groups in an order in which they can run; none may need another that needs it"
            yield _unfit(study, f"the fusion [{shown}] has a group that reads what a later one writes", hint, "fusions")
            return
        done |= group


def _unfit_shapes(study: Study, graph: TaskGraph, accesses: Accesses) -> Iterator[Diagnostic]:
    tables = {"blocks": study.blocks, "cuts": study.cuts}
    for key, table in tables.items():
        if not isinstance(table, Mapping):
            continue
        for task, shapes in table.items():
            if task not in graph.names:
                yield _unknown_task(study, graph, task, key)
                continue
            rank = len(accesses.extents(task))
            for shape in shapes:
                if len(shape) != rank:
                    message = f"'{key}.{task}' has the shape {list(shape)}; '{task}' repeats in {rank} dimensions"
                    yield _unfit(study, message, "give one side for each dimension of its repetition", key, task)


def _unfit_outer_blocks(study: Study, graph: TaskGraph, accesses: Accesses) -> Iterator[Diagnostic]:
    for task, by_scan in study.listed_outer_blocks.items():
        if task not in graph.names:
            yield _unknown_task(study, graph, task, "outer_blocks")
            continue
        rank = len(accesses.extents(task))
        for text, shapes in by_scan.items():
            scan = parse_scan(text)
            wrong = next((shape for shape in shapes if not len(shape) == rank == scan.rank), None)
            if wrong is not None:
                message = (
                    f"'outer_blocks.{task}' has the scan \"{text}\" and the shape {list(wrong)}; '{task}' repeats "
                )
                hint = "name each dimension of its repetition once or twice, and give one side for each"
                yield _unfit(study, f"{message}in {rank} dimensions", hint, "outer_blocks", task)
            elif study.orders != "legal" and scan.innermost not in study.orders:
                message = (
                    f"'outer_blocks.{task}' walks inner blocks in the order \"{scan.innermost}\", which is none of"
                )
                yield _unfit(study, f"{message} 'orders'", "list it there too", "outer_blocks", task)


def _unfit_orders(study: Study, graph: TaskGraph, accesses: Accesses) -> Iterator[Diagnostic]:
    if study.orders == "legal":
        return
    ranks = {len(accesses.extents(task)) for task in graph.names}
    for scan in study.orders:
        if len(scan.dimensions) not in ranks:
            shown = ", ".join(map(str, sorted(ranks)))
            message = f'the order "{scan}" has {len(scan.dimensions)} dimensions; the tasks repeat in {shown}'
            yield _unfit(study, message, "name every dimension of a task's repetition once", "orders")


def _unfit_loads(study: Study, network: Network) -> Iterator[Diagnostic]:
    outside = (name for name, array in network.arrays.items() if array.earlier is not None)
    states = (*states_over_frames(network), *outside)
    for name, choice in study.array.items():
        if name in states:
            for load in set(choice.load) - set(STATE_LOADS):
                message = f"'array.{name}' cannot have load = \"{load}\": it is the state of a delay over frames"
                yield _unfit(study, message, f"take one of {listed(STATE_LOADS, 'or')}", "array", name, "load")
            continue
        if name not in network.arrays:
            kinds = "inputs, const arrays and states" if states else "inputs and const arrays"
            known = (*network.inputs, *states)
            hint = did_you_mean(name, known) or f"its {kinds} are {', '.join(known)}"
            yield _unfit(study, f"'array' names '{name}', which is no array here", hint, "array", name)
            continue
        for load in choice.load:
            if unfit := unfit_load(network, name, load):
                why, hint = unfit
                message = f"'array.{name}' cannot have load = \"{load}\": {why}"
                yield _unfit(study, message, hint, "array", name, "load")


def _unfit_keeps(study: Study, accesses: Accesses) -> Iterator[Diagnostic]:
    loops = max((len(accesses.extents(task)) for task in accesses.network.processes), default=0)
    scans = [parse_scan(text) for by_scan in study.listed_outer_blocks.values() for text in by_scan]
    loops = max([loops, *(len(scan.dimensions) for scan in scans)])
    for name, texts in study.keeps.items():
        for text in texts if name in accesses.network.arrays else ():
            if not any(keep_of(text, at) for at in range(loops + 1)):
                message = f"'array.{name}' cannot have keep = [\"{text}\"]: no scan has so many loops"
                yield _unfit(study, message, f"a scan here has {loops} loops at most", "array", name, "keep")


def _unfit_sharing(study: Study, network: Network) -> Iterator[Diagnostic]:
    """A state that passes from frame to frame lies in its memory while other groups work."""
    for task, process in network.processes.items() if study.reuse_memory else ():
        for delay in process.delays:
            if frames_back(process.repetition, delay):
                message = (
                    f"'{task}' keeps '{delay.output}' from frame to frame, in memory that no other group can share"
                )
                yield _unfit(study, message, "leave out --reuse-memory, or 'reuse_memory'", "reuse_memory")
                break


def _unfit_together(study: Study, accesses: Accesses) -> Iterator[Diagnostic]:
    """Groups at the same time have memories of their own, and pass each other single frames."""
    if not study.together:
        return
    if study.reuse_memory:
        message = "groups that run at the same time cannot share their local memory"
        yield _unfit(study, message, "leave out 'together', or --reuse-memory and 'reuse_memory'", "together")
    for name, kinds in study.buffers.items():
        if "single" in kinds:
            message = (
                f"'array.{name}' cannot have a single buffer in groups that run at the same time: it holds the port"
            )
            yield _unfit(
                study, message, "take buffers = [\"double\"], or leave out 'together'", "array", name, "buffers"
            )
    for name, array in accesses.network.arrays.items():
        if array.producers and None in array.shape and accesses.shape(name)[array.shape.index(None)] > 1:
            message = f"several frames of '{name}' are read at once, and groups at the same time pass single frames"
            yield _unfit(study, message, "leave out 'together'", "together")


def _unknown_task(study: Study, graph: TaskGraph, task: str, key: str) -> Diagnostic:
    hint = did_you_mean(task, graph.names) or f"the tasks are {', '.join(graph.names)}"
    return _unfit(study, f"'{key}' names '{task}', which is no task here", hint, key, task)


def _unfit(study: Study, message: str, hint: str, *path: str) -> Diagnostic:
    return Diagnostic("study-misfit", message, study.place(*path), hint)


def for_copies(study: Study, spec: Spec, network: Network) -> Study:
    """The study with the processes of a network in the place of what names copies; other names stay as they are.

    What names a copy wins over what names its definition.
    """
    if not spec.copies:
        return study
    named = _Named(spec, network)
    settings = {name: getattr(study, name) for name in study.model_fields_set}
    for key in ("blocks", "outer_blocks", "cuts", "intervals"):
        if isinstance(table := getattr(study, key), Mapping):
            settings[key] = named.table(table)
    if study.fusions != "all":
        settings["fusions"] = tuple(
            tuple(tuple(process for task in group for process in named.processes(task)) for group in fusion)
            for fusion in study.fusions
        )
    return study.model_copy(update=settings)


class _Named:
    def __init__(self, spec: Spec, network: Network) -> None:
        self.spec = spec
        self.network = network

    def table(self, table: Mapping[str, Any]) -> dict[str, Any]:
        """A table by tasks as one by processes."""
        filled: dict[str, Any] = {}
        of_definitions = [key for key in table if key not in self.network.processes and not self._is_copy(key)]
        for key in (*(key for key in table if key not in of_definitions), *of_definitions):
            for process in self.processes(key):
                if process == key or process not in {*table, *filled}:
                    filled[process] = table[key]
        return filled

    def processes(self, name: str) -> tuple[str, ...]:
        """The processes that a name means; the name itself where there is none."""
        return (name,) if name in self.network.processes else tuple(self._meant(name)) or (name,)

    def _is_copy(self, name: str) -> bool:
        return component_name(self.spec, name.partition("@")[0]) is not None

    def _meant(self, name: str) -> Iterator[str]:
        task, _, result = name.partition("@")
        component = component_name(self.spec, task)
        tasks = copies_of(self.spec, task) if component is None else (component,)
        for process in self.network.processes.values():
            if process.task in tasks and (not result or process.name.partition("@")[2] == result):
                yield process.name
