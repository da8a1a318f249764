"""What `--in`, `--out` and `--check` name: files, arrays in files, and data made on the spot."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from numpy.typing import NDArray

from arrayol.errors import error
from arrayol.execute.inputs import FileSource, Loaded, read_array
from arrayol.execute.synthetic import noise, ramp
from arrayol.ir.spec import Component, ConstValue, Port
from arrayol.language.hints import did_you_mean

_MEMBER = re.compile(r"(.+\.npz):([^:/\\]+)", re.IGNORECASE | re.DOTALL)
_NAME = re.compile(r"\s*([A-Za-z_]\w*)\s*=(.+)", re.ASCII | re.DOTALL)
_GREATEST_SEED = 2**64 - 1


@dataclass(frozen=True, slots=True)
class Made:
    """Data made on the spot: random with a seed, else 0, 1, 2, ..."""

    seed: int | None


Source = FileSource | Made
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
    found: list[tuple[str | None, FileSource]] = []
    for text in values:
        named = _NAME.fullmatch(text)
        if not text or text.endswith("=") or text.startswith("="):
            raise click.BadParameter(f"'{text}' is neither FILE nor NAME=FILE.", ctx, param)
        found.append((named[1], _file(named[2])) if named else (None, _file(text)))
    return found


def load_inputs(
    component: Component,
    given: Sequence[tuple[str, Source]],
    constants: Mapping[str, ConstValue],
    frames: int | None,
) -> dict[str, Loaded]:
    """The arrays of all input ports. What is made on the spot has as many frames as the files, or `frames`."""
    chosen: dict[str, Source] = {}
    for name, source in given:
        port = port_of(component, component.inputs, name, "input")
        if port.name in chosen:
            raise error("same-input", f"input '{name}' is given twice", hint="give one file for each input")
        chosen[port.name] = source
    missing = [port.name for port in component.inputs if port.name not in chosen]
    if missing:
        hint = " ".join(f"--in {name}=FILE" for name in missing)
        raise error("missing-input", f"'{component.name}' needs {listed('input', missing)}", hint=f"add {hint}")
    loaded: dict[str, Loaded] = {}
    for port in component.inputs:
        source = chosen[port.name]
        if isinstance(source, FileSource):
            loaded[port.name] = read_array(source, port, constants, frames)
    length = frames if frames is not None else _frames_of(component, loaded)
    for port in component.inputs:
        source = chosen[port.name]
        if isinstance(source, Made):
            loaded[port.name] = Loaded(_make(source, port, length), None)
    return loaded


def port_of(component: Component, ports: Sequence[Port], name: str, what: str) -> Port:
    """The port that a command names. Raises ArrayolError (`unknown-port`)."""
    found = next((port for port in ports if port.name == name), None)
    if found is None:
        names = [port.name for port in ports]
        hint = did_you_mean(name, names) or f"it has {listed(what, names)}"
        raise error("unknown-port", f"'{component.name}' has no {what} '{name}'", hint=hint)
    return found


def listed(what: str, names: Sequence[str]) -> str:
    """Names in words: `the inputs a, c`, or `no input`."""
    return f"the {what}{'' if len(names) == 1 else 's'} {', '.join(names)}" if names else f"no {what}"


def _pairs(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> list[tuple[str, str]]:
    pairs = [text.partition("=") for text in values]
    for (name, sign, file), text in zip(pairs, values, strict=True):
        if not (name.strip() and sign and file):
            raise click.BadParameter(f"'{text}' is not NAME=FILE, as in p0=photo.png.", ctx, param)
    return [(name.strip(), file) for name, _, file in pairs]


def _source(text: str, ctx: click.Context, param: click.Parameter) -> Source:
    kind, colon, seed = text.partition(":")
    if kind == "ramp" and not colon:
        return Made(None)
    if kind == "random":
        if not re.fullmatch(r"[0-9]{1,20}", seed) or int(seed) > _GREATEST_SEED:
            message = f"'{text}' is not random:SEED with an integer from 0 to {_GREATEST_SEED}, as in random:1."
            raise click.BadParameter(message, ctx, param)
        return Made(int(seed))
    return _file(text)


def _file(text: str) -> FileSource:
    member = _MEMBER.fullmatch(text)
    return FileSource(Path(member[1]), member[2]) if member else FileSource(Path(text))


def _frames_of(component: Component, loaded: Mapping[str, Loaded]) -> int | None:
    found = [
        loaded[port.name].array.shape[port.shape.index(None)]
        for port in component.inputs
        if None in port.shape and port.name in loaded
    ]
    return min(found, default=None)


def _make(source: Made, port: Port, frames: int | None) -> NDArray[Any]:
    if None in port.shape and frames is None:
        message = f"nothing says how many frames input '{port.name}' has"
        raise error("no-frames", message, port.span, hint="--frames says it, as in --frames 10")
    shape = tuple(length if length is not None else frames or 0 for length in port.shape)
    return ramp(port.type, shape) if source.seed is None else noise(port.type, shape, source.seed)
