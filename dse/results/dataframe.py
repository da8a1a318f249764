"""Rows as a data frame of pandas or polars, whichever is installed; arrayol needs neither."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from arrayol.errors import error
from arrayol.text import listed

LIBRARIES = ("pandas", "polars")


def dataframe(rows: Sequence[Sequence[object]], library: str | None = None) -> Any:
    """A data frame of rows below their headers; what is not there is missing in it.

    Raises ArrayolError (`no-dataframes`) where neither library, or not the one that is named, is installed.
    """
    headers, *values = rows
    columns = {str(name): list(column) for name, column in zip(headers, zip(*values, strict=True), strict=True)}
    for name in LIBRARIES if library is None else (library,):
        try:
            return import_module(name).DataFrame(columns)
        except ModuleNotFoundError:
            continue
    named = library or listed(LIBRARIES, "or")
    hint = f"install one beside arrayol, as: pip install {library or LIBRARIES[0]}; `rows` has the same without"
    raise error("no-dataframes", f"a data frame needs {named}, which is not installed", hint=hint)
