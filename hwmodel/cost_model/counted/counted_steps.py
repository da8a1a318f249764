"""The steps of Cartesian structures: the length of each kind of step by closed forms (`schedule.rounds`).

The rounds of a processor follow from its lines and levels: the lines of a row, and the indices along a delay, belong to
one block dimension each, times 1 or 0 for each other dimension. Structures in which the indices of a step along a delay
have gaps have no such form (`has_formula`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from arrayol.arrays import BoolArray, IntArray
from hwmodel.cost_model.counted.block_order import OrderCounts, Structures
from hwmodel.cost_model.counted.counts import GroupCounts
from hwmodel.cost_model.counted.step_kinds import StepKinds, step_kinds
from hwmodel.cost_model.group.group import Group
from hwmodel.cost_model.issue.datapaths import Datapaths, Waits
from hwmodel.cost_model.issue.occupancy import Repetitions, pattern_places
from hwmodel.cost_model.issue.rounds import LineRounds
from hwmodel.cost_model.memory_port.port import MemoryPort, PortCycles
from hwmodel.cost_model.tables.steps import Candidates, Offered, Pipeline, StepPart, StepTable, WithoutFifos
from hwmodel.design import BankLayout, interval_of, rate_of, units_of

_MANY = 1 << 40  # more units than there are


@dataclass(frozen=True, eq=False)
class Pace:
    """The speed of a processor at some rates: cycles of a round, latency, rounds that chains wait, and fill."""

    occupancy: int | IntArray
    latency: int | IntArray
    near: int | IntArray
    far: int | IntArray
    fill: int | IntArray


@dataclass(frozen=True, eq=False)
class LinesWork:
    """The work of a single task in kinds of steps: its lines and levels, and in which kinds it `works`, (S, kinds)."""

    steps: CountedSteps
    task: str
    lines: LineRounds
    works: BoolArray

    @property
    def tasks(self) -> Pipeline:
        """The task, as a pipeline of one."""
        return (self.task,)

    def at(self, rates: IntArray) -> LinesBusy:
        """The work at rates (1,) of all structures, or (S, 1) of each."""
        own = rates if rates.ndim > 1 else rates[0]
        return LinesBusy(self, units_of(own), self.steps.paces(self.task, own))


@dataclass(frozen=True, eq=False)
class LinesBusy:
    """The work of a single task with `units` at a `pace`, of all structures or (S, 1) of each."""

    work: LinesWork
    units: IntArray
    pace: Pace

    @property
    def cycles(self) -> IntArray:
        """Cycles that the task computes in each kind of step, (1, S, kinds)."""
        return self.longest[None]

    @property
    def longest(self) -> IntArray:
        """Cycles that the task computes in each kind of step, (S, kinds)."""
        pace = self.pace
        rounds = self.work.lines.rounds(self.units, pace.near, pace.far, pace.fill)
        return np.where(self.work.works, rounds * pace.occupancy + pace.latency, 0)

    def fewest_units(self, length: IntArray, _: Mapping[str, Offered]) -> IntArray:
        """The fewest units (S, 1) with which the task takes no longer than steps of `length` (S, kinds).

        A task with results l cycles after a round of o cycles takes no longer than L if it takes at most floor((L - l)
        / o) rounds. Steps get no longer with more units at one initiation interval and fill.
        """
        rounds = np.maximum((length - self.pace.latency) // self.pace.occupancy, 1)
        units: IntArray = self.work.lines.fewest_units(rounds, self.pace.far, self.pace.fill).max(axis=1)
        return units[:, None]


@dataclass(frozen=True, eq=False)
class CountedSteps(WithoutFifos):
    """The steps of structures; the columns of rates are `tasks`, and `paths` has the figures of their datapaths."""

    counts: GroupCounts
    structures: Structures
    paths: Datapaths
    tasks: tuple[str, ...]

    @property
    def longest(self) -> IntArray:
        """The longest line of each task, (S, tasks)."""
        most: IntArray = self.structures.longest[:, [self._number(task) for task in self.tasks]]
        return most

    @property
    def has_formula(self) -> BoolArray:
        """Whether no step of a structure needs a schedule, (S,); see `rounds`."""
        free = np.array([self.counts.levels_hold(task) for task in self.counts.parts.group.tasks])
        return np.asarray((self.structures.contiguous & free).all(axis=1))

    def parts(self, *, cyclic: bool) -> Iterator[StepPart]:
        """All kinds of steps, for some structures at a time."""
        return map(self.part, step_kinds(self.counts, self.structures, cyclic=cyclic))

    def part(self, kinds: StepKinds) -> StepPart:
        """The ports' cycles and the tasks' work in some kinds of steps."""
        works = [LinesWork(self, task, self._lines(kinds, task), self._runs(kinds, task) > 0) for task in self.tasks]
        return StepPart(kinds.chosen, kinds.times, self.port(kinds), works)

    def only(self, rows: IntArray) -> StepTable:
        """The steps of some structures."""
        return replace(self, structures=self.structures.only(rows))

    @property
    def count(self) -> IntArray:
        """The number of steps from the first to the last with any work, (S,)."""
        structures = self.structures
        (row, column), wide = structures.pairs.T, structures.inner.places
        stage = np.array([quantity.stage for quantity in self.counts.counted], np.int64)
        rows, columns = (_ends(order, len(stage)) for order in (structures.outer, structures.inner))
        first, last = (rows[end][row] * wide[column, None] + columns[end][column] + stage for end in (0, 1))
        there = (rows[1][row] >= 0) & (columns[1][column] >= 0)
        most = int(np.abs(last).max()) + 1
        count: IntArray = np.where(there, last, -1).max(axis=1) - np.where(there, first, most).min(axis=1) + 1
        return count

    def floors(self, offered: Sequence[Sequence[int]], *, cyclic: bool) -> tuple[IntArray, IntArray]:
        """Lower bounds of the cycles (S,) at any rates `offered` to the tasks, with the port and of the tasks only.

        Loads and stores are one run each, no line has to fill, and each task has the best of its rates in every step.
        """
        with_port, without = np.zeros((2, len(self.structures.pairs)), np.int64)
        for kinds in step_kinds(self.counts, self.structures, cyclic=cyclic):
            busy = np.zeros(kinds.times.shape, np.int64)
            for task, rates in zip(self.tasks, offered, strict=True):
                lines, number = self._lines(kinds, task), self._runs(kinds, task)
                most = {interval_of(rate): units_of(rate) for rate in sorted(rates)}
                paces = ((units, self.pace(task, rate_of(units, interval))) for interval, units in most.items())
                each = [lines.rounds(units, own.near, own.far) * own.occupancy + own.latency for units, own in paces]
                busy = np.maximum(busy, np.where(number > 0, np.minimum.reduce(each), 0))
            port = self.port(kinds, in_runs=False)
            part = StepPart(kinds.chosen, kinds.times, port, ())
            without[part.rows] = part.summed(busy)
            with_port[part.rows] = part.summed(np.maximum(busy, port.cycles))
        return with_port, without

    def port(self, kinds: StepKinds, *, in_runs: bool = True) -> PortCycles:
        """The port's cycles in each kind of step (S, K). Unless `in_runs`, the data of an array count as one run."""
        platform = self.paths.platform
        port = MemoryPort(self.counts.parts.group.accesses, platform)
        service = port.service.of(name for _, name in self.counts.bursts)
        sides = service.nothing(*kinds.times.shape)
        for burst, entries in self.counts.bursts.items():
            data, (kind, name) = kinds.happens[:, :, entries].sum(axis=2), burst
            if port.by_run and in_runs:
                requests = kinds.runs.requests(burst, data, port.requested(name, write=kind == "store"))
                cycles = port.request_cycles(requests)
            else:
                local, shape = self.counts.local.get(burst), self.counts.parts.group.accesses.shape(name)
                known = kinds.runs.local_words(burst, data, local, shape) if in_runs and local is not None else 0
                cycles = port.burst_cycles(name, data, known)
            sides[service.numbers[name], int(kind == "store")] += cycles
        return service.cycles(sides)

    def pace(self, task: str, rate: int) -> Pace:
        """The speed of a task's processor at a rate."""
        interval = interval_of(rate)
        path, waits = self.paths.at(task, interval), self._waits(task, interval)
        return Pace(path.interval, path.latency, waits.near, waits.far, self.paths.fill(task, rate))

    def paces(self, task: str, rates: IntArray) -> Pace:
        """The speed of a task's processor at each of some rates, in the shape of these."""
        if not np.ndim(rates):
            return self.pace(task, int(rates))
        distinct, of = np.unique(rates, return_inverse=True)
        each = [self.pace(task, rate) for rate in distinct.tolist()]
        rows = np.array([(pace.occupancy, pace.latency, pace.near, pace.far, pace.fill) for pace in each], np.int64)
        return Pace(*(column[of.reshape(rates.shape)] for column in rows.T))

    def _waits(self, task: str, interval: int) -> Waits:
        """The rounds that chains of a task's delay wait; one without a delay."""
        for delay in self.counts.parts.group.delays(task):
            return self.paths.waits(task, delay, interval)
        return Waits(1, 1)

    def _lines(self, kinds: StepKinds, task: str) -> LineRounds:
        """Lines and levels of a task in each kind of step, (S, K)."""
        counts, number = self.counts, self._number(task)
        rows, kind = kinds.rows[number], kinds.along[:, :, number]
        many = self._runs(kinds, task) // np.maximum(rows.repetitions, 1)[kind]
        delay = counts.parts.delay(task)
        if delay is None:
            return LineRounds(rows, kind, many)
        step, entry = delay.span, len(self.tasks) + counts.delayed.index(task)
        indices = np.maximum(kinds.along[:, :, entry] * counts.free_along(task, delay.own), 1)
        levels, each = -(-indices // step), many // indices
        last = each * (indices - (levels - 1) * step)
        return LineRounds(rows, kind, each * np.minimum(indices, step), levels, last)

    def _runs(self, kinds: StepKinds, task: str) -> IntArray:
        """Repetitions of a task in each kind of step, (S, K)."""
        return kinds.happens[:, :, self.counts.names.index(("task", task))]

    def _number(self, task: str) -> int:
        """The position of a task in the group's dataflow order, which may differ from that of `tasks`."""
        return self.counts.parts.group.tasks.index(task)

    def candidates(self, offered: Mapping[str, Offered]) -> list[Candidates]:
        """The rates of each task that may be the fastest: of each family the one of most units, unless it is beaten."""
        longest = self.longest
        return [self._candidates(task, offered[task], longest[:, place]) for place, task in enumerate(self.tasks)]

    def _candidates(self, task: str, offered: Offered, longest: IntArray) -> Candidates:
        """The rates of a task that may be the fastest, given its longest lines (S,)."""
        suiting = offered.suiting(longest)
        rates = offered.rates[offered.first + np.maximum(suiting - 1, 0)]
        kept = self._unbeaten(task, offered, rates, suiting > 0)
        number, spare = suiting.sum(axis=1), _spare(offered, kept)
        return Candidates((task,), rates[:, :, None], kept, number, np.ones_like(rates)[:, :, None], spare[:, :, None])

    def _unbeaten(self, task: str, offered: Offered, rates: IntArray, legal: BoolArray) -> BoolArray:
        """Which rates, one of each family (S, families), are legal and not beaten by another.

        A rate beats another in every step if it has as many units, starts as often, finishes a repetition as soon,
        fills its lines as fast, and lets its chains wait no longer: in cycles, since (T - 1) o + o + latency falls with
        all of these (`rounds`).
        """
        if len(offered.intervals) == 1:
            return legal
        paces = [self.pace(task, rate) for rate in offered.rates[offered.first].tolist()]
        rows = [
            (
                one.occupancy,
                one.occupancy + one.latency,
                one.fill * one.occupancy,
                one.near * one.occupancy,
                one.far * one.occupancy,
            )
            for one in paces
        ]
        cycles = np.array(rows, np.int64)
        soon = (cycles[:, None, :] <= cycles[None, :, :]).all(axis=2)
        units = units_of(rates)
        beats = soon & (units[:, :, None] >= units[:, None, :]) & legal[:, :, None]
        # Of rates that beat each other the first stays, so that one always does.
        first = np.tri(len(paces), k=-1, dtype=np.bool_).T
        beaten = (beats & (first | ~beats.transpose(0, 2, 1))).any(axis=1)
        return legal & ~beaten


def _spare(offered: Offered, kept: BoolArray) -> IntArray:
    """The fewest units that beaten families (those not `kept`, (S, families)) have and no other has, (S, families).

    A number above all units where there are none.
    """
    units, place = np.unique(units_of(offered.rates), return_inverse=True)
    has = np.zeros((len(offered.intervals), len(units)), np.bool_)
    has[offered.family, place] = True
    apart = has[None, :, :] & ~has[:, None, :]
    least = np.where(apart.any(axis=2), units[apart.argmax(axis=2)], _MANY)
    spare: IntArray = np.where(kept[:, None, :], _MANY, least).min(axis=2)
    return spare


def _ends(order: OrderCounts, entries: int) -> tuple[IntArray, IntArray]:
    """The first and last place at which each of the first entries counts something, (S, entries).

    Last is -1 for none.
    """
    side, entry, place = order.steps.changes
    until = np.append(place[1:], 0)
    own = (entry < entries) & (order.steps.at(side, entry, place)[0] > 0)
    side, entry, place, until = side[own], entry[own], place[own], until[own]
    shape = len(order.places), entries
    first, last = np.full(shape, int(order.places.max())), np.full(shape, -1)
    np.minimum.at(first, (side, entry), place)
    np.maximum.at(last, (side, entry), until - 1)
    return first, last


def kinds_of(counts: GroupCounts) -> Repetitions:
    """Repetitions (n, rank) by task and layout, one of each kind: it has the banks and equal elements of all such ones.

    Banks and equal elements are determined by the distances of the accesses to the first one, and by the bank of the
    first. Along an axis they depend on one repetition dimension only, so one index of each kind along each dimension is
    enough.
    """

    def repetitions(task: str, layout: BankLayout) -> IntArray:
        chosen = []
        for dimension, indices in enumerate(counts.running(task)):
            if any(len(own) > 1 for own in counts.parts.spaces.dimensions(task)):
                chosen.append(indices)  # along an axis the accesses may depend on several dimensions
                continue
            marks = _marks(counts.parts.group, task, layout, dimension, indices)
            chosen.append(indices[np.unique(marks, axis=0, return_index=True)[1]])
        if not chosen:
            return np.zeros((1, 0), np.int64)
        return np.stack([part.ravel() for part in np.meshgrid(*chosen, indexing="ij")], axis=1)

    return repetitions


def _marks(group: Group, task: str, layout: BankLayout, dimension: int, indices: IntArray) -> IntArray:
    """The values that determine the kind of each index of a dimension, (n, marks), with all other indices 0."""
    repetitions = np.zeros((len(indices), len(group.accesses.extents(task))), np.int64)
    repetitions[:, dimension] = indices
    touches = (*group.reads(task, layout.array), *group.writes(task, layout.array))
    happens = [group.accesses.happens(touch, repetitions) for touch in touches]
    axes, parts = len(layout.vector), list[IntArray]()
    for touch, acts in zip(touches, happens, strict=True):
        part = np.zeros((len(indices), math.prod(touch.pattern), axes), np.int64)
        part[acts] = pattern_places(group.accesses, touch, repetitions[acts])  # others may lie outside the array
        parts.append(part)
    places = np.concatenate(parts, axis=1)
    first = places[:, :1]
    bank = first[:, 0] * np.array(layout.vector, np.int64) % (layout.block * layout.banks)
    away = (places - first).reshape(len(indices), -1)
    return np.concatenate([away, bank, np.stack(happens, axis=1)], axis=1).astype(np.int64)
