"""Runs of consecutive addresses along one block dimension (docs/machine.md, section 4, "Runs").

The idea. The elements of an array that a step moves are a Cartesian product of index sets, one for each axis. Let k be
the innermost axis that is not moved whole. Then the runs are those along k, of whole inner parts, once for each
combination of indices outside k. If a step requests whole entries of an axis
(`hwmodel.cost_model.memory_port.requests`), its runs are likewise those along that axis. So for each
axis three numbers are enough: how many indices are moved and, at each distance, in how many runs and how many entries
the longest of them has. Together they are the *kind* of its runs. A kind belongs to one block dimension, where it is
one integer for each place; all other dimensions have a 1 there. The product by which steps are counted is then that
integer (`block_order`), so each kind of step carries it.

The row axis of a burst is the innermost axis that is not moved whole in some step. Runs start along it as they do along
that axis alone, since whole inner parts start at the beginning of a row.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from arrayol.arrays import IntArray
from hwmodel.accesses import Extents
from hwmodel.cost_model.counted.axes.axes import Mask
from hwmodel.cost_model.counted.axes.moved import Burst
from hwmodel.cost_model.counted.axes.places import BEFORE, NEVER
from hwmodel.cost_model.counted.counts import GroupCounts
from hwmodel.cost_model.memory_port.requests import AskedFor, Requested, Requests
from hwmodel.cost_model.numbering import ascending, distinct_rows
from hwmodel.local_words import LocalWord


@dataclass(frozen=True, eq=False)
class MovedIndices:
    """Indices (`cell`) of an axis that are moved, each with the block side and the place, (n,) each."""

    side: IntArray
    place: IntArray
    cell: IntArray

    @staticmethod
    def of_field(field: IntArray) -> MovedIndices:
        """The indices that have a place in a field (sides, cells)."""
        side, cell = np.nonzero((field != NEVER) & (field != BEFORE))
        return MovedIndices(side, field[side, cell], cell)

    def only(self, chosen: Mask) -> MovedIndices:
        """The indices in a mask (n,)."""
        return MovedIndices(self.side[chosen], self.place[chosen], self.cell[chosen])

    def joined(self, other: MovedIndices) -> MovedIndices:
        """Concatenate these and other moved indices."""
        both = zip((self.side, self.place, self.cell), (other.side, other.place, other.cell), strict=True)
        return MovedIndices(*(np.concatenate(pair) for pair in both))


@dataclass(frozen=True, eq=False)
class RunKinds:
    """Kinds of runs along an axis: its indices (N,) and, at each of D distances, how many runs and the longest, (N, D).

    Kind 0 has no indices.
    """

    count: IntArray
    number: IntArray
    longest: IntArray


@dataclass(frozen=True, eq=False)
class AxisRuns:
    """Runs along one axis: the `kind` (S, places) by block side and place, an index of `kinds`.

    `partly` (S,) says whether some place moves only a part of the axis. At each of a side's distances (the first is 1),
    `starts` (S, D, 2) has the greatest common divisor of the differences between the starts of runs, and the first of
    these; starts at the beginning of the axis are left out. `product` (S,) says whether the indices moved along this
    axis are the same for all indices of axes that it is merged with.
    """

    kind: IntArray
    kinds: RunKinds
    partly: Mask
    starts: IntArray
    product: Mask


def runs_along(moved: MovedIndices, sides: int, most: int, extent: int, word: tuple[int, int] = (0, 1)) -> AxisRuns:
    """The runs of the moved indices along an axis of some extent, at each distance of consecutive indices.

    `word` is (width, inner). If width is not 0, the local words of runs, where each index has `inner` data, stand in
    place of the number of runs, and 1 is the only distance.
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


def _distances(side: IntArray, distance: IntArray, sides: int, extent: int) -> IntArray:
    """The distances that occur and 1, ascending, for each block side, (S, D).

    The last repeats where a side has fewer.
    """
    far = distance > 1
    pairs = ascending(np.concatenate([np.arange(sides) * extent + 1, side[far] * extent + distance[far]]))
    side, distance = np.divmod(pairs, extent) if extent > 1 else (np.arange(sides), np.ones(sides, np.int64))
    begin, number = np.searchsorted(side, np.arange(sides)), np.bincount(side, minlength=sides)
    rank = np.minimum(np.arange(int(number.max(initial=1))), number[:, None] - 1)
    distances: IntArray = distance[begin[:, None] + rank]
    return distances


def _starts(side: IntArray, start: IntArray, sides: int, extent: int) -> IntArray:
    """Greatest common divisor of the differences between run starts, and the first start, by block side, (S, 2).

    Starts at 0 are left out.
    """
    side, start = side[start > 0], start[start > 0]
    first, differences = np.full(sides, extent), np.zeros(sides, np.int64)
    np.minimum.at(first, side, start)
    np.gcd.at(differences, side, start - first[side])
    return np.stack([differences, first % extent], axis=1)


def _kinds(rows: IntArray) -> tuple[IntArray, RunKinds]:
    """The kind of each row: a count of indices, then at each distance the number of runs and the longest."""
    there = np.flatnonzero(rows[:, 0])
    first, number = distinct_rows(rows[there])
    kind = np.zeros(len(rows), np.int64)
    kind[there] = number + 1
    distinct = np.concatenate([np.zeros((1, rows.shape[1]), np.int64), rows[there[first]]])
    return kind, RunKinds(distinct[:, 0], distinct[:, 1::2], distinct[:, 2::2])


def other_axis(places: IntArray, most: int) -> AxisRuns:
    """Placeholder for an axis that moves with another block dimension: kind 1 at the `places` (S,) of each side."""
    inside, none = (np.arange(most) < places[:, None]).astype(np.int64), np.zeros((0, 1), np.int64)
    sides = np.ones(len(places), np.bool_)
    return AxisRuns(inside, RunKinds(none[:, 0], none, none), ~sides, np.zeros((len(places), 1, 2), np.int64), sides)


@dataclass(frozen=True, eq=False)
class MovedKinds:
    """The runs of one axis of a burst: the `kinds`, and by structure the fields that `AxisRuns` has by block side.

    `column` is the axis' number among those that move with blocks. If it is None, the axis is of kind 1 in each step,
    and one row stands for all structures.
    """

    column: int | None
    kinds: RunKinds
    partly: Mask
    starts: IntArray

    def starts_on(self, axis: int, distance: int) -> IntArray:
        """The starts of runs at one distance, with the axis number in front, as `worst_starts` takes them, (S, 3)."""
        return np.insert(self.starts[:, distance], 0, axis, axis=1)


@dataclass(frozen=True, eq=False)
class StructureRuns:
    """The runs of S structures, except their kinds in each step.

    `along` has, by block dimension, the runs along each axis that is moved, and the block side of each structure (S,).
    """

    counts: GroupCounts
    along: Sequence[tuple[Sequence[AxisRuns], IntArray]]
    _sources: dict[tuple[Burst, int], int | AxisRuns] = field(default_factory=dict, repr=False)

    def only(self, rows: IntArray) -> StructureRuns:
        """The runs of some structures."""
        return replace(self, along=[(runs, side[rows]) for runs, side in self.along])

    def axis(self, burst: Burst, axis: int) -> MovedKinds:
        """The runs of an axis of a burst."""
        if (burst, axis) not in self._sources:
            self._sources[burst, axis] = _axis(self.counts, burst, axis)
        source, side = self._sources[burst, axis], np.zeros(1, np.int64)
        if isinstance(source, AxisRuns):
            return MovedKinds(None, source.kinds, source.partly[side], source.starts[side])
        runs, side = self.along[self.counts.moved.axes[source].block]
        return MovedKinds(source, runs[source].kinds, runs[source].partly[side], runs[source].starts[side])

    def row_starts(self, burst: Burst, rank: int) -> IntArray:
        """The row axis of a burst's runs in each structure, with their starts, as `worst_starts` takes them, (S, 3)."""
        starts = np.zeros((1, 3), np.int64)
        for axis in range(rank):
            known = self.axis(burst, axis)
            starts = np.where(known.partly[:, None], known.starts_on(axis, 0), starts)
        return starts


@dataclass(frozen=True, eq=False)
class StepRuns:
    """The runs in each kind of step: `kind` (S, K, M) along each of M axes that move with the blocks."""

    kind: IntArray
    of: StructureRuns

    def requests(self, burst: Burst, data: IntArray, requested: Requested) -> Requests:
        """The requests for a burst's `data` (S, K), under a choice of gaps if that takes fewer cycles."""
        number, longest = self._runs(burst, data, requested.shape, apart=requested.apart)
        runs = requested.requests(number, longest, self.of.row_starts(burst, len(requested.shape)))
        return requested.fewest(runs, number, partial(self._in_spans, burst, data, requested))

    def local_words(self, burst: Burst, data: IntArray, local: LocalWord, shape: Extents) -> IntArray:
        """The local words of a burst's `data` (S, K) that is a box: of its runs in each row, summed over rows.

        Rows that are moved whole have equally many. Otherwise the innermost axis that is not moved whole decides.
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

    def _runs(self, burst: Burst, data: IntArray, shape: Extents, *, apart: bool) -> tuple[IntArray, IntArray]:
        """The number of runs of a burst's `data`, and the elements of the longest, (S, K) each.

        With `apart` each entry of the first axis is a run, if it is moved whole.
        """
        # From the innermost axis outwards: the first that is not moved whole decides, all inner parts are contiguous.
        number, longest, inner, whole = np.minimum(data, 1), data, 1, np.ones(data.shape, np.bool_)
        for axis, extent in _inwards(shape):
            kinds, kind = self._kinds(burst, axis)
            count = kinds.count[kind]
            decides = whole & (count < extent)
            runs, most = kinds.number[kind, 0], kinds.longest[kind, 0]
            if apart and axis == 0:
                decides, runs, most = whole, count, np.minimum(count, 1)
            number = np.where(decides, data // (np.maximum(count, 1) * inner) * runs, number)
            longest = np.where(decides, most * inner, longest)
            whole &= count == extent
            inner *= extent
        moves = data > 0
        return np.where(moves, number, 0), np.where(moves, longest, 0)

    def _in_spans(self, burst: Burst, data: IntArray, requested: Requested, axis: int) -> Iterator[AskedFor]:
        """The requested runs at each distance if whole entries of an axis are requested."""
        known, (kinds, kind), inner = self.of.axis(burst, axis), self._kinds(burst, axis), 1
        each = np.maximum(kinds.count[kind], 1)
        for behind, extent in _inwards(requested.shape)[: len(requested.shape) - axis - 1]:
            others, of_step = self._kinds(burst, behind)
            each, inner = each * np.maximum(others.count[of_step], 1), inner * extent
        for distance in range(kinds.number.shape[1]):
            number = np.where(data > 0, data // each * kinds.number[kind, distance], 0)
            longest = np.where(data > 0, kinds.longest[kind, distance] * inner, 0)
            yield number, longest, known.starts_on(axis, distance)

    def _kinds(self, burst: Burst, axis: int) -> tuple[RunKinds, IntArray]:
        """The kinds of runs along an axis, and the kind in each kind of step, (S, K) or (1, 1)."""
        known = self.of.axis(burst, axis)
        return known.kinds, np.ones((1, 1), np.int64) if known.column is None else self.kind[:, :, known.column]


def _inwards(shape: Extents) -> list[tuple[int, int]]:
    """The axes of an array with their extents, the innermost first."""
    return [*enumerate(shape)][::-1]


def _axis(counts: GroupCounts, burst: Burst, axis: int) -> int | AxisRuns:
    """The number of a burst's axis among those that move with blocks; otherwise its runs, the same in every step."""
    for number, moved in enumerate(counts.moved.axes):
        if (moved.burst, moved.axis) == (burst, axis):
            return number
    shape, fields = counts.parts.group.accesses.shape(burst[1]), counts.moved.sources(burst, axis)
    subscripts = counts.stored_subscripts if burst[0] == "store" else counts.free_subscripts
    cells = np.unique(np.concatenate([subscripts(field, axis) for field in fields]))
    word = counts.local[burst].width if burst in counts.local else 0, math.prod(shape[axis + 1 :])
    return runs_along(MovedIndices(0 * cells, 0 * cells, cells), 1, 1, shape[axis], word)
