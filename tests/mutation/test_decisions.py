"""Changes written by hand name texts of today's source: else `remove_rules.py` would be at fault, some night."""

from __future__ import annotations

from pathlib import Path

import pytest
from decisions import DECISIONS
from rules import replaced

ROOT = Path(__file__).resolve().parents[2]


def test_each_text_that_is_changed_stands_once_in_its_file() -> None:
    for path, old, new in DECISIONS:
        assert replaced(ROOT, path, old, new).path == path


def test_a_file_that_is_gone_is_named() -> None:
    with pytest.raises(ValueError, match=r"gone\.py holds 0 times, not once: text"):
        replaced(ROOT, "gone.py", "text", "")
