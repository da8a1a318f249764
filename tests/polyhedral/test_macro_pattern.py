"""What a block needs of its producer, against all elements one by one."""

from __future__ import annotations

from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st
from many_cases import case_count
from strategies import NOWHERE

from arrayol.ir.spec import Tiler
from arrayol.polyhedral.accesses import least_combination
from arrayol.polyhedral.macro_pattern import BlockRead, Progression, Written, needed_repetitions

small = st.integers(-3, 3)


def tiler(origin: tuple[int, ...], paving: list[list[int]], fitting: list[list[int]]) -> Tiler:
    return Tiler(origin, tuple(map(tuple, paving)), tuple(map(tuple, fitting)), False, NOWHERE)


def matrix(rows: int, columns: int) -> st.SearchStrategy[list[list[int]]]:
    return st.lists(st.lists(small, min_size=columns, max_size=columns), min_size=rows, max_size=rows)


@st.composite
def links(draw: st.DrawFn) -> tuple[Written, BlockRead]:
    """A producer of blocks of a 2-D array, and any window over it."""
    write = tiler((0, 0), [[draw(st.integers(1, 3)), draw(small)], [0, draw(st.integers(1, 3))]], draw(matrix(2, 1)))
    read = tiler((draw(small), draw(small)), draw(matrix(2, 2)), draw(matrix(2, 1)))
    block = (draw(st.integers(1, 3)), draw(st.integers(1, 3)))
    return Written(write, (draw(st.integers(1, 3)),)), BlockRead(read, (draw(st.integers(1, 3)),), block)


def element(one: Tiler, repetition: tuple[int, ...], index: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(
        origin + sum(map(int.__mul__, paving, repetition)) + sum(map(int.__mul__, fitting, index))
        for origin, paving, fitting in zip(one.origin, one.paving, one.fitting, strict=True)
    )


@settings(max_examples=case_count(60))
@given(links())
def test_the_ranges_are_the_least_that_hold_every_needed_repetition(drawn: tuple[Written, BlockRead]) -> None:
    written, read = drawn
    bounds = [(-4, 9), (-4, 9)]
    asked = {
        element(read.tiler, step, index)
        for step in product(*map(range, read.block))
        for index in product(*(range(extent or 0) for extent in read.pattern))
    }
    needed = [
        repetition
        for repetition in product(*(range(*bound) for bound in bounds))
        if any(
            element(written.tiler, repetition, index) in asked
            for index in product(*(range(extent or 0) for extent in written.pattern))
        )
    ]
    found = needed_repetitions([(written, read)], bounds)
    if not needed:
        assert found is None
        return
    assert found is not None
    for axis, progression in enumerate(found):
        values = sorted({repetition[axis] for repetition in needed})
        assert (progression.low, progression.last) == (values[0], values[-1])
        assert all((value - progression.low) % progression.stride == 0 for value in values)


def test_a_stride_is_kept() -> None:
    written = Written(tiler((0,), [[1]], [[]]), ())
    read = BlockRead(tiler((1,), [[3]], [[]]), (), (4,))
    assert needed_repetitions([(written, read)], [(0, None)]) == (Progression(1, 3, 4),)


def test_the_least_combination() -> None:
    assert least_combination(((4, 1),), (4,)) == (1, 0)
    assert least_combination(((4, 1),), (4,), fixed=(0,)) == (0, 4)
    assert least_combination(((2,),), (3,)) is None
    assert least_combination(((2,),), (3,), periods=(7,)) == (-2,)
