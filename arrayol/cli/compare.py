"""`arrayol compare`: two results side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import click
from rich.table import Table

from arrayol.cli.mapping_tables import shown_figure, unit_of
from arrayol.cli.options import json_option
from arrayol.cli.terminal import print_parts
from dse.compare import Comparison, Kept, compare, shown_fusion
from dse.comparison_store import comparison_text, require_comparison_folder, write_comparison
from dse.counted_text import counted
from dse.points import AnyDesign, AnyResult
from dse.store import load_result

SHOWN_AT_MOST = 8  # designs of a kind; the document holds all


@click.command()
@click.argument("first", metavar="DIR", type=click.Path(path_type=Path))
@click.argument("second", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--out",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="The folder for document and plot.  [default: FIRST-SECOND-compare]",
)
@json_option
def command(first: Path, second: Path, out: Path | None, *, as_json: bool) -> None:
    """Compare the Pareto fronts of two results of `arrayol explore`: of two platforms, models or versions of a spec.

    Designs of the second front that the first lacks are gained, the others lost. Both hypervolumes are up to one
    reference. DIR receives comparison.json, comparison.png and comparison.svg.
    """
    names = (_name(first), _name(second))
    folder = out if out is not None else Path(f"{names[0]}-{names[1]}-compare")
    found = compare(load_result(first), load_result(second))
    require_comparison_folder(folder)
    shown = (str(first), str(second))
    files = write_comparison(found, shown, folder)
    if as_json:
        click.echo(comparison_text(found, shown), nl=False)
        return
    written = f"{folder}: {', '.join(file.name for file in files)}"
    print_parts(_heading(found), _facts_table(found, shown, written), *_designs(found, shown))


def _name(folder: Path) -> str:
    return folder.resolve().name or "root"


def _heading(found: Comparison) -> str:
    noun = "design" if found.by == "decisions" else "fusion"
    counts = f"{counted(len(found.gained), noun)} gained, {len(found.lost):,} lost, {len(found.kept):,} on both fronts"
    return f"{counts} of {', '.join(found.objectives)}"


def _facts_table(found: Comparison, names: tuple[str, str], written: str) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for word, text in _facts(found, names):
        table.add_row(word, text)
    table.add_row("written", written)
    return table


def _facts(found: Comparison, names: tuple[str, str]) -> Iterator[tuple[str, str]]:
    for word, name, result in zip(("first", "second"), names, (found.first, found.second), strict=True):
        yield word, f"{name}: {_label(result)}; {counted(len(result.pareto), 'design')}"
    small, large = found.volumes
    corner = ", ".join(f"{shown_figure(name, value)} {unit_of(name)}" for name, value in found.reference.items())
    change = f" ({large / small - 1:+.2%})" if small else ""
    yield "hypervolume", f"{small:.6g} and {large:.6g}{change}, up to {corner}"
    yield "dominated", f"{found.dominated[0]} of the first front by the second, {found.dominated[1]} the other way"
    yield "same design", f"with the same {found.by}"
    yield "fusions gained", "; ".join(found.fusions_gained) or "none"
    yield "fusions lost", "; ".join(found.fusions_lost) or "none"


def _label(result: AnyResult) -> str:
    constants = ", ".join(f"{name} = {value}" for name, value in result.constants.items())
    spec = f"{result.spec} ({constants})" if constants else result.spec
    return f"task {result.top} of {spec}, {result.model} model, platform {result.platform}"


def _designs(found: Comparison, names: tuple[str, str]) -> Iterator[Table]:
    """A table for each kind of design there is."""
    if found.gained:
        yield _table(f"gained: only in {names[1]}", found.gained, found.objectives)
    if found.lost:
        yield _table(f"lost: only in {names[0]}", found.lost, found.objectives)
    moved = [one for one in found.kept if _moved(one, found.objectives)]
    if moved:
        yield _changes(moved, found.objectives)


def _moved(one: Kept, objectives: Sequence[str]) -> bool:
    return any(one.before.objectives[name] != one.after.objectives[name] for name in objectives)


def _table(title: str, designs: Sequence[AnyDesign], objectives: Sequence[str]) -> Table:
    rows = [
        [design.id, *(_figure(design, name) for name in objectives), shown_fusion(design)]
        for design in designs[:SHOWN_AT_MOST]
    ]
    return _grid(title, rows, len(designs))


def _changes(moved: Sequence[Kept], objectives: Sequence[str]) -> Table:
    rows = [
        [
            one.before.id if one.before.id == one.after.id else f"{one.before.id}, now {one.after.id}",
            *(
                " -> ".join(dict.fromkeys(_figure(side, name) for side in (one.before, one.after)))
                for name in objectives
            ),
            shown_fusion(one.after),
        ]
        for one in moved[:SHOWN_AT_MOST]
    ]
    return _grid("on both, with other figures", rows, len(moved))


def _figure(design: AnyDesign, name: str) -> str:
    return f"{shown_figure(name, design.objectives[name])} {unit_of(name)}"


def _grid(title: str, rows: Sequence[Sequence[str]], count: int) -> Table:
    more = f" (the first {len(rows)} of {count:,})" if count > len(rows) else ""
    table = Table.grid(padding=(0, 2))
    table.title, table.title_justify, table.title_style = f"{title}{more}", "left", ""
    table.add_column(overflow="fold")
    for _ in rows[0][1:-1]:
        table.add_column(justify="right", no_wrap=True)
    table.add_column(overflow="fold")
    for row in rows:
        table.add_row(*row)
    return table
