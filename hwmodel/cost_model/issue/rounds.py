"""Rounds of a processor in a step, in closed form (docs/machine.md, section 4).

A processor starts at multiples of its occupancy o, so its time is counted in rounds of o cycles, in which U units start
up to U repetitions of one line. A line of w repetitions takes q = ceil(w / U) rounds, and `fill` more if windows have
to fill at each line. Without a delay that is all: the lines' rounds follow each other. In a box of repetitions every
row along the unit dimension has the same lines, which end where indices are missing: its `RowLines`.

With one delay along one dimension a step goes level by level: level k has the repetitions that are k-th in their
chains. Let g_k be its rounds. A round starts when the one before has left and its operands are there, r rounds after
the start of those that it reads. Suppose the chains that go on to level k + 1 are the first ones of level k, in the
order of issue. Then round i of level k + 1 reads round i of level k (equal lines are cut into equal rounds, and of a
line that goes on in part the first rounds do). With s_k the first round of level k, and its round i starting at s_k +
i, level k + 1 starts at s_k + max(g_k, r) and no earlier: its first round is preceded by g_k rounds, and reads the
first of level k. Its round i has its operands from s_k + i + r on. So the step takes the sum over k < m of max(g_k, r),
plus g_m.

If the step's indices along the delay of d are contiguous, all levels but the last have d of them, and the last has the
remaining ones, which are its first. Then g_k = g for k < m, and the step takes (m - 1) max(g, r) + g_m.

More units make no q larger, and r is `near` if g = 1, and otherwise `far`, which is no less. So with equal fill no step
gets longer. Only lines without a delay have fill.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from arrayol.arrays import IntArray


@dataclass(frozen=True, eq=False)
class RowLines:
    """The lines of rows of repetitions along the unit dimension, for P kinds of rows.

    `length` and `many` (P, K): the lengths of lines, and how many lines have each; padded with 0.
    """

    length: IntArray
    many: IntArray

    @staticmethod
    def of_indices(indices: IntArray) -> RowLines:
        """Two kinds: empty rows, and rows of some ascending indices."""
        heads = np.flatnonzero(np.diff(indices, prepend=-2) != 1)
        length, many = np.unique(np.diff(np.append(heads, len(indices))), return_counts=True)
        return RowLines(*(np.stack([0 * column, column]) for column in (length, many)))

    @staticmethod
    def whole(longest: int) -> RowLines:
        """Kinds 0 to `longest`: kind w is a row of w repetitions in one line."""
        length = np.arange(longest + 1)[:, None]
        return RowLines(length, np.minimum(length, 1))

    @cached_property
    def repetitions(self) -> IntArray:
        """The number of repetitions of each kind of row, (P,)."""
        total: IntArray = (self.length * self.many).sum(axis=1)
        return total

    @cached_property
    def lines(self) -> IntArray:
        """The number of lines of each kind of row, (P,)."""
        total: IntArray = self.many.sum(axis=1)
        return total

    @cached_property
    def longest(self) -> IntArray:
        """The longest line of each kind of row, (P,)."""
        longest: IntArray = self.length.max(axis=1, initial=0)
        return longest

    def rounds(self, kind: IntArray, units: int | IntArray, fill: int | IntArray = 0) -> IntArray:
        """The rounds of rows of some kinds, element by element."""
        if not (np.ndim(units) or np.ndim(fill)):
            each: IntArray = (self.many * (-(-self.length // units) + fill)).sum(axis=1)[kind]
            return each
        total = np.zeros(np.broadcast_shapes(kind.shape, np.shape(units), np.shape(fill)), np.int64)
        for length, many in zip(self.length.T, self.many.T, strict=True):
            total += many[kind] * (-(-length[kind] // units) + fill)
        return total

    def fewest_units(self, kind: IntArray, rounds: IntArray, fill: int | IntArray = 0) -> IntArray:
        """The fewest units with which rows of some kinds take at most so many rounds.

        If no number of units is enough: as many as make one round of each line.
        """
        each = rounds // np.maximum(self.lines[kind], 1) - fill
        fewest: IntArray = np.maximum(-(-self.longest[kind] // np.maximum(each, 1)), 1)
        mixed = np.flatnonzero((self.many > 0).sum(axis=1)[kind] > 1)
        if len(mixed):  # lines of several lengths: between one unit and the longest line
            rows = np.broadcast_arrays(kind, rounds, fill)
            cases, place = np.unique(np.stack([row.ravel()[mixed] for row in rows]), axis=1, return_inverse=True)
            fewest.ravel()[mixed] = self._bisected(*cases)[place.ravel()]
        return fewest

    def _bisected(self, kind: IntArray, rounds: IntArray, fill: IntArray) -> IntArray:
        """The fewest units for rows with lines of several lengths, between one and the longest line."""
        low, high = np.ones_like(kind), np.maximum(self.longest[kind], 1)
        while (low < high).any():
            middle = (low + high) // 2
            enough = self.rounds(kind, middle, fill) <= rounds
            low, high = np.where(enough, low, middle + 1), np.where(enough, middle, high)
        return high


@dataclass(frozen=True, eq=False)
class LineRounds:
    """The work of a processor in steps: rows of a `kind` of `rows`, `many` in each level but the last, `last` there.

    Without a delay there is one level of `many`. In steps without work the values mean nothing.
    """

    rows: RowLines
    kind: IntArray
    many: IntArray
    levels: IntArray | None = None
    last: IntArray | None = None

    def rounds(
        self, units: int | IntArray, near: int | IntArray, far: int | IntArray, fill: int | IntArray = 0
    ) -> IntArray:
        """The rounds of each step, element by element."""
        each = self.rows.rounds(self.kind, units, fill)
        level: IntArray = self.many * each
        if self.levels is None or self.last is None:
            return level
        longest = np.maximum(level, np.where(level == 1, near, far))
        rounds: IntArray = (self.levels - 1) * longest + self.last * each
        return rounds

    def fewest_units(self, rounds: IntArray, far: int | IntArray, fill: int | IntArray = 0) -> IntArray:
        """The fewest units that need at most `rounds` in each step, if some number of them is enough.

        A row may take q rounds if (levels - 1) many q + last q and (levels - 1) far + last q are at most `rounds`. If
        no q is possible, the wait is `near`, and q = 1.
        """
        if self.levels is None or self.last is None:
            each = rounds // np.maximum(self.many, 1)
        else:
            before, last = self.levels - 1, np.maximum(self.last, 1)
            busy = rounds // np.maximum(before * self.many + self.last, 1)
            each = np.where(before > 0, np.minimum(busy, (rounds - before * far) // last), busy)
        return self.rows.fewest_units(self.kind, each, fill)
