"""Delays in Verilog: what units keep for themselves, beside a delay that never acts."""

from __future__ import annotations

from pathlib import Path

import pytest
from cpp_programs import is_right, seen_of
from hardware_designs import PLATFORM, Small, bench_of
from verilog_programs import frames_of, needs_icarus, promised_frames

from arrayol import api
from hwmodel.design import Blocks, Design, GroupDesign, Processor, row_major
from hwmodel.emit.hls.design import HlsFiles
from hwmodel.emit.verilog.coverage import Coverage

SPEC = """\
elementary e(x: i32, p: i32, q: i32) -> (y: i32, s: i32) {
  s = p * 3 + x
  y = p * q + x
}
task t(x: i32[4, 8]) -> (y: i32[4, 8]) {
  repeat [4, 8] of e {
    x <- x
    p <- s delay [0, 1] else 1
    q <- s delay [4, 0] else 5
    y -> y
  }
}
"""


@needs_icarus
def test_a_port_whose_delay_never_acts_has_its_default(tmp_path: Path) -> None:
    spec = tmp_path / "t.aol"
    spec.write_text(SPEC, encoding="utf-8")
    spec.with_suffix(".toml").write_text(PLATFORM, encoding="utf-8")
    found = api.explore(spec, space=api.Space(narrow=True, verify=False))
    api.write_result(found, tmp_path / "result")
    kept = set()
    for design in found.result.pareto:
        emitted = api.emit_verilog(api.open_design(spec, tmp_path / "result", design.id), tmp_path / "verilog")
        ((task,),) = (group.tasks for group in emitted.hardware.groups)
        kept.add(task.units.kept)
        assert api.check_verilog(emitted, tmp_path / "verilog").mismatches == ()
    assert kept == {(), (("s", "p"),)}  # in memory alone, and in units


WIDE = """\
elementary mix(x: u16, p: u16) -> (y: u16) { y = u16(x + p) }
task top(i: u16[4, 40]) -> (y: u16[4, 40]) {
  repeat [4, 40] of mix { x <- i  p <- y delay [1, 0] else 0  y -> y }
}
"""
SLANT = """\
elementary mix(x: u16, p: u16) -> (y: u16) { y = u16(x + p) }
elementary next(x: u16) -> (y: u16) { y = u16(x + 1) }
task sums(i: u16[4, 8]) -> (y: u16[4, 8]) {
  repeat [4, 8] of mix { x <- i  p <- y delay [1, 0] else 0  y -> y }
}
task slant(y: u16[4, 8]) -> (o: u16[4, 4]) {
  repeat [4, 4] of next { x <- y at origin [0, 0] paving [1, 0; 1, 1] fitting []  y -> o }
}
task top(i: u16[4, 8]) -> (o: u16[4, 4]) { y = sums(i)  o = slant(y) }
"""


@needs_icarus
@pytest.mark.parametrize(
    ("text", "processors", "block"),
    [
        (WIDE, (Processor("top", 40),), (2, 40)),
        (WIDE, (Processor("top", 33),), (4, 33)),
        (SLANT, (Processor("sums", 3), Processor("slant")), (2, 2)),  # a row of sums begins after the one before
    ],
    ids=["40 units", "33 units of 40 columns", "a slant"],
)
def test_units_go_on_with_their_chains(text: str, processors: tuple[Processor, ...], block: tuple[int, int]) -> None:
    design = Design((GroupDesign(processors, Blocks(block, row_major(2))),))
    small = Small(bench_of(text), (design,))
    hardware = small.hardware(design)
    assert hardware.cycles == small.testbench.model.evaluate(design).latency_cycles
    assert hardware.groups[0].tasks[0].units.kept == (("y", "p"),)
    assert frames_of(hardware) == promised_frames(hardware)
    assert is_right(seen_of(HlsFiles(small.testbench.spec, hardware)))


@pytest.mark.parametrize("cycles", [3, 4])
def test_a_recurrence_that_no_memory_keeps_is_known_beforehand(cycles: int) -> None:
    given = f"{PLATFORM}\n[elementary.mix]\nrecurrence = {cycles}\n"
    design = Design((GroupDesign((Processor("top"),), Blocks((4, 2), row_major(2))),))
    small = Small(bench_of(WIDE, given), (design,))
    refused = Coverage(small.testbench.accesses, small.testbench.platform).why_not(design)
    if refused is None:
        assert small.hardware(design).cycles == small.testbench.model.evaluate(design).latency_cycles
    assert (refused is None) == (cycles == 4)
    assert refused is None or "a recurrence of 3 for 'p', and through a memory its state takes 4 cycles" in str(refused)
