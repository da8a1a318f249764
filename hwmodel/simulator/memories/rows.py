"""Accesses of repetitions in a group's run, and the ports of banks that they use in each cycle."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import IntArray
from arrayol.text import counted
from hwmodel.accesses import Accesses, Touch
from hwmodel.simulator.schedule.plan import Plan, fault
from hwmodel.simulator.schedule.processors import ProcessorState


@dataclass(frozen=True)
class Rows:
    """Repetitions (number, rank) of a task that access an array through one tiler, with the cycles.

    `cycle` is that of the first chunk, `begin` the first of the step. `line` is equal for repetitions that share
    registers, and `at` is the position in that line. A unit is occupied for `interval` cycles, and `ahead` is the step
    in the array from a unit's pattern to the next unit's.
    """

    touch: Touch
    repetition: IntArray
    cycle: IntArray
    begin: IntArray
    line: IntArray
    at: IntArray
    units: int
    interval: int
    ahead: tuple[int, ...]

    @staticmethod
    def reading(accesses: Accesses, plan: Plan, own: ProcessorState, touch: Touch, rows: NDArray[np.intp]) -> Rows:
        """Instances of a processor that read through a tiler."""
        points, ahead = own.repetitions(accesses), _ahead(plan, own, touch)
        times = own.started[rows], own.began[rows], own.lines.line[rows], _places(own)[rows]
        return Rows(touch, points[rows], *times, own.units, own.unit.interval, ahead)

    def selected(self, own: IntArray) -> Rows:
        """The rows of some numbers."""
        columns = (self.repetition, self.cycle, self.begin, self.line, self.at)
        repetition, cycle, begin, line, at = (column[own] for column in columns)
        return replace(self, repetition=repetition, cycle=cycle, begin=begin, line=line, at=at)

    def named(self, row: int) -> str:
        """A repetition, as messages name it."""
        return f"repetition ({', '.join(map(str, self.repetition[row].tolist()))}) of '{self.touch.process}'"

    def beyond(self, accesses: Accesses, some: IntArray) -> NDArray[np.bool_]:
        """Which pattern elements of some rows are the constant of a border, which is not in the memory."""
        border = self.touch.tiler.border
        if border is None or not border.is_constant:
            return np.zeros((len(some), 1), np.bool_)
        return accesses.beyond(self.touch, self.repetition[some])

    @staticmethod
    def writing(accesses: Accesses, plan: Plan, own: ProcessorState, touch: Touch, rows: NDArray[np.intp]) -> Rows:
        """Instances of a processor that write through a tiler, as soon as their results are ready."""
        starting = Rows.reading(accesses, plan, own, touch, rows)
        return replace(starting, cycle=starting.cycle + own.unit.latency)


def _places(own: ProcessorState) -> IntArray:
    """The position of each instance in its line."""
    order = np.argsort(own.lines.order)
    line, number = own.lines.line[order], np.arange(len(order))
    places = np.empty(len(order), np.int64)
    places[order] = number - np.maximum.accumulate(np.where(np.diff(line, prepend=-1) != 0, number, 0))
    return places


def _ahead(plan: Plan, own: ProcessorState, touch: Touch) -> tuple[int, ...]:
    """The step in the array from a unit's pattern to the next unit's."""
    along, blocks = own.lines.along, plan.blocks_of(own.task)
    if along is None:
        return (0,) * len(touch.tiler.paving)
    down = blocks is not None and dict(zip(blocks.scan.dimensions, blocks.scan.descending, strict=True))[along]
    return tuple(-row[along] if down else row[along] for row in touch.tiler.paving)


@dataclass(frozen=True)
class BankUse:
    """Banks in use, as cycle x banks + bank, each through so many `ports`; `who` names an entry."""

    key: IntArray
    ports: int
    who: Callable[[int], str]


def require_ports(array: str, banks: int, does: str, uses: Sequence[BankUse], there: int) -> None:
    """Raises SimulatorError (`port`) if a bank is used through more than `there` ports in some cycle.

    `does` says what is done to the bank, in words.
    """
    keys = np.concatenate([np.zeros(0, np.int64), *(use.key for use in uses)])
    ports = np.concatenate([np.zeros(0, np.int64), *(np.full(len(use.key), use.ports) for use in uses)])
    key, place = np.unique(keys, return_inverse=True)
    used = np.bincount(place.reshape(-1), ports, len(key)).astype(np.int64)
    for late in np.flatnonzero(used > there)[:1].tolist():
        cycle, bank = divmod(int(key[late]), banks)
        names = [use.who(entry) for use in uses for entry in np.flatnonzero(use.key == key[late]).tolist()]
        text = f"bank {bank} of '{array}' is {does} through {counted(int(used[late]), 'port')} in cycle {cycle}"
        raise fault("port", f"{text}, where it has {there}: {', '.join(dict.fromkeys(names))}")


def mover(who: str, step: IntArray) -> Callable[[int], str]:
    """The name of the loader or storer in the step of each entry."""
    return lambda entry: f"the {who} in step {step[entry]}"
