"""C in an editor: the function at a place of it, and its specification."""

from __future__ import annotations

from pathlib import Path

from arrayol.c_import.import_c import Choices, Imported, import_source
from arrayol.c_import.reading.preprocess import preprocess
from arrayol.c_import.reading.syntax import parse_unit
from arrayol.errors import ArrayolError
from arrayol.source import SourceFile

_SUFFIXES = {".c", ".cc", ".cpp", ".h"}


def is_c(name: str) -> bool:
    """Whether a file of this name or address is C."""
    return Path(name).suffix.lower() in _SUFFIXES


def function_at(file: SourceFile, offset: int, compiler: str | None) -> str | None:
    """The name of the function that an offset of a C text lies in; None before the first, or where it cannot be read.

    `compiler` is the command whose preprocessor reads the text.
    """
    try:
        unit = parse_unit(file, preprocess(file, compiler))
    except (ArrayolError, RecursionError):
        return None
    line = file.text.find("\n", offset)
    end = len(file.text) if line < 0 else line
    places = {name: unit.places.span(one.decl) for name, one in unit.functions.items()}
    before = [(span.start, name) for name, span in places.items() if span.file is file and span.start <= end]
    return max(before)[1] if before else None


def imported_function(file: SourceFile, function: str | None, compiler: str | None) -> Imported:
    """The specification of a function of a C text. Raises ArrayolError with everything that has none."""
    return import_source(file, Choices(function=function, compiler=compiler))


def target_of(file: SourceFile) -> Path:
    """Where the specification of a C file goes: beside it, under its name."""
    return Path(file.name).with_suffix(".aol")
