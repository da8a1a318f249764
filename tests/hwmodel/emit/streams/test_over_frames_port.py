"""Frames inside of a stream behind the memory port, in Verilog: several starts, each with a frame of its own."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import assume, given, settings
from many_cases import case_count
from port_designs import port_design, require_port_frames
from strategies_frames_inside import FRAMES, MOTION, DrawnFrames, frames_inside
from stream_networks import OWN, Case
from verilog_programs import needs_icarus

from arrayol.errors import ArrayolError
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


def test_states_of_earlier_frames_and_their_defaults() -> None:
    require_port_frames(port_design(case_of(MOTION), INSIDE))


@settings(max_examples=case_count(6))
@given(frames_inside())
def test_drawn_groups(drawn: DrawnFrames) -> None:
    try:
        design = port_design(case_of(drawn.text), drawn.stream)
    except ArrayolError as refused:
        assume(refused.diagnostics[0].code not in {"not-streamed", "not-emitted"})
        raise
    require_port_frames(design)
