"""`arrayol calibrate`: what steers units and memories, from designs that were synthesised."""

from __future__ import annotations

import json
from pathlib import Path

import click
from rich.table import Table

from arrayol import api
from arrayol.cli.options import PLACE, folders, json_option
from arrayol.cli.tables import facts_table, headed_table, print_parts


@click.command(short_help="Fit the cost of control logic.")
@click.argument("designs", metavar="DIR...", type=PLACE, nargs=-1, required=True, shell_complete=folders)
@click.option(
    "--held",
    metavar="DIR",
    type=PLACE,
    multiple=True,
    shell_complete=folders,
    help="A design to test the fit on; it is not fitted to. Repeatable.",
)
@click.option("--out", metavar="FILE.toml", type=PLACE, help="Write a technology file with the coefficients.")
@json_option
def command(*, designs: tuple[Path, ...], held: tuple[Path, ...], out: Path | None, as_json: bool) -> None:
    """Fit the cost of control logic (sequencers, routing to banks, port) to designs that `arrayol synth` synthesised.

    Each DIR is a folder of `arrayol emit verilog` with its synthesis inside. Without --out the coefficients are only
    printed. A platform uses the file of --out by technology = "./FILE.toml".
    """
    if out is not None and out.suffix != ".toml":
        raise click.UsageError("--out takes a FILE.toml.", click.get_current_context())
    calibration = api.calibrate(designs, held, out)
    if as_json:
        click.echo(json.dumps(calibration.to_json(), indent=2))
        return
    parts: list[Table] = [_designs(calibration), _coefficients(calibration)]
    print_parts(*parts, *([facts_table([("written", str(out))])] if out is not None else []))


def _designs(calibration: api.Calibration) -> Table:
    """Each design: units and memories, all by the model, and as synthesised."""
    table = headed_table(
        "design", "", right=("units and\nmemories LUT", "model\nLUT", "synthesised\nLUT", "", "model\nFF", "FF", "")
    )
    for group, text in ((calibration.fitted_to, ""), (calibration.held, "held")):
        for one in group:
            cells = [f"{one.samples['lut'].modelled:,.0f}"]
            for cost in ("lut", "ff"):
                said, found = calibration.predicted(one, cost), one.samples[cost].found
                cells += [f"{said:,.0f}", f"{found:,.0f}", f"{said / found - 1:+.0%}" if found else ""]
            table.add_row(one.name, text, *cells)
    return table


def _coefficients(calibration: api.Calibration) -> Table:
    table = headed_table("of each", right=("LUT", "FF"))
    named = calibration.coefficients
    for name in dict.fromkeys(name for values in named.values() for name in values):
        table.add_row(name, *(f"{named[cost].get(name, 0):g}" for cost in ("lut", "ff")))
    return table
