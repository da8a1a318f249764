"""Arrays from files, .npy and .npz as they are, PNG images pixel by pixel; and arrays made on the spot."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np
from numpy.lib.format import MAGIC_PREFIX
from numpy.typing import NDArray

from arrayol.errors import error
from arrayol.execute.arithmetic import describe_range, first_outside, wrapped
from arrayol.execute.arrays import blocks, first_lost, kinds_agree, read_member, type_name
from arrayol.execute.environment import DTYPES, empty
from arrayol.execute.frames import first_frames
from arrayol.execute.images import frame_axis, is_pattern, matching, read_png, without_axis
from arrayol.files import hint_of, opened, require_regular
from arrayol.ir.spec import ConstValue, Port
from arrayol.ir.types import ElementType, Kind
from arrayol.text import rounded

_SUFFIXES = (".png", ".npy", ".npz")

CheckShape = Callable[[tuple[int, ...]], None]


@dataclass(frozen=True, slots=True)
class InputArray:
    """The array for an input port, and the bits of a pixel where it came from a grey image."""

    array: NDArray[Any]
    bits: int | None


@dataclass(frozen=True, slots=True)
class FileSource:
    """A file to read; `member` is the name of an array in an .npz file."""

    path: Path
    member: str | None = None


def read_array(
    source: FileSource,
    port: Port,
    constants: Mapping[str, ConstValue],
    frames: int | None = None,
    element: ElementType | None = None,
) -> InputArray:
    """The array for a port; of an infinite dimension the first `frames`, or all.

    `element` is the type to read, if it is not that of the port; `constants` are those of the specification, for the
    hint where the shape differs. Raises ArrayolError: `cannot-read` (missing, a folder, damaged), `unknown-format`,
    `shape-mismatch`, `colour-image`, `no-such-array`, `too-few-frames`, and `type-mismatch` where a value of the file
    is none of the type.
    """
    path, element = source.path, element or port.type
    suffix = suffix_of(path)
    if is_pattern(path):
        return _read_sequence(path, port, constants, frames, element)

    def check(shape: tuple[int, ...]) -> None:
        _check_shape(path, port, shape, constants)
        _check_frames(path, port, shape, frames)

    with _refusals(path):
        if suffix == ".png":
            values, bits = read_png(path, len(port.shape), check)
        elif suffix == ".npz":
            values, bits = read_member(path, source.member, port.name, check), None
        else:
            values, bits = _read_npy(path, port, check, element), None
        return InputArray(_exactly(path, port, first_frames(port, values, frames), element), bits)


def _read_sequence(
    pattern: Path, port: Port, constants: Mapping[str, ConstValue], frames: int | None, element: ElementType
) -> InputArray:
    """Images as frames, each brought to its place before the next is read."""
    axis = frame_axis(pattern, port, shown_port(port))
    paths = matching(pattern)
    _check_frames(pattern, port, (*port.shape[:axis], len(paths), *port.shape[axis + 1 :]), frames)
    paths = paths[:frames]
    frame = replace(port, shape=without_axis(port.shape, axis))
    array = empty([len(paths) if length is None else length for length in port.shape], DTYPES[element])
    widest: int | None = None
    for number, path in enumerate(paths):

        def check(shape: tuple[int, ...], path: Path = path) -> None:
            _check_shape(path, port, (*shape[:axis], len(paths), *shape[axis:]), constants)

        with _refusals(path):
            values, bits = read_png(path, len(frame.shape), check)
        np.moveaxis(array, axis, 0)[number] = _exactly(path, port, values, element)
        widest = bits if widest is None else max(widest, bits or 0)
    return InputArray(array, widest)


def require_file(source: FileSource) -> None:
    """Refuse now what is no file to read later (`cannot-read`, `unknown-format`)."""
    suffix_of(source.path)
    if is_pattern(source.path):
        matching(source.path)
    else:
        with _refusals(source.path):
            require_regular(source.path)


def shown_port(port: Port) -> str:
    """A port as in a signature, with numbers for its dimensions."""
    dims = ", ".join("*" if length is None else str(length) for length in port.shape)
    return f"{port.name}: {port.type}[{dims}]" if port.shape else f"{port.name}: {port.type}"


def suffix_of(path: Path) -> str:
    """The format of a file by its name, in lower case. Raises ArrayolError (`unknown-format`)."""
    suffix = path.suffix.lower()
    if suffix not in _SUFFIXES:
        raise error(
            "unknown-format",
            f"arrays are read from and written to .png, .npy and .npz files, not '{path.suffix or path.name}'",
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
    except IsADirectoryError:
        raise error("cannot-read", "this is a folder, not a file", file=str(path)) from None
    except OSError as refused:
        message = f"this cannot be read: {refused.strerror}"
        raise error("cannot-read", message, file=str(path), hint=hint_of(refused)) from None


def _read_npy(path: Path, port: Port, check: CheckShape, element: ElementType) -> NDArray[Any]:
    """The array of a file: read at once where it serves as it is, else mapped, to be converted part by part."""
    damaged = error("cannot-read", "this is damaged, or no .npy file of numbers", file=str(path))
    with opened(path) as file:
        if file.read(len(MAGIC_PREFIX)) != MAGIC_PREFIX:
            raise damaged
    try:
        with np.errstate(over="raise"):  # a shape that no file holds
            values: NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ArithmeticError, ValueError, EOFError, SyntaxError, TypeError, KeyError, OSError, TokenError):
        raise damaged from None
    check(values.shape)
    if values.dtype == DTYPES[element] and values.flags.c_contiguous and None not in port.shape:
        values = np.fromfile(path, values.dtype, values.size, offset=_offset(values)).reshape(values.shape)
    return values


def _offset(values: NDArray[Any]) -> int:
    """Where in its file a mapped array begins."""
    assert isinstance(values, np.memmap)
    return int(values.offset)


def _check_frames(path: Path, port: Port, shape: Sequence[int | None], frames: int | None) -> None:
    if frames is None or None not in port.shape:
        return
    available = shape[port.shape.index(None)]
    if available is not None and available < frames:
        message = f"--frames {frames} asks for more frames than the {rounded(available)} here of input '{port.name}'"
        raise error("too-few-frames", message, file=str(path), hint="without --frames all of them are taken")


def _check_shape(path: Path, port: Port, shape: Sequence[int], constants: Mapping[str, ConstValue]) -> None:
    """An infinite dimension takes any number of frames, but not none."""
    fits = len(shape) == len(port.shape) and all(
        length == wanted or (wanted is None and length > 0) for wanted, length in zip(port.shape, shape, strict=True)
    )
    if not fits:
        message = f"expected {shape_text(port.shape)} (port {shown_port(port)}), found {shape_text(shape)}"
        raise error("shape-mismatch", message, file=str(path), hint=_settings(port, shape, constants))


def shape_text(shape: Sequence[int | None]) -> str:
    """A shape in words: 3 x 4; an infinite dimension is a *."""
    return " x ".join("*" if length is None else str(length) for length in shape) or "a single value"


def _settings(port: Port, shape: Sequence[int], constants: Mapping[str, ConstValue]) -> str | None:
    """The --set options that would fit the port to the file, where the dimensions that differ are written as consts."""
    written = re.search(r"\[([^]]*)\]", port.span.file.text[port.span.start : port.span.end])
    names = [name.strip(' "') for name in written[1].split(",")] if written else []  # in quotation marks in JSON
    if not len(shape) == len(port.shape) == len(names):
        return None
    wanted: dict[str, int] = {}
    for name, old, new in zip(names, port.shape, shape, strict=True):
        if (name in constants or old != new) and (name not in constants or wanted.setdefault(name, new) != new):
            return None
    changed = [f"--set {name}={new}" for name, new in wanted.items() if constants[name] != new]
    return f"to fit the port to this file: {' '.join(changed)}" if changed else None


def _exactly(path: Path, port: Port, values: NDArray[Any], element: ElementType) -> NDArray[Any]:
    """The values in the type to read, as memory of their own."""
    own = type_name(values.dtype)
    expected = f"expected {element} (port {shown_port(port)}), found {own}"
    hint = f"convert it first, as numpy's astype('{DTYPES[element].name}') does"
    if element.is_fixed:
        hint = f"a file has the stored integers, value x 2**{element.fraction}, as {DTYPES[element].name}"
    if not kinds_agree(values.dtype, element):
        raise error("type-mismatch", expected, file=str(path), hint=hint)
    for _, index in blocks(values.shape) if not element.is_numpys else ():
        found = first_outside(values[index], element)
        if found is not None:
            message = f"the value {found} is in this file, for port {shown_port(port)}; {describe_range(element)}"
            raise error("value-out-of-range", message, file=str(path), hint="limit the values first, with numpy.clip")
    if values.dtype == DTYPES[element] and values.flags.c_contiguous and not isinstance(values, np.memmap):
        return values
    array = empty(values.shape, DTYPES[element])
    for _, index in blocks(values.shape):
        part = values[index]
        lost = first_lost(part, element)
        if lost is not None:
            message = f"{expected} with the value {lost}, which {element} does not hold"
            raise error("type-mismatch", message, file=str(path), hint=hint)
        array[index] = part
    return array


# Arrays made on the spot, the same everywhere: counted up, or drawn from a seeded generator.

_BLOCK = 1 << 18  # values made at once, to bound the memory


def ramp(element: ElementType, shape: tuple[int, ...]) -> NDArray[Any]:
    """0, 1, 2, ... in row-major order, as far as the type reaches: integers wrap around, bool alternates.

    Of fixed-point types these are the stored integers, steps of the last bit.

    f32 and c64 count exactly up to 2^24 and round above.
    """
    array = empty(shape, DTYPES[element])
    for part, first in _blocks(array):
        counted = np.arange(first, first + part.size)
        counted = counted % 2 if element is ElementType.BOOL else counted
        part[...] = wrapped(counted, element) if element.wraps else counted
    return array


def noise(element: ElementType, shape: tuple[int, ...], seed: int) -> NDArray[Any]:
    """Uniform values: floats and both parts of complex numbers in [0, 1), bool fair, integers those of a pixel.

    That is 0 to 255, or as far as the type reaches; fixed-point values are in [0, 1), as far as they reach. Each value
    takes one raw word of PCG64, in row-major order, the real part before the imaginary one: its highest bits, 53 and 24
    of floats, those after the point, 8 or fewer of integers, 1 of bool. So it depends on no version of NumPy's
    distributions; an f64 is that of `numpy.random.default_rng(seed).random()`.
    """
    array = empty(shape, DTYPES[element])
    generator = np.random.PCG64(seed)
    parts = array.reshape(-1).view(array.real.dtype) if element.kind is Kind.COMPLEX else array
    bits = _bits(element, parts.dtype)
    for part, _ in _blocks(parts):
        words = generator.random_raw(part.size) >> np.uint64(64 - bits) if bits else np.zeros(part.size, "u8")
        part[...] = words * 2.0**-bits if parts.dtype.kind == "f" else words
    return array


def _bits(element: ElementType, dtype: np.dtype[Any]) -> int:
    if dtype.kind == "f":
        return 53 if dtype.itemsize == 8 else 24
    if element.is_fixed:
        return element.fraction
    return 1 if element is ElementType.BOOL else min(8, element.bits - element.is_signed)


def _blocks(array: NDArray[Any]) -> Iterator[tuple[NDArray[Any], int]]:
    """The elements in row-major order, in parts, each with the number of its first."""
    flat = array.reshape(-1)
    for first in range(0, flat.size, _BLOCK):
        yield flat[first : first + _BLOCK], first
