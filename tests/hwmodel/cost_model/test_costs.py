"""Costs of processors: what of ROMs and locals is added to those of units."""

from __future__ import annotations

from pathlib import Path

import pytest

from arrayol import api
from arrayol.ir.network import flatten
from hwmodel.assumptions import assumed_by_machine
from hwmodel.cost_model.costs import design_costs
from hwmodel.cost_model.issue.datapaths import Datapaths
from hwmodel.cost_model.model import MachineModel
from hwmodel.design import rate_of
from hwmodel.platform import Platform

SPEC = """\
const K: i16[3] = [3, 1, 5]
elementary mul(x: i16[3], w: i16[3]) -> (y: i16) {
  a: i32 = 0
  a += i32(x[k]) * w[k]  for k in 0..3
  y = i16(a)
}
task top(x: i16[12]) -> (y: i16[4]) {
  repeat [4] of mul { x <- x at origin [0] paving [3] fitting [1] w <- K y -> y }
}
"""
BITS = {"rom_bits": {"lut": 0.5}, "local_bits": {"lut": 2}}
ROM, LOCALS, UNITS = 3 * 16, 32, 3


@pytest.mark.parametrize("given", [None, 100])
def test_registers_of_locals_are_in_derived_costs(tmp_path: Path, given: int | None) -> None:
    (tmp_path / "t.aol").write_text(SPEC, encoding="utf-8")
    network = flatten(api.load(tmp_path / "t.aol"), "top")
    document = {
        "clock_mhz": 50.0,
        "technology": "ecp5-6",
        "memory": {"latency": 1, "word_bits": 16},
        "elementary": {} if given is None else {"mul": {"interval": 1, "cost": {"lut": given}}},
    }
    plain, board = (Platform.model_validate(document | bits) for bits in ({}, {"cost": BITS}))
    model = MachineModel(network, board)
    rates = {"top": rate_of(UNITS, 1)}
    without = design_costs(model.accesses, Datapaths(network, plain), rates)
    found = design_costs(model.accesses, Datapaths(network, board), rates)
    added = 0 if given is None else 0.5 * ROM + UNITS * 2 * LOCALS  # a derived datapath has K as constants
    assert found["lut"] == without["lut"] + added
    assert found["ff"] == without["ff"]
    told = [remark for remark in assumed_by_machine(network, plain, "board.toml") if "does not give cost" in remark]
    keys = "cost.rom_bits" if given is None else "cost.rom_bits and cost.local_bits"
    assert told == [f"the platform does not give {keys}: lut, ff and dsp do not include them"]
