"""Canonical text: parses to the same tree, is its own canonical form, keeps comments."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from many_cases import case_count
from strategies import expressions

from arrayol.ir import syntax
from arrayol.language.syntax.parser import Parsed, parse
from arrayol.language.syntax.printer import expression, print_file
from arrayol.source import SourceFile

ROOT = Path(__file__).parents[2]
SPECS = sorted((ROOT / "specs").glob("*.aol"))
LPSF = (ROOT / "specs" / "lpsf.aol").read_text(encoding="utf-8")


def parsed(text: str) -> Parsed:
    result = parse(SourceFile("x.aol", text))
    assert not result.diagnostics
    return result


def canonical(text: str) -> str:
    """The canonical text, checked for everything that it promises."""
    before = parsed(text)
    printed = print_file(before)
    after = parsed(printed)
    assert after.tree == before.tree
    assert sorted(comment.text for comment in after.comments) == sorted(
        comment.text.rstrip() for comment in before.comments
    )
    assert print_file(after) == printed
    return printed


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.name)
def test_shipped_specs_are_canonical(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert canonical(text) == text


@pytest.mark.parametrize("path", sorted((ROOT / "tests" / "errors").glob("*.aol")), ids=lambda path: path.stem)
def test_whatever_parses_prints(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    if not parse(SourceFile("x.aol", text)).diagnostics:
        canonical(text)


def test_messy_text(golden: Callable[[Path, str], None]) -> None:
    folder = ROOT / "tests" / "golden"
    golden(folder / "messy-canonical.aol", canonical((folder / "messy.aol").read_text(encoding="utf-8")))


@settings(max_examples=case_count(500), deadline=None)
@given(expressions())
def test_expressions_keep_their_structure(expr: syntax.Expr) -> None:
    text = expression(expr)
    (item,) = parsed(f"const X = {text}").tree.definitions
    assert isinstance(item, syntax.Const)
    assert item.value == expr
    assert expression(item.value) == text


@settings(max_examples=case_count(200), deadline=None)
@given(st.lists(st.tuples(st.integers(0, 400), st.booleans()), max_size=8))
def test_comments_anywhere(places: list[tuple[int, bool]]) -> None:
    words = LPSF.replace("\n", " \n ").split(" ")
    for number, (place, own_line) in enumerate(sorted(places, reverse=True)):
        words.insert(min(place, len(words)), f"{chr(10) if own_line else ''}# note {number}\n")
    canonical(" ".join(words).replace("# Low-pass", "Low-pass").split("direction.", 1)[-1])


def test_long_chains() -> None:
    text = "const S = " + " + ".join(["1"] * 5_000) + "\n"
    assert print_file(parsed(text)) == text  # without comparing trees, whose equality recurses


def test_one_blank_line_stays_and_none_inside_braces() -> None:
    text = "const A = 1\n\n\n\nconst B = 2\nelementary e(x: u8) -> (y: u8) {\n\n  y = x\n\n  y = x\n\n}\n\n"
    expected = "const A = 1\n\nconst B = 2\nelementary e(x: u8) -> (y: u8) {\n  y = x\n\n  y = x\n}\n"
    assert print_file(parse(SourceFile("x.aol", text))) == expected
    assert print_file(parse(SourceFile("x.aol", expected))) == expected


# Expressions print with just the parentheses that they need.

NEEDED = [
    "a - (b - c)", "a / (b * c)", "(a + b) * c", "-(a + b)", "(a < b) == c", "a == (b < c)", "(a == b) & c",
    "not (a and b)", "(not a) == b", "(a or b) and c", "(a if b else c) if d else e", "a if (b if c else d) else e",
    "(a if b else c) + d", "(a | b) ^ c", "(a ^ b) & c", "(a & b) << c", "(a << b) + c", "a << (b << c)", "-(-a * b)",
]  # fmt: skip
BARE = [
    "a - b - c", "a / b * c", "a + b * c", "-a * b", "--a", "-~a", "not not a", "not a == b", "a and not b or c",
    "a if b else c if d else e", "a or b if c else d", "a | b ^ c & d << e + f * -g", "a[i + 1, (j)]", "min(a, b + c)",
    "a | b == c", "a < b and b < c",
]  # fmt: skip


@pytest.mark.parametrize("text", NEEDED)
def test_needed_parentheses_stay(text: str) -> None:
    assert printed(text) == text


@pytest.mark.parametrize("text", BARE)
def test_others_go(text: str) -> None:
    bare = text.replace("(j)", "j")
    assert printed(text) == bare
    assert printed(f"({text})") == bare


def printed(text: str) -> str:
    (const,) = parsed(f"const X = {text}").tree.definitions
    assert isinstance(const, syntax.Const)
    return expression(const.value)


# Tables


def test_long_tables_take_several_lines() -> None:
    numbers = ", ".join(str(1000 + k) for k in range(50))
    printed = canonical(f"const K: u16[50] = [{numbers}]\nconst W: u16[2, 3] = [1, 2,\n 3; 4, 5, 6]\n")
    lines = printed.splitlines()
    assert lines[0] == "const K: u16[50] = ["
    assert [len(line) for line in lines[1:4]] == [115, 115, 72]
    assert lines[1].startswith("  1000, 1001, ")
    assert lines[4:] == ["]", "const W: u16[2, 3] = [1, 2, 3; 4, 5, 6]"]


def test_each_row_of_a_long_table_has_lines_of_its_own() -> None:
    rows = "; ".join(", ".join(str(row * 100000 + k) for k in range(20)) for row in range(1, 4))
    lines = canonical(f"const K: u32[3, 20] = [{rows}]\n").splitlines()
    assert len(lines) == 8
    assert [line[:8] for line in lines] == [
        "const K:",
        "  100000",
        "  100014",
        "  200000",
        "  200014",
        "  300000",
        "  300014",
        "]",
    ]
    assert [line[-1] for line in lines] == ["[", ",", ";", ",", ";", ",", "9", "]"]


def test_comments_inside_a_table_stay_with_their_rows() -> None:
    text = """\
# before
const K: i8[3, 2] = [  # rows
  # the first
  1, 2;  # and behind
  3, 4;

  # the last
  5, 6
  # nothing more
]  # after

const N = 3
"""
    assert canonical(text) == text


@settings(max_examples=case_count(60), deadline=None)
@given(st.lists(st.lists(expressions(), min_size=1, max_size=9), min_size=1, max_size=4), st.data())
def test_tables_of_any_expressions(rows: list[list[syntax.Expr]], data: st.DataObject) -> None:
    """With comments and line ends anywhere between the elements."""
    gaps = st.sampled_from(("", " ", "\n", "  # note\n", "\n# own line\n"))
    parts = [", ".join(f"{data.draw(gaps)}{expression(element)}" for element in row) for row in rows]
    canonical(f"const K: f32[2, 3] = [{data.draw(gaps)}{'; '.join(parts)}{data.draw(gaps)}]\n")
