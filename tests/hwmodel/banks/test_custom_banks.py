"""Virtual memories on physical ones."""

from __future__ import annotations

from collections import Counter
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from hwmodel.banks.custom import Demand, Tie, longest_first


def demand(*lengths: int, ties: tuple[Tie, ...] = ()) -> Demand:
    return Demand(tuple(Counter({0: length}) for length in lengths), ties)


def busiest(found: Demand, banks: tuple[int, ...]) -> int:
    loads = Counter[int]()
    for needs, bank in zip(found.accesses, banks, strict=True):
        loads[bank] += needs[0]
    return max(loads.values(), default=0)


@given(st.lists(st.integers(0, 12), max_size=7), st.integers(1, 3))
def test_longest_first_keeps_grahams_bound_against_the_exhaustive_optimum(lengths: list[int], banks: int) -> None:
    found = demand(*lengths)
    best = min(busiest(found, chosen) for chosen in product(range(banks), repeat=len(lengths)))
    cycles = busiest(found, longest_first(found, banks))
    assert best <= cycles <= best * (4 / 3 - 1 / (3 * banks))


def test_the_smallest_case_that_longest_first_misses() -> None:
    found = demand(3, 3, 2, 2, 2)
    assert busiest(found, longest_first(found, 2)) == 7
    assert busiest(found, (0, 0, 1, 1, 1)) == 6


def test_each_memory_has_a_bank_of_its_own_while_there_are_enough() -> None:
    assert sorted(longest_first(demand(5, 5, 1, 1), 4)) == [0, 1, 2, 3]
    assert len(set(longest_first(demand(5, 0, 0), 8))) == 3, "even those that are never accessed in full bodies"


def test_ties_decide_among_equal_banks_only() -> None:
    tie = Tie(frozenset({0}), frozenset({2}))
    assert longest_first(demand(1, 1, 1, ties=(tie,)), 2) == (0, 1, 0)
    other = Tie(frozenset({1}), frozenset({2}))
    assert longest_first(demand(1, 1, 1, ties=(other,)), 2) == (0, 1, 1)
    assert longest_first(demand(2, 1, 1, ties=(tie,)), 2) == (0, 1, 1)
    several = (other, Tie(frozenset({0}), frozenset({2})), Tie(frozenset({0}), frozenset({2})))
    assert longest_first(demand(1, 1, 1, ties=several), 2) == (0, 1, 0)


def test_bodies_that_run_at_different_times_share_banks() -> None:
    found = Demand((Counter({0: 4}), Counter({1: 4}), Counter({0: 4}), Counter({1: 4})))
    banks = longest_first(found, 2)
    assert banks[0] != banks[2]
    assert banks[1] != banks[3]
