"""The pictures of the manual are there, and their scripts draw them from what they show."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("page", ["transformations", "examples"])
def test_the_script_draws_every_picture_that_the_page_shows(page: str, tmp_path: Path) -> None:
    script = DOCS / "pictures" / f"{page}.py"
    done = subprocess.run([sys.executable, script, tmp_path], capture_output=True, text=True, check=False)
    assert (done.stderr, done.returncode) == ("", 0)
    drawn = {path.name for path in tmp_path.iterdir()}
    assert drawn == shown_by(page)
    for name in drawn:
        assert (tmp_path / name).read_bytes()[:8] == (DOCS / "pictures" / name).read_bytes()[:8]
        assert (tmp_path / name).stat().st_size > 5_000


def test_every_picture_is_shown() -> None:
    pages = (path.relative_to(DOCS).with_suffix("") for path in DOCS.rglob("*.md"))
    shown = set().union(*(shown_by(page) for page in pages))
    assert shown == {path.name for path in (DOCS / "pictures").glob("*.png")}


def shown_by(page: str | Path) -> set[str]:
    return set(re.findall(r"\((?:\.\./)?pictures/([\w-]+\.png)\)", (DOCS / f"{page}.md").read_text(encoding="utf-8")))
