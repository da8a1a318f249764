"""Source text and the places in it that nodes and errors point at."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate


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
