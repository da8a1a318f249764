"""JSON Schemas: what is shipped, shown and written fits them; what the loaders refuse for its form does not."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, get_args

import bases
import pytest
from conftest import CommandLine
from explored import folded, mapped, published
from schemas import fits, validator

from arrayol.api.schema import KINDS, SchemaKind, json_schema
from arrayol.errors import ArrayolError
from hwmodel.platform import load_platform

ROOT = Path(__file__).resolve().parents[1]
TABLES = sorted((ROOT / "hwmodel" / "datapath" / "technology" / "tables").glob("*.toml"))
PLATFORMS = sorted([*(ROOT / "specs").glob("**/*.toml"), ROOT / "tests" / "dse" / "lpsf_given.toml"])
SHOWN = [
    text
    for page in sorted((ROOT / "docs").glob("*.md"))
    for text in re.findall(r"^```toml\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    if not text.startswith("# pyproject.toml\n")
]


@pytest.mark.parametrize("path", PLATFORMS, ids=lambda path: path.stem)
def test_shipped_platforms_fit(path: Path) -> None:
    assert fits("platform", path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", TABLES, ids=lambda path: path.stem)
def test_shipped_technologies_fit(path: Path) -> None:
    assert fits("technology", path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("text", SHOWN)
def test_files_that_the_manual_shows_fit(text: str) -> None:
    kind: SchemaKind = (
        "technology" if "[path]" in text else "platform" if "[memory]" in text or "\nmemory = " in text else "study"
    )
    assert fits(kind, text)


@pytest.mark.parametrize("text", bases.STUDIES)
def test_studies_fit(text: str) -> None:
    assert fits("study", text)


MEMORY = "[memory]\nlatency = 30\ndata_per_word = 4\n"
ROWS = "[memory.rows]\nrow_bytes = 8192\nword_ns = 6\nrow_change_ns = 50\nsame_bank_activate_ns = 60\n"


@pytest.mark.parametrize(
    "text",
    [
        "[memory]\n",
        "clock_mhz = 100\n",
        MEMORY + "word_bits = 64\n",
        MEMORY + ROWS,
        MEMORY + "[local]\nwires = 2\n",
        'technology = "ecp5-6"\n' + MEMORY,
        "clock_mhz = 100\noperators.add = { ns = 1 }\n" + MEMORY,
        MEMORY + "outstanding = 8\n",
        'clock_mhz = 100\n[memory]\ndata_per_word = 4\nburst = "run"\noutstanding = 8\n' + ROWS,
        '[memory]\nlatency = 1\nword_bits = 12\nburst = "run"\n',
    ],
)
def test_rules_over_several_keys_are_in_the_schema(text: str, tmp_path: Path) -> None:
    (tmp_path / "board.toml").write_text(text, encoding="utf-8")
    with pytest.raises(ArrayolError):
        load_platform(tmp_path / "board.toml")
    assert not fits("platform", text)


@pytest.mark.parametrize("result", [mapped, folded, published])
def test_results_fit(result: Any) -> None:
    document = json.loads(result().result.to_json())
    validator("result").validate(document)
    validator("result").validate({**document, "more": 1})  # loaders leave it out with a warning
    for key in ("format", "pareto", "space"):
        assert not validator("result").is_valid({name: value for name, value in document.items() if name != key})
    assert not validator("result").is_valid({**document, "format": document["format"] - 1})
    document["pareto"][0]["groups"][0]["processors"][0]["units"] = 0
    assert not validator("result").is_valid(document)


def test_every_key_says_what_it_may_be() -> None:
    for kind in ("platform", "study", "technology"):
        schema = json_schema(kind)
        silent = [
            f"{kind}: {key}"
            for table in (schema, *schema["$defs"].values())
            for key, value in table["properties"].items()
            if "description" not in value and "$ref" not in value
        ]
        assert silent == []
        assert all("description" in table for table in schema["$defs"].values())


def test_the_command_writes_what_the_interface_returns(arrayol: CommandLine, tmp_path: Path) -> None:
    assert get_args(SchemaKind) == KINDS
    for kind in KINDS:
        done = arrayol("schema", kind)
        assert done.returncode == 0
        assert json.loads(done.stdout) == json_schema(kind)
        assert json.loads(done.stdout)["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    written = arrayol("schema", "study", "--out", "study.json")
    assert (written.returncode, written.stdout) == (0, "wrote study.json\n")
    assert (tmp_path / "study.json").read_text(encoding="utf-8") == arrayol("schema", "study").stdout
    assert arrayol("schema", "board").returncode == 2
