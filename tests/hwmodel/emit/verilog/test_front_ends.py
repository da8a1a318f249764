"""Emitted modules in front ends that read SystemVerilog: what they refuse, and what they warn of."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from front_ends import slang_says
from hardware import write_design
from hardware_designs import three_units
from pyslang.parsing import TokenKind

from hwmodel.datapath.operators.nets import RESERVED, identifier


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A design with banks, a window and three units of each task."""
    target = tmp_path_factory.mktemp("design")
    write_design(three_units(), target)
    return target


def test_slang_has_nothing_to_say(folder: Path) -> None:
    assert slang_says(folder) == []


@pytest.mark.parametrize(
    ("path", "declared"),
    [
        ("rtl/axi_port.v", r"  reg \[QUEUE\+4:0\] flying;.*\n"),
        ("rtl/group0_top.v", r"  wire \[2:0\] blurred_y_writes;\n"),
        ("rtl/group0_top.v", r"  wire advance = .*\n"),
    ],
)
def test_slang_wants_declarations_before_uses(folder: Path, path: str, declared: str, tmp_path: Path) -> None:
    """A declaration that moves to the end of its module."""
    text = (folder / path).read_text(encoding="utf-8")
    found = re.search(declared, text)
    assert found is not None
    moved = text.replace(found[0], "", 1).replace("endmodule\n", f"{found[0]}endmodule\n", 1)
    (tmp_path / "rtl").mkdir()
    for source in (folder / "rtl").glob("*.v"):
        (tmp_path / "rtl" / source.name).write_bytes(source.read_bytes())
    (tmp_path / path).write_text(moved, encoding="utf-8")
    assert any("used before its declaration" in line for line in slang_says(tmp_path))


def test_words_of_systemverilog_are_no_names() -> None:
    """Slang's words, which it names without underscores."""
    theirs = {name.removesuffix("Keyword").lower() for name in dir(TokenKind) if name.endswith("Keyword")}
    assert len(theirs) == 248
    assert theirs <= {word.replace("_", "") for word in RESERVED}
    assert {identifier(word) for word in RESERVED} == {f"{word}$" for word in RESERVED}
