"""`arrayol calibrate`, on folders that look as if they had been synthesised."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Done, in_process
from synthesised import DESIGNS, write_synthesised

from hwmodel.datapath.technology.technology import load_technology

Run = Callable[..., Done]


@pytest.fixture
def here(tmp_path: Path) -> Path:
    for number, figures in enumerate(DESIGNS):
        write_synthesised(tmp_path / f"d{number}", figures)
    return tmp_path


@pytest.fixture
def calibrate(here: Path) -> Run:
    return lambda *arguments: in_process("calibrate", *arguments, cwd=here)


def test_a_technology_file(calibrate: Run, here: Path) -> None:
    done = calibrate("d0", "d1", "d2", "--held", "d3", "--out", "mine.toml")
    assert (done.returncode, done.stderr) == (0, "")
    rows = {tuple(line.split()) for line in done.stdout.splitlines()}
    assert ("f", "1:5", "held", "700", "3,248", "3,248", "+0%", "950", "950", "+0%") in rows
    assert ("memory", "100", "50") in rows
    assert ("port", "2", "0") in rows
    technology = load_technology(here / "mine.toml")
    assert technology.overhead is not None
    assert (technology.overhead.lut.memory, technology.overhead.lut.port) == (100, 2)
    assert technology.overhead.ff.memory == 50
    assert technology.table.path == load_technology("ecp5-6").table.path.model_copy(update={"whole": True})
    assert "3 designs, Yosys 0.70: f (3)" in technology.table.source


def test_as_data(calibrate: Run) -> None:
    document = json.loads(calibrate("d0", "d1", "d2", "--held", "d3", "--json").stdout)
    assert document["coefficients"]["lut"] == {"memory": 100, "port": 2}
    assert [design["held"] for design in document["designs"]] == [False, False, False, True]
    assert document["designs"][3]["lut"] == {"units_and_memories": 700, "model": 3248, "synthesised": 3248}


def test_what_was_in_the_costs_already_is_taken_out(calibrate: Run, here: Path) -> None:
    """Designs that were explored with coefficients give the same ones again."""
    write_synthesised(here / "again", DESIGNS[3], steering=333)
    document = json.loads(calibrate("d0", "d1", "again", "--json").stdout)
    assert document["coefficients"]["lut"] == {"memory": 100, "port": 2}


def test_refusals(calibrate: Run, here: Path) -> None:
    (here / "empty").mkdir()
    (here / "d2" / "rtl" / "f_top.v").write_text("module f_top; wire x; endmodule\n", encoding="utf-8")
    write_synthesised(here / "other", (2, 64, 100), technology="asic45")
    write_synthesised(here / "own", (2, 64, 100), technology="mine")
    for arguments, code in (
        (("d0", "d1"), "too-few-designs"),
        (("d0", "d1", "empty"), "not-emitted-folder"),
        (("d0", "d1", "d2"), "not-synthesised"),
        (("d0", "d1", "other"), "mixed-technologies"),
        (("own", "own", "own"), "mixed-technologies"),
    ):
        done = calibrate(*arguments)
        assert done.returncode == 1
        assert f"[{code}]" in done.stderr
    (here / "d1" / "synthesis" / "synthesis.json").write_text("{}", encoding="utf-8")
    assert "[not-synthesised]" in calibrate("d0", "d1", "d3").stderr
    assert calibrate("d0", "d1", "d3", "--out", "mine.json").returncode == 2
