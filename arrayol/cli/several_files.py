"""What `check` and `fmt` share, which take several files and the standard input; and whether output is coloured."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TextIO

import click

from arrayol.cli.options import PLACE
from arrayol.files import MOST_TEXT_BYTES

STANDARD_INPUT = Path("-")
STANDARD_INPUT_NAME = "<stdin>"  # in messages; it imports files from the current folder


def _each_once(ctx: click.Context, param: click.Parameter, specs: tuple[Path, ...]) -> tuple[Path, ...]:
    return tuple(dict.fromkeys(specs))


specs_argument = click.argument("specs", metavar="FILE...", type=PLACE, nargs=-1, required=True, callback=_each_once)


def read_standard_input() -> bytes:
    """All of the standard input, or one byte more than a specification may have."""
    return sys.stdin.buffer.read(MOST_TEXT_BYTES + 1)


def wants_colour(stream: TextIO) -> bool:
    """Whether text for a stream is coloured: on a terminal, if the variables that users set for this say nothing else.

    NO_COLOR forbids it and FORCE_COLOR demands it, unless they are empty; FORCE_COLOR=0 forbids it too.
    """
    if os.environ.get("NO_COLOR"):
        return False
    forced = os.environ.get("FORCE_COLOR")
    if forced:
        return forced != "0"
    return stream.isatty() and os.environ.get("TERM") != "dumb"
