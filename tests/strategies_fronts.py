"""Fronts of small integer points, and ways to combine them."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from strategies import task_graphs

from dse.pareto.fronts import Combination, Front, front_of
from dse.space.fusions import all_groups
from dse.space.task_graph import Mask, TaskGraph

Point = tuple[tuple[int, ...], int]  # the values, and the units


def points_of(front: Front) -> list[Point]:
    return [(tuple(map(int, values)), int(units)) for values, units in zip(front.values, front.units, strict=True)]


def front_from(points: list[Point], figures: int, *, trade_units: bool = False) -> Front:
    values = np.array([values for values, _ in points], np.int64).reshape(len(points), figures)
    return front_of(values, np.array([units for _, units in points], np.int64), trade_units=trade_units)


@st.composite
def point_lists(draw: st.DrawFn, figures: int, least: int = 0) -> list[Point]:
    value = st.integers(0, 5)
    return draw(st.lists(st.tuples(st.tuples(*[value] * figures), st.integers(1, 3)), min_size=least, max_size=5))


@st.composite
def combinations(draw: st.DrawFn, figures: int) -> Combination:
    limit = st.sampled_from([None, None, 0, 3, 8])
    return Combination(tuple(draw(st.booleans()) for _ in range(figures)), tuple(draw(limit) for _ in range(figures)))


@st.composite
def searches(draw: st.DrawFn, most: int = 5) -> tuple[TaskGraph, Combination, dict[Mask, Front]]:
    """A graph, how figures combine, and the fronts of all groups in an order in which they were found."""
    graph = draw(task_graphs(most=most))
    figures = draw(st.integers(1, 3))
    combination = draw(combinations(figures))
    found = {
        group: front_from(draw(point_lists(figures)), figures, trade_units=combination.trades_units)
        for group in draw(st.permutations(all_groups(graph)))
    }
    return graph, combination, found
