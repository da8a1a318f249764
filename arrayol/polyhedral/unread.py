"""How many elements of an array do tilers leave unread? Counted exactly, without isl.

Axes that no index moves together are independent: what one tiler reads is a product of sets along them, and the union
of several such products is counted by inclusion and exclusion. A set is a progression or a Python integer in which bit
p stands for the element p. What one index adds to such an integer is a shift, doubled until all its values are there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import gcd, prod

from arrayol.ir.borders import Border
from arrayol.polyhedral.accesses import Access, dot
from arrayol.polyhedral.isl import Point

Elements = range | int  # a progression, or bits

_MOST_BITS = 1 << 24  # of one set: 2 MB
_MOST_POINTS = 1 << 16  # of a set that is listed element by element
_MOST_READERS = 8  # of which all combinations are counted


@dataclass(frozen=True, slots=True)
class Unread:
    """How many of an array's elements are left out, of one frame of it; the first, where that is plain.

    It is a crop if along each axis a run of elements is read, which begins after the first where it is not the whole.
    """

    missing: int
    total: int
    first: Point | None
    is_crop: bool


@dataclass(frozen=True, slots=True)
class _Reader:
    """An access by its axes, all of them finite: the element at an origin, moved by steps of indices."""

    origin: Point
    steps: tuple[tuple[Point, int], ...]  # how far each index moves along the axes, and how many values it has
    array: Point
    wrap: bool
    border: Border | None


class _TooLargeError(Exception):
    """A set would take more memory or time than a remark is worth."""


def find_unread(accesses: Sequence[tuple[Access, Sequence[int]]]) -> Unread | None:
    """What accesses leave of their array; None where all is read, or where it would take too much to count it.

    An access comes with the first value of each of its repetition indices. Of an infinite axis one frame is looked at;
    None where the frames are not read alike, as with every second one.
    """
    readers = [_reader(access, first) for access, first in accesses]
    known = [reader for reader in readers if reader is not None]
    if len(known) < len(readers) or not 0 < len(known) <= _MOST_READERS:
        return None
    groups = _groups(known)
    sizes = [prod(known[0].array[axis] for axis in group) for group in groups]
    try:
        sets = [[_elements(reader, group) for group in groups] for reader in known]
        missing = prod(sizes) - _union(sets, sizes)
    except _TooLargeError:
        return None
    plain = len(sets) == 1 and None not in accesses[0][0].array
    first = _first_missing(known[0].array, groups, sets[0]) if missing and plain else None
    is_crop = all(map(_is_crop, known, sets, [sizes] * len(sets)))
    return Unread(missing, prod(sizes), first, is_crop) if missing else None


def _is_crop(reader: _Reader, sets: Sequence[Elements], sizes: Sequence[int]) -> bool:
    runs = [one for one, size in zip(sets, sizes, strict=True) if _count(one) < size]
    return not reader.wrap and all(isinstance(one, range) and one.step == 1 and one.start > 0 for one in runs)


def _reader(access: Access, first: Sequence[int]) -> _Reader | None:
    """The access within one frame; None where frames are not read alike."""
    tiler = access.tiler
    starts = (*first, *(0 for _ in access.pattern))
    extents = (*access.repetition, *access.pattern)
    rows = [(*paving, *fitting) for paving, fitting in zip(tiler.paving, tiler.fitting, strict=True)]
    finite = [axis for axis, extent in enumerate(access.array) if extent is not None]
    for axis in set(range(len(rows))) - set(finite):
        moving = [place for place, factor in enumerate(rows[axis]) if factor]
        every = [place for place in moving if extents[place] is None and rows[axis][place] == 1]
        if not every or any(rows[other][place] for other in finite for place in moving):
            return None
    if any(rows[axis][place] for axis in finite for place, extent in enumerate(extents) if extent is None):
        return None
    origin = tuple(
        tiler.origin[axis] + sum(factor * start for factor, start in zip(rows[axis], starts, strict=True))
        for axis in finite
    )
    steps = tuple(
        (tuple(rows[axis][place] for axis in finite), extent)
        for place, extent in enumerate(extents)
        if extent is not None and extent > 1
    )
    array = tuple(extent for extent in access.array if extent is not None)
    return _Reader(origin, steps, array, tiler.wrap, tiler.border)


def _groups(readers: Sequence[_Reader]) -> list[tuple[int, ...]]:
    """The axes, together where an index of some reader moves along several."""
    groups = [{axis} for axis in range(len(readers[0].array))]
    for reader in readers:
        for step, _ in reader.steps:
            touched = {axis for axis, length in enumerate(step) if length}
            meeting = [group for group in groups if group & touched]
            if len(meeting) > 1:
                groups = [group for group in groups if group not in meeting] + [set().union(*meeting)]
    return [tuple(sorted(group)) for group in sorted(groups, key=min)]


def _elements(reader: _Reader, axes: tuple[int, ...]) -> Elements:
    """What a reader touches along axes that it moves together; elements are numbered row by row."""
    steps = [(tuple(step[axis] for axis in axes), extent) for step, extent in reader.steps]
    steps = [(step, extent) for step, extent in steps if any(step)]
    origin, array = [reader.origin[axis] for axis in axes], [reader.array[axis] for axis in axes]
    if len(axes) == 1:
        return _along(reader, origin[0], [(step[0], extent) for step, extent in steps], array[0])
    strides = [prod(array[place + 1 :]) for place in range(len(array))]
    ends = [
        (start + sum(min(0, end) for end in ways), start + sum(max(0, end) for end in ways))
        for place, start in enumerate(origin)
        for ways in [[step[place] * (extent - 1) for step, extent in steps]]
    ]
    if all(low >= 0 and high < extent for (low, high), extent in zip(ends, array, strict=True)):
        flat = [(dot(step, strides), extent) for step, extent in steps]
        return _shifted(dot(origin, strides), flat, prod(array))
    bits = 0
    for point in _points(reader, origin, steps, array):
        if all(0 <= value < extent for value, extent in zip(point, array, strict=True)):
            bits |= 1 << dot(point, strides)
    return bits


def _along(reader: _Reader, origin: int, steps: list[tuple[int, int]], extent: int) -> Elements:
    """What is touched along one axis."""
    low = origin + sum(step * (count - 1) for step, count in steps if step < 0)
    forwards = [(abs(step), count) for step, count in steps]
    found = _progression(low, forwards)
    if found is not None:
        plain = _on_ring(found, extent) if reader.wrap else _within(found, extent, reader.border)
        if plain is not None:
            return plain
    if reader.wrap:
        least = [(step % extent, min(count, extent // gcd(step, extent))) for step, count in forwards]
        return _turned(low % extent, [(step, count) for step, count in least if step], extent)
    if reader.border is None:
        return _shifted(low, forwards, extent)
    bits = 0
    for (value,) in _points(reader, [low], [((step,), count) for step, count in forwards], [extent]):
        bits |= 1 << value if 0 <= value < extent else 0
    return bits


def _on_ring(found: range, extent: int) -> range | None:
    """A progression on a ring; None where it does not make one."""
    unit = gcd(found.step, extent)
    if len(found) >= extent // unit:
        return range(found.start % unit, extent, unit)
    start = found.start % extent
    return range(start, start + len(found) * found.step, found.step) if start + found[-1] - found[0] < extent else None


def _within(found: range, extent: int, border: Border | None) -> range | None:
    """A progression with a border; None where what stands for elements outside does not make one with those inside."""
    start = found.start if found.start >= 0 else found.start % found.step
    inside = range(start, min(found.stop, extent), found.step)
    if len(inside) in {len(found), extent} or border is None or border.pieces is None:
        return inside
    if found.step > 1 or not inside:
        return None
    low = inside[0] if found[-1] < extent else min(inside[0], border.element(found[-1], extent))
    high = inside[-1] if found[0] >= 0 else max(inside[-1], border.element(found[0], extent))
    return range(low, high + 1)


def _progression(low: int, steps: list[tuple[int, int]]) -> range | None:
    """All sums of one multiple of each step, where they make a progression: no step leaves a gap."""
    if not steps:
        return range(low, low + 1)
    steps = sorted(steps)
    unit, reach = steps[0][0], 0
    for step, count in steps:
        if step % unit or step > reach + unit:
            return None
        reach += step * (count - 1)
    return range(low, low + reach + 1, unit)


def _shifted(start: int, steps: list[tuple[int, int]], size: int) -> int:
    """The bits at `start`, moved by all values of all steps; none of them leaves the size."""
    _check_bits(size)
    bits = 1 << start
    for step, count in steps:
        for moved in _doubled(step, count):
            bits |= bits << moved if moved >= 0 else bits >> -moved
    return bits


def _turned(start: int, steps: list[tuple[int, int]], size: int) -> int:
    """The bits at `start`, moved by all values of all steps modulo the size, as on a ring."""
    _check_bits(size)
    bits, mask = 1 << start, (1 << size) - 1
    for step, count in steps:
        for moved in _doubled(step, count):
            turn = moved % size
            bits |= (bits << turn | bits >> (size - turn)) & mask
    return bits


def _doubled(step: int, count: int) -> Iterator[int]:
    """Moves that one after the other, each with what was there kept, give all values of an index."""
    reached = 1
    while reached < count:
        more = min(reached, count - reached)
        yield step * more
        reached += more


def _points(
    reader: _Reader, origin: Sequence[int], steps: Sequence[tuple[Point, int]], array: Sequence[int]
) -> set[Point]:
    """The elements that are touched, listed one by one; beyond a border of a constant they are none."""
    points = {tuple(origin)}
    for step, count in steps:
        for moved in _doubled(1, count):
            points |= {tuple(value + moved * way for value, way in zip(point, step, strict=True)) for point in points}
            if len(points) > _MOST_POINTS:
                raise _TooLargeError
    return {tuple(_element(reader, *pair) for pair in zip(point, array, strict=True)) for point in points}


def _element(reader: _Reader, value: int, extent: int) -> int:
    if reader.wrap:
        return value % extent
    return value if reader.border is None else reader.border.element(value, extent)


def _union(sets: Sequence[Sequence[Elements]], sizes: Sequence[int]) -> int:
    """How many elements any of several products of sets has."""
    total = 0
    for taken in range(1, len(sets) + 1):
        for chosen in combinations(sets, taken):
            common = [_common(along, size) for along, size in zip(zip(*chosen, strict=True), sizes, strict=True)]
            total += (-1) ** (taken + 1) * prod(map(_count, common))
    return total


def _common(sets: Sequence[Elements], size: int) -> Elements:
    """The elements that all of the sets have."""
    parts = [one for one in sets if _count(one) < size]
    if not parts:
        return range(size)
    if all(one == parts[0] for one in parts):
        return parts[0]
    bits = _bits(parts[0], size)
    for one in parts[1:]:
        bits &= _bits(one, size)
    return bits


def _bits(elements: Elements, size: int) -> int:
    if isinstance(elements, int):
        return elements
    return _shifted(elements.start, [(elements.step, len(elements))], size) if elements else 0


def _count(elements: Elements) -> int:
    return elements.bit_count() if isinstance(elements, int) else len(elements)


def _check_bits(size: int) -> None:
    if size > _MOST_BITS:
        raise _TooLargeError


def _first_missing(array: Point, groups: Sequence[tuple[int, ...]], sets: Sequence[Elements]) -> Point:
    """The first element, row by row, that a product of sets leaves out: along one group, and 0 along the others."""
    found = []
    for axes, elements in zip(groups, sets, strict=True):
        if _count(elements) < prod(array[axis] for axis in axes):
            number, element = _least_missing(elements), [0] * len(array)
            for axis in reversed(axes):
                number, element[axis] = divmod(number, array[axis])
            found.append(tuple(element))
    return min(found)


def _least_missing(elements: Elements) -> int:
    if isinstance(elements, int):
        return (~elements & (elements + 1)).bit_length() - 1
    if not elements or elements.start:
        return 0
    return elements.stop if elements.step == 1 else 1
