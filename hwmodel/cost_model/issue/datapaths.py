"""The datapaths of a group's processors at the initiation intervals of designs (docs/machine.md, section 4)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from arrayol.errors import ArrayolError, error
from arrayol.ir.network import Network
from arrayol.ir.spec import Delay
from arrayol.text import listed
from hwmodel.cost_model.issue.occupancy import Occupancy, as_chosen
from hwmodel.datapath.figures import Datapath
from hwmodel.design import interval_of, units_of
from hwmodel.platform import Platform


@dataclass(frozen=True, slots=True)
class Waits:
    """Rounds (occupancies) between the starts of two repetitions of a chain.

    `near` if a unit works on one chain, whose state is in its register; `far` if the state passes through the local
    memory.
    """

    near: int
    far: int


def _no_windows(_task: str, _units: int, _cycles: int) -> int:
    return 0


@dataclass(frozen=True)
class Datapaths:
    """The datapaths of a network's tasks on a platform.

    `occupied` gives the cycles that a repetition occupies its unit for, by task and interval.
    `filling` gives the additional rounds of each line by task, units and occupancy. The `interval` of a datapath from
    here is the occupancy: cycles from one start on a unit to the next.
    """

    network: Network
    platform: Platform
    occupied: Occupancy = as_chosen
    filling: Callable[[str, int, int], int] = _no_windows
    _known: dict[tuple[str, int], Datapath] = field(default_factory=dict, repr=False, compare=False)
    _rates: dict[tuple[str, int], tuple[int, int]] = field(default_factory=dict, repr=False, compare=False)
    _fills: dict[tuple[str, int], int] = field(default_factory=dict, init=False, repr=False, compare=False)
    _waits: dict[tuple[str, str, int], Waits] = field(default_factory=dict, repr=False, compare=False)

    def at(self, task: str, interval: int) -> Datapath:
        """The datapath of a unit at an interval on offer (0 for the least), raised to what its accesses take.

        Raises ArrayolError (`no-such-interval`).
        """
        key = task, interval
        if key not in self._known:
            process = self.network.processes[task]
            offered = self.platform.intervals(process)
            if interval and interval not in offered:
                raise _not_offered(task, interval, offered)
            cycles = self.occupied(task, interval or offered[0])
            self._known[key] = self.platform.datapath(process, cycles)
        return self._known[key]

    def fill(self, task: str, rate: int) -> int:
        """Additional rounds of each line of a task at a rate, while its windows fill."""
        key = task, rate
        if key not in self._fills:
            self._fills[key] = self.filling(task, *self._rate(task, rate))
        return self._fills[key]

    def at_rates(self, rates: Mapping[str, int]) -> dict[str, tuple[int, int]]:
        """Units and occupancies of tasks at rates."""
        return {task: self._rate(task, rate) for task, rate in rates.items()}

    def _rate(self, task: str, rate: int) -> tuple[int, int]:
        key = task, rate
        if key not in self._rates:
            self._rates[key] = units_of(rate), self.at(task, interval_of(rate)).interval
        return self._rates[key]

    def waits(self, task: str, delay: Delay, interval: int) -> Waits:
        """The rounds that the next repetition of a delay's chain waits for the one before."""
        key = task, delay.port, interval
        if key not in self._waits:
            path = self.at(task, interval)
            near, far = (
                path.operand_delay(delay.output, delay.port, path.interval, in_register=in_register)
                for in_register in (True, False)
            )
            self._waits[key] = Waits(near // path.interval, far // path.interval)
        return self._waits[key]


def _not_offered(task: str, interval: int, offered: tuple[int, ...]) -> ArrayolError:
    cycles = listed([str(one) for one in offered])
    return error(
        "no-such-interval",
        f"processor '{task}' has the interval {interval}, which the platform does not offer",
        hint=f"intervals on offer: {cycles}",
    )
