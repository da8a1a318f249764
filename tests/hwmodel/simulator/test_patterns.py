"""Patterns that repetitions share: the same elements as written out, and no memory for each repetition."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judging import local_of
from strategies_networks import networks

from arrayol.checks.check import check_source
from arrayol.ir.network import Network, flatten
from arrayol.source import SourceFile
from hwmodel.accesses import Accesses
from hwmodel.cost_model.model import MachineModel
from hwmodel.design import Blocks, Design, GroupDesign, Processor, row_major
from hwmodel.platform import default_platform
from hwmodel.residence import Load
from hwmodel.simulator.schedule.patterns import touched_patterns
from hwmodel.simulator.simulate import simulate


@given(networks(), st.integers(0, 3))
@settings(max_examples=60)
def test_they_are_those_of_each_repetition(network: Network, keys: int) -> None:
    accesses = Accesses(network)
    for process in network.processes:
        repetitions = accesses.repetitions(process)
        for touch in (*accesses.reads[process], *accesses.writes[process]):
            rows, patterns = touched_patterns(accesses, touch, repetitions)
            happening, elements = accesses.touched(touch, repetitions)
            assert rows.tolist() == happening.tolist()
            assert patterns.each.tolist() == elements.tolist()
            key = np.arange(len(rows)) % (keys + 1)
            apart, of_each = patterns.split_by(key)
            assert apart.each.tolist() == elements.tolist()
            assert of_each[apart.of].tolist() == key.tolist()
            least, greatest = apart.least(key), apart.greatest(key)
            assert least.tolist() == greatest.tolist() == of_each.tolist()


SIDE, TABLE = 32, 4096
SPEC = """elementary look(x: u12, T: u8[4096]) -> (y: u8) {{ y = T[x] }}
task top(x: u12[32, 32], T: u8[{shape}]) -> (y: u8[32, 32]) {{
  repeat [32, 32] of look {{
    x <- x
    T <- T {tiler}
    y -> y
  }}
}}
"""
WHOLE = ("4096", "at origin [0] paving [0, 0] fitting [1]")
BY_ROW = ("4, 4096", "at origin [0, 0] paving [1, 0; 0, 0] fitting [0; 1] wrap")


@pytest.mark.parametrize(("shape", "tiler", "most"), [(*WHOLE, 1), (*BY_ROW, 4)])
@pytest.mark.parametrize("load", ["frame", "once"])
@pytest.mark.parametrize("block", [(32, 32), (1, 32)])
def test_a_table_takes_one_row(shape: str, tiler: str, most: int, load: Load, block: tuple[int, int]) -> None:
    """Written out, a table takes 8 bytes x 4,096 x 1,024 repetitions = 32 MiB in each of several arrays."""
    spec = check_source(SourceFile("look.aol", SPEC.format(shape=shape, tiler=tiler))).spec
    network, platform = flatten(spec, "top"), default_platform()
    model = MachineModel(network, platform, {"T": load})
    group = GroupDesign((Processor("top", 1),), Blocks(block, row_major(2)))
    design = Design((group,), (("T", load),))
    local = local_of(model, design, model.evaluate(design))
    rng = np.random.default_rng(1)
    inputs = {"x": rng.integers(0, TABLE, (SIDE, SIDE), np.uint16)}
    inputs["T"] = rng.integers(0, 256, [int(side) for side in shape.split(", ")], np.uint8)
    tracemalloc.start()
    found = simulate(spec, model.accesses, platform, design, local, inputs)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.identical
    assert peak < (8 + 8 * most) << 20


READ_IN_PART = """elementary one(a: i64) -> (b: i64) { b = 2 * a + 1 }
task first(x: i64[6]) -> (y: i64[6]) { repeat [6] of one { a <- x  b -> y } }
task second(y: i64[6]) -> (z: i64[3]) { repeat [3] of one { a <- y at origin [0] paving [2] fitting []  b -> z } }
task top(x: i64[6]) -> (y: i64[6], z: i64[3]) { y = first(x)  z = second(y) }
"""


@pytest.mark.parametrize("recompute", [False, True])
def test_what_is_stored_leaves_after_it_was_made_not_after_it_was_read(*, recompute: bool) -> None:
    """Half of 'y' is read in the group, in other ticks than those that make the rest of it; all of it is stored."""
    spec = check_source(SourceFile("part.aol", READ_IN_PART)).spec
    network, platform = flatten(spec, "top"), default_platform()
    model = MachineModel(network, platform, {})
    tasks = Processor("first", 1), Processor("second", 1)
    design = Design((GroupDesign(tasks, Blocks((1,), row_major(1)), recompute=recompute),))
    estimate = model.evaluate(design)
    inputs = {"x": np.arange(6, dtype=np.int64)}
    found = simulate(spec, model.accesses, platform, design, local_of(model, design, estimate), inputs)
    assert found.identical
    assert found.cycles == estimate.latency_cycles
