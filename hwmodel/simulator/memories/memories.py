"""Local memories of exactly the given sizes, word by word, and the external memory between groups.

The setup is a separate phase: the loader fetches each array whole, word after word, and nothing else happens. In frames
these memories are read and never written, so every frame finds them as the first one did.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import IntArray
from hwmodel.accesses import Accesses
from hwmodel.platform import Platform
from hwmodel.residence import ONCE
from hwmodel.simulator.port import Port
from hwmodel.simulator.schedule.plan import Who, fault


class InstanceNames(Protocol):
    """The source of a datum and its last user, in words."""

    def brings(self, datum: int) -> str:
        """The loader, or a repetition."""

    def uses(self, datum: int) -> str:
        """The storer, or a repetition."""


class Buffer:
    """A local memory of `size` words for the data of one array, `capacity` at once; `words` is the word of each datum.

    Banks of `depth` words follow each other. A word holds the token of one datum from the step that brings it, and can
    be read from the next step on. Messages name data by `names`.
    """

    def __init__(
        self, array: str, capacity: int, size: int, words: IntArray, names: InstanceNames, depth: int | None = None
    ) -> None:
        self.array = array
        self.names = names
        self.capacity = capacity
        self.size = size
        self.depth = size if depth is None else depth
        self.peak = 0
        self.words = words
        self._taken = 0
        self._lives = np.zeros(len(words), np.bool_)
        self._holds = np.full(size, -1, np.int64)  # the datum; -1 where nothing is live
        self._since = np.zeros(size, np.int64)
        self._token = np.full(size, -1, np.int64)

    def bring(self, step: int, data: IntArray, tokens: IntArray) -> None:
        """Write each datum to its word. Raises SimulatorError (`overflow`, `overwrite`, `address`)."""
        count = len(data)
        if count > self.capacity - self._taken:
            raise fault(
                "overflow",
                f"step {step} brings {count} elements to the buffer of '{self.array}', which has "
                f"{self.capacity - self._taken} of {self.capacity} slots free",
            )
        if not count:
            return
        words = self.words[data]
        self._require_range(step, words)
        for again in data[self._lives[data]][:1].tolist():
            text = f"in step {step} {self.names.brings(again)} brings live data to the buffer of '{self.array}' again"
            raise fault("overwrite", text)
        is_taken = np.ones(count, np.bool_)  # by what is live, or by another datum of the step
        is_taken[np.unique(words, return_index=True)[1]] = False
        for wrong in np.flatnonzero(is_taken | (self._holds[words] >= 0))[:1].tolist():
            word, held = int(words[wrong]), int(self._holds[words[wrong]])
            other = held if held >= 0 else int(data[words == word][0])
            message = f"step {step} overwrites live data in the buffer of '{self.array}' at {self._place(word)}"
            who = f"{self.names.brings(int(data[wrong]))} writes over what {self.names.uses(other)} needs"
            raise fault("overwrite", f"{message}: {who}")
        self._taken += count
        self._lives[data] = True
        self._holds[words], self._since[words], self._token[words] = data, step, tokens
        self.peak = max(self.peak, self._taken)

    def _place(self, word: int) -> str:
        """A word, as messages name it."""
        bank = f" of bank {word // self.depth}" if self.depth < self.size else ""
        return f"address {word % self.depth}{bank}"

    def _require_range(self, step: int, words: IntArray) -> None:
        """Raises SimulatorError (`address`) for words that the buffer does not have."""
        outside = words[(words < 0) | (words >= self.size)]
        if len(outside):
            raise fault(
                "address",
                f"step {step} goes to address {outside[0]} of the buffer of '{self.array}', which has {self.size} "
                "words",
            )

    def read(self, step: int, data: IntArray, who: Who) -> IntArray:
        """The tokens of data (rows, ...) that were brought in an earlier step; `who` names a row.

        Raises SimulatorError (`read-before-write`).
        """
        words = self.words[data]
        for row in np.argwhere(~self._lives[data] | (self._since[words] >= step))[:1, 0].tolist():
            text = f"in step {step} {who(row)} reads a datum of '{self.array}' that is not in its buffer"
            raise fault("read-before-write", text)
        return self._token[words]

    def release(self, step: int, data: IntArray) -> None:
        """End the lives of data after their last step. Raises SimulatorError (`overwrite`)."""
        if not len(data):
            return
        for gone in data[~self._lives[data]][:1].tolist():
            text = f"step {step} gives back a word of '{self.array}' that is not taken"
            raise fault("overwrite", f"{text}, after {self.names.uses(gone)}")
        self._lives[data], self._holds[self.words[data]] = False, -1
        self._taken -= len(data)


# The external memory between groups: what lies in it at first, for one frame.

Memory = dict[str, NDArray[np.int64]]  # the token of every element of every array, -1 for none


def external_memory(accesses: Accesses, there: Collection[str]) -> Memory:
    """The external memory with the arrays `there`, each element as the token of its number.

    Of other arrays it has only the elements of other frames. ROMs are not in it.
    """
    outside = set(filter(accesses.lies_outside, there))
    memory = {
        name: np.arange(accesses.size(name)) if name in outside else np.full(accesses.size(name), -1)
        for name in accesses.network.arrays
    }
    for name, elements in of_other_frames(accesses).items():
        if name not in there:
            memory[name][elements] = np.arange(len(elements))  # tokens before those that tasks make here
    return memory


def of_other_frames(accesses: Accesses) -> dict[str, NDArray[np.int64]]:
    """The elements of each array of the network that only other frames make; they are in the external memory."""
    missing = {}
    for name, array in accesses.network.arrays.items():
        if array.producers and None in array.shape:
            is_made = np.zeros(accesses.size(name), np.bool_)
            for touch in (touch for producer in array.producers for touch in accesses.writes[producer]):
                if touch.array == name:
                    is_made[accesses.touched(touch, accesses.repetitions(touch.process))[1]] = True
            missing[name] = np.flatnonzero(~is_made)
    return {name: elements for name, elements in missing.items() if len(elements)}


def one_frame(accesses: Accesses, name: str, array: NDArray[Any]) -> NDArray[Any]:
    """The part of an array that one frame accesses."""
    return np.ascontiguousarray(array[tuple(slice(extent) for extent in accesses.shape(name))])


@dataclass(frozen=True)
class Setup:
    """The tokens of every element of every resident array.

    The cycles and bytes of loading them, and the data they hold.

    `loaded` has, for arrays that are loaded, the cycle in which each element is written to the memories.
    """

    tokens: Mapping[str, IntArray]
    loaded: Mapping[str, IntArray]
    cycles: int
    bytes: int
    data: int

    def read(self, array: str, elements: IntArray) -> IntArray:
        """The tokens of some elements. Raises SimulatorError (`read-before-write`)."""
        tokens = self.tokens[array][elements]
        if (tokens < 0).any():
            raise fault("read-before-write", f"an element of '{array}' is read that the setup has not loaded")
        return tokens


def set_up(accesses: Accesses, platform: Platform, memory: Memory) -> Setup:
    """Load the arrays that are loaded once from the external memory; ROMs hold their elements from the start."""
    port, tokens, loaded, size, data = Port(accesses, platform), dict[str, IntArray](), dict[str, IntArray](), 0, 0
    port.begin()
    for name in accesses.network.arrays:
        if not accesses.is_resident(name):
            continue
        elements = np.arange(accesses.size(name))
        tokens[name] = elements
        if accesses.load[name] == ONCE:
            tokens[name] = memory[name].copy()
            port.expect(name, [elements], write=False)
            loaded[name] = port.serve(name, elements, write=False)
            size += len(elements) * accesses.network.arrays[name].type.bytes
            data += len(elements)
    for held in tokens.values():
        held.setflags(write=False)
    return Setup(tokens, loaded, port.now, size, data)
