"""Frames inside of a stream behind the memory port, in Verilog: several starts, each with a frame of its own."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from axi_benches import frames_behind_axi
from hypothesis import assume, given, settings
from many_cases import case_count
from port_designs import frames_at_port, memory_of, port_design, require_port_frames
from strategies_frames_inside import FRAMES, MOTION, DrawnFrames, frames_inside
from stream_designs import platform_at
from stream_networks import OWN, Case
from verilog_programs import needs_icarus, promised_frames

from arrayol.errors import ArrayolError
from hwmodel.emit.verilog.design import DesignFiles
from hwmodel.streamed import Stream

INSIDE = Stream(frames="inside")

pytestmark = needs_icarus


def case_of(text: str) -> Case:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "drawn.aol"
        path.write_text(text)
        return replace(Case.of(path), frames=FRAMES)


@pytest.mark.parametrize("pace", ["1", "1/2"])
def test_a_window_over_frames(pace: str) -> None:
    case = replace(Case.of(OWN / "temporal.aol", H=4, W=6), frames=FRAMES)
    require_port_frames(port_design(case, replace(INSIDE, pace=Fraction(pace))))


def test_frames_have_blanking() -> None:
    """A line more, in which the last two data of a frame pass; each start stores the frame before its own."""
    case = replace(Case.of(OWN / "temporal.aol", H=4, W=6), frames=FRAMES)
    design = port_design(case, INSIDE, chunk=3)
    group = design.groups[0]
    assert group.streamed is not None
    assert (group.streamed["frame"], group.steps) == (5 * 6, 5 * 6 // 3 + 2)  # nothing is stored in the last two
    assert design.buffers is not None
    assert design.buffers.ahead == {"v": 0, "o": -1}
    require_port_frames(design)
    assert frames_behind_axi(design, 4, stores_first=True) == ([0] * (1 + len(design.later)), 0)


def test_a_slow_memory_of_narrow_words() -> None:
    platform = memory_of(platform_at(50), port="separate", word_bits=16, latency=40, outstanding=2)
    require_port_frames(port_design(case_of(MOTION), INSIDE, platform=platform))


def test_states_of_earlier_frames_and_their_defaults() -> None:
    """A group that is reset before each frame has defaults in all of them."""
    design = port_design(case_of(MOTION), INSIDE)
    files, frames = DesignFiles(design).files(), promised_frames(design, 0)
    assert frames_at_port(files) == frames
    group = str(files["rtl/group0_top.v"])
    forgets = group.replace(
        "stream stream (\n    .clk(clk), .reset(reset),", "stream stream (\n    .clk(clk), .reset(start),"
    )
    assert forgets != group
    seen = frames_at_port(files | {"rtl/group0_top.v": forgets})
    assert [own.wrong > 0 for own in seen] == [False, *[True] * (len(frames) - 1)]


@settings(max_examples=case_count(6))
@given(frames_inside())
def test_drawn_groups(drawn: DrawnFrames) -> None:
    try:
        design = port_design(case_of(drawn.text), drawn.stream)
    except ArrayolError as refused:
        assume(refused.diagnostics[0].code not in {"not-streamed", "not-emitted"})
        raise
    require_port_frames(design)
