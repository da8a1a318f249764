"""`arrayol check`: what `--top` counts, and which settings change nothing, of this command and the others."""

from __future__ import annotations

import json
import os
import pty
import subprocess
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


# Several files, and the standard input.

WRONG = SPEC.replace("b = a - 1", "b = c - 1")


def test_several_files(arrayol: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "wrong.aol").write_text(WRONG)
    done = arrayol("check", "two.aol", "wrong.aol", "gone.aol", "two.aol", "./two.aol")
    first, mistake, *rest = done.stdout.split("\n\n")
    assert first == "two.aol: fine: 2 tasks, 2 elementary tasks"  # once, by whatever name
    assert mistake.startswith("wrong.aol:9:7: error[unknown-name]: ")
    assert rest == ["wrong.aol: 1 error", "3 files: 1 fine, 2 wrong\n"]
    assert done.stderr.startswith("gone.aol: error[no-such-file]: no such file\n")
    assert done.returncode == 1
    assert arrayol("check", "two.aol", "two.aol").stdout == "two.aol: fine: 2 tasks, 2 elementary tasks\n"


def test_several_files_as_json(arrayol: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "wrong.aol").write_text(WRONG)
    (tmp_path / "imports.aol").write_text('import "wrong.aol"\n')
    done = arrayol("check", "two.aol", "wrong.aol", "imports.aol", "gone.aol", "--json")
    document = json.loads(done.stdout)
    places = [(each["code"], each["file"], each["line"]) for each in document["diagnostics"]]
    assert places == [("unknown-name", "wrong.aol", 9), ("no-such-file", "gone.aol", None)]  # what two import once
    assert (document["ok"], done.returncode) == (False, 1)


def test_the_standard_input(script: Path, tmp_path: Path) -> None:
    def check(text: str) -> tuple[str, int]:
        done = subprocess.run(
            [script, "check", "two.aol", "-"], input=text, cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.stderr == ""
        return done.stdout.removeprefix("two.aol: fine: 2 tasks, 2 elementary tasks\n"), done.returncode

    fine = 'import "two.aol"\ntask both(x: i32[W]) -> (y: i32[W]) {\n  m = up(x)\n  y = down(m)\n}\n'
    assert check(fine) == ("<stdin>: fine: 3 tasks, 2 elementary tasks\n\n2 files: 2 fine\n", 0)
    told, code = check(WRONG)
    assert told.startswith("\n<stdin>:9:7: error[unknown-name]: ")
    assert (told.endswith("\n\n<stdin>: 1 error\n\n2 files: 1 fine, 1 wrong\n"), code) == (True, 1)


# Colours.


@pytest.mark.parametrize(
    ("terminal", "variables", "coloured"),
    [
        (True, {}, True),
        (False, {}, False),
        (True, {"NO_COLOR": "1"}, False),
        (True, {"NO_COLOR": ""}, True),
        (True, {"TERM": "dumb"}, False),
        (True, {"FORCE_COLOR": "0"}, False),
        (False, {"FORCE_COLOR": "1"}, True),
        (False, {"FORCE_COLOR": ""}, False),
        (False, {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ],
)
def test_colours(script: Path, tmp_path: Path, variables: dict[str, str], *, terminal: bool, coloured: bool) -> None:
    (tmp_path / "wrong.aol").write_text("const N = 2\nconst N = 3\n")
    others = {name: value for name, value in os.environ.items() if name not in {"NO_COLOR", "FORCE_COLOR"}}
    environment = {**others, "TERM": "xterm", **variables}
    main, side = pty.openpty() if terminal else os.pipe()
    with os.fdopen(main, "rb", buffering=0) as reader, os.fdopen(side, "wb") as writer:
        done = subprocess.run(
            [script, "check", "wrong.aol"],
            cwd=tmp_path,
            env=environment,
            stdout=writer,
            stderr=subprocess.PIPE,
            check=False,
        )
        writer.close()
        text = reader.read(4096).decode().replace("\r\n", "\n")
    assert (done.stderr, done.returncode) == (b"", 1)
    red, plain, cyan = ("\033[1;31m", "\033[0m", "\033[1;36m") if coloured else ("", "", "")
    assert text.startswith(f"wrong.aol:2:7: {red}error[defined-twice]{plain}: ")
    assert f"\n    2 | const N = 3\n      |       {red}^{plain}\n" in text
    assert f"\n  {cyan}hint{plain}: " in text
    assert ("\033" in text) is coloured
