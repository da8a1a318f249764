"""What the parser says of a mistake: what was found, what may stand there, and which slip it probably is.

Lark's own messages do not leave the parser.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass
from functools import lru_cache
from typing import Any

from lark import Token

from arrayol.errors import Diagnostic
from arrayol.ir import syntax
from arrayol.ir.node_rules import MAXIMUM_DIGITS
from arrayol.ir.syntax import ITEM_KEYWORDS, KEYWORDS
from arrayol.language.syntax.characters import plain_hint
from arrayol.language.syntax.grammar import grammar
from arrayol.language.syntax.tree import Builder
from arrayol.operators.registry import INFIX, PREFIX
from arrayol.source import Span
from arrayol.text import clipped, listed

# A bound on how deep expressions nest, so that every later pass may recurse over them.
#
# A chain of left operands (a + b + c + ...) is walked by a loop wherever expressions are read, so it may be any length.

MAXIMUM_DEPTH = 100


def too_deep(item: syntax.Item | None) -> Diagnostic | None:
    """The first expression or loop of a definition that nests deeper than `MAXIMUM_DEPTH`, as a mistake."""
    stack: list[tuple[Any, int]] = [(item, 0)]
    while stack:
        node, depth = stack.pop()
        if depth > MAXIMUM_DEPTH and not isinstance(node, tuple):
            return Diagnostic(
                "nested-too-deep",
                f"this nests deeper than {MAXIMUM_DEPTH} levels",
                node.span,
                "split it: compute parts of it in separate consts or outputs",
            )
        stack += _children(node, depth)
    return None


def _children(node: Any, depth: int) -> list[tuple[Any, int]]:
    if isinstance(node, tuple):
        return [(child, depth) for child in node]
    if isinstance(node, syntax.Binary):
        return [(node.left, depth), (node.right, depth + 1)]
    if not is_dataclass(node) or isinstance(node, syntax.Name):
        return []
    deeper = depth + isinstance(node, (syntax.Unary, syntax.Conditional, syntax.Apply, syntax.Ref, syntax.Loop))
    return [(getattr(node, part.name), deeper) for part in fields(node) if part.name != "span"]


# Names of terminals in messages.

_SIGNS = {
    "ARROW": "->", "LARROW": "<-", "PLUS_EQUAL": "+=", "EQUAL": "=", "DOTS": "..", "COMMA": ",", "COLON": ":",
    "SEMICOLON": ";", "LPAR": "(", "RPAR": ")", "LSQB": "[", "RSQB": "]", "LBRACE": "{", "RBRACE": "}",
}  # fmt: skip

_EXPRESSION_STARTS = {"NUMBER", "NAME", "LPAR", "TRUE", "FALSE"}


@lru_cache(maxsize=1)
def _terminals_of_operators() -> tuple[frozenset[str], frozenset[str]]:
    """The grammar's names of infix and of prefix operators."""
    names = {str(terminal.pattern.value): terminal.name for terminal in grammar().lark.terminals}
    return frozenset(names[sign] for sign in INFIX), frozenset(names[sign] for sign in PREFIX)


def describe(expected: Iterable[str]) -> str:
    """What may stand at a place, in words: `',' or ']'`, `an expression`, `a name`."""
    left = set(expected)
    infix, prefix = _terminals_of_operators()
    words: list[str] = []
    if left >= _EXPRESSION_STARTS and left & prefix:
        words.append("an expression")
        left -= _EXPRESSION_STARTS | prefix
    if len(left & infix) > 1:
        left -= infix | {"IF"}
    if "NAME" in left:
        words.append("a name")
    words += [f"'{_SIGNS[name]}'" for name in _SIGNS if name in left]
    words += [f"'{word}'" for word in sorted(KEYWORDS) if word.upper() in left]
    words += [text for name, text in (("NUMBER", "a number"), ("STRING", 'a text in "quotes"')) if name in left]
    words += ["the end of this definition"] if "$END" in left and not words else []
    return listed(words, "or") or "nothing more"


# What to say about a mistake of syntax.

_DEFINITIONS = "a definition (import, const, tiler, elementary or task)"
_CLOSING = {"LPAR": ")", "LSQB": "]", "LBRACE": "}"}
_CLOSE = {"RPAR": "LPAR", "RSQB": "LSQB", "RBRACE": "LBRACE"}


def check_numbers(tokens: list[Token], builder: Builder) -> Iterator[Diagnostic]:
    """Numbers that no type can hold; each is replaced in the list, so that parsing can go on."""
    for place, token in enumerate(tokens):
        if token.type != "NUMBER":
            continue
        span = builder.token_span(token)
        if len(token) > MAXIMUM_DIGITS:
            message = f"a number of {len(token)} digits; at most {MAXIMUM_DIGITS} are allowed"
            yield Diagnostic("number-too-long", message, span, "write a number that hardware can hold")
        elif not token.isdigit() and float(token) == float("inf"):
            message = f"{token} is beyond f64, whose greatest value is about 1.8e308"
            yield Diagnostic("number-too-large", message, span, "write a smaller number")
        else:
            continue
        tokens[place] = token.update(value="1")


def misspelt_keyword(token: Token, meant: str, builder: Builder) -> Diagnostic:
    """A word that is nearly a keyword allowed here."""
    return Diagnostic("syntax", f"unexpected '{token}'", builder.token_span(token), f"did you mean '{meant}'?")


def unexpected(tokens: list[Token], place: int, expected: set[str], builder: Builder) -> Diagnostic:
    """A token that cannot stand where it is."""
    token = tokens[place]
    opened = _open_brackets(tokens[:place])
    if opened and _closer(opened[-1]) in expected and opened[-1].line != token.line and opened[-1].type != "LBRACE":
        message = f"this '{opened[-1]}' is not closed; expected {describe(expected)} before {_quoted(token)}"
        return Diagnostic("syntax", message, builder.token_span(opened[-1]), _close_hint(opened[-1]))
    if "$END" in expected or (place == 0 and token.type not in ITEM_KEYWORDS):
        wanted = f"{_DEFINITIONS} after it" if place else _DEFINITIONS
    else:
        wanted = describe(expected)
    message = f"unexpected {_quoted(token)}; expected {wanted}"
    return Diagnostic("syntax", message, builder.token_span(token), _hint(tokens, place, expected))


def unclosed(tokens: list[Token], expected: set[str], builder: Builder) -> Diagnostic:
    """A definition that ends too early: a bracket left open, or something missing."""
    last = builder.token_span(tokens[-1])
    end = Span(last.file, last.end, last.end)
    opened = _open_brackets(tokens)
    name = f" {tokens[0]} '{tokens[1]}'" if len(tokens) > 1 and tokens[1].type == "NAME" else f" {tokens[0]}"
    if opened:
        line = builder.token_span(opened[-1]).place[1]
        message = f"{_quoted(opened[-1])} of line {line} is never closed in{name}; expected {describe(expected)}"
        return Diagnostic("syntax", message, end, _close_hint(opened[-1]))
    return Diagnostic("syntax", f"the definition of{name} ends too early; expected {describe(expected)}", end)


def _open_brackets(tokens: list[Token]) -> list[Token]:
    opened: list[Token] = []
    for token in tokens:
        if token.type in _CLOSING:
            opened.append(token)
        elif token.type in _CLOSE and opened and opened[-1].type == _CLOSE[token.type]:
            opened.pop()
    return opened


def _closer(token: Token) -> str:
    return next(close for close, opening in _CLOSE.items() if opening == token.type)


def _close_hint(token: Token) -> str:
    return f"close it with '{_CLOSING[token.type]}'"


def _quoted(token: Token) -> str:
    return f"'{clipped(token)}'"


def _hint(tokens: list[Token], place: int, expected: set[str]) -> str | None:
    """What the writer most likely meant, for the slips that the language's rules and other languages make likely."""
    token, before = tokens[place], tokens[place - 1] if place else None
    slips = _slip_after(before, token, expected) if before is not None else None
    return slips or _slip_at(tokens, place, expected)


_POINT = "numbers have digits on both sides of the point: 1.0, 0.5"
_COMMENT = "a comment starts with '#'"
_FOREIGN = {
    "!": "'not' negates a condition, '!=' compares",
    "?": "a conditional is written 'a if condition else b'",
    ";": "nothing stands between statements or definitions: leave the ';' out",
    '"': "a text ends on the line where it starts, with a second quotation mark",
    ".": _POINT,
    "//": _COMMENT,
    "/": _COMMENT,
    "%": _COMMENT,
    "-": "only '+=' exists: write y = y - ...",
}
_FOREIGN_PAIRS = {
    ("&", "&"): "'and' joins conditions",
    ("|", "|"): "'or' joins conditions",
    ("*", "*"): "there is no power: write a product",
    ("-", "-"): _COMMENT,
}


def _slip_after(before: Token, token: Token, expected: set[str]) -> str | None:
    """Slips that two neighbouring words show."""
    touching = before.end_pos == token.start_pos
    if touching and before.type == "NUMBER" and token.type == "NAME":
        return "numbers are decimal: 16, 0.5, 1e-3; a name does not start with a digit"
    if token in INFIX and INFIX[token].is_comparison and "AND" in expected:
        return "comparisons do not chain: write a < b and b < c"
    return _FOREIGN_PAIRS.get((str(before), str(token))) if touching else None


def _slip_at(tokens: list[Token], place: int, expected: set[str]) -> str | None:
    """Slips that show in a word alone, or in the definition around it."""
    token, in_task = tokens[place], tokens[0].type == "TASK"
    line = [other.type for other in tokens[max(0, place - 40) : place] if other.line == token.line]
    following = tokens[place + 1 : place + 2]
    slips = {
        "a range is written 1..4": "DOTS" in expected and token != "..",
        "'for' comes before 'where'": token == "for" and "where" in tokens[max(0, place - 40) : place],
        "'for' follows its statement; several stand in loop k in 0..4 { ... }": token == "for" and "LOOP" in expected,
        "a condition follows its statement: y = x where c": token == "if" and "LOOP" in expected,
        "a value is given with '='": token in (":", "<=") and "EQUAL" in expected,
        "a const array has a type, a shape and rows: const K: i8[2, 2] = [1, 2; 3, 4]": token == "["
        and tokens[0].type == "CONST",
        "subscripts share one pair of brackets: y[0, 1]": token == "[" and "EQUAL" in expected,
        "shapes and subscripts go in square brackets, as in y[0]": token == "("
        and "LSQB" in expected
        and not (in_task and "RPAR" in expected),
        f"{_COMMENT}; '//' divides": token.type == "NAME" and "DOUBLE_SLASH" in line,
        _COMMENT: token == "-" and following == ["-"] and (place == 0 or "$END" in expected),
        "for a comparison with a negative number put a space between '<' and '-'": token == "<-" and "LT" in expected,
        _POINT: token == ".." and "DOTS" not in expected,
        "an array of one element is declared by the call that writes it": in_task
        and expected == {"LSQB"}
        and tokens[place - 2].type == "COLON",
        "nothing is repeated over calls and links: a 'repeat' runs a task once for each index": in_task
        and token in ("for", "loop"),
        "what is written has no border, and what is read has one": token == "else" and in_task and "NAME" in expected,
        "a task holds one 'repeat', or calls on names of arrays, each on its own: y = TASK(x)": in_task
        and (token == "repeat" or _calls_at(tokens[:place], expected) or (token == "(" and "RPAR" in expected)),
        f"'{token}' is a word of the language; choose another name": token in KEYWORDS and "NAME" in expected,
        "a comparison is written '=='": token == "=" and "EQ" in expected,
    }
    told = next((hint for hint, fits in slips.items() if fits), None)
    return told or _FOREIGN.get(str(token)) or (plain_hint(token) if token.type == "UNKNOWN" else None)


def _calls_at(before: list[Token], expected: set[str]) -> bool:
    """Whether a call's task is named, and what must follow is its values or arguments."""
    return bool({"LPAR"} <= expected <= {"LPAR", "LSQB"} and len(before) > 2 and before[-2].type == "EQUAL")
