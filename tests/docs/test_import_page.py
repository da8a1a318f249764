"""The page of importing C: its commands, its codes, and how many kernels become what."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from command_line import in_process
from manual import Block, blocks, read, replace

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (block,) = blocks("import.md", "c")
    name = re.match(r"/\* (\w+\.c) \*/\n", block.text)
    assert name
    (tmp_path / name[1]).write_text(block.text, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("block", blocks("import.md", "console"), ids=str)
def test_commands_print_what_the_page_shows(block: Block, folder: Path, request: pytest.FixtureRequest) -> None:
    lines = [line for line in block.text.splitlines() if line.startswith("$ ")]
    text = "".join(f"{line}\n{in_process(*shlex.split(line)[2:], cwd=folder, together=True).stdout}" for line in lines)
    if request.config.getoption("--update-golden"):
        replace(block, text)
    else:
        assert text == block.text


def test_the_table_of_errors_names_every_code() -> None:
    files = [*(ROOT / "arrayol" / "c_import").rglob("*.py"), ROOT / "arrayol" / "api" / "pragma_study.py"]
    source = "".join(path.read_text(encoding="utf-8") for path in files)
    found = set(re.findall(r"(?:error|Diagnostic)\(\s*\"([a-z-]+)\"", source))
    page = read("errors.md").partition("## Importing C\n")[2].partition("\n## ")[0]
    assert set(re.findall(r"^\| `([a-z-]+)` \|", page, re.MULTILINE)) == found - {"bad-setting", "unknown-setting"}
    assert len(found) > 5


def test_the_kernels_are_counted() -> None:
    lines = (ROOT / "tests" / "golden" / "import.txt").read_text(encoding="utf-8").splitlines()
    plain = [line for line in lines if "a body" not in line]
    whole = [line.partition(":")[0] for line in lines if line.partition(": ")[2].startswith("a body of")]
    assert (len(lines), len(plain)) == (30, 21)
    assert "cholesky, durbin, floyd-warshall, lu and ludcmp are one body" in " ".join(read("import.md").split())
    assert whole == ["cholesky", "durbin", "floyd-warshall", "lu", "ludcmp"]
