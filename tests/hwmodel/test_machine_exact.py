"""The exact path of the machine model beside docs/machine.md taken word for word."""

from __future__ import annotations

from hypothesis import event, given, settings
from machine_oracle import Oracle, Outcome, RefusedError
from strategies_machine import Case, cases

from arrayol.errors import ArrayolError
from hwmodel.machine.estimate import GroupEstimate
from hwmodel.machine.model import MachineModel


def refusal(found: Exception) -> str:
    return found.diagnostics[0].code if isinstance(found, ArrayolError) else str(found)


@settings(max_examples=300, deadline=None)
@given(cases())
def test_the_exact_path_is_the_page(case: Case) -> None:
    oracle = Oracle(case.network, case.platform, case.design)
    model = MachineModel(case.network, case.platform)
    try:
        expected: Outcome | str = oracle.outcome()
    except RefusedError as refused:
        expected = str(refused)
    try:
        found: GroupEstimate | str = model.exact(case.design)
    except ArrayolError as refused:
        found = refused.diagnostics[0].code
    if isinstance(expected, str) or isinstance(found, str):
        event(f"refused: {expected if isinstance(expected, str) else found}")
        assert found == expected
        return
    event("priced")
    assert list(model.step_cycles(case.design)) == expected.lengths
    assert found.latency_cycles == sum(expected.lengths)
    assert {(one.kind, one.name): one.data for one in found.memories} == expected.memories
    assert {(one.kind, one.name): one.blocks for one in found.memories} == expected.blocks
    assert found.internal_memory_data == sum(expected.memories.values())
    assert found.traffic_bytes == expected.traffic_bytes
    assert found.frame_cycles == expected.frame_cycles
    assert found.frame_memory_data == sum(expected.frame_memories.values())
    assert found.ends == expected.ends
    assert expected.waiting == {
        one.task: (one.computing, one.waiting_for_loads, one.waiting_for_stores, one.waiting_for_neighbours)
        for one in found.processors
    }
