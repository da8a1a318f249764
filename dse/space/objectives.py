"""What can be minimised: the figures that a model gives, with names, units and titles."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from arrayol.errors import ArrayolError, Diagnostic, error
from arrayol.language.hints import did_you_mean
from hwmodel.platform import Platform
from hwmodel.published.estimate import PublishedDesign

LATENCY = "latency_cycles"
MICROSECONDS = "latency_microseconds"


@dataclass(frozen=True)
class Objective:
    """A figure of a design, smaller is better. `exact` is the integer that designs are compared by."""

    name: str
    title: str
    unit: str
    exact: Callable[[PublishedDesign], int]

    def value(self, design: PublishedDesign, platform: Platform) -> int | float:
        """The figure in `unit`."""
        return self.in_unit(self.exact(design), platform)

    def in_unit(self, exact: int, platform: Platform) -> int | float:
        """The figure in `unit` that stands behind the integer."""
        if self.name == MICROSECONDS:
            assert platform.clock_mhz is not None, "microseconds are refused without a clock"
            return exact / platform.clock_mhz
        return exact


PUBLISHED: Mapping[str, Objective] = MappingProxyType(
    {
        objective.name: objective
        for objective in (
            Objective(LATENCY, "latency", "cycles", lambda design: design.latency_cycles),
            Objective("internal_memory_data", "internal memory", "data", lambda design: design.internal_memory_data),
            Objective("internal_memory_bits", "internal memory", "bits", lambda design: design.internal_memory_bits),
            Objective("units", "N_cu of all processors", "units", lambda design: design.units),
            Objective(MICROSECONDS, "latency", "us", lambda design: design.latency_cycles),
        )
    }
)
DEFAULT = (LATENCY, "internal_memory_data")
MACHINE_ONLY = ("traffic_bytes", "frame_cycles", "memory_blocks", "frames_per_second")


class WrongObjectiveError(ArrayolError):
    """Objectives that cannot be asked for: wrong usage."""

    exit_code = 2


def chosen(names: Sequence[str]) -> tuple[Objective, ...]:
    """The objectives of these names, in this order.

    Raises WrongObjectiveError: `unknown-objective` (those that only the machine model gives included),
    `repeated-objective`, `no-objective`.
    """
    if not names:
        raise _wrong("no-objective", "at least one objective is needed", f"choose of {', '.join(PUBLISHED)}")
    for place, name in enumerate(names):
        if name not in PUBLISHED:
            raise _unknown(name)
        if name in names[:place]:
            raise _wrong("repeated-objective", f"objective '{name}' is given twice", "name each objective once")
    return tuple(PUBLISHED[name] for name in names)


def available(platform: Platform) -> tuple[Objective, ...]:
    """What the published model gives on a platform: microseconds only with a clock."""
    return tuple(found for found in PUBLISHED.values() if found.name != MICROSECONDS or platform.clock_mhz is not None)


def require_available(objectives: Sequence[Objective], platform: Platform) -> None:
    """Raises ArrayolError (`no-clock`) for microseconds on a platform without a clock."""
    if any(objective not in available(platform) for objective in objectives):
        raise error(
            "no-clock",
            f"'{MICROSECONDS}' needs a clock, and the platform has none",
            hint=f"give clock_mhz = MHZ in the platform, or take {LATENCY}",
        )


def _unknown(name: str) -> WrongObjectiveError:
    if not name:
        return _wrong("unknown-objective", "an objective's name is empty", "write them as A,B without a comma too many")
    if name in MACHINE_ONLY:
        known = ", ".join(PUBLISHED)
        return _wrong("unknown-objective", f"'{name}' needs the machine model", f"the published model gives {known}")
    return _wrong(
        "unknown-objective",
        f"there is no objective '{name}'",
        did_you_mean(name, PUBLISHED) or f"the published model gives {', '.join(PUBLISHED)}",
    )


def _wrong(code: str, message: str, hint: str) -> WrongObjectiveError:
    return WrongObjectiveError([Diagnostic(code, message, hint=hint)])
