"""Pages that are read from top to bottom: every file, command, report and picture of them."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from find_libpython import find_libpython
from manual import FOLDER, TOURS, Agree, Block, blocks, printed, read, report_after, report_of, run_unshown
from PIL import Image
from test_readme import blocks as blocks_of_readme
from verilog_programs import needs_icarus

COLUMNS = 96  # of a terminal
SHADES = 64  # colours that are kept of a picture: files of a third
PICTURE = re.compile(r"\]\(\.\./pictures/([\w-]+\.png)\)")
needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
needs_handover = pytest.mark.skipif(
    find_libpython() is None or shutil.which("verilator") is None, reason="no Python for cocotb, or no verilator"
)
NEEDS = {
    "tutorial": (needs_icarus,),
    "from-c": (needs_icarus, needs_gcc),
    "to-a-project": (needs_icarus, needs_gcc, needs_handover),
}
RUNS = [pytest.param(name, marks=NEEDS.get(name, ())) for name in TOURS]


@pytest.mark.parametrize("tour", RUNS)
def test_a_tour(
    tour: str,
    agree: Agree,
    script: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    monkeypatch.chdir(tmp_path)
    for page in TOURS[tour]:
        for number in range(len(blocks(page))):
            follow(blocks(page)[number], agree, script, tmp_path)
        for picture in PICTURE.findall(read(page)):
            (made,) = tmp_path.rglob(picture)
            keep_or_compare(made, FOLDER / "pictures" / picture, request)


def follow(block: Block, agree: Agree, script: Path, folder: Path) -> None:
    """Do what a reader does with a block; compare what he sees."""
    match block.language:
        case "aol" | "c" | "toml" | "python":
            (folder / block.name).write_text(block.text, encoding="utf-8")
            if block.language == "aol":
                judge(block, agree)
        case "console":
            agree(block, printed(block, script, folder, COLUMNS))
        case "sh":
            if block.text not in blocks_of_readme(FOLDER.parent, "sh"):
                run_unshown(block, folder)
        case _:
            before = blocks(block.page)[block.number - 1]
            assert (block.language, before.language) == ("text", "aol"), f"{block}: what is this text the report of?"


def judge(block: Block, agree: Agree) -> None:
    """A file with a ```text block after it gives exactly that report; any other is free of errors and warnings."""
    report, found = report_after(block), report_of(block.name)
    if report is None:
        assert found == "", block
    else:
        agree(report, found)
        assert found


def keep_or_compare(made: Path, shown: Path, request: pytest.FixtureRequest) -> None:
    """A page shows the picture that its commands have made; `--update-golden` puts it there, in fewer colours."""
    drawn = Image.open(made).convert("RGB")
    if request.config.getoption("--update-golden"):
        drawn.quantize(SHADES, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(shown, optimize=True)
    kept = Image.open(shown).convert("RGB")
    assert kept.size == drawn.size
    assert np.abs(np.asarray(kept, float) - np.asarray(drawn, float)).mean() < 3, f"{shown.name} shows something else"
    assert shown.stat().st_size < 100_000


def test_every_page_for_newcomers_is_a_tour() -> None:
    pages = {path.relative_to(FOLDER).as_posix() for path in FOLDER.glob("*/*.md")}
    assert {page for tour in TOURS.values() for page in tour} == pages - {"howto/index.md"}  # which has links alone
