"""Hypothesis strategies for buffers on two lines: blocks with halos, borders that wrap, and lines without any order."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from hwmodel.local_memory.lines import BufferLines, Line, LoopPlaces, Piece


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
def buffers(draw: st.DrawFn) -> BufferLines:
    """A buffer of small lines."""
    line = st.one_of(lines_of_blocks(), lines_of_blocks(), lines_without_order())
    return BufferLines(draw(line), draw(line), draw(st.integers(0, 4)), draw(st.integers(1, 3)))


@st.composite
def pieces(draw: st.DrawFn) -> tuple[Piece, int]:
    """A piece of an array of one to three axes, and the number of axes: fetched again, with gaps, with free axes."""
    rank = draw(st.integers(1, 3))
    axes = draw(st.permutations(range(rank)))
    on_outer, on_inner = draw(st.integers(0, min(2, rank))), draw(st.booleans())
    moving = [*axes[:on_outer], *([None] if on_outer < 2 and draw(st.booleans()) else [])]
    outer = tuple(draw(loops(axis)) for axis in draw(st.permutations(moving)))
    inner = draw(loops(axes[on_outer] if on_inner and on_outer < rank else None))
    free = sorted(axes[on_outer + on_inner :])
    kept = [np.unique(draw(_subscripts(np.arange(draw(st.integers(1, 4)))))) for _ in free]
    of_free = tuple(LoopPlaces.free(axis, own) for axis, own in zip(free, kept, strict=True))
    return Piece(outer, (inner,), of_free, draw(st.integers(0, 3))), rank


@st.composite
def loops(draw: st.DrawFn, axis: int | None) -> LoopPlaces:
    """What comes along one loop; of no axis each place brings one index at most."""
    line = draw(st.one_of(lines_of_blocks(), lines_without_order()))
    if axis is None:
        line = line.only(np.isin(np.arange(line.indices), np.unique(line.first, return_index=True)[1]))
        return LoopPlaces(line.places, None, np.zeros(line.indices, np.int64), line.first, line.last)
    return LoopPlaces(line.places, axis, draw(_subscripts(line.first)), line.first, line.last)


@st.composite
def _subscripts(draw: st.DrawFn, first: np.ndarray) -> np.ndarray:
    """Ascending subscripts, mostly in sequence; some come again, at another place, and some are left out."""
    indices = len(first)
    steps = draw(st.lists(st.sampled_from([1, 1, 1, 1, 0, 2, 3]), min_size=indices, max_size=indices))
    at, came, subscripts = draw(st.integers(0, 3)), set[tuple[int, int]](), list[int]()
    for step, place in zip(steps, first.tolist(), strict=True):
        at += max(step, int((at + step, place) in came))
        came.add((at, place))
        subscripts.append(at)
    return np.array(subscripts, np.int64)
