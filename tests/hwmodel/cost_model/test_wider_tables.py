"""What was counted for many sides of blocks stands for some of them, and says the same."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from arrayol.checks.check import load_checked
from arrayol.checks.top import choose_top
from arrayol.files import shipped_folder
from arrayol.ir.network import flatten
from hwmodel.cost_model.counted.batch import GroupBatch
from hwmodel.cost_model.evaluate.evaluation import price
from hwmodel.cost_model.model import MachineModel
from hwmodel.cost_model.numbering import places_of
from hwmodel.cost_model.timeline import group_timeline
from hwmodel.design import Blocks, GroupDesign, Processor
from hwmodel.platform import find_platform

SIZES = {"H": 24, "W": 16}
FIGURES = ("latency_cycles", "frame_cycles", "internal_memory_elements", "memory_blocks", "traffic_bytes", "port_bytes")
SOME = np.array([[2, 8], [24, 1], [3, 2]])


def batch_of(*tasks: str) -> tuple[MachineModel, GroupBatch]:
    """What prices a group of lpsf, and nothing is known yet."""
    path = shipped_folder() / "lpsf.aol"
    spec = load_checked(path, SIZES)
    model = MachineModel(flatten(spec, choose_top(spec, None)), find_platform(path, None)[0])
    batch = model.batch(tasks)
    assert batch is not None
    return model, batch


@pytest.mark.parametrize("tasks", [("vftd",), ("hflr", "vftd"), ("hflr", "vftd", "hfrl", "vfbu")])
def test_some_shapes_cost_the_same_after_all_of_them(tasks: tuple[str, ...]) -> None:
    (model, fresh), (_, used) = batch_of(*tasks), batch_of(*tasks)
    every = np.array(list(product((1, 2, 3, 4, 6, 8, 12, 24), (1, 2, 4, 8, 16))))
    rates = np.array([[1] * len(tasks), [2] * len(tasks)], np.int64)
    for scan in model.legal_scans(tasks[-1], (1, 1)):
        price(used.tables(scan, every), rates)
        tables = len(used.kept.tables)
        again, alone = price(used.tables(scan, SOME), rates), price(fresh.tables(scan, SOME), rates)
        assert len(used.kept.tables) == tables
        assert again.legal.tolist() == alone.legal.tolist()
        for name in FIGURES:
            assert again.objective(name).tolist() == alone.objective(name).tolist(), name
        uneven, read_again = used.uneven_tasks(scan, every), used.reads_again(scan, every)
        for row, shape in enumerate(every):
            alone = batch_of(*tasks)[1]
            assert alone.uneven_tasks(scan, shape[None]) == [uneven[row]]
            assert alone.reads_again(scan, shape[None]).tolist() == [read_again[row]]


def test_where_rows_stand_in_a_table() -> None:
    table = np.array([[1, 5], [2, 5], [2, 6]])
    found = places_of(np.array([[2, 6], [1, 5]]), table)
    assert found is not None
    assert found.tolist() == [2, 0]
    assert places_of(np.array([[2, 6], [1, 6]]), table) is None


def test_steps_of_a_structure_are_the_same_after_many_others() -> None:
    tasks = ("hflr", "vftd", "hfrl", "vfbu")
    (used, batch), (fresh, _) = batch_of(*tasks), batch_of(*tasks)
    for scan in used.legal_scans(tasks[-1], (1, 1)):
        batch.structures(scan, np.array(list(product((1, 2, 3, 4, 6, 8, 12, 24), (1, 2, 4, 8, 16)))))
        design = GroupDesign(tuple(map(Processor, tasks)), Blocks((4, 8), scan))
        estimate = fresh.estimate(design)
        totals, first = (estimate.steps, estimate.latency_cycles), estimate.steps
        found, expected = (group_timeline(model, design, totals, first=first, last=0) for model in (used, fresh))
        assert found == expected
        assert [step.length for step in found.steps] == list(fresh.step_cycles(design))
