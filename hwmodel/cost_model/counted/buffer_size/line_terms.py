"""The sizes of the forms of a buffer's parts from terms of single lines (`hwmodel/local_memory/forms` has the proofs).

The idea. Whether two data are live together depends on each line separately, given the carry: the number of outer
places from a datum's last outer place to its last step, c = (l1 + D) div N. So the size of each form is a maximum over
carries of a term of the outer line and a term of the inner line. These terms are computed once for each line, whatever
lines it is combined with:

    box     (extent of the outer line for the greatest carry) (extent of the inner line)
    linear  the greatest of (own - x0) T1 + (of_column - x1) and (before - x0) T1 + T1 - 1 - x1
    ring    the greatest of (ended - before0) T1 + begun born1 - together0 before1 - rank0 together1 - rank1

where own, before and of_column are the greatest indices born at a place or up to it, and ended, begun, born, together
and rank count indices.

In a run of consecutive indices that come and go together only the first matters: all others have the same places, and a
greater index and rank, both of which count against a size. For a line that is turned round it is the last.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from arrayol.arrays import IntArray
from hwmodel.cost_model.counted.axes.axes import Mask
from hwmodel.cost_model.counted.axes.line_runs import LineRuns
from hwmodel.cost_model.numbering import distinct_rows

NONE = np.int64(-1) << 38  # of what is nowhere: less than all sizes that there are
_FAR = 1 << 30  # products of differences below it are exact
_CELLS = 1 << 16  # runs and places of lines at a time
_MANY = 16  # vectors of a line, of which those are left out that are nowhere greater than another
_STEPS = (1, 2, 3, 4, 6)  # after which runs repeat themselves, as a rule


@dataclass(frozen=True, eq=False)
class LineTerms:
    """The terms of one line: its numbers (H,), and its vectors (K, C, F)."""

    numbers: IntArray
    births: IntArray

    @property
    def nbytes(self) -> int:
        """The bytes of numbers and vectors."""
        return self.numbers.nbytes + self.births.nbytes


@dataclass(frozen=True, eq=False)
class OuterTerms:
    """Terms of U outer lines, for C carries.

    `extent` is (C, U). `own` and `before` (C, 2, U) hold for lines as they are and turned round. `moves` (U,) says
    whether some index lives longer than its place.
    """

    extent: IntArray
    own: IntArray
    before: IntArray
    births: BirthTerms
    moves: Mask

    @staticmethod
    def of(lines: LineRuns, carries: IntArray) -> OuterTerms:
        """The terms of non-empty lines, computed for as many at a time as fit into `_CELLS`."""
        cells = np.cumsum(lines.runs + lines.places) // _CELLS
        starts = np.unique(cells, return_index=True)[1].tolist()
        parts = list(zip(starts, [*starts[1:], len(lines.places)], strict=True))
        if len(parts) == 1:
            return OuterTerms._of(lines, carries)
        computed = (OuterTerms._of(lines.selected(np.arange(*part)), carries) for part in parts)
        return OuterTerms.joined([line for each in computed for line in each.each()])

    @staticmethod
    def _of(lines: LineRuns, carries: IntArray) -> OuterTerms:
        course, each = _Course(lines), carries.tolist()
        walks = _Walk(course, turned=False), _Walk(course, turned=True)
        shifts = sorted({shift for carry in each for shift in (carry - 1, carry)})
        upto = {shift: [walk.reach(walk.greatest_upto(lines.last + shift)) for walk in walks] for shift in shifts}
        own = [[walk.reach(walk.greatest_at(lines.last + carry)) for walk in walks] for carry in each]
        births = [distinct_vectors(lines.line, rows) for rows in _rows(course, each)]
        moves = np.maximum.reduceat(lines.last - lines.first, lines.begin) > 0
        extent = np.array([_extent(*upto[carry]) for carry in each])
        before = np.array([upto[carry - 1] for carry in each])
        return OuterTerms(extent, np.array(own), before, BirthTerms.of(births, len(lines.places)), moves)

    def each(self) -> list[LineTerms]:
        """Split the terms by line."""
        lines = len(self.moves)
        moves = self.moves[None].astype(np.int64)
        return self.births.each([self.extent, self.own.reshape(-1, lines), self.before.reshape(-1, lines), moves])

    @staticmethod
    def joined(lines: Sequence[LineTerms]) -> OuterTerms:
        """Combine the terms of lines that have the same carries."""
        births, numbers = BirthTerms.joined(lines)
        carries = births.vectors.shape[1]
        extent, own, before, moves = np.split(numbers, np.cumsum([carries, 2 * carries, 2 * carries]))
        shape = carries, 2, len(lines)
        return OuterTerms(extent, own.reshape(shape), before.reshape(shape), births, moves[0] > 0)


@dataclass(frozen=True, eq=False)
class InnerTerms:
    """Terms of V inner lines for a lag, by C carries.

    `count` (V,) is the number of their indices, `carry` (V,) the number of the greatest carry of a whole row, `extent`
    (V,) that of the box. `column` and `start` (C, 2, V) hold for lines as they are and turned round; NONE where no
    index has the carry.
    """

    count: IntArray
    carry: IntArray
    extent: IntArray
    column: IntArray
    start: IntArray
    births: BirthTerms

    @staticmethod
    def of(lines: LineRuns, lag: int, carries: IntArray) -> InnerTerms:
        """The terms of non-empty lines."""
        course = _Course(lines)
        walks = _Walk(course, turned=False), _Walk(course, turned=True)
        late, place = np.divmod(lines.last + lag, course.wide)
        upto, columns = [walk.greatest_upto(place) for walk in walks], _columns(course, place)
        column, start, births = ([], [], [])
        for carry in carries.tolist():
            there = late == carry
            column.append([walk.reach(np.where(there, own, -1)) for walk, own in zip(walks, upto, strict=True)])
            start.append([_greatest(lines, np.where(there, -walk.start, NONE)) for walk in walks])
            births.append(distinct_vectors(lines.line[there], columns[:, there]))
        spread = np.maximum.reduceat(lines.last, lines.begin) - np.minimum.reduceat(lines.first, lines.begin)
        return InnerTerms(
            lines.count,
            np.searchsorted(carries, (spread + lag) // lines.places),
            _extent(*(walk.reach(walk.greatest_upto(lines.last + lag)) for walk in walks)),
            np.array(column),
            np.array(start),
            BirthTerms.of(births, len(lines.places)),
        )

    def each(self) -> list[LineTerms]:
        """Split the terms by line."""
        heads, lines = np.stack([self.count, self.carry, self.extent]), len(self.count)
        return self.births.each([heads, self.column.reshape(-1, lines), self.start.reshape(-1, lines)])

    @staticmethod
    def joined(lines: Sequence[LineTerms]) -> InnerTerms:
        """Combine the terms of lines that have the same lag and carries."""
        births, numbers = BirthTerms.joined(lines)
        carries = births.vectors.shape[1]
        count, carry, extent = numbers[:3]
        column, start = (own.reshape(carries, 2, len(lines)) for own in np.split(numbers[3:], 2))
        return InnerTerms(count, carry, extent, column, start, births)


@dataclass(frozen=True, eq=False)
class BirthTerms:
    """Vectors (K, C, N) of lines one after another, by carry; `begin` and `number` (L,) give the range of each line.

    K is 4 for outer lines and 5 for inner ones. A line that has fewer vectors for one carry than for another repeats
    its last one; if it has none for a carry, the last component is NONE.
    """

    vectors: IntArray
    begin: IntArray
    number: IntArray

    @staticmethod
    def of(found: Sequence[tuple[IntArray, IntArray]], lines: int) -> BirthTerms:
        """Collect vectors: for each carry the line of each vector, ascending, and the vectors (K, n)."""
        numbers = [np.bincount(line, minlength=lines) for line, _ in found]
        most = np.max(numbers, axis=0)
        begin = np.cumsum(most) - most
        line = np.repeat(np.arange(lines), most)
        place = np.arange(len(line)) - begin[line]
        vectors = np.zeros((len(found[0][1]), len(found), len(line)), np.int64)
        vectors[-1] = NONE
        for carry, (number, (_, vectors_of_carry)) in enumerate(zip(numbers, found, strict=True)):
            there = number[line] > 0
            which = (np.cumsum(number) - number)[line] + np.minimum(place, number[line] - 1)
            vectors[:, carry, there] = vectors_of_carry[:, which[there]]
        return BirthTerms(vectors, begin, most)

    def each(self, numbers: Sequence[IntArray]) -> list[LineTerms]:
        """Split vectors and numbers (H, L), given in parts, by line."""
        rows = np.ascontiguousarray(np.concatenate(numbers).T)
        ends = zip(self.begin.tolist(), self.number.tolist(), strict=True)
        return [
            LineTerms(line_numbers, self.vectors[:, :, begin : begin + number])
            for line_numbers, (begin, number) in zip(rows, ends, strict=True)
        ]

    @staticmethod
    def joined(lines: Sequence[LineTerms]) -> tuple[BirthTerms, IntArray]:
        """Combine the vectors of lines, and their numbers (H, L)."""
        number = np.array([line.births.shape[2] for line in lines])
        vectors = np.concatenate([line.births for line in lines], axis=2)
        return BirthTerms(vectors, np.cumsum(number) - number, number), np.stack(
            [line.numbers for line in lines], axis=1
        )

    def of_lines(self, lines: IntArray, most: int) -> IntArray:
        """The vectors (K, C, n, most) of some lines (n,); a line with fewer repeats its last one."""
        places = self.begin[lines, None] + np.minimum(np.arange(most), self.number[lines, None] - 1)
        return self.vectors[:, :, places]


def carries_of(places: IntArray, lag: int) -> IntArray:
    """The least and the greatest carry (2, L) of any index of lines with so many places (L,)."""
    return np.stack([lag // places, (places - 1 + lag) // places])


class _Course:
    """Lines by place: the number of places of each run's line (R,), and the indices that are born before each place."""

    def __init__(self, lines: LineRuns) -> None:
        self.lines, self.wide = lines, lines.places[lines.line]
        self.offset = (np.cumsum(lines.places) - lines.places)[lines.line]  # the places of the lines before

    @cached_property
    def _born(self) -> IntArray:
        """Cumulative births: line by line the number of indices before each place, then that of all."""
        lines = self.lines
        places = int(lines.places.sum()) + len(lines.places)
        number = np.bincount(self.offset + lines.line + lines.first + 1, lines.length, places)
        return np.cumsum(number.astype(np.int64)) - np.repeat(np.cumsum(lines.count) - lines.count, lines.places + 1)

    def born_before(self, place: IntArray) -> IntArray:
        """The number of indices of each run's line that are born before a place, (R,)."""
        born: IntArray = self._born[self.offset + self.lines.line + np.minimum(place, self.wide)]
        return born


class _Walk:
    """Lines walked forward, or turned round: the greatest index that is born at each place, and up to it."""

    def __init__(self, course: _Course, *, turned: bool) -> None:
        lines = course.lines
        self.course = course
        self.start = lines.count[lines.line] - lines.start - lines.length if turned else lines.start
        self._at = np.full(int(lines.places.sum()), -1)
        up = slice(None, None, -1 if turned else 1)  # of those at one place the last stays, which is the greatest
        self._at[(course.offset + lines.first)[up]] = (self.start + lines.length - 1)[up]

    @cached_property
    def _upto(self) -> IntArray:
        """The greatest index that is born up to each place, line by line; -1 for none."""
        lines = self.course.lines
        apart = np.repeat(np.arange(len(lines.places)) * (int(lines.count.max()) + 1), lines.places)
        upto: IntArray = np.maximum.accumulate(self._at + apart) - apart
        return upto

    def greatest_at(self, place: IntArray) -> IntArray:
        """The greatest index of each run's line that is born at a place, (R,); -1 for none."""
        inside = place < self.course.wide
        return np.where(inside, self._at[self.course.offset + np.where(inside, place, 0)], -1)

    def greatest_upto(self, place: IntArray) -> IntArray:
        """The greatest index of each run's line that is born up to a place, (R,); -1 for none."""
        ends = np.minimum(place, self.course.wide - 1)
        return np.where(place < 0, -1, self._upto[self.course.offset + np.maximum(ends, 0)])

    def reach(self, greatest: IntArray) -> IntArray:
        """The greatest distance from a run's first index to the given `greatest` one, by line.

        NONE if no run has one.
        """
        return _greatest(self.course.lines, np.where(greatest >= 0, greatest - self.start, NONE))


def _extent(up: IntArray, down: IntArray) -> IntArray:
    """1 + the greatest distance of two indices, from the reaches forward and turned round."""
    extent: IntArray = 1 + np.minimum(up, down)
    return extent


def _greatest(lines: LineRuns, values: IntArray) -> IntArray:
    """The maximum of values (R,) over the runs of each line."""
    return np.maximum.reduceat(values, lines.begin)


def _ranks(lines: LineRuns) -> IntArray:
    """The number of indices of the same line and place with lower numbers, by run, (R,)."""
    order = np.argsort(lines.line * (int(lines.first.max(initial=0)) + 1) + lines.first, kind="stable")
    length = lines.length[order]
    before = np.cumsum(length) - length
    line, first = lines.line[order], lines.first[order]
    heads = np.append(True, (np.diff(line) != 0) | (np.diff(first) != 0))
    number = np.cumsum(heads) - 1
    rank = np.empty(len(order), np.int64)
    rank[order] = before - before[heads][number]
    return rank


def _rows(course: _Course, carries: Sequence[int]) -> list[IntArray]:
    """Outer vectors for each carry: ended - before0, begun, -together0 and -rank0, (4, R).

    The greater a component, the larger the size.
    """
    lines, ranks = course.lines, -_ranks(course.lines)
    before, after = course.born_before(lines.first), course.born_before(lines.first + 1)
    shifts = sorted({shift for carry in carries for shift in (carry, carry + 1)})
    born = {shift: course.born_before(lines.last + shift) for shift in shifts}
    return [np.stack([born[at] - before, born[at + 1] - born[at], before - after, ranks]) for at in carries]


def _columns(course: _Course, place: IntArray) -> IntArray:
    """Inner vectors: T1, born1, -before1, -together1 (the factors of `_rows`), and -rank1, (5, R).

    The greater a component, the larger the size.
    """
    lines = course.lines
    before, after = course.born_before(lines.first), course.born_before(lines.first + 1)
    return np.stack([lines.count[lines.line], course.born_before(place + 1), -before, before - after, -_ranks(lines)])


def distinct_vectors(line: IntArray, vectors: IntArray) -> tuple[IntArray, IntArray]:
    """The vectors (4 or 5, n) of each line that may give the largest size: all others lie between or below these.

    In the course of a walk runs recur as often as blocks do, each time greater or less by the same amount, so most
    vectors lie between two others.
    """
    for step in _STEPS:
        line, vectors = _ends(line, vectors, step)
    if len(line) and int(np.bincount(line).max()) > _MANY:
        chosen, kind = distinct_rows(np.stack([line, *vectors[:-1]], axis=1))
        rank = np.full(len(chosen), NONE)
        np.maximum.at(rank, kind, vectors[-1])  # of those that differ in this alone the greatest stands for all
        line, vectors = line[chosen], np.concatenate([vectors[:-1, chosen], rank[None]])
        order = np.lexsort((vectors[1], vectors[1] + vectors[2], *vectors[[0, 3, -1]], line))
        line, vectors = _ends(line[order], vectors[:, order], 1)
        order = np.lexsort((vectors[2], vectors[1], *vectors[[0, 3, -1]], line))
        line, vectors = _corners(line[order], vectors[:, order])
    return _greatest_of_each(line, vectors)


def _ends(line: IntArray, vectors: IntArray, step: int) -> tuple[IntArray, IntArray]:
    """Drop the vectors in the middle between those `step` before and after them: one of these gives no smaller size.

    The greatest of all is kept whatever the factors are: it is in the middle of equal ones only, of which the first
    stays.
    """
    if len(line) <= 2 * step:
        return line, vectors
    between = (vectors[:, step:-step] * 2 == vectors[:, : -2 * step] + vectors[:, 2 * step :]).all(axis=0)
    between &= line[: -2 * step] == line[2 * step :]
    if not between.any():
        return line, vectors
    kept = np.ones(len(line), np.bool_)
    kept[step:-step] = ~between
    return line[kept], vectors[:, kept]


def _corners(line: IntArray, vectors: IntArray) -> tuple[IntArray, IntArray]:
    """Drop vectors that differ from their neighbours in the second and third component only, and lie below their line.

    Both components have factors that are not negative, so one of the neighbours gives no smaller size.
    """
    if np.abs(vectors[1:3]).max(initial=0) >= _FAR:
        return line, vectors
    others = np.stack([line, *vectors[[0, 3, -1]]])
    while len(line) >= 3:
        x, y = vectors[1], vectors[2]
        alike = (others[:, :-2] == others[:, 1:-1]).all(axis=0) & (others[:, :-2] == others[:, 2:]).all(axis=0)
        rising = (x[:-2] < x[1:-1]) & (x[1:-1] < x[2:])
        below = (y[1:-1] - y[:-2]) * (x[2:] - x[:-2]) <= (y[2:] - y[:-2]) * (x[1:-1] - x[:-2])
        kept = np.concatenate([[True], ~(alike & rising & below), [True]])
        if kept.all():
            break
        line, vectors, others = line[kept], vectors[:, kept], others[:, kept]
    return line, vectors


def _greatest_of_each(line: IntArray, vectors: IntArray) -> tuple[IntArray, IntArray]:
    """The vectors of each line that no other dominates; of equal ones the first."""
    heads = np.flatnonzero(np.diff(line, prepend=-1))
    number = np.diff(heads, append=len(line))
    wide = int(number.max(initial=1))
    if wide == 1 or wide > _MANY:
        return line, vectors
    other = np.repeat(heads[:, None] + np.minimum(np.arange(wide), number[:, None] - 1), number, axis=0)
    nowhere_less = np.ones(other.shape, np.bool_)  # (vectors, wide)
    differs = other < np.arange(len(line))[:, None]
    for vector in vectors:
        against = vector[other]
        nowhere_less &= against >= vector[:, None]
        differs |= against != vector[:, None]
    kept = ~(nowhere_less & differs).any(axis=1)
    return line[kept], vectors[:, kept]
