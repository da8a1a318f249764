"""The exact path of the machine model beside docs/machine.md taken word for word."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import event, given, settings
from machine_oracle import Oracle, Outcome, RefusedError
from numpy.typing import NDArray
from strategies_machine import Case, cases

from arrayol.errors import ArrayolError
from hwmodel.design import GroupDesign
from hwmodel.machine.estimate import OBJECTIVES, GroupEstimate
from hwmodel.machine.model import MachineModel


@settings(max_examples=400, deadline=None)
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
    event(f"FIFOs: {len(case.design.fifos)}")
    event(f"cut in pieces: {_cut_in_pieces(oracle)}")
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


def _cut_in_pieces(oracle: Oracle) -> bool:
    return any(run.tick != run.use for runs in oracle.runs.values() for run in runs)


@settings(max_examples=60, deadline=None)
@given(cases())
def test_a_structure_under_many_units_is_each_design_by_itself(case: Case) -> None:
    model = MachineModel(case.network, case.platform)
    combinations = np.array(list(product((1, 2, 3), repeat=len(case.design.processors))), np.int64)
    try:
        priced = model.price_structure(case.design, combinations)
    except ArrayolError as refused:
        why = str(refused)
        with pytest.raises(ArrayolError, match=re.escape(why)):
            model.exact(_with_units(case.design, combinations[0]))
        return
    for number, units in enumerate(combinations):
        try:
            found = model.exact(_with_units(case.design, units))
        except ArrayolError:
            assert not priced.legal[0, number]
            continue
        assert priced.legal[0, number]
        expected = {name: getattr(found, name) for name in OBJECTIVES if getattr(found, name) is not None}
        expected |= found.costs
        assert {name: priced.objective(name)[0, number] for name in expected} == expected


def _with_units(design: GroupDesign, units: NDArray[np.int64]) -> GroupDesign:
    pairs = zip(design.processors, units, strict=True)
    return replace(design, processors=tuple(replace(one, units=int(number)) for one, number in pairs))
