"""`arrayol transfers`: what each tile of a loop nest loads and stores, what that costs, and its C."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping
from io import TextIOWrapper
from math import prod
from pathlib import Path

import click
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from arrayol import api
from arrayol.cli.options import json_option, picture_option, platform_option, set_option, spec_argument
from arrayol.files import atomic_file
from arrayol.tiling.allocation import Allocation, Modulus
from arrayol.tiling.nest import TiledNest
from arrayol.tiling.polynomials import Formula
from hwmodel.transfers.overlap import synchronisations
from hwmodel.transfers.report import ArrayReport, Report, Side
from hwmodel.transfers.study import shown

# The transfers of a nest as text: the sets of each tile, sizes, allocations, policies and synchronisations.

_PIPED_WIDTH = 120
_POLICIES = {
    "remote": "every access",
    "tile": "per tile",
    "strip-reuse": "strip reuse",
    "whole-strip": "whole strip",
}


def show(found: Report) -> None:
    """Print a report on stdout, as wide as the terminal or COLUMNS say."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    for line in _lines(found):
        click.echo(line.rstrip())
    if found.policies:
        width = None if sys.stdout.isatty() or "COLUMNS" in os.environ else _PIPED_WIDTH
        console = Console(width=width, markup=False, emoji=False, highlight=False)
        with console.capture() as text:
            console.print("", _policy_table(found), sep="\n")
        click.echo("\n".join(line.rstrip() for line in text.get().splitlines()))
        for line in _synchronisation_lines():
            click.echo(line)
        click.echo(f"\nplatform  {found.platform}")


def _lines(found: Report) -> Iterator[str]:
    nest = found.nest
    counts = (
        "" if found.strips is None else f": {_counted(found.strips, 'strip')}, {_counted(found.tiles or 0, 'tile')}"
    )
    yield f"{nest.name} {shown(nest)}{counts}"
    yield _tiles_line(nest)
    yield f"tiles where {found.tiles_where}"
    if nest.before or nest.after:
        yield "; ".join(_around(nest))
    if found.simplified:
        yield "simplified: one polyhedron for each array and set"
    if found.remark:
        yield found.remark
    for one in found.arrays.values():
        yield ""
        yield from _array_lines(one)


def _tiles_line(nest: TiledNest) -> str:
    """What the coordinates of a tile mean."""
    names = nest.tile_names
    inner = names[nest.depth - nest.strip_dims :]
    kinds = ["starts at" if origin else "numbers" for origin in nest.by_origin]
    parts = [f"{name} {kind} dimension {place}" for place, (name, kind) in enumerate(zip(names, kinds, strict=True), 1)]
    return f"tiles: {', '.join(parts)} of the schedule; a strip runs along {' and '.join(inner)}"


def _around(nest: TiledNest) -> Iterator[str]:
    for numbers, word in ((nest.before, "before"), (nest.after, "after")):
        if numbers:
            noun = "statement" if len(numbers) == 1 else "statements"
            verb = "runs" if len(numbers) == 1 else "run"
            yield f"{noun} {', '.join(map(str, numbers))} {verb} {word} all tiles"


def _array_lines(found: ArrayReport) -> Iterator[str]:
    array = found.array
    lengths = [length for length in array.shape if length is not None]
    shape = f"[{', '.join(map(str, lengths))}]" if lengths else ""
    approximated = "" if found.exact else "; accesses known only approximately"
    yield f"{array.name}: {array.type}{shape}, {array.role}{approximated}"
    for word, side in (("load", found.load), ("store", found.store)):
        yield from _side_lines(word, side)
    yield from _size_lines(found)


def _side_lines(word: str, side: Side) -> Iterator[str]:
    for place, line in enumerate(side.lines or ("nothing",)):
        yield f"  {word if not place else '':<8}{line}"
    if side.tree is not None and side.lines:
        yield f"  {'':<8}as a tree: the tile that {word}s an element"
        for line in side.tree.splitlines():
            yield f"  {'':<10}{line}"


def _size_lines(found: ArrayReport) -> Iterator[str]:
    if found.load.total is not None and found.store.total is not None:
        size = prod(length for length in found.array.shape if length is not None)
        yield f"  moved   {found.load.total:,} loaded, {found.store.total:,} stored over all tiles; it has {size:,}"
    else:
        for word, side in (("loaded", found.load), ("stored", found.store)):
            if side.lines:
                yield from _formula_lines(word, "per tile", side.per_tile)
                yield from _formula_lines("", "in all", side.summed)
        yield from _formula_lines("kept", "per tile", found.live)
        for axis, modulus in enumerate(found.moduli or ()):
            yield from _formula_lines(
                "" if axis else "modulo", f"of x{axis}" if len(found.moduli or ()) > 1 else "", modulus
            )
    for word, allocation in (("kept", found.serial), ("doubled", found.overlapped)):
        if allocation is not None:
            slots = f"{_counted(allocation.size, 'slot')}{_slot(allocation)}"
            yield f"  {word:<8}{allocation.live:,} alive at most, in {slots}"
            yield f"  {'':<8}{allocation.reason}"


def _formula_lines(word: str, what: str, formula: Formula | Modulus | None) -> Iterator[str]:
    for line in ["no formula found"] if formula is None else str(formula).splitlines():
        yield f"  {word:<8}{what:<10}{line}"
        word = what = ""


def _slot(found: Allocation) -> str:
    """The slot of an element x0, x1, ..."""
    if not found.moduli:
        return ""
    axes = [f"x{axis}" for axis in range(len(found.matrix[0]))] if len(found.matrix[0]) > 1 else ["x"]
    texts = []
    for row, modulus in zip(found.matrix, found.moduli, strict=True):
        terms = [(factor, axis) for factor, axis in zip(row, axes, strict=True) if factor]
        form = " + ".join(_term(factor, axis) for factor, axis in terms).replace("+ -", "- ")
        texts.append(f"{form} mod {modulus}" if len(terms) == 1 else f"({form}) mod {modulus}")
    return f": {', '.join(texts)}"


def _term(factor: int, axis: str) -> str:
    return {1: axis, -1: f"-{axis}"}.get(factor, f"{factor} {axis}")


def _policy_table(found: Report) -> Table:
    """Remote accesses one by one; each tile for itself; reuse inside a strip; a strip as a whole before its tiles."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="")
    table.add_column("transfers", no_wrap=True)
    for header in ("data\nmoved", "bursts", "row\nchanges", "live\ndata", "cycles\noverlapped", "cycles\nin turn"):
        table.add_column(header, justify="right", no_wrap=True)
    for name, cost in found.policies.items():
        figures = (cost.data_moved, cost.bursts, cost.row_changes, cost.live, cost.cycles, cost.cycles_without_overlap)
        table.add_row(_POLICIES[name], *("-" if one is None else f"{one:,}" for one in figures))
    return table


def _synchronisation_lines() -> Iterator[str]:
    yield ""
    yield "double buffering: while tile T is computed, T + 1 is loaded and T - 1 is stored; each strip keeps this order"
    for one in synchronisations():
        later = f"T + {one.distance}" if one.distance else "T"
        order = f"{one.first} of T before {one.then} of {later}"
        yield f"  {order:<38}{one.reason}"


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


_EPILOG = """\b
A schedule gives each iteration of a statement a time, as in "N-j, i": sums of
range variables (r0, r1 ... of a repetition), consts and numbers, a dimension
after each comma. Tiles are boxes of times; they run one after the other, and
a strip is a run of tiles along the last dimension, or the last two.
"""


def _sizes(ctx: click.Context, param: click.Parameter, value: str) -> tuple[str, ...]:
    sizes = tuple(part.strip() for part in value.split(","))
    if not all(sizes):
        raise click.BadParameter(f"'{value}' is not B or B,B,...", ctx, param)
    return sizes


def _names(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(part.strip() for value in values for part in value.split(",")))
    if not all(names):
        raise click.BadParameter("a name is missing.", ctx, param)
    return names


@click.command(epilog=_EPILOG)
@spec_argument
@click.argument("task")
@click.option(
    "--schedule",
    "schedules",
    metavar="TIMES",
    multiple=True,
    help="When iterations run. One for each statement tiled, in textual order; without it, the order as written.",
)
@click.option(
    "--statement",
    "statements",
    metavar="K",
    type=int,
    multiple=True,
    help="Tile statement K of the body, counted from 1; the rest runs before and after. Repeatable.",
)
@click.option(
    "--tile",
    metavar="B",
    default="10",
    show_default=True,
    callback=_sizes,
    help="Times per tile in every dimension, or one size for each as 10,4. A name stays symbolic.",
)
@click.option("--symbolic", metavar="NAME", multiple=True, callback=_names, help="Keep a const symbolic. Repeatable.")
@click.option(
    "--strip-dims", type=click.IntRange(1, 2), default=1, show_default=True, help="Tile dimensions of a strip."
)
@click.option("--simplify", is_flag=True, help="One polyhedron per array and set: more is moved, by plainer loops.")
@click.option("--tree", is_flag=True, help="Show each set as a tree of conditions too.")
@platform_option
@picture_option("--plot", "Draw which tile moves which element, and the overlap, as .svg or .png.")
@click.option("--emit", type=click.Choice(["c"]), help="Print C that loads, computes and stores tile by tile.")
@click.option(
    "--out", metavar="FILE", type=click.Path(path_type=Path), help="With --emit: the file for the C, not stdout."
)
@set_option
@json_option
@click.pass_context
def command(  # noqa: PLR0913  one for each option
    ctx: click.Context,
    /,
    *,
    spec: Path,
    task: str,
    schedules: tuple[str, ...],
    statements: tuple[int, ...],
    tile: tuple[str, ...],
    symbolic: tuple[str, ...],
    strip_dims: int,
    simplify: bool,
    tree: bool,
    platform: Path | None,
    plot: Path | None,
    emit: str | None,
    out: Path | None,
    settings: Mapping[str, str],
    as_json: bool,
) -> None:
    """Find which data each tile of TASK in FILE loads and stores when data are reused inside a strip.

    TASK is an elementary task with a body or a repetitive task. A schedule that breaks a dependence is refused.
    """
    if out is not None and emit is None:
        raise click.UsageError("--out is for --emit c.", ctx)
    if emit is not None and as_json:
        raise click.UsageError("Give --emit c or --json, not both.", ctx)
    found = api.transfers(
        spec,
        task,
        schedules=schedules or None,
        statements=statements or None,
        tile=tile,
        symbolic=symbolic,
        strip_dims=strip_dims,
        simplify=simplify,
        settings=settings,
    )
    if found.remark:
        click.echo(found.remark, err=True)
    if emit is not None:
        _write_c(found, out)
    elif as_json:
        click.echo(json.dumps(found.report(platform, trees=tree).to_json(), indent=2))
    else:
        show(found.report(platform, trees=tree))
    if plot is not None:
        found.plot(plot, platform)
        click.echo(f"wrote {plot}", err=True)


def _write_c(found: api.Transfers, out: Path | None) -> None:
    text = found.c()
    if out is None:
        click.echo(text, nl=False)
        return
    with atomic_file(out) as temporary:
        temporary.write_text(text, encoding="utf-8")
    click.echo(f"wrote {out}", err=True)
