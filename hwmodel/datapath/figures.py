"""The figures of one datapath at one interval, as the model and the simulator read them.

Operands come as soon as a bus for an even share of them allows: element e of p in cycle e div ceil(p / I) of the
repetition. Results leave evenly and as late as that allows, at the rate at which a FIFO takes them, so that there is
time to compute them: element e of k in cycle latency + ceil((e + 1) I / k) - 1. In a cycle these are at most ceil(p /
I) and ceil(k / I) elements. If I does not divide k the two differ: the only element of a port is read in the first
cycle of the interval, and leaves in the last one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from arrayol.arrays import IntArray
from arrayol.ir.network import Process

Origin = Literal["derived", "given", "measured", "assumed"]


@dataclass(frozen=True, slots=True)
class Datapath:
    """One computation unit that starts a repetition every `interval` cycles.

    `latency` is in cycles until the last datum is written, with the cycles of the local memory. `recurrence` is by
    (output port, input port) of a delay: cycles from a repetition's start until the next one of its chain can start;
    `through_memory` is the number of additional cycles if the state does not stay in a register of the unit. `cost` is
    by name, per unit. `energy_pj` is that of a repetition's operators and registers in pJ, None if unknown, and
    `register_pj` the share of registers. `origins` gives the origin of each figure: `interval`, `latency`, `recurrence`
    (of tasks with delays), `cost.NAME` of each cost, `energy_pj`. `estimated` says that some technology rows behind
    derived figures are estimates. `built_in` are the input ports whose elements it has as constants, so that it reads
    none of them.
    """

    interval: int
    latency: int = 0
    recurrence: Mapping[tuple[str, str], int] = field(default_factory=dict)
    through_memory: Mapping[tuple[str, str], int] = field(default_factory=dict)
    cost: Mapping[str, float] = field(default_factory=dict)
    energy_pj: float | None = None
    register_pj: float = 0.0
    origins: Mapping[str, Origin] = field(default_factory=dict)
    estimated: bool = False
    built_in: frozenset[str] = frozenset()

    def operand_delay(self, output: str, port: str, occupancy: int, *, in_register: bool) -> int:
        """Cycles between the starts of two repetitions of a chain: a multiple of the occupancy, at least that."""
        pair = output, port
        wait = self.recurrence.get(pair, 0) + (0 if in_register else self.through_memory.get(pair, 0))
        return max(occupancy, -(-wait // occupancy) * occupancy)


def largest_output(process: Process) -> int:
    """The number of data of the elementary's largest output port (e), 1 without any."""
    sizes = [math.prod(extent or 1 for extent in port.shape) for port in process.output_ports]
    return max(1, *sizes) if sizes else 1


def read_cycles(element: IntArray, elements: int | IntArray, interval: int) -> IntArray:
    """The cycles, from the start of the repetition, in which elements (given by number) are read."""
    return element // -(-elements // interval)


def result_cycles(element: IntArray, elements: int | IntArray, interval: int) -> IntArray:
    """The cycles, from the latency on, at whose ends results are written; a cycle later they can be read."""
    return -(-(element + 1) * interval // elements) - 1
