"""Texts while they are edited: what is kept of the last one changes nothing of what is known of the next."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from many_cases import case_count

from arrayol.checks import check
from arrayol.language import loader
from arrayol.language.syntax import parser
from arrayol.lsp.analysis import Analysis, definition, formatted, mistakes, references
from arrayol.lsp.completion import completions
from arrayol.lsp.hover import hover
from arrayol.lsp.inlays import inlays
from arrayol.source import SourceFile, Span

TEXT = """\
# A chain of everything.
const N = 8
const HALF = N / 2
const K: i8[2] = [1, HALF]
const SCALE: i8 = 3
tiler each = origin [0] paving [1] fitting []
tiler pairs = origin [0] paving [2] fitting [1]

elementary add(x: u8[2]) -> (y: u8) { y = u8((x[0] + x[1] + K[1]) >> 1) }
elementary grow(x: u8) -> (y: u8) {
  low: i32 = x * SCALE  # "a task" in a comment
  y = u8(max(low, 0) & 255)
}
elementary sum[M](x: u8[M]) -> (y: u8) {
  y = 0
  y += x[k]  for k in 0..M
}
elementary box(x: u8[3]) -> (y: u8) extern "numpy:median"

task halved(a: u8[N]) -> (b: u8[HALF]) {
  repeat [HALF] of add { x <- a at pairs  y -> b at each }
}
task grown(a: u8[N]) -> (b: u8[N]) {
  repeat [N] of grow { x <- a at each  y -> b at each }
}
task summed(a: u8[N]) -> (b: u8[HALF]) {
  repeat [HALF] of sum[2] {
    x <- a at origin [0] paving [2] fitting [1]
    y -> b
  }
}
task blurred(a: u8[N]) -> (b: u8[N]) {
  repeat [N] of box { x <- a at origin [-1] paving [1] fitting [1] else nearest  y -> b }
}
task top(a: u8[N]) -> (b: u8[HALF], c: u8[HALF]) {
  d = grown(a)
  e = blurred(d)
  b = halved(e)
  c = summed(e)
}
"""
WORDS = (
    *("N", "HALF", "K", "x", "y", "a", "b", "each", "pairs", "add", "grow", "halved", "grown", "e", "sum[3]", "M"),
    *("task", "elementary", "const", "tiler", "import", "\n", "\n\n", " ", "{", "}", "[", "]", '"', "# ", "0", "1"),
    *("u8", "i8", "u", " else nearest", " wrap", "tsk ", ";", "\u00a0", "\u00e9", "low", "9", "-"),
)
Edit = Callable[[str], str]


@st.composite
def edits(draw: st.DrawFn) -> Edit:
    """Some characters replaced, a line repeated or moved, or a definition left out."""
    place, length = draw(st.floats(0, 1)), draw(st.integers(0, 6))
    words = "".join(draw(st.lists(st.sampled_from(WORDS), max_size=2)))
    kind = draw(st.sampled_from(("type", "type", "type", "word", "word", "move", "remove")))

    def edit(text: str) -> str:
        start = int(place * len(text))
        if kind == "type":
            return text[:start] + words + text[start + length :]
        if kind == "word":
            start = text.rfind(" ", 0, start) + 1
            return text[:start] + words + text[start:].lstrip("abcdefghijklmnopqrstuvwxyzHALFNKM0123456789_")
        parts = text.split("\n")
        line = parts.pop(int(place * (len(parts) - 1)))
        return "\n".join([*parts, line] if kind == "move" else parts)

    return edit


def placed(span: Span | None) -> Any:
    return None if span is None else (span.file.name, span.file.text, span.start, span.end, span.place, span.end_place)


def all_known(analysis: Analysis, offset: int) -> dict[str, Any]:
    """What an editor can show of a text, and at one place of it."""
    shown, parsed = hover(analysis, offset), analysis.parsed
    return {
        "mistakes": [(one.diagnostic, placed(one.span), placed(one.beyond)) for one in mistakes(analysis)],
        "names": [
            (placed(one.span), one.symbol.kind, placed(one.symbol.scope), one.symbol.node, one.use)
            for one in analysis.names.occurrences
        ],
        "symbols": [(one.kind, one.text, placed(one.scope)) for one in analysis.names.symbols],
        "inlays": inlays(analysis),
        "hover": shown and (shown.text, placed(shown.span)),
        "definition": placed(definition(analysis, offset)),
        "references": list(map(placed, references(analysis, offset))),
        "completions": completions(analysis, offset),
        "comments": parsed.comments,
        "text": formatted(analysis),
        "components": analysis.loaded.spec.components,
    }


@settings(max_examples=case_count(60))
@given(st.lists(edits(), min_size=1, max_size=4), st.floats(0, 1))
def test_what_is_kept_changes_nothing(changes: list[Edit], place: float) -> None:
    """Also after an edit is undone, and where mistakes come and go."""
    file = SourceFile(str(Path("edited.aol")), TEXT)
    analysis = Analysis(file)
    all_known(analysis, int(place * len(TEXT)))
    texts = [file.text]
    for change in changes:
        texts.append(change(texts[-1]))
    for text in [*texts[1:], *texts[-2::-1]]:
        analysis = analysis.of_next(text)
        offset = int(place * len(text))
        assert all_known(analysis, offset) == all_known(Analysis(SourceFile(file.name, text)), offset)


KINDS = {
    "const": [("const N = 8", "const N = 10"), ("N / 2", "N / 2 + 1")],
    "const array": [("[1, HALF]", "[1, 300]"), ("K: i8[2]", "K: i16[2]")],
    "tiler": [
        ("origin [0] paving [2] fitting [1]", "origin [1] paving [2] fitting [1]"),
        ("fitting []", "fitting [1]"),
    ],
    "port": [("add(x: u8[2])", "add(x: u8[3])"), ("halved(a: u8[N])", "halved(a: i8[N])"), ("(y: u8) {", "(z: u8) {")],
    "name": [("tiler each", "tiler all"), ("elementary add", "elementary plus"), ("const SCALE", "const HALVED")],
    "kind": [("tiler pairs", "const pairs"), ("task halved", "elementary halved"), ("task grown", "const grown")],
    "twice": [("const HALF = N / 2", "const HALF = N / 2\nconst N = 4"), ("task halved", "const e = 1\ntask halved")],
    "lines in messages": [("y -> b at each }\n}\ntask s", "y -> b at each \n}\ntask s"), ("const N", "\n\nconst N")],
    "lines in checks": [("y -> b at each }", "y -> b at each  y -> b at each }"), ("const N", "\n\nconst N")],
    "copies": [("sum[2]", "sum[3]"), ("sum[M]", "sum[N]"), ("for k in 0..M", "for k in 0..M + 1")],
    "unused": [("of box", "of grow"), ("d = grown(a)", "d = blurred(a)")],
    "hidden ports": [("+ K[1]", ""), ("x * SCALE", "x")],
}


@pytest.mark.parametrize("kind", KINDS)
def test_of_each_kind_of_edit(kind: str) -> None:
    """One after another, and each undone, with the place of the edit and that of the last task in view."""
    texts = [TEXT]
    for before, after in KINDS[kind]:
        assert before in texts[-1]
        texts.append(texts[-1].replace(before, after, 1))
    analysis = Analysis(SourceFile("edited.aol", TEXT))
    for text, (before, after) in zip([*texts, *texts[-2::-1]], 2 * [*KINDS[kind], KINDS[kind][-1]], strict=False):
        analysis = analysis.of_next(text)
        for place in (text.find(before), text.find(after), text.index("task top") + 5):
            offset = max(0, place)
            assert all_known(analysis, offset) == all_known(Analysis(SourceFile("edited.aol", text)), offset)


@pytest.mark.parametrize(
    ("before", "after", "read", "judged"),
    [
        ("low, 0", "low, 1", {"elementary grow"}, {"grow"}),
        ("at pairs", "at each", {"task halved"}, {"halved"}),
        ("grown(a)", "blurred(a)", {"task top"}, {"top"}),
        ("# A chain", "# One\n# chain", {"# One"}, set()),
        ("task grown", "\ntask grown", {"task halved"}, {"halved"}),  # the blank line is its end
        ("SCALE: i8 = 3", "SCALE: i8 = 5", {"const SCALE"}, {"grow"}),
        ("of add", "of ad", {"task halved"}, {"top"}),  # which no longer reads K, through `add`
    ],
)
def test_only_what_an_edit_touches_is_read_and_checked_again(
    before: str, after: str, read: set[str], judged: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    analysis = Analysis(SourceFile("edited.aol", TEXT))
    assert mistakes(analysis) == ()
    texts, names = set[str](), set[str]()
    plain_read, plain_check = parser._read, check._of_fragment  # noqa: SLF001
    monkeypatch.setattr(parser, "_read", lambda place, text: texts.add(text) or plain_read(place, text))
    monkeypatch.setattr(
        check, "_of_fragment", lambda one, resolved: names.add(one.component.name) or plain_check(one, resolved)
    )
    mistakes(analysis.of_next(TEXT.replace(before, after, 1)))
    assert {next(head for head in read if text.startswith(head)) for text in texts} == read
    assert names == judged | {"sum_2", "summed"}  # copies, and what uses them, are made anew


def test_the_place_of_a_definition_moves_with_it() -> None:
    analysis = Analysis(SourceFile("edited.aol", TEXT))
    before = analysis.loaded.resolved.components["top"]
    after = analysis.of_next(f"const LATER = 1\n{TEXT}").loaded.resolved.components["top"]
    assert after is before
    assert after.span.place[1] == TEXT[: TEXT.index("task top")].count("\n") + 2


def test_a_fresh_load_keeps_nothing() -> None:
    first, second = (loader.load_source(SourceFile("edited.aol", TEXT)) for _ in range(2))
    assert first.resolved.components == second.resolved.components
    assert first.resolved.fragments[0] is not second.resolved.fragments[0]
