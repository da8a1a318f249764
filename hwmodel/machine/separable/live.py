"""The largest live sets of the memories of a separable group."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hwmodel.machine.separable.ledger import Ledger
from hwmodel.machine.separable.links import Ints
from hwmodel.machine.separable.walk import (
    Kinds,
    Line,
    Places,
    above,
    before,
    chosen_places,
    kinds_of,
    turning_columns,
    turning_rows,
)


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

    Along rows with equal counts live sets are straight, so they are largest where counts change. Sums of births and
    deaths are taken from the births before the row itself: rows in a steady state are alike.
    """
    counts = np.concatenate([outer.born[:, own], outer.dead[:, own]], axis=1)
    heads = turning_rows(counts, outer.places, late, cyclic=False)
    rows = chosen_places(
        np.tile(heads.line, 2), np.concatenate([heads.place, heads.place + heads.run - 1]), outer.places + late
    )
    sums = np.concatenate([np.zeros_like(counts[:, :, :1]), np.cumsum(counts, axis=2)], axis=2)
    place = rows.place[:, None] - np.arange(late + 1)[None, :]
    inside = np.clip(place, 0, outer.places[rows.line][:, None])
    earlier = sums[rows.line[:, None], :, inside].transpose(0, 2, 1)
    births = earlier[:, : counts.shape[1] // 2, :1]
    both = np.stack([above(counts, outer.places, rows, late), earlier - np.tile(births, (1, 2, 1))], axis=3)
    return kinds_of(rows, both, len(counts))


def _columns(inner: Line, own: slice, shift: Ints) -> _Columns:
    """Along columns with equal counts live sets are straight too: they are largest before a change or at the end."""
    counts = np.concatenate([inner.born[:, own], inner.dead[:, own]], axis=1)
    upto = np.cumsum(counts, axis=2)
    heads = turning_columns(counts, inner.places, shift)
    ends = Places(heads.line, heads.place + heads.run - 1, heads.run)
    found = kinds_of(ends, np.stack(before(upto, inner.places, ends, shift), axis=2), len(counts))
    # Padding repeats a kind: it is no larger than itself.
    table = np.where(found.times[:, :, None, None] > 0, found.values, found.values[:, :1])
    return _Columns(table[..., 0], table[..., 1], upto[:, : len(shift) // 2, -1])
