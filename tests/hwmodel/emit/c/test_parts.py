"""C of compound tasks between parts of arrays, beside NumPy's slices."""

from __future__ import annotations

import pytest
from c_programs import QUICK, run_c, same, whole
from hypothesis import given, settings
from many_cases import case_count
from spec_data import any_inputs, loaded
from strategies_parts import PartSpec, part_specs

from arrayol.execute.run import execute


@settings(max_examples=case_count(8))
@given(part_specs())
def test_parts_are_slices_in_c(drawn: PartSpec) -> None:
    spec, data = loaded(drawn.text), drawn.data()
    found = run_c(whole(spec, "top"), spec.components["top"], data, QUICK)
    expected = drawn.compute(data)
    assert all(same(found[name], expected[name]) for name in expected), drawn.text


HALVES = """\
elementary spread(w: u8[3]) -> (s: u8) { s = w[0] ^ w[1] + 2 * w[2] }
task widened(y: u8[4]) -> (z: u8[4]) {
  repeat [4] of spread { w <- y at origin [-1] paving [1] fitting [1] WAY  s -> z }
}
task halves(x: u8[8]) -> (z: u8[8]) {
  z[0..8 : 2] = widened(x[0..4])
  z[1..8 : 2] = widened(x[1..8 : 2])
}
task top(x: u8[6, 8]) -> (z: u8[6, 8]) { repeat [6] of halves { x <- x  z -> z } }
"""


@pytest.mark.parametrize("way", ["wrap", "else mirror", "else 7"])
def test_c_follows_wraps_and_borders_at_the_ends_of_parts(way: str) -> None:
    spec = loaded(HALVES.replace("WAY", way))
    inputs = any_inputs(spec, "top")
    found = run_c(whole(spec, "top"), spec.components["top"], inputs, QUICK)
    assert same(found["z"], execute(spec, "top", inputs)["z"])
