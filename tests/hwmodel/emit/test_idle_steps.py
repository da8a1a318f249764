"""Steps in which nothing is moved or computed: they take no cycle, so hardware does not have them."""

from __future__ import annotations

import pytest
from hardware_designs import Small, bench_of
from verilog_programs import frames_of, needs_icarus, promised_frames

from arrayol.errors import ArrayolError
from hwmodel.design import Blocks, Design, GroupDesign, Processor, row_major
from hwmodel.emit.schedule import design as scheduling

# `sums` reads all of `y` in the first of its pieces, a step after it is made, since `y` also goes by way of `w`.
SPEC = """
elementary plus(a: i32) -> (b: i32) { b = a + 1 }
elementary add(a: i32, c: i32) -> (b: i32) { b = a + c }
elementary total(a: i32[4]) -> (b: i32) { b += a[k] for k in 0..4 }
task each(x: i32[4]) -> (y: i32[4]) { repeat [4] of plus { a <- x  b -> y } }
task sums(x: i32[4]) -> (y: i32[4]) { repeat [4] of total { a <- x at origin [0] paving [0] fitting [1]  b -> y } }
task both(v: i32[4], z: i32[4]) -> (o: i32[4]) { repeat [4] of add { a <- v  c <- z  b -> o } }
task top(x: i32[4]) -> (o: i32[4]) { y = each(x)  z = sums(y)  w = each(y)  v = each(w)  o = both(v, z) }
"""
CUTS = {"sums": Blocks((2,), row_major(1))}


def small() -> tuple[Small, Design]:
    """Four values that go two ways, of which the shorter one comes in pieces."""
    bench = bench_of(SPEC)
    processors = tuple(Processor(task, 1, CUTS.get(task)) for task in bench.network.processes)
    design = Design((GroupDesign(processors, Blocks((4,), row_major(1))),))
    return Small(bench, (design,)), design


@needs_icarus
def test_a_frame_takes_the_cycles_of_the_model() -> None:
    own, design = small()
    run = own.testbench.compare(design)[0].groups[0]
    assert run.lengths.count(0) == 1
    hardware = own.hardware(design)
    assert (hardware.cycles, hardware.groups[0].steps) == (run.cycles, len(run.lengths) - 1)
    assert frames_of(hardware) == promised_frames(hardware)


def test_a_step_that_takes_no_cycle_is_not_proven(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scheduling, "without_idle_steps", lambda run: run)
    own, design = small()
    with pytest.raises(ArrayolError, match=r"step 2 has 1 row of .*, in 0 cycles"):
        own.hardware(design)
