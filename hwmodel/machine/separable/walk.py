"""The walk over blocks as rows and columns: the innermost dimension of the scan, and all others together.

A step s of the group is (row, column) = divmod(s, columns); something of stage `shift` does in it what belongs to the
place `shift` steps earlier in the walk: `late` rows above, in another column. Steps that look alike are one kind.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hwmodel.machine.separable.axis_table import AxisTable
from hwmodel.machine.separable.ledger import Ledger
from hwmodel.machine.separable.links import Ints

Names = ("happens", "chains", "longest", "born", "dead")


@dataclass(frozen=True, eq=False)
class Line:
    """Counts by place along one or several dimensions of the blocks, for S choices of their sides.

    Fields as in `AxisTable`, each (S, ..., places), 0 beyond `places` (S,).
    """

    places: Ints
    happens: Ints
    chains: Ints
    longest: Ints
    born: Ints
    dead: Ints

    def only(self, chosen: Ints) -> Line:
        """Some of the choices, without places that none of them has."""
        most = int(self.places[chosen].max())
        return Line(self.places[chosen], *(getattr(self, name)[chosen][:, :, :most] for name in Names))


def line_of(tables: Sequence[AxisTable], picks: Ints) -> Line:
    """The dimensions of `tables`, outermost first, as one; `picks` (S, dimensions) chooses a side of each."""
    lines = [_picked(table, picks[:, number]) for number, table in enumerate(tables)]
    if not lines:
        raise ValueError("a line has at least one dimension")
    line = lines[0]
    for other in lines[1:]:
        line = _product(line, other)
    return line


def single_place(ledger: Ledger) -> Line:
    """The line of no dimension at all: one place."""
    tasks, living = len(ledger.parts.group.tasks), sum(len(memory.living) for memory in ledger.memories)
    sizes = (len(ledger.counted), tasks, tasks, living, living)
    return Line(np.ones(1, np.int64), *(np.ones((1, size, 1), np.int64) for size in sizes))


def _picked(table: AxisTable, pick: Ints) -> Line:
    return Line(table.places[pick], *(getattr(table, name)[pick] for name in Names))


def _product(outer: Line, inner: Line) -> Line:
    """Two lines as one: for each place of the outer all places of the inner."""
    places = outer.places * inner.places
    made = []
    for name in Names:
        left, right = getattr(outer, name), getattr(inner, name)
        found = np.zeros((*left.shape[:2], int(places.max())), np.int64)
        for row, (rows, columns) in enumerate(zip(outer.places.tolist(), inner.places.tolist(), strict=True)):
            both = left[row, :, :rows, None] * right[row, :, None, :columns]
            found[row, :, : rows * columns] = both.reshape(left.shape[1], -1)
        made.append(found)
    return Line(places, *made)


def late_rows(columns: Ints, shift: Ints, most: int) -> tuple[Ints, Ints]:
    """For each column of lines with so many `columns` (S,), and each shift (Q,): rows above, and the column there.

    Both of shape (S, most, Q); what stands in columns beyond a line's own means nothing.
    """
    place = np.arange(most)[None, :, None] - shift[None, None, :]
    wide = columns[:, None, None]
    late = np.maximum(-(place // wide), 0)
    return late, np.minimum(place + late * wide, wide - 1)


def above(counts: Ints, places: Ints, late: int, *, cyclic: bool) -> Ints:
    """Counts (S, Q, places) seen from rows 0, 1, ... up to `late` beyond the last, 0 to `late` rows above.

    The result is (S, rows, Q, late + 1); rows outside the walk count nothing, or with `cyclic` are those of the walk's
    other end (and no rows are added).
    """
    rows = counts.shape[2] + (0 if cyclic else late)
    row = np.arange(rows)[None, :, None] - np.arange(late + 1)[None, None, :]
    own = places[:, None, None]
    row = row % own if cyclic else np.broadcast_to(row, (len(places), *row.shape[1:]))
    inside = (row >= 0) & (row < own)
    safe = np.where(inside, row, 0)
    found = np.take_along_axis(counts[:, :, None, :], safe[:, None, :, :], axis=3)
    return np.where(inside[:, None, :, :], found, 0).transpose(0, 2, 1, 3)


@dataclass(frozen=True, eq=False)
class Kinds:
    """Distinct rows of S tables, padded: values (S, kinds, ...) and how often each occurs (S, kinds), 0 for padding."""

    values: Ints
    times: Ints


def kinds_of(values: Ints, used: Ints) -> Kinds:
    """The distinct rows of tables (S, rows, ...), of each of which the first `used` (S,) rows count."""
    sides, rows = values.shape[:2]
    flat = values.reshape(sides, rows, -1)
    inside = np.arange(rows)[None, :] < used[:, None]
    side = np.nonzero(inside)[0]
    table = np.ascontiguousarray(np.concatenate([side[:, None], flat[inside]], axis=1))
    found, times = np.unique(table, axis=0, return_counts=True)
    return _padded(found[:, 0], found[:, 1:], times, (sides, values.shape[2:]))


def _padded(side: Ints, rows: Ints, times: Ints, shape: tuple[int, tuple[int, ...]]) -> Kinds:
    """Rows sorted by side as one table for each side."""
    sides, tail = shape
    number = np.bincount(side, minlength=sides)
    place = np.arange(len(side)) - np.repeat(np.cumsum(number) - number, number)
    most = int(number.max())
    values = np.zeros((sides, most, rows.shape[1]), np.int64)
    counts = np.zeros((sides, most), np.int64)
    values[side, place] = rows
    counts[side, place] = times
    return Kinds(values.reshape(sides, most, *tail), counts)
