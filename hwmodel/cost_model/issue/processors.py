"""Cycles that a group's processors compute in each step, and when repetitions start (docs/machine.md, section 4)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import IntArray
from arrayol.errors import error
from hwmodel.accesses import subscripts
from hwmodel.cost_model.group.group import Group, frames_kept
from hwmodel.cost_model.group.scans import block_places
from hwmodel.cost_model.group.ticks import Work
from hwmodel.cost_model.issue.chains import Chains, longest_before
from hwmodel.cost_model.issue.datapaths import Datapaths
from hwmodel.cost_model.issue.equal_steps import EqualSteps, data_between
from hwmodel.cost_model.issue.fifo import FifoData, Starts, require_order
from hwmodel.cost_model.issue.issue import Issue, Stage
from hwmodel.cost_model.issue.list_schedule import ReadyList, priorities, start_rounds
from hwmodel.cost_model.issue.states import StateChains
from hwmodel.datapath.figures import Datapath
from hwmodel.design import BankLayout, Blocks, GroupDesign, Scan, interval_of, row_major, units_of
from hwmodel.platform import Platform
from hwmodel.units import delayed_dimensions, riding_dimensions, unit_dimension

# Bank layouts: which are refused, and the cycles of a repetition's accesses to banks (docs/machine.md, section 7).


def check_layouts(group: Group, layouts: tuple[BankLayout, ...], fifos: frozenset[str], platform: Platform) -> None:
    """Raises ArrayolError for layouts that no buffer of the group can have.

    These are `too-many-banks`, `no-buffer`, and `random-port` of an array that is looked up.
    """
    buffers = (set(group.writers_of) | set(group.loaded)) - fifos
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
        for reader in _looking_up(group, layout.array, platform):
            raise error(
                "random-port",
                f"a bank layout is given for '{layout.array}', in which data say what '{reader}' reads",
                hint="take a design without a layout of it: its banks take the elements in turn",
            )


def check_cuts(group: Group, design: GroupDesign, platform: Platform) -> None:
    """Raises ArrayolError (`random-port`) for a table that the group computes again, each time in a cut.

    Parts of two computations would share words, so that no address is one of the table's plus that of an element.
    """
    for task in (own.task for own in design.processors if design.recompute and own.cut is not None):
        for array in group.network.processes[task].writes:
            for reader in _looking_up(group, array, platform):
                raise error(
                    "random-port",
                    f"data say what '{reader}' reads of '{array}', which '{task}' computes again, and in cuts",
                    hint=f"take a design that does not recompute it, or without a cut of '{task}'",
                )


def _looking_up(group: Group, array: str, platform: Platform) -> Iterator[str]:
    """The tasks of a group that read an array where data say."""
    for touch in group.touches(array)[0]:
        if platform.lookups(group.network.processes[touch.process], touch.port):
            yield touch.process


def check_single_buffers(group: Group, arrays: frozenset[str], platform: Platform) -> None:
    """Raises ArrayolError (`no-single-buffer`) for arrays that cannot have a single buffer."""
    for array in sorted(arrays - set(group.loaded)):
        loaded = ", ".join(group.loaded)
        raise error(
            "no-single-buffer",
            f"a single buffer is asked for '{array}', which the group {' '.join(group.tasks)} does not load",
            hint=f"arrays that it loads: {loaded}" if loaded else "it loads none",
        )
    if arrays and platform.has_rows:
        raise error(
            "no-single-buffer",
            "a single buffer is filled after all other bursts of a step; [memory.rows] has another order",
            platform.place("memory", "rows"),
            hint="take double buffers, or a memory with burst and latency",
        )


Pipeline = tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Busy:
    """Cycles of each step that a processor computes and, if it was scheduled, the start cycle of each run."""

    path: Datapath
    cycles: IntArray
    start: IntArray | None = None


class Processors:
    """The processors of one group over `steps` steps, at any rates (units and initiation intervals) of their tasks."""

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
        self.pipelines = pipelines_of(group, ((data.source, data.target) for data in fifos.values()))
        self._issues: dict[str, Issue] = {}
        self._states: dict[str, StateChains] = {}
        self._busy: dict[tuple[Pipeline, tuple[int, ...]], dict[str, Busy]] = {}
        self._equal: dict[Pipeline, tuple[EqualSteps, Processors]] = {}

    @cached_property
    def most(self) -> dict[str, int]:
        """The most units that each task can use: its longest line."""
        return {task: self._issue(task).longest_line for task in self.group.tasks}

    @property
    def works(self) -> NDArray[np.bool_]:
        """In which steps any processor works, (steps,)."""
        works = np.zeros(self.steps, np.bool_)
        for stage in self.stages.values():
            works[stage.step] = True
        return works

    def busy(self, pipeline: Pipeline, rates: tuple[int, ...]) -> dict[str, Busy]:
        """The cycles of each processor of a pipeline in each step, at these rates."""
        key = pipeline, rates
        if key not in self._busy:
            if len(pipeline) > 1:
                self._busy[key] = self._in_order(pipeline, rates)
            else:
                self._busy[key] = {pipeline[0]: self._single_steps(pipeline[0], rates[0])}
        return self._busy[key]

    def in_equal_steps(self, pipeline: Pipeline) -> tuple[EqualSteps, Processors]:
        """The kinds of steps of a pipeline, and its processors in one step of each kind, numbered by kind."""
        if pipeline not in self._equal:
            stages = {task: self.stages[task] for task in pipeline}
            inner = {name: data for name, data in self.fifos.items() if {data.source, data.target} <= set(pipeline)}
            if len(pipeline) == 1 and self._is_greedy(pipeline[0]):
                equal = EqualSteps.all_differ(self.steps)  # ranks decide there, not the order of issue alone
            else:
                equal = EqualSteps.find(
                    self.steps, {task: self._issue(task) for task in pipeline}, stages, inner.values()
                )
            fewer = {task: equal.only(stage) for task, stage in stages.items()}
            number = {task: number for task, (_, number) in fewer.items()}
            single_steps = Processors(
                self.group,
                {task: stage for task, (stage, _) in fewer.items()},
                {name: data_between(data, number) for name, data in inner.items()},
                len(equal.first),
                self.paths,
            )
            self._equal[pipeline] = equal, single_steps
        return self._equal[pipeline]

    def single_steps(self, pipeline: Pipeline) -> Processors:
        """The processors of a pipeline in one step of each kind."""
        return self.in_equal_steps(pipeline)[1]

    def all_busy(self, rates: Mapping[str, int]) -> dict[str, Busy]:
        """The cycles of all processors in each step, in dataflow order."""
        by_task: dict[str, Busy] = {}
        for pipeline in self.pipelines:
            by_task |= self.busy(pipeline, tuple(rates[task] for task in pipeline))
        return {task: by_task[task] for task in self.group.tasks}

    def starts(self, busy: Mapping[str, Busy], task: str) -> Starts:
        """The starts of a scheduled task's runs."""
        stage, start = self.stages[task], busy[task].start
        none = np.zeros(0, np.int64)
        return Starts(stage.step, none if start is None else start, stage.rank, stage.work.repetition)

    def require_order(self, busy: Mapping[str, Busy], arrays: Iterable[str]) -> None:
        """Raises ArrayolError (`fifo-refused`) for a FIFO whose data are read in another order than written."""
        for data in (self.fifos[array] for array in arrays):
            ends = self.starts(busy, data.source), self.starts(busy, data.target)
            require_order(
                self.group, data, ends, (data.lags(busy[data.source].path), data.chunks(busy[data.target].path))
            )

    def has_formula(self, pipeline: Pipeline) -> bool:
        """Whether a pipeline is one processor whose steps need no schedule: more units make none of them longer."""
        return len(pipeline) == 1 and not self._is_greedy(pipeline[0]) and self._issue(pipeline[0]).is_regular

    def _is_greedy(self, task: str) -> bool:
        """Whether a single task has no levels, but the greedy list schedule of one unit."""
        return len(delayed_dimensions(self.group.accesses, task)) > 1

    def state(self, name: str) -> StateChains:
        """The chains of a delay, by the name TASK.PORT of its state."""
        if name not in self._states:
            task, _, port = name.rpartition(".")
            process, stage, issue = self.group.network.processes[task], self.stages[task], self._issue(task)
            delay = next(delay for delay in process.delays if delay.port == port)
            repetitions, kept = self.group.accesses.repetitions(task), frames_kept(process.repetition, delay)
            if kept:
                self._states[name] = StateChains.of_frames(kept * len(repetitions), issue)
            else:
                chains = Chains.of(repetitions[stage.work.repetition], self.group.accesses.extents(task), delay.vector)
                self._states[name] = StateChains.of(chains, stage.step, issue)
        return self._states[name]

    def _issue(self, task: str) -> Issue:
        if task not in self._issues:
            self._issues[task] = Issue.of(self.group, self.stages[task])
        return self._issues[task]

    def _single_steps(self, task: str, rate: int) -> Busy:
        """The cycles of a single task: in closed form if there is one, else by a schedule."""
        issue, path = self._issue(task), self.paths.at(task, interval_of(rate))
        if self._is_greedy(task):
            rounds = self._greedy_rounds(task, rate)
        elif issue.is_regular:
            units, fill = units_of(rate), self.paths.fill(task, rate)
            waits = self._waits(task, rate)[0] if issue.pairs else np.zeros(self.steps, np.int64)
            rounds = issue.closed_rounds(units, waits, self.steps, fill)
        else:
            return self._in_order((task,), (rate,))[task]
        return Busy(path, np.where(rounds > 0, rounds * path.interval + path.latency, 0))

    def _in_order(self, pipeline: Pipeline, rates: tuple[int, ...]) -> dict[str, Busy]:
        """Schedule all processors of a pipeline round by round, writers of FIFOs before their readers."""
        done: dict[str, Busy] = {}
        for task, rate in zip(pipeline, rates, strict=True):
            path, stage = self.paths.at(task, interval_of(rate)), self.stages[task]
            there = np.zeros(len(stage.step), np.int64)
            for data in (data for data in self.fifos.values() if data.target == task):
                source = done[data.source]
                assert source.start is not None, "all of a pipeline are scheduled"
                same = self.stages[data.source].step[data.writer] == stage.step[data.reader]
                arrives = source.start[data.writer] + data.lags(source.path)
                np.maximum.at(there, data.reader[same], arrives[same])
            waits = [rounds * path.interval for rounds in self._waits(task, rate)]
            fill = self.paths.fill(task, rate)
            start = self._issue(task).starts(units_of(rate), path.interval, there, waits, fill)
            cycles = np.zeros(self.steps, np.int64)
            np.maximum.at(cycles, stage.step, start + path.interval + path.latency)
            done[task] = Busy(path, cycles, start)
        return done

    def _waits(self, task: str, rate: int) -> list[IntArray]:
        """For each delay and step, the rounds from the start of a repetition to that of the next in its chain."""
        near = self._issue(task).in_register(units_of(rate), self.steps)
        waits = [self.paths.waits(task, delay, interval_of(rate)) for delay in self.group.delays(task)]
        return [np.where(near, each.near, each.far) for each in waits]

    def _greedy_rounds(self, task: str, rate: int) -> IntArray:
        """The rounds of each step of a task without levels: the greedy list schedule of its single unit."""
        issue, stage, waits = self._issue(task), self.stages[task], self._waits(task, rate)
        source, reader = (np.concatenate([pair[end] for pair in issue.pairs]) for end in (0, 1))
        delay = np.repeat(np.arange(len(issue.pairs)), [len(pair[0]) for pair in issue.pairs])
        remaining = longest_before(len(stage.step), reader, source)
        rounds, known = np.zeros(self.steps, np.int64), dict[tuple[bytes, tuple[int, ...]], int]()
        for step in np.unique(stage.step).tolist():
            runs = np.flatnonzero(stage.step == step)
            in_step = stage.step[source] == step
            first, then = (np.searchsorted(runs, end[in_step]) for end in (source, reader))
            jobs = ReadyList(priorities(remaining[runs], stage.rank[runs]), first, then, delay[in_step])
            lasts = tuple(int(wait[step]) for wait in waits)
            if (jobs.key, lasts) not in known:
                known[jobs.key, lasts] = int(start_rounds(jobs, list(lasts)).max()) + 1
            rounds[step] = known[jobs.key, lasts]
        return rounds


def make_stages(
    group: Group, design: GroupDesign, work: Mapping[str, Work], steps: Mapping[str, IntArray]
) -> dict[str, Stage]:
    """The processors of a design, from work by task and the step of each run."""
    stages = {}
    riding = riding_dimensions(group.accesses, group.tasks, group.last)
    for processor in design.processors:
        task = processor.task
        blocks = design.blocks if task == group.last else processor.cut
        along = unit_dimension(group.accesses, riding, design.blocks.scan, task)
        stages[task] = stage_of(group, task, work[task], steps[task], blocks, along)
    return {task: stages[task] for task in group.tasks}


def stage_of(group: Group, task: str, work: Work, step: IntArray, blocks: Blocks | None, along: int | None) -> Stage:
    """A processor with runs in these steps; `blocks` are those of the last task or of a cut."""
    extents = group.accesses.extents(task)
    rank = _issue_ranks(group, task, blocks, along, subscripts(work.repetition, extents).T)
    return Stage(task, work, step, rank, along)


def _issue_ranks(group: Group, task: str, blocks: Blocks | None, along: int | None, repetitions: IntArray) -> IntArray:
    """The positions of repetitions (n, rank) in scan order, the delay's dimension outermost, the lines' innermost."""
    extents = group.accesses.extents(task)
    scan = blocks.scan.innermost if blocks is not None else row_major(len(extents))
    falls = dict(zip(scan.dimensions, scan.descending, strict=True))
    delayed = delayed_dimensions(group.accesses, task)
    outermost: int | None = None
    if len(delayed) == 1:
        outermost = delayed[0]
        falls[outermost] = group.delays(task)[0].vector[outermost] < 0
    order = sorted(scan.dimensions, key=lambda k: (k == along) - (k == outermost))
    inner = Scan(tuple(order), tuple(falls[k] for k in order))
    return block_places(repetitions, extents, Blocks((1,) * len(extents), inner))


def pipelines_of(group: Group, fifos: Iterable[tuple[str, str]]) -> list[Pipeline]:
    """The tasks joined by FIFOs, given by their two ends, in dataflow order; most are single tasks."""
    joined = {task: {task} for task in group.tasks}
    for source, target in fifos:
        merged = joined[source] | joined[target]
        for task in merged:
            joined[task] = merged
    return list(dict.fromkeys(tuple(task for task in group.tasks if task in pipeline) for pipeline in joined.values()))
