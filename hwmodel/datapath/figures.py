"""The figures of one datapath at one interval, as the model and the simulator read them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Origin = Literal["derived", "given", "measured", "assumed"]


@dataclass(frozen=True, slots=True)
class Datapath:
    """One computation unit that starts a repetition every `interval` cycles.

    `latency` in cycles until the last datum is written, with the cycles of the local memory in it. `recurrence` by
    (output port, input port) of a delay: cycles from a repetition's start until the next one of its chain can start;
    `through_memory` is what each takes more where the state does not stay in a register of the unit. `cost` per unit,
    by names; `energy_pj` in pJ of a repetition's operators and registers, None where nobody says. `origins` has for
    each figure (`interval`, `latency`, `recurrence`, `cost`, `energy_pj`) where it is from.
    """

    interval: int
    latency: int = 0
    recurrence: Mapping[tuple[str, str], int] = field(default_factory=dict)
    through_memory: int = 0
    cost: Mapping[str, float] = field(default_factory=dict)
    energy_pj: float | None = None
    origins: Mapping[str, Origin] = field(default_factory=dict)

    def operand_delay(self, output: str, port: str, occupancy: int, *, in_register: bool) -> int:
        """Cycles between the starts of two repetitions of a chain: a multiple of the occupancy, at least that."""
        wait = self.recurrence.get((output, port), 0)
        if wait and not in_register:
            wait += self.through_memory
        return max(occupancy, -(-wait // occupancy) * occupancy)
