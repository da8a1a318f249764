"""Arrays from files and into files: .npy as they are, PNG images pixel by pixel and unscaled."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np
from numpy.lib.format import MAGIC_PREFIX
from numpy.typing import NDArray

from arrayol.errors import error
from arrayol.execute.environment import DTYPES
from arrayol.execute.images import bits_for, check_writable, pixels_of, read_png, write_png
from arrayol.execute.lossless import first_lost, kinds_agree, type_name
from arrayol.files import atomic_file
from arrayol.ir.model import ConstValue, Port

_SUFFIXES = (".png", ".npy")


@dataclass(frozen=True, slots=True)
class Loaded:
    """The array for an input port, and the bits of a pixel where it came from a grey image."""

    array: NDArray[Any]
    bits: int | None


@dataclass(frozen=True, slots=True)
class Target:
    """A file to write, and the output port whose array goes there."""

    path: Path
    port: Port


@dataclass(frozen=True, slots=True)
class Written:
    """What a file holds. `bits` of a pixel in an image; there, `clipped` values and `missing` (NaN, now 0) changed."""

    bits: int | None = None
    clipped: int = 0
    missing: int = 0


def read_array(path: Path, port: Port, constants: Mapping[str, ConstValue]) -> Loaded:
    """The array for a port. `constants` are those of the specification, for the hint where the shape differs.

    Raises ArrayolError: `cannot-read` (missing, a folder, damaged), `unknown-format`, `shape-mismatch`,
    `colour-image`, and `type-mismatch` where a value of the file is none of the port's type.
    """
    if path.is_dir():
        raise error("cannot-read", "this is a folder, not a file", file=str(path))
    suffix = _suffix(path)

    def check(shape: tuple[int, ...]) -> None:
        _check_shape(path, port, shape, constants)

    with _refusals(path):
        if suffix == ".png":
            values, bits = read_png(path, len(port.shape), check)
        else:
            values, bits = _read_npy(path, check), None
        return Loaded(_exactly(path, port, values), bits)


def check_target(target: Target) -> None:
    """Raises ArrayolError (`unknown-format`, `no-image`) where a port's arrays cannot go to such a file."""
    if _suffix(target.path) == ".png":
        check_writable(target.path, target.port.type, target.port.shape)


def write_arrays(
    targets: Sequence[Target], arrays: Mapping[str, NDArray[Any]], input_bits: int | None
) -> list[Written]:
    """Write the arrays of ports: all files whole, or none where one cannot be written (ArrayolError, `cannot-write`).

    `input_bits`: those of a pixel of the grey images that were read, if any; they decide what floats are written as.
    """
    with ExitStack() as stack:
        temporaries = [stack.enter_context(atomic_file(target.path)) for target in targets]
        return [
            _write(temporary, target, arrays[target.port.name], input_bits)
            for temporary, target in zip(temporaries, targets, strict=True)
        ]


def shown_port(port: Port) -> str:
    """A port as in a signature, with numbers for its dimensions."""
    dims = ", ".join("*" if length is None else str(length) for length in port.shape)
    return f"{port.name}: {port.type}[{dims}]" if port.shape else f"{port.name}: {port.type}"


def _write(path: Path, target: Target, array: NDArray[Any], input_bits: int | None) -> Written:
    if _suffix(target.path) == ".npy":
        with path.open("wb") as file:
            np.save(file, array, allow_pickle=False)
        return Written()
    bits = bits_for(target.port.type, array.ndim, input_bits)
    pixels, clipped, missing = pixels_of(array, bits)
    write_png(path, pixels)
    return Written(bits, clipped, missing)


def _suffix(path: Path) -> str:
    suffix = path.suffix.lower()
    if suffix not in _SUFFIXES:
        raise error(
            "unknown-format",
            f"arrays are read from and written to .png and .npy files, not '{path.suffix or path.name}'",
            file=str(path),
            hint="numpy.save writes .npy files, and most image programs .png",
        )
    return suffix


@contextmanager
def _refusals(path: Path) -> Iterator[None]:
    """What the system refuses, told as an error of the file."""
    try:
        yield
    except FileNotFoundError:
        raise error("cannot-read", "there is no such file", file=str(path)) from None
    except OSError as refused:
        raise error("cannot-read", f"this cannot be read: {refused.strerror}", file=str(path)) from None


def _read_npy(path: Path, check: Callable[[tuple[int, ...]], None]) -> NDArray[Any]:
    """The array of a file, mapped, so that nothing is read before its shape has been checked."""
    damaged = error("cannot-read", "this is damaged, or no .npy file of numbers", file=str(path))
    with path.open("rb") as file:
        if file.read(len(MAGIC_PREFIX)) != MAGIC_PREFIX:
            raise damaged
    try:
        values: NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, EOFError, SyntaxError, TypeError, KeyError, OSError, TokenError):
        raise damaged from None
    check(values.shape)
    return values


def _check_shape(path: Path, port: Port, found: Sequence[int], constants: Mapping[str, ConstValue]) -> None:
    """An infinite dimension takes any number of frames, but not none."""
    fits = len(found) == len(port.shape) and all(
        length == wanted or (wanted is None and length > 0) for wanted, length in zip(port.shape, found, strict=True)
    )
    if not fits:
        message = f"expected {_by(port.shape)} (port {shown_port(port)}), found {_by(found)}"
        raise error("shape-mismatch", message, file=str(path), hint=_settings(port, found, constants))


def _by(shape: Sequence[int | None]) -> str:
    return " x ".join("*" if length is None else str(length) for length in shape) or "a single value"


def _settings(port: Port, found: Sequence[int], constants: Mapping[str, ConstValue]) -> str | None:
    """The --set options that would fit the port to the file, where the dimensions that differ are written as consts."""
    written = re.search(r"\[([^]]*)\]", port.span.file.text[port.span.start : port.span.end])
    names = [name.strip() for name in written[1].split(",")] if written else []
    if not len(found) == len(port.shape) == len(names):
        return None
    wanted: dict[str, int] = {}
    for name, old, new in zip(names, port.shape, found, strict=True):
        if (name in constants or old != new) and (name not in constants or wanted.setdefault(name, new) != new):
            return None
    changed = [f"--set {name}={new}" for name, new in wanted.items() if constants[name] != new]
    return f"to fit the port to this file: {' '.join(changed)}" if changed else None


def _exactly(path: Path, port: Port, values: NDArray[Any]) -> NDArray[Any]:
    """The values in the port's type, as memory of their own."""
    found = type_name(values.dtype)
    expected = f"expected {port.type} (port {shown_port(port)}), found {found}"
    hint = f"convert it first, as numpy's astype('{DTYPES[port.type].name}') does"
    if not kinds_agree(values.dtype, port.type):
        raise error("type-mismatch", expected, file=str(path), hint=hint)
    lost = first_lost(values, port.type)
    if lost is not None:
        message = f"{expected} with the value {lost}, which {port.type} does not hold"
        raise error("type-mismatch", message, file=str(path), hint=hint)
    return np.array(values, dtype=DTYPES[port.type], order="C")
