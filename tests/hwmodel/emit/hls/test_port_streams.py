"""Streaming groups in C++ behind the memory port: two frames with the bits of `run`, and what must not agree."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from cpp_programs import is_right, needs_compiler, seen_of
from many_cases import case_count, on_many
from port_designs import Kinds, memory_of, mixed_design, port_design
from strategies_placed import Placed, placed, placed_design
from stream_designs import platform_at
from stream_networks import Case, case_of

from hwmodel.emit.hls.compiler import PLAIN, run_build
from hwmodel.emit.hls.design import HlsFiles
from hwmodel.emit.hls.streams.schedule import CPP_STREAMS
from hwmodel.emit.schedule.design import HardwareDesign
from hwmodel.streamed import Stream

PORT = Stream()
HALF, QUARTER, FOUR = (replace(PORT, pace=Fraction(pulses)) for pulses in ("1/2", "1/4", "4"))
MEMORY, RASTER = replace(PORT, starts="memory"), replace(PORT, raster=True)

pytestmark = needs_compiler


def require_right(case: Case, design: HardwareDesign) -> None:
    """Hold what a program prints under sanitizers against the execution."""
    seen = seen_of(HlsFiles(case.spec, design))
    assert is_right(seen), seen


# Each has something of its own: units that a line does not fill, several inputs, states, exits, kept chains.
CASES = [
    ("unsharp", {"H": 6, "W": 13}, QUARTER, None),
    ("denoise", {"H": 6, "W": 7}, MEMORY, 6),
    ("two", {"H": 12, "W": 16}, PORT, 16),
    ("recursive", {"H": 6, "W": 8}, FOUR, 2),
    ("row_sums", {"H": 6, "W": 8}, PORT, 1),
    ("larger", {"H": 4, "W": 4}, RASTER, 4),
    ("pyramid", {"H": 8, "W": 16}, HALF, 4),
    ("camera", {"H": 4, "W": 8}, PORT, None),
    ("conv3x3", {"H": 6, "W": 8}, PORT, None),
    ("dct", {"H": 8, "W": 8}, PORT, None),
    ("demosaic", {"H": 6, "W": 8}, RASTER, None),
    ("downscaler", {"H": 18, "W": 24}, PORT, None),
    ("fir", {"N": 32, "TAPS": 4, "S": 4}, PORT, None),
    ("flow", {"H": 4, "W": 6}, PORT, None),
    ("harris", {"H": 4, "W": 5}, PORT, None),
    ("jacobi", {"H": 8, "W": 8, "S": 4}, PORT, None),
    ("sobel", {"H": 8, "W": 16}, PORT, None),
    ("stereo", {"H": 4, "W": 16}, PORT, None),
    ("wavelet", {"H": 8, "W": 8}, HALF, None),
]


@pytest.mark.parametrize(("name", "sizes", "stream", "chunk"), CASES, ids=[name for name, *_ in CASES])
def test_groups_alone(tmp_path: Path, name: str, sizes: dict[str, int], stream: Stream, chunk: int | None) -> None:
    case = case_of(name, tmp_path, **sizes)
    require_right(case, port_design(case, stream, 50, chunk=chunk, streams=CPP_STREAMS))


MIXED: list[tuple[str, dict[str, int], Kinds]] = [
    ("unsharp", {"H": 6, "W": 8}, ((1, None), (3, PORT), (1, None))),
    ("camera", {"H": 4, "W": 8}, ((2, PORT), (1, None), (2, HALF))),
    ("harris", {"H": 6, "W": 8}, ((1, None), (3, PORT), (1, None), (1, None), (1, None), (1, PORT))),
]


@pytest.mark.parametrize(("name", "sizes", "kinds"), MIXED, ids=[name for name, *_ in MIXED])
def test_groups_of_both_kinds(tmp_path: Path, name: str, sizes: dict[str, int], kinds: Kinds) -> None:
    case = case_of(name, tmp_path, **sizes)
    require_right(case, mixed_design(case, kinds, streams=CPP_STREAMS))


def test_what_is_loaded_before_all_frames(tmp_path: Path) -> None:
    case = case_of("conv3x3", tmp_path, H=6, W=8)
    require_right(case, port_design(case, PORT, 50, loads={"kernel": "once"}, streams=CPP_STREAMS))


def test_a_port_that_serves_in_turns(tmp_path: Path) -> None:
    """Steps wait in Verilog, which no value depends on."""
    case, platform = case_of("two", tmp_path, H=4, W=6), memory_of(platform_at(50), turn=100)
    require_right(case, port_design(case, PORT, platform=platform, streams=CPP_STREAMS))


def judge(own: Placed, tally: Counter[str]) -> None:
    """Emit a case and run it."""
    found = placed_design(own, tally, streams=CPP_STREAMS)
    if found is not None:
        require_right(*found)


def test_generated_groups_behind_the_port() -> None:
    cases, tally = max(6, case_count(16)), Counter[str]()
    on_many(cases, 1, lambda own: judge(own, tally), placed())
    assert tally["streams"] + tally["both kinds"] >= 0.5 * cases, tally


CHANGES = {
    "a word less": (r"window<uint8_t, 8>", "window<uint8_t, 7>"),
    "no second frame": (r"  begins = true;", "  begins = false;"),
    "a chunk of one word": (r"(k\d) = turned\(\1, (row\.\w+), 4\)", r"\1 = turned(\1, \2, 3)"),
    "a pulse less": (r"if \(row\.go\)", "if (row.go && round)"),
    "a pulse later": (r"(pulse_drain_o\[0\] = made_sharpen_o\[0\]\[0\];\n.*)(flow_drain_o\(.*\n)", r"\2\1"),
}


def test_what_is_changed_differs(tmp_path: Path) -> None:
    """The chunks have four pulses, and a line has eight."""
    case = case_of("unsharp", tmp_path, H=6, W=8)
    files = HlsFiles(case.spec, port_design(case, PORT, 50, chunk=4, streams=CPP_STREAMS)).files()
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(str(text), encoding="utf-8")
    assert run_build(tmp_path, PLAIN).wrong == (0, 0)
    for name, (before, after) in CHANGES.items():
        changed, count = re.subn(before, after, str(files["src/group0.cpp"]), count=1)
        assert count, name
        (tmp_path / "src" / "group0.cpp").write_text(changed, encoding="utf-8")
        assert sum(run_build(tmp_path, PLAIN).wrong), name
