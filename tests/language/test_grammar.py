"""The kept tables: the same trees and messages with them as without, and never a failure because of them."""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import lark
import pytest

from arrayol.language.syntax.grammar import grammar
from arrayol.language.syntax.parser import Parsed, parse
from arrayol.source import SourceFile

TEXT = """# a filter
const N = 8  # its taps
elementary weigh (x: i16[N]) -> (y: i32) {
  y[0] = sum(x[i] for i in 0..N
}
tsk broken () -> () {}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    grammar.cache_clear()
    yield tmp_path / "arrayol"
    grammar.cache_clear()


def parsed_anew() -> Parsed:
    grammar.cache_clear()
    return parse(SourceFile("filter.aol", TEXT))


def kept(folder: Path) -> Path:
    (file,) = folder.iterdir()
    return file


def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Grows with every making of the tables."""
    calls: list[str] = []
    init = lark.Lark.__init__

    def counting(self: lark.Lark, *arguments: object, **options: object) -> None:
        calls.append("made")
        init(self, *arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(lark.Lark, "__init__", counting)
    return calls


def test_kept_tables_read_alike(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = made(monkeypatch)
    first = parsed_anew()
    assert calls == ["made"]
    assert parsed_anew() == first
    assert calls == ["made"]
    assert [comment.text for comment in first.comments] == ["# a filter", "# its taps"]
    assert first.diagnostics


@pytest.mark.parametrize("damage", ["cut", "flipped", "empty", "other"])
def test_damaged_tables_are_made_anew(folder: Path, damage: str, monkeypatch: pytest.MonkeyPatch) -> None:
    first = parsed_anew()
    whole = kept(folder).read_bytes()
    foreign = pickle.dumps({"data": 1})
    kept(folder).write_bytes(
        {
            "cut": whole[:-100],
            "flipped": whole[:-9] + bytes([whole[-9] ^ 1]) + whole[-8:],
            "empty": b"",
            "other": sha256(foreign).digest() + foreign,
        }[damage]
    )
    calls = made(monkeypatch)
    assert parsed_anew() == first
    assert calls == ["made"]
    assert parsed_anew() == first
    assert calls == ["made"]


def test_tables_of_another_user_are_not_loaded(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = parsed_anew()
    calls = made(monkeypatch)
    user = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: user + 1)
    assert parsed_anew() == first
    assert calls == ["made"]


def test_nothing_is_kept_where_nothing_can_be_written(folder: Path) -> None:
    folder.write_text("in the way", encoding="utf-8")
    assert parsed_anew() == parsed_anew()
    assert folder.read_text(encoding="utf-8") == "in the way"


def test_without_a_home(monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> Path:
        raise RuntimeError

    monkeypatch.setenv("XDG_CACHE_HOME", "not/absolute")
    monkeypatch.setattr(Path, "home", none)
    assert parsed_anew().comments
    grammar.cache_clear()
