"""`arrayol emit`: a design of a stored result as hardware, and `verilog`, its one form."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from rich.table import Table

from arrayol import api
from arrayol.cli.completion import folders
from arrayol.cli.options import (
    PLACE,
    json_option,
    result_option,
    set_option,
    spec_argument,
    tell,
    top_option,
    warn,
    warn_of_idle,
)
from arrayol.cli.picking import blamed_on, pick_option
from arrayol.cli.run import Source, sources
from arrayol.cli.simulate import frame_arrays, fullest_table, group_table
from arrayol.cli.tables import facts_table, headed_table, print_parts
from arrayol.errors import ArrayolError
from arrayol.text import counted
from dse.output.folder import load_result
from dse.output.hardware import RANDOM, require_emittable
from dse.results.pick import Rule, pick
from hwmodel.emit.verilog.icarus import require_icarus


@click.group(context_settings={"help_option_names": ["--help", "-h"]})
def command() -> None:
    """Write a design of a result of `arrayol explore` as hardware."""


_EPILOG = """\b
DATA is what `arrayol run` takes: photo.png, x.npy, x.npz:NAME, random:SEED,
ramp. Of a dimension * the first frame is taken. Without --in the frame of the
test bench is random.
"""


@command.command("verilog", short_help="As Verilog-2001 with a test bench.", epilog=_EPILOG)
@spec_argument
@result_option
@click.option("--design", metavar="ID", help="The design, by its name in the result, as 2+2:1; or take --pick.")
@pick_option
@click.option(
    "--out",
    metavar="FOLDER",
    type=PLACE,
    shell_complete=folders,
    help="The folder for the design.  [default: STEM-verilog]",
)
@click.option(
    "--in", "inputs", metavar="NAME=DATA", multiple=True, callback=sources, help="An input of the frame. Repeatable."
)
@click.option("--check", is_flag=True, help="Run the test bench in Icarus Verilog; exit code 1 where anything differs.")
@click.option(
    "--vcd",
    metavar="FILE",
    type=PLACE,
    help="With --check: write waveforms of all signals, which GTKWave and Surfer open.",
)
@top_option
@set_option
@json_option
def verilog(  # noqa: PLR0913  one for each option
    *,
    spec: Path,
    result: Path,
    design: str | None,
    rule: Rule | None,
    out: Path | None,
    inputs: Sequence[tuple[str, Source]],
    check: bool,
    vcd: Path | None,
    top: str | None,
    settings: Mapping[str, str],
    as_json: bool,
) -> None:
    """Write one design of a result as Verilog-2001, with a test bench, a Makefile and a page that says what it is.

    The design is run on the simulated machine, and what every unit, memory and port does in each cycle becomes programs
    of nested loops; before anything is written it is proven that these do the same. A frame takes exactly the cycles
    that the machine model says. What has no hardware yet is refused by name.

    FOLDER is written whole or not at all. A former design there is replaced, any other folder that is not empty is
    refused.
    """
    folder = out if out is not None else Path(f"{spec.stem}-verilog")
    if (design is None) == (rule is None):
        raise click.UsageError("Take either '--design' or '--pick'.")
    if vcd is not None and not check:
        raise click.UsageError("--vcd is for --check, which runs the test bench.", click.get_current_context())
    loaded = api.load(spec, settings)
    require_emittable(folder)
    if check:
        require_icarus()
    opened = api.open_design(loaded, result, design or _picked(result, rule), top=top, warn=warn)
    warn_of_idle(loaded, opened.top)
    emitted = api.emit_verilog(opened, folder, frame_arrays(opened, inputs) if inputs else None)
    tell(opened.remarks)
    if not inputs:
        click.echo(f"the frame of the test bench is {RANDOM}; --in gives other data", err=True)
    checked = api.check_verilog(emitted, folder, vcd) if check else None
    if vcd is not None:
        click.echo(f"wrote {vcd}", err=True)
    document = _document(emitted, checked, folder)
    if not as_json:
        _show(emitted, checked, folder)
    if checked is not None:
        try:
            checked.require_agreement()
        except ArrayolError as disagreement:
            disagreement.found = document
            raise
    if as_json:
        click.echo(json.dumps(document, indent=2))


def _picked(result: Path, rule: Rule | None) -> str:
    """The design that a rule takes of a result. What is amiss with the result is told when the design is opened."""
    assert rule is not None, "the command takes a rule where no design is named"
    stored = load_result(result, lambda _: None)
    with blamed_on("--pick"):
        picked = pick(stored, rule)
    click.echo(f"picked {picked.design.id}: {picked.why}", err=True)
    return picked.design.id


def _document(emitted: api.EmittedDesign, checked: api.CheckedDesign | None, folder: Path) -> dict[str, Any]:
    """What `--json` prints."""
    simulated = emitted.simulated
    document: dict[str, Any] = {
        "design": emitted.opened.record.id,
        "folder": str(folder),
        "files": list(emitted.files),
        "cycles": simulated.simulation.cycles,
        "analytic_cycles": simulated.estimate.latency_cycles,
        "data": emitted.data,
        "remarks": emitted.opened.remarks,
    }
    if checked is not None:
        document["checked"] = {
            "frames": [
                {"setup_cycles": frame.before, "cycles": frame.cycles, "wrong_words": frame.wrong}
                for frame in checked.frames
            ],
            "mismatches": list(checked.mismatches),
        }
    return document


def _show(emitted: api.EmittedDesign, checked: api.CheckedDesign | None, folder: Path) -> None:
    """Print what was written, and what Icarus says of it."""
    opened, simulated = emitted.opened, emitted.simulated
    cycles, clock = simulated.simulation.cycles, opened.platform.clock_mhz
    time = f", {cycles / clock:,.1f} µs" if clock else ""
    parts: list[str | Table] = [f"{opened.top} {opened.record.id}: {cycles:,} cycles{time}", group_table(simulated)]
    if checked is not None:
        parts += [fullest_table(simulated), _frames(checked)]
    print_parts(*parts, facts_table(_facts(emitted, checked, folder)))


def _frames(checked: api.CheckedDesign) -> Table:
    """The frames of the test bench."""
    figures = ("setup\ncycles", "cycles", "model\ncycles", "wrong words\nof outputs")
    table = headed_table("frame in Verilog", right=figures)
    for number, frame in enumerate(checked.frames):
        table.add_row(str(number), f"{frame.before:,}", f"{frame.cycles:,}", f"{checked.cycles:,}", f"{frame.wrong:,}")
    return table


def _facts(emitted: api.EmittedDesign, checked: api.CheckedDesign | None, folder: Path) -> Iterator[tuple[str, str]]:
    yield "proven", "the programs touch what the simulated machine touched; no live datum is lost, no bank met twice"
    if checked is not None:
        differs = any(checked.mismatches)
        yield "Verilog", "DIFFERS" if differs else "agrees: the same cycles in each frame, the outputs bit for bit"
    yield "platform", emitted.opened.platform_name
    modules = sum(name.startswith("rtl/") for name in emitted.files)
    yield "written", f"{folder}: {counted(modules, 'module')} in rtl, tb, data, design.json, Makefile, README.md"
