"""`arrayol transfers`: what each tile of a loop nest loads and stores, what that costs, and its C."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from math import prod
from pathlib import Path

import click
from rich.table import Table

from arrayol import api
from arrayol.cli.options import (
    PLACE,
    json_option,
    picture_option,
    platform_option,
    set_option,
    spec_argument,
    task_names,
    tell,
    warn_of_idle,
)
from arrayol.cli.tables import Unwrapped, headed_table, print_parts
from arrayol.files import atomic_file
from arrayol.ir.spec import written_name
from arrayol.text import counted, listed
from arrayol.tiling.allocation import Allocation, Modulus
from arrayol.tiling.nest import TiledNest
from arrayol.tiling.polynomials import Formula
from hwmodel.transfers.overlap import SYNCHRONISATIONS
from hwmodel.transfers.report import ArrayReport, Report, Side
from hwmodel.transfers.study import nest_text

_POLICIES = {
    "remote": "every access",
    "tile": "per tile",
    "strip-reuse": "strip reuse",
    "whole-strip": "whole strip",
}


def _show(report: Report) -> None:
    """Print a report on stdout, as wide as the terminal or COLUMNS say."""
    sets = Unwrapped("\n".join(_lines(report)))
    if report.policies:
        order = Unwrapped("\n".join(_synchronisation_lines()))
        keeps = [_keep_table(report)] if report.keeps else []
        print_parts(sets, _policy_table(report), *keeps, order, Unwrapped(f"platform  {report.platform}"))
    else:
        print_parts(sets)


def _lines(report: Report) -> Iterator[str]:
    nest = report.nest
    counts = (
        "" if report.strips is None else f": {counted(report.strips, 'strip')}, {counted(report.tiles or 0, 'tile')}"
    )
    yield f"{nest.name} {nest_text(nest)}{counts}"
    yield _tiles_line(nest)
    yield f"tiles where {report.tiles_where}"
    if nest.before or nest.after:
        yield "; ".join(_enclosing(nest))
    if report.simplified:
        yield "simplified: one polyhedron for each array and set"
    if report.remark:
        yield report.remark
    for array in report.arrays.values():
        yield ""
        yield from _array_lines(array)


def _tiles_line(nest: TiledNest) -> str:
    """What the coordinates of a tile mean."""
    names = nest.tile_names
    inner = names[nest.depth - nest.strip_dims :]
    kinds = ["starts at" if origin else "numbers" for origin in nest.by_origin]
    parts = [f"{name} {kind} dimension {place}" for place, (name, kind) in enumerate(zip(names, kinds, strict=True), 1)]
    return f"tiles: {', '.join(parts)} of the schedule; a strip runs along {listed(inner)}"


def _enclosing(nest: TiledNest) -> Iterator[str]:
    for numbers, word in ((nest.before, "before"), (nest.after, "after")):
        if numbers:
            subject, verb = ("statement", "runs") if len(numbers) == 1 else ("statements", "run")
            yield f"{subject} {', '.join(map(str, numbers))} {verb} {word} all tiles"


def _array_lines(array: ArrayReport) -> Iterator[str]:
    declared = array.array
    lengths = [length for length in declared.shape[len(declared.around) :] if length is not None]
    shape = f"[{', '.join(map(str, lengths))}]" if lengths else ""
    around = f", a new one for each {listed([outer.name for outer in declared.around])}" if declared.around else ""
    approximated = "" if array.exact else "; accesses known only approximately"
    yield f"{written_name(declared.name)}: {declared.type}{shape}, {declared.role}{around}{approximated}"
    if declared.is_local:
        if array.from_strip_to_strip:
            yield "  lives   from strip to strip"
    else:
        for word, side in (("load", array.load), ("store", array.store)):
            yield from _side_lines(word, side)
        yield from _moved_lines(array)
    yield from _size_lines(array)


def _side_lines(word: str, side: Side) -> Iterator[str]:
    for place, line in enumerate(side.lines or ("nothing",)):
        yield f"  {word if not place else '':<8}{line}"
    if side.tree is not None and side.lines:
        yield f"  {'':<8}as a tree: the tile that {word}s an element"
        for line in side.tree.splitlines():
            yield f"  {'':<10}{line}"


def _moved_lines(array: ArrayReport) -> Iterator[str]:
    if array.load.total is not None and array.store.total is not None:
        size = prod(length for length in array.array.shape if length is not None)
        yield f"  moved   {array.load.total:,} loaded, {array.store.total:,} stored over all tiles; it has {size:,}"
    else:
        for word, side in (("loaded", array.load), ("stored", array.store)):
            if side.lines:
                yield from _formula_lines(word, "per tile", side.per_tile)
                yield from _formula_lines("", "in all", side.summed)


def _size_lines(array: ArrayReport) -> Iterator[str]:
    """What local memory holds; a local needs no more with double buffering."""
    if array.serial is None:
        yield from _formula_lines("kept", "per tile", array.live)
        for axis, modulus in enumerate(array.moduli or ()):
            yield from _formula_lines(
                "" if axis else "modulo", f"of x{axis}" if len(array.moduli or ()) > 1 else "", modulus
            )
    for word, allocation in (("kept", array.serial), ("doubled", array.overlapped)):
        if allocation is None or (word == "doubled" and array.array.is_local):
            continue
        if not allocation.live and array.array.is_local:
            yield f"  {word:<8}nothing: {allocation.reason}"
        else:
            slots = f"{counted(allocation.size, 'slot')}{_slot(allocation)}"
            yield f"  {word:<8}{allocation.live:,} alive at most, in {slots}"
            yield f"  {'':<8}{allocation.reason}"


def _formula_lines(word: str, what: str, formula: Formula | Modulus | None) -> Iterator[str]:
    for line in ["no formula found"] if formula is None else str(formula).splitlines():
        yield f"  {word:<8}{what:<10}{line}"
        word = what = ""


def _slot(allocation: Allocation) -> str:
    """The slot of an element x0, x1, ..."""
    if not allocation.moduli:
        return ""
    axes = [f"x{axis}" for axis in range(len(allocation.matrix[0]))] if len(allocation.matrix[0]) > 1 else ["x"]
    texts = []
    for row, modulus in zip(allocation.matrix, allocation.moduli, strict=True):
        terms = [(factor, axis) for factor, axis in zip(row, axes, strict=True) if factor]
        form = " + ".join(_term(factor, axis) for factor, axis in terms).replace("+ -", "- ")
        texts.append(f"{form} mod {modulus}" if len(terms) == 1 else f"({form}) mod {modulus}")
    return f": {', '.join(texts)}"


def _term(factor: int, axis: str) -> str:
    return {1: axis, -1: f"-{axis}"}.get(factor, f"{factor} {axis}")


def _policy_table(report: Report) -> Table:
    """Remote accesses one by one; each tile for itself; reuse inside a strip; a strip as a whole before its tiles."""
    headers = ("data\nmoved", "bursts", "row\nchanges", "live\ndata", "cycles\noverlapped", "cycles\nin turn")
    table = headed_table("transfers", right=headers)
    table.columns[0].no_wrap, table.columns[0].overflow = True, "ellipsis"
    for name, cost in report.policies.items():
        figures = (cost.data_moved, cost.bursts, cost.row_changes, cost.live, cost.cycles, cost.cycles_without_overlap)
        table.add_row(_POLICIES[name], *("-" if figure is None else f"{figure:,}" for figure in figures))
    return table


def _keep_table(report: Report) -> Table:
    """What each array moves if it is kept while so many of the outer coordinates of the tiles stay."""
    table = headed_table("array", "kept at", right=("data\nloaded", "data\nstored", "bursts", "live\ndata"))
    depth = report.nest.depth
    names = {depth: f"{depth}, a tile", depth - report.nest.strip_dims: f"{depth - report.nest.strip_dims}, a strip"}
    for name, costs in report.keeps.items():
        for cost in costs:
            figures = (cost.data_loaded, cost.data_stored, cost.bursts, cost.live)
            level = names.get(cost.level, str(cost.level))
            table.add_row("" if cost.level else written_name(name), level, *(f"{figure:,}" for figure in figures))
    return table


def _synchronisation_lines() -> Iterator[str]:
    yield "double buffering: while tile T is computed, T + 1 is loaded and T - 1 is stored; each strip keeps this order"
    for rule in SYNCHRONISATIONS:
        later = f"T + {rule.distance}" if rule.distance else "T"
        order = f"{rule.first} of T before {rule.then} of {later}"
        yield f"  {order:<38}{rule.reason}"


_EPILOG = """\b
A schedule gives each iteration of a statement a time, for example "N-j, i".
Commas separate its dimensions. Each is a sum of range variables (r0, r1 ... of
a repetition), consts and numbers. Tiles are boxes of times and run one after
the other. A strip is a row of tiles along the last dimension, or the last two.
The order as written is "0, i, 0" and "1, i, j" for a statement over i before
one over i and j. Along dimensions with a number in place of a variable, tiles
are 1 wide unless --tile gives a size for each dimension.
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
@click.argument("task", shell_complete=task_names)
@click.option(
    "--schedule",
    "schedules",
    metavar="TIMES",
    multiple=True,
    help="When iterations run: one TIMES for each tiled statement, in textual order.  [default: the order as written]",
)
@click.option(
    "--statement",
    "statements",
    metavar="K",
    type=int,
    multiple=True,
    help="Tile statement K of the body, counted from 1; the other statements run before and after. Repeatable.",
)
@click.option(
    "--tile",
    metavar="B",
    default="10",
    show_default=True,
    callback=_sizes,
    help="The size of tiles, in times: one for all dimensions, or one for each, such as 10,4. A name stays symbolic.",
)
@click.option("--symbolic", metavar="NAME", multiple=True, callback=_names, help="Keep a const symbolic. Repeatable.")
@click.option(
    "--strip-dims",
    type=click.IntRange(1, 2),
    default=1,
    show_default=True,
    help="Dimensions of tiles along which a strip runs.",
)
@click.option(
    "--simplify", is_flag=True, help="Use one polyhedron per array and set: simpler loops, which may move more."
)
@click.option("--tree", is_flag=True, help="Show each set as a tree of conditions too.")
@click.option("--keeps", is_flag=True, help="Show what each array moves if it is kept at other levels of the tiles.")
@platform_option
@picture_option("--plot", "Draw which tile moves which element, and the overlap, as .svg or .png.")
@click.option("--emit", type=click.Choice(["c"]), help="Print C that loads, computes and stores tile by tile.")
@click.option("--out", metavar="FILE", type=PLACE, help="With --emit: the file for the C, not stdout.")
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
    keeps: bool,
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
    if emit is not None and (tree or keeps):
        raise click.UsageError("--tree and --keeps say more of the transfers; leave them out with --emit c.", ctx)
    if emit is not None and platform is not None and plot is None:
        raise click.UsageError("The C does not depend on a platform; leave --platform out with --emit c.", ctx)
    if emit is not None and as_json:
        raise click.UsageError("Give --emit c or --json, not both.", ctx)
    transfers = api.transfers(
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
    warn_of_idle(transfers.spec, task)
    if transfers.remark:
        click.echo(transfers.remark, err=True)
    report = transfers.report(platform, trees=tree, keeps=keeps) if emit is None else None
    if report is not None:
        tell(report.assumed)
    if plot is not None:
        transfers.plot(plot, platform)
        click.echo(f"wrote {plot}", err=True)
    if report is None:
        _write_c(transfers, out)
    elif as_json:
        click.echo(json.dumps(report.to_json(), indent=2))
    else:
        _show(report)


def _write_c(transfers: api.Transfers, out: Path | None) -> None:
    text = transfers.c()
    if out is None:
        click.echo(text, nl=False)
        return
    with atomic_file(out) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")
    click.echo(f"wrote {out}", err=True)
