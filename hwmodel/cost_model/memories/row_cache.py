"""Tables whose rows are computed when they are first read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import IntArray


@dataclass(eq=False)
class RowCache:
    """A table of `count` rows; `compute` gives the rows (n, ...) of some numbers (n,)."""

    count: int
    compute: Callable[[IntArray], NDArray[Any]]
    _there: NDArray[np.bool_] = field(init=False, repr=False)
    _rows: NDArray[Any] | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        """Start without any rows."""
        self._there = np.zeros(self.count, np.bool_)

    def known(self, which: IntArray) -> tuple[NDArray[np.bool_], NDArray[Any]]:
        """Which of some rows (n,) are known, and these rows."""
        there = self._there[which]
        return there, np.zeros(0) if self._rows is None else self._rows[which[there]]

    def new(self, which: IntArray) -> IntArray:
        """The numbers of some rows that are not known."""
        return which[~self._there[which]]

    def put(self, new: IntArray, found: NDArray[Any]) -> None:
        """Store rows (n, ...) that were computed elsewhere."""
        if self._rows is None:
            self._rows = np.zeros((self.count, *found.shape[1:]), found.dtype)
        self._rows[new], self._there[new] = found, True

    def __call__(self, which: IntArray) -> NDArray[Any]:
        """The rows of some distinct numbers."""
        new = self.new(which)
        if len(new) or self._rows is None:
            self.put(new, self.compute(new))
        assert self._rows is not None, "some were put just now"
        rows: NDArray[Any] = self._rows[which]
        return rows
