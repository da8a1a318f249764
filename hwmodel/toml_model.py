"""From a TOML document to a validated pydantic model, with every mistake told in our own words.

Fields say in their `description` what is allowed; messages quote it. pydantic finds the mistakes; its wording
stays here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import NoneType
from typing import Annotated, Any, TypeVar, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from arrayol.errors import ArrayolError, Diagnostic
from arrayol.language.hints import closest, did_you_mean
from hwmodel.toml_file import KeyPath, TomlFile

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
    found = [_diagnostic(file, rule.code, rule.path, rule.message, rule.hint) for rule in rules(file.values)]
    result: Model | None = None
    try:
        result = model.model_validate(file.values, context=file)
    except ValidationError as failure:
        found.extend(_field_mistakes(file, model, failure.errors(include_url=False)))
    if found or result is None:
        raise ArrayolError(found)
    return result


def _field_mistakes(file: TomlFile, model: type[BaseModel], details: Iterable[ErrorDetails]) -> Iterator[Diagnostic]:
    kinds = [(tuple(str(part) for part in detail["loc"]), detail["type"], detail["input"]) for detail in details]
    unknown = [path for path, kind, _ in kinds if kind == "extra_forbidden"]
    misspelt = {(*path[:-1], closest(path[-1], _keys(model, path[:-1]))) for path in unknown}
    for path, kind, given in kinds:
        if kind == "extra_forbidden":
            yield _unknown_key(file, path, _keys(model, path[:-1]))
        elif kind == "missing" and path not in misspelt:
            allowed = _allowed(model, path)
            yield _diagnostic(file, "missing-key", path, f"'{'.'.join(path)}' is missing", f"give {allowed}")
        elif kind not in ("missing", RULE):  # `rules` has told the latter already
            yield _bad_value(file, model, path, given)


RULE = "rule"  # the error type with which a model says that a document breaks one of its rules


def _keys(model: type[BaseModel], table: KeyPath) -> list[str]:
    annotation, _ = _walk(model, table)
    return list(annotation.model_fields)


def _unknown_key(file: TomlFile, path: KeyPath, keys: list[str]) -> Diagnostic:
    hint = did_you_mean(path[-1], keys) or f"known here: {', '.join(keys)}"
    return _diagnostic(file, "unknown-key", path, f"unknown key '{'.'.join(path)}'", hint)


def _bad_value(file: TomlFile, model: type[BaseModel], path: KeyPath, given: object) -> Diagnostic:
    hint = None
    allowed = _allowed(model, path)
    if isinstance(given, float) and given.is_integer() and "whole" in allowed:
        hint = f"write {int(given)}"
    message = f"'{'.'.join(path)}' is {_shown(given)}; it must be {allowed}"
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
    if isinstance(value, list):
        return "a list"
    if isinstance(value, str):
        return f'"{value}"' if len(value) <= 40 else f'"{value[:37]}..."'
    text = str(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


def _allowed(model: type[BaseModel], path: KeyPath) -> str:
    annotation, description = _walk(model, path)
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return f"a table, [{'.'.join(path)}]"
    return description or "as the documentation of platforms says"


def _walk(model: type[BaseModel], path: KeyPath) -> tuple[Any, str | None]:
    """The annotation a key path leads to, without `| None`, and the description nearest to it."""
    annotation: Any = model
    description: str | None = None
    for part in path:
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            field = annotation.model_fields[part]
            annotation, description = _present(field.annotation), field.description
        else:  # a dict of anything by name
            annotation = get_args(annotation)[1]
            if get_origin(annotation) is Annotated:
                annotation, *notes = get_args(annotation)
                description = next(note.description for note in notes if isinstance(note, FieldInfo))
    return annotation, description


def _present(annotation: Any) -> Any:
    kept = [choice for choice in get_args(annotation) if choice is not NoneType]
    return kept[0] if NoneType in get_args(annotation) and len(kept) == 1 else annotation
