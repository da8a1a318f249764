"""The text of a C file, cut down to what is read: the function around `#pragma scop`, at its own places.

Comments, directives and all other functions become blanks, so that every offset stays that of the file. Macros without
arguments are consts, or names of types: those that are defined where the function begins, as the preprocessor has them.
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
    "size_t": "u64",
    "ptrdiff_t": "i64",
}

_SILENT = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.DOTALL)
_DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n\\]|\\ *\n|\\.)*", re.MULTILINE)
_MACRO = re.compile(r"#\s*(define|undef)\s+([A-Za-z_]\w*)(\(?)(.*)", re.DOTALL)
_CALLABLE = re.compile(r"\b([A-Za-z_]\w*)\s*\([^(){};]*\)\s*\{")
_WORDS_OF_C = {
    *("auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum", "extern"),
    *("float", "for", "goto", "if", "inline", "int", "long", "register", "restrict", "return", "short", "signed"),
    *("sizeof", "static", "struct", "switch", "typedef", "union", "unsigned", "void", "volatile", "while"),
}
_IDLE_WORDS = {"const", "inline", "register", "restrict", "volatile"}  # without them a program computes the same
_PRAGMA = re.compile(r"#\s*pragma\s+(scop|endscop)\s*")
_IGNORED = re.compile(r"#\s*(include|define|undef|pragma|line|\d+)\b")


@dataclass(frozen=True)
class Text:
    """The function's text in place, and what macros name: `types`, and `consts` with their spans.

    `callables` are names that the file itself gives a meaning in calls: functions, and macros with arguments.
    """

    file: SourceFile
    code: str
    types: dict[str, str]
    consts: dict[str, tuple[str, Span]]
    callables: frozenset[str]


@dataclass(frozen=True)
class _Directive:
    """A `#define` or `#undef`: `text` is what a macro without arguments stands for, None for any other directive."""

    name: str
    defines: bool
    arguments: bool
    text: str
    span: Span


def read_text(file: SourceFile) -> Text:
    """Find the one scop of a file. Raises ArrayolError for none, several, and what only a preprocessor resolves."""
    text = file.text.replace("\r", " ")
    text = _SILENT.sub(lambda found: _blank(found[0]) if found[0].startswith("/") else found[0], text)
    directives: list[_Directive] = []
    pragmas: list[tuple[str, int]] = []
    for found in _DIRECTIVE.finditer(text):
        start = found.start() + len(found[0]) - len(found[0].lstrip())
        span = Span(file, start, found.end())
        pragma = _PRAGMA.fullmatch(found[0].strip())
        if pragma:
            pragmas.append((pragma[1], start))
        elif not _IGNORED.match(found[0].strip()):
            raise refused(span, f"'{found[0].split()[0]}' chooses what is compiled", "run the preprocessor: gcc -E -P")
        directives += _directive(found[0].strip(), span)
    code = _DIRECTIVE.sub(lambda found: _blank(found[0]), text)
    begin, end = _scop(file, pragmas)
    quiet = _SILENT.sub(lambda found: _blank(found[0]), code)
    first, last = _function(quiet, begin, end, Span(file, begin, begin + 1))
    first += len(quiet[first:]) - len(quiet[first:].lstrip())
    types, consts, called = _macros(directives, quiet, first, last)
    marked = _mark(code, begin, "__scop;")
    marked = _mark(marked, end, "__end;")
    callables = frozenset(called) | frozenset(_CALLABLE.findall(quiet))
    return Text(file, _blank(code[:first]) + marked[first:last] + _blank(code[last:]), types, consts, callables)


def _directive(text: str, span: Span) -> list[_Directive]:
    """The macro that a line defines or takes back; none for other lines."""
    found = _MACRO.fullmatch(text)
    if found is None:
        return []
    value = " ".join(re.sub(r"\\ *\n", " ", found[4]).split())
    return [_Directive(found[2], found[1] == "define", bool(found[3]), value, span)]


def _macros(
    directives: list[_Directive], code: str, first: int, last: int
) -> tuple[dict[str, str], dict[str, tuple[str, Span]], set[str]]:
    """Types, consts and macros with arguments as they are in the function from `first` to `last`.

    What comes behind it does not count. In it, a name must mean one thing only.
    """
    defined: dict[str, _Directive] = {}
    for one in directives:
        if one.span.start >= last:
            break
        if one.name in _WORDS_OF_C and not (one.name in _IDLE_WORDS and not one.text):
            raise refused(one.span, f"this gives '{one.name}', a word of C, another meaning", "choose another name")
        if one.span.start >= first:
            _check_inside(one, defined, code[first : one.span.start])
        if one.defines:
            defined[one.name] = one
        else:
            defined.pop(one.name, None)
    types: dict[str, str] = {}
    consts = {}
    for name, one in defined.items():
        if not one.arguments and one.text:
            named = _type_of(one.text, defined)
            if named is not None:
                types[name] = named
            else:
                consts[name] = (one.text, one.span)
    return types, consts, {name for name, one in defined.items() if one.arguments}


def _check_inside(one: _Directive, defined: dict[str, _Directive], before: str) -> None:
    """Refuse a directive in the function whose name meant something else further up."""
    texts = [before, *(other.text for other in defined.values())]
    known = defined.get(one.name)
    same = known is not None and one.defines and (known.arguments, known.text) == (one.arguments, one.text)
    if not same and (known is not None or any(re.search(rf"\b{one.name}\b", text) for text in texts)):
        message = f"'{one.name}' means something else above this line of the function"
        raise refused(one.span, message, "give each meaning a name of its own, defined before the function")


def _type_of(text: str, defined: dict[str, _Directive]) -> str | None:
    """The type that a macro's text names, also by other macros."""
    seen: set[str] = set()
    while text not in TYPES and text in defined and not defined[text].arguments and text not in seen:
        seen.add(text)
        text = defined[text].text
    return TYPES.get(text)


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
