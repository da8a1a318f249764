"""Tables, facts and lines on a terminal: the one place that prints what is laid out in columns.

What a table holds is decided by the commands.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from io import TextIOWrapper
from itertools import zip_longest
from typing import Any

import click
from rich.box import SIMPLE_HEAD
from rich.cells import cell_len, chop_cells
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.containers import Lines
from rich.style import StyleType
from rich.table import Table
from rich.text import Text

_PIPED_WIDTH = 120
_WIDE = 1 << 16  # columns that any table has room in
_WORD = re.compile(r"\s*\S+\s*|\s+")
_PART = re.compile(r"\s*(?:@?(?:[^@_/,\s]|,(?=[\d-]))+(?:[_/]|,(?![\d-]))*|[@_/,]+)\s*")
_SHORT = 12  # a word that is no wider keeps its width, if there is room


@dataclass(frozen=True, slots=True)
class Unwrapped:
    """Lines that are printed as they are, however narrow the terminal."""

    text: str


class NameTable(Table):
    """A table whose folded columns break names that are too long where their parts end: after `_`, before `@`."""

    def add_row(self, *cells: RenderableType | None, style: StyleType | None = None, end_section: bool = False) -> None:
        """Add a row; cells of text in columns that are folded break as names do."""
        columns = zip_longest(cells, self.columns)
        own = [_Named(cell) if isinstance(cell, str) and column and column.overflow == "fold" else cell
               for cell, column in columns]  # fmt: skip
        super().add_row(*own, style=style, end_section=end_section)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Draw it; where it is too wide, columns that are folded are no narrower than the parts of their names."""
        self._fit(console, options)
        yield from super().__rich_console__(console, options)

    def _fit(self, console: Console, options: ConsoleOptions) -> None:
        texts = [[str(cell) for cell in (*column.cells, *([column.header] if self.show_header else []))]
                 for column in self.columns]  # fmt: skip
        most = [
            min(_widest(own, str.splitlines), column.max_width or _WIDE)
            for own, column in zip(texts, self.columns, strict=True)
        ]
        beside = console.measure(self, options=options.update_width(_WIDE)).maximum - sum(most)
        folded = [number for number, column in enumerate(self.columns) if column.overflow == "fold"]
        if sum(most) + beside <= options.max_width:
            return
        inside = options.update_width(options.max_width - self._extra_width)
        usual = self._calculate_column_widths(console, inside)  # as Rich shares the width out, by widest words
        given = {number: usual[number] - self._get_padding_width(number) for number in folded}
        if all(given[number] >= min(most[number], _widest(texts[number], _parts)) for number in folded):
            return
        others = beside + sum(width for at, width in enumerate(most) if at not in folded)
        for parts in (_parts, _PART.findall):
            widths = {number: min(most[number], _widest(texts[number], parts)) for number in folded}
            room = options.max_width - others - sum(widths.values())
            if room >= 0:
                break
        if room < 0 and not _narrowed(widths, -room):
            return  # too narrow for whole parts
        for _ in range(room):
            widest = max(folded, key=lambda at: most[at] - widths[at])
            widths[widest] = min(most[widest], widths[widest] + 1)
        for number, width in widths.items():
            self.columns[number].width = width


@dataclass(frozen=True, slots=True)
class FirstThatFits:
    """One table in several shapes, wide ones first: the first that the terminal has room for, or else the last."""

    shapes: Sequence[Table]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Draw that shape."""
        room = options.update_width(_WIDE)
        fitting = (table for table in self.shapes if console.measure(table, options=room).maximum <= options.max_width)
        yield next(fitting, self.shapes[-1])


def _narrowed(widths: dict[int, int], less: int) -> bool:
    """Take so many columns from the widest of some widths in turn; False where none is above that of a short word."""
    for _ in range(less):
        widest = max(widths, key=widths.__getitem__, default=-1)
        if widths.get(widest, 0) <= _SHORT:
            return False
        widths[widest] -= 1
    return True


def _parts(text: str) -> list[str]:
    """The words of a text, long ones in the parts of names."""
    words = _WORD.findall(text)
    return [part for word in words for part in (_PART.findall(word) if cell_len(word.strip()) > _SHORT else [word])]


def _widest(texts: Iterable[str], parts: Callable[[str], list[str]]) -> int:
    """The widest of the parts of some texts."""
    return max((cell_len(part.rstrip()) for own in texts for part in parts(own)), default=1)


class _Named(Text):
    """A text whose words are broken between the parts of names, where a word alone is wider than a line."""

    def wrap(self, console: Console, width: int, *args: Any, **options: Any) -> Lines:
        """The lines of the text at a width."""
        lines = (line for own in self.plain.split("\n") for line in broken(own, width))
        return Text("\n".join(lines)).wrap(console, width, *args, **options)


def broken(line: str, width: int) -> list[str]:
    """A line in lines of at most some width, broken at spaces, and words that are wider where parts of names end."""
    lines, current = list[str](), ""
    for word in _WORD.findall(line):
        for piece in _PART.findall(word) if cell_len(word.rstrip()) > width else [word]:
            if current and cell_len(current) + cell_len(piece.rstrip()) > width:
                lines.append(current.rstrip())
                current = ""
            current += piece
            while cell_len(current.rstrip()) > width:
                first, *rest = chop_cells(current, width)
                lines.append(first)
                current = "".join(rest)
    return [*lines, current.rstrip()]


def print_parts(*parts: RenderableType | Unwrapped) -> None:
    """Print parts with empty lines between them, as wide as the terminal or COLUMNS say.

    Names are taken literally; what stdout's encoding lacks is escaped.
    """
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    width = None if sys.stdout.isatty() or "COLUMNS" in os.environ else _PIPED_WIDTH
    console = Console(width=width, markup=False, emoji=False, highlight=False)
    with console.capture() as text:
        for place, part in enumerate(parts):
            if place:
                console.print()
            if isinstance(part, Unwrapped):
                console.print(part.text, soft_wrap=True)
            else:
                console.print(part)
    click.echo("\n".join(line.rstrip() for line in text.get().splitlines()))


def headed_table(*left: str, right: Sequence[str] = ()) -> Table:
    """A table with a rule below its headers: columns of text that is folded, then columns of figures."""
    table = NameTable(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="")
    for header in left:
        table.add_column(header, overflow="fold")
    for header in right:
        table.add_column(header, justify="right", no_wrap=True)
    return table


def facts_table(facts: Iterable[tuple[str, str]]) -> Table:
    """Words with their texts beside them."""
    table = NameTable.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for word, text in facts:
        table.add_row(word, text)
    return table
