"""The least sizes of the three forms of addresses for a part of a buffer.

The idea. No set of conflicts is ever formed. Lifetimes are products of the lifetimes of the two lines (`lines`), so
whether two data meet is decided on each line separately, given the carry: the number of outer places from a datum's
last outer place to its last step, c = (l1 + D) div N. Let q = (l1 + D) mod N; the last step of x is in outer place l0 +
c, at inner place q.

- box: m0 is 1 + the greatest distance of two outer indices of which some data meet, and m1 likewise for inner indices
  in one row. Both directions of the line are tried, and the better one counts.
- linear: M = 1 + max over x of top(Z(x)) - lin(x), where top(s) is the greatest number born up to step s. That is the
  greatest row born before s, whole, or the row born at the place of s as far as its columns are born. Both are a sum of
  a term of the row and one of the column, so the greatest is the sum of the two greatest terms.
- ring: M = max over x of born(Z(x)) - serial(x), where born(s) is the number of data born up to step s. It is a scalar
  product of a vector of the row and one of the column, computed for distinct vectors only.

Each is exact if lines are walked in one direction, and never too small: two data at one address never meet.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from arrayol.arrays import IntArray, distinct_rows
from hwmodel.local_memory.addresses import Box, Form, LinearForm, Ring
from hwmodel.local_memory.lines import BufferLines, Line

_CELLS = 1 << 20  # of intermediate arrays at a time
_NOWHERE = -(1 << 62)  # how far a greatest index is of which there is none


def least_form(lines: BufferLines) -> Form:
    """The smallest form of a part that is not empty; ties in the order box, linear, ring."""
    return min(forms_of(lines), key=lambda form: form.size)


def forms_of(lines: BufferLines) -> tuple[Form, ...]:
    """The three forms, each at its least size."""
    return box(lines), linear(lines), ring(lines)


def extent(line: Line, reach: int) -> int:
    """1 + the greatest distance of two indices u, v with f(v) <= l(u) + reach, in the better direction of the line."""
    return min(_extent_upwards(line, reach), _extent_upwards(line.reversed(), reach))


def _extent_upwards(line: Line, reach: int) -> int:
    """The extent for indices that ascend."""
    soonest_from = np.minimum.accumulate(line.first[::-1])[::-1]
    furthest = np.searchsorted(soonest_from, line.last + reach, side="right") - 1
    return 1 + int((furthest - np.arange(len(furthest))).max())


def box(lines: BufferLines) -> Box:
    """The box with the least moduli."""
    rows, columns = reaches(lines)
    return Box(extent(lines.outer, rows), extent(lines.inner, columns))


def reaches(lines: BufferLines) -> tuple[int, int]:
    """How many places beyond an index's last one a datum may live: on the outer line, and within one outer index."""
    outer, inner, wide = lines.outer, lines.inner, lines.inner.places
    rows = (int(inner.last.max()) - int(inner.first.min()) + lines.lag) // wide
    return rows, int((outer.last - outer.first).max()) * wide + lines.lag


def linear(lines: BufferLines) -> LinearForm:
    """The linear form with the least modulus, for the better direction of the inner line."""
    row = lines.inner.indices
    same, opposite = linear_sizes(lines, row)
    return LinearForm(row, *((1, same) if same <= opposite else (-1, opposite)))


def linear_sizes(lines: BufferLines, row: int) -> tuple[int, int]:
    """The least moduli of linear forms upwards and downwards, whose `row` is at least as long as the inner line."""
    carry, place = np.divmod(lines.inner.last + lines.lag, lines.inner.places)
    carries, indices = np.unique(carry).tolist(), len(carry)
    outer = [_rows(line, carries) for line in (lines.outer, lines.outer.reversed())]
    turned = lines.inner.reversed(), carry[::-1], place[::-1]
    inner = [_columns(line, late, at, carries) for line, late, at in ((lines.inner, carry, place), turned)]
    same, opposite = (
        min(_linear_size(outer[way], inner[way ^ turn], (row, indices)) for way in (0, 1)) for turn in (0, 1)
    )
    return same, opposite


def _linear_size(outer: Sequence[tuple[int, int]], inner: Sequence[tuple[int, int]], rows: tuple[int, int]) -> int:
    """The modulus from the terms of `_rows` and `_columns` by carry; `rows` has the length of a row and its indices."""
    reach, (row, indices) = 0, rows
    for (own, before), (of_column, start) in zip(outer, inner, strict=True):
        if own > _NOWHERE and of_column > _NOWHERE:
            reach = max(reach, own * row + of_column)
        if before > _NOWHERE:
            reach = max(reach, before * row + indices - 1 - start)
    return 1 + reach


def alike(forms: Sequence[Form], lines: Sequence[BufferLines]) -> Sequence[Form]:
    """Forms of one kind with the same strides and moduli for all banks, if the deepest bank has room for them.

    Then what leads from a word to the next is the same in all banks, and the programs of those who access it repeat.
    Otherwise each bank keeps its own form.
    """
    deepest = max(form.size for form in forms)
    boxes = [form for form in forms if isinstance(form, Box)]
    rings = [form for form in forms if isinstance(form, Ring)]
    if rings:
        return [replace(form, size=deepest) for form in rings]
    if boxes:
        shared = Box(max(form.outer for form in boxes), max(form.inner for form in boxes))
        return [shared] * len(forms) if shared.size <= deepest else forms
    row = max(form.row for form in forms if isinstance(form, LinearForm))
    sizes = np.array([linear_sizes(own, row) for own in lines]).max(axis=0)
    form = LinearForm(row, 1 if sizes[0] <= sizes[1] else -1, deepest)
    return [form] * len(forms) if sizes.min() <= deepest else forms


def _rows(line: Line, carries: Sequence[int]) -> list[tuple[int, int]]:
    """By carry the furthest from an outer index to the greatest born at the place where it ends, and before it."""
    index = np.arange(len(line.first))
    return [
        (
            _furthest(_greatest_at(line, line.last + late), index),
            _furthest(_greatest_upto(line, line.last + late - 1), index),
        )
        for late in carries
    ]


def _columns(line: Line, carry: IntArray, place: IntArray, carries: Sequence[int]) -> list[tuple[int, int]]:
    """By carry, the furthest from an inner index to the greatest born up to its last place, and the least index."""
    index, greatest = np.arange(len(carry)), _greatest_upto(line, place)
    if len(carries) == 1:
        return [(_furthest(greatest, index), 0)]
    chosen = [np.flatnonzero(carry == late) for late in carries]
    return [(_furthest(greatest[own], index[own]), int(own[0])) for own in chosen]


def _furthest(greatest: IntArray, index: IntArray) -> int:
    """The furthest from an index to the given `greatest` one (-1 for none); _NOWHERE if no index has one."""
    there = greatest >= 0
    return int((greatest - index)[there].max()) if there.any() else _NOWHERE


def _greatest_upto(line: Line, places: IntArray) -> IntArray:
    """The greatest index that is born up to each of some places; -1 for none."""
    greatest = np.maximum.accumulate(np.concatenate([[-1], line.order]))
    return greatest[np.searchsorted(line.placed, places, side="right")]


def _greatest_at(line: Line, places: IntArray) -> IntArray:
    """The greatest index that is born at each of some places; -1 for none."""
    last = np.searchsorted(line.placed, places, side="right") - 1  # of those born at one place the greatest
    latest = line.order[np.maximum(last, 0)]
    return np.where((last >= 0) & (line.first[latest] == places), latest, -1)


def ring(lines: BufferLines) -> Ring:
    """The ring with the least modulus."""
    outer, inner, row = lines.outer, lines.inner, lines.inner.indices
    rows, columns = outer.births, inner.births
    carry, place = np.divmod(inner.last + lines.lag, inner.places)
    born_in_row = inner.born_before(place + 1)
    size = 0
    for late in np.unique(carry).tolist():
        ended = outer.born_before(outer.last + late)
        begun = outer.born_before(outer.last + late + 1) - ended
        high = np.stack([(ended - rows.before) * row, begun, -rows.together, -rows.rank], axis=1)
        on_ring = carry == late
        wide = np.stack(
            [
                np.ones(int(on_ring.sum()), np.int64),
                born_in_row[on_ring],
                columns.before[on_ring],
                columns.together[on_ring],
            ]
        )
        size = max(size, _greatest_product(distinct_rows(high), wide, columns.rank[on_ring]))
    return Ring(rows, columns, row, size)


def _greatest_product(rows: IntArray, columns: IntArray, less: IntArray) -> int:
    """The greatest product of rows (n, F) and columns (F, m), minus a number of each column."""
    kinds = distinct_rows(np.concatenate([columns.T, less[:, None]], axis=1))
    columns, less = kinds[:, :-1].T, kinds[:, -1]
    chunk = max(1, _CELLS // columns.shape[1])
    starts = range(0, len(rows), chunk)
    return max(int((rows[start : start + chunk] @ columns - less).max()) for start in starts)
