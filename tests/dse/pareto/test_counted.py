"""Counted fronts on tables by hand and against the definition; the sorted front against the counted one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dse.pareto import fronts
from dse.pareto.fronts import Candidate, GrowingFront, counted_front, non_dominated, points_of
from dse.pareto.hypervolume import hypervolume
from hwmodel.design import Fusion

Table = list[tuple[int, ...]]

# Cost and memory of eight designs in subspaces of 2, 3, 2 and 1, with ties in and between subspaces.
SUBSPACES: list[Table] = [
    [(1, 9), (1, 9)],  # equal: both stay
    [(4, 4), (4, 5), (3, 9)],  # (4, 5) falls to (4, 4); (3, 9) stays here and falls to (1, 9) later
    [(4, 4), (9, 1)],  # (4, 4) again, from another subspace
    [(9, 9)],
]


def run(tables: list[Table], at_once: int = 100) -> tuple[list[tuple[int, ...]], int | None]:
    """Fronts of the tables, then of their survivors, with all comparisons."""
    fronts = [GrowingFront(at_once) for _ in tables]
    last = GrowingFront(at_once)
    for front, table in zip(fronts, tables, strict=True):
        for values in table:
            front.add(Candidate(Fusion(()), values))
        for survivor in front.finish():
            last.add(survivor)
    found = [candidate.values for candidate in last.finish()]
    counts = [front.comparisons for front in (*fronts, last)]
    return found, None if None in counts else sum(count for count in counts if count is not None)


def by_definition(table: Table) -> list[int]:
    def dominates(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
        return all(a <= b for a, b in zip(one, other, strict=True)) and one != other

    return [row for row, values in enumerate(table) if not any(dominates(other, values) for other in table)]


def test_a_table_by_hand() -> None:
    # Ordered pairs inside: 2*1 + 3*2 + 2*1 + 0 = 10. Survivors: 2 + 2 + 2 + 1 = 7, pairs among them 7*6 = 42.
    assert run(SUBSPACES) == ([(1, 9), (1, 9), (4, 4), (4, 4), (9, 1)], 52)
    everything = [values for table in SUBSPACES for values in table]
    found = counted_front(points_of(everything))
    assert [everything[row] for row in found.rows] == [(1, 9), (1, 9), (4, 4), (4, 4), (9, 1)]
    assert found.comparisons == 8 * 7


def test_too_many_to_compare_are_sorted_and_not_counted() -> None:
    assert run(SUBSPACES, at_once=2) == ([(1, 9), (1, 9), (4, 4), (4, 4), (9, 1)], None)


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1), st.integers(1, 4))
def test_thinning_loses_nothing(table: Table, at_once: int) -> None:
    found, _ = run([table], at_once)
    assert found == [table[row] for row in by_definition(table)]


costs = st.integers(1, 4).flatmap(
    lambda width: st.lists(st.tuples(*[st.integers(0, 4) | st.integers(0, 2**70)] * width), min_size=1, max_size=30)
)


@settings(deadline=None)
@given(costs)
@example([(2**53, 0), (2**53 + 1, 0)])  # equal as floats
@example([(2**80, 1), (2**80, 1), (2**80 + 1, 1)])
def test_the_counted_front_is_the_definition_s_and_the_sorted_one(table: Table) -> None:
    points = points_of(table)
    found = counted_front(points)
    assert found.rows.tolist() == by_definition(table)
    assert found.comparisons == len(table) * (len(table) - 1)
    assert non_dominated(points).tolist() == found.rows.tolist()


@pytest.mark.parametrize("at_once", [1, 7, 1000])
def test_blocks_change_neither_front_nor_count(monkeypatch: pytest.MonkeyPatch, at_once: int) -> None:
    points = np.random.default_rng(1).integers(0, 20, (150, 2))
    whole = counted_front(points)
    monkeypatch.setattr(fronts, "_PAIRS_AT_ONCE", at_once)
    cut = counted_front(points)
    assert (cut.rows.tolist(), cut.comparisons) == (whole.rows.tolist(), 150 * 149)


def test_nothing_has_no_front() -> None:
    assert GrowingFront().finish() == []
    assert non_dominated(np.zeros((0, 2))).tolist() == []


def test_hypervolume_by_hand() -> None:
    # Up to (10, 10): (1, 5) covers 9 x 5, (4, 2) adds 6 x 3; (20, 0) lies beyond the reference.
    assert hypervolume([(1, 5), (4, 2), (20, 0)], (10, 10)) == 63
    assert hypervolume([(4,)], (10,)) == 6
