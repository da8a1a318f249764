"""What a task reads and writes, cycle by cycle, from its run on the simulated machine.

A repetition that starts in cycle s on unit u reads chunk j of each pattern in cycle s + j, through the lanes of that
unit; its results leave, from `latency` cycles later on, at the rate at which a FIFO takes them. So each lane belongs to
a unit and to a place in a chunk, whatever the repetition. With a window lanes belong to the places that are fresh in a
round.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from arrayol.errors import ArrayolError, error
from arrayol.ir.types import ElementType
from hwmodel.accesses import Accesses, Touch, points
from hwmodel.emit.schedule.activity import Activity, Lanes, rows_of
from hwmodel.emit.schedule.memories import Memory
from hwmodel.local_memory.banked import Place, WindowReads
from hwmodel.simulator.group import GroupRun
from hwmodel.simulator.processors import Processor
from hwmodel.simulator.rows import Rows

Ints = NDArray[np.int64]
NOT_EMITTED = "not-emitted"


@dataclass(frozen=True, slots=True)
class WindowPort:
    """A window of registers, one for each of `places`, relative to the origin of the first unit's pattern.

    `source` says of each place the number of the fresh lane that brings it, or -1; then it comes from the register of
    the place number `ahead`. `patterns` has by unit and pattern element the number of its place.
    """

    places: tuple[Place, ...]
    source: tuple[int, ...]
    ahead: tuple[int, ...]
    patterns: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class ReadPort:
    """An input port of a task's units: through which lanes, of what memory.

    `size` elements in chunks of `chunk`; lane u chunk + k has element k of the chunk of unit u. `constant` stands, as
    bits, where a lane touches nothing.
    """

    port: str
    lanes: str
    size: int
    chunk: int
    width: int
    window: WindowPort | None = None
    constant: int | None = None


@dataclass(frozen=True, slots=True)
class WritePort:
    """An output port: lanes as those of a ReadPort, one set for each memory that takes what it makes."""

    port: str
    lanes: tuple[str, ...]
    size: int
    chunk: int
    width: int


@dataclass(frozen=True)
class TaskUnits:
    """The units of a task: so many of its elementary's datapath, each with an interval and a latency in cycles."""

    task: str
    elementary: str
    units: int
    interval: int
    latency: int
    reads: tuple[ReadPort, ...]
    writes: tuple[WritePort, ...]


@dataclass(frozen=True, eq=False)
class _Timed:
    """The instances of a task that start: their step, cycle in it, and unit."""

    step: Ints
    cycle: Ints
    unit: Ints


@dataclass(frozen=True)
class TaskSchedule:
    """A task of a group: what its readers and its writers do, and its units."""

    reading: Activity
    writing: Activity
    units: TaskUnits


@dataclass(frozen=True)
class TaskScheduler:
    """What the tasks of a group touch. `clocks` are the first cycles of its steps.

    `memories` has by (reader, array) what is read, by ("", array) what is written; `located` by array the words of its
    data; `windows` by reading tiler what a window takes from its memory.
    """

    accesses: Accesses
    run: GroupRun
    memories: Mapping[tuple[str, str], Memory]
    located: Mapping[str, Ints]
    windows: Mapping[tuple[str, int], WindowReads]
    clocks: Ints

    def schedule(self, own: Processor) -> TaskSchedule:
        """The schedule of a task. Raises ArrayolError (`not-emitted`)."""
        if self.accesses.network.processes[own.task].delays:
            raise not_emitted(f"'{own.task}' has delays", "a task without delays")
        timed = _timed(own, self.clocks)
        busy = np.zeros(len(self.clocks), np.int64)
        np.maximum.at(busy, timed.step, timed.cycle + own.unit.interval)
        reading = rows_of(np.maximum(busy, 1))
        writing = rows_of(np.where(busy > 0, busy + own.unit.latency, 1))
        reads = [self._read(own, number, timed, reading) for number in range(len(self.accesses.reads[own.task]))]
        writes = [self._written(own, touch, timed, writing) for touch in self.accesses.writes[own.task]]
        rounds = {f"{lanes.name}_round": moves for _, lanes, moves in reads if moves is not None}
        process = self.accesses.network.processes[own.task]
        return TaskSchedule(
            Activity(f"{own.task}_read", reading[1], tuple(lanes for _, lanes, _ in reads), rounds),
            Activity(f"{own.task}_write", writing[1], tuple(lanes for _, lanes in writes)),
            TaskUnits(
                own.task,
                process.elementary,
                own.units,
                own.unit.interval,
                own.unit.latency,
                tuple(port for port, _, _ in reads),
                _merged([port for port, _ in writes]),
            ),
        )

    def _read(
        self, own: Processor, number: int, timed: _Timed, rows: tuple[Ints, Ints]
    ) -> tuple[ReadPort, Lanes, Ints | None]:
        """What a task reads through one tiler, and the rows in which its window moves on."""
        touch = self.accesses.reads[own.task][number]
        memory, read = self.memories[own.task, touch.array], self.run.moves.all_reads[own.task, number]
        when = Rows.reading(self.accesses, self.run.moves.plan, own, touch, read.rows)
        words = np.where(when.beyond(self.accesses), -1, self._words(memory, read.data))
        size, units, kind = words.shape[1], timed.unit[read.rows], self.accesses.network.arrays[touch.array].type
        chunk, name = -(-size // own.unit.interval), _lane_name(self.accesses, own, number)
        first = rows[0][timed.step[read.rows]] + timed.cycle[read.rows]
        total, constant = int(rows[1][-1]) + 1, _constant(touch, kind)
        window = self.windows.get((own.task, number))
        if window is None:
            at, lane = _in_chunks(first, units, size, chunk)
            table = _table((total, own.units * chunk), at, lane, words)
            return ReadPort(touch.port, name, size, chunk, kind.bits, None, constant), Lanes(name, memory, table), None
        if own.unit.interval > 1 or constant is not None:
            raise not_emitted(
                f"'{own.task}' has a window on '{touch.array}', and an interval of {own.unit.interval} cycles or a "
                "constant border",
                "an interval of 1 cycle, and no such border",
            )
        kept = _window(when, window, size)
        table = _table((total, len(window.fresh)), first[:, None] - kept.back[units], kept.lane[units], words)
        moves = np.zeros(total, np.int64)
        for ahead in range(window.fill + 1):
            moves[first - ahead] = 1
        return ReadPort(touch.port, name, size, chunk, kind.bits, kept.port), Lanes(name, memory, table), moves

    def _words(self, memory: Memory, data: Ints) -> Ints:
        """The words of data of a memory; of an array that is there before the frame these are its elements."""
        found = self.located[memory.array] if memory.elements is None else np.array(memory.elements, np.int64)
        return found[data]

    def _written(self, own: Processor, touch: Touch, timed: _Timed, rows: tuple[Ints, Ints]) -> tuple[WritePort, Lanes]:
        """What a task writes through one tiler."""
        kind, memory = self.accesses.network.arrays[touch.array].type, self.memories["", touch.array]
        writing, data = data_made(self.accesses, self.run, touch)
        words = self.located[touch.array][data]
        chunk, name = -(-words.shape[1] // own.unit.interval), f"{own.task}_{touch.port}"
        if sum(other.port == touch.port for other in self.accesses.writes[own.task]) > 1:
            name += f"_{touch.array}"
        first = rows[0][timed.step[writing]] + timed.cycle[writing] + own.unit.latency
        at, lane = _leaving(first, timed.unit[writing], words.shape[1], own.unit.interval)
        table = _table((int(rows[1][-1]) + 1, own.units * chunk), at, lane, words)
        return WritePort(touch.port, (name,), words.shape[1], chunk, kind.bits), Lanes(name, memory, table)


def not_emitted(what: str, hint: str) -> ArrayolError:
    """An error that names what of a design has no hardware yet."""
    return error(NOT_EMITTED, f"{what}: no hardware is emitted for that", hint=f"take a design with {hint}")


def _merged(writes: Sequence[WritePort]) -> tuple[WritePort, ...]:
    """One entry for each port, which may write through several tilers."""
    ports: dict[str, WritePort] = {}
    for own in writes:
        lanes = ports[own.port].lanes if own.port in ports else ()
        ports[own.port] = replace(own, lanes=(*lanes, *own.lanes))
    return tuple(ports.values())


def _lane_name(accesses: Accesses, own: Processor, number: int) -> str:
    touch = accesses.reads[own.task][number]
    several = sum(other.port == touch.port for other in accesses.reads[own.task]) > 1
    return f"{own.task}_{touch.port}" + (f"_{number}" if several else "")


def _constant(touch: Touch, kind: ElementType) -> int | None:
    """What stands beyond the ends of an array, as bits; None without such a border."""
    border = touch.tiler.border
    if border is None or not border.is_constant:
        return None
    return int(np.asarray(kind.held(border.value)).astype(np.int64)) % (1 << kind.bits)


def _timed(own: Processor, clocks: Ints) -> _Timed:
    """When the instances of a task start, and on which units: side by side on a line."""
    order = np.argsort(own.lines.order)
    line, number = own.lines.line[order], np.arange(len(order))
    place = np.empty(len(order), np.int64)
    place[order] = number - np.maximum.accumulate(np.where(np.diff(line, prepend=-1) != 0, number, 0))
    step = np.searchsorted(clocks, own.began, side="right") - 1
    return _Timed(step, own.started - clocks[step], place % own.units)


def _in_chunks(first: Ints, unit: Ints, size: int, chunk: int) -> tuple[Ints, Ints]:
    """By instance and element the row and the lane: chunk after chunk, each unit with lanes of its own."""
    place = np.arange(size)
    return first[:, None] + place // chunk, unit[:, None] * chunk + place % chunk


def _leaving(first: Ints, unit: Ints, size: int, interval: int) -> tuple[Ints, Ints]:
    """Row and lane of results, of which datum j of k leaves in cycle ceil((j + 1) I / k) - 1 from the first one on."""
    place = np.arange(size)
    cycle = -(-(place + 1) * interval // size) - 1
    lane = place - cycle * size // interval
    return first[:, None] + cycle, unit[:, None] * -(-size // interval) + lane


@dataclass(frozen=True, eq=False)
class _Kept:
    """A window; by unit and element the lane that brings it, and how many rounds before its use."""

    port: WindowPort
    lane: Ints
    back: Ints


def _window(when: Rows, window: WindowReads, size: int) -> _Kept:
    """The registers of a window: of each place of a round, and of all on the way there from a fresh one."""
    fitting = np.array(when.touch.tiler.fitting, np.int64).reshape(len(when.ahead), len(when.touch.pattern))
    pattern = points(when.touch.pattern) @ fitting.T
    one, far = np.array(when.ahead, np.int64), np.array(when.ahead, np.int64) * when.units
    fresh, number = {place: at for at, place in enumerate(window.fresh)}, dict[Place, int]()
    lane, back, own = (np.zeros((when.units, size), np.int64) for _ in range(3))
    for unit, at in np.ndindex(when.units, size):
        place = tuple((pattern[at] + unit * one).tolist())
        own[unit, at] = number.setdefault(place, len(number))
        while place not in fresh:
            place = tuple((np.array(place) + far).tolist())
            number.setdefault(place, len(number))
            back[unit, at] += 1
        lane[unit, at] = fresh[place]
    ahead = tuple(number.get(tuple((np.array(place) + far).tolist()), -1) for place in number)
    source = tuple(fresh.get(place, -1) for place in number)
    patterns = tuple(tuple(row) for row in own.tolist())
    return _Kept(WindowPort(tuple(number), source, ahead, patterns), lane, back)


def _table(shape: tuple[int, int], row: Ints, lane: Ints, words: Ints) -> Ints:
    """By row and lane the word, -1 for none."""
    table = np.full(shape, -1, np.int64)
    row, lane, words = np.broadcast_arrays(row, lane, words)
    there = words >= 0
    table[row[there], lane[there]] = words[there]
    return table


def data_made(accesses: Accesses, run: GroupRun, touch: Touch) -> tuple[NDArray[np.intp], Ints]:
    """The instances that write through a tiler, and the numbers of the data of each: they stand tiler after tiler."""
    first = 0
    for task in accesses.network.arrays[touch.array].producers:
        for other in accesses.writes[task] if task in run.processors else ():
            if other.array == touch.array:
                happens = accesses.happens(other, run.processors[task].repetitions(accesses))
                writing, size = np.flatnonzero(happens), math.prod(other.pattern)
                if other is touch:
                    return writing, first + np.arange(len(writing) * size).reshape(len(writing), size)
                first += len(writing) * size
    raise AssertionError("a tiler of the group writes what the group makes")
