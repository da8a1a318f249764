"""Runs of consecutive addresses along one dimension of the blocks (docs/machine.md, section 4, "Runs").

What a step moves of an array is a product of sets of indices, one of each axis. With k the innermost axis that is not
moved whole, its runs are those along k, of whole parts, once for each choice of the indices outside k. So three numbers
of each axis are enough: how many indices are moved, in how many runs, and how many the longest has. They belong to one
dimension of the blocks, where they stand in one integer for each place; all other dimensions hold 1 there. So the
product by which steps are counted is that integer (`block_order`), and tells of it at each kind of steps.

The row axis of all steps together is the innermost that is not moved whole in some step. Along it runs start where they
do along that axis by itself, as all that is moved whole there starts at the beginning of a row.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hwmodel.machine.separable.axes import Ints, Mask
from hwmodel.machine.separable.counts import GroupCounts
from hwmodel.machine.separable.moved import LONGEST, Burst
from hwmodel.machine.separable.places import BEFORE, NEVER

_LOW = LONGEST
_BITS = _LOW.bit_length()  # of each of the three numbers


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
class AxisRuns:
    """Runs along one axis by side and place, `packed` (S, places): indices, runs, and the longest.

    `starts` (S, 3) has whether some place moves a part of the axis only, the greatest common divisor of the differences
    between the starts of runs, and the first of these; those at the beginning of the axis left out. `product` (S,) says
    whether what is moved along this axis is the same for all that is moved along others that it is coupled with.
    """

    packed: Ints
    starts: Ints
    product: Mask


def runs_along(moved: Moved, sides: int, most: int, extent: int, word: tuple[int, int] = (0, 1)) -> AxisRuns:
    """The runs of what is moved along an axis of an extent.

    With a `word` of some data, where each index has so many, the local words of runs stand in place of their number.
    """
    width, inner = word
    # Stable, since that takes no longer than one look where all are in order, as in ascending blocks.
    key = np.sort((moved.side * most + moved.place) * extent + moved.cell, kind="stable")
    slot, cell = key // extent, key % extent
    heads = np.flatnonzero((np.diff(key, prepend=-2) != 1) | (cell == 0))
    length = np.diff(np.append(heads, len(key)))
    count = np.bincount(slot, minlength=sides * most)
    words = -(-length * inner // width) if width else np.ones(len(heads), np.int64)
    runs = np.bincount(slot[heads], words, sides * most).astype(np.int64)
    longest = np.zeros(sides * most, np.int64)
    np.maximum.at(longest, slot[heads], length)
    packed = (count << 2 * _BITS) | (runs << _BITS) | longest
    inside = heads[cell[heads] > 0]
    side, start = slot[inside] // most, cell[inside]
    first = np.full(sides, extent)
    np.minimum.at(first, side, start)
    differences = np.zeros(sides, np.int64)
    np.gcd.at(differences, side, start - first[side])
    partly = ((count > 0) & (count < extent)).reshape(sides, most).any(axis=1)
    starts = np.stack([partly, differences, first % extent], axis=1)
    return AxisRuns(packed.reshape(sides, most), starts, np.ones(sides, np.bool_))


def other_axis(places: Ints, most: int) -> AxisRuns:
    """What stands for an axis that moves with another dimension of the blocks; `places` by side."""
    inside = (np.arange(most) < places[:, None]).astype(np.int64)
    return AxisRuns(inside, np.zeros((len(places), 3), np.int64), np.ones(len(places), np.bool_))


def row_starts(counts: GroupCounts, starts: Sequence[Ints], structures: int) -> Ints:
    """By structure and burst the row axis, and what `worst_starts` takes of it, (S, bursts, 3).

    `starts` (S, M, 3) by dimension of the blocks.
    """
    found = np.zeros((structures, len(counts.bursts), 3), np.int64)
    for number, burst in enumerate(counts.bursts):
        for axis in range(len(counts.parts.group.accesses.shape(burst[1]))):
            source = _axis(counts, burst, axis)
            known = starts[counts.moved.axes[source].block][:, source] if isinstance(source, int) else source.starts
            row = np.column_stack([np.full(structures, axis), np.broadcast_to(known[:, 1:], (structures, 2))])
            found[:, number] = np.where(known[:, :1] > 0, row, found[:, number])
    return found


def runs_of_kinds(counts: GroupCounts, burst: Burst, data: Ints, packed: Ints) -> tuple[Ints, Ints]:
    """How many runs there are of a burst's `data` (S, K), and the elements of the longest, of `packed` (S, K, M)."""
    number, longest, inner, whole = np.minimum(data, 1), data, 1, np.ones(data.shape, np.bool_)
    extents = counts.parts.group.accesses.shape(burst[1])
    for axis, extent in reversed([*enumerate(extents)]):
        source = _axis(counts, burst, axis)
        own = packed[:, :, source] if isinstance(source, int) else source.packed
        count = own >> 2 * _BITS
        decides = whole & (count < extent)
        parts = data // (np.maximum(count, 1) * inner) * (own >> _BITS & _LOW)
        number = np.where(decides, parts, number)
        longest = np.where(decides, (own & _LOW) * inner, longest)
        whole &= count == extent
        inner *= extent
    moves = data > 0
    return np.where(moves, number, 0), np.where(moves, longest, 0)


def local_words_of_kinds(counts: GroupCounts, burst: Burst, data: Ints, packed: Ints) -> Ints:
    """The local words of a burst's `data` (S, K) where it is a box: those of the runs in each row, and of each row.

    Rows that are moved whole have as many each. Else the innermost axis decides that is not moved whole.
    """
    local, shape = counts.local[burst], counts.parts.group.accesses.shape(burst[1])
    words, inner, whole = data // local.row * -(-local.row // local.width), 1, np.ones(data.shape, np.bool_)
    for axis, extent in reversed([*enumerate(shape)]):
        if inner < local.row:
            source = _axis(counts, burst, axis)
            own = packed[:, :, source] if isinstance(source, int) else source.packed
            count = own >> 2 * _BITS
            in_parts = data // (np.maximum(count, 1) * inner) * (own >> _BITS & _LOW)
            words = np.where(whole & (count < extent), in_parts, words)
            whole &= count == extent
            inner *= extent
    return words


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
