"""The page of datapaths: its command lines, its technology, its Python, and the operators that it lists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from command_line import in_process
from manual import Block, blocks, read, replace, write_files

from hwmodel.datapath.technology.rows import OPERATORS, Row
from hwmodel.datapath.technology.technology import load_technology

CONSOLE = blocks("cost.md", "console")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_files("cost.md", tmp_path)
    (table,) = blocks("cost.md", "toml")
    (tmp_path / "own.toml").write_text(table.text, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("block", CONSOLE, ids=str)
def test_commands_print_what_the_page_shows(block: Block, folder: Path, request: pytest.FixtureRequest) -> None:
    line = block.text.partition("\n")[0]
    done = in_process(*line.removeprefix("$ arrayol ").split(), cwd=folder, together=True)
    text = f"{line}\n{done.stdout}"
    if request.config.getoption("--update-golden"):
        replace(block, text)
    else:
        assert text == block.text


def test_the_technology_is_one(folder: Path) -> None:
    technology = load_technology(folder / "own.toml")
    assert technology.row("add.f32", 100).cycles == 6
    assert technology.rows("div.f32")[0].estimate
    assert technology.memory_kinds[0].shapes == ((1024, 18), (512, 36))


def test_python_runs(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(folder)
    (block,) = blocks("cost.md", "python")
    exec(compile(block.text, "cost.md", "exec"), {})
    assert capsys.readouterr().out.startswith("1 ")
    assert (folder / "weigh.svg").stat().st_size > 1000


def test_every_operator_and_every_key_of_a_row_is_listed() -> None:
    page = read("cost.md")
    listed = page.partition("The operators are")[2].partition("\n\n")[0]
    assert OPERATORS - {"access"} == set(re.findall(r"`(\w+)`", listed)) - {"mux_in", "control"}
    rows = page.partition("| key of a row |")[2].partition("\n\n")[0]
    keys = {key for cell in re.findall(r"^\| (`.*?`) \|", rows, re.MULTILINE) for key in re.findall(r"`(\w+)`", cell)}
    assert keys == set(Row.model_fields)
