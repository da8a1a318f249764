"""Windows over frames whose frames lie in copies outside, in Verilog: several frames of other data on Icarus."""

from __future__ import annotations

import re

import pytest
from axi_benches import frames_behind_axi
from frame_state_designs import BLOCKS, case_of_text, drawn_design
from hardware_designs import bench_of
from hypothesis import given, settings
from hypothesis import strategies as st
from many_cases import case_count
from port_designs import Kinds, frames_at_port, memory_of, mixed_design, require_port_frames
from strategies_frames_inside import DrawnFrames, frames_inside
from stream_designs import platform_at
from stream_networks import OWN, Case
from system_designs import VIDEO, several_frames, several_frames_on_channels
from verilog_programs import needs_icarus

from arrayol.errors import ArrayolError
from hwmodel.cost_model.model import MachineModel
from hwmodel.emit.schedule.design import HardwareDesign
from hwmodel.emit.schedule.port import AddressMap
from hwmodel.emit.verilog.design import DesignFiles
from hwmodel.residence import Load
from hwmodel.simulator.frame_copies import FrameCopies
from hwmodel.simulator.schedule.plan import SimulatorError
from hwmodel.streamed import Stream

pytestmark = needs_icarus


@pytest.fixture
def design() -> HardwareDesign:
    return several_frames()


def test_the_last_frames_lie_in_copies(design: HardwareDesign) -> None:
    assert design.buffers is not None
    assert design.buffers.frames == {"v": 3, "a": 2}
    assert design.buffers.lags == (0, 1)
    assert design.buffers.copies == {"v": 4, "a": 2}
    assert design.buffers.ahead == {"v": 2, "a": 0, "o": -1}
    require_port_frames(design, bench_of(VIDEO).model.once.setup_cycles)


def test_copies_in_several_channels() -> None:
    design = several_frames_on_channels()
    assert len({design.addresses.channels[name] for name in ("v", "a", "o")}) == 3
    require_port_frames(design, bench_of(VIDEO).model.once.setup_cycles)
    assert frames_behind_axi(design, 4, stores_first=True) == ([0] * (1 + len(design.later)), 0)


def test_behind_axi(design: HardwareDesign) -> None:
    assert frames_behind_axi(design, 3, stores_first=True) == ([0] * (1 + len(design.later)), 0)


@pytest.mark.parametrize("kinds", [((1, Stream()), (1, None)), ((1, None), (1, Stream()))])
def test_separate_ports_and_a_stream(kinds: tuple[tuple[int, Stream | None], ...]) -> None:
    """What is read of two frames, a stream makes or reads; words have four elements."""
    platform = memory_of(platform_at(50), port="separate", word_bits=32, latency=5, outstanding=2)
    case = Case.of(OWN / "temporal.aol", H=4, W=8)
    require_port_frames(mixed_design(case, kinds, platform))


def test_another_frame_is_not_proven(monkeypatch: pytest.MonkeyPatch) -> None:
    """All requests are for the frame's own copy: a repetition takes other values."""
    right = AddressMap.in_frame
    monkeypatch.setattr(
        AddressMap, "in_frame", lambda self, array, element: (0 * element, right(self, array, element)[1])
    )
    with pytest.raises(ArrayolError, match="unproven-schedule"):
        mixed_design(Case.of(OWN / "temporal.aol", H=4, W=8), ((1, None), (1, None)))


@pytest.mark.parametrize("load", ["once", "frame"])
def test_a_const_array_is_there_before_the_first_frame(load: Load) -> None:
    text = VIDEO.replace("task video(v: u8[*, 4, 8], k: u8[2])", "task video(v: u8[*, 4, 8])")
    case = case_of_text("const K: u8[2] = [3, 5]\n\n" + text.replace("sums(v, k)", "sums(v, K)"))
    design = mixed_design(case, ((1, None), (1, None)), loads={"K": load})
    assert design.buffers is not None
    assert "K" in design.frame.inputs
    require_port_frames(design, MachineModel(case.network, platform_at(50), {"K": load}).once.setup_cycles)


APART = """\
elementary same(x: u8) -> (y: u8) { y = x }
elementary less(x: u8[2]) -> (y: u8) { y = u8(x[0] - x[1]) }
task copies(v: u8[*, 7]) -> (b: u8[*, 7]) { repeat [*, 7] of same { x <- v  y -> b } }
task apart(b: u8[*, 7]) -> (o: u8[*, 7]) {
  repeat [*, 7] of less { x <- b at origin [0, 0] paving [1, 0; 0, 1] fitting [1; 0]  y -> o }
}
task top(v: u8[*, 7]) -> (o: u8[*, 7]) { b = copies(v)  o = apart(b) }
"""
LATE = APART.replace("at origin [0, 0]", "at origin [1, 0]")
PART_LATE = (
    LATE.replace("o: u8[*, 7]", "o: u8[*, 3]").replace("repeat [*, 7] of less", "repeat [*, 3] of less")
).replace("origin [1, 0]", "origin [1, 2]")
IN_TURN = (
    APART.replace("o: u8[*, 7]", "o: u8[*, 2, 7]")
    .replace("repeat [*, 7] of less", "repeat [*, 2, 7] of less")
    .replace("paving [1, 0; 0, 1]", "paving [1, 1, 0; 0, 0, 1]")
)


@pytest.mark.parametrize("kinds", [BLOCKS, ((1, Stream()), (1, None)), ((1, None), (1, Stream()))])
@pytest.mark.parametrize("text", [APART, LATE, PART_LATE, IN_TURN], ids=["apart", "late", "part late", "in turn"])
def test_frames_that_end_inside_of_words(text: str, kinds: Kinds) -> None:
    """What is read of later frames alone is stored; and repetitions of a frame may read one frame each."""
    design = mixed_design(case_of_text(text), kinds, memory_of(platform_at(50), word_bits=32))
    assert design.buffers is not None
    assert design.buffers.frames["b"] > 1
    require_port_frames(design)


CHANGES = [
    ("rtl/video_top.v", r"frames >= 1", "frames >= 0", "a group without its first frame"),
    ("rtl/video_top.v", r"(frame1_of2 == 0 \?) \d+", r"\1 0", "one frame in place of two"),
    ("rtl/video_top.v", r"(frame0_of2 <= frame0_of2 ==) 1", r"\1 0", "a copy that is not used"),
]


@pytest.mark.parametrize(("path", "before", "after"), [own[:3] for own in CHANGES], ids=[own[3] for own in CHANGES])
def test_what_is_changed_is_seen(design: HardwareDesign, path: str, before: str, after: str) -> None:
    files = DesignFiles(design).files()
    text, count = re.subn(before, after, files[path], count=1)
    assert count == 1
    assert any(frame.wrong for frame in frames_at_port(files | {path: text}))


@pytest.mark.parametrize("name", ["v", "a"])
def test_a_copy_less_is_seen(design: HardwareDesign, name: str) -> None:
    own = design.buffers
    assert own is not None
    groups = [[task.units.task for task in group.tasks] for group in design.groups]
    accesses = Case(case_of_text(VIDEO).spec, design.network).accesses
    FrameCopies(accesses, own.copies, own.ahead).require_frames(groups, own.lags)
    fewer = {**own.copies, name: own.copies[name] - 1}
    with pytest.raises(SimulatorError, match="is not in its copy"):
        FrameCopies(accesses, fewer, own.ahead).require_frames(groups, own.lags)


@settings(max_examples=case_count(8))
@given(frames_inside(), st.data())
def test_drawn_networks(drawn: DrawnFrames, data: st.DataObject) -> None:
    """Windows and delays over frames, in blocks and streams, in turn and at the same time."""
    require_port_frames(drawn_design(drawn, data)[1])
