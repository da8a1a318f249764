"""The files of editors have the language's operators and functions: `--update-golden` writes the words anew."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from textwrap import wrap

import pytest

from arrayol.operators.registry import FUNCTIONS, INFIX, PREFIX, WORDS

EDITORS = Path(__file__).parents[2] / "editors"
OTHER_SIGNS = ("<-", "->", "+=", "..", "=")


def vim(text: str) -> str:
    text = re.sub(r"(aolOperator) .*", rf"\1 {' '.join(sorted(WORDS))}", text, count=1)
    return re.sub(r"(aolFunction) .*", rf"\1 {' '.join(FUNCTIONS)}", text, count=1)


def emacs(text: str) -> str:
    quoted = wrap(" ".join(f'"{name}"' for name in FUNCTIONS), 99)
    listed = f"\n{' ' * 20}".join(quoted)
    return re.sub(r'(\(,\(regexp-opt \'\()"abs"[^)]*', lambda match: match[1] + listed, text, count=1)


def visual_studio_code(text: str) -> str:
    signs = sorted({*INFIX, *PREFIX, *OTHER_SIGNS} - WORDS, key=lambda sign: (-len(sign), sign))
    rules = {
        "keyword.operator.word.aol": rf"\b({'|'.join(sorted(WORDS))})\b",
        "support.function.aol": rf"\b({'|'.join(FUNCTIONS)})\b",
        "keyword.operator.aol": "|".join(re.sub(r"([.+*^|])", r"\\\1", sign) for sign in signs),
    }
    for name, pattern in rules.items():
        escaped = pattern.replace("\\", "\\\\")
        place = re.compile(rf'("name": "{re.escape(name)}",\s*"match": ")[^"]*')
        text = place.sub(lambda match, escaped=escaped: match[1] + escaped, text, count=1)
    return text


FILES: dict[str, Callable[[str], str]] = {
    "vim/syntax/aol.vim": vim,
    "emacs/aol-mode.el": emacs,
    "vscode/syntaxes/aol.tmLanguage.json": visual_studio_code,
}


@pytest.mark.parametrize("place", FILES)
def test_editors_have_the_words_of_the_registry(place: str, golden: Callable[[Path, str], None]) -> None:
    path = EDITORS / place
    wanted = FILES[place](path.read_text(encoding="utf-8"))
    assert all(re.search(rf"\b{name}\b", wanted) for name in FUNCTIONS.keys() | WORDS)
    golden(path, wanted)
