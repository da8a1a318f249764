"""The page of hardware: its commands, its Python, and the files that it names."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import in_process
from cpp_programs import needs_compiler
from manual import Block, blocks, read, replace
from verilog_programs import needs_icarus


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("hardware")


def run(block: Block, folder: Path, request: pytest.FixtureRequest) -> str:
    """What the last command of a block prints; all that the block shows."""
    lines = [line for line in block.text.splitlines() if line.startswith("$ ")]
    printed = ""
    for line in lines:
        done = in_process(*line.removeprefix("$ arrayol ").split(), cwd=folder)
        assert done.returncode == 0, done.stderr
        printed = done.stdout
    text = "\n".join([*lines, printed])
    if request.config.getoption("--update-golden"):
        replace(block, text)
    else:
        assert text == block.text
    return printed


@needs_icarus
def test_the_commands_and_then_python(
    folder: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Three lines from a specification to checked Verilog."""
    printed = run(blocks("hardware.md", "console")[0], folder, request)
    module = (folder / "conv3x3-verilog" / "rtl" / "group0_filter_read.v").read_text(encoding="utf-8")
    instructions = module.partition("What 'filter' reads. ")[2].partition(",")[0]
    cycles = printed.partition("conv3x3 2:7: ")[2].partition(",")[0]
    assert f"The agent that reads the image in the example has {instructions} for a frame of {cycles}" in read(
        "hardware.md"
    )
    monkeypatch.chdir(folder)
    (script,) = blocks("hardware.md", "python")
    exec(compile(script.text, "hardware.md", "exec"), {})
    assert capsys.readouterr().out == "()\n"


@needs_compiler
def test_the_same_as_cpp(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    verilog, cpp = blocks("hardware.md", "console")
    for line in verilog.text.splitlines()[:2]:
        assert in_process(*line.removeprefix("$ arrayol ").split(), cwd=tmp_path).returncode == 0
    run(cpp, tmp_path, request)


def test_every_file_of_the_folder_is_in_the_table() -> None:
    page = read("hardware.md").partition("## What is emitted\n")[2].partition("\n## ")[0]
    for name in ("rtl/TOP_top.v", "rtl/groupN_AGENT.v", "rtl/unit_TASK.v", "tb/", "data/", "design.json", "Makefile"):
        assert f"`{name}`" in page
