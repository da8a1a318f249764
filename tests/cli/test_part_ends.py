"""Wraps and borders at the inner ends of a part: `run` and C follow them, what needs one array for all refuses."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from conftest import CommandLine

TEXT = """\
elementary spread(w: u8[3]) -> (s: u8) {
  s = max(w[0], max(w[1], w[2]))
}

task widened(y: u8[6, 4]) -> (z: u8[6, 4]) {
  repeat [6, 4] of spread {
    w <- y at origin [0, -1] paving [1, 0; 0, 1] fitting [0; 1] WAY
    s -> z
  }
}

task halves(x: u8[6, 8]) -> (z: u8[6, 8]) {
  z[.., 0..4] = widened(x[.., 0..4])
  z[.., 4..8] = widened(x[.., 4..8])
}
"""
HINT = "  hint: let a task copy the part into a separate array, and read that\n"
WHERE = "at the ends of a part of 'x', which only `run` and C can follow"
WAYS = {
    "wrap": ("wrap", f"error[wraps-in-part]: this tiler wraps {WHERE}"),
    "else nearest": ("edge", f"error[border-in-part]: the border of this link acts {WHERE}"),
}


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """How the tiler goes on beyond the part; the specification is written."""
    (tmp_path / "t.aol").write_text(TEXT.replace("WAY", request.param), encoding="utf-8")
    return str(request.param)


def test_run_follows_them(arrayol: CommandLine, tmp_path: Path, way: str) -> None:
    x = np.random.default_rng(1).integers(0, 256, (6, 8), np.uint8)
    np.save(tmp_path / "x.npy", x)
    done = arrayol("run", "t.aol", "--in", "x=x.npy", "--out", "z=z.npy")
    assert done.returncode == 0, done.stderr
    mode = WAYS[way][0]
    parts = [np.pad(part, ((0, 0), (1, 1)), mode=mode) for part in (x[:, :4], x[:, 4:])]  # type: ignore[call-overload]
    wanted = np.hstack([np.max([one[:, k : k + 4] for k in range(3)], axis=0) for one in parts])
    assert np.array_equal(np.load(tmp_path / "z.npy"), wanted)


@pytest.mark.parametrize(
    "command",
    [
        ("show", "t.aol", "--out", "t.svg"),
        ("explore", "t.aol", "--quiet", "--no-verify"),
        ("explore", "t.aol", "--quiet", "--model", "published"),
    ],
    ids=" ".join,
)
def test_what_flattens_the_calls_refuses(
    arrayol: CommandLine, tmp_path: Path, way: str, command: tuple[str, ...]
) -> None:
    done = arrayol(*command)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"t.aol:7:15: {WAYS[way][1]}\n")
    assert done.stderr.endswith(HINT)
    assert [path.name for path in tmp_path.iterdir()] == ["t.aol"]


@pytest.mark.parametrize(
    "command", [("check",), ("layout", "widened"), ("transfers", "widened"), ("show", "widened", "--out", "w.svg")]
)
def test_what_looks_at_one_task_sees_an_array_of_its_own(
    arrayol: CommandLine, way: str, command: tuple[str, ...]
) -> None:
    done = arrayol(command[0], "t.aol", *command[1:])
    assert done.returncode == 0, way + done.stderr


def test_steps_keep_the_part(arrayol: CommandLine, tmp_path: Path, way: str) -> None:
    done = arrayol("transform", "t.aol", "tile widened 2,2", "--out", "tiled.aol")
    assert done.returncode == 0, done.stderr
    for name in ("t", "tiled"):
        done = arrayol("run", f"{name}.aol", "--in", "x=random:1", "--out", f"z={name}.npy")
        assert done.returncode == 0, way + done.stderr
    assert (tmp_path / "t.npy").read_bytes() == (tmp_path / "tiled.npy").read_bytes()
