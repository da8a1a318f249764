"""`arrayol layout`: compare how the arrays of one loop nest can lie in memory banks."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import click

from arrayol import api
from arrayol.cli.layout_text import show
from arrayol.cli.options import json_option, set_option, spec_argument
from arrayol.cli.pictures import picture_option
from hwmodel.banks.analysis import MAXIMUM_BANKS
from hwmodel.banks.cost import RULES
from hwmodel.banks.partition import PARTITIONS
from hwmodel.banks.report import remarks, to_json


def _factors(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[int, ...] | None:
    """2,2 as numbers. Raises BadParameter for anything else; which factors are possible the nest decides."""
    if value is None:
        return None
    try:
        return tuple(int(part) for part in value.split(","))
    except ValueError:
        raise click.BadParameter(f"'{value}' is not a list of whole numbers, as 2,2.", ctx, param) from None


@click.command()
@spec_argument
@click.argument("task")
@click.option("--unroll", metavar="2,2", callback=_factors, help="A factor per loop, outermost first.  [default: 1s]")
@click.option(
    "--banks",
    metavar="N",
    type=click.IntRange(1, MAXIMUM_BANKS),
    help="Memories beside the computation.  [default: those of the platform]",
)
@click.option(
    "--rule",
    type=click.Choice(list(RULES)),
    default="ports",
    show_default=True,
    help="How cycles are counted: bodies overlap, the busiest bank decides (ports); a body alone, loads first (list).",
)
@click.option(
    "--partition",
    type=click.Choice(list(PARTITIONS)),
    default="paper",
    show_default=True,
    help="How references are parted: as So, Hall and Ziegler do, or as fine as their theorem allows.",
)
@click.option("--replicate", is_flag=True, help="Copy read-only arrays where that saves cycles.")
@click.option("--scalar-replacement", is_flag=True, help="Keep what a body loads or computes in registers.")
@click.option(
    "--merge-equal/--no-merge-equal",
    default=True,
    show_default=True,
    help="Let one access serve all loads of an element in a body (for linear).",
)
@picture_option("--plot", "Draw the arrays by bank, and the reduction against unroll factors: .svg or .png.")
@click.option(
    "--emit",
    metavar="FILE.aol",
    type=click.Path(path_type=Path),
    help="Write TASK, an elementary, unrolled and on its custom layout, reorganised in front and restored behind.",
)
@click.option(
    "--emit-ports",
    type=click.Choice(["memories", "banks"]),
    default="memories",
    show_default=True,
    help="With --emit: a port for each virtual memory, or for each bank.",
)
@set_option
@json_option
def command(  # noqa: PLR0913  one for each option
    *,
    spec: Path,
    task: str,
    unroll: tuple[int, ...] | None,
    banks: int | None,
    rule: str,
    partition: str,
    replicate: bool,
    scalar_replacement: bool,
    merge_equal: bool,
    plot: Path | None,
    emit: Path | None,
    emit_ports: str,
    settings: Mapping[str, str],
    as_json: bool,
) -> None:
    """Compare the layouts of the arrays of TASK, a repetitive task or an elementary of FILE, in memory banks.

    naive: one memory. cyclic: element [.., j] in bank j modulo N, by the banks that a reference may touch (static) and
    by those that it does (true). custom: the references' own partition. linear: the fewest banks without conflicts
    over bank = floor(a.x / B) mod N.
    """
    loaded = api.load(spec, settings)
    choices = api.Choices(
        api.local_banks(loaded) if banks is None else banks,
        rule,
        partition,
        replicate,
        scalar_replacement,
        merge_equal,
    )
    found = api.layout(loaded, task, unroll, choices)
    if emit is not None:
        api.emit_layout(loaded, found, emit, by_bank=emit_ports == "banks")
    if plot is not None:
        api.draw_layout(loaded, found, plot)
    for remark in remarks(found):
        click.echo(f"remark: {remark}", err=True)
    if as_json:
        click.echo(json.dumps(to_json(found), indent=2))
        return
    show(found)
    written = [str(path) for path in (emit, plot) if path is not None]
    if written:
        click.echo(f"\nwrote {', '.join(written)}")
