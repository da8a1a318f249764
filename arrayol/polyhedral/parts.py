"""Do parts of an array make each of its elements once? Decided exactly, by numbers per axis alone, at any size.

Parts are products of arithmetic progressions, so two meet where they meet along each axis, and disjoint ones leave a
hole where their sizes do not add up to that of the array. Up to an index of an axis they cover a number of elements
that has a closed form, so the first hole is found by bisection, axis after axis.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import gcd, prod

from arrayol.ir.spec import Part

Element = tuple[int, ...]
Axis = tuple[int, int, int]  # the first index, the step, how many


def find_meeting(parts: Sequence[Part]) -> tuple[int, int, Element] | None:
    """Two parts, by their places, and an element that both have; None where there are none."""
    boxes = [_axes(part) for part in parts]
    for first, second in combinations(range(len(parts)), 2):
        element = [_common(one, other) for one, other in zip(boxes[first], boxes[second], strict=True)]
        common = tuple(index for index in element if index is not None)
        if len(common) == len(element):
            return first, second, common
    return None


def find_uncovered(parts: Sequence[Part], shape: Sequence[int | None]) -> tuple[Element, int] | None:
    """The first element that no part has and how many those are (of one frame); None where each has its part.

    No two parts may meet.
    """
    boxes = [_axes(part) for part in parts]
    sizes = [1 if extent is None else extent for extent in shape]
    missing = prod(sizes) - sum(map(_size, boxes))
    if not missing:
        return None
    element: list[int] = []
    for axis in range(len(sizes)):
        element.append(_first_short(boxes, axis, sizes))
        boxes = [box for box in boxes if _before(box[axis], element[-1] + 1) > _before(box[axis], element[-1])]
    return tuple(element), missing


def _axes(part: Part) -> tuple[Axis, ...]:
    """The axes of a part; of an axis without end, of which all parts have all, the first frame."""
    return tuple(
        (origin, step, 1 if extent is None else extent)
        for origin, step, extent in zip(part.origin, part.step, part.extents, strict=True)
    )


def _size(box: Sequence[Axis]) -> int:
    return prod(count for _, _, count in box)


def _common(one: Axis, other: Axis) -> int | None:
    """The least index that two progressions share (the Chinese remainder theorem)."""
    (first, step, count), (second, other_step, other_count) = one, other
    common = gcd(step, other_step)
    if (second - first) % common:
        return None
    modulus = other_step // common
    turns = (second - first) // common * pow(step // common, -1, modulus) % modulus if modulus > 1 else 0
    index, period = first + step * turns, step * modulus
    low, high = max(first, second), min(first + step * (count - 1), second + other_step * (other_count - 1))
    index += -((index - low) // period) * period if index < low else 0
    return index if index <= high else None


def _before(axis: Axis, index: int) -> int:
    """How many indices of a progression are below an index."""
    first, step, count = axis
    return min(count, max(0, -((first - index) // step)))


def _first_short(boxes: Sequence[Sequence[Axis]], axis: int, sizes: Sequence[int]) -> int:
    """The first index of an axis at which the parts, restricted to those of `boxes`, do not have all elements."""
    rest = prod(sizes[axis + 1 :])
    across = [_size(box[axis + 1 :]) for box in boxes]

    def short(index: int) -> bool:
        """Whether an element is missing at this index or before."""
        covered = sum(size * _before(box[axis], index + 1) for box, size in zip(boxes, across, strict=True))
        return covered < (index + 1) * rest

    low, high = 0, sizes[axis] - 1
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if short(middle) else (middle + 1, high)
    return low
