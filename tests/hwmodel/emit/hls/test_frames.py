"""Drawn designs with delays over frames in C++: two frames more of other data than they reach back."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from cpp_programs import is_right, needs_compiler, seen_of, write
from frame_state_designs import case_of_text
from many_cases import full_count, on_many
from port_designs import memory_of, mixed_design, require_port_frames, scheduled_design
from scheduled_cases import scheduled
from strategies_designs import MappedSpec, emitted_specs
from strategies_frames import frame_specs
from stream_designs import platform_at
from stream_networks import Case

from arrayol.errors import ArrayolError
from hwmodel.cost_model.model import MachineModel
from hwmodel.design import Blocks, Design, GroupDesign, Processor, Scan
from hwmodel.emit.hls.compiler import PLAIN, run_build
from hwmodel.emit.hls.design import HlsFiles
from hwmodel.emit.hls.streams.schedule import CPP_STREAMS
from hwmodel.emit.schedule.design import StreamScheduling
from hwmodel.emit.streams.port_schedule import VERILOG_STREAMS

VIDEO = """\
elementary mix(x: u8, p: u8) -> (y: u8) { y = u8(x + 3 * p) }

task top(x: u8[*, 6]) -> (y: u8[*, 6]) {
  repeat [*, 6] of mix {
    x <- x
    p <- y delay [2, 1] else 7
    y -> y
  }
}
"""
FEATURES = {"two frames back", "wide state", "several units", "several groups", "another repetition"}


@needs_compiler
def test_each_frame_finds_what_the_one_before_made() -> None:
    features, refused = Counter[str](), Counter[str]()

    def judge(case: MappedSpec) -> None:
        try:
            simulation, design = scheduled(case, as_verilog=False)
            assert design is not None
            files = HlsFiles(case.spec, design)
            files.files()
        except ArrayolError as error:
            refused[error.diagnostics[0].message] += 1
            return
        assert simulation.identical
        assert files.frames == 1 + len(design.later) > 2
        seen = seen_of(files)
        assert is_right(seen, files.frames), seen
        features.update(case.features)

    on_many(full_count(15), 12, judge, emitted_specs(frame_specs()))
    assert features.keys() >= FEATURES, (features, refused)
    assert not any("another state" in reason for reason in refused), refused


@needs_compiler
@pytest.mark.parametrize(
    ("before", "after"),
    [("", ""), (r"frame >= 2 && ", ""), (r" : frame \+ 1;", " : frame;"), (r"\(frame \+ 1\) % ", "frame % ")],
    ids=["right", "no default", "no frames in turn", "not the oldest frame"],
)
def test_frames_in_turn(tmp_path: Path, before: str, after: str) -> None:
    (tmp_path / "top.aol").write_text(VIDEO)
    case = Case.of(tmp_path / "top.aol")
    files = HlsFiles(case.spec, mixed_design(case, ((1, None),), streams=CPP_STREAMS))
    write(files, tmp_path)
    changed, count = re.subn(before, after, (tmp_path / "src" / "group0.cpp").read_text()) if before else ("", 0)
    if count:
        (tmp_path / "src" / "group0.cpp").write_text(changed)
    assert bool(count) == bool(before)
    assert is_right(run_build(tmp_path, PLAIN), files.frames) == (not before)


SLIDES = """\
elementary mix(x: u8, p: u8[3]) -> (y: u8, n: u8[3]) {
  y = u8(x + 3 * p[0] + p[1] + 5 * p[2])
  n[k] = u8(p[k] + x)  for k in 0..3
}

task top(x: u8[*, 2, 6], v: u8[*, 2, 8]) -> (y: u8[*, 2, 6]) {
  repeat [*, 2, 6] of mix {
    x <- x
    p <- n delay [1, 0, 0] else v at origin [0, 0, 0] paving [1, 0, 0; 0, 1, 0; 0, 0, 1] fitting [0; 0; 1]
    y -> y
  }
}
"""


@needs_compiler
@pytest.mark.parametrize("streams", [CPP_STREAMS, VERILOG_STREAMS])
def test_a_default_that_slides_has_no_window(streams: StreamScheduling) -> None:
    """It stands behind the lanes of the state, which come element by element, though a window would save banks."""
    case = case_of_text(SLIDES)
    model = MachineModel(case.network, memory_of(platform_at(50), word_bits=8))
    blocks = Blocks((1, 2, 6), Scan((1, 2, 0), (True, True, True)))
    design = Design((GroupDesign((Processor("top", 1, None, None),), blocks),))
    hardware = scheduled_design(case, model, design, streams)
    if streams is VERILOG_STREAMS:
        require_port_frames(hardware)
        return
    files = HlsFiles(case.spec, hardware)
    assert is_right(seen_of(files), files.frames)
