"""The syntax tree of a file's functions and declarations, with places in the user's files."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pycparser import c_ast, c_parser

from arrayol.c_import.reading.functions import without_function_pointers
from arrayol.c_import.reading.jumps import without_jumps
from arrayol.c_import.reading.preprocess import Macro, Preprocessed, line_span, marked_lines
from arrayol.errors import ArrayolError, error
from arrayol.source import SourceFile, Span
from arrayol.text import few

_SYNTAX = re.compile(r".*?:(\d+)(?::(\d+))?: (.*)", re.DOTALL)
_TEMPLATE = re.compile(r"\b(ap_u?int)\s*<\s*(\d+)\s*>")
_TEXTS = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'')
_EXTERN_C = re.compile(r'\bextern\s+"C"\s*(\{)?')
_HEADERS = {
    r"u?int(?:8|16|32|64)_t": "stdint.h",
    "size_t": "stddef.h",
    "bool": "stdbool.h",
}  # of types that none declares
_FOREIGN = (  # words of C++ and of compilers that no tree has room for, with what to write
    (
        re.compile(r"\bap_u?fixed\s*<"),
        "ap_fixed",
        "write it with integers and shifts, or with the fixed point of the language",
    ),
    (re.compile(r"\bhls\s*::\s*stream\b"), "hls::stream", "hand the data over as an array, in the order of the stream"),
    (re.compile(r"\btemplate\s*<"), "template", "write the function for the one type and size that is meant"),
    (re.compile(r"\bclass\s+\w+"), "class", "write functions of arrays and numbers"),
    (re.compile(r"\bnamespace\b"), "namespace", "leave the words 'namespace' and 'using' out"),
    (re.compile(r"\b\w+\s*::\s*\w+"), "::", "write a function of C, as sqrt for std::sqrt"),
    (re.compile(r"\b(?:asm|__asm__)\b"), "asm", "write what it computes in C"),
)


@dataclass(frozen=True)
class Unit:
    """The content of a file: functions by name, declarations at its top level, macros that are consts."""

    places: Places
    functions: dict[str, c_ast.FuncDef]
    declarations: tuple[c_ast.Node, ...]
    macros: dict[str, Macro]
    widths: dict[str, tuple[int, bool]]  # names of types of any width: bits, signed


@dataclass
class Places:
    """Spans in the user's files of nodes that were parsed after the preprocessor."""

    file: SourceFile
    lines: dict[tuple[str, int], str]
    _others: dict[str, SourceFile] = field(default_factory=dict)

    @staticmethod
    def of(file: SourceFile, text: str) -> Places:
        """The spans of a preprocessed text, whose line markers say which file each line is from."""
        lines: dict[tuple[str, int], str] = {}
        for name, number, line in marked_lines(text):
            if line.strip():
                lines.setdefault((name, number), line)
        return Places(file, lines)

    def span(self, node: Any) -> Span:
        """The first word of a node, or its line where macros have moved it."""
        coord = node.coord
        if coord is None:
            return Span(self.file, 0, 0)
        name = getattr(node, "name", None)
        return self.at(
            coord.file or self.file.name, coord.line, coord.column or 1, name if isinstance(name, str) else None
        )

    def at(self, name: str, line: int, column: int, word: str | None = None) -> Span:
        """The word at a place of the preprocessed text."""
        file = self._file(name)
        whole = line_span(file, line)
        if whole is None:
            return Span(file, 0, 0)
        text = file.line(line)
        if self.lines.get((name, line), "").rstrip() == text.rstrip():
            start = column - 1
        else:
            found = re.search(rf"\b{re.escape(word)}\b", text) if word else None
            if found is None:
                return whole
            start = found.start()
        begin = sum(len(one) + 1 for one in file.text.split("\n")[: line - 1])
        words = re.compile(r"\w+|\S").match(text, start)
        return Span(file, begin + start, begin + (words.end() if words else start))

    def _file(self, name: str) -> SourceFile:
        if name == self.file.name:
            return self.file
        if name not in self._others:
            try:
                text = Path(name).read_text(encoding="utf-8", errors="replace")
            except OSError:
                text = ""
            self._others[name] = SourceFile(name, text)
        return self._others[name]


def parse_unit(file: SourceFile, made: Preprocessed) -> Unit:
    """The functions of a preprocessed file. Raises ArrayolError with a place for what is no C."""
    places = Places.of(file, made.text)
    text, widths = _plain_c(made.text, places)
    prefix = "".join(f"typedef int {name};" for name in (*widths, "__builtin_va_list"))
    name = file.name.replace("\\", "/")
    try:
        tree = c_parser.CParser().parse(f'{prefix}\n# 1 "{name}"\n{text}', file.name)
    except c_parser.ParseError as wrong:
        raise _syntax_error(str(wrong), places) from None
    functions = {one.decl.name: one for one in tree.ext if isinstance(one, c_ast.FuncDef)}
    for function in functions.values():
        if not isinstance(function.decl.type, c_ast.FuncDecl) or function.param_decls:
            hint = "write its parameters with their types between parentheses"
            raise error("c-syntax", "this is no function", places.span(function.decl), hint=hint)
    others = tuple(one for one in tree.ext if not isinstance(one, c_ast.FuncDef))
    without_function_pointers(functions, others)
    taken = {one.name for one in nodes_of(tree, c_ast.ID)} | {one.name for one in nodes_of(tree, c_ast.Decl)}
    for function in functions.values():
        without_jumps(function, taken)
    return Unit(places, functions, others, made.macros, widths)


def _syntax_error(message: str, places: Places) -> ArrayolError:
    found = _SYNTAX.fullmatch(message)
    hint = "write it in C99"
    if found is None:
        return error("c-syntax", f"the C of this file cannot be read: {message}", hint=hint, file=places.file.name)
    name = message[: found.start(1) - 1]
    line, column = int(found[1]), int(found[2] or 1)
    span = places.at(name, line, column)
    header = next(
        (header for word, header in _HEADERS.items() if re.search(rf"\b{word}\b", places.lines.get((name, line), ""))),
        None,
    )
    if header is not None and not any(Path(other).name == header for other, _ in places.lines):
        hint = f"#include <{header}>"
    return error("c-syntax", f"the C of this file cannot be read {found[3]}", span, hint=hint)


def _plain_c(text: str, places: Places) -> tuple[str, dict[str, tuple[int, bool]]]:
    """The text without the words of C++ that change nothing here, each line where it was."""
    for name, number, line in marked_lines(text):
        quiet = _TEXTS.sub(lambda found: "0" * len(found[0]), line)
        for pattern, word, hint in _FOREIGN:
            found = pattern.search(quiet)
            if found is not None and not line.lstrip().startswith("#"):
                span = places.at(name, number, found.start() + 1, word)
                raise error("not-imported", f"'{word}' is not read", span, hint=hint)
    text = _without_extern_c(text)
    widths: dict[str, tuple[int, bool]] = {}

    def width(found: re.Match[str]) -> str:
        name = f"{found[1]}_{found[2]}"
        widths[name] = (int(found[2]), found[1] == "ap_int")
        return name

    return _TEMPLATE.sub(width, text), widths


def _without_extern_c(text: str) -> str:
    """The text without `extern "C"` and the braces that go with it."""
    while True:
        found = _EXTERN_C.search(text)
        if found is None:
            return text
        blank = re.sub(r"[^\n]", " ", found[0])
        text = text[: found.start()] + blank + text[found.end() :]
        if found[1]:
            end = _closing(text, found.end())
            text = text[:end] + " " + text[end + 1 :]


def _closing(text: str, start: int) -> int:
    """Where the brace is that closes the one before `start`."""
    depth = 1
    for match in re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|[{}]').finditer(text, start):
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        if depth == 0:
            return match.start()
    return len(text) - 1


def chosen_function(unit: Unit, name: str | None) -> c_ast.FuncDef:
    """The function to import: the one that is named, else the one with `#pragma scop`, else the only one.

    A `main` beside others only calls them, to try them. Raises ArrayolError where that leaves a choice.
    """
    file = unit.places.file
    if name is not None:
        if name not in unit.functions:
            names = few(sorted(unit.functions)) or "none"
            hint = f"its functions are {names}"
            raise error("no-scop", f"there is no function '{name}' in this file", hint=hint, file=file.name)
        return unit.functions[name]
    marked = [one for one in unit.functions.values() if "scop" in pragmas_of(one)]
    others = {key: one for key, one in unit.functions.items() if key != "main"} or unit.functions
    called = {one.name.name for node in others.values() for one in calls_of(node) if isinstance(one.name, c_ast.ID)}
    candidates = marked or [one for key, one in others.items() if key not in called]
    if len(candidates) == 1:
        return candidates[0]
    if not unit.functions:
        raise error(
            "no-scop", "there is no function in this file", hint="name a file with the body of one", file=file.name
        )
    names = few(sorted(one.decl.name for one in candidates or unit.functions.values()))
    hint = f"name one, as --function {names.split(',')[0]}"
    raise error("no-scop", f"this file has several functions: {names}", hint=hint, file=file.name)


def pragmas_of(node: c_ast.Node) -> list[str]:
    """The texts of the pragmas in a function."""
    return [" ".join(one.string.split()) for one in nodes_of(node, c_ast.Pragma)]


def calls_of(node: c_ast.Node) -> list[c_ast.FuncCall]:
    """The calls in a function."""
    return nodes_of(node, c_ast.FuncCall)


def nodes_of(node: c_ast.Node, kind: type) -> list[Any]:
    """All nodes of a kind below a node, in the order of the text."""
    found, waiting = [], [node]
    while waiting:
        one = waiting.pop()
        if isinstance(one, kind):
            found.append(one)
        waiting += [child for _, child in reversed(one.children())]
    return found


def has_steps(node: c_ast.Node) -> bool:
    """Whether `++` or `--` stands in an expression."""
    return any(one.op in {"++", "--", "p++", "p--"} for one in nodes_of(node, c_ast.UnaryOp))
