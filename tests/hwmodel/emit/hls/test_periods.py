"""Groups at the same time in C++: a call is a period, and each group takes the frame of the group before it."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from cpp_programs import is_right, needs_compiler, seen_of, write
from generated_designs import TOGETHER, try_many
from many_cases import full_count
from port_designs import Kinds, mixed_design
from stream_networks import case_of

from hwmodel.emit.hls.compiler import PLAIN, run_build
from hwmodel.emit.hls.design import HlsFiles
from hwmodel.emit.hls.streams.schedule import CPP_STREAMS
from hwmodel.streamed import Stream

PORT = Stream()
HALF, RASTER = replace(PORT, pace=Fraction("1/2")), replace(PORT, raster=True)

pytestmark = needs_compiler

DESIGNS: list[tuple[str, dict[str, int], Kinds]] = [
    ("unsharp", {"H": 4, "W": 8}, ((2, HALF), (1, None), (2, RASTER))),
    ("camera", {"H": 4, "W": 4}, ((2, PORT), (1, None), (2, HALF))),
]


@pytest.mark.parametrize(("name", "sizes", "kinds"), DESIGNS, ids=[name for name, *_ in DESIGNS])
def test_groups_of_both_kinds(tmp_path: Path, name: str, sizes: dict[str, int], kinds: Kinds) -> None:
    case = case_of(name, tmp_path, **sizes)
    files = HlsFiles(case.spec, mixed_design(case, kinds, together=True, streams=CPP_STREAMS))
    assert files.behind == 2
    seen = seen_of(files)
    assert is_right(seen, files.frames), seen


def test_generated_designs() -> None:
    tally = try_many(TOGETHER, full_count(15), 3, hls=True)
    assert tally.wrong == []
    assert tally.right >= 5, tally.refused


CHANGES = {
    "one copy for two frames": ("src/group0.cpp", r"frame % 4 \*", "frame % 4 / 2 *"),
    "no frames in turn": ("src/group0.cpp", r" : frame \+ 1;", " : frame;"),
    "all groups on the first frame": ("src/top.cpp", r"if \(begun > 1\) ", ""),
}


def test_what_is_changed_differs(tmp_path: Path) -> None:
    case = case_of("unsharp", tmp_path, H=4, W=6)
    kinds: Kinds = ((1, None), (3, PORT), (1, None))
    files = HlsFiles(case.spec, mixed_design(case, kinds, together=True, streams=CPP_STREAMS))
    write(files, tmp_path)
    assert is_right(run_build(tmp_path, PLAIN), files.frames)
    for name, (path, before, after) in CHANGES.items():
        right = (tmp_path / path).read_text(encoding="utf-8")
        changed, count = re.subn(before, after, right)
        assert count, name
        (tmp_path / path).write_text(changed, encoding="utf-8")
        assert sum(run_build(tmp_path, PLAIN).wrong), name
        (tmp_path / path).write_text(right, encoding="utf-8")
