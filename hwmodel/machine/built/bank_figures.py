"""What banks of many depths are built of, and what accesses to them take: each bank of a platform is told once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hwmodel.datapath.technology.technology import Technology
from hwmodel.local_memory.organisations import Terms
from hwmodel.platform import Platform

Ints = NDArray[np.int64]
BUILT = ("blocks", "lut", "ff", "area")


@dataclass(frozen=True, eq=False)
class BankFigures:
    """The banks that are built in `terms` of a `technology`."""

    terms: Terms
    technology: Technology
    _banks: dict[tuple[int, int, int, int], tuple[float, ...]] = field(default_factory=dict, repr=False)
    _energies: dict[tuple[int, int], int] = field(default_factory=dict, repr=False)

    @staticmethod
    def of(platform: Platform, terms: Terms) -> BankFigures:
        """Those of a platform with these terms."""
        technology = platform.prices
        assert technology is not None, "there is something to build with"
        return platform.once("banks", lambda: BankFigures(terms, technology))

    def banks(self, words: Ints, bits: int, reads: int, writes: int) -> NDArray[Any]:
        """Of each of some banks of so many words (n,) of so many bits: BUILT, and the energy of an access, (5, n)."""
        return of_each(words, lambda deep: self._bank(deep, bits, reads, writes))

    def _bank(self, words: int, bits: int, reads: int, writes: int) -> tuple[float, ...]:
        key = words, bits, reads, writes
        if key not in self._banks:
            built = self.terms.kinds.bank(words, bits, self.terms.prices, reads=reads, writes=writes)
            assert built is not None, "some kind of memory has the ports of each way"
            energy = self.access_fj(words * bits, bits)
            self._banks[key] = built.blocks, built.lut, built.ff, built.area, energy
        return self._banks[key]

    def registers(self, bits: Ints) -> NDArray[Any]:
        """What registers for so many bits (n,) are BUILT of, (4, n)."""
        one = self.terms.kinds.registers(1)
        return np.array([[one.blocks], [one.lut], [one.ff], [one.area]]) * bits

    def accesses_fj(self, bank_bits: Ints, width: int) -> NDArray[Any]:
        """Energy of an access to each of some banks (n,); see `access_fj`."""
        energies: NDArray[Any] = of_each(bank_bits, lambda size: (self.access_fj(size, width),))[0]
        return energies

    def price(self, built: NDArray[Any]) -> NDArray[Any]:
        """What memories that are BUILT of so much (4, n) cost in one number, (n,)."""
        own, (blocks, lut, ff, area) = self.terms.prices, built
        price: NDArray[Any] = blocks * own.block + lut * own.lut + ff * own.ff + area * own.area
        return price

    def access_fj(self, bank_bits: int, width: int) -> int:
        """Energy of a datum of so many bits that is read from or written to a bank of so many, in fJ."""
        if (bank_bits, width) not in self._energies:
            self._energies[bank_bits, width] = self.technology.access_fj(bank_bits, width)
        return self._energies[bank_bits, width]


def of_each(sizes: Ints, figures: Callable[[int], tuple[float, ...]]) -> NDArray[Any]:
    """The figures (number, S) at each of some sizes (S,)."""
    if len(sizes) == 1:
        return np.array(figures(int(sizes[0])), np.float64)[:, None]
    distinct, of = np.unique(sizes, return_inverse=True)
    columns: NDArray[Any] = np.array([figures(size) for size in distinct.tolist()], np.float64)
    return columns[of.ravel()].T
