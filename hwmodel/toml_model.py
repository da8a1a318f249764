"""From a TOML document to a validated pydantic model, with every mistake told in our own words.

Fields say in their `description` what is allowed; messages quote it. pydantic finds the mistakes; its wording
stays here.

What a validator of our own accepts stands beside it as `json_schema_input_type`, for `arrayol schema`.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, TypeVar, get_args, get_origin

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, PlainValidator, ValidationError
from pydantic.config import JsonDict
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails, PydanticCustomError

from arrayol.errors import ArrayolError, Diagnostic, error
from arrayol.files import MOST_TEXT_BYTES, LargeFileError, hint_of, read_bytes, read_text
from arrayol.language.syntax.diagnose import closest, did_you_mean
from arrayol.limits import LARGEST, SMALLEST, beyond, in_range
from arrayol.source import SourceFile, Span
from arrayol.text import clipped

# Reading a TOML file with places: tomllib's values, and where each key stands.

KeyPath = tuple[str, ...]


@dataclass(frozen=True)
class TomlFile:
    """A parsed file; `values` is tomllib's document."""

    source: SourceFile
    values: dict[str, Any]

    def span(self, path: KeyPath) -> Span | None:
        """The line's key of a path, or of the nearest table around it; None for the file as a whole."""
        for length in range(len(path), 0, -1):
            if path[:length] in self._places:
                return self._places[path[:length]]
        return None

    @cached_property
    def _places(self) -> dict[KeyPath, Span]:
        places: dict[KeyPath, Span] = {}
        for path, start, end in _keys(self.source.text):
            places.setdefault(path, Span(self.source, start, end))
        return places


def is_count(value: object) -> bool:
    """Whether a value is a whole number from 1 on."""
    return type(value) is int and 1 <= value <= LARGEST


def text_of_named_file(file: TomlFile | None, path: str, most: int) -> str:
    """The text of a file that a TOML file names, from its folder on, of at most so many bytes.

    Raises ArrayolError (`cannot-read`).
    """
    place = (Path(file.source.name).parent if file else Path()) / path
    try:
        return read_text(place, most)
    except (OSError, ValueError) as refused:
        hint = hint_of(refused) if isinstance(refused, OSError) else None
        said = refused.strerror if isinstance(refused, OSError) else None
        raise error("cannot-read", said or str(refused), file=str(place), hint=hint) from refused


_PART = r"""(?:[\w-]+|"[^"\n]*"|'[^'\n]*')"""
_KEY = rf"{_PART}(?:[ \t]*\.[ \t]*{_PART})*"
_LINE = re.compile(rf"^[ \t]*(?:\[(?P<list>\[)?[ \t]*(?P<header>{_KEY})[ \t]*\]|(?P<key>{_KEY})[ \t]*=)", re.MULTILINE)


def _keys(text: str) -> Iterator[tuple[KeyPath, int, int]]:
    """Key paths with the characters they take; keys inside an inline table are left to the key that holds it."""
    section: KeyPath = ()
    lists: dict[KeyPath, int] = {}  # the tables of lists so far, [[NAME]], each a path with its number behind
    for line in _LINE.finditer(text):
        kind = "header" if line["header"] else "key"
        names = tuple(part.strip("\"'") for part in re.findall(_PART, line[kind]))
        if kind == "key":
            yield section + names, line.start(kind), line.end(kind)
            continue
        yield names, line.start(kind), line.end(kind)
        section = names
        if line["list"]:
            lists[names] = lists.get(names, -1) + 1
            section = (*names, str(lists[names]))
            yield section, line.start(kind), line.end(kind)


def read_toml(path: Path) -> TomlFile:
    """The document of a file, and its places.

    Raises ArrayolError: `no-such-file`, `not-a-file`, `unreadable`, `too-large`, `binary-file`, `not-utf8`,
    `toml-syntax`.
    """
    source = SourceFile(str(path), _text(path))
    try:
        return TomlFile(source, tomllib.loads(source.text))
    except tomllib.TOMLDecodeError as failure:
        raise _syntax_error(source, str(failure)) from None
    except RecursionError:
        raise error("toml-syntax", "arrays or tables are nested too deeply", file=source.name) from None
    except ValueError:  # a number beyond Python's limit of digits
        raise error("toml-syntax", "a number has too many digits", file=source.name) from None


def _text(path: Path) -> str:
    name = str(path)
    try:
        data = read_bytes(path, MOST_TEXT_BYTES)
    except FileNotFoundError:
        raise error("no-such-file", "no such file", hint=_neighbours(path), file=name) from None
    except (IsADirectoryError, NotADirectoryError):
        raise error("not-a-file", "this is not a file; name a TOML file", file=name) from None
    except LargeFileError:
        message = f"the file is larger than {MOST_TEXT_BYTES >> 20} MiB; this is no TOML file"
        raise error("too-large", message, file=name) from None
    except OSError as failure:
        message = f"the file cannot be read: {failure.strerror}"
        raise error("unreadable", message, hint=hint_of(failure), file=name) from None
    if b"\0" in data:
        raise error("binary-file", "this is a binary file, not the text of a TOML file", file=name)
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as failure:
        line = data.count(b"\n", 0, failure.start) + 1
        message = f"byte 0x{data[failure.start]:02x} in line {line} is not UTF-8"
        raise error("not-utf8", message, hint="save the file as UTF-8", file=name) from None


def _neighbours(path: Path) -> str | None:
    try:
        names = sorted(beside.name for beside in path.parent.glob("*.toml"))[:5]
    except OSError:
        return None
    return f"this folder holds {', '.join(names)}" if names else None


# What tomllib says, by a word of it, and what we say. The first that fits counts.
_SYNTAX = (
    ("twice", "this table or key is given a second time", "keep one of the two"),
    ("overwrite", "this key is given a second time", "keep one of the two"),
    ("Duplicate", "this key is given a second time", "keep one of the two"),
    ("immutable", "this table is already complete and cannot be extended here", "keep all its keys in one place"),
    ("'='", "a key needs '=' and a value here", "write it as latency = 30"),
    ("']'", "the name of a table needs its closing bracket here", "write it as [memory]"),
    ("Unterminated", "this text has no closing quote", 'write text as "shared", in quotes and on one line'),
    ("'''", "this text has no closing quotes", 'write text as "shared", in quotes and on one line'),
    ('"""', "this text has no closing quotes", 'write text as "shared", in quotes and on one line'),
    ("Illegal character", "this text has no closing quote or holds a control character", "write text on one line"),
    ("Unescaped", "a backslash in text starts an escape, and this is none", "write text as 'shared', or double the \\"),
    ("Unclosed", "this list or table is not closed", "close '[' with ']' and '{' with '}'"),
    ("Expected newline", "something stands after the value", "one key = value per line; a comment starts with #"),
    ("Invalid value", "no value can be read here", 'write numbers as 30 or 6.1, text as "shared"'),
)
_POSITION = re.compile(r"\(at line (\d+), column (\d+)\)")


def _syntax_error(source: SourceFile, said: str) -> ArrayolError:
    message, hint = next(
        ((ours, hint) for word, ours, hint in _SYNTAX if word in said),
        ("this is neither a [table] nor a key = value line", "write it as latency = 30"),
    )
    position = _POSITION.search(said)
    if position:
        lines = source.text.split("\n")[: int(position[1]) - 1]
        start = sum(len(line) + 1 for line in lines) + int(position[2]) - 1
    else:  # tomllib says "at end of document"
        start = len(source.text.rstrip())
    return error("toml-syntax", message, Span(source, start, start + 1), hint=hint)


Model = TypeVar("Model", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class BrokenRule:
    """A rule over several keys that a document breaks: the path that shows it, what is wrong and what to do."""

    code: str
    path: KeyPath
    message: str
    hint: str


Rules = Callable[[Mapping[str, Any]], Iterable[BrokenRule]]


def validate(file: TomlFile, model: type[Model], rules: Rules) -> Model:
    """The model that the document describes; it gets `file` as validation context, for places.

    Raises ArrayolError with every mistake of the document: `unknown-key`, `missing-key`, `bad-value`, and those of
    `rules`.
    """
    mistakes = [_diagnostic(file, rule.code, rule.path, rule.message, rule.hint) for rule in rules(file.values)]
    result: Model | None = None
    try:
        result = model.model_validate(file.values, context=file)
    except ValidationError as failure:
        mistakes.extend(_field_mistakes(file, model, failure.errors(include_url=False)))
    if mistakes or result is None:
        raise ArrayolError(mistakes)
    return result


def _field_mistakes(file: TomlFile, model: type[BaseModel], details: Iterable[ErrorDetails]) -> Iterator[Diagnostic]:
    kinds = [(tuple(str(part) for part in detail["loc"]), detail["type"], detail["input"]) for detail in details]
    unknown = [path for path, kind, _ in kinds if kind == "extra_forbidden"]
    misspelt = {(*path[:-1], closest(path[-1], _model_keys(model, path[:-1]))) for path in unknown}
    for path, kind, value in kinds:
        if kind == "extra_forbidden":
            yield _unknown_key(file, path, _model_keys(model, path[:-1]))
        elif kind == "missing" and path not in misspelt:
            allowed = _allowed(model, path)
            yield _diagnostic(file, "missing-key", path, f"'{shown_path(path)}' is missing", f"give {allowed}")
        elif kind not in ("missing", RULE):  # `rules` has told the latter already
            yield _bad_value(file, model, path, value)


def shown_path(path: KeyPath) -> str:
    """A path as people write it, with the number of a table in a list from 1 on: elementary.mac.measured[1].cost."""
    return "".join(f"[{int(part) + 1}]" if _is_number(part) else f".{part}" for part in path).removeprefix(".")


def _is_number(part: str) -> bool:
    """Whether a part of a path is a table's number in a list; other digits than 0 to 9, as in "²", make a key."""
    return part.isascii() and part.isdigit()


RULE = "rule"  # the error type with which a model says that a document breaks one of its rules


def _model_keys(model: type[BaseModel], table: KeyPath) -> list[str]:
    annotation, _ = _annotation(model, table)
    return list(annotation.model_fields)


def _unknown_key(file: TomlFile, path: KeyPath, keys: list[str]) -> Diagnostic:
    hint = did_you_mean(path[-1], keys) or f"known here: {', '.join(keys)}"
    return _diagnostic(file, "unknown-key", path, f"unknown key '{shown_path(path)}'", hint)


def _bad_value(file: TomlFile, model: type[BaseModel], path: KeyPath, given: object) -> Diagnostic:
    hint = None
    allowed = _allowed(model, path)
    if isinstance(given, float) and given.is_integer() and "whole" in allowed and in_range(given):
        hint = f"write {int(given)}"
    message = f"'{shown_path(path)}' is {_shown(given)}; it must be {allowed}"
    if isinstance(given, int | float) and (limit := beyond(given)):
        message += f", and {limit}"
    return _diagnostic(file, "bad-value", path, message, hint)


def _diagnostic(file: TomlFile, code: str, path: KeyPath, message: str, hint: str | None) -> Diagnostic:
    span = file.span(path)
    return Diagnostic(code, message, span, hint, file=None if span else file.source.name)


def _shown(value: object) -> str:
    """A TOML value as its author knows it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return "a table"
    if isinstance(value, str):
        return f'"{clipped(value)}"'
    if value == []:
        return "an empty list"
    text = json.dumps(value, default=str, ensure_ascii=False) if isinstance(value, list) else str(value)
    return clipped(text)


def _allowed(model: type[BaseModel], path: KeyPath) -> str:
    annotation, description = _annotation(model, path)
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return f"a table, [[{shown_path(path[:-1])}]]" if _is_number(path[-1]) else f"a table, [{'.'.join(path)}]"
    return description or "as the documentation of platforms says"


def _annotation(model: type[BaseModel], path: KeyPath) -> tuple[Any, str | None]:
    """The annotation a key path leads to, without `| None`, and the description nearest to it."""
    annotation: Any = model
    description: str | None = None
    for part in path:
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            field = annotation.model_fields[part]
            annotation, description = _present(field.annotation), field.description
        else:  # a dict of anything by name, or a list
            annotation = get_args(annotation)[1 if get_origin(annotation) is dict else 0]
            if get_origin(annotation) is Annotated:
                annotation, *notes = get_args(annotation)
                description = next(note.description for note in notes if isinstance(note, FieldInfo))
    return annotation, description


def _present(annotation: Any) -> Any:
    kept = [choice for choice in get_args(annotation) if choice is not NoneType]
    return kept[0] if NoneType in get_args(annotation) and len(kept) == 1 else annotation


class Table(BaseModel):
    """Descriptions say what is allowed, for messages: "it must be ..."."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


def _ranged(value: float) -> float:
    if not in_range(value):
        raise PydanticCustomError("range", "out of range")
    return value


def _amount(value: object) -> int | float:
    if isinstance(value, int | float) and not isinstance(value, bool) and value >= 0 and in_range(value):
        return value
    raise PydanticCustomError("amount", "not an amount")


_NOT_TINY: JsonDict = {"maximum": LARGEST, "not": {"exclusiveMinimum": 0, "exclusiveMaximum": SMALLEST}}  # `in_range`
_AmountForm = Annotated[float, Field(ge=0, json_schema_extra=_NOT_TINY)]

Whole = Annotated[int, Field(le=LARGEST)]
Count = Annotated[int, Field(ge=1, le=LARGEST)]
Real = Annotated[float, AfterValidator(_ranged), Field(json_schema_extra=_NOT_TINY)]
Positive = Annotated[float, Field(gt=0), AfterValidator(_ranged), Field(json_schema_extra=_NOT_TINY)]
Amount = Annotated[
    int | float,
    PlainValidator(_amount, json_schema_input_type=_AmountForm),
    Field(description="a number, 0 or more"),
]


def toml_text(text: str) -> str:
    """A text as TOML has it on one line, whatever is in it: quoted, control characters by their code points."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
