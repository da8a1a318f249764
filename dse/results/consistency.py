"""Whether a stored result agrees with itself: figures with groups, the front with dominance, counts with their sums.

A design's figures are sums or maxima over its groups, so a file that was changed by hand tells on itself. What a file
does not hold cannot be checked: costs of bits of ROMs and locals, the cycles per frame of a single group, and how the
published model comes from groups to latency and memory. Takes time linear in the number of designs, but for sorting.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from statistics import median_low

import numpy as np

from arrayol.errors import ArrayolError, Diagnostic
from dse.pareto.fronts import front_of
from dse.results.compare import quantity
from dse.results.designs import Design, GroupRecord, MemoryRecord
from dse.results.schema import Result
from dse.results.volume import volume_of
from dse.space.objectives import MACHINE, grows
from hwmodel.cost_model.together import period_cycles
from hwmodel.figures import ENERGY, FRAMES_PER_SECOND, LATENCY, MICROSECONDS, POWER
from hwmodel.memory_kinds import LOCAL, ONCE, ROM, kind_named

MISTAKES_TOLD = 5
LIVE, ADDRESSED = "live_bits", "addressed_bits"
PERIOD = "the cycles of a period"
_VOLUME_CHECKED = 3  # objectives; the volume of more takes long
EXPLORE_AGAIN = "the file was changed since arrayol wrote it, or is damaged: explore once more"

Number = int | float
Value = tuple[str, object, object]  # what a figure is called, what the file says, and what its groups say


@dataclass(frozen=True, slots=True)
class Mistake:
    """What is wrong, in words, of the design of an id, or of the result as a whole."""

    what: str
    design: str | None = None

    @property
    def text(self) -> str:
        """With the design that it is about."""
        return self.what if self.design is None else f"design {self.design}: {self.what}"


def require_consistent(result: Result, file: str) -> None:
    """Raises ArrayolError (`wrong-result`) that names the first figures that are not what they must be."""
    _require_none(_mistakes(result), file)


def wrong_designs(result: Result, file: str) -> dict[str, str]:
    """By the id of each design that does not agree with itself or with the others, the first reason, in words.

    Raises ArrayolError (`wrong-result`) for a mistake that is none of single designs, and where no design of the front
    is right.
    """
    mistakes = list(_mistakes(result))
    _require_none((mistake for mistake in mistakes if mistake.design is None), file)
    wrong: dict[str, str] = {}
    for mistake in mistakes:
        if mistake.design is not None:
            wrong.setdefault(mistake.design, mistake.what)
    if all(design.id in wrong for design in result.pareto):
        _require_none(iter(mistakes), file)
    return wrong


def _require_none(mistakes: Iterator[Mistake], file: str) -> None:
    told = list(islice(mistakes, MISTAKES_TOLD))
    if told:
        raise ArrayolError([Diagnostic("wrong-result", one.text, hint=EXPLORE_AGAIN, file=file) for one in told])


def _mistakes(result: Result) -> Iterator[Mistake]:
    """All mistakes. Those of a design are found without the designs that were found wrong before it."""
    front = {design.id: (design.objectives, design.groups) for design in result.pareto}
    others = [design for design in result.designs or () if (design.objectives, design.groups) != front.get(design.id)]
    designs = [*result.pareto, *others]
    if not result.pareto:
        yield Mistake("the front has no design")
        return
    whole, wrong = False, set[str]()
    checks = (
        (_models,),
        (_names, _figure_names, _loads, _datapaths),
        (_group_figures, _times, _costs, _energies),
        (_front,),
    )
    for stage in checks:  # each reads what those before have found right
        for mistake in [mistake for check in stage for mistake in check(result, designs)]:
            yield mistake
            whole |= mistake.design is None
            wrong |= {mistake.design} if mistake.design is not None else set()
        designs = [design for design in designs if design.id not in wrong]
        if whole or not designs:
            return
    yield from _counts(result)
    if not wrong and not result.unusable and result.searched is None:  # the volume is that of all designs of the front
        yield from _volume(result)


def _group_figures(result: Result, designs: Sequence[Design]) -> Iterator[Mistake]:
    for design in designs:
        for name, stored, expected in _figures(design, shares_memory=_shares_memory(result)):
            yield Mistake(f"{name} is {_shown(stored)}, and its groups give {_shown(expected)}", design.id)


def _shares_memory(result: Result) -> bool:
    return bool((result.space.study or {}).get("reuse_memory"))


def _shown(value: object) -> str:
    return f"{value:,}" if isinstance(value, int | float) else str(value)


def _models(_: Result, designs: Sequence[Design]) -> Iterator[Mistake]:
    """Every design is of the model that most are of: all its groups have mappings, or none has."""
    models = [frozenset(_of_machine_model(design)) for design in designs]
    usual = Counter([model for model in models if len(model) == 1] or models).most_common(1)[0][0]
    for design, model in zip(designs, models, strict=True):
        if model != usual or len(model) > 1:
            yield Mistake(
                "some of its groups and processors are of another model than those of other designs", design.id
            )


def _of_machine_model(design: Design) -> Iterator[bool]:
    """Whether each part of a design is of the machine model; what only one model has is null with the others."""
    for group in design.groups:
        yield group.mapping is not None
        for processor in group.processors:
            yield processor.cycles is not None
            yield processor.block_data is None


def _names(result: Result, designs: Sequence[Design]) -> Iterator[Mistake]:
    """Identifiers that are there once, and tasks that are those of the space."""
    seen: set[str] = set()
    for design in designs:
        if design.id in seen:
            yield Mistake("there are two designs of this name, which are not the same", design.id)
        seen.add(design.id)
        groups = tuple(group.tasks for group in design.groups)
        if design.fusion != groups:
            yield Mistake(f"fusion is {_fusion(design.fusion)}, and its groups are {_fusion(groups)}", design.id)
        tasks = [task for group in groups for task in group]
        of_space = result.space.intervals_of(design.splits) if design.splits else result.space.tasks
        if design.period is not None and len(design.period.port_cycles) != len(groups):
            yield Mistake(f"it has {len(groups)} groups, and its period {len(design.period.port_cycles)}", design.id)
        if sorted(tasks) != sorted(of_space):
            yield Mistake(f"it has the tasks {', '.join(tasks)}, and its space {', '.join(of_space)}", design.id)
    if result.designs is not None:
        stored = {design.id for design in result.designs}
        missing = [design.id for design in result.pareto if design.id not in stored]
        yield from (Mistake("it is on the front, and not among all designs", name) for name in missing)


def _fusion(groups: Sequence[Sequence[str]]) -> str:
    return " | ".join(" ".join(group) for group in groups)


def _figure_names(result: Result, designs: Sequence[Design]) -> Iterator[Mistake]:
    """Every design has the objectives and the figures of most, and none is below zero."""
    figures = Counter(tuple(design.objectives) for design in designs).most_common(1)[0][0]
    for name in result.objectives:
        if name not in figures:
            yield Mistake(f"the objective {name} is none of the figures that designs have: {', '.join(figures)}")
    if not result.objectives:
        yield Mistake("there are no objectives")
    for design in designs:
        if design.objectives.keys() != set(figures):
            odd = min(design.objectives.keys() ^ set(figures))
            yield Mistake(f"{odd} is a figure of some designs, and not of all", design.id)
        for name, value in design.objectives.items():
            endless = name == FRAMES_PER_SECOND and value == math.inf  # of frames that take no time
            if value < 0 or not (math.isfinite(value) or endless):
                yield Mistake(f"{name} is {_shown(value)}, and a figure is a number from 0 up", design.id)


def _loads(result: Result, designs: Sequence[Design]) -> Iterator[Mistake]:
    """Every design has one of the loads that the study gives each array, and no other."""
    for design in designs if result.is_mapped else ():
        odd = sorted(design.loads.keys() ^ result.loads.keys())
        odd += [name for name, load in design.array_loads if name in result.loads and load not in result.loads[name]]
        for name in odd:
            chosen, listed_ones = design.loads.get(name, "none"), " or ".join(result.loads.get(name, ())) or "none"
            yield Mistake(f"its load of '{name}' is {chosen}, and the study gives {listed_ones}", design.id)


def _figures(design: Design, *, shares_memory: bool) -> Iterator[Value]:
    """The figures that are not what the groups give."""
    stored = {quantity(name): value for name, value in design.objectives.items() if name == quantity(name)}
    stored |= {name: value for name in (LIVE, ADDRESSED) if (value := getattr(design, name)) is not None}
    stored |= {PERIOD: design.period.cycles} if design.period is not None else {}
    for name, expected in _from_groups(design, shares_memory=shares_memory):
        if name in stored and stored[name] != expected:
            yield name, stored[name], expected
    for number, group in enumerate(design.groups, 1):
        for name, value, other in _of_group(group):
            if value != other:
                yield f"{name} of group {number}", value, other
    ends = design.breakdown["cycles"] if design.breakdown else {}
    if design.bottleneck is not None and ends and ends.get(design.bottleneck) != max(ends.values()):
        yield "bottleneck", design.bottleneck, max(ends, key=lambda name: ends[name])


def _from_groups(design: Design, *, shares_memory: bool) -> Iterator[tuple[str, Number]]:
    """What the groups of a design and what stands beside them say of its figures; of the published model, the least."""
    yield "units", sum(processor.units for processor in design.processors.values())
    for kind in (ROM, LOCAL):
        yield f"{kind.name}_bits", sum(memory.bits for memory in design.resident if memory.kind == kind.name)
    mappings = design.mappings
    if not mappings:
        return
    latencies = [mapping.latency_cycles for mapping in mappings]
    latency = frame = sum(latencies)
    if design.period is not None:
        frame = period_cycles(latencies, design.period.port_cycles, design.period.turn)
        latency = len(latencies) * frame
        yield PERIOD, frame
    yield LATENCY, latency
    yield "traffic_bytes", sum(mapping.traffic_bytes for mapping in mappings)
    yield "port_bytes", sum(mapping.port_bytes for mapping in mappings)
    if len(mappings) > 1:  # of one group frames overlap
        yield "frame_cycles", frame
    sizes: dict[str, Callable[[MemoryRecord], int]] = {
        "internal_memory_elements": lambda memory: memory.data if kind_named(memory.kind).is_internal else 0,
        "internal_memory_bits": lambda memory: memory.bits if kind_named(memory.kind).is_internal else 0,
        "memory_blocks": lambda memory: memory.blocks or 0,
        LIVE: lambda memory: memory.live * memory.width,
        ADDRESSED: lambda memory: memory.addressed * memory.width,
    }
    for name, size in sizes.items():
        own, resident = (
            [
                sum(size(one) for one in mapping.memories if kind_named(one.kind).is_resident is stays)
                for mapping in mappings
            ]
            for stays in (False, True)
        )
        beside = sum(size(memory) for memory in design.resident if memory.kind == ONCE.name) + sum(resident)
        yield name, (max(own) if shares_memory else sum(own)) + beside


def _of_group(group: GroupRecord) -> Iterator[Value]:
    """What a group says twice."""
    tasks = tuple(processor.task for processor in group.processors)
    yield "processors", ", ".join(tasks), ", ".join(group.tasks)
    if group.mapping is None:
        return
    latency = group.mapping.latency_cycles
    yield LATENCY, latency, sum(group.mapping.ends.values())
    for memory in group.mapping.memories:
        # Words of a buffer and of a state are more than are live at once where addresses leave gaps.
        most = max(memory.live, memory.addressed) if kind_named(memory.kind).is_addressed else memory.live
        yield f"the words of {memory.kind} {memory.name}", memory.addressed, most
    for processor in group.processors:
        if processor.cycles is not None:
            cycles = sum(processor.cycles.model_dump().values())
            yield f"{LATENCY} by the cycles of '{processor.task}'", latency, cycles


def _times(_: Result, designs: Sequence[Design]) -> Iterator[Mistake]:
    """Times that are not the cycles of their design by the clock of most."""
    clocks = [clock for design in designs for clock in _clocks(design.objectives)]
    if not clocks:
        return
    clock = median_low(clocks)
    for design in designs:
        figures = design.objectives
        for name in (MICROSECONDS, FRAMES_PER_SECOND):
            cycles = figures.get(quantity(name))
            if name not in figures or cycles is None:
                continue
            time = MACHINE[name].at_clock(cycles, clock)
            if not math.isclose(figures[name], time, rel_tol=1e-9):
                given = f"{cycles:,} cycles at {clock:,.6g} MHz give {time:,.6g}"
                yield Mistake(f"{name} is {_shown(figures[name])}, and {given}", design.id)


def _clocks(figures: Mapping[str, Number]) -> Iterator[float]:
    """The clock in MHz that each figure in time stands for, where it has a value."""
    if figures.get(MICROSECONDS):
        yield figures[LATENCY] / figures[MICROSECONDS]
    rate = figures.get(FRAMES_PER_SECOND, 0)
    if rate and rate != math.inf and "frame_cycles" in figures:
        yield rate * figures["frame_cycles"] / 1e6


def _datapaths(result: Result, designs: Sequence[Design]) -> Iterator[Mistake]:
    """Every processor has an interval on offer, and an occupancy, no less, at which its task has a datapath."""
    known = Counter((datapath.splits, datapath.task, datapath.interval) for datapath in result.datapaths)
    for (_, task, interval), count in known.items():
        if count > 1:
            yield Mistake(f"'{task}' has {count} datapaths at the interval {interval}")
    for design in designs:
        offered = result.space.intervals_of(design.splits)
        for task, processor in design.processors.items():
            if processor.interval is None or processor.occupancy is None:
                continue
            if processor.interval not in offered.get(task, ()):
                yield Mistake(f"'{task}' has the interval {processor.interval:,}, which is not on offer", design.id)
            if processor.occupancy < processor.interval or (design.splits, task, processor.occupancy) not in known:
                whole = f"{processor.occupancy:,} cycles at the interval {processor.interval:,}"
                yield Mistake(f"'{task}' takes {whole}, and has no datapath for it", design.id)


def _costs(result: Result, designs: Sequence[Design]) -> Iterator[Mistake]:
    """A design costs what its processors and memories do."""
    for design in designs:
        for name, stored, expected in _sums(design):
            if not math.isclose(stored, expected, rel_tol=1e-9):
                yield Mistake(f"{name} is {_shown(stored)}, and its processors' {_shown(expected)}", design.id)
    yield from _unit_costs(result, designs)


def _unit_costs(result: Result, designs: Sequence[Design]) -> Iterator[Mistake]:
    """Processors cost what their units' datapaths do, and their ROMs and locals.

    What the last two cost goes by task, units and interval: it is the same in all designs of the same splits and loads,
    where datapaths come from one source, and nothing where there are none. Of several values that of most holds.
    """
    paths = {(path.splits, path.task, path.interval): path for path in result.datapaths}
    alike: dict[tuple[object, ...], list[_UnitCost]] = defaultdict(list)
    for design in designs:
        has_any = any(memory.kind in (ROM.name, LOCAL.name) for memory in design.resident)
        for task, processor in design.processors.items():
            if processor.costs is None:
                continue
            path = paths[design.splits, task, processor.occupancy or 0]
            for name, cost in processor.costs.items():
                own = _UnitCost(
                    design.id, f"{name} of '{task}'", cost, processor.units * path.cost.get(name, 0), has_any
                )
                alike[
                    design.choice, task, processor.units, path.interval, name, path.origins.get(f"cost.{name}"), has_any
                ].append(own)
    for costs in alike.values():
        more = median_low([one.cost - one.of_units for one in costs]) if costs[0].has_any else 0
        for one in costs:
            if not math.isclose(one.cost, one.of_units + more, rel_tol=1e-9, abs_tol=1e-9):
                as_in = ", with ROMs and locals as in other designs" if one.has_any else ""
                its = f"{one.what} is {_shown(one.cost)}{as_in}"
                yield Mistake(f"{its}, and its units cost {_shown(one.of_units + more)}", one.design)


@dataclass(frozen=True, slots=True)
class _UnitCost:
    """A cost of a processor, and that of its units alone; `has_any`: the design has ROMs or locals beside them."""

    design: str
    what: str
    cost: Number
    of_units: Number
    has_any: bool


def _energies(_: Result, designs: Sequence[Design]) -> Iterator[Mistake]:
    """The energy of a frame is that of its parts; its power that by the frame rate. Both are rounded to a unit."""
    for design in designs:
        figures = design.objectives
        parts = design.energy_pj
        if parts is None or ENERGY not in figures:
            continue
        expected = {ENERGY: sum(parts.values()) / 1000}
        if POWER in figures and FRAMES_PER_SECOND in figures:
            expected[POWER] = expected[ENERGY] * figures[FRAMES_PER_SECOND] / 1e6
        for name, value in expected.items():
            if not math.isclose(figures[name], value, rel_tol=1e-6, abs_tol=1 / MACHINE[name].scale):
                yield Mistake(f"{name} is {_shown(figures[name])}, and its parts give {value:,.6g}", design.id)


def _sums(design: Design) -> Iterator[tuple[str, Number, Number]]:
    """Each cost of a design, and the sum of its processors' and memories'."""
    costs = [processor.costs for processor in design.processors.values() if processor.costs is not None]
    for name, value in design.objectives.items():
        if costs and all(name in one for one in costs):
            yield name, value, sum(one[name] for one in costs) + design.memory_costs.get(name, 0)


def _front(result: Result, designs: Sequence[Design]) -> Iterator[Mistake]:
    """The designs of the front that another one dominates.

    Where slack or a device chose the designs that are shown, those beside them count for nothing. With slack they are
    compared in logic too.
    """
    names = result.objectives
    if result.searched is not None or (result.device is not None and result.device.exceeding):
        shown = {design.id for design in result.pareto}
        designs = [design for design in designs if design.id in shown]
    if result.searched is not None:
        names = (*names, *(name for name in ("lut", "area") if all(name in one.objectives for one in designs)))
    columns = [[_compared(design, name) for design in designs] for name in names]
    ranks = np.stack([np.unique(np.array(column, object), return_inverse=True)[1] for column in columns], axis=1)
    best = front_of(np.unique(ranks, axis=0), np.zeros(len(np.unique(ranks, axis=0)), np.int64)).values
    on_front, stored = {tuple(row) for row in best.tolist()}, {design.id for design in result.pareto}
    for place, design in enumerate(designs):
        own = ranks[place]
        if design.id in stored and tuple(own.tolist()) not in on_front:
            other = int(np.flatnonzero((ranks <= own).all(axis=1) & (ranks < own).any(axis=1))[0])
            text = f"it is on the front, and design {designs[other].id} is better in {', '.join(result.objectives)}"
            yield Mistake(text, design.id)


def _compared(design: Design, objective: str) -> Number:
    """Smaller is better: exact cycles in place of a time."""
    if quantity(objective) in design.objectives:
        return design.objectives[quantity(objective)]
    return -design.objectives[objective] if grows(objective) else design.objectives[objective]


def _counts(result: Result) -> Iterator[Mistake]:
    space, whole = result.space, result.counted == "whole designs"
    total = space.whole_designs if whole else space.group_designs
    parts = result.evaluated + result.infeasible + result.pruned
    if min(result.evaluated, result.infeasible, result.pruned) < 0 or (total is not None and parts != total):
        yield Mistake(
            f"evaluated, infeasible and pruned are {result.evaluated:,}, {result.infeasible:,} and "
            f"{result.pruned:,}, {parts:,} together, and the space has {_shown(total)} {result.counted}"
        )
    if (counts := result.partitions) is not None:
        parts = counts.covered + counts.partly + sum(counts.pruned.values())
        if min(counts.covered, counts.partly, *counts.pruned.values(), 0) < 0 or parts != counts.total:
            yield Mistake(
                f"partitions: covered, partly and pruned are {parts:,} together, and there are {counts.total:,} "
                f"{counts.counted}"
            )
    for part in space.subspaces or ():
        fusions = sum(part.partitions.values())
        if part.fusions != fusions:
            yield Mistake(
                f"the subspace of {part.groups} groups has {part.fusions:,} fusions, and its partitions {fusions:,}"
            )


def _volume(result: Result) -> Iterator[Mistake]:
    """The hypervolume of the front up to its reference."""
    volume, names = result.hypervolume, result.objectives
    if set(volume.reference) != set(names):
        axes = ", ".join(volume.reference), ", ".join(names)
        yield Mistake(f"hypervolume: the reference is in {axes[0]}, and the front in {axes[1]}")
        return
    if len(names) > _VOLUME_CHECKED:
        return
    front = volume_of([design.objectives for design in result.pareto], names)
    for name, corner in front.reference.items():
        if not math.isclose(corner, volume.reference[name], rel_tol=1e-6):
            given = f"{volume.reference[name]:,.6g}, and the front's {corner:,.6g}"
            yield Mistake(f"hypervolume: the reference has {name} {given}")
    if not math.isclose(front.value, volume.value, rel_tol=1e-6, abs_tol=1e-12):
        yield Mistake(f"hypervolume is {volume.value:,.6g}, and the front's is {front.value:,.6g}")
