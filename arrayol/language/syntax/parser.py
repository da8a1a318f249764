"""From text to a syntax tree, going on after mistakes, and what to say about each of them.

The five words that start a definition stand nowhere else, so they cut a file in pieces that are parsed one by one: a
mistake in one definition never hides those of the next. Inside a definition the parser takes up again at the next
line on which a statement, link or call can start.
"""

# mypy: disallow-untyped-calls=False
# Lark leaves its interactive parser without types.

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from copy import copy
from dataclasses import dataclass, field, fields, is_dataclass
from functools import lru_cache
from itertools import chain, pairwise
from typing import Any

from lark import Token
from lark.exceptions import UnexpectedToken
from lark.parsers.lalr_interactive_parser import InteractiveParser

from arrayol.errors import Diagnostic
from arrayol.ir import syntax, trusted
from arrayol.ir.syntax import ITEM_KEYWORDS, KEYWORDS
from arrayol.language.syntax.characters import plain_hint, without_unseen
from arrayol.language.syntax.diagnose import closest
from arrayol.language.syntax.grammar import Grammar, grammar
from arrayol.language.syntax.tree import Builder
from arrayol.operators.registry import INFIX, PREFIX
from arrayol.source import EditedPiece, SourceFile, Span
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
