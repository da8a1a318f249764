"""The closed form of a step beside the greedy list schedule of its repetitions."""

from __future__ import annotations

import numpy as np
from hypothesis import event, given, settings
from hypothesis import strategies as st

from hwmodel.machine.list_schedule import Jobs, priorities, remaining_chain, start_cycles
from hwmodel.machine.rounds import fewest_units, rounds_of


def _scheduled(lengths: list[int], units: int, waits: tuple[int, int], interval: int = 1) -> int:
    """Rounds until the last repetition has left its unit, of chains that stand side by side in scan order."""
    place = np.concatenate([np.arange(length) for length in lengths])
    chain = np.repeat(np.arange(len(lengths)), lengths)
    source = np.flatnonzero(place < np.array(lengths)[chain] - 1)
    remaining = remaining_chain(len(place), source, source + 1)
    priority = priorities(remaining, place * len(lengths) + chain)
    wait = waits[0] if len(lengths) <= units else waits[1]
    jobs = Jobs(np.zeros_like(place), priority, source, source + 1, np.zeros_like(source))
    starts = start_cycles(jobs, [units], [interval], [wait])
    assert not (starts % interval).any()
    return int(starts.max()) // interval + 1


WAITS = st.tuples(st.integers(1, 7), st.integers(0, 4)).map(lambda pair: (pair[0], sum(pair)))


@settings(max_examples=400, deadline=None)
@given(st.integers(1, 9), st.integers(1, 6), st.integers(1, 10), WAITS)
def test_equal_chains_take_as_long_as_their_schedule(
    number: int, length: int, units: int, waits: tuple[int, int]
) -> None:
    event("a unit for each" if number <= units else "enough chains" if number >= units * waits[1] else "few chains")
    found = rounds_of(np.array(number * length), np.array(length), units, *waits)
    assert int(found) == _scheduled([length] * number, units, waits)


@settings(max_examples=400, deadline=None)
@given(st.lists(st.integers(1, 6), min_size=1, max_size=8), st.integers(1, 10), WAITS)
def test_unequal_chains_where_they_wait_a_round_or_have_a_unit_each(
    lengths: list[int], units: int, waits: tuple[int, int]
) -> None:
    if units < len(lengths):
        waits = (1, 1)
    found = rounds_of(np.array(sum(lengths)), np.array(max(lengths)), units, *waits)
    if len(set(lengths)) > 1 and waits[0] < waits[1] and units >= len(lengths):
        event("a unit for each")
    assert int(found) == _scheduled(lengths, units, waits)


@settings(max_examples=400, deadline=None)
@given(st.integers(1, 9), st.integers(1, 6), WAITS, st.integers(1, 12))
def test_more_units_are_no_slower_and_the_fewest_are_found(
    number: int, length: int, waits: tuple[int, int], most: int
) -> None:
    units = np.arange(1, most + 1)
    count, longest = np.full(most, number * length), np.full(most, length)
    rounds = rounds_of(count, longest, units, *waits)
    assert (np.diff(rounds) <= 0).all()
    for allowed in range(int(rounds[-1]), int(rounds[0]) + 3):
        found = fewest_units(count[:1], longest[:1], np.array([allowed]), waits[1])
        assert int(found[0]) == int(units[rounds <= allowed][0])


@settings(max_examples=200, deadline=None)
@given(st.lists(st.integers(1, 6), min_size=1, max_size=8), st.integers(1, 12))
def test_the_fewest_units_of_unequal_chains_that_wait_a_round(lengths: list[int], most: int) -> None:
    units = np.arange(1, most + 1)
    count, longest = np.full(most, sum(lengths)), np.full(most, max(lengths))
    rounds = rounds_of(count, longest, units, 1, 1)
    for allowed in range(int(rounds[-1]), int(rounds[0]) + 3):
        found = fewest_units(count[:1], longest[:1], np.array([allowed]), 1)
        assert int(found[0]) == int(units[rounds <= allowed][0])


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(1, 5), min_size=1, max_size=6), st.integers(1, 4), st.integers(1, 5), st.integers(1, 20))
def test_waits_are_rounded_up_to_the_next_start(lengths: list[int], units: int, interval: int, wait: int) -> None:
    rounded = -(-wait // interval)
    assert _scheduled(lengths, units, (wait, wait), interval) == _scheduled(lengths, units, (rounded, rounded))
