"""Identities of values, as numbers: an element of an input array, or a result of a repetition.

The fourth proof (value_proof.py) follows values through a schedule without computing them. It needs only to know
whether two values are the same. The value of an element from the external memory has the element's number. A result of
a task has a number made of its output, its repetition and its position in the pattern. So a repetition that runs twice
makes the same values again.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import IntArray
from arrayol.ir.spec import Delay, port_named
from hwmodel.accesses import Accesses, Touch, flat

UNKNOWN = -1  # a word that nothing has written, or in a cycle that is not known
CONSTANT = -2  # the constant of a border or of a delay
BEFORE = 1 << 60  # what is added to the number of a value of the frame before
_OUTPUTS = 44  # bits of the numbers of an output's results


@dataclass(frozen=True)
class Values:
    """The values of a group with some tasks, and the values that the specification wants at each place."""

    accesses: Accesses
    tasks: Sequence[str]
    _wanted: dict[str, IntArray] = field(default_factory=dict, repr=False)

    @cached_property
    def _outputs(self) -> list[tuple[str, str]]:
        """All outputs of the group's tasks, as (task, port).

        The position in this list, plus 1, is the high part of a number.
        """
        processes = self.accesses.network.processes
        return [(task, port.name) for task in self.tasks for port in processes[task].output_ports]

    def result_ids(self, task: str, output: str, repetition: IntArray, element: IntArray, size: int) -> IntArray:
        """The numbers of the results of an output with `size` elements, by repetition and element."""
        return (self._outputs.index((task, output)) + 1 << _OUTPUTS) + repetition * size + element

    def of_array(self, array: str) -> IntArray:
        """The value that each element of an array has after the group, (elements,)."""
        if array not in self._wanted:
            # An element that no task of the group writes has its own number: it comes from the external memory.
            values = np.arange(self.accesses.size(array))
            for task in self.tasks:
                for touch in (own for own in self.accesses.writes[task] if own.array == array):
                    rows, elements = self.accesses.touched(touch, self.accesses.repetitions(task))
                    size = elements.shape[1]
                    values[elements] = self.result_ids(task, touch.port, rows[:, None], np.arange(size), size)
            self._wanted[array] = values
        return self._wanted[array]

    def of_input(self, task: str, port: str, repetition: IntArray) -> IntArray:
        """The values that repetitions of a task take at an input, (repetitions, elements)."""
        touch = next((own for own in self.accesses.reads[task] if own.port == port), None)
        delay = next((own for own in self.accesses.network.processes[task].delays if own.port == port), None)
        at = self.accesses.repetitions(task)[repetition]
        if touch is not None:
            found = self._of_touch(touch, at)
        else:
            own = port_named(self.accesses.network.processes[task].input_ports, port)
            found = np.full((len(at), math.prod(extent or 1 for extent in own.shape)), CONSTANT)
        return found if delay is None else self._of_delay(task, delay, at, found)

    def _of_touch(self, touch: Touch, at: IntArray) -> IntArray:
        """The values that a tiler reads for some repetitions, with the constant of the border outside the array."""
        values = self.of_array(touch.array)[self.accesses.elements(touch, at)]
        border = touch.tiler.border
        if border is not None and border.is_constant:
            values = np.where(self.accesses.beyond(touch, at), CONSTANT, values)
        return values

    def _of_delay(self, task: str, delay: Delay, at: IntArray, default: IntArray) -> IntArray:
        """The results of the previous repetition of the delay, and `default` if there is no previous repetition."""
        extents, size = self.accesses.extents(task), default.shape[1]
        before = at - np.array(delay.vector, np.int64)
        there = np.asarray(((before >= 0) & (before < np.array(extents, np.int64))).all(axis=1))
        made = self.result_ids(task, delay.output, flat(before, extents)[:, None], np.arange(size), size)
        return np.where(there[:, None], made, default)

    def name(self, value: int, array: str | None) -> str:
        """A value as messages name it; a value that is not a result is an element of `array`."""
        if value == UNKNOWN:
            return "what is not known"
        if value == CONSTANT:
            return "the constant"
        if value >= BEFORE:
            return f"{self.name(value - BEFORE, array)} in the frame before"
        if value >> _OUTPUTS == 0:
            shape = self.accesses.shape(array) if array is not None else ()
            return f"element {place_at(value, shape)} of '{array}'"
        task, output = self._outputs[(value >> _OUTPUTS) - 1]
        port = port_named(self.accesses.network.processes[task].output_ports, output)
        repetition, element = divmod(value % (1 << _OUTPUTS), math.prod(extent or 1 for extent in port.shape))
        place = place_at(repetition, self.accesses.extents(task))
        return f"element {element} of '{output}' of repetition {place} of '{task}'"


def place_at(number: int, shape: Sequence[int]) -> str:
    """The indices of a row-major number, as text for messages."""
    indices = np.unravel_index(number, tuple(shape)) if shape else ()
    return f"({', '.join(str(int(index)) for index in indices)})"


@dataclass(frozen=True, eq=False)
class Writes:
    """Touches of a memory that write it: the word, the cycle, and the value of each."""

    words: IntArray
    cycles: IntArray
    values: IntArray


class History:
    """The contents of the words of a memory, cycle by cycle.

    A value that is written in a cycle can be read from the next cycle on. Cycles are counted over all steps, `span`
    cycles for each step.
    """

    def __init__(self, writes: Sequence[Writes], cycles: int) -> None:
        words, when, values = (
            np.concatenate([getattr(own, name) for own in writes]) if writes else np.zeros(0, np.int64)
            for name in ("words", "cycles", "values")
        )
        self.cycles = cycles + 2
        # One ascending key of (word, cycle), so that a binary search finds the last write before a cycle. A cycle may
        # be -1, thus the + 1.
        keys = words * self.cycles + when + 1
        order = np.argsort(keys, kind="stable")  # of one cycle the last one counts
        self.keys, self.words, self.values = keys[order], words[order], values[order]

    def at_the_end(self) -> tuple[IntArray, IntArray]:
        """All words that are written, and their values after all cycles."""
        last = np.flatnonzero(np.append(self.words[1:] != self.words[:-1], True)[: len(self.words)])
        return self.words[last], self.values[last]

    def at(self, words: IntArray, cycles: IntArray) -> IntArray:
        """The values of words in some cycles."""
        return self._values(self._places(words, cycles), words)

    def throughout(self, words: IntArray, first: IntArray, last: IntArray) -> IntArray:
        """The values of words that do not change between two cycles; UNKNOWN for all others."""
        places = self._places(words, first)
        return np.where(self._places(words, last) == places, self._values(places, words), UNKNOWN)

    def _places(self, words: IntArray, cycles: IntArray) -> IntArray:
        """For each word and cycle, the index in key order of the last write before it, maybe of another word."""
        return np.searchsorted(self.keys, words * self.cycles + cycles + 1) - 1

    def _values(self, places: IntArray, words: IntArray) -> IntArray:
        """The values of the writes at some indices; UNKNOWN if the write is of another word."""
        if not len(self.keys):
            return np.full(len(words), UNKNOWN)
        return np.where((places >= 0) & (self.words[places] == words), self.values[places], UNKNOWN)


Outside = Mapping[str, NDArray[np.bool_]]  # by array, whether each element is in the external memory
