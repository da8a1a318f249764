"""How many elements are left unread: as listing all instances counts them."""

from __future__ import annotations

from itertools import product
from math import prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arrayol.ir.borders import Border
from arrayol.ir.spec import Tiler
from arrayol.polyhedral.accesses import Access
from arrayol.polyhedral.unread import find_unread
from arrayol.source import SourceFile, Span

SPAN = Span(SourceFile("t.aol", ""), 0, 0)
Read = tuple[Access, tuple[int, ...]]


def access(
    origin: tuple[int, ...],
    paving: tuple[tuple[int, ...], ...],
    repetition: tuple[int | None, ...],
    array: tuple[int | None, ...],
    *,
    wrap: bool = False,
    border: Border | None = None,
) -> Access:
    """A tiler without a pattern."""
    tiler = Tiler(origin, paving, tuple(() for _ in array), wrap, SPAN, border)
    return Access(tiler, repetition, (), array)


@st.composite
def reads(draw: st.DrawFn) -> list[Read]:
    """One to three readers of one small array; now and then they wrap or have a border."""
    rank = draw(st.integers(1, 3))
    array = tuple(draw(st.integers(1, 7)) for _ in range(rank))
    return [draw(reader(array)) for _ in range(draw(st.integers(1, 3)))]


@st.composite
def reader(draw: st.DrawFn, array: tuple[int, ...]) -> Read:
    """One that leaves its array only where its border or its wrap says what is there."""
    indices = draw(st.integers(0, 3))
    extents = tuple(draw(st.integers(1, 5)) for _ in range(indices))
    first = tuple(draw(st.sampled_from((0, 0, 1))) for _ in range(indices))
    rows = tuple(tuple(draw(st.sampled_from((0, 0, 1, 1, 2, 3, -1))) for _ in range(indices)) for _ in array)
    mode = draw(st.sampled_from(("wrap", "nearest", "reflect", "constant", "inside", "inside")))
    origin = tuple(draw(st.integers(-2, 6)) for _ in array)
    made = access(
        origin, rows, extents, array, wrap=mode == "wrap", border=None if mode in {"wrap", "inside"} else Border(mode)
    )
    if mode in {"inside", "reflect"}:  # cut to what may be read: a reader of one element stays
        spaces = product(*(range(start, start + extent) for start, extent in zip(first, extents, strict=True)))
        reach = 0 if mode == "inside" else 1
        for point in spaces:
            values = zip(made.coordinates(point, ()), array, strict=True)
            if any(not -reach * extent <= value < (1 + reach) * extent for value, extent in values):
                origin = tuple(min(value, extent - 1) for value, extent in zip(map(abs, origin), array, strict=True))
                return access(origin, tuple(() for _ in array), (), array), ()
    return made, first


def listed(readers: list[Read]) -> set[tuple[int, ...]]:
    """The elements that no instance touches."""
    array = [extent or 0 for extent in readers[0][0].array]
    touched = {
        one.element(point, ())
        for one, first in readers
        for point in product(*(range(start, start + (n or 0)) for start, n in zip(first, one.repetition, strict=True)))
    }
    return set(product(*map(range, array))) - touched


@settings(max_examples=150)
@given(reads())
def test_counted_as_listed(readers: list[Read]) -> None:
    left, found = listed(readers), find_unread(readers)
    assert (found.missing if found else 0) == len(left)
    if found is not None:
        assert found.total == prod(extent or 0 for extent in readers[0][0].array)
        assert found.first == (min(left) if len(readers) == 1 else None)


MANY = 10**9


@pytest.mark.parametrize(
    ("read", "missing"),
    [
        (access((0,), ((1,),), (MANY,), (MANY,)), None),
        (access((0,), ((2,),), (MANY // 2,), (MANY,)), MANY // 2),
        (access((0, 0), ((0,), (1,)), (MANY,), (6, MANY), wrap=True), 5 * MANY),
        (access((0, 0), ((1, 0), (0, 1)), (MANY, MANY - 1), (MANY, MANY)), MANY),
        (access((-1, -1), ((1, 0), (0, 1)), (MANY, MANY), (MANY, MANY), border=Border("nearest")), 2 * MANY - 1),
        (access((0, 0), ((1, 0, 1), (0, 2, 1)), (4000, 1000, 2), (4001, 2000)), 2000),  # coupled, of 8 million bits
        (access((-3,), ((1,),), (MANY,), (MANY,), border=Border("reflect")), 3),
        (access((5,), ((1,),), (MANY,), (MANY,), border=Border("mirror")), 5),
        (access((7,), ((6,),), (MANY,), (MANY,), wrap=True), MANY // 2),
    ],
)
def test_large_arrays_are_counted_by_progressions(read: Access, missing: int | None) -> None:
    found = find_unread([(read, (0,) * len(read.repetition))])
    assert (found.missing if found else None) == missing


def test_of_a_stream_one_frame_is_looked_at() -> None:
    half = access((0, 0), ((1, 0), (0, 2)), (None, 4), (None, 8))
    found = find_unread([(half, (0, 0))])
    assert found
    assert (found.missing, found.total, found.first) == (4, 8, None)
    every_second_frame = access((0, 0), ((2, 0), (0, 1)), (None, 8), (None, 8))
    assert find_unread([(every_second_frame, (0, 0))]) is None


@pytest.mark.parametrize(
    ("read", "is_crop"),
    [
        (access((1, 2), ((1, 0), (0, 1)), (4, 4), (6, 8)), True),
        (access((1, 0), ((0,), (1,)), (8,), (6, 8)), True),  # one row, by its number
        (access((0, 0), ((0,), (1,)), (8,), (6, 8)), False),
        (access((1, 0), ((0,), (1,)), (48,), (6, 8), wrap=True), False),
        (access((1, 0), ((1, 0), (0, 1)), (4, 7), (6, 8)), False),  # the last column is left out
        (access((1, 0), ((2, 0), (0, 1)), (2, 8), (6, 8)), False),
    ],
)
def test_a_crop_begins_inside_and_has_no_gaps(read: Access, is_crop: bool) -> None:
    found = find_unread([(read, (0,) * len(read.repetition))])
    assert found
    assert found.is_crop == is_crop
