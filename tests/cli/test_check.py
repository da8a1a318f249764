"""`arrayol check`: what `--top` counts, and which settings change nothing, of this command and the others."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import CommandLine

SPEC = """\
const W = 4
const K = 1
const SHIFT = K + 1

elementary inc(a: i32) -> (b: i32) {
  b = a + SHIFT
}
elementary dec(a: i32) -> (b: i32) {
  b = a - 1
}

tiler each = origin [0] paving [1] fitting []

task up(x: i32[W]) -> (y: i32[W]) {
  repeat [W] of inc {
    a <- x  at each
    b -> y  at each
  }
}
task down(x: i32[W]) -> (y: i32[W]) {
  repeat [W] of dec {
    a <- x  at each
    b -> y  at each
  }
}
"""
IDLE = """\
two.aol: warning[unused-setting]: --set K changes nothing: nothing that 'down' is made of uses this const
  hint: leave it out
"""


@pytest.fixture(autouse=True)
def _here(tmp_path: Path) -> None:
    (tmp_path / "two.aol").write_text(SPEC)


def test_the_task_that_is_meant(arrayol: CommandLine) -> None:
    assert arrayol("check", "two.aol").stdout == "two.aol: fine: 2 tasks, 2 elementary tasks\n"
    assert arrayol("check", "two.aol", "--top", "up").stdout == "two.aol: 'up' is fine: 1 task, 1 elementary task\n"


def test_a_task_that_is_not_there(arrayol: CommandLine) -> None:
    done = arrayol("check", "two.aol", "--top", "upp")
    told = "two.aol: error[unknown-task]: there is no task 'upp'\n  hint: did you mean 'up'?\n"
    assert (done.stdout, done.stderr, done.returncode) == ("", told, 1)


def test_a_setting_that_changes_nothing(arrayol: CommandLine) -> None:
    done = arrayol("check", "two.aol", "--top", "down", "--set", "K=3")
    assert (done.stdout, done.returncode) == (
        f"{IDLE}\ntwo.aol: 'down' is fine: 1 task, 1 elementary task, 1 warning\n",
        0,
    )
    document = json.loads(arrayol("check", "two.aol", "--top", "down", "--set", "K=3", "--json").stdout)
    assert (document["ok"], [each["code"] for each in document["diagnostics"]]) == (True, ["unused-setting"])


@pytest.mark.parametrize("top", [[], ["--top", "up"]])
def test_a_setting_that_others_depend_on(arrayol: CommandLine, top: list[str]) -> None:
    assert "warning" not in arrayol("check", "two.aol", *top, "--set", "K=3", "--set", "W=8").stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ["run", "--top", "down", "--in", "x=ramp", "--out", "y=y.npy"],
        ["show", "down"],
        ["layout", "down"],
        ["transfers", "down"],
        ["explore", "--top", "down", "--narrow", "--no-verify", "--quiet"],
    ],
)
def test_every_command_says_so(arrayol: CommandLine, arguments: list[str]) -> None:
    command, *rest = arguments
    done = arrayol(command, "two.aol", *rest, "--set", "K=3", "--set", "W=2")
    assert (done.stderr[: len(IDLE)], done.returncode) == (IDLE, 0)


def test_what_transforms_say(arrayol: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "two.aol").write_text(f"const IDLE = 1\n{SPEC}")
    told = "two.aol: warning[unused-setting]: --set IDLE changes nothing: nothing uses this const\n"
    assert told in arrayol("transform", "two.aol", "pave up 2", "--set", "IDLE=2", "--set", "K=2").stderr


def test_no_objective_at_all(arrayol: CommandLine) -> None:
    for model in ("machine", "published"):
        done = arrayol("explore", "two.aol", "--top", "up", "--objectives", "", "--model", model)
        assert "Invalid value for '--objectives': at least one objective is needed; choose of latency" in " ".join(
            done.stderr.split()
        )
        assert done.returncode == 2
