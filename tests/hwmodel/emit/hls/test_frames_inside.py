"""Streams in C++ whose frames meet inside, under sanitizers: a call for one frame, then one for the others.

Behind the memory port there is a call for each frame.
"""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory

from cpp_programs import is_right, needs_compiler, seen_of
from cpp_streams import stream_hls, wrong_words
from many_cases import case_count, on_many
from port_designs import port_design
from strategies_frames_inside import FRAMES, MOTION, DrawnFrames, frames_inside
from stream_networks import Case, case_of

from arrayol.errors import ArrayolError
from hwmodel.emit.hls.design import HlsFiles
from hwmodel.emit.hls.streams.design import StreamHlsFiles
from hwmodel.emit.hls.streams.schedule import CPP_STREAMS
from hwmodel.streamed import Stream

INSIDE = Stream(interface="axis", frames="inside")

pytestmark = needs_compiler


def read(text: str, folder: Path) -> Case:
    path = folder / "read.aol"
    path.write_text(text)
    return replace(Case.of(path), frames=FRAMES)


def test_frames_that_meet(tmp_path: Path) -> None:
    """A window over frames at two paces, and states of two earlier frames; two programs in which something is wrong."""
    window = replace(case_of("temporal", tmp_path, H=4, W=6), frames=FRAMES)
    streams = [(window, INSIDE), (window, replace(INSIDE, pace=Fraction(1, 2))), (read(MOTION, tmp_path), INSIDE)]
    designs = [stream_hls(case, stream) for case, stream in streams]
    files = [design.files() for design in designs]
    early = files[2]["src/stream.cpp"].replace("frames_motion <= 2;", "frames_motion <= 1;")
    forgets = re.sub(r"static (later|place)<", r"\1<", files[0]["src/stream.cpp"])
    assert (early, forgets) != (files[2]["src/stream.cpp"], files[0]["src/stream.cpp"])
    *right, defaults, restarted = wrong_words(
        [*files, files[2] | {"src/stream.cpp": early}, files[0] | {"src/stream.cpp": forgets}]
    )
    assert right == [(0,) * design.compared for design in designs]
    assert [wrong > 0 for wrong in defaults[:2]] == [False, True]
    assert any(restarted)


def test_drawn_groups() -> None:
    designs = list[StreamHlsFiles]()

    def judge(drawn: DrawnFrames) -> None:
        with TemporaryDirectory() as folder:
            case = read(drawn.text, Path(folder))
        try:
            design = stream_hls(case, drawn.stream)
            design.files()
        except ArrayolError as refused:
            if refused.diagnostics[0].code not in {"not-streamed", "not-emitted"}:
                raise
            return
        designs.append(design)

    cases = max(8, case_count(16))
    on_many(cases, 3, judge, frames_inside("axis"))
    assert len(designs) >= cases / 2
    assert wrong_words([design.files() for design in designs]) == [(0,) * design.compared for design in designs]


def test_behind_the_memory_port(tmp_path: Path) -> None:
    """A window over frames, whose outputs are there a call later, and states of two earlier frames.

    Chunks of two lines divide the frame with its blanking on the platform, of a line more than tasks of a pulse need.
    """
    window = replace(case_of("temporal", tmp_path, H=4, W=3), frames=FRAMES)
    for case, mhz, chunk in ((window, 100, 6), (read(MOTION, tmp_path), 2, None)):
        design = port_design(case, Stream(frames="inside"), mhz, chunk=chunk, streams=CPP_STREAMS)
        files = HlsFiles(case.spec, design)
        assert is_right(seen_of(files), 1 + len(design.later))
