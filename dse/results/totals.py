"""What a whole design takes of each cost: the total, its parts, its share of the device; in words what slack saves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from arrayol.text import counted, listed
from dse.results.designs import LOCAL_MEMORIES, Design, Number
from dse.results.schema import DeviceRecord, Result
from hwmodel.datapath.technology.rows import BLOCKS

NAMES = {"lut": "LUT", "ff": "FF", "dsp": "DSP", BLOCKS: "block RAM", "area": "um2"}  # figures, and their words


@dataclass(frozen=True)
class Total:
    """A cost of a whole design: `parts` are those of units, memories and control, `most` what the device has."""

    name: str
    amount: Number
    parts: Mapping[str, Number]
    most: Number | None

    @property
    def share(self) -> float | None:
        """How much of the device it is; None without one."""
        return None if not self.most else self.amount / self.most

    @property
    def short(self) -> str:
        """The amount, and the share in percent: 33,120 (76%)."""
        return _number(self.amount) if self.share is None else f"{_number(self.amount)} ({percent(self.share)})"

    @property
    def text(self) -> str:
        """The total with its name and its parts: LUT 33,120 (76%): units 30,020, memories 3,100."""
        parts = ", ".join(f"{part} {_number(amount)}" for part, amount in self.parts.items())
        return f"{NAMES[self.name]} {self.short}{f': {parts}' if len(self.parts) > 1 else ''}"


def _number(amount: Number) -> str:
    return f"{amount:,}" if isinstance(amount, int) else f"{amount:,.{0 if abs(amount) >= 100 else 1}f}"


def percent(share: float) -> str:
    """A share in percent: whole, but for what is small and not nothing."""
    return "<1%" if 0 < share < 0.005 else f"{share:.0%}"


def totals_of(design: Design, device: DeviceRecord | None) -> Iterator[Total]:
    """What a design takes of all that hardware is counted in, where it is known; the shares are those of `device`."""
    capacities = device.capacities if device is not None else {}
    for name in NAMES:
        if name in design.objectives:
            by_task = dict(design.costs.get(name, {}))
            control = design.control.get(name, 0)
            memories = by_task.pop(LOCAL_MEMORIES, 0) - control
            parts = {"units": sum(by_task.values()), "memories": memories, "control": control}
            shown = {part: amount for part, amount in parts.items() if amount}
            yield Total(name, design.objectives[name], shown, capacities.get(name))


def totals_text(design: Design, device: DeviceRecord | None) -> str:
    """All totals in a line; empty where no hardware is counted."""
    return "; ".join(total.text for total in totals_of(design, device))


def device_text(device: DeviceRecord) -> str:
    """A device with its capacities: LFE5U-45F: 43,848 LUT, 43,848 FF, 72 DSP, 108 block RAM."""
    return capacities_text(device.name, device.capacities)


def capacities_text(name: str, capacities: Mapping[str, Number]) -> str:
    """A device's name and its capacities by figure, as text; an area is in the name already."""
    counts = [f"{most:,} {NAMES[figure]}" for figure, most in capacities.items() if figure != "area"]
    return f"{name}: {', '.join(counts)}" if counts else name


_LOGIC = ("lut", "area")  # of which slack makes one as small as may be


def slack_text(result: Result) -> str:
    """Which designs were found and are not shown for their logic; empty where all are shown."""
    if result.searched is None or result.space.study is None:
        return ""
    logic = next((NAMES[name] for name in _LOGIC if name in result.pareto[0].objectives), "logic")
    share, found = f"{100 * result.space.study['slack']:.3g}%", counted(result.searched, "design")
    gain = f"at most {share} in {listed(result.objectives, 'or')}"
    return f"those that take more {logic} for {gain}, of {found} found"
