"""Is every element of an array written exactly once, by tilers or by parts? Decided exactly, with a point if not.

Two instances x and x' of one tiler meet where A (x - x') = 0, modulo the extents of the axes that wrap. With the
quotients of the modulo as unknowns of their own that is one system of linear equations over a box: isl decides it
in milliseconds where its relations with `mod` take minutes.

Parts are products of arithmetic progressions, so two meet where they meet along each axis, and disjoint ones leave a
hole where their sizes do not add up to that of the array. Up to an index of an axis they cover a number of elements
that has a closed form, so the first hole is found by bisection, axis after axis.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, islice, product
from math import gcd, inf, prod

import islpy as isl

from arrayol.ir.spec import Part, Shape
from arrayol.polyhedral.accesses import Access, Instance, coefficients, combination, relation
from arrayol.polyhedral.isl import Point, bounded_effort, box, box_conditions, coordinates

SEARCHED = 4096  # elements looked at one by one for the place of a hole


@dataclass(frozen=True, slots=True)
class Clash:
    """An element touched by two instances."""

    element: Point
    first: Instance
    second: Instance


@dataclass(frozen=True, slots=True)
class Hole:
    """That elements are left out: one of them where it was found, and how many where they can be counted."""

    element: Point | None
    missing: int | None


def find_clash(accesses: Sequence[Access]) -> Clash | None:
    """Two instances of any of the accesses that touch one element, or None: single write is injectivity."""
    for number, access in enumerate(accesses):
        step = _meeting_step(access)
        if step is not None:
            first = tuple(max(0, value) for value in step)
            second = tuple(max(0, -value) for value in step)
            return _clash((number, access, first), (number, access, second))
    for (number, access), (other, second_access) in combinations(enumerate(accesses), 2):
        pair = _meeting_pair(access, second_access)
        if pair is not None:
            return _clash((number, access, pair[0]), (other, second_access, pair[1]))
    return None


def find_hole(accesses: Sequence[Access]) -> Hole | None:
    """What the accesses leave out of their array, or None. They must not clash, nor leave the array.

    On a finite array the counts decide; the place of a hole is then looked for among likely elements, exactly for
    arrays of up to `SEARCHED` elements. Raises TooHardError where wild tilers of an infinite array are beyond isl.
    """
    array = accesses[0].array
    counts = [_size((*access.repetition, *access.pattern)) for access in accesses]
    total = _size(array)
    if total is None or None in counts:
        return _hole_of_infinite(accesses)
    missing = total - sum(count for count in counts if count is not None)
    if not missing:
        return None
    candidates = _candidates(accesses, tuple(extent for extent in array if extent is not None), total)
    untouched = (point for point in candidates if not any(_touches(access, point) for access in accesses))
    return Hole(next(untouched, None), missing)


def _hole_of_infinite(accesses: Sequence[Access]) -> Hole | None:
    """Raises TooHardError where the tilers are beyond isl's bounded effort."""
    left = box(accesses[0].array)
    for written in [relation(access) for access in accesses]:
        with bounded_effort():
            left = left.subtract(written.range())
    with bounded_effort():
        return None if left.is_empty() else Hole(coordinates(left.sample_point()), None)


def _candidates(accesses: Sequence[Access], array: tuple[int, ...], total: int) -> Iterator[Point]:
    """Elements that instances just outside the space would touch, the first elements, then a fixed random choice."""
    for access in accesses:
        extents = [extent or 0 for extent in (*access.repetition, *access.pattern)]
        rank = len(access.repetition)
        for axis, extent in enumerate(extents):
            for value in (extent, -1):
                instance = [value if axis == other else 0 for other in range(len(extents))]
                element = access.element(instance[:rank], instance[rank:])
                if all(0 <= place < size for place, size in zip(element, array, strict=True)):
                    yield element
    rows = product(*map(range, array))
    if total <= SEARCHED:
        yield from rows
        return
    choice = random.Random(0)
    spread = (tuple(choice.randrange(extent) for extent in array) for _ in range(SEARCHED // 8))
    yield from chain(islice(rows, SEARCHED // 8), spread)


def _meeting_step(access: Access) -> Point | None:
    """A difference x - x', lexicographically positive, of two instances that touch one element."""
    if _counts_up(access):
        return None
    extents = (*access.repetition, *access.pattern)
    names = [f"d{place}" for place in range(len(extents))]
    bounds = [
        "true" if extent is None else f"-{extent} < {name} < {extent}"
        for name, extent in zip(names, extents, strict=True)
    ]
    equations = [
        f"{combination(coefficients(access, axis), names)} = {_modulo(access, axis)}" for axis in _axes(access)
    ]
    for leading, name in enumerate(names):
        positive = [f"{earlier} = 0" for earlier in names[:leading]] + [f"{name} >= 1"]
        solution = _solve([*names, *_quotients(access)], [*bounds, *equations, *positive])
        if solution is not None:
            return solution[: len(names)]
    return None


def _counts_up(access: Access) -> bool:
    """Whether it is plain that no two instances meet: along each axis, indices are digits, and each is one somewhere.

    A digit's step is longer than all that smaller ones make together; where the axis wraps they do not reach its end.
    """
    extents, told = (*access.repetition, *access.pattern), set[int]()
    for axis in _axes(access):
        steps = {place: abs(step) for place, step in enumerate(coefficients(access, axis)) if step}
        reach: float = 0  # whole, or without end
        for place in sorted(steps, key=lambda place: steps[place]):
            if steps[place] <= reach:
                return False
            extent = extents[place]
            reach += inf if extent is None else steps[place] * (extent - 1)
        end = access.array[axis]
        if access.tiler.wrap and end is not None and reach >= end:
            return False
        told |= steps.keys()
    return all(extent == 1 or place in told for place, extent in enumerate(extents))


def _meeting_pair(first: Access, second: Access) -> tuple[Point, Point] | None:
    """Instances of two accesses to one array that touch one element."""
    lengths = [len(access.repetition) + len(access.pattern) for access in (first, second)]
    names = [[f"{letter}{place}" for place in range(length)] for letter, length in zip("xy", lengths, strict=True)]
    bounds = [
        bound
        for access, own in zip((first, second), names, strict=True)
        for bound in box_conditions(own, (*access.repetition, *access.pattern))
    ]
    either = first if first.tiler.wrap else second  # where both wrap, they do so by the same extents
    equations = [
        f"{first.tiler.origin[axis]} + {combination(coefficients(first, axis), names[0])} = "
        f"{second.tiler.origin[axis]} + {combination(coefficients(second, axis), names[1])} + {_modulo(either, axis)}"
        for axis in _axes(first)
    ]
    solution = _solve([*names[0], *names[1], *_quotients(either)], [*bounds, *equations])
    return None if solution is None else (solution[: lengths[0]], solution[lengths[0] : sum(lengths)])


def _touches(access: Access, element: Sequence[int]) -> bool:
    names = [f"x{place}" for place in range(len(access.repetition) + len(access.pattern))]
    bounds = box_conditions(names, (*access.repetition, *access.pattern))
    equations = [
        f"{access.tiler.origin[axis]} + {combination(coefficients(access, axis), names)} = "
        f"{element[axis]} + {_modulo(access, axis)}"
        for axis in _axes(access)
    ]
    return _solve([*names, *_quotients(access)], [*bounds, *equations]) is not None


def _solve(names: Sequence[str], conditions: Sequence[str]) -> Point | None:
    """An integer point of a conjunction of linear conditions, or None: exact."""
    point = isl.BasicSet(f"{{ [{', '.join(names)}] : {' and '.join(conditions) or 'true'} }}").sample_point()
    return None if point.is_void() else coordinates(point)


def _axes(access: Access) -> range:
    return range(len(access.array))


def _quotients(access: Access) -> list[str]:
    return [f"q{axis}" for axis in _axes(access)]


def _modulo(access: Access, axis: int) -> str:
    """What may be added along an axis: multiples of its extent where it wraps."""
    extent = access.array[axis]
    return f"{extent} * q{axis}" if access.tiler.wrap and extent is not None else "0"


def _clash(first: tuple[int, Access, Point], second: tuple[int, Access, Point]) -> Clash:
    instances = _instance(*first), _instance(*second)
    return Clash(first[1].element(instances[0].repetition, instances[0].pattern), *instances)


def _instance(number: int, access: Access, values: Point) -> Instance:
    rank = len(access.repetition)
    return Instance(number, values[:rank], values[rank:])


def _size(shape: Shape) -> int | None:
    """How many points a box has, None without end."""
    extents = [extent for extent in shape if extent is not None]
    return prod(extents) if len(extents) == len(shape) else None


Element = tuple[int, ...]
Axis = tuple[int, int, int]  # the first index, the step, how many


def find_meeting(parts: Sequence[Part]) -> tuple[int, int, Element] | None:
    """Two parts, by their places, and an element that both have; None where there are none."""
    boxes = [_progressions(part) for part in parts]
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
    boxes = [_progressions(part) for part in parts]
    sizes = [1 if extent is None else extent for extent in shape]
    missing = prod(sizes) - sum(map(_count, boxes))
    if not missing:
        return None
    element: list[int] = []
    for axis in range(len(sizes)):
        element.append(_first_short(boxes, axis, sizes))
        boxes = [box for box in boxes if _before(box[axis], element[-1] + 1) > _before(box[axis], element[-1])]
    return tuple(element), missing


def _progressions(part: Part) -> tuple[Axis, ...]:
    """The axes of a part; of an axis without end, of which all parts have all, the first frame."""
    return tuple(
        (origin, step, 1 if extent is None else extent)
        for origin, step, extent in zip(part.origin, part.step, part.extents, strict=True)
    )


def _count(box: Sequence[Axis]) -> int:
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
    across = [_count(box[axis + 1 :]) for box in boxes]

    def short(index: int) -> bool:
        """Whether an element is missing at this index or before."""
        covered = sum(size * _before(box[axis], index + 1) for box, size in zip(boxes, across, strict=True))
        return covered < (index + 1) * rest

    low, high = 0, sizes[axis] - 1
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if short(middle) else (middle + 1, high)
    return low
