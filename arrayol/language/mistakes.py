"""What to say about a mistake of syntax."""

from __future__ import annotations

from collections.abc import Iterator

from lark import Token

from arrayol.errors import Diagnostic
from arrayol.language.terminals import ITEM_KEYWORDS, KEYWORDS, describe
from arrayol.language.tree import Builder
from arrayol.source import Span

MAXIMUM_DIGITS = 400
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
        line = opened[-1].line
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
    text = str(token)
    if len(text) == 1 and not text.isprintable():
        return f"character U+{ord(text):04X}"
    shown = "".join(character if character.isprintable() else "?" for character in text)
    return f"'{shown}'" if len(shown) <= 40 else f"'{shown[:37]}...'"


def _hint(tokens: list[Token], place: int, expected: set[str]) -> str | None:
    """What the writer most likely meant, for the slips that the language's rules and other languages make likely."""
    token, before = tokens[place], tokens[place - 1] if place else None
    slips = _slip_after(before, token, expected) if before is not None else None
    return slips or _slip_at(tokens, place, expected)


_POINT = "numbers have digits on both sides of the point: 1.0, 0.5"
_FOREIGN = {
    "!": "'not' negates a condition, '!=' compares",
    "?": "a conditional is written 'a if condition else b'",
    ";": "nothing stands between statements or definitions: leave the ';' out",
    '"': "a text ends on the line where it starts, with a second quotation mark",
    ".": _POINT,
    "-": "only '+=' exists: write y = y - ...",
}
_FOREIGN_PAIRS = {
    ("&", "&"): "'and' joins conditions",
    ("|", "|"): "'or' joins conditions",
    ("*", "*"): "there is no power: write a product",
}
_COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")


def _slip_after(before: Token, token: Token, expected: set[str]) -> str | None:
    """Slips that two neighbouring words show."""
    touching = before.end_pos == token.start_pos
    if touching and before.type == "NUMBER" and token.type == "NAME":
        return "numbers are decimal: 16, 0.5, 1e-3; a name does not start with a digit"
    if token in _COMPARISONS and "AND" in expected:
        return "comparisons do not chain: write a < b and b < c"
    return _FOREIGN_PAIRS.get((str(before), str(token))) if touching else None


def _slip_at(tokens: list[Token], place: int, expected: set[str]) -> str | None:
    """Slips that a word shows by itself, or by the definition it stands in."""
    token, in_task = tokens[place], tokens[0].type == "TASK"
    slips = {
        "for a comparison with a negative number put a space between '<' and '-'": token == "<-" and "LT" in expected,
        _POINT: token == ".." and "DOTS" not in expected,
        "'for' comes before 'where'": token == "for" and "where" in tokens[max(0, place - 40) : place],
        "a task holds one 'repeat', or calls on names of arrays, each on its own: y = TASK(x)": in_task
        and (token == "repeat" or expected == {"LPAR"} or (token == "(" and "RPAR" in expected)),
        f"'{token}' is a word of the language; choose another name": token in KEYWORDS and "NAME" in expected,
        "a comparison is written '=='": token == "=" and "EQ" in expected,
    }
    return next((hint for hint, fits in slips.items() if fits), None) or _FOREIGN.get(str(token))
