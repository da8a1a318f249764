"""Frames in copies outside in C++, of windows and of delays over frames: several frames of other data, sanitized."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from cpp_programs import is_right, needs_compiler, seen_of, write
from frame_state_designs import BLOCKS, MOTION, TABLE, case_of_text, drawn_design, states_outside, table_outside
from hypothesis import given, settings
from hypothesis import strategies as st
from many_cases import case_count
from port_designs import Kinds, mixed_design
from strategies_frames_inside import DrawnFrames, frames_inside
from stream_networks import Case
from system_designs import VIDEO

from hwmodel.emit.hls.compiler import PLAIN, run_build
from hwmodel.emit.hls.design import HlsFiles
from hwmodel.emit.hls.streams.schedule import CPP_STREAMS
from hwmodel.emit.schedule.design import HardwareDesign
from hwmodel.streamed import Stream

pytestmark = needs_compiler

FIRST: Kinds = ((1, Stream()), (1, None))


def require_right(case: Case, design: HardwareDesign) -> None:
    files = HlsFiles(case.spec, design)
    seen = seen_of(files)
    assert len(design.later) > 1
    assert is_right(seen, files.frames), seen


@pytest.mark.parametrize(
    ("kinds", "together"), [(BLOCKS, False), (BLOCKS, True), (FIRST, True), (((2, Stream()),), False)]
)
def test_states_outside(kinds: Kinds, together: bool) -> None:
    design = states_outside(kinds, together=together, streams=CPP_STREAMS, channels=1 + together)
    assert design.addresses.earlier
    require_right(case_of_text(MOTION), design)


@pytest.mark.parametrize("kind", [None, Stream()])
def test_data_choose_among_states(kind: Stream | None) -> None:
    require_right(case_of_text(TABLE), table_outside(kind, CPP_STREAMS))


@pytest.mark.parametrize("kinds", [BLOCKS, FIRST])
def test_a_window_of_what_another_group_makes(kinds: Kinds) -> None:
    """The second group waits for a frame of the first."""
    case = case_of_text(VIDEO)
    design = mixed_design(case, kinds, streams=CPP_STREAMS)
    assert design.lags == (0, 1)
    require_right(case, design)


@settings(max_examples=case_count(5))
@given(frames_inside(), st.data())
def test_drawn_networks(drawn: DrawnFrames, data: st.DataObject) -> None:
    """Windows and delays over frames, in blocks and streams, in turn and at the same time."""
    case, design = drawn_design(drawn, data, CPP_STREAMS)
    files = HlsFiles(case.spec, design)
    seen = seen_of(files)
    assert is_right(seen, files.frames), seen


CHANGES = {
    "a state before there is one": (BLOCKS, "group0.cpp", r"frame >= 1 ", "frame >= 0 "),
    "the frame's own copy": (BLOCKS, "group1.cpp", r"\(frame \+ 1\) % 3", "frame % 3"),
    "frames not in turn": (BLOCKS, "group0.cpp", r" : frame \+ 1;", " : frame;"),
    "a state of a stream before there is one": (FIRST, "group0.cpp", r"frame >= 1 \?", "frame >= 0 ?"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_is_changed_is_seen(tmp_path: Path, change: str) -> None:
    kinds, path, before, after = CHANGES[change]
    write(HlsFiles(case_of_text(MOTION).spec, states_outside(kinds, streams=CPP_STREAMS)), tmp_path)
    own = tmp_path / "src" / path
    text, count = re.subn(before, after, own.read_text())
    assert count
    own.write_text(text)
    assert any(run_build(tmp_path, PLAIN).wrong)


def test_a_group_without_its_first_frame_is_seen(tmp_path: Path) -> None:
    case = case_of_text(VIDEO)
    write(HlsFiles(case.spec, mixed_design(case, BLOCKS, streams=CPP_STREAMS)), tmp_path)
    own = tmp_path / "src" / "top.cpp"
    text, count = re.subn(r"begun > 1", "begun > 0", own.read_text())
    assert count == 1
    own.write_text(text)
    assert any(run_build(tmp_path, PLAIN).wrong)
