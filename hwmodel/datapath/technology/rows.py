"""Tables of a technology file as values: rows of operators, memories, and all mistakes in them, with their keys."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, TypeVar

from pydantic import BeforeValidator, ConfigDict, Field, PlainValidator, ValidationError
from pydantic_core import PydanticCustomError

from arrayol.language.syntax.diagnose import did_you_mean
from arrayol.limits import LARGEST, beyond, in_range
from arrayol.text import clipped
from hwmodel.datapath.operators.registry import NODES
from hwmodel.datapath.technology.formulas import LONGEST, Formula, FormulaError, constant, parse_formula
from hwmodel.toml_model import RULE, Amount, BrokenRule, Count, Positive, Table, Whole, is_count

OPERATORS = frozenset(name for name, node in NODES.items() if not node.in_memory)
TYPES = frozenset({"i", "f32", "f64"})
COSTS = {"lut": "", "ff": "", "dsp": "", "area": "um2"}  # what hardware costs, and in which unit

_FORMULA = 'a number, or a formula as "1.45 + 0.037*w"'


def as_formula(value: object) -> Formula:
    """A number or a text as a formula. Raises PydanticCustomError with the mistake."""
    if isinstance(value, Formula):
        return value
    if isinstance(value, str):
        try:
            return parse_formula(value)
        except FormulaError as wrong:
            raise PydanticCustomError("formula", "{message}", {"message": str(wrong)}) from None
    if isinstance(value, int | float) and not isinstance(value, bool) and in_range(value):
        return constant(value)
    raise PydanticCustomError("not_a_formula", "not a formula")


FormulaForm = Annotated[float, Field(ge=-LARGEST, le=LARGEST)] | Annotated[str, Field(max_length=LONGEST)]
FormulaField = Annotated[
    Formula, PlainValidator(as_formula, json_schema_input_type=FormulaForm), Field(description=_FORMULA)
]
NOTHING = constant(0)


class Row(Table):
    """The resources and the time of one operator, up to a clock.

    A combinational operator takes `ns` in addition to the delay of its path and may be chained with others. A pipelined
    operator has `cycles` register stages, that of the result included, and a start every `every` cycles. `max_mhz` was
    measured after routing. `lut`, `ff`, `dsp`, and `area` in um2, are of one operator, `pj` is of one operation.
    `estimate` says that no number of the row was measured; `source` says where the numbers are from.
    """

    model_config = ConfigDict(json_schema_extra={"anyOf": [{"required": ["ns"]}, {"required": ["cycles"]}]})

    ns: FormulaField | None = None
    max_mhz: Positive | None = Field(default=None, description="a number of megahertz above 0")
    cycles: Whole | None = Field(default=None, ge=1, description="a whole number of cycles, 1 or more")
    every: Whole = Field(default=1, ge=1, description="a whole number of cycles, 1 or more")
    lut: FormulaField = NOTHING
    ff: FormulaField = NOTHING
    dsp: FormulaField = NOTHING
    area: FormulaField = NOTHING
    pj: FormulaField = NOTHING
    estimate: bool = Field(default=False, description="true or false")
    source: str = Field(default="", description="a text")


class Wiring(Table):
    """The cost of sharing: `mux_in`, a multiplexer of `k` sources of `w` bits, or `control` at interval `k`."""

    ns: FormulaField = NOTHING
    lut: FormulaField = NOTHING
    ff: FormulaField = NOTHING
    area: FormulaField = NOTHING
    estimate: bool = Field(default=False, description="true or false")
    source: str = Field(default="", description="a text")


def _shapes(value: object) -> tuple[tuple[int, int], ...]:
    pairs: list[Any] = list(value) if isinstance(value, list | tuple) else [None]
    if not all(isinstance(pair, list | tuple) and len(pair) == 2 and all(map(is_count, pair)) for pair in pairs):
        raise PydanticCustomError("shapes", "not shapes")
    return tuple((words, bits) for words, bits in pairs)


ShapesField = Annotated[
    tuple[tuple[int, int], ...],
    PlainValidator(_shapes, json_schema_input_type=list[tuple[Count, Count]]),
    Field(description="a list of [words, bits], as [[512, 36], [1024, 18]]"),
]


class MemoryKind(Table):
    """`[[memory.local.kind]]`: a memory that the technology has.

    It takes the first of the `shapes`, [words, bits], that fits best; without shapes it is built for its words and
    bits. `ports` of them can be used in a cycle, of which `reads` read, all where it is left out. `lut`, `ff` and
    `area` in um2 are of one memory, formulas of its words `k`, the bits of a word `w` and the `bits` in all; `blocks`
    is what the vendor counts it as, 0 where it is logic.
    """

    name: str = Field(description="a text")
    shapes: ShapesField = ()
    ports: Whole = Field(default=1, ge=1, description="a whole number of ports, 1 or more")
    reads: Whole | None = Field(default=None, ge=1, description="a whole number of ports, 1 or more")
    blocks: Amount = 0
    lut: FormulaField = NOTHING
    ff: FormulaField = NOTHING
    area: FormulaField = NOTHING
    estimate: bool = Field(default=False, description="true or false")
    source: str = Field(default="", description="a text")


Checked = TypeVar("Checked", bound=Table)


def checked(model: type[Checked], value: object, path: tuple[str, ...]) -> tuple[Checked | None, list[BrokenRule]]:
    """A table as a model, or its mistakes; positions are those of `path`, as inline tables have none within."""
    shown = ".".join(path)
    if not isinstance(value, Mapping):
        return None, [BrokenRule("bad-value", path, f"'{shown}' is no table", "write it as { ns = 1.5, lut = 32 }")]
    try:
        return model.model_validate(value), []
    except ValidationError as failure:
        return None, [_described(model, path, detail) for detail in failure.errors(include_url=False)]


def _described(model: type[Table], path: tuple[str, ...], detail: Any) -> BrokenRule:
    key = str(detail["loc"][0])
    fields = {described.alias or name: described for name, described in model.model_fields.items()}
    shown = ".".join((*path, key))
    if detail["type"] == "extra_forbidden":
        hint = did_you_mean(key, fields) or f"known here: {', '.join(fields)}"
        return BrokenRule("unknown-key", path, f"unknown key '{shown}'", hint)
    allowed = fields[key].description or _FORMULA
    if detail["type"] == "missing":
        return BrokenRule("missing-key", path, f"'{shown}' is missing", f"give {allowed}")
    if detail["type"] == "formula":
        return BrokenRule("bad-value", path, f"'{shown}' is no formula: {detail['msg']}", f"it must be {allowed}")
    given = detail["input"]
    limit = beyond(given) if isinstance(given, int | float) and not isinstance(given, bool) else None
    message = f"'{shown}' is {clipped(str(given))}; it must be {allowed}{f', and {limit}' if limit else ''}"
    return BrokenRule("bad-value", path, message, f"see docs/cost.md for the keys of '{path[0]}'")


def rows_of(name: str, value: object) -> tuple[tuple[Row, ...], list[BrokenRule]]:
    """The rows of one operator, from one table or a list of them, and their mistakes."""
    path = ("operators", name)
    listed = value if isinstance(value, list | tuple) else [value]
    rows, broken = [], []
    for item in listed:
        row, mistakes = (item, []) if isinstance(item, Row) else checked(Row, item, path)
        broken += mistakes
        rows += [row] if row is not None else []
        if row is not None and row.ns is None and row.cycles is None:
            message = f"a row of '{'.'.join(path)}' has neither 'ns' nor 'cycles'"
            broken.append(BrokenRule("missing-key", path, message, "give ns = NANOSECONDS, or cycles = STAGES"))
    if not listed:
        broken.append(BrokenRule("bad-value", path, f"'operators.{name}' is an empty list", "give a row, or no key"))
    return tuple(rows), broken


@dataclass(frozen=True)
class Operators:
    """`[operators]`: rows by operator, slowest clock first, and the two prices of sharing, if given.

    Two are equal, and have one content hash, if their texts are equal.
    """

    rows: Mapping[str, tuple[Row, ...]] = field(compare=False)
    mux_in: Wiring | None = field(default=None, compare=False)
    control: Wiring | None = field(default=None, compare=False)
    content: str = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "content", self.text)

    @property
    def text(self) -> str:
        """A text that is equal for equal rows."""
        rows = {name: [_row_text(row) for row in rows] for name, rows in sorted(self.rows.items())}
        return repr((rows, *(_row_text(wiring) if wiring else "" for wiring in (self.mux_in, self.control))))

    def over(self, others: Operators) -> Operators:
        """The operators of `others`, with single ones replaced by these."""
        return Operators({**others.rows, **self.rows}, self.mux_in or others.mux_in, self.control or others.control)


def _row_text(row: Table) -> str:
    return repr([value.text if isinstance(value, Formula) else value for _, value in row])


SHARING = ("mux_in", "control")  # the keys of [operators] that are no operators


def broken_operators(operators: object) -> list[BrokenRule]:
    """The mistakes of `[operators]`, of a technology or of a platform that overrides rows of one."""
    return _operators(operators)[1]


def _operators(operators: object) -> tuple[Operators, list[BrokenRule]]:
    rows: dict[str, tuple[Row, ...]] = {}
    sharing: dict[str, Wiring | None] = {}
    broken: list[BrokenRule] = []
    for name, value in operators.items() if isinstance(operators, Mapping) else ():
        if name in SHARING:
            sharing[name], mistakes = checked(Wiring, value, ("operators", name))
        else:
            rows[name], mistakes = rows_of(name, value)
            mistakes = [*_unknown(name), *mistakes]
        broken += mistakes
    return Operators(rows, **sharing), broken


def _unknown(name: str) -> Iterator[BrokenRule]:
    operator, _, kind = name.partition(".")
    if operator not in OPERATORS or (kind and not set(kind.split(".")) <= TYPES):
        hint = did_you_mean(operator, [*OPERATORS, *SHARING]) or "as add, mul, or add.f32, cvt.i.f32 for one type"
        yield BrokenRule("unknown-key", ("operators", name), f"there is no operator '{clipped(name)}'", hint)


def _valid_operators(value: object) -> Operators:
    if isinstance(value, Operators):
        return value
    operators, broken = _operators(value)
    if broken or not isinstance(value, Mapping):
        raise PydanticCustomError(RULE, "{message}", {"message": broken[0].message if broken else "not a table"})
    return operators


def _either(words: Iterable[str]) -> str:
    """A pattern that matches one of these words."""
    return f"(?:{'|'.join(sorted(words))})"


_TYPED = rf"(?:\.{_either(TYPES)})*"


class OperatorsForm(Table):
    """`[operators]`: rows by operator, or by operator and types as `add.f32`; what sharing adds."""

    model_config = ConfigDict(
        extra="allow",
        json_schema_extra={"propertyNames": {"pattern": f"^(?:{_either(SHARING)}|{_either(OPERATORS)}{_TYPED})$"}},
    )
    __pydantic_extra__: dict[str, Row | Annotated[list[Row], Field(min_length=1)]]
    mux_in: Wiring | None = None
    control: Wiring | None = None


OperatorsField = Annotated[
    Operators,
    PlainValidator(_valid_operators, json_schema_input_type=OperatorsForm),
    Field(description="a table of operators, as add = { ns = 2, lut = 9 }"),
]
NO_OPERATORS = Operators({})


def _kinds(value: object) -> tuple[tuple[MemoryKind, ...], list[BrokenRule]]:
    kinds, broken = [], []
    for item in value if isinstance(value, list | tuple) else [value]:
        kind, mistakes = (item, []) if isinstance(item, MemoryKind) else checked(MemoryKind, item, KIND)
        broken += mistakes
        kinds += [kind] if kind is not None else []
    return tuple(kinds), broken


KIND = ("memory", "local", "kind")


def broken_kinds(kinds: object) -> list[BrokenRule]:
    """The mistakes of `[[memory.local.kind]]`."""
    return _kinds(kinds)[1]


def _valid_kinds(value: object) -> tuple[MemoryKind, ...]:
    kinds, broken = _kinds(value)
    if broken:
        raise PydanticCustomError(RULE, "{message}", {"message": broken[0].message})
    return kinds


KindsField = Annotated[
    tuple[MemoryKind, ...],
    PlainValidator(_valid_kinds, json_schema_input_type=MemoryKind | list[MemoryKind]),
    Field(description="tables, [[memory.local.kind]]"),
]


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


def frozen_list(value: object) -> object:
    """A list as a tuple, and another value as it is."""
    return tuple(value) if isinstance(value, list) else value


DevicesField = Annotated[
    tuple[Device, ...], BeforeValidator(frozen_list), Field(description="a list of tables, [[device]]")
]


def device_named(name: str, devices: Iterable[Device]) -> Device | None:
    """The device of that name, in capitals or not; None where there is none."""
    return next((device for device in devices if device.name.lower() == name.lower()), None)
