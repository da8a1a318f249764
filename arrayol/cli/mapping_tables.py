"""An exploration with the machine model as text: the front as a table, and what was done to find it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from rich.box import SIMPLE_HEAD
from rich.table import Table

from arrayol.cli.terminal import facts_table, print_parts
from dse.counted_text import counted, rounded
from dse.evenly import evenly
from dse.figures import MACHINE
from dse.mapping_result import GroupRecord, MappingResult

SHOWN_AT_MOST = 12  # designs of the front; the result folder holds all


def show_mapping(result: MappingResult, written: str) -> None:
    """Print an exploration on stdout, as wide as the terminal or COLUMNS say."""
    print_parts(_heading(result), _front_table(result), facts_table([*_facts(result), ("written", written)]))


def _heading(result: MappingResult) -> str:
    shown = f"; {SHOWN_AT_MOST} of them shown" if len(result.pareto) > SHOWN_AT_MOST else ""
    bounds = f", within {', '.join(result.constraints)}" if result.constraints else ""
    front = counted(len(result.pareto), "design")
    return f"{result.top}: {front} on the Pareto front of {', '.join(result.objectives)}{bounds}{shown}"


def _front_table(result: MappingResult) -> Table:
    """Each design: its figures, its groups with their blocks, and where its time goes."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="")
    table.add_column("design", overflow="fold", max_width=14)
    for name in result.objectives:
        table.add_column(f"{_title(name)}\n{unit_of(name)}", justify="right", no_wrap=True)
    table.add_column("group and its tasks", overflow="fold")
    table.add_column("units", no_wrap=True)
    table.add_column("block\nscan", overflow="fold")
    table.add_column("waits for", overflow="fold")
    for design in evenly(result.pareto, SHOWN_AT_MOST):
        figures = [shown_figure(name, design.objectives[name]) for name in result.objectives]
        lines = [line for number, group in enumerate(design.groups, 1) for line in _group_lines(number, group)]
        head = [design.id, *figures]
        for first, line in zip_longest([head], lines, fillvalue=None):
            table.add_row(*(first or [""] * len(head)), *(line or ("", "", "", "")))
        table.add_section()
    return table


def _group_lines(number: int, group: GroupRecord) -> Iterator[tuple[str, str, str, str]]:
    units = ",".join(str(processor.units) for processor in group.processors)
    blocks = f"{'x'.join(map(str, group.blocks.shape)) or '1'} [{group.blocks.scan}]"
    yield f"{number}: {', '.join(group.tasks)}", units, blocks, _share(group)
    for processor in group.processors:
        if processor.cut is not None:
            shape = "x".join(map(str, processor.cut.shape))
            yield f"   {processor.task} in blocks of its own", "", f"{shape} [{processor.cut.scan}]", ""
    extras = [f"FIFO {name}" for name in group.fifos]
    extras += [f"{layout.array} in {layout.banks} banks" for layout in group.layouts]
    extras += [f"policy {group.policy}"] if group.policy != "reuse" else []
    extras += ["overlaps computed again"] if group.recompute else []
    if extras:
        yield f"   {', '.join(extras)}", "", "", ""


def _share(group: GroupRecord) -> str:
    """What ends the steps of most of the group's cycles, and of how many."""
    name = max(group.ends, key=group.ends.__getitem__, default="")
    return f"{name} {group.ends[name] / group.latency_cycles:.0%}" if name and group.latency_cycles else ""


def _facts(result: MappingResult) -> Iterator[tuple[str, str]]:
    yield "space", space_text(result)
    yield (
        "searched",
        (
            f"{rounded(result.evaluated)} {result.counted} priced, {rounded(result.infeasible)} infeasible, "
            f"{rounded(result.pruned)} pruned"
        ),
    )
    if result.infeasible_example:
        example = result.infeasible_example
        yield "infeasible", f"such as {', '.join(example.tasks)}: {example.reason}"
    if result.comparisons is not None and result.comparisons.subspaces is not None:
        pairs = result.comparisons
        yield "compared", f"{pairs.subspaces:,} ordered pairs by subspaces, against {pairs.all_pairs:,} all with all"
    yield "verified", verification_text(result)
    reference = result.hypervolume.reference
    corner = ", ".join(f"{shown_figure(name, value)} {unit_of(name)}" for name, value in reference.items())
    yield "hypervolume", f"{result.hypervolume.value:.6g} up to {corner}"
    yield "platform", result.platform
    for remark in result.remarks:
        yield "", remark
    yield "method", f"{result.method}: {result.method_reason}"
    yield "model", f"machine; {_strength(result)}: {result.how}"


def _strength(result: MappingResult) -> str:
    """How much the front is worth."""
    if result.evolution is not None:
        return "heuristic"
    return "exact" if result.exact else "bounded"


def space_text(result: MappingResult) -> str:
    """The size of what was searched."""
    space = result.space
    fusions = "fusions" if space.fusions is None else counted(space.fusions, "fusion")
    whole = "" if space.whole_designs is None else f", {rounded(space.whole_designs)} whole designs"
    groups = counted(space.groups, "group")
    return f"{fusions} of {counted(len(space.tasks), 'task')}: {groups}, {space.group_designs:,} group designs{whole}"


def verification_text(result: MappingResult) -> str:
    """How many designs of the front the simulator has run."""
    good = sum(1 for design in result.pareto if design.verified)
    reasons = {design.verification for design in result.pareto if design.verification}
    return f"{good} of {len(result.pareto)} simulated" + "".join(f"; {reason}" for reason in sorted(reasons))


def unit_of(name: str) -> str:
    """The unit of a figure; a cost's is its name."""
    unit = MACHINE[name].unit if name in MACHINE else name
    return "µs" if unit == "us" else unit


def shown_figure(name: str, value: float) -> str:
    """A figure's number."""
    return f"{value:,}" if isinstance(value, int) else f"{value:,.1f}"


def _title(name: str) -> str:
    return MACHINE[name].title if name in MACHINE else "cost"
