"""Characters that nobody sees: named wherever they have no place, and never a crash."""

from __future__ import annotations

import sys
import unicodedata
from pathlib import Path

import pytest
from conftest import CommandLine

from arrayol.errors import error
from arrayol.language.syntax.parser import parse
from arrayol.source import UNSEEN, SourceFile, visible
from arrayol.transforms.steps import StepTextError, parse_step

UNSEEN_CHARACTERS = UNSEEN.findall("".join(map(chr, range(sys.maxunicode + 1))))
SPEC = 'elementary f(x: u8) -> (y: u8) {{\n  y ={} x # sum{}.\n}}\nimport "a{}b"\n'
GOOD = """const N = 4
elementary f(x: u8) -> (y: u8) {
  y = x
}
task t(a: u8[N]) -> (b: u8[N]) {
  repeat [N] of f {
    x <- a at origin [0] paving [1] fitting []
    y -> b at origin [0] paving [1] fitting []
  }
}
"""


def told(text: str) -> list[tuple[str, int, int]]:
    return [
        (found.message, *file_place)
        for found in parse(SourceFile("a.aol", text)).diagnostics
        if found.span
        for file_place in [found.span.place[1:]]
    ]


def test_all_white_space_and_all_that_has_no_width_is_unseen() -> None:
    for character in map(chr, range(sys.maxunicode + 1)):
        if character.isspace() or unicodedata.category(character) in {"Cc", "Zs", "Zl", "Zp"}:
            assert (UNSEEN.match(character) is None) == (character in " \t\n"), hex(ord(character))
    assert UNSEEN.search("a\r\nb") is None
    assert UNSEEN.search("a\rb")


@pytest.mark.parametrize("character", UNSEEN_CHARACTERS[:: max(1, len(UNSEEN_CHARACTERS) // 50)], ids=ascii)
def test_one_outside_texts_and_comments_is_told_once_with_its_place(character: str) -> None:
    ((message, line, column),) = told(SPEC.format(character, "", ""))
    assert (line, column) == (2, 6)
    assert message.startswith(f"unexpected U+{ord(character):04X} (")


@pytest.mark.parametrize("character", ["\u00a0", "\u200b", "\u3000", "\ufeff", "\u00ad", "\x1b"], ids=ascii)
def test_texts_and_comments_may_hold_most(character: str) -> None:
    assert told(SPEC.format("", character, character)) == []


@pytest.mark.parametrize("character", ["\v", "\f", "\r", "\x85", "\u2028", "\u2029", "\u202e", "\u2066"], ids=ascii)
def test_texts_and_comments_hold_none_that_breaks_or_turns_a_line(character: str) -> None:
    assert [(line, column) for _, line, column in told(SPEC.format("", character, ""))] == [(2, 14)]
    assert [(line, column) for _, line, column in told(SPEC.format("", "", character))] == [(4, 10)]


def test_each_kind_is_told_once_and_parsing_goes_on() -> None:
    text = SPEC.format("\u00a0\u00a0\u00a0", "\u2028", "").replace("u8)", "u8$)")
    assert sorted(told(text)) == [
        ("unexpected '$'; expected ',', ')' or '['", 1, 19),
        ("unexpected U+00A0 (no-break space), here and in 2 more places", 2, 6),
        ("unexpected U+2028 (line separator)", 2, 17),
    ]


def test_lines_end_at_line_feeds_alone() -> None:
    """The parser, places and drawn lines count alike, whatever `str.splitlines` takes for a line end."""
    text = "# a\u2028b\x85c\vd\fe\x1cf\x1dg\x1eh\nconst N = \u00e9\n"
    places = {(line, column) for _, line, column in told(text)}
    assert {line for line, _ in places} == {1, 2}
    assert (2, 11) in places


def test_old_line_ends_are_told() -> None:
    assert told("# sizes\rconst N = 4\rconst M = 5\r") == [
        ("unexpected U+000D (carriage return without line feed), here and in 2 more places", 1, 8)
    ]
    assert told("# sizes\r\nconst N = 4\r\n") == []


def test_messages_show_the_unseen_by_code_point() -> None:
    assert visible("a\u00a0b\x1b[31m\n") == "a<U+00A0>b<U+001B>[31m\n"
    told = str(error("x", "no 'a\u200bb'", hint="not 'a\u2003b'", file="f"))
    assert told == "f: error[x]: no 'a<U+200B>b'\n  hint: not 'a<U+2003>b'"


def test_steps_are_parted_by_blanks_alone() -> None:
    with pytest.raises(StepTextError, match="There is no step 'pave\u00a0t'"):
        parse_step("pave\u00a0t 2")
    with pytest.raises(StepTextError, match="not 't\u200b'"):
        parse_step("pave t\u200b 2")


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["check", "f.aol"], "unexpected U+2003 (em space)"),
        (["fmt", "f.aol"], "unexpected U+2003 (em space)"),
        (["transform", "good.aol", "pave\u00a0t 2"], "There is no step 'pave<U+00A0>t'"),
        (["check", "good.aol", "--set", "N=4\u200b"], "'4<U+200B>' is not a value for const 'N'"),
        (["transfers", "good.aol", "t", "--schedule", "r0\u200b"], "'r0<U+200B>' is not a schedule"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_commands_name_them(arrayol: CommandLine, tmp_path: Path, command: list[str], said: str) -> None:
    (tmp_path / "f.aol").write_text("const N =\u20034\n", encoding="utf-8")
    (tmp_path / "good.aol").write_text(GOOD, encoding="utf-8")
    done = arrayol(*command)
    assert done.returncode in (1, 2)
    assert said in done.stdout + done.stderr
