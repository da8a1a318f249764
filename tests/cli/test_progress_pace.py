"""Rates and the time left, from samples of work at known times."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from many_cases import case_count

from arrayol.api.shown_progress import SETTLED, WINDOW, Pace, Sample, Stretch


def after(samples: list[Sample]) -> Stretch:
    pace = Pace()
    return [pace.note(sample) for sample in samples][-1]


@given(st.floats(5, 20_000), st.floats(0.01, 0.99), st.integers(2, 300), st.floats(0, 1e6))
def test_steady_work_takes_as_long_as_it_did(whole: float, share: float, reports: int, began: float) -> None:
    times = [whole * share * place / reports for place in range(reports + 1)]
    stretch = after([Sample(began + at, round(at * 1000), at / whole) for at in times])
    now = began + times[-1]
    left = stretch.seconds_left(now)
    if times[-1] < SETTLED or whole - times[-1] < 1.01:
        assert left is None or times[-1] >= SETTLED
        return
    assert left == pytest.approx(whole - times[-1], rel=1e-4)
    rate = stretch.rate(now)
    assert rate == pytest.approx(1000, rel=0.01)


@given(
    st.lists(st.tuples(st.floats(0.5, 8), st.floats(0.9, 1.1)), min_size=8, max_size=20),
    st.floats(0.2, 20),
)
@settings(max_examples=case_count(20))
def test_what_was_measured_corrects_the_time_left_which_falls(pieces: list[tuple[float, float]], factor: float) -> None:
    """Work of predicted seconds that takes several times as many, each piece a little more or less."""
    pace, at, done, whole = Pace(), 0.0, 0.0, sum(predicted for predicted, _ in pieces)
    pace.note(Sample(at, 0, 0.0))
    takes = sum(predicted * factor * noise for predicted, noise in pieces)
    said: list[float] = []
    for predicted, noise in pieces:
        at, done = at + predicted * factor * noise, done + predicted
        left = pace.note(Sample(at, 0, done / whole)).seconds_left(at)
        if left is not None:
            assert 0.8 <= (left + 1e-6) / (takes - at + 1e-6) <= 1.25
            said.append(left)
    assert all(later <= earlier for earlier, later in pairwise(said))


def test_that_work_takes_much_longer_is_said() -> None:
    pace, samples = Pace(), [Sample(0, 0, 0.0), Sample(10, 0, 0.5), Sample(20, 0, 0.6)]
    assert [pace.note(sample).seconds_left(sample.at) for sample in samples] == [
        None,
        10,
        pytest.approx(20 * 0.4 / 0.6),
    ]


def test_nothing_is_said_too_early() -> None:
    early = after([Sample(0, 0, 0), Sample(0.4, 4000, 0.1)])
    assert (early.rate(0.4), early.seconds_left(0.4)) == (None, None)
    later = after([Sample(0, 0, 0), Sample(1.9, 4000, 0.1)])
    assert (later.rate(1.9), later.seconds_left(1.9)) == (pytest.approx(4000 / 1.9), None)


def test_the_time_left_runs_down_between_samples_and_never_to_zero() -> None:
    stretch = after([Sample(0, 0, 0.0), Sample(10, 5, 0.5)])
    assert [stretch.seconds_left(now) for now in (10, 14, 19, 19.5, 20, 3000)] == [10, 6, 1, None, None, None]


def test_a_rate_falls_when_nothing_comes_for_long() -> None:
    stretch = after([Sample(0, 0, None), Sample(10, 50, None)])
    assert [stretch.rate(now) for now in (10, 20, 50, 1010)] == [5, 5, 50 / 40, 50 / 1000]
    assert stretch.seconds_left(10) is None


@pytest.mark.parametrize("works", [(0.2, 0.2), (0.5, 0.4), (None, 0.5), (0.5, None), (0.9, 1.0)])
def test_no_time_left_where_it_cannot_be_told(works: tuple[float | None, float | None]) -> None:
    first, last = works
    assert after([Sample(0, 1, first), Sample(10, 1, last)]).seconds_left(10) is None


def test_what_was_there_at_first_counts_for_no_rate() -> None:
    resumed = after([Sample(0, 8_000_000, 0.8), Sample(10, 8_000_100, 0.9)])
    assert (resumed.rate(10), resumed.seconds_left(10)) == (10, pytest.approx(10))


def test_a_change_of_pace_is_seen_after_a_window() -> None:
    quick = [Sample(at, 100 * at, at / 1000) for at in range(100)]
    slow = [Sample(100 + at, 10_000 + at, 0.1 + at / 10_000) for at in range(300)]
    stretch = after(quick + slow)
    assert stretch.rate(399) == pytest.approx(1)
    assert stretch.seconds_left(399) == pytest.approx(10_000 * (1 - slow[-1].work), rel=0.2)  # type: ignore[operator]


def test_few_samples_are_held_of_long_work() -> None:
    pace = Pace()
    for place in range(50_000):
        stretch = pace.note(Sample(place / 100, place, place / 100_000))
    assert len(pace._samples) < 500  # noqa: SLF001  memory is what this is about
    assert stretch.last.at - stretch.first.at == pytest.approx(max(WINDOW, 250), rel=0.02)
