"""What elementary tasks cost: operators, cycles, cost and energy, derived from their bodies or given by a platform."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from arrayol.api.spec import Source, load
from arrayol.errors import error
from arrayol.ir.spec import RepetitiveTask, Spec
from arrayol.language.parameters.copies import component_name
from arrayol.language.settings import Settings
from arrayol.language.syntax.diagnose import did_you_mean
from arrayol.pictures.save import save_schedule
from hwmodel.cost_report import CostReport, cost_report, picture
from hwmodel.datapath.technology.technology import Technology, load_technology
from hwmodel.platform import Platform, on_device, platform_of


def cost(
    spec: Source,
    name: str | None = None,
    platform: Platform | Path | str | None = None,
    *,
    technology: Technology | Path | str | None = None,
    clock_mhz: float | None = None,
    device: str | None = None,
    settings: Settings | None = None,
) -> CostReport:
    """Derive the cost of one unit of elementary tasks: cycles, logic and energy, at each interval worth trying.

    - `name`: an elementary task, or a task that repeats one; without it, all elementary tasks.
    - `platform`: a Platform, a TOML file, or None for the file beside the specification, or else the shipped default.
    - `technology` (a Technology, its name, or its file) and `clock_mhz` replace those of the platform.
    - `device`: the device to compare with, or "none"; without it that of the platform, if the technology is its own.

    An interval is the number of cycles from one start of a repetition on a unit to the next. Logic is in LUT, FF and
    DSP of an FPGA, or in um2; energy is in pJ for one repetition. Raises ArrayolError as `load` and `load_platform`,
    `unknown-task`, and with all mistakes if no elementary task has a datapath.

    >>> (convolve,) = api.cost(spec, "filter").elementaries
    >>> convolve.at(9).datapath.cost["lut"] < convolve.at(1).datapath.cost["lut"]
    True
    """
    loaded = load(spec, settings)
    taken, origin = platform_of(loaded, platform)
    update: dict[str, Any] = {}
    if technology is not None:
        update["technology"] = technology if isinstance(technology, Technology) else load_technology(technology)
        update["device"] = None
    if clock_mhz is not None:
        update["clock_mhz"] = clock_mhz
    names = list(loaded.elementaries) if name is None else [_elementary(loaded, name)]
    return cost_report(loaded, names, on_device(taken.model_copy(update=update) if update else taken, device), origin)


def draw_schedule(report: CostReport, path: Path | str, interval: int | None = None) -> None:
    """Draw which operator works when in one repetition, for a report on one elementary task.

    `path` is a .svg or .png; `interval` is in cycles, without it the shortest. Raises ArrayolError as `Derivation.at`,
    and `no-body` if nothing was derived; ValueError if the report has several elementary tasks.

    >>> api.draw_schedule(api.cost(spec, "filter"), "schedule.svg", interval=9)
    """
    (elementary,) = report.elementaries
    save_schedule(picture(elementary, interval if interval is not None else elementary.intervals[0]), Path(path))


def _elementary(spec: Spec, name: str) -> str:
    """The elementary that a name is, or that a task of this name repeats."""
    own = component_name(spec, name) or name
    component = spec.components.get(own)
    if own in spec.elementaries:
        return own
    if isinstance(component, RepetitiveTask) and component.callee in spec.elementaries:
        return component.callee
    known = list(spec.elementaries)
    if component is not None:
        hint = f"elementaries of '{spec.name}': {', '.join(known) or 'none'}"
        raise error("unknown-task", f"'{name}' repeats no elementary", component.span, hint=hint)
    hint = did_you_mean(name, known) or f"elementaries of '{spec.name}': {', '.join(known) or 'none'}"
    raise error("unknown-task", f"there is no elementary '{name}' in '{spec.name}'", hint=hint)
