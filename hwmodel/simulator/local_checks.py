"""All accesses to the memories of a group that are built in banks, after its run: who reads and writes which words."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hwmodel.accesses import Accesses, Extents, subscripts
from hwmodel.local_memory.banked import BankedMemory
from hwmodel.simulator.banks import BankCheck, Span, require_banks
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
            for rows, written in self._written(moved.array, words):
                check.write(rows, written)
        stored = moved.stored
        check.move("storer", moved.stored_step, moved.element[stored], words[stored], shape)
        check.finish(stores)

    def layout(self, moved: Moved, words: Ints, memory: BankedMemory, access_cycles: int) -> None:
        """A buffer with a bank layout: each unit has banks of its own, and accesses to one wait for each other.

        Raises SimulatorError (`bank`) where those of a repetition take longer than it keeps its unit.
        """
        touched: dict[str, list[tuple[Rows, Ints]]] = {}
        for (task, _), read in self.moves.reads.items():
            if read.touch.array == moved.array:
                rows = Rows.reading(self.accesses, self.moves.plan, self.processors[task], read.touch, read.rows)
                touched.setdefault(task, []).append((rows, self._in_memory(rows, words[read.data])))
        for reading in touched.values():
            require_banks(moved.array, memory, reading, access_cycles, memory.ports)
        if not moved.loaded:
            for task in self.processors:
                written = [(rows, own) for rows, own in self._written(moved.array, words) if rows.touch.process == task]
                require_banks(moved.array, memory, written, access_cycles, 1)

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

    def _written(self, array: str, words: Ints) -> Iterator[tuple[Rows, Ints]]:
        """What tasks write: data are numbered task after task, tiler after tiler."""
        first = 0
        for task in self.accesses.network.arrays[array].producers:
            for touch in self.accesses.writes[task] if task in self.processors else ():
                if touch.array == array:
                    own = self.processors[task]
                    writing = np.flatnonzero(self.accesses.happens(touch, own.repetitions(self.accesses)))
                    written = words[first : first + len(writing) * math.prod(touch.pattern)].reshape(len(writing), -1)
                    yield Rows.writing(self.accesses, self.moves.plan, own, touch, writing), written
                    first += written.size


def _words(memory: BankedMemory, elements: Ints, shape: Extents) -> Ints:
    """The words of elements of an array that is there whole, bank after bank."""
    places = subscripts(elements.reshape(-1), shape).T
    words = memory.function.bank(places) * memory.depth + memory.function.address(places, shape)
    return words.reshape(elements.shape)
