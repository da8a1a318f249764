"""A processor in a group's run: its instances by step, its units, and the cycles at which data are read and written."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import IntArray
from arrayol.ir.spec import Delay
from hwmodel.accesses import Accesses, Extents, flat, points
from hwmodel.datapath.figures import Datapath, read_cycles, result_cycles
from hwmodel.design import GroupDesign, Processor
from hwmodel.platform import Platform
from hwmodel.simulator.schedule.chains import OpenChains, Waiting, chains_of, waiting_of
from hwmodel.simulator.schedule.fifos import Fifo
from hwmodel.simulator.schedule.moves import Moves
from hwmodel.simulator.schedule.occupied import occupied
from hwmodel.simulator.schedule.plan import Plan, TaskWork, fault, scan_places, touched
from hwmodel.units import riding_dimensions, unit_dimension

# Single repetitions, each on a unit when its operands are there.


@dataclass(frozen=True, slots=True)
class Jobs:
    """The repetitions of one task in one step, in scan order.

    `remaining` is the length of the longest chain of delays in the step from each repetition on. `after` has the jobs
    that read each one's result, with the cycles after its start when they can, and `waits` the number of jobs that each
    waits for. `released` is the first cycle at which other operands are there.
    """

    remaining: Sequence[int]
    after: Sequence[Sequence[tuple[int, int]]]
    waits: Sequence[int]
    released: Sequence[int]


def starts_of(jobs: Jobs, units: int, interval: int) -> list[int]:
    """The cycle at which each job starts, from the start of the step; always a multiple of the interval.

    Whenever a unit is free, of the jobs whose operands are there the one with the longest remaining chain starts, of
    equal ones the first in the scan. A job occupies its unit for the interval. Raises SimulatorError (`deadlock`).
    """
    count = len(jobs.remaining)
    starts = [0] * count
    waits = list(jobs.waits)
    ready_at = [next_multiple(cycle, interval) for cycle in jobs.released]
    coming = [(ready_at[job], -jobs.remaining[job], job) for job in range(count) if not waits[job]]
    heapq.heapify(coming)
    ready: list[tuple[int, int]] = []
    free = [0] * units
    done, now = 0, 0
    while coming or ready:
        now = max(now, free[0])
        if not ready:
            now = max(now, coming[0][0])
        while coming and coming[0][0] <= now:
            _, priority, job = heapq.heappop(coming)
            heapq.heappush(ready, (priority, job))
        _, job = heapq.heappop(ready)
        starts[job] = now
        heapq.heapreplace(free, now + interval)
        done += 1
        for reader, gap in jobs.after[job]:
            waits[reader] -= 1
            ready_at[reader] = max(ready_at[reader], next_multiple(now + gap, interval))
            if not waits[reader]:
                heapq.heappush(coming, (ready_at[reader], -jobs.remaining[reader], reader))
    if done < count:
        raise fault("deadlock", f"{count - done} repetitions of a step wait for each other")
    return starts


def next_multiple(cycle: int, interval: int) -> int:
    """The first cycle from this one on at which a repetition may start."""
    return cycle + -cycle % interval


# Lines: which repetitions start together, on units side by side, and in which order.


@dataclass(frozen=True)
class Lines:
    """The level of each instance in its step, its position in the order of issue, and its line.

    `line` is equal for instances of one step and level that are consecutive along the unit dimension and equal in all
    others; without such a dimension every instance has its own line. `alone`: units share nothing, chains have no
    levels. `along` is the unit dimension.
    """

    level: IntArray
    order: IntArray
    line: IntArray
    alone: bool
    along: int | None

    @staticmethod
    def of(accesses: Accesses, plan: Plan, waiting: Waiting, step: IntArray, task: str) -> Lines:
        """The lines of a task's instances."""
        work, extents = plan.works[task], accesses.extents(task)
        along = unit_dimension(accesses, riding_dimensions(accesses, plan.design.tasks, plan.last), plan.scan, task)
        level = _levels(waiting, len(step))
        point = points(extents)[work.repetition]
        delays = [(k, part) for delay in accesses.delays(task) for k, part in enumerate(delay.vector) if part]
        keys = [np.arange(len(step))]  # instances of a step stand in scan order
        if along is not None:
            # Lines in the order in which the scan comes to where they would begin if nothing were left out.
            ahead = _scan_keys(plan, task, extents, along)
            keys = [keys[0], ahead[work.repetition]]
        if len(delays) == 1:
            dimension, part = delays[0]
            keys.append(point[:, dimension] if part > 0 else -point[:, dimension])
        issued = np.lexsort([*keys, level, step])
        order, line = np.empty(len(step), np.int64), np.empty(len(step), np.int64)
        order[issued] = np.arange(len(step))
        line[issued] = np.cumsum(_begins(np.column_stack([step, level, point])[issued], along))
        return Lines(level, order, line, len(delays) > 1, along)

    def rounds(self, bounds: IntArray, units: int) -> list[list[list[int]]]:
        """The instances of each step in rounds: up to `units` that are consecutive on one line.

        Those of step s are between entries s and s + 1 of `bounds`.
        """
        issued = np.argsort(self.order)  # step after step
        line = self.line[issued]
        changes = np.append(True, line[1:] != line[:-1])[: len(line)]
        within = np.arange(len(line)) - np.flatnonzero(changes)[np.cumsum(changes) - 1]
        starts = np.flatnonzero(within % units == 0)
        rounds, instances = np.searchsorted(starts, bounds).tolist(), issued.tolist()
        ends = [*starts.tolist(), len(instances)]
        each = [instances[start:end] for start, end in itertools.pairwise(ends)]
        return [each[first:end] for first, end in itertools.pairwise(rounds)]


def _begins(rows: IntArray, along: int | None) -> NDArray[np.bool_]:
    """Mask of the rows (step, level, indices) that do not continue the line of the row before."""
    begins = np.ones(len(rows), np.bool_)
    if along is not None:
        expected = np.zeros(rows.shape[1], np.int64)
        expected[2 + along] = 1
        begins[1:] = (np.abs(np.diff(rows, axis=0)) != expected).any(axis=1)
    return begins


def _scan_keys(plan: Plan, task: str, extents: Extents, along: int) -> IntArray:
    """For every repetition, the scan position of the one with index 0 along a dimension and all others equal."""
    start = points(extents)
    start[:, along] = 0
    return scan_places(plan.blocks_of(task), extents)[flat(start, extents)]


def _levels(waiting: Waiting, count: int) -> IntArray:
    """The number of instances of its step on the longest chain that leads to each instance."""
    level = np.zeros(count, np.int64)
    while True:
        before = level.copy()
        for reader in waiting.reader:
            source = np.flatnonzero(reader >= 0)
            level[reader[source]] = np.maximum(level[reader[source]], level[source] + 1)
        if np.array_equal(before, level):
            return level


@dataclass(frozen=True, slots=True)
class Gap:
    """Cycles from an instance's start until a delay can read it: with its chain's state in a register, or in memory."""

    in_register: int
    through_memory: int


def unit_of(
    accesses: Accesses, platform: Platform, design: GroupDesign, processor: Processor, work: TaskWork
) -> Datapath:
    """The datapath of a processor's units, whose interval is the occupancy of an instance.

    It is the design's interval, or what the accesses to banks of layouts take. Raises SimulatorError (`plan`) for an
    interval that is not on offer.
    """
    process = accesses.network.processes[processor.task]
    there = platform.intervals(process)
    interval = min(there) if processor.interval is None else processor.interval
    if interval not in there:
        raise fault("plan", f"'{processor.task}' has an interval of {interval} cycles; there are {sorted(there)}")
    return platform.datapath(process, occupied(accesses, platform, design.layouts, work, interval))


def gap_of(unit: Datapath, delay: Delay) -> Gap:
    """The gap of a delay."""
    pair = delay.output, delay.port
    in_register = unit.recurrence.get(pair, 0)
    return Gap(in_register, in_register + unit.through_memory.get(pair, 0))


@dataclass(frozen=True)
class ProcessorState:
    """The instances of a task in a run.

    `step` is ascending, and those of step s are between entries s and s + 1 of `bounds`.

    - `unit`: its `interval` is the occupancy; `fill`: the rounds before each line while windows fill.
    - `gaps`: by delay, the cycles from an instance's start until the delay can read its result.
    - `inputs`: the FIFOs with the data of each instance, (instances, size); `outputs`: the FIFOs with the instances
      that write, and the data of each of these.
    - `began`: the cycle at which the step of each instance starts, and `started` that at which it does; both are set in
      the run.
    """

    task: str
    units: int
    work: TaskWork
    step: IntArray
    bounds: IntArray
    unit: Datapath
    fill: int
    gaps: tuple[Gap, ...]
    waiting: Waiting
    lines: Lines
    chains: tuple[OpenChains, ...]
    inputs: tuple[tuple[Fifo, IntArray], ...]
    outputs: tuple[tuple[Fifo, IntArray, IntArray], ...]
    began: IntArray
    started: IntArray

    def repetitions(self, accesses: Accesses) -> IntArray:
        """The repetition of each instance, (instances, rank)."""
        return accesses.repetitions(self.task)[self.work.repetition]

    def ends(self, fifo: Fifo) -> list[int]:
        """The most data that the processor moves to or from a FIFO in a cycle, for each of its ends there."""
        sizes = [data.shape[1] for port, data in self.inputs if port is fifo]
        sizes += [data.shape[1] for port, _, data in self.outputs if port is fifo]
        return [self.units * -(-size // self.unit.interval) for size in sizes]

    def compute(self, step: int, clock: int, arrivals: Mapping[str, IntArray]) -> int:
        """Run the instances (at least one) of a step that starts at `clock`; returns the cycles until the last is done.

        `arrivals` has, for each FIFO array, the cycle at which each of its data arrives, from the start of the group;
        those of this processor are entered.
        """
        first, end = int(self.bounds[step]), int(self.bounds[step + 1])
        starts = np.array(self._starts(step, clock, arrivals), np.int64)
        self.began[first:end], self.started[first:end] = clock, clock + starts
        for fifo, data in self.inputs:
            mine = data[first:end]
            number = np.arange(mine.shape[1])
            read_at = read_cycles(number, len(number), self.unit.interval)
            fifo.read(mine, clock + starts[:, None] + read_at, first + np.arange(len(mine)))
        for fifo, writing, data in self.outputs:
            low, high = np.searchsorted(writing, [first, end])
            mine, number = data[low:high], np.arange(data.shape[1])
            leaving = result_cycles(number, len(number), self.unit.interval)
            written = clock + starts[writing[low:high] - first][:, None] + leaving + self.unit.latency
            arrivals[fifo.array][mine] = written + 1
            fifo.write(mine, written, writing[low:high])
        return int(starts.max()) + self.unit.interval + self.unit.latency

    @cached_property
    def _rounds(self) -> list[list[list[int]]]:
        """The instances of each step in rounds."""
        return self.lines.rounds(self.bounds, self.units)

    def _starts(self, step: int, clock: int, arrivals: Mapping[str, IntArray]) -> list[int]:
        """The start of each instance of a step, in cycles from the start of the step."""
        first, end = int(self.bounds[step]), int(self.bounds[step + 1])
        released = np.zeros(end - first, np.int64)
        for fifo, data in self.inputs:
            released = np.maximum(released, arrivals[fifo.array][data[first:end]].max(axis=1) - clock)
        rounds = self._rounds[step]
        after: list[list[tuple[int, int]]] = [[] for _ in range(end - first)]
        waits = [0] * (end - first)
        for reader, gap in zip(self.waiting.reader, self.gaps, strict=True):
            cycles = gap.in_register if self.keeps_states[step] else gap.through_memory
            for job, reads_from in enumerate((reader[first:end] - first).tolist()):
                if reads_from >= 0:
                    after[job].append((reads_from, cycles))
                    waits[reads_from] += 1
        if self.lines.alone and not (self.inputs or self.outputs):
            remaining = self.waiting.remaining[first:end].tolist()
            return starts_of(Jobs(remaining, after, waits, released.tolist()), self.units, self.unit.interval)
        lines = [int(self.lines.line[each[0]]) for each in rounds]
        return self._in_order([[start - first for start in each] for each in rounds], lines, after, released.tolist())

    def _in_order(
        self,
        rounds: list[list[int]],
        lines: list[int],
        after: Sequence[Sequence[tuple[int, int]]],
        there: list[int],
    ) -> list[int]:
        """Start round after round: each when the one before has left, and all operands of its repetitions are there.

        Windows fill before the first round of each of the `lines`.
        """
        starts, free, line, interval = [-1] * len(there), 0, -1, self.unit.interval
        for together, own in zip(rounds, lines, strict=True):
            free += self.fill * interval if own != line else 0
            line = own
            now = max(free, *(there[job] for job in together))
            now += -now % interval
            for job in together:
                starts[job] = now
                for reader, gap in after[job]:
                    if starts[reader] >= 0:
                        raise fault("deadlock", f"'{self.task}' starts a repetition before what its delay reads")
                    there[reader] = max(there[reader], now + gap)
            free = now + interval
        return starts

    @cached_property
    def keeps_states(self) -> NDArray[np.bool_]:
        """By step whether each unit works on one chain: there is one delay, and all of level 0 start together."""
        beginning = [sum(self.lines.level[together[0]] == 0 for together in rounds) for rounds in self._rounds]
        return np.asarray((np.array(beginning) == 1) & (len(self.waiting.reader) == 1))


def processor_of(
    accesses: Accesses,
    platform: Platform,
    design: GroupDesign,
    moves: Moves,
    task: str,
    fifos: Mapping[str, Fifo],
    fill: int,
) -> ProcessorState:
    """The processor of a task in a group's run; `fill` rounds pass before each line."""
    work = moves.plan.works[task]
    step = moves.step(work)
    process = accesses.network.processes[task]
    (chosen,) = (processor for processor in design.processors if processor.task == task)
    unit = unit_of(accesses, platform, design, chosen, work)
    return ProcessorState(
        task,
        chosen.units,
        work,
        step,
        np.searchsorted(step, np.arange(moves.steps + 1)),
        unit,
        fill,
        tuple(gap_of(unit, delay) for delay in accesses.delays(task)),
        waiting := waiting_of(accesses, work, step),
        lines := Lines.of(accesses, moves.plan, waiting, step, task),
        tuple(
            chains_of(accesses, delay, work, step, moves.steps, lines.order) for delay in process.delays if delay.acts
        ),
        tuple(
            (fifos[read.touch.array], read.data.each)
            for place, read in moves.reads.items()
            if place[0] == task and read.touch.array in fifos
        ),
        tuple(
            _written_to(accesses, work, fifos[name], len(moves.arrays[name].element))
            for name in process.writes
            if name in fifos
        ),
        np.full(len(step), -1),
        np.full(len(step), -1),
    )


def _written_to(accesses: Accesses, work: TaskWork, fifo: Fifo, data: int) -> tuple[Fifo, IntArray, IntArray]:
    """A FIFO, the instances that write to it (by one port), and the data of each."""
    touch = next(touch for touch in accesses.writes[work.task] if touch.array == fifo.array)
    rows, patterns = touched(accesses, touch, work)
    return fifo, rows.astype(np.int64), np.arange(data).reshape(len(rows), patterns.size)
