"""Whether parts make each element of an array once, against looking at every element."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from many_cases import case_count

from arrayol.ir.spec import Part
from arrayol.polyhedral.single_write import find_meeting, find_uncovered
from arrayol.source import SourceFile, Span

SPAN = Span(SourceFile("", ""), 0, 0)
HUGE = 1 << 40


def _part(*axes: tuple[int, int, int]) -> Part:
    """A part by its axes: the first index, the step, how many."""
    first, step, extents = zip(*axes, strict=True)
    return Part(first, step, extents, (True,) * len(axes), SPAN)


@st.composite
def _axis(draw: st.DrawFn, extent: int) -> tuple[int, int, int]:
    first, step = draw(st.integers(0, extent - 1)), draw(st.integers(1, extent))
    return first, step, draw(st.integers(1, (extent - 1 - first) // step + 1))


@st.composite
def parts(draw: st.DrawFn) -> tuple[tuple[int, ...], list[Part]]:
    """A shape and parts that may meet and may leave something."""
    shape = tuple(draw(st.lists(st.integers(1, 7), min_size=1, max_size=3)))
    return shape, [_part(*(draw(_axis(extent)) for extent in shape)) for _ in range(draw(st.integers(1, 4)))]


@st.composite
def disjoint(draw: st.DrawFn) -> tuple[tuple[int, ...], list[Part]]:
    """A shape cut in parts again and again, by halves or by remainders; some of the parts may be lost."""
    shape = tuple(draw(st.lists(st.integers(1, 7), min_size=1, max_size=3)))
    boxes = [tuple((0, 1, extent) for extent in shape)]
    for _ in range(draw(st.integers(0, 4))):
        box = boxes.pop(draw(st.integers(0, len(boxes) - 1)))
        axis = draw(st.integers(0, len(shape) - 1))
        first, step, count = box[axis]
        stride = draw(st.integers(1, count))
        cut = draw(st.integers(1, count))
        if draw(st.booleans()):
            ends = [(first + step * place, step * stride, -(-(count - place) // stride)) for place in range(stride)]
        else:
            ends = [(first, step, cut), (first + step * cut, step, count - cut)]
        boxes += [(*box[:axis], end, *box[axis + 1 :]) for end in ends if end[2]]
    kept = [box for box in boxes if draw(st.integers(0, 9))] or boxes[:1]
    return shape, [_part(*box) for box in kept]


def _elements(part: Part) -> Iterator[tuple[int, ...]]:
    axes = zip(part.origin, part.step, part.extents, strict=True)
    yield from product(*(range(first, first + step * (count or 0), step) for first, step, count in axes))


@settings(max_examples=case_count(150))
@given(parts())
def test_parts_that_meet(drawn: tuple[tuple[int, ...], list[Part]]) -> None:
    _, given_parts = drawn
    sets = [set(_elements(part)) for part in given_parts]
    pairs = {(i, j) for j in range(len(sets)) for i in range(j) if sets[i] & sets[j]}
    found = find_meeting(given_parts)
    assert (found is not None) == bool(pairs)
    if found is not None:
        first, second, element = found
        assert element in sets[first] & sets[second]


@settings(max_examples=case_count(150))
@given(disjoint())
def test_what_parts_leave(drawn: tuple[tuple[int, ...], list[Part]]) -> None:
    shape, given_parts = drawn
    assert find_meeting(given_parts) is None
    written = {element for part in given_parts for element in _elements(part)}
    left = [element for element in product(*map(range, shape)) if element not in written]
    assert find_uncovered(given_parts, shape) == ((left[0], len(left)) if left else None)


@pytest.mark.parametrize("lost", [0, 1, 12345678901, HUGE - 1])
def test_one_element_lost_of_a_huge_axis(lost: int) -> None:
    cut = [_part((0, 1, HUGE), (0, 3, HUGE // 3 + 1)), _part((0, 1, HUGE), (1, 3, HUGE // 3))]
    cut += [_part((0, 1, lost), (2, 3, HUGE // 3))] if lost else []
    cut += [_part((lost + 1, 1, HUGE - lost - 1), (2, 3, HUGE // 3))] if lost < HUGE - 1 else []
    cut += [_part((lost, 1, 1), (8, 3, HUGE // 3 - 2))]
    cut += [_part((lost, 1, 1), (2, 1, 1))]
    assert find_meeting(cut) is None
    assert find_uncovered(cut, (HUGE, HUGE)) == ((lost, 5), 1)
    assert find_uncovered([*cut, _part((lost, 1, 1), (5, 1, 1))], (HUGE, HUGE)) is None


def test_huge_strides_that_meet_once() -> None:
    one, other = _part((3, 1_000_003, 1_000_000)), _part((5, 1_000_033, 1_000_000))
    found = find_meeting([one, other])
    assert found is not None
    (index,) = found[2]
    assert (index - 3) % 1_000_003 == 0
    assert (index - 5) % 1_000_033 == 0
