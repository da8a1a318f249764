"""Resolved specifications as text: read again they are the same, and nothing stands there that need not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from generated import Generated, specs
from hypothesis import event, given, settings
from hypothesis import strategies as st
from many_cases import case_count
from strategies import SmallSpec, body_texts, small_specs

from arrayol.checks.check import check, check_source
from arrayol.ir.spec import Elementary, Spec
from arrayol.language.emitter import component_text, spec_text
from arrayol.language.loader import load_source
from arrayol.language.syntax.parser import parse
from arrayol.language.syntax.printer import print_file
from arrayol.source import SourceFile

ROOT = Path(__file__).parents[2]
SPECS = sorted((ROOT / "specs").glob("*.aol"))
LPSF = ROOT / "specs" / "lpsf.aol"


def round_trip(spec: Spec) -> str:
    """The text of a specification, checked for everything that it promises."""
    text = spec_text(spec)
    source = SourceFile(str(Path(spec.name).with_name("printed.aol")), text)  # files of const arrays lie there
    loaded = load_source(source)
    assert loaded.spec.components == spec.components
    assert list(loaded.spec.components) == list(spec.components)
    assert not loaded.spec.constants
    assert spec_text(loaded.spec) == text
    assert print_file(parse(source)) == text
    return text


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.stem)
def test_shipped_specs(path: Path) -> None:
    checked = check(path)
    text = round_trip(checked.spec)
    again = check_source(SourceFile(str(path.with_name("printed.aol")), text))
    assert [found.code for found in again.diagnostics] == [found.code for found in checked.diagnostics]


def test_lpsf_reads_as_it_was_written(golden: Callable[[Path, str], None]) -> None:
    spec = check(LPSF, {"W": 16, "H": 12, "A": 0.25}).spec
    golden(ROOT / "tests" / "golden" / "lpsf-small-printed.aol", round_trip(spec))


@settings(max_examples=case_count(100), deadline=None)
@given(small_specs())
def test_tilers_and_delays(small: SmallSpec) -> None:
    round_trip(load_source(SourceFile("small.aol", small.text)).spec)


@settings(max_examples=case_count(100), deadline=None)
@given(body_texts())
def test_bodies(text: str) -> None:
    loaded = load_source(SourceFile("body.aol", text))
    event(f"sound: {bool(loaded.spec.components)}")
    round_trip(loaded.spec)


@settings(max_examples=case_count(60), deadline=None)
@given(specs())
def test_hierarchies_and_types(generated: Generated) -> None:
    round_trip(load_source(SourceFile("generated.aol", generated.text)).spec)


LEAVES = ["x", "y", "u", "w", "b", "c", "v[k]", "v[u8(1)]", "k", "N", "T", "3", "0", "0.1", "0.5", "true", "1e30"]
LEAVES += ["f32(0.5)", "f32(0.1)", "f64(0.1)", "u8(7)", "i64(2)", "bool(1)", "c64(0.1)", "-2", "-0.5"]
BINARY = [*"+-*/%&|^<>", "//", "<<", ">>", "==", "<=", "and", "or", "and", "or"]


def expression_texts() -> st.SearchStrategy[str]:
    """Expressions over ports of many types, a range variable, consts and constants of every kind."""

    def extend(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        return st.one_of(
            st.builds("({} {} {})".format, inner, st.sampled_from(BINARY), inner),
            st.builds("({} {} {})".format, inner, st.sampled_from("+-*"), inner),
            st.builds("({}{})".format, st.sampled_from(["-", "~", "not "]), inner),
            st.builds("({} if {} else {})".format, inner, inner, inner),
            st.builds("({} if k < 1 else {})".format, inner, inner),
            st.builds("{}({})".format, st.sampled_from(["f32", "f64", "i32", "u8", "bool", "sqrt", "abs"]), inner),
            st.builds("{}({}, {})".format, st.sampled_from(["min", "max"]), inner, inner),
            st.builds("max({}, {}, {})".format, inner, inner, inner),
        )

    return st.recursive(st.sampled_from(LEAVES), extend, max_leaves=6)


@settings(max_examples=case_count(100), deadline=None)
@given(st.lists(expression_texts(), min_size=6, max_size=6), st.sampled_from(["f32", "f64", "u8", "bool", "c128"]))
def test_expressions(texts: list[str], kind: str) -> None:
    """Whatever the typer accepts comes back: conversions written or made, constants folded, settled or converted."""
    ports = "x: f32, y: f64, u: u8, w: i16, b: bool, c: c64, v: i32[4]"
    lines = [
        f"elementary e{place}({ports}) -> (z: {kind}[4]) {{ z[k] = {text} for k in 0..4 }}\n"
        for place, text in enumerate(texts)
    ]
    sound = load_source(SourceFile("e.aol", "const N = 5\nconst T = 0.3\n" + "".join(lines))).spec
    event(f"sound expressions: {len(sound.components)}")
    round_trip(sound)


@pytest.mark.parametrize(
    ("written", "printed"),
    [
        ("z = x * 2 + u", "z = x * 2 + u"),
        ("z = f64(x) + 1", "z = f64(x) + 1"),
        ("z = f64(x) * y", "z = x * y"),
        ("z = f32(x) * y", "z = f32(x) * y"),
        ("z = f32(0.1) * x", "z = 0.10000000149011612 * x"),
        ("z = f32(0.1) * f32(0.7)", "z = f32(0.10000000149011612) * 0.699999988079071"),
        ("z = -f32(2)", "z = -f32(2.0)"),
        ("z = sqrt(u)", "z = sqrt(u)"),
        ("z = max(u, 3, x)", "z = max(u, 3, x)"),
        ("z = f32(1) if b else f32(2)", "z = f32(1.0) if b else 2"),
        ("z = 1 if b and true else 0", "z = 1 if b and true else 0"),
        ("z = 1 if bool(1) and b else 0", "z = 1 if bool(true) and b else 0"),
        ("z = x - (y - N)", "z = x - (y - 5)"),
        ("z = -(N - 7.5)", "z = 2.5"),
        ("z = x * -0.0 * -1", "z = x * -0.0 * -1"),
        ("z = u * 2.0", "z = u * 2.0"),
        ("z = 1e10 * x", "z = 10000000000.0 * x"),
        ("z = u", "z = u"),
        ("z = f64(u8(300.5 - 100))", "z = f64(u8(200))"),
    ],
)
def test_no_more_than_is_needed(written: str, printed: str) -> None:
    text = f"const N = 5\nelementary e(x: f32, y: f64, u: u8, b: bool) -> (z: f64) {{ {written} }}"
    assert round_trip(load_source(SourceFile("e.aol", text)).spec).splitlines()[1].strip() == printed


def test_numbers_of_any_length() -> None:
    wide = "elementary e(x: f64[2]) -> (z: f64) { z = x[((1 << 2000) + k) % 2] for k in 0..1 }"
    assert "<< 1024" in round_trip(load_source(SourceFile("e.aol", wide)).spec)


def test_long_chains() -> None:
    text = f"elementary e(x: f32) -> (z: f64) {{ z = x{' + x * 2' * 3_000} }}"
    spec = load_source(SourceFile("e.aol", text)).spec
    assert spec_text(spec).count("x * 2") == 3_000


def test_one_component() -> None:
    spec = check(LPSF).spec
    assert isinstance(spec.components["smooth"], Elementary)
    assert spec_text(spec).startswith(component_text(spec, "smooth") + "\ntask hflr(")
