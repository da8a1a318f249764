"""The contents of bursts, and the axes along which their runs are counted (`runs`).

A burst moves a Cartesian product of index sets, one for each axis. It may cover several pieces of its array, if one
task writes through several ports. The union of these pieces is Cartesian if they differ along one axis only; the
indices along that axis are then those of all pieces (`joined`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from hwmodel.cost_model.counted.axes.axes import Parts
from hwmodel.cost_model.counted.axes.links import TilerLink
from hwmodel.local_words import LocalWord

Burst = tuple[str, str]  # "load" or "store", and the array
LONGEST = (1 << 20) - 1  # of an axis whose runs are counted


@dataclass(frozen=True, slots=True)
class Counted:
    """A counted quantity: `factor` repetitions or elements for each index of a field, `stage` steps after the tick.

    `source` is the field: of a task, of an array that is loaded, or of a piece of the array `name` that is stored.
    """

    kind: Literal["load", "store", "task"]
    name: str
    source: str
    stage: int
    factor: int


@dataclass(frozen=True, slots=True)
class MovedAxis:
    """An axis of a load or store that moves with a block dimension, `stage` steps after the tick.

    `sources` are the fields of the indices that are moved. Each index has `inner` consecutive data. If `width` is not
    0, local words of so many data are counted in place of runs.
    """

    burst: Burst
    sources: tuple[str, ...]
    axis: int
    block: int
    extent: int
    stage: int
    inner: int
    width: int


@dataclass(frozen=True, eq=False)
class CountedBursts:
    """The bursts of a group.

    `by_run`: runs of addresses are counted. Otherwise bursts are boxes, and runs are counted only for the `local` words
    of some bursts.
    """

    parts: Parts
    entries: Mapping[Burst, list[Counted]]
    by_run: bool
    local: Mapping[Burst, LocalWord]

    @cached_property
    def axes(self) -> list[MovedAxis]:
        """The axes along which runs are counted: all that move with blocks, or those inside of rows of local words."""
        return [
            moved
            for burst in self.entries
            for moved in self._axes(burst)
            if self.by_run or (burst in self.local and moved.inner < self.local[burst].row)
        ]

    def _axes(self, burst: Burst) -> Iterator[MovedAxis]:
        shape, (first, *_) = self.parts.group.accesses.shape(burst[1]), self.entries[burst]
        width = self.local[burst].width if burst in self.local else 0
        for block, side in enumerate(self.parts.axes[first.source]):
            for axis in () if side is None else self.parts.axes_of(first.source, side):
                inner, sources = math.prod(shape[axis + 1 :]), self.sources(burst, axis)
                yield MovedAxis(burst, sources, axis, block, shape[axis], first.stage, inner, width)

    def sources(self, burst: Burst, axis: int) -> tuple[str, ...]:
        """The fields of a burst along an axis: those of all pieces if they differ there, else one."""
        fields = tuple(entry.source for entry in self.entries[burst])
        return fields if axis in self.joined(burst) else fields[:1]

    def joined(self, burst: Burst) -> list[int]:
        """The axes along which the pieces of a burst differ."""
        fields = [entry.source for entry in self.entries[burst]]
        if len(fields) == 1:
            return []
        first, *others = (self.parts.writes[field] for field in fields)
        sides = enumerate(self.parts.spaces.axes(burst[1]))
        return [
            axis for number, side in sides if any(_differ(first, other, number) for other in others) for axis in side
        ]

    def hold(self) -> bool:
        """Whether each burst is Cartesian, and axes are short enough for their runs to be counted."""
        if not (self.by_run or self.local):
            return True
        shape = self.parts.group.accesses.shape
        short = all(extent <= LONGEST for _, name in self.entries for extent in shape(name))
        return short and all(map(self._is_product, self.entries))

    def _is_product(self, burst: Burst) -> bool:
        """Whether the union of a burst's pieces is Cartesian."""
        fields = [entry.source for entry in self.entries[burst]]
        if len(fields) == 1:
            return True
        links, axes = [self.parts.writes[field] for field in fields], [self.parts.axes[field] for field in fields]
        alike = all(link.task == links[0].task and link.allowed.keys() == links[0].allowed.keys() for link in links)
        allowed = alike and all(
            np.array_equal(mask, links[0].allowed[key]) for link in links for key, mask in link.allowed.items()
        )
        return allowed and all(axis == axes[0] for axis in axes) and len(self.joined(burst)) <= 1


def _differ(first: TilerLink, other: TilerLink, axis: int) -> bool:
    """Whether two tilers touch different pairs of indices along an axis."""
    left, right = first.axes[axis], other.axes[axis]
    same = left.dimension == right.dimension and np.array_equal(left.repetition, right.repetition)
    return not (same and np.array_equal(left.element, right.element))
