"""Distinct numbers, by a table and by a sort, are those of a set."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hwmodel.cost_model.numbering import ascending, distinct, numbered

Numbers = st.lists(st.integers(0, 30), max_size=40)


@given(numbers=Numbers, most=st.sampled_from([31, 1 << 20]))
def test_they_are_those_of_a_set(numbers: list[int], most: int) -> None:
    """In order; each number is found again at its place."""
    table = np.array(numbers, np.int64)
    found, which = numbered(table, most)
    assert ascending(table).tolist() == distinct(table, most).tolist() == found.tolist() == sorted(set(numbers))
    assert found[which].tolist() == numbers


def test_a_table_of_rows_is_taken_as_one() -> None:
    """As `np.unique` does."""
    assert ascending(np.array([[3, -1], [3, 0]])).tolist() == [-1, 0, 3]
