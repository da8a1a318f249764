"""A result of `arrayol explore` in full: the decisions of its designs, and what was done to find them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import zip_longest

from rich.table import Table

from arrayol.cli.tables import facts_table, headed_table
from arrayol.text import counted, figure_text, rounded
from dse.pareto.fronts import COMPARED_AT_MOST
from dse.results.compare import technology_text
from dse.results.designs import Design, GroupRecord, PeriodRecord, ProcessorRecord
from dse.results.pick import highlights, knee_of
from dse.results.schema import SUBSPACES, Comparisons, Result
from dse.results.totals import device_text, slack_text, totals_text
from dse.results.volume import filled, share_of_any
from dse.search.context import NSGA2
from dse.space.objectives import cost_unit, grows, known_figure
from dse.space.remarks import fit_text
from hwmodel.figures import LATENCY, MICROSECONDS

STEPS_SHOWN_AT_MOST = 5
_BITS_PER_KIB = 8 * 1024


def details(result: Result, written: str) -> Iterator[str | Table]:
    """What `--verbose` adds: decisions of the designs that are shown, all that the search says, and what is written."""
    if result.is_mapped:
        yield "decisions"
        yield _decisions(result, [one.design for one in highlights(result)])
    yield facts_table([*_facts(result), ("written", written)])


def fusion_front(result: Result, shown: Sequence[Design]) -> Table:
    """Designs of the published model, each in some lines: a line for each group, or for each task that differs."""
    table = headed_table(
        "design", "group and its tasks", right=("N_cu\nunits", "X_out\ndata/unit", "AL\ncycles", "IM\ndata")
    )
    table.columns[0].max_width = 18
    knee = knee_of(result)
    for design in shown:
        names = [design.id, "knee"] if knee.is_knee and design.id == knee.design.id else [design.id]
        for name, row in zip_longest(names, _fusion_rows(design), fillvalue=""):
            table.add_row(name, *(row or [""] * (len(table.columns) - 1)))
        table.add_section()
    return table


def _fusion_rows(design: Design) -> Iterator[Sequence[str]]:
    for decisions, latency, memory in zip_longest(_fusion_lines(design), _latency(design), _memory(design)):
        yield *(decisions or ("", "", "")), latency or "", memory or ""


def _fusion_lines(design: Design) -> Iterator[tuple[str, str, str]]:
    """Lines of tasks, N_cu and X_out, then the arrays that are kept whole."""
    for number, group in enumerate(design.groups, 1):
        figures = [(f"{processor.units:,}", f"{processor.block_data:,}") for processor in group.processors]
        if len(set(figures)) == 1:
            yield f"{number}: {', '.join(group.tasks)}", *figures[0]
            continue
        indent = " " * len(f"{number}: ")
        for place, (task, figure) in enumerate(zip(group.tasks, figures, strict=True)):
            lead = indent if place else f"{number}: "
            yield f"{lead}{task}{',' if place < len(figures) - 1 else ''}", *figure
    if design.whole_arrays_data:
        yield f"{', '.join(design.whole_arrays_data)} kept whole", "", ""


def _latency(design: Design) -> list[str]:
    """AL in cycles and, with a clock, in microseconds."""
    lines = [f"{design.objectives[LATENCY]:,}"]
    if MICROSECONDS in design.objectives:
        lines.append(f"{design.objectives[MICROSECONDS]:,.1f} µs")
    return lines


def _memory(design: Design) -> list[str]:
    """The internal memory in elements and in KiB."""
    kib = design.objectives["internal_memory_bits"] / _BITS_PER_KIB
    return [f"{design.objectives['internal_memory_elements']:,}", f"{kib:,.1f} KiB"]


def _decisions(result: Result, shown: Sequence[Design]) -> Table:
    """Each design: its compared figures, its groups with their blocks, and where the time of each goes."""
    objectives = result.objectives
    figures = []
    for name in objectives:
        estimate = result.estimate_text(name).replace(", ", "\n")  # one below the other, so that columns stay narrow
        figures.append("\n".join(filter(None, (figure_title(name), unit_of(name), estimate))))
    some_wait = any("@" in result.rate_text(design, one) for design in shown for one in design.processors.values())
    table = headed_table("design", right=figures)
    table.columns[0].max_width = 14
    for header in ("group and its tasks", "units\n@ cycles" if some_wait else "units", "block\nscan", "waits for"):
        table.add_column(header, overflow="fold", max_width=16 if header.startswith("units") else None)
    for design in shown:
        values = [figure_text(design.objectives[name]) for name in objectives]
        for place, line in enumerate(_decision_lines(result, design)):
            table.add_row(*([design.id, *values] if not place else [""] * (1 + len(values))), *line)
        table.add_section()
    return table


def _decision_lines(result: Result, design: Design) -> Iterator[Sequence[str]]:
    for number, group in enumerate(design.groups, 1):
        yield from _mapping_lines(number, group, partial(result.rate_text, design))
    if design.period is not None:
        yield f"together: {period_text(design.period)}", "", "", ""
    if loads := result.loads_text(design):
        yield f"loads: {loads}", "", "", ""
    for split in design.splits:
        yield split, "", "", ""


def period_text(period: PeriodRecord) -> str:
    """The time from frame to frame of groups that run at the same time, and the copies of arrays outside."""
    copies = ", ".join(f"{name} {number}" for name, number in period.copies.items())
    return f"a frame every {period.cycles:,} cycles; copies outside: {copies}"


def _mapping_lines(
    number: int, group: GroupRecord, rate_text: Callable[[ProcessorRecord], str]
) -> Iterator[tuple[str, str, str, str]]:
    mapping = group.mapping
    assert mapping is not None, "fusions have lines of their own"
    units = ",".join(map(rate_text, group.processors))
    blocks = f"{mapping.sides} [{mapping.scan}]"
    name = max(mapping.ends, key=mapping.ends.__getitem__, default="")  # what ends the steps of most cycles
    share = f"{name} {mapping.ends[name] / mapping.latency_cycles:.0%}" if name and mapping.latency_cycles else ""
    yield f"{number}: {', '.join(group.tasks)}", units, blocks, share
    for processor in group.processors:
        if processor.cut is not None:
            own = f"{processor.cut.decisions.text} [{processor.cut.scan}]"
            yield f"   {processor.task} in blocks of its own", "", own, ""
    extras = [f"FIFO {name}" for name in mapping.fifos]
    extras += [f"{layout.array} in {layout.banks} banks" for layout in mapping.layouts]
    extras += [f"policy {mapping.policy}"] if mapping.policy != "reuse" else []
    extras += [f"{array} kept as {text}" for array, text in mapping.keeps.items()]
    extras += [f"{array} in a single buffer" for array in mapping.single_buffers]
    extras += ["overlaps computed again"] if mapping.recompute else []
    if extras:
        yield f"   {', '.join(extras)}", "", "", ""


def _facts(result: Result) -> Iterator[tuple[str, str]]:
    yield "space", _space(result)
    yield from _partitions(result)
    if result.is_mapped:
        evaluated, infeasible = f"{rounded(result.evaluated)} {result.counted} evaluated", rounded(result.infeasible)
        yield "searched", f"{evaluated}, {infeasible} infeasible, {rounded(result.pruned)} pruned"
    else:
        designs = counted(result.evaluated + result.infeasible, "design")
        yield "evaluated", f"{designs}, {result.infeasible:,} of them infeasible"
    if result.infeasible_example:
        yield "infeasible", f"for example {result.infeasible_example.text}"
    if result.comparisons:
        yield "compared", _comparisons(result.comparisons)
    if result.is_mapped:
        yield "verified", _verification(result)
    yield "hypervolume", _hypervolume(result)
    yield from _bounds(result)
    yield "platform", result.platform
    yield from _device(result)
    if slack := slack_text(result):
        yield "slack", f"left out: {slack}"
    if result.technology is not None:
        yield "technology", technology_text(result)
    for remark in result.remarks:
        yield "", remark
    if result.is_mapped:
        yield "method", f"{result.method}: {result.method_reason}"
    yield "model", f"{result.model}; {strength(result)}: {result.method_description}"
    yield from _without_steps(result) if result.is_mapped else _steps(result)


def _device(result: Result) -> Iterator[tuple[str, str]]:
    """The device, how many designs do not fit, and what one in the middle of the front takes of it."""
    if result.device is None:
        return
    yield "device", device_text(result.device)
    yield "", fit_text(result.device.name, result.device.exceeding, result.device.designs)
    knee = knee_of(result).design
    if totals := totals_text(knee, result.device):
        yield "", f"{knee.id} takes {totals}"


def _space(result: Result) -> str:
    """The size of what was searched."""
    space, tasks = result.space, counted(len(result.space.tasks), "task")
    if space.subspaces is not None:
        subspaces = counted(len(space.subspaces), "subspace")
        return f"{counted(space.fusions or 0, 'legal fusion')} of {tasks}, in {subspaces} by number of groups"
    if space.groups is None:
        return f"{tasks}: more groups than are listed; {space.group_designs:,} group designs looked at"
    fusions = "fusions" if space.fusions is None else counted(space.fusions, "fusion")
    whole = "" if space.whole_designs is None else f", {rounded(space.whole_designs)} whole designs"
    return f"{fusions} of {tasks}: {counted(space.groups, 'group')}, {space.group_designs:,} group designs{whole}"


def _partitions(result: Result) -> Iterator[tuple[str, str]]:
    """How far the space was searched, by the integer partitions that fusions stand for."""
    counts = result.partitions
    if counts is None:
        return
    tasks = counted(len(result.space.tasks), "task")
    what = f"{counted(counts.total, 'integer partition')} of {tasks}"
    if counts.counted == SUBSPACES:
        what = f"{counted(counts.total, 'subspace')} by number of groups"
    why = ", ".join(f"{count:,} {reason}" for reason, count in counts.pruned.items())
    parts = [
        f"{counts.covered:,} covered" if counts.covered else "",
        f"{counts.partly:,} in part" if counts.partly else "",
        f"{sum(counts.pruned.values()):,} pruned ({why})" if why else "",
    ]
    yield "", f"{what}: {', '.join(filter(None, parts))}"


def _comparisons(pairs: Comparisons) -> str:
    limit = f"more than {COMPARED_AT_MOST:,} designs"
    if pairs.subspaces is None:
        return f"by sorting, as a subspace or its survivors hold {limit}: pairs were not counted"
    text = f"{counted(pairs.subspaces, 'ordered pair')} subspace by subspace"
    if pairs.all_pairs is None:
        return f"{text}; all with all was not run, as there are {limit}"
    return f"{text}, against {pairs.all_pairs:,} all with all"


def _verification(result: Result) -> str:
    """How many designs of the front the simulator has run."""
    good = sum(1 for design in result.pareto if design.verified)
    reasons = {design.verification for design in result.pareto if design.verification}
    return f"{good:,} of {len(result.pareto):,} simulated" + "".join(f"; {reason}" for reason in sorted(reasons))


def _hypervolume(result: Result) -> str:
    """The volume, and how much of the box between the best values and the reference point it fills."""
    volume = result.hypervolume
    corner = ", ".join(f"{figure_text(value)} {unit_of(name)}" for name, value in volume.reference.items())
    share = filled(result.pareto, result.objectives, volume)
    return f"{share:.1%} of the box up to {corner}, on logarithmic axes"


def _bounds(result: Result) -> Iterator[tuple[str, str]]:
    """How far each end of the front may be from the best that there is, and the front from any other."""
    bounds = result.bounds or {}
    for name, bound in bounds.items():
        if bound:
            end, beyond, best = ("most", "above", max) if grows(name) else ("least", "below", min)
            found = figure_text(best(design.objectives[name] for design in result.pareto))
            of_device = ", on any device" if result.device is not None and result.device.exceeding else ""
            least = f"nothing {beyond} {figure_text(bound)} exists{of_device}"
            yield "bound", f"{end} {name} {found} {unit_of(name)}; {least}"
    if len(bounds) == len(result.objectives):
        share = share_of_any(result.pareto, result.objectives, result.hypervolume, bounds)
        yield "", f"at least {share:.1%} of the hypervolume that any front has up to that corner"


def strength(result: Result) -> str:
    """How much the front is worth."""
    if result.method == NSGA2:
        return "heuristic"
    return "exact" if result.exact else "bounded"


def _steps(result: Result) -> Iterator[tuple[str, str]]:
    """The transformations that make the first designs of the front, or why there are none."""
    first = result.pareto[:STEPS_SHOWN_AT_MOST]
    texts = [f"{design.id}: {text}" for design in first if (text := steps_text(design))]
    yield from zip_longest(["steps"] if texts else [], texts, fillvalue="")


def _without_steps(result: Result) -> Iterator[tuple[str, str]]:
    """How many designs no transformations make, of those for which steps were sought, and why not the first."""
    sought = [design for design in result.pareto if design.steps is not None or design.steps_remark is not None]
    refused = [design for design in sought if design.steps is None]
    if refused:
        first = f"{refused[0].id}: {refused[0].steps_remark}"
        yield "steps", f"no transform steps make {len(refused):,} of {counted(len(sought), 'design')}, as {first}"


def steps_text(design: Design) -> str:
    """The transformations that make a design's specification, or why there are none; empty where none were sought."""
    if design.steps is not None:
        return "; ".join(design.steps) or "as written"
    return f"none: {design.steps_remark}" if design.steps_remark else ""


def figure_title(name: str) -> str:
    """The title of a figure; of a cost its name."""
    return figure.title if (figure := known_figure(name)) is not None else name


def unit_of(name: str) -> str:
    """The unit of a figure; a cost without one has its name."""
    unit = figure.unit if (figure := known_figure(name)) is not None else cost_unit(name)
    return "µs" if unit == "us" else unit
