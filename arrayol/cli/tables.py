"""Printing tables on stdout."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from io import TextIOWrapper

import click
from rich.console import Console, RenderableType
from rich.table import Table

_PIPED_WIDTH = 120


def print_parts(*parts: RenderableType) -> None:
    """Print parts with empty lines between them, as wide as the terminal or COLUMNS say.

    Names are taken literally; what stdout's encoding lacks is escaped.
    """
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    width = None if sys.stdout.isatty() or "COLUMNS" in os.environ else _PIPED_WIDTH
    console = Console(width=width, markup=False, emoji=False, highlight=False)
    with console.capture() as text:
        for place, part in enumerate(parts):
            console.print(*(["", part] if place else [part]), sep="\n")
    click.echo("\n".join(line.rstrip() for line in text.get().splitlines()))


def facts_table(facts: Iterable[tuple[str, str]]) -> Table:
    """Words with their texts beside them."""
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for word, text in facts:
        table.add_row(word, text)
    return table
