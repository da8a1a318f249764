"""Expressions print with just the parentheses that they need."""

from __future__ import annotations

import pytest

from arrayol.ir import syntax
from arrayol.language.parser import parse
from arrayol.language.printer import expression
from arrayol.source import SourceFile

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
    parsed = parse(SourceFile("x.aol", f"const X = {text}"))
    assert not parsed.diagnostics
    (const,) = parsed.tree.items
    assert isinstance(const, syntax.Const)
    return expression(const.value)
