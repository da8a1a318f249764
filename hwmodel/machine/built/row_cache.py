"""Tables of which each row is computed when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


@dataclass(eq=False)
class RowCache:
    """A table of so many rows; `compute` gives some of them (n, ...), by their numbers (n,)."""

    count: int
    compute: Callable[[Ints], NDArray[Any]]
    _there: NDArray[np.bool_] = field(init=False, repr=False)
    _rows: NDArray[Any] | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        """Nothing is there yet."""
        self._there = np.zeros(self.count, np.bool_)

    def known(self, which: Ints) -> tuple[NDArray[np.bool_], NDArray[Any]]:
        """Which of some rows (n,) have been asked for before, and these."""
        there = self._there[which]
        return there, np.zeros(0) if self._rows is None else self._rows[which[there]]

    def new(self, which: Ints) -> Ints:
        """Those of some rows that have not been asked for before."""
        return which[~self._there[which]]

    def put(self, new: Ints, found: NDArray[Any]) -> None:
        """Take some rows (n, ...) that were computed elsewhere."""
        if self._rows is None:
            self._rows = np.zeros((self.count, *found.shape[1:]), found.dtype)
        self._rows[new], self._there[new] = found, True

    def __call__(self, which: Ints) -> NDArray[Any]:
        """Some rows, by number; none may be asked for twice in one call."""
        new = self.new(which)
        if len(new) or self._rows is None:
            self.put(new, self.compute(new))
        assert self._rows is not None, "some were put just now"
        rows: NDArray[Any] = self._rows[which]
        return rows
