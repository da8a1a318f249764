"""The two lines of a buffer: when the scan of the blocks brings and last uses each index (docs/machine.md, section 5).

The innermost dimension of the scan is the inner line, all other dimensions together are the outer line. A line has
`places`, and indices u with a first place f(u), where u is loaded or made, and a last place l(u), where it is last
read. A buffer's data are all pairs x = (x0, x1) of indices of both lines, with `free` data each. With N places of the
inner line, x lives

    from step  B(x) = f0 N + f1   to step  Z(x) = l0 N + l1 + D,  both included,

where D, the `lag`, is 1 for a plain load or result (made in one step, read in the next) and 0 for data that die in the
step that brings them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import IntArray
from hwmodel.local_memory.addresses import BirthOrder

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
