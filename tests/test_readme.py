"""What README.md tells a newcomer to type."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from conftest import CommandLine
from manual import timeless


def blocks(checkout: Path, language: str) -> list[str]:
    """The code blocks of one language."""
    text = (checkout / "README.md").read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def test_the_two_commands_differ_only_in_what_they_install_and_run(checkout: Path) -> None:
    setup = "python3 -m venv .venv && .venv/bin/pip install -c constraints.txt -e"
    explore = f"{setup} . && .venv/bin/arrayol explore specs/lpsf.aol\n"
    assert blocks(checkout, "sh") == [explore, f"{setup} '.[test]' && .venv/bin/pytest -n auto -m 'not slow'\n"]


def test_the_example_is_there_and_fine(arrayol: CommandLine, checkout: Path) -> None:
    shown = blocks(checkout, "console")[0]
    commands = [line.removeprefix("$ arrayol ") for line in shown.splitlines() if line.startswith("$ ")]
    printed = "".join(f"$ arrayol {command}\n{arrayol(*shlex.split(command)).stdout}" for command in commands)
    assert timeless(printed) == timeless(shown)


def test_the_platform_of_the_example_is_the_shipped_one(checkout: Path) -> None:
    (shown,) = blocks(checkout, "toml")
    shipped = (checkout / "specs" / "conv3x3.toml").read_text(encoding="utf-8").splitlines()
    assert set(shown.splitlines()) <= set(shipped)
    assert "device" in shown


def test_designs_for_a_frame_rate_on_a_device(arrayol: CommandLine, checkout: Path) -> None:
    arrayol("example", "conv3x3")
    (shown,) = (block for block in blocks(checkout, "console") if "frames_per_second >= 1000" in block)
    command, _, expected = shown.partition("\n")
    printed = arrayol(*shlex.split(command)[2:], "--quiet").stdout
    assert timeless(printed).split() == timeless(expected).split()


def test_it_is_short(checkout: Path) -> None:
    assert len((checkout / "README.md").read_text(encoding="utf-8").splitlines()) <= 150
