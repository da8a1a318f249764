"""Buffers with a bank layout, cycle by cycle: each unit has its own banks to read, and to write.

A repetition accesses its words one after another: through a port of a bank it takes, or gives, one in `access_cycles`,
from the cycle in which it starts, or in which its results are ready. Meanwhile its unit has the bank to itself. So
there are as many copies of banks as units that read in a cycle, and as many of these as units that write. The port of
the external memory occupies banks in the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from arrayol.arrays import IntArray
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

    def read(self, touched: Sequence[tuple[Rows, IntArray]]) -> None:
        """Record a task's reads: by tiler its repetitions with the word of each pattern element, -1 for none.

        Equal words of a repetition are one access. Raises SimulatorError (`bank`) if the accesses to a bank take longer
        than the repetition occupies its unit.
        """
        ports = max(reader.ports for reader in self.memory.readers.values())
        self._read += self._touched(touched, ports)

    def write(self, touched: Sequence[tuple[Rows, IntArray]]) -> None:
        """Record a task's writes: by tiler its repetitions with the word of each pattern element.

        Raises SimulatorError (`bank`) as `read` does.
        """
        self._written += self._touched(touched, 1)

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

    def _touched(self, touched: Sequence[tuple[Rows, IntArray]], ports: int) -> list[BankUse]:
        """The uses of banks by a task's repetitions."""
        if not touched:
            return []
        first = touched[0][0]
        # With the cycle of its start: what is computed again has other words then.
        runs, number = np.unique(
            np.concatenate([np.column_stack([rows.cycle, rows.repetition]) for rows, _ in touched]),
            axis=0,
            return_inverse=True,
        )
        rows_of_tiler = np.split(number.reshape(-1), np.cumsum([len(words) for _, words in touched])[:-1])
        pairs = [
            np.stack([np.broadcast_to(row[:, None], words.shape)[words >= 0], words[words >= 0]])
            for row, (_, words) in zip(rows_of_tiler, touched, strict=True)
        ]
        row, word = np.unique(np.concatenate(pairs, axis=1), axis=1)
        used, often = np.unique(np.stack([row, word // self.memory.depth]), axis=1, return_counts=True)

        def name(entry: int) -> str:
            return f"repetition ({', '.join(map(str, runs[used[0, entry], 1:].tolist()))}) of '{first.touch.process}'"

        cycles = self.access_cycles * -(-often // ports)
        for late in np.flatnonzero(cycles > first.interval)[:1].tolist():
            text = f"{name(late)} keeps bank {used[1, late]} of '{self.array}' for {cycles[late]} cycles"
            raise fault("bank", f"{text}, where it has its unit for {first.interval}")
        return [self._kept(runs[used[0], 0], used[1] * self.memory.depth, cycles, ports, name)]

    def _kept(
        self, cycle: IntArray, words: IntArray, cycles: IntArray, ports: int, who: Callable[[int], str]
    ) -> BankUse:
        """The use of the banks of some words for some `cycles` from a `cycle` on."""
        entry = np.repeat(np.arange(len(words)), cycles)
        after = np.arange(len(entry)) - np.repeat(np.cumsum(cycles) - cycles, cycles)
        key = (cycle[entry] + after) * self.memory.function.banks + words[entry] // self.memory.depth
        return BankUse(key, ports, lambda place: who(int(entry[place])))
