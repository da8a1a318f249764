"""Topological orders, the groups that are intervals of them, and ladders of block sides."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from strategies import task_graphs

from dse.space.fusions import all_groups
from dse.space.orders import intervals, prefixes, topological_orders
from dse.space.rates import FINEST, finest_ladder, ladder, near
from dse.space.task_graph import TaskGraph, bits


@given(task_graphs(), st.integers(1, 6))
def test_intervals_are_groups_with_one_last_task(graph: TaskGraph, count: int) -> None:
    """Every order is topological; its intervals are all runs of tasks that are a legal group with one last task."""
    legal = set(all_groups(graph) or ())
    orders = topological_orders(graph, count)
    assert 1 <= len(orders) <= count
    assert len(set(orders)) == len(orders)
    for order in orders:
        assert sorted(order) == list(range(len(graph)))
        places = {task: place for place, task in enumerate(order)}
        assert all(places[task] < places[reader] for task in places for reader in bits(graph.successors[task]))
        sets = prefixes(order)
        runs = {after & ~before for after in sets for before in sets if after & before == before and after != before}
        wanted = {run for run in runs if sum(not graph.successors[task] & run for task in bits(run)) == 1}
        assert set(intervals(graph, order)) == wanted
        assert wanted <= legal
        longest = set(intervals(graph, order, 2))
        assert longest == {run for run in wanted if run.bit_count() <= 2}


@given(task_graphs())
def test_too_many_groups_are_not_listed(graph: TaskGraph) -> None:
    groups = all_groups(graph)
    assert groups is not None
    assert all_groups(graph, None, len(groups) - 1) is None
    assert all_groups(graph, None, 10**6) == groups


@given(st.integers(1, 5000), st.sampled_from([FINEST, 2.0, 4.0, 8.0]))
def test_ladders(extent: int, ratio: float) -> None:
    """From one block to single indices; each number of blocks that is tried is close to the one before."""
    sides = ladder(extent, ratio)
    assert sides[0] == 1
    assert sides[-1] == extent
    assert all(-(-extent // -(-extent // side)) == side or side == extent for side in sides if side > 1)
    blocks = [-(-extent // side) for side in reversed(sides)]
    for fewer, more in pairwise(blocks):
        assert more <= max(fewer + 1, fewer * ratio + 1, fewer * (ratio + 1)) or more == extent
    assert set(sides) <= set(finest_ladder(extent)) or ratio != FINEST
    assert set(near(sides, sides)) == set(sides)
