"""Parts of the machine model beside brute force: closure under delays, live sets, FIFO depth, the list schedule."""

from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from strategies import NOWHERE, delay_sets

from arrayol.ir.spec import Delay, Shape
from hwmodel.cost_model.group.group import closed
from hwmodel.cost_model.group.moves import largest_live, largest_live_folded
from hwmodel.cost_model.issue.fifo import depth

intervals = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 9)), min_size=1, max_size=12)


def columns(pairs: list[tuple[int, int]]) -> tuple[np.ndarray, np.ndarray]:
    """Beginnings and ends of intervals given by beginning and length."""
    first = np.array([begin for begin, _ in pairs])
    return first, first + np.array([length for _, length in pairs])


@given(delay_sets(), st.data())
def test_needs_are_closed_under_every_path_of_delays(
    case: tuple[tuple[tuple[int, ...], ...], Shape], data: st.DataObject
) -> None:
    vectors, repetition = case
    extents = tuple(extent or 4 for extent in repetition)
    signs = data.draw(st.tuples(*[st.sampled_from((1, 2, 5))] * len(extents)))
    vectors = tuple(one for one in vectors if sum(a * b for a, b in zip(signs, one, strict=True)) > 0)
    space = list(product(*map(range, extents)))
    need = dict.fromkeys(space, 99) | dict.fromkeys(data.draw(st.lists(st.sampled_from(space), max_size=4)), 3)
    found = closed(np.array(list(need.values())), extents, [Delay("p", "q", one, 0, True, NOWHERE) for one in vectors])
    for _ in space:
        for r, vector in product(space, vectors):
            before = tuple(a - b for a, b in zip(r, vector, strict=True))
            if before in need:
                need[before] = min(need[before], need[r])
    assert found.tolist() == list(need.values())


@given(intervals)
def test_the_largest_live_set(pairs: list[tuple[int, int]]) -> None:
    first, last = columns(pairs)
    assert largest_live(first, last) == max(sum((first <= step) & (step <= last)) for step in range(25))


@given(intervals, st.integers(1, 7))
def test_the_largest_live_set_of_frames_in_succession(pairs: list[tuple[int, int]], period: int) -> None:
    first, last = columns(pairs)
    live = [0] * period
    for begin, end in zip(first.tolist(), last.tolist(), strict=True):
        for step in range(begin, end + 1):
            live[step % period] += 1
    assert largest_live_folded(first, last, period) == max(live)


@given(intervals)
def test_a_datum_counts_in_the_cycles_of_its_arrival_and_of_its_read(pairs: list[tuple[int, int]]) -> None:
    arrives, leaves = columns(pairs)
    assert depth(arrives, leaves) == max(sum((arrives <= cycle) & (cycle <= leaves)) for cycle in range(25))


def test_a_path_that_only_one_order_of_delays_keeps_inside() -> None:
    # (1, 0) needs (0, 1) by the second delay, and that (0, 0) by the first; the other way round leaves the space.
    delays = [Delay("p", "q", vector, 0, True, NOWHERE) for vector in ((0, 1), (1, -1))]
    assert closed(np.array([9, 9, 3, 9]), (2, 2), delays).tolist() == [3, 3, 3, 9]
