"""Blank lines of canonical text."""

from __future__ import annotations

from arrayol.language.parser import parse
from arrayol.language.printer import print_file
from arrayol.source import SourceFile


def test_one_blank_line_stays_and_none_inside_braces() -> None:
    text = "const A = 1\n\n\n\nconst B = 2\nelementary e(x: u8) -> (y: u8) {\n\n  y = x\n\n  y = x\n\n}\n\n"
    expected = "const A = 1\n\nconst B = 2\nelementary e(x: u8) -> (y: u8) {\n  y = x\n\n  y = x\n}\n"
    assert print_file(parse(SourceFile("x.aol", text))) == expected
    assert print_file(parse(SourceFile("x.aol", expected))) == expected
