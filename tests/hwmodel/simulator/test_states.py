"""States of delays: open chains at addresses in banks, and what is wrong stops by its rule, in exact words."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_banks import Bench

from hwmodel.cost_model.issue.states import StateChains
from hwmodel.simulator.memories.states import States
from hwmodel.simulator.schedule.chains import OpenChains
from hwmodel.simulator.schedule.plan import SimulatorError


def chains(lives: list[tuple[int, int]], number: list[int]) -> OpenChains:
    """Chains with their first and last steps, and the one of each instance."""
    first, last = (np.array([pair[at] for pair in lives], np.int64) for at in (0, 1))
    steps = int(last.max(initial=0)) + 1
    counts = (np.bincount(side, minlength=steps) for side in (first, last))
    return OpenChains("t.p", 1, *counts, first, last, np.array(number, np.int64))


def stopped(state: States, started: list[int]) -> str:
    with pytest.raises(SimulatorError) as caught:
        state.check(np.array(started), lambda instance: f"instance {instance}")
    return f"{caught.value.rule}: {caught.value.diagnostics[0].message}"


def test_an_open_chain_is_overwritten() -> None:
    """Chain 2 opens while chain 0 is open, but not chain 1: two are open at once, and three words are needed."""
    lives = [(0, 3), (0, 1), (2, 3)]
    States(chains(lives, []), 2, 1, 3).check(np.zeros(0, np.int64), str)
    assert (
        stopped(States(chains(lives, []), 2, 1, 2), [])
        == "overwrite: step 2 overwrites a chain of 't.p' that is open at address 0 of bank 0: "
        "that of number 2 comes over that of number 0"
    )


def test_two_units_at_one_bank() -> None:
    own = chains([(0, 1)] * 4, [0, 1, 2, 3, 0, 1, 2, 3])
    two_by_two = [0, 0, 4, 4, 8, 8, 12, 12]
    States(own, 4, 2, 4).check(np.array(two_by_two), str)
    States(own, 4, 0, 4).check(np.array(two_by_two), str)  # reached at will
    assert (
        stopped(States(own, 4, 1, 4), two_by_two) == "port: instance 1 is the second to use bank 0 of 't.p' in cycle 0"
    )


def test_more_chains_than_words() -> None:
    state = States(chains([(0, 1)] * 4, []), 3, 1, 4)
    assert (state.full, state.peak) == (0, 4)
    assert state.overflow().diagnostics[0].message == "step 0 keeps 4 chains of 't.p', which has 3 slots"


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=12))
def test_words_are_the_fewest_for_numbers_in_order(lives: list[tuple[int, int]]) -> None:
    """With as many words as the model says no chain is overwritten, with one less one is."""
    ordered = sorted((first, first + more) for first, more in lives)
    first, last = (np.array([pair[at] for pair in ordered], np.int64) for at in (0, 1))
    words = StateChains.words_of(first, last)
    own = chains(ordered, [])
    States(own, len(ordered), 1, words).check(np.zeros(0, np.int64), str)
    if words > 1:
        assert stopped(States(own, len(ordered), 1, words - 1), []).startswith("overwrite")


@given(st.lists(st.integers(1, 7), min_size=1, max_size=6), st.integers(1, 4), st.data())
def test_banks_keep_the_chains_of_rounds_apart(lines: list[int], units: int, data: st.DataObject) -> None:
    place = np.concatenate([np.arange(length) for length in lines])
    number = np.array(data.draw(st.permutations(range(len(place)))), np.int64)
    banks = StateChains(len(place), number, place).banks(units)
    round_of = np.cumsum(place % units == 0)
    rounds = [number[round_of == one] for one in range(1, round_of[-1] + 1)]

    def apart(banks: int) -> bool:
        return all(len(np.unique(one % banks)) == len(one) for one in rounds)

    assert banks == next(count for count in range(min(units, len(place)), 99) if apart(count))


@pytest.mark.parametrize("units", [1, 2, 4])
def test_a_state_of_a_shipped_design_needs_its_banks(units: int) -> None:
    """A word less is an overwrite, a bank less is used twice in a cycle."""
    bench, found = Bench.of("lpsf", units), 0
    for group, own in enumerate(bench.local):
        assert bench.stopped(group, own) is None
        for name, (banks, size) in own.states.items():
            assert banks == units
            shallow = bench.stopped(group, replace(own, states={**own.states, name: (banks, size - 1)}))
            assert shallow is not None
            assert shallow.rule == "overwrite"
            fewer = (
                bench.stopped(group, replace(own, states={**own.states, name: (banks - 1, size)}))
                if banks > 1
                else None
            )
            assert banks == 1 or (fewer is not None and fewer.rule == "port" and f"of '{name}' in cycle" in str(fewer))
            found += 1
    assert found == 4
