"""A simulation that disagrees with the model is an error, and its timeline is plain data."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from shipped import SMALL, any_input

from arrayol.checks.check import load_checked
from arrayol.errors import ArrayolError
from arrayol.ir.network import flatten
from dse.output.open_design import Simulated, timeline_of
from dse.verify.testbench import run_simulation
from hwmodel.design import Blocks, Design, GroupDesign, Processor
from hwmodel.machine.model import MachineModel
from hwmodel.platform import load_platform


@pytest.fixture(scope="module")
def simulated(checkout: Path) -> Simulated:
    spec = load_checked(checkout / "specs" / "lpsf.aol", SMALL["lpsf"])
    network, platform = flatten(spec, "lpsf"), load_platform(checkout / "specs" / "lpsf.toml")
    pairs = (("hflr", "vftd"), ("hfrl", "vfbu"))
    model = MachineModel(network, platform)
    design = Design(
        tuple(
            GroupDesign(tuple(map(Processor, tasks)), Blocks((2, 2), model.legal_scans(tasks[1], (2, 2))[0]))
            for tasks in pairs
        )
    )
    estimate = model.evaluate(design)
    inputs = {port.name: any_input(port, 1) for port in spec.components["lpsf"].inputs}
    return Simulated(run_simulation(spec, model.accesses, platform, design, estimate, inputs), estimate)


def test_agreement_is_required(simulated: Simulated) -> None:
    simulated.require_agreement()
    group = replace(simulated.estimate.groups[0], latency_cycles=1)
    wrong = replace(simulated.estimate, groups=(group, simulated.estimate.groups[1]))
    with pytest.raises(ArrayolError) as caught:
        Simulated(simulated.simulation, wrong).require_agreement()
    (found,) = caught.value.diagnostics
    cycles = f"{simulated.simulation.cycles:,} cycles, where the model says {wrong.latency_cycles:,}"
    assert (found.code, found.message) == (
        "verification-failed",
        f"simulation and model do not agree: it takes {cycles}",
    )
    differs = replace(simulated.simulation, identical=False)
    assert Simulated(differs, simulated.estimate).mismatches == ("its output differs from the reference execution's",)


def test_the_timeline_has_the_first_and_last_steps(simulated: Simulated) -> None:
    for shown, run in zip(timeline_of(simulated.simulation), simulated.simulation.groups, strict=True):
        assert (shown.steps, shown.cycles) == (len(run.lengths), sum(run.lengths))
        first, last = shown.runs
        assert [step.number for step in first] == list(range(6))
        assert [step.number for step in last] == list(range(shown.steps - 6, shown.steps))
        for step in (*first, *last):
            assert step.start == sum(run.lengths[: step.number])
            assert step.length == run.lengths[step.number]
            port = [bar for side in (step.loads, step.stores) for bar in side]
            ends = [step.start, *(end for _, _, end in port), *(step.start + busy for busy in step.computing.values())]
            assert max(ends) == step.start + step.length
            assert all(before[2] <= after[1] for before, after in pairwise(port))
        assert not first[0].computing
        assert first[0].loads
        assert last[-1].stores
        assert not last[-1].computing
        assert list(shown.tasks) == ["hflr", "vftd"] or list(shown.tasks) == ["hfrl", "vfbu"]
