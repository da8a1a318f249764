"""`arrayol synth`: an emitted design through yosys and nextpnr, its figures beside those of the model."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import click
from rich.table import Table

from arrayol import api
from arrayol.cli.options import PLACE, folders, json_option
from arrayol.cli.tables import facts_table, headed_table, print_parts
from dse.output.hardware.emission import SYNTHESIS
from dse.output.synthesis import written_files
from hwmodel.emit.system.ecp5_device import PACKAGES, SPEEDS
from hwmodel.synth.ecp5 import CONFIG, Amounts

_COLUMNS = ("lut", "ff", "dsp", "blocks")
_TITLES = {"lut": "LUT", "ff": "FF", "dsp": "MULT18X18D", "blocks": "DP16KD"}
_SAID = {
    "units": "datapaths of tasks",
    "memories": "memories, ways to banks, windows",
    "agents": "programs and counters",
    "port": "engines and queues of the port",
    "others": "steps, wires between",
}


@click.command(short_help="Synthesise an emitted design for an FPGA.")
@click.argument("folder", metavar="DIR", type=PLACE, shell_complete=folders)
@click.option(
    "--device",
    type=click.Choice(tuple(PACKAGES)),
    help="The ECP5, by its number of LUTs.  [default: the platform's, else 85k]",
)
@click.option("--package", metavar="NAME", help="Its package.  [default: the one with the most pins]")
@click.option("--speed", type=click.Choice(SPEEDS), help="Its speed grade.  [default: the technology's, else 6]")
@click.option(
    "--clock",
    metavar="MHZ",
    type=click.FloatRange(1, 1000),
    help="The requested clock.  [default: the platform's]",
)
@click.option(
    "--seed", metavar="N", type=click.IntRange(0), default=1, show_default=True, help="Seed of the placement."
)
@click.option(
    "--pins", is_flag=True, help="Connect the ports to pins, for a bitstream; without it they end in registers."
)
@click.option("--no-place", is_flag=True, help="Stop after yosys: the cells are counted, the clock is not known.")
@click.option(
    "--out",
    metavar="FOLDER",
    type=PLACE,
    shell_complete=folders,
    help=f"The folder for netlist, logs and figures.  [default: DIR/{SYNTHESIS}]",
)
@json_option
def command(  # noqa: PLR0913  one for each option
    *,
    folder: Path,
    device: str | None,
    package: str | None,
    speed: str | None,
    clock: float | None,
    seed: int,
    pins: bool,
    no_place: bool,
    out: Path | None,
    as_json: bool,
) -> None:
    """Synthesise the design that `arrayol emit verilog` wrote to DIR, for a Lattice ECP5.

    yosys maps it to cells, and nextpnr places and routes them; pip install 'arrayol[synth]' installs both. The output
    compares the used cells with those of the machine model and shows the clock reached. It takes minutes.
    """
    synthesis = api.synthesise(
        folder,
        size=device,
        package=package,
        speed=speed,
        mhz=clock,
        seed=seed,
        places=not no_place,
        pins=pins,
        out=out,
    )
    if as_json:
        click.echo(json.dumps(synthesis.to_json(), indent=2))
        return
    document = synthesis.emitted.document
    written = out if out is not None else folder / SYNTHESIS
    print_parts(
        f"{document['top']} {document['design']}: {_clock(synthesis)}",
        _totals(synthesis),
        _parts(synthesis),
        facts_table(_facts(synthesis, written)),
    )


def _clock(synthesis: api.Synthesis) -> str:
    if synthesis.placed is None:
        return "not placed, so of no known clock"
    if synthesis.mhz is None:
        return "nothing is clocked"
    held = "as asked" if synthesis.mhz >= synthesis.target_mhz else f"where {synthesis.target_mhz:g} are asked for"
    return f"{synthesis.mhz:g} MHz, {held}"


def _totals(synthesis: api.Synthesis) -> Table:
    """All that is used, beside the model's figures."""
    columns = ("synthesised", "model", "synthesised\n/ model")
    by_schedule = synthesis.scheduled
    table = headed_table(
        "all", right=(*columns, "with the\nschedule", "synthesised\n/ that") if by_schedule else columns
    )
    model = synthesis.modelled["total"]
    for name in _COLUMNS:
        found = getattr(synthesis.total, name)
        cells = [*_compared(found, model.get(name)), *(_compared(found, by_schedule.get(name)) if by_schedule else ())]
        table.add_row(_TITLES[name], f"{found:,}", *cells)
    return table


def _compared(found: int, said: float | None) -> tuple[str, str]:
    if said is None:
        return "", ""
    return f"{said:,.6g}", f"{found / said:.2f}" if said else ""


def _parts(synthesis: api.Synthesis) -> Table:
    """The parts, before packing; in brackets what the model said."""
    table = headed_table("part", "", right=tuple(_TITLES[name] for name in _COLUMNS))
    for part, amounts in synthesis.parts.items():
        said = synthesis.modelled.get(part, {})
        table.add_row(part, _SAID[part], *(_cell(amounts, name, said.get(name)) for name in _COLUMNS))
    return table


def _cell(amounts: Amounts, name: str, said: float | None) -> str:
    found = f"{getattr(amounts, name):,}"
    return found if said is None else f"{found} [{said:,.6g}]"


def _facts(synthesis: api.Synthesis, written: Path) -> Iterator[tuple[str, str]]:
    ram, total = synthesis.total.ram, synthesis.total
    packed = "packed" if synthesis.placed is not None else "before packing"
    yield "LUT", f"{packed}; {ram:,} distributed memories of 16 x 4 bits are in the {total.lut:,}, and carry chains"
    yield "parts", "from the names of cells before packing, so what lies between two is with either; [the model's]"
    yield "device", str(synthesis.device)
    if synthesis.placed is not None:
        yield "ports", "pins, where nextpnr puts them" if synthesis.pins else "between registers, which are not counted"
    yield "programs", f"{', '.join(synthesis.tools)}; seed {synthesis.seed}"
    model = synthesis.emitted.model
    if model["technology"]:
        steering = any(model.get("steering", {}).values())
        said = "units, and memories with what steers all" if steering else "units and memories alone"
        yield "model", f"technology {model['technology']}: {said}"
    if synthesis.scheduled:
        yield "schedule", "units and memories of the model, and programs, ways and registers that the schedule has"
    if synthesis.scheduled_mhz is not None:
        yield "clock", f"{synthesis.scheduled_mhz:g} MHz by its slowest unit and its longest program"
    names = written_files(synthesis)
    bitstream = f"; 'yowasp-ecppack {written / CONFIG} design.bit' makes a bitstream" if CONFIG in names else ""
    yield "written", f"{written}: {', '.join(names)}{bitstream}"
