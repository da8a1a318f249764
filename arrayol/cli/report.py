"""`arrayol report`: a result as one HTML file."""

from __future__ import annotations

from pathlib import Path

import click

from arrayol.cli.completion import folders
from arrayol.cli.options import PLACE, warn
from arrayol.text import counted
from dse.output.report.write import write_report


@click.command()
@click.argument("folder", metavar="DIR", type=PLACE, shell_complete=folders)
@click.option("--out", metavar="FILE.html", type=PLACE, help="The file.  [default: DIR/report.html]")
def command(folder: Path, out: Path | None) -> None:
    """Write the result in DIR, of `arrayol explore`, as one HTML file to look through in a browser.

    It shows the Pareto front with objectives to choose, and of each design its processors, FIFOs and buffers, its first
    and last steps, where cycles and memory go, bank layouts, transfers and specification. The file needs no network
    and no other file, and stays below 8 MB; what that leaves out is told.
    """
    written = write_report(folder, out, warn)
    click.echo(f"wrote {written.path}: {counted(written.designs, 'design')}, {written.bytes / 1000:,.0f} kB")
    for remark in written.remarks:
        click.echo(remark, err=True)
