"""`arrayol run`: execute a specification on images and arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from arrayol.checks.pipeline import choose_top, load_checked
from arrayol.cli.options import set_option, spec_argument, top_option
from arrayol.errors import error
from arrayol.execute.files import Loaded, Target, Written, check_target, read_array, write_arrays
from arrayol.execute.run import execute
from arrayol.ir.model import Component, Port, Spec
from arrayol.language.hints import did_you_mean

Pairs = Sequence[tuple[str, Path]]


def _pairs(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> list[tuple[str, Path]]:
    """NAME=FILE texts as pairs. Raises BadParameter for one that is malformed."""
    pairs = [text.partition("=") for text in values]
    for (name, sign, file), text in zip(pairs, values, strict=True):
        if not (name.strip() and sign and file):
            raise click.BadParameter(f"'{text}' is not NAME=FILE, as in p0=photo.png.", ctx, param)
    return [(name.strip(), Path(file)) for name, _, file in pairs]


@click.command()
@spec_argument
@click.option(
    "--in", "inputs", metavar="NAME=FILE", multiple=True, callback=_pairs, help="The file for an input. Repeatable."
)
@click.option(
    "--out",
    "outputs",
    metavar="NAME=FILE",
    multiple=True,
    required=True,
    callback=_pairs,
    help="The file for an output, of those that are wanted. Repeatable.",
)
@top_option
@set_option
def command(spec: Path, inputs: Pairs, outputs: Pairs, top: str | None, settings: Mapping[str, str]) -> None:
    """Execute the specification in FILE on images (.png) and arrays (.npy).

    Values pass unscaled. An .npy file takes and gives an array as it is; from every file, each value must be one of
    the port's type. An image is an array of rank 2, row by column, or of rank 3 with its colours last.

    In an image that is written, values are rounded (half to even) and clipped to the pixels' range, and NaN becomes
    0; how many is told. A pixel has 1 bit for bool, 8 for u8 and i8, 16 for u16; for other types 16 where an
    input image has 16, else 8. Colours have 8 bits.

    Outputs appear when all of them are whole, or not at all.
    """
    checked = load_checked(spec, settings)
    component = checked.components[choose_top(checked, top)]
    targets = _targets(component, outputs)
    loaded = _load(component, inputs, checked)
    arrays = execute(checked, component.name, {name: one.array for name, one in loaded.items()})
    input_bits = max((one.bits for one in loaded.values() if one.bits is not None), default=None)
    written = write_arrays(targets, arrays, input_bits)
    for target, done in zip(targets, written, strict=True):
        click.echo(_report(target, arrays[target.port.name], done), err=True)


def _targets(component: Component, outputs: Pairs) -> list[Target]:
    """The files to write, refused now if their ports, formats or names do not serve."""
    targets = [Target(path, _port(component, component.outputs, name, "output")) for name, path in outputs]
    seen: dict[Path, str] = {}
    for target in targets:
        check_target(target)
        place = target.path.resolve()
        if place in seen:
            message = f"outputs '{seen[place]}' and '{target.port.name}' would both be written to this file"
            raise error("same-file", message, file=str(target.path), hint="give each a file of its own")
        seen[place] = target.port.name
    return targets


def _load(component: Component, inputs: Pairs, spec: Spec) -> dict[str, Loaded]:
    """The arrays of all input ports."""
    paths: dict[str, Path] = {}
    for name, path in inputs:
        port = _port(component, component.inputs, name, "input")
        if port.name in paths:
            raise error("same-input", f"input '{name}' is given twice", hint="give one file for each input")
        paths[port.name] = path
    missing = [port.name for port in component.inputs if port.name not in paths]
    if missing:
        hint = " ".join(f"--in {name}=FILE" for name in missing)
        raise error("missing-input", f"'{component.name}' needs {_listed('input', missing)}", hint=f"add {hint}")
    return {port.name: read_array(paths[port.name], port, spec.constants) for port in component.inputs}


def _port(component: Component, ports: Sequence[Port], name: str, what: str) -> Port:
    found = next((port for port in ports if port.name == name), None)
    if found is None:
        names = [port.name for port in ports]
        hint = did_you_mean(name, names) or f"it has {_listed(what, names)}"
        raise error("unknown-port", f"'{component.name}' has no {what} '{name}'", hint=hint)
    return found


def _listed(what: str, names: Sequence[str]) -> str:
    return f"the {what}{'' if len(names) == 1 else 's'} {', '.join(names)}" if names else f"no {what}"


def _report(target: Target, array: NDArray[Any], done: Written) -> str:
    """One line on what was written: name, shape, type, range, and what an image changed."""
    shape = " x ".join(map(str, array.shape)) or "scalar"
    line = f"wrote {target.path}: {target.port.name}, {shape} {target.port.type}{_range(array)}"
    if done.bits is None:
        return line
    changed = f"{done.clipped} of {array.size} values clipped" if done.clipped else "no value clipped"
    missing = f", {done.missing} NaN written as 0" if done.missing else ""
    return f"{line}, as {done.bits}-bit {'grey' if array.ndim == 2 else 'colour'}; {changed}{missing}"


def _range(array: NDArray[Any]) -> str:
    """Least and greatest value, NaN left out; nothing for complex numbers and truth values."""
    if array.dtype.kind not in "uif" or not array.size or (array.dtype.kind == "f" and np.isnan(array).all()):
        return ""
    low, high = np.nanmin(array), np.nanmax(array)
    return f", {low:.6g} to {high:.6g}" if array.dtype.kind == "f" else f", {low} to {high}"
