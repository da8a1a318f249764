"""What leaves a group: the elements of a piece that are needed outside it, and the contents of bursts.

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

from arrayol.arrays import IntArray
from hwmodel.cost_model.counted.axes.axes import Mask, Parts
from hwmodel.cost_model.counted.axes.links import TilerLink, separate
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


Needed = Literal["all", "unlike", ""] | tuple[Mask, ...]  # a product, by axis, or unlike one


def needed_of(parts: Parts, piece: TilerLink) -> Needed:
    """The elements of a piece that outputs of the network or other groups need.

    "all", "" (none), masks by axis if they are a product of index sets, else "unlike".
    """
    group, array = parts.group, parts.array_of(piece.piece)
    if group.network.arrays[array].is_output:
        return "all"
    reads = [separate(group.accesses, touch, parts.spaces) for touch in group.outside_touches(array)]
    sizes = [None if link is None or not _happens(link) else link.within(piece).size for link in reads]
    if piece.size in sizes:
        return "all"  # one tiler reads all of it: a quick answer, as the next
    frames = zip(group.accesses.shape(array), group.network.arrays[array].shape, strict=True)
    if not any(sizes) and None not in sizes and all(count == 1 for count, extent in frames if extent is None):
        return ""
    elements = parts.elements_of(piece)
    needed = elements[group.needed_outside(array)[elements]]
    if len(needed) in (0, len(elements)):
        return "all" if len(needed) else ""
    return _as_product(parts, piece, needed) or "unlike"


def _happens(link: TilerLink) -> bool:
    """Whether some repetition accesses through a tiler."""
    return all(map(np.any, link.allowed.values()))


def _as_product(parts: Parts, link: TilerLink, elements: IntArray) -> tuple[Mask, ...] | None:
    """The masks, by axis, whose product is the set of these elements of a piece; None if it is not such a product.

    None, too, where products are not followed: for arrays of several pieces, pieces that the group does not read, and
    groups with merged dimensions.
    """
    if parts.spaces.couple or link.piece not in parts.reads or len(parts.pieces[parts.array_of(link.piece)]) > 1:
        return None
    shape = [along.extent for along in link.axes]
    indices = zip(np.unravel_index(elements, shape), shape, strict=True)
    masks = tuple(np.bincount(index, minlength=extent) > 0 for index, extent in indices)
    return masks if math.prod(int(index.sum()) for index in masks) == len(elements) else None
