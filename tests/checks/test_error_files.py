"""One mistake per file in tests/errors, with the exact text of its report beside it.

docs/errors.md has an example of every code, whose report `tests/docs/test_language.py` compares. Files show the others:
further messages of a code, and other ways to the same mistake.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from arrayol.checks.check import check
from arrayol.errors import render

FOLDER = Path(__file__).parent.parent / "errors"
FILES = sorted([*FOLDER.glob("*.aol"), *FOLDER.glob("*.json")])


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_report_is_exact(path: Path, golden: Callable[[Path, str], None], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FOLDER)
    found = check(Path(path.name)).diagnostics
    assert len(found) == {"two-infinite": 2, "eight-mistakes": 8}.get(path.stem, 1)  # of two: one input, one output
    report = "\n".join(map(render, found))
    golden(path.with_suffix(".txt"), report + "\n")
