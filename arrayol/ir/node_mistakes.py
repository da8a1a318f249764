"""Mistakes in nodes that somebody builds, in our own words; pydantic finds them, and its words stay here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails, InitErrorDetails, PydanticCustomError

from arrayol.errors import Diagnostic, shown_object
from arrayol.ir.node_rules import BrokenRuleError, needed
from arrayol.ir.placed import PlacedList, PlacedObject, PlacedTruth, place_of
from arrayol.source import Span
from arrayol.text import clipped

UNKNOWN = "unknown-key"
Path = tuple[str | int, ...]


def custom(broken: BrokenRuleError) -> PydanticCustomError:
    """A broken rule as an error of pydantic's."""
    context = {"code": broken.code, "message": broken.message, "hint": broken.hint, "needed": broken.needed}
    return PydanticCustomError("rule", "rule", context)


def wrong_kind(what: str) -> PydanticCustomError:
    """The error of a value of another kind than `what`."""
    return custom(needed(what))


def moved(wrong: ValueError, value: Any, path: Any) -> Iterator[InitErrorDetails]:
    """The mistakes of a part, as those of the whole that has it at `path`: pairs of a path and a key."""
    keys: list[str | int] = []
    while path is not None:
        path, key = path
        keys.append(key)
    loc = tuple(reversed(keys))
    if isinstance(wrong, PydanticCustomError):
        yield InitErrorDetails(type=wrong, loc=loc, input=value)
    elif isinstance(wrong, ValidationError):
        for detail in wrong.errors(include_url=False):
            context = detail.get("ctx", {})
            kind = PydanticCustomError("rule", "rule", context) if "code" in context else detail["type"]
            yield InitErrorDetails(type=kind, loc=(*loc, *detail["loc"]), input=detail["input"])


def diagnostics_of(
    failure: ValidationError, owner: str, place: Callable[[Path, bool], Span] | None = None
) -> Iterator[Diagnostic]:
    """What is wrong with a node of the class or kind `owner`; `place` says where a path, or its last key, stands."""
    for detail in failure.errors(include_url=False):
        path = _keys(detail["loc"])
        is_key = detail.get("ctx", {}).get("code") == UNKNOWN
        yield _diagnostic(detail, path, owner, place(path, is_key) if place else None)


def _keys(loc: Path) -> Path:
    """The steps of a path that are keys and numbers: neither kinds nor fields that are written as lists or texts."""
    path: list[str | int] = []
    for step in loc:
        row = step == "rows" and bool(path) and path[-1] in ("paving", "fitting")
        if not row and step not in ("text", "items", "mode") and not str(step).startswith("<"):
            path.append(step)
    return tuple(path)


def _diagnostic(detail: ErrorDetails, path: Path, owner: str, span: Span | None) -> Diagnostic:
    context = detail.get("ctx", {})
    where, inside = shown_path(owner, path), shown_path(owner, path[:-1])
    if detail["type"] == "missing":
        return Diagnostic("missing-key", f"'{detail['loc'][-1]}' is missing in {inside}", span, "add it")
    if context.get("code") == UNKNOWN:
        known = f"known here: {context['needed']}"
        return Diagnostic("unknown-key", f"unknown key '{clipped(str(path[-1]))}' in {inside}", span, known)
    if context.get("message"):
        return Diagnostic(context["code"], f"{where}: {context['message']}", span, context.get("hint"))
    what = context.get("needed") or _KINDS.get(detail["type"], "something else")
    message = f"{where} is {_shown(detail['input'])}; it must be {what}"
    return Diagnostic("bad-value", message, span, context.get("hint"))


_KINDS = {"tuple_type": "a list", "recursion_loop": "less deeply nested"}


def shown_path(owner: str, path: Path) -> str:
    """A path as Python writes it: Port.shape[0]."""
    return owner + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)


def _shown(value: object) -> str:
    if isinstance(value, PlacedTruth):
        return str(value.value).lower()
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    if isinstance(value, str):
        return f"'{clipped(value)}'"
    return "null" if value is None else shown_object(value)


def place_at(document: Any, path: Path, *, is_key: bool = False) -> Span:
    """Where a path of a JSON document leads to, or its last key, or the nearest value around it."""
    place = place_of(document)
    for step in path:
        if isinstance(document, PlacedObject) and step in document:
            place, document = document.keys_at[str(step)], document[str(step)]
        elif isinstance(document, PlacedList) and isinstance(step, int) and step < len(document):
            document = document[step]
        else:
            return place
        if not is_key or step is not path[-1]:
            place = getattr(document, "span", place)
    return place
