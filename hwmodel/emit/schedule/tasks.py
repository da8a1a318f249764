"""The words that a task reads and writes, cycle by cycle, from its run on the simulated machine.

A repetition that starts in cycle s on unit u reads chunk j of each pattern in cycle s + j, through the lanes of that
unit. Its results leave from `latency` cycles later on, at the rate at which a FIFO takes them. So each lane belongs to
one unit and one position in a chunk, whatever the repetition. With a window (units.py), lanes belong to the fresh
positions of a round. A state of a delay has a memory of its own, in which the next repetition of a chain reads it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import IntArray
from hwmodel.accesses import Accesses, Touch
from hwmodel.emit.schedule.activity import Activity, Lanes, rows_of
from hwmodel.emit.schedule.bits import bits_of_constant
from hwmodel.emit.schedule.delays import DelayScheduler, controls_of
from hwmodel.emit.schedule.memories import Memory
from hwmodel.emit.schedule.names import plain
from hwmodel.emit.schedule.own_module import Computing
from hwmodel.emit.schedule.units import (
    HOLDS,
    ReadPort,
    TaskUnits,
    Timed,
    WritePort,
    in_chunks,
    leaving,
    table_of,
    window_kept,
)
from hwmodel.frame_states import constant_of
from hwmodel.local_memory.addresses import WindowReads
from hwmodel.simulator.group import GroupRun, LocalMemories
from hwmodel.simulator.memories.rows import Rows
from hwmodel.simulator.schedule.processors import ProcessorState


@dataclass(frozen=True)
class TaskSchedule:
    """A task of a group: the activities of its reader and its writer, and its units."""

    reading: Activity
    writing: Activity
    units: TaskUnits


@dataclass(frozen=True)
class TaskScheduler:
    """Makes the schedules of a group's tasks; `clocks` has the first cycle of each step.

    `memories` has by (reader, array) the memory that is read, and by ("", array) the one that is written. `located` has
    by array the word of each datum. `windows` has by reading tiler what its window reads from the memory. `random` are
    the tilers that are read at subscripts of data. `local` has the memories of states, and `datapaths` by task the
    datapath of its units. With `setup`, tasks idle in a step before all others.
    """

    accesses: Accesses
    run: GroupRun
    memories: Mapping[tuple[str, str], Memory]
    located: Mapping[str, IntArray]
    windows: Mapping[tuple[str, int], WindowReads]
    random: frozenset[tuple[str, int]]
    local: LocalMemories
    datapaths: Mapping[str, Computing]
    clocks: IntArray
    setup: bool

    def schedule(self, own: ProcessorState) -> TaskSchedule:
        """The schedule of a task. Raises ArrayolError (`not-emitted`)."""
        step = np.searchsorted(self.clocks, own.began, side="right") - 1
        cycle = own.started - self.clocks[step]
        busy = np.zeros(len(self.clocks), np.int64)
        np.maximum.at(busy, step, cycle + own.unit.interval)
        # Every step has at least one row, so that all agents count the same steps.
        idle = np.ones(int(self.setup), np.int64)
        reading = rows_of(np.append(idle, np.maximum(busy, 1)))
        writing = rows_of(np.append(idle, np.where(busy > 0, busy + own.unit.latency, 1)))
        step += self.setup
        timed = Timed(
            units_of_instances(own),
            reading[0][step] + cycle,
            writing[0][step] + cycle + own.unit.latency,
            int(reading[1][-1]) + 1,
            int(writing[1][-1]) + 1,
        )
        touches = self.accesses.reads[own.task]
        built_in = [touch for touch in touches if self.accesses.is_built_in(touch, own.unit.built_in)]
        tilers = [number for number, touch in enumerate(touches) if touch not in built_in]
        reads = [self._read(own, number, timed) for number in tilers if (own.task, number) not in self.random]
        lookups = [self._lookup(own, number, step) for number in tilers if (own.task, number) in self.random]
        writes = [self._written(own, touch, timed) for touch in self.accesses.writes[own.task]]
        controls = {f"{lanes.name}_round": moves for _, lanes, moves in reads if moves is not None}
        if self.run.single_buffers & {touch.array for touch in self.accesses.reads[own.task]}:
            controls[HOLDS] = np.repeat(np.append(idle * 0, busy > 0), np.diff(reading[1], prepend=-1))
        for port, bases in lookups:
            if port.base:
                controls[port.base] = np.repeat(bases, np.diff(reading[1], prepend=-1))
        ports = [*(port for port, _, _ in reads), *(port for port, _ in lookups)]
        read = [lanes for _, lanes, _ in reads]
        ports += [self._built_in(own, touch) for touch in built_in]
        written = [lanes for _, lanes in writes]
        outputs = [port for port, _ in writes]
        process = self.accesses.network.processes[own.task]
        for delay in process.delays:
            scheduler = DelayScheduler(self.accesses, own, delay, timed, self.datapaths[own.task], self.local)
            fed = scheduler.fed(ports)
            ports, read, controls = list(fed.ports), [*read, *fed.read], {**controls, **fed.controls}
            outputs += [port for port, _ in fed.written]
            written += [lanes for _, lanes in fed.written]
        acting = self.accesses.delays(own.task) if "keeps" in controls else ()
        bins = self.datapaths[own.task].bins
        if bins:
            controls |= controls_of("begins", timed, own.units)
        return TaskSchedule(
            Activity(f"{plain(own.task)}_read", reading[1], tuple(read), controls, setup=self.setup),
            Activity(f"{plain(own.task)}_write", writing[1], tuple(written), setup=self.setup),
            TaskUnits(
                own.task,
                process.elementary,
                own.units,
                own.unit.interval,
                own.unit.latency,
                tuple(ports),
                _merged(outputs),
                tuple((delay.output, delay.port) for delay in acting),
                bins,
            ),
        )

    def _read(self, own: ProcessorState, number: int, timed: Timed) -> tuple[ReadPort, Lanes, IntArray | None]:
        """The port and lanes of a task's reading tiler, and the rows in which its window shifts.

        The rows are None without a window.
        """
        touch = self.accesses.reads[own.task][number]
        memory, read = self.memories[own.task, touch.array], self.run.moves.all_reads[own.task, number]
        when = Rows.reading(self.accesses, self.run.moves.plan, own, touch, read.rows)
        words = self._words(memory, read.data.each)
        words = np.where(when.beyond(self.accesses, np.arange(len(words))), -1, words)
        array = self.accesses.network.arrays[touch.array]
        size, units, kind = words.shape[1], timed.unit[read.rows], array.type
        chunk, first, border = -(-size // own.unit.interval), timed.reading[read.rows], touch.tiler.border
        constant = bits_of_constant(border.value, kind) if border is not None and border.is_constant else None
        name = f"{plain(own.task)}_{touch.port}" + ("_default" if touch.default_of is not None else "")
        port, earlier = ReadPort(touch.port, name, size, chunk, kind.bits, None, constant), array.earlier
        if earlier is not None:
            default = bits_of_constant(constant_of(earlier.delay), kind)
            port = replace(port, constant=default, later=earlier.frames)
        window = self.windows.get((own.task, number))
        if window is None:
            at, lane = in_chunks(first, units, size, chunk)
            table = table_of((timed.readers, own.units * chunk), at, lane, words)
            return port, Lanes(name, memory, table, memory.copies_of(table, own.units, memory.own_copies)), None
        kept = window_kept(when, window, size)
        row = first[:, None] - kept.back[units] * own.unit.interval + kept.lane[units] // window.each
        table = table_of((timed.readers, window.each), row, kept.lane[units] % window.each, words)
        moves = np.zeros(timed.readers, np.int64)
        for ahead in range(window.fill + 1):
            moves[timed.reading - ahead * own.unit.interval] = 1  # also where nothing but a border's constant is read
        return (
            replace(port, window=kept.port),
            Lanes(name, memory, table, memory.copies_of(table, 1, memory.own_copies)),
            moves,
        )

    def _lookup(self, own: ProcessorState, number: int, step: IntArray) -> tuple[ReadPort, IntArray]:
        """A port that is looked up, and by step what is added to its addresses; instances work in these steps."""
        touch, reads = self.accesses.reads[own.task][number], self.run.moves.all_reads[own.task, number]
        memory, bases = self.memories[own.task, touch.array], np.zeros(len(self.clocks) + self.setup, np.int64)
        words = self._words(memory, reads.data.distinct)
        first = words[reads.data.of[np.argmin(step[reads.rows])]]
        ahead = words - first
        bases[step[reads.rows]] = ahead[reads.data.of, 0]
        assert (ahead == ahead[:, :1]).all(), "each computation of a table has places of its own"
        assert (bases[step[reads.rows]] == ahead[reads.data.of, 0]).all(), "a table stays for a step"
        name = f"{plain(own.task)}_{touch.port}_base" if bases.any() else ""
        bits, size = self.accesses.network.arrays[touch.array].type.bits, len(first)
        port = ReadPort(touch.port, "", size, -(-size // own.unit.interval), bits, lookup=memory, base=name)
        if (port.table != first).any():
            port = replace(port, words=tuple(first.tolist()))
        return port, bases

    def _built_in(self, own: ProcessorState, touch: Touch) -> ReadPort:
        """A port whose elements, of a const array, are constants of the datapath."""
        memory = self.memories[own.task, touch.array]
        assert memory.content is not None, "a const array has its elements"
        assert memory.elements is not None, "it is there before the frame"
        bits = tuple(memory.content[word] for word in memory.elements)
        return ReadPort(touch.port, "", len(bits), -(-len(bits) // own.unit.interval), memory.width, built_in=bits)

    def _words(self, memory: Memory, data: IntArray) -> IntArray:
        """The words of data of a memory; an array that is there before the frame has its elements as data."""
        words = self.located[memory.array] if memory.elements is None else np.array(memory.elements, np.int64)
        return words[data]

    def _written(self, own: ProcessorState, touch: Touch, timed: Timed) -> tuple[WritePort, Lanes]:
        """The port and lanes of a task's writing tiler."""
        kind, memory = self.accesses.network.arrays[touch.array].type, self.memories["", touch.array]
        writing, data, _ = written_elements(self.accesses, self.run, touch)
        name = f"{plain(own.task)}_{touch.port}"
        if sum(other.port == touch.port for other in self.accesses.writes[own.task]) > 1:
            name += f"_{self.accesses.writes[own.task].index(touch)}"
        words = self.located[touch.array][data]
        return self._leaving(own, (touch.port, name, kind.bits), memory, timed, writing, words)

    def _leaving(
        self,
        own: ProcessorState,
        named: tuple[str, str, int],
        memory: Memory,
        timed: Timed,
        writing: IntArray | NDArray[np.intp],
        words: IntArray,
    ) -> tuple[WritePort, Lanes]:
        """The port and lanes of results that leave at the rate of the interval; `named` are port, lanes and bits."""
        port, name, bits = named
        size, interval = words.shape[1], own.unit.interval
        chunk = -(-size // interval)
        at, lane = leaving(timed.writing[writing], timed.unit[writing], size, interval)
        table = table_of((timed.writers, own.units * chunk), at, lane, words)
        return WritePort(port, (name,), size, chunk, bits), Lanes(name, memory, table)


def _merged(writes: Sequence[WritePort]) -> tuple[WritePort, ...]:
    """One port for each output of the units, with the lanes of all tilers that it writes through."""
    ports: dict[str, WritePort] = {}
    for port in writes:
        lanes = ports[port.bus].lanes if port.bus in ports else ()
        ports[port.bus] = replace(port, lanes=(*lanes, *port.lanes))
    return tuple(ports.values())


def units_of_instances(own: ProcessorState) -> IntArray:
    """The unit of each instance: by position on its line, or the next free unit if chains share no lines.

    In a step in which states stay in registers, a unit goes on with its chain, whatever the position is.
    """
    if own.lines.alone and own.units > 1:
        return _next_free(own)
    order = np.argsort(own.lines.order)
    line, number = own.lines.line[order], np.arange(len(order))
    place = np.empty(len(order), np.int64)
    place[order] = number - np.maximum.accumulate(np.where(np.diff(line, prepend=-1) != 0, number, 0))
    unit = place % own.units
    if len(own.waiting.reader) != 1:
        return unit
    (reader,) = own.waiting.reader
    chained = np.flatnonzero((reader >= 0) & own.keeps_states[own.step])
    for source in chained[np.argsort(own.lines.level[chained], kind="stable")].tolist():
        unit[reader[source]] = unit[source]
    return unit


def _next_free(own: ProcessorState) -> IntArray:
    """The unit of each instance in the order of starts: the first unit that is free."""
    unit_of, free = np.zeros(len(own.started), np.int64), [-1] * own.units
    for instance in np.argsort(own.started, kind="stable").tolist():
        start = int(own.started[instance])
        unit = next(unit for unit, until in enumerate(free) if until <= start)
        unit_of[instance], free[unit] = unit, start + own.unit.interval
    return unit_of


def writers_of(accesses: Accesses, run: GroupRun, array: str) -> Iterator[tuple[Touch, NDArray[np.intp], IntArray]]:
    """By tiler of the group that writes an array: the instances that write, and the numbers of their data."""
    first = 0
    for task in accesses.network.arrays[array].producers:
        for touch in accesses.writes[task] if task in run.processors else ():
            if touch.array == array:
                happens = accesses.happens(touch, run.processors[task].repetitions(accesses))
                writing, size = np.flatnonzero(happens), math.prod(touch.pattern)
                yield touch, writing, first + np.arange(len(writing) * size).reshape(len(writing), size)
                first += len(writing) * size


def written_elements(accesses: Accesses, run: GroupRun, touch: Touch) -> tuple[NDArray[np.intp], IntArray, int]:
    """The instances that write through a tiler, the numbers of their data, and the tiler's position.

    The position counts the tilers of the group that write the array.
    """
    for number, (other, writing, data) in enumerate(writers_of(accesses, run, touch.array)):
        if other is touch:
            return writing, data, number
    raise AssertionError("a tiler of the group writes what the group makes")
