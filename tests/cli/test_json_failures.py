"""A command with `--json` that fails prints one JSON document all the same: `ok` is false, and diagnostics say why."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command_line import raise_instead
from conftest import CommandLine

from arrayol.cli import command_table
from arrayol.cli.main import run
from arrayol.errors import ArrayolError, error

WITH_JSON = {
    "check": ["gone.aol"],
    "cost": ["gone.aol"],
    "explore": ["gone.aol"],
    "simulate": ["gone.aol", "--result", "gone", "--design", "1"],
    "emit verilog": ["gone.aol", "--result", "gone", "--design", "1"],
    "synth": ["gone"],
    "calibrate": ["gone", "gone", "gone"],
    "layout": ["gone.aol", "hflr"],
    "transfers": ["gone.aol", "hflr"],
    "compare": ["gone", "gone"],
}


def failed(stdout: str) -> dict[str, Any]:
    """The only diagnostic of a document."""
    document = json.loads(stdout)
    assert (list(document), document["ok"]) == (["ok", "diagnostics"], False)
    (diagnostic,) = document["diagnostics"]
    assert isinstance(diagnostic, dict)
    return diagnostic


def test_these_are_all_commands_that_have_it(arrayol: CommandLine) -> None:
    groups = {"emit": ["emit verilog"]}
    named = [name for group in command_table.COMMANDS for name in groups.get(group, [group])]
    assert {name for name in named if "--json" in arrayol(*name.split(), "--help").stdout} == set(WITH_JSON)


@pytest.mark.parametrize("name", WITH_JSON)
def test_a_wrong_input(arrayol: CommandLine, name: str) -> None:
    plain, done = arrayol(*name.split(), *WITH_JSON[name]), arrayol(*name.split(), *WITH_JSON[name], "--json")
    assert (plain.stdout, done.stderr, done.returncode) == ("", plain.stderr, 1)
    diagnostic = failed(done.stdout)
    assert diagnostic["code"] in done.stderr
    assert diagnostic["message"] in done.stderr
    assert str(diagnostic["file"]).startswith("gone")


@pytest.mark.parametrize("name", WITH_JSON)
def test_wrong_usage(arrayol: CommandLine, name: str) -> None:
    done = arrayol(*name.split(), *WITH_JSON[name], "--json", "--zzz")
    hint = f"Try 'arrayol {name} --help' for help."
    assert (done.stderr.splitlines()[1], done.returncode) == (hint, 2)
    assert failed(done.stdout) == {
        **dict.fromkeys(("file", "line", "column", "end_line", "end_column")),
        "code": "usage",
        "severity": "error",
        "message": "No such option '--zzz'.",
        "hint": hint,
    }


def test_a_place_in_the_file(arrayol: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "a.aol").write_text("const H = \n")
    diagnostic = failed(arrayol("explore", "a.aol", "--json").stdout)
    assert [diagnostic[key] for key in ("code", "file", "line", "column")] == ["syntax", "a.aol", 1, 10]


@pytest.mark.parametrize(
    ("raised", "code", "message"),
    [
        (MemoryError(), "out-of-memory", "this needs more memory than there is"),
        (OSError(13, "Permission denied", "a"), "system", "Permission denied"),
        (ValueError("odd"), "internal", "ValueError: odd"),
        (KeyboardInterrupt(), "interrupted", "interrupted"),
    ],
)
def test_what_is_not_about_an_input(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    raised: BaseException,
    code: str,
    message: str,
) -> None:
    raise_instead(monkeypatch, raised)
    assert run(["check", "a.aol", "--json"]) not in {0, 2}
    diagnostic = failed(capsys.readouterr().out)
    assert (diagnostic["code"], diagnostic["message"]) == (code, message)


def test_what_is_known_all_the_same(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    refused = error("verification-failed", "they do not agree")
    refused.found = {"design": "4", "cycles": 3}
    raise_instead(monkeypatch, refused)
    assert run(["simulate", "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert list(document) == ["ok", "diagnostics", "design", "cycles"]


def test_none_where_none_is_asked_for(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    raise_instead(monkeypatch, ArrayolError([]))
    for arguments in ([], ["check", "--", "--json"]):
        assert run(arguments) == 1
        assert capsys.readouterr().out == ""
