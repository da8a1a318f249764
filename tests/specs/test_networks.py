"""Layers of neural networks and the split product against NumPy: integers exactly, floats within their rounding."""

from __future__ import annotations

import numpy as np
import pytest
import scipy  # whose modules load where a test takes them
from shipped import Array, noise, run, same

from arrayol.files import shipped_folder

WEIGHTS = shipped_folder() / "mobilenet"


def narrowed(sums: Array, least: int) -> Array:
    """A layer's results in 8 bits."""
    return np.clip(np.maximum(sums >> 7, least), -128, 127)


@pytest.mark.parametrize(("rows", "columns"), [(6, 5), (1, 1)])
def test_mobilenet(rows: int, columns: int) -> None:
    x = noise(1, (rows, columns, 16), "i1")
    expand, each, project = (np.load(WEIGHTS / f"{name}.npy").astype("i8") for name in ("expand", "filter", "project"))
    wide = narrowed(x.astype("i8") @ expand.T, 0)
    filtered = np.stack(
        [scipy.signal.correlate2d(wide[:, :, channel], each[channel], mode="same") for channel in range(len(each))],
        axis=-1,
    )
    narrow = narrowed(narrowed(filtered, 0) @ project.T, -128)
    expected = np.clip(x + narrow, -128, 127).astype("i1")
    assert same(run("mobilenet", {"x": x}, H=rows, W=columns)["y"], expected)


@pytest.mark.parametrize(("count", "size"), [(64, 32), (5, 3), (1, 1)])
def test_attention(count: int, size: int) -> None:
    q, k, v = (noise(seed, (count, size), "f4") for seed in (1, 2, 3))
    found = run("attention", {"q": q, "k": k, "v": v}, N=count, D=size)["o"]
    exact = scipy.special.softmax(q.astype("f8") @ k.T.astype("f8") / np.sqrt(size), axis=1) @ v.astype("f8")
    # a score errs by size roundings of sizes below 20, which exp turns into a relative error; sums add count more
    assert found.dtype == np.float32
    assert np.abs(found - exact).max() <= (20 * size + 2 * count + 16) * 2.0**-24 * np.abs(v).max()


def test_attention_looks_at_the_key_that_fits() -> None:
    keys, values = np.eye(4, dtype="f4") * 200, noise(4, (4, 4), "f4")
    found = run("attention", {"q": keys, "k": keys, "v": values}, N=4, D=4)["o"]
    assert same(found, values)


@pytest.mark.parametrize(("rows", "columns", "length", "block"), [(64, 32, 256, 16), (3, 2, 12, 4), (2, 2, 6, 6)])
def test_splitmatmul(rows: int, columns: int, length: int, block: int) -> None:
    a, b = noise(1, (rows, length), "i1"), noise(2, (length, columns), "i1")
    found = run("splitmatmul", {"a": a, "b": b}, M=rows, N=columns, K=length, S=block)["c"]
    assert same(found, a.astype("i4") @ b.astype("i4"))
