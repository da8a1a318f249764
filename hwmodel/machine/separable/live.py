"""The largest live sets of the memories of a separable group."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hwmodel.machine.separable.ledger import Ledger
from hwmodel.machine.separable.links import Ints
from hwmodel.machine.separable.walk import Kinds, Line, above, kinds_of, late_rows


@dataclass(frozen=True, eq=False)
class _Columns:
    """Of the columns where a live set can be largest (S, J, 2 I): rows above, and all up to the column there; I lives.

    The first I entries are of births, the others of deaths; `whole` (S, I) is what a row has in all.
    """

    late: Ints
    upto: Ints
    whole: Ints


def live_sizes(ledger: Ledger, outer: Line, inner: Line, pairs: Ints) -> Ints:
    """The largest live set of each memory, in data, for structures given as `pairs` (S, 2) of lines: (S, memories)."""
    memories = ledger.memories
    living = [one for memory in memories for one in memory.living]
    first = min(one.stage for one in ledger.counted)
    born = np.array([one.born - first for one in living], np.int64)
    dead = np.array([one.dead - first for one in living], np.int64)
    sizes = np.zeros((len(pairs), len(memories)), np.int64)
    start = 0
    for number, memory in enumerate(memories):
        own = slice(start, start + len(memory.living))
        start = own.stop
        sizes[:, number] = memory.fixed
        if memory.living:
            shift = np.concatenate([born[own], dead[own]])
            factor = np.array([one.factor for one in memory.living])
            sizes[:, number] = memory.size * _largest(outer, inner, pairs, own, shift, factor)
    return sizes


def _largest(outer: Line, inner: Line, pairs: Ints, own: slice, shift: Ints, factor: Ints) -> Ints:
    late = int((-(-int(shift.max()) // inner.places)).max())
    rows = _rows(outer, own, late)
    columns = _columns(inner, own, shift)
    lives = len(factor)
    values, entry = rows.values[pairs[:, 0]], np.arange(2 * lives)[None, None, None, :]
    structure, row = np.arange(len(pairs))[:, None, None, None], np.arange(values.shape[1])[None, :, None, None]
    delayed = columns.late[pairs[:, 1]][:, None, :, :]
    count, before = values[structure, row, entry, delayed, 0], values[structure, row, entry, delayed, 1]
    whole = np.tile(columns.whole, (1, 2))[pairs[:, 1]][:, None, None, :]
    cumulated = before * whole + count * columns.upto[pairs[:, 1]][:, None, :, :]
    live = (cumulated[..., :lives] - cumulated[..., lives:]) @ factor
    largest: Ints = np.where(rows.times[pairs[:, 0]][:, :, None] > 0, live, 0).max(axis=(1, 2))
    return largest


def _rows(outer: Line, own: slice, late: int) -> Kinds:
    """Rows (S, kinds, 2 I, late + 1, 2): the count so many rows above, and the sum of all before that row.

    Sums of births and deaths are taken from the births before the row itself: rows in a steady state are alike.
    """
    counts = np.concatenate([outer.born[:, own], outer.dead[:, own]], axis=1)
    seen = above(counts, outer.places, late, cyclic=False)
    rows = seen.shape[1]
    filled = np.zeros((*counts.shape[:2], rows), np.int64)
    filled[:, :, : counts.shape[2]] = counts
    before = np.cumsum(filled, axis=2) - filled
    place = np.arange(rows)[:, None] - np.arange(late + 1)[None, :]
    shifted = np.where(place >= 0, before[:, :, np.maximum(place, 0)], 0)
    births = before[:, : counts.shape[1] // 2]
    shifted = shifted - np.tile(births, (1, 2, 1))[:, :, :, None]
    both = np.stack([seen, shifted.transpose(0, 2, 1, 3)], axis=4)
    return kinds_of(both, outer.places + late)


def _columns(inner: Line, own: slice, shift: Ints) -> _Columns:
    """Live sets are straight along columns with equal counts, so they are largest where counts change or at the end."""
    counts = np.concatenate([inner.born[:, own], inner.dead[:, own]], axis=1).transpose(0, 2, 1)
    upto = np.cumsum(counts, axis=1)
    most = counts.shape[1]
    late, column = late_rows(inner.places, shift, most)
    safe = np.clip(column, 0, most - 1)
    step = np.stack([late, np.take_along_axis(counts, safe, axis=1)], axis=3)
    turns = np.ones(step.shape[:2], np.bool_)
    turns[:, :-1] = (step[:, 1:] != step[:, :-1]).any(axis=(2, 3))
    place = np.arange(most)[None, :]
    last = inner.places[:, None] - 1
    turns = np.where(place < last, turns, place == last)
    value = np.stack([late, np.take_along_axis(upto, safe, axis=1)], axis=3)
    side, chosen = np.nonzero(turns)
    number = turns.sum(axis=1)
    table = np.zeros((len(counts), int(number.max()), *value.shape[2:]), np.int64)
    table[:] = value[np.arange(len(counts)), last[:, 0]][:, None]
    table[side, np.arange(len(side)) - np.repeat(np.cumsum(number) - number, number)] = value[side, chosen]
    return _Columns(table[..., 0], table[..., 1], upto[:, -1, : len(shift) // 2])
