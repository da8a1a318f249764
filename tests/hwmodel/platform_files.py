"""Platform files of tests, written to the current folder: what they give, or what is said about them."""

from __future__ import annotations

from pathlib import Path

import pytest
from schemas import fits

from arrayol.errors import ArrayolError
from hwmodel.platform import Platform, load_platform

SMALLEST = "[memory]\nlatency = 30\ndata_per_word = 4\n"


def load(text: str | bytes) -> Platform:
    path = Path("board.toml")
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    platform = load_platform(path)
    assert fits("platform", path.read_text(encoding="utf-8-sig"))
    return platform


def refused(text: str | bytes) -> str:
    with pytest.raises(ArrayolError) as caught:
        load(text)
    assert caught.value.exit_code == 1
    return str(caught.value)


def first_lines(text: str) -> list[str]:
    """The messages about a document, without excerpts and hints."""
    return [line for line in refused(text).split("\n") if line.startswith("board.toml")]
