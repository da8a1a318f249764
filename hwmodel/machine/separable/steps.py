"""Kinds of steps of a separable group: how often each occurs, and what happens in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from hwmodel.machine.separable.axes import Ints
from hwmodel.machine.separable.block_order import (
    Kinds,
    Line,
    above,
    earlier,
    kinds_of,
    turning_columns,
    turning_rows,
)
from hwmodel.machine.separable.counts import GroupCounts
from hwmodel.machine.separable.lines import Lines

_CELLS = 1 << 22  # of a part's tables


@dataclass(frozen=True, eq=False)
class StepKinds:
    """How often each kind of step of some structures occurs (S, K), and what happens in it.

    `happens` (S, K, Q) in the counts's order, `longest` (S, K, T) the longest chain of each task. `chosen` (S,) are the
    structures' numbers.
    """

    chosen: Ints
    times: Ints
    happens: Ints
    longest: Ints


def step_kinds(counts: GroupCounts, lines: Lines, *, cyclic: bool) -> Iterator[StepKinds]:
    """The kinds of steps of structures, in parts; with `cyclic` frames follow each other without a pause."""
    counted = counts.counted
    first = min(one.stage for one in counted)
    shift = np.array([one.stage - first for one in counted])
    shift = np.concatenate([shift, shift[[one.kind == "task" for one in counted]]])
    factor = np.array([one.factor for one in counted])
    columns = lines.inner.once(lambda: _column_kinds(lines.inner, shift), "columns")
    for late, chosen in lines.by_lateness(int(shift.max())):
        rows = lines.outer.once(partial(_row_kinds, lines.outer, late, cyclic=cyclic), "rows", late, cyclic)
        each = rows.times.shape[1] * columns.times.shape[1] * len(shift)
        step = max(1, _CELLS // each)
        for start in range(0, len(chosen), step):
            some = chosen[start : start + step]
            yield _paired(some, rows, columns, lines.pairs[some], factor)


def _row_kinds(outer: Line, late: int, *, cyclic: bool) -> Kinds:
    """Rows (S, kinds, Q + T, late + 1): what is counted, then the longest chains."""
    entries = np.arange(outer.steps.entries)
    rows = turning_rows(outer.steps, np.zeros_like(entries), late, cyclic=cyclic)
    counts, _ = above(outer.steps, entries[None, :], rows, late, cyclic=cyclic)
    return kinds_of(rows.line, counts, rows.run)


def _column_kinds(inner: Line, shift: Ints) -> Kinds:
    """Columns (S, kinds, Q + T, 2): rows above, and the count in the column there."""
    entries = np.arange(inner.steps.entries)
    columns = turning_columns(inner.steps, np.zeros_like(entries), shift)
    late, counts, _ = earlier(inner.steps, entries[None, :], shift[None, :], columns)
    return kinds_of(columns.line, np.stack([late, counts], axis=2), columns.run)


def _paired(chosen: Ints, rows: Kinds, columns: Kinds, pairs: Ints, factor: Ints) -> StepKinds:
    late, count = columns.values[pairs[:, 1], ..., 0], columns.values[pairs[:, 1], ..., 1]
    row = np.arange(rows.times.shape[1])[None, :, None, None]
    entry = np.arange(count.shape[2])[None, None, None, :]
    found = rows.values[pairs[:, 0][:, None, None, None], row, entry, late[:, None, :, :]] * count[:, None, :, :]
    times = rows.times[pairs[:, 0]][:, :, None] * columns.times[pairs[:, 1]][:, None, :]
    found = found.reshape(len(pairs), -1, found.shape[3])
    quantities = len(factor)
    return StepKinds(chosen, times.reshape(len(pairs), -1), found[:, :, :quantities] * factor, found[:, :, quantities:])
