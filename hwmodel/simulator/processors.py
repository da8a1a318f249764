"""A processor in a group's run: its instances by step, its units, and the cycles at which data come and go."""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arrayol.ir.spec import Delay, port_named
from hwmodel.accesses import Accesses, Extents, flat, points, subscripts
from hwmodel.datapath.figures import Datapath
from hwmodel.design import BankLayout, GroupDesign
from hwmodel.design import Processor as DesignProcessor
from hwmodel.platform import Platform
from hwmodel.simulator.memories import Fifo
from hwmodel.simulator.moves import Moves
from hwmodel.simulator.plan import Ints, Plan, Work, chain_positions, delay_pairs, fault, levels, scan_places, touched
from hwmodel.units import riding_dimensions, unit_dimension

# Computation units: single repetitions, each on a unit when its operands are there (docs/machine.md, section 4).


@dataclass(frozen=True, slots=True)
class Jobs:
    """The repetitions of one task in one step, in scan order.

    `remaining` is the length of the longest chain of delays in the step from each on, `after` the jobs that read what
    each makes, with how many cycles after its start they can, `waits` for how many of the step each waits; `released`
    the first cycle at which other operands are there.
    """

    remaining: Sequence[int]
    after: Sequence[Sequence[tuple[int, int]]]
    waits: Sequence[int]
    released: Sequence[int]


def starts_of(jobs: Jobs, units: int, interval: int) -> list[int]:
    """The cycle at which each job starts, from the start of the step, always a multiple of the interval.

    Whenever a unit is free, of the jobs whose operands are there the one with the longest remaining chain starts, of
    equals the first in the scan. A job keeps its unit for the interval. Raises SimulatorError (`deadlock`).
    """
    count = len(jobs.remaining)
    starts = [0] * count
    waits = list(jobs.waits)
    ready_at = [_next_multiple(cycle, interval) for cycle in jobs.released]
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
            ready_at[reader] = max(ready_at[reader], _next_multiple(now + gap, interval))
            if not waits[reader]:
                heapq.heappush(coming, (ready_at[reader], -jobs.remaining[reader], reader))
    if done < count:
        raise fault("deadlock", f"{count - done} repetitions of a step wait for each other")
    return starts


def _next_multiple(cycle: int, interval: int) -> int:
    return cycle + -cycle % interval


# Lines: which repetitions start together, on units side by side, and in which order.


@dataclass(frozen=True)
class Lines:
    """For each instance its level in its step, and its place in the order of issue; and which share a line.

    `line` is equal for instances of one step and level that differ in the dimension of the units alone; every instance
    has one of its own where there is no such dimension. `alone`: units share nothing, chains have no levels. `along` is
    the dimension of the units.
    """

    level: Ints
    order: Ints
    line: Ints
    alone: bool
    along: int | None

    @staticmethod
    def of(accesses: Accesses, plan: Plan, waiting: Waiting, step: Ints, task: str) -> Lines:
        """The lines of a task's instances."""
        work, extents = plan.works[task], accesses.extents(task)
        along = unit_dimension(accesses, riding_dimensions(accesses, plan.design.tasks, plan.last), plan.scan, task)
        level = _levels(waiting, len(step))
        point = points(extents)[work.repetition]
        delays = [(k, part) for delay in accesses.delays(task) for k, part in enumerate(delay.vector) if part]
        keys = [np.arange(len(step))]  # instances of a step stand in scan order
        if along is not None:
            others = flat(np.delete(point, along, axis=1), np.delete(np.array(extents), along).tolist())
            # Lines in the order in which the scan comes to the first place of each.
            ahead = _scan_keys(plan, task, extents, along)
            keys = [keys[0], ahead[work.repetition]]
            line = np.unique(np.stack([step, level, others]), axis=1, return_inverse=True)[1].reshape(-1)
        else:
            line = np.arange(len(step))
        if len(delays) == 1:
            dimension, part = delays[0]
            keys.append(point[:, dimension] if part > 0 else -point[:, dimension])
        order = np.empty(len(step), np.int64)
        order[np.lexsort([*keys, level, step])] = np.arange(len(step))
        return Lines(level, order, line, len(delays) > 1, along)

    def rounds(self, first: int, end: int, units: int) -> list[list[int]]:
        """The instances of a step in rounds: up to so many that follow each other on one line."""
        rounds: list[list[int]] = []
        for instance in sorted(range(first, end), key=self.order.__getitem__):
            last = rounds[-1] if rounds else []
            if last and len(last) < units and self.line[last[0]] == self.line[instance]:
                last.append(instance)
            else:
                rounds.append([instance])
        return rounds


def _scan_keys(plan: Plan, task: str, extents: Extents, along: int) -> Ints:
    """For every repetition the place in the scan of the one with index 0 along a dimension and all others equal."""
    start = points(extents)
    start[:, along] = 0
    return scan_places(plan.blocks_of(task), extents)[flat(start, extents)]


def _levels(waiting: Waiting, count: int) -> Ints:
    """How many of its step lead to each instance, one after the other, by the longest way."""
    level = np.zeros(count, np.int64)
    while True:
        before = level.copy()
        for reader in waiting.reader:
            source = np.flatnonzero(reader >= 0)
            level[reader[source]] = np.maximum(level[reader[source]], level[source] + 1)
        if np.array_equal(before, level):
            return level


# Delays in a group's run: what waits for what in a step, and which chains are open.


@dataclass(frozen=True)
class Waiting:
    """For each delay the instance that reads what each instance hands on in the same step (-1: none).

    `remaining` is the longest chain in the step from each instance on.
    """

    reader: tuple[Ints, ...]
    remaining: Ints


@dataclass(frozen=True)
class Chains:
    """How many chains of one delay open and close in each step; each keeps `data` data."""

    name: str
    data: int
    opening: Ints
    closing: Ints


def waiting_of(accesses: Accesses, work: Work, step: Ints) -> Waiting:
    """Who waits for whom. Raises SimulatorError (`read-before-write`) where a delay reads what a later step makes."""
    remaining = np.ones(len(step), np.int64)
    readers, ordered = [], []
    for delay in accesses.delays(work.task):
        now, before = _instances(accesses, delay, work)
        late = np.flatnonzero(step[before] > step[now])
        if len(late):
            message = f"'{work.task}' reads by its delay in step {step[now[late[0]]]} what a later step makes"
            raise fault("read-before-write", message)
        same = step[before] == step[now]
        reader = np.full(len(step), -1)
        reader[before[same]] = now[same]
        readers.append(reader)
        place = chain_positions(delay, accesses.extents(work.task))[work.repetition]
        now, before = now[same], before[same]
        ordered.append([(now[rows], before[rows]) for rows in levels(place[now], descending=True)])
    while True:
        former = remaining.copy()
        for pairs in ordered:
            for now, before in pairs:
                remaining[before] = np.maximum(remaining[before], remaining[now] + 1)
        if len(ordered) < 2 or np.array_equal(former, remaining):
            return Waiting(tuple(readers), remaining)


def chains_of(accesses: Accesses, delay: Delay, work: Work, step: Ints, steps: int) -> Chains:
    """The chains of a delay with more than one instance, from the step of their first to that of their last.

    One that reaches back to earlier frames keeps what all repetitions of those frames hand on, all the time.
    """
    process = accesses.network.processes[work.task]
    data = math.prod(extent or 1 for extent in port_named(process.input_ports, delay.port).shape)
    name = f"{work.task}.{delay.port}"
    frames = sum(abs(part) for part, extent in zip(delay.vector, process.repetition, strict=True) if extent is None)
    if frames:
        always = np.zeros(steps, np.int64)
        always[0] = frames * math.prod(accesses.extents(work.task))
        return Chains(name, data, always, np.zeros(steps, np.int64))
    now, before = _instances(accesses, delay, work)
    root = np.arange(len(step))
    place = chain_positions(delay, accesses.extents(work.task))[work.repetition]
    for rows in levels(place[now]):
        root[now[rows]] = root[before[rows]]
    first = np.full(len(step), steps)
    last = np.full(len(step), -1)
    np.minimum.at(first, root, step)
    np.maximum.at(last, root, step)
    several = np.bincount(root, minlength=len(step)) > 1
    opening, closing = (np.bincount(side[several], minlength=steps) for side in (first, last))
    return Chains(name, data, opening, closing)


def _instances(accesses: Accesses, delay: Delay, work: Work) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The pairs of a delay as instances: those whose reader runs."""
    extents = accesses.extents(work.task)
    number = np.full(int(np.prod(extents, dtype=np.int64)), -1)
    number[work.repetition] = np.arange(len(work.repetition))
    now, before = (number[side] for side in delay_pairs(delay, extents))
    runs = now >= 0
    if (before[runs] < 0).any():
        raise fault("read-before-write", f"'{work.task}' reads by its delay what never runs")
    return now[runs], before[runs]


@dataclass(frozen=True, slots=True)
class Gap:
    """Cycles from an instance's start until a delay can read it: where its chain has a unit for itself, and else."""

    in_register: int
    through_memory: int


@dataclass(frozen=True)
class Processor:
    """`step` of each instance, ascending; `bounds` has the instances of step s between entries s and s + 1.

    `unit` says how long an instance keeps its unit and how soon its results are there, `fill` how many rounds pass
    before each line, `gaps` how long after its start each delay can read it, `inputs` has the FIFOs with the data of
    each instance, of shape (instances, size), `outputs` those with the instances that write and the data of each of
    them. In the run `began` gets the cycle at which the step of each instance starts, `started` that at which it does.
    """

    task: str
    units: int
    work: Work
    step: Ints
    bounds: Ints
    unit: Datapath
    fill: int
    gaps: tuple[Gap, ...]
    waiting: Waiting
    lines: Lines
    chains: tuple[Chains, ...]
    inputs: tuple[tuple[Fifo, Ints], ...]
    outputs: tuple[tuple[Fifo, Ints, Ints], ...]
    began: Ints
    started: Ints

    def repetitions(self, accesses: Accesses) -> Ints:
        """The repetition of each instance, (instances, rank)."""
        return accesses.repetitions(self.task)[self.work.repetition]

    def compute(self, step: int, clock: int, arrivals: Mapping[str, Ints]) -> int:
        """Run the instances of a step that starts at `clock`; returns when the last is done, from the step's start.

        `arrivals` holds, for each FIFO array, when each of its data is there, in cycles from the start of the group;
        those that this processor makes are entered.
        """
        first, end = int(self.bounds[step]), int(self.bounds[step + 1])
        if first == end:
            return 0
        starts = np.array(self._starts(first, end, clock, arrivals), np.int64)
        self.began[first:end], self.started[first:end] = clock, clock + starts
        order = np.argsort(starts, kind="stable")
        for fifo, data in self.inputs:
            mine = data[first:end][order]
            fifo.read(mine.reshape(-1), np.repeat(clock + starts[order], mine.shape[1]))
        for fifo, writing, data in self.outputs:
            low, high = np.searchsorted(writing, [first, end])
            mine, own = data[low:high], starts[writing[low:high] - first]
            size = mine.shape[1]
            spread = -(-np.arange(1, size + 1) * self.unit.interval // size)
            there = clock + own[:, None] + spread[None, :] + self.unit.latency
            arrivals[fifo.array][mine] = there
            in_order = np.argsort(own, kind="stable")
            fifo.write(mine[in_order].reshape(-1), there[in_order].reshape(-1) - 1)
        return int(starts.max()) + self.unit.interval + self.unit.latency

    def _starts(self, first: int, end: int, clock: int, arrivals: Mapping[str, Ints]) -> list[int]:
        released = np.zeros(end - first, np.int64)
        for fifo, data in self.inputs:
            released = np.maximum(released, arrivals[fifo.array][data[first:end]].max(axis=1) - clock)
        rounds = self.lines.rounds(first, end, self.units)
        after: list[list[tuple[int, int]]] = [[] for _ in range(end - first)]
        waits = [0] * (end - first)
        for reader, gap in zip(self.waiting.reader, self.gaps, strict=True):
            cycles = gap.in_register if self._has_registers(rounds) else gap.through_memory
            for job, reads_from in enumerate((reader[first:end] - first).tolist()):
                if reads_from >= 0:
                    after[job].append((reads_from, cycles))
                    waits[reads_from] += 1
        if self.lines.alone and not (self.inputs or self.outputs):
            remaining = self.waiting.remaining[first:end].tolist()
            return starts_of(Jobs(remaining, after, waits, released.tolist()), self.units, self.unit.interval)
        lines = [int(self.lines.line[each[0]]) for each in rounds]
        return self._in_order([[one - first for one in each] for each in rounds], lines, after, released.tolist())

    def _in_order(
        self,
        rounds: list[list[int]],
        lines: list[int],
        after: Sequence[Sequence[tuple[int, int]]],
        there: list[int],
    ) -> list[int]:
        """Round after round: each when the one before has left, and all that its repetitions read is there.

        Before the first round of each of the `lines` windows fill.
        """
        starts, free, line = [-1] * len(there), 0, -1
        for together, own in zip(rounds, lines, strict=True):
            free += self.fill * self.unit.interval if own != line else 0
            line = own
            now = _next_multiple(max(free, *(there[job] for job in together)), self.unit.interval)
            for job in together:
                starts[job] = now
                for reader, gap in after[job]:
                    if starts[reader] >= 0:
                        raise fault("deadlock", f"'{self.task}' starts a repetition before what its delay reads")
                    there[reader] = max(there[reader], now + gap)
            free = now + self.unit.interval
        return starts

    def _has_registers(self, rounds: list[list[int]]) -> bool:
        """Whether each unit has one chain in work in a step: one delay, and all that wait for none start together."""
        beginning = [together for together in rounds if self.lines.level[together[0]] == 0]
        return len(self.waiting.reader) == 1 and len(beginning) == 1


def processor_of(
    accesses: Accesses,
    platform: Platform,
    design: GroupDesign,
    moves: Moves,
    task: str,
    fifos: Mapping[str, Fifo],
    fill: int,
) -> Processor:
    """The processor of a task in a group's run; `fill` rounds pass before each line."""
    work = moves.plan.works[task]
    step = moves.step(work)
    process = accesses.network.processes[task]
    (own,) = (processor for processor in design.processors if processor.task == task)
    unit = _unit_of(accesses, platform, design, own, work)
    return Processor(
        task,
        own.units,
        work,
        step,
        np.searchsorted(step, np.arange(moves.steps + 1)),
        unit,
        fill,
        tuple(_gap_of(unit, delay) for delay in accesses.delays(task)),
        waiting := waiting_of(accesses, work, step),
        Lines.of(accesses, moves.plan, waiting, step, task),
        tuple(chains_of(accesses, delay, work, step, moves.steps) for delay in process.delays if delay.acts),
        tuple(
            (fifos[read.touch.array], read.data)
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


def _unit_of(
    accesses: Accesses, platform: Platform, design: GroupDesign, processor: DesignProcessor, work: Work
) -> Datapath:
    """The datapath of a processor's units, whose interval is what an instance keeps a unit for.

    It is the design's, or what the accesses to a bank take. Raises SimulatorError (`plan`) for one that is not there.
    """
    process = accesses.network.processes[processor.task]
    there = platform.intervals(process)
    interval = min(there) if processor.interval is None else processor.interval
    if interval not in there:
        raise fault("plan", f"'{processor.task}' has an interval of {interval} cycles; there are {sorted(there)}")
    conflicts = max((_conflicts(accesses, work, layout) for layout in design.layouts), default=0)
    return platform.datapath(process, max(interval, conflicts * platform.local.access_cycles))


def _gap_of(unit: Datapath, delay: Delay) -> Gap:
    pair = delay.output, delay.port
    in_register = unit.recurrence.get(pair, 0)
    return Gap(in_register, in_register + unit.through_memory.get(pair, 0))


def _written_to(accesses: Accesses, work: Work, fifo: Fifo, data: int) -> tuple[Fifo, Ints, Ints]:
    """A FIFO, the instances that write to it (by one port), and the data of each."""
    touch = next(touch for touch in accesses.writes[work.task] if touch.array == fifo.array)
    rows, elements = touched(accesses, touch, work)
    return fifo, rows.astype(np.int64), np.arange(data).reshape(elements.shape)


def _conflicts(accesses: Accesses, work: Work, layout: BankLayout) -> int:
    """The most accesses that one repetition makes to one bank of a buffer with this layout, reads or writes."""
    worst = 0
    for side in (accesses.reads, accesses.writes):
        touches = [touch for touch in side[work.task] if touch.array == layout.array]
        if not touches:
            continue
        elements = np.full((len(work.repetition), 0), -1)
        for touch in touches:
            rows, accessed = touched(accesses, touch, work)
            padded = np.full((len(work.repetition), accessed.shape[1]), -1)
            padded[rows] = accessed
            elements = np.concatenate([elements, padded], axis=1)
        elements = np.sort(elements, axis=1)
        counted = elements >= 0
        counted[:, 1:] &= elements[:, 1:] != elements[:, :-1]
        banks = _banks(accesses, layout, elements)
        for bank in range(layout.banks):
            worst = max(worst, int((counted & (banks == bank)).sum(axis=1).max(initial=0)))
    return worst


def _banks(accesses: Accesses, layout: BankLayout, elements: Ints) -> Ints:
    shape = accesses.shape(layout.array)
    places = subscripts(np.maximum(elements, 0), shape)
    place = sum(
        (factor * subscript for factor, subscript in zip(layout.vector, places, strict=True)),
        np.zeros_like(elements),
    )
    return place // layout.block % layout.banks
