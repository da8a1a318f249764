"""The datapaths that a platform offers a task: their initiation intervals, and the origin of each figure.

Intervals come from the first of these that gives any: `measured` and `interval` of the task's entry; its
`initiation_interval`, times the data of the largest output port; the technology, which offers those worth trying; and,
if a platform lets datapaths be assumed, an initiation interval of 1. A task with none of these is refused.

Each other figure comes from what was measured at the interval, else from the entry, else from the body with the
technology's prices, independently of other figures. So does each cost by its name, and cost models of plug-ins add
costs that are missing. Derived latencies and recurrences leave out the local memory, whose cycles are added here; given
ones contain it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from arrayol.errors import ArrayolError, error
from arrayol.ir.network import Process
from arrayol.ir.spec import Elementary, port_named
from arrayol.text import counted
from hwmodel.datapath.cost_models import modelled_cost
from hwmodel.datapath.entry import ElementaryEntry, Measured
from hwmodel.datapath.figures import Datapath, Origin, largest_output, read_cycles, result_cycles
from hwmodel.datapath.operators.bins import Bins


class DerivedFigures(Protocol):
    """The figures derived from a body at one interval: see `hwmodel.datapath.derive`."""

    @property
    def latency(self) -> int:
        """The latency in cycles, without those of the local memory."""

    @property
    def recurrence(self) -> Mapping[tuple[str, str], int]:
        """The recurrence by output and input port, in cycles, with the state in a register of the unit."""

    @property
    def through_memory(self) -> Mapping[tuple[str, str], int]:
        """The recurrence in cycles with the state in the local memory, without the cycles of that."""

    @property
    def cost(self) -> Mapping[str, float]:
        """The costs of one unit, by name."""

    @property
    def energy_operators_pj(self) -> float:
        """The energy of the operators in one repetition, in pJ."""

    @property
    def energy_registers_pj(self) -> float:
        """The energy of the registers in one repetition, in pJ."""

    @property
    def estimated(self) -> bool:
        """Whether some row of the technology that prices it is an estimate."""

    @property
    def built_in(self) -> frozenset[str]:
        """The input ports of which nothing is read."""


class DerivedChoices(Protocol):
    """The datapaths derived from a body; `bins` are the memories of a unit."""

    @property
    def bins(self) -> tuple[Bins, ...]:
        """The memories of a unit, to whose words sums are added."""

    @property
    def intervals(self) -> tuple[int, ...]:
        """The intervals worth trying, ascending."""

    def at(self, interval: int) -> DerivedFigures:
        """The datapath at an interval."""

    def within(self, interval: int, latency: int) -> DerivedFigures | None:
        """The datapath that keeps an interval and a latency, at a slower clock if need be; None where none does."""


Pairs = frozenset[tuple[str, str]]  # of output and input port, as delays have them


@dataclass(frozen=True)
class Ground:
    """The sources of datapaths other than a task's entry.

    `derive` is set if the platform names a technology; it takes the delays whose recurrence should be short.
    `local_cycles` are those of the local memory, fetch and store together. With `assumed`, a task of which nothing is
    known has an initiation interval of 1. `cost_models` are plug-ins that add a cost of their name.
    """

    derive: Callable[[Elementary, Pairs], DerivedChoices] | None
    local_cycles: int
    assumed: bool
    cost_models: tuple[str, ...] = ()


@dataclass(frozen=True)
class DatapathChoices:
    """The datapaths of one task, derived when they are first needed."""

    process: Process
    entry: ElementaryEntry
    ground: Ground

    @cached_property
    def intervals(self) -> tuple[int, ...]:
        """The initiation intervals among which a design chooses, in cycles, ascending.

        Raises ArrayolError (`no-datapath`, and those of derivations).
        """
        if self.entry.intervals:
            return self.entry.intervals
        if self.entry.initiation_interval is not None:
            return (largest_output(self.process) * self.entry.initiation_interval,)
        if self.ground.derive is not None and self._has_body:
            derivation = self._derivation
            assert derivation is not None, "a body and a technology are there"
            given, intervals = self.entry.latency, derivation.intervals
            if given is None:
                return intervals
            return tuple(one for one in intervals if self._is_built(one, given)) or intervals[:1]
        if self.ground.assumed:
            return (largest_output(self.process),)
        raise self._nothing_known()

    @property
    def interval_origin(self) -> Origin:
        """The origin of all intervals; those of `measured` may be among given ones."""
        if self.entry.intervals or self.entry.initiation_interval is not None:
            return "given"
        return "derived" if self.ground.derive is not None and self._has_body else "assumed"

    def at(self, interval: int) -> Datapath:
        """The datapath at an interval; if it is not offered, that of the next smaller offered one, whose unit waits.

        Derived figures are derived for the interval itself. Raises ArrayolError (as `intervals`).
        """
        below = [offered for offered in self.intervals if offered <= interval]
        measured = self.entry.measured_at(below[-1] if below else self.intervals[0])
        derived = self._derived(interval, measured)
        latency, latency_from = self._latency(measured, derived)
        if not self._is_described(measured):
            self._require_built(interval, latency)
        if self.entry.module is None:
            recurrence, through_memory, recurrence_from = self._recurrences(measured, derived)
        else:
            recurrence, through_memory, recurrence_from = self._through_module(interval, latency)
        cost, cost_from = self._costs(interval, measured, derived)
        energy, registers, energy_from = self._energy(measured, derived)
        return Datapath(
            interval,
            latency,
            recurrence,
            through_memory,
            cost,
            energy,
            registers,
            {
                "interval": "measured" if measured is not None else self.interval_origin,
                "latency": latency_from,
                **recurrence_from,
                **cost_from,
                **energy_from,
            },
            estimated=derived is not None and derived.estimated,
            built_in=self._built_in(measured, derived),
        )

    def _built_in(self, measured: Measured | None, derived: DerivedFigures | None) -> frozenset[str]:
        """The const arrays, by input port, that are constants of a derived datapath.

        A circuit of the user's, whose module or cost is given, reads all of them.
        """
        definition = self.process.definition
        is_given = self.entry.module is not None or self.entry.cost or (measured is not None and measured.cost)
        if derived is None or definition is None or is_given:
            return frozenset()
        return derived.built_in.intersection(port for port, _ in definition.constants)

    @cached_property
    def bins(self) -> tuple[Bins, ...]:
        """The memories in a unit of a derived datapath, to whose words sums are added; a given cost contains them."""
        if self.entry.module is not None or self.entry.cost:
            return ()
        try:
            derivation = self._derivation
        except ArrayolError:  # which `at` tells where the figures are not given
            return ()
        return derivation.bins if derivation is not None else ()

    @property
    def _has_body(self) -> bool:
        definition = self.process.definition
        return definition is not None and definition.body is not None

    @cached_property
    def _derivation(self) -> DerivedChoices | None:
        """The datapaths derived from the body; None without a technology or a body."""
        derive, definition = self.ground.derive, self.process.definition
        if derive is None or definition is None or definition.body is None:
            return None
        return derive(definition, self.process.state_pairs)

    def _derived(self, interval: int, measured: Measured | None) -> DerivedFigures | None:
        """The derived datapath; None if derivation fails, but all figures are given."""
        try:
            return self._derivation.at(interval) if self._derivation is not None else None
        except ArrayolError:
            if self._is_described(measured):
                return None
            raise

    def _is_described(self, measured: Measured | None) -> bool:
        """Whether interval, latency, cost, and a recurrence if there are delays, are given or measured."""
        parts: list[ElementaryEntry | Measured] = [self.entry, *([measured] if measured is not None else [])]
        intervals = bool(self.entry.intervals) or self.entry.initiation_interval is not None
        latency = any(part.latency is not None for part in parts)
        has_loops = bool(self.process.state_pairs) and self.entry.module is None
        recurrence = not has_loops or any(part.recurrence is not None for part in parts)
        return intervals and latency and recurrence and any(part.cost for part in parts)

    def _latency(self, measured: Measured | None, derived: DerivedFigures | None) -> tuple[int, Origin]:
        if measured is not None and measured.latency is not None:
            return measured.latency, "measured"
        if self.entry.latency is not None:
            return self.entry.latency, "given"
        if derived is not None:
            return derived.latency + self.ground.local_cycles, "derived"
        return 0, "assumed"

    def _require_built(self, interval: int, latency: int) -> None:
        """Raises ArrayolError (`no-datapath`) where a body has none with a given latency, even in a single cycle."""
        if interval not in self.intervals or self._is_built(interval, latency):
            return
        name, definition = self.process.elementary, self.process.definition
        raise error(
            "no-datapath",
            f"the elementary '{name}' has no datapath that takes a repetition every {counted(interval, 'cycle')} and "
            f"gives its results {counted(latency, 'cycle')} after, at any clock; {self.ground.local_cycles} of these "
            "are those of the local memory",
            definition.span if definition is not None else None,
            hint=f"leave both out of [elementary.{name}] in the platform, or give greater ones",
        )

    def _is_built(self, interval: int, latency: int) -> bool:
        """Whether a body has a datapath with a given latency; so it is where a module computes it."""
        derivation = self._derivation if self.entry.module is None else None
        return derivation is None or derivation.within(interval, latency - self.ground.local_cycles) is not None

    def _recurrences(
        self, measured: Measured | None, derived: DerivedFigures | None
    ) -> tuple[dict[tuple[str, str], int], dict[tuple[str, str], int], dict[str, Origin]]:
        """Recurrences by pair of ports, additional cycles through the local memory, and the weakest of their origins.

        A pair without any recurrence waits only for the unit.
        """
        waits: dict[tuple[str, str], int] = {}
        through_memory: dict[tuple[str, str], int] = {}
        origins: list[Origin] = []
        for delay in self.process.delays:
            pair = delay.output, delay.port
            if (cycles := _recurrence_of(measured, delay.port)) is not None:
                waits[pair] = cycles
                origins.append("measured")
            elif (cycles := _recurrence_of(self.entry, delay.port)) is not None:
                waits[pair] = cycles
                origins.append("given")
            elif derived is not None:
                if cycles := derived.recurrence.get(pair, 0):
                    waits[pair] = cycles
                    through_memory[pair] = derived.through_memory[pair] + self.ground.local_cycles - cycles
                origins.append("derived")
            else:
                origins.append("assumed")
        order: tuple[Origin, ...] = ("assumed", "derived", "given", "measured")
        weakest = next((origin for origin in order if origin in origins), None)
        return waits, through_memory, {"recurrence": weakest} if weakest else {}

    def _through_module(
        self, interval: int, latency: int
    ) -> tuple[dict[tuple[str, str], int], dict[tuple[str, str], int], dict[str, Origin]]:
        """Recurrences of a user's module, whose states leave and enter as all elements do; none stays in a register."""
        waits: dict[tuple[str, str], int] = {}
        for delay in self.process.delays:
            size = math.prod(extent or 1 for extent in port_named(self.process.input_ports, delay.port).shape)
            element = np.arange(size)
            between = result_cycles(element, size, interval) + 1 - read_cycles(element, size, interval)
            waits[delay.output, delay.port] = latency + int(between.max())
        return waits, {}, {"recurrence": "given"} if waits else {}

    def _costs(
        self, interval: int, measured: Measured | None, derived: DerivedFigures | None
    ) -> tuple[dict[str, float], dict[str, Origin]]:
        sources: tuple[tuple[Mapping[str, float], Origin], ...] = (
            (measured.cost if measured is not None else {}, "measured"),
            (self.entry.cost, "given"),
            (derived.cost if derived is not None else {}, "derived"),
        )
        cost: dict[str, float] = {}
        origins: dict[str, Origin] = {}
        for amounts, origin in sources:
            for name, amount in amounts.items():
                if name not in cost:
                    cost[name], origins[f"cost.{name}"] = amount, origin
        known = dict(cost)
        for name in self.ground.cost_models:
            if name not in cost:
                amount = modelled_cost(name, self.process, interval, known)
                cost[name], origins[f"cost.{name}"] = amount, "derived"
        return cost, origins

    def _energy(
        self, measured: Measured | None, derived: DerivedFigures | None
    ) -> tuple[float | None, float, dict[str, Origin]]:
        """The energy of a repetition and the share of its registers; given and measured energies have no such share."""
        if measured is not None and measured.energy_pj is not None:
            return measured.energy_pj, 0.0, {"energy_pj": "measured"}
        if self.entry.energy_pj is not None:
            return self.entry.energy_pj, 0.0, {"energy_pj": "given"}
        if derived is not None:
            registers = derived.energy_registers_pj
            return derived.energy_operators_pj + registers, registers, {"energy_pj": "derived"}
        return None, 0.0, {}

    def _nothing_known(self) -> ArrayolError:
        name, definition = self.process.elementary, self.process.definition
        table = f"[elementary.{name}] with interval = CYCLES"
        if self.ground.derive is None:
            why = "the platform names no technology and gives it no interval"
            hint = f'name a technology in the platform, as technology = "ecp5-6", give {table}'
        else:
            kind = "extern" if definition is not None and definition.extern else "a black box"
            why = f"it is {kind}, of which nothing can be derived, and the platform gives it no interval"
            hint = f"give {table}, latency and cost"
        hint += ", or take --assume-datapaths"
        span = definition.span if definition is not None else None
        return error("no-datapath", f"the elementary '{name}' has no datapath: {why}", span, hint=hint)


def _recurrence_of(part: ElementaryEntry | Measured | None, port: str) -> int | None:
    wait = part.recurrence if part is not None else None
    return wait.get(port) if isinstance(wait, Mapping) else wait
