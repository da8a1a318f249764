"""Source text and the places in it that nodes and errors point at."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

# Controls, white space that is not ASCII, and marks of no width. Lines end at line feeds alone, whatever else a screen,
# or `str.splitlines`, takes for their end.
UNSEEN = re.compile(
    "[\0-\x08\v\f\x0e-\x1f\x7f-\xa0\xad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f"
    "\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff]"
    "|\r(?!\n)"
)


def visible(text: str) -> str:
    """A text for a message: what could not be seen is there by its code point, as <U+00A0>."""
    return UNSEEN.sub(lambda found: f"<U+{ord(found[0]):04X}>", text)


@dataclass(frozen=True)
class SourceFile:
    """The text of one file under the name the user gave it."""

    name: str
    text: str

    @cached_property
    def _line_starts(self) -> tuple[int, ...]:
        lengths = (len(line) + 1 for line in self.text.split("\n"))
        return (0, *accumulate(lengths))[:-1]

    def line_and_column(self, offset: int) -> tuple[int, int]:
        """Line and column of a character offset, both counted from 1."""
        line = bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1] + 1

    def line(self, number: int) -> str:
        """The text of a line (counted from 1), without its line end."""
        start = self._line_starts[number - 1]
        end = self.text.find("\n", start)
        return self.text[start : end if end >= 0 else len(self.text)].rstrip("\r")

    def span(self, start: int, end: int) -> Span:
        """The place of the characters [start, end)."""
        return Span(self, start, end)

    def pointer(self, offset: int) -> str | None:
        """The JSON pointer of what stands at an offset; None where the text is no JSON."""
        return None


@dataclass(frozen=True, slots=True)
class Span:
    """The characters [start, end) of a file. It takes no part in the equality of the nodes that hold it."""

    file: SourceFile
    start: int
    end: int

    @property
    def place(self) -> tuple[str, int, int]:
        """File name, line and column of the first character, for sorting and printing."""
        return (self.file.name, *self.file.line_and_column(self.start))

    @property
    def end_place(self) -> tuple[int, int]:
        """Line and column just after the last character."""
        return self.file.line_and_column(self.end)

    def to(self, other: Span) -> Span:
        """The span from the start of this one to the end of `other`."""
        return Span(self.file, self.start, other.end)


@dataclass(slots=True, eq=False)
class EditedPiece:
    """A part of a text that an editor changes around it: `file` is the text as it is now, `start` where the part is."""

    file: SourceFile
    start: int

    def span(self, start: int, end: int) -> Span:
        """The place of the characters [start, end) of the part; it moves with the part."""
        return PieceSpan(self, start, end)


class PieceSpan(Span):
    """A span in a piece: always where the piece is now."""

    __slots__ = ("_high", "_low", "_piece")
    _piece: EditedPiece
    _low: int
    _high: int

    def __init__(self, piece: EditedPiece, low: int, high: int) -> None:
        for name, value in (("_piece", piece), ("_low", low), ("_high", high)):
            object.__setattr__(self, name, value)

    def __reduce__(self) -> tuple[type[Span], tuple[SourceFile, int, int]]:
        return Span, (self.file, self.start, self.end)

    @property
    def file(self) -> SourceFile:
        return self._piece.file

    @property
    def start(self) -> int:
        return self._piece.start + self._low

    @property
    def end(self) -> int:
        return self._piece.start + self._high

    def to(self, other: Span) -> Span:
        """The span from the start of this one to the end of `other`, in the same piece."""
        return PieceSpan(self._piece, self._low, other.end - self._piece.start)
