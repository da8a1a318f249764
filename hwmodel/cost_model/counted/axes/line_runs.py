"""Many lines of a buffer's data at once, in runs of indices that come at one place and are last used at one place.

The sizes of memories depend on no more than that of a line (`line_terms`), and large blocks have few runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from arrayol.arrays import IntArray
from hwmodel.local_memory.lines import BODY, HELD, KEPT


@dataclass(frozen=True, eq=False)
class LineRuns:
    """L lines of `places` (L,) each, in R runs, line by line in the order of their indices.

    A run belongs to `line` and has `length` indices; they come at the place `first` and are last used at `last`, (R,)
    each.
    """

    places: IntArray
    line: IntArray
    length: IntArray
    first: IntArray
    last: IntArray

    @staticmethod
    def single(lines: int) -> LineRuns:
        """Lines with one index and one place each."""
        nought, ones = np.zeros(lines, np.int64), np.ones(lines, np.int64)
        return LineRuns(ones, np.arange(lines), ones, nought, nought)

    @staticmethod
    def of_indices(places: IntArray, line: IntArray, first: IntArray, last: IntArray) -> LineRuns:
        """Lines from single indices, line by line."""
        heads = np.ones(len(line), np.bool_)
        heads[1:] = (np.diff(line) != 0) | (np.diff(first) != 0) | (np.diff(last) != 0)
        start = np.flatnonzero(heads)
        return LineRuns(places, line[start], np.diff(start, append=len(line)), first[start], last[start])

    def distinct(self) -> tuple[LineRuns, IntArray]:
        """The lines without duplicates, and for each line its number among them.

        Lines are compared by hashes (sums modulo 2^64), then with the line of equal hash. On a collision all lines are
        returned as they are, so some may be equal.
        """
        run = np.arange(len(self.line)) - self.begin[self.line]
        factors = _factors(int(self.runs.max(initial=0)).bit_length())
        upto = np.append(0, np.cumsum(sum(column * factors[at, run] for at, column in enumerate(self._columns))))
        key = self.places * factors[3, 0] + upto[self.begin + self.runs] - upto[self.begin]
        _, first, of = np.unique(key, return_index=True, return_inverse=True)
        stands = first[of]  # for each line
        there = np.minimum(self.begin[stands[self.line]] + run, max(0, len(self.line) - 1))
        equal = (self.runs == self.runs[stands]) & (self.places == self.places[stands])
        unlike = np.any([column[there] != column for column in self._columns], axis=0)
        equal &= np.bincount(self.line[unlike], minlength=len(equal)) == 0
        if not equal.all():
            return self, np.arange(len(self.places))
        return self.selected(first), of

    @property
    def _columns(self) -> tuple[IntArray, IntArray, IntArray]:
        return self.length, self.first, self.last

    @cached_property
    def runs(self) -> IntArray:
        """The number of runs of each line, (L,)."""
        return np.bincount(self.line, minlength=len(self.places))

    @cached_property
    def begin(self) -> IntArray:
        """The first run of each line, (L,)."""
        return np.cumsum(self.runs) - self.runs

    @cached_property
    def count(self) -> IntArray:
        """The number of indices of each line, (L,)."""
        return np.bincount(self.line, self.length, len(self.places)).astype(np.int64)

    @cached_property
    def start(self) -> IntArray:
        """The number of each run's first index in its line, (R,)."""
        before = np.cumsum(self.length) - self.length
        return before - before[self.begin[self.line]] if len(before) else before

    def selected(self, lines: IntArray) -> LineRuns:
        """The lines of some numbers, in that order."""
        run, line = members(self.begin[lines], self.runs[lines])
        return LineRuns(self.places[lines], line, self.length[run], self.first[run], self.last[run])

    def times(self, inner: LineRuns) -> LineRuns:
        """Lines of all pairs of an index of each line and one of `inner`'s line of equal number, in row-major order."""
        # Where the inner line is one run, so are pairs of a run with it; else each index stands by itself.
        single = inner.runs[self.line] == 1
        # If the inner line is one run, a run of the outer line times it is one run of pairs; else each outer index
        # stands alone.
        atom = np.repeat(np.arange(len(self.line)), np.where(single, 1, self.length))
        line = self.line[atom]
        other, of_atom = members(inner.begin[line], inner.runs[line])
        run, line = atom[of_atom], line[of_atom]
        wide = inner.places[line]
        return LineRuns(
            self.places * inner.places,
            line,
            np.where(single[run], self.length[run], 1) * inner.length[other],
            self.first[run] * wide + inner.first[other],
            self.last[run] * wide + inner.last[other],
        )


@cache
def _factors(bits: int) -> IntArray:
    """Odd factors (4, 2^bits) for hashes, unrelated to lines."""
    return np.random.default_rng(1).integers(1, 1 << 62, (4, 1 << bits)) | 1


def members(begin: IntArray, number: IntArray) -> tuple[IntArray, IntArray]:
    """The members begin .. begin + number - 1 of some sets, one set after another, and the set of each member."""
    of = np.repeat(np.arange(len(number)), number)
    within = np.arange(len(of)) - np.repeat(np.cumsum(number) - number, number)
    return begin[of] + within, of


@dataclass(frozen=True, eq=False)
class ClassLines:
    """Non-empty lines, and for each line the lines of its indices by class (body, kept, held).

    `whole` (L,) is the number of the line of all indices, -1 if it is empty; `apart` (L, 3) are those of each class, -1
    for an empty one.
    """

    lines: LineRuns
    whole: IntArray
    apart: IntArray

    @staticmethod
    def of(lines: LineRuns) -> ClassLines:
        """Split lines by class. A line whose indices have one class is that class."""
        life = lines.last - lines.first
        kind = np.where(life == 0, BODY, np.where(2 * life < lines.places[lines.line], KEPT, HELD))
        there = np.zeros((len(lines.places), 3), np.bool_)
        there[lines.line, kind] = True
        nonempty = np.flatnonzero(lines.runs)
        whole = np.full(len(lines.places), -1)
        whole[nonempty] = np.arange(len(nonempty))
        several = there.sum(axis=1) > 1
        split, classes = np.nonzero(there & several[:, None])
        apart = np.where(there, whole[:, None], -1)
        apart[split, classes] = len(nonempty) + np.arange(len(split))
        run = np.flatnonzero(several[lines.line])
        line = np.concatenate([whole[lines.line], apart[lines.line[run], kind[run]]])
        run = np.concatenate([np.arange(len(lines.line)), run])
        order = np.argsort(line, kind="stable")
        run = run[order]
        places = np.concatenate([lines.places[nonempty], lines.places[split]])
        distinct, of = LineRuns(places, line[order], lines.length[run], lines.first[run], lines.last[run]).distinct()
        return ClassLines(distinct, *(np.where(each < 0, -1, np.append(of, -1)[each]) for each in (whole, apart)))


def joined(parts: Sequence[LineRuns]) -> LineRuns:
    """Concatenate several sets of lines."""
    offset = np.cumsum([0, *(len(part.places) for part in parts)])
    line = [part.line + shift for part, shift in zip(parts, offset[:-1].tolist(), strict=True)]
    names = ("length", "first", "last")
    length, first, last = (np.concatenate([getattr(part, name) for part in parts]) for name in names)
    return LineRuns(np.concatenate([part.places for part in parts]), np.concatenate(line), length, first, last)
