"""How late each read is: pulses from an element's birth to the read, from one-dimensional tables of each axis.

A tiler of which each axis moves with dimensions of its own makes a repetition's lateness a sum over the axes, borders
and wraps included. So what the repetitions of a frame show is a sum of what the indices of one dimension show.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import product
from operator import or_
from typing import NamedTuple

import numpy as np

from arrayol.arrays import IntArray
from arrayol.execute.patterns import elements_of
from hwmodel.accesses import Accesses, Touch, follows_axes, points
from hwmodel.stream.kinds import by_kind
from hwmodel.stream.nodes import Node
from hwmodel.stream.pulses import along, born_after, counted_on, taken_after, unit_along
from hwmodel.stream.rotation import beyond_axis, birth_starts, goes_round
from hwmodel.streamed import Firing

_MANY = 256  # values of a set of latenesses; of larger ones only the ends are kept


class ReadSource(NamedTuple):
    """Reads that differ only in their repetition: who reads, and from which lane.

    `place` is that in the reader's pattern, `unit` the reader's unit; `lane` is the place in the writer's pattern,
    `lane_unit` the writer's unit; `beyond` is `Tap.beyond`.
    """

    place: int
    unit: int
    lane: int
    lane_unit: int
    beyond: int


@dataclass(frozen=True)
class Spread:
    """The latenesses of some reads: the least and the greatest, and all of them where they are few."""

    least: int
    most: int
    values: frozenset[int] | None

    def __add__(self, other: Spread) -> Spread:
        values = None
        if self.values is not None and other.values is not None:
            sums = frozenset(own + others for own in self.values for others in other.values)
            values = sums if len(sums) <= _MANY else None
        return Spread(self.least + other.least, self.most + other.most, values)

    def __or__(self, other: Spread) -> Spread:
        values = None
        if self.values is not None and other.values is not None:
            union = self.values | other.values
            values = union if len(union) <= _MANY else None
        return Spread(min(self.least, other.least), max(self.most, other.most), values)


Latenesses = dict[ReadSource, Spread]


@dataclass(frozen=True)
class AxisReads:
    """Reads along one axis: by read what the axis adds to its pulse, and to that of the element's birth."""

    pulses: IntArray
    births: IntArray

    @cached_property
    def late(self) -> Spread:
        """The latenesses."""
        return spread_of(self.pulses - self.births)


@dataclass(frozen=True)
class _Axis:
    """The writer along one axis: for each coordinate what it adds to birth, pattern place and unit; -1 for none."""

    birth: IntArray
    place: IntArray
    unit: IntArray


def is_product(touch: Touch) -> bool:
    """Whether a writer's tiler treats each axis with dimensions of its own, so that births are sums over axes."""
    if not follows_axes(touch):
        return False
    moving = [any(column) for column in zip(*touch.tiler.paving, strict=True)]
    outside = touch.exit or (0,) * len(moving)
    return all(step == 0 if moves else step >= 0 for moves, step in zip(moving, outside, strict=True))


def latenesses(
    accesses: Accesses, reader: tuple[Node, Touch, Firing], writer: tuple[Node, Touch, Firing]
) -> Latenesses:
    """By source the latenesses of all reads of one tiler from one writer's tiler (`is_product`).

    Starts are left out of both firings. With an interval of 1 a repetition reads all its elements when it fires.
    """
    found: Latenesses = {}
    for source, parts in reads_along_axes(accesses, reader, writer):
        spread = parts[0].late
        for part in parts[1:]:
            spread = spread + part.late
        found[source] = found[source] | spread if source in found else spread
    return {source: _within_patterns(source, spread, reader, writer) for source, spread in found.items()}


def reads_along_axes(
    accesses: Accesses, reader: tuple[Node, Touch, Firing], writer: tuple[Node, Touch, Firing]
) -> Iterator[tuple[ReadSource, tuple[AxisReads, ...]]]:
    """All reads of one tiler from one writer's tiler (`is_product`), by source as sums over axes.

    A source may come several times. Each read is one of each part; its pulse, and that of the birth, are the sums of
    what these add, without starts and `pulses_within_patterns`.
    """
    node, read, firing = reader
    axes, starts = _writer_axes(accesses, *writer), birth_starts(writer[1], writer[2])
    for ranges in _reading(accesses, node, read):
        factors = [*_held(node, firing, ranges, read)]
        factors += [
            _along_axis(accesses, axis, read, firing, ranges, (own, start))
            for axis, (own, start) in enumerate(zip(axes, starts or (0,), strict=True))
        ]
        for place in range(math.prod(read.pattern)):
            yield from _sums(place, [factor[place] for factor in factors])


def pulses_within_patterns(
    source: ReadSource, reader: tuple[Node, Touch, Firing], writer: tuple[Node, Touch, Firing]
) -> tuple[int, int]:
    """The pulses that an element comes after its firing: of the reader (`taken_after`), and of the writer."""
    (_, read, reads), (node, write, writes) = reader, writer
    return taken_after(reads, read, source.place), int(
        born_after(writes, np.array([source.lane]), node.port_size(write.port))[0]
    )


def _within_patterns(
    source: ReadSource, spread: Spread, reader: tuple[Node, Touch, Firing], writer: tuple[Node, Touch, Firing]
) -> Spread:
    took, made = pulses_within_patterns(source, reader, writer)
    return spread + Spread(took - made, took - made, frozenset({took - made}))


def _writer_axes(accesses: Accesses, node: Node, write: Touch, firing: Firing) -> list[_Axis]:
    """By axis the table of a writer, one for a scalar; where a dimension moves along no axis, its last index writes."""
    still = [at for at in range(len(node.extents)) if not any(row[at] for row in write.tiler.paving)]
    last = sum(int(along(firing, at, np.array([node.extents[at] - 1]))[0]) for at in still)
    unit = (
        (node.extents[firing.shared] - 1) % firing.units if firing.shared in still and firing.shared is not None else 0
    )
    shape = accesses.shape(write.array)
    if not shape:
        return [_Axis(np.array([last]), np.array([0]), np.array([unit]))]
    tables = [_writer_axis(node, write, firing, axis, extent) for axis, extent in enumerate(shape)]
    known = tables[0].birth >= 0
    tables[0].birth[known] += last
    tables[0].unit[known] += unit
    return tables


def _writer_axis(node: Node, write: Touch, firing: Firing, axis: int, extent: int) -> _Axis:
    """The table of one axis."""
    steps = _pattern_steps(write)
    dimensions = [at for at, step in enumerate(write.tiler.paving[axis]) if step]
    inside = [at for at, step in enumerate(write.tiler.fitting[axis]) if step]
    indices = points([node.extents[at] for at in dimensions] + [write.pattern[at] for at in inside])
    own, pattern = indices[:, : len(dimensions)], indices[:, len(dimensions) :]
    factors = [write.tiler.paving[axis][at] for at in dimensions] + [write.tiler.fitting[axis][at] for at in inside]
    coordinate = write.tiler.origin[axis] + indices @ np.array(factors, np.int64)
    coordinate = coordinate % extent if write.tiler.wrap else coordinate
    table = _Axis(*(np.full(extent, -1, np.int64) for _ in range(3)))
    table.birth[coordinate] = sum((along(firing, at, own[:, n]) for n, at in enumerate(dimensions)), np.int64(0))
    table.place[coordinate] = pattern @ np.array([steps[at] for at in inside], np.int64)
    shared = [number for number, at in enumerate(dimensions) if at == firing.shared]
    table.unit[coordinate] = unit_along(firing, dimensions[shared[0]], own[:, shared[0]]) if shared else 0
    return table


def _pattern_steps(touch: Touch) -> list[int]:
    """The number that an index of each dimension of a pattern adds to the row-major number of a place."""
    return [math.prod(touch.pattern[at + 1 :]) for at in range(len(touch.pattern))]


def _reading(accesses: Accesses, node: Node, read: Touch) -> Iterator[list[range]]:
    """Boxes of the repetitions that read: all, or of a tiled default those that have none before them."""
    whole = [range(extent) for extent in node.extents]
    if read.outside is None:
        yield whole
        return
    for at, step in enumerate(read.outside):
        if step:
            extent = node.extents[at]
            edge = range(min(step, extent)) if step > 0 else range(max(0, extent + step), extent)
            yield [*whole[:at], edge, *whole[at + 1 :]]


Factor = list[dict[tuple[int, int, int, int], AxisReads]]  # by place of the pattern: (unit, lane, lane's unit, beyond)


def _held(node: Node, firing: Firing, ranges: Sequence[range], read: Touch) -> Iterator[Factor]:
    """Dimensions along which the same elements are read again."""
    for at in range(len(node.extents)):
        if node.extents[at] > 1 and not any(row[at] for row in read.tiler.paving):
            indices = np.array(ranges[at], np.int64)
            pulses, units = along(firing, at, indices), unit_along(firing, at, indices)
            parts = {(int(unit), 0, 0, 0): pulses[units == unit] for unit in np.unique(units)}
            yield [{key: AxisReads(own, np.zeros_like(own)) for key, own in parts.items()}] * math.prod(read.pattern)


def _along_axis(
    accesses: Accesses, axis: int, read: Touch, firing: Firing, ranges: Sequence[range], written: tuple[_Axis, int]
) -> Factor:
    """The pulses that reads along one axis add, and the births that they read, for each place of the pattern."""
    writer, start = written
    if not read.tiler.origin:
        return [{(0, 0, 0, 0): AxisReads(np.zeros_like(writer.birth), writer.birth)}] * math.prod(read.pattern)
    extent = accesses.shape(read.array)[axis]
    moving = [at for at, step in enumerate(read.tiler.paving[axis]) if step]
    grid = points([len(ranges[at]) for at in moving]) + np.array([ranges[at].start for at in moving], np.int64)
    pulses = sum(
        (along(firing, at, grid[:, number]) for number, at in enumerate(moving)), np.zeros(len(grid), np.int64)
    )
    shared = [number for number, at in enumerate(moving) if at == firing.shared]
    units = unit_along(firing, moving[shared[0]], grid[:, shared[0]]) if shared else np.zeros(len(grid), np.int64)
    steps = np.array([read.tiler.paving[axis][at] for at in moving], np.int64)
    first = read.tiler.origin[axis] + grid @ steps
    later = None
    if goes_round(read, axis, firing, start):
        counted = [counted_on(firing, at, grid[:, number]) for number, at in enumerate(moving)]
        later = first + (np.stack(counted, axis=1) - grid if counted else grid) @ steps - start
    fitted = points(read.pattern) @ np.array(read.tiler.fitting[axis], np.int64) if read.pattern else [0]
    known: dict[int, dict[tuple[int, int, int, int], AxisReads]] = {}
    for offset in set(map(int, fitted)):
        coordinate = first + offset
        beyond = beyond_axis(read, axis, extent, (coordinate, None if later is None else later + offset))
        element = coordinate % extent if read.tiler.wrap else elements_of(read.tiler.border, coordinate, extent)
        there = np.ones(len(element), np.bool_) if read.tiler.border is None else (element >= 0) & (element < extent)
        there[there] = writer.birth[element[there]] >= 0
        known[offset] = _grouped(there, element, beyond, units, pulses, writer)
    return [known[int(offset)] for offset in fitted]


def _grouped(
    there: np.ndarray, element: IntArray, beyond: IntArray, units: IntArray, pulses: IntArray, writer: _Axis
) -> dict[tuple[int, int, int, int], AxisReads]:
    """The reads of one axis by (unit, lane, lane's unit, beyond)."""
    element, beyond, units, pulses = element[there], beyond[there], units[there], pulses[there]
    columns = units, writer.place[element], writer.unit[element], beyond
    return {
        (unit, lane, lane_unit, out): AxisReads(pulses[rows], writer.birth[element[rows]])
        for (unit, lane, lane_unit, out), rows in by_kind(*columns)
    }


def spread_of(values: IntArray) -> Spread:
    """The spread of these latenesses."""
    least, most = int(values.min()), int(values.max())
    if least == most:
        return Spread(least, most, frozenset((least,)))
    few = np.unique(values)
    return Spread(least, most, frozenset(few.tolist()) if len(few) <= _MANY else None)


def _sums(
    place: int, factors: Sequence[dict[tuple[int, int, int, int], AxisReads]]
) -> Iterator[tuple[ReadSource, tuple[AxisReads, ...]]]:
    """The reads of one place over all factors."""
    for parts in product(*(factor.items() for factor in factors)):
        unit, lane, lane_unit = (sum(key[at] for key, _ in parts) for at in range(3))
        beyond = reduce(or_, (key[3] for key, _ in parts))
        yield ReadSource(place, unit, lane, lane_unit, beyond), tuple(own for _, own in parts)
