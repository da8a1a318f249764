"""Banks and ports in every cycle: what reads and writes a memory, once all its repetitions have run.

A repetition that starts in cycle s and occupies its unit for o cycles touches chunk j of a pattern of p places, places
j q to (j + 1) q - 1 with q = ceil(p / o), in cycle s + j; its results it writes in the same way as soon as they are
ready. In a cycle a reader has one word of each bank (of copies as many as it has ports), and a writer one word to each.
Whatever breaks that is found by cycle and bank.

With a window only its fresh places are read. All others must have been read in a round before, or in one of the rounds
that fill the registers before the line's first repetition starts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from arrayol.text import counted
from hwmodel.accesses import points
from hwmodel.datapath.port_cycles import read_cycles, result_cycles
from hwmodel.local_memory.banked import BankedMemory, ReadPorts, WindowReads
from hwmodel.simulator.bank_ports import Use, mover, require_ports
from hwmodel.simulator.patterns import Patterns
from hwmodel.simulator.plan import Ints, fault
from hwmodel.simulator.rows import Rows

_AT_ONCE = 1 << 20  # places of patterns that are looked at together


@dataclass(frozen=True)
class Touches:
    """Words that rows touch in cycles; all columns flat."""

    cycle: Ints
    word: Ints
    row: Ints

    @staticmethod
    def of(cycle: Ints, words: Ints) -> Touches:
        """Of words (rows, places), each in a cycle; -1 for no word."""
        row = np.broadcast_to(np.arange(len(words))[:, None], words.shape)
        there = words >= 0
        return Touches(np.broadcast_to(cycle, words.shape)[there], words[there], row[there])

    @staticmethod
    def joined(parts: Sequence[Touches]) -> Touches:
        """Of several one after another."""
        none = np.zeros(0, np.int64)
        columns = zip(*((part.cycle, part.word, part.row) for part in parts), strict=True) if parts else [(), (), ()]
        return Touches(*(np.concatenate([none, *column]) for column in columns))

    def once(self) -> Touches:
        """The first of those that are one word in one cycle."""
        wide = int(self.word.max(initial=0)) + 1
        first = np.unique(self.cycle * wide + self.word, return_index=True)[1]
        return Touches(self.cycle[first], self.word[first], self.row[first])


@dataclass
class BankCheck:
    """The memory of one array in a group's run; it remembers which ports of a bank are used in each cycle."""

    array: str
    memory: BankedMemory
    _used: list[Use] = field(default_factory=list)
    _written: list[Use] = field(default_factory=list)

    def read(self, name: tuple[str, int], rows: Rows, patterns: Patterns) -> None:
        """What a task reads through one tiler: the word of each place, -1 for none.

        Raises SimulatorError (`bank`, `window`, `port`).
        """
        ports = self.memory.readers[name]
        if ports.random:
            self._read_anywhere(rows, ports)
            return
        parts = (self._read_by(own, rows, patterns, ports).once() for own in _whole_lines(rows, patterns.size))
        touches = Touches.joined(list(parts)).once()
        self._require(touches, ports.ports, rows)
        self._used.append(self._use(touches, rows))

    def _read_by(self, own: Ints, rows: Rows, patterns: Patterns, ports: ReadPorts) -> Touches:
        """What some rows read, those of whole lines: registers are shared in none but these."""
        part, words = rows.some(own), patterns.distinct[patterns.of[own]]
        if ports.window is None:
            touches = _touches(part, words, read_cycles)
        else:
            touches = self._through_window(part, words, ports.window)
        return replace(touches, row=own[touches.row])

    def write(self, rows: Rows, words: Ints) -> None:
        """What a task writes through one tiler. Raises SimulatorError (`bank`)."""
        touches = _touches(rows, words, result_cycles).once()
        self._require(touches, 1, rows)
        self._written.append(self._use(touches, rows))

    def load(self, step: Ints, cycle: Ints, words: Ints) -> None:
        """What the loader writes: the step and cycle of each word. Raises SimulatorError (`bank`)."""
        self._written.append(self._moved("loader", "writes", 1, step, cycle, words))

    def store(self, step: Ints, cycle: Ints, words: Ints) -> None:
        """What the storer reads, likewise."""
        self._used.append(self._moved("storer", "reads", self.memory.storing, step, cycle, words))

    def _moved(self, who: str, does: str, ports: int, step: Ints, cycle: Ints, words: Ints) -> Use:
        """The words that the external memory's port moves, through some ports of each bank."""
        key = cycle * self.memory.function.banks + words // self.memory.depth
        used, first, count = np.unique(key, return_index=True, return_counts=True)
        for late in np.flatnonzero(count > ports)[:1].tolist():
            bank, place = used[late] % self.memory.function.banks, first[late]
            text = f"the {who} {does} {count[late]} words of bank {bank} of '{self.array}' in cycle {cycle[place]}"
            raise fault("bank", f"{text} of step {step[place]}, through {counted(ports, 'port')}")
        return Use(key, 1, mover(who, step))

    def finish(self) -> None:
        """Count the ports that are used in each cycle. Raises SimulatorError (`port`)."""
        banks = self.memory.function.banks
        require_ports(self.array, banks, "written", self._written, self.memory.writers)
        require_ports(self.array, banks, "read", self._used, self.memory.ports)

    def _use(self, touches: Touches, rows: Rows) -> Use:
        """Of repetitions that go through a port of a bank for each word."""
        key = touches.cycle * self.memory.function.banks + touches.word // self.memory.depth
        row = touches.row.astype(np.int32)  # kept up to the end
        return Use(key, 1, lambda entry: rows.named(int(row[entry])))

    def _require(self, touches: Touches, most: int, rows: Rows) -> None:
        """No more than so many words of a bank in a cycle."""
        bank = touches.word // self.memory.depth
        order = np.lexsort((bank, touches.cycle))
        cycle, bank = touches.cycle[order], bank[order]
        more = np.flatnonzero((cycle[most:] == cycle[:-most]) & (bank[most:] == bank[:-most]))
        for first in more[:1].tolist():
            name = rows.named(int(touches.row[order[first]]))
            text = f"{name} touches {most + 1} words of bank {bank[first]} of '{self.array}' in cycle {cycle[first]}"
            raise fault("bank", f"{text}, with its neighbours")

    def _read_anywhere(self, rows: Rows, ports: ReadPorts) -> None:
        """Places that follow from data: as many in each cycle as a repetition reads, in any bank."""
        often, banks = -(-ports.random // rows.interval), self.memory.function.banks
        cycle = (rows.cycle[:, None] + np.arange(rows.interval)).reshape(-1)
        busy, units = np.unique(cycle, return_counts=True)
        for late in np.flatnonzero(units * often > ports.ports)[:1].tolist():
            text = f"'{rows.touch.process}' reads {units[late] * often} words of '{self.array}' in cycle {busy[late]}"
            raise fault("port", f"{text} at places that follow from data, where it has {ports.ports} ports")
        key = (cycle[:, None] * banks + np.arange(banks)).reshape(-1)
        self._used.append(Use(key, often, lambda entry: rows.named(entry // banks // rows.interval)))

    def _through_window(self, rows: Rows, words: Ints, window: WindowReads) -> Touches:
        """What is read of the memory; the rest is required to be in the registers of the line.

        A place comes from the memory in the round in which it is fresh, `back` rounds before it is used.
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

    def _require_kept(self, rows: Rows, loaded: Ints, wanted: Ints, row: Ints) -> None:
        """Every datum that is wanted of a line and a round is among those that were read there."""
        missing = np.flatnonzero(~np.isin(wanted, loaded))
        if len(missing):
            at = int(row[missing[0]])
            name = rows.named(at)
            text = f"{name} wants a datum of '{self.array}' in cycle {rows.cycle[at]}"
            raise fault("window", f"{text} that is not in the registers of its window")


def _whole_lines(rows: Rows, size: int) -> Iterator[Ints]:
    """All rows, those of a line together, about as many at a time as have so many places in all."""
    order, most = np.argsort(rows.line, kind="stable"), max(1, _AT_ONCE // max(1, size))
    ends = np.append(np.flatnonzero(np.diff(rows.line[order])) + 1, len(order))
    start = 0
    while start < len(order):
        end = int(
            ends[max(np.searchsorted(ends, start, side="right"), np.searchsorted(ends, start + most, "right") - 1)]
        )
        yield np.sort(order[start:end])
        start = end


def _touches(rows: Rows, words: Ints, cycles: Callable[[Ints, int, int], Ints]) -> Touches:
    """What repetitions read themselves, or write, in these cycles from their first one on."""
    size = words.shape[1]
    return Touches.of(rows.cycle[:, None] + cycles(np.arange(size), size, rows.interval), words)


def _ways(rows: Rows, window: WindowReads) -> tuple[Ints, Ints]:
    """By unit and place of its pattern: how many rounds before its use it is read, and in which cycle of the round."""
    fitting = np.array(rows.touch.tiler.fitting, np.int64).reshape(len(rows.ahead), len(rows.touch.pattern))
    pattern = points(rows.touch.pattern) @ fitting.T
    number = {place: at for at, place in enumerate(window.fresh)}
    one, far = np.array(rows.ahead, np.int64), np.array(rows.ahead, np.int64) * rows.units
    back, chunk = np.zeros((rows.units, len(pattern)), np.int64), np.zeros((rows.units, len(pattern)), np.int64)
    for unit, at in np.ndindex(*back.shape):
        place = pattern[at] + unit * one
        while tuple(place.tolist()) not in number:
            place, back[unit, at] = place + far, back[unit, at] + 1
            if back[unit, at] > len(pattern) * rows.units:
                raise fault("window", f"the window of '{rows.touch.process}' on '{rows.touch.array}' misses a place")
        chunk[unit, at] = number[tuple(place.tolist())] // window.each
    return back, chunk
