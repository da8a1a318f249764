"""Reading a TOML file with places: tomllib's values, and where each key stands."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from arrayol.errors import ArrayolError, error
from arrayol.source import SourceFile, Span

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


_PART = r"""(?:[\w-]+|"[^"\n]*"|'[^'\n]*')"""
_KEY = rf"{_PART}(?:[ \t]*\.[ \t]*{_PART})*"
_LINE = re.compile(rf"^[ \t]*(?:\[\[?[ \t]*(?P<header>{_KEY})[ \t]*\]|(?P<key>{_KEY})[ \t]*=)", re.MULTILINE)


def _keys(text: str) -> Iterator[tuple[KeyPath, int, int]]:
    """Key paths with the characters they take; keys inside an inline table are left to the key that holds it."""
    section: KeyPath = ()
    for line in _LINE.finditer(text):
        kind = "header" if line["header"] else "key"
        names = tuple(part.strip("\"'") for part in re.findall(_PART, line[kind]))
        if kind == "header":
            section = names
        yield (names if kind == "header" else section + names), line.start(kind), line.end(kind)


def read_toml(path: Path) -> TomlFile:
    """Raises ArrayolError: `no-such-file`, `not-a-file`, `unreadable`, `binary-file`, `not-utf8`, `toml-syntax`."""
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
        data = path.read_bytes()
    except FileNotFoundError:
        raise error("no-such-file", "no such file", hint=_neighbours(path), file=name) from None
    except (IsADirectoryError, NotADirectoryError):
        raise error("not-a-file", "this is not a file; name a TOML file", file=name) from None
    except OSError as failure:
        raise error("unreadable", f"the file cannot be read: {failure.strerror}", file=name) from None
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
        found = sorted(beside.name for beside in path.parent.glob("*.toml"))[:5]
    except OSError:
        return None
    return f"this folder holds {', '.join(found)}" if found else None


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
    found = _POSITION.search(said)
    if found:
        lines = source.text.split("\n")[: int(found[1]) - 1]
        start = sum(len(line) + 1 for line in lines) + int(found[2]) - 1
    else:  # tomllib says "at end of document"
        start = len(source.text.rstrip())
    return error("toml-syntax", message, Span(source, start, start + 1), hint=hint)
