"""Live sets and modular allocation against the definitions, element by element."""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from many_cases import case_count
from strategies_tiles import LOCAL, NestCase, nest_cases
from tiled_nests import DIAGONAL, POLYPROD, nest_of_case, shipped_nest
from tiles_brute import placed, strips_of, theorem_six, tile_sets

from arrayol.tiling.allocation import allocate, conflict_differences
from arrayol.tiling.enumerate import rows
from arrayol.tiling.liveness import Lifetimes, lifetimes, live
from arrayol.tiling.load_store import traffic
from arrayol.tiling.nest import Traffic

Spans = dict[tuple[int, tuple[int, ...]], list[int]]


def brute_spans(case: NestCase, traffic: Traffic, overlapped: bool) -> dict[str, Spans]:
    """First and last step of each element in each strip, by array: every touch, load and store on its own.

    Strips are as long as an array's are said to be; those of locals are judged elsewhere.
    """
    found = placed(case)
    spans: dict[str, Spans] = {}
    for array, sets in tile_sets(found).items():
        spans[array] = own = {}
        for strip, tiles in enumerate(strips_of(found, traffic.nests[array].strip_dims)):
            load, store = theorem_six(sets, tiles) if array != LOCAL else (defaultdict(set), defaultdict(set))
            for step, tile in enumerate(tiles):
                touches = [(element, step) for element in sets.read[tile] | sets.written[tile]]
                touches += [(element, step - overlapped) for element in load[tile]]
                touches += [(element, step + overlapped) for element in store[tile]]
                for element, at in touches:
                    first, last = own.get((strip, element), [at, at])
                    own[strip, element] = [min(first, at), max(last, at)]
    return spans


@settings(max_examples=case_count(40), deadline=None)
@given(nest_cases(), st.booleans())
def test_lifetimes_run_from_the_first_touch_to_the_last(case: NestCase, overlapped: bool) -> None:
    nest = nest_of_case(case)
    if nest is None:
        return
    found = traffic(nest)
    for array, expected in brute_spans(case, found, overlapped).items():
        alive = lifetimes(found, array, overlapped)
        keys = zip(alive.strip.tolist(), map(tuple, alive.element.tolist()), strict=True)
        ends = [list(pair) for pair in zip(alive.first.tolist(), alive.last.tolist(), strict=True)]
        assert dict(zip(keys, ends, strict=True)) == expected
        sizes: dict[tuple[int, int], int] = defaultdict(int)
        for (strip, _), (first, last) in expected.items():
            for step in range(first, last + 1):
                sizes[strip, step] += 1
        assert alive.sizes() == sizes
        assert alive.largest() == max(sizes.values(), default=0)


@settings(max_examples=case_count(40), deadline=None)
@given(nest_cases())
def test_the_live_relation_holds_what_is_alive_in_each_tile(case: NestCase) -> None:
    nest = nest_of_case(case)
    if nest is None:
        return
    found = traffic(nest)
    for array, spans in brute_spans(case, found, overlapped=False).items():
        tiles = strips_of(placed(case), found.nests[array].strip_dims)
        expected = {
            (*tiles[strip][step], *element)
            for (strip, element), (first, last) in spans.items()
            for step in range(first, last + 1)
        }
        assert set(map(tuple, np.hstack(rows(live(found, array))).tolist())) == expected


@st.composite
def lives(draw: st.DrawFn) -> Lifetimes:
    """A few elements of rank 0 to 3 with random lives in two strips."""
    rank = draw(st.integers(0, 3))
    subscripts = st.tuples(*[st.integers(-4, 6)] * rank)
    keys = draw(st.lists(st.tuples(st.integers(0, 1), subscripts), min_size=1, max_size=14, unique=True))
    spans = [(first := draw(st.integers(-1, 4)), first + draw(st.integers(0, 3))) for _ in keys]
    order = sorted(range(len(keys)), key=lambda place: keys[place])
    return Lifetimes(
        np.array([keys[place][0] for place in order]),
        np.array([keys[place][1] for place in order], np.int64).reshape(len(keys), rank),
        np.array([spans[place][0] for place in order]),
        np.array([spans[place][1] for place in order]),
    )


def pairs_alive(alive: Lifetimes) -> list[tuple[int, int]]:
    """Rows of elements that are alive at once."""
    return [
        (one, other)
        for one, other in combinations(range(len(alive.strip)), 2)
        if alive.strip[one] == alive.strip[other]
        and max(alive.first[one], alive.first[other]) <= min(alive.last[one], alive.last[other])
    ]


@given(lives())
def test_no_two_elements_alive_at_once_share_a_slot(alive: Lifetimes) -> None:
    found = allocate(alive)
    slots = found.slots(alive.element)
    assert slots.min() >= 0
    assert slots.max() < found.size
    assert not [pair for pair in pairs_alive(alive) if slots[pair[0]] == slots[pair[1]]]
    assert found.size >= found.live == alive.largest()


@given(lives())
def test_differences_are_those_of_all_pairs_alive_at_once(alive: Lifetimes) -> None:
    expected = set()
    for one, other in pairs_alive(alive):
        difference = tuple((alive.element[one] - alive.element[other]).tolist())
        expected.add(max(difference, tuple(-step for step in difference)))
    found = set(map(tuple, conflict_differences(alive).tolist()))
    assert found == {difference for difference in expected if any(difference)}


@settings(max_examples=case_count(40), deadline=None)
@given(nest_cases(), st.booleans())
def test_tiled_nests_get_slots_that_hold_their_live_sets(case: NestCase, overlapped: bool) -> None:
    nest = nest_of_case(case)
    if nest is None:
        return
    found = traffic(nest)
    for array in found.load:
        alive = lifetimes(found, array, overlapped)
        slots = allocate(alive).slots(alive.element)
        for strip, step in alive.sizes():
            inside = (alive.strip == strip) & (alive.first <= step) & (step <= alive.last)
            assert len(set(slots[inside].tolist())) == inside.sum()


@pytest.mark.parametrize(
    ("schedule", "sizes"), [(POLYPROD, {"a": 10, "b": 10, "c": 19}), (DIAGONAL, {"a": 10, "b": 19, "c": 10})]
)
def test_polynomial_products_need_as_many_slots_as_are_alive(schedule: str, sizes: dict[str, int]) -> None:
    """A strip of figure 1 (a) walks through a and c and keeps b; one of (b) keeps c: 10 of its values, then gone."""
    found = traffic(shipped_nest("polyprod", schedule, ["10"], 2, N=60))
    allocated = {array: allocate(lifetimes(found, array)) for array in found.load}
    assert {array: one.size for array, one in allocated.items()} == sizes
    assert {array: one.live for array, one in allocated.items()} == sizes
    assert allocated["a"].reason == "elements alive at once are at most 9 apart, less than 10"


def test_diagonal_lives_get_a_skewed_allocation() -> None:
    """Elements of an anti-diagonal need as many slots as it has, not its box."""
    step = np.arange(6)
    diagonal = Lifetimes(np.zeros(6, np.int64), np.column_stack([step, 5 - step]), step * 0, step * 0)
    assert allocate(diagonal).size == 6


def test_windows_of_an_image_keep_rows_that_are_still_needed() -> None:
    found = traffic(shipped_nest("stencil2d", "i, j - 1", ["4", "62"], 2, H=64, W=64))
    kept = allocate(lifetimes(found, "v"))
    assert kept.live == 4 * (62 + 2) + 2 * 62  # a tile of four rows with its rim, without the corners
    assert kept.moduli == (6, 64)
    assert kept.reason == (
        "elements alive at once are at most 5 apart in component 0, then where equal at most 63 apart in component 1; "
        "each is less than its modulus"
    )
