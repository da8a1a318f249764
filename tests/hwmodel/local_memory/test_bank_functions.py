"""The first function without a conflict, beside trying all of them place by place."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
from hypothesis import event, given
from hypothesis import strategies as st

from hwmodel.local_memory.bank_functions import BankFunction, Linear, Residues, factors, smallest_function
from hwmodel.local_memory.offsets import Place, differences, distinct

MOST = 9

places = st.sets(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=8)


@given(st.lists(places, min_size=1, max_size=3))
def test_the_first_function_is_found(sets: list[set[Place]]) -> None:
    least, rows = max(map(len, sets)), differences([sorted(own) for own in sets])
    event(f"{len(rows) // 16 * 16} differences or more")
    found = smallest_function(rows, least, MOST)
    event(type(found).__name__)
    assert found == next((one for one in _functions(least) if all(_keeps_apart(one, own) for own in sets)), None)


def _functions(least: int) -> list[BankFunction]:
    """All that there are, in the order in which they are tried."""
    found: list[BankFunction] = []
    for banks in range(least, MOST + 1):
        found += [Residues(moduli) for moduli in factors(banks, 2)]
        found += [Linear(alpha, banks) for alpha in product(range(banks), repeat=2) if math.gcd(alpha[-1], banks) == 1]
    return found


def _keeps_apart(function: BankFunction, own: set[Place]) -> bool:
    return len(np.unique(function.bank(np.array(sorted(own), np.int64)))) == len(own)


far = st.sampled_from([0, 1, -3, 1 << 40, -(1 << 61)])


@given(st.lists(st.tuples(far, far, far), max_size=8))
def test_places_are_told_apart_however_far_they_lie(own: list[Place]) -> None:
    table = np.array(own, np.int64).reshape(len(own), 3)
    assert distinct(table).tolist() == [list(place) for place in sorted(set(own))]
