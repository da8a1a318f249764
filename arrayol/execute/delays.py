"""Delayed ports: what an earlier repetition has put out, or a default where there is none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from arrayol.execute.batches import Batch, Box, Points
from arrayol.execute.environment import Values
from arrayol.execute.patterns import read_patterns
from arrayol.ir.spec import Tiler


@dataclass(frozen=True, slots=True)
class Store:
    """The patterns of a delayed output, axes pattern, repetition, trailing.

    Where wavefronts go along one repetition axis (`wave`), that axis is a ring with a slot for each wavefront that a
    delay can still reach, and the one being computed.
    """

    array: Values
    rank: int
    wave: int | None

    def at(self, box: Box) -> Values:
        """The patterns of a box as memory; with a ring, one of a single wavefront."""
        slices = list(box.slices())
        if self.wave is not None:
            slot = box.low[self.wave] % self.array.shape[self.rank + self.wave]
            slices[self.wave] = slice(slot, slot + 1)
        part: Values = self.array[(*(slice(None),) * self.rank, *slices)]
        return part

    def read(self, batch: Batch) -> Values:
        return self.array[self._listed(batch)] if isinstance(batch, Points) else self.at(batch)

    def write(self, batch: Points, patterns: Values) -> None:
        self.array[self._listed(batch)] = patterns

    def _listed(self, batch: Points) -> tuple[Any, ...]:
        return (*(slice(None),) * self.rank, *batch.coordinates)


def store_for(
    pattern: Sequence[int],
    repetition: Sequence[int],
    trailing: Sequence[int],
    dtype: np.dtype[Any],
    ring: tuple[int, int] | None,
) -> Store:
    """Memory for a delayed output. `ring`: the axis of the wavefronts, and the longest delay along it."""
    if ring is None:
        return Store(np.empty((*pattern, *repetition, *trailing), dtype), len(pattern), None)
    wave, reach = ring
    others = [length for axis, length in enumerate(repetition) if axis != wave]
    # The ring's axis is outermost, so that each wavefront is contiguous.
    array = np.empty((reach + 1, *pattern, *others, *trailing), dtype)
    return Store(np.moveaxis(array, 0, len(pattern) + wave), len(pattern), wave)


@dataclass(frozen=True, slots=True)
class DelayedInput:
    """A port that takes output r - `vector` from `store`; outside the space `constant`, or `array` at `tiler`.

    `dtype`, `pattern` and `trailing` are those of the port; a store of None stands for a delay that never acts.
    """

    port: str
    vector: tuple[int, ...]
    store: Store | None
    space: Box
    constant: Values | None
    tiled: tuple[Values, Tiler] | None
    dtype: np.dtype[Any]
    pattern: tuple[int, ...]
    trailing: tuple[int, ...]

    def read(self, batch: Batch) -> Values:
        """The port's patterns for a batch, axes pattern, batch, trailing."""
        return self._read_points(batch) if isinstance(batch, Points) else self._read_box(batch)

    def _read_box(self, box: Box) -> Values:
        inside = box.intersection(_shifted(self.space, self.vector)) if self.store else Box(box.low, box.low)
        if self.store is not None and inside == box:
            return self.store.at(_shifted(box, tuple(-step for step in self.vector)))
        patterns = np.empty((*self.pattern, *box.shape, *self.trailing), self.dtype)
        if self.store is not None and inside.size:
            earlier = self.store.at(_shifted(inside, tuple(-step for step in self.vector)))
            patterns[self._part(inside, box)] = earlier
        for outside in box.minus(inside):
            patterns[self._part(outside, box)] = self._default(outside)
        return patterns

    def _read_points(self, points: Points) -> Values:
        patterns = np.empty((*self.pattern, *points.shape, *self.trailing), self.dtype)
        earlier = Points(tuple(axis - step for axis, step in zip(points.coordinates, self.vector, strict=True)))
        inside = np.full(points.shape, self.store is not None)
        for axis, length in zip(earlier.coordinates, self.space.high, strict=True):
            inside &= (axis >= 0) & (axis < length)
        whole: tuple[Any, ...] = (slice(None),) * len(self.pattern)
        if self.store is not None and inside.any():
            patterns[(*whole, inside)] = self.store.read(earlier.where(inside))
        if not inside.all():
            patterns[(*whole, ~inside)] = self._default(points.where(~inside))
        return patterns

    def _default(self, batch: Batch) -> Values:
        if self.tiled is not None:
            array, tiler = self.tiled
            return read_patterns(array, tiler, self.pattern, batch)
        assert self.constant is not None
        return self.constant

    def _part(self, part: Box, box: Box) -> tuple[slice, ...]:
        """A box inside another as an index into patterns of the other."""
        return (*(slice(None),) * len(self.pattern), *_shifted(part, tuple(-low for low in box.low)).slices())


def _shifted(box: Box, vector: Sequence[int]) -> Box:
    return Box(
        tuple(low + step for low, step in zip(box.low, vector, strict=True)),
        tuple(high + step for high, step in zip(box.high, vector, strict=True)),
    )
