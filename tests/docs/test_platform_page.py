"""The page of the platform file: its example is one, and its tables have every key with its default."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel

from hwmodel.datapath.entry import ElementaryEntry
from hwmodel.platform import BitCosts, ExternalMemory, LocalMemory, Platform, RowModel, load_platform

PAGE = (Path(__file__).parents[2] / "docs" / "platform.md").read_text(encoding="utf-8")
TABLES: dict[str, type[BaseModel]] = {
    "": Platform,
    "memory.": ExternalMemory,
    "memory.rows.": RowModel,
    "local.": LocalMemory,
    "elementary.NAME.": ElementaryEntry,
    "cost.": BitCosts,
}


def test_the_example_is_a_platform(tmp_path: Path) -> None:
    (text,) = re.findall(r"^```toml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    path = tmp_path / "board.toml"
    path.write_text(text, encoding="utf-8")
    platform = load_platform(path)
    assert (platform.clock_mhz, platform.memory.latency, platform.verify) == (100, 30, {"H": 20, "W": 40})


def test_the_tables_have_every_key() -> None:
    listed = dict(re.findall(r"^\| `([\w.]+)` \|[^|]*\| ([^|]*) \|", PAGE, re.MULTILINE))
    keys = dict(_keys())
    assert listed.keys() == keys.keys() | {"verify.NAME"}
    for name, default in keys.items():
        if isinstance(default, str | int):
            assert listed[name].strip('`"') == str(default)


def _keys() -> Iterator[tuple[str, object]]:
    """Every key of a platform file that is no table, with its default."""
    tables = {"memory", "local", "elementary", "cost", "verify", "memory.rows"}
    for prefix, table in TABLES.items():
        for name, field in table.model_fields.items():
            if prefix + name not in tables:
                yield prefix + name, field.default
