"""Const arrays that a datapath has as constants: no ROM in figures, on the simulated machine, or in emitted files."""

from __future__ import annotations

from functools import cache

import pytest
from cpp_programs import is_right, needs_compiler, seen_of
from scheduled_cases import scheduled
from spec_data import loaded
from strategies_designs import MappedSpec
from verilog_programs import frames_of, needs_icarus

from arrayol.ir.network import flatten
from dse.verify.testbench import Testbench
from hwmodel.cost_model.estimate import DesignEstimate
from hwmodel.design import Blocks, Design, GroupDesign, Processor, row_major
from hwmodel.emit.hls.design import HlsFiles
from hwmodel.emit.verilog.design import DesignFiles
from hwmodel.memory_kinds import ROM
from hwmodel.platform import Platform

DCT = """\
const FACTORS: i16[4, 4] = [23170, 23170, 23170, 23170; 30274, 12540, -12540, -30274;
                            23170, -23170, -23170, 23170; 12540, -30274, 30274, -12540]
elementary dct4(x: i16[4]) -> (y: i16[4]) {
  s: i32[4]
  s[u] += i32(FACTORS[u, n]) * x[n]  for u in 0..4, n in 0..4
  y[u] = i16(s[u] >> 16)  for u in 0..4
}
task rows(x: i16[6, 8]) -> (y: i16[6, 8]) {
  repeat [6, 2] of dct4 {
    x <- x at origin [0, 0] paving [1, 0; 0, 4] fitting [0; 1]
    y -> y at origin [0, 0] paving [1, 0; 0, 4] fitting [0; 1]
  }
}
"""
BITS = 4 * 4 * 16
BOARD = {
    "clock_mhz": 50.0,
    "technology": "ecp5-6",
    "memory": {"latency": 3, "word_bits": 32, "burst": "run"},
    "cost": {"rom_bits": {"lut": 0.5}},
}
INTERVALS = (1, 2, 4, 16)  # of a repetition on a unit


@cache
def case(interval: int, units: int = 1) -> MappedSpec:
    spec = loaded(DCT)
    network, platform = flatten(spec, "rows"), Platform.model_validate(BOARD)
    group = GroupDesign((Processor("rows", units, None, interval),), Blocks((2, 2), row_major(2)))
    return MappedSpec(DCT, spec, network, platform, {}, Design((group,)), frozenset())


def estimate(own: MappedSpec) -> DesignEstimate:
    return Testbench(own.spec, own.network, own.platform, own.loads).model.evaluate(own.design)


def has_rom(own: MappedSpec) -> bool:
    """Whether the datapath multiplies by operands."""
    process = own.network.processes["rows"]
    (processor,) = own.design.groups[0].processors
    return not own.platform.datapath(process, processor.interval).built_in


def test_short_intervals_take_constants_and_long_ones_operands() -> None:
    assert [has_rom(case(interval)) for interval in INTERVALS] == [False, False, False, True]
    assert set(INTERVALS) <= set(case(1).platform.intervals(case(1).network.processes["rows"]))


@pytest.mark.parametrize("interval", INTERVALS)
def test_figures_count_a_rom_where_there_is_one(interval: int) -> None:
    own, bits = case(interval), BITS * has_rom(case(interval))
    found, (group,) = estimate(own), estimate(own).groups
    assert group.costs["rom_bits"] == bits
    assert sum(use.bits for use in found.resident if use.kind == ROM.name) == bits
    assert any(use.kind == ROM.name for use in group.memories) == bool(bits)
    assert any(use.name.startswith("rom ") for use in group.energy or ()) == bool(bits)


@needs_icarus
@pytest.mark.parametrize(("interval", "units"), [*((interval, 1) for interval in INTERVALS), (2, 2)])
def test_verilog_has_a_rom_where_there_is_one(interval: int, units: int) -> None:
    own = case(interval, units)
    simulation, design = scheduled(own)
    assert simulation.identical
    assert design is not None
    assert simulation.cycles == estimate(own).latency_cycles
    assert [(seen.cycles, seen.wrong) for seen in frames_of(design)] == [(simulation.cycles, 0)] * 2
    assert ("rows_FACTORS" in "".join(map(str, DesignFiles(design).files().values()))) == has_rom(own)


@needs_compiler
def test_cpp_computes_the_same_without_a_rom() -> None:
    own = case(4)
    _, design = scheduled(own)
    assert design is not None
    assert is_right(seen_of(HlsFiles(own.spec, design), "plain"))
