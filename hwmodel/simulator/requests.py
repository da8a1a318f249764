"""Requests of runs, one by one: a second reading of docs/machine.md, section 4, "Runs", beside `hwmodel.machine`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from hwmodel.accesses import Extents
from hwmodel.local_words import LocalWord
from hwmodel.platform import ExternalMemory
from hwmodel.simulator.plan import Ints, fault

Run = tuple[int, int]  # the first element, and how many follow each other


def runs_in(elements: Ints, shape: Extents) -> list[Run]:
    """The runs of distinct elements of an array, ascending: rows join where both are whole.

    Neighbours follow each other in a row, or where one block of an axis ends and the next begins. Blocks of several
    axes may end there: those of the outermost are the largest, and if they are whole so are the others.
    """
    if len(elements) < 2:
        return [(int(element), 1) for element in elements]
    ascending = np.sort(elements)
    follows = ascending[1:] == ascending[:-1] + 1
    for axis in range(1, len(shape)):
        inner = math.prod(shape[axis:])
        block = ascending // inner
        ends = block[1:] != block[:-1]
        if not (ends & follows).any():  # as where rows have one element
            continue
        heads = np.flatnonzero(np.append(True, ends))
        size = np.diff(heads, append=len(block))
        whole = np.repeat(size == inner, size)
        follows &= ~ends | (whole[:-1] & whole[1:])
    heads = np.flatnonzero(np.append(True, ~follows))
    sizes = np.diff(heads, append=len(ascending))
    return list(zip(ascending[heads].tolist(), sizes.tolist(), strict=True))


@dataclass(frozen=True)
class Requester:
    """How one array is requested in a group: its shape, the size of an element and of a word in one unit.

    `worst` is the latest place in a word at which any of its runs may start, `worst_part` that in the part of it which
    the memory inside takes, or gives, in a cycle: its `local` word, None where it takes any word at once.
    """

    array: str
    shape: Extents
    size: int
    word: int
    memory: ExternalMemory
    worst: int
    local: LocalWord | None = None
    worst_part: int = 0
    _known: dict[Run, tuple[Ints, Ints, Ints]] = field(default_factory=dict, init=False, repr=False, compare=False)

    @staticmethod
    def of(
        array: str,
        shape: Extents,
        size: int,
        memory: ExternalMemory,
        steps: Sequence[Ints],
        local: LocalWord | None = None,
    ) -> Requester:
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
        begins, apart = min(places, default=0), 0 if math.prod(shape[:axis]) == 1 else extent
        apart = math.gcd(apart, *(place - begins for place in places)) * inner * unit
        part = word if local is None else local.width * unit
        steps_apart = (math.gcd(side, apart) for side in (word, part))  # each divides its side
        worst = (
            side - step + begins * inner * unit % step for side, step in zip((word, part), steps_apart, strict=True)
        )
        return Requester(array, shape, unit, word, memory, next(worst), local, next(worst))

    def words(self, longest: int) -> int:
        """The words of each request of a step whose longest run has so many elements, before they are cut."""
        return (self.worst + longest * self.size - 1) // self.word + 1

    def passing(self, longest: int, each: int) -> int:
        """The cycles that each request of so many words takes, in a step with such a longest run."""
        if self.local is None:
            return each
        width, row, data = self.local.width, self.local.row, self.word // self.size
        ends = max(longest // row - 1, 0)
        if self.word % self.size:
            return max(each, each * math.ceil((data + 1) / width) + ends)
        parts = min(math.ceil((self.worst_part + longest * self.size) / (width * self.size)), each * data // width)
        ends = min(ends, (each * data + row - 2) // row)
        return max(each, parts + (ends if self.worst_part or row % width else 0))

    def parts(self, start: int, size: int) -> tuple[Ints, Ints]:
        """Of each element of a run its word, counted from the run's first, and its local word, counted from 0.

        A word goes in as it comes, with the elements that it completes, parted at ends of rows.
        """
        width, row = (self.local.width, self.local.row) if self.local else (self.word, math.prod(self.shape))
        element = np.arange(start, start + size)
        word = ((element + 1) * self.size - 1) // self.word
        parts = np.stack([word, (element - word * self.word // self.size) // width, element // row])
        begins = np.append(True, (np.diff(parts, axis=1) != 0).any(axis=0))
        return word - start * self.size // self.word, np.cumsum(begins) - 1

    def _of_run(self, start: int, size: int) -> tuple[Ints, Ints, Ints]:
        """Of each element of a run its word, the cycles of each word, and how much later than its word an element goes.

        A word takes a cycle for each of its local words, and one if it completes no element. Runs that start at the
        same place in a word and in a row are alike.
        """
        row = self.local.row if self.local else math.prod(self.shape)
        key = start % math.lcm(self.word // math.gcd(self.word, self.size), row), size
        if key not in self._known:
            word, local = self.parts(*key)
            heads = word[np.append(True, np.diff(local) > 0)]
            taken = np.maximum(np.bincount(heads, minlength=int(word[-1]) + 1), 1)
            self._known[key] = word, taken, local - local[np.searchsorted(word, word)]
        return self._known[key]

    def serve(self, now: int, elements: Ints, step: int) -> tuple[int, Ints]:
        """Serve a step's elements, ascending, the first of which is requested at cycle `now`.

        Returns when the last word is there, and the cycle in which each element goes into the memory inside, or comes
        out of it. Raises SimulatorError (`request-too-short`) where a run is longer than what is requested for it, or
        has more local words than cycles.
        """
        runs, cycles = runs_in(elements, self.shape), list[Ints]()
        words = self.words(max(size for _, size in runs))
        parts = -(-words // self.memory.max_burst_words)
        each, done, issued = -(-words // parts), list[int](), now - 1
        passing = self.passing(max(size for _, size in runs), each)
        for start, size in runs:
            word, taken, later = self._of_run(start, size)
            if len(taken) > parts * each:
                message = f"step {step} requests {parts * each} words of a run of '{self.array}' that has more"
                raise fault("request-too-short", message)
            begins = np.zeros(len(taken), np.int64)
            for part in range(parts):
                own = taken[part * each : (part + 1) * each]
                if int(own.sum()) > passing:
                    message = f"step {step} requests a run of '{self.array}' for {passing} cycles, but its memory needs"
                    raise fault("request-too-short", f"{message} {int(own.sum())}")
                before = done[-self.memory.outstanding] if len(done) >= self.memory.outstanding else now
                issued = max(issued + 1, before)
                time = max(issued + (self.memory.latency or 0), done[-1] if done else now)
                begins[part * each : (part + 1) * each] = time + np.cumsum(own) - own
                done.append(time + passing)
            cycles.append(begins[word] + later)
        return done[-1], np.concatenate(cycles)


def _is_in_blocks(elements: Ints, size: int) -> bool:
    """Whether all blocks of consecutive elements are there whole, or not at all."""
    there = np.bincount(elements // size)
    return bool(((there == size) | (there == 0)).all())
