"""A simulation as text: cycles by group beside the model's, and how full each memory was."""

from __future__ import annotations

from collections.abc import Iterator

from rich.box import SIMPLE_HEAD
from rich.table import Table

from arrayol import api
from arrayol.cli.tables import print_parts

_IDENTICAL = {
    True: "identical to the reference execution",
    False: "DIFFERS from the reference execution",
    None: "not computed: data moved as tokens",
}


def show_simulation(opened: api.StoredDesign, found: api.Simulated) -> None:
    """Print a simulation on stdout, as wide as the terminal or COLUMNS say."""
    print_parts(_heading(opened, found), _groups(found), _memories(found), _facts(opened, found))


def _heading(opened: api.StoredDesign, found: api.Simulated) -> str:
    return f"{opened.top} {opened.record.id}: {found.found.cycles:,} cycles{_time(found.found.cycles, opened)}"


def _time(cycles: int, opened: api.StoredDesign) -> str:
    clock = opened.platform.clock_mhz
    return f", {cycles / clock:,.1f} µs" if clock else ""


def _groups(found: api.Simulated) -> Table:
    """Cycles and steps of each group, as simulated and as the model says."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="")
    table.add_column("group and its tasks", overflow="fold")
    for header in ("simulated\ncycles", "model\ncycles", "steps"):
        table.add_column(header, justify="right", no_wrap=True)
    for number, (run, group) in enumerate(zip(found.found.groups, found.estimate.groups, strict=True), 1):
        tasks = ", ".join(group.tasks)
        table.add_row(f"{number}: {tasks}", f"{run.cycles:,}", f"{group.latency_cycles:,}", f"{len(run.lengths):,}")
    return table


def _memories(found: api.Simulated) -> Table:
    """The fullest that each memory was, beside its size."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="")
    table.add_column("memory", overflow="fold")
    for header in ("fullest\ndata", "size\ndata"):
        table.add_column(header, justify="right", no_wrap=True)
    for number, (run, group) in enumerate(zip(found.found.groups, found.estimate.groups, strict=True), 1):
        for use in group.memories:
            peak = run.peaks.get((use.kind, use.name), 0)
            table.add_row(f"{number}: {use.kind} {use.name}", f"{peak:,}", f"{use.data:,}")
    return table


def _facts(opened: api.StoredDesign, found: api.Simulated) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for word, text in _lines(opened, found):
        table.add_row(word, text)
    return table


def _lines(opened: api.StoredDesign, found: api.Simulated) -> Iterator[tuple[str, str]]:
    yield "output", _IDENTICAL[found.found.identical]
    yield "model", "disagrees" if found.mismatches else "agrees: the same cycles, every memory as full as its size"
    yield "platform", opened.platform_name
