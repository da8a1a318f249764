"""Loop nests of C as specifications."""

from __future__ import annotations

from pathlib import Path

from arrayol.c_import.import_c import Imported, import_file
from arrayol.language.settings import Settings


def import_c(path: str | Path, settings: Settings | None = None) -> Imported:
    """The specification of the loops between `#pragma scop` and `#pragma endscop` of a C file.

    `settings` give consts, and parameters of type int, their values. Raises ArrayolError where bounds, conditions or
    subscripts are not affine, and for what of C has no counterpart.
    """
    return import_file(Path(path), {name: str(value) for name, value in (settings or {}).items()})
