"""Buffers with a bank layout in every cycle: each unit has banks of its own to read, and to write.

A repetition goes to its words one after another: through a port of a bank it takes, or gives, one in `access_cycles`,
from the cycle in which it starts, or its results are ready. As long as it is at it, its unit has the bank to itself: of
those that a unit reads there are as many as read in a cycle, and of those that it writes too, or one is written twice.
So does a datum on its way to or from the port of the external memory.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from hwmodel.local_memory.banked import BankedMemory
from hwmodel.simulator.bank_ports import Use, mover, require_ports
from hwmodel.simulator.plan import Ints, fault
from hwmodel.simulator.rows import Rows


@dataclass
class LayoutCheck:
    """The buffer of one array in a group's run; it remembers which ports of a bank are kept in each cycle."""

    array: str
    memory: BankedMemory
    access_cycles: int
    _read: list[Use] = field(default_factory=list)
    _written: list[Use] = field(default_factory=list)

    def read(self, touched: Sequence[tuple[Rows, Ints]]) -> None:
        """What a task reads: by tiler its repetitions with the word of each place, -1 for none.

        Equal words of a repetition are one access. Raises SimulatorError (`bank`) where those to a bank take longer
        than it keeps its unit.
        """
        ports = max(reader.ports for reader in self.memory.readers.values())
        self._read += self._touched(touched, ports)

    def write(self, touched: Sequence[tuple[Rows, Ints]]) -> None:
        """What a task writes, likewise."""
        self._written += self._touched(touched, 1)

    def load(self, step: Ints, cycle: Ints, words: Ints) -> None:
        """What the loader writes: the step and cycle of each word."""
        self._written.append(
            self._kept(cycle, words, np.full(len(words), self.access_cycles), 1, mover("loader", step))
        )

    def store(self, step: Ints, cycle: Ints, words: Ints) -> None:
        """What the storer reads, likewise."""
        self._read.append(self._kept(cycle, words, np.full(len(words), self.access_cycles), 1, mover("storer", step)))

    def finish(self) -> None:
        """Count the ports of each bank that are kept in each cycle. Raises SimulatorError (`port`)."""
        banks = self.memory.function.banks
        require_ports(self.array, banks, "read", self._read, self.memory.ports)
        require_ports(self.array, banks, "written", self._written, self.memory.writers)

    def _touched(self, touched: Sequence[tuple[Rows, Ints]], ports: int) -> list[Use]:
        if not touched:
            return []
        first = touched[0][0]
        # With the cycle of its start: what is computed again has other words then.
        runs, number = np.unique(
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
        used, often = np.unique(np.stack([row, word // self.memory.depth]), axis=1, return_counts=True)

        def name(entry: int) -> str:
            return f"repetition ({', '.join(map(str, runs[used[0, entry], 1:].tolist()))}) of '{first.touch.process}'"

        cycles = self.access_cycles * -(-often // ports)
        for late in np.flatnonzero(cycles > first.interval)[:1].tolist():
            text = f"{name(late)} keeps bank {used[1, late]} of '{self.array}' for {cycles[late]} cycles"
            raise fault("bank", f"{text}, where it has its unit for {first.interval}")
        return [self._kept(runs[used[0], 0], used[1] * self.memory.depth, cycles, ports, name)]

    def _kept(self, cycle: Ints, words: Ints, cycles: Ints, ports: int, who: Callable[[int], str]) -> Use:
        """Banks of words that are kept for some cycles from one on."""
        entry = np.repeat(np.arange(len(words)), cycles)
        after = np.arange(len(entry)) - np.repeat(np.cumsum(cycles) - cycles, cycles)
        key = (cycle[entry] + after) * self.memory.function.banks + words[entry] // self.memory.depth
        return Use(key, ports, lambda place: who(int(entry[place])))
