"""Cycles of structures from the kinds of their steps: a step lasts as long as its busiest port or processor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from arrayol.arrays import IntArray
from hwmodel.cost_model.numbering import numbered
from hwmodel.cost_model.tables.steps import Offered, StepPart, StepTable

_CELLS = 1 << 18  # of intermediate arrays at a time
_FEWEST = 64  # kinds of steps at a time, however many combinations there are

Prefixes = list[tuple[IntArray, IntArray, IntArray]]


def total_cycles(steps: StepTable, rates: IntArray, *, cyclic: bool) -> IntArray:
    """The sum of all steps' lengths, (S, U), under combinations of rates (U, tasks)."""
    total = np.zeros((len(steps.longest), len(rates)), np.int64)
    for part in steps.parts(cyclic=cyclic):
        total[part.rows] = _sums(part, steps.tasks, rates)
    return total


def cycles_of_each(steps: StepTable, rates: IntArray, *, cyclic: bool) -> IntArray:
    """The sum of all steps' lengths, (S,), of structures with rates (S, tasks), one row for each."""
    total = np.zeros(len(rates), np.int64)
    for part in steps.parts(cyclic=cyclic):
        length = part.port.cycles
        for work in part.works:
            work_rates = rates[part.rows[:, None], columns_of(steps.tasks, work.tasks)]
            length = np.maximum(length, work.at(work_rates).longest)
        total[part.rows] = part.summed(length)
    return total


def least_cycles(
    steps: StepTable, most: IntArray, offered: Mapping[str, Offered], *, cyclic: bool
) -> tuple[IntArray, IntArray]:
    """The cycles (S,) at the rates `most` (S, tasks), and the fewest units (S, tasks) of their families that keep them.

    In a family of rates no step is longer with more units. So the sum of steps equals that with the most units only if
    each step is as long as with those, L cycles. It is, if every processor takes at most L. That bounds each task's
    units independently of all others: it needs the largest of these bounds over all steps.
    """
    cycles, fewest = np.zeros(len(most), np.int64), np.ones_like(most)
    for part in steps.parts(cyclic=cyclic):
        length, known = part.port.cycles, []
        for work in part.works:
            columns = columns_of(steps.tasks, work.tasks)
            busy = work.at(most[part.rows[:, None], columns])
            length = np.maximum(length, busy.longest)
            known.append((columns, busy))
        cycles[part.rows] = part.summed(length)
        for columns, busy in known:
            fewest[part.rows[:, None], columns] = busy.fewest_units(length, offered)
    return cycles, fewest


def columns_of(tasks: Sequence[str], some: Sequence[str]) -> list[int]:
    """The columns of some tasks."""
    return [tasks.index(task) for task in some]


def _sums(part: StepPart, tasks: Sequence[str], rates: IntArray) -> IntArray:
    """The sum of steps (S, U) under combinations of rates.

    Combinations with equal rates of the first pipelines share the maximum over the port and these pipelines.
    """
    if not len(rates):  # as where a search prices what nothing beats, and everything is beaten
        return np.zeros((len(part.times), 0), np.int64)
    tables, numbers = [], []
    for work in part.works:
        distinct, number = _distinct(rates[:, columns_of(tasks, work.tasks)])
        tables.append(np.stack([work.at(row).longest for row in distinct]))
        numbers.append(number)
    prefixes = _prefixes(np.stack(numbers, axis=1))
    total = np.zeros((len(part.times), len(rates)), np.int64)
    structures, kinds = part.times.shape
    cells = max(1, _CELLS // max(len(parent) for parent, _, _ in prefixes))
    wide, high = min(kinds, max(cells, _FEWEST)), max(1, cells // kinds)
    port = part.port.cycles
    for start in range(0, structures, high):
        for column in range(0, kinds, wide):
            window = slice(start, start + high), slice(column, column + wide)
            longest = port[None, *window]
            for (parent, variant, _), table in zip(prefixes, tables, strict=True):
                longest = np.maximum(longest[parent], table[variant, *window])
            sums = np.einsum("usk,sk->su", longest, part.times[window])
            total[window[0]] += sums[:, prefixes[-1][2]]
    return total


def _distinct(rates: IntArray) -> tuple[IntArray, IntArray]:
    """The distinct rows of a table, ascending, and the index of each row among them."""
    if rates.shape[1] == 1:
        values, number = np.unique(rates[:, 0], return_inverse=True)
        return values[:, None], number.ravel()
    rows, number = np.unique(rates, axis=0, return_inverse=True)
    return rows, number.ravel()


def _prefixes(variants: IntArray) -> Prefixes:
    """For each column, the distinct beginnings of rows up to it.

    Three arrays each: the shorter beginning that a beginning extends, the value that it adds, and the beginning of each
    row.
    """
    prefixes = []
    before, there = np.zeros(len(variants), np.int64), 1
    for column in variants.T:
        width = int(column.max(initial=0)) + 1
        distinct, before = numbered(before * width + column, there * width)
        there = len(distinct)
        prefixes.append((distinct // width, distinct % width, before))
    return prefixes
