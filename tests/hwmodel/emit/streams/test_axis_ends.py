"""Streaming groups between a source and a sink that are not ours: cocotbext-axi in cocotb, on Icarus."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from cocotb_tools.runner import get_runner
from find_libpython import find_libpython
from stream_designs import stream_design, write_files
from stream_networks import case_of
from verilog_programs import needs_icarus

from hwmodel.emit.streams.design import StreamDesign
from hwmodel.streamed import Stream

pytestmark = [
    needs_icarus,
    pytest.mark.skipif(find_libpython() is None, reason="a Python without a shared library, which cocotb loads"),
]
AXIS = Stream(interface="axis")


def words(folder: Path, name: str, width: int) -> list[list[int]]:
    """The words of a stream in an emitted folder: first of a frame, last of a line, data."""
    lines = [int(line, 16) for line in (folder / "data" / f"{name}.hex").read_text(encoding="utf-8").split()]
    return [[line >> 8 * width + 1, line >> 8 * width & 1, line & (1 << 8 * width) - 1] for line in lines]


def seen(design: StreamDesign, folder: Path, seed: int, late: bool = False) -> tuple[dict[str, Any], dict[str, Any]]:
    """What comes out between the two ends, and what should; `late` marks the second word instead of the first."""
    write_files(design.files(), folder)
    width = {beat.name: beat.word_bytes for beat in design.ends}
    inputs = {beat.name: words(folder, beat.name, width[beat.name]) for beat in design.inputs}
    outputs = {beat.name: words(folder, beat.name, width[beat.name]) for beat in design.outputs}
    if late:
        first = next(iter(inputs.values()))
        first[0][0], first[1][0] = 0, 1
    counts = {name: len(own) for name, own in outputs.items()}
    plan = {"seed": seed, "inputs": inputs, "outputs": counts, "bytes": width}
    paths = {"AXIS_PLAN": folder / "plan.json", "AXIS_SEEN": folder / "seen.json"}
    paths["AXIS_PLAN"].write_text(json.dumps(plan), encoding="utf-8")
    runner, built, top = get_runner("icarus"), folder / "build", f"{design.top}_axis"
    logs = {"log_file": folder / "cocotb.log"}
    sources = sorted((folder / "rtl").glob("*.v"))
    runner.build(sources=sources, hdl_toplevel=top, build_dir=built, timescale=("1ns", "1ps"), **logs)
    environment = {name: str(path) for name, path in paths.items()}
    runner.test("cocotb_axis", top, build_dir=built, extra_env=environment, **logs)
    return json.loads(paths["AXIS_SEEN"].read_text(encoding="utf-8")), {"outputs": outputs, "fault": 0}


@pytest.mark.parametrize(
    ("name", "sizes", "stream"),
    [
        ("unsharp", {"H": 6, "W": 8}, AXIS),
        ("two", {"H": 6, "W": 8}, replace(AXIS, pace=Fraction(1, 2))),  # two outputs, two pixels a word
    ],
)
def test_two_frames(tmp_path: Path, name: str, sizes: dict[str, int], stream: Stream) -> None:
    """With pauses on both sides."""
    found, wanted = seen(stream_design(case_of(name, tmp_path, **sizes), stream), tmp_path, 1)
    assert found == wanted


def test_a_mark_at_another_place_is_a_fault(tmp_path: Path) -> None:
    """Data go on."""
    found, wanted = seen(stream_design(case_of("unsharp", tmp_path, H=6, W=8), AXIS), tmp_path, 0, late=True)
    assert found == {**wanted, "fault": 1}
