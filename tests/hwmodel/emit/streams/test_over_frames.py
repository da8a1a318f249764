"""Frames inside of a stream, in Verilog with AXI4-Streams: several frames of other data, without and with pauses."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import assume, given, settings
from many_cases import case_count
from strategies_frames_inside import FRAMES, MOTION, DrawnFrames, frames_inside
from stream_designs import frames_on_icarus, require_frames, stream_design
from stream_networks import OWN, Case

from arrayol.errors import ArrayolError
from hwmodel.streamed import Stream

INSIDE = Stream(interface="axis", frames="inside")


def motion() -> Case:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "motion.aol"
        path.write_text(MOTION)
        return replace(Case.of(path), frames=FRAMES)


@pytest.mark.parametrize("pace", ["1", "1/2"])
def test_a_window_over_frames(pace: str) -> None:
    case = replace(Case.of(OWN / "temporal.aol", H=4, W=6), frames=FRAMES)
    require_frames(stream_design(case, replace(INSIDE, pace=Fraction(pace))), 3)


def test_states_of_earlier_frames_and_their_defaults() -> None:
    require_frames(stream_design(motion(), INSIDE), 3)


def test_a_frame_too_few_is_seen() -> None:
    """Defaults in one frame less, and a word of the first frames is wrong."""
    design = stream_design(motion(), INSIDE)
    files = {path: str(text).replace("$frame <= 2'd2;", "$frame <= 2'd1;") for path, text in design.files().items()}
    assert files != {path: str(text) for path, text in design.files().items()}
    assert [seen.wrong > 0 for seen in frames_on_icarus(files)[0]] == [False, True, True, True]


@settings(max_examples=case_count(6))
@given(frames_inside("axis"))
def test_drawn_groups(drawn: DrawnFrames) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "drawn.aol"
        path.write_text(drawn.text)
        case = replace(Case.of(path), frames=FRAMES)
    try:
        design = stream_design(case, drawn.stream)
        design.files()
    except ArrayolError as refused:
        assume(refused.diagnostics[0].code not in {"not-streamed", "not-emitted"})
        raise
    require_frames(design, 3)
