"""Tables, facts and lines on a terminal: the one place that prints what is laid out in columns.

What a table holds is decided by the commands.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from io import TextIOWrapper

import click
from rich.box import SIMPLE_HEAD
from rich.console import Console, RenderableType
from rich.table import Table

_PIPED_WIDTH = 120


@dataclass(frozen=True, slots=True)
class Unwrapped:
    """Lines that are printed as they are, however narrow the terminal."""

    text: str


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
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="")
    for header in left:
        table.add_column(header, overflow="fold")
    for header in right:
        table.add_column(header, justify="right", no_wrap=True)
    return table


def facts_table(facts: Iterable[tuple[str, str]]) -> Table:
    """Words with their texts beside them."""
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for word, text in facts:
        table.add_row(word, text)
    return table
