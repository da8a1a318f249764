"""Rotated loops: where windows wrap, nodes begin with a later index than 0, so that none waits for the last one.

A window that wraps reads what lies before the first row from behind the last one. So a task that began with row 0 would
wait for a whole frame. It begins with the first row whose window starts with what is made first, and goes round: then
only the rows that are read again at the end are kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

import numpy as np

from arrayol.arrays import IntArray
from hwmodel.accesses import Accesses, Touch
from hwmodel.stream.loops import Loops
from hwmodel.stream.nodes import Node
from hwmodel.stream.pulses import all_counted_on
from hwmodel.streamed import Firing

First = Mapping[
    str, tuple[int, ...]
]  # by node the first index of each dimension; nodes that all start with 0 are left out


def first_indices(accesses: Accesses, nodes: Mapping[str, Node], loops: Loops) -> First:
    """The first index of each dimension of the nodes, which are in dataflow order."""
    found = {name: [0] * len(node.extents) for name, node in nodes.items()}
    for members in loops.members:
        loop = {name: at for name, at in members if name in nodes}
        if len(loop) == sum(name in nodes for name, _ in members):
            for name, first in _along_loop(accesses, nodes, loop).items():
                found[name][loop[name]] = first
    return {name: tuple(first) for name, first in found.items() if any(first)}


def _along_loop(accesses: Accesses, nodes: Mapping[str, Node], loop: Mapping[str, int]) -> dict[str, int]:
    """By node its first index along a loop, of which `loop` has each node's dimension; none where 0 serves all."""
    first: dict[str, int] = {}
    starts: dict[tuple[str, int], int] = {}
    for name, node in nodes.items():
        if name in loop:
            at = loop[name]
            first[name] = max((_needed(touch, at, starts) for touch in node.reads), default=0)
            for touch in node.writes:
                for axis in _axes(touch, at):
                    start = touch.tiler.paving[axis][at] * first[name]
                    if starts.setdefault((touch.array, axis), start) != start:
                        return {}
    if not any(first.values()) or not all(_goes_round(accesses, nodes[name], loop[name]) for name in first):
        return {}
    return first if all(index < nodes[name].extents[loop[name]] for name, index in first.items()) else {}


def _axes(touch: Touch, dimension: int) -> list[int]:
    """The axes along which a dimension moves."""
    return [axis for axis, row in enumerate(touch.tiler.paving) if row[dimension]]


def _needed(touch: Touch, dimension: int, starts: Mapping[tuple[str, int], int]) -> int:
    """The first index whose pattern begins at or after the start of the axis that it moves along."""
    least = 0
    for axis in _axes(touch, dimension):
        start = starts.get((touch.array, axis), 0)
        if start or touch.tiler.wrap:
            steps = zip(touch.tiler.fitting[axis], touch.pattern, strict=True)
            lowest = touch.tiler.origin[axis] + sum(min(0, step * (side - 1)) for step, side in steps)
            least = max(least, -((lowest - start) // touch.tiler.paving[axis][dimension]))
    return least


def _goes_round(accesses: Accesses, node: Node, dimension: int) -> bool:
    """Whether a dimension may start anywhere: the index after the last one would access what the first one does."""
    if any(delay.vector[dimension] for delay in node.delays):
        return False
    for touch in (*node.reads, *node.writes):
        axes, is_written = _axes(touch, dimension), touch in node.writes
        if len(axes) > 1 or (is_written and not axes) or touch.outside is not None or touch.exit is not None:
            return False
        for axis in axes:
            step = touch.tiler.paving[axis][dimension]
            if step * node.extents[dimension] != accesses.shape(touch.array)[axis]:
                return False
            steps = [own * (side - 1) for own, side in zip(touch.tiler.fitting[axis], touch.pattern, strict=True)]
            low, high = (touch.tiler.origin[axis] + sum(limit(0, own) for own in steps) for limit in (min, max))
            if is_written and not 0 <= low <= high < step:
                return False
    return True


def birth_starts(write: Touch, firing: Firing) -> tuple[int, ...]:
    """By axis of the array that a tiler writes, where the order of birth starts."""
    first = firing.first or (0,) * len(firing.extents)
    return tuple(sum(step * own for step, own in zip(row, first, strict=True)) for row in write.tiler.paving)


def goes_round(read: Touch, axis: int, firing: Firing, start: int) -> bool:
    """Whether a read along an axis may be out of the order of birth, which starts at `start`."""
    turns = any(step and first for step, first in zip(read.tiler.paving[axis], firing.first, strict=False))
    return read.tiler.wrap or start > 0 or turns


def beyond_axis(read: Touch, axis: int, extent: int, coordinates: tuple[IntArray, IntArray | None]) -> IntArray:
    """The bits of `Tap.beyond` that reads along an axis set.

    `coordinates` are those before any wrap or border, and those from where the order of birth starts, as the reader
    counts on; in place of the latter None if no read can be out of order (`goes_round`).
    """
    coordinate, counted_on = coordinates
    found = np.zeros(coordinate.shape, np.int64)
    if counted_on is not None:
        found = np.where((counted_on < 0) | (counted_on >= extent), 2 << axis, 0)
    return found if read.tiler.wrap else np.where((coordinate < 0) | (coordinate >= extent), found | 1, found)


def beyond_of(accesses: Accesses, read: Touch, firing: Firing, reading: IntArray, starts: Sequence[int]) -> IntArray:
    """`Tap.beyond` of all places of patterns, (n, places), of n repetitions; births start at `starts` by axis."""
    found, later = np.zeros((len(reading), prod(read.pattern)), np.int64), all_counted_on(firing, reading)
    for axis, (extent, start) in enumerate(zip(accesses.shape(read.array), starts, strict=True)):
        again = goes_round(read, axis, firing, start)
        counted_on = accesses.coordinates(read, axis, later) - start if again else None
        found |= beyond_axis(read, axis, extent, (accesses.coordinates(read, axis, reading), counted_on))
    return found
