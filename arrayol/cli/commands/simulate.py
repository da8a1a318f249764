"""`arrayol simulate`: run a design of a stored result on the simulated machine, word by word."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click
from numpy.typing import NDArray
from rich.table import Table

from arrayol import api
from arrayol.cli.commands.run import Source, load_functions, load_inputs, sources
from arrayol.cli.options import (
    PLACE,
    json_option,
    picture_option,
    result_option,
    set_option,
    spec_argument,
    tell,
    top_option,
    verbose_option,
    warn,
    warn_of_idle,
)
from arrayol.cli.picking import design_of, design_options, require_one_design
from arrayol.cli.tables import facts_table, headed_table, print_parts
from arrayol.errors import ArrayolError
from arrayol.execute.extern import Functions, externs_of
from arrayol.execute.inputs import FileSource
from arrayol.text import time_text
from dse.output.built_memories import BuiltMemories, BuiltMemory
from dse.results.pick import Rule, wait_text
from dse.results.totals import device_text
from hwmodel.cost_model.estimate import DesignEstimate
from hwmodel.emit.verilog.icarus import require_icarus

# The memories of one design as a table, and why each is built as it is, as lines.


def memory_parts(design: str, built: BuiltMemories) -> Iterator[str | Table]:
    """A heading, the table, the reasons and the totals."""
    yield f"memories of design {design}"
    has_area = any(one.area for one in built.memories)
    costs = ("blocks", "LUT", "FF", "um2") if has_area else ("blocks", "LUT", "FF")
    table = headed_table("memory", "organisation", "built of", right=("elements", "bits", *costs))
    for one in built.memories:
        amounts = (one.blocks, one.lut, one.ff, one.area)[: len(costs)]
        table.add_row(
            one.title,
            one.organisation,
            f"{one.built_of} (estimate)" if one.estimate else one.built_of,
            f"{one.data:,}" if one.data else "-",
            f"{one.bits:,}",
            *(f"{amount:,.6g}" for amount in amounts),
        )
    yield table
    yield facts_table([*_reasons(built.memories), ("in all", built.summary)])


def _reasons(memories: tuple[BuiltMemory, ...]) -> Iterator[tuple[str, str]]:
    """The sentences of each memory, those of several alike once."""
    names: dict[tuple[str, ...], list[str]] = {}
    for one in memories:
        names.setdefault(one.sentences, []).append(one.title)
    for sentences, alike in names.items():
        yield ", ".join(dict.fromkeys(alike)), " ".join(sentences)


_IDENTICAL = {
    True: "identical to the reference execution",
    False: "DIFFERS from the reference execution",
    None: "not computed: data moved as tokens",
}


def _show(opened: api.StoredDesign, simulated: api.Simulated, *, verbose: bool) -> None:
    """Print a simulation on stdout: all of it if `verbose`, or where the model disagrees."""
    tables: list[str | Table] = []
    if verbose or simulated.mismatches:
        built = api.memories(opened)
        memories = memory_parts(opened.record.id, built) if built else ()
        tables = [simulated_groups(simulated), fullest_table(simulated), *memories]
    print_parts(heading(opened, simulated.simulation.cycles), *tables, facts_table(_facts(opened, simulated)))


def heading(opened: api.StoredDesign, cycles: int) -> str:
    """The design, its cycles, and its time."""
    clock = opened.platform.clock_mhz
    time = f", {time_text(cycles / clock)}" if clock else ""
    return f"{opened.top} {opened.record.id}: {cycles:,} cycles{time}"


def hardware_facts(opened: api.StoredDesign) -> Iterator[tuple[str, str]]:
    """What the design takes of each cost, with the parts and the share of the device."""
    for place, total in enumerate(opened.totals):
        yield "" if place else "hardware", total.text
    if opened.totals and opened.device is not None:
        yield "device", device_text(opened.device)


def simulated_groups(simulated: api.Simulated) -> Table:
    """Cycles and steps of each group, as simulated and as the model says."""
    return group_table([(run.cycles, len(run.lengths)) for run in simulated.simulation.groups], simulated.estimate)


def group_table(found: Sequence[tuple[int, int]], estimate: DesignEstimate) -> Table:
    """The cycles and steps that were found of each group, beside the model's cycles."""
    table = headed_table("group and its tasks", right=("simulated\ncycles", "model\ncycles", "steps"))
    for number, ((cycles, steps), group) in enumerate(zip(found, estimate.groups, strict=True), 1):
        tasks = ", ".join(group.tasks)
        table.add_row(f"{number}: {tasks}", f"{cycles:,}", f"{group.latency_cycles:,}", f"{steps:,}")
    return table


def fullest_table(simulated: api.Simulated) -> Table:
    """The fullest that each memory was, beside what the model says: live, addressed in one bank, and as it is built."""
    table = headed_table("memory", right=("fullest\ndata", "live\ndata", "addressed\nwords", "built\ndata"))
    for number, (run, group) in enumerate(zip(simulated.simulation.groups, simulated.estimate.groups, strict=True), 1):
        for use in group.memories:
            peak = run.peaks.get((use.kind, use.name), 0)
            table.add_row(
                f"{number}: {use.kind} {use.name}", f"{peak:,}", f"{use.live:,}", f"{use.addressed:,}", f"{use.data:,}"
            )
    return table


def _facts(opened: api.StoredDesign, simulated: api.Simulated) -> Iterator[tuple[str, str]]:
    yield "output", _IDENTICAL[simulated.simulation.identical]
    setup, once = simulated.simulation.setup, simulated.estimate.once
    if setup.data:
        model = f"the model says {once.setup_cycles:,} cycles"
        yield "setup", f"{setup.cycles:,} cycles before the first frame load {setup.bytes:,} bytes; {model}"
    yield "model", "disagrees" if simulated.mismatches else "agrees: the same cycles, every memory as full as it says"
    if (period := simulated.simulation.period) is not None:
        ends = ", ".join(f"{end:,}" for end in period.ends)
        yield "together", f"groups end after {ends} of the {period.cycles:,} cycles from frame to frame"
    if waits := wait_text(opened.record):
        yield "waits for", waits
    for number, group in enumerate(opened.record.groups, 1):
        stream = group.mapping.stream if group.mapping is not None else None
        if stream is not None:
            starts = ", ".join(f"{name} {pulse:,}" for name, pulse in stream.starts.items())
            pace = f"a pace of {stream.pace}, lines of {stream.line:,} pulses, {stream.port}"
            yield f"stream {number}", f"{pace}; starts: {starts}"
    yield from hardware_facts(opened)
    yield "platform", opened.platform_name


_EPILOG = """\b
DATA is what `arrayol run` takes: photo.png, x.npy, x.npz:NAME, random:SEED,
ramp. Of inputs with a dimension *, the first frame is simulated.

If an elementary task has no body, nothing is computed: tokens move in place of
data, and --in is ignored.
"""


@click.command(epilog=_EPILOG)
@spec_argument
@result_option
@design_options
@click.option("--in", "inputs", metavar="NAME=DATA", multiple=True, callback=sources, help="An input. Repeatable.")
@picture_option("--timeline", "Draw loads, computations and stores of the first and last steps, as .svg or .png.")
@click.option(
    "--trace",
    metavar="JSON",
    type=PLACE,
    help="Write every load, computation and store as a trace, which Perfetto and Chrome's about:tracing open.",
)
@click.option(
    "--vcd",
    metavar="FILE",
    type=PLACE,
    help="Write the waveforms of all signals of the design in Verilog, run in Icarus, which GTKWave and Surfer open.",
)
@click.option("--allow-extern", is_flag=True, help="Import and run the Python functions that the specification names.")
@top_option
@set_option
@verbose_option
@json_option
def command(  # noqa: PLR0913  one for each option
    *,
    spec: Path,
    result: Path,
    design: str | None,
    rule: Rule | None,
    inputs: Sequence[tuple[str, Source]],
    timeline: Path | None,
    trace: Path | None,
    vcd: Path | None,
    allow_extern: bool,
    top: str | None,
    settings: Mapping[str, str],
    verbose: bool,
    as_json: bool,
) -> None:
    """Simulate one design of a result of `arrayol explore` on real data, and compare it with the model.

    The simulator runs every repetition on a unit and moves every word through the memory port and the local memories,
    which have exactly the modelled sizes. Outputs are compared with the reference execution, cycles with the model. The
    exit code is 1 if they differ, or, with --vcd, if those of the Verilog differ.
    """
    require_one_design(design, rule)
    loaded = api.load(spec, settings)
    if vcd is not None:
        require_icarus()
    opened = api.open_design(loaded, result, design_of(result, design, rule), top=top, warn=warn)
    warn_of_idle(loaded, opened.top)
    with ExitStack() as stack:
        functions = load_functions(externs_of(opened.spec, opened.top) if allow_extern else [], stack)
        arrays = _arrays(opened, inputs, functions)
        simulated = opened.simulate(arrays, functions)
    tell(opened.remarks)
    for path, write in ((timeline, api.draw_timeline), (trace, api.write_trace)):
        if path is not None:
            write(opened, simulated, path)
            click.echo(f"wrote {path}", err=True)
    checked = None if vcd is None else _waveforms(opened, vcd, arrays)
    cycles = {"cycles": simulated.simulation.cycles, "analytic_cycles": simulated.estimate.latency_cycles}
    if simulated.simulation.setup.data:
        cycles["setup_cycles"] = simulated.simulation.setup.cycles
        cycles["analytic_setup_cycles"] = simulated.estimate.setup_cycles
    document: dict[str, Any] = {
        "design": opened.record.id,
        **cycles,
        "identical": simulated.simulation.identical,
        "remarks": opened.remarks,
    }
    if as_json and (built := api.memories(opened)) is not None:
        document["memories"] = built.to_json()
    if not as_json:
        _show(opened, simulated, verbose=verbose)
    try:
        simulated.require_agreement()
        if checked is not None:
            checked.require_agreement()
    except ArrayolError as disagreement:
        disagreement.found = document
        raise
    if as_json:
        click.echo(json.dumps(document, indent=2))


def _waveforms(opened: api.StoredDesign, vcd: Path, arrays: dict[str, NDArray[Any]] | None) -> api.CheckedDesign:
    checked = api.write_waveforms(opened, vcd, arrays)
    click.echo(f"wrote {vcd}", err=True)
    return checked


def _arrays(
    opened: api.StoredDesign, named: Sequence[tuple[str, Source]], functions: Functions
) -> dict[str, NDArray[Any]] | None:
    """The arrays of all inputs; None where nothing can be computed from them."""
    missing = opened.black_boxes(functions)
    if missing:
        ignored = " and --in is not read" if named else ""
        click.echo(f"'{missing[0]}' has nothing to execute: data move as tokens{ignored}", err=True)
        return None
    return frame_arrays(opened, named)


def frame_arrays(opened: api.StoredDesign, named: Sequence[tuple[str, Source]]) -> dict[str, NDArray[Any]]:
    """The arrays of all inputs, with as many frames as a frame of the simulation reads or more."""
    files = {name for name, source in named if isinstance(source, FileSource)}
    frames = None if files & opened.frames.keys() else max(opened.frames.values(), default=None)
    component = opened.spec.components[opened.top]
    loaded = load_inputs(opened.spec, component, named, frames)
    return {name: data.array for name, data in loaded.items()}
