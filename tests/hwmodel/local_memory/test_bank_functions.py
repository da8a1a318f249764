"""The first function without a conflict, beside trying all of them place by place."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
from hypothesis import event, given
from hypothesis import strategies as st

from arrayol.arrays import distinct_rows
from hwmodel.datapath.figures import read_cycles
from hwmodel.local_memory.bank_functions import BankFunction, Linear, Residues, factors, smallest_function
from hwmodel.local_memory.offsets import Place, differences, joint_sets
from tests.strategies_stores import Store, stores

MOST = 9


@st.composite
def sets_of_places(draw: st.DrawFn) -> list[set[Place]]:
    """Up to three sets of places of one rank; along some axes they may not differ at all."""
    far = draw(st.sampled_from([(9,), (9, 9), (9, 0, 9), (3, 0, 4), (3, 3, 3), (0, 9)]))
    places = st.tuples(*(st.integers(0, most) for most in far))
    return draw(st.lists(st.sets(places, min_size=1, max_size=8), min_size=1, max_size=3))


@given(sets_of_places(), st.booleans())
def test_the_first_function_is_found(sets: list[set[Place]], power_of_two: bool) -> None:
    least, rows = max(map(len, sets)), differences([sorted(own) for own in sets])
    rank = len(next(iter(sets[0])))
    found = smallest_function(rows.reshape(-1, rank), least, MOST, power_of_two=power_of_two)
    event(f"{type(found).__name__} of rank {rank}")
    tried = (one for one in _functions(least, rank) if not power_of_two or one.banks & one.banks - 1 == 0)
    assert found == next((one for one in tried if all(_keeps_apart(one, own) for own in sets)), None)


def test_a_scalar_is_in_one_bank() -> None:
    assert smallest_function(differences(()), 1) == Residues(())


def _functions(least: int, rank: int) -> list[BankFunction]:
    """All that there are, in the order in which they are tried."""
    found: list[BankFunction] = []
    for banks in range(least, MOST + 1):
        found += [Residues(moduli) for moduli in factors(banks, rank)]
        alphas = product(range(banks), repeat=rank)
        found += [Linear(alpha, banks) for alpha in alphas if math.gcd(alpha[-1], banks) == 1]
    return found


def _keeps_apart(function: BankFunction, own: set[Place]) -> bool:
    return len(np.unique(function.bank(np.array(sorted(own), np.int64)))) == len(own)


def grid(*extents: int) -> st.SearchStrategy[set[Place]]:
    """Many places of a box, so that it has fewer cells than they have pairs; or few of them."""
    box = list(product(*map(range, extents)))
    return st.sets(st.sampled_from(box), min_size=1) | st.sets(st.sampled_from(box), max_size=6).map(
        lambda left_out: set(box) - left_out
    )


@given(st.lists(st.one_of(grid(24), grid(5, 9)).map(sorted), min_size=1, max_size=2), st.integers(0, 3))
def test_differences_are_those_of_all_pairs(sets: list[list[Place]], further: int) -> None:
    """Pair by pair, or by moving one set over the other: one of d and -d each. Translates of a set add none."""
    sets = [own for own in sets if len(own[0]) == len(sets[0][0])]
    sets.append([(*place[:-1], place[-1] + place[0]) for place in sets[0]])  # as many places, other differences
    moved = [[tuple(at + further * number for at in place) for place in sets[0]] for number in (1, 2)]
    found = differences([*moved, *sets])
    event("moved" if len(sets[0]) > 20 else "pair by pair")
    pairs = [
        tuple(b - a for a, b in zip(one, other, strict=True))
        for own in sets
        for one in own
        for other in own
        if one != other
    ]
    assert {max(row, tuple(-part for part in row)) for row in map(tuple, found.tolist())} == {
        max(row, tuple(-part for part in row)) for row in pairs
    }
    assert len({tuple(row) for row in found.tolist()}) == len(found)


@given(stores())
def test_a_joint_set_is_what_all_units_access_in_a_cycle(store: Store) -> None:
    own = store.access
    when = read_cycles(np.arange(len(own.places)), len(own.places), own.cycles)
    expected = [
        tuple(
            dict.fromkeys(
                tuple(at + unit * by for at, by in zip(place, own.step, strict=True))
                for place, cycle in zip(own.places, when.tolist(), strict=True)
                if cycle == now
                for unit in range(own.units)
            )
        )
        for now in sorted(set(when.tolist()))
    ]
    assert joint_sets(own) == tuple(expected)


far = st.sampled_from([0, 1, -3, 1 << 40, -(1 << 61)])


@given(st.lists(st.tuples(far, far, far), max_size=8))
def test_places_are_told_apart_however_far_they_lie(own: list[Place]) -> None:
    table = np.array(own, np.int64).reshape(len(own), 3)
    assert distinct_rows(table).tolist() == [list(place) for place in sorted(set(own))]
