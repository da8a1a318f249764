"""Groups that recompute, with a task whose delay reaches into the frame before: its state advances once a frame."""

from __future__ import annotations

import numpy as np
import pytest
from judging import local_of

from arrayol.checks.check import check_source
from arrayol.ir.network import flatten
from arrayol.source import SourceFile
from hwmodel.cost_model.model import MachineModel
from hwmodel.design import Blocks, Design, GroupDesign, Processor, row_major
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
