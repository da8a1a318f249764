"""When elements lie in local memory: live sets in the parameters, and lifetimes in numbers.

An element lies there from the first tile of a strip that touches it to the last one that does: it is loaded at most
once and stored at most once (paper C, definitions 3 and 4), and a hole between two touches is not used otherwise. So an
element is alive in a tile if this or an earlier tile of the strip touches it, and this or a later one. In numbers that
is an interval of steps for each strip and element, and the size of each live set a running sum of begins and ends.
"""

from __future__ import annotations

from dataclasses import dataclass

import islpy as isl
import numpy as np

from arrayol.tiling.enumerate import Integers, rows, strips, tile_set
from arrayol.tiling.nest import Traffic
from arrayol.tiling.relations import later_tiles


def touched(traffic: Traffic, array: str) -> isl.Map:
    """The elements that each tile reads, writes, loads or stores, for sure or maybe."""
    pairs = traffic.read[array].union(traffic.written[array])
    return pairs.union(traffic.load[array]).union(traffic.store[array]).coalesce()


def needed_alone(traffic: Traffic, array: str) -> isl.Map:
    """What a tile loads that keeps nothing of the tiles before: all it may read, and what it may leave unwritten.

    The latter is stored again, so that the store has the value of external memory (paper C, theorem 5).
    """
    return traffic.read[array].union(traffic.written[array].subtract(traffic.surely_written[array])).coalesce()


def live(traffic: Traffic, array: str) -> isl.Map:
    """Relation from each tile to the elements in local memory while it runs, loads before it and stores after it."""
    own, later = touched(traffic, array), later_tiles(traffic.nest)
    until = own.union(later.apply_range(own))
    since = own.union(later.reverse().apply_range(own))
    return until.intersect(since).intersect_domain(tile_set(traffic.nest)).coalesce()


@dataclass(frozen=True, eq=False)
class Lifetimes:
    """When each element of an array lies in local memory: one row for each strip and element touched there.

    `strip` (shape n) numbers the strips in order, `element` (n, rank) holds subscripts; the element is alive in the
    steps `first` to `last` (n), both included. Step s of a strip runs the strip's tile number s, counting from 0.
    """

    strip: Integers
    element: Integers
    first: Integers
    last: Integers

    def sizes(self) -> dict[tuple[int, int], int]:
        """How many elements are alive, by strip and step."""
        if not len(self.strip):
            return {}
        low, width = int(self.first.min()), int(self.last.max() - self.first.min()) + 2
        changes = np.zeros((int(self.strip.max()) + 1, width), np.int64)
        np.add.at(changes, (self.strip, self.first - low), 1)
        np.add.at(changes, (self.strip, self.last + 1 - low), -1)
        alive = changes.cumsum(axis=1)
        return {(int(strip), int(step) + low): int(alive[strip, step]) for strip, step in np.argwhere(alive)}

    def largest(self) -> int:
        """The size of the largest live set."""
        return max(self.sizes().values(), default=0)

    def at(self, strip: int, step: int) -> Integers:
        """The elements alive in a step, shape (n, rank)."""
        elements: Integers = self.element[(self.strip == strip) & (self.first <= step) & (step <= self.last)]
        return elements


def lifetimes(traffic: Traffic, array: str, overlapped: bool = False) -> Lifetimes:
    """Lifetimes under reuse inside a strip; the nest has no parameters left.

    `overlapped` is double buffering: a tile's loads run beside the computation of the tile before, its stores beside
    that of the tile after, so that a loaded element lives a step longer and so does a stored one.
    """
    clock = TileClock.of(traffic)
    strip, step, element = clock.steps(touched(traffic, array))
    spans = [(strip, step, element)]
    if overlapped:
        for kind, shift in ((traffic.load, -1), (traffic.store, 1)):
            strip, step, element = clock.steps(kind[array])
            spans.append((strip, step + shift, element))
    return _spans(*(np.concatenate(parts) for parts in zip(*spans, strict=True)))


def _spans(strip: Integers, step: Integers, element: Integers) -> Lifetimes:
    """From single steps to the first and last of each strip and element."""
    keys = np.column_stack([strip, element])
    order = np.lexsort((step, *reversed(keys.T)))
    keys, step = keys[order], step[order]
    if not len(keys):
        return Lifetimes(strip, element, step, step)
    starts = np.concatenate([[True], (keys[1:] != keys[:-1]).any(axis=1)])
    ends = np.concatenate([starts[1:], [True]])
    return Lifetimes(keys[starts, 0], keys[starts, 1:], step[starts], step[ends])


@dataclass(frozen=True, eq=False)
class TileClock:
    """The tiles of a nest without parameters: `tile` (n, depth) in execution order, its `strip` and place there."""

    tile: Integers
    strip: Integers
    place: Integers

    @staticmethod
    def of(traffic: Traffic) -> TileClock:
        """The non-empty tiles, strip by strip."""
        parts = strips(traffic.nest)
        if not parts:
            nothing = np.zeros(0, np.int64)
            return TileClock(np.zeros((0, traffic.nest.depth), np.int64), nothing, nothing)
        strip = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
        return TileClock(np.concatenate(parts), strip, np.concatenate([np.arange(len(part)) for part in parts]))

    def numbers(self, tiles: Integers) -> Integers:
        """For each row of `tiles` (m, depth) its number in execution order. All of them are tiles of the nest."""
        low, extent = self.tile.min(axis=0), np.ptp(self.tile, axis=0) + 1
        keys, wanted = (np.ravel_multi_index(tuple((rows - low).T), tuple(extent)) for rows in (self.tile, tiles))
        numbers: Integers = np.searchsorted(keys, wanted)
        return numbers

    def steps(self, relation: isl.Map) -> tuple[Integers, Integers, Integers]:
        """Strip, place in the strip, and element of each pair of a relation from tiles to elements."""
        tile, element = rows(relation)
        if not len(tile):
            nothing = np.zeros(0, np.int64)
            return nothing, nothing, element
        number = self.numbers(tile)
        return self.strip[number], self.place[number], element
