"""Arguments and options that several commands share."""

from __future__ import annotations

import math
import re
from pathlib import Path

import click

_SETTING = re.compile(r"\s*([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*?)\s*", re.DOTALL)
_INTEGER = re.compile(r"[+-]?[0-9]{1,4000}")
_FLOAT = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_TRUTH = {"true": True, "false": False}


def _settings(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> dict[str, int | float | bool]:
    """NAME=VALUE pairs as a mapping. Raises BadParameter for one that is malformed, or a NAME given twice."""
    settings: dict[str, int | float | bool] = {}
    for text in values:
        parts = _SETTING.fullmatch(text)
        value = _constant(parts[2]) if parts else None
        if parts is None or value is None:
            raise click.BadParameter(f"'{text}' is not NAME=NUMBER, as in W=640 or A=0.5.", ctx, param)
        if parts[1] in settings:
            raise click.BadParameter(f"'{parts[1]}' is given twice.", ctx, param)
        settings[parts[1]] = value
    return settings


def _constant(text: str) -> int | float | bool | None:
    """A number as the language writes it, with an optional sign, or true or false; None for anything else."""
    if text in _TRUTH:
        return _TRUTH[text]
    if _INTEGER.fullmatch(text):
        return int(text)
    if _FLOAT.fullmatch(text) and math.isfinite(float(text)):
        return float(text)
    return None


# A missing file is an input error with the loader's message, so click does not look for it.
spec_argument = click.argument("spec", metavar="FILE", type=click.Path(path_type=Path))

set_option = click.option(
    "--set",
    "settings",
    metavar="NAME=VALUE",
    multiple=True,
    callback=_settings,
    help="Give a const another value; those that depend on it follow. Repeatable.",
)

top_option = click.option("--top", metavar="NAME", help="The task to start from, where nothing calls several.")

json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON document on stdout and nothing else."
)
