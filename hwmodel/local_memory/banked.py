"""A memory in banks with ports: frozen values that a design carries, and the word of every datum in them.

`organisations` and `port_plan` decide about these; here are their results.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from arrayol.arrays import IntArray
from hwmodel.local_memory.addresses import ElementBox
from hwmodel.local_memory.bank_functions import BankFunction
from hwmodel.local_memory.words import BufferWords

Place = tuple[int, ...]
ReaderName = tuple[str, int]  # a task, and the number of one of its input tilers


@dataclass(frozen=True, slots=True)
class WindowReads:
    """The reads of a window: the new elements (`fresh`) of a round, which come from `fill` rounds earlier on.

    They come in their order, at most `each` in a cycle, and are relative to the origin of the first unit's pattern. All
    other elements are in registers.
    """

    fresh: tuple[Place, ...]
    each: int
    fill: int


@dataclass(frozen=True, slots=True)
class ReadPorts:
    """The ports of each bank that only one reader uses, and its window.

    `random` is the number of elements that a repetition reads at subscripts computed from data, 0 for none.
    """

    ports: int = 1
    window: WindowReads | None = None
    random: int = 0


@dataclass(frozen=True)
class BankedMemory:
    """Banks of `depth` words, each with so many read `ports` in a cycle, over all copies.

    Each of the `writers` has its own copies, which it writes through one port. `storing` is the number of ports of each
    bank through which the storer reads in a cycle. With a bank layout each unit is a reader, or a writer, with the
    ports in `readers`.
    """

    function: BankFunction
    depth: int
    ports: int
    readers: Mapping[ReaderName, ReadPorts] = field(default_factory=dict)
    storing: int = 1
    writers: int = 1


@dataclass(frozen=True, eq=False)
class BankedWords:
    """The words of a buffer in banks, bank after bank; `in_bank` has the words in each bank."""

    shape: tuple[int, ...]
    function: BankFunction
    in_bank: BufferWords | ElementBox

    @property
    def depth(self) -> int:
        """The words of a bank."""
        return self.in_bank.size

    @property
    def size(self) -> int:
        """The words of all banks."""
        return self.function.banks * self.depth

    def word(self, element: IntArray, step: IntArray) -> IntArray:
        """The word of each datum, an element by row-major number that is brought in a step; -1 for none."""
        places = (
            np.stack(np.unravel_index(element, self.shape), axis=1)
            if self.shape
            else np.zeros((len(element), 0), np.int64)
        )
        in_bank = self.in_bank
        numbers = element if isinstance(in_bank, BufferWords) else self.function.address(places, self.shape)
        words = in_bank.word(numbers, step)
        return np.where(words < 0, -1, self.function.bank(places) * self.depth + words)
