"""What can be written next at a place in a text, by the tables of the grammar: for completion in editors."""

# mypy: disallow-untyped-calls=False
# Lark leaves its interactive parser without types.

from __future__ import annotations

from dataclasses import dataclass

from arrayol.ir.syntax import ITEM_KEYWORDS, KEYWORDS
from arrayol.language.syntax.grammar import grammar
from arrayol.language.syntax.parser import PieceReader, cut, pieces
from arrayol.source import EditedPiece, SourceFile


@dataclass(frozen=True, slots=True)
class Awaited:
    """What can stand at an offset: the tokens of its definition before it, as kinds and texts, and the next kinds."""

    before: tuple[tuple[str, str], ...]
    kinds: frozenset[str]


def awaited(file: SourceFile, offset: int) -> Awaited:
    """What can stand at an offset; a word that reaches up to it is being written, and does not count."""
    tables = grammar()
    text = file.text[:offset]
    start = [0, *(start for start, _ in cut(text))][-2:][0]  # the last word may start a definition, and not count
    tables.builder.open(EditedPiece(file, start))
    tokens = tables.tokens(text[start:])
    if tokens and tokens[-1].end_pos == offset - start and (tokens[-1].type == "NAME" or tokens[-1] in KEYWORDS):
        tokens.pop()
    piece = list(pieces(tokens))[-1:]
    if not piece:
        return Awaited((), frozenset(ITEM_KEYWORDS))
    before = tuple((token.type, str(token)) for token in piece[0])
    kinds = frozenset(PieceReader(tables, piece[0]).advance().accepts())
    return Awaited(before, kinds | (ITEM_KEYWORDS.keys() if "$END" in kinds else set()))
