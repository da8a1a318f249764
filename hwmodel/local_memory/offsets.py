"""Joint sets of a port: chunks of its pattern, joined over the units (docs/machine.md, section 13).

The idea. A repetition occupies its unit for o cycles and accesses its pattern in as many chunks: chunks of reads are
equally large except the last, and results come evenly over these cycles. The units of a processor start together, each
a step further along the line, so in each cycle they access one joint set; those of other cycles and rounds are
translates of a few such sets. Whether elements of a set share a bank depends only on their differences. So all that
follows is decided once for each tiler, units and interval, and not for each design.

Borders and wrapped axes bend a pattern at the ends of its axis. There the differences are others: each bent shape is
another set.
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

from arrayol.arrays import distinct_rows
from arrayol.execute.patterns import elements_of
from arrayol.ir.borders import Border
from hwmodel.datapath.figures import read_cycles, result_cycles

_MOST_NUMBERS = 1 << 62  # of places in a box

Place = tuple[int, ...]
Places = NDArray[np.int64]  # (number, rank)


@dataclass(frozen=True, slots=True)
class Edge:
    """An axis that bends patterns: of `extent` indices, into which a `border` maps, or which wraps (without one).

    `bases` are the least and the greatest index at which a pattern is put, and the step between.
    """

    extent: int
    bases: tuple[int, int, int]
    border: Border | None = None

    def bends(self, place: int) -> bool:
        """Whether a place of a pattern, from the index at which that is put, is ever beyond an end of the axis."""
        low, high, _ = self.bases
        return place + low < 0 or place + high >= self.extent


@dataclass(frozen=True, slots=True)
class Access:
    """The accesses of a processor's units, or of the external memory's port, to one array.

    - `places`: the offsets of a pattern, row-major, from any origin; `step` leads from a unit's pattern to the next
      unit's.
    - `cycles`: the occupancy o of a repetition; `results`: the elements are written, else read.
    - `random`: the number of elements that a repetition accesses at subscripts computed from data; 0 if all follow from
      its index.
    - `ordered`: repetitions start in scan order, so that elements of one may stay for the next.
    - `edges`: by axis, how it bends; `moves`: the steps from a repetition of a unit to its next ones, along each
      dimension.
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
        """The most elements that are accessed in a cycle; each read at a subscript of data has a port of its own."""
        if self.random:
            return self.units * self.random
        return max(len(places) for places in joint_sets(self))


@lru_cache(maxsize=1024)
def box_places(fitting: tuple[tuple[int, ...], ...], pattern: tuple[int, ...]) -> tuple[Place, ...]:
    """The offsets of a pattern, row-major: fitting f for all f."""
    points = product(*map(range, pattern))
    return tuple(tuple(sum(a * f for a, f in zip(row, point, strict=True)) for row in fitting) for point in points)


def run_places(width: int, shape: Sequence[int]) -> tuple[tuple[Place, ...], ...]:
    """The joint sets that a word of `width` data may be in an array: data that follow each other row-major.

    If a row has at least a word's data, that is one set. Otherwise words go over the ends of rows and start anywhere;
    they are cut at the end of the last axes that together have at least a word's data.
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
    """The joint set A_j of each cycle j of an occupancy: chunk j of the pattern, joined over the units.

    Without bends. Chunks that are translates of each other are joined once: a row has hundreds.
    """
    places = np.array(access.places, np.int64).reshape(len(access.places), len(access.step))
    number = np.arange(len(places))
    when = (result_cycles if access.results else read_cycles)(number, len(number), access.cycles)
    found, sets = dict[bytes, Places](), list[tuple[Place, ...]]()
    for chunk in np.split(places, np.flatnonzero(np.diff(when)) + 1):
        moved = chunk - chunk[:1]
        key = moved.tobytes()
        if key not in found:
            own = joined(as_tuples(moved), access.step, access.units)
            found[key] = np.array(own, np.int64).reshape(len(own), len(access.step))
        sets.append(as_tuples(found[key] + chunk[:1]))
    return tuple(sets)


def joined(places: Sequence[Place], step: Place, units: int) -> tuple[Place, ...]:
    """The distinct elements of all units, in the order of their first occurrence."""
    if units == 1:
        return tuple(dict.fromkeys(places))
    moved = of_units(places, step, units)
    numbers, _ = numbered(moved, step)
    _, first = np.unique(numbers, return_index=True)
    return as_tuples(moved[np.sort(first)])


def of_units(places: Sequence[Place], step: Place, units: int) -> Places:
    """Offsets as each unit accesses them (offsets * units, rank), offset by offset."""
    offsets = np.arange(units)[:, None] * np.array(step, np.int64)
    moved: Places = np.array(places, np.int64).reshape(len(places), 1, len(step)) + offsets
    return moved.reshape(len(places) * units, len(step))


def as_tuples(places: Places) -> tuple[Place, ...]:
    """Index vectors (number, rank) as tuples."""
    return tuple(map(tuple, places.tolist()))


def numbered(places: Places, ahead: Place) -> tuple[NDArray[Any], int]:
    """A number for each index vector (number, rank), and the difference of numbers for a step `ahead`.

    Distinct vectors have distinct numbers, also those a step ahead or behind.
    """
    further = np.array(ahead, np.int64)
    low, high = places.min(axis=0) - np.abs(further), places.max(axis=0) + np.abs(further)
    extents = (high - low + 1).tolist()
    kind = np.int64 if math.prod(extents) < _MOST_NUMBERS else object
    strides = np.array([math.prod(extents[axis + 1 :]) for axis in range(len(extents))], kind)
    return (places - low).astype(kind) @ strides, int(further.astype(kind) @ strides)


def differences(sets: Iterable[Sequence[Place]], edges: Sequence[Edge | None] = ()) -> Places:
    """The nonzero differences of any two elements of one set, straight or bent; each once, and one of d and -d."""
    parts = []
    each = [np.array(places, np.int64).reshape(len(places), -1) for places in sets]
    if not any(edges):  # translates have the same
        each = list({(own.shape, (own - own[:1]).tobytes()): own for own in each}.values())
    for own in each:
        parts += [_pairs(distinct_rows(bent)) for bent in _bent(own, edges)]
    rank = max((part.shape[1] for part in parts), default=0)
    return distinct_rows(np.concatenate([np.zeros((0, rank), np.int64), *parts]))


def _pairs(places: Places) -> Places:
    """The differences of distinct elements, one of d and -d: pair by pair, or by an autocorrelation of their box."""
    extents = np.ptp(places, axis=0) + 1 if places.size else np.ones(1, np.int64)
    apart = (2 * extents - 1).tolist()
    if 4 * math.prod(apart) > len(places) ** 2:
        first, second = np.triu_indices(len(places), 1)
        return distinct_rows(places[second] - places[first])
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


def _bent(places: Places, edges: Sequence[Edge | None]) -> Iterator[Places]:
    """The elements, and their shapes at the ends of axes."""
    if not any(edges) or not places.size:
        yield places
        return
    shapes = [
        _shapes(places[:, axis], edge) if edge is not None else places[:, axis][None] for axis, edge in enumerate(edges)
    ]
    for columns in product(*shapes):
        yield np.stack(columns, axis=1)


def _shapes(along: Places, edge: Edge) -> Places:
    """The distinct shapes (number, offsets) of offsets along an axis, relative to where they are put."""
    low, high, step = edge.bases
    base = np.arange(low, high + 1, max(1, step))
    inside = (base + along.min() >= 0) & (base + along.max() < edge.extent)
    base = np.concatenate([base[inside][:1], base[~inside]])
    index = base[:, None] + along[None, :]
    mapped = index % edge.extent if edge.border is None else elements_of(edge.border, index, edge.extent)
    return np.unique(mapped - base[:, None], axis=0)
