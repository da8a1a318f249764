"""Lines along one block dimension: of a buffer's data, when each index comes and is last used; of repetitions.

The indices of a line (`hwmodel/local_memory/lines`) are stored as runs of consecutive indices that come at one place of
the walk and are last used at one place, so that large blocks have few runs. If all subscripts of the axis come and go
at the same places, no block distinguishes them: the axis is free, and the line has one index for each place that brings
them.

The repetitions of a task in a step are a Cartesian product of index sets, so all their rows along the unit dimension
are alike: of one *kind*. A kind belongs to one block dimension, as the number of indices does, and is one integer for
each place; all other dimensions have a 1 there. The product by which steps are counted is then that integer
(`block_order`). A row of w consecutive indices has the kind w; rows with gaps have kinds after the longest of these.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from arrayol.arrays import IntArray
from hwmodel.cost_model.counted.axes.axes import Mask
from hwmodel.cost_model.counted.axes.fetches import Instances
from hwmodel.cost_model.counted.axes.line_runs import LineRuns, members
from hwmodel.cost_model.counted.axes.places import NEVER
from hwmodel.cost_model.issue.rounds import RowLines
from hwmodel.cost_model.numbering import ascending, distinct_rows
from hwmodel.local_memory.bank_functions import Shared


@dataclass(frozen=True, eq=False)
class AxisLines:
    """The lines of S block sides, as R runs sorted by side and first subscript.

    A run has `length` consecutive subscripts from `cell` on, of the side `side`; they come at the place `first` and are
    last used at `last`, (R,) each. `places` (S,) is the number of places of each side, and `alike` (S,) says whether
    its axis is free.
    """

    places: IntArray
    side: IntArray
    cell: IntArray
    length: IntArray
    first: IntArray
    last: IntArray
    alike: Mask

    @staticmethod
    def of_fields(places: IntArray, first: IntArray, last: IntArray) -> AxisLines:
        """Lines from the fields of first and last places of each index, (S, cells) each.

        NEVER for indices that do not come.
        """
        come = first != NEVER
        heads = come.copy()
        heads[:, 1:] &= ~come[:, :-1] | (first[:, 1:] != first[:, :-1]) | (last[:, 1:] != last[:, :-1])
        side, cell = np.nonzero(heads)
        before = np.cumsum(come.ravel())[side * come.shape[1] + cell] - 1
        lines = AxisLines(
            places,
            side,
            cell,
            np.diff(before, append=int(come.sum())),
            first[side, cell],
            last[side, cell],
            np.ones(len(places), np.bool_),
        )
        head = lines.starts[lines.side]
        differs = (lines.first != lines.first[head]) | (lines.last != lines.last[head])
        return replace(lines, alike=np.bincount(side[differs], minlength=len(places)) == 0)

    @staticmethod
    def of_instances(places: IntArray, several: Instances) -> AxisLines:
        """Lines of indices that come at several places."""
        side, cell, first, last = several.side, several.cell, several.first, several.last
        goes_on = (np.diff(side) == 0) & (np.diff(cell) == 1) & (np.diff(first) == 0) & (np.diff(last) == 0)
        heads = np.append(True, ~goes_on) if len(side) else np.zeros(0, np.bool_)
        start = np.flatnonzero(heads)
        length, sides, wide = np.diff(start, append=len(heads)), len(places), int(places.max())
        is_new = np.diff(side * (int(cell.max(initial=0)) + 1) + cell, prepend=-1) != 0
        cells = np.bincount(side[is_new], minlength=sides)
        at = np.bincount(ascending((side * wide + first) * wide + last) // wide**2, minlength=sides)
        alike = np.bincount(side, minlength=sides) == cells * at
        return AxisLines(places, side[start], cell[start], length, first[start], last[start], alike)

    @staticmethod
    def either(chosen: Mask, these: AxisLines, others: AxisLines) -> AxisLines:
        """Take `these` lines for the sides in the mask `chosen` (S,), and the lines `others` for all other sides."""
        parts = these._of_sides(chosen), others._of_sides(~chosen)
        columns = [np.concatenate(both) for both in zip(*parts, strict=True)]
        order = np.argsort(columns[0], kind="stable")
        side, cell, length, first, last = (column[order] for column in columns)
        return AxisLines(these.places, side, cell, length, first, last, np.where(chosen, these.alike, others.alike))

    def _of_sides(self, chosen: Mask) -> tuple[IntArray, ...]:
        """The columns of the runs whose side is in a mask (S,)."""
        is_chosen = chosen[self.side]
        return tuple(column[is_chosen] for column in (self.side, self.cell, self.length, self.first, self.last))

    @property
    def starts(self) -> IntArray:
        """The number of the first run of each side, (S,)."""
        return np.searchsorted(self.side, np.arange(len(self.places)))

    @cached_property
    def indices(self) -> IntArray:
        """The number of indices of each side's line, (S,); of a free axis, the indices of one subscript."""
        alike = self.alike[self.side]
        number = np.where(alike, self.cell == self.cell[self.starts[self.side]], self.length)
        return np.bincount(self.side, number, len(self.places)).astype(np.int64)

    @property
    def nbytes(self) -> int:
        """The bytes of all runs."""
        return sum(column.nbytes for column in (self.side, self.cell, self.length, self.first, self.last))

    @cached_property
    def of_sides(self) -> Sequence[bytes]:
        """A digest of each side's line: equal for equal lines only."""
        columns = np.stack([self.cell, self.length, self.first, self.last], axis=1).astype(np.int64)
        heads = np.stack([self.places, self.alike], axis=1).astype(np.int64)
        ends, digests = np.append(self.starts, len(columns)).tolist(), list[bytes]()
        for head, start, end in zip(heads, ends, ends[1:], strict=False):
            content = hashlib.blake2b(head.data, digest_size=16)
            content.update(columns[start:end].data)
            digests.append(content.digest())
        return digests

    @cached_property
    def digest(self) -> bytes:
        """A digest of the lines of all sides."""
        return hashlib.blake2b(b"".join(self.of_sides), digest_size=16).digest()

    def instances(self, side: int) -> tuple[IntArray, IntArray, IntArray]:
        """The indices of one side's line: subscript, first and last place, (indices,) each."""
        runs = np.flatnonzero(self.side == side)
        first, last = (np.repeat(column[runs], self.length[runs]) for column in (self.first, self.last))
        return self._cells(runs), first, last

    def _cells(self, runs: IntArray) -> IntArray:
        """The subscripts of some runs, one run after another."""
        length = self.length[runs]
        within = np.arange(int(length.sum())) - np.repeat(np.cumsum(length) - length, length)
        return np.repeat(self.cell[runs], length) + within

    def line_runs(self, modulus: int = 1) -> tuple[LineRuns, IntArray]:
        """The line of each side and residue of the subscript, and the data (S,) of a free axis for each of its indices.

        The lines of a side stand residue by residue. A side with a free axis has one line, with residue 0, and the data
        of the residue that has most subscripts.
        """
        sides, head, alike = len(self.places), self.starts[self.side], self.alike[self.side]
        run, residue, number = _by_residue(self.cell, self.length, modulus)
        # Of a free axis the places of one subscript stand for all, and the subscripts of one place are counted.
        of_place, free = (alike & (self.first == self.first[head]))[run], np.zeros((sides, modulus), np.int64)
        np.add.at(free, (self.side[run[of_place]], residue[of_place]), number[of_place])
        one, others = np.flatnonzero(alike & (self.cell == self.cell[head])), ~alike[run]
        run, residue, number = (
            np.concatenate(both)
            for both in ((run[others], one), (residue[others], 0 * one), (number[others], np.ones_like(one)))
        )
        line = self.side[run] * modulus + residue
        order = np.argsort(line, kind="stable")
        run = run[order]
        runs = LineRuns(np.repeat(self.places, modulus), line[order], number[order], self.first[run], self.last[run])
        return runs, np.where(self.alike, free.max(axis=1), 1)

    def in_groups(self, shared: Shared) -> tuple[LineRuns, IntArray]:
        """The line of each side in groups of subscripts that share an address, and the data (S,) of a free axis.

        Groups are those of `Loop.in_groups`; the data of a free axis are the groups of its subscripts.
        """
        sides, most, alike = len(self.places), int(self.places.max()), self.alike[self.side]
        meets = self.side[1:][(np.diff(self.side) == 0) & (np.diff(self.cell) < self.length[:-1])]
        again = (np.bincount(meets, minlength=sides) > 0) & ~self.alike
        fetch = self.side * most + np.where(again[self.side], self.first, 0)
        begin = np.full(sides * most, np.iinfo(np.int64).max)
        np.minimum.at(begin, fetch, self.cell)
        each = shared.number if shared.stride == 1 else 1  # neighbours of a run that are one group
        low, high = ((end - begin[fetch]) // each for end in (self.cell, self.cell + self.length - 1))
        block, run = members(low, high - low + 1)
        block = block if shared.stride == 1 else shared.group(block)
        wide = int(block.max(initial=0)) + 1
        groups, number = np.unique(fetch[run] * wide + block, return_inverse=True)
        first, last = np.full(len(groups), most), np.zeros(len(groups), np.int64)
        np.minimum.at(first, number, self.first[run])
        np.maximum.at(last, number, self.last[run])
        side = groups // (wide * most)
        kept, own = ~self.alike[side], alike & (self.cell == self.cell[self.starts[self.side]])
        side, first, last = (
            np.concatenate([of_groups[kept], of_runs[own]])
            for of_groups, of_runs in ((side, self.side), (first, self.first), (last, self.last))
        )
        order = np.argsort(side, kind="stable")
        free = np.where(self.alike, np.bincount(groups // (wide * most), minlength=sides), 1)
        return LineRuns.of_indices(self.places, side[order], first[order], last[order]), free


def _by_residue(cell: IntArray, length: IntArray, modulus: int) -> tuple[IntArray, IntArray, IntArray]:
    """Split runs of `length` subscripts from `cell` on by residue.

    Returns the run, the residue and the number of subscripts of each part.
    """
    many = np.minimum(length, modulus)
    run = np.repeat(np.arange(len(cell)), many)
    later = np.arange(len(run)) - np.repeat(np.cumsum(many) - many, many)
    return run, (cell[run] + later) % modulus, (length[run] - later + modulus - 1) // modulus


def shared(lines: Sequence[AxisLines]) -> tuple[AxisLines, ...]:
    """Replace equal lines by one object, so that values derived from them are computed once."""
    known: dict[bytes, AxisLines] = {}
    return tuple(known.setdefault(line.digest, line) for line in lines)


def row_lines(work: IntArray, most: int) -> tuple[IntArray, RowLines]:
    """The kind of a task's rows at each place (sides, most), from its field (sides, cells), and each kind's lines."""
    sides, cells = work.shape
    runs = work != NEVER
    changes = work[:, 1:] != work[:, :-1]
    begins, ends = runs.copy(), runs.copy()
    begins[:, 1:] &= changes
    ends[:, :-1] &= changes
    side, first = np.nonzero(begins)
    return _kinds(side * most + work[side, first], np.nonzero(ends)[1] - first + 1, cells, (sides, most))


def lines_at(slot: IntArray, index: IntArray, extent: int, shape: tuple[int, int]) -> tuple[IntArray, RowLines]:
    """The kinds of rows, and their lines, of indices below an extent.

    Each index is at some `slot` of (sides, places), perhaps at several, and may occur several times there.
    """
    pairs = ascending(slot * (extent + 1) + index)
    heads = np.flatnonzero(np.diff(pairs, prepend=-2) != 1)
    return _kinds(pairs[heads] // (extent + 1), np.diff(heads, append=len(pairs)), extent, shape)


def _kinds(slot: IntArray, length: IntArray, cells: int, shape: tuple[int, int]) -> tuple[IntArray, RowLines]:
    """The kinds of rows, and their lines, from the lengths of the lines at each slot."""
    sides, most = shape
    kind = np.bincount(slot, length, minlength=sides * most).astype(np.int64)
    several = np.flatnonzero(np.bincount(slot, minlength=sides * most) > 1)
    whole = RowLines.whole(cells)
    if not len(several):
        return kind.reshape(sides, most), whole
    is_mixed = np.isin(slot, several)
    rows = _of_slots(np.searchsorted(several, slot[is_mixed]), length[is_mixed], cells)
    chosen, number = distinct_rows(rows)
    kind[several] = cells + 1 + number
    mixed = np.zeros((cells + 1 + len(chosen), 2, rows.shape[1] // 2), np.int64)
    mixed[: cells + 1, :, :1] = np.stack([whole.length, whole.many], axis=1)
    mixed[cells + 1 :] = rows[chosen].reshape(len(chosen), 2, -1)
    return kind.reshape(sides, most), RowLines(mixed[:, 0], mixed[:, 1])


def _of_slots(slot: IntArray, length: IntArray, cells: int) -> IntArray:
    """The distinct lengths of the lines at each slot (0, 1, ...), then how many lines have each.

    The shape is (slots, 2 K), padded with 0.
    """
    pairs, many = np.unique(slot * (cells + 1) + length, return_counts=True)
    slot, length = np.divmod(pairs, cells + 1)
    begins = np.searchsorted(slot, np.arange(int(slot[-1]) + 1))
    place = np.arange(len(slot)) - begins[slot]
    rows = np.zeros((len(begins), 2, int(place.max()) + 1), np.int64)
    rows[slot, 0, place], rows[slot, 1, place] = length, many
    return rows.reshape(len(rows), -1)
