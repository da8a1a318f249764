"""Lark's tables for the grammar, kept in the user's cache folder: to make them takes ten times as long as to load them.

They lie in `arrayol/` of $XDG_CACHE_HOME, or of ~/.cache, under a name that changes with the grammar, with what builds
the nodes (it is kept with them), Lark and Python.
What is damaged, another user's or out of date is made anew, and where nothing can be kept each run makes its own.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

import lark
from lark import Token

from arrayol.errors import ArrayolError
from arrayol.files import atomic_file, opened
from arrayol.language.syntax import tree
from arrayol.language.syntax.tree import Builder

_OPTIONS: dict[str, Any] = {
    "parser": "lalr",
    "lexer": "basic",
    "start": ["item", "unknown"],
    "keep_all_tokens": True,
    "maybe_placeholders": False,
}


@dataclass(frozen=True, slots=True)
class Grammar:
    """The tables, and what builds the nodes while they are used."""

    lark: lark.Lark
    builder: Builder

    def tokens(self, text: str) -> list[Token]:
        """The tokens of a text; `Lark.lex` would make its tables anew each time."""
        thread: Any = self.lark.parse_interactive(text, start="item").lexer_thread
        return list(thread.lex(None))


@lru_cache(maxsize=1)
def grammar() -> Grammar:
    """The tables, from the cache or made now: once in a process, for every file."""
    text = Path(__file__).with_name("grammar.lark").read_text(encoding="utf-8")
    file = _cache_file(text, Path(tree.__file__).read_bytes())
    tables = (file and _load(file)) or _make(text, file)
    builder = tables.options.transformer
    assert isinstance(builder, Builder)
    return Grammar(tables, builder)


def _cache_file(text: str, builder: bytes) -> Path | None:
    """Where the tables are kept; None where the user has no such folder."""
    key = sha256(repr((text, builder, _OPTIONS, lark.__version__, sys.version)).encode()).hexdigest()[:32]
    named = Path(os.environ.get("XDG_CACHE_HOME", ""))
    try:
        return (named if named.is_absolute() else Path.home() / ".cache") / "arrayol" / f"grammar-{key}"
    except RuntimeError:  # no home
        return None


def _load(file: Path) -> lark.Lark | None:
    """The kept tables; None where there are none, or the file is not what this user has written, whole."""
    try:
        with opened(file) as stream:
            own = _is_owned_by_user(stream)  # what another has put there could run anything
            digest, content = stream.read(32), stream.read()
        return lark.Lark.load(BytesIO(content)) if own and sha256(content).digest() == digest else None
    except Exception:  # whatever is wrong with them, they can be made anew
        return None


def _is_owned_by_user(stream: BinaryIO) -> bool:
    """Whether this user has written a file; where files have no such owners the folder is the user's alone."""
    return not hasattr(os, "geteuid") or os.fstat(stream.fileno()).st_uid == os.geteuid()


def _make(text: str, file: Path | None) -> lark.Lark:
    builder = Builder()
    tables = lark.Lark(text, transformer=builder, lexer_callbacks={"COMMENT": builder.keep_comment}, **_OPTIONS)
    if file:
        content = BytesIO()
        tables.save(content)
        with suppress(OSError, ArrayolError):
            file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with atomic_file(file) as temporary:
                temporary.write_bytes(sha256(content.getvalue()).digest() + content.getvalue())
    return tables
