"""The data that one source brings to a buffer: births and last uses of each index, along each loop of the scan.

A source is the loader, or a task that writes the array. An axis of the array that moves with the inner loop belongs to
the inner line, one that moves with other loops to the outer line, and one that no tick distinguishes is free. An index
of a loop stands for the subscript of its axis and for the fetch that brings it: a subscript that is fetched again has
an index for each fetch. Indices ascend by subscript, then by fetch. Those of a line are all combinations of its loops'
indices, the outermost loop first.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from arrayol.arrays import IntArray
from hwmodel.local_memory.bank_functions import Shared
from hwmodel.local_memory.lines import BufferLines, Line


@dataclass(frozen=True, eq=False)
class LoopPlaces:
    """The indices of one loop of `places`: the `subscript` of the `axis` that moves with it, 0 without one.

    Each index has the `first` place, which brings it, and the `last` place, which uses it last. A free axis has one
    place.
    """

    places: int
    axis: int | None
    subscript: IntArray
    first: IntArray
    last: IntArray

    @staticmethod
    def free(axis: int, subscript: IntArray) -> LoopPlaces:
        """The loop of an axis that no tick distinguishes."""
        return LoopPlaces(1, axis, subscript, 0 * subscript, 0 * subscript)

    def in_groups(self, shared: Shared) -> tuple[LoopPlaces, IntArray]:
        """The indices in groups that share an address, each in its bank, and the group of each.

        Groups begin at the first subscript; if subscripts are fetched again, at the first subscript of each fetch. A
        group comes with the first of its indices, and stays as long as any.
        """
        again = len(np.unique(self.subscript)) < len(self.subscript)
        fetch = self.first if again else 0 * self.first
        begin = np.full(self.places, np.iinfo(np.int64).max)
        np.minimum.at(begin, fetch, self.subscript)
        group = shared.group(self.subscript - begin[fetch])
        most = int(group.max(initial=0)) + 1
        groups, number = np.unique(fetch * most + group, return_inverse=True)
        first, last = np.full(len(groups), self.places), np.zeros(len(groups), np.int64)
        np.minimum.at(first, number.ravel(), self.first)
        np.maximum.at(last, number.ravel(), self.last)
        return LoopPlaces(self.places, self.axis, groups % most, first, last), number.ravel()


def combined(numbers: Sequence[IntArray], sizes: Sequence[int]) -> IntArray:
    """The number of each combination of some loops' indices, from the `numbers` of each loop's indices.

    `sizes` bound the numbers of each loop.
    """
    number = np.zeros(1, np.int64)
    for own, size in zip(numbers, sizes, strict=True):
        number = (number[:, None] * size + own).ravel()
    return number


def line_of(loops: Sequence[LoopPlaces]) -> Line:
    """The line of some loops."""
    places = [loop.places for loop in loops]
    first, last = (combined(ends, places) for ends in ([loop.first for loop in loops], [loop.last for loop in loops]))
    return Line(math.prod(places), first, last)


@dataclass(frozen=True, eq=False)
class Piece:
    """The loops of both lines, and of the free part, which ascend by axis: a pair's free data are row-major.

    `lag` is that of the lines (`lines`). `start` is the step in which the source works for the first place of the scan.
    If there are several successive `frames`, they are the outermost loop of the outer line.
    """

    outer: tuple[LoopPlaces, ...]
    inner: tuple[LoopPlaces, ...]
    free: tuple[LoopPlaces, ...]
    lag: int
    start: int = 0
    frames: int = 1

    @cached_property
    def lines(self) -> BufferLines:
        """The two lines of the piece."""
        outer = replace(line_of(self.outer), times=self.frames)
        return BufferLines(outer, line_of(self.inner), self.lag, line_of(self.free).indices)

    @property
    def in_succession(self) -> Piece:
        """The piece over successive frames: as many as a datum of the first can meet are one more loop."""
        frames = np.arange(self.lines.frames)
        return replace(
            self, outer=(LoopPlaces(len(frames), None, 0 * frames, frames, frames), *self.outer), frames=len(frames)
        )


@dataclass(frozen=True, eq=False)
class Subscripts:
    """Subscripts along some axes of an array, `places` (indices, axes), in the order of the indices."""

    axes: tuple[int, ...]
    places: IntArray

    @staticmethod
    def of(loops: Sequence[LoopPlaces]) -> Subscripts:
        """The subscripts of the indices of a line."""
        sizes = [len(loop.first) for loop in loops]
        chosen = np.unravel_index(np.arange(math.prod(sizes)), sizes) if sizes else ()
        moving = [
            (loop.axis, loop.subscript[at]) for loop, at in zip(loops, chosen, strict=True) if loop.axis is not None
        ]
        columns = [places for _, places in moving]
        places = np.stack(columns, axis=1) if columns else np.zeros((math.prod(sizes), 0), np.int64)
        return Subscripts(tuple(axis for axis, _ in moving), places)
