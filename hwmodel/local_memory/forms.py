"""The least sizes of the three forms of addresses for a part of a buffer.

No set of conflicts is ever formed. Lifetimes are products of the two lines' (`lines`), so whether two data meet is
decided on each line by itself, given the carry: how many outer places a datum's last step lies beyond its last outer
place, c = (l1 + D) div N. Let q = (l1 + D) mod N; the last step of x is in outer place l0 + c, at inner place q.

- box: m0 is 1 + the greatest distance of two outer indices of which some data meet, m1 the same of inner indices in one
  row. "u before v" is taken for either direction of the line, the better one counts.
- linear: M = 1 + max over x of top(Z(x)) - lin(x), with top(s) the greatest number born up to step s. That is the
  greatest row born before s, whole, or the row born at the place of s as far as its columns are. Both are a sum of a
  term of the row and one of the column, so the greatest is the sum of the greatest of both.
- ring: M = max over x of born(Z(x)) - serial(x), with born(s) the number of data born up to step s. It is a scalar
  product of a vector of the row and one of the column, taken of distinct ones only.

Each is exact if lines are walked in one direction, and never too small: two data at one address never meet.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from hwmodel.local_memory.addresses import Box, Form, Ints, Linear, Ring
from hwmodel.local_memory.lines import Line, Lines

_CELLS = 1 << 20  # of intermediate arrays at a time


def least_form(lines: Lines) -> Form:
    """The smallest form of a part that is not empty; ties in the order box, linear, ring."""
    return min(forms_of(lines), key=lambda form: form.size)


def forms_of(lines: Lines) -> tuple[Form, ...]:
    """The three forms, each at its least size."""
    return box(lines), linear(lines), ring(lines)


def extent(line: Line, reach: int) -> int:
    """1 + the greatest distance of two indices u, v with f(v) <= l(u) + reach, in the better direction of the line."""
    return min(_extent_upwards(line, reach), _extent_upwards(line.reversed(), reach))


def _extent_upwards(line: Line, reach: int) -> int:
    soonest_from = np.minimum.accumulate(line.first[::-1])[::-1]
    furthest = np.searchsorted(soonest_from, line.last + reach, side="right") - 1
    return 1 + int((furthest - np.arange(line.indices)).max())


def box(lines: Lines) -> Box:
    """The least moduli, the outer one first."""
    rows, columns = reaches(lines)
    return Box(extent(lines.outer, rows), extent(lines.inner, columns))


def reaches(lines: Lines) -> tuple[int, int]:
    """How many places beyond an index's last one a datum may live: on the outer line, and within one outer index."""
    outer, inner, wide = lines.outer, lines.inner, lines.inner.places
    rows = (int(inner.last.max()) - int(inner.first.min()) + lines.lag) // wide
    return rows, int((outer.last - outer.first).max()) * wide + lines.lag


def linear(lines: Lines) -> Linear:
    """The least modulus of the row-major number, the inner line taken upwards or downwards."""
    sizes: dict[int, int] = {}
    ways = [(line, line.reversed()) for line in (lines.outer, lines.inner)]
    for turned in product((False, True), repeat=2):
        outer, inner = (pair[turn] for pair, turn in zip(ways, turned, strict=True))
        size = _linear_size(Lines(outer, inner, lines.lag))
        sign = 1 if turned[0] == turned[1] else -1
        sizes[sign] = min(size, sizes.get(sign, size))
    sign = min(sizes, key=lambda sign: (sizes[sign], -sign))
    return Linear(lines.inner.indices, sign, sizes[sign])


def _linear_size(lines: Lines) -> int:
    outer, inner, row = lines.outer, lines.inner, lines.inner.indices
    index, columns = np.arange(outer.indices), np.arange(row)
    carry, place = np.divmod(inner.last + lines.lag, inner.places)
    of_column = _greatest_upto(inner, place)
    reach = 0
    for late in np.unique(carry).tolist():
        own = _greatest_at(outer, outer.last + late)
        before = _greatest_upto(outer, outer.last + late - 1)
        inside = carry == late
        here, there = own >= 0, inside & (of_column >= 0)
        if here.any() and there.any():
            reach = max(reach, int((own - index)[here].max()) * row + int((of_column - columns)[there].max()))
        past = before >= 0
        if past.any():
            reach = max(reach, int((before - index)[past].max()) * row + row - 1 - int(columns[inside].min()))
    return 1 + reach


def _greatest_upto(line: Line, places: Ints) -> Ints:
    """The greatest index born up to each of some places, -1 for none."""
    greatest = np.maximum.accumulate(np.concatenate([[-1], line.order]))
    return greatest[np.searchsorted(line.placed, places, side="right")]


def _greatest_at(line: Line, places: Ints) -> Ints:
    """The greatest index born at each of some places, -1 for none."""
    last = np.searchsorted(line.placed, places, side="right") - 1  # of those born at one place the greatest
    found = line.order[np.maximum(last, 0)]
    return np.where((last >= 0) & (line.first[found] == places), found, -1)


def ring(lines: Lines) -> Ring:
    """The least modulus of the order of birth."""
    outer, inner, row = lines.outer, lines.inner, lines.inner.indices
    rows, columns = outer.births, inner.births
    carry, place = np.divmod(inner.last + lines.lag, inner.places)
    born_in_row = inner.born_before(place + 1)
    size = 0
    for late in np.unique(carry).tolist():
        ended = outer.born_before(outer.last + late)
        begun = outer.born_before(outer.last + late + 1) - ended
        high = np.stack([(ended - rows.before) * row, begun, -rows.together, -rows.rank], axis=1)
        own = carry == late
        wide = np.stack(
            [np.ones(int(own.sum()), np.int64), born_in_row[own], columns.before[own], columns.together[own]]
        )
        size = max(size, _greatest_product(_distinct(high), wide, columns.rank[own]))
    return Ring(rows, columns, row, size)


def _distinct(rows: Ints) -> Ints:
    """Each row once; much faster than `np.unique` along an axis, which compares rows as bytes."""
    ordered = rows[np.lexsort(rows.T)]
    fresh = np.concatenate([[True], (ordered[1:] != ordered[:-1]).any(axis=1)])
    distinct: Ints = ordered[fresh]
    return distinct


def _greatest_product(rows: Ints, columns: Ints, less: Ints) -> int:
    """The greatest of rows (n, F) times columns (F, m) less a number of each column."""
    kinds = _distinct(np.concatenate([columns.T, less[:, None]], axis=1))
    columns, less = kinds[:, :-1].T, kinds[:, -1]
    chunk = max(1, _CELLS // columns.shape[1])
    starts = range(0, len(rows), chunk)
    return max(int((rows[start : start + chunk] @ columns - less).max()) for start in starts)
