"""Errors as data: gathered, sorted by place and drawn by one function."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from arrayol.source import UNSEEN, Span, visible


class Severity(StrEnum):
    """A warning does not stop anything."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One mistake: what it is, where it is, and what to do instead.

    `code` is a stable name in kebab case. `span` points into a file; a mistake about a file as a whole has only
    its name in `file`, and one about the command has neither.
    """

    code: str
    message: str
    span: Span | None = field(default=None)
    hint: str | None = None
    severity: Severity = Severity.ERROR
    file: str | None = None

    @property
    def sort_key(self) -> tuple[str, int, int, str]:
        """By place in the file, then by code."""
        place = self.span.place if self.span else (self.file or "", 0, 0)
        return (*place, self.code)

    @property
    def pointer(self) -> str | None:
        """The JSON pointer of the place; None where the file is no JSON."""
        return self.span.file.pointer(self.span.start) if self.span else None

    def to_json(self) -> dict[str, str | int | None]:
        """The form of `--json`; lines and columns count from 1 and are null where there is no place.

        A place in JSON has its `pointer` too.
        """
        place: tuple[str | None, int | None, int | None] = self.span.place if self.span else (self.file, None, None)
        end: tuple[int | None, int | None] = self.span.end_place if self.span else (None, None)
        pointer = {} if self.pointer is None else {"pointer": self.pointer}
        return {
            "code": self.code,
            "severity": self.severity.value,
            "message": self.message,
            "hint": self.hint,
            "file": place[0],
            "line": place[1],
            "column": place[2],
            "end_line": end[0],
            "end_column": end[1],
            **pointer,
        }


def document_of(diagnostics: Iterable[Diagnostic]) -> dict[str, Any]:
    """The form of `--json` where a command has failed, and of `check --json`: whether all is well, and what is not."""
    listed = list(diagnostics)
    ok = all(diagnostic.severity is Severity.WARNING for diagnostic in listed)
    return {"ok": ok, "diagnostics": [diagnostic.to_json() for diagnostic in listed]}


class ArrayolError(Exception):
    """What a stage raises when its input cannot be used: every mistake it found, at once.

    `found` is what is known all the same, for the document of `--json`.
    """

    exit_code = 1
    found: Mapping[str, Any] = MappingProxyType({})

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(sorted(diagnostics, key=lambda diagnostic: diagnostic.sort_key))
        super().__init__("\n".join(render(diagnostic) for diagnostic in self.diagnostics))

    def __reduce__(self) -> tuple[Any, ...]:
        """Worker processes hand errors back: the message and all that it holds, whatever a subclass is made from."""
        return _bare, (type(self), *self.args), self.__dict__


class InfeasibleError(ArrayolError):
    """No design satisfies the constraints."""

    exit_code = 3


def _bare(kind: type[ArrayolError], message: str) -> ArrayolError:
    return kind.__new__(kind, message)


def error(
    code: str, message: str, span: Span | None = None, *, hint: str | None = None, file: str | None = None
) -> ArrayolError:
    """An exception with one diagnostic, for stages that stop at the first mistake."""
    return ArrayolError([Diagnostic(code, message, span, hint, file=file)])


def render(diagnostic: Diagnostic, *, coloured: bool = False) -> str:
    """Draw one diagnostic: place and message, the line with carets below it, its place in JSON, then the hint.

    `coloured` text has the colours of a terminal: kind and carets of an error are red, those of a warning yellow.
    """
    colour = _COLOURS[diagnostic.severity] if coloured else None
    kind = _painted(f"{diagnostic.severity}[{diagnostic.code}]", colour)
    if diagnostic.span is None:
        place = f"{diagnostic.file}: " if diagnostic.file else ""
        lines = [f"{place}{kind}: {visible(diagnostic.message)}"]
    else:
        name, line, column = diagnostic.span.place
        text, carets = _excerpt(diagnostic.span, line, column)
        lines = [f"{name}:{line}:{column}: {kind}: {visible(diagnostic.message)}", text]
        lines.append(carets.replace("^" * carets.count("^"), _painted("^" * carets.count("^"), colour)))
    if diagnostic.pointer is not None:
        lines.append(f"  {_painted('at', _HINT if coloured else None)}: {visible(diagnostic.pointer)}")
    if diagnostic.hint:
        lines.append(f"  {_painted('hint', _HINT if coloured else None)}: {visible(diagnostic.hint)}")
    return "\n".join(lines)


_COLOURS = {Severity.ERROR: "1;31", Severity.WARNING: "1;33"}  # bold red, bold yellow
_HINT = "1;36"  # bold cyan


def _painted(text: str, colour: str | None) -> str:
    """Text between the escape sequences of a terminal's colour."""
    return text if colour is None else f"\033[{colour}m{text}\033[0m"


_EXCERPT_WIDTH = 100


def _excerpt(span: Span, line: int, column: int) -> tuple[str, str]:
    """The line and its carets; of a very long line only the part around the mistake."""
    text = UNSEEN.sub("?", span.file.line(line).replace("\t", " "))
    end_line, end_column = span.end_place
    stop = end_column if end_line == line else len(text) + 1
    first = max(0, column - 1 - _EXCERPT_WIDTH // 2) if len(text) > _EXCERPT_WIDTH else 0
    shown = text[first : first + _EXCERPT_WIDTH]
    lead, tail = "..." if first else "", "..." if first + _EXCERPT_WIDTH < len(text) else ""
    start = len(lead) + column - 1 - first
    carets = max(1, min(stop - column, len(lead) + len(shown) - start))
    gutter = f"{line:>5} | "
    return f"{gutter}{lead}{shown}{tail}".rstrip(), f"{' ' * (len(gutter) - 2)}| {' ' * start}{'^' * carets}"


# What foreign code has made, in our messages: plug-ins, and functions that `extern` names.


def shown_object(value: object) -> str:
    """Whatever foreign code has made, for a message: short, by its type where it cannot say what it is."""
    try:
        text = " ".join(repr(value).split())
    except Exception:
        return f"an object of type {type(value).__name__}"
    return text if len(text) <= 40 else f"{text[:37]}..."


def shown_exception(raised: BaseException) -> str:
    """An exception of foreign code as one line: its type and text."""
    try:
        text = " ".join(str(raised).split())
    except Exception:
        text = ""
    return f"{type(raised).__name__}: {text}" if text else type(raised).__name__
