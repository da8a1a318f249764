"""Random data for the inputs of a network that its bodies accept.

A body refuses some values while it runs: a shift by more than the width, an integer division by zero, a subscript
outside of its array, a float that the integer it becomes cannot hold. So random data are tried on the reference
execution, and where they are refused, data of smaller ranges: the same range for all inputs first, then drawn ones.
Last, the range of each input by itself is made as large as the bodies accept beside the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrayol.errors import ArrayolError
from arrayol.execute.inputs import noise
from arrayol.execute.run import execute
from arrayol.ir.spec import Spec
from arrayol.ir.types import ElementType, Kind
from arrayol.text import listed
from hwmodel.accesses import Accesses

SEED, SIGNS = 1, 1 << 32  # of the data of the first input; what the seed of its signs has more
REFUSED = {  # codes of what depends on values, and may go well with others
    *("shift-out-of-range", "division-by-zero", "subscript-out-of-range", "conversion-out-of-range"),
    "read-before-write",
}
_DRAWN = 64  # combinations of ranges that are tried


class Band(NamedTuple):
    """A range of values in 256ths of that of pixels: integers from `low` to `high`, floats from low / 256 on.

    With `signs`, half of the signed integers get a minus.
    """

    low: int
    high: int
    signs: bool = False


WIDEST, PIXELS = Band(0, 255, signs=True), Band(0, 255)


@dataclass(frozen=True)
class BenchData:
    """Arrays by input, and in words to what values they are kept because bodies refuse others; "" for no such limit."""

    inputs: Mapping[str, NDArray[Any]]
    kept_to: str = ""


def accepted_data(spec: Spec, accesses: Accesses) -> BenchData | None:
    """Random data for which the bodies have a result, with both signs if they can; None where none were found."""
    trial = _Trial(spec, accesses)
    for band in (WIDEST, PIXELS):
        if trial.accepts(dict.fromkeys(trial.names, band)):
            return BenchData(trial.data(dict.fromkeys(trial.names, band)))
    bands = next((bands for bands in _tried(trial.names) if trial.may_help and trial.accepts(bands)), None)
    if bands is None:
        return None
    for name in trial.names:
        bands[name] = trial.widened(bands, name)
    arrays = accesses.network.arrays
    limits = [_words(name, arrays[name].type, band) for name, band in bands.items() if band.high - band.low < 255]
    return BenchData(trial.data(bands), listed(limits))


def random_data(spec: Spec, accesses: Accesses) -> BenchData:
    """Random data of pixels, whatever the bodies say of them."""
    trial = _Trial(spec, accesses)
    return BenchData(trial.data(dict.fromkeys(trial.names, PIXELS)))


class _Trial:
    """Data of bands, tried on the reference execution; `may_help` says whether other data may go better."""

    def __init__(self, spec: Spec, accesses: Accesses) -> None:
        self.spec, self.accesses = spec, accesses
        self.names = tuple(name for name in accesses.network.inputs if name not in spec.tables)
        self.may_help = True

    def data(self, bands: Mapping[str, Band]) -> dict[str, NDArray[Any]]:
        """Arrays by input, other values in each."""
        arrays = self.accesses.network.arrays
        return {
            name: _in_band(arrays[name].type, self.accesses.shape_to_run(name), seed, bands[name])
            for seed, name in enumerate(self.names, SEED)
        }

    def accepts(self, bands: Mapping[str, Band]) -> bool:
        """Whether all bodies have a result for data of these bands."""
        try:
            execute(self.spec, self.accesses.network.name, self.data(bands))
        except ArrayolError as refused:
            self.may_help = all(one.code in REFUSED for one in refused.diagnostics)
            return False
        return True

    def widened(self, bands: Mapping[str, Band], name: str) -> Band:
        """The band of one input as wide as the bodies accept beside those of the others."""
        for wide in (WIDEST, PIXELS):
            if self.accepts({**bands, name: wide}):
                return wide
        low, high = bands[name].low, bands[name].high
        high += _most(255 - high, lambda more: self.accepts({**bands, name: Band(low, high + more)}))
        low -= _most(low, lambda more: self.accepts({**bands, name: Band(low - more, high)}))
        return Band(low, high)


def _most(limit: int, holds: Callable[[int], bool]) -> int:
    """The greatest number up to a limit for which something holds, by halving, if it holds for all below it."""
    known, refused = 0, limit + 1
    while refused - known > 1:
        middle = (known + refused) // 2
        known, refused = (middle, refused) if holds(middle) else (known, middle)
    return known


def _tried(names: tuple[str, ...]) -> Iterator[dict[str, Band]]:
    """Bands that are narrower and narrower, the same for all inputs; then drawn ones, others for each."""
    for size in (256, 128, 64, 32, 16, 8, 4, 2, 1):
        for low, high in ((0, size - 1), (1, size - 1), (size, 2 * size - 1)):  # without 0 too, for divisors
            if low <= high < 256 and (low, high) != PIXELS[:2]:
                yield dict.fromkeys(names, Band(low, high))
    rng = Random(SEED)
    for _ in range(_DRAWN):
        yield {name: rng.choice(list(_parts(rng.choice((256, 128, 64, 32, 16, 8, 1))))) for name in names}


def _parts(size: int) -> Iterator[Band]:
    """The range of pixels in parts of one size, some of them without 0."""
    for low in range(0, 256, size):
        yield Band(low, low + size - 1)
    if size > 1:
        yield Band(1, size - 1)


def _in_band(element: ElementType, shape: tuple[int, ...], seed: int, band: Band) -> NDArray[Any]:
    """Noise in a band, as far as the type has it."""
    values, size = noise(element, shape, seed), band.high - band.low + 1
    if element is ElementType.BOOL:
        return values if size > 1 else np.full(shape, bool(band.low % 2))
    if element.kind in {Kind.FLOAT, Kind.COMPLEX}:
        return (values * (size / 256) + band.low / 256).astype(values.dtype)
    if size < 256:
        values = _cut(values, element, band)
    if band.signs and values.dtype.kind == "i":
        values = np.where(noise(ElementType.BOOL, shape, SIGNS + seed), -values, values)
    return values


def _cut(values: NDArray[Any], element: ElementType, band: Band) -> NDArray[Any]:
    """Integers, or fixed-point values by the bits after their point, in a band; both its ends are among them."""
    least, most = _ends(element, band)
    cut = least + values.astype(np.int64) % (most - least + 1)
    cut.reshape(-1)[:1], cut.reshape(-1)[-1:] = least, most
    return cut.astype(values.dtype)


def _ends(element: ElementType, band: Band) -> tuple[int, int]:
    """The least and greatest stored integer of a band."""
    scale = Fraction(2**element.fraction, 256) if element.is_fixed else 1
    greatest = int(element.whole_range[1])
    return min(int(band.low * scale), greatest), min(int(band.high * scale), greatest)


def _words(name: str, element: ElementType, band: Band) -> str:
    """The values of an input as a reader wants them: 'amounts' from 0 to 7."""
    if element.kind in {Kind.FLOAT, Kind.COMPLEX}:
        low, high = band.low / 256, (band.high + 1) / 256
    elif element is ElementType.BOOL:
        low, high = (band.low % 2, band.low % 2) if band.low == band.high else (0, 1)
    else:
        low, high = (end / 2**element.fraction for end in _ends(element, band))
    return f"'{name}' from {low:g} to {high:g}"
