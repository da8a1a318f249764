"""The port to the external memory: bursts served one after another, word by word or row by row.

A second reading of docs/platform.md, "Rows", beside `hwmodel.external_memory`, which the simulator must not import.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm

import numpy as np

from arrayol.arrays import IntArray
from hwmodel.accesses import Accesses
from hwmodel.channels import channel_numbers, has_frames_apart
from hwmodel.local_words import local_word
from hwmodel.platform import Platform
from hwmodel.platform_memories import RowModel
from hwmodel.simulator.requests import Requester, runs_in


@dataclass(frozen=True, slots=True)
class Burst:
    """Elements of an array that are loaded or stored in one step, and its cycles from the start of the step."""

    array: str
    write: bool
    data: int
    start: int
    end: int


@dataclass
class Port:
    """One port or, with separate ports, one side of it, in each channel.

    `free` has by channel the cycle from which its port is free in the step. No word that is stored passes before cycle
    `stores_from` of a step.
    """

    accesses: Accesses
    platform: Platform
    free: list[int] = field(init=False)
    bursts: list[Burst] = field(default_factory=list)
    rows: _Rows | None = None
    requesters: dict[tuple[str, bool], Requester] = field(default_factory=dict)
    step: int = -1
    stores_from: int = 0
    _timing: tuple[RowModel, float] | None = field(init=False)
    _numbers: dict[str, int] = field(init=False)
    _latency: int = field(init=False)

    def __post_init__(self) -> None:
        (channel,), clock = self.platform.channels, self.platform.clock_mhz
        self._timing = (channel.rows, clock) if channel.rows is not None and clock is not None else None
        self._numbers = channel_numbers(self.accesses, self.platform)
        self.free, self._latency = [0] * channel.channels, channel.latency or 0

    def expect(self, array: str, steps: Sequence[IntArray], *, write: bool) -> None:
        """Announce the elements of an array that each step will move, from which its requests follow."""
        memory = self.platform.channel_of(array)
        if memory.burst == "run" and memory.rows is None:
            size = self.accesses.network.arrays[array].type.bytes
            shape = self.accesses.shape(array)
            apart = has_frames_apart(self.accesses, self.platform, array)
            local = local_word(self.platform, size, shape[int(apart) :], write=write)
            self.requesters[array, write] = Requester.of(array, shape, size, memory, steps, local, apart=apart)

    def begin(self) -> None:
        """Begin a step: the port is free in all channels, and all rows are closed."""
        self.free, self.bursts = [0] * len(self.free), []
        self.step += 1
        if self._timing is not None:
            self.rows = _Rows(*self._timing)

    @property
    def now(self) -> int:
        """The cycle from which it is free in all channels."""
        return max(self.free)

    def wait(self, until: int) -> None:
        """Serve nothing more before a cycle."""
        self.free = [max(until, free) for free in self.free]

    @property
    def served(self) -> int:
        """The cycle by which the step has been served: the end of its last burst, and not before that of a turn."""
        return max(self.now, *(channel.turn for channel in self.platform.channels)) if self.bursts else self.now

    def serve(self, array: str, elements: IntArray, *, write: bool) -> IntArray:
        """Move elements of one array after all earlier ones of the step in its channel.

        Returns the cycle in which each passes to or from the local memory.
        """
        number = self._numbers[array]
        start, order = self.free[number], np.argsort(elements)
        ascending, cycles = elements[order], np.empty(len(elements), np.int64)
        asked = max(start, self.stores_from - self._latency) if write else start
        if self.rows is not None:
            end, cycles[order] = self._serve_runs(self.rows, start, array, ascending, write=write)
        elif (array, write) in self.requesters:
            end, cycles[order] = self.requesters[array, write].serve(asked, ascending, self.step)
        else:
            begin = asked + self._latency
            passed = self._box_cycles(array, ascending, write=write)
            cycles[order] = begin + passed
            end = begin + int(passed.max()) + 1
        self.free[number] = end
        self.bursts.append(Burst(array, write, len(elements), start, end))
        return cycles

    def _box_cycles(self, array: str, elements: IntArray, *, write: bool) -> IntArray:
        """The cycle of each element of a box: words come one a cycle.

        They pass in parts to or from the local memory, which takes, or gives, one local word in a cycle, of a run in
        one row.
        """
        word = self._words(array, np.arange(1, len(elements) + 1)) - 1  # that completes each
        local = self._local_words(array, elements, write=write)
        if local is None:
            return word
        last = np.append(np.diff(local) > 0, True)
        # A local word passes after the one before, and when its last element is there.
        passed = np.maximum.accumulate(word[last] - np.arange(int(local[-1]) + 1)) + np.arange(int(local[-1]) + 1)
        return passed[local]

    def _local_words(self, array: str, elements: IntArray, *, write: bool) -> IntArray | None:
        """The local word of each of some ascending elements, from 0 on.

        None if the local memory takes any word at once.
        """
        shape, size = self.accesses.shape(array), self.accesses.network.arrays[array].type.bytes
        local, words, before = local_word(self.platform, size, shape, write=write), list[IntArray](), 0
        if local is None:
            return None
        for _, count in runs_in(elements, shape):
            row, place = np.divmod(np.arange(count), local.row)
            words.append(before + row * -(-local.row // local.width) + place // local.width)
            before = int(words[-1][-1]) + 1
        return np.concatenate(words)

    def _words(self, array: str, data: IntArray) -> IntArray:
        """The number of words of so many data."""
        memory = self.platform.channel_of(array)
        if memory.data_per_word is not None:
            return -(-data // memory.data_per_word)
        return -(-data * self.accesses.network.arrays[array].type.bytes * 8 // (memory.word_bits or 1))

    def _serve_runs(
        self, rows: _Rows, now: int, array: str, elements: IntArray, *, write: bool
    ) -> tuple[int, IntArray]:
        """Serve run after run from a cycle on; the local words of a run pass in its last cycles.

        Returns the end of the last one, and the cycle of each element.
        """
        size, shape = self.accesses.network.arrays[array].type.bytes, self.accesses.shape(array)
        base, cycles = self._base(array, rows.model.row_bytes), list[IntArray]()
        local = local_word(self.platform, size, shape, write=write)
        for run in np.split(elements, np.flatnonzero(np.diff(elements) != 1) + 1):
            words = np.zeros(len(run), np.int64)
            if local is not None:
                row = run // local.row
                from_row = run - np.maximum(row * local.row, run[0])
                words = np.cumsum((np.diff(row, prepend=row[0]) > 0) | (from_row % local.width == 0)) - 1
            number = int(words[-1]) + 1
            now = rows.burst(now, base + int(run[0]) * size, len(run) * size, number)
            cycles.append(now - number + words)
        return now, np.concatenate(cycles)

    def _base(self, array: str, row_bytes: int) -> int:
        """The address of an array: arrays are in the network's order, each at the start of a row."""
        base = 0
        for name, other in self.accesses.network.arrays.items():
            if name == array:
                break
            if not self.accesses.lies_outside(name):
                continue
            base += -(-self.accesses.size(name) * other.type.bytes // row_bytes) * row_bytes
        return base


class _Rows:
    """Banks with one open row each; times are in a unit that divides all of the platform's."""

    def __init__(self, model: RowModel, clock_mhz: float) -> None:
        self.model = model
        times = [1000 / Fraction(str(clock_mhz)), Fraction(str(model.word_ns)) / 64]
        times += [Fraction(str(model.row_change_ns)), Fraction(str(model.same_bank_activate_ns))]
        unit = lcm(*(time.denominator for time in times))
        self.cycle, self.byte, self.change, self.activate = (int(time * unit) for time in times)
        self.open_row: dict[int, int] = {}
        self.opened_at: dict[int, int] = {}

    def burst(self, start: int, address: int, size: int, words: int) -> int:
        """The cycle in which a burst of so many local words ends that may start at cycle `start`.

        If the local words, one a cycle, take longer than the external memory needs, the difference is added.
        """
        time, first, end = start * self.cycle, True, address + size
        while address < end:
            row = address // self.model.row_bytes
            bank = row % self.model.banks
            stop = min(end, (row + 1) * self.model.row_bytes)
            if self.open_row.get(bank) != row:
                time = self._activated(bank, time, at_edge=first)
                self.open_row[bank] = row
                self.opened_at[bank] = time
                time += self.change
            time += (stop - address) * self.byte
            address, first = stop, False
        return -(-(time + max(0, words * self.cycle - size * self.byte)) // self.cycle)

    def _activated(self, bank: int, time: int, *, at_edge: bool) -> int:
        """The time at which the bank can be opened: a wait in front of a burst ends at a clock edge."""
        if bank not in self.opened_at or self.opened_at[bank] + self.activate <= time:
            return time
        ready = self.opened_at[bank] + self.activate
        return -(-ready // self.cycle) * self.cycle if at_edge else ready
