"""FIFOs: data leave in the order in which they came, and never wait for room."""

from __future__ import annotations

from collections import deque

import numpy as np
from numpy.typing import NDArray

from hwmodel.simulator.errors import fault

Ints = NDArray[np.int64]


class Fifo:
    """A FIFO of `capacity` data of one array; times are cycles from the start of the group."""

    def __init__(self, array: str, capacity: int) -> None:
        self.array = array
        self.capacity = capacity
        self._waiting: deque[tuple[int, int]] = deque()  # datum, and the last cycle of its making
        self._taken_from: list[int] = []
        self._taken_until: list[int] = []

    def write(self, data: Ints, cycles: Ints) -> None:
        """Data in the order of writing, each with the last cycle of its making."""
        self._waiting.extend(zip(data.tolist(), cycles.tolist(), strict=True))

    def read(self, data: Ints, cycles: Ints) -> None:
        """Data in the order of reading. Raises RefereeError (`fifo-order`, `read-before-write`)."""
        for datum, cycle in zip(data.tolist(), cycles.tolist(), strict=True):
            if not self._waiting:
                raise fault("read-before-write", f"the FIFO of '{self.array}' is read when it is empty")
            head, made = self._waiting.popleft()
            if head != datum:
                raise fault("fifo-order", f"the FIFO of '{self.array}' gives another datum than its reader expects")
            if made >= cycle:
                raise fault("read-before-write", f"the FIFO of '{self.array}' is read before its datum is there")
            self._taken_from.append(made)
            self._taken_until.append(cycle)

    def finish(self) -> int:
        """The largest count of data in it at any cycle. Raises RefereeError (`overflow`, `fifo-order`)."""
        if self._waiting:
            raise fault("fifo-order", f"the FIFO of '{self.array}' still holds {len(self._waiting)} data at the end")
        begin, end = np.sort(self._taken_from), np.sort(self._taken_until)
        # At each arrival: those that have come, less those read in an earlier cycle.
        depth = np.arange(1, len(begin) + 1) - np.searchsorted(end, begin, side="left")
        peak = int(depth.max(initial=0))
        if peak > self.capacity:
            raise fault("overflow", f"the FIFO of '{self.array}' holds {peak} data and has {self.capacity} places")
        return peak
