"""At which places along a dimension of the blocks indices stand: a field where each has one, or `Places`.

A field is an array (sides, cells): one row for each block side priced, one column for each index of the dimension or
axis that moves there (one column where none does). NEVER marks what does not run or is not read; in fields of last
uses that is BEFORE.

What a task that recomputes runs stands at every place that needs it, and so does what it makes and reads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hwmodel.machine.numbering import ascending
from hwmodel.machine.separable.axes import Ints, Mask
from hwmodel.machine.separable.links import Link, Runs

NEVER = np.int64(1) << 62
BEFORE = np.int64(-1)


@dataclass(frozen=True, eq=False)
class Merge:
    """Several fields taken together, by side: whether they differ, and the bits of those that lead all others.

    Over all dimensions the merge is exact where the fields differ along one at most, or one field leads along all: the
    earliest of vectors is the vector of the earliest if all entries but one are equal, or one vector is nowhere later.
    The same holds of a union of sets of places, of which one leads where it holds all others.
    """

    differs: Mask
    leaders: Ints

    @staticmethod
    def of(leads: Mask) -> Merge:
        """Of fields or sets (number, sides), by whether each is nowhere less than all together."""
        weights = np.int64(1) << np.arange(len(leads))
        return Merge(np.logical_not(leads.all(axis=0)), weights @ leads.astype(np.int64))

    def where(self, chosen: Mask, other: Merge) -> Merge:
        """The same for the sides `chosen`, another one for the rest."""
        return Merge(
            np.where(chosen, self.differs, other.differs),
            np.where(chosen, self.leaders, other.leaders),
        )


def merged(fields: Sequence[Ints], *, latest: bool) -> tuple[Ints, Merge]:
    """The earliest (or latest) of several fields, entry by entry."""
    wide = np.broadcast_arrays(*fields)
    best = np.maximum.reduce(wide) if latest else np.minimum.reduce(wide)
    if len(fields) == 1:
        return best, Merge.of(np.ones((1, len(best)), np.bool_))
    return best, Merge.of(np.stack([(field == best).all(axis=1) for field in wide]))


def by_allowed(link: Link, dimension: int | None, places: Ints) -> Ints:
    """The places of those indices of a dimension that access through a tiler, NEVER for the others."""
    if dimension is None or dimension not in link.allowed:
        return places
    return np.where(link.allowed[dimension], places, NEVER)


@dataclass(frozen=True, eq=False)
class Places:
    """Side, index and place of indices (`cells` of each side) that may have several places: a number each, ascending.

    Places are less than `wide`.
    """

    sides: int
    cells: int
    wide: int
    key: Ints

    @staticmethod
    def of(shape: tuple[int, int, int], side: Ints, cell: Ints, place: Ints) -> Places:
        """Of any order, and perhaps several times; `shape` is that of sides, cells and places."""
        sides, cells, wide = shape
        return Places(sides, cells, wide, ascending((side * cells + cell) * wide + place))

    @staticmethod
    def joined(parts: Sequence[Places]) -> tuple[Places, Merge]:
        """Several of one shape taken together."""
        first = parts[0]
        together = ascending(np.concatenate([part.key for part in parts])) if len(parts) > 1 else first.key
        every = Places(first.sides, first.cells, first.wide, together)
        number = every.number
        return every, Merge.of(np.stack([part.number == number for part in parts]))

    @property
    def split(self) -> tuple[Ints, Ints, Ints]:
        """Side, index and place of each."""
        index = self.key // self.wide
        return index // self.cells, index % self.cells, self.key % self.wide

    @property
    def number(self) -> Ints:
        """How many there are, (sides,)."""
        return np.bincount(self.split[0], minlength=self.sides)

    @property
    def times(self) -> Ints:
        """How many places each index has, (sides, cells)."""
        return np.bincount(self.key // self.wide, minlength=self.sides * self.cells).reshape(self.sides, self.cells)

    @property
    def first(self) -> Ints:
        """The field of the first places."""
        return self._ends(NEVER, np.diff(self.key // self.wide, prepend=-1) != 0)

    @property
    def last(self) -> Ints:
        """The field of the last places."""
        return self._ends(BEFORE, np.diff(self.key // self.wide, append=-1) != 0)

    def _ends(self, none: np.int64, chosen: Mask) -> Ints:
        field = np.full(self.sides * self.cells, none)
        field[self.key[chosen] // self.wide] = self.key[chosen] % self.wide
        return field.reshape(self.sides, self.cells)

    def only(self, allowed: Mask) -> Places:
        """Those of some indices (cells,)."""
        return Places(self.sides, self.cells, self.wide, self.key[allowed[self.key // self.wide % self.cells]])

    def through(self, runs: Runs, cells: int) -> Places:
        """Where the values (`cells` of them) stand that indices, the keys of runs, go with."""
        side, cell, place = self.split
        begin, number = np.zeros((2, self.cells), np.int64)
        begin[runs.key], number[runs.key] = runs.start, np.diff(runs.start, append=len(runs.value))
        many = number[cell]
        which = np.repeat(np.arange(len(cell)), many)
        within = np.arange(len(which)) - np.repeat(np.cumsum(many) - many, many)
        values = runs.value[begin[cell[which]] + within]
        return Places.of((self.sides, cells, self.wide), side[which], values, place[which])

    def of_all(self, allowed: Mask) -> Places:
        """Indices of which all that are `allowed` (cells,) stand wherever any of these do."""
        side, _, place = self.split
        at, those = ascending(side * self.wide + place), np.flatnonzero(allowed)
        side, place, cell = np.repeat(at // self.wide, len(those)), np.repeat(at % self.wide, len(those)), those
        return Places.of((self.sides, len(allowed), self.wide), side, np.tile(cell, len(at)), place)
