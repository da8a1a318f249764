"""A processor in a group's run: its instances by step, its units, and the cycles at which data are read and written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from arrayol.arrays import IntArray
from hwmodel.accesses import Accesses
from hwmodel.datapath.figures import Datapath
from hwmodel.datapath.port_cycles import read_cycles, result_cycles
from hwmodel.design import GroupDesign
from hwmodel.platform import Platform
from hwmodel.simulator.schedule.chains import OpenChains, Waiting, chains_of, waiting_of
from hwmodel.simulator.schedule.fifos import Fifo
from hwmodel.simulator.schedule.issue import Jobs, Lines, starts_of
from hwmodel.simulator.schedule.moves import Moves
from hwmodel.simulator.schedule.plan import TaskWork, fault, touched
from hwmodel.simulator.schedule.units import Gap, gap_of, unit_of


@dataclass(frozen=True)
class ProcessorState:
    """The instances of a task in a run.

    `step` is ascending, and those of step s are between entries s and s + 1 of `bounds`.

    - `unit`: its `interval` is the occupancy; `fill`: the rounds before each line while windows fill.
    - `gaps`: by delay, the cycles from an instance's start until the delay can read its result.
    - `inputs`: the FIFOs with the data of each instance, (instances, size); `outputs`: the FIFOs with the instances
      that write, and the data of each of these.
    - `began`: the cycle at which the step of each instance starts, and `started` that at which it does; both are set in
      the run.
    """

    task: str
    units: int
    work: TaskWork
    step: IntArray
    bounds: IntArray
    unit: Datapath
    fill: int
    gaps: tuple[Gap, ...]
    waiting: Waiting
    lines: Lines
    chains: tuple[OpenChains, ...]
    inputs: tuple[tuple[Fifo, IntArray], ...]
    outputs: tuple[tuple[Fifo, IntArray, IntArray], ...]
    began: IntArray
    started: IntArray

    def repetitions(self, accesses: Accesses) -> IntArray:
        """The repetition of each instance, (instances, rank)."""
        return accesses.repetitions(self.task)[self.work.repetition]

    def ends(self, fifo: Fifo) -> list[int]:
        """The most data that the processor moves to or from a FIFO in a cycle, for each of its ends there."""
        sizes = [data.shape[1] for port, data in self.inputs if port is fifo]
        sizes += [data.shape[1] for port, _, data in self.outputs if port is fifo]
        return [self.units * -(-size // self.unit.interval) for size in sizes]

    def compute(self, step: int, clock: int, arrivals: Mapping[str, IntArray]) -> int:
        """Run the instances (at least one) of a step that starts at `clock`; returns the cycles until the last is done.

        `arrivals` has, for each FIFO array, the cycle at which each of its data arrives, from the start of the group;
        those of this processor are entered.
        """
        first, end = int(self.bounds[step]), int(self.bounds[step + 1])
        starts = np.array(self._starts(step, clock, arrivals), np.int64)
        self.began[first:end], self.started[first:end] = clock, clock + starts
        for fifo, data in self.inputs:
            mine = data[first:end]
            number = np.arange(mine.shape[1])
            read_at = read_cycles(number, len(number), self.unit.interval)
            fifo.read(mine, clock + starts[:, None] + read_at, first + np.arange(len(mine)))
        for fifo, writing, data in self.outputs:
            low, high = np.searchsorted(writing, [first, end])
            mine, number = data[low:high], np.arange(data.shape[1])
            leaving = result_cycles(number, len(number), self.unit.interval)
            written = clock + starts[writing[low:high] - first][:, None] + leaving + self.unit.latency
            arrivals[fifo.array][mine] = written + 1
            fifo.write(mine, written, writing[low:high])
        return int(starts.max()) + self.unit.interval + self.unit.latency

    @cached_property
    def _rounds(self) -> list[list[list[int]]]:
        """The instances of each step in rounds."""
        return self.lines.rounds(self.bounds, self.units)

    def _starts(self, step: int, clock: int, arrivals: Mapping[str, IntArray]) -> list[int]:
        """The start of each instance of a step, in cycles from the start of the step."""
        first, end = int(self.bounds[step]), int(self.bounds[step + 1])
        released = np.zeros(end - first, np.int64)
        for fifo, data in self.inputs:
            released = np.maximum(released, arrivals[fifo.array][data[first:end]].max(axis=1) - clock)
        rounds = self._rounds[step]
        after: list[list[tuple[int, int]]] = [[] for _ in range(end - first)]
        waits = [0] * (end - first)
        for reader, gap in zip(self.waiting.reader, self.gaps, strict=True):
            cycles = gap.in_register if self._has_registers(rounds) else gap.through_memory
            for job, reads_from in enumerate((reader[first:end] - first).tolist()):
                if reads_from >= 0:
                    after[job].append((reads_from, cycles))
                    waits[reads_from] += 1
        if self.lines.alone and not (self.inputs or self.outputs):
            remaining = self.waiting.remaining[first:end].tolist()
            return starts_of(Jobs(remaining, after, waits, released.tolist()), self.units, self.unit.interval)
        lines = [int(self.lines.line[each[0]]) for each in rounds]
        return self._in_order([[start - first for start in each] for each in rounds], lines, after, released.tolist())

    def _in_order(
        self,
        rounds: list[list[int]],
        lines: list[int],
        after: Sequence[Sequence[tuple[int, int]]],
        there: list[int],
    ) -> list[int]:
        """Start round after round: each when the one before has left, and all operands of its repetitions are there.

        Windows fill before the first round of each of the `lines`.
        """
        starts, free, line, interval = [-1] * len(there), 0, -1, self.unit.interval
        for together, own in zip(rounds, lines, strict=True):
            free += self.fill * interval if own != line else 0
            line = own
            now = max(free, *(there[job] for job in together))
            now += -now % interval
            for job in together:
                starts[job] = now
                for reader, gap in after[job]:
                    if starts[reader] >= 0:
                        raise fault("deadlock", f"'{self.task}' starts a repetition before what its delay reads")
                    there[reader] = max(there[reader], now + gap)
            free = now + interval
        return starts

    def _has_registers(self, rounds: list[list[int]]) -> bool:
        """Whether each unit works on one chain in a step: there is one delay, and all of level 0 start together."""
        beginning = [together for together in rounds if self.lines.level[together[0]] == 0]
        return len(self.waiting.reader) == 1 and len(beginning) == 1


def processor_of(
    accesses: Accesses,
    platform: Platform,
    design: GroupDesign,
    moves: Moves,
    task: str,
    fifos: Mapping[str, Fifo],
    fill: int,
) -> ProcessorState:
    """The processor of a task in a group's run; `fill` rounds pass before each line."""
    work = moves.plan.works[task]
    step = moves.step(work)
    process = accesses.network.processes[task]
    (chosen,) = (processor for processor in design.processors if processor.task == task)
    unit = unit_of(accesses, platform, design, chosen, work)
    return ProcessorState(
        task,
        chosen.units,
        work,
        step,
        np.searchsorted(step, np.arange(moves.steps + 1)),
        unit,
        fill,
        tuple(gap_of(unit, delay) for delay in accesses.delays(task)),
        waiting := waiting_of(accesses, work, step),
        lines := Lines.of(accesses, moves.plan, waiting, step, task),
        tuple(
            chains_of(accesses, delay, work, step, moves.steps, lines.order) for delay in process.delays if delay.acts
        ),
        tuple(
            (fifos[read.touch.array], read.data.each)
            for place, read in moves.reads.items()
            if place[0] == task and read.touch.array in fifos
        ),
        tuple(
            _written_to(accesses, work, fifos[name], len(moves.arrays[name].element))
            for name in process.writes
            if name in fifos
        ),
        np.full(len(step), -1),
        np.full(len(step), -1),
    )


def _written_to(accesses: Accesses, work: TaskWork, fifo: Fifo, data: int) -> tuple[Fifo, IntArray, IntArray]:
    """A FIFO, the instances that write to it (by one port), and the data of each."""
    touch = next(touch for touch in accesses.writes[work.task] if touch.array == fifo.array)
    rows, patterns = touched(accesses, touch, work)
    return fifo, rows.astype(np.int64), np.arange(data).reshape(len(rows), patterns.size)
