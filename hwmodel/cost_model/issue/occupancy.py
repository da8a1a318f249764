"""The cycles that a repetition occupies its unit: its interval, or those of a layout (docs/machine.md, section 7)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from arrayol.arrays import IntArray
from hwmodel.accesses import Accesses, Touch, subscripts
from hwmodel.cost_model.group.group import Group
from hwmodel.cost_model.group.ticks import Work
from hwmodel.datapath.figures import read_cycles, result_cycles
from hwmodel.design import BankLayout
from hwmodel.local_memory.bank_functions import Linear
from hwmodel.local_memory.shared_ports import ports_of_lanes
from hwmodel.platform import Platform

Occupancy = Callable[[str, int], int]  # by task and interval
Repetitions = Callable[[str, BankLayout], IntArray]  # (n, rank), one at least of each kind


def as_chosen(_task: str, interval: int) -> int:
    """The occupancy without layouts."""
    return interval


def at_least(cycles: Mapping[str, int]) -> Occupancy:
    """The occupancy of units that take so many cycles by task, or their interval if that is longer."""
    return partial(_at_least, cycles)


def _at_least(cycles: Mapping[str, int], task: str, interval: int) -> int:
    return max(interval, cycles.get(task, 0))


@dataclass(frozen=True, eq=False)
class BankAccesses:
    """The banks that repetitions access through one tiler: one row for each kind of repetition, (kinds, elements).

    Equal `numbers` in a row are one element, and one access. A bank gives, or (`written`) takes, so many elements in a
    cycle as it has `ports`.
    """

    numbers: IntArray
    banks: IntArray
    ports: int
    written: bool

    @staticmethod
    def of(
        accesses: Accesses, touch: Touch, layout: BankLayout, repetitions: IntArray, read_ports: int | None
    ) -> BankAccesses:
        """Accesses of some repetitions (n, rank), which write where `read_ports` is None."""
        places = pattern_places(accesses, touch, repetitions[accesses.happens(touch, repetitions)])
        banks = Linear(layout.vector, layout.banks, layout.block).bank(places)
        away, numbers = places - places[:, :1], np.zeros(banks.shape, np.int64)
        for along in np.moveaxis(away, 2, 0):
            least = int(along.min(initial=0))
            numbers = numbers * (int(along.max(initial=0)) - least + 1) + along - least
        kinds = np.unique(np.concatenate([banks, numbers], axis=1), axis=0)
        banks, numbers = np.split(kinds, 2, axis=1)
        return BankAccesses(numbers, banks, read_ports or 1, read_ports is None)

    def are_served(self, rounds: int) -> bool:
        """Whether no bank gives or takes more elements in a round than it has ports, if there are so many rounds.

        A place of a chunk has one of the ports of all banks.
        """
        size = self.numbers.shape[1]
        when = (result_cycles if self.written else read_cycles)(np.arange(size), size, rounds)
        lanes = int(np.bincount(when).max())
        meet = np.zeros((lanes, lanes), np.bool_)
        for round_ in np.unique(when):
            at = np.flatnonzero(when == round_)
            for lane, place in enumerate(at):
                same = (self.banks[:, at] == self.banks[:, [place]]) & (self.numbers[:, at] != self.numbers[:, [place]])
                meet[lane, : len(at)] |= same.any(axis=0)
        return int(ports_of_lanes(meet).max(initial=0)) < self.ports


def pattern_places(accesses: Accesses, touch: Touch, repetitions: IntArray) -> IntArray:
    """The places of the patterns (n, elements, axes) of n repetitions; those of a constant border lie outside."""
    border, shape = touch.tiler.border, accesses.shape(touch.array)
    if border is not None and border.is_constant:
        return np.stack([accesses.coordinates(touch, axis, repetitions) for axis in range(len(shape))], axis=2)
    elements = accesses.elements(touch, repetitions)
    return np.moveaxis(subscripts(elements, shape), 0, -1) if shape else np.zeros((*elements.shape, 0), np.int64)


@dataclass(frozen=True, eq=False)
class LayoutOccupancy:
    """The occupancy of units that access banks of layouts: the least from the interval on in which all are served.

    A round of accesses takes `each` cycles; `accesses` are those by task.
    """

    accesses: Mapping[str, Sequence[BankAccesses]]
    each: int

    @staticmethod
    def of(group: Group, layouts: Sequence[BankLayout], platform: Platform, repetitions: Repetitions) -> Occupancy:
        """The occupancy of the group's units; `repetitions` has by task and layout those that are looked at."""
        if not layouts:
            return as_chosen
        ports, found = platform.local.read_ports, dict[str, list[BankAccesses]]()
        for task in group.tasks:
            for layout in layouts:
                reads, writes = group.reads(task, layout.array), group.writes(task, layout.array)
                chosen = repetitions(task, layout) if reads or writes else None
                for touch in (*reads, *writes):
                    assert chosen is not None
                    own = BankAccesses.of(group.accesses, touch, layout, chosen, ports if touch in reads else None)
                    found.setdefault(task, []).append(own)
        return LayoutOccupancy(found, platform.local.access_cycles)

    def __call__(self, task: str, interval: int) -> int:
        """The cycles from one start on a unit to the next."""
        own, rounds = self.accesses.get(task, ()), max(1, interval // self.each)
        while not all(accesses.are_served(rounds) for accesses in own):
            rounds += 1
        return max(interval, rounds * self.each) if own else interval


def of_work(group: Group, work: Mapping[str, Work]) -> Repetitions:
    """The repetitions that run, each once."""

    def repetitions(task: str, _: BankLayout) -> IntArray:
        return group.accesses.repetitions(task)[np.unique(work[task].repetition)]

    return repetitions
