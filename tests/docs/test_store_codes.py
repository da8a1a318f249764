"""The table of docs/explore.md names every code of the store of finished work, and no other."""

from __future__ import annotations

import re
from pathlib import Path

from manual import read

SOURCE = Path(__file__).resolve().parents[2] / "dse" / "work" / "store_errors.py"


def test_the_table_names_every_code() -> None:
    raised = set(re.findall(r'(?:error\(|Diagnostic\()"([a-z-]+)"', SOURCE.read_text(encoding="utf-8")))
    section = read("explore.md").partition("## The store of finished work\n")[2].partition("\n## ")[0]
    assert set(re.findall(r"^\| `([a-z-]+)` \|", section, re.MULTILINE)) == raised
    assert len(raised) == 3
