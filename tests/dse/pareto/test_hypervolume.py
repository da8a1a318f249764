"""A hypervolume that only rises, against counting the unit cells of the box."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies_fronts import front_from, point_lists

from dse.pareto.hypervolume import KEPT_AT_MOST, RisingVolume, box_share, reference_of, spread_rows

Points = list[tuple[int, ...]]


@st.composite
def batches(draw: st.DrawFn) -> tuple[int, list[Points]]:
    """Points of one to three figures that come in several batches, some of them empty."""
    figures = draw(st.integers(1, 3))
    drawn = draw(st.lists(point_lists(figures), min_size=1, max_size=4))
    return figures, [[values for values, _ in points] for points in drawn]


def dominated_cells(points: Points, corner: tuple[int, ...]) -> int:
    """Unit cells of the box up to the corner of which a point dominates all."""
    cells = product(*map(range, corner))
    return sum(any(all(a <= b for a, b in zip(point, cell, strict=True)) for point in points) for cell in cells)


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
        corner = tuple(map(int, volume.reference))  # small values: 1 beyond the worst
        assert (volume.reference == corner).all()
        assert share == pytest.approx(dominated_cells(given_so_far, corner) / np.prod(corner))
        assert share >= last
        last = share


def test_the_first_front_fixes_the_reference() -> None:
    volume = RisingVolume()
    volume.with_points(np.array([[100, 20], [50, 40], [200, 90]]))  # the last is dominated
    assert volume.reference is not None
    assert volume.reference.tolist() == pytest.approx([110, 44])
    assert volume.share == pytest.approx((10 * 24 + 60 * 4 - 10 * 4) / (110 * 44))
    volume.with_points(np.array([[5000, 1]]))
    assert volume.reference.tolist() == pytest.approx([110, 44])


def test_a_figure_that_is_zero_everywhere_leaves_a_box() -> None:
    assert reference_of(np.array([[0, 30]])).tolist() == pytest.approx([1, 33])
    assert RisingVolume().with_points(np.array([[0, 30]])) == pytest.approx(3 / 33)


def test_long_fronts_are_thinned_and_the_share_still_rises() -> None:
    count = 4 * KEPT_AT_MOST
    values = np.stack([np.arange(count), np.arange(count)[::-1]], axis=1) + 1
    volume = RisingVolume()
    shares = [volume.with_points(values[start::7]) for start in range(7)]
    exact = box_share(values, reference_of(values[::7]))
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
