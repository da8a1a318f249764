"""Steps in which the processors of a pipeline do the same: they are one kind, and one of them is scheduled for all.

The idea. The schedule of a step depends only on its runs, their order, and the pairs of runs that wait for each other;
at given rates on nothing else. Blocks repeat, and so do steps. Two steps are of one kind if each task has as many runs
in both, each at the same level and position in its line, and if delays and FIFO data connect runs at the same
positions. If all FIFO data are read in the step that writes them, a FIFO is empty between steps, so the order of its
data and its depth follow from the kinds, too. Otherwise each step is a kind of its own.

Steps are compared by hashes, sums modulo 2^64 over their runs and pairs; steps with equal hashes are checked to be
equal.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import IntArray
from hwmodel.cost_model.issue.fifo import FifoData
from hwmodel.cost_model.issue.issue import Issue, Stage

_FACTORS = np.random.default_rng(2).integers(1, 1 << 62, 64, np.uint64) | np.uint64(1)
_SPREAD = np.uint64(31)


@dataclass(frozen=True, eq=False)
class EqualSteps:
    """The kind of each of some steps, `of` (steps,), and the `first` step of each kind (kinds,)."""

    of: IntArray
    first: IntArray

    @staticmethod
    def all_differ(steps: int) -> EqualSteps:
        """Make each step a kind of its own."""
        return EqualSteps(np.arange(steps), np.arange(steps))

    @staticmethod
    def find(
        steps: int, issues: Mapping[str, Issue], stages: Mapping[str, Stage], fifos: Collection[FifoData]
    ) -> EqualSteps:
        """The kinds of steps of a pipeline's tasks, which start in the order of issue, with the FIFOs between them."""
        if any(
            (stages[data.source].step[data.writer] != stages[data.target].step[data.reader]).any() for data in fifos
        ):
            return EqualSteps.all_differ(steps)
        places = {task: _places(issue) for task, issue in issues.items()}
        tables = [StepRows.of_runs(issue) for issue in issues.values()]
        for task, issue in issues.items():
            tables += [StepRows.of_pairs(places[task], stages[task].step, pair) for pair in issue.pairs]
        tables += [StepRows.of_data(data, places, stages[data.source].step) for data in fifos]
        return EqualSteps.by_tables(steps, tables)

    @staticmethod
    def by_tables(steps: int, tables: Sequence[StepRows]) -> EqualSteps:
        """The kinds of steps that have equal rows in each of some tables."""
        sums = sum((table.sums(steps, number) for number, table in enumerate(tables)), np.zeros(steps, np.uint64))
        _, first, of = np.unique(sums, return_index=True, return_inverse=True)
        equal = EqualSteps(of.ravel(), first)
        return equal if all(table.is_equal(first[equal.of]) for table in tables) else EqualSteps.all_differ(steps)

    def folded(self, ticks: int, works: NDArray[np.bool_]) -> IntArray:
        """The kind of each step modulo the number of ticks; a pipeline works in one of the steps that coincide.

        `works` (kinds,) says in which kinds anything runs.
        """
        folded = np.full(ticks, np.argmin(works))  # where it works in none there is such a kind
        working = np.flatnonzero(works[self.of])
        folded[working % ticks] = self.of[working]
        return folded

    def only(self, stage: Stage) -> tuple[Stage, IntArray]:
        """The runs of a processor in the first step of each kind, with steps numbered by kind.

        Also the number of each run among these, -1 for runs of other steps.
        """
        there = self.first[self.of[stage.step]] == stage.step
        number = np.where(there, np.cumsum(there) - 1, -1)
        step = self.of[stage.step[there]]
        return replace(stage, work=stage.work.only(there), step=step, rank=stage.rank[there]), number


def data_between(data: FifoData, number: Mapping[str, IntArray]) -> FifoData:
    """The FIFO data between runs that are kept, given the new `number` of each run of a task (-1 for none)."""
    writer, reader = number[data.source][data.writer], number[data.target][data.reader]
    there = (writer >= 0) & (reader >= 0)
    return replace(data, writer=writer[there], reader=reader[there], made=data.made[there], taken=data.taken[there])


def _places(issue: Issue) -> IntArray:
    """The position of each run (by its own number) in the order of issue of its step."""
    places = np.empty(len(issue.runs), np.int64)
    places[issue.runs] = _since_first(issue.step)
    return places


def _since_first(step: IntArray) -> IntArray:
    """The number of entries since the first of the same step, for ascending steps."""
    many = np.bincount(step)
    place: IntArray = np.arange(len(step)) - (np.cumsum(many) - many)[step]
    return place


@dataclass(frozen=True, eq=False)
class StepRows:
    """Rows of ascending steps, in an order that is the same for equal steps, and the columns that have to be equal."""

    step: IntArray
    columns: tuple[IntArray, ...]

    @staticmethod
    def of_runs(issue: Issue) -> StepRows:
        """The level and position in its line of each run."""
        return StepRows(issue.step, (issue.level, issue.place))

    @staticmethod
    def of_pairs(places: IntArray, step: IntArray, pair: tuple[IntArray, IntArray]) -> StepRows:
        """The positions of the runs that a delay connects."""
        source, reader = pair
        order = np.lexsort((places[source], places[reader], step[reader]))
        source, reader = source[order], reader[order]
        return StepRows(step[reader], (places[source], places[reader]))

    @staticmethod
    def of_data(data: FifoData, places: Mapping[str, IntArray], step: IntArray) -> StepRows:
        """The positions of the runs that a FIFO's data connect, and of the data in both patterns."""
        writer, reader = places[data.source][data.writer], places[data.target][data.reader]
        order = np.lexsort((data.made, writer, step[data.writer]))
        columns = (writer, data.made, reader, data.taken)
        return StepRows(step[data.writer[order]], tuple(column[order] for column in columns))

    def sums(self, steps: int, number: int) -> NDArray[np.uint64]:
        """A hash of the rows of each step, (steps,)."""
        place = _since_first(self.step) + 1  # so that no row adds nothing
        row = place.astype(np.uint64) * _FACTORS[2 * number % 60]
        for factor, column in zip(_FACTORS[2 * number % 60 + 1 :], self.columns, strict=False):
            row += column.astype(np.uint64) * factor
        row ^= row >> _SPREAD
        row *= _FACTORS[-1]
        row ^= row >> _SPREAD
        total = np.zeros(steps, np.uint64)
        heads = np.flatnonzero(np.diff(self.step, prepend=-1) != 0)
        if len(heads):
            total[self.step[heads]] = np.add.reduceat(row * _FACTORS[-2], heads)
        return total

    def is_equal(self, like: IntArray) -> bool:
        """Whether each step has the same rows as the step `like` it."""
        count = np.bincount(self.step, minlength=len(like))
        if not np.array_equal(count, count[like]):
            return False
        start = np.cumsum(count) - count
        other = start[like[self.step]] + _since_first(self.step)
        return all(np.array_equal(column, column[other]) for column in self.columns)
