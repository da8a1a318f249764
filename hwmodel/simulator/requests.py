"""Requests of runs, one by one: a second reading of docs/machine.md, section 4, "Runs", beside `hwmodel.cost_model`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np

from arrayol.arrays import IntArray
from hwmodel.accesses import Extents
from hwmodel.local_words import LocalWord
from hwmodel.platform_memories import ExternalMemory
from hwmodel.simulator.schedule.plan import fault

_ASKED = 1 << 12  # steps whose requests are kept
_SERVED = 1 << 10  # elements of a step whose cycles are kept

Run = tuple[int, int]  # the first element, and how many follow each other


def runs_in(elements: IntArray, shape: Extents, *, apart: bool = False) -> list[Run]:
    """The runs of distinct elements of an array, ascending; rows join if both are whole.

    With `apart` none goes on from one entry of the first axis to the next.

    Neighbours are consecutive within a row, or where one block of an axis ends and the next begins. Blocks of several
    axes may end there: those of the outermost axis are the largest, and if they are whole so are all others.
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
    if apart:
        entry = ascending // math.prod(shape[1:])
        follows &= entry[1:] == entry[:-1]
    heads = np.flatnonzero(np.append(True, ~follows))
    sizes = np.diff(heads, append=len(ascending))
    return list(zip(ascending[heads].tolist(), sizes.tolist(), strict=True))


def spans_in(elements: IntArray, shape: Extents, axis: int, distance: int) -> list[Run]:
    """The runs that are requested as whole entries of an axis: entries of one row within a distance are joined."""
    inner = math.prod(shape[axis + 1 :])
    entry = np.sort(elements) // inner
    apart = (np.diff(entry) > distance) | (np.diff(entry // shape[axis]) > 0)
    first, last = entry[np.append(True, apart)], entry[np.append(apart, True)]
    return list(zip((first * inner).tolist(), ((last - first + 1) * inner).tolist(), strict=True))


def _distances(steps: Sequence[IntArray], shape: Extents, axis: int) -> list[int]:
    """The distances of consecutive entries of a row in some step, and 1, ascending."""
    distances = {1}
    for elements in steps:
        entry = np.sort(elements) // math.prod(shape[axis + 1 :])
        same = np.diff(entry // shape[axis]) == 0
        distances.update(np.unique(np.diff(entry)[same]).tolist())
    return sorted(distances - {0})


@lru_cache(maxsize=1 << 12)
def _end(number: int, latency: int, passing: int, outstanding: int) -> int:
    """The cycle in which the last word of so many requests has come, if the first is made in cycle 0."""
    done, issued = list[int](), -1
    for _ in range(number):
        issued = max(issued + 1, done[-outstanding] if len(done) >= outstanding else 0)
        done.append(max(issued + latency, done[-1] if done else 0) + passing)
    return done[-1]


@dataclass(frozen=True, slots=True)
class Way:
    """A way to request: run by run (`axis` is None), or entries of an axis that are joined up to a distance.

    `worst` is the latest position in a word at which any run that is requested so may start, `worst_part` that in the
    part of a word which the local memory takes, or gives, in a cycle.
    """

    axis: int | None
    distance: int
    worst: int
    worst_part: int


@dataclass(frozen=True, slots=True)
class Request:
    """The requests of a step: `runs`, each in `parts` requests of `each` words, which take `passing` cycles to pass."""

    runs: tuple[Run, ...]
    parts: int
    each: int
    passing: int


@dataclass(frozen=True)
class Requester:
    """The requests of one array in a group: its shape, and the sizes of an element and of a word in one unit.

    The local memory takes, or gives, a `local` word in a cycle; None if it takes any word at once. The first of the
    `ways` is run by run. Entries of the first axis that lie `apart` are never requested together, and begin at words.
    """

    array: str
    shape: Extents
    size: int
    word: int
    memory: ExternalMemory
    ways: tuple[Way, ...]
    local: LocalWord | None = None
    apart: bool = False
    _known: dict[tuple[int, bytes], tuple[IntArray, IntArray, IntArray]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    _asked: dict[bytes, Request] = field(default_factory=dict, init=False, repr=False, compare=False)
    _served: dict[bytes, tuple[int, IntArray]] = field(default_factory=dict, init=False, repr=False, compare=False)

    @staticmethod
    def of(
        array: str,
        shape: Extents,
        size: int,
        memory: ExternalMemory,
        steps: Sequence[IntArray],
        local: LocalWord | None = None,
        *,
        apart: bool = False,
    ) -> Requester:
        """The requester of an array, given the elements that each step of the group moves.

        An element has `size` bytes. Entries of the first axis may lie `apart`.
        """
        unit, word = (
            (1, memory.data_per_word) if memory.data_per_word is not None else (size, (memory.word_bits or 8) // 8)
        )
        moved = [elements for elements in steps if len(elements)]
        own = Requester(array, shape, unit, word, memory, (), local, apart)
        runs = [runs_in(elements, shape, apart=apart) for elements in moved]
        axis = 0
        while axis < len(shape) and not all(
            _is_in_blocks(elements, math.prod(shape[axis + 1 :])) for elements in moved
        ):
            axis += 1
        ways = [Way(None, 0, *own.worst(runs, axis))]
        for axis in range(int(apart), len(shape)) if any(len(run) > 1 for run in runs) else ():
            for distance in _distances(moved, shape, axis):
                spans = [spans_in(elements, shape, axis, distance) for elements in moved]
                ways.append(Way(axis, distance, *own.worst(spans, axis)))
        return replace(own, ways=tuple(ways))

    def worst(self, runs: Sequence[Sequence[Run]], axis: int) -> tuple[int, int]:
        """The latest places in a word, and in a part of it, at which runs of whole entries of an axis may start."""
        inner, extent = math.prod(self.shape[axis + 1 :]), self.shape[axis] if self.shape else 1
        places = {start // inner % extent for run in runs for start, _ in run if axis or not self.apart} - {0}
        rows = math.prod(self.shape[int(self.apart) : axis])
        begins, apart = min(places, default=0), 0 if rows == 1 else extent
        apart = math.gcd(apart, *(place - begins for place in places)) * inner * self.size
        part = self.word if self.local is None else self.local.width * self.size
        word, part = (
            side - step + begins * inner * self.size % step
            for side in (self.word, part)
            for step in [math.gcd(side, apart)]  # which divides its side
        )
        return word, part

    def request_for(self, elements: IntArray) -> Request:
        """The requests of a step for these elements: in the fewest cycles, of equal ones with the fewest words.

        Those of the same elements some entries of the first axis further on are the same, further on.
        """
        least, entry = int(elements.min()), math.prod(self.shape[1:])
        ahead = least - least % entry
        key = (elements - ahead).tobytes()
        if key not in self._asked:
            if len(self._asked) >= _ASKED:
                self._asked.clear()
            self._asked[key] = self._best(elements - ahead)
        asked = self._asked[key]
        return replace(asked, runs=tuple((start + ahead, size) for start, size in asked.runs))

    def _best(self, elements: IntArray) -> Request:
        runs = runs_in(elements, self.shape, apart=self.apart)
        found = [self._request_for(self.ways[0], runs)]
        for way in self.ways[1:] if len(runs) > 1 else ():
            assert way.axis is not None, "only the first is run by run"
            spans = spans_in(elements, self.shape, way.axis, way.distance)
            found += [self._request_for(way, spans)] if len(spans) < len(runs) else []
        return min(found, key=self._cost)

    def _cost(self, asked: Request) -> tuple[int, int]:
        """The cycles and the words of requests, for comparison."""
        number = len(asked.runs) * asked.parts
        cycles = _end(number, self.memory.latency or 0, asked.passing, self.memory.outstanding)
        return cycles, number * asked.each

    def _request_for(self, way: Way, runs: Sequence[Run]) -> Request:
        """The requests of a step for some runs, in one way."""
        longest = max(size for _, size in runs)
        words = self.words(way, longest)
        parts = -(-words // self.memory.max_burst_words)
        each = -(-words // parts)
        return Request(tuple(runs), parts, each, self.passing(way, longest, each))

    def words(self, way: Way, longest: int) -> int:
        """The words for each run of a step whose longest run has so many elements, before it is cut into requests."""
        return (way.worst + longest * self.size - 1) // self.word + 1

    def passing(self, way: Way, longest: int, each: int) -> int:
        """The cycles that each request of so many words takes, in a step whose longest run has so many elements."""
        if self.local is None:
            return each
        width, row, data = self.local.width, self.local.row, self.word // self.size
        ends = max(longest // row - 1, 0)
        if self.word % self.size:
            return max(each, each * math.ceil((data + 1) / width) + ends)
        parts = min(math.ceil((way.worst_part + longest * self.size) / (width * self.size)), each * data // width)
        ends = min(ends, (each * data + row - 2) // row)
        return max(each, parts + (ends if way.worst_part or row % width else 0))

    def parts(self, start: int, element: IntArray) -> tuple[IntArray, IntArray]:
        """The word of each element, counted from that of element `start`, and its local word, counted from 0.

        A word is taken as it comes, with the elements that it completes, and split at ends of rows.
        """
        width, row = (self.local.width, self.local.row) if self.local else (self.word, math.prod(self.shape))
        word = ((element + 1) * self.size - 1) // self.word
        parts = np.stack([word, (element - word * self.word // self.size) // width, element // row])
        begins = np.append(True, (np.diff(parts, axis=1) != 0).any(axis=0))
        return word - start * self.size // self.word, np.cumsum(begins) - 1

    def place(self, element: int) -> int:
        """The place of an element among those that follow each other, where entries of the first axis may lie apart."""
        return element % math.prod(self.shape[1:]) if self.apart else element

    @property
    def _alignment(self) -> int:
        """Elements after which places in a word and in a row are the same again."""
        row = self.local.row if self.local else math.prod(self.shape)
        return math.lcm(self.word // math.gcd(self.word, self.size), row)

    def _of_run(self, start: int, elements: IntArray) -> tuple[IntArray, IntArray, IntArray]:
        """For a run: the word of each element, the cycles of each word, and the delay of each element after its word.

        A word takes a cycle for each of its local words, and one if it completes no element. Runs that start at the
        same position in a word and in a row, with the same elements relative to the start, are computed once.
        """
        first = self.place(start) % self._alignment
        key = first, (elements - start).tobytes()
        if key not in self._known:
            word, local = self.parts(first, elements - start + first)
            heads = word[np.append(True, np.diff(local) > 0)]
            cycles_of = np.maximum(np.bincount(heads, minlength=int(word[-1]) + 1), 1)
            self._known[key] = word, cycles_of, local - local[np.searchsorted(word, word)]
        return self._known[key]

    def serve(self, now: int, elements: IntArray, step: int) -> tuple[int, IntArray]:
        """Serve a step's elements, ascending, the first of which is requested at cycle `now`.

        Returns when the last word is there, and the cycle in which each element passes to or from the local memory.
        Raises SimulatorError (`request-too-short`) if a run is longer than what is requested for it, or has more local
        words than cycles.
        """
        least = int(elements.min())
        unit = math.lcm(math.prod(self.shape[1:]), self._alignment)
        moved = elements - (least - least % unit)  # at the same places in words and rows
        if len(elements) > _SERVED:
            end, cycles = self._serve(moved, step)
            return now + end, now + cycles
        key = moved.tobytes()
        if key not in self._served:
            if len(self._served) >= _ASKED:
                self._served.clear()
            self._served[key] = self._serve(moved, step)
        end, cycles = self._served[key]
        return now + end, now + cycles

    def _serve(self, elements: IntArray, step: int) -> tuple[int, IntArray]:
        """Serve a step whose first request is made at cycle 0."""
        asked, cycles, done, issued = self.request_for(elements), list[IntArray](), list[int](), -1
        parts, each, passing = asked.parts, asked.each, asked.passing
        cuts = np.searchsorted(elements, [start for start, _ in asked.runs])
        for (start, _), own_elements in zip(asked.runs, np.split(elements, cuts[1:]), strict=True):
            word, taken, later = self._of_run(start, own_elements)
            if len(taken) > parts * each:
                message = f"step {step} requests {parts * each} words of a run of '{self.array}' that has more"
                raise fault("request-too-short", message)
            begins = np.zeros(len(taken), np.int64)
            for part in range(parts):
                part_cycles = taken[part * each : (part + 1) * each]
                if int(part_cycles.sum()) > passing:
                    message = f"step {step} requests a run of '{self.array}' for {passing} cycles, but its memory needs"
                    raise fault("request-too-short", f"{message} {int(part_cycles.sum())}")
                before = done[-self.memory.outstanding] if len(done) >= self.memory.outstanding else 0
                issued = max(issued + 1, before)
                time = max(issued + (self.memory.latency or 0), done[-1] if done else 0)
                begins[part * each : (part + 1) * each] = time + np.cumsum(part_cycles) - part_cycles
                done.append(time + passing)
            cycles.append(begins[word] + later)
        return done[-1], np.concatenate(cycles)


def _is_in_blocks(elements: IntArray, size: int) -> bool:
    """Whether all blocks of consecutive elements are present whole, or not at all."""
    blocks = elements // size
    there = np.bincount(blocks - blocks.min())
    return bool(((there == size) | (there == 0)).all())
