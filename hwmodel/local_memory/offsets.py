"""What a port touches in a cycle: chunks of its pattern, joined over the units (docs/machine.md, section 13).

A repetition occupies its unit for o cycles and touches its pattern in as many chunks: those of what it reads are equal
but for the last, and results come evenly over these cycles. The units of a processor start together, each a step
further along the line, so in each cycle they touch one set of places; those of other cycles and rounds are translates
of a few such sets. Whether places of a set share a bank hangs on their differences alone: all that follows is decided
once per tiler, units and interval, not per design.

Borders and wrapped axes bend a pattern at the ends of its axis. There the differences are others: each bent shape is a
set of its own.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrayol.execute.patterns import elements_of
from arrayol.ir.borders import Border
from hwmodel.datapath.port_cycles import read_cycles, result_cycles

_MOST_NUMBERS = 1 << 62  # of places in a box

Place = tuple[int, ...]
Places = NDArray[np.int64]  # (number, rank)


@dataclass(frozen=True, slots=True)
class Edge:
    """An axis that bends: of `extent` indices, which a `border` maps into or which wraps (without one).

    `bases` are the least and the greatest index at which a pattern is put there, and the steps between.
    """

    extent: int
    bases: tuple[int, int, int]
    border: Border | None = None


@dataclass(frozen=True, slots=True)
class Access:
    """What the units of a processor, or the port of the external memory, touch of one array.

    `places` are those of a pattern, row-major, from any origin; `step` leads from a unit's to the next one's; a
    repetition takes `cycles` (o), and the places are its `results` or what it reads. `random` is how many places a
    repetition touches at subscripts of its data: 0 where they follow from its index. `ordered` says that repetitions
    start in scan order, so that what one has read may stay for the next. `edges` has by axis how it bends. `moves` lead
    from a repetition of a unit to its next ones, along each dimension.
    """

    places: tuple[Place, ...]
    step: Place
    units: int = 1
    cycles: int = 1
    random: int = 0
    ordered: bool = False
    edges: tuple[Edge | None, ...] = ()
    results: bool = False
    moves: tuple[Place, ...] = ()

    @property
    def in_a_cycle(self) -> int:
        """The most places that are touched in a cycle."""
        if self.random:
            return self.units * -(-self.random // self.cycles)
        return max(len(places) for places in joint_sets(self))


@lru_cache(maxsize=1024)
def box_places(fitting: tuple[tuple[int, ...], ...], pattern: tuple[int, ...]) -> tuple[Place, ...]:
    """The places of a pattern, row-major: fitting f for all f."""
    points = product(*map(range, pattern))
    return tuple(tuple(sum(a * f for a, f in zip(row, point, strict=True)) for row in fitting) for point in points)


def run_places(width: int, shape: Sequence[int]) -> tuple[tuple[Place, ...], ...]:
    """The sets that a word of `width` data may be in an array of a shape: data that follow each other row-major.

    Where a row is no shorter than a word that is one set. Else it goes over the ends of rows, and starts anywhere; it
    is cut where the last axis ends of which the rows, with all rows inside, are no shorter.
    """
    if not shape:
        return (((),),)
    inner, row = 1, shape[-1]
    for extent in reversed(shape[:-1]):
        if row >= width:
            break
        inner, row = row, row * extent
    runs = (range(start, min(start + width, row)) for start in range(inner))
    return tuple(tuple(tuple(map(int, np.unravel_index(at, shape))) for at in run) for run in runs)


@lru_cache(maxsize=4096)
def joint_sets(access: Access) -> tuple[tuple[Place, ...], ...]:
    """A_j for each cycle j of an occupancy: chunk j of the pattern, joined over the units; without bends."""
    number = np.arange(len(access.places))
    when = (result_cycles if access.results else read_cycles)(number, len(number), access.cycles)
    chunks = np.split(number, np.flatnonzero(np.diff(when)) + 1)
    return tuple(joined([access.places[at] for at in chunk], access.step, access.units) for chunk in chunks)


def joined(places: Sequence[Place], step: Place, units: int) -> tuple[Place, ...]:
    """The different places of all units, in order of the first place of each."""
    if units == 1:
        return tuple(dict.fromkeys(places))
    moved = of_units(places, step, units)
    numbers, _ = numbered(moved, step)
    _, first = np.unique(numbers, return_index=True)
    return as_tuples(moved[np.sort(first)])


def of_units(places: Sequence[Place], step: Place, units: int) -> Places:
    """Places as each unit touches them (places * units, rank), place by place."""
    offsets = np.arange(units)[:, None] * np.array(step, np.int64)
    moved: Places = np.array(places, np.int64).reshape(len(places), 1, len(step)) + offsets
    return moved.reshape(len(places) * units, len(step))


def as_tuples(places: Places) -> tuple[Place, ...]:
    """Places (number, rank) one by one."""
    return tuple(map(tuple, places.tolist()))


def numbered(places: Places, ahead: Place) -> tuple[NDArray[Any], int]:
    """A number for each place (number, rank), and how much larger it is for the place that is `ahead` of one.

    Different places have different numbers, also those ahead of them or as far behind.
    """
    further = np.array(ahead, np.int64)
    low, high = places.min(axis=0) - np.abs(further), places.max(axis=0) + np.abs(further)
    extents = (high - low + 1).tolist()
    kind = np.int64 if math.prod(extents) < _MOST_NUMBERS else object
    strides = np.array([math.prod(extents[axis + 1 :]) for axis in range(len(extents))], kind)
    return (places - low).astype(kind) @ strides, int(further.astype(kind) @ strides)


def differences(sets: Iterable[Sequence[Place]], edges: Sequence[Edge | None] = ()) -> Places:
    """The differences other than 0 of any two places of one set, straight or bent; each once, one of d and -d."""
    parts = []
    for places in sets:
        for bent in _bent(np.array(places, np.int64).reshape(len(places), -1), edges):
            parts += [_pairs(distinct(bent))]
    rank = max((part.shape[1] for part in parts), default=0)
    return distinct(np.concatenate([np.zeros((0, rank), np.int64), *parts]))


def _pairs(places: Places) -> Places:
    """The differences of different places, one of d and -d: pair by pair, or where they overlap if one set is moved."""
    extents = np.ptp(places, axis=0) + 1 if places.size else np.ones(1, np.int64)
    apart = (2 * extents - 1).tolist()
    if 4 * math.prod(apart) > len(places) ** 2:
        first, second = np.triu_indices(len(places), 1)
        return distinct(places[second] - places[first])
    box = np.zeros(extents)
    box[tuple((places - places.min(axis=0)).T)] = 1
    axes = range(len(apart))
    spectrum = np.fft.rfftn(box, apart, axes)
    overlap = np.fft.irfftn(np.abs(spectrum) ** 2, apart, axes) > 0.5  # a number of places, but for rounding
    moved = np.stack(np.nonzero(overlap), axis=1)
    moved = np.where(moved < extents, moved, moved - apart)
    first = (moved != 0).argmax(axis=1)
    half: Places = moved[moved[np.arange(len(moved)), first] > 0]
    return half


def distinct(places: Places) -> Places:
    """The different places, in lexicographic order: by their numbers in a box around them, which is quick to sort."""
    if not places.size:
        return places[:1]
    low = places.min(axis=0)
    extents = (places.max(axis=0) - low + 1).tolist()
    if math.prod(extents) >= _MOST_NUMBERS:
        return np.unique(places, axis=0)
    numbers = np.unique(np.ravel_multi_index(tuple((places - low).T), extents))
    found: Places = np.stack(np.unravel_index(numbers, extents), axis=1) + low
    return found


def _bent(places: Places, edges: Sequence[Edge | None]) -> Iterator[Places]:
    """The places, and their shapes at the ends of axes."""
    if not any(edges) or not places.size:
        yield places
        return
    shapes = [
        _shapes(places[:, axis], edge) if edge is not None else places[:, axis][None] for axis, edge in enumerate(edges)
    ]
    for columns in product(*shapes):
        yield np.stack(columns, axis=1)


def _shapes(along: Places, edge: Edge) -> Places:
    """The different shapes (number, places) that places along an axis take, relative to where they are put."""
    low, high, step = edge.bases
    base = np.arange(low, high + 1, max(1, step))
    inside = (base + along.min() >= 0) & (base + along.max() < edge.extent)
    base = np.concatenate([base[inside][:1], base[~inside]])
    index = base[:, None] + along[None, :]
    mapped = index % edge.extent if edge.border is None else elements_of(edge.border, index, edge.extent)
    return np.unique(mapped - base[:, None], axis=0)
