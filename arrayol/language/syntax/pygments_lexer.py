"""Colours for specifications in pages and terminals: Pygments takes the tokens of the grammar's own lexer."""

# mypy: disable-error-code="import-untyped", disallow-subclassing-any=False
# Pygments has no types.

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pygments.lexer import Lexer
from pygments.token import Comment, Error, Keyword, Name, Number, Operator, Punctuation, String, Whitespace

from arrayol.ir.syntax import ITEM_KEYWORDS, KEYWORDS
from arrayol.ir.types import is_type
from arrayol.language.syntax.grammar import grammar
from arrayol.operators.registry import FUNCTIONS, WORDS
from arrayol.source import SourceFile

_KINDS = {
    "COMMENT": Comment.Single,
    "FIXED": Keyword.Type,
    "NUMBER": Number,
    "STRING": String,
    "UNKNOWN": Error,
} | dict.fromkeys(("COMMA", "COLON", "SEMICOLON", "LPAR", "RPAR", "LSQB", "RSQB", "LBRACE", "RBRACE"), Punctuation)
_WORDS = dict.fromkeys(WORDS, Operator.Word) | dict.fromkeys(("true", "false"), Keyword.Constant)
_DEFINED = {
    "CONST": Name.Constant,
    "TILER": Name.Variable,
    "ELEMENTARY": Name.Function,
    "TASK": Name.Function,
}


class ArrayolLexer(Lexer):
    """Registered with Pygments by an entry point, under these names."""

    name = "Array-OL"
    aliases = ("aol", "arrayol")
    filenames = ("*.aol",)

    def get_tokens_unprocessed(self, text: str) -> Iterator[tuple[int, Any, str]]:
        """Every character of the text, as offset, kind and piece."""
        tables = grammar()
        tables.builder.open(SourceFile("", text))
        tokens = list(tables.lark.lex(text))
        pieces = [(token.start_pos or 0, token.type, str(token)) for token in [*tokens, *tables.builder.comments]]
        end, before = 0, ""
        for start, kind, piece in sorted(pieces):
            if start > end:
                yield end, Whitespace, text[end:start]
            yield start, _kind(kind, piece, before), piece
            end = start + len(piece)
            before = before if kind == "COMMENT" else kind
        if end < len(text):
            yield end, Whitespace, text[end:]


def _kind(kind: str, text: str, before: str) -> Any:
    if text in KEYWORDS:
        return _WORDS.get(text, Keyword.Declaration if kind in ITEM_KEYWORDS else Keyword)
    if kind == "NAME":
        return _DEFINED.get(before) or (Keyword.Type if is_type(text) else Name.Builtin if text in FUNCTIONS else Name)
    return _KINDS.get(kind, Operator)
