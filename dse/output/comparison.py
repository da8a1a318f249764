"""Folders of comparisons: `comparison.json` and the plot of both fronts, whole or not there at all."""

from __future__ import annotations

import json
from pathlib import Path

from arrayol.errors import error
from arrayol.files import atomic_folder, resolved
from dse.output.plots.save import save_comparison
from dse.results.compare import Comparison

COMPARISON, PLOTS = "comparison.json", ("comparison.png", "comparison.svg")


def write_comparison(comparison: Comparison, names: tuple[str, str], target: Path) -> tuple[Path, ...]:
    """Write the folder `target` and return its files; `names` are what the two results are called.

    Raises ArrayolError as `require_comparison_folder` and `atomic_folder` do.
    """
    require_comparison_folder(target)
    with atomic_folder(target) as folder:
        (folder / COMPARISON).write_text(comparison_text(comparison, names), encoding="utf-8", newline="\n")
        save_comparison(comparison, names, *(folder / plot for plot in PLOTS))
    return tuple(target / name for name in (COMPARISON, *PLOTS))


def comparison_text(comparison: Comparison, names: tuple[str, str]) -> str:
    """The document that is stored and printed."""
    return json.dumps({"folders": list(names), **comparison.to_document()}, indent=2) + "\n"


def require_comparison_folder(target: Path) -> None:
    """Raises ArrayolError (`not-a-result`) where something else than a former comparison would be replaced."""
    hint = "name another folder with --out"
    if target.exists() and not target.is_dir():
        raise error("not-a-result", "this is a file, and comparisons go to a folder", file=str(target), hint=hint)
    if target.is_dir() and {path.name for path in target.iterdir()} - {COMPARISON, *PLOTS}:
        message = "this folder holds something else than a comparison"
        raise error("not-a-result", message, file=str(target), hint=hint)
    if Path.cwd().is_relative_to(resolved(target)):
        message = "this is the folder you are in, which cannot be replaced as a whole"
        raise error("cannot-write", message, file=str(target), hint=hint)
