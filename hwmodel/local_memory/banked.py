"""A memory in banks with ports: frozen values that a design carries, and the word of every datum in them.

What is decided here stands in `organisations` and `port_plan`; this is what came of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from hwmodel.local_memory.addresses import ElementBox, Ints
from hwmodel.local_memory.bank_functions import BankFunction
from hwmodel.local_memory.words import BufferWords

Place = tuple[int, ...]
ReaderName = tuple[str, int]  # a task, and the number of one of its input tilers


@dataclass(frozen=True, slots=True)
class WindowReads:
    """What a reader with a window takes from the memory in a round: the `fresh` places, from `fill` rounds earlier on.

    They come in their order, at most `each` in a cycle. Places are relative to the origin of the first unit's pattern.
    All else is in registers.
    """

    fresh: tuple[Place, ...]
    each: int
    fill: int


@dataclass(frozen=True, slots=True)
class ReadPorts:
    """The ports of each bank that a reader has to itself, and its window.

    `random` is how many places a repetition reads at subscripts of its data, 0 where none.
    """

    ports: int = 1
    window: WindowReads | None = None
    random: int = 0


@dataclass(frozen=True)
class BankedMemory:
    """Banks of `depth` words. `ports` is how often each can be read in a cycle, through all copies that are alike.

    Each of so many `writers` has copies of its own, which it writes through one port. `storing` are the ports of each
    bank through which the external memory's port reads in a cycle. With a bank layout each unit is a reader, or a
    writer, and has the ports that `readers` say.
    """

    function: BankFunction
    depth: int
    ports: int
    readers: Mapping[ReaderName, ReadPorts] = field(default_factory=dict)
    storing: int = 1
    writers: int = 1


@dataclass(frozen=True, eq=False)
class BankedWords:
    """The words of a buffer in banks, bank after bank; `in_bank` knows those of each."""

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

    def word(self, element: Ints, step: Ints) -> Ints:
        """The word of each datum: an element by its row-major number, brought in a step; -1 for none."""
        places = (
            np.stack(np.unravel_index(element, self.shape), axis=1)
            if self.shape
            else np.zeros((len(element), 0), np.int64)
        )
        own = self.in_bank
        numbers = element if isinstance(own, BufferWords) else self.function.address(places, self.shape)
        words = own.word(numbers, step)
        return np.where(words < 0, -1, self.function.bank(places) * self.depth + words)
