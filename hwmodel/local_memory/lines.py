"""The two lines of a buffer's data: when each index comes and is last used, source by source.

The innermost dimension of the scan is the inner line, all other dimensions together are the outer line. A line has
`places`, and indices u with a first place f(u), where u is loaded or made, and a last place l(u), where it is last
read. A buffer's data are all pairs x = (x0, x1) of indices of both lines, with `free` data each. With N places of the
inner line, x lives

    from step  B(x) = f0 N + f1   to step  Z(x) = l0 N + l1 + D,  both included,

where D, the `lag`, is 1 for a plain load or result (made in one step, read in the next) and 0 for data that die in the
step that brings them.

A source is the loader, or a task that writes the array. An axis of the array that moves with the inner loop belongs to
the inner line, one that moves with other loops to the outer line, and one that no tick distinguishes is free. An index
of a loop stands for the subscript of its axis and for the fetch that brings it: a subscript that is fetched again has
an index for each fetch. Indices ascend by subscript, then by fetch. Those of a line are all combinations of its loops'
indices, the outermost loop first.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import IntArray
from hwmodel.local_memory.addresses import BirthOrder
from hwmodel.local_memory.bank_functions import Shared

BODY, KEPT, HELD = 0, 1, 2
CLASSES = {BODY: "body", KEPT: "kept", HELD: "held"}


@dataclass(frozen=True, eq=False)
class Line:
    """Indices of one line, numbered as address counters see them: the first and last place of each, among `places`.

    If the line is walked several `times` in a row, classes are those of one walk.
    """

    places: int
    first: IntArray
    last: IntArray
    times: int = 1

    @property
    def indices(self) -> int:
        """The number of indices."""
        return len(self.first)

    @cached_property
    def order(self) -> IntArray:
        """The indices in order of birth, those of one place ascending."""
        return np.argsort(self.first, kind="stable")

    @cached_property
    def placed(self) -> IntArray:
        """The first places of the indices in order of birth."""
        return self.first[self.order]

    @property
    def classes(self) -> IntArray:
        """The class of each index by its life h = l - f: body (h = 0), kept (0 < 2 h < places), else held."""
        life = self.last - self.first
        return np.where(life == 0, BODY, np.where(2 * life * self.times < self.places, KEPT, HELD)).astype(np.int64)

    @property
    def numbers_by_class(self) -> IntArray:
        """The number of each index among those of its class."""
        classes, numbers = self.classes, np.zeros(self.indices, np.int64)
        for kind in np.unique(classes).tolist():
            in_class = classes == kind
            numbers[in_class] = np.arange(int(in_class.sum()))
        return numbers

    @property
    def births(self) -> BirthOrder:
        """The order of birth of the indices."""
        order, placed = self.order, self.placed
        before = np.searchsorted(placed, self.first, side="left")
        rank = np.empty(self.indices, np.int64)
        rank[order] = np.arange(self.indices) - before[order]
        return BirthOrder(before, np.searchsorted(placed, self.first, side="right") - before, rank)

    def only(self, chosen: NDArray[np.bool_]) -> Line:
        """The line with the indices in a mask."""
        return replace(self, first=self.first[chosen], last=self.last[chosen])

    def reversed(self) -> Line:
        """The line with its indices numbered backwards."""
        return self._reversed

    @cached_property
    def _reversed(self) -> Line:
        """The line with its indices numbered backwards, cached."""
        return replace(self, first=self.first[::-1], last=self.last[::-1])

    def repeated(self, times: int) -> Line:
        """The line walked a number of times in a row, with indices numbered on."""
        shift = np.repeat(np.arange(times) * self.places, self.indices)
        first, last = np.tile(self.first, times) + shift, np.tile(self.last, times) + shift
        return Line(self.places * times, first, last, self.times * times)

    def born_before(self, places: IntArray) -> IntArray:
        """The number of indices that are born before each of some places."""
        return np.searchsorted(self.placed, places, side="left")


@dataclass(frozen=True, eq=False)
class BufferLines:
    """A buffer, or a part of one: all pairs of an outer and an inner index, with `free` data each."""

    outer: Line
    inner: Line
    lag: int
    free: int = 1

    @property
    def pairs(self) -> int:
        """The number of pairs of indices."""
        return self.outer.indices * self.inner.indices

    @property
    def born(self) -> IntArray:
        """The step that brings each pair, (outer indices, inner indices)."""
        return self.outer.first[:, None] * self.inner.places + self.inner.first[None, :]

    @property
    def dead(self) -> IntArray:
        """The last step of each pair, included, (outer indices, inner indices)."""
        return self.outer.last[:, None] * self.inner.places + self.inner.last[None, :] + self.lag

    def by_class(self) -> Iterator[tuple[tuple[int, int], BufferLines]]:
        """The non-empty parts: pairs of a class of the outer line and one of the inner line."""
        rows, columns = self.outer.classes, self.inner.classes
        for row in np.unique(rows).tolist():
            for column in np.unique(columns).tolist():
                outer, inner = self.outer.only(rows == row), self.inner.only(columns == column)
                yield (row, column), BufferLines(outer, inner, self.lag, self.free)

    def in_succession(self) -> BufferLines:
        """The lines over frames that follow each other, as many as a datum of the first can meet."""
        return replace(self, outer=self.outer.repeated(self.frames))

    @property
    def frames(self) -> int:
        """The number of successive frames that a datum of the first can meet."""
        return 2 if self.outer.places * self.inner.places >= self.lag else 2 + self.lag


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
