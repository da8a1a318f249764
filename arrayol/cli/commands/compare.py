"""`arrayol compare`: two results side by side."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import click
from rich.table import Table

from arrayol import api
from arrayol.cli.options import PLACE, folders, json_option, warn
from arrayol.cli.result_text import unit_of
from arrayol.cli.tables import NameTable, facts_table, print_parts
from arrayol.files import resolved
from arrayol.text import counted, figure_text
from dse.output.comparison import comparison_text, require_comparison_folder, write_comparison
from dse.output.folder import load_result
from dse.results.compare import Comparison, Pair, shown_fusion
from dse.results.designs import Design
from dse.results.schema import Result

SHOWN_AT_MOST = 8  # designs of a kind; the document holds all


@click.command()
@click.argument("first", metavar="DIR", type=PLACE, shell_complete=folders)
@click.argument("second", metavar="DIR", type=PLACE, shell_complete=folders)
@click.option(
    "--out",
    metavar="DIR",
    type=PLACE,
    shell_complete=folders,
    help="The folder for document and plot.  [default: FIRST-SECOND-compare]",
)
@json_option
def command(first: Path, second: Path, out: Path | None, *, as_json: bool) -> None:
    """Compare the Pareto fronts of two results of `arrayol explore`, for example of two platforms, methods or studies.

    Only objectives of both results count. "Gained" are points of the second front that the first lacks; "lost" are
    points of the first front that the second lacks. Both hypervolumes have the same reference. A warning says if the
    results are of different specifications, tasks or sizes. The folder gets comparison.json, comparison.png and
    comparison.svg.
    """
    names = (_name(first), _name(second))
    folder = out if out is not None else Path(f"{names[0]}-{names[1]}-compare")
    comparison = api.compare(load_result(first, warn), load_result(second, warn), warn)
    require_comparison_folder(folder)
    shown = (str(first), str(second))
    files = write_comparison(comparison, shown, folder)
    if as_json:
        click.echo(comparison_text(comparison, shown), nl=False)
        return
    written = f"{folder}: {', '.join(file.name for file in files)}"
    facts = facts_table([*_facts(comparison, shown), ("written", written)])
    print_parts(_heading(comparison), facts, *_designs(comparison, shown))


def _name(folder: Path) -> str:
    return resolved(folder).name or "root"


def _heading(comparison: Comparison) -> str:
    lines = [f"warning: {warning.message}\n" for warning in comparison.warnings]
    return "\n".join([*lines, comparison.heading])


def _facts(comparison: Comparison, names: tuple[str, str]) -> Iterator[tuple[str, str]]:
    for word, name, result in zip(("first", "second"), names, (comparison.first, comparison.second), strict=True):
        yield word, f"{name}: {_label(result)}; {counted(len(result.pareto), 'design')}"
    small, large = comparison.volumes
    corner = ", ".join(f"{figure_text(value)} {unit_of(name)}" for name, value in comparison.reference.items())
    change = f" ({large / small - 1:+.2%})" if small else ""
    yield "hypervolume", f"{small:.6g} and {large:.6g}{change} on logarithmic axes, up to {corner}"
    yield (
        "dominated",
        f"{comparison.dominated[0]:,} of the first front by the second, {comparison.dominated[1]:,} the other way",
    )
    yield "on both", _both(comparison)
    yield "fusions gained", "; ".join(comparison.fusions_gained) or "none"
    yield "fusions lost", "; ".join(comparison.fusions_lost) or "none"
    for remark in comparison.remarks:
        yield "remark", remark


def _both(comparison: Comparison) -> str:
    """How the points of both fronts are reached, and the designs that are on both at other points."""
    other = len(comparison.reached_otherwise)
    same = f"{counted(len(comparison.kept) - other, 'point')} with the same {comparison.by}"
    moved = counted(len(comparison.moved), "design" if comparison.by == "decisions" else "fusion")
    return f"{same}, {other:,} reached otherwise; {moved} with other figures"


def _label(result: Result) -> str:
    constants = ", ".join(f"{name} = {value}" for name, value in result.constants.items())
    spec = f"{result.spec} ({constants})" if constants else result.spec
    return f"task {result.top} of {spec}, {result.model} model, platform {result.platform}"


def _designs(comparison: Comparison, names: tuple[str, str]) -> Iterator[Table]:
    """A table for each kind of design there is."""
    if comparison.gained:
        yield _table(f"gained: only in {names[1]}", comparison.gained, comparison.objectives)
    if comparison.lost:
        yield _table(f"lost: only in {names[0]}", comparison.lost, comparison.objectives)
    if comparison.reached_otherwise:
        title = f"on both, reached by other {'decisions' if comparison.by == 'decisions' else 'fusions'}"
        yield _pairs(title, comparison.reached_otherwise, comparison.objectives)
    if comparison.moved:
        yield _pairs("on both, with other figures", comparison.moved, comparison.objectives)


def _table(title: str, designs: Sequence[Design], objectives: Sequence[str]) -> Table:
    rows = [
        [design.id, *(_figure(design, name) for name in objectives), shown_fusion(design)]
        for design in designs[:SHOWN_AT_MOST]
    ]
    return _grid(title, rows, len(designs))


def _pairs(title: str, pairs: Sequence[Pair], objectives: Sequence[str]) -> Table:
    rows = [
        [
            pair.before.id if pair.before.id == pair.after.id else f"{pair.before.id}, now {pair.after.id}",
            *(_change(_figure(side, name) for side in (pair.before, pair.after)) for name in objectives),
            _change(map(shown_fusion, (pair.before, pair.after))),
        ]
        for pair in pairs[:SHOWN_AT_MOST]
    ]
    return _grid(title, rows, len(pairs))


def _change(sides: Iterable[str]) -> str:
    return " -> ".join(dict.fromkeys(sides))


def _figure(design: Design, name: str) -> str:
    return f"{figure_text(design.objectives[name])} {unit_of(name)}"


def _grid(title: str, rows: Sequence[Sequence[str]], count: int) -> Table:
    more = f" (the first {len(rows)} of {count:,})" if count > len(rows) else ""
    table = NameTable.grid(padding=(0, 2))
    table.title, table.title_justify, table.title_style = f"{title}{more}", "left", ""
    table.add_column(overflow="fold")
    for _ in rows[0][1:-1]:
        table.add_column(justify="right", no_wrap=True)
    table.add_column(overflow="fold")
    for row in rows:
        table.add_row(*row)
    return table
