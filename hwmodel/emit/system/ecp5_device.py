"""Devices of Lattice's ECP5, as nextpnr takes them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Self

_PINS = {"12k": "CABGA381", "25k": "CABGA381", "45k": "CABGA554", "85k": "CABGA756"}  # by size the most of a package
_FAMILIES = dict.fromkeys(_PINS, ("", "um-", "um5g-")) | {"12k": ("",)}  # without and with serial transceivers
PACKAGES = {family + size: package for size, package in _PINS.items() for family in _FAMILIES[size]}
SPEEDS = ("6", "7", "8")
LARGEST = "85k"


@dataclass(frozen=True, slots=True)
class Ecp5Device:
    """An ECP5: its family and its number of LUTs as nextpnr names them, a package, and a speed grade."""

    size: str = LARGEST
    package: str = PACKAGES[LARGEST]
    speed: str = SPEEDS[0]

    @classmethod
    def of(cls, device: str | None, technology: str | None) -> Self:
        """That of a device as LFE5UM5G-45F, with the speed grade that a technology's name ends with.

        The largest one without a device, and for one of another family.
        """
        named = re.fullmatch(r"LFE5(U|UM|UM5G)-(\d+)F", device or "")
        size = f"{named[1].lower()}-{named[2]}k".removeprefix("u-") if named else LARGEST
        grade = re.match(r"ecp5-(\d)", technology or "")
        size = size if size in PACKAGES else LARGEST
        return cls(size, PACKAGES[size], grade[1] if grade and grade[1] in SPEEDS else SPEEDS[0])

    @property
    def options(self) -> tuple[str, ...]:
        """The device as options of nextpnr."""
        return f"--{self.size}", "--package", self.package, "--speed", self.speed

    def __str__(self) -> str:
        *family, size = self.size.split("-")
        return f"LFE5{''.join(family or ['u']).upper()}-{size[:-1]}F in {self.package}, speed grade {self.speed}"
