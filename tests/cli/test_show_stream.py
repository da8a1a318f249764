"""`arrayol show --stream`: what it prints is in docs/concepts/streams.md; here are remarks, refusals and usage."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import CommandLine

SUMS = """\
elementary add(pair: i32[2], before: i32) -> (sum: i32) { sum = pair[0] + pair[1] + before }
task summed(x: i32[8, 12]) -> (y: i32[8, 12]) {
  repeat [8, 12] of add {
    pair <- x at origin [-1, 0] paving [1, 0; 0, 1] fitting [1; 0] wrap
    before <- sum delay [1, 0] else 0
    sum -> y
  }
}
"""
USAGE = "Usage: arrayol show [OPTIONS] FILE [TASK]\nTry 'arrayol show --help' for help.\n\nError: "
HUGE = """\
elementary copy(a: u8) -> (b: u8) { b = a }
task t(x: u8[S, S]) -> (y: u8[S, S]) {
  repeat [S, S] of copy {
    a <- x
    b -> y
  }
}
const S = 1000000000
"""


def test_a_wrap_that_lets_a_frame_wait(arrayol: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "sums.aol").write_text(SUMS, encoding="utf-8")
    done = arrayol("show", "sums.aol", "--stream")
    remark = "remark: 'summed' wraps: it waits for the last row before its first (96 words)\n"
    assert (done.stderr, done.returncode) == (remark, 0)
    assert "first index" not in done.stdout
    assert not list(tmp_path.glob("*.svg"))


def test_rotated_scans(arrayol: CommandLine) -> None:
    arrayol("example", "harris")
    done = arrayol("show", "harris.aol", "--stream", "--set", "H=24", "--set", "W=32")
    assert (done.stderr, done.returncode) == ("", 0)
    assert "boxsum@sxx      134       1     32, 1          2, 2\n" in done.stdout
    assert "load image        0       1     32, 1             -\n" in done.stdout


def test_one_task(arrayol: CommandLine) -> None:
    arrayol("example", "conv3x3")
    done = arrayol("show", "conv3x3.aol", "filter", "--stream", "--pace", "2", "--starts", "memory")
    assert "filter       7,684       1   3,840, 2\n" in done.stdout
    assert done.returncode == 0


def test_a_refusal(arrayol: CommandLine) -> None:
    arrayol("example", "lpsf")
    done = arrayol("show", "lpsf.aol", "--stream")
    assert "error[not-streamed]: 'hfrl' moves against the scan along axis 0 of 'p2'" in done.stderr
    assert (done.stdout, done.returncode) == ("", 1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--pace", "1"], "--pace, --scan and --starts say how tasks stream: give --stream too.\n"),
        (["--stream", "--out", "a.svg"], "--stream draws no picture: leave --out out.\n"),
        (
            ["--stream", "--pace", "2/3"],
            "Invalid value: '2/3' is no whole number of pulses, nor one over a whole number, as 1/4.\n",
        ),
        (["--stream", "--scan", "1;0"], "Invalid value: '1;0' is no list of loops, as 1,0.\n"),
    ],
)
def test_usage(arrayol: CommandLine, options: list[str], message: str) -> None:
    arrayol("example", "conv3x3")
    done = arrayol("show", "conv3x3.aol", *options)
    assert (done.stderr, done.returncode) == (USAGE + message, 2)


def test_huge_shapes(arrayol: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "huge.aol").write_text(HUGE, encoding="utf-8")
    done = arrayol("show", "huge.aol", "--stream")
    assert "has 1,000,000,000 indices: a stream has up to 4,194,304" in done.stderr
    assert done.returncode == 1
