"""The pictures of the manual are there, and their script draws them from the steps themselves."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def test_the_script_draws_every_picture_that_the_page_shows(tmp_path: Path) -> None:
    script = DOCS / "pictures" / "transformations.py"
    done = subprocess.run([sys.executable, script, tmp_path], capture_output=True, text=True, check=False)
    assert (done.stderr, done.returncode) == ("", 0)
    drawn = {path.name for path in tmp_path.iterdir()}
    page = (DOCS / "transformations.md").read_text(encoding="utf-8")
    shown = set(re.findall(r"\(pictures/([\w-]+\.png)\)", page))
    assert shown == drawn == {path.name for path in (DOCS / "pictures").glob("*.png")} - {"transfers.png"}
    for name in drawn:
        assert (tmp_path / name).read_bytes()[:8] == (DOCS / "pictures" / name).read_bytes()[:8]
        assert (tmp_path / name).stat().st_size > 5_000
