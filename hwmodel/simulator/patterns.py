"""What many repetitions touch through one tiler, each distinct pattern once.

A table of thousands of elements that every repetition reads whole, at subscripts of its data, is one row here: a row
for each repetition would take gigabytes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hwmodel.accesses import Accesses, Touch

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Patterns:
    """The patterns of n repetitions: `distinct` (k, pattern size), and `of` (n,), which of them each has.

    Each distinct pattern is that of some repetition.
    """

    distinct: Ints
    of: Ints

    @staticmethod
    def each_its_own(patterns: Ints) -> Patterns:
        """Of a pattern for each repetition (n, pattern size)."""
        return Patterns(patterns, np.arange(len(patterns)))

    def __len__(self) -> int:
        return len(self.of)

    @property
    def size(self) -> int:
        """The elements of one pattern."""
        return int(self.distinct.shape[1])

    @property
    def are_shared(self) -> bool:
        """Whether several repetitions have one pattern."""
        return len(self.distinct) < len(self.of)

    @property
    def each(self) -> Ints:
        """The pattern of each repetition (n, pattern size): all of them are written out."""
        return self.distinct[self.of]

    @cached_property
    def first(self) -> Ints:
        """For each distinct pattern (k,) the first repetition that has it."""
        return np.unique(self.of, return_index=True)[1].astype(np.int64)

    def changed(self, change: Callable[[Ints], Ints]) -> Patterns:
        """The same repetitions with other patterns, one for each distinct one."""
        return Patterns(change(self.distinct), self.of)

    def apart(self, key: Ints) -> tuple[Patterns, Ints]:
        """The same with patterns also told apart by a key of each repetition (n,); and the key of each pattern."""
        if not self.are_shared:
            return self, key[self.first]
        kinds, of = np.unique(np.stack([self.of, key]), axis=1, return_inverse=True)
        return Patterns(self.distinct[kinds[0]], of.reshape(-1).astype(np.int64)), kinds[1]

    def least(self, values: Ints) -> Ints:
        """For each distinct pattern (k,) the least of the values (n,) of the repetitions that have it."""
        found = np.full(len(self.distinct), np.iinfo(np.int64).max)
        np.minimum.at(found, self.of, values)
        return found

    def greatest(self, values: Ints) -> Ints:
        """For each distinct pattern (k,) the greatest."""
        found = np.full(len(self.distinct), np.iinfo(np.int64).min)
        np.maximum.at(found, self.of, values)
        return found

    def among(self, rows: slice) -> tuple[Ints, Ints]:
        """Of some repetitions their distinct patterns, by number, and of each the first that has it, from 0 on."""
        own = self.of[rows]
        if not self.are_shared:
            return own, np.arange(len(own))
        numbers, first = np.unique(own, return_index=True)
        return numbers, first.astype(np.int64)


def touched_patterns(accesses: Accesses, touch: Touch, repetitions: Ints) -> tuple[NDArray[np.intp], Patterns]:
    """The repetitions of an (n, rank) array that access through a tiler, as its rows, and the elements that they touch.

    Those whose patterns begin at one place of the array share them.
    """
    rows = np.flatnonzero(accesses.happens(touch, repetitions))
    happening = repetitions[rows]
    first, of = _beginning_alike(accesses, touch, happening)
    if len(first) == len(rows):
        return rows, Patterns.each_its_own(accesses.elements(touch, happening))
    return rows, Patterns(accesses.elements(touch, happening[first]), of)


def _beginning_alike(accesses: Accesses, touch: Touch, repetitions: Ints) -> tuple[Ints, Ints]:
    """The first repetition of each place where patterns begin, and for each repetition which place that is."""
    number = np.zeros(len(repetitions), np.int64)
    for extent, paving in zip(accesses.shape(touch.array), touch.tiler.paving, strict=True):
        place = repetitions @ np.array(paving, np.int64).reshape(repetitions.shape[1])
        if touch.tiler.wrap:
            place %= extent
        low, high = int(place.min(initial=0)), int(place.max(initial=0))
        number = number * (high - low + 1) + place - low
    _, first, of = np.unique(number, return_index=True, return_inverse=True)
    return first.astype(np.int64), of.reshape(-1).astype(np.int64)
