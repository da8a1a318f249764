"""Shipped image chains against NumPy and SciPy: integers exactly, floats bit for bit in the written order."""

from __future__ import annotations

import numpy as np
import pytest
import scipy  # whose modules load where a test takes them
from shipped import PICTURES, Array, noise, picture, run, same

pictures = pytest.mark.parametrize("kind", PICTURES)


def weighted(array: Array, weights: Array, border: str = "wrap") -> Array:
    """Each window's weighted sum around its middle; the border as SciPy names it."""
    return scipy.ndimage.correlate(array.astype("i8"), weights, mode=border)


@pictures
@pytest.mark.parametrize("size", [(20, 31), (3, 5)])
@pytest.mark.parametrize("limit", [128, -3])
def test_conv3x3(kind: str, size: tuple[int, int], limit: int) -> None:
    image, kernel = picture(kind, *size), noise(7, (3, 3), "i2") // 1000
    found = run("conv3x3", {"image": image, "kernel": kernel}, H=size[0], W=size[1], LIMIT=limit)["mask"]
    sums = scipy.signal.convolve2d(image.astype("i8"), kernel, mode="valid")
    assert same(found, np.where(sums > limit, 255, 0).astype("u1"))


def test_a_sum_at_the_limit_is_below_it() -> None:
    kernel = np.zeros((3, 3), "i2")
    kernel[1, 1] = 1
    image = np.array([[0, 0, 0, 0], [0, 128, 129, 0], [0, 0, 0, 0]], "u1")
    assert run("conv3x3", {"image": image, "kernel": kernel}, H=3, W=4)["mask"].tolist() == [[0, 255]]


@pictures
@pytest.mark.parametrize(("rows", "columns", "block"), [(16, 24, 8), (12, 9, 3)])
def test_sobel(kind: str, rows: int, columns: int, block: int) -> None:
    image, consts = picture(kind, rows, columns), {"H": rows, "W": columns, "S": block}
    across = scipy.ndimage.sobel(image.astype("i4"), axis=1, mode="nearest")
    down = scipy.ndimage.sobel(image.astype("i4"), axis=0, mode="nearest")
    found = run("sobel", {"image": image}, "gradients", **consts)
    assert same(found["across"], across.astype("i2"))
    assert same(found["down"], down.astype("i2"))
    strength = np.sqrt((across**2 + down**2).astype("f4"))  # exact below 2^24, then one rounding
    edges = run("sobel", {"image": image}, **consts)["edges"]
    assert same(edges, np.where(strength > 128, 255, 0).astype("u1"))


def test_sobel_finds_the_outline_of_a_square() -> None:
    edges = run("sobel", {"image": picture("square", 16, 16)}, H=16, W=16)["edges"]
    outline = np.zeros((16, 16), bool)
    outline[3:13, 3:13] = True
    outline[5:11, 5:11] = False
    assert np.array_equal(edges == 255, outline)


@pictures
@pytest.mark.parametrize(("rows", "columns"), [(20, 31), (8, 6)])
def test_harris(kind: str, rows: int, columns: int) -> None:
    image = picture(kind, rows, columns)
    dx, dy = (weighted(image, np.array(w)) for w in ([[-1, 0, 1]], [[-1], [0], [1]]))
    xx, xy, yy = (weighted(product, np.ones((3, 3), int)) for product in (dx * dx, dx * dy, dy * dy))
    trace, (sxx, sxy, syy) = (xx + yy).astype("f4"), (one.astype("f4") for one in (xx, xy, yy))
    expected = sxx * syy - sxy * sxy - np.float32(0.04) * trace * trace
    assert same(run("harris", {"image": image}, H=rows, W=columns)["corners"], expected)


def test_harris_finds_the_corners_of_a_square() -> None:
    corners = run("harris", {"image": picture("square", 24, 24)}, H=24, W=24)["corners"]
    places = {(int(row), int(column)) for row, column in np.argwhere(corners == corners.max())}
    means = {(row // 12, column // 12) for row, column in places}
    assert means == {(0, 0), (0, 1), (1, 0), (1, 1)}
    assert all(min(abs(axis - edge) for edge in (6, 17)) <= 1 for place in places for axis in place)
    assert corners[6, 11] < 0  # a straight edge
    assert corners[11, 11] == 0  # nothing there


@pictures
@pytest.mark.parametrize(("rows", "columns"), [(12, 20), (2, 6)])
def test_pyramid(kind: str, rows: int, columns: int) -> None:
    image, weights = picture(kind, rows, columns), np.array([1, 4, 6, 4, 1])
    smooth = weighted(image, np.outer(weights, weights))[::2, ::2]
    found = run("pyramid", {"image": image}, H=rows, W=columns)["level"]
    assert same(found, np.floor(smooth / 256 + 0.5).astype("u1"))


@pictures
@pytest.mark.parametrize(("rows", "columns"), [(12, 10), (2, 4)])
def test_demosaic(kind: str, rows: int, columns: int) -> None:
    mosaic = picture(kind, rows, columns)
    row, column = np.indices(mosaic.shape) % 2
    corners, cross = np.array([[1, 2, 1], [2, 4, 2], [1, 2, 1]]), np.array([[0, 1, 0], [1, 4, 1], [0, 1, 0]])
    red = weighted(mosaic * ((row == 0) & (column == 0)), corners, "mirror") // 4
    green = weighted(mosaic * (row != column), cross, "mirror") // 4
    blue = weighted(mosaic * ((row == 1) & (column == 1)), corners, "mirror") // 4
    found = run("demosaic", {"mosaic": mosaic}, H=rows, W=columns)["colours"]
    assert same(found, np.stack([red, green, blue], axis=2).astype("u1"))


def test_demosaic_keeps_a_flat_colour() -> None:
    mosaic = np.tile(np.array([[200, 90], [90, 31]], "u1"), (4, 3))
    assert np.all(run("demosaic", {"mosaic": mosaic}, H=8, W=6)["colours"] == (200, 90, 31))
