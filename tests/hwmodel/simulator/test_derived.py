"""Datapaths that are derived from bodies: at every interval the simulator takes the steps that the model says."""

from __future__ import annotations

import pytest
from judging import local_of

from arrayol.checks.check import load_checked
from arrayol.checks.top import choose_top
from arrayol.errors import ArrayolError
from arrayol.files import shipped_folder
from arrayol.ir.network import flatten
from hwmodel.cost_model.model import MachineModel
from hwmodel.design import BankLayout, Blocks, Design, GroupDesign, Processor
from hwmodel.platform import Platform
from hwmodel.platform_memories import ExternalMemory, LocalMemory
from hwmodel.simulator.simulate import run_groups

PLATFORM = Platform(
    technology="ecp5-6",
    clock_mhz=100.0,
    memory=ExternalMemory(latency=1, data_per_word=16),  # processors end the steps
    local=LocalMemory(access_cycles=2),
)


def _model() -> MachineModel:
    spec = load_checked(shipped_folder() / "lpsf.aol", {"H": 12, "W": 16})
    return MachineModel(flatten(spec, choose_top(spec, None)), PLATFORM)


def _lengths(model: MachineModel, design: Design) -> list[int]:
    """Of every step, by the model and by the simulator."""
    found = model.evaluate(design)
    runs = run_groups(model.accesses, model.platform, design, local_of(model, design, found))
    simulated = [cycles for run, _ in runs for cycles in run.lengths]
    assert [cycles for group in design.groups for cycles in model.step_cycles(group)] == simulated
    assert found.latency_cycles == sum(simulated)
    return simulated


@pytest.mark.parametrize("units", [1, 2, 8])
def test_at_every_interval(units: int) -> None:
    model = _model()
    task = next(iter(model.network.processes))
    process = model.network.processes[task]
    paths = {interval: PLATFORM.datapath(process, interval) for interval in PLATFORM.intervals(process)}
    assert len(paths) > 3
    assert all(path.through_memory and max(path.recurrence.values()) > path.interval for path in paths.values())
    seen = []
    for interval in paths:
        for layouts in ((), (BankLayout(next(iter(process.writes)), 1, (1, 1)),)):
            alone = _group(model, task, Processor(task, units, None, interval), layouts)
            estimate = model.estimate(alone)
            assert estimate.evaluator == "counted"
            assert estimate.processors[0].interval == (max(8, interval) if layouts else interval)
            others = tuple(_group(model, name, Processor(name), ()) for name in model.network.processes if name != task)
            seen.append(_lengths(model, Design((alone, *others)))[1])
    assert len(set(seen)) > 3


def _group(model: MachineModel, task: str, processor: Processor, layouts: tuple[BankLayout, ...]) -> GroupDesign:
    shape = model.accesses.extents(task)
    return GroupDesign((processor,), Blocks(shape, model.legal_scans(task, shape)[0]), layouts=layouts)


def test_an_interval_between_those_worth_trying_is_refused() -> None:
    model = _model()
    with pytest.raises(ArrayolError, match="has the interval 5, which the platform does not offer"):
        model.estimate(_group(model, "hflr", Processor("hflr", 1, None, 5), ()))
