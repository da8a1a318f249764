"""Steps of structures by kinds: how often each occurs, the port's cycles in it, and how long each pipeline computes.

A step's length depends on its work and on the rates (units and initiation intervals) of the tasks. So steps with equal
work are one kind, and all times are sums over kinds. The work of a pipeline (tasks joined by FIFOs; mostly one task) in
all kinds is its `StepWork`: a closed form of lines and levels, or a schedule of one step of each kind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, Self

import numpy as np

from arrayol.arrays import BoolArray, IntArray
from hwmodel.cost_model.issue.datapaths import Datapaths
from hwmodel.cost_model.memory_port.port import PortCycles
from hwmodel.design import interval_of, rate_of, units_of


@dataclass(frozen=True, eq=False)
class Offered:
    """The rates that a task may have, in families of equal initiation interval and fill of lines.

    In a family more units are never slower. `rates` are sorted by family, ascending in each. `family` is the family of
    each rate, `intervals` and `fills` are those of the families, and `first` and `end` their ranges of rates.
    """

    rates: IntArray
    family: IntArray
    intervals: IntArray
    fills: IntArray
    first: IntArray
    end: IntArray

    @staticmethod
    def of(rates: Sequence[int], fill: Callable[[int], int] = lambda _: 0) -> Offered:
        """Sort rates into families; `fill` gives the fill of a rate.

        Raises ValueError unless rates ascend and have a unit.
        """
        numbers = np.array(rates, np.int64)
        if not len(numbers) or (units_of(numbers) < 1).any() or not (np.diff(numbers) > 0).all():
            raise ValueError(f"rates are of 1 unit or more, ascending: {list(rates)}")
        kinds = np.stack([interval_of(numbers), [fill(rate) for rate in numbers.tolist()]])
        families, family = np.unique(kinds, axis=1, return_inverse=True)
        order = np.argsort(family.ravel(), kind="stable")
        first = np.searchsorted(family.ravel()[order], np.arange(families.shape[1]))
        return Offered(
            numbers[order], family.ravel()[order], families[0], families[1], first, np.append(first[1:], len(numbers))
        )

    def suiting(self, most: IntArray) -> IntArray:
        """How many rates of each family (S, families) have at most so many units (S,): its first ones."""
        within = (units_of(self.rates) <= most[:, None]) | (most[:, None] == 0)
        return np.asarray(np.add.reduceat(within, self.first, axis=1, dtype=np.int64))

    def at_least(self, units: IntArray, like: IntArray) -> IntArray:
        """The first rate with at least so many units in the family of another rate; there must be one."""
        order = np.argsort(self.rates)
        family = self.family[order][np.searchsorted(self.rates[order], like)]
        return self.rates[np.searchsorted(rate_of(units_of(self.rates), self.family), rate_of(units, family))]


Pipeline = tuple[str, ...]


class PipelineRates(Protocol):
    """A pipeline at rates of its tasks."""

    @property
    def cycles(self) -> IntArray:
        """Cycles that each task computes in each kind of step, (tasks, S, kinds)."""

    @property
    def longest(self) -> IntArray:
        """Cycles of the task that computes longest in each kind of step, (S, kinds)."""

    def fewest_units(self, length: IntArray, offered: Mapping[str, Offered]) -> IntArray:
        """The fewest units (S, tasks), at unchanged II, with which no task takes more than `length` (S, kinds) cycles.

        At the present rates none takes longer. Tasks that need a schedule keep their units.
        """


class StepWork(Protocol):
    """The work of a pipeline in each kind of step of some structures."""

    @property
    def tasks(self) -> Pipeline:
        """The tasks of the pipeline, in dataflow order."""

    def at(self, rates: IntArray) -> PipelineRates:
        """The pipeline at rates (tasks,) of all structures, or (S, tasks) of each."""


@dataclass(frozen=True, eq=False)
class StepPart:
    """Kinds of steps of the structures `rows` (S,): how often each occurs, `times` (S, kinds), and port cycles."""

    rows: IntArray
    times: IntArray
    port: PortCycles
    works: Sequence[StepWork]

    def summed(self, length: IntArray) -> IntArray:
        """The sum (S,) over all steps of their lengths by kind (S, kinds)."""
        total: IntArray = np.einsum("sk,sk->s", length, self.times)
        return total


@dataclass(frozen=True, eq=False)
class Candidates:
    """Combinations of the rates of a pipeline's `tasks` that may be the fastest of a structure: `rates` (S, C, tasks).

    `kept` (S, C) marks the candidates, and `number` (S,) is the number of legal combinations. A candidate stands for
    others with fewer units, down to `fewest` (S, C, tasks). `spare` (S, C, tasks) is the fewest units that a task may
    have by rates that are left out, if no candidate has as many.
    """

    tasks: Pipeline
    rates: IntArray
    kept: BoolArray
    number: IntArray
    fewest: IntArray
    spare: IntArray


class StepTable(Protocol):
    """The steps of S structures; the columns of rates are `tasks`."""

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks, as columns of rates."""

    @property
    def paths(self) -> Datapaths:
        """The datapaths of the tasks, with the rounds in which their windows fill."""

    @property
    def longest(self) -> IntArray:
        """The most units that each task can use, its longest line, (S, tasks); 0 where it never runs."""

    @property
    def count(self) -> IntArray:
        """The number of steps from the first to the last with any work, (S,)."""

    @property
    def readers(self) -> frozenset[str]:
        """The tasks for which loads of single buffers wait."""

    @property
    def without_fifos(self) -> StepTable:
        """The steps with each task independent of FIFOs: no task then takes longer."""

    def parts(self, *, cyclic: bool) -> Iterator[StepPart]:
        """All kinds of steps; with `cyclic`, of frames that follow each other without pause."""

    def in_order(self, rates: IntArray) -> BoolArray:
        """Whether rates (U, tasks) that are not too many units keep the order of all FIFOs, (1, U) or (S, U)."""

    def require_order(self, rates: Mapping[str, int]) -> None:
        """Raises ArrayolError (`fifo-refused`) if rates break the order of a FIFO in the only structure."""

    def candidates(self, offered: Mapping[str, Offered]) -> list[Candidates]:
        """By pipeline, the rates that may be the fastest among those offered to each task."""

    def only(self, rows: IntArray) -> StepTable:
        """The steps of some structures."""


class WithoutFifos:
    """A table of structures without FIFOs and single buffers: tasks are independent, and there is no order to keep."""

    @property
    def readers(self) -> frozenset[str]:
        """None: no loads wait."""
        return frozenset()

    @property
    def without_fifos(self) -> Self:
        """The table itself, since its tasks are independent."""
        return self

    def in_order(self, rates: IntArray) -> BoolArray:
        """True for all rates, (1, U)."""
        return np.ones((1, len(rates)), np.bool_)

    def require_order(self, _: Mapping[str, int]) -> None:
        """Accept all rates."""


@dataclass(frozen=True, eq=False)
class JoinedSteps(WithoutFifos):
    """Structures of several tables: `tables` with the rows of each, out of `structures` rows."""

    tables: Sequence[tuple[IntArray, StepTable]]
    structures: int

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks, as columns of rates."""
        return self.tables[0][1].tasks

    @property
    def paths(self) -> Datapaths:
        """The datapaths of the tasks."""
        return self.tables[0][1].paths

    @property
    def longest(self) -> IntArray:
        """The most units that each task can use, (S, tasks)."""
        return self._put(lambda table: table.longest)

    @property
    def count(self) -> IntArray:
        """The number of steps of each structure, (S,)."""
        return self._put(lambda table: table.count)

    def parts(self, *, cyclic: bool) -> Iterator[StepPart]:
        """All kinds of steps, table by table."""
        for rows, table in self.tables:
            for part in table.parts(cyclic=cyclic) if len(rows) else ():
                yield StepPart(rows[part.rows], part.times, part.port, part.works)

    def candidates(self, offered: Mapping[str, Offered]) -> list[Candidates]:
        """By task, the rates that may be the fastest."""
        each = [table.candidates(offered) for _, table in self.tables]
        return [self._joined(values) for values in zip(*each, strict=True)]

    def only(self, rows: IntArray) -> StepTable:
        """The steps of some structures."""
        where = np.full(self.structures, -1)
        where[rows] = np.arange(len(rows))
        there = [(where[own], table) for own, table in self.tables]
        return JoinedSteps([(own[own >= 0], table.only(np.flatnonzero(own >= 0))) for own, table in there], len(rows))

    def _put(self, of: Callable[[StepTable], IntArray]) -> IntArray:
        """Collect values of all tables by row."""
        values = [of(table) for _, table in self.tables]
        collected = np.zeros((self.structures, *values[0].shape[1:]), np.int64)
        for (rows, _), table_values in zip(self.tables, values, strict=True):
            collected[rows] = table_values
        return collected

    def _joined(self, parts: Sequence[Candidates]) -> Candidates:
        """Candidates of all tables by row; rows with fewer repeat their last one."""
        wide = max(part.kept.shape[1] for part in parts)

        def put(values: Sequence[IntArray | BoolArray]) -> IntArray:
            joined = np.zeros((self.structures, wide, *values[0].shape[2:]), np.int64)
            for (rows, _), value in zip(self.tables, values, strict=True):
                joined[rows, : value.shape[1]] = value
                joined[rows, value.shape[1] :] = value[:, -1:]
            return joined

        kept, number = np.zeros((self.structures, wide), np.bool_), np.zeros(self.structures, np.int64)
        for (rows, _), part in zip(self.tables, parts, strict=True):
            kept[rows, : part.kept.shape[1]] = part.kept
            number[rows] = part.number
        rates, fewest, spare = (put([getattr(part, name) for part in parts]) for name in ("rates", "fewest", "spare"))
        return Candidates(parts[0].tasks, rates, kept, number, fewest, spare)
