"""Steps of one structure, scheduled once for each kind of step.

Rates change only how long a pipeline (tasks joined by FIFOs; mostly one task) computes in each step, and only its own
rates do. So a pipeline is scheduled once for each combination of its own rates, in one step of each kind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from typing import Protocol

import numpy as np

from arrayol.arrays import BoolArray, IntArray
from arrayol.errors import ArrayolError
from hwmodel.cost_model.issue.datapaths import Datapaths
from hwmodel.cost_model.issue.fifo import depth as depth_of_fifo
from hwmodel.cost_model.issue.processors import Busy, Pipeline, Processors
from hwmodel.cost_model.memory_port.port import PortCycles
from hwmodel.cost_model.tables.steps import Candidates, Offered, StepPart, StepTable
from hwmodel.design import interval_of, units_of


class KindsOfSteps(Protocol):
    """The processors of a group by kinds of their steps; steps in which a pipeline does the same are one kind."""

    @property
    def most(self) -> Mapping[str, int]:
        """The most units that each task can use: its longest line."""

    @property
    def paths(self) -> Datapaths:
        """The datapaths of the tasks."""

    @property
    def pipelines(self) -> Sequence[Pipeline]:
        """The tasks joined by FIFOs, in dataflow order."""

    def single_steps(self, pipeline: Pipeline) -> Processors:
        """The runs of a pipeline in one step of each kind."""

    def has_formula(self, pipeline: Pipeline) -> bool:
        """Whether a pipeline is one processor whose steps need no schedule: more units make none of them longer."""


@dataclass(frozen=True, eq=False)
class GroupSteps:
    """Kinds of steps of the port and some pipelines together, and how often each occurs, `times` (kinds,).

    `port` has the port's cycles (kinds,), and `pipelines` the kind of each pipeline's step (kinds,).
    """

    port: PortCycles
    pipelines: tuple[IntArray, ...]
    times: IntArray

    @staticmethod
    def of(port: PortCycles, pipelines: Sequence[IntArray], times: IntArray) -> GroupSteps:
        """Combine equal steps: `port` cycles, kinds of `pipelines`, and `times`, all (steps,)."""
        first, number = np.zeros(1, np.int64), np.zeros(len(times), np.int64)
        for column in (port.loads, port.stores, port.late, *pipelines):
            pairs = number * (int(column.max(initial=0)) + 1) + column
            _, first, number = np.unique(pairs, return_index=True, return_inverse=True)
        total = np.zeros(len(first), np.int64)
        np.add.at(total, number, times)
        return GroupSteps(port.of_structure(first), tuple(pipeline[first] for pipeline in pipelines), total)


@dataclass(frozen=True, eq=False)
class Scheduled:
    """A pipeline at rates: cycles (tasks, kinds) in each kind of step, and the depth of each FIFO inside."""

    cycles: IntArray
    depths: Mapping[str, int]
    is_legal: bool = True


@dataclass(frozen=True, eq=False)
class ScheduledPipeline:
    """A pipeline with its runs in one step of each kind (`single_steps`); `most` is the longest line by task.

    Loads of single buffers wait until its `readers` have left.
    """

    tasks: Pipeline
    single_steps: Processors
    most: Mapping[str, int]
    has_formula: bool
    readers: frozenset[str] = frozenset()
    _known: dict[tuple[int, ...], Scheduled] = field(default_factory=dict, repr=False)

    def at(self, rates: tuple[int, ...]) -> Scheduled:
        """The schedule at rates of its tasks; not legal, and 0 cycles, for too many units or a broken FIFO order."""
        if rates not in self._known:
            self._known[rates] = self._at(rates)
        return self._known[rates]

    def _at(self, rates: tuple[int, ...]) -> Scheduled:
        nothing = Scheduled(np.zeros((len(self.tasks), self.single_steps.steps), np.int64), {}, is_legal=False)
        if any(units_of(rate) > self.most[task] > 0 for task, rate in zip(self.tasks, rates, strict=True)):
            return nothing
        busy = self.single_steps.busy(self.tasks, rates)
        cycles = np.array([busy[task].cycles for task in self.tasks])
        try:
            self.require_order(rates)
        except ArrayolError:
            return replace(nothing, cycles=cycles)
        fifos = self.single_steps.fifos
        return Scheduled(cycles, {array: fifo_depth(self.single_steps, busy, array) for array in fifos})

    def readers_left(self, rates: tuple[int, ...]) -> IntArray:
        """The cycle in which the last repetition of readers has left in each kind of step, (kinds,); 0 without one."""
        cycles, left = self.at(rates).cycles, np.zeros(self.single_steps.steps, np.int64)
        for task, rate, own in zip(self.tasks, rates, cycles, strict=True):
            if task in self.readers:
                latency = self.single_steps.paths.at(task, interval_of(rate)).latency
                left = np.maximum(left, own - latency)
        return left

    def length(self, rates: tuple[int, ...], kind: IntArray, late: IntArray) -> IntArray:
        """The cycles (kinds,) of steps of some kinds, with `late` cycles of loads that wait for readers."""
        held = np.where(late > 0, self.readers_left(rates)[kind] + late, 0) if self.readers else late
        longest: IntArray = np.maximum(self.at(rates).cycles.max(axis=0)[kind], held)
        return longest

    def require_order(self, rates: tuple[int, ...]) -> None:
        """Raises ArrayolError (`fifo-refused`) for a FIFO whose data are read in another order than written."""
        self.single_steps.require_order(self.single_steps.busy(self.tasks, rates), self.single_steps.fifos)

    def candidates(self, offered: Sequence[Offered]) -> Candidates:
        """The rates that may be the fastest: all legal ones, or with a formula those with most units of each family.

        Without a formula, rounds that wait for data of several repetitions may come later with more units. With a
        formula, more units at one II and fill are a family; a family is left out if another has no longer step.
        """
        rates = np.array(list(product(*(np.sort(own.rates).tolist() for own in offered))), np.int64)
        legal = np.array([self.at(tuple(row)).is_legal for row in rates.tolist()], np.bool_)
        kept = np.flatnonzero(legal)
        if self.has_formula:
            kept = self._unbeaten(rates[:, 0], kept)
        chosen = rates[kept] if len(kept) else rates[:1]
        spare = np.array([units_of(own.rates).min() for own in offered], np.int64)
        return Candidates(
            self.tasks,
            chosen[None],
            np.full((1, len(chosen)), len(kept) > 0),
            np.array([legal.sum()], np.int64),
            np.ones_like(chosen[None]) if self.has_formula else units_of(chosen[None]),
            np.broadcast_to(spare, (1, *chosen.shape)),
        )

    def _unbeaten(self, rates: IntArray, legal: IntArray) -> IntArray:
        """The last of each family of legal rates (by index), unless an earlier family is as fast in every step."""
        families: dict[tuple[int, int], int] = {}
        for place in legal.tolist():
            families[self._family(int(rates[place]))] = place
        kept, cycles = list[int](), list[IntArray]()
        for place in families.values():
            rate = (int(rates[place]),)
            family_cycles = np.concatenate([self.at(rate).cycles, self.readers_left(rate)[None]])
            if not any((other <= family_cycles).all() for other in cycles):
                kept.append(place)
                cycles.append(family_cycles)
        return np.array(kept, np.int64)

    def _family(self, rate: int) -> tuple[int, int]:
        """The initiation interval and the fill of a rate."""
        return interval_of(rate), self.single_steps.paths.fill(self.tasks[0], rate)

    def fewest_units(
        self, rates: tuple[int, ...], kinds: tuple[IntArray, IntArray], length: IntArray, offered: Offered
    ) -> IntArray:
        """The fewest units (tasks,) with which steps of some kinds, and late loads, take at most `length` (kinds,)."""
        units: IntArray = units_of(np.array(rates, np.int64))
        if not self.has_formula:
            return units
        family = self._family(rates[0])
        for rate in np.sort(offered.rates[offered.rates < rates[0]]).tolist():
            scheduled = self.at((rate,)) if self._family(rate) == family else None
            if scheduled is not None and scheduled.is_legal and (self.length((rate,), *kinds) <= length).all():
                return np.array([units_of(rate)], np.int64)
        return units


def fifo_depth(processors: Processors, busy: Mapping[str, Busy], array: str) -> int:
    """The depth of a FIFO under the schedules of its two tasks."""
    data = processors.fifos[array]
    source, target = processors.starts(busy, data.source), processors.starts(busy, data.target)
    # Steps follow each other, however long they are: any lengths that hold the pipeline give the same depth.
    longest = np.maximum(busy[data.source].cycles, busy[data.target].cycles)
    begin = np.cumsum(longest) - longest
    arrives = (begin[source.step] + source.cycle)[data.writer] + data.lags(busy[data.source].path) - 1
    leaves = (begin[target.step] + target.cycle)[data.reader] + data.chunks(busy[data.target].path)
    return depth_of_fifo(arrives, leaves)


@dataclass(frozen=True, eq=False)
class ScheduledWork:
    """The work of a pipeline in kinds of steps; `kind` (kinds,) is the pipeline's own kind of each.

    `late` (kinds,) are the cycles of loads that wait for readers.
    """

    pipeline: ScheduledPipeline
    kind: IntArray
    late: IntArray

    @property
    def tasks(self) -> Pipeline:
        """The tasks of the pipeline, in dataflow order."""
        return self.pipeline.tasks

    def at(self, rates: IntArray) -> ScheduledBusy:
        """The pipeline at rates (tasks,) or (1, tasks)."""
        return ScheduledBusy(self, tuple(rates.ravel().tolist()))


@dataclass(frozen=True, eq=False)
class ScheduledBusy:
    """A scheduled pipeline at rates of its tasks."""

    work: ScheduledWork
    rates: tuple[int, ...]

    @property
    def cycles(self) -> IntArray:
        """Cycles that each task computes in each kind of step, (tasks, 1, kinds)."""
        return self.work.pipeline.at(self.rates).cycles[:, None, self.work.kind]

    @property
    def longest(self) -> IntArray:
        """Cycles of the task that computes, or holds loads back, longest in each kind of step, (1, kinds)."""
        return self.work.pipeline.length(self.rates, self.work.kind, self.work.late)[None]

    def fewest_units(self, length: IntArray, offered: Mapping[str, Offered]) -> IntArray:
        """The fewest units (1, tasks) with which no task takes longer than steps of `length` (1, kinds)."""
        work = self.work
        kinds = work.kind, work.late
        return work.pipeline.fewest_units(self.rates, kinds, length[0], offered[work.tasks[0]])[None]


@dataclass(frozen=True, eq=False)
class ScheduledSteps:
    """The steps of one structure, scheduled once for each kind; the columns of rates are `tasks`.

    `steps_of` gives the steps of some pipelines together, cyclic or not; `count` (1,) is the number of steps.
    """

    tasks: tuple[str, ...]
    processors: KindsOfSteps
    steps_of: Callable[[tuple[Pipeline, ...], bool], GroupSteps]
    count: IntArray
    readers: frozenset[str] = frozenset()  # for which loads of single buffers wait
    joined: bool = True  # tasks by FIFOs
    _parts: dict[tuple[bool, bool], StepPart] = field(default_factory=dict, repr=False)

    @property
    def paths(self) -> Datapaths:
        """The datapaths of the tasks."""
        return self.processors.paths

    @property
    def longest(self) -> IntArray:
        """The most units that each task can use, (1, tasks)."""
        return np.array([[self.processors.most[task] for task in self.tasks]], np.int64)

    @cached_property
    def pipelines(self) -> tuple[ScheduledPipeline, ...]:
        """The pipelines, in dataflow order."""
        processors = self.processors
        pipelines = processors.pipelines if self.joined else [(task,) for task in self.tasks]
        return tuple(
            ScheduledPipeline(
                pipeline,
                processors.single_steps(pipeline),
                processors.most,
                processors.has_formula(pipeline),
                self.readers & frozenset(pipeline),
            )
            for pipeline in pipelines
        )

    @cached_property
    def without_fifos(self) -> StepTable:
        """The steps with each task independent of FIFOs."""
        return replace(self, joined=False)

    def parts(self, *, cyclic: bool) -> Iterator[StepPart]:
        """All kinds of steps, in one part."""
        key = self.joined, cyclic
        if key not in self._parts:
            self._parts[key] = self._part(cyclic=cyclic)
        yield self._parts[key]

    def _part(self, *, cyclic: bool) -> StepPart:
        steps = self.steps_of(tuple(pipeline.tasks for pipeline in self.pipelines), cyclic)
        late = steps.port.late
        works = [ScheduledWork(*each, late) for each in zip(self.pipelines, steps.pipelines, strict=True)]
        port = replace(steps.port, loads=steps.port.loads[None], stores=steps.port.stores[None], late=late[None])
        return StepPart(np.zeros(1, np.int64), steps.times[None], port, works)

    def in_order(self, rates: IntArray) -> BoolArray:
        """Whether rates (U, tasks) keep the order of all FIFOs, (1, U)."""
        in_order = np.ones(len(rates), np.bool_)
        for pipeline in self.pipelines:
            if pipeline.single_steps.fifos:
                pipeline_rates = rates[:, [self.tasks.index(task) for task in pipeline.tasks]]
                in_order &= np.array([pipeline.at(tuple(row)).is_legal for row in pipeline_rates.tolist()], np.bool_)
        return in_order[None]

    def require_order(self, rates: Mapping[str, int]) -> None:
        """Raises ArrayolError (`fifo-refused`) if rates by task break the order of a FIFO."""
        for pipeline in self.pipelines:
            pipeline.require_order(tuple(rates[task] for task in pipeline.tasks))

    def candidates(self, offered: Mapping[str, Offered]) -> list[Candidates]:
        """By pipeline, the rates that may be the fastest; pipelines are ordered by the columns of their first tasks."""
        candidates = [pipeline.candidates([offered[task] for task in pipeline.tasks]) for pipeline in self.pipelines]
        return sorted(candidates, key=lambda pipeline: min(map(self.tasks.index, pipeline.tasks)))

    def only(self, rows: IntArray) -> StepTable:
        """The table itself, since it has one structure."""
        assert len(rows) == 1, "there is one"
        return self
