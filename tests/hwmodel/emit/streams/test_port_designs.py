"""Streaming groups behind the memory port on Icarus: two frames in the cycles of the model, with the bits of `run`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from axi_benches import frames_behind_axi
from port_designs import frames_at_port, memory_of, mixed_design, port_design, require_port_frames
from stream_designs import FRAMES, platform_at
from stream_networks import Case, case_of
from verilog_programs import needs_icarus

from arrayol.errors import ArrayolError
from hwmodel.datapath.entry import ElementaryEntry, VerilogFile
from hwmodel.emit.schedule.design import HardwareDesign
from hwmodel.emit.streams import chunks
from hwmodel.emit.verilog.design import DesignFiles
from hwmodel.streamed import Interface, Stream

PORT = Stream()
HALF, QUARTER, THREE, FOUR = (replace(PORT, pace=Fraction(pulses)) for pulses in ("1/2", "1/4", "3", "4"))
COLUMNS, MEMORY, RASTER = replace(PORT, scan=(1, 0)), replace(PORT, starts="memory"), replace(PORT, raster=True)

pytestmark = needs_icarus


# Each has something of its own: units that a line does not fill, longer intervals, several last tasks, kept chains,
# held data, states that are taken early, exits, several inputs and outputs, results of several cycles, rotated scans.
CASES = [
    ("unsharp", {"H": 6, "W": 13}, QUARTER, 50, None),
    ("unsharp", {"H": 6, "W": 12}, THREE, 20, 2),
    ("unsharp", {"H": 8, "W": 7}, COLUMNS, 50, 7),
    ("denoise", {"H": 6, "W": 7}, MEMORY, 2, 6),
    ("two", {"H": 12, "W": 16}, PORT, 2, 16),
    ("recursive", {"H": 6, "W": 8}, FOUR, 100, 2),
    ("row_sums", {"H": 6, "W": 8}, PORT, 2, 1),
    ("larger", {"H": 4, "W": 4}, RASTER, 2, 4),
    ("pyramid", {"H": 8, "W": 16}, HALF, 50, 4),
]


@pytest.mark.parametrize(("name", "sizes", "stream", "mhz", "chunk"), CASES)
def test_kinds_of_groups(
    tmp_path: Path, name: str, sizes: dict[str, int], stream: Stream, mhz: float, chunk: int | None
) -> None:
    require_port_frames(port_design(case_of(name, tmp_path, **sizes), stream, mhz, chunk=chunk))


SHIPPED = [
    ("camera", {"H": 4, "W": 8}, PORT),
    ("conv3x3", {"H": 6, "W": 8}, PORT),
    ("dct", {"H": 8, "W": 8}, PORT),
    ("demosaic", {"H": 6, "W": 8}, RASTER),
    ("downscaler", {"H": 18, "W": 24}, PORT),
    ("fir", {"N": 32, "TAPS": 4, "S": 4}, PORT),
    ("flow", {"H": 4, "W": 6}, PORT),
    ("harris", {"H": 4, "W": 5}, PORT),
    ("jacobi", {"H": 8, "W": 8, "S": 4}, PORT),
    ("pyramid", {"H": 8, "W": 8}, RASTER),
    ("sobel", {"H": 8, "W": 16}, PORT),
    ("stereo", {"H": 4, "W": 16}, PORT),
    ("wavelet", {"H": 8, "W": 8}, HALF),
]


@pytest.mark.parametrize(("name", "sizes", "stream"), SHIPPED)
def test_shipped_specifications(tmp_path: Path, name: str, sizes: dict[str, int], stream: Stream) -> None:
    require_port_frames(port_design(case_of(name, tmp_path, **sizes), stream, 50))


UNREAD = """\
elementary half(x: u8) -> (y: u8) {
  y = x // 2
}

elementary sum(x: u8[2, 2]) -> (y: u16) {
  y += u16(x[j, k])  for j in 0..2, k in 0..2
}

task halved(i: u8[8, 8]) -> (a: u8[8, 8]) {
  repeat [8, 8] of half {
    x <- i
    y -> a
  }
}

task summed(a: u8[8, 8]) -> (o: u16[4, 4]) {
  repeat [4, 4] of sum {
    x <- a at origin [-1, 0] paving [2, 0; 0, 2] fitting [1, 0; 0, 1] else mirror
    y -> o
  }
}

task both(i: u8[8, 8]) -> (o: u16[4, 4]) {
  a = halved(i)
  o = summed(a)
}
"""


def test_a_stream_loads_what_blocks_before_it_do_not_store(tmp_path: Path) -> None:
    # No window reaches the last row: a group of blocks does not store it, and a stream moves the whole array.
    (tmp_path / "unread.aol").write_text(UNREAD)
    require_port_frames(mixed_design(Case.of(tmp_path / "unread.aol"), ((1, None), (1, PORT))))


def test_separate_ports_and_words_of_one_datum(tmp_path: Path) -> None:
    platform = memory_of(platform_at(2), port="separate", word_bits=32, latency=5, outstanding=1)
    require_port_frames(port_design(case_of("two", tmp_path, H=4, W=6), PORT, chunk=3, platform=platform))


def test_what_is_loaded_before_all_frames(tmp_path: Path) -> None:
    design = port_design(case_of("conv3x3", tmp_path, H=6, W=8), PORT, 50, loads={"kernel": "once"})
    require_port_frames(design, setup_cycles=32)


def test_chunks_in_registers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no number of banks keeps apart what moves together."""
    monkeypatch.setattr(chunks, "_WIDER", 0)
    design = port_design(case_of("unsharp", tmp_path, H=6, W=8), HALF, 50, chunk=4)
    assert all(memory.registers for memory in design.groups[0].memories)
    require_port_frames(design)


@pytest.mark.parametrize(("latency", "port", "cycles"), [(0, "shared", 37), (4, "shared", 41), (4, "separate", 37)])
def test_a_memory_that_takes_words_soon(tmp_path: Path, latency: int, port: str, cycles: int) -> None:
    """Words that are stored pass from cycle 5 of a step on, or after the loads; a latency below 3 counts as 3.

    In chunks of 4 of 12 pulses, five steps load 7, 7, 7, 0, 0 and store 0, 0, 8, 8, 8 cycles at a latency of 3.
    """
    path = tmp_path / "one.aol"
    path.write_text(
        "elementary next(x: u8) -> (y: u8) { y = x + 1 }\n"
        "task one(x: u8[12]) -> (y: u8[12]) {\n  repeat [12] of next {\n    x <- x\n    y -> y\n  }\n}\n"
    )
    platform = memory_of(platform_at(2), latency=latency, port=port, word_bits=32)
    design = port_design(Case.of(path), PORT, chunk=4, platform=platform)
    assert design.cycles == cycles
    require_port_frames(design)


@pytest.mark.parametrize("interface", ["port", "axis"])
def test_a_module_without_an_enable_is_refused(tmp_path: Path, interface: Interface) -> None:
    case = case_of("two", tmp_path, H=4, W=6)
    name = next(iter(case.network.processes.values())).elementary
    entry = ElementaryEntry(interval=(1,), latency=3, module="core", verilog=(VerilogFile("core.v", "module core"),))
    platform = platform_at(2).model_copy(update={"elementary": {name: entry}})
    with pytest.raises(ArrayolError, match="streams, and its module 'core' has no input to stand still"):
        port_design(case, replace(PORT, interface=interface), platform=platform)


@pytest.mark.parametrize(("name", "stream"), [("unsharp", HALF), ("conv3x3", PORT)])
def test_behind_axi(tmp_path: Path, name: str, stream: Stream) -> None:
    """A memory that is slow at random makes steps longer, and changes nothing else."""
    design = port_design(case_of(name, tmp_path, H=6, W=8), stream, 50, chunk=4)
    assert frames_behind_axi(design, 3, stores_first=True) == ([0, 0], 0)


# Groups in turn, with arrays between them in the external memory.
MIXED = [
    ("unsharp", {"H": 6, "W": 8}, ((1, None), (3, PORT), (1, None))),
    ("unsharp", {"H": 6, "W": 8}, ((2, HALF), (1, None), (2, RASTER))),
    ("sobel", {"H": 8, "W": 16}, ((1, None), (1, PORT), (1, None))),
    ("camera", {"H": 4, "W": 8}, ((2, PORT), (1, None), (2, HALF))),
    ("harris", {"H": 6, "W": 8}, ((1, None), (3, PORT), (1, None), (1, None), (1, None), (1, PORT))),
    ("flow", {"H": 4, "W": 6}, ((1, None), (1, PORT), (1, None), (1, PORT))),
]


@pytest.mark.parametrize(("name", "sizes", "kinds"), MIXED)
def test_groups_of_both_kinds(
    tmp_path: Path, name: str, sizes: dict[str, int], kinds: tuple[tuple[int, Stream | None], ...]
) -> None:
    design = mixed_design(case_of(name, tmp_path, **sizes), kinds)
    require_port_frames(design)


def test_groups_of_both_kinds_behind_axi(tmp_path: Path) -> None:
    design = mixed_design(case_of("unsharp", tmp_path, H=6, W=8), ((1, None), (3, PORT), (1, None)))
    assert frames_behind_axi(design, 5, stores_first=True) == ([0, 0], 0)


@pytest.fixture
def unsharp(tmp_path: Path) -> HardwareDesign:
    """An unsharp mask in chunks of a line."""
    return port_design(case_of("unsharp", tmp_path, H=6, W=8), PORT, chunk=8)


def wrong(files: Mapping[str, str], design: HardwareDesign) -> bool:
    """Whether a bench sees that something is wrong."""
    seen = frames_at_port(files)
    return len(seen) < FRAMES or any(frame.wrong or frame.cycles != design.cycles for frame in seen)


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("rtl/group0_top.v", r"wire go = fetching\[1\]", "wire go = fetching[0]"),
        ("rtl/group0_top.v", r"begins <= reset \|\| start \|\|", "begins <= reset ||"),
        ("rtl/group0_top.v", r"\.go\(go\), \.begins", ".go(1'b1), .begins"),
        ("rtl/group0_stream.v", r"\.DEPTH\(8\)", ".DEPTH(7)"),
    ],
    ids=["a cycle too early", "no second frame", "no enable", "a word less"],
)
def test_a_wrong_circuit_is_seen(unsharp: HardwareDesign, path: str, before: str, after: str) -> None:
    files = DesignFiles(unsharp).files()
    changed, count = re.subn(before, after, files[path])
    assert count
    assert wrong({**files, path: changed}, unsharp)
