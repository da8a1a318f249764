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

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hwmodel.machine.separable.axes import Ints, Mask
from hwmodel.machine.separable.distinct import distinct_rows
from hwmodel.machine.separable.line_runs import LineRuns

NONE = np.int64(-1) << 38  # of what is nowhere: less than all sizes that there are
_FAR = 1 << 30  # products of differences below it are exact
_CELLS = 1 << 16  # runs and places of lines at a time
_MANY = 64  # vectors of a line, of which those are left out that are nowhere greater than another


@dataclass(frozen=True, eq=False)
class OuterTerms:
    """Terms of U outer lines, for C carries.

    `extent` (C, U); `own` and `before` (C, 2, U) of lines as they are and turned round; `births` (C, U, F, 4) the
    vectors of `_rows`, of which each line has so many `vectors` (U,) at most; `moves` (U,) whether some index lives
    longer than its place.
    """

    extent: Ints
    own: Ints
    before: Ints
    births: Ints
    vectors: Ints
    moves: Mask

    @staticmethod
    def of(lines: LineRuns, carries: Ints) -> OuterTerms:
        """Those of lines that have indices, as many at a time as there is room for, or a single one."""
        cells = np.cumsum(lines.runs + lines.places) // _CELLS
        starts = np.unique(cells, return_index=True)[1].tolist()
        parts = list(zip(starts, [*starts[1:], len(lines.places)], strict=True))
        if len(parts) == 1:
            return OuterTerms._of(lines, carries)
        every = [OuterTerms._of(lines.taken(np.arange(*part)), carries) for part in parts]
        wide = max(each.births.shape[2] for each in every)
        births = (each.births for each in every)  # of each line the first again for padding
        padded = [np.concatenate([own, np.repeat(own[:, :, :1], wide - own.shape[2], 2)], 2) for own in births]
        return OuterTerms(
            np.concatenate([each.extent for each in every], axis=1),
            np.concatenate([each.own for each in every], axis=2),
            np.concatenate([each.before for each in every], axis=2),
            np.concatenate(padded, axis=1),
            np.concatenate([each.vectors for each in every]),
            np.concatenate([each.moves for each in every]),
        )

    @staticmethod
    def _of(lines: LineRuns, carries: Ints) -> OuterTerms:
        walks = _Walk(lines, turned=False), _Walk(lines, turned=True)
        own, before, extent = ([], [], [])
        for carry in carries.tolist():
            own.append([walk.reach(walk.greatest_at(lines.last + carry)) for walk in walks])
            before.append([walk.reach(walk.greatest_upto(lines.last + carry - 1)) for walk in walks])
            extent.append(_extent(walks, lines.last + carry))
        walk, ranks = walks[0], _ranks(lines)
        del walks
        births = [distinct_vectors(lines.line, _rows(lines, walk, ranks, carry)) for carry in carries.tolist()]
        moves = np.maximum.reduceat(lines.last - lines.first, lines.begin) > 0
        stacked = _stacked(births, len(lines.places))
        return OuterTerms(np.stack(extent), np.array(own), np.array(before), *stacked, moves)


@dataclass(frozen=True, eq=False)
class InnerTerms:
    """Terms of V inner lines for a lag, by C carries.

    `count` (V,) their indices; `carry` (V,) the number of the greatest carry for a whole row; `extent` (V,);
    `column` (C, 2, V) and `start` (C, 2, V) of lines as they are and turned round, NONE where no index has the carry;
    `births` (C, V, F, 5) the vectors of `_columns`, `vectors` (V,) how many each line has at most.
    """

    count: Ints
    carry: Ints
    extent: Ints
    column: Ints
    start: Ints
    births: Ints
    vectors: Ints

    @staticmethod
    def of(lines: LineRuns, lag: int, carries: Ints) -> InnerTerms:
        """Those of lines that have indices."""
        walks = _Walk(lines, turned=False), _Walk(lines, turned=True)
        places = lines.places[lines.line]
        late, place = np.divmod(lines.last + lag, places)
        column, start, births = ([], [], [])
        columns = _columns(lines, walks[0], place)
        for carry in carries.tolist():
            there = late == carry
            column.append([walk.reach(np.where(there, walk.greatest_upto(place), -1)) for walk in walks])
            start.append([_greatest(lines, np.where(there, -walk.start, NONE)) for walk in walks])
            births.append(distinct_vectors(lines.line[there], columns[there]))
        spread = np.maximum.reduceat(lines.last, lines.begin) - np.minimum.reduceat(lines.first, lines.begin)
        return InnerTerms(
            lines.count,
            np.searchsorted(carries, (spread + lag) // lines.places),
            _extent(walks, lines.last + lag),
            np.array(column),
            np.array(start),
            *_stacked(births, len(lines.places)),
        )


def carries_of(places: Ints, lag: int) -> Ints:
    """All carries that indices of lines of so many places can have."""
    least, most = lag // places, (places - 1 + lag) // places
    return np.unique(np.concatenate([least, most]))


class _Walk:
    """Lines as the walk goes over them, or turned round: which indices are born at each place, and up to it."""

    def __init__(self, lines: LineRuns, *, turned: bool) -> None:
        self.lines = lines
        self.start = lines.count[lines.line] - lines.start - lines.length if turned else lines.start
        self._offset = np.cumsum(lines.places) - lines.places
        self._at = np.full(int(lines.places.sum()), -1)
        np.maximum.at(self._at, self._offset[lines.line] + lines.first, self.start + lines.length - 1)

    @cached_property
    def _upto(self) -> Ints:
        apart = np.repeat(np.arange(len(self.lines.places)) * (int(self.lines.count.max()) + 1), self.lines.places)
        upto: Ints = np.maximum.accumulate(self._at + apart) - apart
        return upto

    @cached_property
    def _born(self) -> Ints:
        """How many indices are born before each place, line by line, and all behind its last place."""
        lines = self.lines
        offset = self._offset + np.arange(len(self._offset))
        number = np.zeros(len(self._at) + len(offset), np.int64)
        np.add.at(number, offset[lines.line] + lines.first + 1, lines.length)
        return np.cumsum(number) - np.repeat(np.cumsum(lines.count) - lines.count, lines.places + 1)

    def greatest_at(self, place: Ints) -> Ints:
        """By run the greatest index of its line that is born at a place, -1 for none."""
        inside = place < self.lines.places[self.lines.line]
        return np.where(inside, self._at[self._offset[self.lines.line] + np.where(inside, place, 0)], -1)

    def greatest_upto(self, place: Ints) -> Ints:
        """By run the greatest index of its line that is born up to a place, -1 for none."""
        ends = np.minimum(place, self.lines.places[self.lines.line] - 1)
        return np.where(place < 0, -1, self._upto[self._offset[self.lines.line] + np.maximum(ends, 0)])

    def born_before(self, place: Ints) -> Ints:
        """By run how many indices of its line are born before a place."""
        ends = np.minimum(place, self.lines.places[self.lines.line])
        born: Ints = self._born[self._offset[self.lines.line] + self.lines.line + ends]
        return born

    def reach(self, greatest: Ints) -> Ints:
        """By line the furthest from a run's first index to such a greatest one; NONE where there is none."""
        return _greatest(self.lines, np.where(greatest >= 0, greatest - self.start, NONE))


def _extent(walks: tuple[_Walk, _Walk], place: Ints) -> Ints:
    """1 + the greatest distance of two indices of which the later is born up to a place of the earlier one's."""
    up, down = (walk.reach(walk.greatest_upto(place)) for walk in walks)
    return 1 + np.minimum(up, down)


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


def _rows(lines: LineRuns, walk: _Walk, ranks: Ints, carry: int) -> Ints:
    """By run ended - before0, begun, -together0 and -rank0: the greater, the larger the size."""
    rows = np.empty((len(ranks), 4), np.int64)
    before, ended = walk.born_before(lines.first), walk.born_before(lines.last + carry)
    rows[:, 0], rows[:, 3] = ended - before, -ranks
    rows[:, 1] = walk.born_before(lines.last + carry + 1) - ended
    rows[:, 2] = before - walk.born_before(lines.first + 1)
    return rows


def _columns(lines: LineRuns, walk: _Walk, place: Ints) -> Ints:
    """By run T1, born1, -before1, -together1, which multiply `_rows`, and -rank1: the greater, the larger the size."""
    before, after = walk.born_before(lines.first), walk.born_before(lines.first + 1)
    count = lines.count[lines.line]
    return np.stack([count, walk.born_before(place + 1), -before, before - after, -_ranks(lines)], axis=1)


def distinct_vectors(line: Ints, vectors: Ints) -> tuple[Ints, Ints]:
    """The vectors of each line that some others may be largest with: the others are between or below these."""
    line, vectors = _ends(line, vectors)
    if not len(line):
        return line, vectors
    chosen, kind = distinct_rows(np.concatenate([line[:, None], vectors[:, :-1]], axis=1))
    rank = np.full(len(chosen), NONE)
    np.maximum.at(rank, kind, vectors[:, -1])  # of those that differ in this alone the greatest stands for all
    line, vectors = line[chosen], np.concatenate([vectors[chosen, :-1], rank[:, None]], axis=1)
    # In the course of a walk the second and the third grow alike, and all others repeat.
    order = np.lexsort((vectors[:, 1], vectors[:, 1] + vectors[:, 2], *vectors.T[[0, 3, -1]], line))
    line, vectors = _ends(line[order], vectors[order])
    order = np.lexsort((vectors[:, 2], vectors[:, 1], *vectors.T[[0, 3, -1]], line))
    return _greatest_of_each(*_corners(line[order], vectors[order]))


def _ends(line: Ints, vectors: Ints) -> tuple[Ints, Ints]:
    """Without the vectors that stand in the middle between their neighbours: what they say, one of these says more."""
    if len(line) < 3:
        return line, vectors
    between = line[:-2] == line[2:]
    for column in vectors.T:
        between &= column[1:-1] * 2 == column[:-2] + column[2:]
    kept = np.concatenate([[True], ~between, [True]])
    return line[kept], vectors[kept]


def _corners(line: Ints, vectors: Ints) -> tuple[Ints, Ints]:
    """Without those that differ from their neighbours in the second and third alone, and lie below the line of these.

    Both are multiplied by numbers that are not negative, so that one of the neighbours says more.
    """
    if np.abs(vectors[:, 1:3]).max(initial=0) >= _FAR:
        return line, vectors
    others = np.column_stack([line, vectors[:, [0, 3, -1]]])
    while len(line) >= 3:
        x, y = vectors[:, 1], vectors[:, 2]
        alike = (others[:-2] == others[1:-1]).all(axis=1) & (others[:-2] == others[2:]).all(axis=1)
        rising = (x[:-2] < x[1:-1]) & (x[1:-1] < x[2:])
        below = (y[1:-1] - y[:-2]) * (x[2:] - x[:-2]) <= (y[2:] - y[:-2]) * (x[1:-1] - x[:-2])
        kept = np.concatenate([[True], ~(alike & rising & below), [True]])
        if kept.all():
            break
        line, vectors, others = line[kept], vectors[kept], others[kept]
    return line, vectors


def _greatest_of_each(line: Ints, vectors: Ints) -> tuple[Ints, Ints]:
    """The vectors of each line that no other of it is nowhere less than."""
    heads = np.flatnonzero(np.diff(line, prepend=-1))
    number = np.diff(heads, append=len(line))
    wide = int(number.max())
    if wide == 1 or wide > _MANY:
        return line, vectors
    other = heads[:, None] + np.minimum(np.arange(wide), number[:, None] - 1)  # (lines, wide)
    against = vectors[np.repeat(other, number, axis=0)]  # (vectors, wide, 4 or 5)
    beaten = (against >= vectors[:, None, :]).all(axis=2) & (against != vectors[:, None, :]).any(axis=2)
    kept = ~beaten.any(axis=1)
    return line[kept], vectors[kept]


def _stacked(found: list[tuple[Ints, Ints]], lines: int) -> tuple[Ints, Ints]:
    """Vectors by carry and line, (C, lines, F, K): the first again for padding, NONE at the end where there is none.

    With how many each line has at most, (lines,).
    """
    most = np.max([np.bincount(line, minlength=lines) for line, _ in found], axis=0)
    wide = int(most.max())
    stacked = np.zeros((len(found), lines, wide, found[0][1].shape[1]), np.int64)
    stacked[..., -1] = NONE
    for own, (line, vectors) in zip(stacked, found, strict=True):
        heads = np.flatnonzero(np.diff(line, prepend=-1))
        number = np.diff(heads, append=len(line))
        places = heads[:, None] + np.minimum(np.arange(wide), number[:, None] - 1)
        own[line[heads]] = vectors[places]
    return stacked, most
