"""A processor in a group's run: its instances by step, its units, and the cycles at which data come and go."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from hwmodel.accesses import Accesses, subscripts
from hwmodel.design import BankLayout, GroupDesign
from hwmodel.platform import Platform
from hwmodel.simulator.delays import Chains, Waiting, chains_of, waiting_of
from hwmodel.simulator.fifos import Fifo
from hwmodel.simulator.moves import Moves
from hwmodel.simulator.plan import Ints, Work, touched
from hwmodel.simulator.units import Jobs, starts_of, starts_of_independent


@dataclass(frozen=True)
class Processor:
    """`step` of each instance, ascending; `bounds` has the instances of step s between entries s and s + 1.

    `occupancy` is how long an instance keeps its unit, `gap` how long after its start a delay can read it, `inputs` and
    `outputs` the FIFOs with the data of each instance, of shape (instances, size).
    """

    task: str
    units: int
    work: Work
    step: Ints
    bounds: Ints
    occupancy: int
    gap: int
    latency: int
    waiting: Waiting
    chains: tuple[Chains, ...]
    inputs: tuple[tuple[Fifo, Ints], ...]
    outputs: tuple[tuple[Fifo, Ints], ...]

    def compute(self, step: int, clock: int, arrivals: Mapping[str, Ints]) -> int:
        """Run the instances of a step that starts at `clock`; returns when the last is done, from the step's start.

        `arrivals` holds, for each FIFO array, when each of its data is there, in cycles from the start of the group;
        those that this processor makes are entered.
        """
        first, end = int(self.bounds[step]), int(self.bounds[step + 1])
        if first == end:
            return 0
        starts = np.array(self._starts(first, end, clock, arrivals), np.int64)
        order = np.argsort(starts, kind="stable")
        for fifo, data in self.inputs:
            mine = data[first:end][order]
            fifo.read(mine.reshape(-1), np.repeat(clock + starts[order], mine.shape[1]))
        for fifo, data in self.outputs:
            mine = data[first:end]
            size = mine.shape[1]
            spread = -(-np.arange(1, size + 1) * self.occupancy // size)
            there = clock + starts[:, None] + spread[None, :] + self.latency
            arrivals[fifo.array][mine] = there
            fifo.write(mine[order].reshape(-1), there[order].reshape(-1) - 1)
        return int(starts.max()) + self.occupancy + self.latency

    def _starts(self, first: int, end: int, clock: int, arrivals: Mapping[str, Ints]) -> list[int]:
        if not self.waiting.reader and not self.inputs:
            return starts_of_independent(end - first, self.units, self.occupancy)
        released = np.zeros(end - first, np.int64)
        for fifo, data in self.inputs:
            released = np.maximum(released, arrivals[fifo.array][data[first:end]].max(axis=1) - clock)
        after: list[list[int]] = [[] for _ in range(end - first)]
        waits = [0] * (end - first)
        for reader in self.waiting.reader:
            for job, found in enumerate((reader[first:end] - first).tolist()):
                if found >= 0:
                    after[job].append(found)
                    waits[found] += 1
        remaining = self.waiting.remaining[first:end].tolist()
        return starts_of(Jobs(remaining, after, waits, released.tolist()), self.units, self.occupancy, self.gap)


def processor_of(
    accesses: Accesses,
    platform: Platform,
    design: GroupDesign,
    moves: Moves,
    task: str,
    fifos: Mapping[str, Fifo],
) -> Processor:
    """The processor of a task in a group's run."""
    work = moves.plan.works[task]
    step = moves.step(work)
    process = accesses.network.processes[task]
    datapath = platform.datapath(process.elementary)
    data = max((_size(port.shape) for port in process.output_ports), default=1) or 1
    conflicts = max((_conflicts(accesses, work, layout) for layout in design.layouts), default=0)
    occupancy = max(data * datapath.initiation_interval, conflicts * platform.local.access_cycles)
    return Processor(
        task,
        next(one.units for one in design.processors if one.task == task),
        work,
        step,
        np.searchsorted(step, np.arange(moves.steps + 1)),
        occupancy,
        max(occupancy, datapath.recurrence or 0),
        datapath.latency,
        waiting_of(accesses, work, step),
        tuple(chains_of(accesses, delay, work, step, moves.steps) for delay in process.delays if delay.acts),
        tuple(
            (fifos[read.touch.array], read.data)
            for place, read in moves.reads.items()
            if place[0] == task and read.touch.array in fifos
        ),
        tuple(
            (fifos[name], np.arange(len(moves.arrays[name].element)).reshape(len(step), -1))
            for name in process.writes
            if name in fifos
        ),
    )


def _size(shape: tuple[int | None, ...]) -> int:
    size = 1
    for extent in shape:
        size *= extent or 1
    return size


def _conflicts(accesses: Accesses, work: Work, layout: BankLayout) -> int:
    """The most accesses that one repetition makes to one bank of a buffer with this layout, reads or writes."""
    worst = 0
    for side in (accesses.reads, accesses.writes):
        touches = [touch for touch in side[work.task] if touch.array == layout.array]
        if not touches:
            continue
        elements = np.full((len(work.repetition), 0), -1)
        for touch in touches:
            rows, found = touched(accesses, touch, work)
            padded = np.full((len(work.repetition), found.shape[1]), -1)
            padded[rows] = found
            elements = np.concatenate([elements, padded], axis=1)
        elements = np.sort(elements, axis=1)
        counted = elements >= 0
        counted[:, 1:] &= elements[:, 1:] != elements[:, :-1]
        banks = _banks(accesses, layout, elements)
        for bank in range(layout.banks):
            worst = max(worst, int((counted & (banks == bank)).sum(axis=1).max(initial=0)))
    return worst


def _banks(accesses: Accesses, layout: BankLayout, elements: Ints) -> Ints:
    shape = accesses.shape(layout.array)
    places = subscripts(np.maximum(elements, 0), shape)
    place = sum(
        (factor * subscript for factor, subscript in zip(layout.vector, places, strict=True)),
        np.zeros_like(elements),
    )
    return place // layout.block % layout.banks
