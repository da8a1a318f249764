"""A study: which mapping decisions an exploration may take, what it minimises and under which constraints.

Read from TOML (`--study`) or made of options. Each field has a validator that knows the forms of its values; what
names tasks is checked against the network later (`dse.space.study_checks`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, PlainSerializer, PlainValidator, PrivateAttr
from pydantic.config import JsonDict
from pydantic_core import PydanticCustomError

from arrayol.errors import ArrayolError, Diagnostic, error
from arrayol.limits import AT_MOST, LARGEST, LARGEST_BOUND
from arrayol.source import Span
from arrayol.text import listed
from hwmodel.design import KEEP_FORM, POLICIES, Scan
from hwmodel.memory_kinds import BUFFER
from hwmodel.residence import LOADS, Load, Loads
from hwmodel.streamed import Frames, Interface, Starts
from hwmodel.toml_model import BrokenRule, Count, TomlFile, is_count, read_toml, validate

_CONSTRAINT = re.compile(r"\s*([A-Za-z_]\w*)\s*(<=|<|>=|>)\s*([0-9][0-9_]*(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)\s*")

_PACE = re.compile(r"[1-9][0-9]{0,15}|1/[1-9][0-9]{0,15}")
SLACK = 0.01  # of compared figures, for less logic
NUMBERS = f"0, or from {1 / LARGEST_BOUND:g} to {LARGEST_BOUND:g}"  # of constraints
_COUNT = f"1 or more, and {AT_MOST}"


@dataclass(frozen=True, slots=True)
class Constraint:
    """`figure relation bound`; only figures that grow as they get better (frames per second) take > and >=."""

    figure: str
    relation: str
    bound: Fraction
    text: str

    def __str__(self) -> str:
        return self.text

    @property
    def is_upper(self) -> bool:
        """Whether it bounds the figure from above."""
        return self.relation.startswith("<")


def parse_constraint(text: str) -> Constraint:
    """A constraint of its text.

    Raises ValueError where it has another form than `FIGURE <= NUMBER`, or a number that is not one of `NUMBERS`.
    """
    match = _CONSTRAINT.fullmatch(text)
    if match is None:
        raise ValueError(text)
    figure, relation, number = match.groups()
    digits = number.replace("_", "")
    size = float(digits)  # at once, whatever the exponent; a Fraction writes all its digits out
    is_zero = not re.match(r"[0.]*[1-9]", digits)
    if not is_zero and not 1 / LARGEST_BOUND <= size <= LARGEST_BOUND:
        raise ValueError(text)
    bound = Fraction(0) if is_zero else Fraction(digits)
    return Constraint(figure, relation, bound, f"{figure} {relation} {number}")


Shapes = Mapping[str, tuple[tuple[int, ...], ...]]
OuterBlocks = Mapping[str, Shapes]  # by task, then by the text of a scan
ByTask = Mapping[str, tuple[int, ...]]
Groups = tuple[tuple[str, ...], ...]
Cut = Literal["none", "lines"]
LinkKind = Literal["buffer", "fifo"]
PolicyWord = Literal["reuse", "strip", "whole", "tile", "levels"]  # of each array a loop of its own
LayoutKind = Literal["none", "linear"]
BufferKind = Literal["double", "single"]
Style = Literal["block", "stream"]
BLOCK_STYLE, STREAM_STYLE = "block", "stream"
NO_SPLITS, LADDER = "none", "ladder"
AUTO = "auto"


@lru_cache(maxsize=4096)
def parse_scan(text: str) -> Scan:
    """A scan written as its dimensions from the outermost, a descending one with a minus: "1,-0".

    Over blocks of blocks it names a dimension twice. Raises ValueError for anything else.
    """
    signed = [part.strip() for part in text.split(",")] if text.strip() else []
    dimensions = tuple(int(part.removeprefix("-")) for part in signed)
    scan = Scan(dimensions, tuple(part.startswith("-") for part in signed))
    if sorted(dimensions) != sorted([*range(scan.rank), *scan.twice]):
        raise ValueError(text)
    return scan


def _fusions(value: object) -> Literal["all"] | tuple[Groups, ...]:
    if value == "all":
        return "all"
    return tuple(tuple(_texts(group) for group in _list(fusion)) for fusion in _list(value))


def _shapes(value: object) -> Shapes:
    if not isinstance(value, Mapping):
        raise _refused()
    return {str(task): tuple(_counts(shape) for shape in _list(shapes)) for task, shapes in value.items()}


def _blocks(value: object) -> Literal["divisors", "ladder"] | Shapes:
    return value if value in ("divisors", "ladder") else _shapes(value)


def _cuts(value: object) -> tuple[Cut, ...] | Shapes:
    return _shapes(value) if isinstance(value, Mapping) else _words(Cut)(value)


def _orders(value: object) -> Literal["legal"] | tuple[Scan, ...]:
    if value == "legal":
        return "legal"
    orders = _list(value)
    try:
        scans = tuple(order if isinstance(order, Scan) else parse_scan(order) for order in (orders or _texts(orders)))
    except (ValueError, AttributeError):
        raise _refused() from None
    if any(scan.twice for scan in scans):
        raise _refused()
    return scans


def _outer_blocks(value: object) -> OuterBlocks:
    if not isinstance(value, Mapping):
        raise _refused()
    return {str(task): _shapes_by_scan(_shapes(by_scan)) for task, by_scan in value.items()}


def _shapes_by_scan(shapes: Shapes) -> Shapes:
    try:
        scans = [parse_scan(text) for text in shapes]
    except ValueError:
        raise _refused() from None
    if not all(scan.twice for scan in scans):
        raise _refused()
    return {str(scan): own for scan, own in zip(scans, shapes.values(), strict=True)}


def _splits(value: object) -> str | Mapping[str, ByTask]:
    if value in (NO_SPLITS, LADDER):
        return str(value)
    if not isinstance(value, Mapping) or not all(isinstance(ranges, Mapping) for ranges in value.values()):
        raise _refused()
    return {str(task): {str(name): _counts(sizes) for name, sizes in ranges.items()} for task, ranges in value.items()}


def _arrays(value: object) -> str | tuple[str, ...]:
    """The word for arrays that are chosen here, or names of arrays, each once."""
    if value == AUTO:
        return AUTO
    names = _list(value)
    if any(not isinstance(name, str) for name in names) or len(set(names)) < len(names):
        raise _refused()
    return tuple(names)


def _words(kind: Any) -> Callable[[object], tuple[Any, ...]]:
    """What makes a tuple of a list of the words of a Literal, each once."""
    return lambda value: _items(value, get_args(kind).__contains__)


def _counts(value: object) -> tuple[int, ...]:
    return _items(value, is_count, once=False)


def _intervals(value: object) -> tuple[int, ...] | ByTask:
    if isinstance(value, Mapping):
        return {str(task): _counts(intervals) for task, intervals in value.items()}
    return _counts(value)


def parse_pace(text: str) -> Fraction:
    """A pace of its text, as 1, 2 or 1/4.

    Raises ValueError for anything but a whole number of pulses, or one over a whole number.
    """
    match = _PACE.fullmatch(text)
    pace = Fraction(text) if match is not None else Fraction(0)
    if pace <= 0 or 1 not in (pace.numerator, pace.denominator) or max(pace.numerator, pace.denominator) > LARGEST:
        raise ValueError(text)
    return pace


def _paces(value: object) -> tuple[Fraction, ...]:
    texts = _list(value)
    try:
        paces = tuple(one if isinstance(one, Fraction) else parse_pace(one) for one in texts)
    except (ValueError, TypeError):
        raise _refused() from None
    return _items(paces, bool)


def _flags(value: object) -> tuple[bool, ...]:
    return _items(value, lambda flag: isinstance(flag, bool))


def _texts(value: object) -> tuple[str, ...]:
    return _items(value, lambda text: isinstance(text, str), once=False)


def _keeps(value: object) -> tuple[str, ...]:
    return _items(value, lambda text: isinstance(text, str) and KEEP_FORM.fullmatch(text) is not None)


def _loads(value: object) -> tuple[Load, ...]:
    """One load, or a list of those to choose from."""
    return () if value is None else _words(Load)((value,) if isinstance(value, str) else value)


def _as_written(loads: tuple[Load, ...]) -> list[Load] | Load | None:
    return list(loads) if len(loads) > 1 else next(iter(loads), None)


def _constraints(value: object) -> tuple[Constraint, ...]:
    try:
        return tuple(item if isinstance(item, Constraint) else parse_constraint(str(item)) for item in _list(value))
    except ValueError:
        raise _refused() from None


def _items(value: object, is_item: Callable[[Any], bool], *, once: bool = True) -> tuple[Any, ...]:
    """A list of at least one item, each of the right form and, if asked for, each once."""
    items = tuple(_list(value))
    if not items or not all(map(is_item, items)) or (once and len(set(items)) < len(items)):
        raise _refused()
    return items


def _list(value: object) -> list[Any]:
    if isinstance(value, list | tuple):
        return list(value)
    raise _refused()


def _refused() -> PydanticCustomError:
    return PydanticCustomError("study", "not allowed")


# The forms that the validators accept, for `arrayol schema`.
_ONCE: JsonDict = {"uniqueItems": True}
_SCAN = r"\s*-?\s*[0-9]+\s*"
_PaceForm = Annotated[str, Field(json_schema_extra={"pattern": f"^(?:{_PACE.pattern})$"})]
_CountsForm = Annotated[list[Count], Field(min_length=1)]
_ShapesForm = dict[str, list[_CountsForm]]
_TextsForm = Annotated[list[str], Field(min_length=1)]
_ScanForm = Annotated[str, Field(json_schema_extra={"pattern": rf"^(?:{_SCAN}(?:,{_SCAN})*)?$"})]
_KeepForm = Annotated[str, Field(json_schema_extra={"pattern": f"^(?:{KEEP_FORM.pattern})$"})]
_ConstraintForm = Annotated[str, Field(json_schema_extra={"pattern": f"^{_CONSTRAINT.pattern}$"})]


def _each_once(kind: Any) -> Any:
    return Annotated[list[kind], Field(min_length=1, json_schema_extra=_ONCE)]


def _of_words(kind: Any) -> PlainValidator:
    """A validator of lists of the words of a Literal."""
    return PlainValidator(_words(kind), json_schema_input_type=_each_once(kind))


_ArraysForm = Annotated[list[str], Field(json_schema_extra=_ONCE)]
_ArrayNames = Annotated[Any, PlainValidator(_arrays, json_schema_input_type=Literal["auto"] | _ArraysForm)]
_AS_TEXTS = PlainSerializer(lambda value: value if isinstance(value, str) else [str(one) for one in value])
_LOADS_TEXT = listed([f'"{load}"' for load in LOADS], "or")


class ArrayStudy(BaseModel):
    """`[array.NAME]`: how an input or a const array comes to the chip; what else is kept of one outside, and where.

    Several loads are a choice of the design; none stands for the default. So are several kinds of buffers.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    load: Annotated[
        Any, PlainValidator(_loads, json_schema_input_type=Load | _each_once(Load)), PlainSerializer(_as_written)
    ] = Field(default=(), description=f"{_LOADS_TEXT}, or a list of them")
    keep: Annotated[Any, PlainValidator(_keeps, json_schema_input_type=_each_once(_KeepForm))] = Field(
        default=(), description='a list of texts as "tile", "shared 1", "whole 2"'
    )
    buffers: Annotated[Any, _of_words(BufferKind)] = Field(
        default=("double",), description='a list of "double" and "single"'
    )


class Study(BaseModel):
    """The space of an exploration; its defaults are those of docs/explore.md, "Studies".

    `units` left out stands for 1..m, the elements per word of the platform, `intervals` for those worth trying by
    task.
    `longest_group` and `epsilon` make the search cheaper and its result weaker: it is then no longer the exact front of
    all fusions, and says so. Within `slack`, a share of its compared figures, a design is shown with the least logic.
    A front found with `epsilon` has, for each design of the exact one, a design at most
    1 + epsilon times as large in every figure.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    fusions: Annotated[
        Any, PlainValidator(_fusions, json_schema_input_type=Literal["all"] | list[list[_TextsForm]])
    ] = Field(default="all", description='"all", or a list of fusions, each a list of groups, each a list of tasks')
    longest_group: int | None = Field(default=None, ge=1, le=LARGEST, description="a whole number of tasks, 1 or more")
    blocks: (
        Annotated[Any, PlainValidator(_blocks, json_schema_input_type=Literal["divisors", "ladder"] | _ShapesForm)]
        | None
    ) = Field(
        default=None,
        description=f'"divisors", "ladder", or a table task = [[12, 4], ...] of block shapes, each side {_COUNT}',
    )
    orders: Annotated[
        Any,
        PlainValidator(
            _orders, json_schema_input_type=Literal["legal"] | Annotated[list[_ScanForm], Field(min_length=1)]
        ),
        _AS_TEXTS,
    ] = Field(default="legal", description='"legal", or a list of scans, outermost dimension first, as ["0,1", "1,-0"]')
    outer_blocks: (
        Annotated[Any, PlainValidator(_outer_blocks, json_schema_input_type=dict[str, _ShapesForm])] | None
    ) = Field(
        default=None,
        description='a table task = { "0,1,0" = [[12, 4]] } of shapes by scans that name dimensions twice, '
        f"each side {_COUNT}",
    )
    units: Annotated[Any, PlainValidator(_counts, json_schema_input_type=_CountsForm)] | None = Field(
        default=None, description=f"a list of numbers of units, each {_COUNT}"
    )
    intervals: (
        Annotated[Any, PlainValidator(_intervals, json_schema_input_type=_CountsForm | dict[str, _CountsForm])] | None
    ) = Field(
        default=None,
        description=f"a list of cycles, or a table task = [1, 4], each {_COUNT}",
    )
    cuts: Annotated[Any, PlainValidator(_cuts, json_schema_input_type=_each_once(Cut) | _ShapesForm)] = Field(
        default=("none", "lines"),
        description=f'a list of "none" and "lines", or a table task = [[1, 480], ...] of shapes, each side {_COUNT}',
    )
    links: Annotated[Any, _of_words(LinkKind)] = Field(
        default=("buffer", "fifo"), description='a list of "buffer" and "fifo"'
    )
    layouts: Annotated[Any, _of_words(LayoutKind)] = Field(
        default=("none", "linear"), description='a list of "none" and "linear"'
    )
    policies: Annotated[Any, _of_words(PolicyWord)] = Field(
        default=(*POLICIES, "levels"), description=f"a list of {', '.join((*POLICIES, 'levels'))}"
    )
    recompute: Annotated[Any, PlainValidator(_flags, json_schema_input_type=_each_once(bool))] = Field(
        default=(False,), description="a list of false and true"
    )
    styles: Annotated[Any, _of_words(Style)] = Field(
        default=(BLOCK_STYLE, STREAM_STYLE), description='a list of "block" and "stream"'
    )
    paces: Annotated[Any, PlainValidator(_paces, json_schema_input_type=_each_once(_PaceForm)), _AS_TEXTS] | None = (
        Field(default=None, description='a list of texts, as ["1", "1/4", "2"]')
    )
    starts: Annotated[Any, _of_words(Starts)] = Field(
        default=("latency", "memory"), description='a list of "latency" and "memory"'
    )
    chunks: Annotated[Any, PlainValidator(_counts, json_schema_input_type=_CountsForm)] | None = Field(
        default=None, description=f"a list of pulses, each {_COUNT}"
    )
    interfaces: Annotated[Any, _of_words(Interface)] = Field(
        default=("port",), description='a list of "port" and "axis"'
    )
    frames: Annotated[Any, _of_words(Frames)] = Field(
        default=("outside",), description='a list of "outside" and "inside"'
    )
    splits: Annotated[
        Any,
        PlainValidator(_splits, json_schema_input_type=Literal["ladder", "none"] | dict[str, dict[str, _CountsForm]]),
    ] = Field(
        default=LADDER,
        description=f'"{LADDER}", "{NO_SPLITS}", or a table task = {{ k = [4, 16] }} of blocks by range, each {_COUNT}',
    )
    serial: _ArrayNames = Field(default=(), description=f'"{AUTO}", or a list of arrays')
    again: _ArrayNames = Field(default=(), description=f'"{AUTO}", or a list of arrays')
    hardware: bool = Field(default=False, description="true or false")
    reuse_memory: bool = Field(default=False, description="true or false")
    together: bool = Field(default=False, description="true or false")
    array: dict[str, ArrayStudy] = Field(default_factory=dict, description="tables, [array.NAME]")
    epsilon: float = Field(default=0.0, ge=0, le=1, description="a number from 0 to 1")
    slack: float = Field(default=SLACK, ge=0, le=1, description="a number from 0 to 1")
    objectives: Annotated[Any, PlainValidator(_texts, json_schema_input_type=_TextsForm)] | None = Field(
        default=None, description="a list of objectives"
    )
    constraints: Annotated[
        Any, PlainValidator(_constraints, json_schema_input_type=list[_ConstraintForm]), _AS_TEXTS
    ] = Field(default=(), description=f'a list of texts as "internal_memory_bits <= 65536", each number {NUMBERS}')
    _file: TomlFile | None = PrivateAttr(default=None)

    def model_post_init(self, context: Any, /) -> None:
        """Keep the file that validation gives as context, for places in later messages."""
        if isinstance(context, TomlFile):
            self._file = context

    @property
    def holds_plain(self) -> bool:
        """Whether it allows designs without cuts, FIFOs, layouts and recomputing, under the reuse policy."""
        return (
            self.has_blocks
            and (not isinstance(self.cuts, tuple) or "none" in self.cuts)
            and BUFFER.name in self.links
            and "none" in self.layouts
            and ("reuse" in self.policies or "levels" in self.policies)
            and False in self.recompute
            and all("double" in kinds for kinds in self.buffers.values())
        )

    @property
    def has_blocks(self) -> bool:
        """Whether groups may work in block steps."""
        return BLOCK_STYLE in self.styles

    @property
    def has_streams(self) -> bool:
        """Whether groups may work element by element."""
        return STREAM_STYLE in self.styles

    @property
    def has_options(self) -> bool:
        """Whether it allows anything beyond plain designs, whatever the sums are."""
        return self.has_blocks and (
            not self.holds_plain
            or bool(self.keeps or self.buffers)
            or any(getattr(self, name) != plain for name, plain in NARROW.items() if name not in _NO_OPTIONS)
            or bool(self.listed_outer_blocks)
        )

    @property
    def option_lists(self) -> tuple[object, ...]:
        """All that says which options the structures of a group have on given blocks."""
        names = (*(name for name in NARROW if name not in (*NETWORK_KEYS, "styles")), "orders", "keeps", "buffers")
        return tuple(getattr(self, name) for name in names)

    @property
    def listed_outer_blocks(self) -> OuterBlocks:
        """Blocks of blocks that are tried everywhere; where the study says nothing, rounds look for others."""
        return self.outer_blocks or {}

    @property
    def loads(self) -> tuple[Loads, ...]:
        """How the arrays may come that do not come by default: all combinations, in the order of the lists."""
        named = {name: choice.load for name, choice in sorted(self.array.items()) if choice.load}
        return tuple(dict(zip(named, loads, strict=True)) for loads in product(*named.values()))

    @property
    def keeps(self) -> Mapping[str, tuple[str, ...]]:
        """What may be kept of single arrays in place of what the policy keeps."""
        return {name: choice.keep for name, choice in self.array.items() if choice.keep}

    @property
    def buffers(self) -> Mapping[str, tuple[BufferKind, ...]]:
        """The buffers that single arrays from outside may have, where those are not double ones alone."""
        return {name: choice.buffers for name, choice in self.array.items() if choice.buffers != ("double",)}

    def place(self, *path: str) -> Span | None:
        """Where a key stands in the study's file, if it came from one."""
        return self._file.span(path) if self._file else None


NARROW: Mapping[str, Any] = {  # plain designs: docs/explore.md, "Studies"
    "outer_blocks": {},
    "cuts": ("none",),
    "links": ("buffer",),
    "layouts": ("none",),
    "policies": ("reuse",),
    "recompute": (False,),
    "styles": (BLOCK_STYLE,),
    "splits": NO_SPLITS,
    "serial": (),
    "again": (),
}
_PLAIN_WORDS = {key: NARROW[key] for key in ("cuts", "links", "layouts", "policies", "recompute", "styles")}
NETWORK_KEYS = ("splits", "serial", "again")  # they make other networks


# Blocks of blocks are options where they are listed; streams have no blocks.
_NO_OPTIONS = (*NETWORK_KEYS, "outer_blocks", "styles")


def load_study(path: Path) -> Study:
    """The study of a TOML file. Raises ArrayolError with every mistake of the file."""
    return validate(read_toml(path), Study, _no_rules)


def narrowed(study: Study) -> Study:
    """The study of plain designs: `NARROW`, and nothing that it opens for single arrays but their loads.

    Raises ArrayolError (`not-plain`) if the study names no plain choice of a key, as of `styles = ["stream"]`.
    """
    for key, (plain, *_) in _PLAIN_WORDS.items():
        listed_ones = getattr(study, key)
        if key in study.model_fields_set and not isinstance(listed_ones, Mapping) and plain not in listed_ones:
            word = str(plain).lower() if isinstance(plain, bool) else f'"{plain}"'
            message = f"narrow takes plain designs only, and '{key}' of the study does not have {word}"
            hint = f"leave out --narrow, or add {word} to '{key}'"
            raise ArrayolError([Diagnostic("not-plain", message, study.place(key), hint)])
    settings = {name: getattr(study, name) for name in study.model_fields_set}
    settings["array"] = {name: ArrayStudy(load=choice.load) for name, choice in study.array.items() if choice.load}
    return Study.model_validate({**settings, **NARROW})


def without_others(study: Study, tasks: Collection[str]) -> Study:
    """The study on a network with these tasks, which splits have made: without what it says of tasks not there."""
    changed: dict[str, Any] = {}
    for key in ("blocks", "outer_blocks", "cuts", "intervals"):
        if isinstance(table := getattr(study, key), Mapping):
            changed[key] = {task: own for task, own in table.items() if task in tasks}
    if study.fusions != "all":
        changed["fusions"] = tuple(
            fusion for fusion in study.fusions if sorted(task for group in fusion for task in group) == sorted(tasks)
        )
    return study.model_copy(update=changed) if changed else study


def with_constraints(
    study: Study, texts: Sequence[str], *, reuse_memory: bool = False, hardware: bool = False
) -> Study:
    """The study with more constraints. Raises ArrayolError (`bad-constraint`)."""
    more = []
    for text in texts:
        try:
            more.append(parse_constraint(text))
        except ValueError:
            message = f"'{text}' is no constraint"
            raise error(
                "bad-constraint", message, hint=f'write FIGURE <= NUMBER, as "lut <= 20000"; a number is {NUMBERS}'
            ) from None
    if not (more or reuse_memory or hardware):
        return study
    settings = {name: getattr(study, name) for name in study.model_fields_set}
    settings["constraints"] = (*study.constraints, *more)
    settings["reuse_memory"] = study.reuse_memory or reuse_memory
    settings["hardware"] = study.hardware or hardware
    return Study.model_validate(settings)


def _no_rules(_: Mapping[str, Any]) -> Iterator[BrokenRule]:
    yield from ()
