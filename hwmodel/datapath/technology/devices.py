"""`[[device]]` of a technology: how much of each cost one chip has (docs/platform.md)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated

from pydantic import BeforeValidator, Field

from hwmodel.toml_values import Table, Whole

BLOCKS = "memory_blocks"  # the figure of designs that counts blocks of memory


class Device(Table):
    """A chip: its LUTs, flip-flops, DSP blocks and blocks of memory, counted as the technology's rows count them."""

    name: str = Field(min_length=1, description="a text")
    lut: Whole = Field(ge=1, description="a whole number, 1 or more")
    ff: Whole = Field(ge=1, description="a whole number, 1 or more")
    dsp: Whole = Field(ge=0, description="a whole number, 0 or more")
    blocks: Whole = Field(ge=0, description="a whole number, 0 or more")
    source: str = Field(default="", description="a text")

    @property
    def capacities(self) -> Mapping[str, int]:
        """The resources of the device, by the figures of a design that they bound."""
        return {"lut": self.lut, "ff": self.ff, "dsp": self.dsp, BLOCKS: self.blocks}


def _listed(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


DevicesField = Annotated[
    tuple[Device, ...], BeforeValidator(_listed), Field(description="a list of tables, [[device]]")
]


def device_named(name: str, devices: Iterable[Device]) -> Device | None:
    """The device of that name, in capitals or not; None where there is none."""
    return next((device for device in devices if device.name.lower() == name.lower()), None)
