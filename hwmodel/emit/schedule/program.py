"""Programs: a long sequence of symbols as nested loops, with one counter for each loop.

An agent's activity repeats from cycle to cycle: rounds of a line, lines of a block, blocks of a strip. `rolled` finds
these loops in the sequence itself. A stretch of n consecutive equal parts of p symbols becomes one node, the shortest p
first, until nothing repeats any more. Equal stretches become equal nodes, so loops of loops are found by the same rule.
The program unrolls to exactly the sequence that it was made from (`unrolled`), whatever loops were found.

A program is kept flat, as hardware runs it: a list of instructions, each a symbol for a number of cycles, with the
loops that end after it, the innermost first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import IntArray

MOST_INSTRUCTIONS = 1 << 13  # of the program of an agent; a part that repeats and is longer makes none


@dataclass(frozen=True, slots=True)
class ProgramLoop:
    """A loop from instruction `start` on, run `times` times; `depth` counts the loops around it."""

    start: int
    times: int
    depth: int


@dataclass(frozen=True, slots=True)
class Instruction:
    """A symbol for some cycles, and the loops that end after it, the innermost first."""

    symbol: int
    cycles: int
    ends: tuple[ProgramLoop, ...] = ()


@dataclass(frozen=True, slots=True)
class Program:
    """Instructions in the order in which they run; those before number `again` run only in the first frame."""

    instructions: tuple[Instruction, ...]
    again: int = 0

    @property
    def depth(self) -> int:
        """The depth of the deepest loop nest."""
        return max((loop.depth + 1 for each in self.instructions for loop in each.ends), default=0)

    @property
    def times(self) -> tuple[int, ...]:
        """By depth, the most iterations of a loop."""
        most = [1] * self.depth
        for loop in (loop for each in self.instructions for loop in each.ends):
            most[loop.depth] = max(most[loop.depth], loop.times)
        return tuple(most)

    def unrolled(self) -> IntArray:
        """The sequence of symbols, one for each cycle."""
        counters, at, symbols, cycles = [0] * self.depth, 0, list[int](), list[int]()
        while at < len(self.instructions):
            instruction = self.instructions[at]
            symbols.append(instruction.symbol)
            cycles.append(instruction.cycles)
            at += 1
            for loop in instruction.ends:
                counters[loop.depth] += 1
                if counters[loop.depth] < loop.times:
                    at = loop.start
                    break
                counters[loop.depth] = 0
        return np.repeat(np.array(symbols, np.int64), np.array(cycles, np.int64))


def rolled(symbols: IntArray) -> Program:
    """The program of a sequence of symbols, none negative."""
    return Program(tuple(_flat(_Rolling(symbols).nodes())))


def after_setup(setup: Program, program: Program) -> Program:
    """A program preceded by a setup that runs once."""
    first = len(setup.instructions)
    moved = [
        Instruction(
            instruction.symbol,
            instruction.cycles,
            tuple(ProgramLoop(loop.start + first, loop.times, loop.depth) for loop in instruction.ends),
        )
        for instruction in program.instructions
    ]
    return Program((*setup.instructions, *moved), first)


@dataclass(frozen=True, slots=True)
class _Node:
    """A symbol or a sequence of parts, repeated `times` times."""

    body: tuple[_Node, ...] | int
    times: int


class _Rolling:
    """A sequence while its loops are found; each number is a symbol or a part that repeats."""

    def __init__(self, symbols: IntArray) -> None:
        self.numbers = symbols.astype(np.int32, copy=False)  # half the time of comparing numbers of 64 bits
        first = int(symbols.max(initial=-1)) + 1
        self.first = first
        self.parts: list[tuple[tuple[int, ...], int]] = []  # by number from `first` on: the body and its repetitions
        self.known: dict[tuple[tuple[int, ...], int], int] = {}

    def nodes(self) -> tuple[_Node, ...]:
        """The nodes of the whole sequence, after all loops are found."""
        period = 1
        while period <= min(MOST_INSTRUCTIONS, len(self.numbers) // 2):
            # A new node may complete a repetition of a shorter period, so the search starts again from 1.
            if self._may_repeat(period) and self._joined(period) if period > 1 else self._joined_runs():
                period = 1
            else:
                period += 1
        return tuple(self._node(number) for number in self.numbers.tolist())

    def _joined_runs(self) -> bool:
        """As `_joined` of period 1, of which there may be as many stretches as symbols."""
        starts = np.append(0, np.flatnonzero(self.numbers[1:] != self.numbers[:-1]) + 1)
        if len(starts) == len(self.numbers):
            return False
        times, numbers = np.diff(starts, append=len(self.numbers)), self.numbers[starts]
        several = np.flatnonzero(times > 1)
        keys = times[several] << 32 | numbers[several]
        _, first, which = np.unique(keys, return_index=True, return_inverse=True)
        known = np.empty(len(first), np.int32)
        for place in np.argsort(first).tolist():
            run = several[first[place]]
            known[place] = self._number((int(numbers[run]),), int(times[run]))
        numbers[several] = known[which.reshape(-1)]
        self.numbers = numbers
        return True

    def _may_repeat(self, period: int) -> bool:
        """Whether a stretch may repeat with a period: only a few positions are compared.

        A run of as many positions as a period, each equal to that a period later, has two neighbours of these.
        """
        few = slice(None, None, period // 2)
        same = self.numbers[:-period][few] == self.numbers[period:][few]
        return bool((same[1:] & same[:-1]).any())

    def _joined(self, period: int) -> bool:
        """Replace each stretch that repeats with a period by one number; whether there was any."""
        # A run of `length` positions that equal those a period later is a repetition of length + period symbols.
        differs = np.flatnonzero(self.numbers[period:] != self.numbers[:-period])
        begins = np.append(0, differs + 1)
        lengths = np.append(differs, len(self.numbers) - period) - begins
        long = lengths >= period
        parts, done = list[NDArray[np.int32]](), 0
        for begin, length in zip(begins[long].tolist(), lengths[long].tolist(), strict=True):
            # Stretches of one period may overlap: the second one starts where the first ends.
            start = max(begin, done)
            times = (begin + length - start) // period + 1
            if times < 2:
                continue
            body = tuple(self.numbers[start : start + period].tolist())
            parts += [self.numbers[done:start], np.array([self._number(body, times)], np.int32)]
            done = start + times * period
        if not parts:
            return False
        self.numbers = np.concatenate([*parts, self.numbers[done:]])
        return True

    def _number(self, body: tuple[int, ...], times: int) -> int:
        """The number of a repeated body; equal ones share a number."""
        key = body, times
        if key not in self.known:
            self.known[key] = self.first + len(self.parts)
            self.parts.append(key)
        return self.known[key]

    def _node(self, number: int) -> _Node:
        """The node of a number; a repeated single symbol becomes one node without a body."""
        if number < self.first:
            return _Node(number, 1)
        body, times = self.parts[number - self.first]
        if len(body) == 1 and body[0] < self.first:
            return _Node(body[0], times)
        return _Node(tuple(self._node(part) for part in body), times)


def _flat(nodes: Sequence[_Node]) -> Iterator[Instruction]:
    """The instructions of nodes, with the end of each loop noted at its last instruction."""
    instructions: list[Instruction] = []

    def add(node: _Node, depth: int) -> None:
        if isinstance(node.body, int):
            instructions.append(Instruction(node.body, node.times))
            return
        start = len(instructions)
        for part in node.body:
            add(part, depth + 1)
        last = instructions[-1]
        instructions[-1] = Instruction(last.symbol, last.cycles, (*last.ends, ProgramLoop(start, node.times, depth)))

    for node in nodes:
        add(node, 0)
    yield from instructions
