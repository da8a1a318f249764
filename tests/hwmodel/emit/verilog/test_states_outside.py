"""Delays over frames whose states lie in copies outside, in Verilog: several frames of other data on Icarus."""

from __future__ import annotations

import re

import pytest
from axi_benches import frames_behind_axi
from frame_state_designs import BLOCKS, MOTION, OUTSIDE, WINDOW, case_of_text, states_outside, table_outside
from port_designs import Kinds, frames_at_port, memory_of, mixed_design, require_port_frames
from stream_designs import platform_at
from verilog_programs import needs_icarus

from arrayol.errors import ArrayolError
from hwmodel.accesses import Accesses
from hwmodel.emit.schedule.port import AddressMap
from hwmodel.emit.verilog.design import DesignFiles
from hwmodel.frame_states import states_over_frames, with_states_outside
from hwmodel.residence import FRAME, Load, Loads
from hwmodel.simulator.frame_copies import FrameCopies
from hwmodel.simulator.periods import require_copies
from hwmodel.simulator.schedule.plan import SimulatorError
from hwmodel.streamed import Stream

pytestmark = needs_icarus

GROUPS = (["smooth"], ["motion"])


def test_earlier_frames_lie_in_copies() -> None:
    own = states_outside()
    assert own.buffers is not None
    assert own.buffers.copies == {"a": 2, "o": 2, "motion.n": 3}
    assert own.addresses.earlier == {"smooth.before": 1, "motion.m": 2, "motion.c": 1}
    assert own.addresses.first["smooth.before"] == own.addresses.first["a"]
    assert len(own.later) == 4
    require_port_frames(own)


@pytest.mark.parametrize("kinds", [((1, Stream()), (1, None)), ((2, Stream()),)])
def test_streams(kinds: Kinds) -> None:
    """A stream takes earlier frames from outside as it takes inputs."""
    require_port_frames(states_outside(kinds))


@pytest.mark.parametrize("kind", [None, Stream()])
def test_data_choose_among_states(kind: Stream | None) -> None:
    require_port_frames(table_outside(kind))


@pytest.mark.parametrize("kinds", [BLOCKS, ((1, Stream()), (1, None))])
def test_groups_at_the_same_time(kinds: Kinds) -> None:
    """Frames overlap: a group goes on with a frame while the other one is still at the frame before."""
    own = states_outside(kinds, together=True)
    assert own.periods is not None
    assert own.addresses.copies["a"] == 3  # of the frame that is made, the one before, and that of the reader
    require_port_frames(own)
    assert frames_behind_axi(own, 2) == ([0] * (1 + len(own.later)), 0)


@pytest.mark.parametrize("load", ["once", "frame"])
@pytest.mark.parametrize("words", [16, 32])
def test_a_window_of_inputs_comes_whole_to_groups_at_the_same_time(words: int, load: Load) -> None:
    """Frames of 6 bytes end inside of words of 4; beside a state outside, only requests of whole words follow them."""
    case, platform = case_of_text(WINDOW), memory_of(platform_at(50), word_bits=words)
    if (words, load) == (32, "frame"):
        with pytest.raises(ArrayolError, match="several frames of 'v' at once, which end inside of words"):
            mixed_design(case, BLOCKS, platform, together=True, loads={"mixed.before": load})
        return
    own = mixed_design(case, BLOCKS, platform, together=True, loads={"mixed.before": load})
    assert own.buffers is None
    assert len(own.later) > 1
    require_port_frames(own)


PATTERNS = """\
elementary e(x: i16[2, 2], s: i16[2, 2], m: i8.8) -> (y: i16[2, 2], n: i8.8) {
  y[i, j] = x[i, j] + (s[j, i] >> 1)  for i in 0..2, j in 0..2
  n = m + 0.5
}

task t(v: i16[4, *, 8]) -> (o: i16[*, 4, 8]) {
  repeat [2, *, 4] of e {
    x <- v at origin [0, 0, 0] paving [2, 0, 0; 0, 1, 0; 0, 0, 2] fitting [1, 0; 0, 0; 0, 1]
    s <- y delay [0, 1, 0] else -5
    m <- n delay [1, 2, 0] else 1.5
    y -> o at origin [0, 0, 0] paving [0, 1, 0; 2, 0, 0; 0, 0, 2] fitting [0, 0; 1, 0; 0, 1]
  }
}
"""
SAMPLES = """\
elementary e(x: u16, s: u16) -> (y: u16) { y = x + (s >> 1) }

task t(v: u16[*]) -> (o: u16[*]) {
  repeat [*] of e {
    x <- v
    s <- y delay [3] else 9
    y -> o
  }
}
"""


@pytest.mark.parametrize("stream", [None, Stream()])
@pytest.mark.parametrize(
    ("text", "copies"), [(PATTERNS, {"o": 2, "t.n": 3}), (SAMPLES, {"o": 4})], ids=["patterns", "samples"]
)
def test_patterns_and_samples(text: str, copies: dict[str, int], stream: Stream | None) -> None:
    """A state of a pattern, of other types and signs, with frames along another dimension; and one of a sample."""
    case = case_of_text(text)
    loads: Loads = dict.fromkeys(states_over_frames(case.network), FRAME)
    own = mixed_design(case, ((1, stream),), memory_of(platform_at(50), word_bits=32), loads=loads)
    assert own.buffers is not None
    assert own.buffers.copies == copies
    require_port_frames(own)


def test_behind_axi_on_channels() -> None:
    own = states_outside(channels=3, port="separate", latency=5, outstanding=2)
    assert own.addresses.channels["smooth.before"] == own.addresses.channels["a"]
    require_port_frames(own)
    assert frames_behind_axi(own, 3, stores_first=True) == ([0] * (1 + len(own.later)), 0)


CHANGES = [
    ("rtl/group1_top.v", r"ended >= 2'd2", "ended >= 2'd1", "a state before there is one"),
    ("rtl/video_top.v", r"(frame1_of3 == 0 \?) \d+", r"\1 0", "the frame's own copy in place of that two before"),
    ("rtl/video_top.v", r"(frame0_of2 <= frame0_of2 ==) 1", r"\1 0", "a copy that is not used"),
    ("rtl/group1_top.v", r"(_brought\[0 \+: 8\] = .* : 8'h)9", r"\g<1>8", "another default"),
]


@pytest.mark.parametrize(("path", "before", "after"), [own[:3] for own in CHANGES], ids=[own[3] for own in CHANGES])
def test_what_is_changed_is_seen(path: str, before: str, after: str) -> None:
    files = DesignFiles(states_outside()).files()
    text, count = re.subn(before, after, str(files[path]), count=1)
    assert count == 1
    assert any(frame.wrong for frame in frames_at_port(files | {path: text}))


def test_another_frame_is_not_proven(monkeypatch: pytest.MonkeyPatch) -> None:
    """Requests for earlier frames ask for the copies of the frame itself."""
    monkeypatch.setattr(AddressMap, "in_frame", lambda self, array, element: (0 * element, element))
    with pytest.raises(ArrayolError, match="unproven-schedule"):
        states_outside(latency=31)


@pytest.mark.parametrize("name", ["a", "o", "motion.n"])
def test_a_copy_less_is_seen(name: str) -> None:
    """Else a frame would be stored over the one that is read block by block."""
    case = case_of_text(MOTION)
    accesses = Accesses(with_states_outside(case.network, OUTSIDE))
    own = states_outside().buffers
    assert own is not None
    fewer = {**own.copies, name: own.copies[name] - 1}
    with pytest.raises(SimulatorError, match="is not in its copy"):
        FrameCopies(accesses, fewer, own.ahead).require_frames(GROUPS, own.lags)
    copies = states_outside(together=True).addresses.copies
    require_copies(accesses, GROUPS, copies)
    with pytest.raises(SimulatorError, match="made for another frame"):
        require_copies(accesses, GROUPS, {**copies, name: copies[name] - 1})
