"""`round` and `sat` against exact fractions, and complex numbers put together and taken apart."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from loading import spec_of
from many_cases import case_count

from arrayol.errors import ArrayolError
from arrayol.execute.run import execute
from arrayol.ir.types import ElementType

_REALS = st.one_of(
    st.floats(allow_nan=False), st.floats(-4, 4), st.integers(-80, 80).map(lambda count: count / 16), st.just(-0.0)
)


def _nearest(value: float, bits: int) -> float:
    if not math.isfinite(value):
        return value
    return float(Fraction(math.floor(Fraction(value) * 2**bits + Fraction(1, 2)), 2**bits))


@pytest.mark.parametrize("kind", ["f32", "f64"])
@given(st.data())
@settings(max_examples=case_count(10), deadline=None)
def test_round_is_exact(kind: str, data: st.DataObject) -> None:
    """In execution, as a constant, and as an element of a formula."""
    bits = data.draw(st.one_of(st.integers(0, 6), st.integers(0, 64)))
    with np.errstate(over="ignore"):
        values = np.array(data.draw(st.lists(_REALS, min_size=8, max_size=8)), ElementType(kind).numpy_name)
    spec = spec_of(f"elementary e(x: {kind}[8]) -> (y: {kind}[8]) {{ y[k] = round(x[k], {bits})  for k in 0..8 }}\n")
    got = execute(spec, "e", {"x": values})["y"]
    assert got.tolist() == [_nearest(float(value), bits) for value in values]
    finite = [float(value) for value in values if math.isfinite(value) and abs(float(value)) < 1e300]
    written = ", ".join(f"round({value!r}, {bits})".replace("e+", "e") for value in finite)
    if finite:
        text = f"const C: f64[{len(finite)}] = [{written}]\nelementary e() -> (y: f64) {{ y = C[0] }}\n"
        assert spec_of(text).tables["C"].data == np.array([_nearest(value, bits) for value in finite]).tobytes()


_SOURCES = ("i8", "u16", "i32", "i64", "u64", "f32", "f64")


@pytest.mark.parametrize("target", ["i8", "u8", "i16", "u32", "i64", "u64"])
@given(st.data())
@settings(max_examples=case_count(5), deadline=None)
def test_sat_is_the_nearest_value(target: str, data: st.DataObject) -> None:
    low, high = ElementType(target).integer_range
    ports = ", ".join(f"x_{source}: {source}[8]" for source in _SOURCES)
    results = ", ".join(f"y_{source}: {target}[8]" for source in _SOURCES)
    lines = "\n".join(f"  y_{source}[k] = sat({target}, x_{source}[k])  for k in 0..8" for source in _SOURCES)
    inputs = {}
    for source in map(ElementType, _SOURCES):
        ends = [float(low), float(high), math.inf, -math.inf]
        floats = st.one_of(_REALS, st.sampled_from(ends))
        values = st.integers(*source.integer_range) if source.wraps else floats
        with np.errstate(over="ignore"):
            drawn = np.array(data.draw(st.lists(values, min_size=8, max_size=8)), source.numpy_name)
        inputs[f"x_{source}"] = drawn
    got = execute(spec_of(f"elementary e({ports}) -> ({results}) {{\n{lines}\n}}\n"), "e", inputs)
    for source in _SOURCES:
        exact = [
            (high if value > 0 else low) if isinstance(value, float) and math.isinf(value) else math.trunc(value)
            for value in inputs[f"x_{source}"].tolist()
        ]
        assert got[f"y_{source}"].tolist() == [min(max(whole, low), high) for whole in exact]


def test_nan_is_near_no_integer() -> None:
    spec = spec_of("elementary e(x: f32) -> (y: i8) { y = sat(i8, x) }\n")
    with pytest.raises(ArrayolError, match="nan is not a value of i8"):
        execute(spec, "e", {"x": np.array(math.nan, "f4")})


def test_constants_saturate_and_formulas_round_alike() -> None:
    text = (
        "const C: i16[64] = [sat(i8, 7 * k - 200) + sat(u8, 2.5 * k - 20) for k in 0..64]\n"
        "const D: f64[64] = [round(0.3 * k - 9, 2) for k in 0..64]\n"
        "elementary e() -> (y: i16, z: f64) {\n  y = C[0]\n  z = D[0]\n}\n"
    )
    tables = spec_of(text).tables
    expected = [min(max(7 * k - 200, -128), 127) + min(max(math.trunc(2.5 * k - 20), 0), 255) for k in range(64)]
    assert tables["C"].data == np.array(expected, "<i2").tobytes()
    assert tables["D"].data == np.array([_nearest(0.3 * k - 9, 2) for k in range(64)]).tobytes()


def test_complex_numbers_are_put_together_and_taken_apart() -> None:
    spec = spec_of(
        "const Z: c64 = conj(c64(1.5, 2)) * c64(0, 1) / 2\n"
        "elementary e(z: c64, w: c128, a: f64, k: u8) -> (r: f32, i: f64, c: c128, p: c64, q: c128, s: c64) {\n"
        "  r = real(z)\n  i = imag(w)\n  c = conj(w)\n  p = c64(a, 0.1)\n  q = c128(k, -real(z))\n  s = Z\n}\n"
    )
    z, w, a = np.array(1.25 - 2j, "c8"), np.array(complex(0.1, -0.0)), np.array(1 / 3)
    got = execute(spec, "e", {"z": z, "w": w, "a": a, "k": np.array(7, "u1")})
    assert (got["r"].item(), got["i"].item(), got["q"].item(), got["s"].item()) == (1.25, -0.0, 7 - 1.25j, 1 + 0.75j)
    assert got["c"].item() == w.item().conjugate()
    assert math.copysign(1, got["c"].item().imag) == 1
    assert got["p"].item() == complex(np.float32(1 / 3), np.float32(0.1))
