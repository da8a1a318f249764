"""Energies of groups and designs beside repetitions and accesses counted one by one."""

from __future__ import annotations

from energy_oracle import energies, with_energies
from hypothesis import event, given, settings
from hypothesis import strategies as st
from machine_oracle import Oracle
from many_cases import case_count
from strategies_machine import Case, cases

from arrayol.errors import ArrayolError
from hwmodel.cost_model.estimate import MemoryUse
from hwmodel.cost_model.model import MachineModel


@settings(max_examples=case_count(300), deadline=None)
@given(cases(), st.sampled_from((0.0, 0.5, 7.25)))
def test_the_enumerated_path_counts_every_repetition_and_access(case: Case, energy: float) -> None:
    platform = with_energies(case.platform, energy)
    oracle = Oracle(case.network, platform, case.design)
    try:
        found = MachineModel(case.network, platform).estimate_enumerated(case.design)
    except ArrayolError as refused:
        event(f"refused: {refused.diagnostics[0].code}")
        return
    assert found.energy is not None
    event("FIFOs" if case.design.fifos else "recomputes" if case.design.recompute else "priced")
    by_name = {(use.part, use.name): use.femtojoules for use in found.energy}
    assert len(by_name) == len(found.energy)
    assert by_name == energies(oracle, {(use.kind, use.name): _bank(use) for use in found.memories})


def _bank(use: MemoryUse) -> tuple[int, int]:
    """The bits of a bank as it is built, and its copies."""
    assert use.organisation is not None, "there is a technology"
    return use.organisation.depth * use.organisation.width, use.organisation.copies
