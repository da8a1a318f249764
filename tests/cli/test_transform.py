"""`arrayol transform`: what it prints, where, and what it refuses."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from conftest import CommandLine

from arrayol import api
from arrayol.language.syntax.parser import parse
from arrayol.language.syntax.printer import print_file
from arrayol.source import SourceFile

SMALL = ["--set", "W=16", "--set", "H=12"]
GOLDEN = Path(__file__).parent.parent / "golden"
Golden = Callable[[Path, str], None]


@pytest.fixture
def lpsf(arrayol: CommandLine) -> CommandLine:
    arrayol("example", "lpsf")
    return arrayol


@pytest.mark.parametrize(
    "steps",
    [
        ["fuse hflr vftd 8,1"],
        ["fuse hflr vftd", "fuse hfrl vfbu", "fuse hflr_vftd hfrl_vfbu"],
        ["pave hflr 1,2", "pave vfbu 4,1"],
        ["tile hfrl 3,2"],
    ],
    ids=str,
)
def test_steps_print_a_specification(lpsf: CommandLine, steps: list[str], tmp_path: Path) -> None:
    """The result stands alone on stdout, is canonical, checks clean, and computes the same picture bit by bit.

    docs/transformations.md shows the texts.
    """
    done = lpsf("transform", "lpsf.aol", *steps, *SMALL)
    assert done.returncode == 0
    source = SourceFile("new.aol", done.stdout)
    assert print_file(parse(source)) == done.stdout
    (tmp_path / "new.aol").write_text(done.stdout, encoding="utf-8")
    picture = {"p0": np.random.default_rng(1).random((12, 16), np.float32)}
    before, after = api.load(tmp_path / "lpsf.aol", {"W": 16, "H": 12}), api.load(tmp_path / "new.aol")
    assert api.run(before, picture)["p4"].tobytes() == api.run(after, picture, top="lpsf")["p4"].tobytes()


@pytest.mark.parametrize("step", ["tile hflr 3,2", "pave vfbu 4,1"])
def test_collapse_of_the_printed_result_gives_the_original_back(lpsf: CommandLine, step: str, tmp_path: Path) -> None:
    task = step.split()[1]
    (tmp_path / "tiled.aol").write_text(lpsf("transform", "lpsf.aol", step, *SMALL).stdout, encoding="utf-8")
    (tmp_path / "back.aol").write_text(lpsf("transform", "tiled.aol", f"collapse {task}").stdout, encoding="utf-8")
    assert api.spec_text(api.load(tmp_path / "back.aol")) == (GOLDEN / "lpsf-small-printed.aol").read_text(
        encoding="utf-8"
    ).replace("0.25", "0.5").replace("0.75", "0.5")


WINDOWS = """
elementary line(x: u8[16]) -> (y: u8[16]) {
  y[k] = 2 * x[k]  for k in 0..16
}

elementary window(x: u8[14, 16]) -> (y: u8) {
  y += x[k, l]  for k in 0..14, l in 0..16
}

task lines(a: u8[1080, 16]) -> (b: u8[1080, 16]) {
  repeat [1080] of line {
    x <- a at origin [0, 0]  paving [1; 0]  fitting [0; 1]
    y -> b at origin [0, 0]  paving [1; 0]  fitting [0; 1]
  }
}

task windows(b: u8[1080, 16]) -> (c: u8[120]) {
  repeat [120] of window {
    x <- b at origin [0, 0]  paving [9; 0]  fitting [1, 0; 0, 1] wrap
    y -> c at origin [0]     paving [1]     fitting []
  }
}

task both(a: u8[1080, 16]) -> (c: u8[120]) {
  b = lines(a)
  c = windows(b)
}
"""


def test_recomputation_of_sliding_windows(arrayol_process: CommandLine, tmp_path: Path) -> None:
    """120 wrapping windows of 14 lines at step 9: a block of b needs 9 b + 5 lines."""
    (tmp_path / "windows.aol").write_text(WINDOWS, encoding="utf-8")
    done = arrayol_process("transform", "windows.aol", "fuse lines windows 4")
    assert "'lines' runs 1,230 times instead of 1,080: recomputation 1.139\n" in done.stderr
    spec = api.load(tmp_path / "windows.aol")
    for block, factor in ((1, "1.556"), (2, "1.278"), (8, "1.069")):
        assert api.transform(spec, [f"fuse lines windows {block}"]).remarks[-1].endswith(f"recomputation {factor}")


def test_a_result_takes_further_steps_read_afresh(lpsf: CommandLine, tmp_path: Path) -> None:
    steps = ["tile hflr 3,2", "fuse hfrl vfbu", "collapse hflr"]
    at_once = lpsf("transform", "lpsf.aol", *steps, *SMALL).stdout
    name, settings = "lpsf.aol", SMALL
    for step in steps:
        text = lpsf("transform", name, step, *settings).stdout
        (tmp_path / "next.aol").write_text(text, encoding="utf-8")
        name, settings = "next.aol", []
    assert (tmp_path / "next.aol").read_text(encoding="utf-8") == at_once


PARTS = """
const N = 8
const GAIN = 3

elementary scale(x: u8[2]) -> (y: u8[2]) {
  y[k] = GAIN * x[k]  for k in 0..2
}

elementary mix(x: u8[2], t: u8[N]) -> (y: u8[2]) extern "somewhere:mix"

elementary box(x: u8[2]) -> (y: u8[2])

tiler pairs = origin [0]  paving [2]  fitting [1]
"""

TWICE = """
import "parts.aol"

task scaled(a: u8[N]) -> (b: u8[N]) {
  repeat [N / 2] of scale {
    x <- a at pairs
    y -> b at pairs
  }
}

task mixed(a: u8[N], t: u8[N]) -> (b: u8[N]) {
  repeat [N / 2] of mix {
    x <- a at pairs
    t <- t at origin [0]  paving [0]  fitting [1]
    y -> b at pairs
  }
}

task top(a: u8[N]) -> (d: u8[N]) {
  b = scaled(a)
  c = scaled(b)
  d = mixed(c, a)
}
"""


@pytest.fixture
def twice(arrayol: CommandLine, tmp_path: Path) -> CommandLine:
    (tmp_path / "parts.aol").write_text(PARTS, encoding="utf-8")
    (tmp_path / "twice.aol").write_text(TWICE, encoding="utf-8")
    return arrayol


def test_the_result_stands_alone(twice: CommandLine, tmp_path: Path) -> None:
    """Imports are inlined, tilers applied, consts kept; Python functions and black boxes stay what they are."""
    done = twice("transform", "twice.aol", "tile mixed 2", "--set", "N=16")
    for line in (
        "const N = 16",
        "  y[k] = GAIN * x[k]  for k in 0..2",
        'elementary mix(x: u8[2], t: u8[N]) -> (y: u8[2]) extern "somewhere:mix"',
        "elementary box(x: u8[2]) -> (y: u8[2])",
        "  repeat [N / 2] of scale {",
        "  repeat [N / 4] of mixed_block {",
    ):
        assert line in done.stdout.splitlines()
    assert not {"import", "tiler"} & set(done.stdout.split())
    (tmp_path / "parts.aol").unlink()
    (tmp_path / "alone.aol").write_text(done.stdout, encoding="utf-8")
    assert twice("check", "alone.aol").returncode == 0


def test_a_call_of_a_task_called_twice_is_named_by_its_result(twice: CommandLine) -> None:
    both = twice("transform", "twice.aol", "tile scaled 2")
    assert both.stdout.count("repeat [2] of scale {") == 1
    one = twice("transform", "twice.aol", "tile scaled@c 2")
    assert "  b = scaled(a)\n  c = scaled_2(b)\n" in one.stdout
    fused = twice("transform", "twice.aol", "fuse scaled@b scaled@c 2")
    assert "  c = scaled_scaled(a)\n" in fused.stdout


REFUSALS = [
    ["tile hflr 7,3"],
    ["tile hflr 4"],
    ["tile smooth 2"],
    ["collapse hflr"],
    ["fuse hflr hfrl"],
    ["fuse vftd hflr"],
    ["pave hfrll 1,2"],
    ["pave hfrl@p9 1,2"],
    ["tile hflr 3,2", "tile hflr 3,1"],
]


def test_refusals_tell_what_and_why(lpsf: CommandLine, golden: Golden) -> None:
    told = []
    for steps in REFUSALS:
        done = lpsf("transform", "lpsf.aol", *steps, *SMALL)
        assert (done.stdout, done.returncode) == ("", 1)
        command = " ".join(f'"{step}"' for step in steps)
        told.append(f"$ arrayol transform lpsf.aol {command} {' '.join(SMALL)}\n{done.stderr}")
    golden(GOLDEN / "transform-refusals.txt", "\n".join(told))


IN_TILE = "In 'tile hflr 2,x': tile takes sizes as whole numbers with commas, as in 4,12, not '2,x'. "
FORM = 'Its form is tile TASK SIZES, as in "tile hflr 4,12".'


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ([], "Give steps, or with --result and --design or --pick the design that has them."),
        (["fuze a b"], "Invalid value for 'STEP...': There is no step 'fuze'. Did you mean 'fuse'?"),
        (["tile hflr 2,x"], f"Invalid value for 'STEP...': {IN_TILE}{FORM}"),
    ],
)
def test_wrong_usage(lpsf: CommandLine, steps: list[str], message: str) -> None:
    done = lpsf("transform", "lpsf.aol", *steps)
    assert (done.stdout, done.returncode) == ("", 2)
    assert done.stderr.splitlines()[-1] == f"Error: {message}"


def test_the_file_and_its_consts_come_first(arrayol: CommandLine) -> None:
    missing = arrayol("transform", "none.aol", "collapse a")
    assert (missing.stdout, missing.returncode) == ("", 1)
    assert "error[no-such-file]" in missing.stderr


def test_the_steps_of_an_explored_design(lpsf: CommandLine, tmp_path: Path) -> None:
    """At the consts of the result, whatever the file says; the same as by the steps themselves."""
    explored = lpsf("explore", "lpsf.aol", "--narrow", "--no-verify", "--quiet", "--set", "W=16", "--set", "H=8")
    assert explored.returncode == 0, explored.stderr
    design = next(one for one in api.load_result(tmp_path / "lpsf-explore").pareto if one.steps)
    done = lpsf("transform", "lpsf.aol", "--result", "lpsf-explore", "--design", design.id)
    assert done.returncode == 0, done.stderr
    by_steps = lpsf("transform", "lpsf.aol", *(design.steps or ()), "--set", "W=16", "--set", "H=8")
    assert (done.stdout, done.stderr) == (by_steps.stdout, by_steps.stderr)
    unknown = lpsf("transform", "lpsf.aol", "--result", "lpsf-explore", "--design", "9:1")
    assert unknown.returncode == 1
    assert "error[unknown-design]" in unknown.stderr


@pytest.mark.parametrize(
    "arguments", [[], ["--design", "4:1"], ["--result", "out"], ["pave hflr 1,2", "--design", "1"]]
)
def test_steps_or_a_design_that_has_them(lpsf: CommandLine, arguments: list[str]) -> None:
    done = lpsf("transform", "lpsf.aol", *arguments)
    assert done.returncode == 2
    assert "Give steps, or with --result and --design or --pick the design that has them." in done.stderr
