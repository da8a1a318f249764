"""The tables of a platform about its memories: `[memory]` outside the chip, with its rows, and `[local]` on it."""

from __future__ import annotations

from typing import Literal, TypeAlias

from pydantic import ConfigDict, Field
from pydantic.config import JsonDict

from hwmodel.toml_model import Amount, Positive, Real, Table, Whole


class RowModel(Table):
    """`[memory.rows]`: the open-row model of the external memory; row k is in bank k mod banks."""

    row_bytes: Whole = Field(ge=1, description="a whole number of bytes, 1 or more")
    banks: Whole = Field(default=8, ge=1, description="a whole number of banks, 1 or more")
    word_ns: Positive = Field(description="a number of nanoseconds above 0")
    row_change_ns: Real = Field(ge=0, description="a number of nanoseconds, 0 or more")
    same_bank_activate_ns: Real = Field(ge=0, description="a number of nanoseconds, 0 or more")


_MEMORY_RULES: JsonDict = {  # those of `hwmodel.platform._broken_rules` that are about this table, for JSON Schema
    "allOf": [
        {"anyOf": [{"required": ["latency"]}, {"required": ["rows"]}]},
        {"oneOf": [{"required": ["data_per_word"]}, {"required": ["word_bits"]}]},
        {
            "if": {"required": ["burst"], "properties": {"burst": {"const": "run"}}},
            "then": {"properties": {"word_bits": {"multipleOf": 8}}},
        },
        {
            "if": {"required": ["outstanding"], "properties": {"outstanding": {"exclusiveMinimum": 1}}},
            "then": {"required": ["burst"], "properties": {"burst": {"const": "run"}, "rows": False}},
        },
        {
            "if": {"required": ["channels"], "properties": {"channels": {"exclusiveMinimum": 1}}},
            "then": {"properties": {"rows": False}},
        },
    ]
}


class ExternalMemory(Table):
    """`[memory]`: one address space, arrays row-major. `latency` is L_m in cycles, `data_per_word` is m.

    With `turn` an arbiter serves what a step loads and stores within so many cycles. Of several `channels` each has a
    port of its own, all alike, and each array lies in one of them.
    """

    model_config = ConfigDict(json_schema_extra=_MEMORY_RULES)

    latency: Whole | None = Field(default=None, ge=0, description="a whole number of cycles, 0 or more")
    data_per_word: Whole | None = Field(default=None, ge=1, description="a whole number of data, 1 or more")
    word_bits: Whole | None = Field(default=None, ge=1, description="a whole number of bits, 1 or more")
    port: Literal["shared", "separate"] = Field(default="shared", description='"shared" or "separate"')
    burst: Literal["box", "run"] = Field(default="box", description='"box" or "run"')
    outstanding: Whole = Field(default=1, ge=1, description="a whole number of requests, 1 or more")
    max_burst_words: Whole = Field(default=256, ge=1, description="a whole number of words, 1 or more")
    turn: Whole = Field(default=0, ge=0, description="a whole number of cycles, 0 or more")
    channels: int = Field(default=1, ge=1, le=1024, description="a whole number of channels, 1 to 1,024")
    rows: RowModel | None = None


LEAST_LATENCY = 3  # cycles, of hardware: the first word that a step stores is at the port then

Channel: TypeAlias = ExternalMemory  # what serves some arrays: all channels of `[memory]` are alike
ArrayChannels = tuple[tuple[str, int], ...]  # by name of an array outside the number of its channel, from 0


class LocalPrices(Table):
    """`[local.price]`: what one of each cost counts where organisations of a memory are compared."""

    block: Amount = 300
    lut: Amount = 1
    ff: Amount = 0.5
    area: Amount = 1


class LocalMemory(Table):
    """`[local]`: memories beside the processors, of banks with a port to write and `read_ports` to read."""

    banks: Whole = Field(default=8, ge=1, description="a whole number of banks, 1 or more")
    access_cycles: Whole = Field(default=1, ge=1, description="a whole number of cycles, 1 or more")
    block_bits: Whole | None = Field(default=None, ge=1, description="a whole number of bits, 1 or more")
    fetch_cycles: Whole = Field(default=3, ge=0, description="a whole number of cycles, 0 or more")
    store_cycles: Whole = Field(default=0, ge=0, description="a whole number of cycles, 0 or more")
    write_width: Whole | None = Field(default=None, ge=1, description="a whole number of data, 1 or more")
    read_width: Whole | None = Field(default=None, ge=1, description="a whole number of data, 1 or more")
    register_bits: Whole = Field(default=512, ge=0, description="a whole number of bits, 0 or more")
    copies_most: Whole = Field(default=16, ge=1, description="a whole number of copies, 1 or more")
    banks_most: int = Field(default=1024, ge=1, le=1024, description="a whole number of banks, 1 to 1,024")
    bank_power_of_two: bool = Field(default=False, description="true or false")
    ports: Literal["1w1r", "1w2r"] = Field(default="1w1r", description='"1w1r" or "1w2r"')
    price: LocalPrices = LocalPrices()

    @property
    def cycles(self) -> int:
        """The cycles of a fetch and a store together."""
        return self.fetch_cycles + self.store_cycles

    @property
    def read_ports(self) -> int:
        """How often a bank is read in a cycle."""
        return 2 if self.ports == "1w2r" else 1
