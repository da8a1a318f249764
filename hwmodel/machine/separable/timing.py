"""Cycles of the structures of a separable group under combinations of rates (units and intervals).

The time of a group is the sum of its steps' lengths, and a step's length depends on nothing but the counts of what
happens in it (docs/machine.md, section 4). Steps with equal counts are one kind. Since a count is the product of one of
the row and one of the column, a pair of a kind of rows and a kind of columns is a kind of steps, which occurs as often
as the product of theirs; the sum over kinds, each times how often it occurs, is the sum over all steps. Where frames
follow each other (section 8), steps are taken modulo the number of ticks: the rows above the first are the last ones.

How many rounds of its interval a processor takes is told by its lines and levels (`rounds`): the lines of a row and
the indices along a delay belong to one dimension, times 1 or 0 for each other. Structures where what a step has
along a delay leaves gaps are not priced here (`batch`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from hwmodel.accesses import subscripts
from hwmodel.design import BankLayout, interval_of, rate_of, units_of
from hwmodel.machine.group import Group
from hwmodel.machine.numbering import numbered
from hwmodel.machine.port import Port, PortCycles
from hwmodel.machine.schedule.datapaths import Datapaths, Waits
from hwmodel.machine.schedule.processors import bank_cycles
from hwmodel.machine.schedule.rounds import Lines, RowLines
from hwmodel.machine.separable.axes import Ints
from hwmodel.machine.separable.block_order import Structures
from hwmodel.machine.separable.counts import GroupCounts
from hwmodel.machine.separable.place_counts import (
    Kinds,
    PlaceCounts,
    changing_columns,
    changing_rows,
    counts_above,
    earlier,
    kinds_of,
)
from hwmodel.machine.separable.runs import local_words_of_kinds, runs_of_kinds
from hwmodel.platform import Platform

_STEP_CELLS = 1 << 22  # of a part's tables
_SMALL_CELLS = 1 << 17  # of all tables of a call, which then is one part


@dataclass(frozen=True, eq=False)
class StepKinds:
    """How often each kind of step of some structures occurs (S, K), and what happens in it.

    `happens` (S, K, Q) in the order of what is counted, `along` (S, K, T + D) the kind of each task's rows of lines,
    and for tasks with a delay how many indices along it, as far as blocks go; `rows` has by task the lines of its
    kinds. `chosen` (S,) are the structures' numbers. `runs` (S, K, M) and `starts` (S, bursts, 3) tell of the runs that
    are moved (`separable.runs`).
    """

    chosen: Ints
    times: Ints
    happens: Ints
    along: Ints
    rows: tuple[RowLines, ...]
    runs: Ints
    starts: Ints

    @staticmethod
    def of(counts: GroupCounts, structures: Structures, chosen: Ints, times: Ints, happens: Ints) -> StepKinds:
        """Of counts (S, K, Q + T + D + M) without their factors."""
        quantities, ends = len(counts.factor), len(counts.shift) - len(counts.moved.axes)
        counted, along, runs = np.split(happens, (quantities, ends), axis=2)
        return StepKinds(
            chosen, times, counted * counts.factor, along, structures.rows, runs, structures.starts[chosen]
        )


def step_kinds(counts: GroupCounts, structures: Structures, *, cyclic: bool) -> Iterator[StepKinds]:
    """The kinds of steps of structures, in parts; with `cyclic` frames follow each other without a pause."""
    shift = counts.shift
    columns = structures.inner.once(lambda: column_kinds(structures.inner.steps, shift), "columns")
    for late, chosen in structures.by_lateness(int(shift.max())):
        rows = structures.outer.once(
            partial(row_kinds, structures.outer.steps, late, cyclic=cyclic), "rows", late, cyclic
        )
        for part, high, wide in _alike(structures.pairs[chosen], rows, columns, len(shift)):
            times, happens = paired(structures.pairs[chosen[part]], rows.first(high), columns.first(wide))
            yield StepKinds.of(counts, structures, chosen[part], times, happens)


def _alike(pairs: Ints, rows: Kinds, columns: Kinds, entries: int) -> Iterator[tuple[Ints, int, int]]:
    """Places of structures in parts of bounded tables, and how many rows and columns each part has at most.

    Structures with few kinds of steps come apart from those with many, unless all their tables are small: else most of
    what is computed is padding.
    """
    high, wide = rows.number[pairs[:, 0]], columns.number[pairs[:, 1]]
    kinds = np.zeros(len(pairs), np.int64)
    if len(pairs) * int(high.max()) * int(wide.max()) * entries > _SMALL_CELLS:
        kinds = np.floor(np.log2(high) / 2).astype(np.int64) * 64 + np.floor(np.log2(wide) / 2).astype(np.int64)
    for kind in np.unique(kinds).tolist():
        alike = np.flatnonzero(kinds == kind)
        each = int(high[alike].max()), int(wide[alike].max())
        step = max(1, _STEP_CELLS // (each[0] * each[1] * entries))
        for start in range(0, len(alike), step):
            yield (alike[start : start + step], *each)


def row_kinds(outer: PlaceCounts, late: int, *, cyclic: bool) -> Kinds:
    """Rows (S, kinds, entries, late + 1): of steps what is counted, then what tells lines, levels and runs."""
    entries = np.arange(outer.entries)
    rows = changing_rows(outer, np.zeros_like(entries), late, cyclic=cyclic)
    counts = counts_above(outer, entries[None, :], rows, late, cyclic=cyclic)
    return kinds_of(rows.side, counts, rows.run)


def column_kinds(inner: PlaceCounts, shift: Ints) -> Kinds:
    """Columns (S, kinds, entries, 2): rows above, and the count in the column there."""
    entries = np.arange(inner.entries)
    columns = changing_columns(inner, np.zeros_like(entries), shift)
    late, counts, _ = earlier(inner, entries[None, :], shift[None, :], columns)
    narrow = np.int32 if counts.max(initial=0) <= np.iinfo(np.int32).max else np.int64  # of many tasks they are many
    return kinds_of(columns.side, np.stack([late, counts], axis=2, dtype=narrow, casting="unsafe"), columns.run)


def paired(pairs: Ints, rows: Kinds, columns: Kinds) -> tuple[Ints, Ints]:
    """How often each pair of a row and a column occurs (S, kinds), and the entries there (S, kinds, entries)."""
    late, count = columns.values[pairs[:, 1], ..., 0], columns.values[pairs[:, 1], ..., 1]
    row = np.arange(rows.times.shape[1])[None, :, None, None]
    entry = np.arange(count.shape[2])[None, None, None, :]
    happens = rows.values[pairs[:, 0][:, None, None, None], row, entry, late[:, None, :, :]] * count[:, None, :, :]
    times = rows.times[pairs[:, 0]][:, :, None] * columns.times[pairs[:, 1]][:, None, :]
    return times.reshape(len(pairs), -1), happens.reshape(len(pairs), -1, happens.shape[3])


_CELLS = 1 << 18  # of intermediate arrays at a time


@dataclass(frozen=True, eq=False)
class Pace:
    """How fast a processor is at some rates: cycles of a round, latency, rounds that chains wait (`Waits`) and fill."""

    occupancy: int | Ints
    latency: int | Ints
    near: int | Ints
    far: int | Ints
    fill: int | Ints


@dataclass(frozen=True, eq=False)
class Timing:
    """How long steps are; columns of rates stand for `tasks`, `paths` has the figures of their datapaths."""

    counts: GroupCounts
    paths: Datapaths
    tasks: tuple[str, ...]

    def most_units(self, structures: Structures) -> Ints:
        """The longest line of each task, (S, tasks)."""
        most: Ints = structures.longest[:, [self.counts.parts.group.tasks.index(task) for task in self.tasks]]
        return most

    def legal(self, structures: Structures, rates: Ints) -> NDArray[np.bool_]:
        """Whether the units of rates (U, tasks) can work at once in some step, (S, U); any suit what never runs."""
        most = self.most_units(structures)[:, None, :]
        return np.asarray(((units_of(rates)[None, :, :] <= most) | (most == 0)).all(axis=2))

    def has_formula(self, structures: Structures) -> NDArray[np.bool_]:
        """Whether no step needs a schedule, (S,); see `rounds`."""
        free = np.array([self.counts.levels_hold(task) for task in self.counts.parts.group.tasks])
        return np.asarray((structures.contiguous & free).all(axis=1))

    def cycles(self, parts: Iterable[StepKinds], structures: int, rates: Ints) -> Ints:
        """The sum of all steps' lengths, (S, U)."""
        total = np.zeros((structures, len(rates)), np.int64)
        for part in parts:
            total[part.chosen] = self._sums(part, rates)
        return total

    def floors(
        self, parts: Iterable[StepKinds], structures: int, offered: Sequence[Sequence[int]]
    ) -> tuple[Ints, Ints]:
        """Cycles (S,) that no rates `offered` to the tasks go below, and those of the tasks alone.

        Loads and stores are one run each, no line has to fill, and each task has the best of its rates in every step.
        """
        with_port, without = np.zeros(structures, np.int64), np.zeros(structures, np.int64)
        for part in parts:
            busy = np.zeros(part.times.shape, np.int64)
            for task, rates in zip(self.tasks, offered, strict=True):
                lines, number = self._lines(part, task), self._number(part, task)
                most = {interval_of(rate): units_of(rate) for rate in sorted(rates)}
                paces = ((units, self.pace(task, rate_of(units, interval))) for interval, units in most.items())
                each = [lines.rounds(units, own.near, own.far) * own.occupancy + own.latency for units, own in paces]
                busy = np.maximum(busy, np.where(number > 0, np.minimum.reduce(each), 0))
            without[part.chosen] = self._summed(part, busy)
            with_port[part.chosen] = self._summed(part, np.maximum(busy, self.port(part, in_runs=False).cycles))
        return with_port, without

    def port(self, kinds: StepKinds, *, in_runs: bool = True) -> PortCycles:
        """The port's cycles in each kind of step (S, K); all that is moved of an array as one run if not `in_runs`."""
        platform = self.paths.platform
        port = Port(self.counts.parts.group.accesses, platform)
        sides = [np.zeros(kinds.times.shape, np.int64) for _ in range(2)]
        for number, (burst, entries) in enumerate(self.counts.bursts.items()):
            data, (kind, name) = kinds.happens[:, :, entries].sum(axis=2), burst
            if port.by_run and in_runs:
                runs = runs_of_kinds(self.counts, burst, data, kinds.runs)
                requests = port.requested(name, write=kind == "store").requests(*runs, kinds.starts[:, number])
                cycles = port.request_cycles(requests)
            else:
                known = in_runs and burst in self.counts.local
                local = local_words_of_kinds(self.counts, burst, data, kinds.runs) if known else 0
                cycles = port.burst_cycles(name, data, local)
            sides[kind == "store"] += cycles
        return PortCycles(sides[0], sides[1], platform.memory.port == "shared")

    def cycles_of_each(self, parts: Iterable[StepKinds], rates: Ints) -> Ints:
        """The sum of all steps' lengths (S,) of structures with rates (S, tasks), of each its own."""
        total = np.zeros(len(rates), np.int64)
        for part in parts:
            total[part.chosen] = self._summed(part, self._lengths(part, rates))
        return total

    def least(self, parts: Iterable[StepKinds], most: Ints) -> tuple[Ints, Ints]:
        """The cycles (S,) at rates `most` (S, tasks), and the fewest units (S, tasks) at their intervals for no more.

        At one interval, and as long to fill, no step is longer with more units. So their sum is the same as with the
        most units only if each step is as long as with those, L cycles; and it is if every processor takes L at most.
        One whose results are there l cycles after a round of o cycles does so if it takes floor((L - l) / o) rounds at
        most. That bounds each task's units by themselves: whatever the others have, it needs the largest of these
        bounds over the steps.
        """
        cycles, fewest = np.zeros(len(most), np.int64), np.ones_like(most)
        for part in parts:
            length, known = self.port(part).cycles, []
            for place, task in enumerate(self.tasks):
                rates, lines = most[part.chosen, place, None], self._lines(part, task)
                known.append((lines, self._paces(task, rates)))
                length = np.maximum(length, self._busy(part, task, rates, *known[-1]))
            cycles[part.chosen] = self._summed(part, length)
            for place, (lines, pace) in enumerate(known):
                rounds = np.maximum((length - pace.latency) // pace.occupancy, 1)
                fewest[part.chosen, place] = lines.fewest_units(rounds, pace.far, pace.fill).max(axis=1)
        return cycles, fewest

    def busy(self, kinds: StepKinds, task: str, rate: int | Ints) -> Ints:
        """Cycles that a processor computes in each kind of step (S, K), at a rate or at (S, 1) of them."""
        rates: Ints = np.asarray(rate, np.int64)
        return self._busy(kinds, task, rates, self._lines(kinds, task), self._paces(task, rates))

    def _busy(self, kinds: StepKinds, task: str, rates: Ints, lines: Lines, pace: Pace) -> Ints:
        rounds = lines.rounds(units_of(rates), pace.near, pace.far, pace.fill)
        return np.where(self._number(kinds, task) > 0, rounds * pace.occupancy + pace.latency, 0)

    def _waits(self, task: str, interval: int) -> Waits:
        for delay in self.counts.parts.group.delays(task):
            return self.paths.waits(task, delay, interval)
        return Waits(1, 1)

    def pace(self, task: str, rate: int) -> Pace:
        """How fast a task's processor is at a rate."""
        path, waits = self.paths.at(task, interval_of(rate)), self._waits(task, interval_of(rate))
        return Pace(path.interval, path.latency, waits.near, waits.far, self.paths.fill(task, rate))

    def _paces(self, task: str, rates: Ints) -> Pace:
        """Of each of some rates, in their shape."""
        if not rates.ndim:
            return self.pace(task, int(rates))
        distinct, of = np.unique(rates, return_inverse=True)
        each = [self.pace(task, rate) for rate in distinct.tolist()]
        rows = np.array([(pace.occupancy, pace.latency, pace.near, pace.far, pace.fill) for pace in each], np.int64)
        return Pace(*(column[of.reshape(rates.shape)] for column in rows.T))

    def _lines(self, kinds: StepKinds, task: str) -> Lines:
        """Lines and levels of a task in each kind of step, (S, K)."""
        tasks, counts = self.counts.parts.group.tasks, self.counts
        number = tasks.index(task)
        rows, kind = kinds.rows[number], kinds.along[:, :, number]
        many = self._number(kinds, task) // np.maximum(rows.repetitions, 1)[kind]
        delay = counts.parts.delay(task)
        if delay is None:
            return Lines(rows, kind, many)
        step, entry = delay.span, len(tasks) + counts.delayed.index(task)
        indices = np.maximum(kinds.along[:, :, entry] * counts.free_along(task, delay.own), 1)
        levels, each = -(-indices // step), many // indices
        last = each * (indices - (levels - 1) * step)
        return Lines(rows, kind, each * np.minimum(indices, step), levels, last)

    def _number(self, kinds: StepKinds, task: str) -> Ints:
        """Repetitions of a task in each kind of step, (S, K)."""
        return kinds.happens[:, :, self.counts.names.index(("task", task))]

    def _lengths(self, kinds: StepKinds, rates: Ints) -> Ints:
        """How long each kind of step is (S, K) at rates (all structures, tasks), of each structure its own."""
        length = self.port(kinds).cycles
        for place, task in enumerate(self.tasks):
            length = np.maximum(length, self.busy(kinds, task, rates[kinds.chosen, place, None]))
        return length

    def _summed(self, kinds: StepKinds, length: Ints) -> Ints:
        total: Ints = np.einsum("sk,sk->s", length, kinds.times)
        return total

    def _sums(self, kinds: StepKinds, rates: Ints) -> Ints:
        """Each combination shares with others the longest of port and first processors."""
        port = self.port(kinds).cycles
        tables = []
        for task, column in zip(self.tasks, rates.T, strict=True):
            numbers, variant = np.unique(column, return_inverse=True)
            lines = self._lines(kinds, task)
            paces = [(np.asarray(number), self.pace(task, number)) for number in numbers.tolist()]
            table = np.stack([self._busy(kinds, task, number, lines, pace) for number, pace in paces])
            tables.append((table, variant.ravel()))
        prefixes = _prefixes(np.stack([variant for _, variant in tables], axis=1))
        total = np.zeros((len(kinds.times), len(rates)), np.int64)
        widest = max(len(parent) for parent, _, _ in prefixes) * kinds.times.shape[1]
        chunk = max(1, _CELLS // widest)
        for start in range(0, len(total), chunk):
            part = slice(start, start + chunk)
            longest = port[None, part]
            for (parent, variant, _), (table, _) in zip(prefixes, tables, strict=True):
                longest = np.maximum(longest[parent], table[variant, part])
            sums = np.einsum("usk,sk->su", longest, kinds.times[part])
            total[part] = sums[:, prefixes[-1][2]]
        return total


def _prefixes(variants: Ints) -> list[tuple[Ints, Ints, Ints]]:
    """For each column the distinct beginnings of rows up to it.

    Of each: the shorter beginning that it goes on from, and the variant added; of each row: its beginning.
    """
    prefixes = []
    before, there = np.zeros(len(variants), np.int64), 1
    for column in variants.T:
        width = int(column.max(initial=0)) + 1
        found, before = numbered(before * width + column, there * width)
        there = len(found)
        prefixes.append((found // width, found % width, before))
    return prefixes


# Bank layouts of a separable group: the busiest bank, on one repetition of each kind (docs/machine.md, section 7).


def access_cycles(counts: GroupCounts, platform: Platform, layouts: Sequence[BankLayout]) -> dict[str, int]:
    """By task the cycles that a repetition's accesses to the busiest bank take; 0 without layouts."""
    group = counts.parts.group
    cycles = dict.fromkeys(group.tasks, 0)
    for task in group.tasks:
        for layout in layouts:
            if group.reads(task, layout.array) or group.writes(task, layout.array):
                kinds = _kinds_of_repetitions(counts, task, layout)
                cycles[task] = max(cycles[task], bank_cycles(group, task, kinds, layout, platform))
    return cycles


def _kinds_of_repetitions(counts: GroupCounts, task: str, layout: BankLayout) -> Ints:
    """Repetitions (n, rank) of which one has the banks and the equal elements of each that runs.

    Both are told by where the accesses lie from the first of them, and by the first one's own bank; along an axis they
    depend on one dimension of the repetition alone, so one index of each kind along each dimension is enough.
    """
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


def _marks(group: Group, task: str, layout: BankLayout, dimension: int, indices: Ints) -> Ints:
    """What tells indices of a dimension apart (n, marks), all other indices being 0."""
    repetitions = np.zeros((len(indices), len(group.accesses.extents(task))), np.int64)
    repetitions[:, dimension] = indices
    shape = group.accesses.shape(layout.array)
    touches = (*group.reads(task, layout.array), *group.writes(task, layout.array))
    happens = [group.accesses.happens(touch, repetitions)[:, None] for touch in touches]
    elements = np.concatenate(
        [
            # What does not happen may lie outside the array.
            np.where(acts, group.accesses.elements(touch, repetitions), 0)
            for touch, acts in zip(touches, happens, strict=True)
        ],
        axis=1,
    )
    places = np.moveaxis(subscripts(elements, shape), 0, -1)
    first = places[:, :1]
    bank = first[:, 0] * np.array(layout.vector, np.int64) % (layout.block * layout.banks)
    away = (places - first).reshape(len(indices), -1)
    return np.concatenate([away, bank, *happens], axis=1).astype(np.int64)
