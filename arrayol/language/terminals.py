"""Names of terminals in messages."""

from __future__ import annotations

from collections.abc import Iterable

ITEM_KEYWORDS = {"IMPORT": "import", "CONST": "const", "TILER": "tiler", "ELEMENTARY": "elementary", "TASK": "task"}

KEYWORDS = {
    "extern", "for", "where", "loop", "in", "repeat", "of", "at", "delay", "else", "origin", "paving", "fitting",
    "wrap", "if", "or", "and", "not", "true", "false", *ITEM_KEYWORDS.values(),
}  # fmt: skip

_SIGNS = {
    "ARROW": "->", "LARROW": "<-", "PLUS_EQUAL": "+=", "EQUAL": "=", "DOTS": "..", "COMMA": ",", "COLON": ":",
    "SEMICOLON": ";", "LPAR": "(", "RPAR": ")", "LSQB": "[", "RSQB": "]", "LBRACE": "{", "RBRACE": "}",
}  # fmt: skip

_OPERATORS = {
    "EQ", "NE", "LE", "GE", "LT", "GT", "PIPE", "CARET", "AMPERSAND", "SHIFT_LEFT", "SHIFT_RIGHT", "PLUS", "STAR",
    "DOUBLE_SLASH", "SLASH", "PERCENT", "AND", "OR", "IF",
}  # fmt: skip

_EXPRESSION_STARTS = {"NUMBER", "NAME", "LPAR", "MINUS", "TILDE", "NOT", "TRUE", "FALSE"}


def describe(expected: Iterable[str]) -> str:
    """What may stand at a place, in words: `',' or ']'`, `an expression`, `a name`."""
    left = set(expected)
    words: list[str] = []
    if left >= _EXPRESSION_STARTS - {"NOT"}:
        words.append("an expression")
        left -= _EXPRESSION_STARTS
    if left & {"PLUS", "STAR"} and left & {"SLASH", "EQ"}:
        left -= _OPERATORS | {"MINUS"}
    if "NAME" in left:
        words.append("a name")
    words += [f"'{_SIGNS[name]}'" for name in _SIGNS if name in left]
    words += [f"'{word}'" for word in sorted(KEYWORDS) if word.upper() in left]
    words += [text for name, text in (("NUMBER", "a number"), ("STRING", 'a text in "quotes"')) if name in left]
    words += ["the end of this definition"] if "$END" in left and not words else []
    return one_of(words)


def one_of(words: list[str]) -> str:
    """A list of words in prose: `a, b or c`."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}" if words else "nothing more"
