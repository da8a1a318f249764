"""The multiplexers of a datapath in addition to priced ones, because values that wait lie in registers of their own.

A priced multiplexer takes a port, or an operator, as one source. In hardware, a value that is used later than it comes
over a wire waits in registers (schedule/registers.py), and each of these is a source. Elements that come over one lane
of a port, and results of one shared operator, share registers if their cycles allow. Lanes of outputs have multiplexers
too.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from hwmodel.datapath.folding.binding import fed_by
from hwmodel.datapath.folding.fold import CostedSchedule, Folded, Muxes, mux_cost, muxes_of
from hwmodel.datapath.graph.sorts import Ints
from hwmodel.datapath.schedule.dataflow import Dataflow, distinct_of
from hwmodel.datapath.schedule.registers import Life, shared_registers

MANY = 10_000  # operations from which on nothing is told, which would take long


def waiting_lut(priced: CostedSchedule, folded: Folded) -> dict[str, float]:
    """LUT of the multiplexers as built, in addition to the priced ones, as features of a unit.

    `chosen` are those before pipelined operators, which lead to registers, `waiting` all others. 0 at an interval of 1,
    and for bodies with many operations.
    """
    found = {"waiting": 0.0, "chosen": 0.0}
    if folded.problem.interval == 1 or len(priced.by_operation) > MANY:
        return found
    taken = operand_registers(priced, folded)
    found["waiting"] = _lut(priced, output_muxes(folded, taken))
    for place, muxes in input_muxes(priced, folded, taken).items():
        more = _lut(priced, muxes) - _lut(priced, folded.muxes.get(place, Counter()))
        found["chosen" if priced.prices[place].cycles else "waiting"] += more
    return {name: max(0.0, lut) for name, lut in found.items()}


def _lut(priced: CostedSchedule, muxes: Muxes) -> float:
    return mux_cost(priced.technology, muxes).get("lut", 0.0)


@dataclass(frozen=True, eq=False)
class OperandRegisters:
    """For each value, the wire that it comes over, the cycle from which it is in registers, and a shared register.

    `register` is -1 if its registers are its own, one for each interval, or if it is in none.
    """

    interval: int
    wires: Ints
    first: Ints
    register: Ints

    def sources(self, values: Ints, cycles: Ints) -> Ints:
        """A number for the source from which each value is taken in a cycle; different sources have different numbers.

        Constants are below 0, and keep their numbers.
        """
        sources, there = values.copy(), values >= 0
        values, count = values[there], len(self.first)
        waited, registered = cycles[there] - self.first[values], self.register[values]
        wires, registers = int(self.wires.max(initial=0)) + 1, int(self.register.max(initial=-1)) + 1
        alone = wires + registers + values + count * (np.maximum(waited, 0) // self.interval)
        sources[there] = np.where(waited < 0, self.wires[values], np.where(registered >= 0, wires + registered, alone))
        return sources


def operand_registers(priced: CostedSchedule, folded: Folded) -> OperandRegisters:
    """The sources of a datapath's values."""
    dataflow, problem, interval = priced.dataflow, folded.problem, folded.problem.interval
    starts = folded.placed.ticks // problem.room
    first = np.concatenate([problem.arrivals, starts + np.maximum(1, -(-problem.ticks // problem.room))])
    lanes = _lanes(dataflow, interval)
    operators = priced.wires.operators(problem.sharing, folded.bound.units)
    wires = np.concatenate([lanes, int(lanes.max(initial=-1)) + 1 + operators])
    last = np.full(len(first), -1, np.int64)
    values, users = dataflow.edges
    np.maximum.at(last, values, starts[users])
    for port, cycles in _leaving(folded).items():
        outputs = dataflow.written[port]
        np.maximum.at(last, outputs[outputs >= 0], cycles[outputs >= 0])
    register = np.full(len(first), -1, np.int64)
    _share(register, wires, first, last, interval)
    return OperandRegisters(interval, wires, first, register)


def _share(register: Ints, wires: Ints, first: Ints, last: Ints, interval: int) -> None:
    """Let values of a wire that live for less than an interval share registers, if there are several."""
    short = np.flatnonzero((last >= first) & (last - first + 1 < interval))
    short = short[np.argsort(wires[short], kind="stable")]
    begins = np.flatnonzero(np.diff(wires[short], prepend=-1))
    number = 0
    for begin, end in pairwise([*begins.tolist(), len(short)]):
        if end - begin < 2:
            continue
        lives = [Life(value, int(first[value]), int(last[value])) for value in short[begin:end].tolist()]
        for own in shared_registers(lives, interval):
            register[[life.value for life in own.lives]] = number
            number += 1


def _lanes(dataflow: Dataflow, interval: int) -> Ints:
    """The lane of its port of each value that is an input."""
    sizes = np.array(list(dataflow.sizes(dataflow.inputs).values()), np.int64)
    chunks = -(-sizes // interval)
    bases = np.cumsum(chunks) - chunks
    return bases[dataflow.ports] + dataflow.places % np.maximum(1, chunks[dataflow.ports])


def _leaving(folded: Folded) -> dict[str, Ints]:
    """The cycle in which each place of an output port leaves."""
    written = folded.ends.written(folded.problem.dataflow, folded.problem.interval)
    return {port: cycles - 1 for port, cycles in written.items()}


def input_muxes(priced: CostedSchedule, folded: Folded, taken: OperandRegisters) -> dict[int, Muxes]:
    """The multiplexers before inputs of shared operators, by class."""
    wires, bound = priced.wires, folded.bound
    cycles = (folded.placed.ticks // folded.problem.room)[wires.users]
    sources = taken.sources(wires.values, cycles)
    operators = wires.operators(folded.problem.sharing, bound.units)
    fed = fed_by(wires, operators, bound.units >= 0, bound.positions, sources)
    return {place: muxes_of(priced.classes[place], own) for place, own in fed.items()}


def output_muxes(folded: Folded, taken: OperandRegisters) -> Muxes:
    """The multiplexers before lanes of the outputs; a constant is one source."""
    dataflow, muxes = folded.problem.dataflow, Counter[tuple[int, int]]()
    for port, cycles in _leaving(folded).items():
        values = dataflow.written[port]
        lanes = np.arange(len(values)) - np.searchsorted(cycles, cycles)
        sources = taken.sources(values, cycles)
        for lane in range(int(lanes.max(initial=-1)) + 1):
            in_lane = lanes == lane
            if (count := len(distinct_of(sources[in_lane]))) > 1:
                muxes[int(dataflow.widths[values[in_lane & (values >= 0)]].max()), count] += 1
    return muxes
