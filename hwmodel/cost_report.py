"""What elementary tasks cost on a platform, at each interval that a design may take: for tables, JSON and pictures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from arrayol.errors import ArrayolError, Diagnostic, error
from arrayol.ir.network import Process
from arrayol.ir.spec import Delay, Elementary, RepetitiveTask, Spec
from arrayol.pictures.shown import Operation, ScheduleShown
from hwmodel.datapath.derive import Derivation, Derived, derivation_of
from hwmodel.datapath.figures import Datapath
from hwmodel.datapath.folding.steps import FoldedStep, steps_of
from hwmodel.datapath.technology.technology import Technology
from hwmodel.platform import Platform


@dataclass(frozen=True, eq=False)
class CostAt:
    """A datapath at one interval: the figures that an exploration uses, and what was derived where it was."""

    datapath: Datapath
    derived: Derived | None

    @property
    def steps(self) -> tuple[FoldedStep, ...]:
        """The schedule of one repetition; none where nothing was derived."""
        return steps_of(self.derived.priced, self.derived.folded) if self.derived is not None else ()


@dataclass(frozen=True, eq=False)
class ElementaryCost:
    """An elementary task with the delays of tasks that repeat it, at each of its intervals."""

    process: Process
    derivation: Derivation | None
    platform: Platform

    @property
    def name(self) -> str:
        return self.process.elementary

    @property
    def intervals(self) -> tuple[int, ...]:
        return self.platform.intervals(self.process)

    def at(self, interval: int) -> CostAt:
        """Raises ArrayolError as `Platform.datapath` and `Derivation.at` do."""
        derived = self.derivation.at(interval) if self.derivation is not None else None
        return CostAt(self.platform.datapath(self.process, interval), derived)


@dataclass(frozen=True, eq=False)
class CostReport:
    """All of a specification; `refused` are the mistakes of elementaries that have no datapath."""

    platform: Platform
    origin: str
    elementaries: tuple[ElementaryCost, ...]
    refused: tuple[Diagnostic, ...]

    @property
    def technology(self) -> Technology | None:
        """That of the platform, with the rows that it overrides."""
        return self.platform.prices

    def estimates(self, figures: Iterable[str]) -> tuple[str, ...]:
        """Figures of which the technology has estimates only."""
        technology = self.technology
        return tuple(figure for figure in figures if technology is not None and technology.is_estimate(figure))

    def guessed(self) -> tuple[str, ...]:
        """The operators in use whose rows were not measured."""
        uses = (
            use
            for cost in self.elementaries
            for derived in (cost.at(cost.intervals[-1]).derived,)
            for use in (derived.operators if derived is not None else ())
        )
        return tuple(dict.fromkeys(use.name for use in uses if use.estimate))


def cost_report(spec: Spec, names: Iterable[str], platform: Platform, origin: str) -> CostReport:
    """What some elementaries of a specification cost.

    Raises ArrayolError with all mistakes where none of them has a datapath.
    """
    costs: list[ElementaryCost] = []
    refused: list[Diagnostic] = []
    for process in _processes(spec, names):
        try:
            cost = _cost(process, platform)
            cost.at(cost.intervals[0])
        except ArrayolError as mistake:
            refused += mistake.diagnostics
        else:
            costs.append(cost)
    if not costs and refused:
        raise ArrayolError(refused)
    return CostReport(platform, origin, tuple(costs), tuple(dict.fromkeys(refused)))


def _cost(process: Process, platform: Platform) -> ElementaryCost:
    technology, clock, definition = platform.prices, platform.clock_mhz, process.definition
    derivation = None
    if technology is not None and clock is not None and definition is not None and definition.body is not None:
        pairs = frozenset((delay.output, delay.port) for delay in process.delays)
        try:
            derivation = derivation_of(definition, technology, clock, pairs)
        except ArrayolError:
            platform.datapath(process)  # all that has to be known may be given
    return ElementaryCost(process, derivation, platform)


def _processes(spec: Spec, names: Iterable[str]) -> Iterator[Process]:
    """A process for each elementary and each set of delays around it."""
    for name in names:
        elementary = spec.elementaries[name]
        delays: dict[frozenset[tuple[str, str]], tuple[Delay, ...]] = {}
        for task in spec.components.values():
            if isinstance(task, RepetitiveTask) and task.callee == name:
                delays.setdefault(frozenset((delay.output, delay.port) for delay in task.delays), task.delays)
        for around in delays.values() or [()]:
            yield _process(_with_own_constants(spec, elementary), around)


def _with_own_constants(spec: Spec, elementary: Elementary) -> Elementary:
    """The elementary with the const arrays that its body names as constants."""
    named = [(port.name, spec.tables[port.name]) for port in elementary.inputs if port.name in spec.tables]
    return replace(elementary, constants=tuple(named)) if named else elementary


def _process(elementary: Elementary, delays: tuple[Delay, ...]) -> Process:
    bits = sum(local.bits for local in elementary.locals)
    ports = elementary.inputs, elementary.outputs
    return Process(elementary.name, elementary.name, elementary.name, (), (), (), delays, *ports, bits, elementary)


# JSON.


def to_json(report: CostReport, interval: int | None = None) -> dict[str, Any]:
    """All figures; with an interval only those at it, and the schedule."""
    technology = report.technology
    return {
        "platform": report.origin,
        "technology": technology.name if technology is not None else None,
        "clock_mhz": report.platform.clock_mhz,
        "estimates": list(report.estimates(("pj", *(technology.costs if technology is not None else ())))),
        "elementaries": [_elementary_json(cost, interval) for cost in report.elementaries],
        "refused": [diagnostic.to_json() for diagnostic in report.refused],
    }


def _elementary_json(cost: ElementaryCost, interval: int | None) -> dict[str, Any]:
    shown = cost.intervals if interval is None else (interval,)
    return {
        "name": cost.name,
        "delays": [{"output": delay.output, "input": delay.port} for delay in cost.process.delays],
        "intervals": [_at_json(cost.at(one), schedule=interval is not None) for one in shown],
    }


def _at_json(cost: CostAt, *, schedule: bool) -> dict[str, Any]:
    datapath, derived = cost.datapath, cost.derived
    document: dict[str, Any] = {
        "interval": datapath.interval,
        "latency_cycles": datapath.latency,
        "recurrence": [
            {"output": output, "input": port, "cycles": cycles, "more_through_memory": more}
            for (output, port), cycles in datapath.recurrence.items()
            for more in (datapath.through_memory.get((output, port), 0),)
        ],
        "cost": dict(datapath.cost),
        "energy_pj": datapath.energy_pj,
        "register_pj": datapath.register_pj,
        "origins": dict(datapath.origins),
    }
    if derived is not None:
        document |= {
            "depth_cycles": derived.depth,
            "register_bits": derived.registers,
            "operators": [
                {
                    "operator": use.name,
                    "width": use.width,
                    "operations": use.operations,
                    "units": use.units,
                    "multiplexers": use.muxes,
                    "cost": _sum(use.cost, use.mux_cost),
                    "pj": use.pj,
                    "estimate": use.estimate,
                }
                for use in derived.operators
            ],
        }
    if schedule:
        document["schedule"] = [_step_json(step) for step in cost.steps]
    return document


def _sum(cost: Mapping[str, float], more: Mapping[str, float]) -> dict[str, float]:
    return {name: cost.get(name, 0) + more.get(name, 0) for name in (*cost, *(set(more) - set(cost)))}


def _step_json(step: FoldedStep) -> dict[str, Any]:
    return {
        "cycle": step.cycle,
        "kind": step.kind,
        "operator": step.operator or None,
        "operands": list(step.operands),
        "result": step.result,
        "busy": step.busy,
        "until": step.until,
        "line": step.line,
    }


# The picture.


def picture(cost: ElementaryCost, interval: int) -> ScheduleShown:
    """The schedule of one repetition: a row for each operator, a bar for each operation.

    Raises ArrayolError: `no-body` where nothing is derived, and as `Derivation.at`.
    """
    at = cost.at(interval)
    if at.derived is None:
        hint = "name a technology: --technology ecp5-6"
        raise error("no-body", f"nothing is derived of '{cost.name}', so there is no schedule", hint=hint)
    rows: dict[str, list[Operation]] = {}
    for step in at.steps:
        if step.kind == "start":
            rows.setdefault(step.operator, []).append((step.result, step.cycle, step.cycle + step.busy, step.until))
    named = sorted(rows.items(), key=lambda row: (row[0].rpartition("#")[0], int(row[0].rpartition("#")[2])))
    shown = tuple((name, tuple(bars)) for name, bars in named)
    return ScheduleShown(cost.name, interval, at.derived.depth, at.datapath.latency, shown)
