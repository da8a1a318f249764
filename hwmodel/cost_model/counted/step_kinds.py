"""Kinds of steps of the structures of a separable group.

The idea. The time of a group is the sum of its steps' lengths, and a step's length depends only on the counts of its
work (docs/machine.md, section 4). Steps with equal counts are one kind. Since a count is the product of one of the row
and one of the column, a pair of a kind of rows and a kind of columns is a kind of steps, which occurs as often as the
product of theirs. So the sum over kinds, each times its number of occurrences, is the sum over all steps. If frames
follow each other (section 8), steps are taken modulo the number of ticks: the rows above the first are the last ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from arrayol.arrays import IntArray
from hwmodel.cost_model.counted.block_order import Structures
from hwmodel.cost_model.counted.counts import GroupCounts
from hwmodel.cost_model.counted.place_counts import (
    KindCounts,
    PlaceCounts,
    changing_columns,
    changing_rows,
    counts_above,
    earlier,
    kinds_of,
)
from hwmodel.cost_model.counted.runs import StepRuns
from hwmodel.cost_model.issue.rounds import RowLines

_STEP_CELLS = 1 << 22  # of a part's tables
_SMALL_CELLS = 1 << 17  # of all tables of a call, which then is one part


@dataclass(frozen=True, eq=False)
class StepKinds:
    """Kinds of steps of some structures: how often each occurs, `times` (S, K), and the counts of its work.

    `happens` (S, K, Q) has the counted quantities. `along` (S, K, T + D) has the kind of each task's rows of lines,
    then for D tasks with a delay the number of indices along it, as far as blocks decide. `rows` has by task the lines
    of each kind. `chosen` (S,) are the structures' numbers, and `runs` are the runs of moved data.
    """

    chosen: IntArray
    times: IntArray
    happens: IntArray
    along: IntArray
    rows: tuple[RowLines, ...]
    runs: StepRuns

    @staticmethod
    def of(
        counts: GroupCounts, structures: Structures, chosen: IntArray, times: IntArray, happens: IntArray
    ) -> StepKinds:
        """Split counts (S, K, Q + T + D + M), and multiply the quantities by their constant factors."""
        quantities, ends = len(counts.factor), len(counts.shift) - len(counts.moved.axes)
        counted, along, runs = np.split(happens, (quantities, ends), axis=2)
        of_steps = StepRuns(runs, structures.runs.only(chosen))
        return StepKinds(chosen, times, counted * counts.factor, along, structures.rows, of_steps)


def step_kinds(counts: GroupCounts, structures: Structures, *, cyclic: bool) -> Iterator[StepKinds]:
    """The kinds of steps of structures, in parts of bounded size.

    With `cyclic`, frames follow each other without pause.
    """
    shift = counts.shift
    columns = structures.inner.once(lambda: column_kinds(structures.inner.steps, shift), "columns")
    for late, chosen in structures.by_lateness(int(shift.max())):
        rows = structures.outer.once(
            partial(row_kinds, structures.outer.steps, late, cyclic=cyclic), "rows", late, cyclic
        )
        for part, high, wide in _alike(structures.pairs[chosen], rows, columns, len(shift)):
            times, happens = paired(structures.pairs[chosen[part]], rows.first(high), columns.first(wide))
            yield StepKinds.of(counts, structures, chosen[part], times, happens)


def _alike(pairs: IntArray, rows: KindCounts, columns: KindCounts, entries: int) -> Iterator[tuple[IntArray, int, int]]:
    """Parts of structures with tables of bounded size: their indices, and the numbers of rows and columns of each part.

    Structures with few kinds of steps are separated from those with many, unless all tables are small: otherwise most
    of the computed values would be padding.
    """
    high, wide = rows.number[pairs[:, 0]], columns.number[pairs[:, 1]]
    kinds = np.zeros(len(pairs), np.int64)
    if len(pairs) * int(high.max()) * int(wide.max()) * entries > _SMALL_CELLS:
        kinds = np.floor(np.log2(high) / 2).astype(np.int64) * 64 + np.floor(np.log2(wide) / 2).astype(np.int64)
    # Within a factor of four in rows and in columns, padding is bounded.
    for kind in np.unique(kinds).tolist():
        alike = np.flatnonzero(kinds == kind)
        each = int(high[alike].max()), int(wide[alike].max())
        step = max(1, _STEP_CELLS // (each[0] * each[1] * entries))
        for start in range(0, len(alike), step):
            yield (alike[start : start + step], *each)


def row_kinds(outer: PlaceCounts, late: int, *, cyclic: bool) -> KindCounts:
    """Kinds of rows (S, kinds, entries, late + 1): the counts in a row and up to `late` rows above."""
    entries = np.arange(outer.entries)
    rows = changing_rows(outer, np.zeros_like(entries), late, cyclic=cyclic)
    counts = counts_above(outer, entries[None, :], rows, late, cyclic=cyclic)
    return kinds_of(rows.side, counts, rows.run)


def column_kinds(inner: PlaceCounts, shift: IntArray) -> KindCounts:
    """Kinds of columns (S, kinds, entries, 2): how many rows above its work lies, and the count in the column there."""
    entries = np.arange(inner.entries)
    columns = changing_columns(inner, np.zeros_like(entries), shift)
    late, counts, _ = earlier(inner, entries[None, :], shift[None, :], columns)
    narrow = np.int32 if counts.max(initial=0) <= np.iinfo(np.int32).max else np.int64  # of many tasks they are many
    return kinds_of(columns.side, np.stack([late, counts], axis=2, dtype=narrow, casting="unsafe"), columns.run)


def paired(pairs: IntArray, rows: KindCounts, columns: KindCounts) -> tuple[IntArray, IntArray]:
    """How often each pair of a row and a column occurs (S, kinds), and products of their counts (S, kinds, entries)."""
    late, count = columns.values[pairs[:, 1], ..., 0], columns.values[pairs[:, 1], ..., 1]
    row = np.arange(rows.times.shape[1])[None, :, None, None]
    entry = np.arange(count.shape[2])[None, None, None, :]
    happens = rows.values[pairs[:, 0][:, None, None, None], row, entry, late[:, None, :, :]] * count[:, None, :, :]
    times = rows.times[pairs[:, 0]][:, :, None] * columns.times[pairs[:, 1]][:, None, :]
    return times.reshape(len(pairs), -1), happens.reshape(len(pairs), -1, happens.shape[3])
