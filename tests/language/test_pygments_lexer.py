"""Colours of specifications, and that every editor's file has the words of the language."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from pygments.token import Comment, Error, Keyword, Name, Number, Operator

from arrayol.ir.syntax import KEYWORDS
from arrayol.ir.types import is_type
from arrayol.language.syntax.pygments_lexer import ArrayolLexer
from arrayol.operators.registry import FUNCTIONS

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("path", sorted((ROOT / "specs").glob("*.aol")), ids=lambda path: path.name)
def test_shipped_specifications_have_no_error(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    tokens = list(ArrayolLexer(stripnl=False).get_tokens(text))
    assert "".join(piece for _, piece in tokens) == text
    assert not [piece for kind, piece in tokens if kind in Error]


def test_the_kinds_of_words() -> None:
    text = "task f(x: u8[2]) -> (y: i4.12) {  # so\n  y = min(x[0], 1) where not x[1] > 2 ?\n}"
    kinds = {piece: kind for kind, piece in ArrayolLexer().get_tokens(text)}
    assert (kinds["task"], kinds["f"], kinds["x"]) == (Keyword.Declaration, Name.Function, Name)
    assert (kinds["u8"], kinds["i4.12"], kinds["min"]) == (Keyword.Type, Keyword.Type, Name.Builtin)
    assert (kinds["where"], kinds["not"], kinds["->"]) == (Keyword, Operator.Word, Operator)
    assert (kinds["# so"], kinds["0"], kinds["?"]) == (Comment.Single, Number, Error)


def test_the_lexer_is_registered() -> None:
    declared = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert (
        '[project.entry-points."pygments.lexers"]\narrayol = "arrayol.language.syntax.pygments_lexer:ArrayolLexer"'
        in declared
    )


# Editors colour before any server runs, by files of their own: these keep the words of the language.


def test_visual_studio_code_has_every_word() -> None:
    grammar = json.loads((ROOT / "editors/vscode/syntaxes/aol.tmLanguage.json").read_text(encoding="utf-8"))
    rules = {rule["name"]: rule["match"] for rule in grammar["patterns"] if "match" in rule}
    coloured = [pattern for name, pattern in rules.items() if name.startswith(("keyword.", "constant.language"))]
    for word in KEYWORDS:
        assert any(re.fullmatch(pattern, word) for pattern in coloured), word
    for word in FUNCTIONS:
        assert re.fullmatch(rules["support.function.aol"], word)
    for word in ("bool", "u8", "i12", "u4.12", "f32", "c128"):
        assert is_type(word)
        assert re.fullmatch(rules["storage.type.aol"], word)
    package = json.loads((ROOT / "editors/vscode/package.json").read_text(encoding="utf-8"))["contributes"]
    assert package["grammars"][0]["scopeName"] == grammar["scopeName"]
    for entry in (package["grammars"][0]["path"], package["languages"][0]["configuration"]):
        json.loads((ROOT / "editors/vscode" / entry).read_text(encoding="utf-8"))


@pytest.mark.parametrize("place", ["editors/vim/syntax/aol.vim", "editors/emacs/aol-mode.el"])
def test_vim_and_emacs_have_every_word(place: str) -> None:
    words = set(re.findall(r"[a-z_]+", (ROOT / place).read_text(encoding="utf-8")))
    assert KEYWORDS | FUNCTIONS.keys() <= words
