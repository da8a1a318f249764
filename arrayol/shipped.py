"""Where the specifications and platforms that come with arrayol lie."""

from __future__ import annotations

from pathlib import Path


def shipped_folder() -> Path:
    """The folder of lpsf.aol and the others: inside the installed package, or specs/ of a source checkout."""
    package = Path(__file__).resolve().parent
    installed = package / "specs"
    return installed if installed.is_dir() else package.parent / "specs"
