"""The elements that many repetitions touch through one tiler, each distinct pattern once.

A table of thousands of elements that every repetition reads whole, at subscripts computed from data, is a single row
here; a row for each repetition would take gigabytes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import IntArray
from hwmodel.accesses import Accesses, Touch


@dataclass(frozen=True, eq=False)
class Patterns:
    """The patterns of n repetitions: `distinct` (k, pattern size), and `of` (n,), the pattern number of each.

    Each distinct pattern is that of some repetition.
    """

    distinct: IntArray
    of: IntArray

    @staticmethod
    def one_per_repetition(patterns: IntArray) -> Patterns:
        """Patterns (n, pattern size) that are not shared."""
        return Patterns(patterns, np.arange(len(patterns)))

    def __len__(self) -> int:
        return len(self.of)

    @property
    def size(self) -> int:
        """The number of elements of one pattern."""
        return int(self.distinct.shape[1])

    @property
    def are_shared(self) -> bool:
        """Whether several repetitions have one pattern."""
        return len(self.distinct) < len(self.of)

    @property
    def each(self) -> IntArray:
        """The pattern of each repetition, (n, pattern size), written out."""
        return self.distinct[self.of]

    @cached_property
    def first(self) -> IntArray:
        """The first repetition that has each distinct pattern, (k,)."""
        return np.unique(self.of, return_index=True)[1].astype(np.int64)

    def changed(self, change: Callable[[IntArray], IntArray]) -> Patterns:
        """Apply a function to the distinct patterns."""
        return Patterns(change(self.distinct), self.of)

    def split_by(self, key: IntArray) -> tuple[Patterns, IntArray]:
        """Split patterns whose repetitions have different keys (n,); also returns the key of each pattern."""
        if not self.are_shared:
            return self, key[self.first]
        kinds, of = np.unique(np.stack([self.of, key]), axis=1, return_inverse=True)
        return Patterns(self.distinct[kinds[0]], of.reshape(-1).astype(np.int64)), kinds[1]

    def least(self, values: IntArray) -> IntArray:
        """The least of the values (n,) of the repetitions that have each distinct pattern, (k,)."""
        least = np.full(len(self.distinct), np.iinfo(np.int64).max)
        np.minimum.at(least, self.of, values)
        return least

    def greatest(self, values: IntArray) -> IntArray:
        """The greatest of the values (n,) of the repetitions that have each distinct pattern, (k,)."""
        greatest = np.full(len(self.distinct), np.iinfo(np.int64).min)
        np.maximum.at(greatest, self.of, values)
        return greatest

    def among(self, rows: slice) -> tuple[IntArray, IntArray]:
        """The distinct patterns of a slice of repetitions, by number, and the first row in the slice that has each."""
        own = self.of[rows]
        if not self.are_shared:
            return own, np.arange(len(own))
        numbers, first = np.unique(own, return_index=True)
        return numbers, first.astype(np.int64)


def touched_patterns(accesses: Accesses, touch: Touch, repetitions: IntArray) -> tuple[NDArray[np.intp], Patterns]:
    """The rows of the (n, rank) repetitions that access through a tiler, and the elements that they touch.

    Repetitions whose patterns begin at one position in the array share a pattern.
    """
    rows = np.flatnonzero(accesses.happens(touch, repetitions))
    happening = repetitions[rows]
    first, of = _beginning_alike(accesses, touch, happening)
    if len(first) == len(rows):
        return rows, Patterns.one_per_repetition(accesses.elements(touch, happening))
    return rows, Patterns(accesses.elements(touch, happening[first]), of)


def _beginning_alike(accesses: Accesses, touch: Touch, repetitions: IntArray) -> tuple[IntArray, IntArray]:
    """The first repetition of each position where patterns begin, and the position number of each repetition."""
    number = np.zeros(len(repetitions), np.int64)
    for extent, paving in zip(accesses.shape(touch.array), touch.tiler.paving, strict=True):
        place = repetitions @ np.array(paving, np.int64).reshape(repetitions.shape[1])
        if touch.tiler.wrap:
            place %= extent
        low, high = int(place.min(initial=0)), int(place.max(initial=0))
        number = number * (high - low + 1) + place - low
    _, first, of = np.unique(number, return_index=True, return_inverse=True)
    return first.astype(np.int64), of.reshape(-1).astype(np.int64)
