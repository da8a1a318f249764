"""What a reader needs that computes an array for itself: the patterns of the array's producer, by its own repetitions.

Place c of the reader's pattern is element v = o + P r + F c of the array, which instance v of the producer makes. That
reads o' + P' v + F' f of another array: a tiler again, with the places c as more dimensions of the pattern. Those that
move like a dimension of the producer's pattern are joined with it: of a window of 3 over one of 3, 5 elements are read.

Beyond the ends of the array the reader takes what its border says, and the producer again beyond the ends of what it
reads. Both together must be one border of the new tiler; where they are none, the array cannot be made again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

import numpy as np

from arrayol.arrays import IntArray
from arrayol.ir.spec import IntMatrix, Shape, Tiler
from arrayol.transforms.blocks.block import Vector, added, columns_of, times

_COMPARED = 1 << 22  # elements along an axis, for which two borders are compared
_CONSTANT, _NOTHING = -1, -2  # where a border stands for a number, and where there is no border


@dataclass(frozen=True, slots=True)
class Reads:
    """A link as it reads: its tiler and pattern, the repetitions that move it, and the shape of the array."""

    tiler: Tiler
    pattern: Vector
    space: Shape
    array: Shape


@dataclass(frozen=True, slots=True)
class MergedReads:
    """All that the producer's instances for one pattern of the reader read through one link, as one pattern.

    Its first axes are those of the producer's pattern. Element f that instance c reads has on each axis the place
    f + factors . c, where f is 0 on all further axes.
    """

    tiler: Tiler
    pattern: Vector
    factors: IntMatrix


def merged_reads(reader: Reads, producer: Reads, *, by_data: bool) -> MergedReads | None:
    """The pattern under which a reader finds what the producer reads; None where no border says the same.

    The producer has one instance for each element of the reader's array. With `by_data` its subscripts depend on data,
    and no axes are joined.
    """
    first, second = producer.tiler, reader.tiler
    origin = added(first.origin, times(first.paving, second.origin)) if first.origin else ()
    paving = _product(first.paving, second.paving, len(reader.space))
    moves = _product(first.paving, second.fitting, len(reader.pattern))
    pattern, columns = list(producer.pattern), list(columns_of(first.fitting, len(producer.pattern)))
    factors = [[0] * len(reader.pattern) for _ in pattern]
    for at, (column, extent) in enumerate(zip(columns_of(moves, len(reader.pattern)), reader.pattern, strict=True)):
        if extent == 1 or not any(column):
            continue
        axis, factor = (None, 1) if by_data else _axis_of(column, columns, pattern)
        if axis is None:
            axis, factor = len(pattern), 1
            pattern.append(1)
            columns.append(column)
            factors.append([0] * len(reader.pattern))
        pattern[axis] += factor * (extent - 1)
        factors[axis][at] = factor
    fitting = tuple(tuple(column[row] for column in columns) for row in range(len(origin)))
    borders = [(False, None), (first.wrap, first.border)]
    if second.border is None or not second.border.is_constant:
        borders.append((second.wrap, second.border))
    for wrap, border in dict.fromkeys(borders):
        tiler = replace(first, origin=origin, paving=paving, fitting=fitting, wrap=wrap, border=border)
        if _say_the_same(reader, producer, tiler):
            return MergedReads(tiler, tuple(pattern), tuple(map(tuple, factors)))
    return None


def _axis_of(column: Vector, columns: Sequence[Vector], pattern: Sequence[int]) -> tuple[int | None, int]:
    """An axis whose steps a column consists of, and how many: no more than it has places, so that none is left out."""
    for axis, own in enumerate(columns):
        for factor in range(1, pattern[axis] + 1):
            if any(own) and column == tuple(factor * entry for entry in own):
                return axis, factor
    return None, 1


def _product(matrix: IntMatrix, other: IntMatrix, columns: int) -> IntMatrix:
    own = columns_of(other, columns)
    return tuple(tuple(times((row,), column)[0] for column in own) for row in matrix)


def _say_the_same(reader: Reads, producer: Reads, tiler: Tiler) -> bool:
    """Whether a tiler finds, by the index of an instance that may lie beyond the ends, what the instance reads."""
    spans = [_span(reader, axis) for axis in range(len(reader.array))]
    outside = [
        axis
        for axis, (span, extent) in enumerate(zip(spans, reader.array, strict=True))
        if span is not None and extent is not None and (span[0] < 0 or span[1] >= extent)
    ]
    if outside and reader.tiler.border is not None and reader.tiler.border.is_constant:
        return False  # it takes a number there, and no instance's
    return all(
        _same_along(axis, extent, (reader, producer, tiler), spans, outside)
        for axis, extent in enumerate(producer.array)
        if extent is not None
    )


def _span(reads: Reads, axis: int) -> tuple[int, int] | None:
    """The least and greatest index along an axis; None where it grows with the frames."""
    tiler, low, high = reads.tiler, reads.tiler.origin[axis], reads.tiler.origin[axis]
    for factor, extent in [
        *zip(tiler.paving[axis], reads.space, strict=True),
        *zip(tiler.fitting[axis], reads.pattern, strict=True),
    ]:
        if extent is None and factor:
            return None
        reach = factor * ((extent or 1) - 1)
        low, high = low + min(0, reach), high + max(0, reach)
    return low, high


def _same_along(
    axis: int,
    extent: int,
    links: tuple[Reads, Reads, Tiler],
    spans: Sequence[tuple[int, int] | None],
    outside: Sequence[int],
) -> bool:
    """The comparison along one axis of what the producer reads."""
    reader, producer, tiler = links
    own = producer.tiler
    moving = [at for at, factor in enumerate(own.paving[axis]) if factor]
    if any(spans[at] is None for at in moving) or (len(moving) > 1 and not set(outside).isdisjoint(moving)):
        return False
    places = _offsets(own.fitting[axis], producer.pattern)
    before = after = np.full(1, own.origin[axis], np.int64)
    for at in moving:
        low, high = spans[at] or (0, 0)
        if high - low >= _COMPARED // (len(before) * len(places)):
            return False
        index, factor = np.arange(low, high + 1, dtype=np.int64), own.paving[axis][at]
        known = _resolved(reader.tiler, index, reader.array[at] or 1) if at in outside else index
        before = (before[:, None] + factor * known).ravel()
        after = (after[:, None] + factor * index).ravel()
    before, after = ((one[:, None] + places).ravel() for one in (before, after))
    then, now = _resolved(own, before, extent), _resolved(tiler, after, extent)
    return bool(((then == now) & (now != _NOTHING)).all())


def _offsets(row: Sequence[int], pattern: Vector) -> IntArray:
    """All distances of a pattern's elements along an axis."""
    if prod(pattern) > _COMPARED:
        return np.zeros(_COMPARED, np.int64)  # too many to compare
    offsets = np.zeros(1, np.int64)
    for factor, extent in zip(row, pattern, strict=True):
        offsets = np.unique((offsets[:, None] + factor * np.arange(extent)).ravel())
    return offsets


def _resolved(tiler: Tiler, index: IntArray, extent: int) -> IntArray:
    """The elements that indices along an axis stand for."""
    if tiler.wrap:
        return index % extent
    inside = (index >= 0) & (index < extent)
    if tiler.border is None or tiler.border.pieces is None:
        return np.where(inside, index, _NOTHING if tiler.border is None else _CONSTANT)
    low, high = tiler.border.limits(extent)
    before, after = (piece.coordinate * index + piece.extent * extent + piece.constant for piece in tiler.border.pieces)
    found = np.where(inside, index, np.where(index < 0, before, after))
    return np.where((index >= low) & (index <= high), found, _NOTHING)
