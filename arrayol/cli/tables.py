"""An exploration as text: the front as a table, and what was done to find it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from math import prod

from rich.box import SIMPLE_HEAD
from rich.table import Table

from arrayol.cli.terminal import facts_table, print_parts
from dse.counted_text import counted
from dse.objectives import LATENCY, MICROSECONDS, PUBLISHED
from dse.pareto import COMPARED_AT_MOST
from dse.result import Design, Result

SHOWN_AT_MOST = 20  # designs of the front; the result folder holds all
STEPS_SHOWN_AT_MOST = 5
_BITS_PER_KIB = 8 * 1024


def show(result: Result, written: str) -> None:
    """Print an exploration on stdout, as wide as the terminal or COLUMNS say."""
    print_parts(_heading(result), _front_table(result), facts_table([*_facts(result), ("written", written)]))


def _front_table(result: Result) -> Table:
    """The Pareto front: a line for each group, or for each task of a group whose figures differ."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="")
    table.add_column("design", overflow="fold", max_width=18)
    table.add_column("group and its tasks", overflow="fold")
    for header in ("N_cu\nunits", "X_out\ndata/unit", "AL\ncycles", "IM\ndata"):
        table.add_column(header, justify="right", no_wrap=True)
    for design in result.pareto[:SHOWN_AT_MOST]:
        columns = ([design.id], _decisions(design), _latency(design), _memory(design))
        for name, decisions, latency, memory in zip_longest(*columns):
            table.add_row(name, *(decisions or ("", "", "")), latency, memory)
        table.add_section()
    return table


def _decisions(design: Design) -> list[tuple[str, str, str]]:
    """Lines of tasks, N_cu and X_out, then the arrays that are kept whole."""
    lines: list[tuple[str, str, str]] = []
    for number, group in enumerate(design.fusion, 1):
        figures = [(f"{design.units[task]:,}", f"{design.block_data[task]:,}") for task in group]
        if len(set(figures)) == 1:
            lines.append((f"{number}: {', '.join(group)}", *figures[0]))
            continue
        indent = " " * len(f"{number}: ")
        for place, (task, figure) in enumerate(zip(group, figures, strict=True)):
            lead = indent if place else f"{number}: "
            lines.append((f"{lead}{task}{',' if place < len(group) - 1 else ''}", *figure))
    if design.whole_arrays_data:
        lines.append((f"{', '.join(design.whole_arrays_data)} kept whole", "", ""))
    return lines


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


def _facts(result: Result) -> Iterator[tuple[str, str]]:
    space = result.space
    fusions, tasks = counted(space.fusions, "legal fusion"), counted(len(space.tasks), "task")
    yield "space", f"{fusions} of {tasks}, in {counted(len(space.subspaces), 'subspace')} by number of groups"
    yield "evaluated", f"{counted(result.evaluated, 'design')}, {result.infeasible:,} of them infeasible"
    if result.infeasible_example:
        fusion = " | ".join(", ".join(group) for group in result.infeasible_example.fusion)
        yield "infeasible", f"such as {fusion}: {result.infeasible_example.reason}"
    yield "compared", _comparisons(result)
    yield "hypervolume", _hypervolume(result)
    yield "platform", result.platform
    for remark in result.remarks:
        yield "", remark
    yield "model", f"{result.model}; {'exact' if result.exact else 'not exact'}: {result.method}"
    yield from _steps(result)


def _steps(result: Result) -> Iterator[tuple[str, str]]:
    """The transformations that make the first designs of the front, or why there are none."""
    found = [
        design for design in result.pareto[:STEPS_SHOWN_AT_MOST] if design.steps is not None or design.steps_remark
    ]
    for place, design in enumerate(found):
        steps = "; ".join(design.steps) or "as written" if design.steps is not None else f"none: {design.steps_remark}"
        yield "" if place else "steps", f"{design.id}: {steps}"


def _comparisons(result: Result) -> str:
    pairs = result.comparisons
    limit = f"more than {COMPARED_AT_MOST:,} designs"
    if pairs.subspaces is None:
        return f"by sorting, as a subspace or its survivors hold {limit}: pairs were not counted"
    text = f"{counted(pairs.subspaces, 'ordered pair')} subspace by subspace"
    if pairs.all_pairs is None:
        return f"{text}; all with all was not run, as there are {limit}"
    return f"{text}, against {pairs.all_pairs:,} all with all"


def _hypervolume(result: Result) -> str:
    """The volume and how much of the box between zero and the reference point it fills."""
    reference = result.hypervolume.reference
    units = " x ".join(PUBLISHED[name].unit for name in reference)
    corner = ", ".join(f"{value:,} {PUBLISHED[name].unit}" for name, value in reference.items())
    share = result.hypervolume.value / prod(reference.values())
    return f"{result.hypervolume.value:.6g} {units} up to {corner} ({share:.1%} of that box)"


def _heading(result: Result) -> str:
    """One line above the table."""
    feasible = result.evaluated - result.infeasible
    shown = f", the first {SHOWN_AT_MOST} of them" if len(result.pareto) > SHOWN_AT_MOST else ""
    names = ", ".join(result.objectives)
    return (
        f"{result.top}: {len(result.pareto):,} of {counted(feasible, 'design')} on the Pareto front of {names}{shown}"
    )
