"""`arrayol report`: a result as one HTML file."""

from __future__ import annotations

from pathlib import Path

import click

from arrayol.cli.options import PLACE, folders, picture_option, warn
from arrayol.cli.picking import pick_option, picked_of
from arrayol.text import counted
from dse.output.emitted import draw_breakdown
from dse.output.report.write import write_report
from dse.results.pick import Rule


@click.command()
@click.argument("folder", metavar="DIR", type=PLACE, shell_complete=folders)
@click.option("--out", metavar="FILE.html", type=PLACE, help="The file.  [default: DIR/report.html]")
@picture_option("--breakdown", "Draw instead where cycles, bits, energy and costs of the front go: .svg or .png.")
@click.option(
    "--design",
    "designs",
    metavar="ID",
    multiple=True,
    help="Include full details (memories, Verilog) for this design too; this may take long. Repeatable.",
)
@pick_option
def command(
    folder: Path, out: Path | None, breakdown: Path | None, designs: tuple[str, ...], rule: Rule | None
) -> None:
    """Write the result of `arrayol explore` in DIR as one HTML file for a browser.

    It shows the Pareto front for objectives that you choose, and designs side by side. Each design has its processors,
    FIFOs, buffers, first and last steps, transfers, specification, and where cycles, memory, area and energy go. The
    knee, the best design in each objective, and designs named by --design or --pick also have banks, addresses and
    Verilog. The file needs no network and no other file. It stays below 8 MB; anything left out is listed.
    """
    if breakdown is not None:
        others = {"--out": out is not None, "--design": bool(designs), "--pick": rule is not None}
        for other in (option for option, is_given in others.items() if is_given):
            raise click.UsageError(f"{other} and --breakdown exclude each other; each writes one file")
        draw_breakdown(folder, breakdown, warn)
        click.echo(f"wrote {breakdown}")
        return
    if rule is not None:
        designs = (*designs, picked_of(folder, rule))
    written = write_report(folder, out, warn, designs=designs)
    click.echo(f"wrote {written.path}: {counted(written.designs, 'design')}, {written.bytes / 1000:,.0f} kB")
    for remark in written.remarks:
        click.echo(remark, err=True)
