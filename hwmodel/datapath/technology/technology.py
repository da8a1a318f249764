"""A technology: a table of prices, read from TOML (docs/cost.md)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any

from pydantic import ConfigDict, Field, PlainValidator
from pydantic_core import PydanticCustomError

from arrayol.errors import error
from arrayol.language.syntax.diagnose import did_you_mean
from arrayol.plugins import TECHNOLOGIES, installed, plugin
from arrayol.source import Span
from arrayol.text import listed
from hwmodel.datapath.graph.graph import Operation
from hwmodel.datapath.operators.registry import NODES
from hwmodel.datapath.technology.formulas import Formula, FormulaError, constant, parse_formula
from hwmodel.datapath.technology.overhead import OverheadTable
from hwmodel.datapath.technology.rows import (
    COSTS,
    NO_OPERATORS,
    Device,
    DevicesField,
    FormulaForm,
    KindsField,
    MemoryKind,
    Operators,
    OperatorsField,
    Row,
    Wiring,
    as_formula,
    broken_kinds,
    broken_operators,
    checked,
)
from hwmodel.toml_model import RULE, Amount, BrokenRule, Real, Table, read_toml, validate

TABLES = Path(__file__).resolve().parent / "tables"
FIGURES = ("ns", *COSTS, "pj", "leakage")  # what `estimates` may name


class Register(Table):
    """`[path] register`: what one bit of a register costs, and takes in pJ in each cycle."""

    pj: Amount = 0
    lut: Amount = 0
    ff: Amount = 0
    area: Amount = 0


def _ns_or_like(schema: dict[str, Any]) -> None:
    """Whether `ns` may be left out says the file (`_path_or_like`)."""
    del schema["required"]


class PathTable(Table):
    """`[path]`: what is lost in each cycle, in ns, and what all operators have in common.

    With `whole` rows with `max_mhz` need the margin too: they were measured alone; wires of a whole design are longer.
    """

    model_config = ConfigDict(json_schema_extra=_ns_or_like)

    ns: Real = Field(ge=0, description="a number of nanoseconds, 0 or more")
    margin: Real = Field(default=1.0, ge=1, description="a number, 1 or more")
    whole: bool = Field(default=False, description="true or false")
    exchange: dict[str, Amount] = Field(default_factory=dict, description="numbers by cost, as { dsp = 200 }")
    register_bit: Register = Field(
        default=Register(ff=1), alias="register", description="a table, as { pj = 0.03, ff = 1 }"
    )


def _path(value: object) -> PathTable:
    path, broken = (value, []) if isinstance(value, PathTable) else checked(PathTable, value, ("path",))
    if path is None:
        raise PydanticCustomError(RULE, "{message}", {"message": broken[0].message})
    return path


PathField = Annotated[
    PathTable, PlainValidator(_path, json_schema_input_type=PathTable), Field(description="a table, [path]")
]


def _formula_of_rules(value: object) -> Formula:
    try:
        return as_formula(value)
    except PydanticCustomError as wrong:
        raise PydanticCustomError(RULE, "{message}", {"message": str(wrong)}) from None


class LocalTable(Table):
    """`[memory.local]`: energy of a bit of a memory of `bits`, and the memories that there are."""

    pj_per_bit: Annotated[
        Formula,
        PlainValidator(_formula_of_rules, json_schema_input_type=FormulaForm),
        Field(description="a formula of bits"),
    ] = constant(0)
    kind: KindsField = ()


class ExternalTable(Table):
    """`[memory.external]`: energy of a bit that goes over the port."""

    pj_per_bit: Amount = 0


class MemoryTable(Table):
    """`[memory]` of a technology."""

    local: LocalTable = LocalTable()
    external: ExternalTable = ExternalTable()


class LeakageTable(Table):
    """`[leakage]`: mW of one of each cost, or of one `bit` of local memory, used or not."""

    mw: dict[str, Amount] = Field(default_factory=dict, description="numbers by cost, as { lut = 0.0005 }")


_FigureForm = Annotated[str, Field(json_schema_extra={"enum": [*FIGURES]})]


def _figures(value: object) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not all(item in FIGURES for item in value):
        raise PydanticCustomError("figures", "not figures")
    return tuple(value)


def _path_or_like(schema: dict[str, Any]) -> None:
    """A file needs `[path]` with its `ns`, or is `like` one that has it."""
    schema["required"] = [name for name in schema["required"] if name != "path"]
    row = {"required": ["path"], "properties": {"path": {"required": ["ns"]}}}
    schema["anyOf"] = [row, {"required": ["like"]}]


class TechnologyTable(Table):
    """A whole technology file. `estimates` names the figures of which no number was measured or read in a source.

    What a file that is `like` a shipped one does not say is that one's.
    """

    model_config = ConfigDict(json_schema_extra=_path_or_like)

    title: str = Field(default="", description="a text")
    source: str = Field(default="", description="a text")
    estimates: Annotated[Any, PlainValidator(_figures, json_schema_input_type=list[_FigureForm])] = Field(
        default=(), description=f"a list of {listed(FIGURES, 'or')}"
    )
    path: PathField
    operators: OperatorsField = NO_OPERATORS
    memory: MemoryTable = MemoryTable()
    leakage: LeakageTable = LeakageTable()
    overhead: OverheadTable = OverheadTable()
    device: DevicesField = ()
    like: str = Field(default="", description="the name of a shipped technology")


def _broken_rules(values: Mapping[str, Any]) -> Iterator[BrokenRule]:
    """Mistakes inside rows, memories and formulas, which have no pydantic types."""
    if "path" in values:
        yield from checked(PathTable, values["path"], ("path",))[1]
    if "like" in values and values["like"] not in shipped_technologies():
        hint = f"it must be one of {listed(shipped_technologies(), 'or')}"
        yield BrokenRule("bad-value", ("like",), "'like' names no shipped technology", hint)
    yield from broken_operators(values.get("operators"))
    memory = values.get("memory")
    local = memory.get("local") if isinstance(memory, Mapping) else None
    if not isinstance(local, Mapping):
        return
    yield from broken_kinds(local.get("kind", []))
    if "pj_per_bit" in local:
        try:
            as_formula(local["pj_per_bit"])
        except PydanticCustomError as wrong:
            message = f"'memory.local.pj_per_bit' is no formula: {wrong}"
            hint = 'it must be a number, or a formula of bits as "0.156 * (bits/65536)**0.48"'
            yield BrokenRule("bad-value", ("memory", "local", "pj_per_bit"), message, hint)


@dataclass(frozen=True, slots=True)
class OperatorCost:
    """One operator at a clock: `ns` if it is combinational, else `cycles`; costs by name; pJ."""

    operator: str
    ns: float
    cycles: int
    every: int
    max_mhz: float | None
    cost: Mapping[str, float]
    pj: float
    estimate: bool


@dataclass(frozen=True)
class Technology:
    """Prices by operator. Two are equal if their tables are, with the rows that a platform overrides."""

    name: str
    identity: str
    table: TechnologyTable = field(compare=False, repr=False)

    def overridden(self, operators: Operators) -> Technology:
        """The technology with single rows replaced."""
        if not (operators.rows or operators.mux_in or operators.control):
            return self
        table = self.table.model_copy(update={"operators": operators.over(self.table.operators)})
        return replace(self, identity=_digest(self.identity + operators.text), table=table)

    def accessed_in(self, cycles: int) -> Technology:
        """The technology with an `access` (a further read of the local memory) of so many cycles."""
        rows = tuple(row.model_copy(update={"cycles": cycles}) for row in self.rows("access"))
        if rows == self.rows("access"):
            return self
        return self.overridden(Operators({"access": rows}))

    def room_ns(self, clock_mhz: float) -> float:
        """The time of a cycle for operators in ns, without clock to q, a wire and the margin; 0 or less for none."""
        return 1000 / (clock_mhz * self.table.path.margin) - self.table.path.ns

    @property
    def most_mhz(self) -> float:
        """The clock at which a cycle has no room left."""
        return 1000 / (max(self.table.path.ns, 1e-9) * self.table.path.margin)

    def rows(self, operator: str) -> tuple[Row, ...]:
        """The rows of an operator, or of one like it, slowest first; none if the table lacks both."""
        known, (name, point, kind) = self.table.operators.rows, operator.partition(".")
        like = NODES[name].like if name in NODES else ""
        return known.get(operator) or known.get(f"{like}{point}{kind}", ())

    def row(self, operator: str, clock_mhz: float) -> Row | None:
        """The first row that reaches the clock; rows with `max_mhz` were measured, and compare with `target_mhz`."""
        asked = self.target_mhz(clock_mhz)
        return next((row for row in self.rows(operator) if row.max_mhz is None or row.max_mhz >= asked), None)

    def target_mhz(self, clock_mhz: float) -> float:
        """Clock in MHz that a measured row must reach, with the margin if the table applies it to measurements."""
        return clock_mhz * self.table.path.margin if self.table.path.whole else clock_mhz

    def price(self, operation: Operation, row: Row) -> OperatorCost:
        """Evaluate the formulas of a row for an operation. Raises ArrayolError (`bad-formula`) if one has no value."""
        variables = _variables(operation)
        try:
            return OperatorCost(
                operation.operator,
                max(0.0, row.ns.value(variables)) if row.ns is not None else 0.0,
                row.cycles or 0,
                row.every,
                row.max_mhz,
                {name: value for name in COSTS if (value := max(0.0, getattr(row, name).value(variables)))},
                max(0.0, row.pj.value(variables)),
                row.estimate,
            )
        except FormulaError as wrong:
            raise error("bad-formula", f"'{operation.operator}' of technology '{self.name}': {wrong}") from None

    def mux_in(self, width: int, sources: int) -> tuple[float, Mapping[str, float]]:
        """Time in ns and costs of the multiplexer before an input of a shared operator."""
        if sources <= 1:
            return 0.0, {}
        known = self._muxes.get((width, sources))
        if known is None:
            known = self._muxes[width, sources] = self._wiring(self.table.operators.mux_in, width, sources)
        return known

    @cached_property
    def _muxes(self) -> dict[tuple[int, int], tuple[float, Mapping[str, float]]]:
        """A cache of multiplexers, by width and sources."""
        return {}

    def control(self, interval: int) -> Mapping[str, float]:
        """Costs of the counter that tells a folded datapath the cycle of its interval."""
        given = self.table.operators.control
        return self._wiring(given or _CONTROL, interval, interval)[1] if interval > 1 else {}

    def _wiring(self, wiring: Wiring | None, width: int, inputs: int) -> tuple[float, Mapping[str, float]]:
        if wiring is None:
            return 0.0, {}
        variables = _variables(Operation("mux_in", width, width, width, width, inputs))
        try:
            costs = {name: max(0.0, getattr(wiring, name).value(variables)) for name in ("lut", "ff", "area")}
            return max(0.0, wiring.ns.value(variables)), {name: value for name, value in costs.items() if value}
        except FormulaError as wrong:
            raise error("bad-formula", f"sharing in technology '{self.name}': {wrong}") from None

    @cached_property
    def register_cost(self) -> Mapping[str, float]:
        """The costs of one bit of a register, by name."""
        register = self.table.path.register_bit
        return {name: value for name in ("lut", "ff", "area") if (value := getattr(register, name))}

    @property
    def register_pj(self) -> float:
        """The energy of one bit of a register in a cycle, in pJ."""
        return self.table.path.register_bit.pj

    def weight(self, cost: Mapping[str, float]) -> float:
        """Costs as one number, by which sharing is weighed: LUT + FF / 2 + the exchange value of a DSP; or um2."""
        return sum(self._exchange.get(name, 0.0) * amount for name, amount in cost.items())

    @cached_property
    def _exchange(self) -> Mapping[str, float]:
        return {"lut": 1.0, "ff": 0.5, "dsp": 0.0, "area": 1.0, **self.table.path.exchange}

    @cached_property
    def costs(self) -> tuple[str, ...]:
        """The names of costs that the table has."""
        rows = [row for rows in self.table.operators.rows.values() for row in rows]
        return tuple(name for name in COSTS if any(getattr(row, name).text != "0" for row in rows))

    def local_pj_per_bit(self, bits: int) -> float:
        """Energy of a bit that is read from or written to a local memory of so many bits, in pJ."""
        try:
            return max(0.0, self.table.memory.local.pj_per_bit.value({"bits": max(1, bits), **_NO_OPERATION}))
        except FormulaError as wrong:
            raise error("bad-formula", f"'memory.local.pj_per_bit' of technology '{self.name}': {wrong}") from None

    def access_fj(self, bank_bits: int, width: int) -> int:
        """Energy of a datum of so many bits that is read from or written to a bank of so many bits, in whole fJ."""
        return round(1000 * width * self.local_pj_per_bit(bank_bits))

    @property
    def external_pj_per_bit(self) -> float:
        """Energy of a bit of the external memory that goes over the port, in pJ."""
        return self.table.memory.external.pj_per_bit

    @property
    def leakage_mw(self) -> Mapping[str, float]:
        """The leakage of one unit of each cost, in mW."""
        return self.table.leakage.mw

    @property
    def memory_kinds(self) -> tuple[MemoryKind, ...]:
        """The kinds of memories of the technology."""
        return self.table.memory.local.kind

    @property
    def devices(self) -> tuple[Device, ...]:
        """The chips in the table."""
        return self.table.device

    @property
    def overhead(self) -> OverheadTable | None:
        """The costs of control and interconnect; None if the table has none."""
        return None if self.table.overhead.is_empty else self.table.overhead

    def is_estimate(self, figure: str) -> bool:
        """Whether no number of a figure (`pj`, `ns`, `leakage` or a cost) was measured or read in a source."""
        return figure in self.table.estimates


_NO_OPERATION = dict.fromkeys(("w", "a", "b", "n", "k", "inputs"), 1.0)
_CONTROL = Wiring(  # a counter modulo the interval, and what decodes it
    lut=parse_formula("2*ceil(log2(k)) + ceil((k - 3)/4)"), ff=parse_formula("ceil(log2(k))")
)


def _variables(operation: Operation) -> dict[str, float]:
    return {
        "w": operation.w,
        "a": operation.a,
        "b": operation.b,
        "n": operation.n,
        "k": operation.k,
        "inputs": operation.k,
        "bits": operation.w,
        "adders": operation.adders,
        "adder_bits": operation.adder_bits,
        "luts": operation.luts,
        "chain": operation.chain,
    }


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:32]


def shipped_technologies() -> tuple[str, ...]:
    """The names of the tables that come with arrayol."""
    return tuple(sorted(path.stem for path in TABLES.glob("*.toml")))


def load_technology(given: str | Path, span: Span | None = None) -> Technology:
    """Read a technology by its name, shipped or of a plug-in, or from a TOML file.

    `given` is taken as a file if it is a path, or a text with `/` or `.toml`. `span` is where it is named. Raises
    ArrayolError: `unknown-technology`, `broken-plugin`, or every mistake of the file.

    >>> api.load_technology("ecp5-6").table.title
    'Lattice ECP5, speed grade 6'
    """
    if isinstance(given, str) and not ("/" in given or given.endswith(".toml")):
        if given not in shipped_technologies():
            if given in installed(TECHNOLOGIES):
                path = plugin(TECHNOLOGIES, given, lambda one: Path(one).is_file(), "path of a TOML file", span)
                return replace(_loaded(Path(path)), name=given)
            known = (*shipped_technologies(), *installed(TECHNOLOGIES))
            near = did_you_mean(given, known)
            hint = f"{f'{near} ' if near else ''}shipped are {listed(known)}; a file is named as ./{given}.toml"
            raise error("unknown-technology", f"there is no technology '{given}'", span, hint=hint)
        return _shipped(given)
    return _loaded(Path(given))


@cache
def _shipped(name: str) -> Technology:
    return _loaded(TABLES / f"{name}.toml")


def _loaded(path: Path) -> Technology:
    file = read_toml(path)
    text, like = file.source.text, file.values.get("like")
    if isinstance(like, str) and like in shipped_technologies():
        base = read_toml(TABLES / f"{like}.toml")
        text, file = base.source.text + text, replace(file, values=_over(file.values, base.values))
    return Technology(path.stem, _digest(text), validate(file, TechnologyTable, _broken_rules))


def _over(values: Mapping[str, Any], base: Mapping[str, Any]) -> dict[str, Any]:
    """A document with parts replaced by those of another: tables key by key, all else as a whole."""
    merged = dict(base)
    for key, value in values.items():
        entry = merged.get(key)
        merged[key] = _over(value, entry) if isinstance(value, Mapping) and isinstance(entry, Mapping) else value
    return merged
