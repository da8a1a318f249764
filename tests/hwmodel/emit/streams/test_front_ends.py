"""Modules of streams in front ends other than the simulator's: what they refuse, and what they warn of."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from front_ends import slang_says
from port_designs import mixed_design
from stream_designs import stream_design, write_files
from stream_networks import case_of

from hwmodel.emit.verilog.design import DesignFiles
from hwmodel.emit.verilog.makefile import WAIVERS
from hwmodel.streamed import Stream

AXIS = Stream(interface="axis")


@pytest.fixture(params=["unsharp", "recursive", "conv3x3"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Several units and kept chains; states that are taken early; what is set up."""
    stream = {"unsharp": replace(AXIS, pace=Fraction(1, 4)), "recursive": replace(AXIS, pace=Fraction(4))}
    design = stream_design(case_of(request.param, tmp_path, H=6, W=9), stream.get(request.param, AXIS), 100)
    write_files(design.files(), tmp_path)
    return tmp_path


@pytest.mark.skipif(shutil.which("verilator") is None, reason="no verilator")
def test_front_ends_have_nothing_to_say(folder: Path) -> None:
    (top,) = (folder / "rtl").glob("*_axis.v")
    require_silence(folder, top)


@pytest.mark.skipif(shutil.which("verilator") is None, reason="no verilator")
def test_streams_between_groups_of_blocks(tmp_path: Path) -> None:
    """What is set up, longer intervals, and tasks that stream beside tasks that do not."""
    design = mixed_design(
        case_of("unsharp", tmp_path, H=6, W=9), ((1, None), (3, Stream(pace=Fraction(1, 4))), (1, None))
    )
    write_files(DesignFiles(design).files(), tmp_path)
    require_silence(tmp_path, tmp_path / "rtl" / "unsharp_ip.v")


def require_silence(folder: Path, top: Path) -> None:
    """Slang, Icarus and Verilator say nothing of the modules of a folder."""
    assert slang_says(folder) == []
    waivers = [f"-Wno-{name}" for name in WAIVERS]
    sources = sorted(map(str, (folder / "rtl").glob("*.v")))
    for command in (
        ["iverilog", "-g2001", "-Wall", "-t", "null", *sources],
        ["verilator", "--lint-only", "-Wall", *waivers, "--top-module", top.stem, *sources],
    ):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout + done.stderr) == (0, "")
