"""The preprocessor of a machine without a compiler: pcpp, with C's arithmetic in `#if` and tokens that stay apart.

pcpp 1.30 computes `#if` as Python does (-7 % 2 is 1 there, and chains of ?: group from the left), and writes two tokens
of which one came from a macro without a blank between them, so that `-` and `-v` become `--v`. Both are corrected here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from io import StringIO
from pathlib import Path
from typing import Any

from pcpp import Action, OutputDirective, Preprocessor
from pycparser import c_ast, c_parser

from arrayol.c_import.constants import CConstant, character, compared, converted, inverted, literal, negative, operation
from arrayol.c_import.reading.preprocess import Preprocessed, line_span, plain_macros
from arrayol.errors import error
from arrayol.source import SourceFile, Span

_TOKENS = re.compile(
    r"[A-Za-z_]\w*|\.?\d(?:[eEpP][+-]|[\w.])*|<<=|>>=|\.\.\.|->|\+\+|--|<<|>>|[<>=!]=|&&|\|\||[-+*/%&|^]=|##|.",
    re.DOTALL,
)
_COMPARISONS = {"<", "<=", ">", ">=", "==", "!="}


def by_library(file: SourceFile, headers: Path, quiet: Mapping[str, str], settings: Mapping[str, str]) -> Preprocessed:
    """The text of a file after pcpp. Raises ArrayolError with the place of what it refuses."""
    macros = plain_macros(_directives(file), file)
    reader = _Reader(file, headers, {**_given(settings, file), **quiet}, frozenset(macros))
    return Preprocessed(reader.text(), macros, "pcpp")


def _given(settings: Mapping[str, str], file: SourceFile) -> dict[str, str]:
    asked = set(re.findall(r"^[ \t]*#[ \t]*(?:if|ifdef|ifndef|elif)\b.*?([A-Za-z_]\w*)", file.text, re.MULTILINE))
    return {name: value for name, value in settings.items() if name in asked}


def _directives(file: SourceFile) -> Any:
    """The lines of a file where no condition chooses between definitions; nothing where one does."""
    text = file.text.replace("\\\n", " ")
    conditional = re.search(r"^[ \t]*#[ \t]*(?:if|ifdef|elif|else)\b", text, re.MULTILINE)
    lines = [] if conditional else text.split("\n")
    return ((file.name, number, line) for number, line in enumerate(lines, 1))


class _Reader(Preprocessor):  # type: ignore[misc]
    """pcpp on one file."""

    def __init__(self, file: SourceFile, headers: Path, given: Mapping[str, str], kept: frozenset[str]) -> None:
        super().__init__()
        self.file, self.kept = file, kept
        self.deciding = False
        for folder in (str(Path(file.name).parent), str(headers)):
            self.add_path(folder)
        for name, value in given.items():
            self.define(f"{name} {value}")
        self.line_directive = None

    def text(self) -> str:
        """The preprocessed text, with line marks."""
        self.parse(self.file.text, self.file.name)
        out, place, last, end = StringIO(), ("", 0), "", -1
        while (token := self.token()) is not None:
            here = (token.source or self.file.name, token.lineno)
            if here[0] != place[0] or here[1] != place[1]:
                if not last.endswith("\n") and last:
                    out.write("\n")
                out.write(f'# {here[1]} "{here[0]}"\n')
                last = "\n"
            is_beside = token.lexpos == end and here[0] == place[0]  # so in the user's own text
            if last and not is_beside and _would_join(last, token.value):
                out.write(" ")
            out.write(token.value)
            last, end = token.value, token.lexpos + len(token.value)
            place = (here[0], here[1] + token.value.count("\n"))
        return out.getvalue()

    # What pcpp asks.

    def expand_macros(self, tokens: Any, expanding_from: Any = ()) -> Any:
        """Macros in their places; those that are consts keep their names, but where a condition asks for them."""
        if self.deciding:
            return super().expand_macros(tokens, list(expanding_from))
        hidden = {name: self.macros.pop(name) for name in self.kept if name in self.macros}
        try:
            return super().expand_macros(tokens, list(expanding_from))
        finally:
            self.macros.update(hidden)

    def evalexpr(self, tokens: Any) -> tuple[int, None]:
        """The value of a condition."""
        self.deciding = True
        try:
            expanded = self.expand_macros(self._without_defined(tokens))
        finally:
            self.deciding = False
        text = " ".join(token.value for token in expanded if token.type not in self.t_WS)
        return int(_condition(text, self.file, tokens[0].lineno if tokens else 1).value), None

    def _without_defined(self, tokens: Any) -> Any:
        kept = [token for token in tokens if token.type not in self.t_WS]
        result, place = [], 0
        while place < len(kept):
            token = kept[place]
            if token.value == "defined" and place + 1 < len(kept):
                parenthesis = kept[place + 1].value == "("
                name = kept[min(place + 1 + parenthesis, len(kept) - 1)]
                name.value = "1" if name.value in self.macros else "0"
                name.type = self.t_INTEGER
                result.append(name)
                place += 4 if parenthesis else 2
            else:
                result.append(token)
                place += 1
        return result

    def on_error(self, file: str, line: int, message: str) -> None:
        """Refuse what pcpp refuses. Raises ArrayolError."""
        raise error("c-syntax", f"the preprocessor: {message}", _span(self.file, line), hint="mend this line")

    def on_include_not_found(self, is_malformed: bool, is_system: bool, folder: str, name: str) -> None:
        """A header that is not there."""
        hint = "install a C compiler, and give its include folders with --cc"
        raise error(
            "c-syntax", f"the preprocessor: there is no file '{name}'", _span(self.file, self.linemacro), hint=hint
        )

    def on_directive_handle(self, directive: Any, tokens: Any, ifpassthru: bool, preceding: Any) -> Any:
        """Pragmas pass; all other directives are done."""
        if directive.value == "pragma":
            return None
        return super().on_directive_handle(directive, tokens, ifpassthru, preceding)

    def on_directive_unknown(self, directive: Any, tokens: Any, ifpassthru: bool, preceding: Any) -> Any:
        """`#error`, and what pcpp does not know."""
        if directive.value == "error":
            message = "".join(token.value for token in tokens)
            raise error(
                "c-syntax", f"the preprocessor: #error {message}", _span(self.file, directive.lineno), hint="mend it"
            )
        if directive.value in {"pragma", "line", "warning"}:
            return None
        raise OutputDirective(Action.IgnoreAndRemove)

    def on_comment(self, token: Any) -> bool:
        """Comments go."""
        return False


def _span(file: SourceFile, line: int) -> Span:
    return line_span(file, max(line, 1)) or Span(file, 0, 0)


def _would_join(left: str, right: str) -> bool:
    """Whether two tokens would be read otherwise without a blank between them."""
    if not left.strip() or not right.strip():
        return False
    return [found[0] for found in _TOKENS.finditer(left[-40:] + right)] != [
        *(found[0] for found in _TOKENS.finditer(left[-40:])),
        *(found[0] for found in _TOKENS.finditer(right)),
    ]


def _condition(text: str, file: SourceFile, line: int) -> CConstant:
    """The value of the expression of an `#if`: of 64 bits, names that are left are 0."""
    try:
        tree = c_parser.CParser().parse(f"int x = {text};")
        return _value(tree.ext[0].init)
    except (c_parser.ParseError, ArithmeticError) as wrong:
        message = f"the preprocessor: this condition has no value: {wrong}"
        raise error("c-syntax", message, _span(file, line), hint="write it with integers") from None


def _wide(constant: CConstant) -> CConstant:
    return converted(constant, "u64" if constant.type[0] == "u" else "i64")


def _value(node: c_ast.Node) -> CConstant:
    match node:
        case c_ast.Constant():
            return _wide(character(node.value) if node.type == "char" else literal(node.value))
        case c_ast.ID():
            return CConstant("i64", 0)
        case c_ast.UnaryOp():
            return _unary(node.op, _value(node.expr))
        case c_ast.TernaryOp():
            return _value(node.iftrue if _value(node.cond).value else node.iffalse)
        case c_ast.BinaryOp():
            return _binary(node)
    raise ArithmeticError("it is no integer expression")


def _unary(sign: str, inner: CConstant) -> CConstant:
    if sign == "!":
        return CConstant("i64", int(inner.value == 0))
    if sign == "-":
        return negative(inner)
    return inverted(inner) if sign == "~" else inner


def _binary(node: Any) -> CConstant:
    left = _value(node.left)
    if node.op in {"&&", "||"}:
        if bool(left.value) == (node.op == "||"):
            return CConstant("i64", int(node.op == "||"))
        return CConstant("i64", int(_value(node.right).value != 0))
    right = _value(node.right)
    if node.op in _COMPARISONS:
        return CConstant("i64", int(compared(node.op, left, right)))
    return operation(node.op, left, right)
