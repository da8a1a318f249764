"""The states of delays, chain by chain: each open chain has its own word in a bank.

Chains are numbered in the order in which they open. Chain n lies in bank n mod B, at address n div B mod the depth.
Parallel units work in a round on chains that opened one after another, so these lie in different banks, and a chain may
open in a word whose chain has closed in an earlier step. A bank gives one word and takes one in a cycle.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from arrayol.arrays import IntArray
from hwmodel.simulator.schedule.chains import OpenChains
from hwmodel.simulator.schedule.plan import SimulatorError, Who, fault


@dataclass
class States:
    """The state of one delay: up to `capacity` chains at once, in `words` words of some `banks`; `peak` is the fullest.

    A chain takes a word in the step of its first instance, and gives it back after that of its last. Words and ports
    are checked once all repetitions have run. Without banks every word can be accessed at any time.
    """

    chains: OpenChains
    capacity: int
    banks: int
    words: int
    peak: int = field(init=False)
    full: int | None = field(init=False)  # the first step with more open chains than the capacity

    def __post_init__(self) -> None:
        opened, closed = np.cumsum(self.chains.opening), np.cumsum(self.chains.closing)
        self._open = opened - closed + self.chains.closing
        self.peak = int(self._open.max(initial=0))
        self.full = int(np.argmax(self._open > self.capacity)) if self.peak > self.capacity else None

    def overflow(self) -> SimulatorError:
        """The error of the step `full`, in which more chains are open than the capacity."""
        text = f"step {self.full} keeps {self._open[self.full]} chains of '{self.chains.name}'"
        return fault("overflow", f"{text}, which has {self.capacity} slots")

    def check(self, started: IntArray, who: Who) -> None:
        """Check every chain's address, and every access through a port; `started` has the start cycle of each instance.

        Raises SimulatorError (`overwrite`, `port`).
        """
        self._require_words(who)
        if self.banks:
            self._require_ports(started, who)

    def _require_words(self, who: Who) -> None:
        """Raises SimulatorError (`overwrite`) if a chain opens in the word of an open one."""
        first, last, banks = self.chains.first, self.chains.last, max(1, self.banks)
        late = np.flatnonzero(first[self.words :] <= last[: max(0, len(last) - self.words)])
        for number in (late[:1] + self.words).tolist():
            place = f"at address {number % self.words // banks} of bank {number % banks}"
            text = f"step {first[number]} overwrites a chain of '{self.chains.name}' that is open {place}"
            one, other = (self._begins(chain, who) for chain in (number, number - self.words))
            raise fault("overwrite", f"{text}: that of {one} comes over that of {other}")

    def _begins(self, chain: int, who: Who) -> str:
        """The first repetition of a chain, in words; a chain of an earlier frame has only a number."""
        instances = np.flatnonzero(self.chains.number == chain)
        return who(int(instances[0])) if len(instances) else f"number {chain}"

    def _require_ports(self, started: IntArray, who: Who) -> None:
        """Raises SimulatorError (`port`) if a bank is used twice in a cycle."""
        chained = np.flatnonzero(self.chains.number >= 0)
        bank, cycle = self.chains.number[chained] % self.banks, started[chained]
        order = np.lexsort((bank, cycle))
        cycle, bank = cycle[order], bank[order]
        twice = np.flatnonzero((cycle[1:] == cycle[:-1]) & (bank[1:] == bank[:-1]))
        for place in twice[:1].tolist():
            text = f"{who(int(chained[order[place + 1]]))} is the second to use bank {bank[place]}"
            raise fault("port", f"{text} of '{self.chains.name}' in cycle {cycle[place]}")
