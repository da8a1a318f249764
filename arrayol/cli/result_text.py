"""A result of `arrayol explore` as text: the front as a table, and what was done to find it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import zip_longest

from rich.box import SIMPLE_HEAD
from rich.table import Table

from arrayol.cli.tables import NameTable, facts_table, print_parts
from arrayol.text import counted, rounded
from dse.output.folder import TABLE
from dse.pareto.counted import COMPARED_AT_MOST
from dse.results.designs import Design, GroupRecord, ProcessorRecord
from dse.results.pick import knee_of, telling_designs
from dse.results.schema import SUBSPACES, Comparisons, Result
from dse.results.shared import technology_text
from dse.results.totals import device_text, totals_text
from dse.results.volume import filled, share_of_any
from dse.search.context import NSGA2
from dse.space.device import fit_text
from dse.space.objectives import cost_unit, grows, known_figure
from hwmodel.figures import LATENCY, MICROSECONDS

SHOWN_AT_MOST = 6  # designs of the front: its ends, where it bends, and what tells most; the result folder holds all
STEPS_SHOWN_AT_MOST = 5
_BITS_PER_KIB = 8 * 1024

Rows = Callable[[Design], Iterator[Sequence[str]]]


def show(result: Result, written: str, opening: str | None) -> None:
    """Print an exploration on stdout, as wide as the terminal or COLUMNS say; `opening` says how to see its report."""
    shown = _shown(result)
    heading = _heading_of_mappings(result) if result.is_mapped else _heading_of_fusions(result)
    if len(shown) < len(result.pareto):
        heading += f"; {len(shown)} of them shown"
    reports = [("report", opening)] if opening else []
    facts = facts_table([*_more(result, len(shown)), *_facts(result), ("written", written), *reports])
    print_parts(heading, _front_table(result, shown), facts)


def _heading_of_fusions(result: Result) -> str:
    of_all = f"{len(result.pareto):,} of {counted(result.evaluated, 'design')}"
    return f"{result.top}: {of_all} on the Pareto front of {', '.join(result.objectives)}"


def _heading_of_mappings(result: Result) -> str:
    bounds = f", within {', '.join(result.constraints)}" if result.constraints else ""
    front = counted(len(result.pareto), "design")
    return f"{result.top}: {front} on the Pareto front of {', '.join(result.objectives)}{bounds}"


def _shown(result: Result) -> list[Design]:
    """The designs of the table: the best in each objective at least."""
    most = max(SHOWN_AT_MOST, len(result.objectives) + 1)
    return [result.pareto[place] for place in telling_designs(result.pareto, result.objectives, most)]


def _front_table(result: Result, shown: Sequence[Design]) -> Table:
    """Designs of the front, each in some lines."""
    table = NameTable(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="")
    table.add_column("design", overflow="fold", max_width=14 if result.is_mapped else 18)
    rows = _mapping_columns(table, result) if result.is_mapped else _fusion_columns(table)
    knee = knee_of(result)
    for design in shown:
        names = [design.id, "knee"] if knee.is_knee and design.id == knee.design.id else [design.id]
        for name, row in zip_longest(names, rows(design), fillvalue=""):
            table.add_row(name, *(row or [""] * (len(table.columns) - 1)))
        table.add_section()
    return table


def _fusion_columns(table: Table) -> Rows:
    """A line for each group, or for each task of a group whose figures differ."""
    table.add_column("group and its tasks", overflow="fold")
    for header in ("N_cu\nunits", "X_out\ndata/unit", "AL\ncycles", "IM\ndata"):
        table.add_column(header, justify="right", no_wrap=True)

    def rows(design: Design) -> Iterator[Sequence[str]]:
        for decisions, latency, memory in zip_longest(_fusion_lines(design), _latency(design), _memory(design)):
            yield *(decisions or ("", "", "")), latency or "", memory or ""

    return rows


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
    """IM in data and in KiB."""
    kib = design.objectives["internal_memory_bits"] / _BITS_PER_KIB
    return [f"{design.objectives['internal_memory_data']:,}", f"{kib:,.1f} KiB"]


def _mapping_columns(table: Table, result: Result) -> Rows:
    """Each design: its figures, its groups with their blocks, and where its time goes."""
    objectives = result.objectives
    for name in objectives:
        title = figure.title if (figure := known_figure(name)) is not None else "cost"
        estimate = result.estimate_text(name).replace(", ", "\n")  # one below the other, so that columns stay narrow
        table.add_column("\n".join(filter(None, (title, unit_of(name), estimate))), justify="right", no_wrap=True)
    table.add_column("group and its tasks", overflow="fold")
    some_wait = any(
        "@" in result.rate_text(design, one) for design in result.pareto for one in design.processors.values()
    )
    table.add_column("units\n@ cycles" if some_wait else "units", overflow="fold", max_width=16)
    table.add_column("block\nscan", overflow="fold")
    table.add_column("waits for", overflow="fold")

    def rows(design: Design) -> Iterator[Sequence[str]]:
        figures = [shown_figure(name, design.objectives[name]) for name in objectives]
        lines = [
            line
            for number, group in enumerate(design.groups, 1)
            for line in _mapping_lines(number, group, partial(result.rate_text, design))
        ]
        if loads := result.loads_text(design):
            lines.append((f"loads: {loads}", "", "", ""))
        lines += [(split, "", "", "") for split in design.splits]
        for place, line in enumerate(lines):
            yield *(figures if place == 0 else [""] * len(figures)), *line

    return rows


def _mapping_lines(
    number: int, group: GroupRecord, rate_text: Callable[[ProcessorRecord], str]
) -> Iterator[tuple[str, str, str, str]]:
    mapping = group.mapping
    assert mapping is not None, "fusions have lines of their own"
    units = ",".join(map(rate_text, group.processors))
    blocks = f"{mapping.blocks.decisions.text or '1'} [{mapping.blocks.scan}]"
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
    extras += ["overlaps computed again"] if mapping.recompute else []
    if extras:
        yield f"   {', '.join(extras)}", "", "", ""


def _more(result: Result, shown: int) -> Iterator[tuple[str, str]]:
    """Where the designs are that the table leaves out."""
    if left := len(result.pareto) - shown:
        name = result.objectives[-1]
        bound = f'--pick "{name} {">=" if grows(name) else "<="} NUMBER"'
        yield "more", f"{counted(left, 'design')} of the front in {TABLE}; {bound} takes one within bounds"


def _facts(result: Result) -> Iterator[tuple[str, str]]:
    yield "space", _space(result)
    yield from _partitions(result)
    if result.is_mapped:
        priced, infeasible = f"{rounded(result.evaluated)} {result.counted} priced", rounded(result.infeasible)
        yield "searched", f"{priced}, {infeasible} infeasible, {rounded(result.pruned)} pruned"
    else:
        designs = counted(result.evaluated + result.infeasible, "design")
        yield "evaluated", f"{designs}, {result.infeasible:,} of them infeasible"
    if result.infeasible_example:
        yield "infeasible", f"for example {result.infeasible_example.text}"
    if result.comparisons and not result.is_mapped:
        yield "compared", _comparisons(result.comparisons)
    elif result.comparisons and result.comparisons.subspaces is not None:
        pairs = result.comparisons
        yield "compared", f"{pairs.subspaces:,} ordered pairs by subspaces, against {pairs.all_pairs:,} all with all"
    if result.is_mapped:
        yield "verified", _verification(result)
    yield "hypervolume", _hypervolume(result)
    yield from _bounds(result)
    yield "platform", result.platform
    yield from _device(result)
    yield from _slack(result)
    if result.technology is not None:
        yield "technology", technology_text(result)
    for remark in result.remarks:
        yield "", remark
    if result.is_mapped:
        yield "method", f"{result.method}: {result.method_reason}"
    yield "model", f"{result.model}; {_strength(result)}: {result.method_description}"
    yield from _without_steps(result) if result.is_mapped else _steps(result)


def _slack(result: Result) -> Iterator[tuple[str, str]]:
    """What stands for the designs that were found."""
    if result.searched is not None and result.space.study is not None:
        found = counted(result.searched, "design")
        yield (
            "slack",
            f"{found} found; shown are those with the least logic within {result.space.study['slack']:.1%} of each",
        )


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
    corner = ", ".join(f"{shown_figure(name, value)} {unit_of(name)}" for name, value in volume.reference.items())
    share = filled(result.pareto, result.objectives, volume)
    return f"{share:.1%} of the box up to {corner}, on logarithmic axes"


def _bounds(result: Result) -> Iterator[tuple[str, str]]:
    """How far each end of the front may be from the best that there is, and the front from any other."""
    bounds = result.bounds or {}
    for name, bound in bounds.items():
        if bound:
            end, beyond, best = ("most", "above", max) if grows(name) else ("least", "below", min)
            found = shown_figure(name, best(design.objectives[name] for design in result.pareto))
            yield "bound", f"{end} {name} {found} {unit_of(name)}; nothing {beyond} {shown_figure(name, bound)} exists"
    if len(bounds) == len(result.objectives):
        share = share_of_any(result.pareto, result.objectives, result.hypervolume, bounds)
        yield "", f"at least {share:.1%} of the hypervolume that any front has up to that corner"


def _strength(result: Result) -> str:
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


def unit_of(name: str) -> str:
    """The unit of a figure; a cost without one has its name."""
    unit = figure.unit if (figure := known_figure(name)) is not None else cost_unit(name)
    return "µs" if unit == "us" else unit


def shown_figure(name: str, value: float) -> str:
    """A figure's number."""
    return f"{value:,}" if isinstance(value, int) else f"{value:,.1f}"
