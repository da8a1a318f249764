"""From JSON to the model of a specification, with every mistake at its place in the document."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from arrayol.errors import Diagnostic
from arrayol.ir import syntax, trusted
from arrayol.ir.node_mistakes import Path, diagnostics_of, place_at
from arrayol.ir.node_schemas import validated
from arrayol.ir.placed import PlacedInteger, PlacedList, PlacedObject, place_of
from arrayol.language.json.json_reader import JsonError, JsonFile, read_json_text
from arrayol.language.json.json_writer import FORMAT, MARK
from arrayol.language.syntax.parser import Parsed
from arrayol.language.syntax.syntax_mistakes import too_deep
from arrayol.source import SourceFile, Span

_KEYS = ("arrayol", "format", "definitions")
_HINT = 'it starts with "arrayol": "specification", "format": 1, "definitions": [...]; `arrayol export FILE` writes one'


def parse_json(source: SourceFile) -> Parsed:
    """Parse a whole document. Never raises: mistakes are in the result, and the tree holds what is whole."""
    file = JsonFile(source.name, source.text.removeprefix("\ufeff"))
    whole = Span(file, 0, len(file.text))
    nothing = trusted.Specification((), whole)
    try:
        document = read_json_text(file)
    except JsonError as failure:
        return Parsed(nothing, (), (failure.diagnostic,), frozenset())
    refused = _refused(document, whole)
    if refused:
        return Parsed(nothing, (), tuple(refused), frozenset())
    items: list[syntax.Item] = []
    diagnostics: list[Diagnostic] = []
    broken: set[str] = set()
    for each in document["definitions"]:
        item, mistakes = _definition(each)
        items += [item] if item is not None and not mistakes else []
        diagnostics += mistakes
        if mistakes and isinstance(each, PlacedObject) and isinstance(each.get("name"), str):
            broken.add(str(each["name"]))
    return Parsed(trusted.Specification(tuple(items), whole), (), tuple(diagnostics), frozenset(broken))


def _definition(document: Any) -> tuple[syntax.Item | None, list[Diagnostic]]:
    """A definition and its mistakes."""
    try:
        item: syntax.Item = validated(syntax.Item, document)
    except ValidationError as failure:

        def place(path: Path, is_key: bool) -> Span:
            return place_at(document, path, is_key=is_key)

        owner = str(document.get("kind", "definition")) if isinstance(document, PlacedObject) else "definition"
        return None, list(diagnostics_of(failure, owner, place))
    deep = too_deep(item)
    return item, [deep] if deep is not None else []


def _refused(document: Any, whole: Span) -> list[Diagnostic]:
    """Why a document is no specification that this version reads."""
    if not isinstance(document, PlacedObject) or document.get("arrayol") != MARK:
        place = document.keys_at.get("arrayol", whole) if isinstance(document, PlacedObject) else whole
        first = Span(place.file, place.start, min(place.end, place.start + 1)) if place is whole else place
        return [Diagnostic("bad-json", f'this JSON is no specification: "arrayol" is not "{MARK}"', first, _HINT)]
    number = document.get("format")
    if not isinstance(number, PlacedInteger) or number != FORMAT:
        place = document.keys_at.get("format", place_of(document["arrayol"]))
        shown = f"format {int(number)}" if isinstance(number, PlacedInteger) else "no format number"
        newer = isinstance(number, PlacedInteger) and number > FORMAT
        message = f"the specification has {shown}; this version of arrayol reads format {FORMAT}"
        hint = "read it with the version of arrayol that wrote it" if newer else f'write "format": {FORMAT}'
        return [Diagnostic("other-format", message, place, hint)]
    found = [
        Diagnostic("unknown-key", f"unknown key '{key}' in a specification", place, f"known here: {', '.join(_KEYS)}")
        for key, place in document.keys_at.items()
        if key not in _KEYS
    ]
    if not isinstance(document.get("definitions"), PlacedList):
        place = document.keys_at.get("definitions", place_of(document["arrayol"]))
        found.append(Diagnostic("bad-value", "'definitions' must be a list", place, _HINT))
    return found
