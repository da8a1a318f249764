"""The largest live counts of the memories of a separable group.

The idea. At the step s = (row, column) a memory holds all data born up to s, less all that died before
(docs/machine.md, section 5). For each lifetime that is a sum, over all places up to s, of products of a count of the
row and a count of the column: (sum of the rows before) x (sum of a whole row) + (count of the row) x (sum of the
columns up to this one). So a live count is the scalar product of a vector of the row and a vector of the column, and
those of all rows and columns are one matrix product.

Only few rows and columns are evaluated. Along rows (columns) with equal counts both sums grow by a constant, so the
live count is linear there and largest at one of the ends: the rows and columns at both ends of each run are enough.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import IntArray
from hwmodel.cost_model.counted.block_order import OrderCounts, Structures
from hwmodel.cost_model.counted.buffer_size.coupled_contents import CoupledBuffer
from hwmodel.cost_model.counted.counts import GroupCounts
from hwmodel.cost_model.counted.place_counts import (
    PlaceRuns,
    above,
    changing_columns,
    changing_rows,
    earlier,
    with_ends,
)
from hwmodel.cost_model.numbering import distinct_rows
from hwmodel.cost_model.tables.memories import BufferMemory, DelayState, TableMemory

_CELLS = 1 << 16  # of intermediate arrays at a time
_MANY = 256  # rows after which equal ones are looked for


@dataclass(frozen=True, eq=False)
class LiveSets:
    """The live counts of the G memories of some `kinds` that blocks change, with at most E lifetimes each.

    `entry` (G, 2 E) are the entries of births, then of deaths, in `OrderCounts.lives`; it is padded with the first
    entry, whose `factor` (G, E) is then 0.
    """

    counts: GroupCounts
    kinds: tuple[type[TableMemory], ...] = (BufferMemory, DelayState)

    @cached_property
    def memories(self) -> list[int]:
        """The numbers of the memories that blocks change."""
        memories = enumerate(self.counts.memories)
        return [number for number, memory in memories if memory.living and isinstance(memory.memory, self.kinds)]

    @cached_property
    def _ways(self) -> int:
        return max(len(self.counts.memories[number].living) for number in self.memories)

    @cached_property
    def group(self) -> IntArray:
        """The memory (its position in `memories`) of each entry of `lives`; -1 for memories of other kinds."""
        sizes = [len(memory.living) for memory in self.counts.memories]
        place = {number: group for group, number in enumerate(self.memories)}
        return np.tile(np.repeat([place.get(number, -1) for number in range(len(sizes))], sizes), 2)

    @cached_property
    def shift(self) -> IntArray:
        """Steps by which each entry of `lives` lags behind the first load."""
        first = min(quantity.stage for quantity in self.counts.counted)
        living = [way for memory in self.counts.memories for way in memory.living]
        return np.array([way.born - first for way in living] + [way.dead - first for way in living], np.int64)

    @cached_property
    def entry(self) -> IntArray:
        """The entries of each memory's births, then of its deaths, (G, 2 E)."""
        half = len(self.group) // 2
        entries = np.zeros((len(self.memories), 2 * self._ways), np.int64)
        for number in range(len(self.memories)):
            own = np.flatnonzero(self.group[:half] == number)
            entries[number] = np.tile(np.resize(own, self._ways), 2) + np.repeat([0, half], self._ways)
        return entries

    @cached_property
    def factor(self) -> IntArray:
        """Data for each index of a lifetime, (G, E); 0 for padding."""
        factors = np.zeros((len(self.memories), self._ways), np.int64)
        for number, memory in enumerate(self.memories):
            for way, living in enumerate(self.counts.memories[memory].living):
                factors[number, way] = living.factor * self.counts.memories[memory].size
        return factors

    def sizes(self, structures: Structures) -> IntArray:
        """The largest live count of each memory, (S, memories); the fixed size of memories that no block changes."""
        largest = np.tile(
            np.array([memory.fixed for memory in self.counts.memories], np.int64), (len(structures.pairs), 1)
        )
        columns = (
            structures.inner.once(lambda: self._columns(structures.inner), "live columns", self.kinds)
            if self.memories
            else []
        )
        for late, chosen in structures.by_lateness(int(self.shift.max(initial=0))):
            outer, inner = np.unique(structures.pairs[chosen, 0]), np.unique(structures.pairs[chosen, 1])
            first, second = (
                np.searchsorted(outer, structures.pairs[chosen, 0]),
                np.searchsorted(inner, structures.pairs[chosen, 1]),
            )
            make = partial(self._rows, structures.outer, late)
            rows = structures.outer.once(make, "live rows", self.kinds, late) if self.memories else []
            for number, left, right in zip(self.memories, rows, columns, strict=True):
                grid = _largest(left.only(outer), right.only(inner).multiplied(late))
                largest[chosen, number] = grid[first, second]
        listed = structures.listed & structures.holds[:, None] & (BufferMemory in self.kinds)
        for row, number in zip(*np.nonzero(listed), strict=True):
            largest[row, number] = CoupledBuffer(self.counts, structures, int(row), int(number)).live
        return largest

    def _rows(self, outer: OrderCounts, late: int) -> list[Vectors]:
        """The distinct row vectors of each memory: those at both ends of each run of rows with equal counts."""
        changing = changing_rows(outer.lives, self.group, late, cyclic=False)
        seen = self._seen(outer, with_ends(changing, outer.places + late), late)
        return [seen.of_group(group).distinct() for group in range(len(self.memories))]

    def _seen(self, outer: OrderCounts, rows: PlaceRuns, late: int) -> Vectors:
        """Row vectors: the sums before each row, relative to that of the first birth, and the counts in the row."""
        count, below = above(outer.lives, self.entry, rows, late)
        # Births and deaths of a lifetime have equal sums over whole rows, so only differences of the sums before a row
        # matter; these are small enough to be exact as floats (`products`).
        below = below - below[:, :1, :1]
        return Vectors(rows.side, rows.group, np.stack([below, count], axis=1).reshape(len(count), -1))

    def _columns(self, inner: OrderCounts) -> list[Columns]:
        """The columns of each memory, at the end of each run with equal counts, where a live count is largest."""
        changing = changing_columns(inner.lives, self.group, self.shift)
        ends = replace(changing, place=changing.place + changing.run - 1)
        late, _, upto = earlier(inner.lives, self.entry, self.shift[self.entry], ends)
        _, whole = inner.lives.at(ends.side[:, None], self.entry[ends.group], inner.places[ends.side][:, None])
        signed = np.concatenate([self.factor, -self.factor], axis=1)[ends.group]
        sums = np.stack([whole * signed, upto * signed], axis=1)
        columns = [ends.group == group for group in range(len(self.memories))]
        return [Columns(ends.side[chosen], late[chosen], sums[chosen]) for chosen in columns]


@dataclass(frozen=True, eq=False)
class Vectors:
    """Row or column vectors of memories, `values` (n, F), with the choice of sides and the memory of each."""

    side: IntArray
    group: IntArray
    values: IntArray

    def of_group(self, group: int) -> Vectors:
        """The vectors of one memory."""
        chosen = self.group == group
        return Vectors(self.side[chosen], self.group[chosen], self.values[chosen])

    def distinct(self) -> Vectors:
        """The vectors without duplicates of one choice of sides; small sets stay as they are."""
        if len(self.side) <= _MANY:
            return self
        chosen, _ = distinct_rows(np.concatenate([self.side[:, None], self.values], axis=1))
        chosen.sort()
        return Vectors(self.side[chosen], self.group[chosen], self.values[chosen])

    def only(self, sides: IntArray) -> Vectors:
        """The vectors of some choices of sides."""
        if len(sides) > self.side[-1]:
            return self
        chosen = np.isin(self.side, sides)
        return Vectors(self.side[chosen], self.group[chosen], self.values[chosen])


@dataclass(frozen=True, eq=False)
class Columns:
    """Columns of one memory (n,): `late` (n, 2 E), the rows above of each entry, and `sums` (n, 2, 2 E).

    The sums are those of a whole row, and up to the column, times the data of an index; those of deaths are negative.
    """

    side: IntArray
    late: IntArray
    sums: IntArray

    def only(self, sides: IntArray) -> Columns:
        """The columns of some choices of sides."""
        if len(sides) > self.side[-1]:
            return self
        chosen = np.isin(self.side, sides)
        return Columns(self.side[chosen], self.late[chosen], self.sums[chosen])

    def multiplied(self, late: int) -> Vectors:
        """Column vectors that match row vectors with up to `late` rows above."""
        above_by = self.late[:, None, :, None] == np.arange(late + 1)
        return Vectors(self.side, 0 * self.side, (self.sums[..., None] * above_by).reshape(len(self.side), -1))


def _largest(rows: Vectors, columns: Vectors) -> IntArray:
    """The largest product of a row and a column of each pair of choices of sides, (outer choices, inner choices)."""
    high = np.flatnonzero(np.diff(rows.side, prepend=-1))
    wide = np.flatnonzero(np.diff(columns.side, prepend=-1))
    largest = np.zeros((len(high), len(wide)), np.int64)
    chunk = max(1, _CELLS // len(columns.side))
    ends = np.append(high[1:], len(rows.side))
    start = 0
    # Choices of sides in chunks, so that the matrix of live counts stays small.
    while start < len(high):
        stop = max(start + 1, int(np.searchsorted(ends, high[start] + chunk, side="right")))
        live = products(rows.values[high[start] : ends[stop - 1]], columns.values.T)
        by_column = np.maximum.reduceat(live, wide, axis=1)
        largest[start:stop] = np.maximum.reduceat(by_column, high[start:stop] - high[start], axis=0)
        start = stop
    return largest


def products(rows: IntArray, columns: IntArray) -> NDArray[Any]:
    """The matrix product of integers, computed with floats, which are faster, if these are exact."""
    largest = float(np.abs(rows).max()) * float(np.abs(columns).max()) * rows.shape[1]
    kind = np.float64 if largest < 1 << 52 else np.int64
    product: NDArray[Any] = rows.astype(kind) @ columns.astype(kind)
    return product
