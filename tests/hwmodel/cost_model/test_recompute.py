"""Groups that recompute, in batches beside enumeration: what is no product, and what runs for every place again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from energy_oracle import with_energies
from same_figures import require_same_figures

from arrayol.checks.check import load_checked
from arrayol.checks.top import choose_top
from arrayol.ir.network import flatten
from hwmodel.cost_model.counted.axes import first_use
from hwmodel.cost_model.counted.axes.fetches import StructureKeeps
from hwmodel.cost_model.evaluate.evaluation import price
from hwmodel.cost_model.model import MachineModel
from hwmodel.design import POLICIES, Blocks, GroupDesign, Processor, row_major
from hwmodel.platform import find_platform

PAIRS = """\
elementary two(x: u8) -> (y: u8[2]) { y[0] = x  y[1] = x + 1 }
elementary sum(x: u8[2]) -> (z: u16) { z = 0  z += x[i] for i in 0..2 }
elementary copy(x: u8) -> (z: u8) { z = x }
task make(a: u8[8]) -> (b: u8[16]) { repeat [8] of two { x <- a  y -> b at origin [0] paving [2] fitting [1] } }
"""
WINDOWS = """\
task use(b: u8[16]) -> (c: u16[15]) {
  repeat [15] of sum { x <- b at origin [0] paving [1] fitting [1]  z -> c }
}
task top(a: u8[8]) -> (c: u16[15]) { b = make(a)  c = use(b) }
"""
ALIGNED = """\
task use(b: u8[16]) -> (c: u16[8]) {
  repeat [8] of sum { x <- b at origin [0] paving [2] fitting [1]  z -> c }
}
task top(a: u8[8]) -> (c: u16[8]) { b = make(a)  c = use(b) }
"""
EVERY_SECOND = """\
task use(b: u8[16]) -> (c: u8[8]) { repeat [8] of copy { x <- b at origin [0] paving [2] fitting []  z -> c } }
task top(a: u8[8]) -> (c: u8[8]) { b = make(a)  c = use(b) }
"""
FOR_EACH_ROW = """\
task use(b: u8[16]) -> (c: u16[4, 15]) {
  repeat [4, 15] of sum { x <- b at origin [0] paving [0, 1] fitting [1]  z -> c }
}
task top(a: u8[8]) -> (c: u16[4, 15]) { b = make(a)  c = use(b) }
"""
STORED = """\
task use(b: u8[16]) -> (c: u16[15]) {
  repeat [15] of sum { x <- b at origin [0] paving [1] fitting [1]  z -> c }
}
task top(a: u8[8]) -> (c: u16[15], b: u8[16]) { b = make(a)  c = use(b) }
"""
SINGLE = """\
elementary copy(x: u8) -> (z: u8) { z = x }
elementary sum(x: u8[3]) -> (z: u16) { z = 0  z += x[i] for i in 0..3 }
task make(a: u8[16]) -> (b: u8[16]) { repeat [16] of copy { x <- a  z -> b } }
task use(b: u8[16]) -> (c: u16[14]) {
  repeat [14] of sum { x <- b at origin [0] paving [1] fitting [1]  z -> c }
}
task top(a: u8[16]) -> (c: u16[14]) { b = make(a)  c = use(b) }
"""
# Two readers of one array, which work in different stages, each through another window.
TWO_READERS = """\
elementary copy(x: u8) -> (z: u8) { z = x }
elementary sum(x: u8[2]) -> (z: u8) { z = 0  z += x[i] for i in 0..2 }
elementary both(x: u8[2], y: u8) -> (z: u8) { z = y  z += x[i] for i in 0..2 }
task make(a: u8[6, 6]) -> (b: u8[6, 6]) { repeat [6, 6] of copy { x <- a  z -> b } }
task mid(b: u8[6, 6]) -> (m: u8[5, 5]) {
  repeat [5, 5] of sum { x <- b at origin [0, 0] paving [1, 0; 0, 1] fitting [0; 1]  z -> m }
}
task use(b: u8[6, 6], m: u8[5, 5]) -> (c: u8[5, 5]) {
  repeat [5, 5] of both { x <- b at origin [0, 0] paving [1, 0; 0, 1] fitting [1; 0]  y <- m  z -> c }
}
task top(a: u8[6, 6]) -> (c: u8[5, 5]) { b = make(a)  m = mid(b)  c = use(b, m) }
"""
# The wider window is that of the task that works earlier: what it alone reads dies before the rest.
WIDER_EARLIER = """\
elementary copy(x: u8) -> (z: u8) { z = x }
elementary sum(x: u8[3]) -> (z: u8) { z = 0  z += x[i] for i in 0..3 }
elementary both(x: u8[2], y: u8) -> (z: u8) { z = y  z += x[i] for i in 0..2 }
task make(a: u8[16]) -> (b: u8[16]) { repeat [16] of copy { x <- a  z -> b } }
task mid(b: u8[16]) -> (m: u8[14]) { repeat [14] of sum { x <- b at origin [0] paving [1] fitting [1]  z -> m } }
task use(b: u8[16], m: u8[14]) -> (c: u8[14]) {
  repeat [14] of both { x <- b at origin [0] paving [1] fitting [1]  y <- m  z -> c }
}
task top(a: u8[16]) -> (c: u8[14]) { b = make(a)  m = mid(b)  c = use(b, m) }
"""


def _model(folder: Path, text: str) -> MachineModel:
    (folder / "t.aol").write_text(text, encoding="utf-8")
    spec = load_checked(folder / "t.aol")
    platform = with_energies(find_platform(folder / "t.aol", None)[0], 1.5)
    return MachineModel(flatten(spec, choose_top(spec, None)), platform)


@pytest.mark.parametrize(
    ("text", "shape", "product"),
    [
        (PAIRS + WINDOWS, (1,), False),  # of the pairs that a block needs it reads a part
        (PAIRS + WINDOWS, (15,), True),
        (PAIRS + ALIGNED, (1,), True),
        (PAIRS + ALIGNED, (3,), True),
        (PAIRS + EVERY_SECOND, (1,), None),  # the half of what is made nobody reads
        (PAIRS + FOR_EACH_ROW, (1, 15), True),
        (PAIRS + FOR_EACH_ROW, (3, 15), True),
        (PAIRS + FOR_EACH_ROW, (2, 4), False),
        (PAIRS + STORED, (15,), True),
        (PAIRS + STORED, (2,), False),
        (SINGLE, (1,), True),
        (SINGLE, (4,), True),
        (TWO_READERS, (1, 1), False),
        (TWO_READERS, (5, 2), False),
        (TWO_READERS, (1, 5), False),
        (WIDER_EARLIER, (2,), False),
    ],
)
def test_as_by_the_exact_path(tmp_path: Path, text: str, shape: tuple[int, ...], product: bool | None) -> None:
    model = _model(tmp_path, text)
    processors = tuple(map(Processor, model.network.processes))
    structure = GroupDesign(processors, Blocks(shape, row_major(len(shape))), recompute=True)
    batch, rates = model.batch_for(structure), np.ones((1, len(processors)), np.int64)
    assert (batch is None) == (product is None)
    assert model.takes_by_counts(structure) == bool(product)
    if batch is not None:
        assert batch.structures_of(structure).holds.tolist() == [product]
    require_same_figures(
        model.price_structure(structure, rates),
        0,
        price(model.enumerated(structure), rates),
    )


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("recompute", [False, True])
def test_sides_are_looked_at_in_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, policy: str, recompute: bool
) -> None:
    """Where patterns are wide, what tilers read of many block sides is not looked at all at once."""
    monkeypatch.setattr(first_use, "_CELLS", 50)  # a side of 42 pairs of an index and an element at a time
    model = _model(tmp_path, SINGLE)
    shapes, rates = np.arange(1, 15)[:, None], np.ones((1, 2), np.int64)
    designs = [
        GroupDesign(
            tuple(map(Processor, ("make", "use"))), Blocks((side,), row_major(1)), policy=policy, recompute=recompute
        )
        for side in range(1, 15)
    ]
    batch = model.batch_for(designs[0])
    assert batch is not None
    priced = price(batch.tables(row_major(1), shapes, StructureKeeps.of(map(batch.keeps_of, designs))), rates)
    for number, design in enumerate(designs):
        require_same_figures(priced, number, price(model.enumerated(design), rates))
