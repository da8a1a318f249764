"""Fronts of whole designs by down-sets are those of all fusions and all choices in their groups, one by one.

So are those that are put together from the groups a heuristic search has seen.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from strategies import task_graphs
from strategies_fronts import Point, combinations, front_from, point_lists, points_of

from dse.pareto.combine import POINTS_OF_GROUP, Stock, fusion_front, listed_front, values_of, whole_front
from dse.pareto.fronts import Combination, combined, dominated, front_of, surpassed
from dse.space.fusions import all_groups, subspaces
from dse.space.task_graph import Mask, TaskGraph, from_links
from hwmodel.design import Blocks, GroupDesign, Processor, row_major


def brute_front(points: list[Point]) -> list[Point]:
    best: dict[tuple[int, ...], int] = {}
    for values, units in points:
        best[values] = min(units, best.get(values, units))
    return sorted(
        (values, units)
        for values, units in best.items()
        if not any(other != values and all(a <= b for a, b in zip(other, values, strict=True)) for other in best)
    )


@given(st.integers(1, 4).flatmap(lambda figures: st.tuples(*[point_lists(figures)] * 2, st.just(figures))))
def test_points_that_others_leave_no_place_for(case: tuple[list[Point], list[Point], int]) -> None:
    points, others, figures = case
    (values, units), (by, by_units) = (_arrays(own, figures) for own in (points, others))
    pairs = [
        [(all(map(int.__le__, other, own)), other == own, few <= many) for other, few in others] for own, many in points
    ]
    assert dominated(values, by).tolist() == [any(below and not same for below, same, _ in own) for own in pairs]
    assert surpassed(values, units, by, by_units).tolist() == [
        any(below and (not same or fewer) for below, same, fewer in own) for own in pairs
    ]


@given(st.integers(0, 1 << 32), st.integers(1, 60), st.integers(1, 3))
def test_fronts_of_many_points_in_two_figures(seed: int, most: int, units: int) -> None:
    """Of equal points the one with the fewest units, of those the first, as where points are few."""
    drawn = np.random.default_rng(seed)
    values, own = drawn.integers(0, most, (3000, 2)), drawn.integers(0, units, 3000)
    points = [(tuple(row), number) for row, number in zip(values.tolist(), own.tolist(), strict=True)]
    front = front_of(values, own)
    assert points_of(front) == brute_front(points)
    assert [points.index(point) for point in points_of(front)] == front.origin.tolist()


def _arrays(points: list[Point], figures: int) -> tuple[np.ndarray, np.ndarray]:
    values = np.array([own for own, _ in points], np.int64).reshape(len(points), figures)
    return values, np.array([units for _, units in points], np.int64)


@given(st.integers(1, 4).flatmap(lambda figures: st.tuples(st.just(figures), point_lists(figures))))
def test_fronts(case: tuple[int, list[Point]]) -> None:
    figures, points = case
    front = front_from(points, figures)
    assert points_of(front) == brute_front(points)
    for row, found in zip(front.origin, points_of(front), strict=True):
        assert points[row] == found


def whole(combination: Combination, parts: list[tuple[int, ...]]) -> tuple[int, ...]:
    columns = zip(*parts, strict=True)
    return tuple(
        max(column) if largest else sum(column) for column, largest in zip(columns, combination.largest, strict=True)
    )


def kept(combination: Combination, values: tuple[int, ...]) -> bool:
    return all(limit is None or value <= limit for value, limit in zip(values, combination.limits, strict=True))


@given(st.data())
def test_whole_designs(data: st.DataObject) -> None:
    graph = data.draw(task_graphs(most=5))
    figures = data.draw(st.integers(1, 3))
    combination = data.draw(combinations(figures))
    points = {group: data.draw(point_lists(figures)) for group in all_groups(graph)}
    trade = combination.trades_units
    fronts = {group: front_from(found, figures, trade_units=trade) for group, found in points.items()}
    result = whole_front(graph, fronts.__getitem__, combination)
    assert points_of(result.front) == brute_front(list(one_by_one(graph, points, combination)))
    for row, (values, units) in enumerate(points_of(result.front)):
        choices = result.choices(row)
        done: Mask = 0
        for choice in choices:
            assert not choice.group & done
            done |= choice.group
        assert done == graph.all
        chosen = [points_of(fronts[choice.group])[choice.row] for choice in choices]
        assert whole(combination, [one for one, _ in chosen]) == values
        assert sum(one for _, one in chosen) == units


@given(st.data())
def test_listed_fusions(data: st.DataObject) -> None:
    graph = data.draw(task_graphs(most=4))
    number = {name: place for place, name in enumerate(graph.names)}
    fusions = [fusion for space in subspaces(graph) for fusion in space]
    listed = data.draw(st.lists(st.sampled_from(fusions), min_size=1, unique=True))
    masks = [[sum(1 << number[name] for name in group) for group in fusion.groups] for fusion in listed]
    points = {group: data.draw(point_lists(2)) for group in all_groups(graph)}
    fronts = {group: front_from(found, 2) for group, found in points.items()}
    result = listed_front(graph, fronts.__getitem__, Combination((False, False), (None, None)), masks)
    wholes = [
        (tuple(map(sum, zip(*(values for values, _ in chosen), strict=True))), sum(units for _, units in chosen))
        for fusion in masks
        for chosen in product(*(points[group] for group in fusion))
    ]
    assert points_of(result.front) == brute_front(wholes)
    for row, values in enumerate(result.front.values):
        choices = result.choices(row)
        assert [choice.group for choice in choices] in masks
        assert (sum(fronts[choice.group].values[choice.row] for choice in choices) == values).all()


def one_by_one(graph: TaskGraph, points: dict[Mask, list[Point]], combination: Combination) -> list[Point]:
    number = {name: place for place, name in enumerate(graph.names)}
    found = []
    for space in subspaces(graph):
        for fusion in space:
            groups = [sum(1 << number[name] for name in group) for group in fusion.groups]
            for chosen in product(*(points[group] for group in groups)):
                values = whole(combination, [values for values, _ in chosen])
                if kept(combination, values):
                    found.append((values, sum(units for _, units in chosen)))
    return found


@given(task_graphs(most=6))
def test_groups_are_those_of_the_legal_fusions(graph: TaskGraph) -> None:
    number = {name: place for place, name in enumerate(graph.names)}
    expected = {
        sum(1 << number[name] for name in group)
        for space in subspaces(graph)
        for fusion in space
        for group in fusion.groups
    }
    found = all_groups(graph)
    assert set(found) == expected
    assert len(found) == len(expected)


def test_a_bound_on_the_length_of_groups() -> None:
    chain = from_links(("a", "b", "c", "d"), {(0, 1), (1, 2), (2, 3)})
    assert [group.bit_count() for group in all_groups(chain, 2)].count(2) == 3
    assert max(group.bit_count() for group in all_groups(chain, 2)) == 2


def test_large_sums_are_taken_in_parts() -> None:
    count = 3000
    ascending = np.arange(count, dtype=np.int64)
    values = np.stack([ascending, ascending[::-1]], axis=1)
    front = front_of(values, np.ones(count, np.int64))
    sums = combined(front, front, Combination((False, False), (None, None)))
    assert len(sums) == 2 * count - 1
    assert (sums.values.sum(axis=1) == 2 * (count - 1)).all()


def design(group: Mask, number: int, units: int) -> GroupDesign:
    """Some design of a group; only its number and its units count here."""
    return GroupDesign((Processor(str(group), units),), Blocks((number + 1,), row_major(1)))


@given(st.data())
def test_wholes_of_seen_groups(data: st.DataObject) -> None:
    """Their front is the one over all fusions in which the groups that were not seen have no designs."""
    graph = data.draw(task_graphs(most=5))
    figures = data.draw(st.integers(1, 3))
    combination = data.draw(combinations(figures))
    every = all_groups(graph)
    seen = data.draw(st.lists(st.sampled_from(every), unique=True)) if data.draw(st.booleans()) else list(every)
    points = {group: data.draw(point_lists(figures)) for group in seen}
    stock = Stock(graph, (), combination)
    for part in (0, 1):  # in two helpings
        stock.add(
            {
                group: {
                    design(group, row, units): values for row, (values, units) in enumerate(found) if row % 2 == part
                }
                for group, found in points.items()
                if len(found) > part
            }
        )
    fronts = {
        group: front_from(points.get(group, []), figures, trade_units=combination.trades_units) for group in every
    }
    wholes = stock.wholes()
    front = front_of(*values_of(wholes, figures))
    assert points_of(front) == points_of(whole_front(graph, fronts.__getitem__, combination).front)
    assert len(wholes) == len(front)
    for one in wholes:
        assert sum(one.groups) == graph.all
        assert one.units == sum(group.processors[0].units for group in one.groups.values())
    fusions = [tuple(one.groups) for one in wholes[:2]]
    if fusions:
        listed = Stock(graph, fusions, combination, stock.fronts, stock.designs)
        best = [fusion_front(graph, fronts.__getitem__, combination, fusion).front for fusion in fusions]
        together = front_of(*(np.concatenate([getattr(one, name) for one in best]) for name in ("values", "units")))
        assert points_of(front_of(*values_of(listed.wholes(), figures))) == points_of(together)


def test_long_fronts_are_thinned() -> None:
    graph = from_links(("a", "b"), {(0, 1)})
    stock = Stock(graph, (), Combination((False, False), (None, None)))
    group = graph.all
    stock.add({group: {design(group, row, 1): (row, 1000 - row) for row in range(1000)}})
    found = stock.wholes()
    assert len(found) == POINTS_OF_GROUP
    assert [one.values for one in (found[0], found[-1])] == [(0, 1000), (999, 1)]
