"""When last tasks run that follow another: index by index, beside plain loops."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import prod

import numpy as np
from hypothesis import event, given
from hypothesis import strategies as st

from hwmodel.cost_model.group.followed import followed
from hwmodel.last_tasks import SharedLoop

SIDES = st.lists(st.integers(1, 4), max_size=3)


@given(SIDES, SIDES, st.data())
def test_each_runs_at_the_least_place_of_all_that_it_goes_with(
    leading: list[int], own: list[int], data: st.DataObject
) -> None:
    count = data.draw(st.integers(0, min(len(leading), len(own))))
    pairs = zip(
        data.draw(st.permutations(range(len(leading)))), data.draw(st.permutations(range(len(own)))), strict=False
    )
    paces = st.sampled_from([Fraction(1), Fraction(2), Fraction(1, 2), Fraction(3, 2)])
    shared = [SharedLoop(there, here, data.draw(paces)) for there, here in list(pairs)[:count]]
    event(f"shared: {count}, alone: {len(leading) - count}")
    places = np.array(data.draw(st.lists(st.permutations(range(prod(leading))), min_size=1, max_size=2)), np.int64)
    found = followed(places, leading, own, shared)
    assert found.shape == (len(places), prod(own))
    grid = places.reshape(len(places), *leading)
    for side, (number, here) in product(range(len(places)), enumerate(product(*map(range, own)))):
        ends = {loop.leading: min(int(here[loop.own] * loop.pace), leading[loop.leading] - 1) for loop in shared}
        there = product(*([ends[k]] if k in ends else range(extent) for k, extent in enumerate(leading)))
        assert found[side, number] == min(grid[(side, *index)] for index in there)
