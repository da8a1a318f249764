"""The platform: what is known of memories and datapaths (design.md, section 3)."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class RowModel(_Table):
    """`[memory.rows]`: the open-row model of the external memory."""

    row_bytes: int = Field(ge=1)
    banks: int = Field(default=8, ge=1)
    word_ns: float = Field(gt=0)
    row_change_ns: float = Field(ge=0)
    same_bank_activate_ns: float = Field(ge=0)


class ExternalMemory(_Table):
    """`[memory]`: one address space, arrays row-major."""

    latency: int | None = Field(default=None, ge=0)
    data_per_word: int | None = Field(default=None, ge=1)
    word_bits: int | None = Field(default=None, ge=1)
    port: Literal["shared", "separate"] = "shared"
    rows: RowModel | None = None


class LocalMemory(_Table):
    """`[local]`: single-ported memories beside the processors."""

    banks: int = Field(default=8, ge=1)
    access_cycles: int = Field(default=1, ge=1)
    block_bits: int | None = Field(default=None, ge=1)


class Datapath(_Table):
    """`[elementary.NAME]`: the datapath of one computation unit."""

    initiation_interval: int = Field(default=1, ge=1)
    latency: int = Field(default=0, ge=0)
    recurrence: int | None = Field(default=None, ge=1)
    cost: dict[str, int | float] = Field(default_factory=dict)


class Platform(_Table):
    """A whole platform file."""

    clock_mhz: float | None = Field(default=None, gt=0)
    memory: ExternalMemory
    local: LocalMemory = LocalMemory()
    elementary: dict[str, Datapath] = Field(default_factory=dict)

    def datapath(self, elementary: str) -> Datapath:
        """The datapath of an elementary task; one without an entry has interval 1 and latency 0."""
        return self.elementary.get(elementary, Datapath())
