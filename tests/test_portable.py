"""The same files on every system: what is written and read as text has an encoding and line ends of its own."""

from __future__ import annotations

import ast
import multiprocessing
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from dse.jobs import jobs

ROOT = Path(__file__).parent.parent


def calls() -> Iterator[tuple[str, str, dict[str, ast.expr]]]:
    """Every call in the packages: its place, the name that is called, its keywords; not of `files.read_text`."""
    for package in ("arrayol", "hwmodel", "dse"):
        for path in sorted((ROOT / package).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call):
                    name = getattr(node.func, "attr", getattr(node.func, "id", ""))
                    if name == "read_text" and isinstance(node.func, ast.Name):  # of arrayol/files.py: UTF-8
                        continue
                    yield (
                        f"{path.relative_to(ROOT)}:{node.lineno}",
                        name,
                        {one.arg or "": one.value for one in node.keywords},
                    )


def test_text_is_written_and_read_as_utf8_with_line_feeds() -> None:
    found = [
        (place, name, keywords)
        for place, name, keywords in calls()
        if name in {"write_text", "read_text", "Popen", "run"}
    ]
    without = [
        place
        for place, name, keywords in found
        if (name == "write_text" and not {"encoding", "newline"} <= keywords.keys())
        or (name == "read_text" and keywords.keys() != {"encoding"} and "c_import" not in place)
        or "text" in keywords
    ]
    assert without == []
    assert sum(name == "write_text" for _, name, _ in found) > 15


@pytest.mark.parametrize(("system", "method"), [("linux", "forkserver"), ("darwin", "spawn"), ("win32", "spawn")])
def test_how_processes_start(system: str, method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", system)
    if system == "win32":
        monkeypatch.setattr(multiprocessing, "get_all_start_methods", lambda: ["spawn"])
    assert jobs._start_method().get_start_method() == method  # noqa: SLF001  nothing else shows it
