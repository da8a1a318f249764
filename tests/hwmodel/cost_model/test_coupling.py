"""Dimensions and axes that tilers couple: which stand as one, and designs of them priced in bulk."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations, product
from pathlib import Path

import numpy as np
import pytest

from arrayol.checks.check import load_checked
from arrayol.ir.network import flatten
from hwmodel.cost_model.counted.axes.coupling import along_each, is_product
from hwmodel.cost_model.model import MachineModel
from hwmodel.design import Blocks, GroupDesign, Policy, Processor, Scan
from hwmodel.platform import find_platform

STEREO = """
const H = 6
const W = 9
const D = 3
elementary differ(left: u8, right: u8) -> (diff: u8) { diff = u8(abs(i16(left) - right)) }
elementary add(diff: u8[3, 3]) -> (cost: u16) {
  cost = 0
  cost += u16(diff[i, j])  for i in 0..3, j in 0..3
}
elementary choose(cost: u16[D]) -> (shift: u8) {
  least: u32 = 4294967295
  loop d in 0..D {
    shift = u8(d)  where u32(cost[d]) < least
    least = min(least, u32(cost[d]))
  }
}
task differences(left: u8[H, W], right: u8[H, W]) -> (diff: u8[D, H, W]) {
  repeat [D, H, W] of differ {
    left  <- left  at origin [0, 0]  paving [0, 1, 0; 0, 0, 1]   fitting []
    right <- right at origin [0, 0]  paving [0, 1, 0; -1, 0, 1]  fitting [] else nearest
    diff -> diff
  }
}
task costs(diff: u8[D, H, W]) -> (cost: u16[D, H - 2, W - 2]) {
  repeat [D, H - 2, W - 2] of add {
    diff <- diff at origin [0, 0, 0]  paving [1, 0, 0; 0, 1, 0; 0, 0, 1]  fitting [0, 0; 1, 0; 0, 1]
    cost -> cost
  }
}
task winner(cost: u16[D, H - 2, W - 2]) -> (shift: u8[H - 2, W - 2]) {
  repeat [H - 2, W - 2] of choose {
    cost <- cost at origin [0, 0, 0]  paving [0, 0; 1, 0; 0, 1]  fitting [1; 0; 0]
    shift -> shift
  }
}
task stereo(left: u8[H, W], right: u8[H, W]) -> (shift: u8[H - 2, W - 2]) {
  diff  = differences(left, right)
  cost  = costs(diff)
  shift = winner(cost)
}
"""
TASKS = ("differences", "costs", "winner")


@pytest.fixture(scope="module")
def stereo(tmp_path_factory: pytest.TempPathFactory) -> MachineModel:
    path: Path = tmp_path_factory.mktemp("stereo") / "stereo.aol"
    path.write_text(STEREO, encoding="utf-8")
    return MachineModel(flatten(load_checked(path, {}), "stereo"), find_platform(path, None)[0])


@pytest.mark.parametrize(
    ("tasks", "blocks"),
    [(TASKS[:1], [(0, 2), (1,)]), (TASKS[:2], [(0, 2), (1,)]), (TASKS[1:], [(0,), (1,)]), (TASKS, [(0,), (1,)])],
)
def test_only_what_shifts_move_stands_as_one(stereo: MachineModel, tasks: tuple[str, ...], blocks: object) -> None:
    batch = stereo.batch(tasks)
    assert batch is not None
    assert batch.counts.parts.blocks == blocks
    spaces = batch.counts.parts.spaces
    # A shift and a column of the left picture read a column of the right one, whether the shifts are walked or not.
    coupled = "differences" in tasks
    assert spaces.couple is coupled
    assert not coupled or spaces.dimensions("differences") == [(0, 2), (1,)]


@pytest.mark.parametrize("tasks", [TASKS[:1], TASKS[:2], TASKS])
@pytest.mark.parametrize("down", [False, True])
def test_stereo_in_bulk_is_as_element_by_element(stereo: MachineModel, tasks: tuple[str, ...], down: bool) -> None:
    extents = stereo.accesses.extents(tasks[-1])
    sides = [(1, 2) if extent == 3 else (2, extent) for extent in extents]
    for order, shape in product(permutations(range(len(extents))), product(*sides)):
        scan = Scan(order, tuple(down ^ bool(k % 2) for k in order))
        design = GroupDesign(tuple(map(Processor, tasks)), Blocks(shape, scan))
        found = stereo.estimate(design)
        assert found.evaluator == "counted"
        assert replace(found, evaluator="enumerated") == stereo.estimate_enumerated(design)


def test_cells_that_are_all_combinations_of_indices() -> None:
    grid = np.zeros((2, 3), np.bool_)
    grid[:, 1:] = True
    assert [own.tolist() for own in along_each(grid.ravel(), (2, 3))] == [[True, True], [False, True, True]]
    assert is_product(grid.ravel(), (2, 3))
    grid[0, 1] = False
    assert not is_product(grid.ravel(), (2, 3))


SHORT_CUT = """
const H = 6
const W = 8
elementary mean(x: u8[3, 3]) -> (y: u8) { y = x[0, 0] + x[1, 1] + x[2, 2] }
elementary add(x: u8, z: u8[2]) -> (y: u8) { y = x + z[0] }
task first(x: u8[H, W]) -> (y: u8[H, W]) {
  repeat [H, W] of mean {
    x <- x at origin [-1, -1]  paving [1, 0; 0, 1]  fitting [1, 0; 0, 1] else nearest
    y -> y
  }
}
task last(x: u8[H, W], z: u8[H, W]) -> (y: u8[H, W]) {
  repeat [H, W] of add {
    x <- x at origin [0, 0]  paving [1, 0; 0, 1]  fitting []
    z <- z at origin [0, 0]  paving [1, 0; 0, 1]  fitting [0; 1] else nearest
    y -> y
  }
}
task cut(x: u8[H, W]) -> (y: u8[H, W]) {
  a = first(x)
  b = first(a)
  y = last(b, a)
}
"""


@pytest.mark.parametrize("policy", ["reuse", "tile"])
def test_readers_of_several_stages_are_followed_one_by_one(tmp_path: Path, policy: Policy) -> None:
    path = tmp_path / "cut.aol"
    path.write_text(SHORT_CUT, encoding="utf-8")
    model = MachineModel(flatten(load_checked(path, {}), "cut"), find_platform(path, None)[0])
    tasks, listed = tuple(model.network.processes), 0
    batch = model.batch(tasks)
    assert batch is not None
    for shape, order in product(product((1, 2, 4), (1, 3, 8)), permutations(range(2))):
        design = GroupDesign(tuple(map(Processor, tasks)), Blocks(shape, Scan(order, (False, True))), policy=policy)
        structures = batch.structures_of(design)
        listed += int(structures.listed.sum())
        found = model.estimate(design)
        assert found.evaluator == "counted"
        assert replace(found, evaluator="enumerated") == model.estimate_enumerated(design)
        priced = model.price_structure(design, np.ones((1, 3), np.int64))
        assert int(priced.internal_memory_bits[0, 0]) == found.internal_memory_bits
    assert listed > 9  # the short cut is read a stage later, and further on


SKEW = """
elementary keep(x: u8, before: u8) -> (y: u8) { y = x + before }
elementary pick(x: u8) -> (y: u8) { y = x }
task sums(x: u8[11]) -> (y: u8[3, 5]) {
  repeat [3, 5] of keep {
    x      <- x at origin [0]  paving [3, 1]  fitting []
    before <- y delay [0, 1] else 0
    y -> y
  }
}
task turned(y: u8[3, 5]) -> (z: u8[3, 4]) {
  repeat [3, 4] of pick {
    x <- y at origin [0, 1]  paving [1, 0; 0, 1]  fitting []
    y -> z
  }
}
task skew(x: u8[11]) -> (y: u8[3, 5], z: u8[3, 4]) {
  y = sums(x)
  z = turned(y)
}
"""


@pytest.mark.parametrize("tasks", [("sums",), ("sums", "turned")])
def test_a_delay_along_coupled_dimensions_does_not_go_from_row_to_row(tmp_path: Path, tasks: tuple[str, ...]) -> None:
    path = tmp_path / "skew.aol"
    path.write_text(SKEW, encoding="utf-8")
    model = MachineModel(flatten(load_checked(path, {}), "skew"), find_platform(path, None)[0])
    batch = model.batch(tasks)
    assert batch is not None
    delay = batch.counts.parts.delay("sums")
    assert batch.counts.parts.spaces.dimensions("sums") == [(1, 0)]  # that of the delay is the outermost
    assert delay is not None
    assert (delay.step, delay.span, delay.own) == (3, 1, 1)
    extents = model.accesses.extents(tasks[-1])
    for shape in product(*((1, 2, extent) for extent in extents)):
        for scan in model.legal_scans(tasks[-1], shape):
            design = GroupDesign(tuple(map(Processor, tasks)), Blocks(shape, scan))
            found = model.estimate(design)
            assert found.evaluator == "counted"
            assert replace(found, evaluator="enumerated") == model.estimate_enumerated(design)
