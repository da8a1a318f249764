"""What a platform gives of an elementary task, `[elementary.NAME]` (docs/platform.md)."""

from __future__ import annotations

from pydantic import Field

from hwmodel.toml_values import Amount, Table, Whole


class ElementaryEntry(Table):
    """The datapath of one computation unit, as far as it is given.

    `initiation_interval` in cycles per datum of the largest output port, `latency` in cycles, `recurrence` the cycles
    until a delayed output can be read, `cost` per unit, by names as those of consts.
    """

    initiation_interval: Whole = Field(default=1, ge=1, description="a whole number of cycles, 1 or more")
    latency: Whole = Field(default=0, ge=0, description="a whole number of cycles, 0 or more")
    recurrence: Whole | None = Field(default=None, ge=1, description="a whole number of cycles, 1 or more")
    cost: dict[str, Amount] = Field(default_factory=dict, description="numbers by name, as { lut = 96, dsp = 2 }")
