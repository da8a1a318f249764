"""The emitted bench for cocotb: frames over both buses, resets in the middle of frames, faults that it sees."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from find_libpython import find_libpython
from frame_state_designs import states_outside, states_overlapping
from system_designs import (
    complex_elements,
    design_on,
    narrow,
    on_channels,
    overlapping,
    overlapping_narrow,
    overlapping_on_channels,
    separate,
    several_frames,
    several_frames_on_channels,
    write_folder,
)
from verilog_programs import needs_icarus

from hwmodel.emit.schedule.design import HardwareDesign

pytestmark = [
    needs_icarus,
    pytest.mark.skipif(find_libpython() is None, reason="a Python without a shared library, which cocotb loads"),
]


def bench_passes(folder: Path) -> bool:
    """Whether all tests of the folder's bench pass."""
    done = subprocess.run(
        [sys.executable, folder / "cocotb" / "run.py"], cwd=folder, capture_output=True, text=True, check=False
    )
    assert "TESTS=2" in done.stdout + done.stderr, done.stdout + done.stderr
    return done.returncode == 0


DESIGNS = [
    design_on, separate, narrow, complex_elements, on_channels, overlapping, overlapping_narrow,
    overlapping_on_channels, several_frames, several_frames_on_channels, states_outside, states_overlapping,
]  # fmt: skip


@pytest.mark.parametrize("design", DESIGNS)
def test_frames_and_resets(design: Callable[[], HardwareDesign], tmp_path: Path) -> None:
    assert bench_passes(write_folder(design(), tmp_path))


@pytest.mark.parametrize(
    ("design", "path", "right", "wrong"),
    [
        (narrow, "rtl/register_reads.v", "firsts[served_at] + word[INDEX-1:0]", "firsts[served_at]"),
        (narrow, "rtl/register_reads.v", "      served <= 0;\n", ""),
        (narrow, "rtl/control_registers.v", "unread <= done ||", "unread <= start ||"),
        (overlapping, "rtl/stages_ip.v", ".settled(!writing && !unread)", ".settled(!writing)"),
        (overlapping, "rtl/stages_ip.v", "- 38 + 4", "- 38 + 3"),
        (on_channels, "rtl/rows_ip.v", "base1 = bases[32 +: 32]", "base1 = bases[0 +: 32]"),
    ],
    ids=["first word", "reset", "done", "no wait for outputs", "copy in registers", "base of another channel"],
)
def test_faults_are_seen(
    design: Callable[[], HardwareDesign], path: str, right: str, wrong: str, tmp_path: Path
) -> None:
    folder = write_folder(design(), tmp_path)
    text = (folder / path).read_text(encoding="utf-8")
    assert text.count(right) == 1
    (folder / path).write_text(text.replace(right, wrong), encoding="utf-8")
    assert not bench_passes(folder)
