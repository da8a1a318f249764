"""What a task or a port does in an iteration of a loop in C++, from its agents in the schedule.

In hardware a repetition reads its operands chunk by chunk, and its results leave some cycles later. In C++ a *round* of
a task is one iteration: all operands of the repetitions that begin in one interval, and all of their results. A round
of a port is a local word that passes. Tables of rounds are activities, and become agents by the same rule as those of
cycles; what is not touched in a round is not touched in its cycles.

Tools overlap iterations as the code allows. So a round may read what the round before it wrote, where hardware hands it
on through a memory; `_require_states` shows that both find the same there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import IntArray
from hwmodel.emit.schedule.activity import Activity, Agent, Followed, Lanes, Replayed, compiled, replayed, rows_of
from hwmodel.emit.schedule.delays import KEEPING, control_of
from hwmodel.emit.schedule.group import EngineAgents, TaskAgents
from hwmodel.emit.schedule.memories import Memory, Section
from hwmodel.emit.schedule.port import COPIED, AddressMap
from hwmodel.emit.schedule.proofs import unproven
from hwmodel.emit.schedule.repetition import StepRepetition
from hwmodel.emit.schedule.units import FETCH, LATE, ReadPort, TaskUnits, WritePort


def starts_of(unit: int) -> str:
    """The control that says whether a unit begins a repetition in a round."""
    return f"starts{unit}"


def round_of(lanes: str) -> str:
    """The control that says whether a window moves on, as in the schedule."""
    return f"{lanes}_round"


def read_cycles(port: ReadPort) -> list[int]:
    """By element of a pattern, or by fresh place of a window, in which cycle of a round it is read."""
    if port.window is not None:
        return [place // port.window.each for place in range(_fresh(port))]
    return [place // port.chunk for place in range(port.size)]


def write_cycles(size: int, interval: int) -> list[int]:
    """By datum of a result in which cycle it leaves, from the latency on."""
    return [-(-(place + 1) * interval // size) - 1 for place in range(size)]


def _fresh(port: ReadPort) -> int:
    assert port.window is not None, "a port with a window"
    return max(port.window.source) + 1


@dataclass(frozen=True)
class TaskRounds:
    """A task: its units, and its agent by rounds. `first` is the first step of a frame in which a unit works."""

    units: TaskUnits
    agent: Agent
    first: int


@dataclass(frozen=True)
class PortRounds:
    """A port: its agent by local words, and one by requests, which counts the external word that each begins with."""

    engine: EngineAgents
    agent: Agent
    requests: Agent


def as_stream(memory: Memory) -> Memory:
    """A FIFO of which only the banks count: a stream each."""
    return replace(memory, depth=1, sections=(Section(0, 1),))


# Tasks.


@dataclass(frozen=True)
class _Steps:
    """Rows of an agent by step; `first` is by step the number of its first round, counted over all steps."""

    step: IntArray
    row: IntArray
    first: IntArray
    interval: int

    @staticmethod
    def of(ends: IntArray, interval: int, first: IntArray) -> _Steps:
        """The rows of an agent whose steps end with the rows `ends`."""
        rows = np.arange(int(ends[-1]) + 1)
        step = np.searchsorted(ends, rows)
        return _Steps(step, rows - np.concatenate([[0], ends[:-1] + 1])[step], first, interval)

    def rounds(self, behind: int) -> IntArray:
        """By row the round that begins so many cycles before it, -1 for none."""
        since = self.row - behind
        begins = (since >= 0) & (since % self.interval == 0)
        return np.where(begins, self.first[self.step] + since // self.interval, -1)


def task_rounds(task: TaskAgents, repetition: StepRepetition | None = None) -> TaskRounds:
    """The rounds of a task; with a `repetition` it is that of a shorter frame, and the rounds are of the whole one.

    Raises ArrayolError (`unproven-schedule`) where these would do something else; NotRepeatedError.
    """
    units, reading, writing = task.units, replayed(task.reading), replayed(task.writing)
    first, ends = rows_of(reading.ends - np.concatenate([[-1], reading.ends[:-1]]))
    rounds = np.maximum(1, (ends - first + 1) // units.interval)
    begins, last = rows_of(rounds)
    read, written = (_Steps.of(own.ends, units.interval, begins) for own in (reading, writing))
    total, lanes = int(last[-1]) + 1, list[Lanes]()
    for port in _read_ports(units):
        memory = task.reading.memories[port.lanes]
        lanes.append(_gathered(port.lanes, memory, reading.words[port.lanes], (read, total), _read_places(units, port)))
    for lane, made in ((lane, own) for own in units.writes for lane in own.lanes):
        memory, words = task.writing.memories[lane], writing.words[lane]
        lanes.append(_gathered(lane, memory, words, (written, total), _written_places(units, made)))
    _require_states(task, (reading, read), (writing, written))
    controls = _controls(units, lanes, reading, read, total)
    setup = task.reading.program.again > 0
    own = tuple(_streamed(each) for each in lanes)
    working = np.flatnonzero(np.any([controls[starts_of(unit)] for unit in range(units.units)], axis=0))
    first_step = int(np.searchsorted(last, working[:1].sum())) - setup
    return TaskRounds(
        units, compiled(Activity(task.units.name, last, own, controls, {}, setup), repetition), first_step
    )


def _streamed(lanes: Lanes) -> Lanes:
    if not lanes.memory.fifo:
        return lanes
    words = np.where(lanes.words < 0, -1, lanes.words // lanes.memory.depth)
    return Lanes(lanes.name, as_stream(lanes.memory), words)


def _read_ports(units: TaskUnits) -> Iterator[ReadPort]:
    """The ports with lanes, and those that stand in for them."""
    for port in units.reads:
        own: ReadPort | None = port
        while own is not None:
            if own.lanes:
                yield own
            own = own.otherwise


def _read_places(units: TaskUnits, port: ReadPort) -> list[tuple[int, int]]:
    """By lane of a round the cycle from its begin and the lane there: of all elements, or of fresh places."""
    if port.window is not None:
        return [divmod(place, port.window.each) for place in range(_fresh(port))]
    places = [divmod(element, port.chunk) for element in range(port.size)]
    return [(cycle, unit * port.chunk + lane) for unit in range(units.units) for cycle, lane in places]


def _written_places(units: TaskUnits, port: WritePort) -> list[tuple[int, int]]:
    """By lane of a round the cycle from its begin and the lane, of results that leave together or are taken early."""
    if port.early:
        places = [(FETCH + cycle, at) for at, cycle in enumerate(port.early)]
    else:
        cycles = enumerate(write_cycles(port.size, units.interval))
        places = [(units.latency + cycle, at - cycle * port.size // units.interval) for at, cycle in cycles]
    return [(cycle, unit * port.at_once + lane) for unit in range(units.units) for cycle, lane in places]


def _gathered(
    name: str, memory: Memory, words: IntArray, rows: tuple[_Steps, int], places: Sequence[tuple[int, int]]
) -> Lanes:
    """Lanes by round: of each the words of a lane in a cycle."""
    steps, total = rows
    table = np.full((total, len(places)), -1, np.int64)
    rounds = {cycle: steps.rounds(cycle) for cycle, _ in places}
    for column, (cycle, lane) in enumerate(places):
        own = (rounds[cycle] >= 0) & (words[:, lane] >= 0)
        table[rounds[cycle][own], column] = words[own, lane]
    if np.count_nonzero(table >= 0) != np.count_nonzero(words >= 0):
        raise unproven(f"the rounds of '{name}' do not touch all that its cycles touch")
    return Lanes(name, memory, table)


def _controls(
    units: TaskUnits, lanes: Sequence[Lanes], reading: Replayed, read: _Steps, total: int
) -> dict[str, IntArray]:
    """Which units begin, which go on with their own state, and which windows move on."""
    rounds, found = read.rounds(0), dict[str, IntArray]()
    for name, rows in reading.controls.items():
        found[name] = np.zeros(total, np.int64)
        found[name][rounds[rounds >= 0]] = rows[rounds >= 0]
    idle, tables = np.zeros(total, np.int64), {own.name: own.words for own in lanes}
    begins = [found.pop(control_of("begins", first), idle) for first in range(0, units.units, KEEPING)]
    windows = {port.lanes for port in units.reads if port.window is not None}
    sizes = {port.lanes: port.size for port in _read_ports(units) if port.lanes not in windows}
    sizes |= {lane: own.size for own in units.writes for lane in own.lanes}
    for unit in range(units.units):
        own = begins[unit // KEEPING] >> unit % KEEPING & 1
        for name, size in sizes.items():
            own |= (tables[name][:, unit * size : (unit + 1) * size] >= 0).any(axis=1)
        found[starts_of(unit)] = own
    return found


def _require_states(task: TaskAgents, reading: tuple[Replayed, _Steps], writing: tuple[Replayed, _Steps]) -> None:
    """What a task reads of a memory that it writes itself is the same in rounds as in cycles."""
    (reads, read), (writes, written), units = reading, writing, task.units
    writers = {lanes: own for own in units.writes for lanes in own.lanes}
    own = {memory.name: name for name, memory in task.writing.memories.items()}
    for port in (port for port in _read_ports(units) if task.reading.memories[port.lanes].name in own):
        memory = task.reading.memories[port.lanes]
        if memory.reads_next:
            continue  # what it reads is of another frame, and not where this one writes
        into = own[memory.name]
        wrote, row, lane = _touches(writes.words[into])
        looked, at, from_lane = _touches(reads.words[port.lanes])
        span = 2 * (len(read.row) + len(written.row) + 1)
        cycles = last_writes(
            (wrote, written.step[row] * span + written.row[row]), (looked, read.step[at] * span + read.row[at])
        )
        makes = _round_of_touches(written, row, lane, _written_places(units, writers[into]))
        takes = _round_of_touches(read, at, from_lane, _read_places(units, port))
        rounds = last_writes((wrote, 2 * makes + 1), (looked, 2 * takes))
        differ = np.flatnonzero(cycles != rounds)
        if len(differ):
            place = int(at[differ[0]])
            text = f"step {read.step[place]}, row {read.row[place]} of '{task.reading.name}' reads another state"
            raise unproven(f"{text} of '{memory.name}' in a round than in a cycle")


def _round_of_touches(steps: _Steps, row: IntArray, lane: IntArray, places: Sequence[tuple[int, int]]) -> IntArray:
    """The round of each touch, of which row and lane are given."""
    found = np.full(len(row), -1, np.int64)
    for cycle, own in places:
        rounds = steps.rounds(cycle)[row]
        mine = (lane == own) & (rounds >= 0)
        found[mine] = rounds[mine]
    return found


def _touches(words: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Word, row and lane of all touches."""
    row, lane = np.nonzero(words >= 0)
    return words[row, lane], row, lane


def last_writes(writes: tuple[IntArray, IntArray], reads: tuple[IntArray, IntArray]) -> IntArray:
    """For each read the number of the last write of its word before it, -1 for none; (words, times) of both."""
    (word, time), (wanted, when) = writes, reads
    order = np.lexsort((time, word))
    most = int(max(time.max(initial=0), when.max(initial=0))) + 1
    keys = word[order] * most + time[order]
    place = np.searchsorted(keys, wanted * most + when) - 1
    same = (place >= 0) & (word[order][place] == wanted)
    return np.where(same, order[place], -1)


# Ports.


@dataclass(frozen=True)
class ShorterEngine:
    """An engine in a shorter frame, and which of its steps those of the whole frame repeat."""

    engine: EngineAgents
    repetition: StepRepetition


def touches(agent: Agent, lanes: str) -> bool:
    """Whether some round of an agent touches a memory through these lanes."""
    return any(agent.limits[lane.valid] > 1 for lane in agent.lanes[lanes])


def loads_late(engine: EngineAgents) -> bool:
    """Whether an engine fills single buffers, which it does in each step when their readers have left."""
    return LATE in engine.requests.controls


def port_rounds(
    engine: EngineAgents, addresses: AddressMap, shorter: ShorterEngine | None = None, *, late: bool = False
) -> PortRounds:
    """The rounds of a port: of each local word that has data of ours where it lies outside, and its lanes.

    They are those that pass while tasks work, or the `late` ones. An engine of a whole frame may have one of a
    `shorter` frame, whose rounds it repeats. Raises ArrayolError (`unproven-schedule`) where what passes does not fit
    to what is stored; NotRepeatedError.
    """
    own = engine if shorter is None else shorter.engine
    passing, storing, requests = (replayed(each) for each in (own.passing, own.storing, own.requests))
    waits, write = passing.controls["waits"] > 0, passing.controls["write"] > 0
    stored = (storing.controls["whole"] > 0) | _any(storing.words, len(storing.controls["whole"]))
    if np.count_nonzero(waits & write) != np.count_nonzero(stored):
        raise unproven(f"'{engine.name}' stores other words than pass")
    from_store = np.full(len(waits), -1, np.int64)
    from_store[waits & write] = np.flatnonzero(stored)
    words = dict(passing.words)
    for name, each in storing.words.items():
        words[name] = np.where((from_store >= 0)[:, None], each[from_store], -1)
    number, is_late = _requests_of_rows(passing, requests)
    kept, step = waits & _any(words, len(waits)), np.searchsorted(passing.ends, np.arange(len(waits)))
    kept &= is_late == late
    rows = _with_idle(np.flatnonzero(kept), step, len(passing.ends))
    last = np.flatnonzero(np.diff(np.append(rows[:, 1], len(passing.ends))))
    source, there = rows[:, 0], rows[:, 0] >= 0
    memories = {**engine.passing.memories, **engine.storing.memories}
    lanes = tuple(Lanes(name, memories[name], np.where(there[:, None], one[source], -1)) for name, one in words.items())
    begins, ahead, used = _followed_requests(passing, requests, number, (source, there))
    controls = {
        "part": np.where(there, passing.controls["part"][source], 0),
        "loads": (there & ~write[source]).astype(np.int64),
        "begins": begins,
        "ahead": ahead,
    }
    setup, repetition = engine.passing.program.again > 0, shorter.repetition if shorter is not None else None
    agent = compiled(Activity(engine.name, last, lanes, controls, {}, setup), repetition)
    if shorter is not None:
        used, requests = used[shorter.repetition.rows(requests.ends)], replayed(engine.requests)
    return PortRounds(engine, agent, compiled(_requests(engine, addresses, requests, used)))


def _requests_of_rows(passing: Replayed, requests: Replayed) -> tuple[IntArray, NDArray[np.bool_]]:
    """By row that passes the number of its request, and whether that waits for the readers of single buffers."""
    asked = np.flatnonzero(requests.controls["asks"])
    step = np.searchsorted(requests.ends, asked)
    waits = requests.controls.get(LATE, np.zeros(len(requests.controls["asks"]), np.int64))[asked]
    # Those behind the first request of a step that waits do so too.
    late = np.append(np.maximum.accumulate(2 * step + waits) - 2 * step, 0) if len(asked) else np.zeros(1, np.int64)
    number = np.minimum(np.cumsum(passing.controls["done"]) - passing.controls["done"], len(asked))
    return number, late[number] > 0


def _followed_requests(
    passing: Replayed, requests: Replayed, number: IntArray, rounds: tuple[IntArray, NDArray[np.bool_]]
) -> tuple[IntArray, IntArray, NDArray[np.bool_]]:
    """By round whether it begins a request, and how many external words it is ahead of the round before.

    The first round of a request is ahead of the request's own word. Also by row of `requests` whether rounds are of it.
    `rounds` are their rows in `passing`, and whether they are there at all.
    """
    done, takes = passing.controls["done"], passing.controls["takes"]
    asked, (source, there) = np.flatnonzero(requests.controls["asks"]), rounds
    before = np.cumsum(takes) - takes  # the words that were taken before each row
    first = np.zeros(len(asked) + 1, np.int64)  # and before each request
    first[1:] = np.cumsum(takes)[done > 0]
    own, place = number[source][there], (before - first[number])[source][there]
    fresh = np.diff(own, prepend=-1) != 0
    begins, ahead = np.zeros((2, len(there)), np.int64)
    begins[there] = fresh
    ahead[there] = np.where(fresh, place, np.diff(place, prepend=0))
    used = np.zeros(len(requests.controls["asks"]), np.bool_)
    used[asked[own]] = True
    return begins, ahead, used


def _requests(engine: EngineAgents, addresses: AddressMap, requests: Replayed, used: NDArray[np.bool_]) -> Activity:
    """The words with which requests begin, a row each."""
    if not used.any():
        return Activity(f"{engine.name}_requests", np.zeros(1, np.int64))
    rows, setup = np.flatnonzero(used), int(np.count_nonzero(used[: requests.ends[0] + 1]))
    once = engine.requests.program.again > 0 and 0 < setup < len(rows)
    ends = np.array([*([setup - 1] if once else []), len(rows) - 1])
    places = {"word": Followed(requests.places["word"][rows], max(2, *addresses.words), requests.which["word"][rows])}
    controls = {COPIED: requests.controls[COPIED][rows]} if COPIED in requests.controls else {}
    return Activity(f"{engine.name}_requests", ends, (), controls, places, setup=once)


def _any(words: Mapping[str, IntArray], rows: int) -> NDArray[np.bool_]:
    """In which of so many rows any lane touches a word."""
    found = np.zeros(rows, np.bool_)
    for own in words.values():
        found |= (own >= 0).any(axis=1)
    return found


def _with_idle(kept: IntArray, step: IntArray, steps: int) -> IntArray:
    """Rows and their steps; -1 as the row of a step that has none."""
    rows = np.stack([kept, step[kept]], axis=1)
    empty = np.setdiff1d(np.arange(steps), rows[:, 1])
    both = np.concatenate([rows, np.stack([np.full(len(empty), -1), empty], axis=1)])
    return both[np.argsort(both[:, 1], kind="stable")]
