"""The union of the patterns of a block, as one pattern: columns of a tiler that step along one line are joined.

A window of 14 lines at step 9, four times, is the columns (9, 4 times) and (1, 14 times). The second covers each gap of
the first without a hole, so both are one column: 1, 41 times. Window rho, line f is then line 9 rho + f of the union.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from arrayol.ir.spec import IntMatrix, Shape
from arrayol.ir.tilers import identity, zeros

Vector = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Union:
    """All sums of columns, as shift + columns z for 0 <= z < extents; the sum of x is that of z = offset + places x."""

    shift: Vector
    columns: tuple[Vector, ...]
    extents: Shape
    offset: Vector
    places: tuple[Vector, ...]  # one for each old column


@dataclass(slots=True)
class _Joined:
    """Columns being joined: each old column is a combination of those that are left."""

    columns: list[Vector]
    extents: list[int | None]
    shift: list[int]
    offset: list[int]
    places: list[list[int]]

    def join(self, kept: int, other: int, factor: int) -> None:
        """Column `other` is `factor` times column `kept`: leave it out."""
        length, far = self.extents[kept], self.extents[other]
        assert length is not None
        assert far is not None
        self.extents[kept] = length + abs(factor) * (far - 1)
        back = min(0, factor * (far - 1))
        self.shift = [entry + back * step for entry, step in zip(self.shift, self.columns[kept], strict=True)]
        self.offset[kept] += factor * self.offset[other] - back
        for place in self.places:
            place[kept] += factor * place[other]
        self.drop(other)

    def drop(self, column: int) -> None:
        for entries in (self.columns, self.extents, self.offset, *self.places):
            del entries[column]  # type: ignore[attr-defined]


def union_of(columns: Sequence[Vector], extents: Shape, rank: int) -> Union:
    """The union of {columns x : 0 <= x < extents}, a set of vectors of that rank, without a vector too many.

    Columns are joined where one is a multiple of another and leaves no gap; those that are left stand in the order of
    the array's axes. Where they still overlap, the union holds some vectors twice.
    """
    count = len(columns)
    joined = _Joined(
        list(columns),
        list(extents),
        [0] * rank,
        [0] * count,
        [list(row) for row in identity(count)],
    )
    while (pair := _next_pair(joined)) is not None:
        joined.join(*pair)
    for column in reversed(range(len(joined.columns))):
        if not any(joined.columns[column]) and joined.extents[column] is not None:
            joined.drop(column)
    order = sorted(range(len(joined.columns)), key=lambda column: _leading_axis(joined.columns[column]))
    return Union(
        tuple(joined.shift),
        tuple(joined.columns[column] for column in order),
        tuple(joined.extents[column] for column in order),
        tuple(joined.offset[column] for column in order),
        tuple(tuple(place[column] for column in order) for place in joined.places),
    )


def plain_union(columns: Sequence[Vector], extents: Shape, rank: int, steps: int) -> Union:
    """The pattern as it is, of a block of one repetition: the first `steps` columns never step."""
    kept = len(columns) - steps
    places = zeros(steps, kept) + identity(kept)
    return Union((0,) * rank, tuple(columns[steps:]), tuple(extents[steps:]), (0,) * kept, places)


def rows_of(columns: Sequence[Vector], rank: int) -> IntMatrix:
    """A matrix, row by row, from its columns of that many entries."""
    return tuple(tuple(column[row] for column in columns) for row in range(rank))


def columns_of(matrix: IntMatrix, count: int) -> tuple[Vector, ...]:
    return tuple(tuple(row[column] for row in matrix) for column in range(count))


def _next_pair(joined: _Joined) -> tuple[int, int, int] | None:
    for kept, column in enumerate(joined.columns):
        for other, candidate in enumerate(joined.columns):
            factor = None if kept == other else _multiple(candidate, column)
            if factor is not None and _without_gap(joined.extents[kept], joined.extents[other], factor):
                return kept, other, factor
    return None


def _without_gap(length: int | None, far: int | None, factor: int) -> bool:
    return length is not None and far is not None and (abs(factor) <= length or far == 1)


def _multiple(vector: Vector, unit: Vector) -> int | None:
    """The factor, not zero, by which `vector` is a multiple of `unit`."""
    axis = _leading_axis(unit)
    if axis == len(unit) or not any(vector) or vector[axis] % unit[axis]:
        return None
    factor = vector[axis] // unit[axis]
    return factor if all(entry == factor * step for entry, step in zip(vector, unit, strict=True)) else None


def _leading_axis(vector: Vector) -> int:
    return next((axis for axis, entry in enumerate(vector) if entry), len(vector))
