"""Parameters: copies and their names, values read off arguments, mistakes in copies, and what copies are."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from many_cases import case_count
from strategies_parameters import with_parameters
from strategies_transforms import LinkedSpec, linked_specs

from arrayol.checks.check import check_again, check_source
from arrayol.errors import ArrayolError, Severity
from arrayol.ir.spec import Spec
from arrayol.language.emitter import spec_text
from arrayol.language.loader import load_source
from arrayol.source import SourceFile


def _spec(text: str, **settings: str) -> Spec:
    checked = check_source(SourceFile("p.aol", text), settings)
    assert checked.ok, [found.message for found in checked.diagnostics]
    return checked.spec


@settings(max_examples=case_count(30))
@given(linked_specs(), st.data())
def test_a_parametrised_specification_expands_to_the_one_it_was(drawn: LinkedSpec, data: st.DataObject) -> None:
    original = _written_out(drawn.text)
    assert _written_out(with_parameters(lambda options: data.draw(st.sampled_from(options)), original)) == original


def _written_out(text: str) -> str:
    """The specification without parameters, copies under the names of their definitions."""
    loaded = load_source(SourceFile("p.aol", text))
    assert not any(found.severity is Severity.ERROR for found in loaded.diagnostics), loaded.diagnostics
    return re.sub(r"\w+", lambda word: loaded.spec.definition_of(word[0]), spec_text(loaded.spec))


def test_loading_again_gives_the_same_copies() -> None:
    spec = _spec(SCALE.format(uses="y = scale[N - 1, u8](x[1..N])\n z = scale(x)"))
    assert [*check_again(spec, {}).components] == [*spec.components]


SCALE = """
const N = 4
elementary scale[M, T](x: T[M]) -> (y: T[M]) {{
  y[k] = T(3) * x[k] + M  for k in 0..M
}}
task top(x: u8[N]) -> (y: u8[N - 1], z: u8[N]) {{
  {uses}
}}
"""


def test_a_distinct_use_is_a_copy() -> None:
    spec = _spec(SCALE.format(uses="y = scale[N - 1, u8](x[1..N])\n z = scale(x)"))
    assert [*spec.components] == ["scale_3_u8", "scale_4_u8", "top"]
    assert [str(copy) for copy in spec.copies.values()] == ["scale[3, u8]", "scale[4, u8]"]
    assert spec.tops == ("top",)


VALUES = """
elementary e[V](x: f64) -> (y: f64) {{
  y = x * V
}}
elementary {other}(x: f64) -> (y: f64) {{
  y = x
}}
task top(x: f64) -> (y: f64, z: f64) {{
  y = e[{value}](x)
  z = {other}(x)
}}
"""


@pytest.mark.parametrize(
    ("value", "other", "name"),
    [
        ("3", "f", "e_3"),
        ("-3", "f", "e_m3"),
        ("2 - 5", "f", "e_m3"),
        ("0.5", "f", "e_0_5"),
        ("1e-5", "f", "e_1em05"),
        ("3", "e_3", "e_3_2"),
        ("6 // 2 * 100000000000000000000", "f", "e_300000000000000000000"),
    ],
)
def test_names_of_copies(value: str, other: str, name: str) -> None:
    spec = _spec(VALUES.format(value=value, other=other))
    assert [*spec.copies] == [name]
    assert spec.copies[name].definition == "e"
    load_source(SourceFile("printed.aol", spec_text(spec)))


def test_values_of_other_kinds_are_other_copies() -> None:
    text = """
elementary e[V](x: f64) -> (y: f64) {
  y = x if V == 1 else 0
}
task top(x: f64) -> (y: f64, z: f64) {
  y = e[1](x)
  z = e[1.0](x)
}
"""
    assert [str(copy) for copy in _spec(text).copies.values()] == ["e[1]", "e[1.0]"]


def test_a_const_may_have_the_name_of_a_type() -> None:
    text = """
const i8 = 3
elementary take[K, T](x: T[4]) -> (y: T) {
  y = x[K]
}
task top(x: i8[4]) -> (y: i8) {
  y = take[i8, i8](x)
}
"""
    assert [str(copy) for copy in _spec(text).copies.values()] == ["take[3, i8]"]


def test_values_are_read_off_in_the_order_of_the_dataflow() -> None:
    text = """
const W: i8[3] = [1, 2, 3]
elementary twice[N, T](x: T[N]) -> (y: T[2 * N]) {
  y[k] = x[k // 2]  for k in 0..2 * N
}
task twelve[N](x: i8[N]) -> (y: i8[4 * N]) {
  y = twice(more)
  more = twice(x)
}
task top(x: i8[8, 2]) -> (y: i8[12], z: i8[16]) {
  y = twelve(W)
  z = twelve(x[0..8 : 2, 1])
}
"""
    shown = [str(copy) for copy in _spec(text).copies.values()]
    assert shown == ["twice[3, i8]", "twice[6, i8]", "twice[4, i8]", "twice[8, i8]", "twelve[3]", "twelve[4]"]


def test_settings_choose_the_copies() -> None:
    text = SCALE.format(uses="y = scale[N - 1, u8](x[1..N])\n z = scale(x)")
    spec = _spec(text, N="6")
    assert [*spec.copies] == ["scale_5_u8", "scale_6_u8"]
    assert [*check_again(_spec(text), {"N": 6}).copies] == ["scale_5_u8", "scale_6_u8"]
    same = check_again(_spec(text), {"N": 6}, same_names=True)
    assert {name: str(copy) for name, copy in same.copies.items()} == {
        "scale_3_u8": "scale[5, u8]",
        "scale_4_u8": "scale[6, u8]",
    }


def test_a_parameter_cannot_be_set() -> None:
    with pytest.raises(ArrayolError) as refused:
        _spec(SCALE.format(uses="y = scale[N - 1, u8](x[1..N])\n z = scale(x)"), M="3")
    (found,) = refused.value.diagnostics
    assert found.code == "unknown-setting"
    assert found.hint == "'M' is a parameter of 'scale': its values stand where 'scale' is used"


@pytest.mark.parametrize(
    ("unused", "code"),
    [
        ("elementary f[N](x: u8[N]) -> (y: u8) {{ y = x[0] + missing }}", "unknown-name"),
        ("elementary f[N](x: u8[M]) -> (y: u8) {{ y = x[0] }}", "unknown-name"),
        ("elementary f[N](x: u9x[N]) -> (y: u8) {{ y = x[0] }}", "unknown-type"),
        ("elementary f[N](x: u8[N]) -> (y: u8) {{ y = sqr(x[0]) }}", "unknown-function"),
        ("elementary f[N](x: u8[N]) -> (y: u8) {{ z = x[0] }}", "unknown-name"),
        ("elementary f[N](x: u8[N]) -> (top: u8) {{ top = x[0] }}", "name-reused"),
        ("elementary f[N, N](x: u8[N]) -> (y: u8) {{ y = x[0] }}", "defined-twice"),
        ("task f[N](x: u8[N]) -> (y: u8[N]) {{ repeat [N] of missing {{ a <- x }} }}", "unknown-name"),
        ("task f[N](x: u8[N]) -> (y: u8[N]) {{ repeat [N] of id {{ a <- z\n b -> y }} }}", "unknown-name"),
        ("task f[N](x: u8[N]) -> (y: u8[N]) {{ repeat [N] of id {{ c <- x\n b -> y }} }}", "unknown-name"),
        ("task f[N](x: u8[N]) -> (y: u8[N]) {{ repeat [N] of id {{ a <- x at missing\n b -> y }} }}", "unknown-name"),
        ("task f[N](x: u8[N]) -> (y: u8[N]) {{ y = id(z) }}", "unknown-name"),
        ("task f[N](x: u8[N]) -> (y: u8[N]) {{ y = missing(x) }}", "unknown-name"),
    ],
)
def test_names_of_what_is_never_used_are_checked(unused: str, code: str) -> None:
    text = "elementary id(a: u8) -> (b: u8) { b = a }\ntask top(x: u8) -> (y: u8) { y = id(x) }\n"
    found = check_source(SourceFile("p.aol", text + unused.replace("{{", "{").replace("}}", "}"))).diagnostics
    assert [diagnostic.code for diagnostic in found if diagnostic.code != "unused"] == [code]


def test_more_copies_than_may_be_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arrayol.language.parameters.expansion.MAXIMUM_COPIES", 20)
    lines = ["elementary t0[N](x: u8) -> (y: u8) { y = x + N % 7 }"]
    lines += [
        f"task t{level}[N](x: u8) -> (y: u8) {{ a = t{level - 1}[2 * N](x)\n y = t{level - 1}[2 * N + 1](a) }}"
        for level in range(1, 30)
    ]
    text = "\n".join([*lines, "task top(x: u8) -> (y: u8) { y = t29[1](x) }"])
    found = check_source(SourceFile("p.aol", text)).diagnostics
    assert [diagnostic.code for diagnostic in found] == ["too-many-copies"]
    assert found[0].message.startswith("more than 20 copies of definitions with parameters, in t26[")
