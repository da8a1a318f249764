"""A design of a result that somebody changed by hand: every command leaves it out, says so, and opens the others."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from command_line import in_process
from conftest import CommandLine

SPEC = """\
elementary smooth(a: i32[2]) -> (b: i32) { b = a[0] + 3 * a[1] }

task smoothed(x: i32[8]) -> (y: i32[8]) {
  repeat [8] of smooth {
    a <- x at origin [0] paving [1] fitting [1] wrap
    b -> y
  }
}

task chain(x: i32[8]) -> (z: i32[8]) {
  y = smoothed(x)
  z = smoothed(y)
}
"""
PLATFORM = """\
clock_mhz = 100
technology = "ecp5-6"

[memory]
latency = 8
word_bits = 64
burst = "run"
"""
COMMANDS = {
    "simulate": ("simulate", "chain.aol", "--in", "x=ramp", "--result", "out", "--design", "ID"),
    "simulate a pick": ("simulate", "chain.aol", "--in", "x=ramp", "--result", "out", "--pick", "units >= 1"),
    "Verilog": ("emit", "verilog", "chain.aol", "--result", "out", "--design", "ID", "--out", "rtl"),
    "C++": ("emit", "hls", "chain.aol", "--result", "out", "--design", "ID", "--out", "hls"),
    "report": ("report", "out"),
    "compare": ("compare", "out", "out"),
    "transform": ("transform", "chain.aol", "--result", "out", "--design", "ID"),
}
ONLY_ITS_OWN = ("simulate", "Verilog", "C++", "transform")  # name one design


@pytest.fixture(scope="module")
def explored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a specification and its result."""
    folder = tmp_path_factory.mktemp("explored")
    (folder / "chain.aol").write_text(SPEC, encoding="utf-8")
    (folder / "chain.toml").write_text(PLATFORM, encoding="utf-8")
    done = in_process("explore", "chain.aol", "--narrow", "--out", "out", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder


def damaged(explored: Path, folder: Path, number: int) -> tuple[str, str]:
    """Copy the folder, with more cycles for one design of the front than its groups take: its id, and another's."""
    shutil.copytree(explored, folder, dirs_exist_ok=True)
    path = folder / "out" / "result.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    document["pareto"][number]["objectives"]["latency_cycles"] += 1
    path.write_text(json.dumps(document), encoding="utf-8")
    with_steps = [design["id"] for at, design in enumerate(document["pareto"]) if at != number and design["steps"]]
    return document["pareto"][number]["id"], with_steps[0]


@pytest.mark.parametrize("number", [0, -1], ids=["the first design", "the last design"])
@pytest.mark.parametrize("command", COMMANDS)
def test_the_other_designs_open(
    explored: Path, tmp_path: Path, arrayol: CommandLine, command: str, number: int
) -> None:
    wrong, right = damaged(explored, tmp_path, number)
    done = arrayol(*(right if word == "ID" else word for word in COMMANDS[command]))
    assert done.returncode == 0, done.stderr
    assert f"warning[wrong-design]: design {wrong} is left out: latency_cycles is " in done.stderr


@pytest.mark.parametrize("command", ONLY_ITS_OWN)
def test_the_wrong_design_is_refused(explored: Path, tmp_path: Path, arrayol: CommandLine, command: str) -> None:
    wrong, _ = damaged(explored, tmp_path, 0)
    done = arrayol(*(wrong if word == "ID" else word for word in COMMANDS[command]))
    assert done.returncode != 0
    assert f"error[wrong-design]: design {wrong} cannot be used: latency_cycles is " in done.stderr
    assert not (tmp_path / "rtl").exists()
    assert not (tmp_path / "hls").exists()


def test_what_is_left_out_is_said_where_no_other_design_is_picked(
    explored: Path, tmp_path: Path, arrayol: CommandLine
) -> None:
    wrong, _ = damaged(explored, tmp_path, 0)
    done = arrayol("simulate", "chain.aol", "--in", "x=ramp", "--result", "out", "--pick", "units <= 0")
    assert done.returncode == 3
    assert f"warning[wrong-design]: design {wrong} is left out: latency_cycles is " in done.stderr
    assert "error[infeasible]" in done.stderr
