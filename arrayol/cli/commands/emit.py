"""`arrayol emit`: a design of a stored result as hardware, in one of two forms: `verilog` and `hls`."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click
from numpy.typing import NDArray
from rich.table import Table

from arrayol import api
from arrayol.cli.commands.run import Source, load_functions, sources
from arrayol.cli.commands.simulate import frame_arrays, fullest_table, group_table, hardware_facts, heading
from arrayol.cli.options import (
    PLACE,
    folders,
    json_option,
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
from arrayol.execute.extern import externs_of
from arrayol.text import counted
from dse.output.hardware.cpp import CheckedHls
from dse.output.hardware.emission import require_emittable
from dse.output.hardware.verilog import CheckedVerilog
from dse.results.pick import Rule
from hwmodel.emit.hls.compiler import require_compiler
from hwmodel.emit.verilog.icarus import require_icarus


@click.group(context_settings={"help_option_names": ["--help", "-h"]})
def command() -> None:
    """Write a design of a result of `arrayol explore` as hardware."""


_EPILOG = """\b
DATA is what `arrayol run` takes: photo.png, x.npy, x.npz:NAME, random:SEED,
ramp. Of inputs with a dimension *, the first frame is taken. Without --in, the
test bench has a frame of random data.
"""


_IN = click.option(
    "--in", "inputs", metavar="NAME=DATA", multiple=True, callback=sources, help="An input of the frame. Repeatable."
)


def _options(form: str, *own: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The options of all forms, with those of its own before the last ones."""
    place = f"The folder for the design.  [default: STEM-{form}]"
    options: tuple[Callable[[Any], Any], ...] = (
        spec_argument,
        result_option,
        design_options,
        click.option("--out", metavar="FOLDER", type=PLACE, shell_complete=folders, help=place),
        _IN,
        *own,
        top_option,
        set_option,
        verbose_option,
        json_option,
    )

    def decorated(function: Any) -> Any:
        for option in reversed(options):
            function = option(function)
        return function

    return decorated


@dataclass(frozen=True)
class _Request:
    """What all forms are asked for, by the names of the options."""

    spec: Path
    result: Path
    design: str | None
    rule: Rule | None
    out: Path | None
    inputs: Sequence[tuple[str, Source]]
    top: str | None
    settings: Mapping[str, str]
    verbose: bool
    as_json: bool

    def opened(self, folder: Path, require: Callable[[], None] | None) -> api.StoredDesign:
        """The design. What is needed to check it is required before anything is done."""
        loaded = api.load(self.spec, self.settings)
        require_emittable(folder)
        if require is not None:
            require()
        opened = api.open_design(
            loaded, self.result, design_of(self.result, self.design, self.rule), top=self.top, warn=warn
        )
        warn_of_idle(loaded, opened.top)
        return opened

    def folder(self, form: str) -> Path:
        """Where the design goes."""
        require_one_design(self.design, self.rule)
        return self.out if self.out is not None else Path(f"{self.spec.stem}-{form}")

    def frame(self, opened: api.StoredDesign) -> dict[str, NDArray[Any]] | None:
        """The data that are given; none for random ones."""
        return frame_arrays(opened, self.inputs) if self.inputs else None

    def tell(self, emitted: api.EmittedDesign) -> None:
        """What stderr says of a design that was written."""
        tell(emitted.opened.remarks)
        if not self.inputs:
            click.echo(f"the frame of the test bench is {emitted.data}; --in gives other data", err=True)

    def finish(
        self,
        document: Mapping[str, Any],
        checked: api.CheckedDesign | None,
        emitted: api.EmittedDesign,
        tables: Sequence[Table],
        facts: Iterable[tuple[str, str]],
    ) -> None:
        """Print what was written and seen, `tables` with --verbose or if something is not as promised.

        Raises ArrayolError in that case.
        """
        if not self.as_json:
            shown = tables if self.verbose or (checked is not None and checked.mismatches) else ()
            print_parts(heading(emitted.opened, emitted.cycles), *shown, facts_table(facts))
        if checked is not None:
            try:
                checked.require_agreement()
            except ArrayolError as disagreement:
                disagreement.found = dict(document)
                raise
        if self.as_json:
            click.echo(json.dumps(document, indent=2))


@command.command("verilog", short_help="As Verilog-2001 with a test bench.", epilog=_EPILOG)
@_options(
    "verilog",
    click.option(
        "--check", is_flag=True, help="Run the test bench in Icarus Verilog; exit code 1 if cycles or outputs differ."
    ),
    click.option(
        "--vcd",
        metavar="FILE",
        type=PLACE,
        help="With --check: write waveforms of all signals, which GTKWave and Surfer open.",
    ),
    click.option(
        "--allow-extern",
        is_flag=True,
        help="Import and run the Python functions that the specification names, where the platform names modules.",
    ),
)
def verilog(*, check: bool, vcd: Path | None, allow_extern: bool, **options: Any) -> None:
    """Write one design of a result as Verilog-2001, with a test bench, a Makefile and a README.

    The design is first run on the simulated machine. The actions of every unit, memory and port become programs of
    nested loops. Before anything is written, these programs are proven to do the same as the simulated machine and to
    give each repetition the values that the specification names. A frame takes exactly the cycles of the machine model.
    Anything that cannot be emitted yet is rejected with an error that names it. Only --check runs the Verilog itself.

    An earlier design in FOLDER is replaced; any other folder must be empty. Files are written all together or not at
    all.
    """
    request = _Request(**options)
    folder = request.folder("verilog")
    if vcd is not None and not check:
        raise click.UsageError("--vcd is for --check, which runs the test bench.", click.get_current_context())
    opened = request.opened(folder, require_icarus if check else None)
    with ExitStack() as stack:
        functions = load_functions(externs_of(opened.spec, opened.top) if allow_extern else [], stack)
        emitted = api.emit_verilog(opened, folder, request.frame(opened), functions)
    request.tell(emitted)
    checked = api.check_verilog(emitted, folder, vcd) if check else None
    if vcd is not None:
        click.echo(f"wrote {vcd}", err=True)
    document = _document(emitted, folder)
    if checked is not None:
        frames = [
            {"setup_cycles": frame.before, "cycles": frame.cycles, "wrong_words": frame.wrong}
            for frame in checked.frames
        ]
        document["checked"] = {"frames": frames, "mismatches": list(checked.mismatches)}
    tables = [_groups(emitted)]
    if checked is not None:
        tables += [fullest_table(emitted.simulated), _frames(checked)]
    request.finish(document, checked, emitted, tables, _facts(emitted, checked, folder))


@command.command("hls", short_help="As C++ for tools of high-level synthesis.", epilog=_EPILOG)
@_options(
    "hls",
    click.option(
        "--check",
        is_flag=True,
        help="Build with g++, with and without sanitizers, and run; exit code 1 if outputs differ.",
    ),
)
def hls(*, check: bool, **options: Any) -> None:
    """Write one design of a result as C++ for tools of high-level synthesis, with a program for g++ and a Makefile.

    The schedule is that of `arrayol emit verilog`. Tasks and ports are loops whose programs name the words that each
    round accesses, memories are arrays with a dimension for their banks, FIFOs are streams. A design with AXI4-Streams
    is one loop over its pulses, without such a schedule. The outputs are those of `arrayol run`, bit for bit; cycles
    depend on the tool. Anything that cannot be emitted yet is rejected with an error that names it.

    An earlier design in FOLDER is replaced; any other folder must be empty. Files are written all together or not at
    all.
    """
    request = _Request(**options)
    folder = request.folder("hls")
    opened = request.opened(folder, require_compiler if check else None)
    emitted = api.emit_hls(opened, folder, request.frame(opened))
    request.tell(emitted)
    checked = api.check_hls(folder) if check else None
    document = _document(emitted, folder)
    if checked is not None:
        runs = [
            {"build": run.build, "wrong_words": list(run.wrong), "streams": [asdict(own) for own in run.streams]}
            for run in checked.runs
        ]
        document["checked"] = {"runs": runs, "mismatches": list(checked.mismatches)}
    tables = [_groups(emitted), *(_runs(checked) if checked is not None else ())]
    request.finish(document, checked, emitted, tables, _hls_facts(emitted, checked, folder))


def _document(emitted: api.EmittedDesign, folder: Path) -> dict[str, Any]:
    """What `--json` prints of what was written."""
    return {
        "design": emitted.opened.record.id,
        "folder": str(folder),
        "files": list(emitted.files),
        "cycles": emitted.cycles,
        "analytic_cycles": emitted.opened.estimate.latency_cycles,
        "data": emitted.data,
        "remarks": emitted.opened.remarks,
        "checked": None,
    }


def _frames(checked: CheckedVerilog) -> Table:
    """The frames of the test bench."""
    figures = ("setup\ncycles", "cycles", "model\ncycles", "wrong words\nof outputs")
    table = headed_table("frame in Verilog", right=figures)
    for number, frame in enumerate(checked.frames):
        table.add_row(str(number), f"{frame.before:,}", f"{frame.cycles:,}", f"{checked.cycles:,}", f"{frame.wrong:,}")
    return table


def _groups(emitted: api.EmittedDesign) -> Table:
    """Cycles and steps of each group in a frame."""
    return group_table(emitted.group_times, emitted.opened.estimate)


def _facts(emitted: api.EmittedDesign, checked: CheckedVerilog | None, folder: Path) -> Iterator[tuple[str, str]]:
    yield "proven", emitted.proven
    if emitted.ends is not None:
        yield "streams", emitted.ends
    if checked is None:
        yield "Verilog", "not run; --check runs it in Icarus Verilog, and so does make sim in the folder"
    else:
        differs = any(checked.mismatches)
        yield "Verilog", "DIFFERS" if differs else "agrees: the same cycles in each frame, the outputs bit for bit"
    yield from hardware_facts(emitted.opened)
    if emitted.slower is not None:
        yield "clock", emitted.slower
    yield "platform", emitted.opened.platform_name
    yield "written", _written(folder, emitted.files, "rtl", "module")


def _runs(checked: CheckedHls) -> Iterator[Table]:
    """What the program said of its frames and of its streams, by build."""
    table = headed_table("frame in C++", "built", right=("wrong words\nof outputs",))
    for run in checked.runs:
        for number, wrong in enumerate(run.wrong):
            table.add_row(str(number), run.build, f"{wrong:,}")
    yield table
    streams = checked.runs[0].streams
    if streams:
        table = headed_table("stream", right=("bank", "fullest\ndata", "depth\ndata"))
        for own in streams:
            table.add_row(own.array, str(own.number), f"{own.fullest:,}", f"{own.depth:,}")
        yield table


def _hls_facts(emitted: api.EmittedDesign, checked: CheckedHls | None, folder: Path) -> Iterator[tuple[str, str]]:
    if emitted.ends is None:
        yield "proven", f"{emitted.proven}; rounds access what its cycles access"
    else:
        yield "proven", emitted.proven
        yield "streams", emitted.ends
    if checked is None:
        yield "C++", "not run; --check builds it with g++ and runs it, and so does make csim in the folder"
    else:
        differs = any(checked.mismatches)
        yield "C++", "DIFFERS" if differs else "agrees: the outputs bit for bit, plain and with sanitizers"
    yield from hardware_facts(emitted.opened)
    yield "platform", emitted.opened.platform_name
    yield "written", _written(folder, emitted.files, "src", "source")


def _written(folder: Path, files: Collection[str], first: str, kind: str) -> str:
    """In words what lies in a folder: how many files of a kind in its `first` folder, other folders, other files."""
    folders = sorted({name.partition("/")[0] for name in files if "/" in name} - {first})
    count = sum(name.startswith(f"{first}/") for name in files)
    beside = sorted(name for name in files if "/" not in name)
    return f"{folder}: {counted(count, kind)} in {', '.join([first, *folders, *beside])}"
