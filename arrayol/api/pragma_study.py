"""What `#pragma HLS` asks for as a study: the designs that the pragmas describe, to be compared with the front."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod

from arrayol.c_import.import_c import Imported
from arrayol.c_import.pragmas import Request
from arrayol.checks.top import choose_top
from arrayol.errors import ArrayolError, error
from arrayol.ir.network import Network
from arrayol.text import counted, listed
from arrayol.transforms.steps import canonical_form
from dse.space.mappings import MappingSpace
from dse.space.study import Study
from dse.space.study_checks import check_space
from hwmodel.cost_model.model import MachineModel
from hwmodel.platform import Platform, platform_of


@dataclass(frozen=True)
class _Answer:
    """What becomes of a pragma: a key of a study with its values by task, or "" for all tasks; or why nothing does."""

    request: Request
    text: str
    key: str = ""
    values: Mapping[str, int] | None = None

    @property
    def comment(self) -> str:
        return f"# Line {self.request.span.place[1]}, #pragma {self.request.text}: {self.text}"


def study_of_pragmas(imported: Imported, platform: Platform | None = None) -> str:
    """A study, as text of TOML, with what the pragmas HLS of an imported function ask for.

    `pipeline` gives tasks an initiation interval, the largest that the platform offers within `II`; `unroll` of a loop
    that is a dimension gives numbers of units; `dataflow` puts all tasks into one group, where that is legal. Comments
    name what has no counterpart. Without a `platform` it is that beside the specification, or else the shipped default.

    Raises ArrayolError: `no-study` where no pragma has a counterpart, `not-canonical` where nothing is explored.

    >>> api.study_of_pragmas(api.import_c("gain.c")).splitlines()[-1]
    'intervals = { "gain_0" = [1] }'
    """
    network = canonical_form(imported.spec, choose_top(imported.spec, None)).network
    taken = platform_of(imported.spec, platform)[0]
    answers = [_answer(one, imported, network, taken) for one in imported.requests]
    if not any(one.key for one in answers):
        hint = "leave --study out; 'pipeline' and 'unroll' of loops that become dimensions have one, and 'dataflow'"
        raise error("no-study", "no pragma HLS of this function has a counterpart in a study", hint=hint)
    return "\n".join(_lines(answers, network)) + "\n"


def _answer(request: Request, imported: Imported, network: Network, platform: Platform) -> _Answer:
    if request.kind == "dataflow":
        return _grouped(request, network, platform)
    if request.kind not in {"pipeline", "unroll"}:
        return _Answer(request, request.remark.partition(": ")[2])
    places = {  # of the loop among the dimensions of each task
        name: place
        for name, stage in imported.tasks.items()
        for place, axis in enumerate(stage.axes)
        if request.loop is not None and axis.loop.span.place == request.loop.place and name in network.processes
    }
    if not places:
        return _Answer(request, "its loop is no dimension of a task; what stays in a body is unrolled in any case")
    if request.kind == "unroll":
        extents = [network.processes[name].repetition[place] or 1 for name, place in places.items()]
        units = request.number("factor") or max(extents)
        return _Answer(request, f"{counted(units, 'unit')} of each task", "units", {"": units})
    return _pipelined(request, places, network, platform)


def _pipelined(request: Request, places: Mapping[str, int], network: Network, platform: Platform) -> _Answer:
    wanted = request.number("ii") or 1
    inner = [network.processes[name].repetition[place + 1 :] for name, place in places.items()]
    if any(prod(extent or 1 for extent in extents) > 1 for extents in inner):
        return _Answer(request, "dimensions lie within its loop; say at the innermost one how often it starts")
    offered = {name: platform.intervals(network.processes[name]) for name in places}
    intervals = {name: max((one for one in each if one <= wanted), default=each[0]) for name, each in offered.items()}
    texts = [f"'{name}' at an interval of {counted(interval, 'cycle')}" for name, interval in intervals.items()]
    nearest = "" if set(intervals.values()) == {wanted} else f", the nearest to {wanted} that is offered"
    return _Answer(request, listed(texts) + nearest, "intervals", intervals)


def _grouped(request: Request, network: Network, platform: Platform) -> _Answer:
    """All tasks in one group, if that is a legal one."""
    tasks = list(network.processes)
    if len(tasks) == 1:
        return _Answer(request, "there is one task alone")
    study = Study.model_validate({"fusions": [[tasks]]})
    try:
        check_space(MappingSpace(MachineModel(network, platform), study))
    except ArrayolError as refused:
        return _Answer(request, f"not all tasks can be one group: {refused.diagnostics[0].message}")
    return _Answer(request, "all tasks in one group", "fusions", {})


def _lines(answers: list[_Answer], network: Network) -> Iterator[str]:
    yield "# The designs that the pragmas of the C describe, for `arrayol explore --study`."
    for key in ("fusions", "units", "intervals"):
        own = [one for one in answers if one.key == key]
        if not own:
            continue
        yield from ("", *(one.comment for one in own))
        values: dict[str, list[int]] = {}
        for name, value in ((name, value) for one in own for name, value in (one.values or {}).items()):
            values[name] = sorted({*values.get(name, []), value})
        if key == "fusions":
            yield f"fusions = {json.dumps([[list(network.processes)]])}"
        elif key == "units":
            yield f"units = {values['']}"
        else:
            yield f"intervals = {{ {', '.join(f'{json.dumps(name)} = {each}' for name, each in values.items())} }}"
    if others := [one.comment for one in answers if not one.key]:
        yield from ("", "# Without a counterpart in a study:", *others)
