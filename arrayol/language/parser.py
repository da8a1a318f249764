"""From text to a syntax tree, going on after mistakes.

The five words that start a definition stand nowhere else, so they cut a file in pieces that are parsed one by one: a
mistake in one definition never hides those of the next. Inside a definition the parser takes up again at the next
line on which a statement, link or call can start.
"""

# mypy: disallow-untyped-calls=False
# Lark leaves its interactive parser without types.

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files

from lark import Lark, Token
from lark.exceptions import UnexpectedToken
from lark.parsers.lalr_interactive_parser import InteractiveParser

from arrayol.errors import Diagnostic
from arrayol.ir import syntax
from arrayol.language.hints import closest
from arrayol.language.mistakes import check_numbers, misspelt_keyword, unclosed, unexpected
from arrayol.language.nesting import too_deep
from arrayol.language.terminals import ITEM_KEYWORDS, KEYWORDS
from arrayol.language.tree import Builder
from arrayol.source import SourceFile, Span


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment, `#` included, and the offset where it starts."""

    text: str
    start: int


@dataclass(frozen=True, slots=True)
class Parsed:
    """What one file gave: the definitions that could be read, its comments, its mistakes of syntax.

    `broken` names the definitions that could not be read, so that what refers to them is not told as well.
    """

    tree: syntax.File
    comments: tuple[Comment, ...]
    diagnostics: tuple[Diagnostic, ...]
    broken: frozenset[str]


def parse(file: SourceFile) -> Parsed:
    """Parse a whole file. Never raises: mistakes are in the result, and the tree holds what is whole."""
    grammar = _grammar()
    grammar.builder.file = file
    grammar.comments.clear()
    tokens = list(grammar.lark.lex(file.text))
    comments = tuple(Comment(str(token), token.start_pos or 0) for token in grammar.comments)
    diagnostics = list(check_numbers(tokens, grammar.builder))
    items: list[syntax.Item] = []
    broken: set[str] = set()
    for piece in _pieces(tokens):
        reader = _PieceReader(grammar, piece)
        reader.read()
        judged = [(item, too_deep(item)) for item in reader.items]
        diagnostics += [*reader.diagnostics, *(found for _, found in judged if found)]
        items += [item for item, found in judged if not found]
        if reader.damaged or any(found for _, found in judged):
            broken |= {str(token) for token in piece[:2] if token.type == "NAME"}
    return Parsed(
        syntax.File(tuple(items), Span(file, 0, len(file.text))), comments, tuple(diagnostics), frozenset(broken)
    )


@dataclass(frozen=True, slots=True)
class _Grammar:
    lark: Lark
    builder: Builder
    comments: list[Token]


@lru_cache(maxsize=1)
def _grammar() -> _Grammar:
    """The tables, made once: they take longer than most files."""
    text = (files("arrayol.language") / "grammar.lark").read_text(encoding="utf-8")
    builder = Builder()
    comments: list[Token] = []

    def keep(comment: Token) -> Token:
        comments.append(comment)
        return comment

    lark = Lark(
        text,
        parser="lalr",
        lexer="basic",
        start=["item", "unknown"],
        keep_all_tokens=True,
        maybe_placeholders=False,
        transformer=builder,
        lexer_callbacks={"COMMENT": keep},
    )
    return _Grammar(lark, builder, comments)


def _pieces(tokens: list[Token]) -> Iterator[list[Token]]:
    """The tokens cut before each word that starts a definition, written right or wrong."""
    piece: list[Token] = []
    for token in tokens:
        if token.type in ITEM_KEYWORDS and piece:
            yield piece
            piece = []
        piece.append(token)
    if piece:
        yield piece


@dataclass(slots=True)
class _PieceReader:
    """Parses one piece: a definition, or two where the word that starts the second is misspelt.

    A definition with a misspelt keyword is read as it was meant; one with any other mistake is `damaged` and left out.
    """

    grammar: _Grammar
    tokens: list[Token]
    items: list[syntax.Item] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    damaged: bool = False
    _resume: InteractiveParser | None = None
    _broken: int = -1

    def read(self) -> None:
        """Take every definition that is whole, and note every mistake."""
        parser = self._start()
        place, line = 0, 0
        while place < len(self.tokens):
            token = self.tokens[place]
            if token.line != line and _takes(parser, "RBRACE"):
                self._resume = parser.copy(deepcopy_values=False)
            line = token.line or 0
            try:
                parser.feed_token(token)
                place += 1
            except UnexpectedToken:
                parser, place = self._recover(parser, place)
        self._finish(parser)

    def _start(self) -> InteractiveParser:
        return self.grammar.lark.parse_interactive(start="item")

    def _recover(self, parser: InteractiveParser, place: int) -> tuple[InteractiveParser, int]:
        """After a mistake: put a misspelt keyword right, or go on where the next member of the body starts."""
        token = self.tokens[place]
        expected = parser.accepts()
        words = {word for word in KEYWORDS if word.upper() in expected} - {"true", "false"}
        starts_item = "$END" in expected or place == 0
        meant = closest(str(token), words | set(ITEM_KEYWORDS.values() if starts_item else ()))
        if token.type != "NAME" or not meant:
            self.diagnostics.append(unexpected(self.tokens, place, expected, self.grammar.builder))
            self.damaged = True
            return self._skip(place)
        self.diagnostics.append(misspelt_keyword(token, meant, self.grammar.builder))
        self.tokens[place] = token.update(type=meant.upper(), value=meant)
        if meant.upper() in ITEM_KEYWORDS and place:
            self._finish(parser)
            parser = self._start()
        return parser, place

    def _skip(self, place: int) -> tuple[InteractiveParser, int]:
        """The parser as it was before the broken member, and the first token of the next one."""
        first, self._broken = place + (place == self._broken), place
        resume, depth = self._resume, 0
        for later in range(first, len(self.tokens) if resume else 0):
            token = self.tokens[later]
            starts_line = token.line != self.tokens[later - 1].line
            if resume and depth <= 0 and starts_line and _takes(resume, token.type):
                return resume.copy(deepcopy_values=False), later
            depth += {"LBRACE": 1, "RBRACE": -1}.get(token.type, 0)
        return self.grammar.lark.parse_interactive(start="unknown"), len(self.tokens)

    def _finish(self, parser: InteractiveParser) -> None:
        try:
            item: syntax.Item = parser.feed_eof(self.tokens[-1])
        except UnexpectedToken:
            if not self.damaged:
                self.diagnostics.append(unclosed(self.tokens, parser.accepts(), self.grammar.builder))
            self.damaged = True
        else:
            self.items += [] if self.damaged else [item]


def _takes(parser: InteractiveParser, terminal: str) -> bool:
    """Whether the next token may be of this kind. The table alone merges places, so the step is tried on a copy."""
    if terminal not in parser.choices():
        return False
    trial = parser.copy(deepcopy_values=False)
    trial.parser_state.parse_conf = copy(trial.parser_state.parse_conf)
    trial.parser_state.parse_conf.callbacks = {}  # nothing is built
    try:
        trial.feed_token(Token(terminal, ""))
    except UnexpectedToken:
        return False
    return True
