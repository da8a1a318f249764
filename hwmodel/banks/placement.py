"""Where each element of an array lies under a layout: its bank, and its address there."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hwmodel.banks.custom import Custom
from hwmodel.banks.partition import Lattice
from hwmodel.banks.renaming import VirtualMemory

Elements = NDArray[np.int64]  # one row per element
Places = NDArray[np.int64]
NOWHERE = -1  # of an element that no reference can name


def custom_bank(custom: Custom, name: str, elements: Elements) -> Places:
    """The bank of each element's virtual memory."""
    banks = np.full(len(elements), NOWHERE, dtype=np.int64)
    for memory, bank in zip(custom.memories, custom.bank, strict=True):
        if memory.array == name and memory.replica == 0:
            banks[held_by(memory, elements)] = bank
    return banks


def linear_bank(elements: Elements, vector: Sequence[int], block: int, banks: int) -> Places:
    """The bank floor(a.x / B) mod N."""
    return np.asarray((elements @ np.array(vector, dtype=np.int64)) // block % banks, dtype=np.int64)


def held_by(memory: VirtualMemory, elements: Elements) -> NDArray[np.bool_]:
    """Which of the elements a virtual memory holds."""
    held = np.zeros(len(elements), dtype=np.bool_)
    for lattice in memory.lattices:
        held |= _in_lattice(lattice, elements)
    return held


def _in_lattice(lattice: Lattice, elements: Elements) -> NDArray[np.bool_]:
    inside = np.ones(len(elements), dtype=np.bool_)
    for column, (stride, first) in zip(elements.T, lattice, strict=True):
        inside &= column % stride == first if stride else column == first
    return inside
