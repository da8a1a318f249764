"""Runs of consecutive addresses along one dimension of the blocks (docs/machine.md, section 4, "Runs").

What a step moves of an array is a product of sets of indices, one of each axis. With k the innermost axis that is not
moved whole, its runs are those along k, of whole parts, once for each choice of the indices outside k. Where a step
asks for whole entries of an axis (`hwmodel.machine.requests`), its runs are likewise those along that axis. So of each
axis it is enough to know how many indices are moved, and by distance in how many runs and how many entries the longest
has: the *kind* of its runs. It belongs to one dimension of the blocks, where it stands in one integer for each place;
all other dimensions hold 1 there. So the product by which steps are counted is that integer (`block_order`), and tells
of it at each kind of steps.

The row axis of all steps together is the innermost that is not moved whole in some step. Along it runs start where they
do along that axis by itself, as all that is moved whole there starts at the beginning of a row.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from hwmodel.accesses import Extents
from hwmodel.local_words import LocalWord
from hwmodel.machine.numbering import ascending
from hwmodel.machine.requests import AskedFor, Requested, Requests
from hwmodel.machine.separable.axes import Ints, Mask
from hwmodel.machine.separable.counts import GroupCounts
from hwmodel.machine.separable.distinct import distinct_rows
from hwmodel.machine.separable.moved import Burst
from hwmodel.machine.separable.places import BEFORE, NEVER


@dataclass(frozen=True, eq=False)
class Moved:
    """Indices (`cell`) of an axis that are moved: with which side of the blocks, and at which place."""

    side: Ints
    place: Ints
    cell: Ints

    @staticmethod
    def of_field(field: Ints) -> Moved:
        """Those with a place in a field (sides, cells)."""
        side, cell = np.nonzero((field != NEVER) & (field != BEFORE))
        return Moved(side, field[side, cell], cell)

    def only(self, chosen: Mask) -> Moved:
        """Some of them."""
        return Moved(self.side[chosen], self.place[chosen], self.cell[chosen])

    def joined(self, other: Moved) -> Moved:
        """These and others."""
        both = zip((self.side, self.place, self.cell), (other.side, other.place, other.cell), strict=True)
        return Moved(*(np.concatenate(pair) for pair in both))


@dataclass(frozen=True, eq=False)
class RunKinds:
    """Kinds of runs along an axis: how many indices (N,), and at each of D distances how many runs, the longest (N, D).

    Kind 0 is of nothing.
    """

    count: Ints
    number: Ints
    longest: Ints


@dataclass(frozen=True, eq=False)
class AxisRuns:
    """Runs along one axis: `kind` (S, places) by side and place, among `kinds`.

    `partly` (S,) says whether some place moves a part of the axis only. At each of a side's distances, the first of
    which is 1, `starts` (S, D, 2) has the greatest common divisor of the differences between the starts of runs, and
    the first of these; those at the beginning of the axis left out. `product` (S,) says whether what is moved along
    this axis is the same for all that is moved along others that it is coupled with.
    """

    kind: Ints
    kinds: RunKinds
    partly: Mask
    starts: Ints
    product: Mask


def runs_along(moved: Moved, sides: int, most: int, extent: int, word: tuple[int, int] = (0, 1)) -> AxisRuns:
    """The runs of what is moved along an axis of an extent, at each distance of indices that follow each other.

    With a `word` of some data, where each index has so many, the local words of runs stand in place of their number,
    and there is no distance but 1.
    """
    width, inner = word
    # Stable, since that takes no longer than one look where all are in order, as in ascending blocks.
    key = np.sort((moved.side * most + moved.place) * extent + moved.cell, kind="stable")
    slot, cell = key // extent, key % extent
    begins, distance = np.diff(slot, prepend=-1) != 0, np.diff(cell, prepend=0)
    count = np.bincount(slot, minlength=sides * most)
    distances = _distances(slot // most, np.where(begins | bool(width), 1, distance), sides, extent)
    columns, starts = [count], np.zeros((sides, distances.shape[1], 2), np.int64)
    for number, near in enumerate(distances.T):
        heads = np.flatnonzero(begins | (distance > near[slot // most]))
        length = cell[np.append(heads[1:], len(cell)) - 1] - cell[heads] + 1
        words = -(-length * inner // width) if width else np.ones(len(heads), np.int64)
        longest = np.zeros(sides * most, np.int64)
        np.maximum.at(longest, slot[heads], length)
        columns += [np.bincount(slot[heads], words, sides * most).astype(np.int64), longest]
        starts[:, number] = _starts(slot[heads] // most, cell[heads], sides, extent)
    kind, kinds = _kinds(np.stack(columns, axis=1))
    partly: Mask = np.any(((count > 0) & (count < extent)).reshape(sides, most), axis=1)
    return AxisRuns(kind.reshape(sides, most), kinds, partly, starts, np.ones(sides, np.bool_))


def _distances(side: Ints, distance: Ints, sides: int, extent: int) -> Ints:
    """By side the distances that occur and 1, ascending, (S, D); the last again where there are fewer."""
    far = distance > 1
    pairs = ascending(np.concatenate([np.arange(sides) * extent + 1, side[far] * extent + distance[far]]))
    side, distance = np.divmod(pairs, extent) if extent > 1 else (np.arange(sides), np.ones(sides, np.int64))
    begin, number = np.searchsorted(side, np.arange(sides)), np.bincount(side, minlength=sides)
    rank = np.minimum(np.arange(int(number.max(initial=1))), number[:, None] - 1)
    found: Ints = distance[begin[:, None] + rank]
    return found


def _starts(side: Ints, start: Ints, sides: int, extent: int) -> Ints:
    """By side the greatest common divisor of the differences between starts, and the first, (S, 2); but for 0."""
    side, start = side[start > 0], start[start > 0]
    first, differences = np.full(sides, extent), np.zeros(sides, np.int64)
    np.minimum.at(first, side, start)
    np.gcd.at(differences, side, start - first[side])
    return np.stack([differences, first % extent], axis=1)


def _kinds(rows: Ints) -> tuple[Ints, RunKinds]:
    """By row (a count, then at each distance a number and the longest) its kind."""
    there = np.flatnonzero(rows[:, 0])
    first, number = distinct_rows(rows[there])
    kind = np.zeros(len(rows), np.int64)
    kind[there] = number + 1
    distinct = np.concatenate([np.zeros((1, rows.shape[1]), np.int64), rows[there[first]]])
    return kind, RunKinds(distinct[:, 0], distinct[:, 1::2], distinct[:, 2::2])


def other_axis(places: Ints, most: int) -> AxisRuns:
    """What stands for an axis that moves with another dimension of the blocks; `places` by side."""
    inside, none = (np.arange(most) < places[:, None]).astype(np.int64), np.zeros((0, 1), np.int64)
    sides = np.ones(len(places), np.bool_)
    return AxisRuns(inside, RunKinds(none[:, 0], none, none), ~sides, np.zeros((len(places), 1, 2), np.int64), sides)


@dataclass(frozen=True, eq=False)
class MovedKinds:
    """What is known of an axis of a burst: `kinds` of its runs, and by structure what `AxisRuns` has by side.

    `column` is its number among the axes that move with blocks. If it is None the axis is of kind 1 in each step, and
    one row stands for all structures.
    """

    column: int | None
    kinds: RunKinds
    partly: Mask
    starts: Ints

    def starts_on(self, axis: int, distance: int) -> Ints:
        """What `worst_starts` takes of runs along it as axis number `axis`, at one of the distances, (S, 3)."""
        return np.insert(self.starts[:, distance], 0, axis, axis=1)


@dataclass(frozen=True, eq=False)
class StructureRuns:
    """What is known of the runs of S structures beside their kinds in each step.

    `along` has by dimension of the blocks the runs along each axis that is moved, and the side of each structure (S,).
    """

    counts: GroupCounts
    along: Sequence[tuple[Sequence[AxisRuns], Ints]]
    _sources: dict[tuple[Burst, int], int | AxisRuns] = field(default_factory=dict, repr=False)

    def only(self, rows: Ints) -> StructureRuns:
        """Those of some structures."""
        return replace(self, along=[(runs, side[rows]) for runs, side in self.along])

    def axis(self, burst: Burst, axis: int) -> MovedKinds:
        """What is known of an axis of a burst."""
        if (burst, axis) not in self._sources:
            self._sources[burst, axis] = _axis(self.counts, burst, axis)
        source, side = self._sources[burst, axis], np.zeros(1, np.int64)
        if isinstance(source, AxisRuns):
            return MovedKinds(None, source.kinds, source.partly[side], source.starts[side])
        runs, side = self.along[self.counts.moved.axes[source].block]
        return MovedKinds(source, runs[source].kinds, runs[source].partly[side], runs[source].starts[side])

    def row_starts(self, burst: Burst, rank: int) -> Ints:
        """By structure the row axis of a burst's runs, of all axes, and what `worst_starts` takes of it, (S, 3)."""
        found = np.zeros((1, 3), np.int64)
        for axis in range(rank):
            known = self.axis(burst, axis)
            found = np.where(known.partly[:, None], known.starts_on(axis, 0), found)
        return found


@dataclass(frozen=True, eq=False)
class StepRuns:
    """The runs in each kind of step of some structures: `kind` (S, K, M) along each axis that moves with blocks."""

    kind: Ints
    of: StructureRuns

    def requests(self, burst: Burst, data: Ints, requested: Requested) -> Requests:
        """The requests for a burst's `data` (S, K)."""
        number, longest = self._runs(burst, data, requested.shape)
        runs = requested.requests(number, longest, self.of.row_starts(burst, len(requested.shape)))
        return requested.fewest(runs, number, partial(self._in_spans, burst, data, requested))

    def local_words(self, burst: Burst, data: Ints, local: LocalWord, shape: Extents) -> Ints:
        """The local words of a burst's `data` (S, K) where it is a box: of the runs in each row, and of each row.

        Rows that are moved whole have as many each. Else the innermost axis decides that is not moved whole.
        """
        whole, inner = np.ones(data.shape, np.bool_), 1
        words = data // local.row * -(-local.row // local.width)
        for axis, extent in _inwards(shape):
            if inner < local.row:
                kinds, kind = self._kinds(burst, axis)
                count = kinds.count[kind]
                in_parts = data // (np.maximum(count, 1) * inner) * kinds.number[kind, 0]
                words = np.where(whole & (count < extent), in_parts, words)
                whole &= count == extent
                inner *= extent
        return words

    def _runs(self, burst: Burst, data: Ints, shape: Extents) -> tuple[Ints, Ints]:
        """How many runs there are (S, K), and the elements of the longest."""
        number, longest, inner, whole = np.minimum(data, 1), data, 1, np.ones(data.shape, np.bool_)
        for axis, extent in _inwards(shape):
            kinds, kind = self._kinds(burst, axis)
            count = kinds.count[kind]
            decides = whole & (count < extent)
            parts = data // (np.maximum(count, 1) * inner) * kinds.number[kind, 0]
            number = np.where(decides, parts, number)
            longest = np.where(decides, kinds.longest[kind, 0] * inner, longest)
            whole &= count == extent
            inner *= extent
        moves = data > 0
        return np.where(moves, number, 0), np.where(moves, longest, 0)

    def _in_spans(self, burst: Burst, data: Ints, requested: Requested, axis: int) -> Iterator[AskedFor]:
        """What is asked for where it is whole entries of an axis, at each distance."""
        known, (kinds, kind), inner = self.of.axis(burst, axis), self._kinds(burst, axis), 1
        each = np.maximum(kinds.count[kind], 1)
        for behind, extent in _inwards(requested.shape)[: len(requested.shape) - axis - 1]:
            others, of_step = self._kinds(burst, behind)
            each, inner = each * np.maximum(others.count[of_step], 1), inner * extent
        for distance in range(kinds.number.shape[1]):
            number = np.where(data > 0, data // each * kinds.number[kind, distance], 0)
            longest = np.where(data > 0, kinds.longest[kind, distance] * inner, 0)
            yield number, longest, known.starts_on(axis, distance)

    def _kinds(self, burst: Burst, axis: int) -> tuple[RunKinds, Ints]:
        """The kinds of runs along an axis, and which of them each kind of step has, (S, K) or (1, 1)."""
        known = self.of.axis(burst, axis)
        return known.kinds, np.ones((1, 1), np.int64) if known.column is None else self.kind[:, :, known.column]


def _inwards(shape: Extents) -> list[tuple[int, int]]:
    """The axes of an array and their extents, the innermost first."""
    return [*enumerate(shape)][::-1]


def _axis(counts: GroupCounts, burst: Burst, axis: int) -> int | AxisRuns:
    """The number of a burst's axis among those that move with blocks, else its runs, which never change."""
    for number, moved in enumerate(counts.moved.axes):
        if (moved.burst, moved.axis) == (burst, axis):
            return number
    shape, fields = counts.parts.group.accesses.shape(burst[1]), counts.moved.sources(burst, axis)
    subscripts = counts.stored_subscripts if burst[0] == "store" else counts.free_subscripts
    cells = np.unique(np.concatenate([subscripts(field, axis) for field in fields]))
    word = counts.local[burst].width if burst in counts.local else 0, math.prod(shape[axis + 1 :])
    return runs_along(Moved(0 * cells, 0 * cells, cells), 1, 1, shape[axis], word)
