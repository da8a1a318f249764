"""Results held against expected arrays, bit for bit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrayol.errors import Diagnostic, error
from arrayol.execute.blocks import blocks
from arrayol.execute.images import pixels_of
from arrayol.execute.inputs import FileSource, read_array, suffix_of
from arrayol.ir.spec import ConstValue, Port
from arrayol.ir.types import ElementType


@dataclass(frozen=True, slots=True)
class Difference:
    """Where two arrays differ first, in row-major order; how many values do, and by how much at most.

    `largest` is None where no difference is a number: of truth values, and where NaN stands against a number.
    """

    index: tuple[int, ...]
    got: Any
    expected: Any
    count: int
    largest: int | float | None


def compare(
    port: Port, got: NDArray[Any], source: FileSource, constants: Mapping[str, ConstValue]
) -> Diagnostic | None:
    """How the array of an output differs from that of a file, if it does.

    Against an image it is held as it would be written as one of that many bits. Raises ArrayolError where the file
    cannot be read as an array for the port.
    """
    is_image = suffix_of(source.path) == ".png"
    loaded = read_array(source, port, constants, element=ElementType.U16 if is_image else port.type)
    if loaded.array.shape != got.shape:
        message = f"output '{port.name}' is {_by(got.shape)}, and this is {_by(loaded.array.shape)}"
        raise error("shape-mismatch", message, file=str(source.path))
    if is_image:
        got = pixels_of(got, max(loaded.bits or 8, 8))[0].astype(np.uint16)
    found = find_difference(got, loaded.array)
    if found is None:
        return None
    where = f" at [{', '.join(map(str, found.index))}]" if found.index else ""
    what = "pixels" if is_image else "values"
    message = f"output '{port.name}' differs{where}: got {found.got!s}, expected {found.expected!s}"
    message += f"; {found.count} of {got.size} {what} differ"
    if found.largest is not None:
        message += f", by at most {found.largest if isinstance(found.largest, int) else f'{found.largest:.6g}'}"
    return Diagnostic("output-differs", message, file=str(source.path))


def _by(shape: tuple[int, ...]) -> str:
    return " x ".join(map(str, shape)) or "a single value"


def find_difference(got: NDArray[Any], expected: NDArray[Any]) -> Difference | None:
    """The difference of two arrays of one shape and type, or None.

    Floats are equal if their bits are, so 0.0 is not -0.0; every NaN is equal to every other.
    """
    first: tuple[int, ...] | None = None
    count, largest = 0, None
    for box, index in blocks(got.shape):
        one, other = got[index], expected[index]
        differs = _differs(one, other)
        if not differs.any():
            continue
        if first is None:
            lane = np.unravel_index(int(np.argmax(differs)), differs.shape)
            first = box.repetition(tuple(map(int, lane)))
        count += int(np.count_nonzero(differs))
        here = _largest(one[differs], other[differs])
        largest = here if largest is None or (here is not None and here > largest) else largest
    return None if first is None else Difference(first, got[first], expected[first], count, largest)


def _differs(one: NDArray[Any], other: NDArray[Any]) -> NDArray[np.bool_]:
    if one.dtype.kind == "c":
        return np.asarray(_differs(one.real, other.real) | _differs(one.imag, other.imag))
    if one.dtype.kind == "f":
        signs = np.signbit(one) != np.signbit(other)
        return np.asarray(((one != other) | signs) & ~(np.isnan(one) & np.isnan(other)))
    return np.asarray(one != other)


def _largest(one: NDArray[Any], other: NDArray[Any]) -> int | float | None:
    """The largest absolute difference of values that differ: exact for integers, of f64 precision for floats."""
    kind = one.dtype.kind
    if kind == "b":
        return None
    if kind in "ui":
        unsigned = np.dtype(f"u{one.dtype.itemsize}")  # a difference of two i8 may need 8 bits, and never 9
        low, high = np.minimum(one, other).astype(unsigned), np.maximum(one, other).astype(unsigned)
        return int((high - low).max())
    wide = np.complex128 if kind == "c" else np.float64
    with np.errstate(all="ignore"):
        apart = np.abs(one.astype(wide) - other.astype(wide))
    numbers = apart[~np.isnan(apart)]
    return float(numbers.max()) if numbers.size else None
