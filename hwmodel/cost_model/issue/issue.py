"""The order and rounds in which a processor starts its repetitions, step by step (docs/machine.md, section 4).

Repetitions are issued level by level (their position in their chains of delays), and line by line; a line ends where
its next index is missing. Neither depends on units; a round has up to as many repetitions of one line as there are
units. A round starts when the one before has left and all that its repetitions read is there. So all steps are computed
at once, level after level: within a level, round i starts at the latest of the times that rounds up to i have to wait
for, each plus the rounds from there to i.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import IntArray
from hwmodel.accesses import Extents, flat, subscripts
from hwmodel.cost_model.group.group import Group
from hwmodel.cost_model.group.ticks import Work
from hwmodel.cost_model.issue.chains import Chains, longest_before, pairs_of
from hwmodel.cost_model.numbering import require_numbers


@dataclass(frozen=True, eq=False)
class Stage:
    """One processor of a group, at any units and interval: its work, and step and position in scan order of each run.

    `along` is the dimension of its lines.
    """

    task: str
    work: Work
    step: IntArray
    rank: IntArray
    along: int | None


@dataclass(frozen=True, eq=False)
class Issue:
    """Runs of a processor in the order of issue: `runs`, and the step, level, and position in its line of each.

    `pairs` has, by delay, the runs of one step that read others of it: (source, reader).
    """

    runs: IntArray
    step: IntArray
    level: IntArray
    place: IntArray
    pairs: tuple[tuple[IntArray, IntArray], ...]

    @staticmethod
    def of(group: Group, stage: Stage) -> Issue:
        """The order of issue of a stage."""
        extents, number = group.accesses.extents(stage.task), stage.work.repetition
        indices = subscripts(number, extents).T
        delays = group.delays(stage.task)
        space = group.accesses.repetitions(stage.task) if delays else indices
        pairs = tuple(pairs_of(space, number, extents, delay.vector, stage.step) for delay in delays)
        if len(delays) == 1:
            level = _places_in_step(Chains.of(indices, extents, delays[0].vector), stage.step)
        else:
            source, reader = (np.concatenate([np.zeros(0, np.int64), *(pair[end] for pair in pairs)]) for end in (0, 1))
            level = longest_before(len(indices), source, reader)
        runs = np.lexsort((stage.rank, level, stage.step))
        step, level = stage.step[runs], level[runs]
        heads = _changes(step, level) | _line_heads(indices[runs], extents, stage.along)
        return Issue(runs, step, level, _since(heads), pairs)

    @cached_property
    def place_in_level(self) -> IntArray:
        """The position of each run (by its own number) in the order of its level."""
        places = np.empty(len(self.runs), np.int64)
        places[self.runs] = _since(_changes(self.step, self.level))
        return places

    @property
    def is_regular(self) -> bool:
        """Whether the chains that go on to each level are the first chains of the level before (see `rounds`)."""
        return all(bool((self.place_in_level[now] == self.place_in_level[then]).all()) for now, then in self.pairs)

    @cached_property
    def lines(self) -> tuple[IntArray, IntArray]:
        """The number of each line's level (levels counted through all steps), and its length."""
        heads = np.flatnonzero(self.place == 0)
        number = np.cumsum(_changes(self.step, self.level)) - 1
        return number[heads], np.diff(np.append(heads, len(self.place)))

    @cached_property
    def levels(self) -> tuple[IntArray, IntArray]:
        """The step and the level of each level, counted through all steps."""
        heads = _changes(self.step, self.level)
        return self.step[heads], self.level[heads]

    @property
    def longest_line(self) -> int:
        """The most repetitions of a line; 0 without any."""
        return int(self.lines[1].max(initial=0))

    def level_rounds(self, units: int, fill: int = 0) -> IntArray:
        """The rounds of each level, with `fill` more for each line."""
        number, length = self.lines
        rounds = np.zeros(len(self.levels[0]), np.int64)
        np.add.at(rounds, number, -(-length // units) + fill)
        return rounds

    def in_register(self, units: int, steps: int) -> NDArray[np.bool_]:
        """In which steps every unit works on one chain: those with one delay whose first level is one round."""
        single = np.zeros(steps, np.bool_)
        first = self.levels[1] == 0
        single[self.levels[0][first]] = self.level_rounds(units)[first] == 1
        return single & (len(self.pairs) == 1)

    def closed_rounds(self, units: int, waits: IntArray, steps: int, fill: int = 0) -> IntArray:
        """The rounds of each step if `is_regular`; `waits` by step are the rounds until an operand is there."""
        rounds, (step, _) = self.level_rounds(units, fill), self.levels
        last = np.append(step[1:] != step[:-1], np.ones(min(1, len(step)), np.bool_))
        total = np.zeros(steps, np.int64)
        np.add.at(total, step, np.where(last, rounds, np.maximum(rounds, waits[step])))
        return total

    def starts(self, units: int, occupancy: int, there: IntArray, waits: Sequence[IntArray], fill: int = 0) -> IntArray:
        """The start of each run, in cycles of its step.

        `there` is, by run, the cycle from which all else is there, and `waits`, by delay and step, the cycles from the
        start of its operand's repetition to its own. `fill` rounds pass before the first round of each line.
        """
        count = len(self.runs)
        start, need = np.zeros(count, np.int64), there.copy()
        heads = np.flatnonzero(self.place % units == 0)
        level = self.level[heads]
        sizes = np.diff(np.append(heads, count))
        free = np.zeros(int(self.step.max(initial=0)) + 1, np.int64)
        own_level = np.empty(count, np.int64)
        own_level[self.runs] = self.level
        own_step = np.empty(count, np.int64)
        own_step[self.runs] = self.step
        for number in range(int(level.max(initial=-1)) + 1):
            for (source, reader), wait in zip(self.pairs, waits, strict=True):
                now = own_level[reader] == number
                np.maximum.at(need, reader[now], start[source[now]] + wait[own_step[source[now]]])
            chosen = np.flatnonzero(level == number)
            runs = self.runs[_ranges(heads[chosen], sizes[chosen])]
            bounds = np.cumsum(sizes[chosen]) - sizes[chosen]
            ready = np.maximum.reduceat(need[runs], bounds)
            step = self.step[heads[chosen]]
            filling = np.where(self.place[heads[chosen]] == 0, fill, 0)
            begun = _one_after_another(np.maximum(-(-ready // occupancy), free[step] + filling), step, filling)
            start[runs] = np.repeat(begun, sizes[chosen]) * occupancy
            np.maximum.at(free, step, begun + 1)
        return start


def _places_in_step(chains: Chains, step: IntArray) -> IntArray:
    """The position of each run in its chain, within its step."""
    order = np.lexsort((chains.place, step, chains.chain))
    places = np.empty(len(order), np.int64)
    places[order] = _since(_changes(chains.chain[order], step[order]))
    return places


def _line_heads(repetitions: IntArray, extents: Extents, along: int | None) -> NDArray[np.bool_]:
    """Where a line begins: repetitions in the order of issue that differ in another dimension, or skip an index."""
    if along is None:
        return np.ones(len(repetitions), np.bool_)
    others = repetitions.copy()
    others[:, along] = 0
    index = repetitions[:, along]
    heads = _changes(flat(others, extents))
    heads[1:] |= np.abs(np.diff(index)) != 1
    return heads


def _changes(*columns: IntArray) -> NDArray[np.bool_]:
    """Mask of the entries that differ from the one before in some column; the first is set."""
    changed = np.ones(len(columns[0]), np.bool_)
    changed[1:] = False
    for column in columns:
        changed[1:] |= column[1:] != column[:-1]
    return changed


def _since(heads: NDArray[np.bool_]) -> IntArray:
    """The number of entries since the last head."""
    index = np.arange(len(heads))
    back: IntArray = index - np.maximum.accumulate(np.where(heads, index, 0))
    return back


def _ranges(first: IntArray, size: IntArray) -> IntArray:
    """The numbers first, first + 1, ... of each range, one range after another."""
    begin = np.cumsum(size) - size
    numbers: IntArray = np.arange(int(size.sum())) + np.repeat(first - begin, size)
    return numbers


def _one_after_another(ready: IntArray, step: IntArray, filling: IntArray) -> IntArray:
    """The earliest rounds, ascending in each step, such that none starts before it is ready.

    `filling` rounds have to pass between a round and the one before in its step.
    """
    heads = _changes(step)
    segment, passed = np.cumsum(heads) - 1, np.cumsum(filling + 1)
    place = passed - passed[np.flatnonzero(heads)][segment]
    apart = int(ready.max(initial=0)) + int(filling.sum()) + len(ready) + 1
    require_numbers(apart, len(ready) + 1)
    latest = np.maximum.accumulate(ready - place + segment * apart)
    started: IntArray = latest - segment * apart + place
    return started
