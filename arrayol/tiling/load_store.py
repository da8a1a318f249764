"""The accesses of a tiled nest by keys: when each array's elements are read and written."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import islpy as isl

from arrayol.errors import error
from arrayol.tiling.nest import NestReach, TiledNest, Traffic
from arrayol.tiling.relations import (
    check_moduli,
    coalesced,
    earlier_keys,
    element_box,
    inside_text,
    keys_after,
    keys_before,
    keys_in_tile,
    keys_of,
    keys_of_other_strips,
    later_tiles,
    relation,
    same_strip,
    union,
)
from arrayol.tiling.tile import answered_in_time


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


# Theorems 2 and 7 of paper C: loads by the first access to an element, stores by the last write; no differences.
#
# Tile numbers are needed here, so no size may be symbolic. An access happens at [lead, tile in the strip, key, phase]:
# reads have phase 0 and come before the writes of their instance, phase 1. The lead is 1 for possible writes where the
# question is which elements need a load: the first access of such an element is a read, or it is no sure access at all.


def loads_by_first_access(array: KeyedArray) -> isl.Map:
    """Load(T): the elements whose first access is in T, if they are read before a sure write (theorems 2, 7)."""
    nest = array.frame.nest
    moments = [
        _moments(nest, array.reads, lead=0, phase=0),
        _moments(nest, array.sure_writes, lead=0, phase=1),
        _moments(nest, array.writes, lead=1, phase=0),
    ]
    width = nest.strip_dims + nest.depth + 3
    reading = isl.Set(f"{{ [{', '.join(f'z{place}' for place in range(width))}] : z{width - 1} = 0 }}")
    first = moments[0].union(moments[1]).union(moments[2]).lexmin()
    needed = first.intersect_range(reading).domain()
    return _by_tile(nest, _tiles_of(nest, array.touched).lexmin().intersect_domain(needed))


def stores_by_last_write(array: KeyedArray) -> isl.Map:
    """Store(T): the elements whose last possible write is in T (theorems 2, 7)."""
    nest = array.frame.nest
    return array.storable(_by_tile(nest, _tiles_of(nest, array.writes).lexmax()))


def _strip(nest: TiledNest) -> list[str]:
    return [f"t{axis}" for axis in range(nest.depth - nest.strip_dims, nest.depth)]


def _key(nest: TiledNest) -> list[str]:
    return [*(f"x{axis}" for axis in range(nest.depth)), "s"]


def _placed(nest: TiledNest, accesses: isl.Map, image: list[str]) -> isl.Map:
    """From [element -> outer tile coordinates] to what an access's tile, key, lead and phase make up."""
    if any(nest.by_origin):
        hint = "give numbers as tile sizes, or use the method of set differences"
        raise error("bad-tile", "first accesses and last writes need tile sizes that are numbers", hint=hint)
    check_moduli(accesses)
    tiles = [f"t{axis}" for axis in range(nest.depth)]
    outer = tiles[: nest.depth - nest.strip_dims]
    found = relation(nest, _key(nest), [*tiles, *_key_copy(nest)], [f"{inside_text(nest)} and {_copied(nest)}"])
    names = ", ".join([*tiles, *_key(nest)])
    split = isl.Map(f"{{ [{names}] -> [[{', '.join(outer)}] -> [{', '.join(image)}]] }}")
    return accesses.reverse().apply_range(found.apply_range(split)).uncurry()


def _key_copy(nest: TiledNest) -> list[str]:
    return [*(f"y{axis}" for axis in range(nest.depth)), "r"]


def _copied(nest: TiledNest) -> str:
    return " and ".join(f"{copy} = {name}" for copy, name in zip(_key_copy(nest), _key(nest), strict=True))


def _moments(nest: TiledNest, accesses: isl.Map, *, lead: int, phase: int) -> isl.Map:
    return _placed(nest, accesses, [str(lead), *_strip(nest), *_key(nest), str(phase)])


def _tiles_of(nest: TiledNest, accesses: isl.Map) -> isl.Map:
    return _placed(nest, accesses, _strip(nest))


def _by_tile(nest: TiledNest, found: isl.Map) -> isl.Map:
    """From [element -> outer] -> tile in the strip to tile -> element."""
    tiles = [f"t{axis}" for axis in range(nest.depth)]
    outer, inner = tiles[: nest.depth - nest.strip_dims], tiles[nest.depth - nest.strip_dims :]
    joined = isl.Map(f"{{ [[{', '.join(outer)}] -> [{', '.join(inner)}]] -> [{', '.join(tiles)}] }}")
    return found.curry().apply_range(joined).reverse()


# Loads and stores as one polyhedron per array, still valid in the sense of theorems 3 and 4 of paper C.
#
# The hull of all loads could load again what an earlier tile wrote, and the hull of all stores could store what a later
# tile still writes. Where it would, the whole strip is loaded before its first tile, or stored after its last.


def simple_load(array: KeyedArray, load: isl.Map) -> isl.Map:
    """A polyhedron around the loads that overwrites nothing an earlier tile of the strip may have written."""
    return _around(array, load, array.written_before, array.frame.first_tiles)


def simple_store(array: KeyedArray, store: isl.Map) -> isl.Map:
    """A polyhedron around the stores that stores nothing a later tile of the strip may write.

    What it stores beyond what the strip writes has to be loaded: give the result to `load_for`.
    """
    return _around(array, store, array.written_after, array.frame.last_tiles)


def _around(array: KeyedArray, moved: isl.Map, forbidden: isl.Map, when: isl.Set) -> isl.Map:
    """A plain polyhedron that holds all transfers and none that is forbidden; else all of a strip at once."""
    check_moduli(moved)
    parts = moved.get_basic_maps()
    if not parts or (len(parts) == 1 and not parts[0].dim(isl.dim_type.div)):
        return moved
    found = _inside(array, moved.remove_divs().simple_hull())
    if found.is_disjoint(forbidden):
        return found
    strip = same_strip(array.frame.nest).apply_range(moved).intersect_domain(when)
    return _inside(array, strip.remove_divs().simple_hull()).intersect_domain(when)


def _inside(array: KeyedArray, hull: isl.BasicMap) -> isl.Map:
    """What of a polyhedron lies in the array and at tiles that run."""
    tiles = array.frame.tiles
    found = isl.Map.from_basic_map(hull).intersect_range(array.elements)
    found = found.intersect_domain(isl.Set.from_basic_set(tiles.remove_divs().simple_hull())).coalesce()
    return found if found.domain().is_subset(tiles) else found.intersect_domain(tiles)


# What each tile loads and stores: theorems 1, 5 and 6 of paper C by set differences.
#
# The theorems unite sets over the tiles t of a strip. In(t < T) united with Out(t < T) is all that earlier tiles touch,
# so that no tile number is needed, and a tile may be told by its origin.

Method = Literal["difference", "lexicographic"]


@dataclass(frozen=True, slots=True)
class ArrayTraffic:
    """The sets of one array: see Traffic."""

    read: isl.Map
    written: isl.Map
    surely_written: isl.Map
    load: isl.Map
    store: isl.Map


def traffic(nest: TiledNest, *, simplify: bool = False, method: Method = "difference") -> Traffic:
    """In, Out, Load and Store of every array that the tiled statements touch.

    `difference` takes theorem 1 or 6, `lexicographic` theorem 2 or 7: equal sets, but the latter needs sizes that are
    numbers. With `simplify` load and store of an array become one polyhedron each, which may move more but stays valid
    (theorems 3 and 4). Raises ArrayolError (`nest-too-hard`, `bad-tile`).
    """
    arrays = keyed_arrays(nest)
    with answered_in_time(nest.name, patience=5 if method == "lexicographic" else 1):
        found = {array.name: _sets(array, method) for array in arrays}
        exact = {array.name: array.exact for array in arrays}
    if simplify:
        with answered_in_time(nest.name):
            found = {array.name: _simple(array, found[array.name]) for array in arrays}
    return Traffic(
        nest,
        read={name: sets.read for name, sets in found.items()},
        written={name: sets.written for name, sets in found.items()},
        surely_written={name: sets.surely_written for name, sets in found.items()},
        load={name: sets.load for name, sets in found.items()},
        store={name: sets.store for name, sets in found.items()},
        exact=exact,
        simplified=simplify,
    )


def _sets(array: KeyedArray, method: Method) -> ArrayTraffic:
    read, written, sure = live_in(array), array.in_tile(array.writes), array.in_tile(array.sure_writes)
    if method == "lexicographic":
        load, store = loads_by_first_access(array), stores_by_last_write(array)
    else:
        store = array.storable(written.subtract(array.written_after))
        load = load_for(array, read, store)
    return ArrayTraffic(*(coalesced(found) for found in (read, written, sure, load, store)))


def live_in(array: KeyedArray) -> isl.Map:
    """In(T): what a tile may read before it surely wrote it."""
    if array.sure_writes.is_subset(array.reads):  # every write is of what its instance reads, so a read comes first
        return array.in_tile(array.reads)
    tiles = array.frame.inside.reverse()
    reads, writes = (tiles.range_product(accesses) for accesses in (array.reads, array.sure_writes))
    served = array.frame.earlier.apply_range(writes)
    return reads.subtract(served).range().unwrap()


def load_for(array: KeyedArray, read: isl.Map, store: isl.Map) -> isl.Map:
    """Load(T) of theorem 6 for given stores, which may be too large; theorem 1 is its case of sure writes."""
    unsure = store.subtract(array.in_tile(array.sure_writes))
    wanted = coalesced(read.union(unsure))
    if unsure.is_empty() and array.certain_writes:
        return wanted.subtract(array.touched_before)
    remote = coalesced(wanted.subtract(array.frame.before.apply_range(array.sure_writes)))
    later = array.in_tile(array.writes).intersect(array.frame.later.apply_range(remote))
    loads = wanted.union(later).subtract(array.touched_before)
    if any(array.frame.nest.by_origin):  # windows between tiles would count as stored: load again, which is valid
        return loads
    return loads.subtract(array.frame.later.reverse().apply_range(unsure))


def _simple(array: KeyedArray, sets: ArrayTraffic) -> ArrayTraffic:
    store = simple_store(array, sets.store)
    load = simple_load(array, load_for(array, sets.read, store))
    return ArrayTraffic(sets.read, sets.written, sets.surely_written, load, store)
