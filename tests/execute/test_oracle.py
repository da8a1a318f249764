"""The reference execution against the interpreter of oracle.py, on generated specifications, bit for bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from generated import Generated, GeneratedPort, specs
from hypothesis import HealthCheck, event, given, note, settings
from hypothesis import strategies as st
from loading import unchecked_spec_of
from numpy.typing import NDArray
from oracle import Refused, dtype_of, interpret

from arrayol.errors import ArrayolError
from arrayol.execute import bodies, expressions, independence, run, tilings
from arrayol.execute.run import execute
from arrayol.ir.model import Spec
from arrayol.ir.types import ElementType


def data_for(port: GeneratedPort, seed: int) -> NDArray[Any]:
    """Small numbers for the most part, and with them the extremes of the type."""
    rng = np.random.default_rng([seed, *port.name.encode()])
    dtype = dtype_of(ElementType(port.type))
    if dtype.kind == "b":
        return rng.integers(0, 2, port.shape).astype(bool)
    if dtype.kind in "iu":
        extremes = np.iinfo(dtype).min, np.iinfo(dtype).max
        small = rng.integers(0, 20, port.shape).astype(dtype) - dtype.type(0 if dtype.kind == "u" else 8)
        return np.where(rng.random(port.shape) < 0.1, rng.choice(np.array(extremes, dtype), port.shape), small)
    values = rng.standard_normal(port.shape) * 10
    special = rng.choice([0.0, -0.0, np.inf, np.nan, 1e30], port.shape)
    values = np.where(rng.random(port.shape) < 0.1, special, values)
    if dtype.kind == "c":
        return (values + 1j * rng.standard_normal(port.shape)).astype(dtype)
    return values.astype(dtype)


def same(left: NDArray[Any], right: NDArray[Any]) -> bool:
    """Equal bits, but for the payload and sign of NaN, which no one promises."""
    if left.dtype != right.dtype or left.shape != right.shape:
        return False
    parts = [(left.real, right.real), (left.imag, right.imag)] if left.dtype.kind == "c" else [(left, right)]
    return all(
        np.array_equal(a, b, equal_nan=a.dtype.kind == "f") and np.array_equal(_signs(a), _signs(b)) for a, b in parts
    )


def _signs(values: NDArray[Any]) -> NDArray[Any]:
    return np.signbit(np.where(np.isnan(values), 0, values)) if values.dtype.kind == "f" else np.zeros(0)


CODES = (
    r"error\[(division-by-zero|shift-out-of-range|subscript-out-of-range|conversion-out-of-range"
    r"|constant-does-not-fit|read-before-write|output-not-written)\]"
)

# Sizes at which the execution takes another way; the result must be the same on all of them.
WAYS: list[dict[tuple[Any, str], int]] = [
    {},
    {(run, "_LANES"): 1},
    {(run, "_LANES"): 3, (tilings, "_UNROLLED"): 0},
    {(tilings, "_CACHE_LINE"): 0, (tilings, "_SHORT"): 1},
    {(bodies, "_UNROLLED"): 0, (expressions, "_NESTED"): 1, (independence, "_EXACT_LIMIT"): 0},
]


@settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(generated=specs(), seed=st.integers(0, 1000), way=st.sampled_from(WAYS))
def test_execution_is_what_the_interpreter_says(generated: Generated, seed: int, way: Any) -> None:
    note(generated.text)
    spec = unchecked_spec_of(generated.text)
    inputs = {port.name: data_for(port, seed) for port in generated.inputs}
    with pytest.MonkeyPatch.context() as patch:
        for (module, name), size in way.items():
            patch.setattr(module, name, size)
        compare(spec, generated.task, inputs)


def compare(spec: Spec, task: str, inputs: dict[str, NDArray[Any]]) -> None:
    try:
        expected = interpret(spec, task, inputs)
    except Refused as refused:
        event("execution error")
        with pytest.raises(ArrayolError, match=CODES):
            execute(spec, task, inputs)
        note(f"refused: {refused}")
        return
    found = execute(spec, task, inputs)
    assert found.keys() == expected.keys()
    for name, values in found.items():
        assert same(values, expected[name]), f"{name}\n{values}\n{expected[name]}"
