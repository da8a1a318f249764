"""Whether delays leave an order: each answer is held against its own certificate."""

from __future__ import annotations

from hypothesis import given, settings
from many_cases import case_count
from strategies import delay_sets

from arrayol.ir.spec import Shape
from arrayol.polyhedral.delays import find_circle, find_schedule


@settings(max_examples=case_count(500), deadline=None)
@given(delay_sets())
def test_either_an_order_or_a_circle(case: tuple[tuple[tuple[int, ...], ...], Shape]) -> None:
    delays, repetition = case
    circle = find_circle(delays, repetition)
    forward = [
        tuple(int(axis == other) for other in range(len(repetition)))
        for axis, extent in enumerate(repetition)
        if extent is None
    ]
    order = find_schedule([*delays, *forward], [extent or 99 for extent in repetition])
    assert (circle is None) == (order is not None)
    if order is not None:
        assert all(sum(one * step for one, step in zip(order, delay, strict=True)) >= 1 for delay in delays)
        assert all(factor >= 1 for factor, extent in zip(order, repetition, strict=True) if extent is None)
    if circle is not None:
        assert sum(circle) >= 1
        assert min(circle) >= 0
        for axis, extent in enumerate(repetition):
            total = sum(times * delay[axis] for times, delay in zip(circle, delays, strict=True))
            assert total <= 0 if extent is None else total == 0
