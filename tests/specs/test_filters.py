"""Shipped filters and the matrix product, against NumPy and SciPy."""

from __future__ import annotations

import numpy as np
import pytest
import scipy  # whose modules load where a test takes them
from shipped import Array, noise, run, same

ROUNDING = 2.0**-24  # of an f32 result, relative
SIGNALS = ["noise", "tone", "impulse"]


def samples(kind: str, count: int) -> Array:
    """A signal in f32 between about -1 and 1."""
    if kind == "noise":
        return noise(count, (count,), "f4")
    if kind == "tone":
        return np.sin(0.37 * np.arange(count)).astype("f4")
    return np.where(np.arange(count) == count // 2, 1, 0).astype("f4")


@pytest.mark.parametrize("sizes", [(8, 12, 10, 4), (30, 10, 7, 5)])
def test_matmul(sizes: tuple[int, int, int, int]) -> None:
    rows, columns, inner, block = sizes
    left, right = noise(1, (rows, inner), "f4"), noise(2, (inner, columns), "f4")
    found = run("matmul", {"left": left, "right": right}, M=rows, N=columns, K=inner, S=block)["result"]
    expected = np.zeros((rows, columns), "f4")
    for k in range(inner):  # the written order of the sum: bit for bit
        expected = expected + np.outer(left[:, k], right[k])
    assert same(found, expected)
    exact = left.astype("f8") @ right.astype("f8")
    bound = (inner + 1) * ROUNDING * (np.abs(left) @ np.abs(right))  # of a sum of `inner` products, in any order
    assert np.all(np.abs(found - exact) <= bound)


def test_matmul_by_the_identity() -> None:
    matrix = np.arange(64, dtype="f4").reshape(8, 8)
    for factors in ({"left": np.eye(8, dtype="f4"), "right": matrix}, {"left": matrix, "right": np.eye(8, dtype="f4")}):
        assert same(run("matmul", factors, M=8, N=8, K=8, S=2)["result"], matrix)


@pytest.mark.parametrize("kind", SIGNALS)
@pytest.mark.parametrize(("count", "taps", "block"), [(128, 5, 64), (60, 16, 12)])
def test_fir(kind: str, count: int, taps: int, block: int) -> None:
    x, h = samples(kind, count + taps - 1), noise(3, (taps,), "f4")
    found = run("fir", {"signal": x, "taps": h}, N=count, TAPS=taps, S=block)["filtered"]
    expected = np.zeros(count, "f4")
    for k in range(taps):
        expected = expected + h[k] * x[taps - 1 - k : taps - 1 - k + count]
    assert same(found, expected)
    exact = scipy.signal.lfilter(h.astype("f8"), [1.0], x.astype("f8"))[taps - 1 :]
    bound = (taps + 1) * ROUNDING * np.convolve(np.abs(x), np.abs(h), "valid")
    assert np.all(np.abs(found - exact) <= 1.01 * bound)


@pytest.mark.parametrize(("bands", "taps", "count"), [(4, 12, 20), (6, 7, 33)])
@pytest.mark.parametrize("kind", SIGNALS)
def test_firbank(bands: int, taps: int, count: int, kind: str) -> None:
    length = (count - 1) * bands + taps
    x = np.clip(32767 * samples(kind, length), -32768, 32767).astype("i2")
    h = noise(5, (bands, taps), "i2") // taps
    found = run("firbank", {"signal": x, "taps": h}, BANDS=bands, TAPS=taps, N=count)["bands"]
    exact = [scipy.signal.upfirdn(one.astype("i8"), x.astype("i8"), down=1)[taps - 1 : length : bands] for one in h]
    assert np.abs(exact).max() < 2**31
    assert same(found, np.array(exact).astype("i4"))


def test_the_largest_sums_of_the_firbank_fit() -> None:
    x, h = np.full(8, -32768, "i2"), np.full((1, 2), -32768, "i2")
    h[0, 1] += 1  # the magnitudes sum to 65535: in Q15 just below 2
    found = run("firbank", {"signal": x, "taps": h}, BANDS=1, TAPS=2, N=7)["bands"]
    assert np.all(found == 32768 * 65535)
