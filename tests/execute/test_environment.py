"""Orders of repetitions: schedules, wavefronts and parts of boxes."""

from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from arrayol.execute.environment import Box, cut, wavefronts, whole
from arrayol.polyhedral.delays import find_schedule

Vectors = list[tuple[int, ...]]
DELAYS = st.integers(1, 3).flatmap(
    lambda rank: st.lists(st.tuples(*[st.integers(-3, 3)] * rank), min_size=1, max_size=3)
)
SHAPES = st.lists(st.integers(1, 5), min_size=0, max_size=3).map(tuple)


def legal(tau: tuple[int, ...], delays: Vectors) -> bool:
    return all(np.dot(tau, delay) >= 1 for delay in delays)


@given(DELAYS)
def test_a_schedule_is_found_where_there_is_one(delays: Vectors) -> None:
    """What is found is legal, and where none is found there is none among small vectors either."""
    rank = len(delays[0])
    tau = find_schedule(delays, (5,) * rank)
    if tau is not None:
        assert legal(tau, delays)
    else:
        assert not any(legal(other, delays) for other in product(range(-5, 6), repeat=rank))


def test_examples_of_schedules() -> None:
    assert find_schedule([(0, 1)], (1080, 480)) == (0, 1)
    assert find_schedule([(1, 1)], (1080, 480)) == (0, 1)  # along the shorter extent
    assert find_schedule([(-1, 0)], (5, 5)) == (-1, 0)
    assert find_schedule([(1, -1), (0, 1)], (5, 5)) == (2, 1)
    assert find_schedule([(1, -2), (-1, 3)], (5, 5)) == (5, 2)
    assert find_schedule([(1, 0), (-1, 0)], (5, 5)) is None


@given(SHAPES, st.integers(1, 30))
def test_parts_of_a_box_are_the_box(shape: tuple[int, ...], limit: int) -> None:
    seen = [point for part in cut(whole(shape), limit) for point in product(*map(range, part.low, part.high))]
    assert seen == list(product(*map(range, shape)))
    assert all(part.size <= limit for part in cut(whole(shape), limit))


@given(SHAPES.filter(bool), st.integers(1, 7), st.data())
def test_wavefronts_are_every_point_in_order_of_time(shape: tuple[int, ...], limit: int, data: st.DataObject) -> None:
    tau = data.draw(st.tuples(*[st.integers(-2, 2)] * len(shape)))
    fronts = list(wavefronts(shape, tau, limit))
    points = [tuple(int(axis[n]) for axis in front.coordinates) for front in fronts for n in range(front.size)]
    assert sorted(points) == list(product(*map(range, shape)))
    times = [{int(np.dot(tau, point)) for point in zip(*front.coordinates, strict=True)} for front in fronts]
    assert all(len(time) == 1 for time in times)
    assert [time.copy().pop() for time in times] == sorted(min(time) for time in times)


@given(SHAPES, st.data())
def test_a_box_without_another_is_cut_in_disjoint_boxes(shape: tuple[int, ...], data: st.DataObject) -> None:
    low = tuple(data.draw(st.integers(0, length)) for length in shape)
    inner = Box(low, tuple(data.draw(st.integers(start, length)) for start, length in zip(low, shape, strict=True)))
    outside = [point for part in whole(shape).minus(inner) for point in product(*map(range, part.low, part.high))]
    inside = list(product(*map(range, inner.low, inner.high)))
    assert sorted(outside + inside) == list(product(*map(range, shape)))
