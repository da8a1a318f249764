"""Results of a schedule: when outputs are there, latency, recurrences, and the bits in registers.

Cycles count from the start of a repetition. Element j of an input port of p elements is in its register in cycle j div
ceil(p / I), and stays there to its last use. A result is in a register from the cycle after its operation to the last
use in a later cycle; for the first of these cycles a pipelined operator has a register of its own. Element j of an
output port of k is written at the end of cycle W - 1, W = latency + ceil((j + 1) I / k): until cycle W it is in a
register, and the register it is written from is counted.

Repetitions start every I cycles, so the contents of a cycle are those of all cycles that are equal to it modulo I: the
registers are the largest sum over these I phases.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from hwmodel.datapath.figures import read_cycles, result_cycles
from hwmodel.datapath.graph.sorts import Ints
from hwmodel.datapath.schedule.dataflow import Dataflow
from hwmodel.datapath.schedule.place import FAR, PlacedOperations, Problem


def arrivals_of(dataflow: Dataflow, interval: int) -> Ints:
    """The cycles in which the inputs are in their registers, by value."""
    sizes = np.array(list(dataflow.sizes(dataflow.inputs).values()), np.int64)
    return read_cycles(dataflow.places, sizes[dataflow.ports], interval)


def readiness(dataflow: Dataflow, port: str, interval: int) -> Ints:
    """The value of ceil((j + 1) I / k) for each place of an output port of k elements j."""
    parts = dataflow.parts[port]
    elements = len(dataflow.outputs[port]) // parts
    return np.repeat(result_cycles(np.arange(elements), elements, interval) + 1, parts)


@dataclass(frozen=True, eq=False)
class Ends:
    """When the outputs are there: cycles by port and place, 1 for constants; depth and latency in cycles."""

    finished: Mapping[str, Ints]
    depth: int
    latency: int

    def written(self, dataflow: Dataflow, interval: int) -> dict[str, Ints]:
        """The cycle W in which each place of the output ports is written."""
        return {port: self.latency + readiness(dataflow, port, interval) for port in dataflow.outputs}


def ends_of(problem: Problem, placed: PlacedOperations) -> Ends:
    """When the outputs are there. An input that is an output takes the cycle in which it is written."""
    dataflow = problem.dataflow
    by_value = np.concatenate([problem.arrivals + 1, _in_registers(problem, placed), [1]])
    finished: dict[str, Ints] = {}
    latency, depth = 0, 0
    for port, values in dataflow.written.items():
        ends = finished[port] = by_value[values]  # of a constant, which is below 0, the last
        latency = max(latency, int((ends - readiness(dataflow, port, problem.interval)).max(initial=0)))
        depth = max(depth, int(ends.max(initial=0)))
    return Ends(finished, depth, latency)


def _in_registers(problem: Problem, placed: PlacedOperations) -> Ints:
    """The first cycle in which each result is in a register."""
    stages = np.maximum(1, -(-problem.ticks // problem.room))
    return placed.ticks // problem.room + stages


def deadlines(problem: Problem, written: Mapping[str, Ints], ends: Ends, pinned: frozenset[str]) -> Ints:
    """Ticks by which values must be there: when they are written or, for pinned ports, when they are there."""
    cycles = {port: ends.finished[port] if port in pinned else written[port] for port in written}
    return earliest(problem, cycles)


def earliest(problem: Problem, cycles: Mapping[str, Ints]) -> Ints:
    """The ticks of the first of the cycles, by port and place, in which each value leaves; FAR if it does not."""
    due = np.full(len(problem.dataflow.widths), FAR, np.int64)
    for port, values in problem.dataflow.written.items():
        kept = values >= 0
        np.minimum.at(due, values[kept], cycles[port][kept] * problem.room)
    return due


@dataclass(frozen=True, eq=False)
class RegisterLifetimes:
    """First and last cycles in which values are in registers; in none if the last is before the first.

    `first_use` is the first cycle in which an operation starts on the value, or in which it is written.
    """

    born: Ints
    last: Ints
    first_use: Ints
    widths: Ints

    @property
    def bit_cycles(self) -> int:
        """Bits times their cycles in registers, in one repetition."""
        return int((self.widths * np.maximum(0, self.last - self.born + 1)).sum())

    def registers(self, interval: int) -> int:
        """The largest number of bits that are in registers at once."""
        cycles = np.maximum(0, self.last - self.born + 1)
        whole = int((self.widths * (cycles // interval)).sum())
        remainder, begin = cycles % interval, self.born % interval
        live = remainder > 0
        begin, end, bits = begin[live], (begin + remainder)[live], self.widths[live]
        changes = np.bincount(begin, bits, 2 * interval + 1) - np.bincount(end, bits, 2 * interval + 1)
        held = np.cumsum(changes)[: 2 * interval].reshape(2, interval).sum(axis=0)
        return whole + int(held.max())


def lifetimes_of(problem: Problem, placed: PlacedOperations, ends: Ends) -> RegisterLifetimes:
    """The cycles in which values are in registers."""
    dataflow, room = problem.dataflow, problem.room
    starts = placed.ticks // room
    stages = np.array([max(1, -(-timing.ticks // room)) for timing in problem.timings], np.int64)
    pipelined = np.array([timing.pipelined for timing in problem.timings], np.int64)
    made = starts + (stages + pipelined)[problem.places] if len(starts) else starts
    born = np.concatenate([problem.arrivals, made])
    last = np.full(len(born), -1, np.int64)
    first_use = np.full(len(born), FAR, np.int64)
    values, users = dataflow.edges
    np.maximum.at(last, values, starts[users])
    np.minimum.at(first_use, values, starts[users])
    written = ends.written(dataflow, problem.interval)
    for port, outputs in dataflow.written.items():
        kept = outputs >= 0
        np.maximum.at(last, outputs[kept], written[port][kept])
        np.minimum.at(first_use, outputs[kept], ends.finished[port][kept] - 1)
    return RegisterLifetimes(born, last, first_use, dataflow.widths)


def recurrences(dataflow: Dataflow, ends: Ends, ready: Ints) -> dict[tuple[str, str], int]:
    """By (output port, input port) with equally many places of one type: cycles until the next repetition of a chain.

    Place j of the output is there in cycle f_j; the next repetition needs it in cycle `ready` of its own. So it starts
    at least f_j - ready_j cycles later, for each j that is needed.
    """
    cycles = {}
    for output, ends_of_port in ends.finished.items():
        for port, values in dataflow.inputs.items():
            if dataflow.graph.types.get(output) != dataflow.graph.types.get(port) or len(values) != len(ends_of_port):
                continue
            places = np.array(values, np.int64)
            kept = places >= 0
            cycles[output, port] = int((ends_of_port[kept] - ready[places[kept]]).max(initial=0))
    return cycles
