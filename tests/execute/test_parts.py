"""Parts of arrays: execution, text and network against NumPy's slices."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from many_cases import case_count
from strategies_parts import PartSpec, part_specs

from arrayol.checks.check import check_source
from arrayol.execute.run import execute
from arrayol.ir.spec import Spec
from arrayol.language.emitter import spec_text
from arrayol.source import SourceFile


def checked(text: str) -> Spec:
    """The specification of a text without a mistake."""
    found = check_source(SourceFile("parts.aol", text))
    assert found.ok, [str(diagnostic) for diagnostic in found.diagnostics]
    return found.spec


@settings(max_examples=case_count(60))
@given(part_specs())
def test_parts_are_slices(drawn: PartSpec) -> None:
    spec, data = checked(drawn.text), drawn.data()
    outputs, expected = execute(spec, "top", data), drawn.compute(data)
    assert outputs.keys() == expected.keys()
    assert all(np.array_equal(outputs[name], expected[name]) for name in expected), drawn.text


@settings(max_examples=case_count(30))
@given(part_specs())
def test_the_text_says_the_same_parts(drawn: PartSpec) -> None:
    spec = checked(drawn.text)
    text = spec_text(spec)
    again = checked(text)
    assert again.components == spec.components
    assert spec_text(again) == text
