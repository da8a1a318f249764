"""JSON with places: each value knows where it stands, so that mistakes in specifications can be shown there.

By a loop, since expressions nest as deep as chains of operands are long. Stricter than Python's reader: no key is there
twice, and there are no NaN and no infinities.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from json.decoder import scanstring  # type: ignore[attr-defined]  # the stubs have it not
from typing import Any, NamedTuple

from arrayol.errors import Diagnostic
from arrayol.ir.node_rules import MAXIMUM_DIGITS
from arrayol.ir.placed import PlacedFloat, PlacedInteger, PlacedList, PlacedObject, PlacedText, PlacedTruth
from arrayol.source import SourceFile, Span
from arrayol.text import clipped


class JsonError(ValueError):
    """What is wrong with a document, as a diagnostic."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


class _Token(NamedTuple):
    """A bracket, comma or colon by itself, `text`, `number`, `word`, or `end`; texts without escapes."""

    kind: str
    value: str
    start: int
    end: int


_TOKEN = re.compile(
    r"[ \t\r\n]*(?:(?P<sign>[{}\[\]:,])|(?P<text>\")|(?P<number>-?[0-9][0-9.eE+-]*)"
    r"|(?P<word>[^ \t\r\n{}\[\]:,\"]+)|$)"
)
_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")


def _tokens(file: SourceFile) -> Iterator[_Token]:
    """The tokens of a document. Raises JsonError for a text that does not end, or has a wrong escape."""
    text, place = file.text, 0
    while True:
        found = _TOKEN.match(text, place)
        assert found is not None, "every character starts a token"
        kind = found.lastgroup
        if kind is None:
            yield _Token("end", "the end of the file", len(text), len(text))
            return
        start, place = found.start(kind), found.end()
        value = found[kind]
        if kind == "text":
            try:
                value, place = scanstring(text, place, True)
            except json.JSONDecodeError as failure:
                if failure.msg.startswith("Unterminated"):
                    hint = "close it with a quotation mark"
                    raise _error(file, "this text is not closed", start, start + 1, hint) from None
                message = "this text has a wrong escape, or a control character"
                raise _error(file, message, start, start + 1, 'escapes are \\n, \\" and \\u0041') from None
        yield _Token(value if kind == "sign" else kind, value, start, place)


def _error(file: SourceFile, message: str, start: int, end: int, hint: str | None = None) -> JsonError:
    return JsonError(Diagnostic("bad-json", message, Span(file, start, end), hint))


# Values


def read_json_text(file: SourceFile) -> Any:
    """The document of a JSON text, of values with places. Raises JsonError."""
    reader = _Reader(file)
    for token in _tokens(file):
        reader.take(token)
    return reader.document[0]


_EXPECTED = {
    "value": "a value",
    "value or ]": "a value or ']'",
    "key": "a key in quotation marks",
    "key or }": "a key in quotation marks or '}'",
    ":": "':'",
    "end": "the end of the file",
}


@dataclass(slots=True)
class _Reader:
    """The containers that are open, with the key that waits for its value in each object, and what may come next."""

    file: SourceFile
    document: list[Any] = field(default_factory=list)
    opened: list[tuple[Any, str]] = field(default_factory=list)
    expected: str = "value"

    def take(self, token: _Token) -> None:
        """Take the next token. Raises JsonError."""
        kind, expected = token.kind, self.expected
        if kind in "}]" and self._closes(kind):
            self._close(token)
        elif expected in ("value", "value or ]") and kind in ("{", "[", "text", "number", "word"):
            self._value(token)
        elif expected in ("key", "key or }") and kind == "text":
            self._key(token)
        elif expected == ":" == kind:
            self.expected = "value"
        elif expected == "," == kind:
            self.expected = "key" if isinstance(self.opened[-1][0], PlacedObject) else "value"
        elif not expected == kind == "end":
            self._refuse(token)

    def _closes(self, sign: str) -> bool:
        """Whether a container of this sign may end here: behind a value, or where it is empty."""
        if not self.opened:
            return False
        is_object = isinstance(self.opened[-1][0], PlacedObject)
        return is_object == (sign == "}") and self.expected in (",", "key or }", "value or ]")

    def _close(self, token: _Token) -> None:
        container, _ = self.opened.pop()
        container.span = Span(self.file, container.span.start, token.end)
        self.expected = "," if self.opened else "end"

    def _key(self, token: _Token) -> None:
        container = self.opened[-1][0]
        place = self._inside(token)
        if token.value in container.keys_at:
            raise _error(self.file, f"the key '{clipped(token.value)}' is there twice", place.start, place.end)
        container.keys_at[token.value] = place
        self.opened[-1] = (container, token.value)
        self.expected = ":"

    def _value(self, token: _Token) -> None:
        made = _token_value(self.file, token)
        if made is not None and not isinstance(made, PlacedTruth):
            made.span = self._inside(token) if token.kind == "text" else Span(self.file, token.start, token.end)
        if not self.opened:
            self.document.append(made)
        elif isinstance(self.opened[-1][0], PlacedObject):
            self.opened[-1][0][self.opened[-1][1]] = made
        else:
            self.opened[-1][0].append(made)
        if isinstance(made, PlacedObject):
            made.keys_at = {}
        if token.kind in "{[":
            self.opened.append((made, ""))
            self.expected = "key or }" if token.kind == "{" else "value or ]"
        else:
            self.expected = "," if self.opened else "end"

    def _inside(self, token: _Token) -> Span:
        return Span(self.file, token.start + 1, token.end - 1)

    def _refuse(self, token: _Token) -> None:
        wanted = _EXPECTED.get(self.expected)
        if wanted is None:
            wanted = "',' or '}'" if isinstance(self.opened[-1][0], PlacedObject) else "',' or ']'"
        shown = token.value if token.kind == "end" else f"'{clipped(token.value)}'"
        hint = "there is no comma after the last entry" if token.kind in "}]" and "or" not in self.expected else None
        raise _error(self.file, f"unexpected {shown}; expected {wanted}", token.start, token.end, hint)


def _token_value(file: SourceFile, token: _Token) -> Any:
    """The value of a token, an empty container of one that opens it. Raises JsonError."""
    match token.kind:
        case "{":
            return PlacedObject()
        case "[":
            return PlacedList()
        case "text":
            return PlacedText(token.value)
        case "number":
            return _number(file, token)
    if token.value in ("true", "false"):
        return PlacedTruth(token.value == "true", Span(file, token.start, token.end))
    if token.value != "null":
        hint = "texts and names go in quotation marks; there are true, false and null, but no NaN and no infinity"
        raise _error(file, f"'{clipped(token.value)}' is no value of JSON", token.start, token.end, hint)
    return None


def _number(file: SourceFile, token: _Token) -> PlacedInteger | PlacedFloat:
    found = _NUMBER.fullmatch(token.value)
    if found is None:
        hint = "numbers are decimal, as 16, 0.5 or 1e-3, without zeros before them"
        raise _error(file, f"'{clipped(token.value)}' is no number of JSON", token.start, token.end, hint)
    if len(token.value) > MAXIMUM_DIGITS:
        message = f"a number of {len(token.value)} digits; at most {MAXIMUM_DIGITS} are allowed"
        hint = "write a number that hardware can hold"
        raise JsonError(Diagnostic("number-too-long", message, Span(file, token.start, token.end), hint))
    return PlacedFloat(token.value) if found[2] or found[3] else PlacedInteger(token.value)


# Pointers


_Steps = tuple[Any, str | int] | None  # a path: that of the container, and the key or number in it


class JsonFile(SourceFile):
    """The text of a specification in JSON."""

    def pointer(self, offset: int) -> str | None:
        """The JSON pointer (RFC 6901) of the innermost value at an offset; None for the document as a whole."""
        starts, paths = self._paths
        path, steps = paths[max(0, bisect_right(starts, offset) - 1)], list[str]()
        while path is not None:
            path, step = path
            steps.append(f"/{str(step).replace('~', '~0').replace('/', '~1')}")
        return "".join(reversed(steps)) or None

    @cached_property
    def _paths(self) -> tuple[list[int], list[_Steps]]:
        """Where each token starts, and the path of the value that it belongs to; up to a mistake."""
        starts: list[int] = [0]
        paths: list[_Steps] = [None]
        opened: list[tuple[str, _Steps]] = []  # sign and path of the containers around
        path: _Steps = None
        try:
            for token in _tokens(self):
                if token.kind in "]}" and opened:
                    path = opened.pop()[1]
                elif token.kind == "," and opened:
                    sign, outer = opened[-1]
                    path = outer if sign == "{" or path is None else (outer, int(path[1]) + 1)
                elif token.kind == "text" and opened and opened[-1][0] == "{" and path is opened[-1][1]:
                    path = (path, token.value)
                starts.append(token.start)
                paths.append(path)
                if token.kind in "{[":
                    opened.append((token.kind, path))
                    path = (path, 0) if token.kind == "[" else path
        except JsonError:
            pass
        return starts, paths
