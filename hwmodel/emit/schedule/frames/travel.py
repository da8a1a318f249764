"""Dimensions and axes that advance together: where a frame can be made shorter without another change.

If the paving of a tiler moves a dimension of a task along an axis of an array, the two advance together, directly or
through others. A *way* is a set of such dimensions and axes, each with its pace: how many indices it advances while the
finest common step of the way is made once.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from arrayol.ir.network import Network
from hwmodel.accesses import Accesses, Touch


class Direction(NamedTuple):
    """A dimension of a task (`is_axis` False), or an axis of an array."""

    name: str
    number: int
    is_axis: bool


@dataclass(frozen=True)
class CommonWay:
    """Dimensions and axes that advance together, with their paces.

    `reach` is the most that data are needed before and behind the place where they are made or loaded, in steps of the
    way: by patterns, borders and delays of tasks in succession. `wraps`: a tiler wraps around it;
    `turns_back`: a tiler goes backwards.
    """

    paces: Mapping[Direction, int]
    reach: int
    wraps: bool
    turns_back: bool


class _Link(NamedTuple):
    """A dimension and an axis that a tiler moves along; `paving` may be negative."""

    dimension: Direction
    axis: Direction
    paving: int


def ways_of(accesses: Accesses) -> list[CommonWay]:
    """The ways of a network along which frames can be made shorter.

    All tasks that touch an array of a way move along its axis, each with one dimension and at one pace.
    """
    touches = list(_touches(accesses, accesses.network.processes))
    links, fixed = _linked(accesses, touches), set(_fixed(accesses, touches))
    ways, seen = list[CommonWay](), set[Direction]()
    for link in links:
        if link.dimension in seen:
            continue
        speeds = _speeds(link.dimension, links)
        seen |= speeds.keys() if speeds is not None else {link.dimension}
        if speeds is None or fixed & speeds.keys():
            continue
        least = min(map(abs, speeds.values()))
        scale = math.lcm(*(abs(speed / least).denominator for speed in speeds.values()))
        paces = {along: int(abs(speed / least) * scale) for along, speed in speeds.items()}
        arrays = {along.name for along in paces if along.is_axis}
        wraps = any(touch.tiler.wrap and touch.array in arrays for touch in touches)
        ways.append(
            CommonWay(paces, _reach(accesses, touches, paces), wraps, any(speed < 0 for speed in speeds.values()))
        )
    return ways


def speeds_in_group(
    accesses: Accesses, tasks: Collection[str], dimension: Direction
) -> Mapping[Direction, Fraction] | None:
    """How far each axis and dimension of a group moves, with its sign, while a dimension of a task of it advances by 1.

    None if tilers do not agree.
    """
    return _speeds(dimension, _linked(accesses, list(_touches(accesses, tasks))))


def _touches(accesses: Accesses, tasks: Iterable[str]) -> Iterator[Touch]:
    for task in tasks:
        yield from (*accesses.reads[task], *accesses.writes[task])


def _linked(accesses: Accesses, touches: Iterable[Touch]) -> list[_Link]:
    """The links of all tilers."""
    return [
        _Link(Direction(touch.process, dimension, False), Direction(touch.array, axis, True), paving)
        for touch in touches
        for axis, row in enumerate(touch.tiler.paving)
        for dimension, paving in enumerate(row)
        if paving and accesses.extents(touch.process)[dimension] > 1
    ]


def _fixed(accesses: Accesses, touches: Iterable[Touch]) -> Iterator[Direction]:
    """The dimensions and axes that no shorter frame can have."""
    for touch in touches:
        shape, tiler = accesses.shape(touch.array), touch.tiler
        dimensions = [dimension for row in tiler.paving for dimension, paving in enumerate(row) if paving]
        for axis, row in enumerate(tiler.paving):
            moving = [dimension for dimension, paving in enumerate(row) if paving]
            along = Direction(touch.array, axis, True)
            is_plain = len(moving) == 1 and not accesses.is_resident(touch.array)
            if shape[axis] > 1 and (not is_plain or _goes_round(accesses, touch, axis)):
                yield along
            yield from (Direction(touch.process, each, False) for each in moving if dimensions.count(each) > 1)


def _goes_round(accesses: Accesses, touch: Touch, axis: int) -> bool:
    """Whether a tiler that wraps begins or ends further outside than its pattern is long."""
    if not touch.tiler.wrap:
        return False
    low, high = _range(touch, axis, accesses.extents(touch.process))
    span = 1 + span_of(touch, axis)
    return low < -span or high >= accesses.shape(touch.array)[axis] + span


def _range(touch: Touch, axis: int, extents: Iterable[int]) -> tuple[int, int]:
    """The least and the greatest index that is touched, before any wrap."""
    tiler = touch.tiler
    factors = (*zip(tiler.paving[axis], extents, strict=True), *zip(tiler.fitting[axis], touch.pattern, strict=True))
    moves = [factor * (extent - 1) for factor, extent in factors]
    low, high = (sum(limit(0, move) for move in moves) for limit in (min, max))
    return tiler.origin[axis] + low, tiler.origin[axis] + high


def span_of(touch: Touch, axis: int) -> int:
    """From the first to the last index of a pattern along an axis."""
    return sum(
        abs(factor) * (extent - 1) for factor, extent in zip(touch.tiler.fitting[axis], touch.pattern, strict=True)
    )


def _speeds(start: Direction, links: Iterable[_Link]) -> dict[Direction, Fraction] | None:
    """The speed of all that is linked to a dimension, which has the speed 1; None if two ways to it differ."""
    neighbours: dict[Direction, list[tuple[Direction, Fraction]]] = {}
    for link in links:
        neighbours.setdefault(link.dimension, []).append((link.axis, Fraction(link.paving)))
        neighbours.setdefault(link.axis, []).append((link.dimension, 1 / Fraction(link.paving)))
    speeds, waiting = {start: Fraction(1)}, [start]
    while waiting:
        along = waiting.pop()
        for other, factor in neighbours.get(along, ()):
            speed = speeds[along] * factor
            if other not in speeds:
                speeds[other] = speed
                waiting.append(other)
            elif speeds[other] != speed:
                return None
    return speeds


def _reach(accesses: Accesses, touches: Iterable[Touch], paces: Mapping[Direction, int]) -> int:
    """The sum of patterns and delays along a way, of the tasks in succession that have the most."""
    own: dict[str, int] = {}
    for touch in touches:
        for axis in range(len(touch.tiler.paving)):
            pace = paces.get(Direction(touch.array, axis, True))
            if pace is not None:
                own[touch.process] = max(own.get(touch.process, 0), -(-span_of(touch, axis) // pace))
    for task in accesses.network.processes:
        for delay in accesses.delays(task):
            for dimension, step in enumerate(delay.vector):
                pace = paces.get(Direction(task, dimension, False))
                if pace is not None:
                    own[task] = max(own.get(task, 0), -(-abs(step) // pace))
    return longest(accesses.network, own)


def longest(network: Network, lengths: Mapping[str, int]) -> int:
    """The greatest sum of lengths of tasks that read each other's results, one after another; others have none."""
    sums: dict[str, int] = {}
    for name, process in network.processes.items():
        before = (sums[task] for array in process.reads for task in network.arrays[array].producers if task in sums)
        sums[name] = lengths.get(name, 0) + max(before, default=0)
    return max(sums.values(), default=0)
