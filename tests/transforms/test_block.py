"""Unions of patterns against all their elements one by one."""

from __future__ import annotations

from collections import Counter
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from arrayol.transforms.blocks.block import Vector, union_of

Columns = tuple[list[Vector], tuple[int, ...], int]


@st.composite
def columns(draw: st.DrawFn) -> Columns:
    """Up to four columns of a small rank, many of them along one line."""
    rank = draw(st.integers(1, 2))
    lines = [tuple(int(axis == other) for other in range(rank)) for axis in range(rank)]
    lines.append(draw(st.sampled_from([(1,), (2,)] if rank == 1 else [(1, 1), (1, -1), (0, 2)])))
    count = draw(st.integers(1, 4))
    found = []
    for _ in range(count):
        line, factor = draw(st.sampled_from(lines)), draw(st.integers(-4, 4))
        found.append(tuple(factor * entry for entry in line))
    return found, tuple(draw(st.integers(1, 4)) for _ in range(count)), rank


def sums(vectors: list[Vector], extents: tuple[int, ...], rank: int) -> Counter[Vector]:
    found: Counter[Vector] = Counter()
    for index in product(*map(range, extents)):
        terms = zip(index, vectors, strict=True)
        pairs = [tuple(entry * step for step in vector) for entry, vector in terms]
        found[tuple(sum(pair[axis] for pair in pairs) for axis in range(rank))] += 1
    return found


@given(columns())
def test_a_union_holds_what_the_columns_reach_and_nothing_else(drawn: Columns) -> None:
    vectors, extents, rank = drawn
    union = union_of(vectors, extents, rank)
    reached = sums(list(union.columns), tuple(extent or 0 for extent in union.extents), rank)
    moved = {tuple(map(sum, zip(element, union.shift, strict=True))) for element in reached}
    assert moved == sums(vectors, extents, rank).keys()


@given(columns())
def test_every_old_index_finds_its_element_in_the_union(drawn: Columns) -> None:
    vectors, extents, rank = drawn
    union = union_of(vectors, extents, rank)
    for index in product(*map(range, extents)):
        place = list(union.offset)
        for entry, step in zip(index, union.places, strict=True):
            place = [one + entry * move for one, move in zip(place, step, strict=True)]
        assert all(0 <= one < (extent or 0) for one, extent in zip(place, union.extents, strict=True))
        terms = [[one * entry for entry in column] for one, column in zip(place, union.columns, strict=True)]
        element = [union.shift[axis] + sum(term[axis] for term in terms) for axis in range(rank)]
        old = [sum(entry * vector[axis] for entry, vector in zip(index, vectors, strict=True)) for axis in range(rank)]
        assert element == old


def test_overlapping_windows_are_read_once() -> None:
    union = union_of([(9,), (1,)], (4, 14), 1)
    assert (union.columns, union.extents, union.places) == (((1,),), (41,), ((9,), (1,)))


def test_a_gap_is_kept() -> None:
    union = union_of([(9,), (1,)], (4, 8), 1)
    assert (union.columns, union.extents) == (((9,), (1,)), (4, 8))
