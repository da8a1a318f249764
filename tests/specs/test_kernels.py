"""The kernels of the bank layout, as tasks and as elementaries of the file's name, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
import scipy  # whose modules load where a test takes them
from numpy.lib.stride_tricks import sliding_window_view
from shipped import Array, noise, run, same


def neighbours(grid: Array) -> Array:
    """The mean of the four neighbours of each inner point, added in the written order."""
    around = grid[:-2, 1:-1] + grid[2:, 1:-1] + grid[1:-1, :-2] + grid[1:-1, 2:]
    return np.float32(0.25) * around


@pytest.mark.parametrize(("rows", "columns", "block"), [(12, 8, 4), (9, 15, 3), (5, 5, 5)])
def test_jacobi(rows: int, columns: int, block: int) -> None:
    grid = noise(1, (rows + 2, columns + 2), "f4")
    assert same(run("jacobi", {"grid": grid}, H=rows, W=columns, S=block)["relaxed"], neighbours(grid))
    one = noise(2, (block + 2, block + 2), "f4")
    assert same(run("jacobi", {"x": one}, "jacobi", S=block, H=block, W=block)["y"], neighbours(one))


def test_a_harmonic_grid_stays() -> None:
    row, column = np.indices((34, 34))
    grid = (row * row - column * column + 3 * row).astype("f4")  # its second differences cancel
    assert same(run("jacobi", {"x": grid}, "jacobi")["y"], grid[1:-1, 1:-1].copy())


@pytest.mark.parametrize(("count", "length", "block"), [(60, 3, 12), (35, 1, 5), (16, 16, 8)])
def test_pattern(count: int, length: int, block: int) -> None:
    text, word = noise(3, (count + length - 1,), "u1") % 3, noise(4, (length,), "u1") % 3
    expected = (sliding_window_view(text, length) == word).sum(axis=1).astype("i4")
    found = run("pattern", {"texts": text, "words": word}, N=count, LENGTH=length, S=block)["agreeing"]
    assert same(found, expected)
    first = {"text": text[: block + length - 1], "word": word}
    assert same(run("pattern", first, "pattern", N=count, LENGTH=length, S=block)["hits"], expected[:block])


def test_pattern_finds_a_word() -> None:
    text, word = np.frombuffer(b"abracadabra abracadabra", "u1"), np.frombuffer(b"cada", "u1")
    hits = run("pattern", {"text": text, "word": word}, "pattern", LENGTH=4, S=20, N=20)["hits"]
    assert np.flatnonzero(hits == 4).tolist() == [4, 16]


@pytest.mark.parametrize("size", [1, 4, 9])
def test_sobel(size: int) -> None:
    image = noise(5, (size + 2, size + 2), "u1")
    found = run("sobel", {"x": image}, "sobel", S=size, H=size, W=size)
    across, down = (scipy.ndimage.sobel(image.astype("i2"), axis)[1:-1, 1:-1].copy() for axis in (1, 0))
    assert same(found["gx"], across)
    assert same(found["gy"], down)


@pytest.mark.parametrize(("taps", "block"), [(5, 12), (1, 3), (32, 64)])
def test_fir(taps: int, block: int) -> None:
    x, h = noise(6, (block + taps - 1,), "f4"), noise(7, (taps,), "f4")
    expected = np.zeros(block, "f4")
    for k in range(taps):
        expected = expected + h[k] * x[taps - 1 - k : taps - 1 - k + block]
    assert same(run("fir", {"x": x, "h": h}, "fir", TAPS=taps, S=block, N=block)["y"], expected)


@pytest.mark.parametrize(("inner", "block"), [(10, 4), (1, 1), (7, 8)])
def test_matmul(inner: int, block: int) -> None:
    a, b = noise(8, (block, inner), "f4"), noise(9, (inner, block), "f4")
    expected = np.zeros((block, block), "f4")
    for k in range(inner):
        expected = expected + np.outer(a[:, k], b[k])
    assert same(run("matmul", {"a": a, "b": b}, "matmul", M=block, N=block, K=inner, S=block)["c"], expected)
