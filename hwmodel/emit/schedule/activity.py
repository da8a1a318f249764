"""The activity of an agent in each of its cycles, and the program with counters that repeats it.

An *agent* accesses memories: a part of the port, the reader of a task, or the writer of a task. Its *rows* are the
cycles in which it is active, step after step. Through a *lane* it accesses at most one word in each row. The table of
these words is the agent's `Activity`, with further numbers for each row: *controls*, which the agent hands on as they
are, and *places*, such as addresses of requests, which counters follow.

`compiled` turns this table into counters and a program. Each lane has one counter for each digit of its bank and one
for its position in each section (memories.py). A counter advances, modulo its modulus, by an increment that depends on
the instruction alone; in a row in which the lane is idle its counters stand still. After the last row every counter has
its value at the start of the frame again, so frames can follow each other.

So a row is a few numbers, one in each *column*: the increments of counters, whether lanes access a word, controls, and
whether the step ends. Equal rows are one *symbol*, and the program is a sequence of symbols (program.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import IntArray
from hwmodel.emit.schedule.memories import Memory
from hwmodel.emit.schedule.program import Program, after_setup, rolled
from hwmodel.emit.schedule.repetition import NotRepeatedError, StepRepetition


@dataclass(frozen=True, eq=False)
class Lanes:
    """Lanes side by side on one memory: the word of each row and lane, -1 for none.

    `copies` are the lanes that read each copy of the memory; without them all read one.
    """

    name: str
    memory: Memory
    words: IntArray
    copies: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True, eq=False)
class Followed:
    """A number of each row below `modulus`, -1 for none, that counters follow as they follow words.

    `which` has for each row the number of the counter that follows it; if it is None, there is one counter. Several
    counters make shorter programs where numbers of several kinds alternate and each kind is regular.
    """

    numbers: IntArray
    modulus: int
    which: IntArray | None = None


@dataclass(frozen=True, eq=False)
class Activity:
    """The table of an agent: the words of its lanes by row. `ends` has the last row of each step.

    `controls` are further numbers of each row, none negative. `places` are numbers that counters follow. With `setup`,
    the first step is run once, before all frames.
    """

    name: str
    ends: IntArray
    lanes: tuple[Lanes, ...] = ()
    controls: Mapping[str, IntArray] = field(default_factory=dict)
    places: Mapping[str, Followed] = field(default_factory=dict)
    setup: bool = False

    @property
    def again(self) -> int:
        """The first row of a frame."""
        return int(self.ends[0]) + 1 if self.setup else 0

    @property
    def rows(self) -> int:
        """The number of rows."""
        return int(self.ends[-1]) + 1 if len(self.ends) else 0

    @property
    def starts(self) -> IntArray:
        """The first row of each step."""
        return np.concatenate([[0], self.ends[:-1] + 1]).astype(np.int64)


@dataclass(frozen=True, slots=True)
class Counter:
    """A number that starts at `initial` and advances by the entry of `column` in each row, modulo `modulus`."""

    modulus: int
    initial: int
    column: int


@dataclass(frozen=True, slots=True)
class LaneCounters:
    """The counters of a lane: one for each digit of its bank, and one for its position in each section.

    The counter of a section that the lane does not use is None. `valid` is the column that says whether the lane
    touches a word, `section` the column with the number of the section (None: always the same).
    """

    digits: tuple[Counter, ...]
    sections: tuple[Counter | None, ...]
    valid: int
    section: int | None


@dataclass(frozen=True, slots=True)
class PlaceCounters:
    """The counters of a number, and the column that says which of them has it (None: there is one)."""

    counters: tuple[Counter, ...]
    which: int | None = None


@dataclass(frozen=True)
class Agent:
    """An agent in hardware: a program whose symbols are indices into `columns`, the rows with a number in each column.

    `limits` has for each column one more than its greatest number. `lanes` has the counters of all lanes by name,
    `controls` the column of each control, and `places` the counters of other numbers. The column `last` marks the end
    of a step. `copies` has by name the lanes that read each copy of their memory, where they have several.
    """

    name: str
    program: Program
    columns: tuple[tuple[int, ...], ...]
    limits: tuple[int, ...]
    lanes: Mapping[str, tuple[LaneCounters, ...]]
    memories: Mapping[str, Memory]
    controls: Mapping[str, int]
    places: Mapping[str, PlaceCounters]
    last: int
    copies: Mapping[str, tuple[tuple[int, ...], ...]] = field(default_factory=dict)


class _Columns:
    """The columns of an agent, equal columns once.

    `again` is the first row of a frame. `times` has for each row how often the whole frame has it.
    """

    def __init__(self, rows: int, again: int, times: IntArray) -> None:
        self.rows, self.again, self.times = rows, again, times
        self.columns: list[NDArray[Any]] = []
        self.known: dict[bytes, int] = {}

    def add(self, numbers: IntArray) -> int:
        """The index of a column, which is added if no equal one exists."""
        # There may be hundreds, which take the fewest bytes that hold them: at most those of a frame's addresses.
        narrow = np.ascontiguousarray(numbers, np.min_scalar_type(int(numbers.max(initial=0))))
        key = sha256(narrow.data).digest()
        if key not in self.known:
            self.known[key] = len(self.columns)
            self.columns.append(narrow)
        return self.known[key]

    def counter(self, rows: IntArray, values: IntArray, modulus: int, *, backwards: bool = False) -> Counter:
        """A counter that has the given values in the given ascending rows; it stands still between them.

        Raises NotRepeatedError if its last row is repeated, or if it goes `backwards` and would not end at the same
        value in a frame that repeats rows.
        """
        ahead = np.zeros(self.rows, np.int64)
        if len(rows):
            ahead[rows[:-1]] = np.diff(values) % modulus
            if rows[-1] >= self.again:
                # The last increment leads back to the first value of a frame, so that the next frame needs no reset.
                if self.times[rows[-1]] > 1:
                    raise NotRepeatedError("the last row of a counter is repeated")
                ahead[rows[-1]] = -int(ahead[self.again :] @ self.times[self.again :]) % modulus
            if backwards and int(ahead @ (self.times - 1)) % modulus:
                raise NotRepeatedError("a counter that goes backwards begins at another value")
        return Counter(modulus, int(values[0]) if len(rows) else 0, self.add(ahead))


def compiled(activity: Activity, repetition: StepRepetition | None = None, ends: IntArray | None = None) -> Agent:
    """The agent that does what an activity says.

    With a `repetition` the activity is that of a shorter frame, and the agent that of the whole frame. What repeats are
    the steps of the activity, or parts of it whose last rows are `ends`. Raises NotRepeatedError if the activity does
    not repeat what it should.
    """
    parts = activity.ends if ends is None else ends
    times = np.ones(activity.rows, np.int64) if repetition is None else repetition.times(parts)
    columns = _Columns(activity.rows, activity.again, times)
    is_last = np.zeros(activity.rows, np.int64)
    is_last[activity.ends] = 1
    last = columns.add(is_last)
    backwards = repetition.backwards if repetition is not None else frozenset()
    lanes = {
        own.name: tuple(_counters(columns, own, backwards=own.memory.array in backwards)) for own in activity.lanes
    }
    controls = {name: columns.add(numbers) for name, numbers in activity.controls.items()}
    places = {name: _places(columns, own) for name, own in activity.places.items()}
    symbols, kinds = symbols_of(np.stack(columns.columns, axis=1))
    limits = tuple(int(most) + 1 for most in kinds.max(axis=0))
    memories = {own.name: own.memory for own in activity.lanes}
    if repetition is not None:
        repetition.require_alike(symbols, parts)
    whole = symbols if repetition is None else repetition.whole(symbols, parts)
    program = rolled(whole[activity.again :])
    if activity.setup:
        program = after_setup(rolled(whole[: activity.again]), program)
    kinds_of_rows = tuple(tuple(row) for row in kinds.tolist())
    copies = {own.name: own.copies for own in activity.lanes if own.copies}
    return Agent(activity.name, program, kinds_of_rows, limits, lanes, memories, controls, places, last, copies)


def _places(columns: _Columns, own: Followed) -> PlaceCounters:
    """The counters of a number."""
    which = np.zeros(len(own.numbers), np.int64) if own.which is None else own.which
    there, counters = own.numbers >= 0, list[Counter]()
    for number in range(int(which.max(initial=0)) + 1):
        rows = np.flatnonzero(there & (which == number))
        counters.append(columns.counter(rows, own.numbers[rows], own.modulus))
    return PlaceCounters(tuple(counters), columns.add(which) if len(counters) > 1 else None)


def symbols_of(table: NDArray[Any]) -> tuple[IntArray, NDArray[Any]]:
    """The number of each row of a table among the different rows, by first appearance, and the different rows."""
    keys = np.ascontiguousarray(table).view(np.dtype((np.void, table.itemsize * table.shape[1]))).reshape(-1)
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return rank[inverse.reshape(-1)], table[first[order]]


def _counters(columns: _Columns, lanes: Lanes, *, backwards: bool) -> Iterator[LaneCounters]:
    """The counters of each lane, from the words that it touches."""
    memory = lanes.memory
    for words in lanes.words.T:
        touching = np.flatnonzero(words >= 0)
        touched = words[touching]
        digits = tuple(
            columns.counter(touching, digit, modulus, backwards=backwards)
            for digit, modulus in zip(memory.digits(touched), memory.moduli, strict=True)
        )
        section, address = memory.sections_of(touched), touched % memory.depth
        sections = list[Counter | None]()
        for number, part in enumerate(memory.sections):
            rows = touching[section == number]
            places = address[section == number] - part.base
            sections.append(columns.counter(rows, places, part.size, backwards=backwards) if len(rows) else None)
        chosen = np.zeros(columns.rows, np.int64)
        chosen[touching] = section
        used = sum(counter is not None for counter in sections)
        valid = columns.add((words >= 0).astype(np.int64))
        yield LaneCounters(digits, tuple(sections), valid, columns.add(chosen) if used > 1 else None)


# The reverse: the activity of an agent, from its program alone, for the proofs.


@dataclass(frozen=True, eq=False)
class Replayed:
    """The activity of an agent, recovered from its program.

    It has the words of lanes by name, controls, places and which counter has each, and the last row of each step.
    """

    words: Mapping[str, IntArray]
    controls: Mapping[str, IntArray]
    places: Mapping[str, IntArray]
    which: Mapping[str, IntArray]
    ends: IntArray


def replayed(agent: Agent) -> Replayed:
    """Run an agent's program for one frame, counter by counter."""
    table = np.array(agent.columns, np.int64)[agent.program.unrolled()]

    def run(counter: Counter) -> IntArray:
        # A counter has its value before the increment of the row itself.
        ahead = np.cumsum(table[:, counter.column])
        return (counter.initial + ahead - table[:, counter.column]) % counter.modulus

    words = {
        name: np.stack([_words(agent.memories[name], own, table, run) for own in lanes], axis=1)
        if lanes
        else np.zeros((len(table), 0), np.int64)
        for name, lanes in agent.lanes.items()
    }
    controls = {name: table[:, column] for name, column in agent.controls.items()}
    places = {
        name: run(own.counters[0])
        if own.which is None
        else np.choose(table[:, own.which], [run(counter) for counter in own.counters])
        for name, own in agent.places.items()
    }
    none = np.zeros(len(table), np.int64)
    which = {name: none if own.which is None else table[:, own.which] for name, own in agent.places.items()}
    return Replayed(words, controls, places, which, np.flatnonzero(table[:, agent.last]))


def _words(memory: Memory, lane: LaneCounters, table: IntArray, run: object) -> IntArray:
    """The word of a lane in each row, -1 for none."""
    assert callable(run)
    bank = np.zeros(len(table), np.int64)
    for counter in lane.digits:
        bank = bank * counter.modulus + run(counter)
    section = table[:, lane.section] if lane.section is not None else None
    address = np.zeros(len(table), np.int64)
    for number, (place, part) in enumerate(zip(lane.sections, memory.sections, strict=True)):
        if place is not None:
            position = part.base + run(place)
            address = position if section is None else np.where(section == number, position, address)
    words: IntArray = np.where(table[:, lane.valid] > 0, bank * memory.depth + address, -1)
    return words


def rows_of(lengths: Sequence[int] | IntArray) -> tuple[IntArray, IntArray]:
    """The first and the last row of steps with the given numbers of rows."""
    ends = np.cumsum(lengths) - 1
    return ends - np.asarray(lengths) + 1, ends
