"""The platform: what is known of memories and datapaths (docs/platform.md), read from TOML."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Self, TypeVar

from pydantic import ConfigDict, Field, PlainSerializer, PlainValidator, PrivateAttr, ValidationInfo, model_validator
from pydantic.config import JsonDict
from pydantic_core import PydanticCustomError

from arrayol.errors import ArrayolError, Diagnostic
from arrayol.files import shipped_folder
from arrayol.ir import syntax
from arrayol.ir.expressions import reads_by_data
from arrayol.ir.network import Network, Process
from arrayol.ir.spec import Elementary, Spec
from arrayol.language.parameters.copies import component_name
from arrayol.language.syntax.diagnose import closest, did_you_mean
from arrayol.source import Span
from hwmodel.datapath.choices import DatapathChoices, Ground, Pairs
from hwmodel.datapath.cost_models import has_cost_model
from hwmodel.datapath.derive import FETCH_CYCLES, Derivation, Derived, derivation_of
from hwmodel.datapath.entry import Costs, ElementaryEntry, broken_entries
from hwmodel.datapath.figures import Datapath
from hwmodel.datapath.operators.bins import Bins
from hwmodel.datapath.technology.capacities import capacities_of
from hwmodel.datapath.technology.rows import NO_OPERATORS, OperatorsField, broken_operators
from hwmodel.datapath.technology.technology import Technology, load_technology, shipped_technologies
from hwmodel.platform_memories import LEAST_LATENCY, Channel, ExternalMemory, LocalMemory
from hwmodel.toml_model import (
    RULE,
    BrokenRule,
    KeyPath,
    Positive,
    Table,
    TomlFile,
    read_toml,
    shown_path,
    validate,
)

Value = TypeVar("Value")


class BitCosts(Table):
    """`[cost]`: what one bit of a ROM, or of the locals of a unit, adds to the costs of units of the same names."""

    rom_bits: Costs = Field(default_factory=dict, description="numbers by name, as { lut = 0.02 }")
    local_bits: Costs = Field(default_factory=dict, description="numbers by name, as { ff = 1 }")


@dataclass(frozen=True)
class _Origin:
    """The file a platform came from; no part of its equality."""

    file: TomlFile | None = field(default=None, compare=False, repr=False)


class _Memory:
    """What was asked for; no part of a platform's equality, and not pickled with it."""

    def __init__(self) -> None:
        self._choices: dict[int, DatapathChoices] = {}  # by identity: a process is hashed by all its content
        self._datapaths: dict[tuple[int, int | None], Datapath] = {}
        self._cost_names: dict[int, tuple[str, ...]] = {}
        self._once: dict[str, Any] = {}

    def once(self, name: str, make: Callable[[], Value]) -> Value:
        """What `make` returns, made once for each name."""
        if name not in self._once:
            self._once[name] = make()
        value: Value = self._once[name]
        return value

    def choices(self, process: Process, make: Callable[[], DatapathChoices]) -> DatapathChoices:
        """Datapath choices of a process; they hold it, so that no other takes its identity."""
        if id(process) not in self._choices:
            self._choices[id(process)] = make()
        return self._choices[id(process)]

    def datapath(self, choices: DatapathChoices, interval: int | None) -> Datapath:
        """One of them."""
        key = id(choices.process), interval
        if key not in self._datapaths:
            self._datapaths[key] = choices.at(choices.intervals[0] if interval is None else interval)
        return self._datapaths[key]

    def cost_names(self, choices: DatapathChoices) -> tuple[str, ...]:
        """The costs of a process that all its intervals have."""
        key = id(choices.process)
        if key not in self._cost_names:
            costs = [self.datapath(choices, interval).cost for interval in choices.intervals]
            self._cost_names[key] = tuple(name for name in costs[0] if all(name in cost for cost in costs))
        return self._cost_names[key]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Memory)

    __hash__ = None  # type: ignore[assignment]  # as that of the platform's other tables

    def __reduce__(self) -> tuple[type[_Memory], tuple[()]]:
        return _Memory, ()


def _technology(value: object, info: ValidationInfo) -> Technology:
    """A technology by its name, or by its path from the platform's file on."""
    if isinstance(value, Technology):
        return value
    if not isinstance(value, str) or not value:
        raise PydanticCustomError("technology", "not a technology")
    file = info.context if isinstance(info.context, TomlFile) else None
    is_path = "/" in value or value.endswith(".toml")
    named = Path(file.source.name).parent / value if file and is_path else value
    return load_technology(named, file.span(("technology",)) if file else None)


def _name_of(technology: Technology | None) -> str | None:
    return technology.name if technology is not None else None


_SHIPPED = [f'"{name}"' for name in shipped_technologies()]
TechnologyField = Annotated[
    Technology,
    PlainValidator(_technology, json_schema_input_type=Annotated[str, Field(min_length=1)]),
    PlainSerializer(_name_of),
    Field(description=f"{', '.join(_SHIPPED)}, or the path of a TOML file"),
]


def _cost_models(value: object) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not all(map(has_cost_model, value)):
        raise PydanticCustomError("cost_models", "not cost models")
    return tuple(value)


CostModelsField = Annotated[
    tuple[str, ...],
    PlainValidator(_cost_models, json_schema_input_type=list[str]),
    Field(description="a list of cost models that are installed"),
]


def _constant(value: object) -> int | float | bool:
    if isinstance(value, int) or (isinstance(value, float) and math.isfinite(value)):
        return value
    raise PydanticCustomError("constant", "not a constant")


Constant = Annotated[
    int | float | bool,
    PlainValidator(_constant, json_schema_input_type=int | float | bool),
    Field(description="a number, true or false"),
]


def _derived(elementary: Elementary, delays: Pairs, *, technology: Technology, clock_mhz: float) -> Derivation:
    return derivation_of(elementary, technology, clock_mhz, delays)


_PLATFORM_RULES: JsonDict = {  # those of `_broken_rules` over several tables, for JSON Schema
    "dependentRequired": {
        "technology": ["clock_mhz"],
        **{key: ["technology"] for key in ("operators", "device", "area_um2")},
    },
    "if": {"required": ["memory"], "properties": {"memory": {"required": ["rows"]}}},
    "then": {"required": ["clock_mhz"]},
}


class Platform(Table):
    """A whole platform file; without `clock_mhz` there are only cycles.

    `technology` derives the datapaths that `elementary` does not give, with single rows of `operators` in place of its
    own. With `assume_datapaths` what neither says has an initiation interval of 1. `device` is one of the technology's,
    or `area_um2` what there is of silicon: whole designs have to fit.

    `verify` holds consts of the spec that make it small: designs are simulated at that size.
    """

    model_config = ConfigDict(json_schema_extra=_PLATFORM_RULES)

    clock_mhz: Positive | None = Field(default=None, description="a number of megahertz above 0")
    technology: TechnologyField | None = Field(
        default=None, description=f"{', '.join(_SHIPPED)}, or the path of a TOML file"
    )
    device: str | None = Field(default=None, min_length=1, description="the name of a device of the technology")
    area_um2: Positive | None = Field(default=None, description="a number of um2 above 0")
    operators: OperatorsField = Field(default=NO_OPERATORS, exclude=True, description="a table of operators")
    memory: ExternalMemory
    local: LocalMemory = LocalMemory()
    elementary: dict[str, ElementaryEntry] = Field(default_factory=dict, description="tables, [elementary.NAME]")
    cost: BitCosts = BitCosts()
    verify: dict[str, Constant] = Field(default_factory=dict, description="consts by name, as { H = 20 }")
    assume_datapaths: bool = Field(default=False, description="true or false")
    cost_models: CostModelsField = Field(default=(), description="a list of cost models that are installed")
    _origin: _Origin = PrivateAttr(default_factory=_Origin)
    _memory: _Memory = PrivateAttr(default_factory=_Memory)

    def model_post_init(self, context: Any, /) -> None:
        """Keep the file that validation gives as context, for places in later messages."""
        if isinstance(context, TomlFile):
            self._origin = _Origin(context)

    @property
    def channels(self) -> tuple[Channel, ...]:
        """The kinds of channels of the external memory: today that of `[memory]`, of which there may be several.

        What holds for one kind only unpacks it, `(channel,) = platform.channels`, and fails where there are others.
        With a technology a latency below `LEAST_LATENCY` counts as that.
        """
        latency = self.memory.latency
        if self.technology is None or latency is None or latency >= LEAST_LATENCY:
            return (self.memory,)
        return (self.memory.model_copy(update={"latency": LEAST_LATENCY}),)

    def channel_of(self, array: str) -> Channel:
        """The channel in whose addresses an array lies."""
        (channel,) = self.channels
        return channel

    @property
    def has_rows(self) -> bool:
        """Whether a channel has the open-row model, in which cycles depend on where arrays lie."""
        return any(channel.rows is not None for channel in self.channels)

    def place(self, *path: str) -> Span | None:
        """Where a key stands in the platform's file, if it came from one."""
        return self._origin.file.span(path) if self._origin.file else None

    def entry(self, elementary: str) -> ElementaryEntry:
        """What is given of an elementary task; nothing where it has no entry."""
        return self.elementary.get(elementary, ElementaryEntry())

    def intervals(self, process: Process) -> tuple[int, ...]:
        """The cycles from start to start of a repetition among which a design chooses, ascending.

        Raises ArrayolError as `datapath`.
        """
        return self._choices(process).intervals

    def lookups(self, process: Process, port: str) -> int:
        """The number of elements of an input for which a repetition asks its memory: 0 where all are read."""
        elementary, technology, clock = process.definition, self.prices, self.clock_mhz
        if elementary is None or technology is None or clock is None or self.entry(process.elementary).module:
            return 0
        if not reads_by_data(elementary.body or (), port):
            return 0  # without a look at the graph, which is not made of bodies that are too large
        return derivation_of(elementary, technology, clock, process.state_pairs).graph.lookups(port)

    def datapath(self, process: Process, interval: int | None = None) -> Datapath:
        """The datapath of a unit of a process at an interval in cycles; without one at the least on offer.

        Raises ArrayolError (`no-datapath` and what derivations raise) for a process that has none here.
        """
        return self._memory.datapath(self._choices(process), interval)

    def bins(self, process: Process) -> tuple[Bins, ...]:
        """The memories in a unit of a process, to whose words sums are added at subscripts that data decide."""
        return self._choices(process).bins

    def cost_names(self, process: Process) -> tuple[str, ...]:
        """The costs that a process has at every interval on offer."""
        return self._memory.cost_names(self._choices(process))

    def all_cost_names(self, network: Network) -> tuple[str, ...]:
        """The costs that some process of a network has at every interval on offer."""
        return tuple(dict.fromkeys(name for one in network.processes.values() for name in self.cost_names(one)))

    def require_datapaths(self, network: Network) -> None:
        """Raises ArrayolError with every elementary of a network that has no datapath here: `no-datapath` or another.

        Of intervals that are derived the least stands for all.
        """
        mistakes: dict[str, ArrayolError] = {}
        for process in network.processes.values():
            try:
                given = self.entry(process.elementary).intervals
                for interval in given or (None,):
                    self.datapath(process, interval)
            except ArrayolError as mistake:
                mistakes.setdefault(process.elementary, mistake)
        if mistakes:
            raise ArrayolError([diagnostic for mistake in mistakes.values() for diagnostic in mistake.diagnostics])

    def derived(self, process: Process, interval: int, latency: int) -> Derived | None:
        """The derived datapath that keeps an interval and a latency in cycles, without those of the local memory.

        Results wait for the cycle of the latency. Its clock is below the platform's where that takes fewer registers.
        A read at a place that depends on data takes the cycles of the hardware, whatever `fetch_cycles` are. None where
        no clock has one, or nothing is derived.

        Raises ArrayolError as `derivation_of`.
        """
        technology, clock, definition = self.prices, self.clock_mhz, process.definition
        if technology is None or clock is None or definition is None or definition.body is None:
            return None
        built = self.once("built", lambda: technology.accessed_in(FETCH_CYCLES))
        found = derivation_of(definition, built, clock, process.state_pairs).within(interval, latency)
        return found.leaving_after(latency) if found is not None else None

    def _choices(self, process: Process) -> DatapathChoices:
        return self._memory.choices(
            process, lambda: DatapathChoices(process, self.entry(process.elementary), self._ground())
        )

    def _ground(self) -> Ground:
        technology, clock = self.prices, self.clock_mhz
        cycles = self.local_cycles
        if technology is None or clock is None:
            return Ground(None, cycles, self.assume_datapaths, self.cost_models)
        derive = partial(_derived, technology=technology, clock_mhz=clock)
        return Ground(derive, cycles, self.assume_datapaths, self.cost_models)

    @property
    def local_cycles(self) -> int:
        """The cycles of a fetch and a store together; with a technology at least those of the hardware."""
        return max(self.local.cycles, FETCH_CYCLES if self.technology is not None else 0)

    @property
    def prices(self) -> Technology | None:
        """The technology with the rows that the platform overrides; None where it names none.

        One more read of the local memory (`access`) takes its `fetch_cycles`, at least those of the hardware, unless
        `[operators]` has a row for it.
        """
        technology = self.technology
        if technology is None:
            return None
        cycles = max(FETCH_CYCLES, self.local.fetch_cycles)
        return self.once("prices", lambda: technology.accessed_in(cycles).overridden(self.operators))

    @property
    def capacities(self) -> Mapping[str, float]:
        """What whole designs may have at most, by figure: those of the device, or `area` in um2; empty without either.

        Raises ArrayolError (`unknown-device`) for a device that the technology does not have.
        """
        return capacities_of(self.technology, self.device, self.area_um2, self._place_of_device)

    @property
    def _place_of_device(self) -> Span | None:
        return self.place("device" if self.device is not None else "area_um2")

    @property
    def device_text(self) -> str:
        """The device, or the area that there is, for people; empty where designs may have any size."""
        return self.device or (f"{self.area_um2:,g} um2" if self.area_um2 is not None else "")

    def once(self, name: str, make: Callable[[], Value]) -> Value:
        """What `make` says of this platform, made once for each name."""
        return self._memory.once(name, make)

    @property
    def counts_blocks(self) -> bool:
        """Whether memories are counted in blocks: those of a size, or those of the technology."""
        kinds = self.prices.memory_kinds if self.prices is not None else ()
        return self.local.block_bits is not None or any(kind.blocks for kind in kinds)

    def __copy__(self) -> Self:
        """A copy starts without what is remembered: `model_copy` may give it other entries."""
        copied = super().__copy__()
        copied._memory = _Memory()  # noqa: SLF001  its own class
        return copied

    @model_validator(mode="after")
    def _keeps_the_rules(self) -> Self:
        for broken in _broken_rules(self.model_dump(exclude_unset=True, exclude_none=True)):
            raise PydanticCustomError(RULE, "{message}", {"message": broken.message})
        return self


def _broken_rules(values: Mapping[str, Any]) -> Iterator[BrokenRule]:
    """What the file must keep of several keys together; `values` may hold other mistakes."""
    yield from broken_entries(values)
    yield from broken_operators(values.get("operators"))
    if "technology" in values and "clock_mhz" not in values:
        message = "'technology' has costs by clock, and 'clock_mhz' is missing"
        yield BrokenRule("missing-key", ("technology",), message, "give clock_mhz = MHZ at the top of the file")
    if "operators" in values and "technology" not in values:
        message = "'operators' overrides rows of a technology, and 'technology' is missing"
        hint = 'give technology = "ecp5-6", or another, at the top of the file'
        yield BrokenRule("missing-key", ("operators",), message, hint)
    for key in ("device", "area_um2"):
        if key in values and "technology" not in values:
            message = f"'{key}' is compared with costs of a technology, and 'technology' is missing"
            yield BrokenRule("missing-key", (key,), message, 'give technology = "ecp5-6", or another')
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
    yield from _broken_bursts(memory)
    if "rows" in memory and "clock_mhz" not in values:
        message = "'memory.rows' is in nanoseconds, and 'clock_mhz' is missing"
        yield BrokenRule("missing-key", ("memory", "rows"), message, "give clock_mhz = MHZ at the top of the file")


def _broken_bursts(memory: Mapping[str, Any]) -> Iterator[BrokenRule]:
    """What keys of bursts must keep together."""
    bits, outstanding = memory.get("word_bits"), memory.get("outstanding", 1)
    if memory.get("burst") == "run" and isinstance(bits, int) and bits % 8:
        message = f"'memory.burst' is \"run\", which counts addresses in bytes, and a word has {bits} bits"
        hint = "make word_bits a multiple of 8, or give data_per_word instead"
        yield BrokenRule("bad-value", ("memory", "word_bits"), message, hint)
    if "rows" in memory and isinstance(outstanding, int) and outstanding > 1:
        message = f"'memory.outstanding' is {outstanding}, and 'memory.rows' serves one burst after another"
        yield BrokenRule("bad-value", ("memory", "outstanding"), message, "leave 'outstanding' or 'rows' out")
    channels = memory.get("channels", 1)
    if "rows" in memory and isinstance(channels, int) and channels > 1:
        message = f"'memory.channels' is {channels}, and 'memory.rows' is about one memory"
        yield BrokenRule("bad-value", ("memory", "channels"), message, "leave 'channels' or 'rows' out")
    if outstanding != 1 and memory.get("burst", "box") == "box" and "rows" not in memory:
        message = "'memory.outstanding' is about requests of runs, and 'memory.burst' is \"box\""
        yield BrokenRule("bad-value", ("memory", "outstanding"), message, 'give burst = "run", or leave it out')


def load_platform(path: Path | str) -> Platform:
    """Read a platform from a TOML file. Raises ArrayolError with every mistake of the file.

    >>> api.load_platform("conv3x3.toml").clock_mhz
    100.0
    """
    platform = validate(read_toml(Path(path)), Platform, _broken_rules)
    _ = platform.capacities  # raises for an unknown device
    return platform


NO_DEVICE = "none"  # in place of a device's name: designs of any size


def on_device(platform: Platform, name: str | None) -> Platform:
    """The platform with another device, or none of them for NO_DEVICE; as it is for None.

    Raises ArrayolError (`unknown-device`) for a name that the technology does not have.
    """
    if name is None:
        return platform
    device = None if name == NO_DEVICE else name
    taken = platform.model_copy(update={"device": device, "area_um2": None})
    _ = taken.capacities
    return taken


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

    `unknown-elementary` in `[elementary.NAME]`, `unknown-port` in a table of recurrences, `unknown-setting` in
    `[verify]`.
    """
    written = {item.name.text for item in spec.items if isinstance(item, syntax.Elementary)}
    known = {*spec.elementaries, *map(spec.definition_of, spec.elementaries), *written}
    unknown = (name for name in platform.elementary if component_name(spec, name) not in known and name not in known)
    strangers = [_stranger(platform, spec, name) for name in unknown]
    strangers += _unknown_ports(platform, spec)
    strangers += [_unknown_const(platform, spec, name) for name in platform.verify if name not in spec.constants]
    if strangers:
        raise ArrayolError(strangers)


def _unknown_ports(platform: Platform, spec: Spec) -> Iterator[Diagnostic]:
    """Ports of recurrences that no elementary of the entry's name, or of its definition, has as inputs."""
    for name, entry in platform.elementary.items():
        own = component_name(spec, name) or name
        ports = {
            port.name: None
            for elementary in spec.elementaries
            if own in (elementary, spec.definition_of(elementary))
            for port in spec.components[elementary].inputs
        }
        for path, port in _named_ports(name, entry) if ports else ():
            if port not in ports:
                hint = did_you_mean(port, ports) or f"inputs of '{own}': {', '.join(ports)}"
                message = f"'{shown_path(path)}' names '{port}', which is no input of '{own}'"
                yield Diagnostic("unknown-port", message, platform.place(*path), hint)


def _named_ports(name: str, entry: ElementaryEntry) -> Iterator[tuple[KeyPath, str]]:
    """The ports that tables of recurrences name, with the paths of these tables."""
    path = "elementary", name
    recurrences: dict[KeyPath, object] = {path: entry.recurrence}
    recurrences |= {(*path, "measured", str(at)): one.recurrence for at, one in enumerate(entry.measured)}
    for place, wait in recurrences.items():
        yield from (((*place, "recurrence"), port) for port in (wait if isinstance(wait, Mapping) else ()))


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
