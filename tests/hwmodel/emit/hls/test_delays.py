"""Delays in C++: a state that Verilog takes early is the same in rounds."""

from __future__ import annotations

from cpp_programs import is_right, needs_compiler, seen_of
from hardware_designs import EARLY_STATE, explored

from hwmodel.design import Blocks, Design, GroupDesign, Processor, row_major
from hwmodel.emit.hls.design import HlsFiles


@needs_compiler
def test_a_state_that_is_taken_early() -> None:
    own = explored(EARLY_STATE)
    design = own.hardware(Design((GroupDesign((Processor("t", 1, interval=2),), Blocks((2, 2), row_major(2))),)))
    (task,) = design.groups[0].tasks
    assert any(port.early for port in task.units.writes)
    assert is_right(seen_of(HlsFiles(own.testbench.spec, design)))
