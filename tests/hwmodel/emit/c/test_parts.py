"""C of compound tasks between parts of arrays, beside NumPy's slices."""

from __future__ import annotations

from c_programs import QUICK, run_c, same, whole
from hypothesis import given, settings
from spec_data import loaded
from strategies_parts import PartSpec, part_specs


@settings(max_examples=8)
@given(part_specs())
def test_parts_are_slices_in_c(drawn: PartSpec) -> None:
    spec, data = loaded(drawn.text), drawn.data()
    found = run_c(whole(spec, "top"), spec.components["top"], data, QUICK)
    expected = drawn.compute(data)
    assert all(same(found[name], expected[name]) for name in expected), drawn.text
