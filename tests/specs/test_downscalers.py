"""The shipped downscalers against sliding sums over rolled arrays: integers exactly, floats bit for bit."""

from __future__ import annotations

import numpy as np
import pytest
from shipped import PICTURES, Array, noise, picture, run, same

SIZES = [(18, 24), (27, 16)]
ROWS = (8, 6, (0, 3, 5))  # the step of the windows, the pixels of a sum, and where in a window each sum starts
COLUMNS = (9, 7, (0, 2, 5, 7))


def sums(array: Array, axis: int, filter_: tuple[int, int, tuple[int, ...]]) -> Array:
    """Along an axis that wraps: for each window the sums of consecutive pixels, one for each start."""
    step, count, starts = filter_
    sliding = np.zeros_like(array)
    for offset in range(count):  # from the first pixel on, the written order
        sliding = sliding + np.roll(array, -offset, axis)
    windows = range(0, array.shape[axis], step)
    return sliding.take([(window + start) % array.shape[axis] for window in windows for start in starts], axis)


@pytest.mark.parametrize("kind", PICTURES)
@pytest.mark.parametrize(("rows", "columns"), SIZES)
@pytest.mark.parametrize("frames", [1, 3])
def test_downscaler(kind: str, rows: int, columns: int, frames: int) -> None:
    """Each frame on its own: windows wrap in it, and not into the next."""
    video = np.stack([np.roll(picture(kind, rows, columns), frame, axis=1) for frame in range(frames)])
    narrow = sums(video.astype("i8"), 2, ROWS) // 6
    small = sums(narrow, 1, COLUMNS) // 7
    assert same(run("downscaler", {"video": video}, H=rows, W=columns)["small"], small.astype("u1"))


@pytest.mark.parametrize("kind", PICTURES)
@pytest.mark.parametrize(("rows", "columns"), SIZES)
def test_thumbnail(kind: str, rows: int, columns: int) -> None:
    frame = picture(kind, rows, columns)
    narrow = sums(frame.astype("f4"), 1, ROWS) / np.float32(6)
    soft = sums(narrow, 0, COLUMNS) / np.float32(7)
    around = np.roll(soft, 1, axis=0) + np.roll(soft, -1, axis=0)
    small = np.float32(1.5) * soft - np.float32(0.25) * around
    assert same(run("thumbnail", {"frame": frame}, H=rows, W=columns)["small"], small)


def test_a_flat_video_stays_flat() -> None:
    video = np.full((2, 18, 24), 255, "u1")
    video[1] = noise(1, (1,), "u1")
    small = run("downscaler", {"video": video}, H=18, W=24)["small"]
    assert np.array_equal(small, video[:, :8, :9])
