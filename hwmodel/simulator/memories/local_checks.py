"""A check of all accesses to the memories of a group that are built in banks, after its run.

A repetition that starts in cycle s and occupies its unit for o cycles accesses its pattern of p elements in chunks of q
= ceil(p / o): chunk j, elements j q to (j + 1) q - 1, in cycle s + j. It writes its results in the same way as soon as
they are ready. In a cycle a reader may take one word of each bank (with copies, as many as it has ports), and a writer
may write one word to each. Every violation is reported with cycle and bank.

With a window only its new elements are read. All others must have been read in an earlier round of the line, or in one
of the rounds that fill the registers before the line's first repetition starts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from arrayol.arrays import IntArray
from arrayol.text import counted
from hwmodel.accesses import Accesses, Extents, points, subscripts
from hwmodel.datapath.figures import read_cycles, result_cycles
from hwmodel.local_memory.addresses import BankedMemory, ReadPorts, WindowReads
from hwmodel.simulator.memories.layouts import LayoutCheck
from hwmodel.simulator.memories.memories import Setup
from hwmodel.simulator.memories.rows import BankUse, Rows, mover, require_ports
from hwmodel.simulator.memories.subscripts import RandomReads
from hwmodel.simulator.schedule.moves import Moved, Moves, Place
from hwmodel.simulator.schedule.patterns import Patterns
from hwmodel.simulator.schedule.plan import fault
from hwmodel.simulator.schedule.processors import ProcessorState

_AT_ONCE = 1 << 20  # places of patterns that are looked at together


@dataclass(frozen=True)
class Touches:
    """Words that rows access, with the cycle of each; all columns are flat."""

    cycle: IntArray
    word: IntArray
    row: IntArray

    @staticmethod
    def of(cycle: IntArray, words: IntArray) -> Touches:
        """Flatten words (rows, elements), each with a cycle; -1 for no word."""
        row = np.broadcast_to(np.arange(len(words))[:, None], words.shape)
        there = words >= 0
        return Touches(np.broadcast_to(cycle, words.shape)[there], words[there], row[there])

    @staticmethod
    def joined(parts: Sequence[Touches]) -> Touches:
        """Concatenate several."""
        none = np.zeros(0, np.int64)
        columns = zip(*((part.cycle, part.word, part.row) for part in parts), strict=True) if parts else [(), (), ()]
        return Touches(*(np.concatenate([none, *column]) for column in columns))

    def once(self) -> Touches:
        """The first of equal words in one cycle."""
        wide = int(self.word.max(initial=0)) + 1
        first = np.unique(self.cycle * wide + self.word, return_index=True)[1]
        return Touches(self.cycle[first], self.word[first], self.row[first])


@dataclass
class BankCheck:
    """The memory of one array in a group's run, with the ports of each bank that are in use in each cycle."""

    array: str
    memory: BankedMemory
    _used: list[BankUse] = field(default_factory=list)
    _written: list[BankUse] = field(default_factory=list)

    def read(self, name: tuple[str, int], rows: Rows, patterns: Patterns) -> None:
        """Record a task's reads through one tiler: the word of each pattern element, -1 for none.

        Raises SimulatorError (`bank`, `window`, `port`).
        """
        ports = self.memory.readers[name]
        if ports.random:
            self._read_anywhere(rows, ports)
            return
        parts = (
            self._read_by(line_rows, rows, patterns, ports).once() for line_rows in _whole_lines(rows, patterns.size)
        )
        touches = Touches.joined(list(parts)).once()
        self._require(touches, ports.ports, rows)
        self._used.append(self._use(touches, rows))

    def _read_by(self, own: IntArray, rows: Rows, patterns: Patterns, ports: ReadPorts) -> Touches:
        """The words that some rows read; they have to be whole lines, since registers are shared within a line."""
        part, words = rows.selected(own), patterns.distinct[patterns.of[own]]
        if ports.window is None:
            touches = _touches(part, words, read_cycles)
        else:
            touches = self._through_window(part, words, ports.window)
        return replace(touches, row=own[touches.row])

    def write(self, rows: Rows, words: IntArray) -> None:
        """Record a task's writes through one tiler. Raises SimulatorError (`bank`)."""
        touches = _touches(rows, words, result_cycles).once()
        self._require(touches, 1, rows)
        self._written.append(self._use(touches, rows))

    def load(self, step: IntArray, cycle: IntArray, words: IntArray) -> None:
        """Record the loader's writes: the step and cycle of each word. Raises SimulatorError (`bank`)."""
        self._written.append(self._moved("loader", "writes", 1, step, cycle, words))

    def store(self, step: IntArray, cycle: IntArray, words: IntArray) -> None:
        """Record the storer's reads: the step and cycle of each word. Raises SimulatorError (`bank`)."""
        self._used.append(self._moved("storer", "reads", self.memory.storing, step, cycle, words))

    def _moved(self, who: str, does: str, ports: int, step: IntArray, cycle: IntArray, words: IntArray) -> BankUse:
        """The use of banks by the external memory's port, through at most `ports` ports of each bank."""
        key = cycle * self.memory.function.banks + words // self.memory.depth
        used, first, count = np.unique(key, return_index=True, return_counts=True)
        for late in np.flatnonzero(count > ports)[:1].tolist():
            bank, place = used[late] % self.memory.function.banks, first[late]
            text = f"the {who} {does} {count[late]} words of bank {bank} of '{self.array}' in cycle {cycle[place]}"
            raise fault("bank", f"{text} of step {step[place]}, through {counted(ports, 'port')}")
        return BankUse(key, 1, mover(who, step))

    def finish(self) -> None:
        """Raises SimulatorError (`port`) if more ports of a bank are in use in a cycle than there are."""
        banks = self.memory.function.banks
        require_ports(self.array, banks, "written", self._written, self.memory.writers)
        require_ports(self.array, banks, "read", self._used, self.memory.ports)

    def _use(self, touches: Touches, rows: Rows) -> BankUse:
        """The use of banks by repetitions, with one port of a bank for each word."""
        key = touches.cycle * self.memory.function.banks + touches.word // self.memory.depth
        row = touches.row.astype(np.int32)  # kept up to the end
        return BankUse(key, 1, lambda entry: rows.named(int(row[entry])))

    def _require(self, touches: Touches, most: int, rows: Rows) -> None:
        """Raises SimulatorError (`bank`) if more than `most` words of a bank are accessed in a cycle."""
        bank = touches.word // self.memory.depth
        order = np.lexsort((bank, touches.cycle))
        cycle, bank = touches.cycle[order], bank[order]
        more = np.flatnonzero((cycle[most:] == cycle[:-most]) & (bank[most:] == bank[:-most]))
        for first in more[:1].tolist():
            name = rows.named(int(touches.row[order[first]]))
            text = f"{name} touches {most + 1} words of bank {bank[first]} of '{self.array}' in cycle {cycle[first]}"
            raise fault("bank", f"{text}, with its neighbours")

    def _read_anywhere(self, rows: Rows, ports: ReadPorts) -> None:
        """Record reads at subscripts computed from data: each repetition reads as often as it may, in any bank."""
        often, banks = -(-ports.random // rows.interval), self.memory.function.banks
        cycle = (rows.cycle[:, None] + np.arange(rows.interval)).reshape(-1)
        busy, units = np.unique(cycle, return_counts=True)
        for late in np.flatnonzero(units * often > ports.ports)[:1].tolist():
            text = f"'{rows.touch.process}' reads {units[late] * often} words of '{self.array}' in cycle {busy[late]}"
            raise fault("port", f"{text} at places that follow from data, where it has {ports.ports} ports")
        key = (cycle[:, None] * banks + np.arange(banks)).reshape(-1)
        self._used.append(BankUse(key, often, lambda entry: rows.named(entry // banks // rows.interval)))

    def _through_window(self, rows: Rows, words: IntArray, window: WindowReads) -> Touches:
        """The words that a window reads from the memory; all others have to be in the registers of the line.

        An element comes from the memory in the round in which it is new, `back` rounds before it is used.
        """
        back, chunk = _ways(rows, window)
        turn, unit = np.divmod(rows.at, rows.units)
        there, source = words >= 0, turn[:, None] - back[unit]
        if there.any() and int(source[there].min()) < -window.fill:
            text = f"'{rows.touch.process}' fills its window on '{self.array}' for {window.fill} rounds"
            raise fault("window", f"{text}, where {-int(source[there].min())} are needed")
        first = rows.cycle - turn * rows.interval  # of the line, if its rounds follow each other
        early = source < 0
        size = words.shape[1]
        missed = there & (back[unit] == 0) & (chunk[unit] > read_cycles(np.arange(size), size, rows.interval))
        for row in np.flatnonzero(missed.any(axis=1))[:1].tolist():
            text = f"{rows.named(row)} takes a datum of '{self.array}' in cycle {rows.cycle[row]} or after"
            raise fault("window", f"{text}, before it is read for its window")
        memory = there & (early | (back[unit] == 0))
        cycle = np.where(early, first[:, None] + source * rows.interval, rows.cycle[:, None]) + chunk[unit]
        late = np.flatnonzero((memory & (cycle < rows.begin[:, None])).any(axis=1))
        if len(late):
            name = rows.named(int(late[0]))
            start = rows.cycle[late[0]]
            raise fault("window", f"{name} starts in cycle {start}, before its window on '{self.array}' is full")
        kept = there & ~memory
        high, wide = int(source.max(initial=0)) + 1 + window.fill, int(words.max(initial=0)) + 1
        datum = (rows.line[:, None] * high + source + window.fill) * wide + words  # of a line, a round and a word
        self._require_kept(rows, datum[there & (back[unit] == 0)], datum[kept], np.nonzero(kept)[0])
        return Touches.of(cycle, np.where(memory, words, -1))

    def _require_kept(self, rows: Rows, loaded: IntArray, wanted: IntArray, row: IntArray) -> None:
        """Raises SimulatorError (`window`) if a wanted datum of a line and round is not among those that were read."""
        missing = np.flatnonzero(~np.isin(wanted, loaded))
        if len(missing):
            at = int(row[missing[0]])
            name = rows.named(at)
            text = f"{name} wants a datum of '{self.array}' in cycle {rows.cycle[at]}"
            raise fault("window", f"{text} that is not in the registers of its window")


def _whole_lines(rows: Rows, size: int) -> Iterator[IntArray]:
    """All rows, whole lines together, in parts with a bounded number of pattern elements."""
    order, most = np.argsort(rows.line, kind="stable"), max(1, _AT_ONCE // max(1, size))
    ends = np.append(np.flatnonzero(np.diff(rows.line[order])) + 1, len(order))
    start = 0
    while start < len(order):
        end = int(
            ends[max(np.searchsorted(ends, start, side="right"), np.searchsorted(ends, start + most, "right") - 1)]
        )
        yield np.sort(order[start:end])
        start = end


def _touches(rows: Rows, words: IntArray, cycles: Callable[[IntArray, int, int], IntArray]) -> Touches:
    """The words that repetitions access themselves, in cycles relative to their first one."""
    size = words.shape[1]
    return Touches.of(rows.cycle[:, None] + cycles(np.arange(size), size, rows.interval), words)


def _ways(rows: Rows, window: WindowReads) -> tuple[IntArray, IntArray]:
    """By unit and pattern element: how many rounds before its use it is read, and in which cycle of that round."""
    fitting = np.array(rows.touch.tiler.fitting, np.int64).reshape(len(rows.ahead), len(rows.touch.pattern))
    pattern = points(rows.touch.pattern) @ fitting.T
    number = {place: at for at, place in enumerate(window.fresh)}
    step, round_step = np.array(rows.ahead, np.int64), np.array(rows.ahead, np.int64) * rows.units
    back, chunk = np.zeros((rows.units, len(pattern)), np.int64), np.zeros((rows.units, len(pattern)), np.int64)
    for unit, at in np.ndindex(*back.shape):
        place = pattern[at] + unit * step
        while tuple(place.tolist()) not in number:
            place, back[unit, at] = place + round_step, back[unit, at] + 1
            if back[unit, at] > len(pattern) * rows.units:
                raise fault("window", f"the window of '{rows.touch.process}' on '{rows.touch.array}' misses a place")
        chunk[unit, at] = number[tuple(place.tolist())] // window.each
    return back, chunk


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
        """Check a buffer with a bank layout: each unit has its own banks for each tiler.

        Raises SimulatorError (`bank`, `port`).
        """
        check = LayoutCheck(moved.array, memory, access_cycles)
        for (task, _), read in self.moves.reads.items():
            if read.touch.array == moved.array:
                rows = Rows.reading(self.accesses, self.moves.plan, self.processors[task], read.touch, read.rows)
                check.read(rows, self._in_memory(rows, read.data.changed(lambda data: words[data])).each)
        if moved.loaded:
            check.load(moved.bring, passed.loaded, words)
        else:
            for rows, written in self._written(moved.array, words):
                check.write(rows, written)
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
