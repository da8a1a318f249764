"""Banks of many depths as built, and the energy of accesses to them; each bank of a platform is computed once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import IntArray
from hwmodel.cost_model.numbering import ascending
from hwmodel.datapath.technology.technology import Technology
from hwmodel.local_memory.organisations import Terms
from hwmodel.platform import Platform

BUILT = ("blocks", "lut", "ff", "area")


@dataclass(eq=False)
class SizeTable:
    """Figures by size, each computed when it is first read."""

    compute: Callable[[int], tuple[float, ...]]
    _sizes: IntArray = field(default_factory=lambda: np.zeros(0, np.int64), repr=False)  # ascending
    _columns: NDArray[Any] = field(default_factory=lambda: np.zeros((0, 0)), repr=False)

    def __call__(self, sizes: IntArray) -> NDArray[Any]:
        """The figures (number, S) at each of some sizes (S,)."""
        place = np.searchsorted(self._sizes, sizes)
        last = len(self._sizes) - 1
        there = self._sizes[np.minimum(place, last)] == sizes if last >= 0 else np.zeros(len(sizes), np.bool_)
        if not there.all():
            new = ascending(sizes[~there])
            fresh = np.array([self.compute(size) for size in new.tolist()], np.float64).T
            columns = np.concatenate([self._columns, fresh], axis=1) if len(self._sizes) else fresh
            every = np.concatenate([self._sizes, new])
            order = np.argsort(every)
            self._sizes, self._columns = every[order], columns[:, order]
            place = np.searchsorted(self._sizes, sizes)
        figures: NDArray[Any] = self._columns[:, place]
        return figures


@dataclass(frozen=True, eq=False)
class BankFigures:
    """The banks that are built under `terms` from a `technology`."""

    terms: Terms
    technology: Technology
    _banks: dict[tuple[int, int, int], SizeTable] = field(default_factory=dict, repr=False)
    _energies: dict[int, SizeTable] = field(default_factory=dict, repr=False)

    @staticmethod
    def of(platform: Platform, terms: Terms) -> BankFigures:
        """The banks of a platform under these terms."""
        technology = platform.prices
        assert technology is not None, "there is something to build with"
        return platform.once("banks", lambda: BankFigures(terms, technology))

    def banks(self, words: IntArray, bits: int, reads: int, writes: int) -> NDArray[Any]:
        """The BUILT figures and the access energy of banks with so many words (n,) of so many bits, (5, n)."""
        key = bits, reads, writes
        if key not in self._banks:
            self._banks[key] = SizeTable(lambda deep: self._bank(deep, *key))
        return self._banks[key](words)

    def _bank(self, words: int, bits: int, reads: int, writes: int) -> tuple[float, ...]:
        built = self.terms.kinds.bank(words, bits, self.terms.prices, reads=reads, writes=writes)
        assert built is not None, "some kind of memory has the ports of each way"
        return built.blocks, built.lut, built.ff, built.area, self.technology.access_fj(words * bits, bits)

    def registers(self, bits: IntArray) -> NDArray[Any]:
        """The BUILT figures of registers for so many bits (n,), (4, n)."""
        register = self.terms.kinds.registers(1)
        return np.array([[register.blocks], [register.lut], [register.ff], [register.area]]) * bits

    def accesses_fj(self, bank_bits: IntArray, width: int) -> NDArray[Any]:
        """Energy of an access to each of some banks (n,); see `access_fj`."""
        if width not in self._energies:
            self._energies[width] = SizeTable(lambda size: (self.technology.access_fj(size, width),))
        energies: NDArray[Any] = self._energies[width](bank_bits)[0]
        return energies

    def price(self, built: NDArray[Any]) -> NDArray[Any]:
        """The price (n,) that compares memories with BUILT figures (4, n)."""
        prices, (blocks, lut, ff, area) = self.terms.prices, built
        price: NDArray[Any] = blocks * prices.block + lut * prices.lut + ff * prices.ff + area * prices.area
        return price

    def access_fj(self, bank_bits: int, width: int) -> int:
        """Energy of a datum of so many bits that is read from or written to a bank of so many, in fJ."""
        return int(self.accesses_fj(np.array([bank_bits]), width)[0])


@dataclass(eq=False)
class RowCache:
    """A table of `count` rows; `compute` gives the rows (n, ...) of some numbers (n,)."""

    count: int
    compute: Callable[[IntArray], NDArray[Any]]
    _there: NDArray[np.bool_] = field(init=False, repr=False)
    _rows: NDArray[Any] | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        """Start without any rows."""
        self._there = np.zeros(self.count, np.bool_)

    def known(self, which: IntArray) -> tuple[NDArray[np.bool_], NDArray[Any]]:
        """Which of some rows (n,) are known, and these rows."""
        there = self._there[which]
        return there, np.zeros(0) if self._rows is None else self._rows[which[there]]

    def new(self, which: IntArray) -> IntArray:
        """The numbers of some rows that are not known."""
        return which[~self._there[which]]

    def put(self, new: IntArray, found: NDArray[Any]) -> None:
        """Store rows (n, ...) that were computed elsewhere."""
        if self._rows is None:
            self._rows = np.zeros((self.count, *found.shape[1:]), found.dtype)
        self._rows[new], self._there[new] = found, True

    def __call__(self, which: IntArray) -> NDArray[Any]:
        """The rows of some distinct numbers."""
        new = self.new(which)
        if len(new) or self._rows is None:
            self.put(new, self.compute(new))
        assert self._rows is not None, "some were put just now"
        rows: NDArray[Any] = self._rows[which]
        return rows
