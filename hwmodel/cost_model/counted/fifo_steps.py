"""Kinds of steps of tasks joined by FIFOs, from the places of indices, and the runs in one step of each kind.

The idea. At a tick, a vector of places, a task runs the Cartesian product of the indices that have these places
(`first_use`). Two places along a dimension are alike for some tasks if each task has the same indices there except for
a translation, and if the indices that write and read the same elements of a FIFO have the same distances from the first
ones. Ticks whose places are alike along all dimensions differ only by translations: the same repetitions run in the
same order, in the same lines, with the same FIFO data between them. So they are one kind (`schedule.equal_steps`), and
one tick of each kind is scheduled, by the same code that plans every repetition of enumerated structures.

This needs three things: data are read at the tick that writes them (`block_order`), no dimensions are merged, and no
task that a FIFO joins has a delay.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from arrayol.arrays import IntArray
from hwmodel.cost_model.counted.axes.first_use import Fields
from hwmodel.cost_model.counted.axes.links import AxisLink
from hwmodel.cost_model.counted.axes.places import NEVER
from hwmodel.cost_model.counted.counts import GroupCounts
from hwmodel.cost_model.group.group import Group
from hwmodel.cost_model.group.ticks import Ticks, Work
from hwmodel.cost_model.issue.datapaths import Datapaths
from hwmodel.cost_model.issue.equal_steps import EqualSteps, StepRows
from hwmodel.cost_model.issue.fifo import fifo_data
from hwmodel.cost_model.issue.processors import Pipeline, Processors, pipelines_of, stage_of
from hwmodel.design import Blocks


@dataclass(frozen=True, eq=False)
class AlongBlocks:
    """One structure along a block dimension: the fields of its only block side, and its number of places."""

    block: int
    fields: Fields
    places: int


@dataclass(frozen=True, eq=False)
class KindsOfTicks:
    """The kinds of ticks of some tasks: kind `row` x `columns` + `column`, by row and column of the block order.

    `rows` and `columns` (places,) are the kind of each row and column. `of_each` has the runs of a tick of each kind;
    the last kind has none.
    """

    rows: IntArray
    columns: IntArray
    of_each: Processors

    def kinds(self, row: IntArray, column: IntArray) -> IntArray:
        """The kinds of ticks, given their rows and columns counted from 1; 0 for a tick without work."""
        kinds: IntArray = (row - 1) * (int(self.columns.max()) + 1) + column - 1
        return np.where((row > 0) & (column > 0), kinds, self.of_each.steps - 1)


@dataclass(frozen=True, eq=False)
class FifoProcessors:
    """The processors of a structure with FIFOs by kinds of their ticks.

    `sides` has the block dimensions from the outermost loop inwards, `most` the longest line of each task.
    """

    counts: GroupCounts
    blocks: Blocks
    paths: Datapaths
    sides: Sequence[AlongBlocks]
    most: Mapping[str, int]
    _kinds: dict[Pipeline, KindsOfTicks] = field(default_factory=dict, repr=False)

    @property
    def group(self) -> Group:
        """The group."""
        return self.counts.parts.group

    @cached_property
    def pipelines(self) -> Sequence[Pipeline]:
        """The tasks joined by FIFOs, in dataflow order."""
        return pipelines_of(self.group, map(self._ends, sorted(self.counts.fifos)))

    def has_formula(self, pipeline: Pipeline) -> bool:
        """Whether a pipeline is a single processor.

        Tasks whose steps need a schedule because of delays are not planned here.
        """
        return len(pipeline) == 1

    def single_steps(self, pipeline: Pipeline) -> Processors:
        """The runs of a pipeline in one step of each kind."""
        return self.ticks(pipeline).of_each

    def ticks(self, pipeline: Pipeline) -> KindsOfTicks:
        """The kinds of ticks of a pipeline.

        Raises ArrayolError (`fifo-refused`) if no schedule keeps the data of a FIFO between its tasks in order.
        """
        if pipeline not in self._kinds:
            self._kinds[pipeline] = self._step_lengths(pipeline)
        return self._kinds[pipeline]

    def _step_lengths(self, pipeline: Pipeline) -> KindsOfTicks:
        """Compute the kinds of ticks of a pipeline, and the runs of one tick of each kind."""
        fifos = [array for array in sorted(self.counts.fifos) if set(self._ends(array)) <= set(pipeline)]
        along = [self._alike(side, pipeline, fifos) for side in self.sides]
        kinds = [len(alike.first) for alike in along]
        rows, columns = np.zeros(1, np.int64), np.zeros(1, np.int64)
        for alike in along[:-1]:
            rows = (rows[:, None] * len(alike.first) + alike.of).ravel()
        if along:
            columns = along[-1].of
        # One more kind, the last, has no work: ticks at which the pipeline rests.
        nothing = math.prod(kinds)
        places = np.indices(kinds).reshape(len(kinds), nothing)
        first = [alike.first[place] for alike, place in zip(along, places, strict=True)]
        work = {task: self._work(task, first, nothing) for task in pipeline}
        stages = {
            task: stage_of(self.group, task, work_of, work_of.tick, self._blocks_of(task), self._along[task])
            for task, work_of in work.items()
        }
        ticks = Ticks(work, np.arange(nothing + 1))
        data = {array: fifo_data(self.group, ticks, array) for array in fifos}
        return KindsOfTicks(rows, columns, Processors(self.group, stages, data, nothing + 1, self.paths))

    def _ends(self, array: str) -> tuple[str, str]:
        """The tasks that write and read a FIFO."""
        parts = self.counts.parts
        return parts.writes[array].task, parts.reads[array][0].task

    def _blocks_of(self, task: str) -> Blocks | None:
        """The blocks of a task: those of the group for its last task, None for all others."""
        return self.blocks if task == self.group.last else None

    @cached_property
    def _along(self) -> dict[str, int | None]:
        """The unit dimension of each task; None for none."""
        return dict(zip(self.group.tasks, self.counts.unit_dimensions(self.blocks.scan), strict=True))

    def _alike(self, side: AlongBlocks, pipeline: Pipeline, fifos: Sequence[str]) -> EqualSteps:
        """The kinds of places along a block dimension, as if places were steps."""
        tables, first = [], dict[str, IntArray]()
        for task in pipeline:
            place = side.fields.work[task][0]
            first[task] = _first(place, np.arange(len(place)), side.places)
            tables.append(_table(place, (np.arange(len(place)),), (first[task],)))
        for array in fifos:
            tables += self._data(side, array, first)
        return EqualSteps.by_tables(side.places, tables)

    def _data(self, side: AlongBlocks, array: str, first: Mapping[str, IntArray]) -> Iterator[StepRows]:
        """Tables of the indices that write and read each element of a FIFO along an axis, by place."""
        parts = self.counts.parts
        axis = parts.axes[array][side.block]
        if axis is None:
            return
        start = None
        for link in (parts.writes[array], parts.reads[array][0]):
            own, work = link.axes[axis], side.fields.work[link.task][0]
            place = _places_of(own, parts.dimensions[link.task][side.block], work)
            start = _first(place, own.element, side.places) if start is None else start
            yield _table(place, (own.repetition, own.element), (first[link.task], start))

    def _work(self, task: str, first: Sequence[IntArray], nothing: int) -> Work:
        """The runs of a task at one tick of each kind; `first` (kinds,) has its place along each dimension."""
        parts, extents = self.counts.parts, self.group.accesses.extents(task)
        free = {k: np.flatnonzero(self.counts.masks.runs[task, k]) for k in parts.free_dimensions(task)}
        runs, ticks = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for kind in range(nothing):
            indices, is_there = dict(free), True
            for side, places in zip(self.sides, first, strict=True):
                own = np.flatnonzero(side.fields.work[task][0] == places[kind])
                moving = parts.dimensions[task][side.block]
                if moving is None:
                    is_there &= len(own) > 0
                else:
                    indices[moving] = own
            number = np.zeros(int(is_there), np.int64)
            for k, extent in enumerate(extents):
                number = (number[:, None] * extent + indices[k]).ravel()
            runs.append(number)
            ticks.append(np.full(len(number), kind))
        tick = np.concatenate(ticks)
        return Work(np.concatenate(runs), tick, tick)


def _places_of(link: AxisLink, moving: int | None, work: IntArray) -> IntArray:
    """The place of each pair of a link, from the field `work` of the indices that move with the blocks."""
    if link.dimension is not None and link.dimension == moving:
        return work[link.repetition]
    return np.full(len(link.element), work.min())


def _first(place: IntArray, values: IntArray, places: int) -> IntArray:
    """The least of the values at each place, (places,); 0 where there are none."""
    there = place != NEVER
    first = np.full(places, NEVER)
    np.minimum.at(first, place[there], values[there])
    return np.where(first == NEVER, 0, first)


def _table(place: IntArray, columns: Sequence[IntArray], first: Sequence[IntArray]) -> StepRows:
    """Rows sorted by place and then by columns, each column relative to the first value of its place."""
    order = np.lexsort((*reversed(columns), place))
    order = order[place[order] != NEVER]
    return StepRows(
        place[order], tuple(column[order] - start[place[order]] for column, start in zip(columns, first, strict=True))
    )
