"""Streaming groups behind AXI4-Stream on Icarus: two frames back to back, with and without pauses on both sides."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from port_designs import port_design, require_port_frames
from stream_designs import FRAMES, frames_on_icarus, require_frames, stream_design
from stream_networks import Case, case_of
from verilog_programs import needs_icarus

from arrayol.errors import ArrayolError
from hwmodel.streamed import Stream

AXIS = Stream(interface="axis")
HALF, QUARTER, THREE = (replace(AXIS, pace=Fraction(pulses)) for pulses in ("1/2", "1/4", "3"))
COLUMNS, MEMORY = replace(AXIS, scan=(1, 0)), replace(AXIS, starts="memory")

pytestmark = needs_icarus


@pytest.fixture
def unsharp(tmp_path: Path) -> dict[str, str]:
    """The files of an unsharp mask."""
    return stream_design(case_of("unsharp", tmp_path, H=6, W=8), AXIS).files()


def test_unsharp(tmp_path: Path) -> None:
    design = stream_design(case_of("unsharp", tmp_path, H=20, W=28), AXIS)
    assert (design.cycles, design.hardware.frame) == (594, 560)
    require_frames(design, 1, 2)


# Each has something of its own: several last tasks, kept chains, held data, states, lanes, gaps of lines, tables.
CASES = [
    ("unsharp", {"H": 6, "W": 13}, QUARTER, 50),  # units that a line does not fill
    ("unsharp", {"H": 6, "W": 12}, THREE, 20),
    ("unsharp", {"H": 8, "W": 7}, COLUMNS, 50),
    ("denoise", {"H": 6, "W": 7}, MEMORY, 2),  # an input that is asked for later
    ("early_task", {}, MEMORY, 2),  # no task starts before the load of the first words
    ("two", {"H": 12, "W": 16}, AXIS, 2),
    ("harris_nearest", {"H": 6, "W": 8}, HALF, 2),
    ("halved", {"H": 8, "W": 8}, AXIS, 2),
    ("larger", {"H": 4, "W": 4}, AXIS, 2),
    ("recursive", {"H": 6, "W": 8}, AXIS, 2),
    ("recursive", {"H": 6, "W": 8}, replace(AXIS, pace=Fraction(4)), 100),  # a state that is taken before it leaves
    ("two_states", {"H": 6, "W": 8}, AXIS, 150),  # two of them, in two cycles
    ("row_sums", {"H": 6, "W": 8}, AXIS, 2),
    ("frames", {"F": 3, "H": 4, "W": 6}, AXIS, 2),
    ("pyramid_nearest", {"H": 4, "W": 8}, THREE, 10),
    ("turned", {"H": 4, "W": 6}, AXIS, 50),  # a table of complex numbers
]


@pytest.mark.parametrize(("name", "sizes", "stream", "mhz"), CASES)
def test_kinds_of_groups(tmp_path: Path, name: str, sizes: dict[str, int], stream: Stream, mhz: float) -> None:
    require_frames(stream_design(case_of(name, tmp_path, **sizes), stream, mhz), 3)


SHIPPED = [
    ("camera", {"H": 4, "W": 8}, AXIS, 50),
    ("conv3x3", {"H": 6, "W": 8}, AXIS, 50),
    ("dct", {"H": 8, "W": 8}, AXIS, 50),
    ("demosaic", {"H": 6, "W": 8}, AXIS, 50),
    ("downscaler", {"H": 18, "W": 24}, AXIS, 50),
    ("fir", {"N": 32, "TAPS": 4, "S": 4}, AXIS, 50),
    ("flow", {"H": 4, "W": 6}, AXIS, 50),
    ("jacobi", {"H": 8, "W": 8, "S": 4}, AXIS, 50),
    ("pyramid", {"H": 8, "W": 8}, AXIS, 50),
    ("sobel", {"H": 8, "W": 16}, AXIS, 50),
    ("stereo", {"H": 4, "W": 16}, AXIS, 50),
    ("wavelet", {"H": 8, "W": 8}, HALF, 50),
]


@pytest.mark.parametrize(("name", "sizes", "stream", "mhz"), SHIPPED)
def test_shipped_specifications(tmp_path: Path, name: str, sizes: dict[str, int], stream: Stream, mhz: float) -> None:
    require_frames(stream_design(case_of(name, tmp_path, **sizes), stream, mhz), 3)


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("rtl/group0_stream.v", r"\.DEPTH\(8\)", ".DEPTH(7)"),
        ("rtl/group0_stream.v", r"\.DELAY\((\d+)\)", r".DELAY(\1 - 1)"),
        ("rtl/group0_stream.v", r"i == 3'd0", "i == 3'd1"),
        ("rtl/group0_unit_diff.v", r" if \(go\)", ""),
        ("rtl/unsharp_axis.v", r"\.last\(i\$last\)", ".last(1'b0)"),
    ],
)
def test_a_wrong_circuit_is_seen(unsharp: dict[str, str], path: str, before: str, after: str) -> None:
    """A word less, a start too early, a border elsewhere, a unit without an enable, marks that are not looked at."""
    changed, count = re.subn(before, after, unsharp[path])
    assert count
    runs = frames_on_icarus({**unsharp, path: changed}, 1)
    assert any(len(seen) < FRAMES or any(frame.wrong for frame in seen) for seen in runs)


def test_without_an_input_that_moves_no_word_begins_a_frame(tmp_path: Path) -> None:
    """A stream behind the memory port is started."""
    text = "elementary same(x: u8) -> (y: u8) { y = x }\ntask one(x: u8) -> (y: u8[4]) {\n"
    text += "  repeat [4] of same {\n    x <- x\n    y -> y\n  }\n}\n"
    path = tmp_path / "one.aol"
    path.write_text(text)
    case = Case.of(path)
    require_port_frames(port_design(case, Stream()))
    with pytest.raises(ArrayolError, match=r"not-streamed.*no input moves"):
        port_design(case, AXIS)
