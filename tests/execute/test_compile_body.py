"""Bodies: the order of writes, what is computed at once and what is not, and reads of what is not there."""

from __future__ import annotations

import numpy as np
import pytest
from loading import unchecked_spec_of
from oracle import dtype_of

from arrayol.errors import ArrayolError
from arrayol.execute import compile_body
from arrayol.execute.run import execute
from arrayol.ir.types import NUMPY_TYPES, ElementType

X = np.arange(1, 13).reshape(3, 4)


def compute(body: str, result: str) -> list[object]:
    """What a body makes of x = X, an i64[3, 4]."""
    spec = unchecked_spec_of(f"elementary e(x: i64[3, 4]) -> (y: {result}) {{ {body} }}")
    found: list[object] = execute(spec, "e", {"x": X})["y"].tolist()
    return found


@pytest.mark.parametrize(
    ("body", "result", "expected"),
    [
        ("y[i, j] = x[j, i] for i in 0..4, j in 0..3", "i64[4, 3]", X.T),
        ("y[i, j] = x[j, i] for j in 0..3, i in 0..4", "i64[4, 3]", X.T),
        ("y[i, j] = x[j, 3 - i] + x[0, i] for i in 0..4, j in 0..3", "i64[4, 3]", X.T[::-1] + X[:1].T),
        ("y[i, j] = x[j, 2] for i in 0..4, j in 0..3", "i64[4, 3]", [X[:, 2]] * 4),
        ("y[i, j] = x[i, i + j] for i in 0..2, j in 0..3", "i64[2, 3]", [X[0, :3], X[1, 1:]]),
        ("y[2 * i + 1] = x[0, i] for i in 0..2  y[2 * i] = 0 for i in 0..2", "i64[4]", [0, 1, 0, 2]),
        ("y[0] = x[0, i] for i in 0..4", "i64[1]", [4]),
        ("y[0] = x[0, i] for i in 1..4 where i % 2 == 0", "i64[1]", [3]),
        ("y = 0 y = x[0, i] for i in 1..4 where i % 2 == 0", "i64", 3),
        ("y = 1 y += x[0, i] for i in 1..4 where i == 3", "i64", 5),
        ("y[i // 2] = x[0, i] for i in 0..4", "i64[2]", [2, 4]),
        ("y[i + j] = 10 * i + j for i in 0..3, j in 0..2", "i64[4]", [0, 10, 20, 21]),
        ("y[i + j] = 10 * i + j for j in 0..2, i in 0..3", "i64[4]", [0, 1, 11, 21]),
        ("y[i + j] += 1 for i in 0..3, j in 0..2", "i64[4]", [1, 2, 2, 1]),
        ("y[i] = x[0, i] for i in 0..4  y[i] = y[i - 1] for i in 1..4", "i64[4]", [1] * 4),
        ("y[i] = x[0, i] for i in 0..4  y[i] = y[i + 1] for i in 0..3", "i64[4]", [2, 3, 4, 4]),
        ("y[i] = x[0, i] for i in 0..4  y[3 - i] = y[i] for i in 0..4", "i64[4]", [1, 2, 2, 1]),
        ("loop i in 0..4 { y[i] = x[0, i]  y[0] = y[i] + 10 }", "i64[4]", [14, 2, 3, 4]),
        ("y[i] = i if i < 2 else x[0, i - 2] for i in 0..4", "i64[4]", [0, 1, 1, 2]),
        (
            "y[i] = 7 for i in 0..4  y[i] = x[0, i - 1] for i in 0..4 where i > 0 and x[0, i] != 3",
            "i64[4]",
            [7, 1, 7, 3],
        ),
        (
            "y[i, j] = 0 for i in 0..3, j in 0..3  y[i, j] = x[i, j] for i in 0..3, j in i..3",
            "i64[3, 3]",
            np.triu(X[:, :3]),
        ),
        ("y[i] += x[i, j] for j in 0..4, i in 0..3", "i64[3]", X.sum(1)),
        ("y[0] = 1  y[0] += x[0, k] * y[0] for k in 0..4", "i64[1]", [120]),
        ("y[i] = x[0, i] for i in 0..4  y[2] += y[i] for i in 0..4", "i64[4]", [1, 2, 16, 4]),
        ("y[i] = i * 100000000000000000000 // 100000000000000000000 for i in 0..4", "i64[4]", [0, 1, 2, 3]),
    ],
)
def test_writes_in_order(body: str, result: str, expected: object) -> None:
    assert compute(body, result) == np.array(expected).tolist()


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("y[0] = y[1]  y[1] = 0", "read-before-write"),
        ("y[i] = y[i] for i in 0..2", "read-before-write"),
        ("y[0] = 1  y[i] = y[x[0, i]] for i in 0..2", "read-before-write"),
        ("y[0] = 1  y[1] = 1 if x[0, 0] > 1 else y[1]", "read-before-write"),
        ("y[0] = 1", "output-not-written"),
        ("y[i] = 1 for i in 0..2 where i != 1", "output-not-written"),
        ("y[x[0, 0]] = 1", "output-not-written"),
        ("y[i] = 1 for i in 0..3", "subscript-out-of-range"),
        ("y[i] = x[i + 2, 0] for i in 0..2", "subscript-out-of-range"),
        ("y[i] = 1 // i for i in 0..2", "division-by-zero"),
        ("y[i] = i64(u8(300 * i)) for i in 0..2", "constant-does-not-fit"),
    ],
)
def test_what_is_not_there(body: str, code: str) -> None:
    with pytest.raises(ArrayolError, match=rf"error\[{code}\]"):
        compute(body, "i64[2]")


def test_an_element_never_written_is_named() -> None:
    with pytest.raises(ArrayolError) as caught:
        compute("y[i, 0] = 1 for i in 0..2  y[0, 1] = 1", "i64[2, 2]")
    assert str(caught.value).startswith(
        "t.aol:1:12: error[output-not-written]: 'y[1, 1]' has not been written at the end of 'e', in 'e'\n"
    )


@pytest.mark.parametrize("source", ["f32", "f64"])
@pytest.mark.parametrize("target", [element for element in NUMPY_TYPES if element.is_integer])
def test_the_first_float_beyond_an_integer_type_is_refused(source: str, target: ElementType) -> None:
    spec = unchecked_spec_of(f"elementary e(x: {source}) -> (y: {target}) {{ y = {target}(x) }}")
    dtype = dtype_of(ElementType(source)).type
    low, high = target.integer_range
    below = np.nextafter(dtype(low), dtype(-np.inf)) if low else dtype(-1)
    for value in (dtype(high + 1), below if np.trunc(below) < low else dtype(low - 1), dtype(np.nan)):
        with pytest.raises(ArrayolError, match=r"error\[conversion-out-of-range\]"):
            execute(spec, "e", {"x": np.array(value)})


def test_a_factorisation_in_place() -> None:
    """LU: the outer loop is counted, both others are axes whose bounds move with it."""
    text = """elementary lu(a: f64[40, 40]) -> (m: f64[40, 40]) {
  m[i, j] = a[i, j] for i in 0..40, j in 0..40
  loop k in 0..40 {
    m[i, k] = m[i, k] / m[k, k] for i in k + 1..40
    m[i, j] += -m[i, k] * m[k, j] for i in k + 1..40, j in k + 1..40
  }
}"""
    a = np.random.default_rng(2).random((40, 40)) + 40 * np.eye(40)
    m = a.copy()
    for k in range(40):
        m[k + 1 :, k] = m[k + 1 :, k] / m[k, k]
        m[k + 1 :, k + 1 :] += -m[k + 1 :, k, None] * m[k, k + 1 :]
    for unrolled in (0, 128, 100_000):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(compile_body, "_UNROLLED", unrolled)
            assert np.array_equal(execute(unchecked_spec_of(text), "lu", {"a": a})["m"], m)


@pytest.mark.parametrize("kind", ["f32", "i8", "c64"])
@pytest.mark.parametrize("lanes", [0, 256])
@pytest.mark.parametrize("terms", [1, 7, 1 << 15])
def test_sums_keep_their_order(monkeypatch: pytest.MonkeyPatch, kind: str, lanes: int, terms: int) -> None:
    """Rounded, or wrapped around, after each term, whether terms are computed together or not."""
    monkeypatch.setattr(compile_body, "_FEW_LANES", lanes)
    monkeypatch.setattr(compile_body, "_TERMS", terms)
    text = f"""elementary e(x: {kind}[3, 300]) -> (y: {kind}[3]) {{
  y[i] += x[i, k] * x[i, k] for i in 0..3, k in 1..300
}}"""
    rng = np.random.default_rng(6)
    x = (rng.integers(-99, 99, (3, 300)) if kind == "i8" else 3 * rng.random((3, 300))).astype(
        dtype_of(ElementType(kind))
    )
    expected = np.zeros(3, x.dtype)
    for k in range(1, 300):
        expected = expected + x[:, k] * x[:, k]
    assert np.array_equal(execute(unchecked_spec_of(text), "e", {"x": x})["y"], expected)


def test_a_long_recurrence_takes_one_step_for_each_element() -> None:
    text = """elementary e(x: f32[5000]) -> (y: f32[5000]) {
  y[0] = x[0]
  y[k] = 0.5 * y[k - 1] + 0.5 * x[k] for k in 1..5000
}"""
    x = np.random.default_rng(8).random(5000, np.float32)
    expected = [x[0]]
    for value in x[1:]:
        expected.append(np.float32(0.5) * expected[-1] + np.float32(0.5) * value)
    assert execute(unchecked_spec_of(text), "e", {"x": x})["y"].tolist() == np.array(expected).tolist()
