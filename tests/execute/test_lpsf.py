"""The low-pass spatial filter on a photograph, bit for bit four sequential recursions in f32."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib import cbook
from numpy.typing import NDArray
from PIL import Image

from arrayol.checks.check import load_checked
from arrayol.execute.run import execute


def photograph() -> NDArray[Any]:
    """Matplotlib's sample photograph in grey, 600 x 512."""
    with cbook.get_sample_data("grace_hopper.jpg") as file:
        return np.array(Image.open(file).convert("L"))


def smoothed(rows: NDArray[Any]) -> NDArray[Any]:
    """y[j] = A y[j - 1] + (1 - A) x[j] along each row, from 0."""
    a, b = np.float32(0.5), np.float32(1 - 0.5)
    result = np.empty_like(rows)
    before = np.zeros(len(rows), np.float32)
    for column in range(rows.shape[1]):
        before = a * before + b * rows[:, column]
        result[:, column] = before
    return result


def filtered(image: NDArray[Any]) -> NDArray[Any]:
    """From the left, from the top, from the right, from the bottom."""
    values = smoothed(image.astype(np.float32))
    values = smoothed(values.T).T
    values = smoothed(values[:, ::-1])[:, ::-1]
    return smoothed(values[::-1].T).T[::-1]


@pytest.mark.parametrize("size", [(600, 512), (1080, 1920), (8, 4)])
def test_it_equals_four_recursions(checkout: Path, size: tuple[int, int]) -> None:
    image = np.tile(photograph(), (2, 4))[: size[0], : size[1]]
    settings = {"H": str(size[0]), "W": str(size[1])}
    spec = load_checked(checkout / "specs" / "lpsf.aol", settings)
    found = execute(spec, "lpsf", {"p0": image.astype(np.float32)})["p4"]
    assert found.dtype == np.float32
    assert np.array_equal(found.view(np.uint32), np.ascontiguousarray(filtered(image)).view(np.uint32))


def test_scalars_agree_on_the_first_rows(checkout: Path) -> None:
    """One task alone, against a recursion with scalars, and the input is left as it was."""
    spec = load_checked(checkout / "specs" / "lpsf.aol", {"H": "12", "W": "16"})
    image = photograph()[:12, :16].astype(np.float32)
    before = image.copy()
    found = execute(spec, "hfrl", {"src": image})["dst"]
    assert np.array_equal(image, before)
    for row in range(12):
        last = np.float32(0)
        for column in reversed(range(16)):
            last = np.float32(0.5) * last + np.float32(0.5) * image[row, column]
            assert found[row, column] == last
