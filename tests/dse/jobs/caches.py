"""What tests of the cache share."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path

import pytest

from arrayol.errors import ArrayolError
from dse.jobs.cache import open_rows


def key(name: str) -> bytes:
    return name.encode().ljust(32, b"\0")


def held(folder: Path, names: Sequence[str]) -> dict[str, str]:
    """What a cache gives for some names; all that it holds belongs to them."""
    with open_rows(folder, resume=True) as found:
        rows = found.get([key(name) for name in names])
        assert len(found) == len(rows)
    return {name: rows[key(name)] for name in names if key(name) in rows}


def refusal(folder: Path, *, resume: bool) -> str:
    """What is told when its cache is opened and a row is put."""

    def explore() -> None:
        with open_rows(folder, resume=resume) as found:
            found.put(key("a"), "test", "1")

    with pytest.raises(ArrayolError) as caught:
        explore()
    return str(caught.value)


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def read(path: Path, *statements: str) -> list[tuple[object, ...]]:
    """The rows of the last of some statements of SQLite."""
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        for statement in statements:
            rows = connection.execute(statement).fetchall()
    finally:
        connection.close()
    return rows
