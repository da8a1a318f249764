"""Designs over frames: two tasks whose states lie outside, in outputs, in an array of their own, moved; drawn ones."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import assume
from hypothesis import strategies as st
from port_designs import Kinds, memory_of, mixed_design
from strategies_frames_inside import DrawnFrames
from stream_designs import platform_at
from stream_networks import Case

from arrayol.errors import ArrayolError
from hwmodel.emit.schedule.design import HardwareDesign, StreamScheduling
from hwmodel.emit.streams.port_schedule import VERILOG_STREAMS
from hwmodel.frame_states import STATE_LOADS, states_over_frames
from hwmodel.residence import FRAME, Loads
from hwmodel.streamed import Stream

MOTION = """\
elementary mix(x: u8, before: u8) -> (y: u8) { y = u8((u16(x) + 3 * u16(before)) >> 2) }

elementary fore(x: u8, m: u8, c: u8) -> (y: u8, n: u8) {
  n = u8((u16(x) + u16(m)) >> 1)
  y = x - n + c
}

task smooth(v: u8[*, 4, 8]) -> (a: u8[*, 4, 8]) {
  repeat [*, 4, 8] of mix {
    x <- v
    before <- y delay [1, 0, 0] else 7
    y -> a
  }
}

task motion(a: u8[*, 4, 8]) -> (o: u8[*, 4, 8]) {
  repeat [*, 4, 8] of fore {
    x <- a
    m <- n delay [2, 0, 1] else 9
    c <- y delay [1, 1, -1] else 3
    y -> o
  }
}

task video(v: u8[*, 4, 8]) -> (a: u8[*, 4, 8], o: u8[*, 4, 8]) {
  a = smooth(v)
  o = motion(a)
}
"""
TABLE = """\
elementary look(x: u8[16], before: u8[32]) -> (y: u8[16], t: u8[32]) {
  y[i] = before[x[i] % 32]         for i in 0..16
  t[j] = u8(before[j] + x[j % 16])  for j in 0..32
}

task table(v: u8[*, 16]) -> (o: u8[*, 16]) {
  repeat [*] of look {
    x <- v
    before <- t delay [1] else 5
    y -> o
  }
}
"""
WINDOW = """\
elementary mix(x: u8[2], before: u8) -> (y: u8) { y = u8(x[0] - x[1] + before) }
elementary same(x: u8) -> (y: u8) { y = x }
task mixed(v: u8[*, 6]) -> (o: u8[*, 6]) {
  repeat [*, 6] of mix {
    x <- v at origin [0, 0] paving [1, 0; 0, 1] fitting [1; 0]
    before <- y delay [1, 0] else 3
    y -> o
  }
}
task copied(a: u8[*, 6]) -> (o: u8[*, 6]) { repeat [*, 6] of same { x <- a  y -> o } }
task top(v: u8[*, 6]) -> (o: u8[*, 6]) { a = mixed(v)  o = copied(a) }
"""
BLOCKS: Kinds = ((1, None), (1, None))
OUTSIDE: Loads = {"smooth.before": "frame", "motion.m": "frame", "motion.c": "frame"}


def case_of_text(text: str) -> Case:
    """A specification of a text."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "video.aol"
        path.write_text(text)
        return Case.of(path)


@cache
def states_outside(
    kinds: Kinds = BLOCKS, *, together: bool = False, streams: StreamScheduling = VERILOG_STREAMS, **memory: object
) -> HardwareDesign:
    """Both tasks with their states outside."""
    platform = memory_of(platform_at(50), **{"word_bits": 32, **memory})
    return mixed_design(case_of_text(MOTION), kinds, platform, together=together, loads=OUTSIDE, streams=streams)


def table_outside(kind: Stream | None, streams: StreamScheduling = VERILOG_STREAMS) -> HardwareDesign:
    """A state outside among whose elements data choose, in blocks or as a stream."""
    platform, loads = memory_of(platform_at(50), word_bits=32), {"table.before": FRAME}
    return mixed_design(case_of_text(TABLE), ((1, kind),), platform, loads=loads, streams=streams)


def states_overlapping() -> HardwareDesign:
    """The same in groups at the same time, on two channels."""
    return states_outside(together=True, channels=2)


def drawn_design(
    drawn: DrawnFrames, data: st.DataObject, streams: StreamScheduling = VERILOG_STREAMS
) -> tuple[Case, HardwareDesign]:
    """Windows and delays over frames, each task in a group of its own, in blocks or as a stream, on some channels.

    Frames end with words or inside of them. States lie inside or outside, and where there are windows of inputs alone,
    groups may work at the same time.
    """
    case = case_of_text(drawn.text)
    kinds = [(1, data.draw(st.sampled_from((None, None, Stream())))) for _ in case.network.processes]
    words, channels = data.draw(st.sampled_from((32, 64, 128))), data.draw(st.integers(1, 3))
    platform = memory_of(platform_at(50), word_bits=words, channels=channels)
    loads: Loads = {name: data.draw(st.sampled_from(STATE_LOADS)) for name in states_over_frames(case.network)}
    # Groups at the same time pass single frames.
    passed = [name for name, array in case.network.arrays.items() if array.producers]
    may_overlap = len(kinds) > 1 and all(case.accesses.shape(name)[0] == 1 for name in passed)
    together = may_overlap and data.draw(st.booleans())
    try:
        design = mixed_design(case, kinds, platform, loads=loads, together=together, streams=streams)
    except ArrayolError as refused:
        assume(refused.diagnostics[0].code not in {"not-emitted", "not-streamed"})
        raise
    return case, design
