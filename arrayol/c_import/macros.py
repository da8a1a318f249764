"""Macros without arguments as constants of C. C puts the text of a macro where its name stands, then reads the whole.

So `#define M N + 1` makes `M * 2` mean `N + (1 * 2)`. A text that others cannot take apart is a number, a name, one of
these with a sign, or anything in parentheses. Only such a macro has a value.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from pycparser import c_ast, c_parser

from arrayol.c_import.c_text import refused
from arrayol.c_import.constants import Constant, literal, negative, operation
from arrayol.source import Span
from arrayol.text import clipped

_TOKEN = re.compile(r"\s*((?:\.?[0-9](?:[ep][+-]|[\w.])*)|[A-Za-z_]\w*|[-+*()])", re.IGNORECASE)


@dataclass(frozen=True)
class Macro:
    """What a macro stands for: its text with numbers as the language writes them, the names in it, and its value."""

    text: str
    names: tuple[str, ...]
    constant: Constant


def read_macro(name: str, text: str, span: Span, value_of: Callable[[str], Constant]) -> Macro:
    """The value of a macro's text; `value_of` gives those of the names in it. Raises ArrayolError where it has none."""
    tokens = _tokens(text)
    if tokens is None:
        raise refused(span, f"'{name}' is no sum or product of numbers", "write it as a number")
    if not _stands_alone(tokens):
        message = f"C puts '{clipped(text)}' where '{name}' stands, and takes its parts apart there"
        hint = f"write #define {name} ({clipped(text)}) if all of it is meant, else its text in place of '{name}'"
        raise refused(span, message, hint)
    tree = _expression(text)
    if tree is None:
        raise refused(span, f"'{name}' is no sum or product of numbers", "write it as a number")
    names = tuple(dict.fromkeys(token for token in tokens if re.match(r"[A-Za-z_]", token)))
    values = {other: value_of(other) for other in names}
    try:
        constant = _value(tree, values)
        written = _TOKEN.sub(_as_written, text)
    except ArithmeticError as wrong:
        raise refused(span, f"'{name}' has no value: {wrong}", "write it as a number") from None
    return Macro(written, names, constant)


def _tokens(text: str) -> list[str] | None:
    """The words of a text; None where one is neither a number, a name, a sign, a product nor a parenthesis."""
    tokens: list[str] = []
    place = 0
    while place < len(text):
        found = _TOKEN.match(text, place)
        if found is None:
            return None
        tokens.append(found[1])
        place = found.end()
    return tokens


def _stands_alone(tokens: list[str]) -> bool:
    """Whether no operator beside the text can take a part of it."""
    while tokens and tokens[0] in {"-", "+"}:
        tokens = tokens[1:]
    if len(tokens) == 1:
        return True
    depth = 0
    for place, token in enumerate(tokens):
        depth += {"(": 1, ")": -1}.get(token, 0)
        if depth == 0:
            return place == len(tokens) - 1
    return False


def _expression(text: str) -> c_ast.Node | None:
    """The text as an expression of C; None where it is none."""
    try:
        tree = c_parser.CParser().parse(f"int x = {text};")
    except c_parser.ParseError:
        return None
    return tree.ext[0].init if len(tree.ext) == 1 else None


def _value(node: c_ast.Node, values: dict[str, Constant]) -> Constant:
    match node:
        case c_ast.Constant() if node.type != "char":
            return literal(node.value)
        case c_ast.ID():
            return values[node.name]
        case c_ast.UnaryOp() if node.op in {"-", "+"}:
            inner = _value(node.expr, values)
            return negative(inner) if node.op == "-" else inner
        case c_ast.BinaryOp() if node.op in {"+", "-", "*"}:
            return operation(node.op, _value(node.left, values), _value(node.right, values))
        case _:
            raise ArithmeticError("it is no sum or product of numbers")


def _as_written(token: re.Match[str]) -> str:
    """A word of a macro as the language writes it; numbers that it reads as C does stay as they are."""
    word = token[1]
    if not re.match(r"\.?[0-9]", word) or re.fullmatch(r"(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?", word):
        return token[0]
    return token[0].removesuffix(word) + literal(word).text
