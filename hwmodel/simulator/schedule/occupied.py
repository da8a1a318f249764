"""The cycles that an instance occupies its unit for: as many as it takes the banks of layouts to serve all accesses.

Chunk j of a pattern passes in round j of an instance, and a round takes `access_cycles`. In a round each unit has the
banks of a tiler to itself. Each of these gives or takes as many elements as it has ports, of which a place of a chunk
always has the same one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from arrayol.arrays import IntArray
from hwmodel.accesses import Accesses, Touch, subscripts
from hwmodel.datapath.figures import read_cycles, result_cycles
from hwmodel.design import BankLayout
from hwmodel.local_memory.shared_ports import ports_of_lanes
from hwmodel.platform import Platform
from hwmodel.simulator.schedule.plan import TaskWork


def occupied(
    accesses: Accesses, platform: Platform, layouts: Sequence[BankLayout], work: TaskWork, interval: int
) -> int:
    """The cycles that instances of a task occupy their units for at an interval."""
    local = platform.local
    reads, writes = (
        [(touch, layout) for layout in layouts for touch in side[work.task] if touch.array == layout.array]
        for side in (accesses.reads, accesses.writes)
    )
    if not (reads or writes):
        return interval
    served = [_Served.of(accesses, *each, work, local.read_ports, writes=False) for each in reads]
    served += [_Served.of(accesses, *each, work, 1, writes=True) for each in writes]
    rounds = max(1, interval // local.access_cycles)
    while any(rounds not in numbers for numbers in served):
        rounds += 1
    return max(interval, rounds * local.access_cycles)


@dataclass(frozen=True, eq=False)
class _Served:
    """The numbers of rounds in which banks serve what instances access through a tiler.

    `place` and `bank` are those of each element, (repetitions, pattern size).
    """

    place: IntArray
    bank: IntArray
    ports: int
    writes: bool

    @staticmethod
    def of(
        accesses: Accesses, touch: Touch, layout: BankLayout, work: TaskWork, ports: int, *, writes: bool
    ) -> _Served:
        """Accesses through a tiler to an array with a layout."""
        repetitions = accesses.repetitions(work.task)[np.unique(work.repetition)]
        repetitions = repetitions[accesses.happens(touch, repetitions)]
        border, shape = touch.tiler.border, accesses.shape(touch.array)
        if border is not None and border.is_constant:  # what lies beyond the array counts as if it were there
            subscript = [accesses.coordinates(touch, axis, repetitions) for axis in range(len(shape))]
        else:
            subscript = list(subscripts(accesses.elements(touch, repetitions), shape))
        place, value = (np.zeros((len(repetitions), math.prod(touch.pattern)), np.int64) for _ in range(2))
        for factor, at in zip(layout.vector, subscript, strict=True):
            value += factor * at
            place = place * (int(at.max(initial=0)) - int(at.min(initial=0)) + 1) + at - int(at.min(initial=0))
        return _Served(place, value // layout.block % layout.banks, ports, writes)

    def __contains__(self, rounds: int) -> bool:
        size = self.place.shape[1]
        chunk = (result_cycles if self.writes else read_cycles)(np.arange(size), size, rounds)
        lane = np.arange(size) - np.searchsorted(chunk, chunk)
        first, second = np.nonzero((chunk[:, None] == chunk) & (lane[:, None] < lane))
        differ = (self.bank[:, first] == self.bank[:, second]) & (self.place[:, first] != self.place[:, second])
        apart = differ.any(axis=0)
        meet = np.zeros((lane.max(initial=0) + 1,) * 2, np.bool_)
        meet[lane[first[apart]], lane[second[apart]]] = True
        return int(ports_of_lanes(meet | meet.T).max(initial=0)) < self.ports
