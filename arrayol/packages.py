"""The packages of arrayol that have common names, and files of a user's that hide them from Python."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from arrayol.errors import error

COMMON_NAMES = ("hwmodel", "dse")


def refuse_hidden_packages() -> None:
    """Look where Python would import arrayol's packages from, before it does; nothing is imported.

    Python searches the folder of a script first, and that of `python -m`: a `dse.py` there would run in the place of
    the package. A folder without an `__init__.py` hides nothing. Raises ArrayolError (`hidden-package`), which names
    the file or folder.
    """
    for name in COMMON_NAMES:
        ours = Path(__file__).parent.parent / name / "__init__.py"
        found = _source_of(name)
        if found is not None and ours.is_file() and not (found.is_file() and found.samefile(ours)):
            folder = found.name == "__init__.py"
            hint = f"rename the {'folder' if folder else 'file'}, or start Python where its folder is not searched"
            message = f"arrayol's package '{name}' cannot be imported: Python finds this first"
            raise error("hidden-package", message, hint=hint, file=_shown(found.parent if folder else found))


def _source_of(name: str) -> Path | None:
    """The file that an import would run, or has run; None where there is no such module, or it has no file."""
    try:
        found = find_spec(name)
    except ValueError:  # it is loaded and does not say from where
        return None
    return Path(found.origin) if found is not None and found.origin is not None else None


def _shown(path: Path) -> str:
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)
