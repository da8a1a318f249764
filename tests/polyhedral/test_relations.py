"""Which inputs an output is computed from: against executions where one input element is changed at a time."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from equivalence import Difference, Verdict, compare, input_output
from hypothesis import HealthCheck, assume, given, settings
from many_cases import case_count
from spec_data import any_inputs, loaded
from strategies_transforms import LinkedSpec, linked_specs

from arrayol.checks.check import load_checked
from arrayol.execute.run import execute
from arrayol.files import shipped_folder
from arrayol.ir.spec import Spec
from arrayol.polyhedral.isl import coordinates

Pairs = set[tuple[str, tuple[int, ...], str, tuple[int, ...]]]


def told(spec: Spec, top: str) -> Pairs:
    """The pairs of elements that isl's relations hold."""
    found: Pairs = set()
    for (output, source), relation in input_output(spec, top).items():
        ports = {port.name: port for port in (*spec.components[top].inputs, *spec.components[top].outputs)}
        rank = len(ports[output].shape)
        points: list[tuple[int, ...]] = []
        relation.wrap().flatten().foreach_point(lambda point, points=points: points.append(coordinates(point)))
        found |= {(output, point[:rank], source, point[rank:]) for point in points}
    return found


def seen(spec: Spec, top: str) -> Pairs:
    """The pairs of elements where another value of the one changes the other."""
    inputs = any_inputs(spec, top)
    expected = execute(spec, top, inputs)
    found: Pairs = set()
    for name, array in inputs.items():
        for place in product(*map(range, array.shape)):
            other = array.copy()
            other[place] = array[place] * 3 + 7
            changed = execute(spec, top, {**inputs, name: other})
            for output, values in changed.items():
                for element in np.argwhere(np.asarray(values != expected[output])):
                    found.add((output, tuple(map(int, element)), name, place))
    return found


@settings(
    max_examples=case_count(15),
    deadline=None,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
)
@given(linked_specs())
def test_relation_is_what_executions_show(generated: LinkedSpec) -> None:
    """Weights are positive and sums of i64 lose nothing, so a dependence shows as a change."""
    assume("infinite dimension" not in generated.features)
    spec = loaded(generated.text.replace("f32", "i64").replace("f64", "i64").replace("u8", "i64"))
    inputs = any_inputs(spec, "top")
    assume(sum(array.size for array in inputs.values()) <= 40)
    from_outside = {pair for pair in told(spec, "top") if pair[2] not in spec.tables}  # no execution changes the others
    assert from_outside == seen(spec, "top")


BODY = """
elementary e(a: i64[4], w: i64) -> (y: i64[4], z: i64) {{
  y[0] = a[0]
  {statement}
  z = y[3] + w
}}
"""


@pytest.mark.parametrize(
    "statement",
    [
        "y[k] = 2 * y[k - 1] + a[k]  for k in 1..4",
        "y[k] = a[3 - k]  for k in 1..4",
        "y[k] = a[0]  for k in 1..4\n y[k] = y[k] + a[k]  for k in 2..4",
        "y[k] = 1  for k in 1..4\n y[k] += a[k] + w  for k in 0..4, l in 0..2",
        "loop k in 1..4 { y[k] = a[k]\n y[k - 1] += y[k] }",
        "y[k] = 5  for k in 1..4\n y[k] = a[k]  for k in 0..4 where k % 2 == 0",
        "y[k] = a[k] if k > 2 else a[k - 1]  for k in 1..4",
    ],
)
def test_bodies_are_followed_to_the_last_write(statement: str) -> None:
    spec = loaded(BODY.format(statement=statement), "e.aol")
    assert told(spec, "e") == seen(spec, "e")


def test_what_data_decide_counts_as_reading_everything() -> None:
    text = "elementary e(a: i64[3], w: i64[2]) -> (y: i64) { y = a[w[0] % 3] }"
    assert len(told(loaded(text), "e")) == 5


@pytest.mark.parametrize("name", ["lpsf", "downscaler", "harris", "stencil2d", "radar"])
def test_shipped_specs_are_decided_at_full_size(name: str) -> None:
    spec = load_checked(shipped_folder() / f"{name}.aol")
    assert compare(spec, spec, spec.tops[0]) is Verdict.EQUAL


STREAM = """
elementary e(a: f32[{size}], p: f32) -> (y: f32, s: f32) {{ s = p + a[0]
  y = s + a[{size} - 1] }}
task t(x: f32[*, 6]) -> (z: f32[*, 6]) {{
  repeat [*, 6] of e {{
    a <- x at origin [0, 0] paving [1, 0; 0, 1] fitting [0; 1]{wrap}
    p <- s delay [{delay}] else 0
    y -> z at origin [0, 0] paving [1, 0; 0, 1] fitting []
  }}
}}
"""


def test_a_difference_is_a_point() -> None:
    one = loaded(STREAM.format(size=1, wrap="", delay="1, 0"))
    assert compare(one, one, "t") is Verdict.EQUAL
    other = loaded(STREAM.format(size=2, wrap=" wrap", delay="1, 0"))
    found = compare(one, other, "t")
    assert isinstance(found, Difference)
    assert not found.only_before
    assert found.read == (found.element[0], (found.element[1] + 1) % 6)
    assert str(compare(other, one, "t")) == str(found).replace("after only", "before only")
    late = compare(one, loaded(STREAM.format(size=1, wrap="", delay="2, 0")), "t")
    assert isinstance(late, Difference)
    assert late.only_before
    assert late.read[0] == late.element[0] - 1
