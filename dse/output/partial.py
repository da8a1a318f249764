"""The front so far, while a search is on its way: a small result folder of its own inside the folder of the result."""

from __future__ import annotations

import shutil
from pathlib import Path

from arrayol.errors import ArrayolError
from arrayol.files import writing
from dse.output.folder import PARTIAL, RESULT, TABLE
from dse.output.table import designs_csv
from dse.results.schema import Result


def write_partial(result: Result, target: Path) -> None:
    """Put a result and its table in place of those of the last time, each file whole or not at all.

    Raises ArrayolError (`cannot-write`) for a full disk; then nothing of it is left.
    """
    folder = target / PARTIAL
    try:
        with writing(target):
            folder.mkdir(parents=True, exist_ok=True)
            for name, text in ((RESULT, result.to_json()), (TABLE, designs_csv(result))):
                waiting = folder / f".{name}"
                waiting.write_text(text, encoding="utf-8", newline="\n")
                waiting.replace(folder / name)
    except ArrayolError:
        remove_partial(target)
        raise


def remove_partial(target: Path) -> None:
    """What was so far is of no use any more."""
    shutil.rmtree(target / PARTIAL, ignore_errors=True)
