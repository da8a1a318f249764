"""Kinds of steps of a separable group: how often each occurs, and what happens in it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hwmodel.machine.separable.ledger import Ledger
from hwmodel.machine.separable.links import Ints
from hwmodel.machine.separable.walk import Kinds, Line, above, before, kinds_of, turning_columns, turning_rows


@dataclass(frozen=True, eq=False)
class StepKinds:
    """How often each kind of step of S structures occurs (S, K), and what happens in it.

    `happens` (S, K, Q) in the ledger's order, `longest` (S, K, T) the longest chain of each task.
    """

    times: Ints
    happens: Ints
    longest: Ints


def step_kinds(ledger: Ledger, outer: Line, inner: Line, pairs: Ints, *, cyclic: bool) -> StepKinds:
    """The kinds of steps of structures given as `pairs` (S, 2) of an outer and an inner line.

    With `cyclic` frames follow each other without a pause.
    """
    counted = ledger.counted
    first = min(one.stage for one in counted)
    shift = np.array([one.stage - first for one in counted])
    tasks = [number for number, one in enumerate(counted) if one.kind == "task"]
    factor = np.array([one.factor for one in counted])
    late = int((-(-int(shift.max()) // inner.places)).max())
    rows = _row_kinds(outer, late, cyclic=cyclic)
    columns = _column_kinds(inner, shift, tasks)
    return _paired(rows, columns, pairs, factor)


def _row_kinds(outer: Line, late: int, *, cyclic: bool) -> Kinds:
    """Rows (S, kinds, Q + T, late + 1): what is counted, then the longest chains."""
    both = np.concatenate([outer.happens, outer.longest], axis=1)
    rows = turning_rows(both, outer.places, late, cyclic=cyclic)
    return kinds_of(rows, above(both, outer.places, rows, late, cyclic=cyclic), len(both))


def _column_kinds(inner: Line, shift: Ints, tasks: list[int]) -> Kinds:
    """Columns (S, kinds, Q + T, 2): rows above, and the count in the column there."""
    both = np.concatenate([inner.happens, inner.longest], axis=1)
    shifts = np.concatenate([shift, shift[tasks]])
    columns = turning_columns(both, inner.places, shifts)
    return kinds_of(columns, np.stack(before(both, inner.places, columns, shifts), axis=2), len(both))


def _paired(rows: Kinds, columns: Kinds, pairs: Ints, factor: Ints) -> StepKinds:
    late, count = columns.values[pairs[:, 1], ..., 0], columns.values[pairs[:, 1], ..., 1]
    above_by = rows.values[pairs[:, 0]]
    entry = np.arange(above_by.shape[2])[None, None, None, :]
    structure, row = np.arange(len(pairs))[:, None, None, None], np.arange(above_by.shape[1])[None, :, None, None]
    found = above_by[structure, row, entry, late[:, None, :, :]] * count[:, None, :, :]
    times = rows.times[pairs[:, 0]][:, :, None] * columns.times[pairs[:, 1]][:, None, :]
    found = found.reshape(len(pairs), -1, found.shape[3])
    quantities = len(factor)
    return StepKinds(times.reshape(len(pairs), -1), found[:, :, :quantities] * factor, found[:, :, quantities:])
