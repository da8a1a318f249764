"""Parsing: spans, words, and that it goes on after mistakes."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from many_cases import case_count

from arrayol.ir import syntax
from arrayol.language.syntax.parser import parse
from arrayol.language.syntax.tree import nodes_in
from arrayol.source import SourceFile

LPSF = (Path(__file__).parents[2] / "specs" / "lpsf.aol").read_text(encoding="utf-8")


def parsed(text: str) -> syntax.File:
    result = parse(SourceFile("x.aol", text))
    assert not result.diagnostics
    return result.tree


def test_every_node_has_the_span_of_its_text() -> None:
    tree = parsed(LPSF)
    nodes = list(nodes_in(tree.definitions))
    assert len(nodes) > 300
    for node in nodes:
        text = LPSF[node.span.start : node.span.end]
        assert text == text.strip() != ""
        if isinstance(node, syntax.Name):
            assert text == node.text
        if isinstance(node, syntax.Number):
            assert float(text) == node.value


def test_span_of_an_expression_covers_its_parentheses() -> None:
    (const,) = parsed("const A = (1 + 2) * 3").definitions
    assert isinstance(const, syntax.Const)
    assert isinstance(const.value, syntax.Binary)
    span = const.value.left.span
    assert span.file.text[span.start : span.end] == "(1 + 2)"


@pytest.mark.parametrize("name", ["repeated", "inner", "task1", "of_", "atlas", "iff", "trues", "tilers", "Wrap"])
def test_names_may_start_with_a_keyword(name: str) -> None:
    (const,) = parsed(f"const {name} = 4").definitions
    assert isinstance(const, syntax.Const)
    assert const.name.text == name


def test_ranges_and_numbers() -> None:
    (item,) = parsed("elementary e() -> (y: f32[4]) { y[k] = 1.5e3 for k in 0..4 }").definitions
    assert isinstance(item, syntax.Elementary)
    assert item.body is not None
    (statement,) = item.body
    assert isinstance(statement, syntax.Assign)
    assert statement.value == syntax.Number(1500.0, statement.span)
    assert statement.ranges[0].high == syntax.Number(4, statement.span)


PRECEDENCE = [
    ("a + b * c", "a + (b * c)"),
    ("a - b - c", "(a - b) - c"),
    ("a / b * c", "(a / b) * c"),
    ("-a * b", "(-a) * b"),
    ("a << b + c", "a << (b + c)"),
    ("a & b << c", "a & (b << c)"),
    ("a ^ b & c", "a ^ (b & c)"),
    ("a | b ^ c", "a | (b ^ c)"),
    ("a | b == c", "(a | b) == c"),
    ("not a == b", "not (a == b)"),
    ("a and not b or c", "(a and (not b)) or c"),
    ("a if b else c if d else e", "a if b else (c if d else e)"),
    ("a or b if c else d", "(a or b) if c else d"),
    ("--a", "-(-a)"),
    ("~-a", "~(-a)"),
]


@pytest.mark.parametrize(("plain", "grouped"), PRECEDENCE)
def test_precedence(plain: str, grouped: str) -> None:
    assert parsed(f"const X = {plain}") == parsed(f"const X = {grouped}")


def test_comments_are_kept_with_their_places() -> None:
    result = parse(SourceFile("x.aol", "# one\nconst N = 4 # two\n"))
    assert [(comment.text, comment.start) for comment in result.comments] == [("# one", 0), ("# two", 18)]


def test_a_mistake_hides_nothing_of_the_next_definitions() -> None:
    text = (
        LPSF.replace("y[0] = A * prev", "y[0] = A *")
        .replace("last = y[3]", "last == y[3]")
        .replace("const W =", "const W")
    )
    result = parse(SourceFile("x.aol", text.replace("task vftd", "tsk vftd")))
    assert [found.span.place[1] for found in result.diagnostics if found.span] == [3, 12, 14, 24]
    assert len(result.tree.definitions) == 11  # without W and smooth


def test_ten_thousand_lines_and_long_chains() -> None:
    assert len(parsed(LPSF * 200).definitions) == 200 * 13
    (const,) = parsed("const A = " + "1 + " * 50_000 + "1").definitions
    assert isinstance(const, syntax.Const)
    (const,) = parsed("const A = " + "(" * 50_000 + "1" + ")" * 50_000).definitions
    assert isinstance(const, syntax.Const)


def test_a_second_mistake_behind_a_misspelt_word_that_starts_a_definition() -> None:
    text = "elementary a(x: u8) -> (y: u8) {\n  y = x\n}\nelementry b c(x: u8) -> (y: u8) {\n  y = x\n}\n"
    result = parse(SourceFile("x.aol", text))
    assert [(found.message, found.span.place[1:]) for found in result.diagnostics if found.span] == [
        ("unexpected 'elementry'", (4, 1)),
        ("unexpected 'c'; expected '(' or '['", (4, 13)),
    ]
    assert [item.name.text for item in result.tree.definitions if isinstance(item, syntax.Elementary)] == ["a"]


FRAGMENTS = [
    "const", "tiler", "task", "elementary", "import", "repeat", "of", "at", "delay", "else", "origin", "paving",
    "fitting", "for", "in", "loop", "where", "x", "y", "N", "f32", "[", "]", "{", "}", "(", ")", "->", "<-", "=", "+=",
    "..", ",", ";", ":", "*", "0", "4", "1.5", '"a.aol"', '"', "#", "$", "\n", "é", "\x00", "\r\n", "1.",
]  # fmt: skip


@settings(max_examples=case_count(400), deadline=None)
@given(st.lists(st.sampled_from(FRAGMENTS), max_size=40))
def test_any_text_ends_in_a_tree_or_mistakes(words: list[str]) -> None:
    result = parse(SourceFile("x.aol", " ".join(words)))
    for found in result.diagnostics:
        assert found.span is not None
        assert "Token" not in found.message
        assert "ANON" not in found.message


@settings(max_examples=case_count(200), deadline=None)
@given(st.integers(0, len(LPSF)), st.integers(0, 30), st.sampled_from(FRAGMENTS))
def test_any_slip_in_a_real_file_is_reported_or_harmless(start: int, length: int, word: str) -> None:
    text = f"{LPSF[:start]} {word} {LPSF[start + length :]}"
    result = parse(SourceFile("x.aol", text))
    if not result.diagnostics:
        assert result.tree == parsed(text)
