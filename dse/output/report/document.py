"""What a report holds, as one JSON document below 8 MB.

That is the result, the network behind it, timelines, what memories are built of, and specifications, of which as much
is taken as there is room for. What designs share, groups and texts, is in it once. An exploration ends with a report of
what costs next to nothing (`brief`): timelines of the best designs, memories of one.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from arrayol.files import MOST_TEXT_BYTES, read_text
from arrayol.ir.network import Network
from dse.output.folder import spec_file, transform_command
from dse.output.open_design import StoredDesign
from dse.output.report.details import best_designs, opened_designs, organised, port_document, wider_ports
from dse.output.report.sources import Origin, Timelines
from dse.output.report.verilog import Modules
from dse.results.compare import technology_text
from dse.results.designs import DatapathRecord, Design, GroupRecord, ProcessorRecord
from dse.results.pick import knee_of
from dse.results.schema import Result
from dse.results.totals import NAMES, device_text
from dse.results.volume import filled
from dse.space.objectives import grows, known_figure
from dse.space.remarks import fit_text
from hwmodel.datapath.technology.rows import BLOCKS, COSTS
from hwmodel.design import Choice, Splits
from hwmodel.residence import NO_LOADS, loads_of

Document = dict[str, Any]

ROOM = 7_800_000  # bytes of a report's data; the page around them takes the rest of 8 MB
_FOR_DESIGNS = 0.7  # of the room, at most; timelines and specifications share the rest
_FOR_MEMORIES = 0.1  # of what designs leave, for what memories are built of
_FOR_VERILOG = 0.3
_FOR_TIMELINES = 0.45  # of what is left then


@dataclass
class Room:
    """Bytes that are left for what a report can do without."""

    left: int
    refused: int = 0

    def take(self, part: object) -> bool:
        """Whether a part still fits; then its bytes are gone."""
        size = len(packed(part))
        if size > self.left:
            self.refused += 1
            return False
        self.left -= size
        return True


@dataclass
class Shared:
    """What designs have in common, by its place: groups with the records behind them, and texts."""

    documents: list[Document] = field(default_factory=list)
    places: dict[str, int] = field(default_factory=dict)
    records: list[tuple[GroupRecord, Choice]] = field(default_factory=list)
    texts: dict[str, int] = field(default_factory=dict)
    known: dict[tuple[int, Choice], int] = field(default_factory=dict)  # places by record itself: designs share them

    def text(self, text: str | None) -> int | None:
        """The place of a text."""
        return None if text is None else self.texts.setdefault(text, len(self.texts))

    def group(self, record: GroupRecord, choice: Choice) -> int:
        """The place of a group, and what a design that has it chooses."""
        if (id(record), choice) not in self.known:
            document = _group(record)
            place = self.places.setdefault(packed([document, choice[1]]), len(self.documents))
            if place == len(self.documents):
                self.documents.append(document)
                self.records.append((record, choice))
            self.known[id(record), choice] = place
        return self.known[id(record), choice]


def report_document(
    result: Result,
    folder: Path,
    origin: Origin,
    room: int = ROOM,
    *,
    asked: Sequence[str] = (),
    specs: Path | None = None,
    brief: bool = False,
) -> Document:
    """All that a report shows of a result in `folder`, within so many bytes; or what costs next to nothing (`brief`).

    There is more about the designs that are `asked` for, the knee and the best in each objective. Specifications are
    read in `specs`, where a new result waits to become the folder.

    What does not fit is left out and named in "remarks": first timelines and specifications of the designs at the
    front's end, then designs, spread evenly.
    """
    designs = _designs(result)
    shown = designs
    while True:
        document, shared = _core(result, shown, origin)
        size = len(packed(document))
        if size <= _FOR_DESIGNS * room or len(shown) <= 3:
            break
        fewer = min(len(shown) - 1, int(len(shown) * _FOR_DESIGNS * room / size * 0.98))
        shown = _spread(shown, max(2, fewer), {document["knee"], *asked})
    document["transform"] = transform_command(result, folder.name)
    document["emit"] = f"arrayol emit verilog {result.spec} --result {folder.name} --design ID"
    document["again"] = f"arrayol report {folder.name} --design ID"
    document["later"] = f"arrayol report {folder.name}" if brief else None
    best = [*(one for one in shown if one.id in asked), *best_designs(shown, result.objectives, document["knee"])]
    best = list({one.id: one for one in best}.values())
    document["best"] = [design.id for design in best]
    left = max(0, room - len(packed(document)))
    remarks = list(origin.remarks)
    if len(shown) < len(designs):
        remarks.append(f"{len(shown):,} of {len(designs):,} designs are in this report; {folder.name} holds all")
    opened = list(opened_designs(best[:1] if brief else best, result, origin)) if origin.models else []
    memories = Room(int(left * _FOR_MEMORIES))
    document["wider"] = wider_ports(opened)
    document["built"], document["organised"] = _built(opened, memories), _organised(opened, memories, brief=brief)
    document |= _verilog([] if brief else opened, asked, int(left * _FOR_VERILOG))
    left -= sum(len(packed(document[name])) for name in ("built", "organised", "verilog", "modules"))
    timed = document["best"] if brief else None
    remarks += _add_timelines(document, shared, origin, Room(int(left * _FOR_TIMELINES)), timed)
    remarks += _add_specs(document, result, shown, specs or folder, Room(int(left * (1 - _FOR_TIMELINES))))
    document["remarks"] = remarks
    return document


def packed(part: object) -> str:
    """A document without white space, safe inside a script element: no '<' is left in it."""
    text = json.dumps(part, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _designs(result: Result) -> list[Design]:
    """The front first, then what else the result holds."""
    front = {design.id: design for design in result.pareto}
    others = [design for design in result.designs or () if design.id not in front]
    return [*front.values(), *others]


def _spread(designs: Sequence[Design], count: int, kept: Set[str | None]) -> list[Design]:
    """So many designs evenly, the first, the last and those named in `kept` among them."""
    places = {round(place * (len(designs) - 1) / (count - 1)) for place in range(count)}
    return [design for place, design in enumerate(designs) if place in places or design.id in kept]


def _core(result: Result, designs: Sequence[Design], origin: Origin) -> tuple[Document, Shared]:
    """The result with some of its designs, without timelines and specifications."""
    figures = list(designs[0].objectives)
    front = {design.id for design in result.pareto}
    shared, knee = Shared(), knee_of(result)
    rows = [_design(design, figures, shared, on_front=design.id in front) for design in designs]
    document: Document = {
        "top": result.top,
        "facts": list(_facts(result)),
        "front": len(front),
        "objectives": list(result.objectives),
        "figures": [_figure(name) for name in figures],
        "knee": knee.design.id if knee.is_knee else None,
        "device": result.device.model_dump(mode="json", include={"name", "capacities"}) if result.device else None,
        "port": port_document(origin),
        "model": result.model,
        "technology": result.technology,
        "estimates": list(result.estimates),
        "datapaths": _columns(
            [path.model_dump(mode="json") | {"splits": _key(path.splits)} for path in _used(result, designs)]
        ),
        "least": _least(result, ()),
        "network": _network(origin.network) if origin.network else None,
        "split": {
            _key(splits): _split(result, splits, origin)
            for splits in {design.splits: None for design in designs}
            if splits
        },
        "groups": shared.documents,
        "designs": rows,
        "texts": list(shared.texts),
    }
    return document, shared


def _least(result: Result, splits: Splits) -> Document:
    return {task: min(intervals) for task, intervals in result.space.intervals_of(splits).items()}


def _split(result: Result, splits: Splits, origin: Origin) -> Document:
    """What designs with some splits have in the place of what others have."""
    network = origin.split.get(splits)
    return {"least": _least(result, splits), "network": _network(network) if network else None}


def _key(splits: Splits) -> str:
    return "; ".join(splits)


def _used(result: Result, designs: Sequence[Design]) -> list[DatapathRecord]:
    """The datapaths of some designs."""
    used = {(design.splits, task, one.occupancy) for design in designs for task, one in design.processors.items()}
    return [path for path in result.datapaths if (path.splits, path.task, path.interval) in used]


def _figure(name: str) -> Document:
    """The title and the unit of a figure; what a device counts has no unit beside its title."""
    figure = known_figure(name)
    if figure is None or name == BLOCKS:
        unit = COSTS.get(name, "")
        return {"name": name, "title": name if unit else NAMES.get(name, name), "unit": unit, "more": False}
    unit = "\u00b5s" if figure.unit == "us" else figure.unit
    return {"name": name, "title": figure.title, "unit": unit, "more": grows(name)}


def _design(design: Design, figures: Sequence[str], shared: Shared, *, on_front: bool) -> Document:
    return {
        "id": design.id,
        "front": on_front,
        "values": [_finite(design.objectives[name]) for name in figures],
        "steps": None if design.steps is None else [shared.text(step) for step in design.steps],
        "remark": shared.text(design.steps_remark),
        "verified": design.verified,
        "groups": [shared.group(group, design.choice) for group in design.groups],
        "loads": design.loads,
        "splits": _key(design.splits),
        "verification": shared.text(design.verification),
        "bottleneck": design.bottleneck,
        "energy": design.energy_pj,
        "resident": _columns([memory.model_dump(mode="json") for memory in design.resident]),
        **({} if design.period is None else {"period": design.period.model_dump(mode="json")}),
    }


def _group(record: GroupRecord) -> Document:
    """Its figures without those that its model does not have."""
    document: Document = {
        "tasks": record.tasks,
        "processors": _columns([_processor(processor) for processor in record.processors]),
    }
    if record.whole_arrays_data is not None:
        document["whole"] = record.whole_arrays_data
    if record.mapping is not None:
        document |= record.mapping.model_dump(mode="json")
        document["memories"] = _columns(document["memories"])
    return document


def _processor(record: ProcessorRecord) -> Document:
    document: Document = {"task": record.task, "units": record.units}
    if record.block_data is not None:
        document["block_data"] = record.block_data
    if record.cycles is not None:
        cut = record.cut and record.cut.model_dump(mode="json")
        document |= {"occupancy": record.occupancy, "costs": record.costs, "cut": cut, **record.cycles.model_dump()}
    return document


def _columns(rows: Sequence[Document]) -> dict[str, list[Any]]:
    """Rows as a list for each key, which are named once; null where a row lacks one."""
    return {name: [row.get(name) for row in rows] for name in dict.fromkeys(name for row in rows for name in row)}


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None  # JSON has no other numbers


def _facts(result: Result) -> Iterator[tuple[str, str]]:
    """What was explored and how, a line each."""
    constants = ", ".join(f"{name} = {value}" for name, value in result.constants.items())
    yield "specification", f"{result.spec}, task {result.top}{f', with {constants}' if constants else ''}"
    yield "platform", result.platform
    if result.device is not None:
        fit = fit_text(result.device.name, result.device.exceeding, result.device.designs)
        yield "device", f"{device_text(result.device)}; {fit}"
    if result.technology is not None:
        yield "technology", technology_text(result)
    yield "model", f"{result.model}; {'exact' if result.exact else 'not exact'}: {result.method_description}"
    if result.space.group_designs is None:
        designs = result.evaluated + result.infeasible
        yield "evaluated", f"{designs:,} designs, {result.infeasible:,} of them infeasible"
    else:
        yield "constraints", ", ".join(result.constraints) or "none"
        yield (
            "searched",
            (
                f"{result.space.group_designs:,} designs of groups: {result.evaluated:,} evaluated, "
                f"{result.infeasible:,} infeasible, {result.pruned:,} pruned"
            ),
        )
    volume = result.hypervolume
    corner = ", ".join(f"{name} {value:,.6g}" for name, value in volume.reference.items())
    share = filled(result.pareto, result.objectives, volume)
    yield "front", f"it dominates {share:.1%} of the box up to {corner}, on logarithmic axes (hypervolume)"
    knee = knee_of(result)
    yield "knee", f"{knee.design.id}: {knee.text}" if knee.is_knee else knee.text
    for remark in result.remarks:
        yield "remark", remark


def _network(network: Network) -> Document:
    loads = loads_of(network, NO_LOADS)
    return {
        "tasks": {
            process.name: {
                "elementary": process.elementary,
                "repetition": process.repetition,
                "reads": _in_order(network, process.reads),
                "writes": _in_order(network, process.writes),
            }
            for process in network.processes.values()
        },
        "arrays": {
            array.name: {
                "type": str(array.type),
                "bits": array.type.bits,
                "shape": array.shape,
                "producers": array.producers,
                "readers": array.readers,
                "output": array.is_output,
                "load": loads.get(array.name),
            }
            for array in network.arrays.values()
        },
    }


def _in_order(network: Network, names: Iterable[str]) -> list[str]:
    wanted = set(names)
    return [name for name in network.arrays if name in wanted]


def _add_timelines(
    document: Document, shared: Shared, origin: Origin, room: Room, only: Sequence[str] | None
) -> Iterator[str]:
    """Enter the timelines of designs' groups in their documents, those of the knee first, and tell what is missing."""
    if not origin.models:
        return
    timelines = Timelines(origin.models)
    rows = document["designs"]
    order = [number for number, row in enumerate(rows) if row["id"] == document["knee"]] + list(_evenly(len(rows)))
    order = [number for number in order if only is None or rows[number]["id"] in only]
    for place in dict.fromkeys(place for number in order for place in rows[number]["groups"]):
        timeline = None if room.refused else timelines.of(*shared.records[place])
        if timeline is not None and room.take(timeline):
            shared.documents[place]["timeline"] = timeline
    yield from timelines.remarks
    if room.refused:
        drawn = sum("timeline" in group for group in shared.documents)
        yield f"{drawn:,} of {len(shared.documents):,} groups have their timeline, for the size of this file"


def _built(designs: Sequence[StoredDesign], room: Room) -> Document:
    """What memories are built of, by design."""
    known = ((one.record.id, one.memories) for one in designs)
    found = {name: built.to_json() | {"summary": built.summary} for name, built in known if built is not None}
    return {name: built for name, built in found.items() if room.take(built)}


def _organised(designs: Sequence[StoredDesign], room: Room, *, brief: bool) -> Document:
    """How memories are organised, by design; in brief without addresses."""
    found = {one.record.id: organised(one, addresses=not brief) for one in designs}
    return {name: rows for name, rows in found.items() if room.take(rows)}


def _verilog(designs: Sequence[StoredDesign], asked: Sequence[str], room: int) -> Document:
    """Verilog by design, of which texts that designs share are there once."""
    modules = Modules(room)
    found = {one.record.id: modules.of(one, asked=one.record.id in asked) for one in designs}
    return {"verilog": found, "modules": list(modules.texts)}


def _evenly(count: int) -> Iterator[int]:
    """0 to count - 1 so that every beginning is spread over all: by the bits of the number, turned around."""
    bits = max(1, (count - 1).bit_length())
    turned = (int(f"{number:0{bits}b}"[::-1], 2) for number in range(1 << bits))
    return (place for place in turned if place < count)


def _add_specs(document: Document, result: Result, shown: Sequence[Design], folder: Path, room: Room) -> Iterator[str]:
    """Enter the specifications that the folder holds as numbers of lines, which designs share."""
    number = {design.id: place for place, design in enumerate(result.pareto, 1)}
    lines: dict[str, int] = {}
    pairs = list(zip(shown, document["designs"], strict=True))
    for design, row in sorted(pairs, key=lambda pair: pair[0].id != document["knee"]):
        path = folder / spec_file(design.id, number.get(design.id, 0))
        text = _lines_of(path) if design.steps is not None else None
        if text is None:
            continue
        new = [line for line in dict.fromkeys(text) if line not in lines]
        if room.take([new, [10**4] * len(text)]):
            lines.update({line: len(lines) + place for place, line in enumerate(new)})
            row["aol"] = [lines[line] for line in text]
    document["lines"] = list(lines)
    if room.refused:
        yield f"{room.refused:,} specifications are left out for the size of this file; their steps are here"


def _lines_of(path: Path) -> list[str] | None:
    """The lines of a specification; None where there is none that can be read."""
    try:
        return read_text(path, MOST_TEXT_BYTES).splitlines()
    except (OSError, ValueError):
        return None
