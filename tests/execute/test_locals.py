"""Locals of bodies: a new one for each iteration around, and the array over those iterations that one stands for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from generated import Generated, finite_specs
from hypothesis import HealthCheck, assume, event, given, note, settings
from hypothesis import strategies as st
from loading import spec_of, unchecked_spec_of
from many_cases import case_count
from test_oracle import data_for, same

from arrayol.errors import ArrayolError
from arrayol.execute import compile_body
from arrayol.execute.run import execute
from arrayol.ir.spec import Elementary, Port, Spec


def as_ports(elementary: Elementary) -> Elementary:
    """The same body with each local as an output over the loops around it."""
    arrays = [
        Port(local.name, local.type, (*(outer.high for outer in local.around), *local.shape), local.span)
        for local in elementary.locals
    ]
    assert all(outer.low >= 0 for local in elementary.locals for outer in local.around)
    return replace(elementary, outputs=(*elementary.outputs, *arrays), locals=())


@settings(
    max_examples=case_count(100),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
@given(finite_specs(), st.integers(0, 1000), st.sampled_from((0, 128)))
def test_a_local_is_the_port_it_replaces_expanded_by_its_loops(generated: Generated, seed: int, copies: int) -> None:
    spec = unchecked_spec_of(generated.text)
    body = spec.components["e"]
    assert isinstance(body, Elementary)
    assume(body.locals)
    note(generated.text)
    event(f"loops around: {max(len(local.around) for local in body.locals)}")
    inputs = {port.name: data_for(port, seed) for port in body.inputs}  # type: ignore[arg-type]
    expanded = as_ports(body)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compile_body, "_UNROLLED", copies)
        try:
            results = execute(replace(spec, components={**spec.components, "e": expanded}), "e", inputs)
        except ArrayolError as failure:
            assume(failure.diagnostics[0].code != "output-not-written")  # a local need not be written
            with pytest.raises(ArrayolError, match=failure.diagnostics[0].code):
                execute(spec, "e", inputs)
            return
        assert all(same(results[name], array) for name, array in execute(spec, "e", inputs).items())


def run(text: str, **inputs: Any) -> Any:
    """The output `y` of elementary `e`."""
    return execute(spec_of(text), "e", {name: np.asarray(value) for name, value in inputs.items()})["y"]


def test_a_sum_begins_at_zero_in_each_iteration() -> None:
    text = """
    elementary e(x: i32[3, 4]) -> (y: i32[3]) {
      loop i in 0..3 { s: i32  s += x[i, k] for k in 0..4  y[i] = s }
    }"""
    x = np.arange(12, dtype="i4").reshape(3, 4)
    assert run(text, x=x).tolist() == x.sum(axis=1).tolist()
    with pytest.MonkeyPatch.context() as patch:  # loops that are run through, one iteration after the other
        patch.setattr(compile_body.Freedom, "is_free", lambda *_: False)
        patch.setattr(compile_body, "_UNROLLED", 0)
        patch.setattr(np, "empty", lambda shape, dtype: np.full(shape, 77, dtype))
        assert run(text, x=x).tolist() == x.sum(axis=1).tolist()


def test_ranges_that_do_not_begin_at_zero_and_depend_on_others() -> None:
    text = """
    elementary e(x: i32[8]) -> (y: i32[8]) {
      y[k] = 0 for k in 0..8
      loop i in -3..3, j in i + 3..6 { t: i32[2]  t[0] = x[j]  t[1] = t[0] * i  y[j] = y[j] + t[1] }
    }"""
    x = np.arange(8, dtype="i4")
    expected = np.zeros(8, "i4")
    for i in range(-3, 3):
        for j in range(i + 3, 6):
            expected[j] += x[j] * i
    assert run(text, x=x).tolist() == expected.tolist()


def test_two_loops_side_by_side_may_use_one_name() -> None:
    text = """
    elementary e(x: i32[4]) -> (y: i32[4]) {
      loop i in 0..2 { t: i32 = x[i]      y[i] = 2 * t }
      loop i in 2..4 { t: f64 = f64(x[i]) y[i] = i32(t / 2) }
    }"""
    assert run(text, x=np.array([1, 2, 6, 8], "i4")).tolist() == [2, 4, 3, 4]


def test_what_data_decide_is_told_where_it_is_missing() -> None:
    text = """
    elementary e(x: i32[4]) -> (y: i32[4]) {
      loop i in 0..1 { t: i32 = x[i]  y[i] = t }
      loop i in 0..4 { t: i32  t = x[i] where x[i] > 0  y[i] = t }
    }"""
    assert run(text, x=np.array([1, 2, 3, 4], "i4")).tolist() == [1, 2, 3, 4]
    for copies in (0, 128):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(compile_body, "_UNROLLED", copies)
            with pytest.raises(ArrayolError, match="an element of 't' is read here that has not been written yet"):
                run(text, x=np.array([1, 2, 0, 4], "i4"))


def test_a_local_takes_no_part_in_the_outputs() -> None:
    spec: Spec = spec_of("elementary e(x: u8) -> (y: u8) { t: u8[3]  t[1] = x  y = t[1] }")
    elementary = spec.components["e"]
    assert isinstance(elementary, Elementary)
    assert [(local.name, local.shape, local.bits) for local in elementary.locals] == [("t", (3,), 24)]
    assert list(execute(spec, "e", {"x": np.array(5, "u1")})) == ["y"]
