"""Dimensions and axes that tilers couple, merged into one.

A tiler may move several dimensions of a repetition along one axis of an array, or one dimension along several axes. The
touched elements are then not Cartesian over the axes, but they are Cartesian over sets of axes. So these dimensions of
a task, or axes of an array, are merged into one, whose indices are the row-major numbers of theirs: the *cells*. The
block dimensions that they move with are merged too, into a component: its place is the mixed-radix number of their
places, in the order of the scan. Every statement about a dimension and its places then holds for such a component.

It is exact for the same reason as with single dimensions. The ticks that need a repetition are a Cartesian product of
sets, one for each component. In their lexicographic order, in which components interleave, the first tick of a product
has the first place in each component: the outermost digit is the least of its component's set, whatever the others are,
and so on inwards. The same holds for the last tick.

Only dimensions with conflicting claims are merged; all others stay single.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hwmodel.accesses import Accesses, Touch

Dimensions = tuple[int, ...]


@dataclass(frozen=True)
class Spaces:
    """The dimensions of each task and the axes of each array, partitioned into merged sets.

    In a set the dimension of an acting delay comes first, so it is the outermost digit of the cells. A step along the
    delay then leads equally many cells further from every cell, or out of the space from every cell.
    """

    accesses: Accesses
    _of_tasks: dict[str, list[Dimensions]] = field(default_factory=dict)
    _of_arrays: dict[str, list[Dimensions]] = field(default_factory=dict)

    def dimensions(self, task: str) -> Sequence[Dimensions]:
        """The merged sets of a task's dimensions, ordered by their first dimensions."""
        if task not in self._of_tasks:
            self._of_tasks[task] = [(k,) for k in range(len(self.accesses.extents(task)))]
        return self._of_tasks[task]

    def axes(self, array: str) -> Sequence[Dimensions]:
        """The merged sets of an array's axes, ordered by their first axes."""
        if array not in self._of_arrays:
            self._of_arrays[array] = [(axis,) for axis in range(len(self.accesses.shape(array)))]
        return self._of_arrays[array]

    def extents(self, task: str) -> tuple[int, ...]:
        """The number of cells of each merged set of a task's dimensions."""
        extents = self.accesses.extents(task)
        return tuple(math.prod(extents[k] for k in dimensions) for dimensions in self.dimensions(task))

    def set_of(self, task: str, dimension: int) -> int:
        """The number of the merged set that contains a dimension of a task."""
        return next(number for number, merged in enumerate(self.dimensions(task)) if dimension in merged)

    def stride(self, task: str, dimension: int) -> int:
        """The distance in cells of two neighbours along a dimension, in its merged set."""
        merged = self.dimensions(task)[self.set_of(task, dimension)]
        return math.prod(self.accesses.extents(task)[k] for k in merged[merged.index(dimension) + 1 :])

    def unite_dimensions(self, task: str, numbers: Sequence[int]) -> None:
        """Merge some sets of a task's dimensions, given by their numbers."""
        delayed_dimensions = {k for delay in self.accesses.delays(task) for k, step in enumerate(delay.vector) if step}
        self._of_tasks[task] = _united(self.dimensions(task), numbers, delayed_dimensions)

    def unite_axes(self, array: str, numbers: Sequence[int]) -> None:
        """Merge some sets of an array's axes, given by their numbers."""
        self._of_arrays[array] = _united(self.axes(array), numbers, set())

    @property
    def couple(self) -> bool:
        """Whether any dimensions or axes are merged."""
        every = [*self._of_tasks.values(), *self._of_arrays.values()]
        return any(len(merged) > 1 for sets in every for merged in sets)


Mask = NDArray[np.bool_]


def along_each(cells: Mask, extents: Sequence[int]) -> list[Mask]:
    """For each dimension of a merged set, the mask of its indices that occur in some of the cells."""
    grid = cells.reshape(extents)
    others = [tuple(k for k in range(len(extents)) if k != own) for own in range(len(extents))]
    return [np.asarray(grid.any(axis=axes), np.bool_) for axes in others]


def is_product(cells: Mask, extents: Sequence[int]) -> bool:
    """Whether cells of a merged set are all combinations of some indices along its dimensions."""
    return math.prod(int(along.sum()) for along in along_each(cells, extents)) == int(cells.sum())


def _united(sets: Sequence[Dimensions], numbers: Sequence[int], first: set[int]) -> list[Dimensions]:
    together = sorted((k for number in numbers for k in sets[number]), key=lambda k: (k not in first, k))
    others = [merged for number, merged in enumerate(sets) if number not in numbers]
    return sorted([*others, tuple(together)], key=min)


def couple(spaces: Spaces, touches: Sequence[Touch]) -> None:
    """Merge dimensions and axes until each tiler moves at most one set of dimensions along one set of axes."""
    while any(_couple_one(spaces, touch) for touch in touches):
        pass


def _couple_one(spaces: Spaces, touch: Touch) -> bool:
    """Merge two sets that a tiler couples; returns whether there were any."""
    accesses = spaces.accesses
    dimensions, sides = spaces.dimensions(touch.process), spaces.axes(touch.array)
    outside = {k for k, step in enumerate(touch.outside or ()) if step}
    deciding = [number for number, coupled in enumerate(dimensions) if outside & set(coupled)]
    if len(deciding) > 1:
        spaces.unite_dimensions(touch.process, deciding)
        return True
    moved_by: dict[tuple[str, int], int] = {}
    for number, side in enumerate(sides):
        moving = {k for axis in side for k in moving_dimensions(accesses, touch, axis)}
        coupled = [place for place, group in enumerate(dimensions) if moving & set(group)]
        if len(coupled) > 1:
            spaces.unite_dimensions(touch.process, coupled)
            return True
        places = {("place", k) for axis in side for k in moving_places(accesses, touch, axis)}
        for key in [*(("dimension", place) for place in coupled), *sorted(places)]:
            if moved_by.setdefault(key, number) != number:
                spaces.unite_axes(touch.array, [moved_by[key], number])
                return True
    return False


def moving_dimensions(accesses: Accesses, touch: Touch, axis: int) -> list[int]:
    """The dimensions of a repetition that move along an axis."""
    return _moving(accesses, touch, axis, touch.tiler.paving[axis], accesses.extents(touch.process))


def moving_places(accesses: Accesses, touch: Touch, axis: int) -> list[int]:
    """The dimensions of a pattern that move along an axis."""
    return _moving(accesses, touch, axis, touch.tiler.fitting[axis], touch.pattern)


def wraps_along(accesses: Accesses, touch: Touch, axis: int) -> bool:
    """Whether a tiler wraps around the end of an axis."""
    return touch.tiler.wrap and accesses.network.arrays[touch.array].shape[axis] is not None


def _moving(accesses: Accesses, touch: Touch, axis: int, factors: Sequence[int], extents: Sequence[int]) -> list[int]:
    """Dimensions with several indices whose factor along an axis is nonzero (modulo the extent if the axis wraps)."""
    period = accesses.shape(touch.array)[axis] if wraps_along(accesses, touch, axis) else None
    return [
        dimension
        for dimension, (factor, extent) in enumerate(zip(factors, extents, strict=True))
        if extent > 1 and (factor % period if period else factor)
    ]
