"""The figures that a platform gives of an elementary task, `[elementary.NAME]` (docs/platform.md).

Each key is independent: a figure that is not given is derived from the body if the platform names a technology.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypeGuard

from pydantic import BeforeValidator, Field, PlainSerializer, PlainValidator, ValidationInfo
from pydantic.config import JsonDict
from pydantic_core import PydanticCustomError

from arrayol.language.syntax.diagnose import did_you_mean
from hwmodel.datapath.technology.rows import COSTS, frozen_list
from hwmodel.figures import MODEL_FIGURES
from hwmodel.toml_model import (
    Amount,
    BrokenRule,
    Count,
    KeyPath,
    Positive,
    Table,
    TomlFile,
    Whole,
    is_count,
    shown_path,
    text_of_named_file,
)

FIGURES = frozenset(  # what every design has, and how results call where it goes: no cost may be called so
    {
        *MODEL_FIGURES,
        *("energy_pj", "cycles", "memory_bits", "memory_data", "live_bits", "addressed_bits"),
    }
)
COST_NAMES: JsonDict = {  # `_broken_costs` for JSON Schema
    "propertyNames": {"pattern": "^[A-Za-z_][A-Za-z0-9_]*$", "not": {"enum": [*sorted(FIGURES)]}}
}


def broken_entries(values: Mapping[str, Any]) -> Iterator[BrokenRule]:
    """The rules that a platform file's tables of datapaths and costs break; `values` may contain other mistakes."""
    elementary, bits = values.get("elementary"), values.get("cost")
    yield from _broken_costs(elementary, bits)
    yield from _unknown_bit_costs(elementary, bits, derived="technology" in values)
    yield from _too_slow(elementary, values.get("clock_mhz"))
    yield from _measured_twice(elementary)
    yield from _of_modules(elementary)


def _tables(elementary: object) -> Iterator[tuple[KeyPath, Mapping[Any, Any]]]:
    """The tables of elementaries, each followed by those of its measurements."""
    for name, entry in elementary.items() if isinstance(elementary, Mapping) else ():
        if isinstance(entry, Mapping):
            yield ("elementary", str(name)), entry
            measured = entry.get("measured")
            for number, one in enumerate(measured if isinstance(measured, list | tuple) else ()):
                if isinstance(one, Mapping):
                    yield ("elementary", str(name), "measured", str(number)), one


def _tables_of_costs(elementary: object, bits: object) -> Iterator[tuple[KeyPath, Mapping[Any, Any]]]:
    for path, table in _tables(elementary):
        if isinstance(table.get("cost"), Mapping):
            yield (*path, "cost"), table["cost"]
    if isinstance(bits, Mapping):
        yield from ((("cost", str(key)), cost) for key, cost in bits.items() if isinstance(cost, Mapping))


def _broken_costs(elementary: object, bits: object) -> Iterator[BrokenRule]:
    """Costs with invalid names: each must be an identifier, and not the name of a figure.

    Both costs and figures occur in bounds and objectives.
    """
    for table, cost in _tables_of_costs(elementary, bits):
        for word in cost:
            place, what = (*table, word), f"'{shown_path(table)}' has the name {word!r}"
            if word in FIGURES:
                yield BrokenRule("bad-value", place, f"{what}, which is a figure of every design", "take another name")
            elif not (word.isascii() and word.isidentifier()):
                hint = "take letters, digits and _, as in lut or dsp"
                yield BrokenRule("bad-value", place, f"{what}, which is no name", hint)


def _unknown_bit_costs(elementary: object, bits: object, *, derived: bool) -> Iterator[BrokenRule]:
    """Costs of bits that no elementary has, given or derived: a cost of bits is added to that of units."""
    known = dict.fromkeys(word for _, cost in _tables_of_costs(elementary, None) for word in cost)
    known |= dict.fromkeys(COSTS if derived else ())
    for key, rates in bits.items() if isinstance(bits, Mapping) else ():
        for word in rates if isinstance(rates, Mapping) else ():
            if word not in known and word not in FIGURES and str(word).isidentifier():
                message = f"'cost.{key}' has the cost {word!r}, which no elementary has"
                hint = did_you_mean(word, known) or f"costs of elementaries: {', '.join(known) or 'none'}"
                yield BrokenRule("bad-value", ("cost", key, word), message, hint)


def _too_slow(elementary: object, clock_mhz: object) -> Iterator[BrokenRule]:
    for path, table in _tables(elementary):
        reached = table.get("clock_mhz")
        if _is_number(reached) and _is_number(clock_mhz) and 0 < reached < clock_mhz:
            place = (*path, "clock_mhz")
            message = f"'{shown_path(place)}' is {reached:g}, and the platform's clock is {clock_mhz:g}"
            hint = "lower the platform's clock_mhz, or give the figures of a datapath that reaches it"
            yield BrokenRule("bad-value", place, message, hint)


def _measured_twice(elementary: object) -> Iterator[BrokenRule]:
    seen: set[tuple[KeyPath, Any]] = set()
    for path, table in _tables(elementary):
        interval = table.get("interval")
        if len(path) == 2 or not isinstance(interval, int):
            continue
        if (path[:-1], interval) in seen:
            message = f"'{shown_path(path[:-1])}' has the interval {interval} twice"
            yield BrokenRule("bad-value", path, message, "keep one of the two")
        seen.add((path[:-1], interval))


def _of_modules(elementary: object) -> Iterator[BrokenRule]:
    """What is said of a module that is not named, and what interval and latency of a module say already."""
    has_module = False
    for path, table in _tables(elementary):
        has_module = "module" in table if len(path) == 2 else has_module  # its measurements follow it
        for key in table:
            place = (*path, key)
            if key in ("enable", "verilog") and not has_module:
                hint = "name the module that it belongs to, or delete it"
                yield BrokenRule("bad-value", place, f"'{shown_path(place)}' is given without 'module'", hint)
            if key == "recurrence" and has_module:
                hint = "delete it: interval and latency of a module say when its states are there"
                yield BrokenRule("bad-value", place, f"'{shown_path(place)}' is given beside 'module'", hint)


def _is_number(value: object) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


_CYCLES_0 = "a whole number of cycles, 0 or more"
_CYCLES_1 = "a whole number of cycles, 1 or more"
_COSTS = "numbers by name, as { lut = 96, dsp = 2 }"
_PICOJOULES = "a number of picojoules, 0 or more"
_MEGAHERTZ = "a number of megahertz above 0"


def _intervals(value: object) -> tuple[int, ...]:
    """Ascending, whatever the order in the file."""
    intervals: list[Any] = list(value) if isinstance(value, list | tuple) else [value]
    if not intervals or not all(map(is_count, intervals)) or len(set(intervals)) < len(intervals):
        raise PydanticCustomError("intervals", "no intervals")
    return tuple(sorted(intervals))


def _recurrence(value: object) -> int | dict[str, int]:
    if isinstance(value, int) and is_count(value):
        return value
    if isinstance(value, Mapping) and value and all(map(is_count, value.values())):
        return {str(port): cycles for port, cycles in value.items()}
    raise PydanticCustomError("recurrence", "no recurrence")


_IntervalsForm = Count | Annotated[list[Count], Field(min_length=1, json_schema_extra={"uniqueItems": True})]
_RecurrenceForm = Count | Annotated[dict[str, Count], Field(min_length=1)]
Recurrence = Annotated[int | dict[str, int], PlainValidator(_recurrence, json_schema_input_type=_RecurrenceForm)]
Costs = Annotated[dict[str, Amount], Field(json_schema_extra=COST_NAMES)]
_RECURRENCE = f"{_CYCLES_1}, or a table of such by input port, as {{ left = 4, up = 2 }}"


class VerilogFile(NamedTuple):
    """A file of a user's Verilog: its name without folders, and its text."""

    name: str
    text: str


LARGEST_FILE = 1 << 24  # bytes of a file of Verilog


def _verilog(value: object, info: ValidationInfo) -> tuple[VerilogFile, ...]:
    """Files by their paths from the platform's file on."""
    paths: list[Any] = list(value) if isinstance(value, list | tuple) else [value]
    if paths and all(isinstance(path, VerilogFile) for path in paths):
        return tuple(paths)
    if not paths or not all(isinstance(path, str) and path for path in paths):
        raise PydanticCustomError("verilog", "no files")
    file = info.context if isinstance(info.context, TomlFile) else None
    return tuple(VerilogFile(Path(path).name, text_of_named_file(file, path, LARGEST_FILE)) for path in paths)


def _paths_of(files: tuple[VerilogFile, ...]) -> list[str]:
    return [file.name for file in files]


_VerilogForm = Annotated[list[Annotated[str, Field(min_length=1)]], Field(min_length=1)]
VerilogFiles = Annotated[
    tuple[VerilogFile, ...],
    PlainValidator(_verilog, json_schema_input_type=_VerilogForm),
    PlainSerializer(_paths_of, return_type=list[str]),
]
_MODULE_NAME = r"[A-Za-z_][A-Za-z0-9_]*"


class Measured(Table):
    """One of `measured`: what was seen of the datapath at one interval, as after synthesis; each key stands alone."""

    interval: Whole = Field(ge=1, description=_CYCLES_1)
    latency: Whole | None = Field(default=None, ge=0, description=_CYCLES_0)
    recurrence: Recurrence | None = Field(default=None, description=_RECURRENCE)
    cost: Costs = Field(default_factory=dict, description=_COSTS)
    energy_pj: Amount | None = Field(default=None, description=_PICOJOULES)
    clock_mhz: Positive | None = Field(default=None, description=_MEGAHERTZ)


class ElementaryEntry(Table):
    """The datapath of one computation unit, as far as it is given.

    `interval` in cycles from start to start of a repetition, one or several to choose from; `initiation_interval` the
    same in cycles per datum of the largest output port. `latency` in cycles, `recurrence` the cycles until a delayed
    output can be read, `cost` per unit, by names as those of consts, `energy_pj` of the operators and registers of one
    repetition, `clock_mhz` the clock that the datapath reaches. `measured` goes before all of these. A `module` in
    files of `verilog` computes the task in place of a derived datapath; while its input `enable` is 0, it stands still.
    """

    initiation_interval: Whole | None = Field(default=None, ge=1, description=_CYCLES_1)
    interval: Annotated[tuple[int, ...], PlainValidator(_intervals, json_schema_input_type=_IntervalsForm)] | None = (
        Field(default=None, description=f"{_CYCLES_1}, or a list of such, each once")
    )
    latency: Whole | None = Field(default=None, ge=0, description=_CYCLES_0)
    recurrence: Recurrence | None = Field(default=None, description=_RECURRENCE)
    cost: Costs = Field(default_factory=dict, description=_COSTS)
    energy_pj: Amount | None = Field(default=None, description=_PICOJOULES)
    clock_mhz: Positive | None = Field(default=None, description=_MEGAHERTZ)
    module: str | None = Field(default=None, pattern=f"^{_MODULE_NAME}$", description="the name of a Verilog module")
    enable: str | None = Field(default=None, pattern=f"^{_MODULE_NAME}$", description="the name of an input of it")
    verilog: VerilogFiles = Field(default=(), description="a list of paths of files, from the platform's file on")
    measured: Annotated[tuple[Measured, ...], BeforeValidator(frozen_list)] = Field(
        default=(), description="a list of tables, [[elementary.NAME.measured]]"
    )

    @property
    def intervals(self) -> tuple[int, ...]:
        """The intervals that `measured` and `interval` name, ascending; none where neither is written."""
        return tuple(sorted({*(self.interval or ()), *(measured.interval for measured in self.measured)}))

    @property
    def cost_names(self) -> tuple[str, ...]:
        """The names of all costs that stand here, in their order."""
        return tuple(
            dict.fromkeys(name for cost in (self.cost, *(measured.cost for measured in self.measured)) for name in cost)
        )

    def measured_at(self, interval: int) -> Measured | None:
        """The measurement at an interval; None if there is none."""
        return next((measured for measured in self.measured if measured.interval == interval), None)
