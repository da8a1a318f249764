"""The table of docs/errors.md about emitting hardware names every code that it can lead to, and no other."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from manual import read

ROOT = Path(__file__).resolve().parent.parent.parent
DATAPATHS = {"datapath.py", "bodies.py"}  # of which the codes stand with those of datapaths


def sources() -> Iterator[Path]:
    for folder in ("schedule", "verilog", "hls"):
        rooms = (ROOT / "hwmodel" / "emit" / folder).rglob("*.py")
        yield from (path for path in rooms if path.name not in DATAPATHS)
    yield from (ROOT / "hwmodel" / "synth").glob("*.py")
    names = ("hardware", "hardware_hls", "emitted_folder", "synthesis", "calibration")
    yield from (ROOT / "dse" / "output" / f"{name}.py" for name in names)


def codes(path: Path) -> Iterator[str]:
    """The first words of calls that make an error, said at once or by a constant of the file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    constants = {
        target.id: node.value.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.args and getattr(node.func, "id", "") in {"error", "Diagnostic"}:
            first = node.args[0]
            if isinstance(first, ast.Attribute):  # the code of an error that is told with more
                continue
            yield str(first.value if isinstance(first, ast.Constant) else constants[ast.unparse(first)])


def test_the_table_names_every_code() -> None:
    found = {code for path in sources() for code in codes(path)}
    page = read("errors.md").partition("## Emitting hardware\n")[2].partition("\n## ")[0]
    assert set(re.findall(r"^\| `([a-z-]+)` \|", page, re.MULTILINE)) == found
    assert len(found) > 5
