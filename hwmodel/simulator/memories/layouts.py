"""Buffers with a bank layout, cycle by cycle: each unit has its own banks to read, and to write.

A repetition accesses its pattern chunk by chunk, from the cycle in which it starts, or in which its results are ready.
Through a port of a bank it takes, or gives, a word in `access_cycles`. Meanwhile its unit has the bank to itself. So
there are as many copies of banks as units that read through some tiler in a cycle, and as many of these as units that
write. The port of the external memory occupies banks in the same way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from arrayol.arrays import IntArray
from arrayol.text import counted
from hwmodel.datapath.figures import read_cycles, result_cycles
from hwmodel.local_memory.addresses import BankedMemory
from hwmodel.simulator.memories.rows import BankUse, Rows, mover, require_ports
from hwmodel.simulator.schedule.plan import fault


@dataclass
class LayoutCheck:
    """The buffer of one array in a group's run, with the ports of each bank that are in use in each cycle."""

    array: str
    memory: BankedMemory
    access_cycles: int
    _read: list[BankUse] = field(default_factory=list)
    _written: list[BankUse] = field(default_factory=list)

    def read(self, rows: Rows, words: IntArray) -> None:
        """Record a task's reads through one tiler: the word of each pattern element, -1 for none.

        Equal words of a round are one access. Raises SimulatorError (`bank`) if a unit reads more words of a bank in a
        round than that has ports.
        """
        ports = max(reader.ports for reader in self.memory.readers.values())
        self._read.append(self._touched(rows, words, ports, read_cycles))

    def write(self, rows: Rows, words: IntArray) -> None:
        """Record a task's writes through one tiler: the word of each pattern element.

        Raises SimulatorError (`bank`) as `read` does.
        """
        self._written.append(self._touched(rows, words, 1, result_cycles))

    def load(self, step: IntArray, cycle: IntArray, words: IntArray) -> None:
        """Record the loader's writes: the step and cycle of each word."""
        self._written.append(
            self._kept(cycle, words, np.full(len(words), self.access_cycles), 1, mover("loader", step))
        )

    def store(self, step: IntArray, cycle: IntArray, words: IntArray) -> None:
        """Record the storer's reads: the step and cycle of each word."""
        self._read.append(self._kept(cycle, words, np.full(len(words), self.access_cycles), 1, mover("storer", step)))

    def finish(self) -> None:
        """Raises SimulatorError (`port`) if more ports of a bank are in use in a cycle than there are."""
        banks = self.memory.function.banks
        require_ports(self.array, banks, "read", self._read, self.memory.ports)
        require_ports(self.array, banks, "written", self._written, self.memory.writers)

    def _touched(
        self, rows: Rows, words: IntArray, ports: int, cycles: Callable[[IntArray, int, int], IntArray]
    ) -> BankUse:
        """The uses of banks by repetitions: in each round of one its unit has the banks that it touches to itself."""
        size = words.shape[1]
        row, element = np.nonzero(words >= 0)
        chunk = cycles(np.arange(size), size, max(1, rows.interval // self.access_cycles))[element]
        different = np.unique(np.stack([row, chunk, words[row, element]]), axis=1)
        row, chunk, word = different
        used, often = np.unique(np.stack([row, chunk, word // self.memory.depth]), axis=1, return_counts=True)
        cycle = rows.cycle[used[0]] + used[1] * self.access_cycles
        for late in np.flatnonzero(often > ports)[:1].tolist():
            text = f"{rows.named(int(used[0, late]))} touches {often[late]} words of bank {used[2, late]} of"
            raise fault("bank", f"{text} '{self.array}' in cycle {cycle[late]}, through {counted(ports, 'port')}")
        each = np.full(len(cycle), self.access_cycles)
        return self._kept(
            cycle, used[2] * self.memory.depth, each, ports, lambda entry: rows.named(int(used[0, entry]))
        )

    def _kept(
        self, cycle: IntArray, words: IntArray, cycles: IntArray, ports: int, who: Callable[[int], str]
    ) -> BankUse:
        """The use of the banks of some words for some `cycles` from a `cycle` on."""
        entry = np.repeat(np.arange(len(words)), cycles)
        after = np.arange(len(entry)) - np.repeat(np.cumsum(cycles) - cycles, cycles)
        key = (cycle[entry] + after) * self.memory.function.banks + words[entry] // self.memory.depth
        return BankUse(key, ports, lambda place: who(int(entry[place])))
