"""The two lines of a buffer: when the walk over the blocks brings and last uses each index.

The innermost dimension of the scan is the inner line, all others together the outer one. A line has `places`, and
indices u with a first place f(u), where u is loaded or made, and a last place l(u), where it is read last. A buffer's
data are all pairs x = (x0, x1) of indices of both lines, `free` data each. With N places of the inner line, x lives

    from step  B(x) = f0 N + f1   to step  Z(x) = l0 N + l1 + D,  both included,

where D, the `lag`, is 1 for a plain load or product (made in one step, read in the next) and 0 for what dies in the
step that brings it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hwmodel.local_memory.addresses import Births, Ints

BODY, KEPT, HELD = 0, 1, 2
CLASSES = {BODY: "body", KEPT: "kept", HELD: "held"}


@dataclass(frozen=True, eq=False)
class Line:
    """Indices of one line, numbered as address counters see them: first and last place of each, of so many places.

    Those of a line that is walked several `times` in a row; classes are those of one walk.
    """

    places: int
    first: Ints
    last: Ints
    times: int = 1

    @property
    def indices(self) -> int:
        """How many indices there are."""
        return len(self.first)

    @cached_property
    def order(self) -> Ints:
        """The indices in the order in which they are born, those of one place ascending."""
        return np.argsort(self.first, kind="stable")

    @cached_property
    def placed(self) -> Ints:
        """Their first places in that order."""
        return self.first[self.order]

    @property
    def classes(self) -> Ints:
        """Each index by its life h = l - f: body (h = 0), kept (0 < 2 h < places) or held (2 h >= places)."""
        life = self.last - self.first
        return np.where(life == 0, BODY, np.where(2 * life * self.times < self.places, KEPT, HELD)).astype(np.int64)

    @property
    def numbers_by_class(self) -> Ints:
        """Each index's number among those of its class."""
        classes, numbers = self.classes, np.zeros(self.indices, np.int64)
        for kind in np.unique(classes).tolist():
            own = classes == kind
            numbers[own] = np.arange(int(own.sum()))
        return numbers

    @property
    def births(self) -> Births:
        """The order in which the indices are born."""
        order, placed = self.order, self.placed
        before = np.searchsorted(placed, self.first, side="left")
        rank = np.empty(self.indices, np.int64)
        rank[order] = np.arange(self.indices) - before[order]
        return Births(before, np.searchsorted(placed, self.first, side="right") - before, rank)

    def only(self, chosen: NDArray[np.bool_]) -> Line:
        """The line of some of its indices."""
        return replace(self, first=self.first[chosen], last=self.last[chosen])

    def reversed(self) -> Line:
        """The same with its indices numbered the other way round."""
        return self._reversed

    @cached_property
    def _reversed(self) -> Line:
        return replace(self, first=self.first[::-1], last=self.last[::-1])

    def repeated(self, times: int) -> Line:
        """The same walked so many times in a row, the indices of each time numbered on."""
        shift = np.repeat(np.arange(times) * self.places, self.indices)
        first, last = np.tile(self.first, times) + shift, np.tile(self.last, times) + shift
        return Line(self.places * times, first, last, self.times * times)

    def born_before(self, places: Ints) -> Ints:
        """How many indices are born before each of some places."""
        return np.searchsorted(self.placed, places, side="left")


@dataclass(frozen=True, eq=False)
class Lines:
    """A buffer, or a part of one: all pairs of an outer and an inner index, `free` data each."""

    outer: Line
    inner: Line
    lag: int
    free: int = 1

    @property
    def pairs(self) -> int:
        """How many pairs of indices there are."""
        return self.outer.indices * self.inner.indices

    @property
    def born(self) -> Ints:
        """The step that brings each pair, (outer indices, inner indices)."""
        return self.outer.first[:, None] * self.inner.places + self.inner.first[None, :]

    @property
    def dead(self) -> Ints:
        """The last step of each pair, included."""
        return self.outer.last[:, None] * self.inner.places + self.inner.last[None, :] + self.lag

    def by_class(self) -> Iterator[tuple[tuple[int, int], Lines]]:
        """The non-empty parts: pairs of a class of the outer and one of the inner line."""
        rows, columns = self.outer.classes, self.inner.classes
        for row in np.unique(rows).tolist():
            for column in np.unique(columns).tolist():
                outer, inner = self.outer.only(rows == row), self.inner.only(columns == column)
                yield (row, column), Lines(outer, inner, self.lag, self.free)

    def in_succession(self) -> Lines:
        """The same over frames that follow each other: as many as a datum of the first can meet."""
        return replace(self, outer=self.outer.repeated(self.frames))

    @property
    def frames(self) -> int:
        """How many frames that follow each other a datum of the first can meet."""
        return 2 if self.outer.places * self.inner.places >= self.lag else 2 + self.lag
