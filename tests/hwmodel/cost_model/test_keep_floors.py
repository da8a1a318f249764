"""What no choice of keeps is faster than: it holds where fetching more takes less, and where data come early."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arrayol.checks.check import check_source
from arrayol.checks.top import choose_top
from arrayol.ir.network import flatten
from arrayol.source import SourceFile
from hwmodel.cost_model.counted.axes.fetches import StructureKeeps
from hwmodel.cost_model.counted.keep_choices import KeepChoices, keep_choices
from hwmodel.cost_model.evaluate.evaluation import price
from hwmodel.cost_model.model import MachineModel
from hwmodel.design import ReuseLevel, Scan
from hwmodel.figures import LATENCY
from hwmodel.platform import default_platform

# Block 0 reads places 2, 8, 9, 10 and block 1 reads 1, 2, 3. If 2 is kept, 1 and 3 are two local words; if not, 1, 2, 3
# are one. So the second block is loaded faster where nothing is kept.
GAP = """
elementary both(x: u8, y: u8[3]) -> (z: u8) { z = x + y[0] + y[1] + y[2] }
task gap(a: u8[16]) -> (z: u8[2]) {
  repeat [2] of both {
    x <- a at origin [2]  paving [0]   fitting []
    y <- a at origin [8]  paving [-7]  fitting [1]
    z -> z
  }
}
"""


def _priced(text: str, keep: ReuseLevel) -> tuple[KeepChoices, NDArray[np.int64], MachineModel]:
    """The one choice beside keeping all to the end, in blocks of one repetition, and its latency at a rate."""
    spec = check_source(SourceFile("gap.aol", text)).spec
    default = default_platform()
    memory = default.memory.model_copy(update={"latency": 40, "data_per_word": 16, "word_bits": None, "burst": "box"})
    platform = default.model_copy(update={"assume_datapaths": True, "memory": memory})
    model = MachineModel(flatten(spec, choose_top(spec, None)), platform)
    (task,) = model.network.processes
    batch = model.batch((task,))
    assert batch is not None
    scan, shapes = Scan((0,), (False,)), np.array([[1]])
    choices = keep_choices(batch, scan, shapes, [(ReuseLevel(0), keep)], [(1,)], {LATENCY: False})
    kept = StructureKeeps(choices.keeps, np.zeros(1, np.int64))
    return choices, price(batch.tables(scan, shapes, kept), np.array([[1]])).objective(LATENCY), model


def _latency_of_keeping(model: MachineModel) -> int:
    (task,) = model.network.processes
    batch = model.batch((task,))
    assert batch is not None
    return int(price(batch.tables(Scan((0,), (False,)), np.array([[1]])), np.array([[1]])).objective(LATENCY)[0, 0])


def test_local_words_of_what_is_kept_bound_nothing() -> None:
    choices, latency, model = _priced(GAP, ReuseLevel(1))
    assert latency[0, 0] < _latency_of_keeping(model)  # fetching 2 again makes one word of 1, 2, 3
    assert choices.floors[LATENCY][0, 0] <= latency[0, 0]


def test_the_port_bounds_no_eager_keep() -> None:
    choices, latency, model = _priced(GAP, ReuseLevel(0, eager=True))
    assert latency[0, 0] < _latency_of_keeping(model)  # all is loaded at once, before the first block
    assert choices.floors[LATENCY][0, 0] <= latency[0, 0]
