"""The accesses of a tiled nest by keys: when each array's elements are read and written."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import islpy as isl

from arrayol.tiling.nest import NestReach, TiledNest
from arrayol.tiling.relations import (
    earlier_keys,
    element_box,
    keys_after,
    keys_before,
    keys_in_tile,
    keys_of,
    keys_of_other_strips,
    later_tiles,
    relation,
    union,
)


@dataclass(frozen=True)
class Frame:
    """The relations of a nest's tiles that all arrays share, each made when first asked for."""

    nest: TiledNest

    @cached_property
    def inside(self) -> isl.Map:
        """From a tile to the keys in it."""
        return keys_in_tile(self.nest)

    @cached_property
    def before(self) -> isl.Map:
        """From a tile to the keys in earlier tiles of its strip."""
        return keys_before(self.nest)

    @cached_property
    def after(self) -> isl.Map:
        """From a tile to the keys in later tiles of its strip."""
        return keys_after(self.nest)

    @cached_property
    def earlier(self) -> isl.Map:
        """From a key to those before it inside a tile."""
        return earlier_keys(self.nest)

    @cached_property
    def later(self) -> isl.Map:
        """From a tile to the later ones of its strip."""
        return later_tiles(self.nest)

    @cached_property
    def other_strips(self) -> isl.Map:
        """From a tile to the keys outside its strip."""
        return keys_of_other_strips(self.nest)

    @cached_property
    def keys(self) -> list[isl.Map]:
        """From the instances of each statement to their keys."""
        return [keys_of(self.nest, place) for place in range(len(self.nest.statements))]

    @cached_property
    def running(self) -> isl.Set:
        """The keys of all instances."""
        keys = self.keys[0].range()
        for more in self.keys[1:]:
            keys = keys.union(more.range())
        return keys.coalesce()

    @cached_property
    def tiles(self) -> isl.Set:
        """The tiles in which an instance runs."""
        return self.inside.intersect_range(self.running).domain().coalesce()

    @cached_property
    def first_tiles(self) -> isl.Set:
        """The first tile of each strip."""
        return self.tiles.subtract(self.before.intersect_range(self.running).domain()).coalesce()

    @cached_property
    def last_tiles(self) -> isl.Set:
        """The last tile of each strip."""
        return self.tiles.subtract(self.after.intersect_range(self.running).domain()).coalesce()


@dataclass(frozen=True)
class KeyedArray:
    """The accesses of one array as relations from keys to elements: possible reads, possible and sure writes."""

    frame: Frame
    name: str
    reads: isl.Map
    writes: isl.Map
    sure_writes: isl.Map
    sure_reads: isl.Map

    @cached_property
    def elements(self) -> isl.Set:
        """All elements of the array."""
        return element_box(self.frame.nest, self.frame.nest.arrays[self.name].extents)

    @cached_property
    def touched(self) -> isl.Map:
        """All accesses that may happen."""
        return self.reads.union(self.writes).coalesce()

    @cached_property
    def certain_writes(self) -> bool:
        """Whether every write is sure."""
        return bool(self.writes.is_subset(self.sure_writes))

    @cached_property
    def exact(self) -> bool:
        """Whether neither writes nor reads depend on data."""
        return self.certain_writes and bool(self.reads.is_subset(self.sure_reads))

    def in_tile(self, accesses: isl.Map) -> isl.Map:
        """From a tile to the elements that its instances touch by these accesses."""
        return self.frame.inside.apply_range(accesses)

    @cached_property
    def touched_before(self) -> isl.Map:
        """From a tile to the elements that earlier tiles of its strip may touch."""
        return self.frame.before.apply_range(self.touched)

    @cached_property
    def written_before(self) -> isl.Map:
        """From a tile to the elements that earlier tiles of its strip may write."""
        return self.frame.before.apply_range(self.writes)

    @cached_property
    def written_after(self) -> isl.Map:
        """From a tile to the elements that later tiles of its strip may write."""
        return self.frame.after.apply_range(self.writes)

    @cached_property
    def wanted_outside(self) -> isl.Map | None:
        """From a tile to the elements that other strips read, for what a delay carries; None where all is wanted."""
        if self.frame.nest.arrays[self.name].role != "delayed":
            return None
        return self.frame.other_strips.apply_range(self.reads)

    def storable(self, stores: isl.Map) -> isl.Map:
        """Of the elements that could be stored those that anybody reads afterwards."""
        return stores if self.wanted_outside is None else stores.intersect(self.wanted_outside)


def keyed_arrays(nest: TiledNest) -> list[KeyedArray]:
    """Every array that the statements touch, in the order of the component's ports."""
    frame = Frame(nest)
    reads = [(place, reach) for place, one in enumerate(nest.statements) for reach in one.reads]
    writes = [(place, reach) for place, one in enumerate(nest.statements) for reach in one.writes]
    names = {reach.array for _, reach in (*reads, *writes)}
    return [_keyed(frame, name, reads, writes) for name in nest.arrays if name in names]


Reaches = list[tuple[int, NestReach]]


def _keyed(frame: Frame, name: str, reads: Reaches, writes: Reaches) -> KeyedArray:
    rank = len(frame.nest.arrays[name].shape)
    empty = relation(frame.nest, [*(f"x{axis}" for axis in range(frame.nest.depth)), "s"], _elements(rank), [])

    def gathered(reaches: Reaches, *, sure: bool) -> isl.Map:
        found = [
            frame.keys[place].reverse().apply_range(reach.sure if sure else reach.may)
            for place, reach in reaches
            if reach.array == name
        ]
        return union([empty, *found]).coalesce()

    return KeyedArray(
        frame,
        name,
        gathered(reads, sure=False),
        gathered(writes, sure=False),
        gathered(writes, sure=True),
        gathered(reads, sure=True),
    )


def _elements(rank: int) -> list[str]:
    return [f"e{axis}" for axis in range(rank)]
