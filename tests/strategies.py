"""Hypothesis strategies for everything that tests generate, extended with every feature."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from arrayol.ir.model import Shape, Tiler
from arrayol.polyhedral.accesses import Access
from arrayol.source import SourceFile, Span
from dse.graph import TaskGraph, from_links

NOWHERE = Span(SourceFile("generated", ""), 0, 0)


@st.composite
def accesses(draw: st.DrawFn, *, infinite: bool | None = None) -> Access:
    """An access of a small array: blocks that tile it, then often disturbed in one of many ways.

    Along each array axis the pattern takes `block` elements and the repetition steps over them. Disturbances: another
    step or origin (overlaps, holes, leaving), skew, reversed axes, a wrap, a last dimension more or less.
    """
    rank = draw(st.integers(1, 3))
    blocks = [draw(st.integers(1, 3)) for _ in range(rank)]
    counts: list[int | None] = [draw(st.integers(1, 3)) for _ in range(rank)]
    array: list[int | None] = [block * count for block, count in zip(blocks, counts, strict=True) if count]
    order = draw(st.permutations(range(rank)))
    paving = [[blocks[axis] if order[column] == axis else 0 for column in range(rank)] for axis in range(rank)]
    fitting = [[int(column == axis) for column in range(rank)] for axis in range(rank)]
    origin = [0] * rank
    if infinite or (infinite is None and draw(st.integers(0, 7)) == 0):
        _make_infinite(draw, counts, array)
    wrap = draw(st.integers(0, 3)) == 0
    for _ in range(draw(st.sampled_from([0, 0, 1, 1, 2]))):
        _disturb(draw, origin, paving, fitting)
    if wrap and draw(st.booleans()):
        origin = [
            value if extent is None else draw(st.integers(-9, 9)) for value, extent in zip(origin, array, strict=True)
        ]
    if draw(st.integers(0, 4)) == 0:
        axis = draw(st.integers(0, rank - 1))
        array[axis] = None if array[axis] is None else array[axis] + draw(st.integers(1, 2))
    for axis, extent in enumerate(array):
        if extent is not None and draw(st.integers(0, 5)) == 0:
            _reverse(axis, extent, origin, paving, fitting)
    repetition = tuple(counts[axis] for axis in order)
    tiler = Tiler(tuple(origin), _rows(paving), _rows(fitting), wrap, NOWHERE)
    return Access(tiler, repetition, tuple(blocks), tuple(array))


def _make_infinite(draw: st.DrawFn, counts: list[int | None], array: list[int | None]) -> None:
    axis = draw(st.integers(0, len(array) - 1))
    counts[axis] = array[axis] = None


def _disturb(draw: st.DrawFn, origin: list[int], paving: list[list[int]], fitting: list[list[int]]) -> None:
    row = draw(st.integers(0, len(origin) - 1))
    change = draw(st.integers(-2, 2))
    target = draw(st.sampled_from(["origin", "paving", "fitting", "paving"]))
    if target == "origin":
        origin[row] += change
    else:
        matrix = paving if target == "paving" else fitting
        matrix[row][draw(st.integers(0, len(origin) - 1))] += change


def _reverse(axis: int, extent: int, origin: list[int], paving: list[list[int]], fitting: list[list[int]]) -> None:
    origin[axis] = extent - 1 - origin[axis]
    paving[axis] = [-value for value in paving[axis]]
    fitting[axis] = [-value for value in fitting[axis]]


def _rows(matrix: Sequence[Sequence[int]]) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(row) for row in matrix)


@st.composite
def delay_sets(draw: st.DrawFn) -> tuple[tuple[tuple[int, ...], ...], Shape]:
    """One to three delays and a repetition space; each axis may be infinite."""
    rank = draw(st.integers(1, 3))
    vectors = st.tuples(*[st.integers(-3, 3)] * rank).filter(any)
    delays = tuple(draw(st.lists(vectors, min_size=1, max_size=3)))
    repetition = tuple(draw(st.sampled_from([4, 5, 6, None])) for _ in range(rank))
    return delays, repetition


@st.composite
def task_graphs(draw: st.DrawFn, *, most: int = 6) -> TaskGraph:
    """Any acyclic graph of one to `most` tasks, connected or not."""
    tasks = draw(st.integers(1, most))
    pairs = [(writer, reader) for reader in range(tasks) for writer in range(reader)]
    links = draw(st.sets(st.sampled_from(pairs))) if pairs else set()
    return from_links(tuple("abcdefgh"[:tasks]), links)
