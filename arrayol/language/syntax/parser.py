"""From text to a syntax tree, going on after mistakes.

The five words that start a definition stand nowhere else, so they cut a file in pieces that are parsed one by one: a
mistake in one definition never hides those of the next. Inside a definition the parser takes up again at the next
line on which a statement, link or call can start.
"""

# mypy: disallow-untyped-calls=False
# Lark leaves its interactive parser without types.

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, field
from itertools import chain, pairwise

from lark import Token
from lark.exceptions import UnexpectedToken
from lark.parsers.lalr_interactive_parser import InteractiveParser

from arrayol.errors import Diagnostic
from arrayol.ir import syntax, trusted
from arrayol.ir.syntax import ITEM_KEYWORDS, KEYWORDS
from arrayol.language.syntax.characters import without_unseen
from arrayol.language.syntax.diagnose import closest
from arrayol.language.syntax.grammar import Grammar, grammar
from arrayol.language.syntax.syntax_mistakes import check_numbers, misspelt_keyword, too_deep, unclosed, unexpected
from arrayol.source import EditedPiece, SourceFile, Span


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

    tree: syntax.Specification
    comments: tuple[Comment, ...]
    diagnostics: tuple[Diagnostic, ...]
    broken: frozenset[str]


@dataclass(frozen=True, slots=True)
class Reading:
    """What a text or a piece of one gave; its comments by their offset in it."""

    items: tuple[syntax.Item, ...]
    comments: tuple[Comment, ...]
    diagnostics: tuple[Diagnostic, ...]
    broken: frozenset[str]


_CUTS = re.compile(rf'#[^\n]*|"[^"\n]*"|\b(?:{"|".join(ITEM_KEYWORDS.values())})\b', re.ASCII)


class Readings:
    """The pieces of the text in an editor, read; of the next text only those are read that are new or have mistakes."""

    def __init__(self) -> None:
        self._file = SourceFile("", "")
        self._pieces: list[tuple[str, EditedPiece, Reading]] = []

    def of(self, file: SourceFile) -> list[tuple[EditedPiece, Reading]]:
        """The pieces of a text. Those that were in the last text too move to their places in this one."""
        if file != self._file:
            sound = defaultdict[str, deque[tuple[EditedPiece, Reading]]](deque)
            for text, piece, reading in self._pieces:
                if not reading.diagnostics:
                    sound[text].append((piece, reading))
            self._file, self._pieces = file, [_again(file, start, text, sound[text]) for start, text in cut(file.text)]
        return [(piece, reading) for _, piece, reading in self._pieces]


def cut(text: str) -> Iterator[tuple[int, str]]:
    """A text cut before the words that start definitions, as `pieces` cuts its tokens, and where the parts start."""
    starts = [found.start() for found in _CUTS.finditer(text) if found[0][0] not in '#"']
    return ((start, text[start:end]) for start, end in pairwise([*dict.fromkeys((0, *starts)), len(text)]))


def _again(
    file: SourceFile, start: int, text: str, known: deque[tuple[EditedPiece, Reading]]
) -> tuple[str, EditedPiece, Reading]:
    if not known:
        piece = EditedPiece(file, start)
        return text, piece, _read(piece, text)
    piece, reading = known.popleft()
    piece.file, piece.start = file, start
    return text, piece, reading


def parse(file: SourceFile, former: Readings | None = None) -> Parsed:
    """Parse a whole file. Never raises: mistakes are in the result, and the tree holds what is whole.

    `former` has what an editor's last text gave, and then what this one gives. Where both texts are the same both trees
    have the same nodes, with the places of this one.
    """
    file, diagnostics = without_unseen(file)
    placed = [(EditedPiece(file, 0), _read(file, file.text))] if former is None else former.of(file)
    readings = [reading for _, reading in placed]
    return Parsed(
        trusted.Specification(tuple(chain.from_iterable(one.items for one in readings)), Span(file, 0, len(file.text))),
        tuple(Comment(one.text, piece.start + one.start) for piece, reading in placed for one in reading.comments),
        (*diagnostics, *chain.from_iterable(one.diagnostics for one in readings)),
        frozenset().union(*(one.broken for one in readings)),
    )


def _read(place: SourceFile | EditedPiece, text: str) -> Reading:
    """A text, or the piece at a place."""
    tables = grammar()
    tables.builder.open(place)
    tokens = tables.tokens(text)
    comments = tuple(Comment(str(token), token.start_pos or 0) for token in tables.builder.comments)
    diagnostics = list(check_numbers(tokens, tables.builder))
    items: list[syntax.Item] = []
    broken: set[str] = set()
    for piece in pieces(tokens):
        reader = PieceReader(tables, piece)
        reader.read()
        deep = [(item, too_deep(item)) for item in reader.items]
        diagnostics += [*reader.diagnostics, *(diagnostic for _, diagnostic in deep if diagnostic)]
        items += [item for item, diagnostic in deep if not diagnostic]
        if reader.damaged or any(diagnostic for _, diagnostic in deep):
            broken |= {str(token) for token in piece[:2] if token.type == "NAME"}
    return Reading(tuple(items), comments, tuple(diagnostics), frozenset(broken))


def pieces(tokens: list[Token]) -> Iterator[list[Token]]:
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
class PieceReader:
    """Parses one piece: a definition, or two where the word that starts the second is misspelt.

    A definition with a misspelt keyword is read as it was meant; one with any other mistake is `damaged` and left out.
    """

    grammar: Grammar
    tokens: list[Token]
    items: list[syntax.Item] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    damaged: bool = False
    _resume: InteractiveParser | None = None
    _resumes_at: int = 0
    _broken: int = -1

    def read(self) -> None:
        """Take every definition that is whole, and note every mistake."""
        self._finish(self.advance())

    def advance(self) -> InteractiveParser:
        """The parser behind the last token."""
        parser = self._start()
        place, line = 0, 0
        while place < len(self.tokens):
            token = self.tokens[place]
            if token.line != line and _takes(parser, "RBRACE"):
                self._resume, self._resumes_at = parser.copy(deepcopy_values=False), place
            line = token.line or 0
            try:
                parser.feed_token(token)
                place += 1
            except UnexpectedToken:
                parser, place = self._recover(parser, place)
        return parser

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
            earlier = self._misspelt_before(place)
            if earlier:
                return earlier, place
            self.diagnostics.append(unexpected(self.tokens, place, expected, self.grammar.builder))
            self.damaged = True
            return self._skip(place)
        self.diagnostics.append(misspelt_keyword(token, meant, self.grammar.builder))
        self.tokens[place] = token.update(type=meant.upper(), value=meant)
        if meant.upper() in ITEM_KEYWORDS and place:
            self._finish(parser)
            parser, self._resume = self._start(), None
        return parser, place

    def _misspelt_before(self, place: int) -> InteractiveParser | None:
        """The parser before this token, where the one before it could be a name but was meant as a keyword."""
        before, first = self.tokens[place - 1], self._resumes_at
        if before.type != "NAME" or not self._resume or not first < place:
            return None
        parser: InteractiveParser = self._resume.copy(deepcopy_values=False)
        for token in self.tokens[first : place - 1]:
            parser.feed_token(token)
        meant = closest(str(before), {word for word in KEYWORDS if word.upper() in parser.accepts()})
        if not meant:
            return None
        keyword = before.update(type=meant.upper(), value=meant)
        parser.feed_token(keyword)
        if not _takes(parser, self.tokens[place].type):
            return None
        self.diagnostics.append(misspelt_keyword(before, meant, self.grammar.builder))
        self.tokens[place - 1] = keyword
        return parser

    def _skip(self, place: int) -> tuple[InteractiveParser, int]:
        """The parser as it was before the broken member, and the first token of the next one."""
        first, self._broken = place + (place == self._broken), place
        resume, depth = self._resume, 0
        for later in range(first, len(self.tokens) if resume else 0):
            token = self.tokens[later]
            starts_line = token.line != self.tokens[later - 1].line
            if resume and depth <= 0 and starts_line and _takes(resume, token.type):
                self._resumes_at = later
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


def expressions_of(text: str) -> tuple[syntax.Expr, ...] | None:
    """The expressions of a list, read as the origin of a tiler; None where it is no such list."""
    opening = "tiler t = origin ["
    parsed = parse(SourceFile("", f"{opening}{text}] paving [] fitting []"))
    items = parsed.tree.definitions
    if parsed.diagnostics or len(items) != 1 or not isinstance(items[0], syntax.TilerDef):
        return None
    tiler = items[0].tiler
    whole = tiler.origin.span.end == len(opening) + len(text) + 1 and not tiler.paving.rows and not tiler.fitting.rows
    return tiler.origin.items if whole and tiler.origin.items else None
