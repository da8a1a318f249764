"""Requests of a port that requests runs from the external memory (docs/machine.md, section 4, "Runs").

The idea. All requests of an array in a step have the same number of words: enough for its longest run, at the worst
start in a word that any run of the group may have. Starts are positions on one axis of the array, the row axis: inside
of it whole parts are moved, so only the start in a row matters. Starts at the beginning of a row do no harm, since they
are at multiples of the granule, where the worst start is no earlier.

A step with several runs may also move the elements between them. It then requests whole entries of one axis, those
within a distance as one run (`Spans`), if that takes fewer cycles than its runs do.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import IntArray
from hwmodel.accesses import Extents
from hwmodel.cost_model.numbering import ascending
from hwmodel.local_words import LocalWord
from hwmodel.platform_memories import ExternalMemory

_FAR = 1 << 62


@dataclass(frozen=True, eq=False)
class ElementRuns:
    """Runs of elements of one array: the step of each, its first element, and its number of elements."""

    step: IntArray
    start: IntArray
    data: IntArray

    @staticmethod
    def of(element: IntArray, step: IntArray, shape: Extents, *, apart: bool = False) -> ElementRuns:
        """The runs of elements that are moved in steps.

        A run ends at the end of a row, unless the rows on both sides are moved whole; the same holds for lines of rows,
        and so on outwards. Entries of the first axis may lie `apart`: then it ends with them.
        """
        order = np.lexsort((element, step))
        element, step = element[order], step[order]
        joined = (np.diff(step, prepend=-1) == 0) & (np.diff(element, prepend=-2) == 1)
        for axis in range(len(shape) - 1, 0, -1):  # ends of longer lines are ends of rows too, and decide
            line = math.prod(shape[axis:])
            if line > 1:
                at = np.flatnonzero(joined & (element % line == 0))
                joined[at] = False
                at = at[(at >= line) & (at + line <= len(element))]
                before, after = at - line, at + line - 1
                whole = (element[before] == element[at] - line) & (step[before] == step[at])
                joined[at] = whole & (element[after] == element[at] + line - 1) & (step[after] == step[at])
        if apart:
            joined[element % math.prod(shape[1:]) == 0] = False
        starts = np.flatnonzero(~joined)
        return ElementRuns(step[starts], element[starts], np.diff(np.append(starts, len(element))))


@dataclass(frozen=True, eq=False)
class Spans:
    """Entries of one axis that hold moved elements, step by step and ascending.

    Neighbours that one run covers together.

    An entry is an index of the axis with all inner elements, `inner` of them. A span goes from entry `first` to `last`
    of a row of the axis. `distance` is that to the span before, _FAR at the start of a row.
    """

    inner: int
    step: IntArray
    first: IntArray
    last: IntArray
    distance: IntArray

    @staticmethod
    def of(runs: ElementRuns, shape: Extents, axis: int) -> Spans:
        """The spans of entries that some runs touch."""
        inner, extent = math.prod(shape[axis + 1 :]), shape[axis]
        first, last = runs.start // inner, (runs.start + runs.data - 1) // inner
        rows = last // extent - first // extent + 1  # of the axis, in a run of whole ones
        run = np.repeat(np.arange(len(rows)), rows)
        row = first[run] // extent + np.arange(len(run)) - (np.cumsum(rows) - rows)[run]
        step = runs.step[run]
        first, last = np.maximum(first[run], row * extent), np.minimum(last[run], (row + 1) * extent - 1)
        distance = first - np.append(0, last[:-1])
        distance[(np.diff(step, prepend=-1) != 0) | (np.diff(row, prepend=-1) != 0)] = _FAR
        return Spans(inner, step, first, last, distance)

    @property
    def distances(self) -> list[int]:
        """The distances of spans within a row, and 1; any other distance gives the same runs as one of these."""
        near = self.distance[(self.distance < _FAR) & (self.distance > 1)]
        distances: list[int] = ascending(np.append(1, near)).tolist()
        return distances

    def within(self, distance: int) -> ElementRuns:
        """The runs that join entries at most a distance apart, with all elements between them."""
        heads = np.flatnonzero(self.distance > distance)
        first, last = self.first[heads], self.last[np.append(heads[1:], len(self.last)) - 1]
        return ElementRuns(self.step[heads], first * self.inner, (last - first + 1) * self.inner)


@dataclass(frozen=True, eq=False)
class Requests:
    """The requests of one array by step: how many, the words of each, and the cycles in which one passes."""

    number: IntArray
    words: IntArray
    passing: IntArray

    def cycles(self, latency: int, outstanding: int) -> IntArray:
        """Cycles from the first request of each step to its last word, with at most `outstanding` unfinished.

        0 without any.
        """
        rounds, remainder = np.divmod(np.maximum(self.number - 1, 0), outstanding)
        first = latency + self.passing
        time = first + rounds * np.maximum(first, outstanding * self.passing) + remainder * self.passing
        return np.where(self.number > 0, time, 0)

    def where(self, chosen: NDArray[np.bool_], other: Requests) -> Requests:
        """Take these requests for the steps in a mask, and `other` for all others."""
        pairs = (self.number, other.number), (self.words, other.words), (self.passing, other.passing)
        return Requests(*(np.where(chosen, own, others) for own, others in pairs))


AskedFor = tuple[IntArray, IntArray, IntArray]  # what `Requested.requests` takes: numbers of runs, the longest, starts


@dataclass(frozen=True, eq=False)
class Requested:
    """How an array of a shape, with elements of `size` bytes, is requested from an external memory.

    The local memory takes, or gives, `local` words; None if it keeps pace with any port. With `apart` entries of the
    first axis do not follow each other: each begins at a word.
    """

    shape: Extents
    size: int
    memory: ExternalMemory
    local: LocalWord | None = None
    apart: bool = False

    @property
    def units(self) -> tuple[int, int]:
        """The sizes of an element and of a word in one unit: bytes, or data with `data_per_word`."""
        memory = self.memory
        return (1, memory.data_per_word) if memory.data_per_word else (self.size, (memory.word_bits or 8) // 8)

    def by_step(self, element: IntArray, step: IntArray, steps: int) -> Requests:
        """The requests in each of `steps` steps for elements, which are all that the group moves of the array."""
        runs = ElementRuns.of(element, step, self.shape, apart=self.apart)
        each = self._each(runs, steps)
        return self.fewest(self.requests(*each), each[0], partial(self._in_spans, runs, steps))

    def _each(self, runs: ElementRuns, steps: int, axis: int | None = None) -> AskedFor:
        """The arguments of `requests` for some runs; runs of whole entries of an axis have this as their row axis."""
        number, longest = np.bincount(runs.step, minlength=steps), np.zeros(steps, np.int64)
        np.maximum.at(longest, runs.step, runs.data)
        return number, longest, axis_starts(runs, self.shape, axis)

    def _in_spans(self, runs: ElementRuns, steps: int, axis: int) -> Iterator[AskedFor]:
        """The arguments of `requests` for whole entries of an axis, at each distance."""
        spans = Spans.of(runs, self.shape, axis)
        return (self._each(spans.within(distance), steps, axis) for distance in spans.distances)

    def fewest(self, found: Requests, runs: IntArray, in_spans: Callable[[int], Iterator[AskedFor]]) -> Requests:
        """In each step, the requests with the fewest cycles, and of equal ones those with the fewest words.

        Candidates are those `found` for `runs`, and those of whole entries of an axis at a distance, if they are fewer.
        """
        (unit, word), latency = self.units, self.memory.latency or 0
        cycles = found.cycles(latency, self.memory.outstanding)
        for axis in range(int(self.apart), len(self.shape)) if (runs > 1).any() else ():
            for number, longest, starts in in_spans(axis):
                least = latency + number * -(-longest * unit // word)
                if not (fewer := (number < runs) & (least <= cycles)).any():
                    continue
                other = self.requests(number, longest, starts)
                others = other.cycles(latency, self.memory.outstanding)
                equal = (others == cycles) & (other.number * other.words < found.number * found.words)
                better = fewer & ((others < cycles) | equal)
                found, cycles = other.where(better, found), np.where(better, others, cycles)
        return found

    def requests(self, number: IntArray, longest: IntArray, starts: IntArray) -> Requests:
        """The requests of a `number` of runs in each step, (..., K), of which the longest has so many elements.

        `starts` (..., 3) describes where runs start, as for `worst_starts`.
        """
        unit, word = self.units
        words = (longest * unit - 1 + self.worst(starts, word)[..., None]) // word + 1
        pieces = np.maximum(-(-words // self.memory.max_burst_words), 1)
        each = -(-words // pieces)
        passing = each if self.local is None else np.maximum(each, self._local(self.local, longest, each, starts))
        return Requests(number * pieces, *(np.where(number > 0, count, 0) for count in (each, passing)))

    def worst(self, starts: IntArray, word: int) -> IntArray:
        """The latest position in a word of so many units at which a run may start, (...)."""
        shape = self.shape
        if self.apart:
            shape, starts = (1, *shape[1:]), np.where(starts[..., :1] == 0, 0, starts)
        return worst_starts(starts, shape, self.units[0], word)

    def _local(self, local: LocalWord, longest: IntArray, each: IntArray, starts: IntArray) -> IntArray:
        """An upper bound of the local words that pass with `each` words of a request, for runs of these lengths.

        A word is taken as it comes: in parts of local words, which are split where a row ends. If elements do not
        divide a word, it may have one more of them than fit into it.
        """
        unit, word = self.units
        within = word // unit
        crossed = longest // local.row - 1
        if word % unit:
            return each * -(-(within + 1) // local.width) + np.maximum(crossed, 0)
        part = local.width * unit
        worst = self.worst(starts, part)[..., None]
        parts = np.minimum((longest * unit - 1 + worst) // part + 1, each * (within // local.width))
        crossed = np.minimum(crossed, (each * within + local.row - 2) // local.row)
        if local.row * unit % part == 0:
            crossed = np.where(worst > 0, crossed, 0)
        most: IntArray = parts + np.maximum(crossed, 0)
        return most


def axis_starts(runs: ElementRuns, shape: Extents, axis: int | None = None) -> IntArray:
    """The argument of `worst_starts` for some runs, (3,): their row axis, and where on it they start.

    The row axis is `axis`, or the outermost axis along which runs consist of whole entries.
    """
    row, start = 0, 0 * runs.start
    for number, extent in enumerate(shape):
        inner = math.prod(shape[number + 1 :])
        if number == axis or (axis is None and not ((runs.start % inner).any() or (runs.data % inner).any())):
            row, start = number, runs.start // inner % extent
            break
    inside = np.unique(start[start > 0])
    first = inside[:1].sum()
    return np.array([row, np.gcd.reduce(inside - first), first])


def worst_starts(axis_starts: IntArray, shape: Extents, size: int, word: int) -> IntArray:
    """The latest position in a word at which a run may start, for sets of runs (..., 3).

    A set has its row axis, the greatest common divisor of the differences between the positions there where runs start,
    and the first of these positions (0 and 0 without any); the beginning of a row is left out. `size` is that of an
    element, in the unit of `word`.
    """
    axis, differences, first = np.moveaxis(axis_starts, -1, 0)
    row = np.array([math.prod(shape[k:]) for k in range(max(len(shape), 1))])[axis] * size
    inner = np.array([math.prod(shape[k + 1 :]) for k in range(max(len(shape), 1))])[axis] * size
    several = row < math.prod(shape) * size
    granule = np.gcd(np.gcd(word, np.where(several, row, 0)), differences * inner)
    worst: IntArray = word - granule + first * inner % granule
    return worst


def local_words(local: LocalWord, data: IntArray) -> IntArray:
    """The number of local words of runs of so many elements; each row of a run begins a new one."""
    of_rows: IntArray = data // local.row * -(-local.row // local.width)
    return np.where(data < local.row, -(-data // local.width), of_rows)
