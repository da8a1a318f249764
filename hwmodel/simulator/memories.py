"""Local memories of exactly the given sizes, slot by slot."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hwmodel.simulator.errors import fault

Ints = NDArray[np.int64]


class Buffer:
    """A double-buffered local memory of `capacity` slots for the data of one array (numbered from 0 to `data`).

    A slot holds the token of one datum from the step that brings it; it can be read from the next step on.
    """

    def __init__(self, array: str, capacity: int, data: int) -> None:
        self.array = array
        self.capacity = capacity
        self.peak = 0
        self._free = list(range(capacity - 1, -1, -1))
        self._slot = np.full(data, -1, np.int64)
        self._holds = np.full(capacity, -1, np.int64)
        self._since = np.zeros(capacity, np.int64)
        self._token = np.full(capacity, -1, np.int64)

    def bring(self, step: int, data: Ints, tokens: Ints) -> None:
        """Give each datum a free slot. Raises RefereeError (`overflow`, `overwrite`)."""
        count = len(data)
        if count > len(self._free):
            raise fault(
                "overflow",
                f"step {step} brings {count} data to the buffer of '{self.array}', which has {len(self._free)} of "
                f"{self.capacity} slots free",
            )
        if not count:
            return
        slots = np.array(self._free[-count:], np.int64)
        del self._free[-count:]
        if (self._holds[slots] >= 0).any() or (self._slot[data] >= 0).any():
            raise fault("overwrite", f"step {step} overwrites live data in the buffer of '{self.array}'")
        self._slot[data], self._holds[slots], self._since[slots], self._token[slots] = slots, data, step, tokens
        self.peak = max(self.peak, self.capacity - len(self._free))

    def read(self, step: int, data: Ints) -> Ints:
        """The tokens of data brought in an earlier step. Raises RefereeError (`read-before-write`)."""
        slots = self._slot[data]
        if (slots < 0).any() or (self._since[slots] >= step).any():
            raise fault("read-before-write", f"step {step} reads a datum of '{self.array}' that is not in its buffer")
        if (self._holds[slots] != data).any():
            raise fault("overwrite", f"step {step} finds another datum of '{self.array}' where it was brought")
        return self._token[slots]

    def release(self, step: int, data: Ints) -> None:
        """Give back the slots of data at the end of their last step. Raises RefereeError (`overwrite`)."""
        if not len(data):
            return
        slots = self._slot[data]
        if (slots < 0).any():
            raise fault("overwrite", f"step {step} gives back a slot of '{self.array}' that is not taken")
        self._slot[data], self._holds[slots] = -1, -1
        self._free.extend(slots.tolist())


class States:
    """The slots of a delay's open chains."""

    def __init__(self, name: str, capacity: int) -> None:
        self.name = name
        self.capacity = capacity
        self.peak = 0
        self._open = 0

    def open(self, step: int, chains: int) -> None:
        """Chains whose first instance is in this step take a slot each. Raises RefereeError (`overflow`)."""
        self._open += chains
        self.peak = max(self.peak, self._open)
        if self._open > self.capacity:
            raise fault(
                "overflow", f"step {step} keeps {self._open} chains of '{self.name}', which has {self.capacity} slots"
            )

    def close(self, chains: int) -> None:
        """Chains whose last instance was in this step give their slots back."""
        self._open -= chains
