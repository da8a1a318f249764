"""The shipped step of optical flow: bit for bit against NumPy, and what many steps find."""

from __future__ import annotations

import numpy as np
import pytest
from shipped import PICTURES, SMALL, Array, noise, picture, run, same

from arrayol.checks.check import load_checked
from arrayol.execute.run import execute
from arrayol.files import shipped_folder


def shifted(array: Array, rows: int, columns: int) -> Array:
    """At each place the value that lies so many rows below and columns to the right, or the nearest one inside."""
    height, width = array.shape
    return np.pad(array, 1, mode="edge")[1 + rows : 1 + rows + height, 1 + columns : 1 + columns + width]


def average(u: Array) -> Array:
    near = shifted(u, -1, 0) + shifted(u, 0, -1) + shifted(u, 0, 1) + shifted(u, 1, 0)
    far = shifted(u, -1, -1) + shifted(u, -1, 1) + shifted(u, 1, -1) + shifted(u, 1, 1)
    return near / np.float32(6) + far / np.float32(12)


@pytest.mark.parametrize("kind", PICTURES)
@pytest.mark.parametrize(("rows", "columns"), [(12, 17), (3, 4)])
def test_flow(kind: str, rows: int, columns: int) -> None:
    before, after = picture(kind, rows, columns), noise(2, (rows, columns), "u1")
    u, v = noise(3, (rows, columns), "f4"), noise(4, (rows, columns), "f4")
    cube = np.stack([[shifted(frame.astype("i4"), i, j) for i in (0, 1) for j in (0, 1)] for frame in (before, after)])
    cube = cube.reshape(2, 2, 2, rows, columns)  # axes: time, down, across; the differences are exact in f32
    et, ey, ex = ((cube.take(1, axis) - cube.take(0, axis)).sum((0, 1)).astype("f4") / 4 for axis in range(3))
    mu, mv = average(u), average(v)
    error = ex * mu + ey * mv + et
    weight = np.float32(100) + ex * ex + ey * ey
    found = run("flow", {"before": before, "after": after, "u": u, "v": v}, H=rows, W=columns)
    assert same(found["nu"], mu - ex * error / weight)
    assert same(found["nv"], mv - ey * error / weight)


def test_many_steps_find_a_motion() -> None:
    """A smooth picture, flat at its border, moves by one column to the right and half a row up."""
    size = SMALL["flow"]
    row, column = np.indices((size["H"], size["W"]))
    turn = 2 * np.pi / (size["H"] - 1), 2 * np.pi / (size["W"] - 1)

    def frame(down: float, across: float) -> Array:
        waves = np.cos(turn[0] * (row - down)) + np.cos(turn[1] * (column - across))
        return np.round(127 + 60 * waves).astype("u1")

    spec = load_checked(shipped_folder() / "flow.aol", size)
    u = v = np.zeros(row.shape, "f4")
    before, after = frame(0.25, -0.5), frame(-0.25, 0.5)
    for _ in range(250):
        found = execute(spec, "flow", {"before": before, "after": after, "u": u, "v": v})
        u, v = found["nu"], found["nv"]
    assert abs(u - 1).max() < 0.1
    assert abs(v + 0.5).max() < 0.1
