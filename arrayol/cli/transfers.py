"""`arrayol transfers`: what each tile of a loop nest loads and stores, what that costs, and its C."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import click

from arrayol import api
from arrayol.cli.options import json_option, platform_option, set_option, spec_argument
from arrayol.cli.pictures import picture_option
from arrayol.cli.transfers_text import show
from arrayol.files import atomic_file

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
