"""`arrayol run`: execute a specification on images and arrays."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from arrayol.checks.check import load_checked
from arrayol.checks.top import choose_top
from arrayol.cli.options import set_option, spec_argument, top_option, warn_of_idle
from arrayol.errors import ArrayolError, error
from arrayol.execute.extern import Functions, externs_of, importable_here, load_function, not_allowed, origin_of
from arrayol.execute.frames import require_infinite
from arrayol.execute.inputs import FileSource, InputArray, noise, ramp, read_array, require_file
from arrayol.execute.outputs import Target, WrittenFiles, check_targets, compare, write_arrays
from arrayol.execute.run import execute
from arrayol.ir.spec import Component, Elementary, Port, Spec
from arrayol.ir.types import ElementType
from arrayol.language.syntax.diagnose import did_you_mean
from arrayol.limits import LARGEST, LARGEST_SEED

# What `--in`, `--out` and `--check` name: files, arrays in files, and data made on the spot.

_MEMBER = re.compile(r"(.+\.npz):([^:/\\]+)", re.IGNORECASE | re.DOTALL)
_NAME = re.compile(r"\s*([A-Za-z_]\w*)\s*=(.+)", re.ASCII | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Generated:
    """Data generated on the spot: random with a seed, else 0, 1, 2, ..."""

    seed: int | None


Source = FileSource | Generated
Named = tuple[str, FileSource]


def sources(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> list[tuple[str, Source]]:
    """NAME=DATA texts as pairs. Raises BadParameter for one that is malformed."""
    return [(name, _source(text, ctx, param)) for name, text in _pairs(ctx, param, values)]


def targets(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> list[Named]:
    """NAME=FILE texts as pairs. Raises BadParameter for one that is malformed."""
    return [(name, _file(text)) for name, text in _pairs(ctx, param, values)]


def expectations(
    ctx: click.Context, param: click.Parameter, values: tuple[str, ...]
) -> list[tuple[str | None, FileSource]]:
    """FILE or NAME=FILE texts as pairs; None stands for the only output."""
    pairs: list[tuple[str | None, FileSource]] = []
    for text in values:
        named = _NAME.fullmatch(text)
        if not text or text.endswith("=") or text.startswith("="):
            raise click.BadParameter(f"'{text}' is neither FILE nor NAME=FILE.", ctx, param)
        pairs.append((named[1], _file(named[2])) if named else (None, _file(text)))
    return pairs


def load_inputs(
    spec: Spec, component: Component, named: Sequence[tuple[str, Source]], frames: int | None
) -> dict[str, InputArray]:
    """The arrays of all inputs that come from outside.

    What is made on the spot has as many frames as the files, or `frames`.
    """
    ports, constants = spec.given_inputs(component), spec.constants
    chosen: dict[str, Source] = {}
    for name, source in named:
        if name in spec.tables:
            hint = f"--set {name}=FILE puts a .npy file in its place"
            raise error("unknown-port", f"'{name}' is a const array, no input of '{component.name}'", hint=hint)
        port = port_of(component, ports, name, "input")
        if port.name in chosen:
            raise error("same-input", f"input '{name}' is given twice", hint="give one file for each input")
        chosen[port.name] = source
    missing = [port.name for port in ports if port.name not in chosen]
    if missing:
        hint = " ".join(f"--in {name}=FILE" for name in missing)
        raise error("missing-input", f"'{component.name}' needs {_ports_text('input', missing)}", hint=f"add {hint}")
    loaded: dict[str, InputArray] = {}
    for port in ports:
        source = chosen[port.name]
        if isinstance(source, FileSource):
            loaded[port.name] = read_array(source, port, constants, frames)
    length = frames if frames is not None else _frames_of(ports, loaded)
    for port in ports:
        source = chosen[port.name]
        if isinstance(source, Generated):
            loaded[port.name] = InputArray(_make(source, port, length), None)
    return loaded


def port_of(component: Component, ports: Sequence[Port], name: str, what: str) -> Port:
    """The port that a command names. Raises ArrayolError (`unknown-port`)."""
    port = next((port for port in ports if port.name == name), None)
    if port is None:
        names = [port.name for port in ports]
        hint = did_you_mean(name, names) or f"it has {_ports_text(what, names)}"
        raise error("unknown-port", f"'{component.name}' has no {what} '{name}'", hint=hint)
    return port


def _ports_text(what: str, names: Sequence[str]) -> str:
    """Names in words: `the inputs a, c`, or `no input`."""
    noun = what if len(names) == 1 else f"{what}s"
    return f"the {noun} {', '.join(names)}" if names else f"no {what}"


def _pairs(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> list[tuple[str, str]]:
    pairs = [text.partition("=") for text in values]
    for (name, sign, file), text in zip(pairs, values, strict=True):
        if not (name.strip() and sign and file):
            raise click.BadParameter(f"'{text}' is not NAME=FILE, as in p0=photo.png.", ctx, param)
    return [(name.strip(), file) for name, _, file in pairs]


def _source(text: str, ctx: click.Context, param: click.Parameter) -> Source:
    kind, colon, seed = text.partition(":")
    if kind == "ramp" and not colon:
        return Generated(None)
    if kind == "random":
        if not re.fullmatch(r"[0-9]{1,20}", seed) or int(seed) > LARGEST_SEED:
            message = f"'{text}' is not random:SEED with an integer from 0 to {LARGEST_SEED}, as in random:1."
            raise click.BadParameter(message, ctx, param)
        return Generated(int(seed))
    return _file(text)


def _file(text: str) -> FileSource:
    member = _MEMBER.fullmatch(text)
    return FileSource(Path(member[1]), member[2]) if member else FileSource(Path(text))


def _frames_of(ports: Sequence[Port], loaded: Mapping[str, InputArray]) -> int | None:
    lengths = [
        loaded[port.name].array.shape[port.shape.index(None)]
        for port in ports
        if None in port.shape and port.name in loaded
    ]
    return min(lengths, default=None)


def _make(source: Generated, port: Port, frames: int | None) -> NDArray[Any]:
    if None in port.shape and frames is None:
        message = f"nothing says how many frames input '{port.name}' has"
        raise error("no-frames", message, port.span, hint="--frames says it, as in --frames 10")
    shape = tuple(length if length is not None else frames or 0 for length in port.shape)
    return ramp(port.type, shape) if source.seed is None else noise(port.type, shape, source.seed)


_EPILOG = """\b
DATA is one of
  photo.png        grey pixels of 1 to 16 bits, or colours of 8 bits as the
                   last axis; values pass unscaled
  'frame*.png'     images in the order of their names, as the frames of *
  x.npy, x.npz     an array; of several in an .npz file the one with the name
                   of the port, or NAME in x.npz:NAME
  random:SEED      uniform values: floats in [0, 1), integers 0 to 255
  ramp             0, 1, 2, ... row by row

\b
FILE is one of
  out.png          values are rounded (half to even) and clipped; NaN becomes
                   0; the number of clipped values is printed. 1 bit for
                   bool, 8 for u8 and i8, 16 for u16; other types take 16 if
                   an input image has 16, else 8. Colours take 8
  out-%04d.png     one image for each frame of *
  out.npy          the array as it is
  out.npz          the array under its port's name, or NAME in out.npz:NAME;
                   several outputs may share the file

Every value that is read must be of the port's type. Output files appear when
all of them are complete, or not at all.
"""


@click.command(epilog=_EPILOG)
@spec_argument
@click.option("--in", "inputs", metavar="NAME=DATA", multiple=True, callback=sources, help="An input. Repeatable.")
@click.option(
    "--out",
    "outputs",
    metavar="NAME=FILE",
    multiple=True,
    callback=targets,
    help="Write an output to a file. Repeatable.",
)
@click.option(
    "--check",
    "checks",
    metavar="[NAME=]FILE",
    multiple=True,
    callback=expectations,
    help="Compare an output bit for bit with a file; exit code 1 if they differ. Repeatable.",
)
@click.option(
    "--frames",
    metavar="N",
    type=click.IntRange(1, LARGEST),
    help="Take the first N frames of each input with a dimension *.  [default: all]",
)
@click.option("--allow-extern", is_flag=True, help="Import and run the Python functions that the specification names.")
@top_option
@set_option
@click.pass_context
def command(ctx: click.Context, /, spec: Path, top: str | None, settings: Mapping[str, str], **chosen: Any) -> None:
    """Execute the specification in FILE on images and arrays."""
    options = _Options(**chosen)
    if not options.outputs and not options.checks:
        raise click.UsageError("Missing option '--out' or '--check'.", ctx)
    checked = load_checked(spec, settings)
    component = checked.components[choose_top(checked, top)]
    warn_of_idle(checked, component.name)
    if options.frames is not None:
        require_infinite(checked, component.name)
    wanted = _targets(component, options.outputs)
    expected = _expected(component, options.checks)
    with ExitStack() as stack:
        functions = _functions(checked, component.name, stack, allowed=options.allow_extern)
        loaded = load_inputs(checked, component, options.inputs, options.frames)
        inputs = {name: data.array for name, data in loaded.items()}
        arrays = execute(checked, component.name, inputs, frames=options.frames, functions=functions)
    differences = [compare(port, arrays[port.name], source, checked.constants) for port, source in expected]
    input_bits = max((data.bits for data in loaded.values() if data.bits is not None), default=None)
    written = write_arrays(wanted, arrays, input_bits)
    for target, done in zip(wanted, written, strict=True):
        click.echo(_report(target, arrays[target.port.name], done), err=True)
    for (port, source), difference in zip(expected, differences, strict=True):
        if difference is None:
            click.echo(f"checked {source.path}: {port.name} is equal", err=True)
    if any(differences):
        raise ArrayolError([difference for difference in differences if difference is not None])


@dataclass(frozen=True, slots=True)
class _Options:
    inputs: Sequence[tuple[str, Source]]
    outputs: Sequence[tuple[str, FileSource]]
    checks: Sequence[tuple[str | None, FileSource]]
    frames: int | None
    allow_extern: bool


def _targets(component: Component, outputs: Sequence[tuple[str, FileSource]]) -> list[Target]:
    """The files to write, refused now if their ports, formats or names do not serve."""
    files = [
        Target(file.path, port_of(component, component.outputs, name, "output"), file.member) for name, file in outputs
    ]
    check_targets(files)
    return files


def _expected(component: Component, checks: Sequence[tuple[str | None, FileSource]]) -> list[tuple[Port, FileSource]]:
    """The files to compare with, refused now if there are none such."""
    expected = []
    for name, source in checks:
        if name is None and len(component.outputs) != 1:
            names = [port.name for port in component.outputs]
            hint = f"name one, as in --check {names[0]}={source.path}" if names else None
            message = f"'{component.name}' has {_ports_text('output', names)}, so it is open which one to compare"
            raise error("which-output", message, hint=hint)
        port = component.outputs[0] if name is None else port_of(component, component.outputs, name, "output")
        require_file(source)
        expected.append((port, source))
    return expected


def _functions(spec: Spec, task: str, stack: ExitStack, *, allowed: bool) -> Functions:
    """The Python functions to run. Raises ArrayolError (`extern-not-allowed`) for one without leave."""
    externs = externs_of(spec, task)
    if externs and not allowed:
        raise not_allowed(externs[0])
    return load_functions(externs, stack)


def load_functions(externs: Sequence[Elementary], stack: ExitStack) -> Functions:
    """The Python functions of elementaries: all named on stderr before the first is imported."""
    stack.enter_context(importable_here() if externs else nullcontext())
    for elementary in externs:
        click.echo(f"will run {elementary.extern} from {origin_of(elementary)}", err=True)
    return {str(elementary.extern): load_function(elementary) for elementary in externs}


def _report(target: Target, array: NDArray[Any], done: WrittenFiles) -> str:
    """One line on what was written: name, shape, type, range, and what an image changed."""
    shape = " x ".join(map(str, array.shape)) or "scalar"
    line = f"wrote {target.path}: {target.port.name}, {shape} {target.port.type}{_range(array, target.port.type)}"
    if done.bits is None:
        return line
    changed = f"{done.clipped:,} of {array.size:,} values clipped" if done.clipped else "no value clipped"
    missing = f", {done.missing:,} NaN written as 0" if done.missing else ""
    files = f"{done.files:,} files, each " if done.files is not None else ""
    rank = array.ndim if done.files is None else array.ndim - 1
    return f"{line}, as {files}{done.bits}-bit {'grey' if rank == 2 else 'colour'}; {changed}{missing}"


def _range(array: NDArray[Any], kind: ElementType) -> str:
    """Least and greatest value, NaN left out; nothing for complex numbers and truth values."""
    if array.dtype.kind not in "uif" or not array.size:
        return ""
    low, high = np.fmin.reduce(array, axis=None), np.fmax.reduce(array, axis=None)  # without a copy of the array
    if kind.is_fixed:
        return f", {kind.value(int(low)):.6g} to {kind.value(int(high)):.6g}"
    if array.dtype.kind == "f":
        return "" if np.isnan(low) else f", {low:.6g} to {high:.6g}"
    return f", {low} to {high}"
