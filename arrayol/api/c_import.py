"""Functions of C as specifications."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from arrayol.c_import.import_c import Choices, Imported, import_file
from arrayol.language.settings import Settings


def import_c(
    path: str | Path,
    settings: Settings | None = None,
    *,
    sizes: Mapping[str, Sequence[int]] | None = None,
    function: str | None = None,
    compiler: str | None = None,
) -> Imported:
    """The specification of one function of a C file.

    `settings` give macros and parameters of numbers their values, `sizes` the extents of arrays that C hands over as
    pointers. `function` names the function; without it that with `#pragma scop`, or the only one. `compiler` is the
    command whose preprocessor reads the file, as "gcc -Iinc -DN=64". Raises ArrayolError with all that has no
    counterpart.
    """
    texts = {name: str(value) for name, value in (settings or {}).items()}
    extents = {name: tuple(one) for name, one in (sizes or {}).items()}
    return import_file(Path(path), Choices(texts, extents, function, compiler))
