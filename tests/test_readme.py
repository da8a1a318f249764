"""What README.md tells a newcomer to type."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from conftest import CommandLine


def blocks(checkout: Path, language: str) -> list[str]:
    """The code blocks of one language."""
    text = (checkout / "README.md").read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def test_the_two_commands_differ_only_in_what_they_install_and_run(checkout: Path) -> None:
    setup = "python3 -m venv .venv && .venv/bin/pip install -c constraints.txt -e"
    explore = f"{setup} . && .venv/bin/arrayol explore specs/lpsf.aol\n"
    assert blocks(checkout, "sh") == [explore, f"{setup} '.[test]' && .venv/bin/pytest\n"]


def test_the_python_example(arrayol: CommandLine, checkout: Path, tmp_path: Path) -> None:
    arrayol("example", "lpsf")
    (example,) = blocks(checkout, "python")
    done = subprocess.run([sys.executable, "-c", example], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.stderr, done.returncode) == ("", 0)
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["4", "2+2"]
    assert (tmp_path / "small" / "result.json").exists()


def test_the_tour_shows_what_explore_prints(arrayol: CommandLine, checkout: Path) -> None:
    arrayol("example", "lpsf")
    (shown,) = (block for block in blocks(checkout, "console") if block.startswith("$ arrayol explore lpsf.aol\n"))
    printed = arrayol("explore", "lpsf.aol").stdout
    assert printed.split() == shown.split()[4:]


def test_the_tour_shows_what_transform_tells(arrayol: CommandLine, checkout: Path) -> None:
    arrayol("example", "lpsf")
    (shown,) = (block for block in blocks(checkout, "console") if block.startswith("$ arrayol transform lpsf.aol"))
    done = arrayol("transform", "lpsf.aol", "fuse hflr vftd 8,1", "pave vfbu 4,1")
    assert shown.startswith('$ arrayol transform lpsf.aol "fuse hflr vftd 8,1" "pave vfbu 4,1" > fused.aol\n')
    assert shown.partition("\n")[2] == done.stderr
