"""How long the processors of a group compute in each step, and when repetitions start (docs/machine.md, section 4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from arrayol.errors import error
from arrayol.ir.network import Process
from hwmodel.accesses import Extents, Indices, subscripts
from hwmodel.datapath.figures import largest_output
from hwmodel.design import BankLayout, GroupDesign
from hwmodel.machine.fifo import FifoData
from hwmodel.machine.group import Elements, Group
from hwmodel.machine.int64 import require_numbers
from hwmodel.machine.list_schedule import (
    Chains,
    Jobs,
    Stage,
    StepChains,
    StepJobs,
    chains_by_step,
    most_at_once,
    start_cycles,
    step_jobs,
)
from hwmodel.machine.ticks import Work, ranks
from hwmodel.platform import Platform

# How long a repetition occupies a unit: its data, or its accesses to banks (docs/machine.md, sections 4 and 7).


def plain_occupancy(platform: Platform, process: Process) -> int:
    """The cycles e II of a repetition, whatever the banks."""
    return largest_output(process) * (platform.entry(process.elementary).initiation_interval or 1)


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


def occupancy(group: Group, design: GroupDesign, platform: Platform, task: str, work: Work) -> int:
    """Cycles that a repetition of a task occupies a unit."""
    cycles = plain_occupancy(platform, group.network.processes[task])
    for layout in design.layouts:
        repetitions = group.accesses.repetitions(task)[np.unique(work.repetition)]
        cycles = max(cycles, platform.local.access_cycles * busiest_bank(group, task, repetitions, layout))
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

    cycles: Elements
    start: Elements | None = None


class Processors:
    """The processors of one group over `steps` steps, under any numbers of units."""

    def __init__(
        self,
        group: Group,
        stages: Mapping[str, Stage],
        fifos: Mapping[str, FifoData],
        steps: int,
    ) -> None:
        self.group = group
        self.stages = stages
        self.fifos = fifos
        self.steps = steps
        self.pipelines = _pipelines(group, fifos)
        self._schedules: dict[tuple[object, ...], Elements] = {}
        self._jobs: dict[Pipeline, list[StepJobs]] = {}
        self._busy: dict[tuple[Pipeline, tuple[int, ...]], dict[str, Busy]] = {}

    @cached_property
    def most(self) -> dict[str, int]:
        """For each task the most repetitions that run at once in a step if units are unlimited."""
        at_once: dict[str, int] = {}
        for pipeline in self.pipelines:
            if self.has_formula(pipeline):
                at_once[pipeline[0]] = int(self._chains[pipeline[0]].number.max(initial=0))
            else:
                at_once |= self._most_scheduled(pipeline)
        return at_once

    def busy(self, pipeline: Pipeline, units: tuple[int, ...]) -> dict[str, Busy]:
        """What each processor of a pipeline does in each step with so many units."""
        key = pipeline, units
        if key not in self._busy:
            alone = self.has_formula(pipeline)
            self._busy[key] = self._by_formula(pipeline[0], units[0]) if alone else self._scheduled(pipeline, units)
        return self._busy[key]

    def all_busy(self, units: Mapping[str, int]) -> dict[str, Busy]:
        """The same for all processors, in dataflow order."""
        by_task: dict[str, Busy] = {}
        for pipeline in self.pipelines:
            by_task |= self.busy(pipeline, tuple(units[task] for task in pipeline))
        return {task: by_task[task] for task in self.group.tasks}

    def has_formula(self, pipeline: Pipeline) -> bool:
        """Whether it is one processor whose steps need no schedule: with more units none of them is longer."""
        if len(pipeline) > 1:
            return False
        stage, delays = self.stages[pipeline[0]], self.group.delays(pipeline[0])
        return not delays or (len(delays) == 1 and stage.operand_delay == stage.occupancy)

    @cached_property
    def _chains(self) -> dict[str, StepChains]:
        """By step of a task with at most one delay: its chains, single repetitions where it has none."""
        chains = {}
        for task, stage in self.stages.items():
            delays = self.group.delays(task)
            if len(delays) > 1:
                continue
            number = np.bincount(stage.step, minlength=self.steps)
            chains[task] = StepChains(number, (number > 0).astype(np.int64))
            for delay in delays:
                extents = self.group.accesses.extents(task)
                repetitions = self.group.accesses.repetitions(task)[stage.work.repetition]
                chains[task] = chains_by_step(Chains.of(repetitions, extents, delay.vector), stage.step, self.steps)
        return chains

    def _by_formula(self, task: str, units: int) -> dict[str, Busy]:
        """max(ceil(n / units), c) o + latency."""
        stage = self.stages[task]
        number = np.bincount(stage.step, minlength=self.steps)
        rounds = np.maximum(-(-number // units), self._chains[task].longest)
        cycles = np.where(number > 0, rounds * stage.occupancy + stage.datapath.latency, 0)
        return {task: Busy(cycles)}

    def _scheduled(self, pipeline: Pipeline, units: tuple[int, ...]) -> dict[str, Busy]:
        """The greedy list schedule of every step, of all processors of a pipeline together."""
        stages = [self.stages[task] for task in pipeline]
        cycles = [np.zeros(self.steps, np.int64) for _ in stages]
        starts = [np.zeros(len(stage.step), np.int64) for stage in stages]
        for step in self._jobs_of(pipeline):
            begun = self._start_cycles(step.jobs, stages, units)
            for place, (stage, runs) in enumerate(zip(stages, step.runs, strict=True)):
                own = begun[step.jobs.processor == place]
                starts[place][runs] = own
                if len(runs):
                    cycles[place][step.step] = int(own.max()) + stage.occupancy + stage.datapath.latency
        return {task: Busy(cycles[place], starts[place]) for place, task in enumerate(pipeline)}

    def _most_scheduled(self, pipeline: Pipeline) -> dict[str, int]:
        stages = [self.stages[task] for task in pipeline]
        most = [0 for _ in stages]
        for step in self._jobs_of(pipeline):
            begun = self._start_cycles(step.jobs, stages, [len(runs) for runs in step.runs])
            for place, stage in enumerate(stages):
                at_once = most_at_once(begun[step.jobs.processor == place], stage.occupancy)
                most[place] = max(most[place], at_once)
        return dict(zip(pipeline, most, strict=True))

    def _jobs_of(self, pipeline: Pipeline) -> list[StepJobs]:
        if pipeline not in self._jobs:
            inner = [data for data in self.fifos.values() if data.source in pipeline]
            self._jobs[pipeline] = list(step_jobs(self.group, [self.stages[task] for task in pipeline], inner))
        return self._jobs[pipeline]

    def _start_cycles(self, jobs: Jobs, stages: Sequence[Stage], units: Sequence[int]) -> Elements:
        """The schedule of jobs; steps with equal jobs have one."""
        key = (tuple(stage.task for stage in stages), tuple(units), jobs.key)
        if key not in self._schedules:
            self._schedules[key] = start_cycles(jobs, units, [stage.occupancy for stage in stages])
        return self._schedules[key]


def make_stages(
    group: Group, design: GroupDesign, platform: Platform, work: Mapping[str, Work], steps: Mapping[str, Elements]
) -> dict[str, Stage]:
    """The processors of a design: work by task, and the step of each run."""
    stages = {}
    for processor in design.processors:
        task = processor.task
        blocks = design.blocks if task == group.last else processor.cut
        rank = ranks(group, task, blocks)[work[task].repetition]
        datapath = platform.datapath(group.network.processes[task])
        cycles = occupancy(group, design, platform, task, work[task])
        stages[task] = Stage(task, work[task], steps[task], rank, cycles, datapath)
    return {task: stages[task] for task in group.tasks}


def _pipelines(group: Group, fifos: Mapping[str, FifoData]) -> list[Pipeline]:
    """The tasks joined by FIFOs, in dataflow order; most stand alone."""
    joined = {task: {task} for task in group.tasks}
    for data in fifos.values():
        merged = joined[data.source] | joined[data.target]
        for task in merged:
            joined[task] = merged
    return list(dict.fromkeys(tuple(task for task in group.tasks if task in pipeline) for pipeline in joined.values()))
