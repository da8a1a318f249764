"""Gaps in what is moved, as hardware: cycles and words of Verilog, of AXI4, and of C++, beside the machine model."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from axi_benches import frames_behind_axi
from cpp_programs import is_right, needs_compiler, seen_of
from hardware import write_design
from hardware_designs import Small, bench_of
from verilog_programs import needs_icarus

from hwmodel.cost_model.memory_port.requests import Requested
from hwmodel.cost_model.model import MachineModel
from hwmodel.design import Blocks, Design, GroupDesign, Processor, row_major
from hwmodel.emit.hls.design import HlsFiles
from hwmodel.emit.verilog.icarus import run_bench

BODY = "elementary keep(x: u8) -> (y: u8) {\n  y = 255 - x\n}\n"
DECIMATED = f"""{BODY}
task top(x: u8[8, 40]) -> (y: u8[4, 20]) {{
  repeat [4, 20] of keep {{
    x <- x at origin [0, 0] paving [2, 0; 0, 2] fitting []
    y -> y
  }}
}}
"""
GREEN = f"""{BODY}
task top(x: u8[5, 12, 3]) -> (y: u8[5, 12]) {{
  repeat [5, 12] of keep {{
    x <- x at origin [0, 0, 1] paving [1, 0; 0, 1; 0, 0] fitting []
    y -> y
  }}
}}
"""
CHANNELS = f"""{BODY}
task top(x: u8[6, 4, 5]) -> (y: u8[6, 2, 5]) {{
  repeat [6, 2, 5] of keep {{
    x <- x at origin [0, 1, 0] paving [1, 0, 0; 0, 2, 0; 0, 0, 1] fitting []
    y -> y
  }}
}}
"""
WOVEN = f"""{BODY}
task line(x: u8[4, 18]) -> (y: u8[4, 18]) {{
  repeat [4, 18] of keep {{
    x <- x
    y -> y
  }}
}}
task top(a: u8[4, 18], b: u8[4, 18]) -> (y: u8[4, 36]) {{
  y[.., 0..36 : 2] = line(a)
  y[.., 1..36 : 2] = line(b)
}}
"""
SPECS = {"decimated": DECIMATED, "green": GREEN, "channels": CHANNELS, "woven": WOVEN}


@cache
def _small(name: str) -> Small:
    """A specification with the design that runs its tasks one by one, in blocks of whole rows."""
    bench = bench_of(SPECS[name])
    processes = bench.accesses.network.processes
    groups = [
        GroupDesign((Processor(task),), Blocks((1, *bench.accesses.extents(task)[1:]), row_major(len(own.repetition))))
        for task, own in processes.items()
    ]
    return Small(bench, (Design(tuple(groups)),))


@pytest.mark.parametrize("name", SPECS)
def test_reading_or_writing_over_gaps_is_faster(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    bench, (design,) = _small(name).testbench, _small(name).front
    cycles = bench.model.evaluate(design).latency_cycles
    monkeypatch.setattr(Requested, "fewest", lambda own, requests, runs, in_spans: requests)
    assert MachineModel(bench.model.network, bench.platform).evaluate(design).latency_cycles > cycles


@needs_icarus
@pytest.mark.parametrize("name", SPECS)
def test_in_verilog(name: str) -> None:
    """Cycles and outputs of two frames, on the plain port and behind AXI4."""
    small = _small(name)
    hardware = small.hardware(*small.front)
    with TemporaryDirectory() as folder:
        write_design(hardware, Path(folder))
        frames = run_bench(Path(folder))
    assert [(frame.cycles, frame.wrong) for frame in frames] == [(hardware.cycles, 0)] * 2
    assert frames_behind_axi(hardware, seed=3) == ([0, 0], 0)


@needs_compiler
@pytest.mark.parametrize("name", SPECS)
def test_in_cpp(name: str) -> None:
    small = _small(name)
    assert is_right(seen_of(HlsFiles(small.testbench.spec, small.hardware(*small.front))))
