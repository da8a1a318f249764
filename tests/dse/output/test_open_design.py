"""A simulation that disagrees with the model is an error."""

from __future__ import annotations

from dataclasses import replace

import pytest

from arrayol.errors import ArrayolError
from dse.output.open_design import Simulated


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
