"""How many rounds a processor takes for a step in closed form (docs/machine.md, section 4).

A processor starts at multiples of its occupancy o, so its time goes in rounds of o cycles, in which U units start up to
U repetitions of one line. A line of w repetitions takes q = ceil(w / U) rounds, and `fill` more where something has to
be filled at each line. Without a delay that is all: the lines' rounds follow each other. In a box of repetitions every
row along the unit dimension has the same lines, which end where indices are left out: its `RowLines`.

With one delay along one dimension a step goes level by level: level k holds what is k-th in its chain. Let g_k be its
rounds. A round starts when the one before has left and its operands are there, r rounds after the start of those that
it reads. If the chains that go on to level k + 1 are the first ones of level k, in the order of issue, then round i of
the one reads round i of the other (equal lines are cut in equal rounds, and of a line that goes on in part the first
rounds do). With s_k the first round of level k, round i of it starting at s_k + i, level k + 1 starts at
s_k + max(g_k, r) and no earlier: its first round is preceded by g_k rounds, and reads the first of level k; and so its
round i has its operands, from s_k + i + r on. So the step takes sum over k < m of max(g_k, r), and g_m.

Where the step's indices along the delay of d are contiguous, all levels but the last have d of them and the last has
the rest, which are its first ones. Then g_k = g for k < m, and the step takes (m - 1) max(g, r) + g_m.

More units make q no larger, and r is `near` where g = 1 and `far`, which is no less, where not: with the same fill no
step gets longer. Fill is for lines without a delay alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class RowLines:
    """The lines of rows of repetitions along the unit dimension, for P kinds of rows.

    `length` and `many` (P, K): how many lines of which length, of no more than K lengths; 0 beyond.
    """

    length: Ints
    many: Ints

    @staticmethod
    def of_indices(indices: Ints) -> RowLines:
        """Two kinds: rows of nothing, and of some ascending indices."""
        heads = np.flatnonzero(np.diff(indices, prepend=-2) != 1)
        length, many = np.unique(np.diff(np.append(heads, len(indices))), return_counts=True)
        return RowLines(*(np.stack([0 * column, column]) for column in (length, many)))

    @staticmethod
    def whole(longest: int) -> RowLines:
        """Kind w is a row of w repetitions in one line, from 0 (nothing) up to the longest."""
        length = np.arange(longest + 1)[:, None]
        return RowLines(length, np.minimum(length, 1))

    @cached_property
    def repetitions(self) -> Ints:
        """How many repetitions each kind of row has, (P,)."""
        total: Ints = (self.length * self.many).sum(axis=1)
        return total

    @cached_property
    def lines(self) -> Ints:
        """How many lines, (P,)."""
        total: Ints = self.many.sum(axis=1)
        return total

    @cached_property
    def longest(self) -> Ints:
        """The longest of these, (P,)."""
        longest: Ints = self.length.max(axis=1, initial=0)
        return longest

    def rounds(self, kind: Ints, units: int | Ints, fill: int | Ints = 0) -> Ints:
        """The rounds of rows of some kinds, element by element."""
        if not (np.ndim(units) or np.ndim(fill)):
            each: Ints = (self.many * (-(-self.length // units) + fill)).sum(axis=1)[kind]
            return each
        total = np.zeros(np.broadcast_shapes(kind.shape, np.shape(units), np.shape(fill)), np.int64)
        for length, many in zip(self.length.T, self.many.T, strict=True):
            total += many[kind] * (-(-length[kind] // units) + fill)
        return total

    def fewest_units(self, kind: Ints, rounds: Ints, fill: int | Ints = 0) -> Ints:
        """The fewest units with which rows of some kinds take no more rounds, where that is so with some number.

        Where it is so with none: as many as make one round of each line.
        """
        each = rounds // np.maximum(self.lines[kind], 1) - fill
        fewest: Ints = np.maximum(-(-self.longest[kind] // np.maximum(each, 1)), 1)
        mixed = np.flatnonzero((self.many > 0).sum(axis=1)[kind] > 1)
        if len(mixed):  # lines of several lengths: between one unit and the longest line
            rows = np.broadcast_arrays(kind, rounds, fill)
            cases, place = np.unique(np.stack([row.ravel()[mixed] for row in rows]), axis=1, return_inverse=True)
            fewest.ravel()[mixed] = self._bisected(*cases)[place.ravel()]
        return fewest

    def _bisected(self, kind: Ints, rounds: Ints, fill: Ints) -> Ints:
        low, high = np.ones_like(kind), np.maximum(self.longest[kind], 1)
        while (low < high).any():
            middle = (low + high) // 2
            enough = self.rounds(kind, middle, fill) <= rounds
            low, high = np.where(enough, low, middle + 1), np.where(enough, middle, high)
        return high


@dataclass(frozen=True, eq=False)
class Lines:
    """What a processor does in steps: rows of a `kind` of `rows`, `many` in each level but the last, `last` there.

    Without a delay there is one level of `many`. Where nothing is done, nothing of this means anything.
    """

    rows: RowLines
    kind: Ints
    many: Ints
    levels: Ints | None = None
    last: Ints | None = None

    def rounds(self, units: int | Ints, near: int | Ints, far: int | Ints, fill: int | Ints = 0) -> Ints:
        """The rounds of each step, element by element."""
        each = self.rows.rounds(self.kind, units, fill)
        level: Ints = self.many * each
        if self.levels is None or self.last is None:
            return level
        longest = np.maximum(level, np.where(level == 1, near, far))
        rounds: Ints = (self.levels - 1) * longest + self.last * each
        return rounds

    def fewest_units(self, rounds: Ints, far: int | Ints, fill: int | Ints = 0) -> Ints:
        """The fewest units that need no more than `rounds` in each step, where that is so with some number of them.

        A row may take q rounds if (levels - 1) many q + last q and (levels - 1) far + last q are that much at most.
        Where no q does, the wait is `near`, and q = 1.
        """
        if self.levels is None or self.last is None:
            each = rounds // np.maximum(self.many, 1)
        else:
            before, last = self.levels - 1, np.maximum(self.last, 1)
            busy = rounds // np.maximum(before * self.many + self.last, 1)
            each = np.where(before > 0, np.minimum(busy, (rounds - before * far) // last), busy)
        return self.rows.fewest_units(self.kind, each, fill)
