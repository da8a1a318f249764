"""Elementaries on their custom layouts compute what the originals compute, bit for bit, remainders included."""

from __future__ import annotations

import re
from collections import Counter
from itertools import cycle, product

import pytest
from hypothesis import given, settings
from loading import spec_of
from many_cases import case_count
from shipped import SMALL, agrees
from strategies_nests import Updates, updates

from arrayol.checks.check import check_source, load_checked
from arrayol.errors import ArrayolError
from arrayol.files import shipped_folder
from arrayol.ir.spec import Spec
from arrayol.language.emitter import spec_text
from arrayol.source import SourceFile
from arrayol.transforms.unroll_legality import loop_depth
from hwmodel.banks.custom import custom_layout, read_only
from hwmodel.banks.emit_aol import rewritten
from hwmodel.banks.nest import unrolled_nest

WAYS = [("paper", False, False), ("paper", True, False), ("finer", False, True), ("finer", True, True)]


def laid_out(
    spec: Spec, name: str, factors: tuple[int, ...], banks: int, way: tuple[str, bool, bool] = WAYS[0]
) -> tuple[Spec, str]:
    """The rewritten specification, loaded from its text, and the text; `way`: partition, by banks, replicated."""
    partition, physical, replicate = way
    nest = unrolled_nest(spec, name, factors)
    replicated = frozenset(read_only(nest)) if replicate else frozenset()
    custom = custom_layout(nest, banks, partition=partition, replicated=replicated)
    text = spec_text(rewritten(spec, name, factors, custom, physical=physical))
    checked = check_source(SourceFile("laid_out.aol", text))
    assert not checked.diagnostics, text
    return checked.spec, text


KERNELS = {
    "fir": ({"TAPS": 5, "S": 11, "N": 11}, [(1, 1), (2, 2), (3, 4), (11, 5)]),
    "pattern": ({"LENGTH": 5, "S": 10, "N": 10}, [(2, 1), (4, 2), (3, 5)]),
    "jacobi": ({"S": 7, "H": 7, "W": 7}, [(2, 2), (1, 4), (4, 1), (3, 5)]),
    "sobel": ({"S": 5, "H": 5, "W": 5}, [(2, 2), (3, 1), (1, 5)]),
    "matmul": ({"S": 5, "K": 7, "M": 5, "N": 5}, [(2, 2, 2), (1, 3, 4), (5, 1, 2)]),
}
CASES = [
    (name, factors, banks, way)
    for (name, (_, every)) in KERNELS.items()
    for (factors, banks), way in zip(product(every, (1, 3, 4)), cycle(WAYS))
]


@pytest.mark.parametrize(("name", "factors", "banks", "way"), CASES)
def test_kernels(name: str, factors: tuple[int, ...], banks: int, way: tuple[str, bool, bool]) -> None:
    spec = load_checked(shipped_folder() / f"{name}.aol", KERNELS[name][0])
    found, _ = laid_out(spec, name, factors, banks, way)
    agrees(spec, name, found)


@pytest.mark.parametrize("file", [file for file in sorted(SMALL) if file not in KERNELS])
def test_every_body_of_other_shipped_specifications(file: str) -> None:
    """All loops by 2 where that is allowed, else the innermost."""
    spec = load_checked(shipped_folder() / f"{file}.aol", SMALL[file])
    for name, elementary in spec.elementaries.items():
        if elementary.body is not None and loop_depth(elementary):
            _agrees_unrolled(spec, name)


def _agrees_unrolled(spec: Spec, name: str) -> None:
    depth = loop_depth(spec.elementaries[name])
    tried = [(2,) * depth, (*[1] * (depth - 1), 2), (1,) * depth]
    for number, factors in enumerate(tried):
        try:
            unrolled_nest(spec, name, factors)
        except ArrayolError:
            assert number < 2
            continue
        for way in WAYS[:2]:
            agrees(spec, name, laid_out(spec, name, factors, 4, way)[0])
        return


@settings(max_examples=case_count(40), deadline=None)
@given(updates())
def test_generated_nests(case: Updates) -> None:
    spec = spec_of(case.text)
    factors = case.factors[: loop_depth(spec.elementaries["e"])]
    try:
        unrolled_nest(spec, "e", factors)
    except ArrayolError:
        return  # test_unroll.py tells when
    way = WAYS[sum(case.text.encode()) % len(WAYS)]
    agrees(spec, "e", laid_out(spec, "e", factors, 1 + len(case.text) % 5, way)[0])


ODD = {
    # y's finer partitions have boxes that overlap: 4 i and 6 i share the even elements with 12 i + 2
    "overlap": """elementary e(x: f32[36]) -> (y: f32[36]) {
      y[2 * i + 1] = 1 for i in 0..18
      y[12 * i + 10] = 7 for i in 0..3
      y[12 * i + 2] = 3 * x[12 * i + 2] for i in 0..3
      y[4 * i] = x[4 * i] for i in 0..9
      y[6 * i] = x[6 * i] - 1 for i in 0..6
    }""",
    "data": """elementary e(x: f32[6, 800], b: u8[5], n: u64[5]) -> (y: f32[5, 4]) {
      y[i, j] = x[i, 3 * i32(b[i])] + x[i, 3 * i32(b[j]) + 3] + x[i + 1, (n[i] & 127) * 2] for i in 0..5, j in 0..4
    }""",
    "scatter": """elementary e(x: i32[8], b: u8[8]) -> (y: i32[16], last: i32) {
      y[i] = 0 for i in 0..16
      last = 5
      loop i in 0..8 {
        y[2 * (b[i] & 7)] += x[i]
        last = last * 3 + x[i]
      }
    }""",
    "constants": """elementary e(x: f32[7]) -> (y: f32[7]) {
      y[i] = i * x[i] if i > 5 else x[i + 1] * 2 for i in 0..7
      y[0] += x[6 - k] for k in 0..7 where k != 6 or x[0] > 0
    }""",
    "reversed": """elementary e(x: i64[9, 9]) -> (y: i64[9, 9]) {
      y[8 - i, 2 * (j // 2) + 1 - j % 2] = x[i, 8 - j] for i in 0..9, j in 0..8
      y[8 - i, 8] = x[i, 0] for i in 0..9
    }""",
    "bool": "elementary e(x: bool[5]) -> (y: bool[5]) { y[4 - i] = not x[i] for i in 0..5 }",
    "complex": "elementary e(x: c64[6]) -> (y: c64[3]) { y[i] = x[2 * i] * x[2 * i + 1] for i in 0..3 }",
    "names": """elementary e(x: f32[6], x_0: f32, v0: f32[2]) -> (y: f32[6]) {
      y[x_1] = x[x_1] * x_0 + v0[x_1 // 3] for x_1 in 0..6
    }""",
    "constant only": "elementary e(n: f32) -> (y: f32[6]) { y[i] = n for i in 0..6 }",
    "scalar result": "elementary e(x: f32[6]) -> (s: f32) { s += x[i] for i in 0..6 }",
}


@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize("way", WAYS)
def test_odd_bodies(name: str, way: tuple[str, bool, bool]) -> None:
    spec = spec_of(ODD[name])
    depth = loop_depth(spec.elementaries["e"])
    for factors in product((1, 2), repeat=depth):
        found, _ = laid_out(spec, "e", factors, 3, way)
        agrees(spec, "e", found)


def test_memories_with_room_for_others_are_cleared_and_restored_with_care() -> None:
    _, text = laid_out(spec_of(ODD["overlap"]), "e", (1,), 4, ("finer", False, False))
    banked = text[text.index("elementary e_banked") : text.index("elementary e_join")]
    join = text[text.index("elementary e_join") :]
    assert re.findall(r"(\S+) = 0 ", banked) == ["y_0[v0]"]
    copies = re.findall(r"(y\[.*?\]) = (.*?\])", join)
    assert sorted(copies) == [
        ("y[12 * v0 + 10]", "y_10[v0]"),
        ("y[12 * v0 + 2]", "y_2[v0]"),
        ("y[2 * v0 + 1]", "y_1[v0]"),
        ("y[4 * v0]", "y_0[2 * v0]"),
        ("y[6 * v0]", "y_0[3 * v0]"),
    ]


def test_text() -> None:
    """The motivating example of paper B (figure 1), with a remainder."""
    body = "elementary e(b: i32[4, 5]) -> (a: i32[4, 5]) { a[i, j] = b[i, j] + 1 for i in 0..4, j in 0..5 }"
    _, text = laid_out(spec_of(body), "e", (2, 2), 4)
    assert text.startswith(SPLIT)
    assert BANKED in text
    assert text.endswith(LAID_OUT)


SPLIT = """\
elementary e_split(b: i32[4, 5]) -> (b_0_0: i32[2, 3], b_0_1: i32[2, 2], b_1_0: i32[2, 3], b_1_1: i32[2, 2]) {
  b_0_0[v0, v1] = b[2 * v0, 2 * v1]          for v0 in 0..2, v1 in 0..3
  b_0_1[v0, v1] = b[2 * v0, 2 * v1 + 1]      for v0 in 0..2, v1 in 0..2
  b_1_0[v0, v1] = b[2 * v0 + 1, 2 * v1]      for v0 in 0..2, v1 in 0..3
  b_1_1[v0, v1] = b[2 * v0 + 1, 2 * v1 + 1]  for v0 in 0..2, v1 in 0..2
}
"""
BANKED = """ {
  loop i in 0..2 {
    loop j in 0..2 {
      a_0_0[i, j] = b_0_0[i, j] + 1
      a_0_1[i, j] = b_0_1[i, j] + 1
      a_1_0[i, j] = b_1_0[i, j] + 1
      a_1_1[i, j] = b_1_1[i, j] + 1
    }
    a_0_0[i, 2] = b_0_0[i, 2] + 1
    a_1_0[i, 2] = b_1_0[i, 2] + 1
  }
}
"""
LAID_OUT = """\
task e_laid_out(b: i32[4, 5]) -> (a: i32[4, 5]) {
  (b_0_0, b_0_1, b_1_0, b_1_1) = e_split(b)
  (a_0_0, a_0_1, a_1_0, a_1_1) = e_banked(b_0_0, b_0_1, b_1_0, b_1_1)
  a                            = e_join(a_0_0, a_0_1, a_1_0, a_1_1)
}
"""


def test_banks_hold_their_memories_one_after_the_other() -> None:
    body = "elementary e(b: i32[4]) -> (a: i32[4]) { a[i] = b[i] + b[3 - i] for i in 0..4 }"
    found, text = laid_out(spec_of(body), "e", (2,), 1, ("paper", True, False))
    assert [port.name for port in found.elementaries["e_banked"].inputs] == ["bank0_i32_in"]
    assert "bank0_i32_in[v0 + 2] = b[2 * v0 + 1]  for v0 in 0..2" in text
    counts = Counter(port.shape for port in found.elementaries["e_banked"].outputs)
    assert counts == {(4,): 1}


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("relax", "'relax' is a task: it has no body to rewrite"),
        ("jacoby", "there is no task 'jacoby'"),
    ],
)
def test_refusals(name: str, message: str) -> None:
    spec = load_checked(shipped_folder() / "jacobi.aol", SMALL["jacobi"])
    custom = custom_layout(unrolled_nest(spec, "jacobi", (1, 1)), 2)
    with pytest.raises(ArrayolError) as caught:
        rewritten(spec, name, (1, 1), custom)
    assert [found.message for found in caught.value.diagnostics] == [message]


@pytest.mark.parametrize("way", WAYS)
def test_const_arrays_stay_where_they_are(way: tuple[str, bool, bool]) -> None:
    """They are on chip, and so in none of the banks: read as before, and no array of the layout."""
    spec = spec_of(
        "const C: i16[3] = [1, -2, 5]\nconst ORDER: u8[8] = [7 - i for i in 0..8]\nconst ONE: c64 = 1\n"
        "elementary fir(x: i16[10]) -> (y: i32[8]) {\n"
        "  y[i] += C[k] * x[ORDER[i] + k]  for i in 0..8, k in 0..3\n}\n"
    )
    assert unrolled_nest(spec, "fir", (1, 3)).arrays.keys() == {"x", "y"}
    found, text = laid_out(spec, "fir", (1, 3), 4, way)
    agrees(spec, "fir", found)
    assert text.startswith("const C: i16[3] = [1, -2, 5]\nconst ORDER: u8[8] = [7 - i for i in 0..8]\n\n")
