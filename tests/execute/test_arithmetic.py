"""Arithmetic type by type, against plain Python and NumPy scalars."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from loading import spec_of
from numpy.typing import NDArray
from oracle import dtype_of

from arrayol.execute.arithmetic import function, operation
from arrayol.execute.run import execute
from arrayol.ir.types import NUMPY_TYPES, ElementType, Weak

INTEGERS = [element for element in NUMPY_TYPES if element.is_integer]


def run(expression: str, result: str, **inputs: NDArray[Any]) -> NDArray[Any]:
    """The expression at each element of the inputs, vectors of one length."""
    names = {np.dtype(dtype_of(element)): str(element) for element in NUMPY_TYPES}
    ports = ", ".join(f"{name}: {names[values.dtype]}" for name, values in inputs.items())
    arrays = ", ".join(f"in_{name}: {names[values.dtype]}[{len(values)}]" for name, values in inputs.items())
    links = "\n".join(f"{name} <- in_{name} at origin [0] paving [1] fitting []" for name in inputs)
    length = len(next(iter(inputs.values())))
    spec = spec_of(f"""
        elementary e({ports}) -> (r: {result}) {{ r = {expression} }}
        task t({arrays}) -> (out: {result}[{length}]) {{
          repeat [{length}] of e {{ {links} r -> out at origin [0] paving [1] fitting [] }}
        }}""")
    return execute(spec, "t", {f"in_{name}": values for name, values in inputs.items()})["out"]


def samples(element: ElementType) -> tuple[NDArray[Any], NDArray[Any]]:
    """All pairs of a few small values and the extremes."""
    low, high = element.integer_range
    values = sorted({low, low + 1, max(low, -7), 0, 1, 2, 7, high - 1, high})
    left, right = zip(*((a, b) for a in values for b in values), strict=True)
    return np.array(left, dtype_of(element)), np.array(right, dtype_of(element))


def wrapped(value: int, element: ElementType) -> int:
    low, high = element.integer_range
    return (value - low) % (high - low + 1) + low


@pytest.mark.parametrize("element", INTEGERS)
@pytest.mark.parametrize("sign", ["+", "-", "*", "//", "%", "&", "|", "^"])
def test_integers_are_pythons_wrapped_around(element: ElementType, sign: str) -> None:
    left, right = samples(element)
    if sign in ("//", "%"):
        left, right = left[right != 0], right[right != 0]
    expected = [
        wrapped(eval(f"a {sign} b", {"a": a, "b": b}), element)
        for a, b in zip(left.tolist(), right.tolist(), strict=True)
    ]
    assert run(f"a {sign} b", str(element), a=left, b=right).tolist() == expected


@pytest.mark.parametrize("element", INTEGERS)
@pytest.mark.parametrize("sign", ["<<", ">>"])
def test_shifts_below_the_width(element: ElementType, sign: str) -> None:
    left = samples(element)[0]
    amounts = np.arange(len(left)).astype(left.dtype) % left.dtype.type(element.bits)
    expected = [
        wrapped(a << b if sign == "<<" else a >> b, element)
        for a, b in zip(left.tolist(), amounts.tolist(), strict=True)
    ]
    assert run(f"a {sign} b", str(element), a=left, b=amounts).tolist() == expected


@pytest.mark.parametrize("source", INTEGERS)
@pytest.mark.parametrize("target", INTEGERS)
def test_conversions_of_integers_wrap(source: ElementType, target: ElementType) -> None:
    values = samples(source)[0]
    expected = [wrapped(value, target) for value in values.tolist()]
    assert run(f"{target}(a)", str(target), a=values).tolist() == expected


@pytest.mark.parametrize("source", ["f32", "f64"])
@pytest.mark.parametrize("target", INTEGERS)
def test_floats_are_truncated_toward_zero(source: str, target: ElementType) -> None:
    low, high = target.integer_range
    inside = [value for value in (-0.99, -0.0, 0.5, 2.999, float(low), 100.25) if low <= int(value) <= high]
    top = np.nextafter(dtype_of(ElementType(source)).type(high + 1), 0, dtype=source.replace("f", "float"))
    values = np.array([*inside, top], dtype_of(ElementType(source)))
    assert run(f"{target}(a)", str(target), a=values).tolist() == [int(value) for value in values.tolist()]


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_constants_keep_the_type_they_meet(dtype: str) -> None:
    values = np.array([0.1, 1e-8, 3.0, 16777216.0], dtype)
    name = f"f{values.itemsize * 8}"
    found = run("0.1 * a + 1", name, a=values)
    scalar = values.dtype.type
    assert found.tolist() == [float(scalar(0.1) * value + scalar(1)) for value in values]


def test_f32_is_rounded_at_each_operation() -> None:
    a = np.array([16777216.0], "f4")
    assert run("(a + 1) - a", "f32", a=a).tolist() == [0.0]


@pytest.mark.parametrize("dtype", ["c8", "c16"])
@pytest.mark.parametrize("sign", ["*", "/"])
def test_complex_products_round_each_real_operation(dtype: str, sign: str) -> None:
    rng = np.random.default_rng(7)
    x, y = ((rng.standard_normal(999) + 1j * rng.standard_normal(999)).astype(dtype) for _ in range(2))
    found = run(f"x {sign} y", f"c{x.itemsize * 8}", x=x, y=y)
    for value, p, q in zip(found, x, y, strict=True):
        a, b, c, d = p.real, p.imag, q.real, q.imag
        if sign == "*":
            expected = a * c - b * d, a * d + b * c
        else:
            norm = c * c + d * d
            expected = (a * c + b * d) / norm, (b * c - a * d) / norm
        assert (value.real, value.imag) == expected


def test_numpys_own_division_of_floats_rounds_down() -> None:
    a, b = np.array([7.5, -7.5, 7.5, -7.5]), np.array([2.0, 2.0, -2.0, -2.0])
    assert run("a // b", "f64", a=a, b=b).tolist() == [math.floor(x / y) for x, y in zip(a, b, strict=True)]
    assert run("a % b", "f64", a=a, b=b).tolist() == [x % y for x, y in zip(a.tolist(), b.tolist(), strict=True)]


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("name", ["sqrt", "exp", "log", "sin", "cos", "tan"])
def test_functions_do_not_depend_on_how_their_arguments_lie(dtype: str, name: str) -> None:
    values = np.random.default_rng(3).uniform(0.1, 9, 2000).astype(dtype)
    apply = function(name, ElementType.F64, exact=False)
    expected = np.array([apply(value) for value in values])
    for step in (2, 3, 50, -1):
        spread = np.repeat(values, abs(step)) if step > 0 else values[::-1].copy()
        assert np.array_equal(apply(spread[::step]), expected)


def test_weak_integers_are_exact() -> None:
    assert operation("*", 2, None)(2**70, 3) == 3 * 2**70
    assert function("max", Weak.INTEGER, exact=True)(2**70, 1, 2**71) == 2**71
