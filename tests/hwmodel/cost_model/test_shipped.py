"""The machine model on every shipped specification, at small sizes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from shipped import SMALL

from arrayol.checks.check import load_checked
from arrayol.checks.top import choose_top
from arrayol.errors import ArrayolError, Diagnostic
from arrayol.files import shipped_folder
from arrayol.ir.network import flatten
from hwmodel.cost_model.estimate import GroupEstimate
from hwmodel.cost_model.evaluate.evaluation import price
from hwmodel.cost_model.model import MachineModel
from hwmodel.design import Blocks, GroupDesign, Processor
from hwmodel.platform import find_platform


def model_of(name: str, *, small: bool = True) -> MachineModel:
    path = shipped_folder() / f"{name}.aol"
    spec = load_checked(path, SMALL[name] if small else {})
    return MachineModel(flatten(spec, choose_top(spec, None)), find_platform(path, None)[0])


def neighbours(model: MachineModel) -> list[tuple[str, ...]]:
    """Every single task, every pair and the whole of a network, where those are groups with one last task."""
    names = tuple(model.network.processes)
    found = [(name,) for name in names] + list(combinations(names, 2)) + [names]
    legal = []
    for tasks in dict.fromkeys(found):
        try:
            model.batch(tasks)
        except ArrayolError:
            continue
        legal.append(tasks)
    return legal


def outcome(
    estimate: Callable[[GroupDesign], GroupEstimate], design: GroupDesign
) -> GroupEstimate | Sequence[Diagnostic]:
    """The estimate of a design, or why it is refused."""
    try:
        return estimate(design)
    except ArrayolError as refused:
        return refused.diagnostics


@pytest.mark.parametrize("name", sorted(SMALL))
def test_both_paths_agree(name: str) -> None:
    model = model_of(name)
    rng = np.random.default_rng(len(name))
    evaluators, refusals = set[str](), set[str]()
    for tasks in neighbours(model):
        last = next(task for task in tasks if not _is_read(model, task, tasks))
        extents = model.accesses.extents(last)
        shapes = {tuple(int(rng.integers(1, extent + 1)) for extent in extents) for _ in range(2)} | {extents}
        for shape in sorted(shapes):
            scans = model.legal_scans(last, shape)
            scan = scans[int(rng.integers(len(scans)))]
            design = GroupDesign(tuple(Processor(task) for task in tasks), Blocks(shape, scan))
            found, exact = outcome(model.estimate, design), outcome(model.estimate_enumerated, design)
            if isinstance(found, GroupEstimate):
                evaluators.add(found.evaluator)
                found = replace(found, evaluator="enumerated")
            else:
                refusals |= {diagnostic.code for diagnostic in found}
            assert found == exact
    assert "counted" in evaluators
    assert refusals == set()


@pytest.mark.parametrize("name", sorted(SMALL))
def test_single_tasks_are_priced_at_the_shipped_size(name: str) -> None:
    """Also those whose bodies are too large to derive a datapath from."""
    model = model_of(name, small=False)
    for task in model.network.processes:
        batch, extents = model.batch((task,)), model.accesses.extents(task)
        if batch is not None:
            scan = model.legal_scans(task, extents)[0]
            priced = price(batch.tables(scan, np.array([extents], np.int64).reshape(1, -1)), np.array([[1]]))
            assert int(priced.latency_cycles[0, 0]) > 0


def _is_read(model: MachineModel, task: str, tasks: tuple[str, ...]) -> bool:
    made = model.network.processes[task].writes
    return any(made & model.network.processes[other].reads for other in tasks)
