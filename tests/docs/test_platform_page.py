"""The page of the platform file: its examples can be read and have every key, its tables too, with the defaults."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from hwmodel.datapath.entry import ElementaryEntry, Measured
from hwmodel.datapath.technology.overhead import OverheadTable
from hwmodel.datapath.technology.rows import Device, MemoryKind, Row
from hwmodel.datapath.technology.technology import (
    ExternalTable,
    LeakageTable,
    LocalTable,
    PathTable,
    Register,
    TechnologyTable,
    load_technology,
)
from hwmodel.platform import BitCosts, Platform, load_platform
from hwmodel.platform_memories import ExternalMemory, LocalMemory, RowModel

PAGE = (Path(__file__).parents[2] / "docs" / "platform.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```toml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
TABLES: dict[str, type[BaseModel]] = {
    "": Platform,
    "memory.": ExternalMemory,
    "memory.rows.": RowModel,
    "local.": LocalMemory,
    "elementary.NAME.": ElementaryEntry,
    "cost.": BitCosts,
}
TECHNOLOGY: dict[str, type[BaseModel]] = {
    "": TechnologyTable,
    "path.": PathTable,
    "path.register.": Register,
    "memory.local.": LocalTable,
    "memory.local.kind.": MemoryKind,
    "memory.external.": ExternalTable,
    "device.": Device,
    "leakage.": LeakageTable,
    "overhead.": OverheadTable,
    "operators.NAME.": Row,
}


def _is_technology(text: str) -> bool:
    return "[path]" in text


@pytest.mark.parametrize("text", EXAMPLES)
def test_the_examples_can_be_read(tmp_path: Path, text: str) -> None:
    path = tmp_path / "board.toml"
    path.write_text(text, encoding="utf-8")
    for name in re.findall(r'"(\w+\.v)"', text):
        (tmp_path / name).touch()
    if _is_technology(text):
        assert load_technology(path).name == "board"
    else:
        assert load_platform(path).clock_mhz


def test_the_examples_have_every_key() -> None:
    for of_technology, tables in ((False, TABLES), (True, TECHNOLOGY)):
        written: set[str] = set()
        for text in (text for text in EXAMPLES if _is_technology(text) == of_technology):
            written |= set(_written(tomllib.loads(text), ""))
        keys = {prefix + (field.alias or name) for prefix, name, field in _fields(tables)}
        assert keys - written == set()
    measured = {f"elementary.NAME.measured.{name}" for name in Measured.model_fields}
    assert measured <= {key for text in EXAMPLES for key in _written(tomllib.loads(text), "")}


def _written(table: Mapping[str, Any], prefix: str) -> Iterator[str]:
    """The keys of a document, names that users choose as NAME, rows of lists as those of one."""
    for name, value in table.items():
        named = "NAME" if prefix in ("elementary.", "operators.") else name
        yield prefix + named
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, Mapping):
                yield from _written(part, f"{prefix}{named}.")


def test_the_tables_have_every_key_of_a_platform() -> None:
    first, _, rest = PAGE.partition("## A technology")
    rows = re.findall(r"^\| `([\w.]+)` \|[^|]*\| ([^|]*) \|", first + rest.partition("## Rows")[2], re.MULTILINE)
    listed = dict(rows)
    inner = {"memory", "local", "elementary", "cost", "verify", "memory.rows"}
    keys = {prefix + name: field.default for prefix, name, field in _fields(TABLES) if prefix + name not in inner}
    assert listed.keys() == keys.keys() | {"verify.NAME"}
    for name, default in keys.items():
        if isinstance(default, str | int):
            assert listed[name].strip('`"') == str(default).lower()


def test_the_tables_have_every_key_of_a_technology() -> None:
    part = PAGE.partition("## A technology")[2].partition("## Rows")[0]
    listed: set[str] = set()
    for cell in re.findall(r"^\| (`[^|]*) \|", part, re.MULTILINE):
        first, *others = re.findall(r"`([\w.]+)`", cell)
        prefix = first[: first.rfind(".") + 1]
        listed |= {first, *(other if "." in other else prefix + other for other in others)}
    inner = {"path", "memory", "operators", "leakage", "overhead"}
    nested = ("path.register.", "memory.local.kind.", "device.")  # told in the row of the table that they stand in
    for prefix, name, field in _fields(TECHNOLOGY):
        key = field.alias or name
        if prefix in nested:
            (row,) = re.findall(rf"^\| `{prefix[:-1]}` \|.*$", part, re.MULTILINE)
            assert f"`{key}`" in row
        elif prefix + key not in inner:
            assert prefix + key in listed


def _fields(tables: Mapping[str, type[BaseModel]]) -> Iterator[tuple[str, str, Any]]:
    for prefix, table in tables.items():
        for name, field in table.model_fields.items():
            yield prefix, name, field
