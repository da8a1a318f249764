"""The option that names a picture to write."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from arrayol.pictures.save import FORMATS


def _picture(ctx: click.Context, param: click.Parameter, path: Path | None) -> Path | None:
    """A path whose suffix names a format that can be written."""
    if path is not None and path.suffix.lower() not in FORMATS:
        raise click.BadParameter(f"'{path}' does not end in {' or '.join(FORMATS)}.", ctx, param)
    return path


def picture_option(name: str, text: str) -> Callable[[Any], Any]:
    """An option for a picture, with its line in the help."""
    return click.option(name, metavar="PICTURE", type=click.Path(path_type=Path), callback=_picture, help=text)
