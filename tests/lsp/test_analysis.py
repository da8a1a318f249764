"""What an editor is told of places in a text."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import pytest

from arrayol.language.namespace import read_source
from arrayol.lsp.analysis import Analysis, definition, formatted, mistakes, references
from arrayol.lsp.completion import completions
from arrayol.lsp.hover import hover
from arrayol.lsp.inlays import inlays
from arrayol.lsp.names import SymbolKind
from arrayol.lsp.rename import RefusedError, rename, renamed_place
from arrayol.source import SourceFile, Span

SPECS = sorted(path.name for path in (Path(__file__).parents[2] / "specs").glob("*.aol"))
TEXT = """\
const H = 4
const W = 2 * H
tiler rows = origin [0, 0] paving [1, 0; 0, 4] fitting [0; 1]
elementary smooth(x: f32[4], prev: f32) -> (y: f32[4], last: f32) {
  y[k] = x[k] + prev  for k in 0..4
  last = y[3]
}
task filter(src: f32[H, W]) -> (dst: f32[H, W]) {
  repeat [H, W / 4] of smooth {
    x    <- src at rows
    prev <- last delay [0, 1] else 0
    y    -> dst at rows
  }
}
task twice(a: f32[H, W]) -> (c: f32[H, W]) {
  b = filter(a)
  c = filter(b)
}
"""


def analysed(text: str, folder: Path | None = None) -> Analysis:
    return Analysis(SourceFile(str((folder or Path()) / "text.aol"), text))


def applied(text: str, spans: Iterable[Span], name: str) -> str:
    for span in sorted(spans, key=lambda span: -span.start):
        text = text[: span.start] + name + text[span.end :]
    return text


def told(mark: str, text: str = TEXT) -> str:
    """The hover at the first character of a mark."""
    found = hover(analysed(text), text.index(mark))
    assert found is not None
    return found.text


def choices(before: str, text: str = TEXT) -> list[str]:
    """What can be written behind a part of a text, whatever stands behind it."""
    return [choice.text for choice in completions(analysed(text), text.index(before) + len(before))]


# Hover.


def test_hover_of_consts_and_arrays() -> None:
    assert told("W =") == "```aol\nconst W = 2 * H\n```\n\n8"
    assert told("src: ") == "```aol\nsrc: f32[H, W]\n```\n\ninput of task `filter`\n\n`src: f32[4, 8]`"
    assert told("b = ") == "array of task `twice`\n\n`b: f32[4, 8]`"
    assert told("x: f32") == "```aol\nx: f32[4]\n```\n\ninput of elementary task `smooth`"
    assert told("f32") == "`f32`: float, 32 bits"
    assert told("k in") == "```aol\nk in 0..4\n```"


def test_hover_of_a_tiler_shows_the_formula_and_the_first_elements() -> None:
    lines = (
        "src[r0, 4 r1 + f0]\n"
        "origin [0, 0]  paving [1, 0; 0, 4]  fitting [0; 1]\n"
        "repetition [0, 0]: [0, 0] [0, 1] [0, 2] [0, 3]\n"
        "repetition [0, 1]: [0, 4] [0, 5] [0, 6] [0, 7]\n"
        "repetition [1, 0]: [1, 0] [1, 1] [1, 2] [1, 3]\n"
    )
    assert lines in told("rows\n    prev")
    assert lines in told("src at")
    written = TEXT.replace("src at rows", "src at origin [3, 7] paving [-1, 0; 0, -4] fitting [0; -1] wrap")
    assert "src[-r0 + 3, -4 r1 - f0 + 7] modulo 4 x 8\n" in told("paving [-1", written)
    assert "repetition [0, 1]: [3, 3] [3, 2] [3, 1] [3, 0]\n" in told("paving [-1", written)


def test_hover_of_a_plain_link_shows_the_tiler_that_it_stands_for() -> None:
    text = (
        "elementary e(x: u8[3]) -> (y: u8) {\n  y = x[0]\n}\n"
        "task t(a: u8[2, 3]) -> (b: u8[2]) {\n  repeat [2] of e {\n    x <- a\n    y -> b\n  }\n}\n"
    )
    assert "a[r0, f0]\norigin [0, 0]  paving [1; 0]  fitting [0; 1]\n" in told("a\n    y", text)


def test_hover_of_tasks_and_elementaries() -> None:
    assert told("filter(src").endswith("\n\nrepeats `smooth` over [4, 2], 8 times")
    assert told("twice").endswith("\n\n2 calls")
    assert told("smooth {").startswith(
        "```aol\nelementary smooth(x: f32[4], prev: f32) -> (y: f32[4], last: f32)\n```\n\n"
    )


def test_hover_of_an_elementary_has_its_cost_on_the_platform_beside_the_file(checkout: Path) -> None:
    source = read_source(checkout / "specs" / "lpsf.aol")
    found = hover(Analysis(source), source.text.index("smooth"))
    assert found is not None
    assert "interval of 1 cycle" in found.text
    assert "3,848 lut" in found.text
    assert "lpsf.toml)" in found.text


def test_hover_of_copies() -> None:
    text = (
        "elementary sum[N, T](x: T[N]) -> (y: T) {\n  y += x[k]  for k in 0..N\n}\n"
        "task t(a: u8[6]) -> (b: u8[2], c: u8[3]) {\n  b = by[3](a)\n  c = by[2](a)\n}\n"
        "task by[M](a: u8[6]) -> (b: u8[6 / M]) {\n  repeat [6 / M] of sum[M, u8] {\n"
        "    x <- a at origin [0] paving [M] fitting [1]\n    y -> b\n  }\n}\n"
    )
    assert not analysed(text).checked.diagnostics
    assert told("x: T", text).endswith("`x: u8[3]` or `x: u8[2]`")
    assert told("N, T", text) == "`N`: parameter of elementary task `sum`"
    assert not [inlay for inlay in inlays(analysed(text)) if inlay.offset > text.index("task by")]


# Every shipped specification.


@pytest.mark.parametrize("name", SPECS)
def test_every_name_of_a_shipped_specification_has_an_answer(name: str, checkout: Path) -> None:
    analysis = Analysis(read_source(checkout / "specs" / name))
    own = [one for one in analysis.names.occurrences if one.span.file.name == analysis.source.name]
    assert own
    priced: set[str] = set()
    for one in own:
        if one.symbol.kind is SymbolKind.ELEMENTARY and one.symbol.text in priced:
            continue
        priced.add(one.symbol.text)
        found = hover(analysis, one.span.start)
        assert found is not None
        assert found.text
        assert found.span == one.span
        place = definition(analysis, one.span.start)
        assert (place is None) == (one.symbol.kind in (SymbolKind.TYPE, SymbolKind.FUNCTION))
        assert place is None or place.file.text[place.start : place.end] == one.symbol.text
    assert mistakes(analysis) == ()


@pytest.mark.parametrize("name", SPECS)
def test_renaming_there_and_back_leaves_a_shipped_specification_as_it_was(
    name: str, checkout: Path, tmp_path: Path
) -> None:
    shutil.copytree(checkout / "specs" / "mobilenet", tmp_path / "mobilenet")  # data of const arrays
    source = SourceFile(str(tmp_path / name), (checkout / "specs" / name).read_text(encoding="utf-8"))
    before = Analysis(source)
    for symbol in before.names.symbols:
        if symbol.node is None:
            assert renamed_place(before, before.names.of(symbol)[0].span.start) is None
            continue
        there = applied(source.text, rename(before, symbol.name.span.start, "zz_other"), "zz_other")
        after = Analysis(SourceFile(source.name, there))
        back = rename(after, there.index("zz_other"), symbol.text)
        assert applied(there, back, symbol.text) == source.text
        assert len(after.names.occurrences) == len(before.names.occurrences)


# Rename.


def test_a_rename_reaches_every_use_and_nothing_else() -> None:
    for mark, name, changed in (
        ("x: f32", "win", [("smooth(x:", "smooth(win:"), ("= x[k]", "= win[k]"), ("    x    <-", "    win    <-")]),
        ("src:", "x", [("(src:", "(x:"), ("<- src", "<- x")]),
        ("b =", "mid", [("  b =", "  mid ="), ("filter(b)", "filter(mid)")]),
        ("rows =", "lines", [("rows", "lines")]),
        ("H =", "HEIGHT", [("H", "HEIGHT")]),
    ):
        expected = TEXT
        for old, new in changed:
            expected = expected.replace(old, new)
        assert applied(TEXT, rename(analysed(TEXT), TEXT.index(mark), name), name) == expected
        assert not analysed(expected).checked.diagnostics


@pytest.mark.parametrize(
    ("mark", "name", "message"),
    [
        ("H =", "W", "'W' is already the name of a const, defined at text.aol:2"),
        ("H =", "src", "'src' is already the name of an input, defined at text.aol:8"),
        ("src:", "dst", "'dst' is already the name of an output, defined at text.aol:8"),
        ("src:", "rows", "'rows' is already the name of a tiler, defined at text.aol:3"),
        ("src:", "f32", "'f32' is already the name of an element type"),
        ("src:", "repeat", "'repeat' is a word of the language"),
        ("src:", "2x", "'2x' is no name: letters, digits and '_', no digit first"),
        ("src:", "x\n", "'x\n' is no name: letters, digits and '_', no digit first"),
        ("H =", "mirror", "'mirror' is a border behind 'else'"),
        ("f32", "g32", "no name of this specification stands here"),
    ],
)
def test_a_rename_that_is_refused(mark: str, name: str, message: str) -> None:
    with pytest.raises(RefusedError) as refused:
        rename(analysed(TEXT), TEXT.index(mark), name)
    assert str(refused.value) == message


def test_a_rename_waits_for_sound_syntax() -> None:
    with pytest.raises(RefusedError, match="put this right first"):
        rename(analysed(TEXT + "task broken(\n"), TEXT.index("H ="), "HEIGHT")


def test_a_rename_goes_through_imports_both_ways(tmp_path: Path) -> None:
    (tmp_path / "low").mkdir()
    shared, user, other = tmp_path / "low" / "shared.aol", tmp_path / "user.aol", tmp_path / "other.aol"
    shared.write_text("const SIDE = 8\n", encoding="utf-8")
    user.write_text('import "low/shared.aol"\nconst AREA = SIDE * SIDE\n', encoding="utf-8")
    other.write_text("const SIDE = 2\n", encoding="utf-8")
    expected = {(shared, 6), (user, 37), (user, 44)}
    for path, offset in ((shared, 6), (user, 37)):
        spans = rename(Analysis(read_source(path)), offset, "EDGE", tmp_path)
        assert {(Path(span.file.name), span.start) for span in spans} == expected
    with pytest.raises(RefusedError, match="'AREA' is already the name of a const"):
        rename(Analysis(read_source(shared)), 6, "AREA", tmp_path)
    with pytest.raises(RefusedError, match=r"user.aol imports this file: save it first"):
        rename(Analysis(SourceFile(str(shared), "\nconst SIDE = 8\n")), 7, "EDGE", tmp_path)
    at_import = definition(Analysis(read_source(user)), 10)
    assert at_import is not None
    assert Path(at_import.file.name) == shared


def test_references() -> None:
    found = references(analysed(TEXT), TEXT.index("rows\n    prev"))
    assert [span.place[1] for span in found] == [3, 10, 12]
    assert references(analysed(TEXT), TEXT.index("repeat")) == ()


# Completion.


def test_names_and_words_where_they_can_stand() -> None:
    assert choices("    x    <- ") == ["src", "y", "last"]
    assert choices("    y    -> ") == ["dst"]
    assert choices("src at ") == ["origin", "rows"]
    assert choices("of ") == ["smooth", "filter", "twice"]
    assert choices("of smooth {\n    ") == ["x", "prev", "y", "last"]
    assert choices("b = fil") == ["smooth", "filter", "twice"]
    assert choices("filter(a)\n  c = filter(") == ["a", "c", "b"]
    assert choices("const ") == choices("task ") == []
    assert choices("repeat [H, W / 4] ") == ["of"]
    assert {"u8", "f32"} <= set(choices("(src: "))
    assert {"x", "prev", "y", "k", "H", "min", "f32"} <= set(choices("y[k] = "))
    assert "src" not in choices("y[k] = ")
    assert {"H", "W"} <= set(choices("task twice(a: f32["))
    assert choices("") == ["const", "elementary", "import", "task", "tiler"]


def test_completion_while_a_definition_is_being_written() -> None:
    start = TEXT + "task late(p: f32[H, W]) -> (q: f32[H, W]) {\n"
    assert choices("q: f32[H, W]) {\n  repeat [H, W / 4] of sm", start + "  repeat [H, W / 4] of sm") == [
        "smooth", "filter", "twice",
    ]  # fmt: skip
    repeat = start + "  repeat [H, W / 4] of smooth {\n    x <- "
    assert choices(repeat, repeat) == ["p", "y", "last"]
    assert choices(repeat + "p\n    ", repeat + "p\n    ")[-4:] == ["x", "prev", "y", "last"]
    call = start + "  m = filter(p)\n  q = filter("
    assert choices(call, call) == ["p", "q", "m"]
    body = TEXT + "elementary e(v: u8[4]) -> (w: u8) {\n  t: u8 = 0\n  w = "
    assert {"v", "w", "t", "H"} <= set(choices(body, body))


def test_nothing_is_completed_in_comments_and_texts() -> None:
    assert choices("# con", "# con") == []
    assert choices('import "sha', 'import "sha') == []


# Sizes between the characters, canonical text, mistakes.


def test_sizes_between_the_characters() -> None:
    shown = TEXT
    for inlay in reversed(inlays(analysed(TEXT))):
        shown = shown[: inlay.offset] + f"<{inlay.text}>" + shown[inlay.offset :]
    assert "const H = 4\nconst W = 2 * H< = 8>\n" in shown
    assert "task filter(src: f32[H< = 4>, W< = 8>]) -> (dst: f32[H< = 4>, W< = 8>]) {" in shown
    assert "repeat [H< = 4>, W / 4< = 2>] of smooth {" in shown
    assert "x<[4]>    <- src<[4, 8]> at rows\n    prev <- last delay" in shown
    assert "b<: f32[4, 8]> = filter(a)\n" in shown


def test_formatting_is_that_of_fmt() -> None:
    assert formatted(analysed("const  H=4 # four\n")) == "const H = 4  # four\n"
    assert formatted(analysed("const H = \n")) is None


def test_mistakes_stand_at_their_places_and_those_of_imports_at_the_import(tmp_path: Path) -> None:
    (tmp_path / "shared.aol").write_text("const SIDE = NONE\n", encoding="utf-8")
    text = 'const A = 1 / 2\nimport "shared.aol"\n'
    first, second = sorted(mistakes(analysed(text, tmp_path)), key=lambda placed: placed.span.start)
    assert (first.diagnostic.code, first.span.place[1:], first.beyond) == ("inexact-division", (1, 11), None)
    assert first.diagnostic.hint
    assert (second.diagnostic.code, second.span.place[1:]) == ("unknown-name", (2, 1))
    assert second.beyond is not None
    assert second.beyond.place[1:] == (1, 14)


# Whatever is being typed, there is an answer or none, and no traceback.


def test_texts_that_are_being_typed() -> None:
    for end in range(0, len(TEXT) + 1, 7):
        _ask(TEXT[:end], end)
        _ask(TEXT[:end] + TEXT[end + 9 :], end)


@pytest.mark.parametrize(
    "text",
    ["", "\0", "task", "task t(", "}}}}", "const A = A", '"', "import", 'import "text.aol"', "a\u00a0b\r",
     "const x: u8[2] =", "task t(a: u8) -> (b: u8) { b = t(a) }", "tiler t = origin [] paving [;] fitting []",
     "\U0001f600 const H = 2",
     "elementary e[T](x: T) -> (y: T)", "task t() -> () { repeat [2] of e { x <- at } }", "const H = 2 const H = 3",
     "const A = " + "(" * 3000, "elementary e(e: u8) -> (e: u8) { e: u8 e = e for e in e..e }"],
)  # fmt: skip
def test_broken_texts(text: str) -> None:
    for offset in range(min(len(text), 60) + 1):
        _ask(text, offset)


def _ask(text: str, offset: int) -> None:
    analysis = analysed(text)
    assert all(0 <= placed.span.start <= placed.span.end <= len(text) for placed in mistakes(analysis))
    hover(analysis, offset)
    definition(analysis, offset)
    references(analysis, offset)
    completions(analysis, offset)
    inlays(analysis)
    formatted(analysis)
    with suppress(RefusedError):
        rename(analysis, offset, "other_name")
