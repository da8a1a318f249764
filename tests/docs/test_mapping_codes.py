"""The tables of docs/errors.md name every code of mapped designs and of their simulation, and no other."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from manual import read

ROOT = Path(__file__).resolve().parent.parent.parent


def sources() -> Iterator[Path]:
    for folder in ("hwmodel/cost_model", "hwmodel/local_memory", "hwmodel/simulator", "hwmodel/stream", "dse/verify"):
        yield from (ROOT / folder).rglob("*.py")
    yield ROOT / "dse" / "output" / "open_design.py"
    yield ROOT / "hwmodel" / "last_tasks.py"


def test_the_tables_name_every_code() -> None:
    found = set()
    for path in sources():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
                maker = getattr(node.func, "id", "")
                if maker in {"error", "Diagnostic", "Refusal", "fault"} and isinstance(node.args[0].value, str):
                    found.add(f"{'simulation-' if maker == 'fault' else ''}{node.args[0].value}")
    page = read("errors.md").partition("## Mapping and simulating\n")[2].partition("\n## ")[0]
    found -= {"window", "registers"}  # of a way to build a memory: by themselves they refuse none
    assert set(re.findall(r"^\| `([a-z-]+)` \|", page, re.MULTILINE)) == found
    assert len(found) > 15
