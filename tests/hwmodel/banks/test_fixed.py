"""Modulo unrolling: the static view and the true banks, against all iterations one by one."""

from __future__ import annotations

from collections import Counter
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies_banks import bodies

from hwmodel.banks.cost import RULES, access_graph, ports_cycles
from hwmodel.banks.layouts import naive_banks, static_banks, true_cycles
from hwmodel.banks.references import Body, NormalisedLoop, Reference, Subscript, Unknown

Drawn = tuple[tuple[NormalisedLoop, ...], tuple[Reference, ...]]


@given(bodies(), st.integers(1, 9), st.sampled_from(sorted(RULES)))
def test_true_banks_are_the_worst_iteration(drawn: Drawn, banks: int, rule: str) -> None:
    loops, references = drawn
    graph = access_graph(references)
    body = Body(loops, (1,) * len(loops), references, 1)
    possible = static_banks(references, banks)
    worst = 0
    for indices in product(*(range(loop.extent or 0) for loop in loops)):
        busy = [
            frozenset({one.subscripts[-1].value(indices) % banks}) if one.subscripts[-1].affine else any_of
            for one, any_of in zip(references, possible, strict=True)
        ]
        worst = max(worst, RULES[rule](graph, busy))
    assert true_cycles(graph, body, banks, RULES[rule]) == worst


@given(bodies(), st.integers(1, 9))
def test_the_static_view_is_all_that_some_iteration_touches(drawn: Drawn, banks: int) -> None:
    loops, references = drawn
    for one, busy in zip(references, static_banks(references, banks), strict=True):
        part = one.subscripts[-1]
        unknown = range(banks) if part.unknown else range(1)
        touched = {
            (part.value(indices) + sum(term.factor * value for term in part.unknown)) % banks
            for indices in product(range(banks), repeat=len(loops))
            for value in unknown
        }
        assert busy == touched


def test_loops_without_end_and_no_loops() -> None:
    one = Reference("a", False, (Subscript((3,), 1),))
    endless = Body((NormalisedLoop("i", None),), (1,), (one, one), None)
    assert true_cycles(access_graph([one, one]), endless, 4, ports_cycles) == 2
    still = Reference("a", False, (Subscript((), 1),))
    assert true_cycles(access_graph([still]), Body((), (), (still,), 1), 4, ports_cycles) == 1


@pytest.mark.parametrize(("factor", "reachable"), [(1, 4), (2, 2), (4, 1), (3, 4)])
def test_what_is_not_affine_occupies_all_it_may_touch(factor: int, reachable: int) -> None:
    one = Reference("a", False, (Subscript((4,), 1, (Unknown(factor, "b[i]"),)),))
    assert len(static_banks([one], 4)[0]) == reachable
    assert Counter(naive_banks([one, one])) == {frozenset({0}): 2}
