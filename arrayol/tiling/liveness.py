"""When elements lie in local memory: live sets in the parameters, and lifetimes in numbers.

An element lies there from the first tile of a strip that touches it to the last one that does: it is loaded at most
once and stored at most once (paper C, definitions 3 and 4), and a hole between two touches is not used otherwise. So an
element is alive in a tile if this or an earlier tile of the strip touches it, and this or a later one. In numbers that
is an interval of steps for each strip and element, and the size of each live set a running sum of begins and ends.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import islpy as isl
import numpy as np

from arrayol.arrays import IntArray
from arrayol.errors import error
from arrayol.tiling.enumerate import Scanned, strips, tile_set
from arrayol.tiling.kinds import kinds_of
from arrayol.tiling.nest import TiledNest, Traffic
from arrayol.tiling.relations import later_tiles, windows


def touched(traffic: Traffic, array: str) -> isl.Map:
    """The elements that each tile reads, writes, loads or stores, for sure or maybe."""
    pairs = traffic.touched[array]
    if traffic.simplified:  # else nothing is moved but for an access in the tile
        pairs = pairs.union(traffic.load[array]).union(traffic.store[array]).coalesce()
    return pairs


def single_tile_needs(traffic: Traffic, array: str) -> isl.Map:
    """What a tile loads that keeps nothing of the tiles before: all it may read, and what it may leave unwritten.

    The latter is stored again, so that the store has the value of external memory (paper C, theorem 5).
    """
    return traffic.read[array].union(traffic.written[array].subtract(traffic.surely_written[array])).coalesce()


def live(traffic: Traffic, array: str) -> isl.Map:
    """Relation from each tile to the elements in local memory while it runs, loads before it and stores after it."""
    own, later = touched(traffic, array), later_tiles(traffic.nests[array])
    until = own.union(later.apply_range(own))
    since = own.union(later.reverse().apply_range(own))
    return until.intersect(since).intersect_domain(tile_set(traffic.nest)).coalesce()


@dataclass(frozen=True, eq=False)
class Lifetimes:
    """When each element of an array lies in local memory: one row for each strip and element touched there.

    `strip` (shape n) numbers the strips in order, `element` (n, rank) holds subscripts; the element is alive in the
    steps `first` to `last` (n), both included. Step s of a strip runs the strip's tile number s, counting from 0.
    """

    strip: IntArray
    element: IntArray
    first: IntArray
    last: IntArray

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

    def at(self, strip: int, step: int) -> IntArray:
        """The elements alive in a step, shape (n, rank)."""
        elements: IntArray = self.element[(self.strip == strip) & (self.first <= step) & (step <= self.last)]
        return elements


def lifetimes(traffic: Traffic, array: str, overlapped: bool = False) -> Lifetimes:
    """Lifetimes in all strips: see `lifetimes_on`."""
    found = list(lifetimes_on(Walk.through(traffic.nests[array]), traffic, array, overlapped))
    columns = ("strip", "element", "first", "last")
    return Lifetimes(*(np.concatenate([getattr(own, column) for own in found]) for column in columns))


def lifetimes_by_tile(traffic: Traffic, array: str) -> Lifetimes:
    """Lifetimes with the tiles of all strips for steps, counted from 0 in the order of execution."""
    alive, starts = lifetimes(traffic, array), TileClock.of(traffic.nests[array]).starts
    return Lifetimes(
        np.zeros_like(alive.strip), alive.element, *(starts[alive.strip] + step for step in (alive.first, alive.last))
    )


def lifetimes_on(walk: Walk, traffic: Traffic, array: str, overlapped: bool = False) -> Iterator[Lifetimes]:
    """Lifetimes under reuse inside a strip, for some strips after others; the nest has no parameters left.

    `overlapped` is double buffering: a tile's loads run beside the computation of the tile before, its stores beside
    that of the tile after, so that a loaded element lives a step longer and so does a stored one.
    """
    moved = [(touched(traffic, array), 0)]
    moved += [(traffic.load[array], -1), (traffic.store[array], 1)] if overlapped else []
    for steps in walk.steps(*(relation for relation, _ in moved)):
        shifted = [(own[0], own[1] + shift, own[2]) for own, (_, shift) in zip(steps, moved, strict=True)]
        yield _spans(*(np.concatenate(parts) for parts in zip(*shifted, strict=True)))


def _spans(strip: IntArray, step: IntArray, element: IntArray) -> Lifetimes:
    """From single steps to the first and last of each strip and element."""
    keys = np.column_stack([strip, element])
    order = np.lexsort((step, *reversed(keys.T)))
    keys, step = keys[order], step[order]
    if not len(keys):
        return Lifetimes(strip, element, step, step)
    starts = np.concatenate([[True], (keys[1:] != keys[:-1]).any(axis=1)])
    ends = np.concatenate([starts[1:], [True]])
    return Lifetimes(keys[starts, 0], keys[starts, 1:], step[starts], step[ends])


Steps = tuple[IntArray, IntArray, IntArray]


@dataclass(frozen=True, eq=False)
class TileClock:
    """The tiles of a nest without parameters: `tile` (n, depth) in execution order, its `strip` and place there."""

    tile: IntArray
    strip: IntArray
    place: IntArray

    @staticmethod
    def of(nest: TiledNest) -> TileClock:
        """The non-empty tiles, strip by strip."""
        parts = strips(nest)
        if not parts:
            nothing = np.zeros(0, np.int64)
            return TileClock(np.zeros((0, nest.depth), np.int64), nothing, nothing)
        strip = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
        return TileClock(np.concatenate(parts), strip, np.concatenate([np.arange(len(part)) for part in parts]))

    def outer(self, strip_dims: int) -> IntArray:
        """The outer coordinates of each strip."""
        coordinates: IntArray = self.tile[self.starts, : self.tile.shape[1] - strip_dims]
        return coordinates

    @property
    def starts(self) -> IntArray:
        """The number of each strip's first tile."""
        return np.flatnonzero(np.diff(self.strip, prepend=-1))

    def numbers(self, tiles: IntArray) -> IntArray:
        """For each row of `tiles` (m, depth) its number in execution order. All of them are tiles of the nest."""
        low, extent = self.tile.min(axis=0), np.ptp(self.tile, axis=0) + 1
        keys, wanted = (np.ravel_multi_index(tuple((rows - low).T), tuple(extent)) for rows in (self.tile, tiles))
        numbers: IntArray = np.searchsorted(keys, wanted)
        return numbers

    def steps(self, tile: IntArray, element: IntArray) -> Steps:
        """Strip, place in the strip, and element of each pair of a tile and an element."""
        if not len(tile):
            nothing = np.zeros(0, np.int64)
            return nothing, nothing, element
        number = self.numbers(tile)
        return self.strip[number], self.place[number], element


# Walks through strips.

MOST_WALKED = 200_000_000  # pairs of tile and element for one array: some minutes
AT_ONCE = 500_000


@dataclass(frozen=True, eq=False)
class Walk:
    """Some strips, by their outer coordinates (n, outer), and how many strips each of them stands for (n)."""

    clock: TileClock
    strip: IntArray
    stands_for: IntArray

    @staticmethod
    def through(nest: TiledNest) -> Walk:
        """All strips."""
        clock = TileClock.of(nest)
        strip = clock.outer(nest.strip_dims)
        return Walk(clock, strip, np.ones(len(strip), np.int64))

    @staticmethod
    def by_kinds(traffic: Traffic, array: str) -> Walk:
        """One strip of each kind, for what an array has to do with them."""
        nest, rank = traffic.nests[array], traffic.touched[array].dim(isl.dim_type.out)
        clock = TileClock.of(nest)
        sets = list(traffic.accesses[array])
        if traffic.simplified or traffic.nest.arrays[array].role == "delayed":  # these sets need not follow from those
            sets += [moved[array].wrap().flatten() for moved in (traffic.load, traffic.store)]
        kinds = kinds_of(clock.outer(nest.strip_dims), windows(nest, rank), sets)
        return Walk(clock, kinds.strip, kinds.count)

    def total(self, relation: isl.Map) -> int:
        """The pairs of a relation from tiles to elements, over all strips that these stand for."""
        weight = np.zeros(int(self.clock.strip.max(initial=-1)) + 1, np.int64)
        weight[self._numbers()] = self.stands_for
        return sum(int(weight[strip].sum()) for ((strip, _, _),) in self.steps(relation))

    def steps(self, *relations: isl.Map) -> Iterator[list[Steps]]:
        """For some strips after others, strip, step and element of each pair of each relation.

        Raises ArrayolError (`nest-too-large`) where there are too many in all.
        """
        scanned = [Scanned.of(relation.wrap().flatten()) for relation in relations]
        depth, begin, walked, size = self.clock.tile.shape[1], 0, 0, 1
        while begin < max(len(self.strip), 1):
            some = self.strip[begin : begin + size]
            pairs = [one.points(some) for one in scanned]
            yield [self.clock.steps(own[:, :depth], own[:, depth:]) for own in pairs]
            begin, walked = begin + size, walked + sum(map(len, pairs))
            if walked > MOST_WALKED:
                hint = "set smaller sizes with --set, or keep them symbolic with --symbolic"
                raise error("nest-too-large", "the nest is too large to be walked element by element", hint=hint)
            size = max(min(AT_ONCE * begin // max(walked, 1), 2 * size), 1)  # strips grow from the border inwards

    def _numbers(self) -> IntArray:
        """The clock's number of each strip."""
        outer = self.clock.outer(self.clock.tile.shape[1] - self.strip.shape[1])
        known = {tuple(row): number for number, row in enumerate(outer.tolist())}
        return np.array([known[tuple(row)] for row in self.strip.tolist()], np.int64)
