"""The figures of one datapath at one interval, as the model and the simulator read them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

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
