"""Streaming groups in C++: two frames in a call, two calls, under sanitizers; and what must not agree."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from cpp_programs import needs_compiler
from cpp_streams import stream_hls, wrong_words
from many_cases import case_count, on_many
from strategies_streams import Drawn, streams
from stream_designs import FRAMES
from stream_networks import Case, case_of

from arrayol.errors import ArrayolError
from hwmodel.streamed import Stream

AXIS = Stream(interface="axis")
HALF, QUARTER, THREE = (replace(AXIS, pace=Fraction(pulses)) for pulses in ("1/2", "1/4", "3"))
COLUMNS, MEMORY = replace(AXIS, scan=(1, 0)), replace(AXIS, starts="memory")
RIGHT = (0,) * FRAMES

# Each has something of its own: units that a line does not fill, held data, several inputs and outputs, gaps of lines,
# states, kept chains, what is set up, tables.
KINDS = [
    ("unsharp", {"H": 6, "W": 13}, QUARTER),
    ("unsharp", {"H": 6, "W": 12}, THREE),
    ("unsharp", {"H": 8, "W": 7}, COLUMNS),
    ("unsharp", {"H": 4, "W": 40}, AXIS),
    ("denoise", {"H": 6, "W": 7}, MEMORY),
    ("two", {"H": 12, "W": 16}, AXIS),
    ("harris_nearest", {"H": 6, "W": 8}, HALF),
    ("halved", {"H": 8, "W": 8}, AXIS),
    ("larger", {"H": 4, "W": 4}, AXIS),
    ("recursive", {"H": 6, "W": 8}, AXIS),
    ("recursive", {"H": 6, "W": 8}, replace(AXIS, pace=Fraction(4))),
    ("row_sums", {"H": 6, "W": 8}, AXIS),
    ("frames", {"F": 3, "H": 4, "W": 6}, AXIS),
    ("pyramid_nearest", {"H": 4, "W": 8}, THREE),
    ("turned", {"H": 4, "W": 6}, AXIS),
]
SHIPPED = [
    ("camera", {"H": 4, "W": 8}, AXIS),
    ("conv3x3", {"H": 6, "W": 8}, AXIS),
    ("dct", {"H": 8, "W": 8}, AXIS),
    ("demosaic", {"H": 6, "W": 8}, AXIS),
    ("downscaler", {"H": 18, "W": 24}, AXIS),
    ("fir", {"N": 32, "TAPS": 4, "S": 4}, AXIS),
    ("flow", {"H": 4, "W": 6}, AXIS),
    ("jacobi", {"H": 8, "W": 8, "S": 4}, AXIS),
    ("pyramid", {"H": 8, "W": 8}, AXIS),
    ("sobel", {"H": 8, "W": 16}, AXIS),
    ("stereo", {"H": 4, "W": 16}, AXIS),
    ("wavelet", {"H": 8, "W": 8}, HALF),
]


@needs_compiler
@pytest.mark.parametrize("cases", [KINDS, SHIPPED], ids=["kinds", "shipped"])
def test_frames_are_right(cases: list[tuple[str, dict[str, int], Stream]], tmp_path: Path) -> None:
    designs = [stream_hls(case_of(name, tmp_path, **sizes), stream) for name, sizes, stream in cases]
    assert wrong_words([design.files() for design in designs]) == [RIGHT] * len(cases)


CHANGES = [
    ("src/stream.cpp", r"window<uint8_t, 8>", "window<uint8_t, 7>"),  # a word less
    ("src/stream.cpp", r"later<(\d+), ", r"later<\1 - 1, "),  # a start too early
    ("src/stream.cpp", r"(_is0 = \w+) == 0;", r"\1 == 1;"),  # a border elsewhere
    ("src/stream.cpp", r"\.last = ([^;]+);", r".last = !(\1);"),
    ("src/stream.cpp", r"(a_d\[0\] = .*)a_b\[0\]", r"\1(a_b[0] + 1)"),  # a body
    ("src/stream.cpp", r"begun < frames", "begun < 1"),
    ("data/o.hex", r"\A2", "0"),  # no mark of the first word
]


@needs_compiler
def test_what_is_changed_differs(tmp_path: Path) -> None:
    own = stream_hls(case_of("unsharp", tmp_path, H=6, W=8), AXIS).files()
    changed = []
    for path, before, after in CHANGES:
        text, count = re.subn(before, after, str(own[path]), count=1)
        assert count, before
        changed.append({**own, path: text})
    right, *wrong = wrong_words([own, *changed])
    assert right == RIGHT
    assert [sum(frames) > 0 for frames in wrong] == [True] * len(CHANGES), wrong


def test_line_buffers_by_length(tmp_path: Path) -> None:
    text = stream_hls(case_of("unsharp", tmp_path, H=4, W=40), AXIS).files()["src/stream.cpp"]
    assert "static ring<uint8_t, 40, 6> " in text
    assert "static window<uint8_t, 2> " in text
    assert "#pragma HLS PIPELINE II = 1" in text


HALVED = """\
elementary sum(x: u8[2, 2]) -> (y: u16) {
  y = 0
  y += x[j, k]  for j in 0..2, k in 0..2
}

task halved(a: u8[8, 8]) -> (b: u16[4, 4]) {
  repeat [4, 4] of sum {
    x <- a at origin [0, -1]  paving [2, 0; 0, 2]  fitting [1, 0; 0, 1] else reflect
    y -> b
  }
}
"""


@needs_compiler
def test_a_call_takes_words_that_no_task_reads(tmp_path: Path) -> None:
    """The last column of the picture comes after all that the last output is made of."""
    (tmp_path / "halved.aol").write_text(HALVED)
    design = stream_hls(Case.of(tmp_path / "halved.aol"), replace(AXIS, starts="memory", pace=Fraction(2)))
    assert wrong_words([design.files()]) == [RIGHT]


REFUSED = {"not-streamed", "not-emitted"}


@needs_compiler
@pytest.mark.parametrize(("kind", "count"), [("i32", 20), ("c64", 8), ("c128", 4)])
def test_generated_groups(kind: str, count: int) -> None:
    cases, tally, files = max(count // 2, case_count(count)), Counter[str](), list[dict[str, str]]()

    def judge(drawn: Drawn) -> None:
        with TemporaryDirectory() as folder:
            path = Path(folder) / "drawn.aol"
            path.write_text(drawn.text)
            case = Case.of(path)
        axis = replace(drawn.stream, interface="axis")
        for stream in (axis, replace(axis, pace=Stream().pace), replace(axis, pace=Stream().pace, scan=())):
            try:
                files.append(stream_hls(case, stream).files())
            except ArrayolError as refused:
                if not {diagnostic.code for diagnostic in refused.diagnostics} <= REFUSED:
                    raise
                tally[refused.diagnostics[0].message] += 1
                continue
            return

    on_many(cases, 2, judge, streams(kind))
    assert len(files) >= 0.7 * cases, tally
    assert wrong_words(files) == [RIGHT] * len(files)
