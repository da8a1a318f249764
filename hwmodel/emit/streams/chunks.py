"""The memories between the port and a streaming group: two chunks of each array, in banks that no lanes share.

The data of an array are numbered chunk after chunk. Number n lies in bank n mod B, at address n div B mod D. So B x D
data with numbers that follow each other lie apart, and B x D holds two chunks. B is the least number of banks so that
neither the data of a local word of the port meet in one, nor those that pass the group's end in a pulse.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import IntArray
from hwmodel.accesses import Accesses
from hwmodel.emit.schedule.memories import Memory, Section
from hwmodel.emit.schedule.names import plain
from hwmodel.emit.schedule.proofs import unproven
from hwmodel.emit.streams.flows import Flow
from hwmodel.simulator.requests import Requester
from hwmodel.simulator.streams.group_run import StreamGroupRun

_WIDER = 4  # times the lanes of a side, as many banks are tried at most

Together = tuple[IntArray, IntArray]  # elements, and for each the number of those that it is moved together with


@dataclass(frozen=True, eq=False)
class ChunkMemory:
    """The memory of an array, and by element its word there and its chunk; -1 for one that does not pass."""

    memory: Memory
    words: IntArray
    chunk: IntArray

    def require_turns(self) -> None:
        """Require that data of a word are two chunks apart at least: the first one is through by then.

        Raises ArrayolError (`unproven-schedule`).
        """
        there = np.flatnonzero(self.chunk >= 0)
        order = there[np.lexsort((self.chunk[there], self.words[there]))]
        same = self.words[order][1:] == self.words[order][:-1]
        soon = same & (self.chunk[order][1:] < self.chunk[order][:-1] + 2)
        for place in np.flatnonzero(soon)[:1].tolist():
            word, chunk = self.words[order[place]], self.chunk[order[place + 1]]
            raise unproven(f"chunk {chunk} overwrites word {word} of '{self.memory.array}', which is needed")


@dataclass(frozen=True)
class ChunkMemories:
    """Makes the memories of a group's flows, in chunks of `run.group.stream.chunk` pulses."""

    accesses: Accesses
    run: StreamGroupRun
    flows: Sequence[Flow]

    def of(self, array: str) -> ChunkMemory:
        """The memory of an array that passes the group's ends."""
        own = [flow for flow in self.flows if flow.array == array]
        chunk, pulse = np.full((2, self.accesses.size(array)), -1, np.int64)
        group, elements = self._by_pulse(own)
        pulse[elements] = group
        chunk[elements] = group // self.run.group.stream.chunk
        steps = (self.run.moves.stores if own[0].drain else self.run.moves.loads)[array]
        self._require_same(array, chunk, steps, behind=2 if own[0].drain else 0)
        requester = self.run.moves.requesters[array, own[0].drain]
        sides = (group, elements), self._by_local_word(requester, steps)
        most = max(map(len, steps))
        memory, numbers = self._banked(array, (chunk, pulse), sides, most)
        words = numbers % memory.banks * memory.depth + numbers // memory.banks % memory.depth
        return ChunkMemory(memory, np.where(chunk >= 0, words, -1), chunk)

    @staticmethod
    def _by_pulse(flows: Iterable[Flow]) -> Together:
        """The pulses and the elements of all that passes the ends of an array."""
        found = []
        for flow in flows:
            pulse, lane = np.nonzero(flow.elements >= 0)
            found.append((pulse, flow.elements[pulse, lane]))
        pulses, elements = zip(*found, strict=True)
        return np.concatenate(pulses), np.concatenate(elements)

    def _require_same(self, array: str, chunk: IntArray, steps: Sequence[IntArray], *, behind: int) -> None:
        """Require that chunks have what the simulated machine moves in their steps."""
        moved = np.full(len(chunk), -1, np.int64)
        for step, elements in enumerate(steps):
            moved[elements] = step - behind
        for element in np.flatnonzero(moved != chunk)[:1].tolist():
            raise unproven(f"element {element} of '{array}' passes in chunk {chunk[element]}, not {moved[element]}")

    @staticmethod
    def _by_local_word(requester: Requester, steps: Sequence[IntArray]) -> Together:
        """The numbers of local words, and the elements that pass the port together in each."""
        numbers, found, before = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], 0
        for elements in (own for own in steps if len(own)):
            starts = [start for start, _ in requester.request_for(elements).runs]
            runs = np.split(elements, np.searchsorted(elements, starts[1:]))
            for start, own in zip(starts, runs, strict=True):
                place = requester.place(start)
                _, local = requester.parts(place, own - start + place)
                numbers.append(before + local)
                found.append(own)
                before += int(local[-1]) + 1
        return np.concatenate(numbers), np.concatenate(found)

    def _banked(
        self, array: str, places: tuple[IntArray, IntArray], sides: Sequence[Together], most: int
    ) -> tuple[Memory, IntArray]:
        """A memory for two chunks of up to `most` data, and the numbers of the elements; registers where no banks do.

        `places` are by element the chunk and the pulse.
        """
        chunk, pulse = places
        bits = self.accesses.network.arrays[array].type.bits
        least = max(int(np.bincount(group).max(initial=1)) for group, _ in sides)
        ways = _numbers(chunk), _numbers(pulse)
        for banks in range(least, _WIDER * least + 1):
            for numbers in ways:
                if all(_are_in_different_banks(group, numbers[elements] % banks, banks) for group, elements in sides):
                    depth = -(-2 * most // banks)
                    moduli = (banks,) if banks > 1 else ()
                    return Memory(plain(array), array, bits, moduli, depth, (Section(0, depth),)), numbers
        depth = 2 * most
        return Memory(plain(array), array, bits, (), depth, (Section(0, depth),), registers=True), ways[0]


def _numbers(first: IntArray) -> IntArray:
    """By element its number where those of the least `first` come first, of equal ones row-major; -1 without any."""
    order = np.argsort(first, kind="stable")
    order = order[first[order] >= 0]
    numbers = np.full(len(first), -1, np.int64)
    numbers[order] = np.arange(len(order))
    return numbers


def _are_in_different_banks(group: IntArray, bank: IntArray, banks: int) -> bool:
    """Whether no two of a group are in one bank."""
    seen = np.zeros((int(group.max(initial=0)) + 1) * banks, np.bool_)
    seen[group * banks + bank] = True
    return int(np.count_nonzero(seen)) == len(group)


@dataclass(frozen=True)
class StreamMoves:
    """What the port moves of a group, in the `kept` steps: those that take time.

    `words` has by array the word of each element; `requesters` as in `PortMoves`.
    """

    run: StreamGroupRun
    words: Mapping[str, IntArray]
    kept: NDArray[np.int64]

    @property
    def steps(self) -> int:
        """The steps of a frame."""
        return len(self.kept)

    @cached_property
    def arrays(self) -> tuple[str, ...]:
        """The arrays, in the order in which the simulated machine moves them: what it loads, then what it stores."""
        return (*self.run.moves.loads, *self.run.moves.stores)

    @property
    def requesters(self) -> Mapping[tuple[str, bool], Requester]:
        """How each array is requested."""
        return self.run.moves.requesters

    @property
    def single_buffers(self) -> frozenset[str]:
        """None: all memories hold two chunks."""
        return frozenset()

    def of(self, array: str, step: int, *, write: bool) -> tuple[IntArray, IntArray]:
        """The elements that a step loads or stores, and their words."""
        side = self.run.moves.stores if write else self.run.moves.loads
        elements = side[array][self.kept[step]] if array in side else np.zeros(0, np.int64)
        return elements, self.words[array][elements]
