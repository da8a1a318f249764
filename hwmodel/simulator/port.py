"""The port to the external memory: bursts served one after another, word by word or row by row.

A second reading of docs/platform.md, "Rows", beside `hwmodel.external_memory`, which the simulator must not know.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm

import numpy as np

from hwmodel.accesses import Accesses
from hwmodel.local_words import local_word
from hwmodel.platform import Platform, RowModel
from hwmodel.simulator.plan import Ints
from hwmodel.simulator.requests import Requester, runs_in


@dataclass(frozen=True, slots=True)
class Burst:
    """Elements of an array that are loaded or stored in one step; its cycles, from the start of the step."""

    array: str
    write: bool
    data: int
    start: int
    end: int


@dataclass
class Port:
    """One port, or with separate ones the reading or the writing side; `now` is when it is free within the step."""

    accesses: Accesses
    platform: Platform
    now: int = 0
    bursts: list[Burst] = field(default_factory=list)
    rows: _Rows | None = None
    requesters: dict[tuple[str, bool], Requester] = field(default_factory=dict)
    step: int = -1

    def expect(self, array: str, steps: Sequence[Ints], *, write: bool) -> None:
        """The elements of an array that each step will move: what its requests are made for."""
        memory = self.platform.memory
        if memory.burst == "run" and memory.rows is None:
            size = self.accesses.network.arrays[array].type.bytes
            shape = self.accesses.shape(array)
            local = local_word(self.platform, size, shape, write=write)
            self.requesters[array, write] = Requester.of(array, shape, size, memory, steps, local)

    def begin(self) -> None:
        """A new step: the port is free, all rows are closed."""
        self.now, self.bursts = 0, []
        self.step += 1
        model, clock = self.platform.memory.rows, self.platform.clock_mhz
        self.rows = _Rows(model, clock) if model is not None and clock is not None else None

    def serve(self, array: str, elements: Ints, *, write: bool) -> None:
        """Move elements of one array after what was moved before."""
        start = self.now
        if self.rows is not None:
            self._serve_runs(self.rows, array, elements)
        elif (array, write) in self.requesters:
            self.now = self.requesters[array, write].serve(self.now, elements, self.step)
        else:
            self.now += (self.platform.memory.latency or 0) + self._box_cycles(array, np.sort(elements), write=write)
        self.bursts.append(Burst(array, write, len(elements), start, self.now))

    def _box_cycles(self, array: str, elements: Ints, *, write: bool) -> int:
        """The cycles of a box's words: each is there a cycle after the one before, and in parts goes on to the memory.

        That takes, or gives, one local word in a cycle, of a run in one row.
        """
        shape, size = self.accesses.shape(array), self.accesses.network.arrays[array].type.bytes
        local, cycle, moved = local_word(self.platform, size, shape, write=write), 0, 0
        for start, count in runs_in(elements, shape) if local is not None else ():
            assert local is not None
            for first in range(start, start + count, min(local.row, count)):
                left = min(local.row, start + count - first)
                while left:
                    moved, left = moved + min(left, local.width), left - min(left, local.width)
                    cycle = max(cycle + 1, self._words(array, moved))
        return max(cycle, self._words(array, len(elements)))

    def _words(self, array: str, data: int) -> int:
        memory = self.platform.memory
        if memory.data_per_word is not None:
            return -(-data // memory.data_per_word)
        return -(-data * self.accesses.network.arrays[array].type.bytes * 8 // (memory.word_bits or 1))

    def _serve_runs(self, rows: _Rows, array: str, elements: Ints) -> None:
        size = self.accesses.network.arrays[array].type.bytes
        base = self._base(array, rows.model.row_bytes)
        ascending = np.sort(elements)
        for run in np.split(ascending, np.flatnonzero(np.diff(ascending) != 1) + 1):
            self.now = rows.burst(self.now, base + int(run[0]) * size, len(run) * size)

    def _base(self, array: str, row_bytes: int) -> int:
        """Arrays lie in the network's order, each at the start of a row."""
        base = 0
        for name, other in self.accesses.network.arrays.items():
            if name == array:
                break
            if not self.accesses.lies_outside(name):
                continue
            base += -(-self.accesses.size(name) * other.type.bytes // row_bytes) * row_bytes
        return base


class _Rows:
    """Banks with one open row each; times in a unit that divides all of the platform's."""

    def __init__(self, model: RowModel, clock_mhz: float) -> None:
        self.model = model
        times = [1000 / Fraction(str(clock_mhz)), Fraction(str(model.word_ns)) / 64]
        times += [Fraction(str(model.row_change_ns)), Fraction(str(model.same_bank_activate_ns))]
        unit = lcm(*(time.denominator for time in times))
        self.cycle, self.byte, self.change, self.activate = (int(time * unit) for time in times)
        self.open_row: dict[int, int] = {}
        self.opened_at: dict[int, int] = {}

    def burst(self, start: int, address: int, size: int) -> int:
        """The cycle at which a burst ends that may start at cycle `start`."""
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
        return -(-time // self.cycle)

    def _activated(self, bank: int, time: int, *, at_edge: bool) -> int:
        """When the bank can be opened: a wait in front of a burst ends at a clock edge."""
        if bank not in self.opened_at or self.opened_at[bank] + self.activate <= time:
            return time
        ready = self.opened_at[bank] + self.activate
        return -(-ready // self.cycle) * self.cycle if at_edge else ready
