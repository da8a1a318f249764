"""How long the processors of a group compute in each step, and when repetitions start (docs/machine.md, section 4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from arrayol.errors import error
from hwmodel.accesses import Extents, Indices, subscripts
from hwmodel.datapath.figures import Datapath
from hwmodel.design import BankLayout, GroupDesign, interval_of, rate_of, units_of
from hwmodel.machine.datapaths import Datapaths, Waits
from hwmodel.machine.fifo import FifoData
from hwmodel.machine.group import Elements, Group
from hwmodel.machine.int64 import require_numbers
from hwmodel.machine.list_schedule import (
    Chains,
    Stage,
    StepChains,
    StepJobs,
    WaitKinds,
    chains_by_step,
    most_at_once,
    start_cycles,
    step_jobs,
)
from hwmodel.machine.rounds import rounds_of
from hwmodel.machine.ticks import Work, ranks
from hwmodel.platform import Platform

# Bank layouts: which are refused, and the cycles of a repetition's accesses to banks (docs/machine.md, section 7).


def check_layouts(group: Group, layouts: tuple[BankLayout, ...], fifos: frozenset[str], platform: Platform) -> None:
    """Raises ArrayolError (`too-many-banks`, `no-buffer`) for layouts that no buffer of the group can have."""
    buffers = (set(group.made) | set(group.loaded)) - fifos
    for layout in layouts:
        if layout.array not in buffers:
            raise error(
                "no-buffer",
                f"a bank layout is given for '{layout.array}', which has no buffer in the group "
                f"{' '.join(group.tasks)}",
                hint=f"arrays with buffers there: {', '.join(sorted(buffers))}",
            )
        if layout.banks > platform.local.banks:
            raise error(
                "too-many-banks",
                f"the layout of '{layout.array}' needs {layout.banks} banks; the platform has {platform.local.banks}",
                platform.place("local", "banks"),
                hint=f"choose a layout of at most {platform.local.banks} banks, or raise local.banks",
            )


def access_cycles(
    group: Group, layouts: tuple[BankLayout, ...], platform: Platform, work: Mapping[str, Work]
) -> dict[str, int]:
    """By task the cycles that a repetition's accesses to the busiest bank take; no more than 0 without layouts."""
    cycles = dict.fromkeys(work, 0)
    for task, runs in work.items() if layouts else ():
        repetitions = group.accesses.repetitions(task)[np.unique(runs.repetition)]
        busiest = max(busiest_bank(group, task, repetitions, layout) for layout in layouts)
        cycles[task] = platform.local.access_cycles * busiest
    return cycles


def busiest_bank(group: Group, task: str, repetitions: Indices, layout: BankLayout) -> int:
    """The most accesses that one of some repetitions (n, rank) makes to one bank; equal elements are one access."""
    runs, elements = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for touch in (*group.reads(task, layout.array), *group.writes(task, layout.array)):
        happening = np.flatnonzero(group.accesses.happens(touch, repetitions))
        touched = group.accesses.elements(touch, repetitions[happening])
        runs.append(np.repeat(happening, touched.shape[1]))
        elements.append(touched.ravel())
    size = group.accesses.size(layout.array)
    require_numbers(max(1, len(repetitions)), max(size, layout.banks))
    distinct = np.unique(np.concatenate(runs) * size + np.concatenate(elements))
    if not len(distinct):
        return 0
    bank = bank_of(group.accesses.shape(layout.array), layout, distinct % size)
    return int(np.unique(distinct // size * layout.banks + bank, return_counts=True)[1].max())


def bank_of(shape: Extents, layout: BankLayout, elements: Elements) -> Elements:
    """The bank of each element of an array, given by its row-major number."""
    if len(layout.vector) != len(shape):
        raise ValueError(f"the layout of '{layout.array}' has {len(layout.vector)} factors for {len(shape)} axes")
    product = np.zeros(len(elements), np.int64)
    for factor, index in zip(layout.vector, subscripts(elements, shape), strict=True):
        product += factor * index
    return product // layout.block % layout.banks


Pipeline = tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Busy:
    """Cycles of each step that a processor computes, and, where it was scheduled, the start cycle of each run."""

    path: Datapath
    cycles: Elements
    start: Elements | None = None


class Processors:
    """The processors of one group over `steps` steps, under any units and intervals: their rates, by task."""

    def __init__(
        self,
        group: Group,
        stages: Mapping[str, Stage],
        fifos: Mapping[str, FifoData],
        steps: int,
        paths: Datapaths,
    ) -> None:
        self.group = group
        self.stages = stages
        self.fifos = fifos
        self.steps = steps
        self.paths = paths
        self.pipelines = _pipelines(group, fifos)
        self._schedules: dict[tuple[object, ...], Elements] = {}
        self._jobs: dict[Pipeline, list[StepJobs]] = {}
        self._busy: dict[tuple[Pipeline, tuple[int, ...]], dict[str, Busy]] = {}
        self._most: dict[tuple[Pipeline, tuple[int, ...]], dict[str, int]] = {}

    def most(self, pipeline: Pipeline, intervals: tuple[int, ...]) -> dict[str, int]:
        """For each task the most repetitions that run at once in a step if units are unlimited."""
        if len(pipeline) == 1 and pipeline[0] in self._chains:
            # Each chain has one in work, and all begin when the step does.
            return {pipeline[0]: int(self._chains[pipeline[0]].number.max(initial=0))}
        key = pipeline, intervals
        if key not in self._most:
            self._most[key] = self._most_scheduled(pipeline, intervals)
        return self._most[key]

    def busy(self, pipeline: Pipeline, rates: tuple[int, ...]) -> dict[str, Busy]:
        """What each processor of a pipeline does in each step at these rates."""
        key = pipeline, rates
        if key not in self._busy:
            alone = self.has_formula(pipeline, interval_of(rates[0]))
            self._busy[key] = self._by_formula(pipeline[0], rates[0]) if alone else self._scheduled(pipeline, rates)
        return self._busy[key]

    def all_busy(self, rates: Mapping[str, int]) -> dict[str, Busy]:
        """The same for all processors, in dataflow order."""
        by_task: dict[str, Busy] = {}
        for pipeline in self.pipelines:
            by_task |= self.busy(pipeline, tuple(rates[task] for task in pipeline))
        return {task: by_task[task] for task in self.group.tasks}

    def all_most(self, intervals: Mapping[str, int]) -> dict[str, int]:
        """`most` of all processors."""
        by_task: dict[str, int] = {}
        for pipeline in self.pipelines:
            by_task |= self.most(pipeline, tuple(intervals[task] for task in pipeline))
        return by_task

    def has_formula(self, pipeline: Pipeline, interval: int) -> bool:
        """Whether it is one processor whose steps need no schedule: with more units none of them is longer."""
        task = pipeline[0]
        if len(pipeline) > 1 or task not in self._chains:
            return False
        return self._chains[task].are_equal or self._waits(task, interval).far == 1

    def _waits(self, task: str, interval: int) -> Waits:
        """Rounds that the one delay of a task waits; one where it has none."""
        for delay in self.group.delays(task):
            return self.paths.waits(task, delay, interval)
        return Waits(1, 1)

    @cached_property
    def _chains(self) -> dict[str, StepChains]:
        """By step of a task with at most one delay: its chains, single repetitions where it has none."""
        chains = {}
        for task, stage in self.stages.items():
            delays = self.group.delays(task)
            if len(delays) > 1:
                continue
            number = np.bincount(stage.step, minlength=self.steps)
            chains[task] = StepChains(number, number, (number > 0).astype(np.int64))
            for delay in delays:
                extents = self.group.accesses.extents(task)
                repetitions = self.group.accesses.repetitions(task)[stage.work.repetition]
                chains[task] = chains_by_step(Chains.of(repetitions, extents, delay.vector), stage.step, self.steps)
        return chains

    def _by_formula(self, task: str, rate: int) -> dict[str, Busy]:
        path, waits = self.paths.at(task, interval_of(rate)), self._waits(task, interval_of(rate))
        chains = self._chains[task]
        rounds = rounds_of(chains.repetitions, chains.longest, units_of(rate), waits.near, waits.far)
        return {task: Busy(path, np.where(chains.repetitions > 0, rounds * path.interval + path.latency, 0))}

    def _scheduled(self, pipeline: Pipeline, rates: tuple[int, ...]) -> dict[str, Busy]:
        """The greedy list schedule of every step, of all processors of a pipeline together."""
        stages = [self.stages[task] for task in pipeline]
        paths = [self.paths.at(task, interval_of(rate)) for task, rate in zip(pipeline, rates, strict=True)]
        cycles = [np.zeros(self.steps, np.int64) for _ in stages]
        starts = [np.zeros(len(stage.step), np.int64) for stage in stages]
        for step in self._jobs_of(pipeline):
            begun = self._start_cycles(step, pipeline, rates)
            for place, runs in enumerate(step.runs):
                own = begun[step.jobs.processor == place]
                starts[place][runs] = own
                if len(runs):
                    cycles[place][step.step] = int(own.max()) + paths[place].interval + paths[place].latency
        return {task: Busy(paths[place], cycles[place], starts[place]) for place, task in enumerate(pipeline)}

    def _most_scheduled(self, pipeline: Pipeline, intervals: tuple[int, ...]) -> dict[str, int]:
        most = [0 for _ in pipeline]
        for step in self._jobs_of(pipeline):
            rates = tuple(rate_of(len(runs), own) for runs, own in zip(step.runs, intervals, strict=True))
            begun = self._start_cycles(step, pipeline, rates)
            for place, task in enumerate(pipeline):
                occupancy = self.paths.at(task, intervals[place]).interval
                most[place] = max(most[place], most_at_once(begun[step.jobs.processor == place], occupancy))
        return dict(zip(pipeline, most, strict=True))

    def _jobs_of(self, pipeline: Pipeline) -> list[StepJobs]:
        if pipeline not in self._jobs:
            inner = [data for data in self.fifos.values() if data.source in pipeline]
            kinds = WaitKinds.of(self.group, pipeline, inner)
            stages = [self.stages[task] for task in pipeline]
            self._jobs[pipeline] = list(step_jobs(self.group, stages, inner, kinds))
        return self._jobs[pipeline]

    def _start_cycles(self, step: StepJobs, pipeline: Pipeline, rates: tuple[int, ...]) -> Elements:
        """The schedule of a step; steps with equal jobs, in which the same states stay in registers, have one."""
        in_register = tuple(
            task in self._chains and int(self._chains[task].number[step.step]) <= units_of(rate)
            for task, rate in zip(pipeline, rates, strict=True)
        )
        key = pipeline, rates, in_register, step.jobs.key
        if key not in self._schedules:
            occupancy = [
                self.paths.at(task, interval_of(rate)).interval for task, rate in zip(pipeline, rates, strict=True)
            ]
            units = [units_of(rate) for rate in rates]
            self._schedules[key] = start_cycles(step.jobs, units, occupancy, self._lasts(pipeline, rates, in_register))
        return self._schedules[key]

    def _lasts(self, pipeline: Pipeline, rates: tuple[int, ...], in_register: tuple[bool, ...]) -> list[int]:
        """The cycles of each kind of wait, numbered as `WaitKinds` does."""
        lasts: list[int] = []
        paths = {task: self.paths.at(task, interval_of(rate)) for task, rate in zip(pipeline, rates, strict=True)}
        for task, rate, near in zip(pipeline, rates, in_register, strict=True):
            for delay in self.group.delays(task):
                waits = self.paths.waits(task, delay, interval_of(rate))
                lasts.append((waits.near if near else waits.far) * paths[task].interval)
        for data in self.fifos.values():
            if data.source in pipeline:
                lasts += data.lags(paths[data.source]).tolist()
        return lasts


def make_stages(
    group: Group, design: GroupDesign, work: Mapping[str, Work], steps: Mapping[str, Elements]
) -> dict[str, Stage]:
    """The processors of a design: work by task, and the step of each run."""
    stages = {}
    for processor in design.processors:
        task = processor.task
        blocks = design.blocks if task == group.last else processor.cut
        rank = ranks(group, task, blocks)[work[task].repetition]
        stages[task] = Stage(task, work[task], steps[task], rank)
    return {task: stages[task] for task in group.tasks}


def _pipelines(group: Group, fifos: Mapping[str, FifoData]) -> list[Pipeline]:
    """The tasks joined by FIFOs, in dataflow order; most stand alone."""
    joined = {task: {task} for task in group.tasks}
    for data in fifos.values():
        merged = joined[data.source] | joined[data.target]
        for task in merged:
            joined[task] = merged
    return list(dict.fromkeys(tuple(task for task in group.tasks if task in pipeline) for pipeline in joined.values()))
