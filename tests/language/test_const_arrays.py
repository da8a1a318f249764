"""Const arrays: the elements of tables, formulas and files, and what reads them."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st
from many_cases import case_count
from numpy.typing import NDArray

from arrayol.api import run as execute
from arrayol.checks.check import check, load_checked
from arrayol.execute.run import table_array
from arrayol.ir.expressions import assigns, depends_on_data
from arrayol.ir.spec import Elementary, RepetitiveTask, Spec
from arrayol.language.const_arrays import vectors
from arrayol.language.emitter import spec_text
from arrayol.language.loader import load_source
from arrayol.source import SourceFile


def spec_of(text: str) -> Spec:
    """The resolved specification of a text, which has no mistakes."""
    loaded = load_source(SourceFile("t.aol", text))
    assert not loaded.diagnostics, loaded.diagnostics
    return loaded.spec


def elements(definition: str) -> NDArray[np.generic]:
    """The elements of the const array K."""
    return table_array(spec_of(definition).tables["K"])


@pytest.mark.parametrize(
    ("definition", "expected"),
    [
        ("const K: u8[4] = [1, 2, 3, 4]", np.array([1, 2, 3, 4], "u1")),
        ("const K: i16[2, 3] = [1, -2, 3, 4, 5, 6]", np.array([[1, -2, 3], [4, 5, 6]], "i2")),
        ("const K: i16[2, 3] = [1, -2, 3; 4, 5, 6]", np.array([[1, -2, 3], [4, 5, 6]], "i2")),
        ("const K: u8[2, 1, 2] = [1, 2; 3, 4]", np.array([[[1, 2]], [[3, 4]]], "u1")),
        ("const K: u16[2, 3] = [10 * i + j for i in 0..2, j in 0..3]", np.array([[0, 1, 2], [10, 11, 12]], "u2")),
        ("const K: u8[3] = [i + j for i in 0..2, j in i..2]", np.array([0, 1, 2], "u1")),
        ("const K: u8[2, 3] = [i for i in 1..7]", np.array([[1, 2, 3], [4, 5, 6]], "u1")),
        ("const K: i64[2] = [(1 << 63) - 1, -(1 << 63)]", np.array([2**63 - 1, -(2**63)], "i8")),
        ("const K: u64[2] = [(1 << (63 + i)) - 1 for i in 0..2]", np.array([2**63 - 1, 2**64 - 1], "u8")),
        ("const K: bool[3] = [k == 1 for k in 0..3]", np.array([False, True, False])),
        ("const K: f64[2] = [sqrt(2), exp(1.0)]", np.array([2.0**0.5, np.exp(1.0)])),
        ("const K: i8[3] = [i8(10 * sin(k)) for k in 0..3]", np.array([0, 8, 9], "i1")),
        ("const K: f32[2] = [0.1, 1]", np.array([0.1, 1], "f4")),
        (
            "const K: c64[4] = [c64(0.1 * k, sin(k)) for k in 0..4]",
            (0.1 * np.arange(4)).astype("f4") + 1j * np.sin(np.arange(4)).astype("f4"),
        ),
        ("const K: c64[2] = [0.1, 1]", np.array([0.1, 1], "c8")),
        ("const N = 3\nconst K: u8[N] = [N * k for k in 0..N]", np.array([0, 3, 6], "u1")),
        ("const K: u8[3] = [((1 << 62) * (4 * i)) >> 62 for i in 0..3]", np.array([0, 4, 8], "u1")),  # beyond 64 bits
        ("const K: u8[2] = [((1 << 62) + (1 << 62) * i + (1 << 62)) >> 62 for i in 0..2]", np.array([2, 3], "u1")),
        ("const K: u8 = 3", np.array(3, "u1")),
    ],
)
def test_elements(definition: str, expected: NDArray[np.generic]) -> None:
    found = elements(definition)
    assert found.dtype == expected.dtype
    assert np.array_equal(found, expected)


@given(st.fractions(-(2**100), 2**100, max_denominator=2**60))
def test_f32_takes_the_nearest(value: Fraction) -> None:
    """The nearest f32 of the f64, as a body stores it."""
    number = float(value)
    found = Fraction(float(elements(f"const K: f32[1] = [{number!r}]".replace("e+", "e"))[0]))
    near = np.float32(number)
    for other in (np.nextafter(near, np.float32("inf")), np.nextafter(near, np.float32("-inf"))):
        assert abs(found - Fraction(number)) <= abs(Fraction(float(other)) - Fraction(number))


# Formulas by vectors, and element by element.

_NAMES = ("i", "j", "N", "A", "3", "7", "0.5", "2.0", "1e300", "(1 << 62)", "true")


def formulas() -> st.SearchStrategy[str]:
    """Expressions of every form, right and wrong."""
    signs = ("+", "-", "*", "/", "//", "%", "&", "|", "^", "<<", ">>", "==", "<", ">=", "and", "or")
    functions = ("sqrt", "exp", "log", "sin", "cos", "tan", "floor", "ceil", "abs", "i8", "u16", "i64", "f32", "f64")

    def extend(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        return st.one_of(
            st.builds("({} {} {})".format, inner, st.sampled_from(signs), inner),
            st.builds("({} {} {})".format, inner, st.sampled_from(("+", "-", "*", "<")), inner),
            st.builds("{}({})".format, st.sampled_from(functions), inner),
            st.builds("{}({}, {})".format, st.sampled_from(("min", "max")), inner, inner),
            st.builds("{}{}".format, st.sampled_from(("-", "~", "not ")), inner).map("({})".format),
            st.builds("({} if {} < {} else {})".format, inner, inner, inner, inner),
        )

    return st.recursive(st.sampled_from(_NAMES), extend, max_leaves=5)


_PAIRS = st.builds("{}({}, {})".format, st.sampled_from(("c64", "c128")), formulas(), formulas())


@settings(max_examples=case_count(300), deadline=None)
@given(
    formulas() | _PAIRS, st.sampled_from(("i32", "u8", "i64", "u64", "f32", "f64", "bool", "c64")), st.integers(-2, 2)
)
def test_vectors_give_what_single_elements_give(formula: str, kind: str, low: int) -> None:
    text = f"const N = 5\nconst A = 0.25\nconst K: {kind}[3, 4] = [{formula} for i in {low}..{low + 3}, j in 0..4]"
    note(text)
    fast = load_source(SourceFile("t.aol", text))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vectors, "evaluate_all", _never)
        slow = load_source(SourceFile("t.aol", text))
    assert fast.diagnostics == slow.diagnostics
    assert fast.spec.tables == slow.spec.tables


def _never(*_: object) -> None:
    raise vectors.NotVectorisedError


@settings(max_examples=case_count(100), deadline=None)
@given(st.lists(st.sampled_from(("0..3", "i..4", "j..i", "0..i + j", "i - 1..3", "2..1")), min_size=1, max_size=3))
def test_ranges_that_depend_on_others(bounds: list[str]) -> None:
    """The same points in the same order as loops take."""
    names = ["i", "j", "k"][: len(bounds)]
    known = [
        text if not {"i", "j", "k"} - set(names[:place]) & set(text) else "0..2" for place, text in enumerate(bounds)
    ]
    loops = "".join(f" for {n} in range({r.replace('..', ', ')})" for n, r in zip(names, known, strict=True))
    points = eval(f"[({' + 10 * '.join(names)}) for _ in (0,){loops}]")
    ranges = ", ".join(f"{name} in {span}" for name, span in zip(names, known, strict=True))
    value = f"{' + 10 * '.join(names)}"
    count = max(1, len(points))
    found = load_source(SourceFile("t.aol", f"const K: i32[{count}] = [{value} for {ranges}]"))
    if not points:
        assert "the formula gives 0 elements" in found.diagnostics[0].message
        return
    assert table_array(found.spec.tables["K"]).tolist() == points


# Files


@pytest.mark.parametrize("kind", ["u1", "<i2", ">i2", "<f4", ">f8", "<c8", "?"])
def test_a_file_has_its_elements_in_any_byte_order(kind: str, tmp_path: Path) -> None:
    name = {"u1": "u8", "i2": "i16", "f4": "f32", "f8": "f64", "c8": "c64", "?": "bool"}[kind.lstrip("<>")]
    values = np.asfortranarray(np.arange(6).reshape(2, 3).astype(kind))
    (tmp_path / "data").mkdir()
    np.save(tmp_path / "data" / "k.npy", values)
    (tmp_path / "t.aol").write_text(f'const K: {name}[2, 3] = "data/k.npy"\n')
    assert np.array_equal(table_array(load_checked(tmp_path / "t.aol").tables["K"]), values)


def test_a_file_lies_below_the_file_that_names_it(tmp_path: Path) -> None:
    """One that an imported file names is found from there, and printed as it is found from the first file."""
    (tmp_path / "lib").mkdir()
    np.save(tmp_path / "lib" / "k.npy", np.arange(3, dtype="u1"))
    (tmp_path / "lib" / "k.aol").write_text('const K: u8[3] = "k.npy"\n')
    (tmp_path / "t.aol").write_text('import "lib/k.aol"\nelementary e() -> (y: u8) {\n  y = K[2]\n}\n')
    spec = load_checked(tmp_path / "t.aol")
    assert execute(spec, {}, top="e")["y"] == 2
    assert 'const K: u8[3] = "lib/k.npy"' in spec_text(spec)


# What reads them


def test_subscripts_made_of_elements_depend_on_data() -> None:
    spec = spec_of(
        "const K: u8[3] = [2, 0, 1]\nelementary e(x: u8[3]) -> (y: u8[3]) {\n  y[k] = x[K[k]]  for k in 0..3\n}"
    )
    body = spec.components["e"]
    assert isinstance(body, Elementary)
    (assign,) = assigns(body.body or ())
    assert depends_on_data(assign.value.subscripts[0])  # type: ignore[union-attr]
    found = execute(spec, {"x": np.array([5, 6, 7], "u1")}, top="e")["y"]
    assert found.tolist() == [7, 5, 6]


def test_one_of_rank_0_is_a_constant_of_its_type() -> None:
    """Not weak: i8 meets u8 in i16, where a number would take the type of what it meets."""
    spec = spec_of("const G: i8 = 3\nelementary e(x: u8) -> (y: i16) {\n  y = x + G\n}")
    body = spec.components["e"]
    assert isinstance(body, Elementary)
    assert [port.name for port in body.inputs] == ["x"]
    assert execute(spec, {"x": np.array(255, "u1")}, top="e")["y"] == 258
    narrow = check_text("const G: i8 = 3\nelementary e(x: u8) -> (y: u8) {\n  y = x + G\n}")
    assert narrow == ["narrowing"]


def check_text(text: str) -> list[str]:
    """The codes of all mistakes."""
    return [found.code for found in load_source(SourceFile("t.aol", text)).diagnostics]


LAYERS = """\
const K: u8[3] = [1, 2, 4]
elementary e(x: u8, w: u8) -> (y: u8) {
  y = x * w + K[0]
}
task inner(a: u8[3], v: u8[3]) -> (b: u8[3]) {
  repeat [3] of e {
    x <- a
    w <- v
    y -> b
  }
}
task middle(a: u8[3]) -> (b: u8[3]) {
  b = inner(a, K)
}
task outer(a: u8[2, 3]) -> (b: u8[2, 3]) {
  repeat [2] of middle {
    a <- a
    b -> b
  }
}
"""


def test_they_reach_whatever_reads_them_through_all_levels() -> None:
    spec = spec_of(LAYERS)
    assert [[port.name for port in spec.given_inputs(one)] for one in spec.components.values()] == [
        ["x", "w"], ["a", "v"], ["a"], ["a"],
    ]  # fmt: skip
    outer = spec.components["outer"]
    assert isinstance(outer, RepetitiveTask)
    assert [link.array for link in outer.input_links] == ["a", "K"]
    a = np.arange(6, dtype="u1").reshape(2, 3)
    assert np.array_equal(execute(spec, {"a": a}, top="outer")["b"], a * np.array([1, 2, 4], "u1") + 1)
    printed = spec_text(spec)
    again = spec_of(printed)
    assert again.components == spec.components
    assert again.tables == spec.tables
    assert spec_text(again) == printed


def test_other_consts_give_other_elements(tmp_path: Path) -> None:
    path = tmp_path / "t.aol"
    path.write_text(
        "const W = 3\nconst K: u16[W] = [W * j for j in 0..W]\nelementary e() -> (y: u16) {\n  y = K[W - 1]\n}\n"
    )
    assert execute(path, {}, top="e")["y"] == 6
    assert execute(path, {}, top="e", settings={"W": 5})["y"] == 20
    assert execute(load_checked(path), {}, top="e", settings={"W": 4})["y"] == 12


def test_a_const_array_may_stay_unread(tmp_path: Path) -> None:
    """In a file of definitions to import nothing is said; beside a task a warning is."""
    (tmp_path / "t.aol").write_text("const K: u8[1] = [1]\n")
    assert not check(tmp_path / "t.aol").diagnostics
