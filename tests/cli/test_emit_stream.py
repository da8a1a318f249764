"""`arrayol emit` of designs that are streams, through the installed command."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from conftest import CommandLine
from cpp_programs import needs_compiler
from emitted_chain import PLATFORM, SPEC
from verilog_programs import needs_icarus

INTERFACES = ("port", "axis")


@pytest.fixture(scope="session")
def streamed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two filters in a row, and studies of streams alone: behind the port, and with AXI4-Streams."""
    folder = tmp_path_factory.mktemp("streamed")
    (folder / "chain.aol").write_text(SPEC, encoding="utf-8")
    (folder / "chain.toml").write_text(PLATFORM, encoding="utf-8")
    for interface in INTERFACES:
        study = f'styles = ["stream"]\npaces = ["1"]\ninterfaces = ["{interface}"]\n'
        (folder / f"{interface}.toml").write_text(study, encoding="utf-8")
    return folder


@pytest.fixture
def here(arrayol: CommandLine, streamed: Path, tmp_path: Path) -> Path:
    """A copy of it, explored once with each study."""
    for interface in INTERFACES:
        if not (streamed / interface).exists():
            study = ("--study", f"{interface}.toml", "--out", interface)
            done = arrayol("explore", "chain.aol", *study, "--quiet", "--no-verify", cwd=streamed)
            assert done.returncode == 0, done.stderr
    shutil.copytree(streamed, tmp_path, dirs_exist_ok=True)
    return tmp_path


def chosen_of(folder: Path, interface: str) -> tuple[str, ...]:
    """Options that choose the first design of one group."""
    stored = json.loads((folder / interface / "result.json").read_text(encoding="utf-8"))
    identifier = next(str(one["id"]) for one in stored["pareto"] if len(one["groups"]) == 1)
    return "--result", interface, "--design", identifier


def checked(
    arrayol: CommandLine, folder: Path, form: str, interface: str
) -> tuple[dict[str, Any], str, dict[str, Any]]:
    """The document, the page and the schedule of a design that was emitted and agrees."""
    done = arrayol("emit", form, "chain.aol", *chosen_of(folder, interface), "--check", "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["checked"]["mismatches"] == []
    page, schedule = (
        (folder / f"chain-{form}" / name).read_text(encoding="utf-8") for name in ("README.md", "design.json")
    )
    return found, page, json.loads(schedule)


@needs_icarus
def test_a_stream_has_axi4_stream(arrayol: CommandLine, here: Path) -> None:
    found, page, schedule = checked(arrayol, here, "verilog", "axis")
    assert [frame["cycles"] for frame in found["checked"]["frames"]] == [found["cycles"]] * 2
    assert f"takes {found['cycles']} cycles from its first datum to its last" in page
    assert "| `m_axis_z` | 1 element | 16 | 24 |" in page
    assert schedule["streams"][0] == {"array": "x", "bits": 8, "elements": 1}
    assert (
        arrayol("emit", "verilog", "chain.aol", *chosen_of(here, "axis"), cwd=here).returncode == 0
    )  # in place of the former one


@needs_icarus
def test_a_stream_is_behind_the_port(arrayol: CommandLine, here: Path) -> None:
    found, page, schedule = checked(arrayol, here, "verilog", "port")
    (group,) = schedule["groups"]
    assert {"smoothed", "halved"} <= group["stream"]["starts"].keys()
    assert f"A frame takes {found['cycles']:,} cycles" in page
    assert "| smoothed | 1 | 1 |" in page


@needs_compiler
def test_a_stream_in_cpp(arrayol: CommandLine, here: Path) -> None:
    found, page, schedule = checked(arrayol, here, "hls", "axis")
    assert [run["wrong_words"] for run in found["checked"]["runs"]] == [[0, 0]] * 2
    assert f"{found['cycles']:,} cycles a frame as Verilog" in page
    assert "| `s_z` | 1 | 16 | 24 |" in page
    assert schedule["pulses"] <= schedule["cycles"] == found["cycles"]  # the latency of datapaths is left to tools


@needs_compiler
def test_a_stream_behind_the_port_in_cpp(arrayol: CommandLine, here: Path) -> None:
    found, page, schedule = checked(arrayol, here, "hls", "port")
    assert [run["wrong_words"] for run in found["checked"]["runs"]] == [[0, 0]] * 2
    assert f"The same design takes {found['cycles']:,} cycles a frame as Verilog" in page
    assert "| src/stream.hpp |" in page
    assert schedule["cycles"] == found["cycles"]
    (group,) = schedule["groups"]
    assert group["stream"]["starts"]["halved"] == group["stream"]["starts"]["smoothed"] + 1  # a pulse for a task
