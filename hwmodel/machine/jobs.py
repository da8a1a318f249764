"""The repetitions of each step as jobs of a schedule: what they wait for, and in which order they start."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from hwmodel.machine.chains import edges, numbers_ahead
from hwmodel.machine.fifo import FifoData
from hwmodel.machine.group import Elements, Group
from hwmodel.machine.list_schedule import Jobs, priorities, remaining_chain
from hwmodel.machine.ticks import Work
from hwmodel.platform import Datapath


@dataclass(frozen=True, eq=False)
class Stage:
    """One processor of a group: its work, the step and scan place of each run, the cycles a repetition keeps a unit."""

    task: str
    work: Work
    step: Elements
    rank: Elements
    occupancy: int
    datapath: Datapath

    @property
    def operand_delay(self) -> int:
        """Cycles from a repetition's start until a delayed operand can be read."""
        return max(self.occupancy, self.datapath.recurrence or 0)


@dataclass(frozen=True, eq=False)
class StepJobs:
    """The jobs of a pipeline in one step, those of its first processor first; `runs` are entries of each one's work."""

    step: int
    runs: tuple[Elements, ...]
    jobs: Jobs


def step_jobs(group: Group, stages: Sequence[Stage], fifos: Sequence[FifoData]) -> Iterator[StepJobs]:
    """The jobs of every step in which a pipeline works."""
    place = {stage.task: number for number, stage in enumerate(stages)}
    waits = [_Waits.of(data, stages[place[data.source]], stages[place[data.target]]) for data in fifos]
    ahead = [_ahead(group, stage) for stage in stages]
    working = np.unique(np.concatenate([stage.step for stage in stages]))
    runs_by_step = [_by_step(stage.step, working) for stage in stages]
    waits_by_step = [_by_step(wait.step, working) for wait in waits]
    for number, step in enumerate(working.tolist()):
        runs = tuple(found[number] for found in runs_by_step)
        first = np.cumsum([0, *(len(of) for of in runs)])
        parts = [_own_jobs(group, *each) for each in zip(stages, runs, ahead, strict=True)]
        parts = [part.moved(int(start)) for part, start in zip(parts, first, strict=False)]
        for data, wait, found in zip(fifos, waits, waits_by_step, strict=True):
            ends = place[data.source], place[data.target]
            parts.append(wait.jobs(found[number], [runs[end] for end in ends], [int(first[end]) for end in ends]))
        processor = np.repeat(np.arange(len(stages)), [len(of) for of in runs])
        yield StepJobs(step, runs, Jobs.joined(processor, parts))


def _ahead(group: Group, stage: Stage) -> list[Elements]:
    repetitions = group.accesses.repetitions(stage.task)
    extents = group.accesses.extents(stage.task)
    return [numbers_ahead(repetitions, extents, delay.vector) for delay in group.delays(stage.task)]


def _own_jobs(group: Group, stage: Stage, runs: Elements, ahead: Sequence[Elements]) -> Jobs:
    """The repetitions of one processor in a step, and what they wait for among themselves by delays."""
    members = stage.work.repetition[runs]
    space = len(group.accesses.repetitions(stage.task))
    pairs = [edges(members, space, numbers) for numbers in ahead]
    source, reader = (np.concatenate([np.zeros(0, np.int64), *(pair[end] for pair in pairs)]) for end in (0, 1))
    priority = priorities(remaining_chain(len(members), source, reader), stage.rank[runs])
    return Jobs(np.zeros(len(members), np.int64), priority, source, reader, np.full(len(source), stage.operand_delay))


@dataclass(frozen=True, eq=False)
class _Waits:
    """For a FIFO: runs of the reader that wait for runs of the writer in the same step, and how long."""

    step: Elements
    source: Elements
    reader: Elements
    lag: Elements

    @staticmethod
    def of(data: FifoData, source: Stage, target: Stage) -> _Waits:
        same = source.step[data.writer] == target.step[data.reader]
        lag = data.lag(source.occupancy, source.datapath.latency)
        return _Waits(source.step[data.writer[same]], data.writer[same], data.reader[same], lag[same])

    def jobs(self, found: Elements, runs: Sequence[Elements], first: Sequence[int]) -> Jobs:
        """The waits of one step alone, given both processors' runs in it and the numbers of their first jobs."""
        none = np.zeros(0, np.int64)
        source = first[0] + np.searchsorted(runs[0], self.source[found])
        reader = first[1] + np.searchsorted(runs[1], self.reader[found])
        return Jobs(none, none, source, reader, self.lag[found])


def _by_step(step: Elements, working: Elements) -> list[Elements]:
    """For each step of `working`, the entries of `step` that equal it, ascending."""
    order = np.argsort(step, kind="stable")
    bounds = np.searchsorted(step[order], working)
    return np.split(order, bounds[1:]) if len(working) else []
