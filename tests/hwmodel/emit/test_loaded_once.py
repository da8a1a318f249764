"""Arrays that are loaded once and that several groups read: all take the words that one of them asks for."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from cpp_programs import is_right, needs_compiler, seen_of
from hardware_designs import PLATFORM, Small, bench_of
from port_designs import frames_at_port
from verilog_programs import frames_of, needs_icarus, promised_frames

from hwmodel.design import Blocks, Design, GroupDesign, Processor, row_major
from hwmodel.emit.hls.design import HlsFiles
from hwmodel.emit.schedule.design import HardwareDesign
from hwmodel.emit.verilog.design import DesignFiles

SPEC = """\
elementary weighed(x: u8[3], w: u8[3]) -> (y: u16) {
  y += u16(x[i]) * w[i]  for i in 0..3
}

elementary shifted(y: u16, w: u8, v: u8) -> (z: u16) {
  z = y + w + 3 * v
}

elementary scaled(z: u16, v: u8) -> (q: u16) {
  q = z + u16(v) * 5
}

task weigh(x: u8[*, 12], w: u8[3]) -> (y: u16[*, 4]) {
  repeat [*, 4] of weighed {
    x <- x at origin [0, 0] paving [1, 0; 0, 3] fitting [0; 1]
    w <- w
    y -> y
  }
}

task shift(y: u16[*, 4], w: u8[3], v: u8[4]) -> (z: u16[*, 4]) {
  repeat [*, 4] of shifted {
    y <- y
    w <- w at origin [1] paving [0, 0] fitting []
    v <- v at origin [0] paving [0, 1] fitting []
    z -> z
  }
}

task scale(z: u16[*, 4], v: u8[4]) -> (q: u16[*, 4]) {
  repeat [*, 4] of scaled {
    z <- z
    v <- v at origin [3] paving [0, -1] fitting []
    q -> q
  }
}

task top(x: u8[*, 12], w: u8[3], v: u8[4]) -> (q: u16[*, 4]) {
  y = weigh(x, w)
  z = shift(y, w, v)
  q = scale(z, v)
}
"""


def mapped(platform: str = PLATFORM) -> tuple[Small, Design]:
    """Three tasks in three groups; two read `w`, and two `v`."""
    groups = (GroupDesign((Processor(task),), Blocks((1, 2), row_major(2))) for task in ("weigh", "shift", "scale"))
    design = Design(tuple(groups))
    return Small(bench_of(SPEC, platform), (design,)), design


def emitted(platform: str = PLATFORM) -> tuple[HardwareDesign, int]:
    """The hardware of the design, and the cycles of its setup in the model."""
    small, design = mapped(platform)
    return small.hardware(design), small.testbench.model.once.setup_cycles


@needs_icarus
@pytest.mark.parametrize("port", ["shared", "separate"])
@pytest.mark.parametrize("latency", [0, 7, 23])
def test_groups_take_the_words_together(port: str, latency: int) -> None:
    """Before the first frame each array passes once; with another memory all outputs stay right."""
    hardware, setup = emitted(PLATFORM.replace('port = "shared"', f'port = "{port}"'))
    assert [group.once for group in hardware.groups] == [("w", "v")] * 3
    frames = frames_of(replace(hardware, latency=latency))
    assert [frame.wrong for frame in frames] == [0, 0]
    if latency == hardware.latency:
        assert setup > 0
        assert frames == promised_frames(hardware, setup)


@needs_compiler
def test_in_cpp_each_group_has_its_own() -> None:
    small, design = mapped()
    assert is_right(seen_of(HlsFiles(small.testbench.spec, small.hardware(design))))


@needs_icarus
def test_all_of_them_must_listen() -> None:
    """A group that does not load with the first one asks in its first frame, which takes longer."""
    hardware, setup = emitted()
    files = DesignFiles(hardware).files()
    text, count = re.subn(r"\.load\(.*?\)(?=, \.loaded\(loaded1\))", ".load(1'b0)", files["rtl/top_top.v"])
    assert count == 1
    assert frames_at_port(files | {"rtl/top_top.v": text}) != promised_frames(hardware, setup)
