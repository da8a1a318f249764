"""Arrays made on the spot, the same everywhere: counted up, or drawn from a seeded generator."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrayol.execute.environment import DTYPES
from arrayol.ir.types import ElementType, Kind

_BLOCK = 1 << 18  # values made at once, to bound the memory


def ramp(element: ElementType, shape: tuple[int, ...]) -> NDArray[Any]:
    """0, 1, 2, ... in row-major order, as far as the type reaches: integers wrap around, bool alternates.

    f32 and c64 count exactly up to 2^24 and round above.
    """
    array = np.empty(shape, DTYPES[element])
    for part, first in _blocks(array):
        counted = np.arange(first, first + part.size)
        part[...] = counted % 2 if element is ElementType.BOOL else counted
    return array


def noise(element: ElementType, shape: tuple[int, ...], seed: int) -> NDArray[Any]:
    """Uniform values: floats and both parts of complex numbers in [0, 1), bool fair, integers those of a pixel.

    That is 0 to 255, and 0 to 127 for i8. Each value takes one raw word of PCG64, in row-major order, the real part
    before the imaginary one: its highest 53, 24, 8, 7 or 1 bits. So it depends on no version of NumPy's distributions;
    an f64 is that of `numpy.random.default_rng(seed).random()`.
    """
    array = np.empty(shape, DTYPES[element])
    generator = np.random.PCG64(seed)
    parts = array.reshape(-1).view(array.real.dtype) if element.kind is Kind.COMPLEX else array
    bits = _bits(element, parts.dtype)
    for part, _ in _blocks(parts):
        words = generator.random_raw(part.size) >> np.uint64(64 - bits)
        part[...] = words * 2.0**-bits if parts.dtype.kind == "f" else words
    return array


def _bits(element: ElementType, dtype: np.dtype[Any]) -> int:
    if dtype.kind == "f":
        return 53 if dtype.itemsize == 8 else 24
    return {ElementType.BOOL: 1, ElementType.I8: 7}.get(element, 8)


def _blocks(array: NDArray[Any]) -> Iterator[tuple[NDArray[Any], int]]:
    """The elements in row-major order, in parts, each with the number of its first."""
    flat = array.reshape(-1)
    for first in range(0, flat.size, _BLOCK):
        yield flat[first : first + _BLOCK], first
