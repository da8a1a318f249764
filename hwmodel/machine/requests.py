"""Requests of a port whose memory is asked run by run (docs/machine.md, section 4, "Runs").

All requests of one array in one step have the same number of words, enough for its longest run at the worst start in a
word that any run of the group may have. Starts of runs lie at places of one axis of the array, the row axis: within it
whole rows are moved, so what matters is where in a row runs start. Starts at the beginning of a row do no harm: they
lie at multiples of the granule, where the worst start is no earlier.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hwmodel.accesses import Extents
from hwmodel.machine.group import Elements
from hwmodel.platform import ExternalMemory


@dataclass(frozen=True, eq=False)
class ElementRuns:
    """Runs of elements of one array: the step of each, its first element and how many it has."""

    step: Elements
    start: Elements
    data: Elements

    @staticmethod
    def of(element: Elements, step: Elements, shape: Extents) -> ElementRuns:
        """Those of elements that are moved in steps; a run goes on over the end of a row from whole row to whole row.

        That holds for lines of rows likewise, and so on outwards.
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
        starts = np.flatnonzero(~joined)
        return ElementRuns(step[starts], element[starts], np.diff(np.append(starts, len(element))))


@dataclass(frozen=True, eq=False)
class Requests:
    """By step: how many requests there are of one array, and the words of each."""

    number: Elements
    words: Elements

    def cycles(self, latency: int, outstanding: int) -> Elements:
        """From the first request of each step to its last word, at most `outstanding` unfinished; 0 without any."""
        rounds, rest = np.divmod(np.maximum(self.number - 1, 0), outstanding)
        first = latency + self.words
        time = first + rounds * np.maximum(first, outstanding * self.words) + rest * self.words
        return np.where(self.number > 0, time, 0)


def worst_start(runs: ElementRuns, shape: Extents, size: int, word: int) -> int:
    """The latest place in a word at which a run may start, by what is known of all of them.

    `size` is that of an element, in the unit of `word`.
    """
    row, start = 0, 0 * runs.start
    for axis, extent in enumerate(shape):
        inner = math.prod(shape[axis + 1 :])
        if not ((runs.start % inner).any() or (runs.data % inner).any()):
            row, start = axis, runs.start // inner % extent
            break
    inside = np.unique(start[start > 0])
    first = inside[:1].sum()
    axis_starts = np.array([[row, np.gcd.reduce(inside - first), first]])
    return int(worst_starts(axis_starts, shape, size, word)[0])


def worst_starts(axis_starts: Elements, shape: Extents, size: int, word: int) -> Elements:
    """The same of several sets of runs, (S,), by what is known of each, (S, 3).

    That is its row axis, the greatest common divisor of the differences between the places there where runs start, and
    the first of these places (0 and 0 without any); the beginning of a row left out.
    """
    axis, differences, first = axis_starts.T
    row = np.array([math.prod(shape[k:]) for k in range(max(len(shape), 1))])[axis] * size
    inner = np.array([math.prod(shape[k + 1 :]) for k in range(max(len(shape), 1))])[axis] * size
    several = row < math.prod(shape) * size
    granule = np.gcd(np.gcd(word, np.where(several, row, 0)), differences * inner)
    worst: Elements = word - granule + first * inner % granule
    return worst


def units_of_words(memory: ExternalMemory, size: int) -> tuple[int, int]:
    """An element of `size` bytes and a word in one unit: bytes, or data with `data_per_word`."""
    return (1, memory.data_per_word) if memory.data_per_word else (size, (memory.word_bits or 8) // 8)


def requests_of(
    number: Elements, longest: Elements, worst: int | Elements, size: int, memory: ExternalMemory
) -> Requests:
    """The requests of so many runs, whose longest has so many elements of `size` bytes, from their worst start on."""
    unit, word = units_of_words(memory, size)
    words = (longest * unit - 1 + worst) // word + 1
    pieces = np.maximum(-(-words // memory.max_burst_words), 1)
    return Requests(number * pieces, np.where(number > 0, -(-words // pieces), 0))


def requests_by_step(runs: ElementRuns, steps: int, shape: Extents, size: int, memory: ExternalMemory) -> Requests:
    """The requests of one array in each of `steps` steps; elements of `size` bytes."""
    number, longest = np.bincount(runs.step, minlength=steps), np.zeros(steps, np.int64)
    np.maximum.at(longest, runs.step, runs.data)
    return requests_of(number, longest, worst_start(runs, shape, *units_of_words(memory, size)), size, memory)
