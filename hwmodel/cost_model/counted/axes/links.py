"""The elements that a tiler touches, axis by axis: pairs of a repetition index and an array index.

Along an axis the subscript is origin + paving r + fitting i, modulo the extent if the tiler wraps. If at most one
dimension of r and of i has a nonzero factor there, and no dimension has one on two axes, the touched elements are a
Cartesian product over the axes of sets of such pairs. Dimensions with a single index move nothing, and neither do
factors that are multiples of the extent of a wrapping axis. Dimensions or axes that a tiler couples count as one
(`coupling`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import IntArray
from arrayol.execute.patterns import elements_of
from hwmodel.accesses import Accesses, Touch
from hwmodel.cost_model.counted.axes.coupling import Dimensions, Spaces, moving_dimensions, moving_places, wraps_along
from hwmodel.cost_model.numbering import ascending

Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class AxisLink:
    """Pairs of an index of one repetition dimension and an index of one array axis.

    `repetition` and `element` (pairs,) hold the two indices; `dimension` is None, and `repetition` 0, if no dimension
    moves along the axis.
    """

    dimension: int | None
    repetition: IntArray
    element: IntArray
    extent: int

    @cached_property
    def by_element(self) -> Runs:
        """The repetition indices that touch each element of the axis."""
        return Runs.of(self.element, self.repetition)

    @cached_property
    def by_repetition(self) -> Runs:
        """The elements of the axis that each repetition index touches."""
        return Runs.of(self.repetition, self.element)

    @cached_property
    def touched(self) -> Mask:
        """Mask of the axis' elements that are touched, (extent,)."""
        touched = np.zeros(self.extent, np.bool_)
        touched[self.element] = True
        return touched

    def only(self, elements: Mask) -> AxisLink:
        """The pairs whose element of the axis is in a mask (extent,)."""
        chosen = elements[self.element]
        return replace(self, repetition=self.repetition[chosen], element=self.element[chosen])

    def touched_by(self, runs: Mask) -> Mask:
        """Mask (extent,) of the axis' elements that the running repetition indices touch."""
        touched = np.zeros(self.extent, np.bool_)
        touched[self.element[runs[self.repetition]]] = True
        return touched


@dataclass(frozen=True, eq=False)
class Runs:
    """Pairs sorted by key: the distinct keys, where the values of each key begin, and the values."""

    key: IntArray
    start: IntArray
    value: IntArray

    @staticmethod
    def of(key: IntArray, value: IntArray) -> Runs:
        """Sort pairs of a key and a value by key; values of a key keep their order."""
        order = np.argsort(key, kind="stable")
        heads = np.flatnonzero(np.diff(key[order], prepend=-1) != 0)
        return Runs(key[order][heads], heads, value[order])

    @cached_property
    def ends(self) -> tuple[IntArray, IntArray]:
        """The least and the greatest value of each key, (keys,) each."""
        return np.minimum.reduceat(self.value, self.start), np.maximum.reduceat(self.value, self.start)

    @cached_property
    def every_key(self) -> IntArray:
        """The key of each value, (values,)."""
        return np.repeat(self.key, np.diff(self.start, append=len(self.value)))


@dataclass(frozen=True, eq=False)
class TilerLink:
    """A tiler of a task as one `AxisLink` for each axis of the array; it touches one piece of the array or all of it.

    `allowed` has masks by repetition dimension, of the indices that access the array at all: those that use a delay's
    tiled default, or an exit. Dimensions without a mask access everywhere.
    """

    task: str
    piece: str
    axes: tuple[AxisLink, ...]
    allowed: dict[int, Mask]

    def axis_of(self, dimension: int) -> int | None:
        """The array axis that a repetition dimension moves along; None for none."""
        for axis, link in enumerate(self.axes):
            if link.dimension == dimension:
                return axis
        return None

    @property
    def size(self) -> int:
        """The number of elements that are touched."""
        return math.prod(int(axis.touched.sum()) for axis in self.axes)

    def within(self, piece: TilerLink) -> TilerLink:
        """The part of the tiler that touches a piece, given as the tiler that writes it."""
        axes = tuple(axis.only(other.touched) for axis, other in zip(self.axes, piece.axes, strict=True))
        return replace(self, piece=piece.piece, axes=axes)


def separate(accesses: Accesses, touch: Touch, spaces: Spaces | None = None) -> TilerLink | None:
    """Separate a tiler by the axes of `spaces`.

    Returns None if several dimensions of the repetition or pattern move along one axis, or one along several. Borders
    act axis by axis, so they need no other treatment.
    """
    spaces = Spaces(accesses) if spaces is None else spaces
    allowed = _allowed(accesses, touch, spaces)
    if allowed is None:
        return None
    dimensions, sides = spaces.dimensions(touch.process), spaces.axes(touch.array)
    axes, taken_dimensions, used = [], set[int](), set[int]()
    for side in sides:
        moving = {k for axis in side for k in moving_dimensions(accesses, touch, axis)}
        along = {k for axis in side for k in moving_places(accesses, touch, axis)}
        moved_by = [number for number, group in enumerate(dimensions) if moving & set(group)]
        if len(moved_by) > 1 or taken_dimensions & set(moved_by) or used & along:
            return None
        taken_dimensions |= set(moved_by)
        used |= along
        link = _along_axis(accesses, touch, side, spaces, moved_by[0] if moved_by else None, allowed)
        if link is None:
            return None
        axes.append(link)
    return TilerLink(touch.process, touch.array, tuple(axes), allowed)


_PAIRS = 1 << 22  # of an axis with a dimension


def _along_axis(
    accesses: Accesses, touch: Touch, side: Dimensions, spaces: Spaces, dimension: int | None, allowed: dict[int, Mask]
) -> AxisLink | None:
    """The pairs along an axis with the repetition dimension that moves there.

    Returns None if there are too many pairs, or if some repetitions would read nothing.
    """
    extents, shape = accesses.extents(touch.process), accesses.shape(touch.array)
    merged = () if dimension is None else spaces.dimensions(touch.process)[dimension]
    index = np.zeros(1, np.int64)
    if dimension is not None:
        number = math.prod(extents[k] for k in merged)
        index = np.arange(number)[allowed.get(dimension, np.ones(number, np.bool_))]
    offsets = _offsets(touch, side)
    if len(index) * len(offsets) > _PAIRS:
        return None
    indices = np.unravel_index(index, [extents[k] for k in merged]) if merged else ()
    element, inside = np.zeros((len(index), len(offsets)), np.int64), np.ones((len(index), len(offsets)), np.bool_)
    for place, axis in enumerate(side):
        step = touch.tiler.paving[axis]
        moved = sum((step[k] * along for k, along in zip(merged, indices, strict=True)), np.zeros(len(index), np.int64))
        coordinate = touch.tiler.origin[axis] + moved[:, None] + offsets[None, :, place]
        if wraps_along(accesses, touch, axis):
            coordinate = coordinate % shape[axis]
        else:
            coordinate = elements_of(touch.tiler.border, coordinate, shape[axis])
        if touch.tiler.border is not None:  # of a constant only what is inside is an element
            inside &= (coordinate >= 0) & (coordinate < shape[axis])
        element = element * shape[axis] + coordinate
    rows, elements = np.repeat(index, len(offsets))[inside.ravel()], math.prod(shape[axis] for axis in side)
    # Duplicate pairs come from borders and wrapping: an element counts once for each repetition index.
    pairs = np.divmod(ascending(rows * elements + element[inside]), elements)
    if not inside.all() and len(np.unique(pairs[0])) < len(index):
        return None  # some repetitions read nothing, whatever their other indices
    return AxisLink(dimension, *pairs, elements)


def _offsets(touch: Touch, side: Dimensions) -> IntArray:
    """The distinct offsets of a pattern along the axes of a side, (offsets, axes)."""
    rows = np.array([touch.tiler.fitting[axis] for axis in side], np.int64).reshape(len(side), -1)
    offsets = np.zeros((1, len(side)), np.int64)
    for factors, extent in zip(rows.T, touch.pattern, strict=True):
        if factors.any():
            steps = factors[None, :] * np.arange(extent)[:, None]
            offsets = np.unique((offsets[:, None, :] + steps[None, :, :]).reshape(-1, len(side)), axis=0)
    return offsets


def _allowed(accesses: Accesses, touch: Touch, spaces: Spaces) -> dict[int, Mask] | None:
    """Masks, by dimension, of the indices r with r - v outside the space; None if several dimensions decide that."""
    extents = accesses.extents(touch.process)
    if touch.outside is None:
        return {}
    if any(abs(step) >= extent for step, extent in zip(touch.outside, extents, strict=True)):
        return {}
    moving = {k for k, step in enumerate(touch.outside) if step}
    deciding = [number for number, group in enumerate(spaces.dimensions(touch.process)) if moving & set(group)]
    if len(deciding) != 1:
        return None
    (dimension,) = deciding
    group = spaces.dimensions(touch.process)[dimension]
    grid = np.indices([extents[k] for k in group])
    outside = np.zeros(grid.shape[1:], np.bool_)
    for k, index in zip(group, grid, strict=True):
        before = index - touch.outside[k]
        outside |= (before < 0) | (before >= extents[k])
    return {dimension: outside.ravel()}
