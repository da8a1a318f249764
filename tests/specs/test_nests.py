"""Shipped loop nests for tile transfers, against NumPy and SciPy."""

from __future__ import annotations

import numpy as np
import pytest
import scipy  # whose modules load where a test takes them
from shipped import noise, run, same

ROUNDING = 2.0**-24  # of an f32 result, relative


@pytest.mark.parametrize(("pairs", "degree"), [(3, 11), (1, 0), (2, 40)])
def test_polyprod(pairs: int, degree: int) -> None:
    left, right = noise(1, (pairs, degree + 1), "f4"), noise(2, (pairs, degree + 1), "f4")
    found = run("polyprod", {"left": left, "right": right}, PAIRS=pairs, N=degree)["product"]
    expected = np.zeros((pairs, 2 * degree + 1), "f4")
    for i in range(degree + 1):  # the written order of each sum: bit for bit
        expected[:, i : i + degree + 1] += left[:, [i]] * right
    assert same(found, expected)
    for one, other, product in zip(left.astype("f8"), right.astype("f8"), found, strict=True):
        bound = (degree + 2) * ROUNDING * np.convolve(np.abs(one), np.abs(other))
        assert np.all(np.abs(product - np.convolve(one, other)) <= bound)


@pytest.mark.parametrize(("rows", "columns"), [(9, 11), (3, 3), (2, 5)])
def test_stencil2d(rows: int, columns: int) -> None:
    plates = noise(3, (2, rows, columns), "f4")
    expected = plates.copy()
    for i in range(1, rows - 1):
        for j in range(1, columns - 1):
            v = expected[:, i - 1, j] + expected[:, i, j - 1] + expected[:, i, j + 1] + expected[:, i + 1, j]
            expected[:, i, j] = np.float32(0.25) * v
    assert same(run("stencil2d", {"plates": plates}, H=rows, W=columns, BLOCKS=2)["relaxed"], expected)


def test_sweeps_of_stencil2d_converge_to_the_harmonic_plate() -> None:
    rows, columns = np.indices((5, 6))
    harmonic = (rows * rows - columns * columns).astype("f4")  # the mean of its four neighbours, exactly
    assert same(run("stencil2d", {"plates": harmonic[None]}, H=5, W=6, BLOCKS=1)["relaxed"][0], harmonic)
    plate = harmonic.copy()
    plate[1:-1, 1:-1] = 0
    for _ in range(40):
        plate = run("stencil2d", {"plates": plate[None]}, H=5, W=6, BLOCKS=1)["relaxed"][0]
    assert np.allclose(plate, harmonic, atol=1e-3)


@pytest.mark.parametrize(("count", "unknowns"), [(3, 7), (1, 1), (2, 30)])
def test_solve(count: int, unknowns: int) -> None:
    matrices = np.tril(noise(4, (count, unknowns, unknowns), "f8"))
    matrices += np.eye(unknowns) * (unknowns + 4)
    sides = noise(5, (count, unknowns), "f8")
    found = run("solve", {"matrices": matrices, "sides": sides}, COUNT=count, N=unknowns)["unknowns"]
    for matrix, side, x in zip(matrices, sides, found, strict=True):
        expected = np.zeros(unknowns)
        for i in range(unknowns):
            value = side[i]
            for j in range(i):
                value = value - matrix[i, j] * expected[j]
            expected[i] = value / matrix[i, i]
        assert same(x, expected)
        assert np.allclose(x, scipy.linalg.solve_triangular(matrix, side, lower=True), rtol=1e-12)
