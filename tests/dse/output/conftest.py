"""A simulated design."""

from __future__ import annotations

from pathlib import Path

import pytest
from shipped import SMALL, any_input

from arrayol.checks.check import load_checked
from arrayol.ir.network import flatten
from dse.output.open_design import Simulated
from dse.verify.testbench import run_simulation
from hwmodel.cost_model.model import MachineModel
from hwmodel.design import Blocks, Design, GroupDesign, Processor
from hwmodel.platform import load_platform


@pytest.fixture(scope="session")
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
