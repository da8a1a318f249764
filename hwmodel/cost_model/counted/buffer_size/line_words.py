"""The words of pairs of an outer and an inner line, for many sources and bank functions at once.

The terms of a line (`line_terms`) are cached for all groups of a network, under a key of everything that the lines of a
choice of sides depend on: other buffers, scans, functions and groups ask for the same lines. The terms of an outer line
also depend on the carries, and those of an inner line on the lag, so pairs with the same carries and lag are computed
together.

A choice of sides has a line for each combination of residues.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import groupby, product

import numpy as np

from arrayol.arrays import IntArray
from hwmodel.cost_model.counted.axes.axes import Mask
from hwmodel.cost_model.counted.axes.line_cache import LineCache
from hwmodel.cost_model.counted.axes.line_runs import ClassLines, LineRuns, joined, members
from hwmodel.cost_model.counted.block_order import OrderCounts
from hwmodel.cost_model.counted.buffer_size.line_terms import InnerTerms, LineTerms, OuterTerms, carries_of
from hwmodel.cost_model.numbering import distinct_rows, numbered
from hwmodel.local_memory.bank_functions import BankFunction, Linear, Residues
from hwmodel.local_memory.lines import CLASSES

_CELLS = 1 << 16  # of intermediate arrays, and of lines that are made together


@dataclass(frozen=True, eq=False)
class LinesOf:
    """The lines of a source under a bank function along some dimensions.

    `axes` are those that move with each dimension.
    """

    order: OrderCounts
    source: int
    axes: Sequence[int | None]
    function: BankFunction

    @property
    def residues(self) -> list[int]:
        """The number of residues of each dimension's axis."""
        function = self.function
        moduli = function.moduli if isinstance(function, Residues) else ()
        return [moduli[axis] if moduli and axis is not None else 1 for axis in self.axes]

    @property
    def keys(self) -> Sequence[Hashable]:
        """A key for each choice of sides, of all its lines depend on: the line of each dimension, and the function."""
        function = self.function
        shared = function.shared if isinstance(function, Linear) else None
        of_axes = [(shared.number, shared.stride) if shared and axis == shared.axis else None for axis in self.axes]
        own = *self.residues, *of_axes

        def keys() -> Sequence[Hashable]:
            picks = self.order.picks.tolist()
            along = [table.lines[self.source].of_sides for table in self.order.tables]
            return [(own, *(of[side] for of, side in zip(along, pick, strict=True))) for pick in picks]

        return self.order.once(keys, "keys", self.source, own)

    def cells(self, chosen: IntArray) -> IntArray:
        """The indices, or places, of the lines of some choices of sides over all residues, as a measure of memory."""
        indices, places = np.ones((2, len(chosen)), np.int64)
        for table, pick in zip(self.order.tables, self.order.picks[chosen].T, strict=True):
            lines = table.lines[self.source]
            indices = np.minimum(indices, _CELLS) * lines.indices[pick]
            places = np.minimum(places, _CELLS) * lines.places[pick]
        return np.maximum(indices, places * math.prod(self.residues))


def lines_of_residues(of: LinesOf, chosen: IntArray) -> tuple[LineRuns, IntArray, IntArray]:
    """Distinct lines of P choices of sides, the line of each combination of residues (P, G), and free data (P,)."""
    each, order, function = of.residues, of.order, of.function
    groups, choices = math.prod(each), len(chosen)
    found, free, kinds = list[LineRuns](), np.ones(choices, np.int64), list[IntArray]()
    residues = np.unravel_index(np.tile(np.arange(groups), choices), each) if each else ()
    for place, (table, residue) in enumerate(zip(order.tables, residues, strict=True)):
        pick, axis, own = order.picks[chosen, place], of.axes[place], table.lines[of.source]
        if isinstance(function, Linear) and axis == function.shared.axis:
            along, alike = own.in_groups(function.shared)
        else:
            along, alike = own.line_runs(each[place])
        along, which = along.distinct()
        found.append(along)
        kinds.append(which[np.repeat(pick, groups) * each[place] + residue])
        free = free * alike[pick]
    if not kinds:
        return LineRuns.single(1), np.zeros((choices, groups), np.int64), free
    first, kind = distinct_rows(np.stack(kinds, axis=1))
    each_along = (along.selected(which[first]) for along, which in zip(found, kinds, strict=True))
    return reduce(LineRuns.times, each_along), kind.reshape(choices, groups), free


_Chosen = tuple[LinesOf, int]  # a choice of sides of a source
Asked = tuple[
    int, LinesOf, LinesOf, IntArray
]  # the lag of a source, its outer and inner lines, pairs of choices (n, 2)


def words_of_pairs(asked: Sequence[Asked], known: LineCache) -> list[IntArray]:
    """The words of a bank for pairs of choices of outer and inner sides, (n,) for each request."""
    words_of = [np.zeros(len(chosen), np.int64) for *_, chosen in asked]
    alike: dict[tuple[int, int, int], list[tuple[int, IntArray]]] = {}
    for number, (lag, _, wide, chosen) in enumerate(asked):
        carries = carries_of(wide.order.places[chosen[:, 1]], lag)
        distinct, which = distinct_rows(carries.T)
        for group, (first, last) in enumerate(carries[:, distinct].T.tolist()):
            alike.setdefault((lag, first, last), []).append((number, np.flatnonzero(which == group)))
    for (lag, first, last), parts in alike.items():
        requests = [(*asked[number][:-1], asked[number][-1][places]) for number, places in parts]
        words = _words(requests, lag, np.arange(first, last + 1), known)
        ends = np.cumsum([len(places) for _, places in parts])[:-1]
        for (number, places), own in zip(parts, np.split(words, ends), strict=True):
            words_of[number][places] = own
    return words_of


def _words(asked: Sequence[Asked], lag: int, carries: IntArray, known: LineCache) -> IntArray:
    """The words of a bank for pairs of sources with one lag, whose inner lines all have these carries, in a row."""

    def of_outer(lines: LineRuns) -> list[LineTerms]:
        return OuterTerms.of(lines, carries).each()

    def of_inner(lines: LineRuns) -> list[LineTerms]:
        return InnerTerms.of(lines, lag, carries).each()

    key = tuple(carries.tolist())
    outer = _Side.of([(of, chosen[:, 0]) for _, of, _, chosen in asked], ("outer", key), of_outer, known)
    inner = _Side.of([(of, chosen[:, 1]) for _, _, of, chosen in asked], ("inner", lag), of_inner, known)
    pairs = Pairs(OuterTerms.joined(outer.lines), InnerTerms.joined(inner.lines))
    return _words_of(pairs, outer, inner)


@dataclass(frozen=True, eq=False)
class _Choice:
    """A choice of sides: the free data for each index, its lines, and the lines of each class."""

    free: int
    whole: Sequence[LineTerms]
    apart: Sequence[Sequence[LineTerms]]

    @property
    def lines(self) -> list[LineTerms]:
        """All distinct lines of the choice."""
        return list({id(line): line for lines in (self.whole, *self.apart) for line in lines}.values())

    @property
    def nbytes(self) -> int:
        """The bytes of all lines."""
        return sum(line.nbytes for line in self.lines)

    @property
    def is_several(self) -> bool:
        """Whether the choice has indices of several classes."""
        return sum(map(bool, self.apart)) > 1


@dataclass(frozen=True, eq=False)
class _Side:
    """The outer or inner lines of pairs (n,): the distinct lines, and for P choices the numbers of theirs.

    `free` (P,) are the free data for each index, `several` (P,) says which choices have indices of several classes, and
    `choice` (n,) is that of each pair.
    """

    lines: Sequence[LineTerms]
    free: IntArray
    whole: _Sets
    apart: Sequence[_Sets]
    several: Mask
    choice: IntArray

    @staticmethod
    def of(
        asked: Sequence[tuple[LinesOf, IntArray]],
        kind: Hashable,
        terms: Callable[[LineRuns], list[LineTerms]],
        known: LineCache,
    ) -> _Side:
        """Collect the lines of sources and choices.

        Terms that are in the cache `known` under the `kind` are not computed again.
        """
        first: dict[Hashable, _Chosen] = {}
        number, places = dict[Hashable, int](), list[int]()
        for of, chosen in asked:
            every = of.keys
            for choice in chosen.tolist():
                key = kind, every[choice]
                first.setdefault(key, (of, choice))
                places.append(number.setdefault(key, len(number)))
        choices = known.values(list(first), lambda new: _side_choices([first[key] for key in new], terms))
        lines = {id(line): line for choice in choices for line in choice.lines}
        place = {line: place for place, line in enumerate(lines)}

        def sets(parts: Sequence[Sequence[LineTerms]]) -> _Sets:
            return _Sets.of([[place[id(line)] for line in own] for own in parts])

        return _Side(
            list(lines.values()),
            np.array([choice.free for choice in choices]),
            sets([choice.whole for choice in choices]),
            [sets([choice.apart[each] for choice in choices]) for each in CLASSES],
            np.array([choice.is_several for choice in choices]),
            np.array(places),
        )


def _side_choices(asked: Sequence[_Chosen], terms: Callable[[LineRuns], list[LineTerms]]) -> list[_Choice]:
    """Compute choices of sides of some sources, in chunks of bounded memory."""
    cells = np.concatenate([of.cells(np.array(chosen)) for of, chosen in _by_source(asked)])
    starts = np.unique(np.cumsum(cells) // _CELLS, return_index=True)[1].tolist()
    parts = (asked[start:end] for start, end in zip(starts, [*starts[1:], len(asked)], strict=False))
    return [choice for part in parts for choice in _side_choices_in_room(_by_source(part), terms)]


def _by_source(asked: Sequence[_Chosen]) -> list[tuple[LinesOf, list[int]]]:
    """Group neighbouring choices by source."""
    each = (list(own) for _, own in groupby(asked, key=lambda one: id(one[0])))
    return [(own[0][0], [choice for _, choice in own]) for own in each]


def _side_choices_in_room(
    asked: Sequence[tuple[LinesOf, list[int]]], terms: Callable[[LineRuns], list[LineTerms]]
) -> Iterator[_Choice]:
    """Compute choices of sides of some sources in one go."""
    made = [lines_of_residues(of, np.array(chosen)) for of, chosen in asked]
    own, start = ClassLines.of(joined([lines for lines, _, _ in made])), 0
    each = terms(own.lines)
    for lines, kind, free in made:
        whole, apart = own.whole[start + kind], own.apart[start + kind]
        start += len(lines.places)
        for row in range(len(kind)):
            yield _Choice(
                int(free[row]),
                _distinct_lines(each, whole[row]),
                [_distinct_lines(each, apart[row, :, line_class]) for line_class in CLASSES],
            )


def _distinct_lines(lines: Sequence[LineTerms], numbers: IntArray) -> list[LineTerms]:
    """The distinct lines of some numbers; -1 is none."""
    return [lines[number] for number in dict.fromkeys(numbers.tolist()) if number >= 0]


@dataclass(frozen=True, eq=False)
class _Sets:
    """Sets of numbers, one after another: the first member (P,), the number of members (P,), and the `members`."""

    begin: IntArray
    number: IntArray
    members: IntArray

    @staticmethod
    def of(sets: Sequence[Sequence[int]]) -> _Sets:
        """Concatenate sets."""
        number = np.array([len(own) for own in sets])
        return _Sets(np.cumsum(number) - number, number, np.array([one for own in sets for one in own], np.int64))


def _words_of(pairs: Pairs, outer: _Side, inner: _Side) -> IntArray:
    """The words of all pairs: in one part, or in a part for each class, whichever are fewer."""
    words = np.zeros(len(outer.choice), np.int64)
    for part in _parts_of(4 * outer.whole.number[outer.choice] * inner.whole.number[inner.choice]):
        row, column = outer.choice[part], inner.choice[part]
        several = np.flatnonzero(outer.several[row] | inner.several[column])
        asked, classes = [_combined(outer.whole, inner.whole, row, column)], product(outer.apart, inner.apart)
        if len(several):
            asked += [_combined(high, wide, row[several], column[several]) for high, wide in classes]
        one, *parts = pairs.least(asked)
        if parts:
            one[several] = np.minimum(one[several], sum(parts))
        words[part] = one * outer.free[row] * inner.free[column]
    return words


def _combined(outer: _Sets, inner: _Sets, row: IntArray, column: IntArray) -> tuple[int, IntArray, IntArray, IntArray]:
    """All pairs of a member of an outer and one of an inner set, with the number of the pair of sets each belongs to.

    The first result is how many pairs of sets there are.
    """
    number, wide = outer.number[row] * inner.number[column], inner.number[column]
    within, pair = members(np.zeros(len(row), np.int64), number)
    high, low = np.divmod(within, np.maximum(wide, 1)[pair])
    return len(row), pair, outer.members[outer.begin[row][pair] + high], inner.members[inner.begin[column][pair] + low]


@dataclass(frozen=True, eq=False)
class Pairs:
    """Sizes of pairs of outer and inner lines, from their terms."""

    outer: OuterTerms
    inner: InnerTerms

    def least(self, asked: Sequence[tuple[int, IntArray, IntArray, IntArray]]) -> list[IntArray]:
        """The size of the smallest form of some sets of pairs (n,), with one form for all pairs of a set.

        Each request has the number of sets, and of each pair its set (ascending), outer and inner line. The size of a
        set is that of its largest pair, 0 without any. Equal pairs of all requests are computed once.
        """
        wide = len(self.inner.count)
        rows, columns = (np.concatenate([own[end] for own in asked]) for end in (2, 3))
        distinct, of = numbered(rows * wide + columns, len(self.outer.moves) * wide)
        forms, least = self.forms(distinct // wide, distinct % wide), list[IntArray]()
        ends = np.cumsum([len(own[1]) for own in asked])[:-1]
        for (sets, pair, _, _), own in zip(asked, np.split(of, ends), strict=True):
            sizes, heads = np.zeros((3, sets), np.int64), np.flatnonzero(np.diff(pair, prepend=-1))
            if len(heads):
                sizes[:, pair[heads]] = np.maximum.reduceat(forms[:, own], heads, axis=1)
            least.append(sizes.min(axis=0))
        return least

    def forms(self, outer: IntArray, inner: IntArray) -> IntArray:
        """The sizes of the forms box, linear and ring of pairs of lines, (3, n)."""
        ring = np.zeros(len(outer), np.int64)
        # Most lines have few vectors; those of many are taken by themselves.
        numbers = self.outer.births.number[outer], self.inner.births.number[inner]
        levels = [np.ceil(np.log2(of)).astype(np.int64) for of in numbers]
        kind = levels[0] * 64 + levels[1]
        for own in (np.flatnonzero(kind == each) for each in np.unique(kind)):
            high, wide = int(numbers[0][own].max()), int(numbers[1][own].max())
            for part in _chunks(len(own), len(self.outer.own) * high * wide):
                ring[own[part]] = self._ring(outer[own[part]], inner[own[part]], high, wide)
        flat = np.zeros((2, len(outer)), np.int64)
        for part in _chunks(len(outer), 4 * len(self.outer.own)):
            rows, columns = outer[part], inner[part]
            flat[:, part] = self._box(rows, columns), self._linear(rows, columns)
        return np.concatenate([flat, ring[None]])

    def _box(self, outer: IntArray, inner: IntArray) -> IntArray:
        """The size of the box of pairs of lines, (n,)."""
        wide = np.where(self.outer.moves[outer], self.inner.count[inner], self.inner.extent[inner])
        box: IntArray = self.outer.extent[self.inner.carry[inner], outer] * wide
        return box

    def _linear(self, outer: IntArray, inner: IntArray) -> IntArray:
        """The size of the linear form of pairs of lines, (n,)."""
        count = self.inner.count[inner]
        own, before = (terms[:, :, None, outer] for terms in (self.outer.own, self.outer.before))
        column, start = (terms[:, None, :, inner] for terms in (self.inner.column, self.inner.start))
        reach = np.maximum(own * count + column, before * count + count - 1 + start).max(axis=0)
        size: IntArray = 1 + np.maximum(reach, 0).min(axis=(0, 1))
        return size

    def _ring(self, outer: IntArray, inner: IntArray, high: int, wide: int) -> IntArray:
        """The size of the ring of pairs of lines with at most `high` and `wide` vectors, (n,)."""
        rows = self.outer.births.of_lines(outer, high)[..., None]
        columns = self.inner.births.of_lines(inner, wide)[..., None, :]
        total = columns[-1]
        for sign, row, column in zip((1, 1, -1, -1), rows, columns[:-1], strict=True):  # both of the last are negative
            total = total + sign * row * column
        size: IntArray = np.maximum(total.max(axis=(0, 2, 3)), 0)
        return size


def _chunks(pairs: int, cells: int) -> Iterator[slice]:
    """Pairs of so many cells each, some at a time."""
    step = max(1, _CELLS // cells)
    return (slice(start, start + step) for start in range(0, pairs, step))


def _parts_of(cells: IntArray) -> Iterator[slice]:
    """Slices of items with `cells` each, such that each slice has a bounded number of cells."""
    starts = np.unique(np.cumsum(cells) // _CELLS, return_index=True)[1].tolist()
    return (slice(start, end) for start, end in zip(starts, [*starts[1:], len(cells)], strict=False))
