"""Patterns of arrays: strided views where a tiler stays inside its array, index arrays where it wraps or has a border.

Arrays carry trailing axes for the repetitions around the task (its hierarchy); a tiler says nothing of those. A
pattern read or written for a batch has the axes: pattern, batch, trailing.

A view is possible since an element's address is affine in the indices of pattern and repetition: its strides are the
columns of fitting and paving, taken times the array's own. It is made only where the least and the greatest index along
each axis, exact over a box, lie in the array.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from arrayol.errors import error
from arrayol.execute.environment import Batch, Box, Indices, Points, Values, whole
from arrayol.ir.borders import Border
from arrayol.ir.intervals import reached
from arrayol.ir.spec import IntMatrix, Tiler

_CACHE_LINE = 64  # bytes; vectors with a longer stride are packed before they are computed on
_SHORT = 8  # elements; shorter axes do not decide
_UNROLLED = 4  # an array is laid out beyond its ends when that takes at most so many times its size


@dataclass(frozen=True, slots=True)
class TiledPattern:
    """A tiler on an array, for all repetitions of a task.

    `view` has the axes pattern, repetition, trailing and shares the array's memory (or a copy's of it, for reading a
    tiler that leaves it); None where only indices serve.
    """

    array: Values
    tiler: Tiler
    pattern: tuple[int, ...]
    view: Values | None
    packed: bool

    def read(self, batch: Batch) -> Values:
        """The patterns of a batch: a view where the vectors are near to contiguous, else a contiguous copy."""
        if isinstance(batch, Points) or self.view is None:
            return _gather(self.array, self.tiler, self.pattern, batch)
        patterns = self._part(self.view, batch)
        return np.ascontiguousarray(patterns) if self.packed else patterns

    def direct(self, batch: Batch) -> Values | None:
        """The patterns of a batch as writable memory of the array, or None where they must be written from a copy."""
        if isinstance(batch, Points) or self.view is None or self.packed:
            return None
        return self._part(self.view, batch)

    def write(self, batch: Batch, patterns: Values) -> None:
        """Store the patterns of a batch; the checks have proved that no element is written twice."""
        if isinstance(batch, Points) or self.view is None:
            if self.tiler.origin:
                self.array[_indices(self.tiler, self.pattern, batch, self.array.shape)] = patterns
            else:  # a scalar has no indices
                self.array[...] = patterns.reshape(self.array.shape)
        else:
            self._part(self.view, batch)[...] = patterns

    def _part(self, view: Values, box: Box) -> Values:
        part: Values = view[(*(slice(None),) * len(self.pattern), *box.slices())]
        return part


def tiling_for_reading(
    array: Values, tiler: Tiler, pattern: Sequence[int], repetition: Sequence[int], *, wave: int | None
) -> TiledPattern:
    """A tiler on an array that is only read. `wave`: the repetition axis that is taken index by index, if one is."""
    box, shape = whole(repetition), tuple(pattern)
    view = _unrolled(array, tiler, shape, box) if tiler.wrap or tiler.border else _strided(array, tiler, shape, box)
    return TiledPattern(array, tiler, shape, view, _is_far(view, len(pattern), wave))


def tiling_for_writing(
    array: Values, tiler: Tiler, pattern: Sequence[int], repetition: Sequence[int], *, wave: int | None
) -> TiledPattern:
    """A tiler on an array that is written."""
    box, shape = whole(repetition), tuple(pattern)
    view = None if tiler.wrap and _leaves(array, tiler, shape, box) else _strided(array, tiler, shape, box)
    return TiledPattern(array, tiler, shape, view, _is_far(view, len(pattern), wave))


def read_patterns(array: Values, tiler: Tiler, pattern: Sequence[int], batch: Batch) -> Values:
    """The patterns of one batch alone: the tiler need not stay in its array at other repetitions."""
    if isinstance(batch, Box) and not tiler.wrap:  # a default has no border
        return _strided(array, tiler, tuple(pattern), batch)
    return _gather(array, tiler, tuple(pattern), batch)


def _is_far(view: Values | None, skipped: int, wave: int | None) -> bool:
    """Whether vectors over the repetitions of a wavefront would touch a cache line for each element."""
    if view is None or wave is None:
        return False
    axes = [axis for axis in range(skipped, view.ndim) if axis != skipped + wave and view.shape[axis] >= _SHORT]
    return bool(axes) and all(abs(view.strides[axis]) >= _CACHE_LINE for axis in axes)


def _extremes(tiler: Tiler, pattern: Sequence[int], box: Box) -> list[tuple[int, int]]:
    """Least and greatest index along each array axis, before any modulo; exact, since affine over a box."""
    lengths = [*(high - low for low, high in zip(box.low, box.high, strict=True)), *pattern]
    factors = [(*paving, *fitting) for paving, fitting in zip(tiler.paving, tiler.fitting, strict=True)]
    return [
        reached(first, (factor * (length - 1) for factor, length in zip(row, lengths, strict=True)))
        for first, row in zip(_corner(tiler, box), factors, strict=True)
    ]


def _corner(tiler: Tiler, box: Box) -> tuple[int, ...]:
    """The first element of the pattern of a box's first repetition, before any modulo."""
    return tuple(
        origin + sum(factor * low for factor, low in zip(paving, box.low, strict=True))
        for origin, paving in zip(tiler.origin, tiler.paving, strict=True)
    )


def _leaves(array: Values, tiler: Tiler, pattern: Sequence[int], box: Box) -> bool:
    extremes = zip(_extremes(tiler, pattern, box), array.shape, strict=False)
    return any(low < 0 or high >= length for (low, high), length in extremes)


def _strided(array: Values, tiler: Tiler, pattern: tuple[int, ...], box: Box) -> Values:
    """The patterns as a view. Memory safety rests on the bounds, so they are asked once more; that is cheap."""
    rank = len(tiler.origin)
    if box.size == 0:
        return np.empty((*pattern, *box.shape, *array.shape[rank:]), array.dtype)
    if _leaves(array, tiler, pattern, box):
        raise error(
            "tiler-out-of-bounds",
            f"this tiler leaves its array of shape {' x '.join(map(str, array.shape[:rank]))}",
            tiler.span,
            hint="`arrayol check` says where; `wrap` makes it start again at the other side",
        )
    shape = (*pattern, *box.shape, *array.shape[rank:])
    steps = [*_strides(array, tiler.fitting, pattern), *_strides(array, tiler.paving, box.shape)]
    # Where an axis has one index its stride is never taken, and NumPy sees the view as contiguous more often.
    base = array[(*(slice(index, index + 1) for index in _corner(tiler, box)), ...)]
    strides = (*steps, *array.strides[rank:])
    return as_strided(base, shape, strides)


def _strides(array: Values, matrix: IntMatrix, extents: Sequence[int]) -> list[int]:
    """Bytes from one index of a pattern or repetition dimension to the next; 0 where there is none."""
    return [
        sum(row[column] * stride for row, stride in zip(matrix, array.strides, strict=False)) if extent > 1 else 0
        for column, extent in enumerate(extents)
    ]


def _unrolled(array: Values, tiler: Tiler, pattern: tuple[int, ...], box: Box) -> Values | None:
    """A view of a copy of the array that is laid out as far as the tiler reaches; None where that is too much."""
    rank = len(tiler.origin)
    if box.size == 0 or not _leaves(array, tiler, pattern, box):
        return _strided(array, tiler, pattern, box)
    extremes = _extremes(tiler, pattern, box)
    if math.prod(high - low + 1 for low, high in extremes) > _UNROLLED * max(1, math.prod(array.shape[:rank])):
        return None
    copy, origin = array, list(tiler.origin)
    for axis, (low, high) in enumerate(extremes):
        if low < 0 or high >= array.shape[axis]:
            copy = _laid_out(copy, axis, np.arange(low, high + 1), tiler.border)
            origin[axis] -= low
    return _strided(copy, Tiler(tuple(origin), tiler.paving, tiler.fitting, False, tiler.span), pattern, box)


def _laid_out(array: Values, axis: int, coordinates: NDArray[np.int64], border: Border | None) -> Values:
    """A copy of an array that has along an axis what is read at those coordinates; without a border it wraps."""
    extent = array.shape[axis]
    if border is None:
        return np.take(array, coordinates % extent, axis=axis)
    if not border.is_constant:
        return np.take(array, elements_of(border, coordinates, extent), axis=axis)
    copy = np.full((*array.shape[:axis], len(coordinates), *array.shape[axis + 1 :]), border.value, array.dtype)
    inside = (coordinates >= 0) & (coordinates < extent)
    around = (slice(None),) * axis
    copy[(*around, inside)] = array[(*around, coordinates[inside])]
    return copy


def elements_of(border: Border | None, coordinates: NDArray[np.int64], extent: int) -> NDArray[np.int64]:
    """The elements along an axis that coordinates stand for; beyond a border of a constant they stay what they are."""
    if border is None or border.pieces is None:
        return coordinates
    before, after = (piece.coordinate * coordinates + piece.at(0, extent) for piece in border.pieces)
    return np.where(coordinates < 0, before, np.where(coordinates < extent, coordinates, after))


def _gather(array: Values, tiler: Tiler, pattern: tuple[int, ...], batch: Batch) -> Values:
    if not tiler.origin:  # a scalar has no indices
        return np.broadcast_to(array, (*pattern, *batch.shape, *array.shape))
    indices = _indices(tiler, pattern, batch, array.shape)
    if tiler.border is None or not tiler.border.is_constant:
        patterns: Values = array[indices]
        return patterns
    inside = [(index >= 0) & (index < extent) for index, extent in zip(indices, array.shape, strict=False)]
    nearest = tuple(index.clip(0, extent - 1) for index, extent in zip(indices, array.shape, strict=False))
    mask = np.logical_and.reduce(np.broadcast_arrays(*inside))
    mask = mask.reshape(*mask.shape, *(1,) * (array.ndim - len(tiler.origin)))
    return np.where(mask, array[nearest], np.array(tiler.border.value, array.dtype))


def _indices(tiler: Tiler, pattern: tuple[int, ...], batch: Batch, shape: Sequence[int]) -> Indices:
    """One open index array per array axis; they broadcast to the axes pattern, batch."""
    indices = []
    ranks = len(pattern), len(batch.shape)
    inside = whole(pattern).coordinates
    for axis, (origin, paving, fitting) in enumerate(zip(tiler.origin, tiler.paving, tiler.fitting, strict=True)):
        around = shape[axis] if tiler.wrap else None  # what wraps is the same by factors less than the shape
        index = np.full((1,) * sum(ranks), origin % around if around else origin, np.int64)
        coordinates = [coordinate.reshape(*coordinate.shape, *(1,) * ranks[1]) for coordinate in inside]
        for factor, coordinate in zip((*fitting, *paving), (*coordinates, *batch.coordinates), strict=True):
            step = factor % around if around else factor
            if step and (coordinate.size > 1 or coordinate.any()):
                index = index + step * coordinate
        indices.append(index % around if around else elements_of(tiler.border, index, shape[axis]))
    # The first one at full shape: axes that no index varies along (a pattern read twice) must be there too.
    return (np.broadcast_to(indices[0], (*pattern, *batch.shape)), *indices[1:])
