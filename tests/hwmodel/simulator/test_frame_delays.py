"""Delays over frames: states that advance once a frame, also in groups that recompute, and frames that they keep."""

from __future__ import annotations

import numpy as np
import pytest
from judging import local_of

from arrayol.checks.check import check_source
from arrayol.ir.network import flatten
from arrayol.source import SourceFile
from dse.verify.testbench import mismatches
from hwmodel.cost_model.model import MachineModel
from hwmodel.design import Blocks, Design, GroupDesign, Processor, row_major
from hwmodel.memory_kinds import STATE
from hwmodel.platform import default_platform
from hwmodel.simulator.simulate import simulate

SPEC = """
elementary average(a: i64, before: i64) -> (b: i64) { b = 2 * a + before }
elementary sum3(a: i64[3]) -> (b: i64) { b = a[0] + a[1] + a[2] }

task smooth(x: i64[*, 8]) -> (y: i64[*, 8]) {
  repeat [*, 8] of average { a <- x  before <- b delay [1, 0] else 0  b -> y }
}

task windows(y: i64[*, 8]) -> (z: i64[*, 6]) {
  repeat [*, 6] of sum3 { a <- y at origin [0, 0] paving [1, 0; 0, 1] fitting [0; 1]  b -> z }
}

task both(x: i64[*, 8]) -> (z: i64[*, 6]) { y = smooth(x)  z = windows(y) }
"""


@pytest.mark.parametrize("recompute", [False, True])
def test_a_state_between_frames_advances_once_a_frame(recompute: bool) -> None:
    spec = check_source(SourceFile("both.aol", SPEC)).spec
    assert spec is not None
    network, platform = flatten(spec, "both"), default_platform()
    model = MachineModel(network, platform, {})
    tasks = Processor("smooth", 1), Processor("windows", 1)
    design = Design((GroupDesign(tasks, Blocks((1, 2), row_major(2)), recompute=recompute),))
    estimate = model.evaluate(design)
    inputs = {"x": np.arange(8, dtype=np.int64).reshape(1, 8)}
    found = simulate(spec, model.accesses, platform, design, local_of(model, design, estimate), inputs)
    assert found.identical
    assert found.cycles == estimate.latency_cycles


@pytest.mark.parametrize(
    ("vector", "frames"), [("[1, 0]", 1), ("[3, 0]", 3), ("[1, 1]", 2), ("[1, -1]", 2), ("[2, -3]", 3)]
)
def test_a_state_keeps_one_frame_more_if_it_leads_to_another_repetition(vector: str, frames: int) -> None:
    spec = check_source(SourceFile("smooth.aol", SPEC.replace("[1, 0] else", f"{vector} else"))).spec
    assert spec is not None
    model = MachineModel(flatten(spec, "smooth"), default_platform(), {})
    design = Design((GroupDesign((Processor("smooth", 1),), Blocks((1, 2), row_major(2))),))
    estimate = model.evaluate(design)
    inputs = {"x": np.arange(8, dtype=np.int64).reshape(1, 8)}
    local = local_of(model, design, estimate)
    found = simulate(spec, model.accesses, model.platform, design, local, inputs)
    assert list(mismatches(found, estimate)) == []
    assert [use.live for use in estimate.groups[0].memories if use.kind == STATE.name] == [frames * 8]
