"""What each tile loads and stores: theorems 1, 5 and 6 of paper C by set differences.

The theorems unite sets over the tiles t of a strip. In(t < T) united with Out(t < T) is all that earlier tiles touch,
so that no tile number is needed, and a tile may be told by its origin.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import islpy as isl

from arrayol.tiling.first import loads_by_first_access, stores_by_last_write
from arrayol.tiling.load_store import KeyedArray, keyed_arrays
from arrayol.tiling.nest import TiledNest, Traffic
from arrayol.tiling.relations import coalesced
from arrayol.tiling.simplify import simple_load, simple_store
from arrayol.tiling.tile import answered_in_time

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
