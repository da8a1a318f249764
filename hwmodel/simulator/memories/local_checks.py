"""A check of all accesses to the memories of a group that are built in banks, after its run."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from arrayol.arrays import IntArray
from hwmodel.accesses import Accesses, Extents, subscripts
from hwmodel.local_memory.banked import BankedMemory
from hwmodel.simulator.memories.banks import BankCheck
from hwmodel.simulator.memories.layouts import LayoutCheck
from hwmodel.simulator.memories.rows import Rows
from hwmodel.simulator.memories.setup import Setup
from hwmodel.simulator.memories.subscripts import RandomReads
from hwmodel.simulator.schedule.moves import Moved, Moves, Place
from hwmodel.simulator.schedule.patterns import Patterns
from hwmodel.simulator.schedule.plan import fault
from hwmodel.simulator.schedule.processors import ProcessorState


@dataclass(frozen=True)
class Passed:
    """The cycles in which the data of an array pass the port of the external memory, of each load and of each store."""

    loaded: IntArray
    stored: IntArray

    @staticmethod
    def of(moved: Moved) -> Passed:
        """The cycles before the run, all -1."""
        return Passed(np.full(len(moved.element), -1), np.full(len(moved.stored), -1))


@dataclass(frozen=True)
class LocalCheck:
    """A group's run: its movements, and its processors by task with the starts of repetitions."""

    accesses: Accesses
    moves: Moves
    processors: Mapping[str, ProcessorState]

    random: list[RandomReads] = field(default_factory=list)  # what is read at subscripts of data, as it is found

    def buffer(self, moved: Moved, words: IntArray, memory: BankedMemory, passed: Passed) -> None:
        """Check an array's buffer, given the word of each datum, and the cycles in which data pass the port.

        Raises SimulatorError (`bank`, `port`, `window`).
        """
        check = BankCheck(moved.array, memory)
        for place, read in self.moves.reads.items():
            if read.touch.array == moved.array:
                rows = Rows.reading(self.accesses, self.moves.plan, self.processors[place[0]], read.touch, read.rows)
                self._read(check, place, rows, self._in_memory(rows, read.data.changed(lambda data: words[data])))
        if moved.loaded:
            check.load(moved.bring, passed.loaded, words)
        else:
            for rows, written in self._written(moved.array, words):
                check.write(rows, written)
        check.store(moved.stored_step, passed.stored, words[moved.stored])
        check.finish()

    def layout(self, moved: Moved, words: IntArray, memory: BankedMemory, passed: Passed, access_cycles: int) -> None:
        """Check a buffer with a bank layout: each unit has its own banks, and accesses to a bank follow each other.

        Raises SimulatorError (`bank`, `port`).
        """
        check = LayoutCheck(moved.array, memory, access_cycles)
        touched: dict[str, list[tuple[Rows, IntArray]]] = {}
        for (task, _), read in self.moves.reads.items():
            if read.touch.array == moved.array:
                rows = Rows.reading(self.accesses, self.moves.plan, self.processors[task], read.touch, read.rows)
                own = self._in_memory(rows, read.data.changed(lambda data: words[data]))
                touched.setdefault(task, []).append((rows, own.each))
        for reading in touched.values():
            check.read(reading)
        if moved.loaded:
            check.load(moved.bring, passed.loaded, words)
        else:
            for task in self.processors:
                check.write(
                    [(rows, own) for rows, own in self._written(moved.array, words) if rows.touch.process == task]
                )
        check.store(moved.stored_step, passed.stored, words[moved.stored])
        check.finish()

    def resident(self, task: str, array: str, memory: BankedMemory, setup: Setup) -> None:
        """Check a task's memory of a resident array, which is a ROM or loaded a word of the port at a time.

        Raises SimulatorError (`bank`, `port`, `window`, `address`).
        """
        check, shape = BankCheck(array, memory), self.accesses.shape(array)
        for place, read in self.moves.resident.items():
            if place[0] == task and read.touch.array == array:
                rows = Rows.reading(self.accesses, self.moves.plan, self.processors[task], read.touch, read.rows)
                word_patterns = read.data.changed(lambda data: _words(memory, data, shape))
                self._read(check, place, rows, self._in_memory(rows, word_patterns))
        element = np.arange(math.prod(shape))
        words = _words(memory, element, shape)
        if len(np.unique(words)) < len(words) or int(words.max()) >= memory.function.banks * memory.depth:
            raise fault("address", f"what '{task}' has of '{array}' has no word for each element in its banks")
        if array in setup.loaded:
            check.load(0 * element, setup.loaded[array], words)
        check.finish()

    def _read(self, check: BankCheck, place: Place, rows: Rows, words: Patterns) -> None:
        """Record a task's reads through one tiler.

        Those at subscripts of data only by number, until these are known.
        """
        check.read(place, rows, words)
        if check.memory.readers[place].random:
            self.random.append(RandomReads(place, check.memory, check.memory.readers[place], rows, words))

    def _in_memory(self, rows: Rows, words: Patterns) -> Patterns:
        """The words, with -1 for border constants, which are not in the memory."""
        beyond = rows.beyond(self.accesses, words.first)
        return words.changed(lambda own: np.where(beyond, -1, own))

    def _written(self, array: str, words: IntArray) -> Iterator[tuple[Rows, IntArray]]:
        """The words that tasks write; data are numbered task after task, tiler after tiler."""
        first = 0
        for task in self.accesses.network.arrays[array].producers:
            for touch in self.accesses.writes[task] if task in self.processors else ():
                if touch.array == array:
                    processor = self.processors[task]
                    writing = np.flatnonzero(self.accesses.happens(touch, processor.repetitions(self.accesses)))
                    size = math.prod(touch.pattern)
                    written = words[first : first + len(writing) * size].reshape(len(writing), size)
                    yield Rows.writing(self.accesses, self.moves.plan, processor, touch, writing), written
                    first += written.size


def _words(memory: BankedMemory, elements: IntArray, shape: Extents) -> IntArray:
    """The words of elements of a whole array, bank after bank."""
    places = subscripts(elements.reshape(-1), shape).T
    words = memory.function.bank(places) * memory.depth + memory.function.address(places, shape)
    return words.reshape(elements.shape)
