"""What an agent does in each of its cycles, and the program with counters that does the same.

An agent is who touches memories: the port, a task that reads, a task that writes. Its *rows* are the cycles in which
it is at work, step after step; through a *lane* it touches at most one word in each. `compiled` turns this table into
counters and a program: each lane has a counter for each digit of its bank and for its place in each section. A counter
goes on, round its modulus, by a number that hangs on the instruction alone; where a lane rests its counters rest too.
Behind the last row every counter is where the frame began, so that a frame follows a frame.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hwmodel.emit.schedule.memories import Memory
from hwmodel.emit.schedule.program import Program, after_setup, rolled

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Lanes:
    """Lanes side by side on one memory: by row and lane the word that is touched, -1 for none."""

    name: str
    memory: Memory
    words: Ints


@dataclass(frozen=True, eq=False)
class Activity:
    """The table of an agent. `ends` are the last rows of steps, one for each step.

    `controls` are numbers of each row beside what lanes touch, all from 0 on; `places` are numbers that are counted on
    as words are, by row, each with its modulus. With a `setup` the first step comes once, before all frames.
    """

    name: str
    ends: Ints
    lanes: tuple[Lanes, ...] = ()
    controls: Mapping[str, Ints] = field(default_factory=dict)
    places: Mapping[str, tuple[Ints, int]] = field(default_factory=dict)
    setup: bool = False

    @property
    def again(self) -> int:
        """The first row of a frame."""
        return int(self.ends[0]) + 1 if self.setup else 0

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return int(self.ends[-1]) + 1 if len(self.ends) else 0

    @property
    def starts(self) -> Ints:
        """The first row of each step."""
        return np.concatenate([[0], self.ends[:-1] + 1]).astype(np.int64)


@dataclass(frozen=True, slots=True)
class Counter:
    """A number that goes on by an instruction's number in `column`, round a modulus; `initial` in the first row."""

    modulus: int
    initial: int
    column: int


@dataclass(frozen=True, slots=True)
class LaneCounters:
    """The counters of a lane: of the digits of its bank, and of its place in each section (None: never there).

    `valid` is the column that says whether it touches a word, `section` the one that says in which section.
    """

    digits: tuple[Counter, ...]
    sections: tuple[Counter | None, ...]
    valid: int
    section: int | None


@dataclass(frozen=True)
class Agent:
    """An agent as hardware: a program whose symbols are rows of `columns`, one number in each column.

    `limits` has for each column one more than its greatest number. `lanes` has the counters by name of the lanes,
    `controls` the column of each control, `places` the counters of what is counted beside. The column `last` says
    that a step ends.
    """

    name: str
    program: Program
    columns: tuple[tuple[int, ...], ...]
    limits: tuple[int, ...]
    lanes: Mapping[str, tuple[LaneCounters, ...]]
    memories: Mapping[str, Memory]
    controls: Mapping[str, int]
    places: Mapping[str, Counter]
    last: int


class _Columns:
    """Columns of numbers by row, each once."""

    def __init__(self, rows: int, again: int) -> None:
        self.rows, self.again = rows, again
        self.columns: list[Ints] = []
        self.known: dict[bytes, int] = {}

    def add(self, numbers: Ints) -> int:
        """The number of a column."""
        numbers = np.ascontiguousarray(numbers, np.int64)
        key = numbers.tobytes()
        if key not in self.known:
            self.known[key] = len(self.columns)
            self.columns.append(numbers)
        return self.known[key]

    def counter(self, rows: Ints, values: Ints, modulus: int) -> Counter:
        """A counter with some values in some rows, which ascend; it stands still in between."""
        ahead = np.zeros(self.rows, np.int64)
        if len(rows):
            begins = int(np.searchsorted(rows, self.again))  # the first one of a frame
            after = np.append(values[1:], values[begins] if begins < len(values) else values[-1])
            ahead[rows] = (after - values) % modulus
        return Counter(modulus, int(values[0]) if len(rows) else 0, self.add(ahead))


def compiled(activity: Activity) -> Agent:
    """The agent that does what a table says."""
    columns = _Columns(activity.rows, activity.again)
    ends = np.zeros(activity.rows, np.int64)
    ends[activity.ends] = 1
    last = columns.add(ends)
    lanes = {own.name: tuple(_counters(columns, own)) for own in activity.lanes}
    controls = {name: columns.add(numbers) for name, numbers in activity.controls.items()}
    every = np.arange(activity.rows)
    places = {
        name: columns.counter(every[numbers >= 0], numbers[numbers >= 0], modulus)
        for name, (numbers, modulus) in activity.places.items()
    }
    table = np.stack(columns.columns, axis=1)
    symbols, kinds = _symbols(table)
    limits = tuple(int(most) + 1 for most in table.max(axis=0))
    rows = tuple(tuple(row) for row in kinds.tolist())
    memories = {own.name: own.memory for own in activity.lanes}
    program = rolled(symbols[activity.again :])
    if activity.setup:
        program = after_setup(rolled(symbols[: activity.again]), program)
    return Agent(activity.name, program, rows, limits, lanes, memories, controls, places, last)


def _symbols(table: Ints) -> tuple[Ints, Ints]:
    """The number of each row among those that differ, by first appearance, and these."""
    keys = np.ascontiguousarray(table).view(np.dtype((np.void, table.itemsize * table.shape[1]))).reshape(-1)
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return rank[inverse.reshape(-1)], table[first[order]]


def _counters(columns: _Columns, lanes: Lanes) -> Iterator[LaneCounters]:
    memory = lanes.memory
    for words in lanes.words.T:
        there = np.flatnonzero(words >= 0)
        own = words[there]
        digits = tuple(
            columns.counter(there, digit, modulus)
            for digit, modulus in zip(memory.digits(own), memory.moduli, strict=True)
        )
        section, address = memory.sections_of(own), own % memory.depth
        sections = list[Counter | None]()
        for number, part in enumerate(memory.sections):
            rows = there[section == number]
            places = address[section == number] - part.base
            sections.append(columns.counter(rows, places, part.size) if len(rows) else None)
        chosen = np.zeros(columns.rows, np.int64)
        chosen[there] = section
        used = sum(own is not None for own in sections)
        valid = columns.add((words >= 0).astype(np.int64))
        yield LaneCounters(digits, tuple(sections), valid, columns.add(chosen) if used > 1 else None)


# What an agent does, from its program alone.


@dataclass(frozen=True, eq=False)
class Replayed:
    """The table of an agent again: the words of lanes by name, controls, and places."""

    words: Mapping[str, Ints]
    controls: Mapping[str, Ints]
    places: Mapping[str, Ints]
    ends: Ints


def replayed(agent: Agent) -> Replayed:
    """What an agent's program does in a frame, counter by counter."""
    table = np.array(agent.columns, np.int64)[agent.program.unrolled()]

    def run(counter: Counter) -> Ints:
        ahead = np.cumsum(table[:, counter.column])
        return (counter.initial + ahead - table[:, counter.column]) % counter.modulus

    words = {
        name: np.stack([_words(agent.memories[name], own, table, run) for own in lanes], axis=1)
        if lanes
        else np.zeros((len(table), 0), np.int64)
        for name, lanes in agent.lanes.items()
    }
    controls = {name: table[:, column] for name, column in agent.controls.items()}
    places = {name: run(counter) for name, counter in agent.places.items()}
    return Replayed(words, controls, places, np.flatnonzero(table[:, agent.last]))


def _words(memory: Memory, lane: LaneCounters, table: Ints, run: object) -> Ints:
    assert callable(run)
    bank = np.zeros(len(table), np.int64)
    for counter in lane.digits:
        bank = bank * counter.modulus + run(counter)
    section = table[:, lane.section] if lane.section is not None else None
    address = np.zeros(len(table), np.int64)
    for number, (place, part) in enumerate(zip(lane.sections, memory.sections, strict=True)):
        if place is not None:
            own = part.base + run(place)
            address = own if section is None else np.where(section == number, own, address)
    found: Ints = np.where(table[:, lane.valid] > 0, bank * memory.depth + address, -1)
    return found


def rows_of(lengths: Sequence[int] | Ints) -> tuple[Ints, Ints]:
    """The first and the last row of steps that have so many rows."""
    ends = np.cumsum(lengths) - 1
    return ends - np.asarray(lengths) + 1, ends
