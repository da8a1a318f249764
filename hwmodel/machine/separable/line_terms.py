"""What the sizes of a part's forms are made of, for many lines at once (`hwmodel/local_memory/forms` says why).

Data meet or not by what each line says for itself, given the carry: the outer places that a datum's last step lies
beyond its last outer place, c = (l1 + D) div N. So each form's size is a maximum over carries of a term of the outer
line and one of the inner line, and these are computed once for each line, whatever others it is put together with:

    box     (extent of the outer line for the greatest carry) (extent of the inner line)
    linear  the greatest of (own - x0) T1 + (of_column - x1) and (before - x0) T1 + T1 - 1 - x1
    ring    the greatest of (ended - before0) T1 + begun born1 - together0 before1 - rank0 together1 - rank1

where own, before and of_column are the greatest indices born at a place or up to it, and ended, begun, born, together
and rank count them.

In a run of neighbours that come and go together only the first matters: all others have the same places, and a greater
index and rank, both of which count against a size. For a line that is turned round it is the last.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hwmodel.machine.separable.axes import Ints, Mask
from hwmodel.machine.separable.distinct import distinct_rows
from hwmodel.machine.separable.line_runs import LineRuns

NONE = np.int64(-1) << 38  # of what is nowhere: less than all sizes that there are
_FAR = 1 << 30  # products of differences below it are exact
_CELLS = 1 << 16  # runs and places of lines at a time
_MANY = 16  # vectors of a line, of which those are left out that are nowhere greater than another
_STEPS = (1, 2, 3, 4, 6)  # after which runs repeat themselves, as a rule


@dataclass(frozen=True, eq=False)
class LineTerms:
    """The terms of a line: its numbers (H,), and its vectors (K, C, F)."""

    numbers: Ints
    births: Ints

    @property
    def nbytes(self) -> int:
        """The bytes of both."""
        return self.numbers.nbytes + self.births.nbytes


@dataclass(frozen=True, eq=False)
class OuterTerms:
    """Terms of U outer lines, for C carries.

    `extent` (C, U); `own` and `before` (C, 2, U) of lines as they are and turned round; `moves` (U,) whether some index
    lives longer than its place.
    """

    extent: Ints
    own: Ints
    before: Ints
    births: Births
    moves: Mask

    @staticmethod
    def of(lines: LineRuns, carries: Ints) -> OuterTerms:
        """Those of lines that have indices, as many at a time as there is room for, or a single one."""
        cells = np.cumsum(lines.runs + lines.places) // _CELLS
        starts = np.unique(cells, return_index=True)[1].tolist()
        parts = list(zip(starts, [*starts[1:], len(lines.places)], strict=True))
        if len(parts) == 1:
            return OuterTerms._of(lines, carries)
        every = (OuterTerms._of(lines.taken(np.arange(*part)), carries) for part in parts)
        return OuterTerms.joined([line for each in every for line in each.each()])

    @staticmethod
    def _of(lines: LineRuns, carries: Ints) -> OuterTerms:
        course, each = _Course(lines), carries.tolist()
        walks = _Walk(course, turned=False), _Walk(course, turned=True)
        shifts = sorted({shift for carry in each for shift in (carry - 1, carry)})
        upto = {shift: [walk.reach(walk.greatest_upto(lines.last + shift)) for walk in walks] for shift in shifts}
        own = [[walk.reach(walk.greatest_at(lines.last + carry)) for walk in walks] for carry in each]
        births = [distinct_vectors(lines.line, rows) for rows in _rows(course, each)]
        moves = np.maximum.reduceat(lines.last - lines.first, lines.begin) > 0
        extent = np.array([_extent(*upto[carry]) for carry in each])
        before = np.array([upto[carry - 1] for carry in each])
        return OuterTerms(extent, np.array(own), before, Births.of(births, len(lines.places)), moves)

    def each(self) -> list[LineTerms]:
        """Those of each line."""
        lines = len(self.moves)
        moves = self.moves[None].astype(np.int64)
        return self.births.each([self.extent, self.own.reshape(-1, lines), self.before.reshape(-1, lines), moves])

    @staticmethod
    def joined(lines: Sequence[LineTerms]) -> OuterTerms:
        """Those of some lines for the same carries."""
        births, numbers = Births.joined(lines)
        carries = births.vectors.shape[1]
        extent, own, before, moves = np.split(numbers, np.cumsum([carries, 2 * carries, 2 * carries]))
        shape = carries, 2, len(lines)
        return OuterTerms(extent, own.reshape(shape), before.reshape(shape), births, moves[0] > 0)


@dataclass(frozen=True, eq=False)
class InnerTerms:
    """Terms of V inner lines for a lag, by C carries.

    `count` (V,) their indices; `carry` (V,) the number of the greatest carry for a whole row; `extent` (V,);
    `column` (C, 2, V) and `start` (C, 2, V) of lines as they are and turned round, NONE where no index has the carry.
    """

    count: Ints
    carry: Ints
    extent: Ints
    column: Ints
    start: Ints
    births: Births

    @staticmethod
    def of(lines: LineRuns, lag: int, carries: Ints) -> InnerTerms:
        """Those of lines that have indices."""
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
            Births.of(births, len(lines.places)),
        )

    def each(self) -> list[LineTerms]:
        """Those of each line."""
        heads, lines = np.stack([self.count, self.carry, self.extent]), len(self.count)
        return self.births.each([heads, self.column.reshape(-1, lines), self.start.reshape(-1, lines)])

    @staticmethod
    def joined(lines: Sequence[LineTerms]) -> InnerTerms:
        """Those of some lines for the same lag and carries."""
        births, numbers = Births.joined(lines)
        carries = births.vectors.shape[1]
        count, carry, extent = numbers[:3]
        column, start = (own.reshape(carries, 2, len(lines)) for own in np.split(numbers[3:], 2))
        return InnerTerms(count, carry, extent, column, start, births)


@dataclass(frozen=True, eq=False)
class Births:
    """The vectors (K, C, N) of lines one after another, by carry; `begin` and `number` (L,) say which are a line's.

    K is 4 for outer lines and 5 for inner ones. A carry that has fewer than others has the first again, and NONE at the
    end where there is none.
    """

    vectors: Ints
    begin: Ints
    number: Ints

    @staticmethod
    def of(found: Sequence[tuple[Ints, Ints]], lines: int) -> Births:
        """Those of so many lines, by carry: the line of each vector, ascending, and the vectors (K, n)."""
        numbers = [np.bincount(line, minlength=lines) for line, _ in found]
        most = np.max(numbers, axis=0)
        begin = np.cumsum(most) - most
        line = np.repeat(np.arange(lines), most)
        place = np.arange(len(line)) - begin[line]
        vectors = np.zeros((len(found[0][1]), len(found), len(line)), np.int64)
        vectors[-1] = NONE
        for carry, (number, (_, own)) in enumerate(zip(numbers, found, strict=True)):
            there = number[line] > 0
            which = (np.cumsum(number) - number)[line] + np.minimum(place, number[line] - 1)
            vectors[:, carry, there] = own[:, which[there]]
        return Births(vectors, begin, most)

    def each(self, numbers: Sequence[Ints]) -> list[LineTerms]:
        """Those of each line, with its numbers (H, L) in parts."""
        rows = np.ascontiguousarray(np.concatenate(numbers).T)
        ends = zip(self.begin.tolist(), self.number.tolist(), strict=True)
        return [
            LineTerms(own, self.vectors[:, :, begin : begin + number])
            for own, (begin, number) in zip(rows, ends, strict=True)
        ]

    @staticmethod
    def joined(lines: Sequence[LineTerms]) -> tuple[Births, Ints]:
        """Those of some lines, and the numbers (H, L)."""
        number = np.array([line.births.shape[2] for line in lines])
        vectors = np.concatenate([line.births for line in lines], axis=2)
        return Births(vectors, np.cumsum(number) - number, number), np.stack([line.numbers for line in lines], axis=1)

    def of_lines(self, lines: Ints, most: int) -> Ints:
        """The vectors (K, C, n, most) of some lines (n,), the last again where one has fewer."""
        places = self.begin[lines, None] + np.minimum(np.arange(most), self.number[lines, None] - 1)
        return self.vectors[:, :, places]


def carries_of(places: Ints, lag: int) -> Ints:
    """The least and the greatest carry, (2, L), that indices of lines of so many places (L,) can have."""
    return np.stack([lag // places, (places - 1 + lag) // places])


class _Course:
    """Lines by places: how many places that of each run has, (R,), and how many indices are born before each."""

    def __init__(self, lines: LineRuns) -> None:
        self.lines, self.wide = lines, lines.places[lines.line]
        self.offset = (np.cumsum(lines.places) - lines.places)[lines.line]  # the places of the lines before

    @cached_property
    def _born(self) -> Ints:
        """Line by line the indices before each place, and at last all."""
        lines = self.lines
        places = int(lines.places.sum()) + len(lines.places)
        number = np.bincount(self.offset + lines.line + lines.first + 1, lines.length, places)
        return np.cumsum(number.astype(np.int64)) - np.repeat(np.cumsum(lines.count) - lines.count, lines.places + 1)

    def born_before(self, place: Ints) -> Ints:
        """By run how many indices of its line are born before a place."""
        born: Ints = self._born[self.offset + self.lines.line + np.minimum(place, self.wide)]
        return born


class _Walk:
    """Lines as a walk goes over them, or turned round: the greatest index that is born at each place, and up to it."""

    def __init__(self, course: _Course, *, turned: bool) -> None:
        lines = course.lines
        self.course = course
        self.start = lines.count[lines.line] - lines.start - lines.length if turned else lines.start
        self._at = np.full(int(lines.places.sum()), -1)
        up = slice(None, None, -1 if turned else 1)  # of those at one place the last stays, which is the greatest
        self._at[(course.offset + lines.first)[up]] = (self.start + lines.length - 1)[up]

    @cached_property
    def _upto(self) -> Ints:
        lines = self.course.lines
        apart = np.repeat(np.arange(len(lines.places)) * (int(lines.count.max()) + 1), lines.places)
        upto: Ints = np.maximum.accumulate(self._at + apart) - apart
        return upto

    def greatest_at(self, place: Ints) -> Ints:
        """By run the greatest index of its line that is born at a place, -1 for none."""
        inside = place < self.course.wide
        return np.where(inside, self._at[self.course.offset + np.where(inside, place, 0)], -1)

    def greatest_upto(self, place: Ints) -> Ints:
        """By run the greatest index of its line that is born up to a place, -1 for none."""
        ends = np.minimum(place, self.course.wide - 1)
        return np.where(place < 0, -1, self._upto[self.course.offset + np.maximum(ends, 0)])

    def reach(self, greatest: Ints) -> Ints:
        """By line the furthest from a run's first index to such a greatest one; NONE where there is none."""
        return _greatest(self.course.lines, np.where(greatest >= 0, greatest - self.start, NONE))


def _extent(up: Ints, down: Ints) -> Ints:
    """1 + the greatest distance of two indices, of the reaches of both walks."""
    extent: Ints = 1 + np.minimum(up, down)
    return extent


def _greatest(lines: LineRuns, values: Ints) -> Ints:
    return np.maximum.reduceat(values, lines.begin)


def _ranks(lines: LineRuns) -> Ints:
    """By run how many indices of its line and place have lower numbers."""
    order = np.argsort(lines.line * (int(lines.first.max(initial=0)) + 1) + lines.first, kind="stable")
    length = lines.length[order]
    before = np.cumsum(length) - length
    line, first = lines.line[order], lines.first[order]
    heads = np.append(True, (np.diff(line) != 0) | (np.diff(first) != 0))
    number = np.cumsum(heads) - 1
    rank = np.empty(len(order), np.int64)
    rank[order] = before - before[heads][number]
    return rank


def _rows(course: _Course, carries: Sequence[int]) -> list[Ints]:
    """For each carry by run ended - before0, begun, -together0 and -rank0, (4, R): the greater, the larger the size."""
    lines, ranks = course.lines, -_ranks(course.lines)
    before, after = course.born_before(lines.first), course.born_before(lines.first + 1)
    shifts = sorted({shift for carry in carries for shift in (carry, carry + 1)})
    born = {shift: course.born_before(lines.last + shift) for shift in shifts}
    return [np.stack([born[at] - before, born[at + 1] - born[at], before - after, ranks]) for at in carries]


def _columns(course: _Course, place: Ints) -> Ints:
    """By run T1, born1, -before1, -together1, which multiply `_rows`, and -rank1, (5, R).

    The greater they are, the larger is the size.
    """
    lines = course.lines
    before, after = course.born_before(lines.first), course.born_before(lines.first + 1)
    return np.stack([lines.count[lines.line], course.born_before(place + 1), -before, before - after, -_ranks(lines)])


def distinct_vectors(line: Ints, vectors: Ints) -> tuple[Ints, Ints]:
    """The vectors (4 or 5, n) of each line that some others may be largest with: the others are between or below these.

    In the course of a walk runs come again as often as blocks do, each time by as much greater or less.
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


def _ends(line: Ints, vectors: Ints, step: int) -> tuple[Ints, Ints]:
    """Without the vectors in the middle between those a step before and after: what they say, one of these says more.

    So the greatest of all is kept whatever they are multiplied by: it is in the middle of none but equal ones, of
    which the first stays.
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


def _corners(line: Ints, vectors: Ints) -> tuple[Ints, Ints]:
    """Without those that differ from their neighbours in the second and third alone, and lie below the line of these.

    Both are multiplied by numbers that are not negative, so that one of the neighbours says more.
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


def _greatest_of_each(line: Ints, vectors: Ints) -> tuple[Ints, Ints]:
    """The vectors of each line that no other of it is nowhere less than; of equal ones the first."""
    heads = np.flatnonzero(np.diff(line, prepend=-1))
    number = np.diff(heads, append=len(line))
    wide = int(number.max(initial=1))
    if wide == 1 or wide > _MANY:
        return line, vectors
    other = np.repeat(heads[:, None] + np.minimum(np.arange(wide), number[:, None] - 1), number, axis=0)
    nowhere_less = np.ones(other.shape, np.bool_)  # (vectors, wide)
    differs = other < np.arange(len(line))[:, None]
    for own in vectors:
        against = own[other]
        nowhere_less &= against >= own[:, None]
        differs |= against != own[:, None]
    kept = ~(nowhere_less & differs).any(axis=1)
    return line[kept], vectors[:, kept]
