"""Delays in C++: a state that Verilog takes early is the same in rounds."""

from __future__ import annotations

from cpp_programs import is_right, needs_compiler, seen_of
from hardware_designs import explored

from hwmodel.design import Blocks, Design, GroupDesign, Processor, row_major
from hwmodel.emit.hls.design import HlsFiles

SPEC = """\
elementary e(x: i32, p: i32) -> (y: i32) {
  y = x * -7 + -7 * p
}

task t(x: i32[4, 4]) -> (y: i32[4, 4]) {
  repeat [4, 4] of e {
    x <- x
    p <- y delay [0, 1] else 0
    y -> y
  }
}
"""


@needs_compiler
def test_a_state_that_is_taken_early() -> None:
    own = explored(SPEC)
    design = own.hardware(Design((GroupDesign((Processor("t", 1, interval=2),), Blocks((2, 2), row_major(2))),)))
    (task,) = design.groups[0].tasks
    assert any(port.early for port in task.units.writes)
    assert is_right(seen_of(HlsFiles(own.testbench.spec, design)))
