"""Tilers that follow the axes: along each axis of an array, which index of a repetition touches which element."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hwmodel.accesses import Accesses, Extents, Touch

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
        found = np.zeros(self.extent, np.bool_)
        found[self.element] = True
        return found


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


@dataclass(frozen=True, eq=False)
class Link:
    """A tiler of a task as one link per axis of the array.

    `allowed` holds the indices that access at all, by repetition dimension (those of a delay's tiled default).
    """

    task: str
    array: str
    axes: tuple[AxisLink, ...]
    allowed: dict[int, Mask]

    def axis_of(self, dimension: int) -> int | None:
        """The array axis that a repetition dimension moves along, None where it moves along none."""
        for axis, link in enumerate(self.axes):
            if link.dimension == dimension:
                return axis
        return None


def separate(accesses: Accesses, touch: Touch) -> Link | None:
    """A tiler by axes; None where a dimension of repetition or pattern moves along several, or several along one."""
    extents = accesses.extents(touch.process)
    shape = accesses.shape(touch.array)
    declared = accesses.network.arrays[touch.array].shape
    allowed = _allowed(touch, extents)
    if allowed is None:
        return None
    axes, taken, used = [], set[int](), set[int]()
    for axis, extent in enumerate(shape):
        wraps = touch.tiler.wrap and declared[axis] is not None
        moving = _moving(touch.tiler.paving[axis], extents, extent if wraps else None)
        along = _moving(touch.tiler.fitting[axis], touch.pattern, extent if wraps else None)
        if len(moving) > 1 or taken & set(moving) or used & set(along):
            return None
        taken |= set(moving)
        used |= set(along)
        dimension = moving[0] if moving else None
        index = np.zeros(1, np.int64)
        if dimension is not None:
            index = np.arange(extents[dimension])[allowed.get(dimension, np.ones(extents[dimension], np.bool_))]
        step = touch.tiler.paving[axis][moving[0]] if moving else 0
        offsets = _offsets(touch, axis)
        element = touch.tiler.origin[axis] + step * index[:, None] + offsets[None, :]
        element = element % extent if wraps else element
        pairs = np.unique(np.stack([np.repeat(index, len(offsets)), element.ravel()]), axis=1)
        axes.append(AxisLink(dimension, pairs[0], pairs[1], extent))
    return Link(touch.process, touch.array, tuple(axes), allowed)


def _moving(factors: Sequence[int], extents: Sequence[int], period: int | None) -> list[int]:
    """The dimensions of more than one index that move along an axis."""
    return [
        dimension
        for dimension, (factor, extent) in enumerate(zip(factors, extents, strict=True))
        if extent > 1 and (factor % period if period else factor)
    ]


def _offsets(touch: Touch, axis: int) -> Ints:
    """The distinct places of a pattern along an axis."""
    found = np.zeros(1, np.int64)
    for factor, extent in zip(touch.tiler.fitting[axis], touch.pattern, strict=True):
        found = np.unique(found[:, None] + factor * np.arange(extent)[None, :])
    return found


def _allowed(touch: Touch, extents: Extents) -> dict[int, Mask] | None:
    """The indices r_k with r - d outside the space, where only dimension k decides that; None where several do."""
    delay = touch.default_of
    if delay is None or not delay.acts:
        return {}
    pairs = list(enumerate(zip(delay.vector, extents, strict=True)))
    if any(abs(step) >= extent for _, (step, extent) in pairs):
        return {}
    moving = [(dimension, step, extent) for dimension, (step, extent) in pairs if step]
    if len(moving) != 1:
        return None
    dimension, step, extent = moving[0]
    before = np.arange(extent) - step
    return {dimension: (before < 0) | (before >= extent)}
