"""Hypothesis strategies for buffers on two lines: blocks with halos, borders that wrap, and lines without any order."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from hwmodel.local_memory.lines import Line, Lines
from hwmodel.local_memory.pieces import Piece, Subscripts


def windows(extent: int, block: int, before: int = 0, after: int = 0, *, wrap: bool = False) -> Line:
    """Blocks of a side over an extent, each reading so many indices beyond its own at either side."""
    places = -(-extent // block)
    first, last = np.full(extent, places), np.full(extent, -1)
    for place in range(places):
        read = np.arange(place * block - before, min((place + 1) * block, extent) + after)
        own = read % extent if wrap else read[(read >= 0) & (read < extent)]
        first[own] = np.minimum(first[own], place)
        last[own] = np.maximum(last[own], place)
    return Line(places, first, last)


def whole(indices: int, places: int) -> Line:
    """Indices that are all read at every place."""
    return Line(places, np.zeros(indices, np.int64), np.full(indices, places - 1))


def downwards(line: Line) -> Line:
    """The same walked the other way."""
    return Line(line.places, line.places - 1 - line.last, line.places - 1 - line.first)


@st.composite
def lines_of_blocks(draw: st.DrawFn) -> Line:
    """A line as blocks walk it."""
    extent = draw(st.integers(1, 14))
    before, after = draw(st.integers(0, 2)), draw(st.integers(0, 2))
    line = windows(extent, draw(st.integers(1, extent)), before, after, wrap=draw(st.booleans()))
    line = whole(extent, draw(st.integers(1, 4))) if draw(st.integers(0, 6)) == 0 else line
    return downwards(line) if draw(st.booleans()) else line


@st.composite
def lines_without_order(draw: st.DrawFn) -> Line:
    """Any first and last places."""
    places = draw(st.integers(1, 6))
    ends = draw(st.lists(st.tuples(st.integers(0, places - 1), st.integers(0, places - 1)), min_size=1, max_size=10))
    pairs = np.sort(np.array(ends, np.int64), axis=1)
    return Line(places, pairs[:, 0], pairs[:, 1])


@st.composite
def buffers(draw: st.DrawFn) -> Lines:
    """A buffer of small lines."""
    line = st.one_of(lines_of_blocks(), lines_of_blocks(), lines_without_order())
    return Lines(draw(line), draw(line), draw(st.integers(0, 4)), draw(st.integers(1, 3)))


@st.composite
def pieces(draw: st.DrawFn) -> tuple[Piece, int]:
    """A piece of an array of one to three axes, and the number of axes: fetched again, with gaps, with free axes."""
    rank = draw(st.integers(1, 3))
    axes = draw(st.permutations(range(rank)))
    on_outer, on_inner = draw(st.integers(0, min(2, rank))), draw(st.booleans())
    outer, inner = axes[:on_outer], axes[on_outer : on_outer + on_inner]
    parts = [draw(_short_lines()) for _ in outer]
    line = parts[0] if parts else draw(_short_lines())
    for part in parts[1:]:
        line = _product(line, part)
    places = [draw(_subscripts(part.indices)) for part in parts]
    column, free = draw(_short_lines()), sorted(axes[on_outer + on_inner :])
    side = [draw(_subscripts(column.indices))] if inner else []
    kept = [np.unique(draw(_subscripts(draw(st.integers(1, 4))))) for _ in free]
    neighbours = _combined(kept, 1)
    lines = Lines(line, column, draw(st.integers(0, 3)), len(neighbours))
    sides = (_combined(places, line.indices), _combined(side, column.indices), neighbours)
    return Piece(
        lines,
        Subscripts(tuple(outer), sides[0]),
        Subscripts(tuple(inner), sides[1]),
        Subscripts(tuple(free), sides[2]),
    ), rank


def _short_lines() -> st.SearchStrategy[Line]:
    return st.one_of(lines_of_blocks(), lines_without_order())


def _product(outer: Line, inner: Line) -> Line:
    """The line of two loops, the second inside the first."""
    ends = ((a[:, None] * inner.places + b).ravel() for a, b in ((outer.first, inner.first), (outer.last, inner.last)))
    return Line(outer.places * inner.places, *ends)


@st.composite
def _subscripts(draw: st.DrawFn, indices: int) -> np.ndarray:
    """Ascending subscripts, mostly in sequence; some come again, some are left out."""
    steps = draw(st.lists(st.sampled_from([1, 1, 1, 1, 0, 2, 3]), min_size=indices, max_size=indices))
    return draw(st.integers(0, 3)) + np.cumsum(np.array(steps, np.int64))


def _combined(columns: list[np.ndarray], rows: int) -> np.ndarray:
    """All combinations of the subscripts of some axes, row-major; as many rows without columns where there is none."""
    if not columns:
        return np.zeros((rows, 0), np.int64)
    return np.stack([each.ravel() for each in np.meshgrid(*columns, indexing="ij")], axis=1)
