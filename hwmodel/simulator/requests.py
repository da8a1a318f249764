"""Requests of runs, one by one: a second reading of docs/machine.md, section 4, "Runs", beside `hwmodel.machine`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hwmodel.accesses import Extents
from hwmodel.platform import ExternalMemory
from hwmodel.simulator.plan import Ints, fault

Run = tuple[int, int]  # the first element, and how many follow each other


def runs_in(elements: Ints, shape: Extents) -> list[Run]:
    """The runs of distinct elements of an array, ascending: rows join where both are whole."""
    if not shape:
        return [(0, 1)] * len(elements)
    inner, runs, whole_until = math.prod(shape[1:]), list[Run](), -1
    for index in np.unique(elements // inner).tolist():
        first = index * inner
        own = [
            (first + start, size) for start, size in runs_in(elements[elements // inner == index] - first, shape[1:])
        ]
        whole = own == [(first, inner)]
        if whole and whole_until == first:
            runs[-1] = (runs[-1][0], runs[-1][1] + inner)
        else:
            runs += own
        whole_until = first + inner if whole else -1
    return runs


@dataclass(frozen=True)
class Requester:
    """How one array is requested in a group: its shape, the size of an element and of a word in one unit.

    `worst` is the latest place in a word at which any of its runs may start.
    """

    array: str
    shape: Extents
    size: int
    word: int
    memory: ExternalMemory
    worst: int

    @staticmethod
    def of(array: str, shape: Extents, size: int, memory: ExternalMemory, steps: Sequence[Ints]) -> Requester:
        """Of the elements that are moved in each step of the group; an element has `size` bytes."""
        unit, word = (
            (1, memory.data_per_word) if memory.data_per_word is not None else (size, (memory.word_bits or 8) // 8)
        )
        moved = [elements for elements in steps if len(elements)]
        axis = 0
        while axis < len(shape) and not all(
            _is_in_blocks(elements, math.prod(shape[axis + 1 :])) for elements in moved
        ):
            axis += 1
        inner, extent = math.prod(shape[axis + 1 :]), shape[axis] if shape else 1
        places = {start // inner % extent for elements in moved for start, _ in runs_in(elements, shape)} - {0}
        granule = word if math.prod(shape[:axis]) == 1 else math.gcd(word, inner * extent * unit)
        for place in places:
            granule = math.gcd(granule, (place - min(places)) * inner * unit)
        begins = min(places, default=0) * inner * unit
        worst = max(place for place in range(word) if (place - begins) % granule == 0)
        return Requester(array, shape, unit, word, memory, worst)

    def words(self, longest: int) -> int:
        """The words of each request of a step whose longest run has so many elements, before they are cut."""
        return (self.worst + longest * self.size - 1) // self.word + 1

    def serve(self, now: int, elements: Ints, step: int) -> int:
        """When the last word of a step's elements is there, of which the first is requested at cycle `now`.

        Raises SimulatorError (`request-too-short`) where a run is longer than what is requested for it.
        """
        runs = runs_in(np.sort(elements), self.shape)
        words = self.words(max(size for _, size in runs))
        parts = -(-words // self.memory.max_burst_words)
        each, done, issued = -(-words // parts), list[int](), now - 1
        for start, size in runs:
            first = start * self.size // self.word
            last = ((start + size) * self.size - 1) // self.word
            if last >= first + parts * each:
                message = f"step {step} requests {parts * each} words of a run of '{self.array}' that has more"
                raise fault("request-too-short", message)
            for _ in range(parts):
                before = done[-self.memory.outstanding] if len(done) >= self.memory.outstanding else now
                issued = max(issued + 1, before)
                time = max(issued + (self.memory.latency or 0), done[-1] if done else now)
                for _ in range(each):
                    time += 1
                done.append(time)
        return done[-1]


def _is_in_blocks(elements: Ints, size: int) -> bool:
    """Whether all blocks of consecutive elements are there whole, or not at all."""
    return bool((np.unique(elements // size, return_counts=True)[1] == size).all())
