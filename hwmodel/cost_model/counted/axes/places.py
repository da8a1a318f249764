"""The places of indices along a block dimension: fields of one place for each index, or `Places` for several.

A place is the position of a block along one dimension (or component) of the scan, from 0 on. A field is an array
(sides, cells) of places: one row for each block side that is evaluated, one column for each index of the dimension or
axis that moves with the block dimension (a single column if none does). NEVER marks indices that do not run or are not
read; in fields of last uses the mark is BEFORE.

A task that recomputes runs an index at every place that needs it, so its indices, and those of the data that it makes
and reads, have several places.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from arrayol.arrays import IntArray
from hwmodel.cost_model.counted.axes.axes import Mask
from hwmodel.cost_model.counted.axes.links import Runs, TilerLink
from hwmodel.cost_model.numbering import ascending

NEVER = np.int64(1) << 62
BEFORE = np.int64(-1)


@dataclass(frozen=True, eq=False)
class Merge:
    """The merge of several fields into their minimum (or maximum), by block side.

    `differs` (sides,) says whether the fields differ, and `leaders` (sides,) has a bit for each field that equals the
    merged one.

    Over all dimensions the merge is exact if the fields differ along at most one dimension, or if one field leads along
    all: the earliest of several vectors is the vector of the earliest entries if all entries but one are equal, or if
    one vector is nowhere later. The same holds for a union of sets of places; a set leads if it contains all others.
    """

    differs: Mask
    leaders: IntArray

    @staticmethod
    def of(leads: Mask) -> Merge:
        """The merge of fields or sets, given for each (number, sides) whether it leads."""
        weights = np.int64(1) << np.arange(len(leads))
        return Merge(np.logical_not(leads.all(axis=0)), weights @ leads.astype(np.int64))

    def where(self, chosen: Mask, other: Merge) -> Merge:
        """Take the record of this merge for the sides in the mask `chosen` (sides,), else the record of `other`."""
        return Merge(
            np.where(chosen, self.differs, other.differs),
            np.where(chosen, self.leaders, other.leaders),
        )


def merged(fields: Sequence[IntArray], *, latest: bool) -> tuple[IntArray, Merge]:
    """The minimum (with `latest` the maximum) of several fields, entry by entry, and the record of the merge."""
    wide = np.broadcast_arrays(*fields)
    best = np.maximum.reduce(wide) if latest else np.minimum.reduce(wide)
    if len(fields) == 1:
        return best, Merge.of(np.ones((1, len(best)), np.bool_))
    return best, Merge.of(np.stack([(field == best).all(axis=1) for field in wide]))


def by_allowed(link: TilerLink, dimension: int | None, places: IntArray) -> IntArray:
    """A field restricted to the indices of a dimension that access through a tiler; NEVER for all others."""
    if dimension is None or dimension not in link.allowed:
        return places
    return np.where(link.allowed[dimension], places, NEVER)


@dataclass(frozen=True, eq=False)
class Places:
    """Triples of side, index and place, for indices that may have several places; sorted, as one integer each (`key`).

    There are `sides` block sides and `cells` indices; places are less than `wide`.
    """

    sides: int
    cells: int
    wide: int
    key: IntArray

    @staticmethod
    def of(shape: tuple[int, int, int], side: IntArray, cell: IntArray, place: IntArray) -> Places:
        """Make `Places` from triples in any order, perhaps with duplicates.

        `shape` has the numbers of sides, cells and places.
        """
        sides, cells, wide = shape
        return Places(sides, cells, wide, ascending((side * cells + cell) * wide + place))

    @staticmethod
    def joined(parts: Sequence[Places]) -> tuple[Places, Merge]:
        """The union of several `Places` of one shape, and the record of the merge."""
        first = parts[0]
        together = ascending(np.concatenate([part.key for part in parts])) if len(parts) > 1 else first.key
        every = Places(first.sides, first.cells, first.wide, together)
        number = every.number
        return every, Merge.of(np.stack([part.number == number for part in parts]))

    @property
    def split(self) -> tuple[IntArray, IntArray, IntArray]:
        """Side, index and place of each triple."""
        index = self.key // self.wide
        return index // self.cells, index % self.cells, self.key % self.wide

    @property
    def number(self) -> IntArray:
        """The number of triples of each side, (sides,)."""
        return np.bincount(self.split[0], minlength=self.sides)

    @property
    def times(self) -> IntArray:
        """The number of places of each index, (sides, cells)."""
        return np.bincount(self.key // self.wide, minlength=self.sides * self.cells).reshape(self.sides, self.cells)

    @property
    def first(self) -> IntArray:
        """The field of the first places."""
        return self._ends(NEVER, np.diff(self.key // self.wide, prepend=-1) != 0)

    @property
    def last(self) -> IntArray:
        """The field of the last places."""
        return self._ends(BEFORE, np.diff(self.key // self.wide, append=-1) != 0)

    def _ends(self, none: np.int64, chosen: Mask) -> IntArray:
        field = np.full(self.sides * self.cells, none)
        field[self.key[chosen] // self.wide] = self.key[chosen] % self.wide
        return field.reshape(self.sides, self.cells)

    def only(self, allowed: Mask) -> Places:
        """The places of the indices in a mask (cells,)."""
        return Places(self.sides, self.cells, self.wide, self.key[allowed[self.key // self.wide % self.cells]])

    def through(self, runs: Runs, cells: int) -> Places:
        """The places of the values that indices lead to.

        `runs` has the values of each index; values are less than `cells`.
        """
        side, cell, place = self.split
        begin, number = np.zeros((2, self.cells), np.int64)
        begin[runs.key], number[runs.key] = runs.start, np.diff(runs.start, append=len(runs.value))
        many = number[cell]
        which = np.repeat(np.arange(len(cell)), many)
        within = np.arange(len(which)) - np.repeat(np.cumsum(many) - many, many)
        values = runs.value[begin[cell[which]] + within]
        return Places.of((self.sides, cells, self.wide), side[which], values, place[which])

    def of_all(self, allowed: Mask) -> Places:
        """Places at which every index in the mask `allowed` (cells,) stands wherever any index of this one does."""
        side, _, place = self.split
        slots, indices = ascending(side * self.wide + place), np.flatnonzero(allowed)
        side, place = (np.repeat(digit, len(indices)) for digit in np.divmod(slots, self.wide))
        return Places.of((self.sides, len(allowed), self.wide), side, np.tile(indices, len(slots)), place)
