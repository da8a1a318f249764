"""What pages with few blocks show: the schemas' commands and platform, progress in a notebook, how a search begins."""

from __future__ import annotations

import json
import shlex
import tomllib
from pathlib import Path

import jsonschema
import pytest
from command_line import in_process
from conftest import CommandLine
from manual import Agree, blocks

from arrayol import api


def test_schemas_that_the_page_writes_check_its_platform(arrayol: CommandLine, tmp_path: Path) -> None:
    (commands,), (platform,) = blocks("schemas.md", "sh"), blocks("schemas.md", "toml")
    for command in commands.text.splitlines():
        program, *arguments = shlex.split(command)
        assert program == "arrayol"
        assert arrayol(*arguments).returncode == 0
    named = platform.text.splitlines()[0].removeprefix("#:schema ./")
    jsonschema.validate(tomllib.loads(platform.text), json.loads((tmp_path / named).read_text(encoding="utf-8")))
    (tmp_path / "board.toml").write_text(platform.text, encoding="utf-8")
    arrayol("example", "conv3x3")
    told = arrayol("cost", "conv3x3.aol", "--platform", "board.toml")
    assert told.returncode == 0, told.stderr


def test_progress_of_the_page_of_notebooks(arrayol: CommandLine, tmp_path: Path) -> None:
    (code,) = blocks("notebooks.md", "python")
    arrayol("example", "conv3x3")
    names = {"api": api, "spec": api.load(tmp_path / "conv3x3.aol", {"H": 3, "W": 4})}
    exec(code.text, names)
    assert names["found"].result.pareto


def test_what_a_search_says_first(
    arrayol: CommandLine, agree: Agree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command, said = blocks("explore.md")[:2]
    assert (command.language, said.language) == ("console", "text")
    arrayol("example", "lpsf")
    program, *arguments = shlex.split(command.text)
    assert program == "arrayol"
    done = in_process(*arguments, "--no-verify", "--no-report", cwd=tmp_path, columns=1000)
    assert done.returncode == 0, done.stderr
    agree(said, f"{done.stderr.splitlines()[0]}\n")
