"""How long the processors of a group compute in each step, and when repetitions start (docs/machine.md, section 4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from arrayol.errors import error
from hwmodel.design import GroupDesign
from hwmodel.machine.chains import Chains, chains_by_step, edges, numbers_ahead
from hwmodel.machine.fifo import FifoData
from hwmodel.machine.group import Elements, Group
from hwmodel.machine.occupancy import occupancy
from hwmodel.machine.schedule import Jobs, most_at_once, priorities, remaining_chain, start_cycles
from hwmodel.machine.ticks import Work, ranks
from hwmodel.platform import Datapath, Platform


@dataclass(frozen=True, eq=False)
class Stage:
    """One processor of a group: its work, the step of each run, and the cycles a repetition occupies a unit."""

    task: str
    units: int
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
class Busy:
    """Cycles of each step that a processor computes, and, where it was scheduled, the start cycle of each run."""

    cycles: Elements
    start: Elements | None = None


class Processors:
    """The processors of one group, with what each run and step of theirs is."""

    def __init__(
        self,
        group: Group,
        design: GroupDesign,
        platform: Platform,
        work: Mapping[str, Work],
        steps: Mapping[str, Elements],
    ) -> None:
        self.group = group
        self.stages = {task: self._stage(design, platform, task, work[task], steps[task]) for task in group.tasks}
        self._schedules: dict[tuple[object, ...], Elements] = {}

    def busy(self, fifos: Mapping[str, FifoData], steps: int) -> dict[str, Busy]:
        """What each processor does in each of `steps` steps. Raises ArrayolError (`too-many-units`)."""
        found: dict[str, Busy] = {}
        for pipeline in _pipelines(self.group, fifos):
            if len(pipeline) == 1 and self._has_formula(pipeline[0]):
                found[pipeline[0]] = self._by_formula(pipeline[0], steps)
            else:
                found |= self._scheduled(pipeline, fifos, steps)
        return {task: found[task] for task in self.group.tasks}

    def _stage(self, design: GroupDesign, platform: Platform, task: str, work: Work, step: Elements) -> Stage:
        from_design = {processor.task: processor for processor in design.processors}[task]
        blocks = design.blocks if task == self.group.last else from_design.cut
        rank = ranks(self.group, task, blocks)[work.repetition]
        datapath = platform.datapath(self.group.network.processes[task].elementary)
        cycles = occupancy(self.group, design, platform, task, work)
        return Stage(task, from_design.units, work, step, rank, cycles, datapath)

    def _has_formula(self, task: str) -> bool:
        stage, delays = self.stages[task], self.group.delays(task)
        return not delays or (len(delays) == 1 and stage.operand_delay == stage.occupancy)

    def _by_formula(self, task: str, steps: int) -> Busy:
        """max(ceil(n / units), c) o + latency."""
        stage = self.stages[task]
        number = np.bincount(stage.step, minlength=steps)
        at_once, longest = number, (number > 0).astype(np.int64)
        for delay in self.group.delays(task):
            extents = self.group.accesses.extents(task)
            repetitions = self.group.accesses.repetitions(task)[stage.work.repetition]
            chains = chains_by_step(Chains.of(repetitions, extents, delay.vector), stage.step, steps)
            at_once, longest = chains.number, chains.longest
        _require_units(stage, int(at_once.max(initial=0)))
        rounds = np.maximum(-(-number // stage.units), longest)
        return Busy(np.where(number > 0, rounds * stage.occupancy + stage.datapath.latency, 0))

    def _scheduled(self, pipeline: tuple[str, ...], fifos: Mapping[str, FifoData], steps: int) -> dict[str, Busy]:
        """The greedy list schedule of every step, of all processors of a pipeline together."""
        stages = [self.stages[task] for task in pipeline]
        cycles = {stage.task: np.zeros(steps, np.int64) for stage in stages}
        starts = {stage.task: np.zeros(len(stage.step), np.int64) for stage in stages}
        most = dict.fromkeys(pipeline, 0)
        for step, runs, jobs in self._jobs(pipeline, fifos):
            begun = self._start_cycles(jobs, stages, [stage.units for stage in stages])
            freely = self._start_cycles(jobs, stages, [len(of) for of in runs])
            for place, (stage, of) in enumerate(zip(stages, runs, strict=True)):
                own = jobs.processor == place
                starts[stage.task][of] = begun[own]
                if len(of):
                    end = int(begun[own].max()) + stage.occupancy + stage.datapath.latency
                    cycles[stage.task][step] = end
                    most[stage.task] = max(most[stage.task], most_at_once(freely[own], stage.occupancy))
        for stage in stages:
            _require_units(stage, most[stage.task])
        return {task: Busy(cycles[task], starts[task]) for task in pipeline}

    def _start_cycles(self, jobs: Jobs, stages: list[Stage], units: list[int]) -> Elements:
        """The schedule of jobs; steps with equal jobs have one."""
        key = (tuple(stage.task for stage in stages), tuple(units), jobs.key())
        if key not in self._schedules:
            self._schedules[key] = start_cycles(jobs, units, [stage.occupancy for stage in stages])
        return self._schedules[key]

    def _jobs(
        self, pipeline: tuple[str, ...], fifos: Mapping[str, FifoData]
    ) -> Iterator[tuple[int, list[Elements], Jobs]]:
        """Each step in which the pipeline works, the runs of each of its processors in it, and its jobs."""
        stages = [self.stages[task] for task in pipeline]
        inner = [data for data in fifos.values() if data.source in pipeline]
        waits = [_Waits.of(data, self.stages[data.source], self.stages[data.target]) for data in inner]
        ahead = [self._ahead(stage) for stage in stages]
        working = np.unique(np.concatenate([stage.step for stage in stages]))
        by_step = [_by_step(stage.step, working) for stage in stages]
        links_by_step = [_by_step(wait.step, working) for wait in waits]
        for place, step in enumerate(working.tolist()):
            runs = [found[place] for found in by_step]
            offsets = np.cumsum([0, *(len(of) for of in runs)])
            parts = [self._own_jobs(stage, of, numbers) for stage, of, numbers in zip(stages, runs, ahead, strict=True)]
            source = [part.source + offset for part, offset in zip(parts, offsets, strict=False)]
            reader = [part.reader + offset for part, offset in zip(parts, offsets, strict=False)]
            lag = [part.lag for part in parts]
            for data, wait, found in zip(inner, waits, links_by_step, strict=True):
                first, second = pipeline.index(data.source), pipeline.index(data.target)
                source.append(offsets[first] + np.searchsorted(runs[first], wait.source[found[place]]))
                reader.append(offsets[second] + np.searchsorted(runs[second], wait.reader[found[place]]))
                lag.append(wait.lag[found[place]])
            yield (
                step,
                runs,
                Jobs(
                    np.repeat(np.arange(len(stages)), [len(of) for of in runs]),
                    np.concatenate([part.priority for part in parts]),
                    np.concatenate(source),
                    np.concatenate(reader),
                    np.concatenate(lag),
                ),
            )

    def _ahead(self, stage: Stage) -> list[Elements]:
        extents = self.group.accesses.extents(stage.task)
        repetitions = self.group.accesses.repetitions(stage.task)
        return [numbers_ahead(repetitions, extents, delay.vector) for delay in self.group.delays(stage.task)]

    def _own_jobs(self, stage: Stage, runs: Elements, ahead: list[Elements]) -> Jobs:
        """The repetitions of one processor in a step and what they wait for among themselves, its delays."""
        members = stage.work.repetition[runs]
        space = len(self.group.accesses.repetitions(stage.task))
        pairs = [edges(members, space, numbers) for numbers in ahead]
        source = np.concatenate([np.zeros(0, np.int64), *(pair[0] for pair in pairs)])
        reader = np.concatenate([np.zeros(0, np.int64), *(pair[1] for pair in pairs)])
        remaining = remaining_chain(len(members), source, reader)
        lag = np.full(len(source), stage.operand_delay)
        return Jobs(np.zeros(len(members), np.int64), priorities(remaining, stage.rank[runs]), source, reader, lag)


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


def _by_step(step: Elements, working: Elements) -> list[Elements]:
    """For each step of `working`, the entries of `step` that equal it, ascending."""
    order = np.argsort(step, kind="stable")
    bounds = np.searchsorted(step[order], working)
    return np.split(order, bounds[1:]) if len(working) else []


def _pipelines(group: Group, fifos: Mapping[str, FifoData]) -> list[tuple[str, ...]]:
    """The tasks joined by FIFOs, in dataflow order; most stand alone."""
    joined = {task: {task} for task in group.tasks}
    for data in fifos.values():
        merged = joined[data.source] | joined[data.target]
        for task in merged:
            joined[task] = merged
    return list(dict.fromkeys(tuple(task for task in group.tasks if task in found) for found in joined.values()))


def _require_units(stage: Stage, most: int) -> None:
    if stage.units < 1:
        raise ValueError(f"'{stage.task}' has {stage.units} units")
    if stage.units > most > 0:
        raise error(
            "too-many-units",
            f"processor '{stage.task}' has {stage.units} units, but never more than {most} of its repetitions can run "
            "at once",
            hint=f"give it at most {most}, or larger blocks",
        )
