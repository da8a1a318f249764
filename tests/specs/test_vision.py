"""The camera pipeline, stereo matching and the wavelet against NumPy and SciPy, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest
import scipy  # whose modules load where a test takes them
from shipped import PICTURES, Array, noise, picture, run, same

pictures = pytest.mark.parametrize("kind", PICTURES)


def fixed(value: float, bits: int) -> int:
    """The nearest multiple of 2^-bits, in that unit; halves go up."""
    return int(np.floor(value * 2**bits + 0.5))


GAINS = np.array([fixed(gain, 10) for gain in (1.9, 1, 1.6)])
MATRIX = np.array([[fixed(x, 9) for x in row] for row in ((1.6, -0.5, -0.1), (-0.3, 1.6, -0.3), (0, -0.5, 1.5))])


def bilinear(mosaic: Array) -> Array:
    """The three colours of a Bayer mosaic in integers; around it the cell at the border goes on."""
    height, width = mosaic.shape
    cells = mosaic.reshape(height // 2, 2, width // 2, 2).transpose(0, 2, 1, 3)
    around = np.pad(cells, ((1, 1), (1, 1), (0, 0), (0, 0)), mode="edge")
    wide = around.transpose(0, 2, 1, 3).reshape(height + 4, width + 4)
    row, column = np.indices(wide.shape)
    reds, blues = (row % 2 == 0) & (column % 2 == 0), (row % 2 == 1) & (column % 2 == 1)
    colours = []
    for site in (reds, ~(reds | blues), blues):
        known = np.where(site, wide, 0).astype("i8")
        full, done = known, site
        for weights in (np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]]), np.array([[1, 0, 1], [0, 0, 0], [1, 0, 1]])):
            count = scipy.ndimage.correlate(site.astype("i8"), weights, mode="constant")
            means = scipy.ndimage.correlate(known, weights, mode="constant") // np.maximum(count, 1)
            full, done = np.where(done, full, means), done | (count > 0)
        colours.append(full[2:-2, 2:-2])
    return np.stack(colours, axis=-1)


def developed(mosaic: Array) -> Array:
    """The camera's pipeline in Python integers, but for the table, which is in doubles."""
    light = bilinear(np.maximum(mosaic.astype("i8") - 64, 0))
    balanced = np.clip((light * GAINS + 512) >> 10, 0, 4095)
    linear = np.clip((balanced @ MATRIX.T + 256) >> 9, 0, 4095)
    levels = np.arange(1, 4096) / 4095.0
    return np.concatenate([[0], 255 * np.exp(np.log(levels) / 2.2) + 0.5]).astype("u1")[linear]


@pictures
@pytest.mark.parametrize(("rows", "columns"), [(12, 10), (2, 2), (4, 18)])
def test_camera(kind: str, rows: int, columns: int) -> None:
    mosaic = picture(kind, rows, columns).astype("u2") * 16 + 5
    assert same(run("camera", {"mosaic": mosaic}, H=rows, W=columns)["picture"], developed(mosaic))


def test_a_grey_wall_stays_grey() -> None:
    row, column = np.indices((8, 8))
    gain = np.select([(row + column) % 2 == 1, row % 2 == 0], [1, 1.9], 1.6)  # what each site's filter lets through
    found = run("camera", {"mosaic": (64 + 950 / gain).astype("u2")}, H=8, W=8)["picture"].astype("i4")
    assert np.ptp(found) <= 2


def least_difference(left: Array, right: Array, shifts: int, radius: int) -> Array:
    """Each pixel's best shift, by a loop over the shifts on whole pictures."""
    width = left.shape[1]
    one, other = left.astype("i8"), np.pad(right.astype("i8"), ((0, 0), (shifts + radius, radius)), mode="edge")
    near = np.pad(one, ((0, 0), (radius, radius)), mode="edge")
    sums = []
    for shift in range(shifts):
        start = shifts - shift
        apart = np.abs(near - other[:, start : start + width + 2 * radius])
        apart = np.pad(apart, ((radius, radius), (0, 0)), mode="edge")
        windows = np.lib.stride_tricks.sliding_window_view(apart, (2 * radius + 1, 2 * radius + 1))
        sums.append(windows.sum(axis=(2, 3)))
    return np.argmin(sums, axis=0).astype("u1")


@pytest.mark.parametrize(("rows", "columns", "shifts", "radius"), [(9, 20, 6, 2), (4, 7, 3, 1), (5, 6, 1, 0)])
def test_stereo(rows: int, columns: int, shifts: int, radius: int) -> None:
    left, right = noise(1, (rows, columns), "u1"), noise(2, (rows, columns), "u1")
    consts = {"H": rows, "W": columns, "SHIFTS": shifts, "R": radius}
    found = run("stereo", {"pair": np.stack([left, right])}, **consts)["disparity"]
    assert same(found, least_difference(left, right, shifts, radius))


def test_stereo_sees_a_near_square() -> None:
    scene = noise(3, (24, 40), "u1")
    left, right = scene.copy(), scene.copy()
    square = noise(4, (12, 12), "u1")
    left[6:18, 18:30], right[6:18, 13:25] = square, square
    found = run("stereo", {"pair": np.stack([left, right])}, H=24, W=40, SHIFTS=8)["disparity"]
    assert (found[8:16, 20:28] == 5).all()
    assert (found[:4] == 0).all()


def lifted(signal: Array) -> tuple[Array, Array]:
    """Means and details along the last axis: predict, then update, on a signal mirrored by NumPy."""
    wide = np.pad(signal.astype("i4"), ((0, 0), (2, 2)), mode="reflect")
    even, odd = wide[:, 0::2], wide[:, 1::2]
    details = odd[:, :-1] - (even[:, :-1] + even[:, 1:] >> 1)
    means = even[:, 1:-1] + (details[:, :-1] + details[:, 1:] + 2 >> 2)
    return means, details[:, 1:]


@pictures
@pytest.mark.parametrize(("rows", "columns"), [(16, 24), (4, 6)])
def test_wavelet(kind: str, rows: int, columns: int) -> None:
    image = picture(kind, rows, columns).astype("i2")
    (ll, lh), (hl, hh) = ([part.T for part in lifted(half.T)] for half in lifted(image))
    found = run("wavelet", {"image": image}, H=rows, W=columns)
    assert same(found["bands"], np.block([[ll, hl], [lh, hh]]).astype("i2"))
