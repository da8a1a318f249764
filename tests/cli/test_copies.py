"""Copies of what has parameters, as commands name them: by their values or by the name that is printed."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from conftest import CommandLine

TEXT = """\
elementary mac[K, CI, CO](x: i8[K, K, CI], w: i8[CO, K, K, CI]) -> (y: i8[CO]) {
  loop o in 0..CO {
    a: i32 = 0
    a += i32(x[i, j, c]) * w[o, i, j, c]  for i in 0..K, j in 0..K, c in 0..CI
    y[o] = sat(i8, max(a >> 3, 0))
  }
}

task conv[K, CI, CO, H, W](x: i8[H, W, CI], w: i8[CO, K, K, CI]) -> (y: i8[H, W, CO]) {
  repeat [H, W] of mac[K, CI, CO] {
    x <- x at origin [-(K // 2), -(K // 2), 0] paving [1, 0; 0, 1; 0, 0] fitting [1, 0, 0; 0, 1, 0; 0, 0, 1] else 0
    w <- w
    y -> y
  }
}

task net(x: i8[4, 4, 2], v: i8[2, 3, 3, 2], u: i8[1, 3, 3, 2]) -> (y: i8[4, 4, 1]) {
  z = conv(x, v)
  y = conv(z, u)
}
"""
BOTH = pytest.mark.parametrize("name", ["mac[3, 2, 1]", "mac[3,2,1]", "mac_3_2_1"])
CONV = pytest.mark.parametrize("name", ["conv[3, 2, 2, 4, 4]", "conv_3_2_2_4_4"])


@pytest.fixture(autouse=True)
def spec(tmp_path: Path) -> None:
    (tmp_path / "net.aol").write_text(TEXT, encoding="utf-8")


@BOTH
def test_layout_and_transfers_take_a_copy(arrayol: CommandLine, name: str) -> None:
    done = arrayol("layout", "net.aol", name, "--banks", "2")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("mac_3_2_1: a body of 2 accesses, ")
    done = arrayol("transfers", "net.aol", name, "--tile", "1,1,3,3,2")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("mac_3_2_1 ")


@CONV
def test_show_and_transform_take_a_copy(arrayol: CommandLine, tmp_path: Path, name: str) -> None:
    done = arrayol("show", "net.aol", name, "--out", "p.svg")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("conv_3_2_2_4_4: repeat [4, 4] of mac_3_2_2\n")
    done = arrayol("transform", "net.aol", f"tile {name} 2,2", "--out", "tiled.aol")
    assert done.returncode == 0, done.stderr
    data = ("--in", "x=random:1", "--in", "v=random:2", "--in", "u=random:3")
    for stem in ("net", "tiled"):
        done = arrayol("run", f"{stem}.aol", *data, "--out", f"y={stem}.npy")
        assert done.returncode == 0, done.stderr
    assert np.array_equal(np.load(tmp_path / "net.npy"), np.load(tmp_path / "tiled.npy"))


def test_an_unknown_copy_is_told_the_known_ones(arrayol: CommandLine) -> None:
    done = arrayol("layout", "net.aol", "mac[5, 2, 1]")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "net.aol: error[unknown-task]: there is no task 'mac[5, 2, 1]'\n"
        "  hint: its copies are mac[3, 2, 2] and mac[3, 2, 1]\n"
    )


def test_designs_of_copies_are_simulated_and_reported(arrayol: CommandLine, tmp_path: Path) -> None:
    done = arrayol("explore", "net.aol", "--narrow", "--quiet", "--no-verify", "--workers", "1", "--out", "r")
    assert done.returncode == 0, done.stderr
    result = json.loads((tmp_path / "r/result.json").read_text(encoding="utf-8"))
    assert result["space"]["tasks"] == ["conv_3_2_2_4_4", "conv_3_2_1_4_4"]
    data = ("--in", "x=random:1", "--in", "v=random:2", "--in", "u=random:3")
    done = arrayol("simulate", "net.aol", "--result", "r", "--design", result["pareto"][0]["id"], *data)
    assert done.returncode == 0, done.stderr
    assert "identical to the reference execution" in done.stdout
    done = arrayol("report", "r", "--out", "r.html")
    assert done.returncode == 0, done.stderr
    assert "conv_3_2_2_4_4" in (tmp_path / "r.html").read_text(encoding="utf-8")
