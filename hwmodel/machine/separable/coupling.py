"""Which dimensions and axes stand as one, where tilers couple them.

A tiler may move several dimensions of a repetition along one axis of an array, or one along several. Then what it
touches is no product over the axes; but it is one over sets of them. So such dimensions of a task, or axes of an array,
are put together as one, whose indices are the row-major numbers of theirs: the *cells*. The dimensions of the blocks
that one of these moves with are put together too: their place is the number of the places of all of them, in the order
in which the scan has them. All that is said of a dimension and its place then holds of such a component.

It is exact for the same reason as with single dimensions. The ticks that need something are a product of sets, one of
each component. In their lexicographic order, where components interleave, the first of a product has in each component
its first: the outermost digit is the least of its component's set, whatever the others are, and so on inwards. The last
likewise.

Dimensions are put together no further than claims ask: what nothing couples stays by itself.
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
    """The dimensions of each task and the axes of each array, in sets that stand as one.

    In a set the dimension of an acting delay is the first, and so the outermost of its cells: a step along the delay
    then leads as many cells on from each, or out of all.
    """

    accesses: Accesses
    _of_tasks: dict[str, list[Dimensions]] = field(default_factory=dict)
    _of_arrays: dict[str, list[Dimensions]] = field(default_factory=dict)

    def dimensions(self, task: str) -> Sequence[Dimensions]:
        """The sets of a task's dimensions, by their first ones."""
        if task not in self._of_tasks:
            self._of_tasks[task] = [(k,) for k in range(len(self.accesses.extents(task)))]
        return self._of_tasks[task]

    def axes(self, array: str) -> Sequence[Dimensions]:
        """The sets of an array's axes."""
        if array not in self._of_arrays:
            self._of_arrays[array] = [(axis,) for axis in range(len(self.accesses.shape(array)))]
        return self._of_arrays[array]

    def extents(self, task: str) -> tuple[int, ...]:
        """The cells of each set of a task's dimensions."""
        extents = self.accesses.extents(task)
        return tuple(math.prod(extents[k] for k in own) for own in self.dimensions(task))

    def set_of(self, task: str, dimension: int) -> int:
        """The set that a dimension of a task is in."""
        return next(number for number, own in enumerate(self.dimensions(task)) if dimension in own)

    def stride(self, task: str, dimension: int) -> int:
        """How many cells of its set lie between two neighbours along the first of its dimensions."""
        own = self.dimensions(task)[self.set_of(task, dimension)]
        return math.prod(self.accesses.extents(task)[k] for k in own[own.index(dimension) + 1 :])

    def unite_dimensions(self, task: str, numbers: Sequence[int]) -> None:
        """Put some sets of a task's dimensions together."""
        delayed = {k for delay in self.accesses.delays(task) for k, step in enumerate(delay.vector) if step}
        self._of_tasks[task] = _united(self.dimensions(task), numbers, delayed)

    def unite_axes(self, array: str, numbers: Sequence[int]) -> None:
        """Put some sets of an array's axes together."""
        self._of_arrays[array] = _united(self.axes(array), numbers, set())

    @property
    def couple(self) -> bool:
        """Whether any are put together."""
        every = [*self._of_tasks.values(), *self._of_arrays.values()]
        return any(len(own) > 1 for sets in every for own in sets)


Mask = NDArray[np.bool_]


def along_each(cells: Mask, extents: Sequence[int]) -> list[Mask]:
    """By dimension of a set which of its indices some of these cells have."""
    grid = cells.reshape(extents)
    others = [tuple(k for k in range(len(extents)) if k != own) for own in range(len(extents))]
    return [np.asarray(grid.any(axis=axes), np.bool_) for axes in others]


def is_product(cells: Mask, extents: Sequence[int]) -> bool:
    """Whether cells of a set are all combinations of some indices along its dimensions."""
    return math.prod(int(own.sum()) for own in along_each(cells, extents)) == int(cells.sum())


def _united(sets: Sequence[Dimensions], numbers: Sequence[int], first: set[int]) -> list[Dimensions]:
    together = sorted((k for number in numbers for k in sets[number]), key=lambda k: (k not in first, k))
    others = [own for number, own in enumerate(sets) if number not in numbers]
    return sorted([*others, tuple(together)], key=min)


def couple(spaces: Spaces, touches: Sequence[Touch]) -> None:
    """Put together what tilers couple: afterwards each moves one set of dimensions along one set of axes at most."""
    while any(_couple_one(spaces, touch) for touch in touches):
        pass


def _couple_one(spaces: Spaces, touch: Touch) -> bool:
    """Put together two sets that a tiler couples; whether there were any."""
    accesses = spaces.accesses
    dimensions, sides = spaces.dimensions(touch.process), spaces.axes(touch.array)
    outside = {k for k, step in enumerate(touch.outside or ()) if step}
    deciding = [number for number, own in enumerate(dimensions) if outside & set(own)]
    if len(deciding) > 1:
        spaces.unite_dimensions(touch.process, deciding)
        return True
    moved_by: dict[tuple[str, int], int] = {}
    for number, side in enumerate(sides):
        moving = {k for axis in side for k in moving_dimensions(accesses, touch, axis)}
        own = [place for place, group in enumerate(dimensions) if moving & set(group)]
        if len(own) > 1:
            spaces.unite_dimensions(touch.process, own)
            return True
        places = {("place", k) for axis in side for k in moving_places(accesses, touch, axis)}
        for key in [*(("dimension", place) for place in own), *sorted(places)]:
            if moved_by.setdefault(key, number) != number:
                spaces.unite_axes(touch.array, [moved_by[key], number])
                return True
    return False


def moving_dimensions(accesses: Accesses, touch: Touch, axis: int) -> list[int]:
    """The dimensions of a repetition that move along an axis."""
    return _moving(accesses, touch, axis, touch.tiler.paving[axis], accesses.extents(touch.process))


def moving_places(accesses: Accesses, touch: Touch, axis: int) -> list[int]:
    """The dimensions of a pattern that do."""
    return _moving(accesses, touch, axis, touch.tiler.fitting[axis], touch.pattern)


def wraps_along(accesses: Accesses, touch: Touch, axis: int) -> bool:
    """Whether a tiler wraps along an axis."""
    return touch.tiler.wrap and accesses.network.arrays[touch.array].shape[axis] is not None


def _moving(accesses: Accesses, touch: Touch, axis: int, factors: Sequence[int], extents: Sequence[int]) -> list[int]:
    """Those of more than one index that have a factor there, which is no multiple of the extent where it wraps."""
    period = accesses.shape(touch.array)[axis] if wraps_along(accesses, touch, axis) else None
    return [
        dimension
        for dimension, (factor, extent) in enumerate(zip(factors, extents, strict=True))
        if extent > 1 and (factor % period if period else factor)
    ]
