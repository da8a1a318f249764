"""When and where repetitions touch an array in a group's run: what the checks of banks and ports go by."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from hwmodel.accesses import Accesses, Touch
from hwmodel.simulator.plan import Ints, Plan
from hwmodel.simulator.processors import Processor


@dataclass(frozen=True)
class Rows:
    """Repetitions (number, rank) of a task that touch an array through one tiler, and when they do.

    `cycle` is that of the first chunk, `begin` the first of the step. `line` is equal for those that share registers,
    `at` the place in that line. A unit is occupied for `interval` cycles, `ahead` leads from a unit's place in the
    array to the next one's. `after_gap`: the line has left out repetitions by then, or does in this round.
    """

    touch: Touch
    repetition: Ints
    cycle: Ints
    begin: Ints
    line: Ints
    at: Ints
    units: int
    interval: int
    ahead: tuple[int, ...]
    after_gap: NDArray[np.bool_]

    @staticmethod
    def reading(accesses: Accesses, plan: Plan, own: Processor, touch: Touch, rows: NDArray[np.intp]) -> Rows:
        """Some instances of a processor that read through a tiler."""
        points, lines, ahead = own.repetitions(accesses), own.lines, _ahead(plan, own, touch)
        at, after_gap = _places(own, points)
        times = own.started[rows], own.began[rows], lines.line[rows], at[rows]
        return Rows(touch, points[rows], *times, own.units, own.unit.interval, ahead, after_gap[rows])

    def beyond(self, accesses: Accesses) -> NDArray[np.bool_]:
        """Which places of the patterns are the constant of a border, which is not in the memory."""
        border = self.touch.tiler.border
        if border is None or not border.is_constant:
            return np.zeros((len(self.repetition), 1), np.bool_)
        return accesses.beyond(self.touch, self.repetition)

    @staticmethod
    def writing(accesses: Accesses, plan: Plan, own: Processor, touch: Touch, rows: NDArray[np.intp]) -> Rows:
        """Some that write through one, as soon as their results are ready."""
        starting = Rows.reading(accesses, plan, own, touch, rows)
        return replace(starting, cycle=starting.cycle + own.unit.latency)


def _places(own: Processor, repetitions: Ints) -> tuple[Ints, NDArray[np.bool_]]:
    """The place of each instance in its line, and whether repetitions are left out up to its round."""
    lines = own.lines
    order = np.lexsort((lines.order, lines.line))
    line = lines.line[order]
    begins = np.diff(line, prepend=-1) != 0
    start = np.maximum.accumulate(np.where(begins, np.arange(len(line)), 0))
    places = np.empty(len(line), np.int64)
    places[order] = np.arange(len(line)) - start
    gaps = np.zeros(len(line), np.bool_)
    if lines.along is not None:
        index = repetitions[order, lines.along]
        gaps[order] = ~begins & (np.abs(np.diff(index, prepend=index[:1])) != 1)
    first = np.full(int(line.max(initial=0)) + 1, np.iinfo(np.int64).max)
    np.minimum.at(first, lines.line[gaps], places[gaps] // own.units)
    return places, places // own.units >= first[lines.line]


def _ahead(plan: Plan, own: Processor, touch: Touch) -> tuple[int, ...]:
    """From a unit's place in the array to the next one's."""
    along, blocks = own.lines.along, plan.blocks_of(own.task)
    if along is None:
        return (0,) * len(touch.tiler.paving)
    down = blocks is not None and dict(zip(blocks.scan.dimensions, blocks.scan.descending, strict=True))[along]
    return tuple(-row[along] if down else row[along] for row in touch.tiler.paving)
