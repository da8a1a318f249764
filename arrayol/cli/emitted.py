"""`arrayol explore --emit`: what belongs to designs of a result that is there, in place of an exploration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import click
from click.core import ParameterSource

from arrayol import api
from arrayol.checks.check import load_checked
from arrayol.cli.options import warn

_BESIDE = ("spec", "emitted", "out", "top", "settings", "quiet")  # the options that say where, and of what


def emit(spec: Path, folder: Path, designs: Sequence[str], settings: Mapping[str, str], top: str | None) -> None:
    """Write specifications and pictures of designs in their result's folder, and tell the files on stderr.

    Raises UsageError for options of this command that say how to explore, ArrayolError as `api.emit_designs`.
    """
    context = click.get_current_context()
    for option in (one for one in context.command.params if one.name not in _BESIDE):
        if context.get_parameter_source(option.name or "") is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"{option.opts[0]} is not for --emit, which takes a result as it is")
    for file in api.emit_designs(load_checked(spec, settings), folder, designs, top=top, warn=warn):
        click.echo(f"wrote {file}", err=True)
