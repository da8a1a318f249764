"""All accesses to the memories of a group that are built in banks, after its run: who reads and writes which words."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hwmodel.accesses import Accesses, Extents, subscripts
from hwmodel.local_memory.banked import BankedMemory
from hwmodel.simulator.banks import BankCheck, Span
from hwmodel.simulator.moves import Moved, Moves
from hwmodel.simulator.plan import Ints
from hwmodel.simulator.processors import Processor
from hwmodel.simulator.rows import Rows


@dataclass(frozen=True)
class LocalCheck:
    """A group's run: what it moved, and its processors by task, which know when each repetition started."""

    accesses: Accesses
    moves: Moves
    processors: Mapping[str, Processor]

    def buffer(self, moved: Moved, words: Ints, memory: BankedMemory, stores: Sequence[Span]) -> None:
        """The buffer of an array with the word of each datum, stored from in some spans of cycles.

        Raises SimulatorError (`bank`, `port`, `window`), as `resident` does.
        """
        check, shape = BankCheck(moved.array, memory), self.accesses.shape(moved.array)
        for place, read in self.moves.reads.items():
            if read.touch.array == moved.array:
                rows = Rows.reading(self.accesses, self.moves.plan, self.processors[place[0]], read.touch, read.rows)
                check.read(place, rows, self._in_memory(rows, words[read.data]))
        if moved.loaded:
            check.move("loader", moved.bring, moved.element, words, shape)
        else:
            self._write(check, words)
        stored = moved.stored
        check.move("storer", moved.stored_step, moved.element[stored], words[stored], shape)
        check.finish(stores)

    def resident(self, task: str, array: str, memory: BankedMemory) -> None:
        """What a task has of an array that is there before the frame, loaded a word of the port at a time, or a ROM."""
        check, shape = BankCheck(array, memory), self.accesses.shape(array)
        for place, read in self.moves.resident.items():
            if place[0] == task and read.touch.array == array:
                rows = Rows.reading(self.accesses, self.moves.plan, self.processors[task], read.touch, read.rows)
                words = _words(memory, read.data, shape)
                check.read(place, rows, self._in_memory(rows, words))
        element = np.arange(math.prod(shape))
        check.move("loader", np.zeros(len(element), np.int64), element, _words(memory, element, shape), shape)
        check.finish(())

    def _in_memory(self, rows: Rows, words: Ints) -> Ints:
        """The words with -1 for the constants of borders, which are not in the memory."""
        inside: Ints = np.where(rows.beyond(self.accesses), -1, words)
        return inside

    def _write(self, check: BankCheck, words: Ints) -> None:
        """What tasks write: data are numbered task after task, tiler after tiler."""
        first = 0
        for task in self.accesses.network.arrays[check.array].producers:
            for touch in self.accesses.writes[task] if task in self.processors else ():
                if touch.array == check.array:
                    own = self.processors[task]
                    writing = np.flatnonzero(self.accesses.happens(touch, own.repetitions(self.accesses)))
                    written = words[first : first + len(writing) * math.prod(touch.pattern)].reshape(len(writing), -1)
                    rows = Rows.writing(self.accesses, self.moves.plan, own, touch, writing)
                    check.write(rows, written)
                    first += written.size


def _words(memory: BankedMemory, elements: Ints, shape: Extents) -> Ints:
    """The words of elements of an array that is there whole, bank after bank."""
    places = subscripts(elements.reshape(-1), shape).T
    words = memory.function.bank(places) * memory.depth + memory.function.address(places, shape)
    return words.reshape(elements.shape)
