"""Elementaries on their linear banks compute what the originals compute, bit for bit, remainders included."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from loading import spec_of
from many_cases import case_count
from shipped import SMALL, agrees
from strategies_nests import Updates, updates

from arrayol import api
from arrayol.checks.check import check_source, load_checked
from arrayol.errors import ArrayolError
from arrayol.files import shipped_folder
from arrayol.ir.spec import Spec
from arrayol.language.emitter import spec_text
from arrayol.source import SourceFile
from arrayol.transforms.unroll_legality import loop_depth
from hwmodel.banks.emit_linear import rewritten_linear
from hwmodel.banks.nest import unrolled_nest


def on_banks(spec: Spec, name: str, factors: tuple[int, ...], *, merge_equal: bool = True) -> tuple[Spec, str]:
    """The rewritten specification, loaded from its text, and the text."""
    comparison = api.layout(spec, name, factors, api.Choices(4, merge_equal=merge_equal))
    text = spec_text(rewritten_linear(spec, name, factors, comparison.linear))
    checked = check_source(SourceFile("laid_out.aol", text))
    assert not checked.diagnostics, text
    return checked.spec, text


KERNELS = {
    "fir": ({"TAPS": 5, "S": 11, "N": 11}, [(1, 1), (3, 4)]),
    "pattern": ({"LENGTH": 5, "S": 10, "N": 10}, [(4, 2)]),
    "jacobi": ({"S": 7, "H": 7, "W": 7}, [(2, 2), (3, 5)]),
    "sobel": ({"S": 5, "H": 5, "W": 5}, [(2, 2), (1, 5)]),
    "matmul": ({"S": 5, "K": 7, "M": 5, "N": 5}, [(2, 2, 2), (1, 3, 4)]),
}
CASES = [(name, factors) for name, (_, every) in KERNELS.items() for factors in every]


@pytest.mark.parametrize(("name", "factors"), CASES)
def test_kernels(name: str, factors: tuple[int, ...]) -> None:
    spec = load_checked(shipped_folder() / f"{name}.aol", KERNELS[name][0])
    agrees(spec, name, on_banks(spec, name, factors)[0])


@pytest.mark.parametrize(("file", "name"), [("camera", "gamma"), ("conv3x3", "convolve"), ("dct", "rows")])
def test_shipped_bodies(file: str, name: str) -> None:
    spec = load_checked(shipped_folder() / f"{file}.aol", SMALL[file])
    if name not in spec.elementaries:
        name = next(one.name for one in spec.elementaries.values() if one.body is not None and loop_depth(one))
    depth = loop_depth(spec.elementaries[name])
    agrees(spec, name, on_banks(spec, name, (1,) * depth)[0])


@settings(max_examples=case_count(30), deadline=None)
@given(updates())
def test_generated_nests(case: Updates) -> None:
    spec = spec_of(case.text)
    factors = case.factors[: loop_depth(spec.elementaries["e"])]
    try:
        unrolled_nest(spec, "e", factors)
    except ArrayolError:
        return  # test_unroll.py tells when
    comparison = api.layout(spec, "e", factors, api.Choices(4))
    if any(linear.banks is None for linear in comparison.linear.values()):
        with pytest.raises(ArrayolError, match="no-linear-banks"):
            on_banks(spec, "e", factors)
    else:
        agrees(spec, "e", on_banks(spec, "e", factors)[0])


def test_subscripts_of_data_do_not_wrap() -> None:
    """They are i64 in the formulas of banks and words."""
    body = "b[i] = a[u16(n[i])] + a[u16(n[i]) + 1]  for i in 0..6"
    spec = spec_of(f"elementary e(n: u8[6], a: i32[300]) -> (b: i32[6]) {{ {body} }}")
    found, emitted = on_banks(spec, "e", (1,))
    assert "i64(" in emitted
    agrees(spec, "e", found)


def test_the_text() -> None:
    spec = spec_of(
        "elementary e(a: i32[9, 4]) -> (b: i32[8, 4]) { b[i, j] = a[i, j] + a[i + 1, j] for i in 0..8, j in 0..4 }"
    )
    _, text = on_banks(spec, "e", (2, 1))
    assert text.startswith(
        "elementary e_split(a: i32[9, 4]) -> (a_banks: i32[3, 12]) {\n"
        "  a_banks[v0 % 3, v1 + 4 * (v0 // 3)] = a[v0, v1]  for v0 in 0..9, v1 in 0..4\n"
        "}\n"
    )


def test_what_has_no_linear_banks_is_refused() -> None:
    spec = spec_of("elementary e(a: f32[9]) -> (b: f32[8]) { b[i] = a[i] * a[i] + a[i + 1] for i in 0..8 }")
    with pytest.raises(ArrayolError) as caught:
        on_banks(spec, "e", (2,), merge_equal=False)
    assert [found.code for found in caught.value.diagnostics] == ["no-linear-banks"]
