"""Where elements lie under a linear mapping: bank floor(a.x / B) mod N, and an address inside the bank.

Along one axis, with entry a_k of the vector, banks repeat every P = N B / g places, where g is gcd(a_k, N B). Of P
neighbours those in one bank have a.x mod N B within B numbers that follow each other, and these are apart by multiples
of g: at most ceil(B / g), told apart by floor((a.x mod B) / g). So the place on that axis becomes

    floor(x_k / P) ceil(B / g) + floor((a.x mod B) / g)

and the address is row-major with it; where that saves no word the place stays x_k. The axis is the one of which banks
have the fewest words, of equal ones the last.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import gcd, prod

import numpy as np

from arrayol.arrays import IntArray
from hwmodel.banks.linear import LinearMapping


@dataclass(frozen=True, slots=True)
class LinearBanks:
    """An array of a `shape` in `banks` by a `vector` a and a `block` B; words of a bank count along `axis`.

    `period` is P, `each` ceil(B / g) and `step` g; of a place that stays they are 1.
    """

    shape: tuple[int, ...]
    banks: int
    vector: tuple[int, ...]
    block: int
    axis: int
    period: int
    each: int
    step: int

    @property
    def folded(self) -> tuple[int, ...]:
        """The shape of the words of a bank."""
        words = ((self.shape[self.axis] - 1) // self.period + 1) * self.each
        return (*self.shape[: self.axis], words, *self.shape[self.axis + 1 :])

    @property
    def depth(self) -> int:
        """The words of a bank."""
        return prod(self.folded)

    def bank(self, elements: IntArray) -> IntArray:
        """The banks of elements, a row of subscripts each."""
        return elements @ np.array(self.vector, np.int64) // self.block % self.banks

    def address(self, elements: IntArray) -> IntArray:
        """Their addresses inside."""
        places = elements.copy()
        places[:, self.axis] = elements[:, self.axis] // self.period * self.each
        if self.each > 1:
            places[:, self.axis] += elements @ np.array(self.vector, np.int64) % self.block // self.step
        return places @ np.array([prod(self.folded[axis + 1 :]) for axis in range(len(self.shape))], np.int64)


def words_of(shape: Sequence[int | None], linear: LinearMapping) -> int | None:
    """The words of a bank; None of an endless array, or where there is no mapping."""
    extents = [extent for extent in shape if extent is not None]
    if linear.banks is None or len(extents) < len(shape):
        return None
    return linear_banks(extents, linear.banks, linear.vector, linear.block).depth


def linear_banks(shape: Sequence[int], banks: int, vector: Sequence[int], block: int) -> LinearBanks:
    """The banks of an array of one axis or more, of finite extents, under a mapping."""
    whole = LinearBanks(tuple(shape), banks, tuple(vector), block, len(shape) - 1, 1, 1, 1)
    found = [whole]
    for axis in range(len(shape) - 1, -1, -1):
        step = gcd(vector[axis], banks * block)
        found.append(replace(whole, axis=axis, period=banks * block // step, each=-(-block // step), step=step))
    return min(found, key=lambda one: one.depth)
