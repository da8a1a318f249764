"""The table of datapaths in docs/errors.md names every code that deriving one can lead to, and no other."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from manual import read

ROOT = Path(__file__).resolve().parent.parent.parent


def test_the_table_names_every_code() -> None:
    found = set()
    rooms = [ROOT / "hwmodel" / "datapath", ROOT / "hwmodel" / "emit" / "verilog"]
    for path in (path for room in rooms for path in room.rglob("*.py") if path.name != "icarus.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
                maker = getattr(node.func, "id", "")
                if maker in {"error", "Diagnostic"} and isinstance(node.args[0].value, str):
                    found.add(node.args[0].value)
    page = read("errors.md").partition("## Datapaths\n")[2].partition("\n## ")[0]
    assert set(re.findall(r"^\| `([a-z-]+)` \|", page, re.MULTILINE)) == found
    assert len(found) > 5
