"""What a tiler touches, axis by axis: pairs of an index of the repetition and one of the axis.

Along an axis the subscript is origin + paving r + fitting i, modulo the extent where it wraps; if at most one dimension
of r and of i has a factor there, and none has one on two axes, what the tiler touches is a product over the axes of
sets of such pairs. Dimensions of one index move nothing, nor do factors that are multiples of the extent of a wrapping
axis.
What tilers couple counts as one dimension, or one axis (`coupling`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from arrayol.execute.patterns import elements_of
from hwmodel.accesses import Accesses, Touch
from hwmodel.machine.numbering import ascending
from hwmodel.machine.separable.coupling import Dimensions, Spaces, moving_dimensions, moving_places, wraps_along

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class AxisLink:
    """Along one array axis: pairs of an index of one repetition dimension (0 where there is none) and of the axis."""

    dimension: int | None
    repetition: Ints
    element: Ints
    extent: int

    @cached_property
    def by_element(self) -> Runs:
        """The repetitions' indices that touch each element of the axis."""
        return Runs.of(self.element, self.repetition)

    @cached_property
    def by_repetition(self) -> Runs:
        """The axis' elements that each repetition index touches."""
        return Runs.of(self.repetition, self.element)

    @cached_property
    def touched(self) -> Mask:
        """Which elements of the axis are touched."""
        touched = np.zeros(self.extent, np.bool_)
        touched[self.element] = True
        return touched

    def only(self, elements: Mask) -> AxisLink:
        """The pairs with these elements of the axis."""
        chosen = elements[self.element]
        return replace(self, repetition=self.repetition[chosen], element=self.element[chosen])

    def touched_by(self, runs: Mask) -> Mask:
        """Which elements of the axis those indices of the repetition dimension touch that run."""
        touched = np.zeros(self.extent, np.bool_)
        touched[self.element[runs[self.repetition]]] = True
        return touched


@dataclass(frozen=True, eq=False)
class Runs:
    """Pairs sorted by key: the keys that occur, where each one's values begin, and the values."""

    key: Ints
    start: Ints
    value: Ints

    @staticmethod
    def of(key: Ints, value: Ints) -> Runs:
        order = np.argsort(key, kind="stable")
        heads = np.flatnonzero(np.diff(key[order], prepend=-1) != 0)
        return Runs(key[order][heads], heads, value[order])

    @cached_property
    def ends(self) -> tuple[Ints, Ints]:
        """The least and the greatest value of each key."""
        return np.minimum.reduceat(self.value, self.start), np.maximum.reduceat(self.value, self.start)

    @cached_property
    def every_key(self) -> Ints:
        """The key of each value."""
        return np.repeat(self.key, np.diff(self.start, append=len(self.value)))


@dataclass(frozen=True, eq=False)
class Link:
    """A tiler of a task as one link per axis of the array, of which it touches one piece or all.

    `allowed` holds the indices that access at all, by repetition dimension (those of a delay's tiled default, or of an
    exit).
    """

    task: str
    piece: str
    axes: tuple[AxisLink, ...]
    allowed: dict[int, Mask]

    def axis_of(self, dimension: int) -> int | None:
        """The array axis that a repetition dimension moves along, None where it moves along none."""
        for axis, link in enumerate(self.axes):
            if link.dimension == dimension:
                return axis
        return None

    @property
    def size(self) -> int:
        """How many elements are touched."""
        return math.prod(int(axis.touched.sum()) for axis in self.axes)

    def within(self, piece: Link) -> Link:
        """What it touches of a piece."""
        axes = tuple(own.only(other.touched) for own, other in zip(self.axes, piece.axes, strict=True))
        return replace(self, piece=piece.piece, axes=axes)


def separate(accesses: Accesses, touch: Touch, spaces: Spaces | None = None) -> Link | None:
    """A tiler by axes of `spaces`; None where a dimension of repetition or pattern moves along several.

    Or several along one. A border acts axis by axis too.
    """
    spaces = Spaces(accesses) if spaces is None else spaces
    allowed = _allowed(accesses, touch, spaces)
    if allowed is None:
        return None
    dimensions, sides = spaces.dimensions(touch.process), spaces.axes(touch.array)
    axes, taken, used = [], set[int](), set[int]()
    for side in sides:
        moving = {k for axis in side for k in moving_dimensions(accesses, touch, axis)}
        along = {k for axis in side for k in moving_places(accesses, touch, axis)}
        own = [number for number, group in enumerate(dimensions) if moving & set(group)]
        if len(own) > 1 or taken & set(own) or used & along:
            return None
        taken |= set(own)
        used |= along
        link = _along_axis(accesses, touch, side, spaces, own[0] if own else None, allowed)
        if link is None:
            return None
        axes.append(link)
    return Link(touch.process, touch.array, tuple(axes), allowed)


_PAIRS = 1 << 22  # of an axis with a dimension


def _along_axis(
    accesses: Accesses, touch: Touch, side: Dimensions, spaces: Spaces, dimension: int | None, allowed: dict[int, Mask]
) -> AxisLink | None:
    """The pairs along an axis, of the dimension that moves there."""
    extents, shape = accesses.extents(touch.process), accesses.shape(touch.array)
    own = () if dimension is None else spaces.dimensions(touch.process)[dimension]
    index = np.zeros(1, np.int64)
    if dimension is not None:
        number = math.prod(extents[k] for k in own)
        index = np.arange(number)[allowed.get(dimension, np.ones(number, np.bool_))]
    offsets = _offsets(touch, side)
    if len(index) * len(offsets) > _PAIRS:
        return None
    at = np.unravel_index(index, [extents[k] for k in own]) if own else ()
    element, inside = np.zeros((len(index), len(offsets)), np.int64), np.ones((len(index), len(offsets)), np.bool_)
    for place, axis in enumerate(side):
        step = touch.tiler.paving[axis]
        moved = sum((step[k] * along for k, along in zip(own, at, strict=True)), np.zeros(len(index), np.int64))
        coordinate = touch.tiler.origin[axis] + moved[:, None] + offsets[None, :, place]
        if wraps_along(accesses, touch, axis):
            coordinate = coordinate % shape[axis]
        else:
            coordinate = elements_of(touch.tiler.border, coordinate, shape[axis])
        if touch.tiler.border is not None:  # of a constant only what is inside is an element
            inside &= (coordinate >= 0) & (coordinate < shape[axis])
        element = element * shape[axis] + coordinate
    rows, elements = np.repeat(index, len(offsets))[inside.ravel()], math.prod(shape[axis] for axis in side)
    pairs = np.divmod(ascending(rows * elements + element[inside]), elements)
    if not inside.all() and len(np.unique(pairs[0])) < len(index):
        return None  # some repetitions read nothing, whatever their other indices
    return AxisLink(dimension, *pairs, elements)


def _offsets(touch: Touch, side: Dimensions) -> Ints:
    """The distinct places of a pattern along the axes of a side, (places, axes)."""
    rows = np.array([touch.tiler.fitting[axis] for axis in side], np.int64).reshape(len(side), -1)
    offsets = np.zeros((1, len(side)), np.int64)
    for factors, extent in zip(rows.T, touch.pattern, strict=True):
        if factors.any():
            steps = factors[None, :] * np.arange(extent)[:, None]
            offsets = np.unique((offsets[:, None, :] + steps[None, :, :]).reshape(-1, len(side)), axis=0)
    return offsets


def _allowed(accesses: Accesses, touch: Touch, spaces: Spaces) -> dict[int, Mask] | None:
    """The indices with r - v outside the space, where only one dimension decides that; None where several do."""
    extents = accesses.extents(touch.process)
    if touch.outside is None:
        return {}
    if any(abs(step) >= extent for step, extent in zip(touch.outside, extents, strict=True)):
        return {}
    moving = {k for k, step in enumerate(touch.outside) if step}
    own = [number for number, group in enumerate(spaces.dimensions(touch.process)) if moving & set(group)]
    if len(own) != 1:
        return None
    (dimension,) = own
    group = spaces.dimensions(touch.process)[dimension]
    grid = np.indices([extents[k] for k in group])
    outside = np.zeros(grid.shape[1:], np.bool_)
    for k, index in zip(group, grid, strict=True):
        before = index - touch.outside[k]
        outside |= (before < 0) | (before >= extents[k])
    return {dimension: outside.ravel()}
