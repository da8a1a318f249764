"""`arrayol layout` as a user starts it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import CommandLine

JACOBI = ("layout", "jacobi.aol", "jacobi", "--unroll", "2,2", "--banks", "4")


@pytest.fixture(autouse=True)
def example(arrayol: CommandLine) -> None:
    arrayol("example", "jacobi")


def test_json_alone_is_on_stdout(arrayol: CommandLine) -> None:
    done = arrayol(*JACOBI, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    layouts = json.loads(done.stdout)["layouts"]
    assert {name: found["cycles"] for name, found in layouts.items()} == {
        "naive": 20,
        "cyclic": 10,
        "cyclic_true": 8,
        "custom": 5,
        "linear": 1,
    }
    assert layouts["custom"]["reduction"] == 0.75


def test_text(arrayol_process: CommandLine) -> None:
    lines = arrayol_process(*JACOBI).stdout.splitlines()
    assert lines[0] == "jacobi: a body of 20 accesses, i unrolled by 2, j unrolled by 2, runs 256 times"
    assert "custom                               5          4         75.00%" in lines
    assert "  there: x_0_1[v0, v1] = x[2 * v0, 2 * v1 + 1]  for v0 in 0..17, v1 in 0..17" in lines
    assert "  back:  y[x0, x1] = y_1_0[x0 // 2, x1 // 2]  where x0 % 2 == 1 and x1 % 2 == 0" in lines
    assert "x_0_0    0      x[2 * i, 2 * j + 2]       x_0_0[i, j + 1]" in lines
    assert "rule        ports: bodies overlap, so the busiest bank decides" in lines


def test_exploration(arrayol: CommandLine, tmp_path: Path) -> None:
    done = arrayol("layout", "jacobi.aol", "jacobi", "--explore", "--banks", "4", "--most", "4", "--plot", "e.svg")
    lines = done.stdout.splitlines()
    assert (done.returncode, done.stderr, lines[-1]) == (0, "", "wrote e.svg")
    assert lines[0].startswith("jacobi: 6 unrollings of i, j, at most 4 copies: ")
    assert "4 banks     20.00%     60.00%     75.00%" in lines
    more = next(line for line in lines if line.startswith("more")).split(maxsplit=1)[1].split()
    assert more[:2] == ["arrayol", "layout"]
    shown = json.loads(arrayol(*more[1:], "--json").stdout)["layouts"]  # of the fastest
    found = arrayol("layout", "jacobi.aol", "jacobi", "--explore", "--banks", "4", "--most", "4", "--json")
    (fastest,) = json.loads(found.stdout)["front"][:1]
    assert fastest["cycles"] * fastest["copies"] == 1024 * shown[fastest["layout"]]["cycles"]
    assert (tmp_path / "e.svg").read_bytes().startswith(b"<?xml")


@pytest.mark.parametrize("suffix", [".svg", ".png"])
def test_a_picture(arrayol: CommandLine, tmp_path: Path, suffix: str) -> None:
    done = arrayol(*JACOBI, "--set", "S=4", "--plot", f"j{suffix}")
    assert (done.returncode, done.stderr, done.stdout.splitlines()[-1]) == (0, "", f"wrote j{suffix}")
    first = (tmp_path / f"j{suffix}").read_bytes()
    assert first.startswith(b"\x89PNG" if suffix == ".png" else b"<?xml")


def test_an_emitted_file_is_valid(arrayol: CommandLine) -> None:
    assert arrayol(*JACOBI, "--emit", "laid.aol").stdout.splitlines()[-1] == "wrote laid.aol"
    assert arrayol("check", "laid.aol").stdout == "laid.aol: fine: 1 task, 3 elementary tasks\n"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--banks", "0"), "Invalid value for '--banks': 0 is not in the range 1<=x<=1024."),
        (("--unroll", "2,x"), "Invalid value for '--unroll': '2,x' is not a list of whole numbers, as 2,2."),
        (("--unroll", "9" * 20), "Invalid value for '--unroll': a factor is at most 1,000,000,000, not 1.00 x 10^20."),
        (("--most", "4"), "--most is for --explore."),
        (("--explore", "--unroll", "2,2"), "--unroll is not for --explore: --explore tries all factors"),
        (("--explore", "--emit", "j.aol"), "--emit is not for --explore: --explore tries all factors"),
        (("--ports", "3"), "Invalid value for '--ports': '3' is not one of '1', '2'."),
        (("--rule", "fast"), "Invalid value for '--rule': 'fast' is not one of 'ports', 'list'."),
        (("--plot", "j.gif"), "Invalid value for '--plot': 'j.gif' does not end in .svg or .png."),
    ],
)
def test_wrong_usage(arrayol: CommandLine, options: tuple[str, ...], message: str) -> None:
    done = arrayol("layout", "jacobi.aol", "jacobi", *options)
    assert done.returncode == 2
    assert message in done.stderr


def test_refusals_name_the_place(arrayol: CommandLine) -> None:
    done = arrayol("layout", "jacobi.aol", "jacobi", "--unroll", "33,1", "--plot", "j.svg")
    assert (done.returncode, done.stdout) == (1, "")
    assert "error[bad-unroll]: loop 'i' of 'jacobi' runs 32 times, so it cannot be unrolled by 33" in done.stderr


def test_nothing_is_left_where_a_file_cannot_be_written(arrayol: CommandLine, tmp_path: Path) -> None:
    before = set(tmp_path.iterdir())
    done = arrayol(*JACOBI, "--emit", "nowhere/laid.aol")
    assert done.returncode == 1
    assert "error[cannot-write]: there is no folder 'nowhere' to write to" in done.stderr
    assert set(tmp_path.iterdir()) == before
