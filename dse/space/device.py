"""The device that designs have to fit: its capacities as bounds, and what is said of designs that need more."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from arrayol.text import counted
from dse.space.study import Study, with_constraints
from hwmodel.platform import Platform

_SPELT_WITH_AN = frozenset("aefhilmnorsx")  # first letters of names that are spelt out: an LFE5U, an xc7a35t


@dataclass(frozen=True)
class DeviceLimits:
    """A device by name, or an area, and its capacities by figure of designs."""

    name: str
    capacities: Mapping[str, float] = field(default_factory=dict)

    def exceeded(self, figures: Mapping[str, float]) -> tuple[str, ...]:
        """The figures of which a design needs more than there is."""
        return tuple(name for name, most in self.capacities.items() if figures.get(name, 0) > most)


def fit_text(name: str, exceeding: int, designs: int) -> str:
    """How many designs of a front do not fit on a device: 41 of 277 designs need more than an LFE5U-45F."""
    device = f"{'an' if name[:1].lower() in _SPELT_WITH_AN else 'a'} {name}" if name[:1].isalpha() else name
    if not exceeding:
        return f"no design needs more than {device}"
    verb = "needs" if exceeding == 1 else "need"
    return f"{exceeding:,} of {counted(designs, 'design')} {verb} more than {device}"


def device_limits(platform: Platform, figures: Collection[str]) -> DeviceLimits | None:
    """What the device of a platform bounds among the figures of designs; None without a device.

    Raises ArrayolError (`unknown-device`).
    """
    if not platform.device_text:
        return None
    capacities = {name: most for name, most in platform.capacities.items() if name in figures}
    return DeviceLimits(platform.device_text, capacities)


def bounded_by(study: Study, device: DeviceLimits, names: Iterable[str]) -> Study:
    """The study with capacities of a device as constraints."""
    return with_constraints(study, [f"{name} <= {device.capacities[name]:.12g}" for name in names], reuse_memory=False)
