"""The text of a C file, cut down to what is read: the function around `#pragma scop`, at its own places.

Comments, directives and all other functions become blanks, so that every offset stays that of the file. Macros without
arguments are consts, or names of types.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from arrayol.errors import ArrayolError, error
from arrayol.source import SourceFile, Span

TYPES = {
    "double": "f64",
    "float": "f32",
    "char": "i8",
    "signed char": "i8",
    "unsigned char": "u8",
    "short": "i16",
    "unsigned short": "u16",
    "int": "i32",
    "unsigned": "u32",
    "unsigned int": "u32",
    "long": "i64",
    "long long": "i64",
    "unsigned long": "u64",
    "unsigned long long": "u64",
    "int8_t": "i8",
    "uint8_t": "u8",
    "int16_t": "i16",
    "uint16_t": "u16",
    "int32_t": "i32",
    "uint32_t": "u32",
    "int64_t": "i64",
    "uint64_t": "u64",
}

_SILENT = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.DOTALL)
_DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n\\]|\\ *\n|\\.)*", re.MULTILINE)
_DEFINE = re.compile(r"#\s*define\s+([A-Za-z_]\w*)(?!\()[ \t]*(.*)", re.DOTALL)
_PRAGMA = re.compile(r"#\s*pragma\s+(scop|endscop)\s*")
_IGNORED = re.compile(r"#\s*(include|define|undef|pragma|line|\d+)\b")


@dataclass(frozen=True)
class Text:
    """The function's text in place, `types` and `consts` that macros name, with their spans."""

    file: SourceFile
    code: str
    types: dict[str, str]
    consts: dict[str, tuple[str, Span]]


def read_text(file: SourceFile) -> Text:
    """Find the one scop of a file. Raises ArrayolError for none, several, and what only a preprocessor resolves."""
    text = file.text.replace("\r", " ")
    text = _SILENT.sub(lambda found: _blank(found[0]) if found[0].startswith("/") else found[0], text)
    types: dict[str, str] = {}
    consts: dict[str, tuple[str, Span]] = {}
    pragmas: list[tuple[str, int]] = []
    for found in _DIRECTIVE.finditer(text):
        start = found.start() + len(found[0]) - len(found[0].lstrip())
        span = Span(file, start, found.end())
        pragma = _PRAGMA.fullmatch(found[0].strip())
        if pragma:
            pragmas.append((pragma[1], start))
        elif not _IGNORED.match(found[0].strip()):
            raise refused(span, f"'{found[0].split()[0]}' chooses what is compiled", "run the preprocessor: gcc -E -P")
        _define(found[0].strip(), span, types, consts)
    code = _DIRECTIVE.sub(lambda found: _blank(found[0]), text)
    begin, end = _scop(file, pragmas)
    quiet = _SILENT.sub(lambda found: _blank(found[0]), code)
    first, last = _function(quiet, begin, end, Span(file, begin, begin + 1))
    marked = _mark(code, begin, "__scop;")
    marked = _mark(marked, end, "__end;")
    return Text(file, _blank(code[:first]) + marked[first:last] + _blank(code[last:]), types, consts)


def _define(text: str, span: Span, types: dict[str, str], consts: dict[str, tuple[str, Span]]) -> None:
    define = _DEFINE.fullmatch(text)
    if define is None or not define[2].strip():
        return
    value = " ".join(re.sub(r"\\ *\n", " ", define[2]).split())
    if value in TYPES or value in types:
        types[define[1]] = TYPES.get(value) or types[value]
    else:
        consts[define[1]] = (value, span)


def _scop(file: SourceFile, pragmas: list[tuple[str, int]]) -> tuple[int, int]:
    """The offsets of its two pragmas."""
    if not pragmas:
        message = "there is no '#pragma scop' in this file"
        hint = "put '#pragma scop' before the loops and '#pragma endscop' behind them"
        raise ArrayolError(error("no-scop", message, hint=hint, file=file.name).diagnostics)
    words = [word for word, _ in pragmas]
    if words != ["scop", "endscop"]:
        place = 2 if len(words) > 2 else len(words) - 1
        start = pragmas[place][1]
        message = "one '#pragma scop' and one '#pragma endscop' behind it make a scop"
        raise refused(Span(file, start, start + 1), message, "leave one pair in the file; import others from their own")
    return pragmas[0][1], pragmas[1][1]


def _function(code: str, begin: int, end: int, span: Span) -> tuple[int, int]:
    """Where the function around the scop begins and ends."""
    depth, first, start = 0, 0, None
    for place, sign in enumerate(code):
        if sign == "{":
            if depth == 0 and place < begin:
                start = first
            depth += 1
        elif sign == "}":
            depth -= 1
            if depth == 0:
                if place > end and start is not None and first <= begin:
                    return start, place + 1
                first, start = place + 1, None
        elif sign == ";" and depth == 0:
            first = place + 1
    raise refused(span, "this scop lies in no function", "put it into the body of one, between braces")


def _mark(text: str, place: int, word: str) -> str:
    """The text with a statement of one word in place of a directive, which is longer."""
    return text[:place] + word + text[place + len(word) :]


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


def refused(span: Span, message: str, hint: str) -> ArrayolError:
    """What of C has no place in a specification."""
    return error("not-imported", message, span, hint=hint)
