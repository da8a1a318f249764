"""Designs in C++ with a vendor's ap_int.h and hls_stream.h in place of ours."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest
from cpp_programs import needs_compiler, write
from cpp_streams import stream_hls, wrong_words
from hardware import cheap, hardware_of
from hardware_designs import SPEC, Small, bench_of
from port_designs import mixed_design, port_design
from small_shipped import quick_front, small_shipped
from stream_networks import case_of

from arrayol import api
from dse.space.study import Study
from hwmodel.emit.hls.design import FRAMES, HlsFiles
from hwmodel.emit.hls.streams.schedule import CPP_STREAMS
from hwmodel.streamed import Stream

HEADERS = "ARRAYOL_HLS_HEADERS"  # environment variable: a folder that has the vendor's headers
AXIS = Stream(interface="axis")
SHIPPED = ("conv3x3", "flow", "lpsf", "wavelet")

SHIM = re.compile(r"#ifdef ARRAYOL_SHIM\n.*?#(?:else|endif)", re.DOTALL)
OTHER_NAMES = re.compile(r"\bshim::\w+|\bhls::(?!stream<)\w+|\bap_(?!u?int<|int\.h)\w+|\w+\]\.(?!read\(|write\()\w+\(")


@cache
def with_streams() -> HlsFiles:
    """A design whose tasks hand on their data through FIFOs."""
    bench = bench_of(SPEC)
    blocks = {task: [[1, 14]] for task in ("blurred", "scaled")}
    study = Study(links=("fifo",), policies=("reuse",), units=(1,), blocks=blocks)
    found = api.explore(bench.spec, bench.platform, space=api.Space(study=study, verify=False)).decisions
    design = next(one for one in found if one.groups[0].fifos)
    return HlsFiles(bench.spec, Small(bench, (design,)).hardware(design))


def test_only_standard_names_outside_of_the_shim() -> None:
    files = {path: text for path, text in with_streams().files().items() if not path.startswith(("shim/", "data/"))}
    outside = SHIM.sub("", "\n".join(files.values()))
    assert OTHER_NAMES.findall(outside) == []
    assert all(name in outside for name in ("hls::stream<int16_t> ", "].read()", "].write(", "ap_uint<"))
    assert {"shim::know", "shim::now", "shim::counts"} <= set(OTHER_NAMES.findall("\n".join(files.values())))


def test_only_standard_names_in_a_stream_behind_the_port(tmp_path: Path) -> None:
    case = case_of("unsharp", tmp_path, H=6, W=8)
    files = HlsFiles(case.spec, port_design(case, Stream(), streams=CPP_STREAMS)).files()
    own = [text for path, text in files.items() if not path.startswith(("shim/", "data/"))]
    assert OTHER_NAMES.findall(SHIM.sub("", "\n".join(own))) == []


def test_only_standard_names_in_a_streaming_group(tmp_path: Path) -> None:
    files = stream_hls(case_of("unsharp", tmp_path, H=6, W=8), AXIS).files()
    own = [text for path, text in files.items() if not path.startswith(("shim/", "data/"))]
    assert set(OTHER_NAMES.findall(SHIM.sub("", "\n".join(own)))) == {"ap_axi_sdata", "ap_axiu"}


needs_headers = pytest.mark.skipif(
    HEADERS not in os.environ, reason=f"{HEADERS} names no folder with a vendor's headers"
)


@needs_compiler
@needs_headers
def test_frames_of_streaming_groups_are_right(tmp_path: Path) -> None:
    """With our words of AXI4-Streams, which are not among those headers."""
    cases = [("unsharp", 13, Fraction(1, 4)), ("two", 16, Fraction(1)), ("recursive", 8, Fraction(4))]
    designs = [
        stream_hls(case_of(name, tmp_path, H=6, W=width), replace(AXIS, pace=pace)) for name, width, pace in cases
    ]
    folder = tmp_path / "headers"
    shutil.copytree(os.environ[HEADERS], folder)
    (folder / "ap_axi_sdata.h").write_text(designs[0].files()["shim/ap_axi_sdata.h"], encoding="utf-8")
    assert wrong_words([own.files() for own in designs], ["-w", f"-I{folder}"]) == [(0,) * FRAMES] * len(designs)


@needs_compiler
@needs_headers
@pytest.mark.parametrize("together", [False, True])
def test_frames_of_streams_behind_the_port_are_right(together: bool, tmp_path: Path) -> None:
    """A stream between blocks, and blocks of one row."""
    case, kinds = case_of("unsharp", tmp_path, H=4, W=6), ((1, None), (3, Stream()), (1, None))
    design = mixed_design(case, kinds, together=together, streams=CPP_STREAMS)
    require_frames(HlsFiles(case.spec, design), tmp_path)


@needs_compiler
@needs_headers
@pytest.mark.parametrize("name", ["streams", *SHIPPED])
def test_frames_are_right(name: str, tmp_path: Path) -> None:
    """Two designs at the reduced size; the vendor's streams print where they are read too early, or not to the end."""
    for number, files in enumerate(designs_of(name, tmp_path)):
        require_frames(files, tmp_path / f"design{number}")


def require_frames(files: HlsFiles, folder: Path) -> None:
    """Hold all frames against the execution."""
    write(files, folder)
    command = ["g++", "-std=c++17", "-O0", "-fwrapv", "-ffp-contract=off", "-w", "-Isrc", "-o", "design.exe"]
    sources = sorted(str(path) for path in (folder / "src").glob("*.cpp"))
    built = [*command, f"-I{Path(os.environ[HEADERS]).resolve()}", *sources, "tb/main.cpp"]
    subprocess.run(built, cwd=folder, check=True)
    done = subprocess.run([folder / "design.exe"], cwd=folder, capture_output=True, text=True, check=True)
    assert done.stdout == "".join(f"frame {frame} wrong 0\n" for frame in range(files.frames))


def designs_of(name: str, folder: Path) -> list[HlsFiles]:
    if name == "streams":
        return [with_streams()]
    bench = small_shipped(name, folder).verifier.testbench
    return [HlsFiles(bench.spec, hardware_of(bench, design)) for design in cheap(bench, quick_front(name), 2)]
