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


@dataclass(frozen=True, eq=False)
class Places:
    """Chosen rows or columns of S lines, sorted: the line and the place of each, and how far the next one is."""

    line: Ints
    place: Ints
    run: Ints


def turns(counts: Ints, places: Ints) -> tuple[Ints, Ints, Ints]:
    """Where counts (S, Q, places) differ from those one place before: line, entry and place, places 0 and all the end.

    Between two turns of a line nothing changes.
    """
    padded = np.concatenate([counts, np.zeros_like(counts[:, :, :1])], axis=2)
    changed = padded != np.concatenate([padded[:, :, -1:], padded[:, :, :-1]], axis=2)
    changed[:, :, 0] = True
    line, entry, place = np.nonzero(changed)
    ends = np.arange(len(counts)).repeat(counts.shape[1])
    entries = np.tile(np.arange(counts.shape[1]), len(counts))
    inside = place < places[line]
    return (
        np.concatenate([line[inside], ends]),
        np.concatenate([entry[inside], entries]),
        np.concatenate([place[inside], places[ends]]),
    )


def chosen_places(line: Ints, place: Ints, total: Ints) -> Places:
    """Distinct places of lines of `total` (S,) places each; those beyond are left out."""
    wide = int(total.max()) + 1
    inside = (place >= 0) & (place < total[line])
    both = np.unique(line[inside] * wide + place[inside])
    found, at = both // wide, both % wide
    after = np.append(at[1:], 0)
    ends = np.append(found[1:] != found[:-1], [True])
    return Places(found, at, np.where(ends, total[found], after) - at)


def turning_rows(counts: Ints, places: Ints, late: int, *, cyclic: bool) -> Places:
    """The rows at which what stands there, or up to `late` rows above, changes; `late` rows follow the last."""
    line, _, place = turns(counts, places)
    rows = place[:, None] + np.arange(late + 1)[None, :]
    if cyclic:
        rows %= places[line][:, None]
    return chosen_places(line.repeat(late + 1), rows.ravel(), places if cyclic else places + late)


def turning_columns(counts: Ints, places: Ints, shift: Ints) -> Places:
    """The columns at which what stands `shift` (Q,) steps before changes."""
    line, entry, place = turns(counts, places)
    first = np.arange(len(places))
    lines = np.concatenate([first, line])
    return chosen_places(lines, np.concatenate([0 * first, (place + shift[entry]) % places[line]]), places)


def above(counts: Ints, places: Ints, rows: Places, late: int, *, cyclic: bool = False) -> Ints:
    """Counts (S, Q, places) seen from chosen rows (n): what stands there and up to `late` rows above.

    The result is (n, Q, late + 1); rows outside the walk count nothing, or with `cyclic` are those of its other end.
    """
    row = rows.place[:, None] - np.arange(late + 1)[None, :]
    own = places[rows.line][:, None]
    row = row % own if cyclic else row
    inside = (row >= 0) & (row < own)
    found = counts[rows.line[:, None], :, np.where(inside, row, 0)]
    return np.where(inside[:, :, None], found, 0).transpose(0, 2, 1)


def before(counts: Ints, places: Ints, columns: Places, shift: Ints) -> tuple[Ints, Ints]:
    """What stands `shift` (Q,) steps before chosen columns (n): rows above and the count there, both (n, Q)."""
    wide = places[columns.line][:, None]
    place = columns.place[:, None] - shift[None, :]
    late = np.maximum(-(place // wide), 0)
    return late, counts[columns.line[:, None], np.arange(len(shift))[None, :], place + late * wide]


@dataclass(frozen=True, eq=False)
class Kinds:
    """Distinct rows of S tables, padded: values (S, kinds, ...) and how often each occurs (S, kinds), 0 for padding."""

    values: Ints
    times: Ints


def kinds_of(at: Places, values: Ints, lines: int) -> Kinds:
    """The distinct values (n, ...) of chosen places of so many lines, and over how many places they hold."""
    table = np.concatenate([at.line[:, None], values.reshape(len(values), -1)], axis=1)
    found, kind = np.unique(table, axis=0, return_inverse=True)
    times = np.zeros(len(found), np.int64)
    np.add.at(times, kind.ravel(), at.run)
    number = np.bincount(found[:, 0], minlength=lines)
    place = np.arange(len(found)) - np.repeat(np.cumsum(number) - number, number)
    padded = np.zeros((lines, int(number.max()), found.shape[1] - 1), np.int64)
    counts = np.zeros(padded.shape[:2], np.int64)
    padded[found[:, 0], place] = found[:, 1:]
    counts[found[:, 0], place] = times
    return Kinds(padded.reshape(*counts.shape, *values.shape[1:]), counts)
