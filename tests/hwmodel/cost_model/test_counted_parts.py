"""Structures with few and with many kinds of steps come apart; in whatever parts, their lengths are the same."""

from __future__ import annotations

import sys
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arrayol import api
from arrayol.checks.top import choose_top
from arrayol.files import shipped_folder
from arrayol.ir.network import flatten
from hwmodel.cost_model.counted import step_kinds
from hwmodel.cost_model.evaluate.evaluation import fastest
from hwmodel.cost_model.model import MachineModel
from hwmodel.design import Scan
from hwmodel.platform import load_platform

sys.path.append(str(Path(__file__).parents[3] / "benchmarks"))
from graphs import chain

SHAPES = np.array(list(product((1, 2, 5, 24), (1, 3, 36))))


@pytest.mark.parametrize("cells", [1, 1 << 40])
def test_parts_change_nothing(cells: int, tmp_path: Path, monkeypatch: Any) -> None:
    path = tmp_path / "graph.aol"
    path.write_text(replace(chain(3), frame=(24, 36)).text("graph"))
    spec = api.load(path)
    network = flatten(spec, choose_top(spec, None))
    model = MachineModel(network, load_platform(shipped_folder() / "platforms" / "default.toml"))
    batch = model.batch(tuple(network.processes))
    assert batch is not None
    monkeypatch.setattr(step_kinds, "_SMALL_CELLS", cells)
    scan, offered = Scan((0, 1), (False, False)), [(1, 2, 4)] * 3
    priced = fastest(batch.tables(scan, SHAPES), offered)
    each = [fastest(batch.tables(scan, SHAPES[row : row + 1]), offered) for row in range(len(SHAPES))]
    for name in ("latency_cycles", "frame_cycles"):
        for row, one in enumerate(each):
            cycles = priced.objective(name)[row][priced.legal[row]].tolist()
            assert cycles == one.objective(name)[0][one.legal[0]].tolist()
    structures = batch.structures(scan, SHAPES)
    parts = list(step_kinds.step_kinds(batch.counts, structures, cyclic=False))
    assert (len(parts) > 2) == (cells < 1 << 40)  # those whose work lies several rows above come apart anyway
    assert sorted(np.concatenate([part.chosen for part in parts])) == list(range(len(SHAPES)))
