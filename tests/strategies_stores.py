"""Small stores for tests: an array that is loaded in words and read by the units of a processor, cycle by cycle."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

from hwmodel.local_memory.offsets import Access, box_places


@dataclass(frozen=True)
class Store:
    """An array of a shape, read in `lines` lines of `width` repetitions; words bring `word` data.

    Lines are `apart` from one another.
    """

    shape: tuple[int, int]
    access: Access
    lines: int
    width: int
    apart: tuple[int, int]
    word: int


@st.composite
def stores(draw: st.DrawFn) -> Store:
    """A pattern of up to 3 x 4 places, dilated or not, that moves along one axis, read by 1 to 5 units."""
    pattern = draw(st.tuples(st.integers(1, 3), st.integers(1, 4)))
    dilation = draw(st.tuples(st.integers(1, 2), st.integers(1, 2)))
    along, stride = draw(st.integers(0, 1)), draw(st.integers(1, 3))
    lines, width = draw(st.integers(1, 3)), draw(st.integers(1, 9))
    step = (stride, 0) if along == 0 else (0, stride)
    apart = (0, stride) if along == 0 else (stride, 0)
    units, cycles = draw(st.integers(1, 5)), draw(st.integers(1, 4))
    places = box_places(((dilation[0], 0), (0, dilation[1])), pattern)
    reach = [max(place[axis] for place in places) for axis in (0, 1)]
    # As far as the last unit of the last round goes, though it may have nothing to do there.
    rounds = -(-width // units) * units
    shape = tuple(reach[axis] + 1 + step[axis] * (rounds - 1) + apart[axis] * (lines - 1) for axis in (0, 1))
    access = Access(places, step, units, cycles, ordered=draw(st.booleans()))
    return Store((shape[0], shape[1]), access, lines, width, apart, draw(st.sampled_from([1, 2, 4, 8])))
