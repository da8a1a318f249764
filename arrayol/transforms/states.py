"""Delays of a task cut in blocks: inside a block they stay delays, between blocks their state crosses through ports.

With r = b R + rho the instance r - d lies in the same block, or at place rho - d - b D of block R + D. The outputs of a
whole block are its state; a delay of the outer repetition hands it to the blocks that read it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from arrayol.execute.batches import Box
from arrayol.ir.spec import Delay
from arrayol.polyhedral.block_states import find_unserved
from arrayol.transforms.block import Vector
from arrayol.transforms.blocks import Blocks, added, times


@dataclass(frozen=True, slots=True)
class Crossing:
    """The places g in `box` take what place g + shift of block R - vector has put out; None: always the default."""

    box: Box
    vector: Vector | None
    shift: Vector


@dataclass(frozen=True, slots=True)
class Unserved:
    """A repetition whose earlier one no block hands on: place `place` of block `block`."""

    delay: Delay
    block: Vector
    place: Vector
    repetition: Vector


def crossings_of(delay: Delay, blocks: Blocks) -> list[Crossing] | Unserved:
    """Where the places of a block that reach out of it find their earlier instance, every place once.

    Several blocks can hold one instance where they overlap: the nearest serves.
    """
    inside = Box((0,) * len(blocks.extents), blocks.extents)
    own = _reaching(blocks, delay.vector, (0,) * len(blocks.extents))
    left = list(inside.minus(own)) if own.size else [inside]
    found: list[Crossing] = []
    for vector in _candidates(delay.vector, blocks) if delay.acts else ():
        shift = times(blocks.paving, vector)
        served = _reaching(blocks, delay.vector, shift)
        parts = [part for part in (box.intersection(served) for box in left) if part.size]
        left = [rest for box in left for rest in box.minus(box.intersection(served))]
        found += [Crossing(part, vector, added(shift, [-step for step in delay.vector])) for part in parts]
    found += [Crossing(box, None, tuple(-step for step in delay.vector)) for box in left]
    for crossing in found if delay.acts else ():
        point = find_unserved(
            blocks.origin,
            blocks.paving,
            (blocks.space, blocks.outer),
            (crossing.box.low, crossing.box.high),
            delay.vector,
            crossing.vector,
        )
        if point:
            return Unserved(delay, *point, added(blocks.origin, times(blocks.paving, point[0]), point[1]))
    return found


def _reaching(blocks: Blocks, delay: Sequence[int], shift: Sequence[int]) -> Box:
    """Places g of a block for which g - delay + shift is a place of a block too."""
    low = tuple(max(0, step - move) for step, move in zip(delay, shift, strict=True))
    high = tuple(
        min(extent, extent + step - move) for extent, step, move in zip(blocks.extents, delay, shift, strict=True)
    )
    return Box(low, tuple(map(max, low, high)))


def _candidates(delay: Sequence[int], blocks: Blocks) -> Iterator[Vector]:
    """Steps between blocks that can bring the earlier instance, nearest first."""
    ranges = []
    for column, extent in enumerate(blocks.outer):
        reach = [
            (abs(delay[axis]) + blocks.extents[axis]) // abs(row[column])
            for axis, row in enumerate(blocks.paving)
            if row[column]
        ]
        far = min(reach, default=0)
        far = far if extent is None else min(far, extent - 1)
        ranges.append(range(-far, far + 1))
    steps = (vector for vector in product(*ranges) if any(vector))
    yield from sorted(steps, key=lambda vector: (sum(map(abs, vector)), vector))
