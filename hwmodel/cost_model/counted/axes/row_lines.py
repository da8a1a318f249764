"""Lines of repetitions along one block dimension, as the units of a task share them (docs/machine.md, section 4).

The repetitions of a task in a step are a Cartesian product of index sets, so all their rows along the unit dimension
are alike: of one *kind*. A kind belongs to one block dimension, as the number of indices does, and is one integer for
each place; all other dimensions have a 1 there. The product by which steps are counted is then that integer
(`block_order`). A row of w consecutive indices has the kind w; rows with gaps have kinds after the longest of these.
"""

from __future__ import annotations

import numpy as np

from arrayol.arrays import IntArray
from hwmodel.cost_model.counted.axes.distinct import distinct_rows
from hwmodel.cost_model.counted.axes.places import NEVER
from hwmodel.cost_model.issue.rounds import RowLines
from hwmodel.cost_model.numbering import ascending


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
