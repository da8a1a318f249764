"""Upper bounds of whole designs: the capacities of a device, or an area of silicon."""

from __future__ import annotations

from collections.abc import Mapping

from arrayol.errors import ArrayolError, error
from arrayol.language.syntax.diagnose import did_you_mean
from arrayol.source import Span
from arrayol.text import listed
from hwmodel.datapath.technology.rows import device_named
from hwmodel.datapath.technology.technology import Technology, load_technology, shipped_technologies


def capacities_of(
    technology: Technology | None, device: str | None, area_um2: float | None, span: Span | None = None
) -> Mapping[str, float]:
    """The bounds by figure of a design: those of a device of the technology, and `area` in um2; empty without either.

    `span` is where the device is named. Raises ArrayolError (`unknown-device`) for one that the technology lacks.
    """
    bounds: dict[str, float] = {}
    if device is not None:
        chip = device_named(device, technology.devices if technology is not None else ())
        if chip is None:
            raise _unknown(technology, device, span)
        bounds.update(chip.capacities)
    if area_um2 is not None:
        if technology is None or "area" not in technology.costs:
            raise _without_area(technology, span)
        bounds["area"] = area_um2
    return bounds


def _without_area(technology: Technology | None, span: Span | None) -> ArrayolError:
    where = f"technology '{technology.name}'" if technology is not None else "a platform without a technology"
    hint = 'give device = "NAME" in place of area_um2, or technology = "asic45"'
    return error("unknown-device", f"{where} has no costs in um2", span, hint=hint)


def _unknown(technology: Technology | None, name: str, span: Span | None) -> ArrayolError:
    known = [device.name for device in technology.devices] if technology is not None else []
    others = [one for one in shipped_technologies() if device_named(name, load_technology(one).devices) is not None]
    if others:
        hint = f'it is one of {listed(others)}: give technology = "{others[0]}" in the platform'
    elif known:
        hint = did_you_mean(name, known) or f"its devices are {listed(known)}"
    else:
        hint = "it has none; a technology with costs in um2 takes area_um2 = NUMBER in the platform"
    where = f"technology '{technology.name}'" if technology is not None else "a platform without a technology"
    return error("unknown-device", f"{where} has no device '{name}'", span, hint=hint)
