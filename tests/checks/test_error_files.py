"""One mistake per file in tests/errors, with the exact text of its report beside it."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path

import pytest

from arrayol.checks.check import check
from arrayol.errors import render

FOLDER = Path(__file__).parent.parent / "errors"
FILES = sorted([*FOLDER.glob("*.aol"), *FOLDER.glob("*.json")])

# Reported for a path or a setting rather than for the text of a file, or at a bound; tested where those are.
ABOUT_THE_COMMAND = {
    "undecided", "bad-setting", "binary-file", "no-such-file", "no-top-task", "not-a-file", "not-canonical", "not-utf8",
    "several-top-tasks", "too-large", "unknown-setting", "unknown-task", "unreadable", "unused-setting",
    "bad-schedule", "bad-statement", "bad-strip", "bad-tile", "made-by-steps", "no-nest", "not-symbolic",
    "unknown-symbol", "parametric-top", "too-many-copies", "wraps-in-part", "border-in-part",
}  # fmt: skip


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_report_is_exact(path: Path, golden: Callable[[Path, str], None], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FOLDER)
    report = "\n".join(render(found) for found in check(Path(path.name)).diagnostics)
    golden(path.with_suffix(".txt"), report + "\n")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_one_mistake_gives_one_report(path: Path) -> None:
    expected = {"two-infinite": 2, "eight-mistakes": 8}.get(path.stem, 1)  # of two: one input, one output
    assert len(check(path).diagnostics) == expected


def test_every_code_has_a_file() -> None:
    """Every code that the language and the checks can report stands in some expected report."""
    root = FOLDER.parent.parent / "arrayol"
    modules = [file for part in ("language", "checks", "ir") for file in sorted((root / part).glob("*.py"))]
    codes = {code for file in modules for code in _codes(ast.parse(file.read_text(encoding="utf-8")))}
    assert len(codes) > 50
    reported = "".join(path.with_suffix(".txt").read_text(encoding="utf-8") for path in FILES)
    missing = {code for code in codes - ABOUT_THE_COMMAND if f"[{code}]" not in reported}
    assert not missing


def _codes(tree: ast.Module) -> set[str]:
    return {
        node.args[0].value
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and _called(node.func) in {"mistake", "report", "Diagnostic", "error"}
        and node.args
        and isinstance(node.args[0], ast.Constant)
        and isinstance(node.args[0].value, str)
    }


def _called(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""
