"""Printing tables on stdout, and counts in words."""

from __future__ import annotations

import os
import sys
from io import TextIOWrapper

import click
from rich.console import Console, RenderableType

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


def counted(count: int, noun: str) -> str:
    """A count with its noun: 1 task, 2 tasks."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
