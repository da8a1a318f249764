"""The tables of docs/explore.md name every code of the store of finished work and of those who do it, and no other."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from manual import read

WORK = Path(__file__).resolve().parents[2] / "dse" / "jobs"


@pytest.mark.parametrize(
    ("heading", "sources", "count"),
    [
        ("The store of finished work", {"cache_file.py"}, 3),
        ("Workers and clusters", {"cluster.py", "jobs.py", "pools.py"}, 5),
    ],
)
def test_the_table_names_every_code(heading: str, sources: set[str], count: int) -> None:
    section = read("explore.md").partition(f"## {heading}\n")[2].partition("\n## ")[0]
    codes = set().union(*(raised(WORK / name) for name in sources))
    assert set(re.findall(r"^\| `([a-z-]+)` \|", section, re.MULTILINE)) == codes
    assert len(codes) == count


def test_no_other_module_has_codes() -> None:
    found = {path.name for path in WORK.glob("*.py") if raised(path)}
    assert found == {"cache_file.py", "cluster.py", "jobs.py", "pools.py"}


def raised(path: Path) -> set[str]:
    return set(re.findall(r'(?:error\(|Diagnostic\()\s*"([a-z-]+)"', path.read_text(encoding="utf-8")))
