"""Enumerated evaluation of the machine model beside docs/machine.md taken word for word."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from energy_oracle import port_bits
from hypothesis import event, given, settings
from hypothesis import strategies as st
from machine_oracle import Oracle, Outcome, RefusedError
from many_cases import case_count
from numpy.typing import NDArray
from strategies_machine import Case, cases, offered_rates, with_channels

from arrayol.errors import ArrayolError
from arrayol.text import listed
from hwmodel.cost_model.estimate import OBJECTIVES, GroupEstimate
from hwmodel.cost_model.issue.datapaths import Datapaths
from hwmodel.cost_model.model import MachineModel
from hwmodel.design import GroupDesign, interval_of, units_of


@settings(max_examples=case_count(400), deadline=None)
@given(cases())
def test_the_exact_path_is_the_page(case: Case) -> None:
    require_the_page(case)


@settings(max_examples=case_count(60), deadline=None)
@given(cases(several_ends=True))
def test_groups_with_several_last_tasks_are_the_page(case: Case) -> None:
    require_the_page(case)


@settings(max_examples=case_count(100), deadline=None)
@given(cases(single=True))
def test_single_buffers_are_the_page(case: Case) -> None:
    require_the_page(case)


@settings(max_examples=case_count(100), deadline=None)
@given(st.one_of(cases(), cases(single=True)), st.integers(2, 4))
def test_several_channels_are_the_page(case: Case, channels: int) -> None:
    require_the_page(replace(case, platform=with_channels(case.platform, channels)))


def require_the_page(case: Case) -> None:
    """Fail unless every figure of a design, or its refusal, is that of the page."""
    oracle = Oracle(case.network, case.platform, case.design)
    model = MachineModel(case.network, case.platform)
    try:
        expected: Outcome | str = oracle.outcome()
    except RefusedError as refused:
        expected = str(refused)
    try:
        found: GroupEstimate | str = model.estimate_enumerated(case.design)
    except ArrayolError as refused:
        found = refused.diagnostics[0].code
    if isinstance(expected, str) or isinstance(found, str):
        event(f"refused: {expected if isinstance(expected, str) else found}")
        if (expected, found) == ("too-many-units", "fifo-refused"):  # both hold, and the FIFO whatever the units
            expected = _refusal_of_lone_units(case)
        assert found == expected
        return
    event(f"priced: {len(oracle.lasts)} last tasks")
    event(f"FIFOs: {len(case.design.fifos)}")
    event(f"cut in pieces: {_cut_in_pieces(oracle)}")
    assert list(model.step_cycles(case.design)) == expected.lengths
    assert found.latency_cycles == sum(expected.lengths)
    assert {(one.kind, one.name): one.live for one in found.memories} == expected.memories
    assert all(one.live <= min(one.addressed, one.data) for one in found.memories)
    if case.platform.technology is None:  # else they are those that are built
        assert all(one.addressed == one.data for one in found.memories)
        words = {(one.kind, one.name): one.addressed for one in found.memories}
        assert {(one.kind, one.name): one.blocks for one in found.memories} == oracle.memory_blocks(words)
    assert found.internal_memory_elements == sum(one.data for one in found.memories)
    assert found.internal_memory_bits == sum(one.data * one.width for one in found.memories)
    assert found.additive["traffic_bytes"] == expected.traffic_bytes
    assert found.additive["port_bytes"] == sum(-(-bits // 8) for bits in port_bits(oracle).values())
    assert found.frame_cycles == expected.frame_cycles
    in_succession = {(one.kind, one.name): one for one in model.memories_in_succession(case.design)}
    assert {name: one.live for name, one in in_succession.items()} == expected.frame_memories
    assert all(one.live <= one.data for one in in_succession.values())
    assert found.ends == expected.ends
    assert expected.waiting == {
        one.task: (one.computing, one.waiting_for_loads, one.waiting_for_stores, one.waiting_for_neighbours)
        for one in found.processors
    }


def _refusal_of_lone_units(case: Case) -> str:
    lone = tuple(replace(one, units=1) for one in case.design.processors)
    with pytest.raises(RefusedError) as refused:
        Oracle(case.network, case.platform, replace(case.design, processors=lone)).outcome()
    return str(refused.value)


def _cut_in_pieces(oracle: Oracle) -> bool:
    return any(run.tick != run.use for runs in oracle.runs.values() for run in runs)


@settings(max_examples=case_count(60), deadline=None)
@given(cases(), st.data())
def test_a_structure_at_many_rates_is_each_design_by_itself(case: Case, data: st.DataObject) -> None:
    model = MachineModel(case.network, case.platform)
    offered = data.draw(offered_rates(case.platform, case.network, case.design.tasks, (1, 2, 3)))
    combinations = np.array(list(product(*offered)), np.int64)
    combinations = combinations[np.sort(np.random.default_rng(0).permutation(len(combinations))[:27])]
    try:
        priced = model.price_structure(case.design, combinations)
    except ArrayolError as refused:
        why = str(refused)
        with pytest.raises(ArrayolError, match=re.escape(why)):
            model.estimate_enumerated(_at_rates(case.design, combinations[0]))
        return
    for number, rates in enumerate(combinations):
        try:
            found = model.estimate_enumerated(_at_rates(case.design, rates))
        except ArrayolError:
            assert not priced.legal[0, number]
            continue
        assert priced.legal[0, number]
        expected = {name: getattr(found, name) for name in OBJECTIVES if getattr(found, name) is not None}
        expected |= found.additive | found.costs
        assert {name: priced.objective(name)[0, number] for name in expected} == expected


def _at_rates(design: GroupDesign, rates: NDArray[np.int64]) -> GroupDesign:
    triples = zip(design.processors, units_of(rates).tolist(), interval_of(rates).tolist(), strict=True)
    processors = tuple(replace(one, units=units, interval=interval or None) for one, units, interval in triples)
    return replace(design, processors=processors)


@settings(max_examples=case_count(20), deadline=None)
@given(cases())
def test_an_interval_that_is_not_offered_is_refused(case: Case) -> None:
    task = case.design.tasks[0]
    processors = (replace(case.design.processors[0], interval=999), *case.design.processors[1:])
    model = MachineModel(case.network, case.platform)
    paths = Datapaths(case.network, case.platform)
    offered = case.platform.intervals(case.network.processes[task])
    with pytest.raises(ArrayolError) as refused:
        paths.at(task, processors[0].interval or 0)
    (told,) = refused.value.diagnostics
    assert told.code == "no-such-interval"
    assert told.message == f"processor '{task}' has the interval 999, which the platform does not offer"
    assert told.hint == f"intervals on offer: {listed([str(interval) for interval in offered])}"
    with pytest.raises(ArrayolError):
        model.estimate(replace(case.design, processors=processors))
