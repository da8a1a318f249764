"""Every operator, function, promotion and conversion on every type it takes, at edge values, against NumPy scalars.

All through real .aol text: for one left type, one specification computes all results at once.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from itertools import product
from typing import Any

import numpy as np
import pytest
from loading import spec_of
from numpy.typing import NDArray
from oracle import dtype_of

from arrayol.errors import ArrayolError
from arrayol.execute.run import execute
from arrayol.ir.types import NUMPY_TYPES, ElementType, Kind
from arrayol.operators.registry import FUNCTIONS

Array = NDArray[Any]
ALL = list(NUMPY_TYPES)
NUMBERS = [element for element in ALL if element is not ElementType.BOOL]
REALS = [element for element in NUMBERS if element.is_real]
INTEGERS = [element for element in ALL if element.is_integer]
FLOATS = [ElementType.F32, ElementType.F64]
COMPLEX = [ElementType.C64, ElementType.C128]


def edge_values(element: ElementType) -> Array:
    """Zeros of both signs, small numbers, the extremes, infinities and NaN, as far as the type has them."""
    dtype = dtype_of(element)
    if element.is_integer:
        low, high = element.integer_range
        return np.array(sorted({low, low + 1, max(low, -7), 0, 1, 2, 7, high - 1, high}), dtype)
    if element is ElementType.BOOL:
        return np.array([False, True])
    info = np.finfo(dtype)
    parts = [0.0, -0.0, 1.0, -2.5, 7.25, math.inf, -math.inf, math.nan]
    extremes = [float(info.max), float(info.min), float(info.smallest_subnormal)]
    if element in FLOATS:
        return np.array([*parts, *extremes], dtype)
    values = np.empty(len(parts) ** 2, dtype)
    values.real, values.imag = np.array(list(product(parts, parts))).T
    return values


def pairs(left: Array, right: Array) -> tuple[Array, Array]:
    first, second = np.meshgrid(left, right, indexing="ij")
    return first.ravel(), second.ravel()


def compute(results: Mapping[str, ElementType], inputs: Mapping[str, Array]) -> dict[str, Array]:
    """Each expression (with its type) at each element of the inputs, vectors of one length."""
    types = {dtype_of(element): element for element in NUMPY_TYPES}
    length = len(next(iter(inputs.values())))
    ports = ", ".join(f"{name}: {types[values.dtype]}" for name, values in inputs.items())
    arrays = ", ".join(f"in_{name}: {types[values.dtype]}[{length}]" for name, values in inputs.items())
    outs = ", ".join(f"r{n}: {kind}" for n, kind in enumerate(results.values()))
    out_arrays = ", ".join(f"out{n}: {kind}[{length}]" for n, kind in enumerate(results.values()))
    links = [f"{name} <- in_{name} at origin [0] paving [1] fitting []" for name in inputs]
    links += [f"r{n} -> out{n} at origin [0] paving [1] fitting []" for n in range(len(results))]
    body = "\n".join(f"r{n} = {expression}" for n, expression in enumerate(results))
    spec = spec_of(
        f"elementary e({ports}) -> ({outs}) {{\n{body}\n}}\n"
        f"task t({arrays}) -> ({out_arrays}) {{ repeat [{length}] of e {{\n" + "\n".join(links) + "\n} }"
    )
    found = execute(spec, "t", {f"in_{name}": values for name, values in inputs.items()})
    return {expression: found[f"out{n}"] for n, expression in enumerate(results)}


def assert_same(found: Array, expected: Array, label: str) -> None:
    """Equal to the bit, but for what a NaN carries."""
    assert found.dtype == expected.dtype, label
    for part in ("real", "imag") if found.dtype.kind == "c" else ("real",):
        own, other = getattr(found, part), getattr(expected, part)
        np.testing.assert_array_equal(own, other, err_msg=label)
        if own.dtype.kind == "f":
            known = ~np.isnan(other)
            np.testing.assert_array_equal(np.signbit(own[known]), np.signbit(other[known]), err_msg=label)


def each(function: Callable[..., Any], dtype: np.dtype[Any], *arguments: Array) -> Array:
    """A function of NumPy scalars, one element after the other."""
    with np.errstate(all="ignore"):
        return np.array([function(*values) for values in zip(*arguments, strict=True)], dtype)


def promoted(left: ElementType, right: ElementType) -> ElementType | None:
    """NumPy's common type, where it is one of an integer with an integer; u64 has none with a signed one."""
    if left.is_integer and right.is_integer and {left.kind, right.kind} == {Kind.SIGNED, Kind.UNSIGNED}:
        unsigned = left if left.kind is Kind.UNSIGNED else right
        if unsigned.bits == 64:
            return None
    dtype = np.promote_types(dtype_of(left), dtype_of(right))
    return next(element for element in NUMPY_TYPES if dtype_of(element) == dtype)


@pytest.mark.parametrize("left", NUMBERS)
@pytest.mark.parametrize("sign", ["+", "-", "=="])
def test_all_pairs_of_types_promote_as_numpys_do(left: ElementType, sign: str) -> None:
    rights = [right for right in NUMBERS if promoted(left, right)]
    apply = {"+": operator.add, "-": operator.sub, "==": operator.eq}[sign]
    rng = np.random.default_rng(4)
    inputs = {"a": rng.choice(edge_values(left), 40)} | {
        str(right) + "x": rng.choice(edge_values(right), 40) for right in rights
    }
    common = {right: promoted(left, right) or left for right in rights}
    results = {f"a {sign} {right}x": ElementType.BOOL if sign == "==" else common[right] for right in rights}
    found = compute(results, inputs)
    for right, (expression, kind) in zip(rights, results.items(), strict=True):
        together = dtype_of(common[right])
        with np.errstate(all="ignore"):
            sides = inputs["a"].astype(together), inputs[f"{right}x"].astype(together)
        assert_same(found[expression], each(apply, dtype_of(kind), *sides), f"{left} {sign} {right}")


@pytest.mark.parametrize("signed", [element for element in INTEGERS if element.kind is Kind.SIGNED])
def test_u64_has_no_type_in_common_with_a_signed_one(signed: ElementType) -> None:
    for first, second in ((signed, ElementType.U64), (ElementType.U64, signed)):
        with pytest.raises(ArrayolError, match=r"error\[no-common-type\]"):
            compute({"a + b": ElementType.I64}, {"a": edge_values(first)[:3], "b": edge_values(second)[:3]})


@pytest.mark.parametrize("element", FLOATS)
def test_floats_are_numpys_scalars(element: ElementType) -> None:
    a, b = pairs(edge_values(element), edge_values(element))
    operators = {
        "+": operator.add,
        "-": operator.sub,
        "*": operator.mul,
        "/": operator.truediv,
        "//": operator.floordiv,
        "%": operator.mod,
    }
    found = compute({f"a {sign} b": element for sign in operators}, {"a": a, "b": b})
    for sign, apply in operators.items():
        assert_same(found[f"a {sign} b"], each(apply, a.dtype, a, b), sign)


def test_floor_and_rest_of_floats_are_pythons_where_python_has_them() -> None:
    a, b = pairs(edge_values(ElementType.F64), edge_values(ElementType.F64))
    a, b = a[b != 0], b[b != 0]
    found = compute({"a // b": ElementType.F64, "a % b": ElementType.F64}, {"a": a, "b": b})
    for sign, apply in (("//", operator.floordiv), ("%", operator.mod)):
        expected = [apply(x, y) for x, y in zip(a.tolist(), b.tolist(), strict=True)]
        assert_same(found[f"a {sign} b"], np.array(expected), sign)


@pytest.mark.parametrize("element", REALS)
def test_comparisons(element: ElementType) -> None:
    a, b = pairs(edge_values(element), edge_values(element))
    signs = {"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
    found = compute({f"a {sign} b": ElementType.BOOL for sign in signs}, {"a": a, "b": b})
    for sign, name in signs.items():
        expected = [getattr(operator, name)(x, y) for x, y in zip(a.tolist(), b.tolist(), strict=True)]
        assert found[f"a {sign} b"].tolist() == expected, sign


@pytest.mark.parametrize("element", REALS)
def test_least_and_greatest_take_nan_and_the_first_of_equals_as_numpy(element: ElementType) -> None:
    a, b = pairs(edge_values(element), edge_values(element))
    found = compute({"min(a, b)": element, "max(a, b)": element, "max(a, b, a)": element}, {"a": a, "b": b})
    assert_same(found["min(a, b)"], each(np.minimum, a.dtype, a, b), "min")
    assert_same(found["max(a, b)"], each(np.maximum, a.dtype, a, b), "max")
    assert_same(found["max(a, b, a)"], each(lambda x, y: np.maximum(np.maximum(x, y), x), a.dtype, a, b), "max of 3")
    if element in FLOATS:
        assert np.isnan(found["min(a, b)"][np.isnan(a) | np.isnan(b)]).all()


@pytest.mark.parametrize("element", INTEGERS)
def test_signs_and_bits_of_integers_wrap(element: ElementType) -> None:
    a = edge_values(element)
    low, high = element.integer_range
    found = compute({"-a": element, "~a": element, "abs(a)": element}, {"a": a})
    for expression, exact in (("-a", operator.neg), ("~a", operator.invert), ("abs(a)", abs)):
        expected = [(exact(value) - low) % (high - low + 1) + low for value in a.tolist()]
        assert found[expression].tolist() == expected, expression
    if element.kind is Kind.SIGNED:
        assert found["abs(a)"][0] == found["-a"][0] == low


def _magnitude(value: np.complexfloating) -> np.floating:
    """The magnitude of a complex number, each operation rounded."""
    return np.sqrt(value.real * value.real + value.imag * value.imag)


@pytest.mark.parametrize("element", [*FLOATS, *COMPLEX])
def test_signs_and_magnitudes(element: ElementType) -> None:
    a = edge_values(element)
    real = ElementType(f"f{a.real.itemsize * 8}")
    found = compute({"-a": element, "abs(a)": real}, {"a": a})
    assert_same(found["-a"], each(operator.neg, a.dtype, a), "-")
    magnitude = np.abs if element in FLOATS else _magnitude
    assert_same(found["abs(a)"], each(magnitude, a.real.dtype, a), "abs")


@pytest.mark.parametrize("dtype", ["c8", "c16"])
def test_magnitudes_do_not_depend_on_how_numbers_lie(dtype: str) -> None:
    """NumPy's own do: its vector loop runs in one direction only."""
    rng = np.random.default_rng(5)
    a = (rng.standard_normal(999) + 1j * rng.standard_normal(999)).astype(dtype)
    kind = ElementType(f"c{8 * a.itemsize}")
    text = f"""elementary e(x: {kind}) -> (y: f{kind.bits // 2}) {{ y = abs(x) }}
task t(a: {kind}[999]) -> (b: f{kind.bits // 2}[999]) {{
  repeat [999] of e {{
    x <- a at origin [998] paving [-1] fitting []
    y -> b at origin [998] paving [-1] fitting []
  }}
}}"""
    forward = compute({"abs(a)": ElementType(f"f{kind.bits // 2}")}, {"a": a})["abs(a)"]
    assert_same(execute(spec_of(text), "t", {"a": a})["b"], forward, "backward")
    assert_same(forward, each(_magnitude, forward.dtype, a), "magnitude")


@pytest.mark.parametrize("element", COMPLEX)
@pytest.mark.parametrize("sign", ["+", "-", "*", "/", "==", "!="])
def test_complex_numbers_by_their_parts(element: ElementType, sign: str) -> None:
    x, y = pairs(edge_values(element), edge_values(element))
    a, b, c, d = x.real, x.imag, y.real, y.imag
    kind = ElementType.BOOL if sign in ("==", "!=") else element
    found = compute({f"x {sign} y": kind}, {"x": x, "y": y})[f"x {sign} y"]
    with np.errstate(all="ignore"):
        norm = c * c + d * d
        parts = {
            "+": lambda: (a + c, b + d),
            "-": lambda: (a - c, b - d),
            "*": lambda: (a * c - b * d, a * d + b * c),
            "/": lambda: ((a * c + b * d) / norm, (b * c - a * d) / norm),
            "==": lambda: ((a == c) & (b == d), np.zeros_like(a)),
            "!=": lambda: ((a != c) | (b != d), np.zeros_like(a)),
        }[sign]()
    expected = np.empty(len(x), dtype_of(kind))
    if kind is ElementType.BOOL:
        expected[:] = parts[0]
    else:
        expected.real, expected.imag = parts
    assert_same(found, expected, sign)


def test_truth_values() -> None:
    a, b = pairs(edge_values(ElementType.BOOL), edge_values(ElementType.BOOL))
    python = {
        "a and b": lambda x, y: x and y,
        "a or b": lambda x, y: x or y,
        "a & b": operator.and_,
        "a | b": operator.or_,
        "a ^ b": operator.xor,
        "a == b": operator.eq,
        "a != b": operator.ne,
        "not a": lambda x, _: not x,
        "~a": lambda x, _: not x,
        "a if b else not a": lambda x, y: x if y else not x,
    }
    found = compute(dict.fromkeys(python, ElementType.BOOL), {"a": a, "b": b})
    for expression, apply in python.items():
        expected = [apply(x, y) for x, y in zip(a.tolist(), b.tolist(), strict=True)]
        assert found[expression].tolist() == expected, expression


@pytest.mark.parametrize("source", ALL)
def test_conversions_to_bool_floats_and_complex(source: ElementType) -> None:
    a = edge_values(source)
    targets = COMPLEX if source in COMPLEX else [ElementType.BOOL, *FLOATS, *COMPLEX]
    found = compute({f"{target}(a)": target for target in targets}, {"a": a})
    for target in targets:
        dtype = dtype_of(target)
        to_bool = target is ElementType.BOOL
        expected = each((lambda value: value != 0) if to_bool else (lambda value, to=dtype: value.astype(to)), dtype, a)
        assert_same(found[f"{target}(a)"], expected, f"{source} to {target}")


def test_conversions_of_truth_values_to_integers() -> None:
    a = edge_values(ElementType.BOOL)
    found = compute({f"{target}(a)": target for target in INTEGERS}, {"a": a})
    assert all(values.tolist() == [0, 1] for values in found.values())


@pytest.mark.parametrize("source", REALS)
def test_functions_give_floats_of_integers_f64(source: ElementType) -> None:
    a = edge_values(source)
    names = ("sqrt", "exp", "log", "floor", "ceil", "sin", "cos", "tan")
    kind = ElementType.F32 if source is ElementType.F32 else ElementType.F64
    found = compute({f"{name}(a)": kind for name in names}, {"a": a})
    for name in names:
        defined = kind is ElementType.F32 and FUNCTIONS[name].single is not None
        apply = FUNCTIONS[name].arrays(np) if defined else getattr(np, name)
        assert_same(found[f"{name}(a)"], each(apply, dtype_of(kind), a.astype(dtype_of(kind))), name)


@pytest.mark.parametrize("element", REALS)
def test_constants_take_the_type_they_meet(element: ElementType) -> None:
    a = edge_values(element)
    weak = element if element in FLOATS else ElementType.F64
    found = compute({"a + 3": element, "7 * a": element, "a * 0.1": weak, "max(a, 5)": element}, {"a": a})
    scalar, float_scalar = a.dtype.type, dtype_of(weak).type
    with np.errstate(all="ignore"):
        assert_same(found["a + 3"], a + scalar(3), "+")
        assert_same(found["7 * a"], scalar(7) * a, "*")
        assert_same(found["a * 0.1"], a.astype(weak_dtype := dtype_of(weak)) * float_scalar(0.1), str(weak_dtype))
        assert_same(found["max(a, 5)"], np.maximum(a, scalar(5)), "max")
