"""Hypervolumes on logarithmic axes, against summing the cells of a grid; a hypervolume that only rises."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies_fronts import front_from, point_lists

from dse.pareto.hypervolume import (
    KEPT_AT_MOST,
    RisingVolume,
    box_share,
    corner_of,
    hypervolume,
    octaves_of,
    share_of,
    spread_rows,
    telling_rows,
)

Points = list[tuple[int, ...]]


@st.composite
def batches(draw: st.DrawFn) -> tuple[int, list[Points]]:
    """Points of one to three figures that come in several batches, some of them empty."""
    figures = draw(st.integers(1, 3))
    drawn = draw(st.lists(point_lists(figures), min_size=1, max_size=4))
    return figures, [[values for values, _ in points] for points in drawn]


def summed_cells(points: Sequence[Sequence[float]], corner: Sequence[float]) -> float:
    """The volume up to the corner, by the cells of the grid through all points."""
    lines = [sorted({point[axis] for point in points if point[axis] < end} | {end}) for axis, end in enumerate(corner)]
    volume = 0.0
    for cell in product(*(pairwise(line) for line in lines)):
        if any(all(value <= low for value, (low, _) in zip(point, cell, strict=True)) for point in points):
            volume += math.prod(high - low for low, high in cell)
    return volume


def octaves(points: Points) -> list[list[float]]:
    return [[math.log2(max(value, 1)) for value in point] for point in points]


@given(batches())
def test_the_share_of_all_points_so_far(case: tuple[int, list[Points]]) -> None:
    figures, parts = case
    volume = RisingVolume()
    given_so_far: Points = []
    last = 0.0
    for points in parts:
        share = volume.with_points(np.array(points, np.int64).reshape(len(points), figures))
        given_so_far += points
        if not given_so_far:
            assert share is None
            continue
        assert share is not None
        assert volume.reference is not None
        corner = volume.reference.tolist()
        assert share == pytest.approx(summed_cells(octaves(given_so_far), corner) / math.prod(corner))
        assert share >= last
        last = share


def test_the_first_front_fixes_the_reference() -> None:
    volume = RisingVolume()
    volume.with_points(np.array([[100, 20], [50, 40], [200, 90]]))  # the last is dominated
    assert volume.reference is not None
    corner = [math.log2(100) + 0.1, math.log2(40) + 0.1]  # a tenth of an octave, which is more than of the ranges
    assert volume.reference.tolist() == pytest.approx(corner)
    assert volume.share == pytest.approx((1.1 * 1.1 - 1) / math.prod(corner))
    volume.with_points(np.array([[5000, 1]]))
    assert volume.reference.tolist() == pytest.approx(corner)


def test_a_figure_that_is_zero_everywhere_leaves_a_box() -> None:
    assert corner_of(octaves_of(np.array([[0, 30]]))).tolist() == pytest.approx([0.1, math.log2(30) + 0.1])
    assert RisingVolume().with_points(np.array([[0, 30]])) == pytest.approx(0.1 / (math.log2(30) + 0.1))


def test_long_fronts_are_thinned_and_the_share_still_rises() -> None:
    count = 4 * KEPT_AT_MOST
    values = np.stack([np.arange(count), np.arange(count)[::-1]], axis=1) + 1
    volume = RisingVolume()
    shares = [volume.with_points(values[start::7]) for start in range(7)]
    exact = box_share(octaves_of(values), corner_of(octaves_of(values[::7])))
    assert shares == sorted(shares)  # type: ignore[type-var]
    assert exact * 0.99 < shares[-1] <= exact  # type: ignore[operator]


@given(st.integers(1, 4), st.data())
def test_spread_keeps_the_extremes(figures: int, data: st.DataObject) -> None:
    value = st.integers(0, 40)
    points = data.draw(st.lists(st.tuples(st.tuples(*[value] * figures), st.just(1)), min_size=25, max_size=40))
    front = front_from(points, figures).values
    count = data.draw(st.integers(2 * figures, 12))
    kept = front[spread_rows(front, count)]
    assert 1 <= len(kept) <= count
    assert len(np.unique(kept, axis=0)) == len(kept)
    assert {tuple(row) for row in kept.tolist()} <= {tuple(row) for row in front.tolist()}
    assert (kept.min(axis=0) == front.min(axis=0)).all()
    if len(front) <= count:
        assert len(kept) == len(front)


@given(st.data())
def test_what_a_thinned_front_of_two_figures_loses(data: st.DataObject) -> None:
    value = st.integers(1, 1000)
    points = data.draw(st.lists(st.tuples(st.tuples(value, value), st.just(1)), min_size=20, max_size=60))
    front = front_from(points, 2).values
    count = data.draw(st.integers(4, 10))
    if len(front) < 3:
        return
    box = (front - front.min(axis=0)) / np.ptp(front, axis=0)
    corner = np.ones(2)
    assert box_share(box[spread_rows(box, count)], corner) >= box_share(box, corner) - 2 / (count - 1) - 1e-9


@given(st.integers(1, 3), st.data())
def test_the_share_of_other_points(figures: int, data: st.DataObject) -> None:
    """The unit of a figure counts for nothing, and the front's own share is all."""
    best, points = (data.draw(point_lists(figures, 1)) for _ in range(2))
    front = front_from(best, figures).values + 1
    others = np.array([values for values, _ in points], np.int64) + 1
    corner = corner_of(octaves_of(front)).tolist()
    whole = summed_cells(octaves(front.tolist()), corner)
    assert share_of(others, front) == pytest.approx(summed_cells(octaves(others.tolist()), corner) / whole)
    assert share_of(front, front) == pytest.approx(1)
    assert share_of(others * 1000, front * 1000) == pytest.approx(share_of(others, front))
    assert share_of(others[:0], front) == 0


@given(st.integers(1, 3), st.data())
def test_the_rows_that_tell_most(figures: int, data: st.DataObject) -> None:
    """Ends and what is asked for first, then each time a row of which none adds more."""
    value = st.integers(1, 400)
    points = data.draw(st.lists(st.tuples(st.tuples(*[value] * figures), st.just(1)), min_size=4, max_size=25))
    front = octaves_of(front_from(points, figures).values)
    count = data.draw(st.integers(figures + 2, 8))
    first = data.draw(st.integers(0, len(front) - 1))
    rows = telling_rows(front, count, [first])
    assert rows == sorted(set(rows))
    assert len(rows) == min(count, len(front))
    if len(front) <= count:
        return
    assert first in rows
    assert (front[rows].min(axis=0) == front.min(axis=0)).all()
    corner = corner_of(front)
    fewer = telling_rows(front, count - 1, [first])
    volume = hypervolume(front[rows], corner)
    assert set(fewer) < set(rows)
    assert volume == pytest.approx(max(hypervolume(front[[*fewer, row]], corner) for row in range(len(front))))


def test_the_rows_of_a_long_front_lose_little() -> None:
    first = np.unique(np.geomspace(10, 10**8, 3000).astype(np.int64))
    front = octaves_of(np.stack([first, 10**17 // first], axis=1))
    corner = corner_of(front)
    rows = telling_rows(front, 10)
    assert {0, len(front) - 1} <= set(rows)
    assert hypervolume(front[rows], corner) > 0.85 * hypervolume(front, corner)
