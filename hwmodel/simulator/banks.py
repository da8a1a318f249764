"""Banks and ports in every cycle: what reads and writes a memory, once all its repetitions have run.

A repetition that starts in cycle s and occupies its unit for o cycles touches chunk j of a pattern of p places, places
j q to (j + 1) q - 1 with q = ceil(p / o), in cycle s + j; its results it writes in the same way as soon as they are
ready. In a cycle a reader has one word of each bank (of copies as many as it has ports), and a writer one word to each.
Whatever breaks that is found by cycle and bank.

With a window only its fresh places are read. All others must have been read in a round before, or in one of the rounds
that fill the registers before the line's first repetition starts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from hwmodel.accesses import Extents, points
from hwmodel.local_memory.banked import BankedMemory, ReadPorts, WindowReads
from hwmodel.simulator.plan import Ints, fault
from hwmodel.simulator.rows import Rows

Span = tuple[int, int]  # first cycle, and the first one after it


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

    def once(self) -> Touches:
        """The first of those that are one word in one cycle."""
        first = np.unique(np.stack([self.cycle, self.word]), axis=1, return_index=True)[1]
        return Touches(self.cycle[first], self.word[first], self.row[first])


@dataclass
class BankCheck:
    """The memory of one array in a group's run; it remembers how many ports of a bank are used in each cycle."""

    array: str
    memory: BankedMemory
    _used: list[tuple[Ints, int]] = field(default_factory=list)  # cycle x banks + bank, and how often each is read
    _written: list[Ints] = field(default_factory=list)  # the same of what is written, once each
    _readers: list[Rows] = field(default_factory=list)

    def read(self, name: tuple[str, int], rows: Rows, words: Ints) -> None:
        """What a task reads through one tiler: the word of each place, -1 for none.

        Raises SimulatorError (`bank`, `window`, `port`).
        """
        ports, banks = self.memory.readers[name], self.memory.function.banks
        self._readers.append(rows)
        if ports.random:
            self._read_anywhere(rows, ports)
            return
        if ports.window is None:
            touches = Touches.of(rows.cycle[:, None] + _chunks(words.shape[1], rows.interval), words)
        else:
            touches = self._through_window(rows, words, ports.window)
        touches = touches.once()
        self._require(touches, ports.ports, rows)
        self._used.append((touches.cycle * banks + touches.word // self.memory.depth, 1))

    def write(self, rows: Rows, words: Ints) -> None:
        """What a task writes through one tiler. Raises SimulatorError (`bank`)."""
        touches = Touches.of(rows.cycle[:, None] + _chunks(words.shape[1], rows.interval), words).once()
        self._require(touches, 1, rows)
        self._written.append(touches.cycle * self.memory.function.banks + touches.word // self.memory.depth)

    def move(self, who: str, step: Ints, element: Ints, words: Ints, shape: Extents) -> None:
        """What the loader writes, or the storer reads, in each step: a word of the port at a time.

        A word has neighbours of one row, or of several where a row is shorter: of the last axes that hold a word
        together. Raises SimulatorError (`bank`).
        """
        width, ports = (self.memory.written, 1) if who == "loader" else (self.memory.read, self.memory.storing)
        order = np.lexsort((element, step))
        step, element, bank = step[order], element[order], words[order] // self.memory.depth
        together = [math.prod(shape[axis:]) for axis in range(len(shape) - 1, -1, -1)]
        row = element // next((size for size in together if size >= width), math.prod(shape))
        begins = np.diff(step, prepend=-1) != 0
        begins[1:] |= (np.diff(element) != 1) | (np.diff(row) != 0)
        start = np.maximum.accumulate(np.where(begins, np.arange(len(step)), 0))
        word = np.cumsum(begins) * (math.prod(shape) + 1) + (np.arange(len(step)) - start) // width
        taken, first, count = np.unique(np.stack([word, bank]), axis=1, return_index=True, return_counts=True)
        for place in np.flatnonzero(count > ports)[:1].tolist():
            message = f"the {who} has {count[place]} data of a word in bank {taken[1, place]} of '{self.array}'"
            raise fault("bank", f"{message} in step {step[first[place]]}")

    def finish(self, stores: Sequence[Span]) -> None:
        """Count the ports that are used in each cycle; in the spans of `stores` the storer has its own.

        Raises SimulatorError (`port`).
        """
        banks = self.memory.function.banks
        key, count = np.unique(np.concatenate([np.zeros(0, np.int64), *self._written]), return_counts=True)
        for first in np.flatnonzero(count > self.memory.writers)[:1].tolist():
            text = (
                f"cycle {key[first] // banks} writes bank {key[first] % banks} of '{self.array}' {count[first]} times"
            )
            raise fault("port", f"{text}, which has {self.memory.writers} ports to write")
        if not self._used:
            return
        often = np.concatenate([np.full(len(keys), each) for keys, each in self._used])
        key, place = np.unique(np.concatenate([keys for keys, _ in self._used]), return_inverse=True)
        used = np.bincount(place.reshape(-1), often).astype(np.int64)
        cycle = key // banks
        for begin, end in stores:
            used[slice(*np.searchsorted(cycle, [begin, end]))] += self.memory.storing
        for first in np.flatnonzero(used > self.memory.ports)[:1].tolist():
            text = f"cycle {cycle[first]} reads bank {key[first] % banks} of '{self.array}' {used[first]} times"
            raise fault("port", f"{text}, which has {self.memory.ports} ports to read{self._names(int(cycle[first]))}")

    def _names(self, cycle: int) -> str:
        """Who reads in a cycle, in words."""
        names = [
            f"repetition {_point(rows, int(busy[0]))} of '{rows.touch.process}'"
            for rows in self._readers
            if len(busy := np.flatnonzero((rows.opens <= cycle) & (cycle < rows.cycle + rows.interval)))
        ]
        return f": {', '.join(names)}" if names else ""

    def _require(self, touches: Touches, most: int, rows: Rows) -> None:
        """No more than so many words of a bank in a cycle."""
        bank = touches.word // self.memory.depth
        order = np.lexsort((bank, touches.cycle))
        cycle, bank = touches.cycle[order], bank[order]
        more = np.flatnonzero((cycle[most:] == cycle[:-most]) & (bank[most:] == bank[:-most]))
        for first in more[:1].tolist():
            name = f"repetition {_point(rows, int(touches.row[order[first]]))} of '{rows.touch.process}'"
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
        self._used.append(((cycle[:, None] * banks + np.arange(banks)).reshape(-1), often))

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
        memory = there & (early | (back[unit] == 0))
        cycle = np.where(early, first[:, None] + source * rows.interval, rows.cycle[:, None]) + chunk[unit]
        late = np.flatnonzero((memory & (cycle < rows.begin[:, None])).any(axis=1))
        if len(late):
            name = f"repetition {_point(rows, int(late[0]))} of '{rows.touch.process}'"
            start = rows.cycle[late[0]]
            raise fault("window", f"{name} starts in cycle {start}, before its window on '{self.array}' is full")
        line = np.broadcast_to(rows.line[:, None], words.shape)
        kept = there & ~memory
        loaded = np.stack([line, source, words])[:, there & (back[unit] == 0)]
        wanted = np.stack([line, source, words])[:, kept]
        self._require_kept(rows, loaded, wanted, np.nonzero(kept)[0])
        return Touches.of(cycle, np.where(memory, words, -1))

    def _require_kept(self, rows: Rows, loaded: Ints, wanted: Ints, row: Ints) -> None:
        """Every word that is wanted of a line and a round is among those that were read there."""
        _, number = np.unique(np.concatenate([loaded, wanted], axis=1), axis=1, return_inverse=True)
        number = number.reshape(-1)
        missing = np.flatnonzero(~np.isin(number[loaded.shape[1] :], number[: loaded.shape[1]]))
        if len(missing):
            at = int(row[missing[0]])
            name = f"repetition {_point(rows, at)} of '{rows.touch.process}'"
            text = f"{name} wants a datum of '{self.array}' in cycle {rows.cycle[at]}"
            raise fault("window", f"{text} that is not in the registers of its window")


def require_banks(
    array: str, memory: BankedMemory, touched: Sequence[tuple[Rows, Ints]], access_cycles: int, ports: int
) -> None:
    """Each repetition of a task keeps its unit for as long as its accesses to a bank take; equal words are one access.

    `touched` has by tiler the repetitions with the word of each place, -1 for none. Raises SimulatorError (`bank`).
    """
    if not touched:
        return
    first = touched[0][0]
    # With the cycle of its start: what is computed again has other words then.
    points, number = np.unique(
        np.concatenate([np.column_stack([rows.cycle, rows.repetition]) for rows, _ in touched]),
        axis=0,
        return_inverse=True,
    )
    own = np.split(number.reshape(-1), np.cumsum([len(words) for _, words in touched])[:-1])
    pairs = [
        np.stack([np.broadcast_to(row[:, None], words.shape)[words >= 0], words[words >= 0]])
        for row, (_, words) in zip(own, touched, strict=True)
    ]
    row, word = np.unique(np.concatenate(pairs, axis=1), axis=1)
    used, often = np.unique(np.stack([row, word // memory.depth]), axis=1, return_counts=True)
    cycles = access_cycles * -(-often // ports)
    for late in np.flatnonzero(cycles > first.interval)[:1].tolist():
        name = f"repetition ({', '.join(map(str, points[used[0, late], 1:].tolist()))}) of '{first.touch.process}'"
        text = f"{name} keeps bank {used[1, late]} of '{array}' for {cycles[late]} cycles"
        raise fault("bank", f"{text}, where it has its unit for {first.interval}")


def _chunks(places: int, interval: int) -> Ints:
    """The cycle of an occupancy in which each place of a pattern is touched."""
    return np.arange(places) // -(-places // interval)


def _ways(rows: Rows, window: WindowReads) -> tuple[Ints, Ints]:
    """By unit and place of its pattern: how many rounds before its use it is read, and in which cycle of the round."""
    fitting = np.array(rows.touch.tiler.fitting, np.int64).reshape(len(rows.ahead), len(rows.touch.pattern))
    pattern = points(rows.touch.pattern) @ fitting.T
    size = -(-len(window.fresh) // rows.interval)
    number = {place: at for at, place in enumerate(window.fresh)}
    one, far = np.array(rows.ahead, np.int64), np.array(rows.ahead, np.int64) * rows.units
    back, chunk = np.zeros((rows.units, len(pattern)), np.int64), np.zeros((rows.units, len(pattern)), np.int64)
    for unit, at in np.ndindex(*back.shape):
        place = pattern[at] + unit * one
        while tuple(place.tolist()) not in number:
            place, back[unit, at] = place + far, back[unit, at] + 1
            if back[unit, at] > len(pattern) * rows.units:
                raise fault("window", f"the window of '{rows.touch.process}' on '{rows.touch.array}' misses a place")
        chunk[unit, at] = number[tuple(place.tolist())] // size
    return back, chunk


def _point(rows: Rows, row: int) -> str:
    return f"({', '.join(map(str, rows.repetition[row].tolist()))})"
