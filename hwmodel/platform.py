"""The platform: what is known of memories and datapaths (docs/platform.md), read from TOML."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, PlainValidator, PrivateAttr, model_validator
from pydantic_core import PydanticCustomError

from arrayol.errors import ArrayolError, Diagnostic
from arrayol.files import shipped_folder
from arrayol.ir import syntax
from arrayol.ir.network import Process
from arrayol.ir.spec import Spec
from arrayol.language.diagnose import closest, did_you_mean
from arrayol.language.typed_names import component_name
from arrayol.source import Span
from hwmodel.datapath.entry import ElementaryEntry
from hwmodel.datapath.figures import Datapath
from hwmodel.toml_model import RULE, BrokenRule, TomlFile, read_toml, validate
from hwmodel.toml_values import Amount, Real, Table, Whole


class RowModel(Table):
    """`[memory.rows]`: the open-row model of the external memory; row k is in bank k mod banks."""

    row_bytes: Whole = Field(ge=1, description="a whole number of bytes, 1 or more")
    banks: Whole = Field(default=8, ge=1, description="a whole number of banks, 1 or more")
    word_ns: Real = Field(gt=0, description="a number of nanoseconds above 0")
    row_change_ns: Real = Field(ge=0, description="a number of nanoseconds, 0 or more")
    same_bank_activate_ns: Real = Field(ge=0, description="a number of nanoseconds, 0 or more")


class ExternalMemory(Table):
    """`[memory]`: one address space, arrays row-major. `latency` is L_m in cycles, `data_per_word` is m."""

    latency: Whole | None = Field(default=None, ge=0, description="a whole number of cycles, 0 or more")
    data_per_word: Whole | None = Field(default=None, ge=1, description="a whole number of data, 1 or more")
    word_bits: Whole | None = Field(default=None, ge=1, description="a whole number of bits, 1 or more")
    port: Literal["shared", "separate"] = Field(default="shared", description='"shared" or "separate"')
    rows: RowModel | None = None


class LocalMemory(Table):
    """`[local]`: single-ported memories beside the processors."""

    banks: Whole = Field(default=8, ge=1, description="a whole number of banks, 1 or more")
    access_cycles: Whole = Field(default=1, ge=1, description="a whole number of cycles, 1 or more")
    block_bits: Whole | None = Field(default=None, ge=1, description="a whole number of bits, 1 or more")


class BitCosts(Table):
    """`[cost]`: what one bit of a ROM, or of the locals of a unit, adds to the costs of units of the same names."""

    rom_bits: dict[str, Amount] = Field(default_factory=dict, description="numbers by name, as { lut = 0.02 }")
    local_bits: dict[str, Amount] = Field(default_factory=dict, description="numbers by name, as { ff = 1 }")


@dataclass(frozen=True)
class _Origin:
    """The file a platform came from; no part of its equality."""

    file: TomlFile | None = field(default=None, compare=False, repr=False)


def _constant(value: object) -> int | float | bool:
    if isinstance(value, int) or (isinstance(value, float) and math.isfinite(value)):
        return value
    raise PydanticCustomError("constant", "not a constant")


Constant = Annotated[int | float | bool, PlainValidator(_constant), Field(description="a number, true or false")]


class Platform(Table):
    """A whole platform file; without `clock_mhz` there are only cycles.

    `verify` holds consts of the spec that make it small: designs are simulated at that size.
    """

    clock_mhz: Real | None = Field(default=None, gt=0, description="a number of megahertz above 0")
    memory: ExternalMemory
    local: LocalMemory = LocalMemory()
    elementary: dict[str, ElementaryEntry] = Field(default_factory=dict, description="tables, [elementary.NAME]")
    cost: BitCosts = BitCosts()
    verify: dict[str, Constant] = Field(default_factory=dict, description="consts by name, as { H = 20 }")
    _origin: _Origin = PrivateAttr(default_factory=_Origin)

    def model_post_init(self, context: Any, /) -> None:
        """Keep the file that validation gives as context, for places in later messages."""
        if isinstance(context, TomlFile):
            self._origin = _Origin(context)

    def place(self, *path: str) -> Span | None:
        """Where a key stands in the platform's file, if it came from one."""
        return self._origin.file.span(path) if self._origin.file else None

    def entry(self, elementary: str) -> ElementaryEntry:
        """What is given of an elementary task; nothing where it has no entry."""
        return self.elementary.get(elementary, ElementaryEntry())

    def intervals(self, process: Process) -> tuple[int, ...]:
        """The cycles from start to start of a repetition among which a design chooses, ascending."""
        return (largest_output(process) * self.entry(process.elementary).initiation_interval,)

    def datapath(self, process: Process, interval: int | None = None) -> Datapath:
        """The datapath of a unit of a process at an interval in cycles; without one at the least on offer."""
        entry = self.entry(process.elementary)
        wait = entry.recurrence
        recurrence = {(delay.output, delay.port): wait for delay in process.delays} if wait is not None else {}
        return Datapath(interval or self.intervals(process)[0], entry.latency, recurrence, 0, entry.cost)

    @model_validator(mode="after")
    def _keeps_the_rules(self) -> Self:
        for broken in _broken_rules(self.model_dump(exclude_unset=True, exclude_none=True)):
            raise PydanticCustomError(RULE, "{message}", {"message": broken.message})
        return self


FIGURES = frozenset(  # what every design has: no cost may be called so
    {
        *("latency_cycles", "internal_memory_data", "internal_memory_bits", "traffic_bytes", "units"),
        *("frame_cycles", "memory_blocks", "latency_microseconds", "frames_per_second"),
        *("setup_cycles", "setup_bytes", "rom_bits", "local_bits"),
    }
)


def _broken_costs(elementary: object, bits: object) -> Iterator[BrokenRule]:
    """Costs stand in bounds, objectives and tables beside figures: names as those of consts, and none of a figure."""
    paths = elementary.items() if isinstance(elementary, Mapping) else ()
    tables: dict[tuple[str, ...], object] = {
        ("elementary", name, "cost"): path.get("cost") for name, path in paths if isinstance(path, Mapping)
    }
    if isinstance(bits, Mapping):
        tables |= {("cost", str(key)): cost for key, cost in bits.items()}
    for table, cost in tables.items():
        for word in cost if isinstance(cost, Mapping) else ():
            place, what = (*table, word), f"'{'.'.join(table)}' has the name {word!r}"
            if word in FIGURES:
                yield BrokenRule("bad-value", place, f"{what}, which is a figure of every design", "take another name")
            elif not (word.isascii() and word.isidentifier()):
                hint = "take letters, digits and _, as in lut or energy_pj"
                yield BrokenRule("bad-value", place, f"{what}, which is no name", hint)


def _unknown_bit_costs(elementary: object, bits: object) -> Iterator[BrokenRule]:
    """A cost of bits adds to one of units: no elementary has another name."""
    paths = elementary.values() if isinstance(elementary, Mapping) else ()
    costs = [path.get("cost") for path in paths if isinstance(path, Mapping)]
    known = dict.fromkeys(word for cost in costs if isinstance(cost, Mapping) for word in cost)
    for key, rates in bits.items() if isinstance(bits, Mapping) else ():
        for word in rates if isinstance(rates, Mapping) else ():
            if word not in known and word not in FIGURES and str(word).isidentifier():
                message = f"'cost.{key}' has the cost {word!r}, which no elementary has"
                hint = did_you_mean(word, known) or f"costs of elementaries: {', '.join(known) or 'none'}"
                yield BrokenRule("bad-value", ("cost", key, word), message, hint)


def _broken_rules(values: Mapping[str, Any]) -> Iterator[BrokenRule]:
    """What the file must keep of several keys together; `values` may hold other mistakes."""
    yield from _broken_costs(values.get("elementary"), values.get("cost"))
    yield from _unknown_bit_costs(values.get("elementary"), values.get("cost"))
    memory = values.get("memory")
    if not isinstance(memory, Mapping):
        return
    # A misspelt key is told as such; it is not missing too.
    given = memory.keys() | {closest(key, ExternalMemory.model_fields) for key in memory}
    if not {"latency", "rows"} & given:
        message = "'memory' has neither 'latency' nor 'rows'"
        yield BrokenRule("missing-key", ("memory",), message, "give latency = CYCLES, or a table [memory.rows]")
    if not {"data_per_word", "word_bits"} & given:
        message = "'memory' has neither 'data_per_word' nor 'word_bits'"
        yield BrokenRule("missing-key", ("memory",), message, "give data_per_word = DATA, or word_bits = BITS")
    if {"data_per_word", "word_bits"} <= memory.keys():
        message = "'memory' has both 'data_per_word' and 'word_bits'"
        hint = "keep word_bits where arrays have several element types, else data_per_word"
        yield BrokenRule("bad-value", ("memory", "word_bits"), message, hint)
    if "rows" in memory and "clock_mhz" not in values:
        message = "'memory.rows' is in nanoseconds, and 'clock_mhz' is missing"
        yield BrokenRule("missing-key", ("memory", "rows"), message, "give clock_mhz = MHZ at the top of the file")


def load_platform(path: Path | str) -> Platform:
    """The platform of a TOML file. Raises ArrayolError with every mistake of the file (see `read_toml`, `validate`)."""
    return validate(read_toml(Path(path)), Platform, _broken_rules)


def largest_output(process: Process) -> int:
    """e: the data of the elementary's largest output port, 1 if it has none with data."""
    sizes = [math.prod(extent or 1 for extent in port.shape) for port in process.output_ports]
    return max(1, *sizes) if sizes else 1


DEFAULT_NAME = "default (shipped with arrayol)"
GIVEN_AS_OBJECT = "given as an object"  # by the Python interface


def platform_of(spec: Spec, given: Platform | Path | str | None) -> tuple[Platform, str]:
    """A platform, or that of a TOML file, for a specification, and the name to show for it: see `find_platform`.

    Raises ArrayolError as `load_platform` and `check_against` do.
    """
    if isinstance(given, Platform):
        platform, origin = given, GIVEN_AS_OBJECT
    else:
        platform, origin = find_platform(Path(spec.name), given)
    check_against(platform, spec)
    return for_copies(platform, spec), origin


def find_platform(spec_path: Path, given: Path | str | None) -> tuple[Platform, str]:
    """The platform a command uses and the name to show for it.

    `given` (--platform) wins; else the TOML file beside the spec with the spec's name; else the shipped default.
    """
    beside = spec_path.with_suffix(".toml")
    chosen = given if given is not None else beside if beside.exists() else None
    if chosen is None:
        return default_platform(), DEFAULT_NAME
    return load_platform(chosen), str(chosen)


def default_platform() -> Platform:
    """The platform that is shipped for specifications without one of their own."""
    return load_platform(shipped_folder() / "platforms" / "default.toml")


def for_copies(platform: Platform, spec: Spec) -> Platform:
    """The platform with entries for the copies of a specification: `[elementary.mac]` holds for `mac_3_16_8` too.

    Its own entry, under that name or as `"mac[3, 16, 8]"`, wins.
    """
    given = {component_name(spec, name) or name: path for name, path in platform.elementary.items()}
    for name in spec.elementaries:
        definition = spec.definition_of(name)
        if name not in given and definition in platform.elementary:
            given[name] = platform.elementary[definition]
    return platform.model_copy(update={"elementary": given}) if given != platform.elementary else platform


def check_against(platform: Platform, spec: Spec) -> None:
    """Raises ArrayolError for entries of what the spec does not have.

    `unknown-elementary` in `[elementary.NAME]`, `unknown-setting` in `[verify]`.
    """
    written = {item.name.text for item in spec.items if isinstance(item, syntax.Elementary)}
    known = {*spec.elementaries, *map(spec.definition_of, spec.elementaries), *written}
    unknown = (name for name in platform.elementary if component_name(spec, name) not in known and name not in known)
    strangers = [_stranger(platform, spec, name) for name in unknown]
    strangers += [_unknown_const(platform, spec, name) for name in platform.verify if name not in spec.constants]
    if strangers:
        raise ArrayolError(strangers)


def _unknown_const(platform: Platform, spec: Spec, name: str) -> Diagnostic:
    hint = did_you_mean(name, spec.constants) or f"consts of '{spec.name}': {', '.join(spec.constants) or 'none'}"
    return Diagnostic(
        "unknown-setting", f"'verify.{name}' is no const of the spec", platform.place("verify", name), hint
    )


def _stranger(platform: Platform, spec: Spec, name: str) -> Diagnostic:
    known = spec.elementaries
    hint = did_you_mean(name, known) or f"elementaries of '{spec.name}': {', '.join(known) or 'none'}"
    what = "is a task; only elementaries have a datapath" if name in spec.tasks else "is no elementary of the spec"
    return Diagnostic("unknown-elementary", f"'elementary.{name}' {what}", platform.place("elementary", name), hint)
