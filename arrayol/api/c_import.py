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
    """Turn a function of a C file into a specification that computes the same, to the last bit.

    - `settings`: values of macros and of parameters that are numbers, by name.
    - `sizes`: the extents of arrays that C takes as pointers, by name, such as `{"x": (480, 640)}`.
    - `function`: the function; without it, the one with `#pragma scop`, or the only one that no other calls.
    - `compiler`: the command whose preprocessor reads the file, such as `"gcc -Iinc -DN=64"`.

    The result has the `text` of the .aol file, the `spec`, and remarks. Raises ArrayolError with everything that has no
    counterpart.

    >>> [line for line in api.import_c("dot.c").text.splitlines() if "sum +=" in line]
    ['  sum += a[i] * b[i]  for i in 0..16']
    """
    texts = {name: str(value) for name, value in (settings or {}).items()}
    extents = {name: tuple(one) for name, one in (sizes or {}).items()}
    return import_file(Path(path), Choices(texts, extents, function, compiler))
