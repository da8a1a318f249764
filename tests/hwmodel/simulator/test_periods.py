"""Groups at the same time: the model's periods beside the simulated machine, and beside one that counts cycles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from many_cases import case_count
from spec_data import any_inputs
from strategies_designs import MappedSpec, mapped_specs

from arrayol.errors import ArrayolError
from dse.verify.testbench import mismatches, run_simulation
from hwmodel.cost_model.model import MachineModel
from hwmodel.cost_model.together import SERVICE, copies_outside, period_cycles
from hwmodel.simulator.periods import StepUse, require_copies, run_period
from hwmodel.simulator.schedule.plan import SimulatorError

Groups = list[list[StepUse]]
STEPS = st.lists(st.builds(StepUse, st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=6)
ENDLESS = 10**6


def formula(groups: Groups) -> int:
    latencies = [sum(max(use.computing, use.port) for use in steps) for steps in groups]
    return period_cycles(latencies, [sum(use.port for use in steps) for steps in groups], 0)


def by_cycles(groups: Groups) -> tuple[int, ...]:
    """The cycle in which each group ends, from counters that every cycle counts down."""
    ended: list[int | None] = [None] * len(groups)
    left = [list(steps) for steps in groups]
    computing, port, served = ([0] * len(groups) for _ in range(3))
    owner, before = None, len(groups) - 1
    fresh = set(range(len(groups)))
    for cycle in range(ENDLESS):
        for number in range(len(groups)):
            while ended[number] is None and (number in fresh or not (computing[number] or port[number])):
                if number not in fresh:
                    left[number].pop(0)
                fresh.discard(number)
                if left[number]:
                    computing[number], port[number] = left[number][0].computing, left[number][0].port
                else:
                    ended[number] = cycle
        if None not in ended:
            return tuple(own for own in ended if own is not None)
        if owner is None:
            order = [(before + 1 + number) % len(groups) for number in range(len(groups))]
            owner = next((number for number in order if port[number]), None)
            before = before if owner is None else owner
        for number in range(len(groups)):
            computing[number] = max(0, computing[number] - 1)
        if owner is not None:
            port[owner] -= 1
            served[owner] += 1
            owner = owner if port[owner] else None
    raise AssertionError("it never ends")


@given(st.lists(STEPS, min_size=1, max_size=4))
def test_periods_end_as_counters_say_and_within_the_model(groups: Groups) -> None:
    run = run_period(groups, ENDLESS)
    assert run.ends == by_cycles(groups)
    assert max(run.ends) <= formula(groups) <= sum(max(use.computing, use.port) for steps in groups for use in steps)


@given(st.lists(STEPS, min_size=2, max_size=4), st.integers(0, 9))
def test_in_turns_no_group_takes_longer_than_if_each_step_lasts_a_turn(groups: Groups, more: int) -> None:
    turn = sum(max(use.port for use in steps) for steps in groups) + more
    latencies = [sum(max(use.computing, turn if use.port else 0) for use in steps) for steps in groups]
    run = run_period(groups, ENDLESS)
    assert all(end <= latency for end, latency in zip(run.ends, latencies, strict=True))
    assert period_cycles(latencies, [0] * len(groups), turn or 1) == max(latencies)


def test_no_shorter_period_serves_all_groups_of_such_cycles() -> None:
    """Two groups that load 10 cycles and compute 10: the second one loads while the first one computes."""
    groups = [[StepUse(0, 10), StepUse(10, 0)]] * 2
    assert formula(groups) == 30
    assert run_period(groups, 30).ends == (20, 30)
    with pytest.raises(SimulatorError, match="group 2 ends after 30 cycles, in a period of 29"):
        run_period(groups, 29)


@st.composite
def together(draw: st.DrawFn) -> MappedSpec:
    """Several groups that run at the same time, of arrays that pass single frames; at some ports in turns."""
    case = draw(mapped_specs(built=True))
    accesses = MachineModel(case.network, case.platform, case.loads).accesses
    passed = [(name, array) for name, array in case.network.arrays.items() if array.producers and None in array.shape]
    assume(all(accesses.shape(name)[array.shape.index(None)] == 1 for name, array in passed))
    assume(len(case.design.groups) > 1)
    design = replace(case.design, together=True)
    try:
        groups = MachineModel(case.network, case.platform, case.loads).evaluate(design).groups
    except ArrayolError:
        assume(False)
    turn = draw(st.sampled_from((0, sum(group.additive[SERVICE] for group in groups))))
    memory = case.platform.memory.model_copy(update={"turn": turn})
    return replace(case, design=design, platform=case.platform.model_copy(update={"memory": memory}))


@settings(max_examples=case_count(20))
@given(together())
def test_the_simulator_agrees_with_the_model(case: MappedSpec) -> None:
    """Values, cycles of the port, and memories; all groups end in a period, and no array has a copy too many."""
    model = MachineModel(case.network, case.platform, case.loads)
    estimate, turn = model.evaluate(case.design), case.platform.memory.turn
    inputs = any_inputs(case.spec, case.network.name)
    found = run_simulation(case.spec, model.accesses, case.platform, case.design, estimate, inputs)
    assert not list(mismatches(found, estimate))
    assert found.period is not None
    assert estimate.period is not None
    apart = model.evaluate(replace(case.design, together=False))
    longest = max(group.latency_cycles for group in estimate.groups)
    assert longest <= estimate.frame_cycles <= (longest if turn else apart.frame_cycles)
    assert found.cycles == estimate.latency_cycles == len(found.groups) * estimate.frame_cycles
    assert estimate.internal_memory_bits == apart.internal_memory_bits
    copies = copies_outside(model.accesses, groups_of(case))
    assert copies == estimate.period.copies
    for name, number in copies.items():
        fewer = {**copies, name: number - 1}
        with pytest.raises(SimulatorError, match=f"'{name}' is made for another frame while one is in use"):
            require_copies(model.accesses, groups_of(case), fewer)


def groups_of(case: MappedSpec) -> Sequence[Sequence[str]]:
    return [group.tasks for group in case.design.groups]
