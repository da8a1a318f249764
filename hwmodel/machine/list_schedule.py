"""The greedy list schedule of the repetitions of one step (docs/machine.md, section 4).

The schedule is the rule itself, played event by event: a repetition becomes ready when the last of what it waits for is
there, a unit becomes free when its repetition has left it, and whenever both happen the ready repetition of the least
priority number starts. A processor starts at multiples of its occupancy alone, so what becomes ready between two of
them is ready at the later one. All events of one cycle are taken before anything starts, so ties are those of the rule,
and nothing is decided between events, since nothing changes there. Processors that FIFOs join are played together.

What waits for what does not depend on units or intervals; how long it waits does. So a wait has a kind (a delay of a
processor, a datum of a FIFO's pattern), and a schedule is given the cycles of each kind.

With more units such a schedule may take longer, so no formula or bound stands in for it. What saves time is that many
steps of a group have equal jobs (`Jobs.key`), and equal jobs have one schedule.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from heapq import heapify, heappop, heappush

import numpy as np
from numpy.typing import NDArray

from hwmodel.accesses import Extents, Indices, flat
from hwmodel.machine.fifo import FifoData
from hwmodel.machine.group import Elements, Group
from hwmodel.machine.ticks import Work


@dataclass(frozen=True, eq=False)
class Jobs:
    """Repetitions of one step, of one or several processors (n of them), and what they wait for (k waits).

    `processor` and `priority` (least first) of each; `source`, `reader` and `kind` of each wait: the reader starts as
    many cycles after the source's start as the kind lasts, or later.
    """

    processor: Elements
    priority: Elements
    source: Elements
    reader: Elements
    kind: Elements

    @cached_property
    def key(self) -> bytes:
        """Equal for steps with equal schedules."""
        sizes = np.array([len(self.processor), len(self.source)])
        parts = (sizes, self.processor, self.priority, self.source, self.reader, self.kind)
        return b"".join(part.astype(np.int64).tobytes() for part in parts)

    def moved(self, first: int) -> Jobs:
        """The same with jobs numbered from `first` on."""
        return replace(self, source=self.source + first, reader=self.reader + first)

    @staticmethod
    def joined(processor: Elements, parts: Sequence[Jobs]) -> Jobs:
        """Jobs of several processors together, numbered through."""
        names = ("priority", "source", "reader", "kind")
        return Jobs(processor, *(np.concatenate([getattr(part, name) for part in parts]) for name in names))


def remaining_chain(count: int, source: Elements, reader: Elements) -> Elements:
    """For each of `count` repetitions, how many the longest chain of delays from it on has, itself included."""
    remaining = np.ones(count, np.int64)
    while len(source):
        longer = remaining.copy()
        np.maximum.at(longer, source, remaining[reader] + 1)
        if np.array_equal(longer, remaining):
            break
        remaining = longer
    return remaining


def priorities(remaining: Elements, rank: Elements) -> Elements:
    """Places in the order of starting: the longest remaining chain first, ties in scan order."""
    place = np.empty(len(rank), np.int64)
    place[np.lexsort((rank, -remaining))] = np.arange(len(rank))
    return place


def start_cycles(jobs: Jobs, units: Sequence[int], occupancy: Sequence[int], lasts: Sequence[int]) -> Elements:
    """When each repetition starts: whenever a unit is free, the first by priority of those that wait for nothing.

    `units` and `occupancy` (cycles that a repetition keeps a unit; it starts at a multiple of them) are given by
    processor, `lasts` by kind of wait in cycles.
    """
    run = _Run(jobs, units, occupancy, lasts)
    time = 0
    while run.coming:
        time = run.coming[0][0]
        run.advance(time)
    return np.array(run.start, np.int64)


class _Run:
    """The state of a schedule: what comes (repetitions that become ready, units that become free), by time."""

    def __init__(self, jobs: Jobs, units: Sequence[int], occupancy: Sequence[int], lasts: Sequence[int]) -> None:
        count = len(jobs.processor)
        self.processor = jobs.processor.tolist()
        self.priority = jobs.priority.tolist()
        self.occupancy = occupancy
        self.free = list(units)
        self.ready: list[list[tuple[int, int]]] = [[] for _ in units]
        self.start = [0] * count
        self.waits = [0] * count
        self.earliest = [0] * count
        self.after: list[list[tuple[int, int]]] = [[] for _ in range(count)]
        for source, reader, kind in zip(jobs.source.tolist(), jobs.reader.tolist(), jobs.kind.tolist(), strict=True):
            self.after[source].append((reader, lasts[kind]))
            self.waits[reader] += 1
        # Events (time, job): job becomes ready; (time, -1 - processor): a unit of the processor is free again.
        self.coming = [(0, job) for job in range(count) if not self.waits[job]]
        heapify(self.coming)

    def advance(self, time: int) -> None:
        """Take all that comes at a time, then start what can start."""
        touched = set()
        while self.coming and self.coming[0][0] == time:
            _, what = heappop(self.coming)
            if what < 0:
                self.free[-1 - what] += 1
                touched.add(-1 - what)
            else:
                processor = self.processor[what]
                heappush(self.ready[processor], (self.priority[what], what))
                touched.add(processor)
        for processor in touched:
            self._start(processor, time)

    def _start(self, processor: int, time: int) -> None:
        ready = self.ready[processor]
        while ready and self.free[processor]:
            _, job = heappop(ready)
            self.free[processor] -= 1
            self.start[job] = time
            heappush(self.coming, (time + self.occupancy[processor], -1 - processor))
            for reader, lag in self.after[job]:
                self.earliest[reader] = max(self.earliest[reader], time + lag)
                self.waits[reader] -= 1
                if not self.waits[reader]:
                    apart = self.occupancy[self.processor[reader]]
                    heappush(self.coming, (-(-self.earliest[reader] // apart) * apart, reader))


def most_at_once(start: Elements, occupancy: int) -> int:
    """The largest number of repetitions that occupy a unit at the same time."""
    if not len(start):
        return 0
    begun = np.sort(start)
    return int((np.arange(1, len(begun) + 1) - np.searchsorted(begun, begun - occupancy, side="right")).max())


# Chains of delays: how long they are within a step, and how many stand open (docs/machine.md, section 5).


@dataclass(frozen=True, eq=False)
class Chains:
    """Repetitions r, r + d, r + 2 d, ... of one delay: for each repetition its chain and its place in it."""

    chain: Elements
    place: Elements

    @staticmethod
    def of(repetitions: Indices, extents: Extents, vector: tuple[int, ...]) -> Chains:
        """Chains of an (n, rank) array of repetitions; a chain is numbered by its first repetition in the space."""
        place = np.full(len(repetitions), np.iinfo(np.int64).max)
        for axis, step in enumerate(vector):
            if step:
                room = repetitions[:, axis] if step > 0 else extents[axis] - 1 - repetitions[:, axis]
                place = np.minimum(place, room // abs(step))
        first = repetitions - place[:, None] * np.array(vector, np.int64)
        return Chains(flat(first, extents), place)


@dataclass(frozen=True, eq=False)
class StepChains:
    """By step, counted from the first: how many repetitions and chains work in it, and how long the longest one is."""

    repetitions: Elements
    number: Elements
    longest: Elements

    @property
    def are_equal(self) -> bool:
        """Whether all chains of each step are equally long."""
        return bool((self.repetitions == self.number * self.longest).all())


def chains_by_step(chains: Chains, step: Elements, steps: int) -> StepChains:
    """What of each chain falls in each step; `step` is that of each repetition, below `steps`."""
    order = np.lexsort((step, chains.chain))
    heads = (np.diff(chains.chain[order], prepend=-1) != 0) | (np.diff(step[order], prepend=-1) != 0)
    starts = np.flatnonzero(heads)
    length = np.diff(np.append(starts, len(order)))
    at = step[order][starts]
    longest = np.zeros(steps, np.int64)
    np.maximum.at(longest, at, length)
    return StepChains(np.bincount(step, minlength=steps), np.bincount(at, minlength=steps), longest)


def open_intervals(chains: Chains, step: Elements) -> tuple[Elements, Elements]:
    """The steps of the first and the last instance of each chain of two instances or more."""
    order = np.lexsort((step, chains.chain))
    starts = np.flatnonzero(np.diff(chains.chain[order], prepend=-1) != 0)
    ends = np.append(starts[1:], len(order)) - 1 if len(starts) else starts
    several = ends > starts
    return step[order][starts[several]], step[order][ends[several]]


def edges(members: NDArray[np.int64], space: int, ahead: Elements) -> tuple[Elements, Elements]:
    """Pairs (source, reader) among `members`: places in it of r and of r + d, where both are members.

    `ahead` gives the number of r + d for each repetition of a space of `space`, -1 where that lies outside.
    """
    place = np.full(space + 1, -1, np.int64)  # the last entry stands for -1, outside
    place[members] = np.arange(len(members))
    reader = place[ahead[members]]
    source = np.flatnonzero(reader >= 0)
    return source, reader[source]


def numbers_ahead(repetitions: Indices, extents: Extents, vector: tuple[int, ...]) -> Elements:
    """The number of r + d for each repetition r, -1 where that lies outside the space."""
    moved = repetitions + np.array(vector, np.int64)
    inside = ((moved >= 0) & (moved < np.array(extents, np.int64))).all(axis=1)
    return np.where(inside, flat(moved, extents), -1)


# The repetitions of each step as jobs of a schedule: what they wait for, and in which order they start.


@dataclass(frozen=True, eq=False)
class Stage:
    """One processor of a group, whatever its units and interval: its work, the step and scan place of each run."""

    task: str
    work: Work
    step: Elements
    rank: Elements


@dataclass(frozen=True, eq=False)
class StepJobs:
    """The jobs of a pipeline in one step, those of its first processor first; `runs` are entries of each one's work."""

    step: int
    runs: tuple[Elements, ...]
    jobs: Jobs


def step_jobs(group: Group, stages: Sequence[Stage], fifos: Sequence[FifoData], kinds: WaitKinds) -> Iterator[StepJobs]:
    """The jobs of every step in which a pipeline works."""
    place = {stage.task: number for number, stage in enumerate(stages)}
    waits = [
        _Waits.of(data, stages[place[data.source]], stages[place[data.target]], kinds.fifos[data.array])
        for data in fifos
    ]
    ahead = [_ahead(group, stage) for stage in stages]
    working = np.unique(np.concatenate([stage.step for stage in stages]))
    runs_by_step = [_by_step(stage.step, working) for stage in stages]
    waits_by_step = [_by_step(wait.step, working) for wait in waits]
    for number, step in enumerate(working.tolist()):
        runs = tuple(by_step[number] for by_step in runs_by_step)
        first = np.cumsum([0, *(len(of) for of in runs)])
        parts = [
            _own_jobs(group, stage, of, numbers, kinds.delays[stage.task])
            for stage, of, numbers in zip(stages, runs, ahead, strict=True)
        ]
        parts = [part.moved(int(start)) for part, start in zip(parts, first, strict=False)]
        for data, wait, by_step in zip(fifos, waits, waits_by_step, strict=True):
            ends = place[data.source], place[data.target]
            parts.append(wait.jobs(by_step[number], [runs[end] for end in ends], [int(first[end]) for end in ends]))
        processor = np.repeat(np.arange(len(stages)), [len(of) for of in runs])
        yield StepJobs(step, runs, Jobs.joined(processor, parts))


def _ahead(group: Group, stage: Stage) -> list[Elements]:
    repetitions = group.accesses.repetitions(stage.task)
    extents = group.accesses.extents(stage.task)
    return [numbers_ahead(repetitions, extents, delay.vector) for delay in group.delays(stage.task)]


def _own_jobs(group: Group, stage: Stage, runs: Elements, ahead: Sequence[Elements], kind: int) -> Jobs:
    """The repetitions of one processor in a step, and what they wait for among themselves by delays, from a kind on."""
    members = stage.work.repetition[runs]
    space = len(group.accesses.repetitions(stage.task))
    pairs = [edges(members, space, numbers) for numbers in ahead]
    source, reader = (np.concatenate([np.zeros(0, np.int64), *(pair[end] for pair in pairs)]) for end in (0, 1))
    priority = priorities(remaining_chain(len(members), source, reader), stage.rank[runs])
    kinds = np.repeat(kind + np.arange(len(pairs)), [len(of) for of, _ in pairs])
    return Jobs(np.zeros(len(members), np.int64), priority, source, reader, kinds)


@dataclass(frozen=True)
class WaitKinds:
    """The kinds of waits of a pipeline: the first of each task's delays, and of each FIFO's data (k of a pattern)."""

    delays: dict[str, int]
    fifos: dict[str, int]

    @staticmethod
    def of(group: Group, tasks: Sequence[str], fifos: Sequence[FifoData]) -> WaitKinds:
        """Delays task by task, then data FIFO by FIFO."""
        numbers = [len(group.delays(task)) for task in tasks]
        patterns = [data.pattern for data in fifos]
        first = np.cumsum([0, *numbers, *patterns]).tolist()
        return WaitKinds(
            dict(zip(tasks, first, strict=False)),
            {data.array: start for data, start in zip(fifos, first[len(tasks) :], strict=False)},
        )


@dataclass(frozen=True, eq=False)
class _Waits:
    """For a FIFO: runs of the reader that wait for runs of the writer in the same step, and the kind of each wait."""

    step: Elements
    source: Elements
    reader: Elements
    kind: Elements

    @staticmethod
    def of(data: FifoData, source: Stage, target: Stage, kind: int) -> _Waits:
        same = source.step[data.writer] == target.step[data.reader]
        return _Waits(source.step[data.writer[same]], data.writer[same], data.reader[same], kind + data.made[same])

    def jobs(self, chosen: Elements, runs: Sequence[Elements], first: Sequence[int]) -> Jobs:
        """The waits of one step alone, given both processors' runs in it and the numbers of their first jobs."""
        none = np.zeros(0, np.int64)
        source = first[0] + np.searchsorted(runs[0], self.source[chosen])
        reader = first[1] + np.searchsorted(runs[1], self.reader[chosen])
        return Jobs(none, none, source, reader, self.kind[chosen])


def _by_step(step: Elements, working: Elements) -> list[Elements]:
    """For each step of `working`, the entries of `step` that equal it, ascending."""
    order = np.argsort(step, kind="stable")
    bounds = np.searchsorted(step[order], working)
    return np.split(order, bounds[1:]) if len(working) else []
