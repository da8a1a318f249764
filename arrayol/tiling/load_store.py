"""What each tile loads before it runs and stores after it, from when each array's elements are read and written.

Three ways to the sets, as relations from tiles to elements (paper C; docs/transfers.md, "How the paper is read"):

- Differences (theorems 1, 5 and 6). Store(T) is Out(T), what T may write, without what later tiles of the strip may
  write: the last writer stores. Load(T) is In(T), what T may read before it surely wrote it, without what earlier tiles
  touch: that lies in local memory. Where a write is not sure, a tile that stores the element needs its old value, so
  that is loaded too; and what a later tile needs is loaded before the first tile that may write it, since a load after
  that could overwrite a result. The theorems unite sets over the tiles t of a strip. In(t < T) united with Out(t < T)
  is all that earlier tiles touch, so that no tile number is needed, and a tile may be told by its origin.
- First access and last write (theorems 2 and 7): the lexicographic minimum over the moments of an element's accesses,
  and the maximum over its writes. The sets are the same; sizes must be numbers, since tiles are numbered.
- Hulls (`simplify`): one polyhedron around each set, valid still (theorems 3 and 4). The hull of all loads could load
  again what an earlier tile wrote, and that of all stores could store what a later tile still writes. Where it would,
  the whole strip is loaded before its first tile, or stored after its last.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import islpy as isl

from arrayol.errors import error
from arrayol.tiling.nest import TiledNest, Traffic
from arrayol.tiling.relations import Frame, check_moduli, coalesced, key_names, keys_of_one_strip, relation, union
from arrayol.tiling.tile import answered_in_time

Method = Literal["difference", "lexicographic"]

PATIENCE = 30  # for the sets of an array: a stencil pair over three dimensions and time takes 9 in its hardest one


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
    sets, exact = {}, {}
    for array in arrays:
        with answered_in_time(nest.name, patience=PATIENCE):
            sets[array.name], exact[array.name] = _sets(array, method), array.exact
    if simplify:
        for array in (array for array in arrays if not array.is_local):
            with answered_in_time(nest.name, patience=PATIENCE):
                sets[array.name] = _simple(array, sets[array.name])
    zeroed = {}
    for array in arrays:
        if array.is_local:
            with answered_in_time(nest.name, patience=PATIENCE):
                zeroed[array.name] = array.zeroed
    return Traffic(
        nest,
        read={name: own.read for name, own in sets.items()},
        written={name: own.written for name, own in sets.items()},
        surely_written={name: own.surely_written for name, own in sets.items()},
        load={name: own.load for name, own in sets.items()},
        store={name: own.store for name, own in sets.items()},
        touched={array.name: array.in_tile(array.touched) for array in arrays},
        accesses={array.name: array.accesses for array in arrays},
        exact=exact,
        simplified=simplify,
        nests={array.name: array.frame.nest for array in arrays},
        variables=frozenset(array.name for array in arrays if array.is_local and _is_variable(array)),
        zeroed=zeroed,
    )


def _sets(array: KeyedArray, method: Method) -> ArrayTraffic:
    read, written, sure = live_in(array), array.in_tile(array.writes), array.in_tile(array.sure_writes)
    if array.is_local:
        load = store = array.nothing
    elif method == "lexicographic":
        load, store = loads_by_first_access(array), stores_by_last_write(array)
    else:
        store = array.storable(written.subtract(array.written_after))
        load = load_for(array, read, store)
    return ArrayTraffic(*map(coalesced, (read, written, sure, load, store)))


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


# The accesses of a nest by keys.


@dataclass(frozen=True)
class KeyedArray:
    """The accesses of one array as relations from keys to elements: possible reads, possible and sure writes."""

    frame: Frame
    name: str
    reads: isl.Map
    writes: isl.Map
    sure_writes: isl.Map
    sure_reads: isl.Map
    sums: isl.Map

    @property
    def is_local(self) -> bool:
        """Whether it is a local, which is never loaded nor stored."""
        return self.frame.nest.arrays[self.name].is_local

    @property
    def nothing(self) -> isl.Map:
        """From a tile to no element."""
        return isl.Map.empty(self.in_tile(self.reads).get_space())

    @property
    def zeroed(self) -> isl.Map:
        """From a tile to the elements of a local that `+=` reads before a write: they start at zero in the tile."""
        if self.sums.is_empty():
            return self.nothing
        return coalesced(load_for(self, live_in(self), self.nothing))

    @cached_property
    def elements(self) -> isl.Set:
        """All elements of the array."""
        extents = self.frame.nest.arrays[self.name].extents
        names = _elements(len(extents))
        bounds = [f"0 <= {name} < {extent}" for name, extent in zip(names, extents, strict=True)]
        return relation(self.frame.nest, [], names, [" and ".join(bounds) or "true"]).range()

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

    @property
    def accesses(self) -> tuple[isl.Set, ...]:
        """[tile, element, key] of the possible reads and of the possible and sure writes."""
        kinds = (self.reads, self.writes, self.sure_writes)
        with_keys = (accesses.reverse().range_map().reverse() for accesses in kinds)
        return tuple(self.frame.inside.apply_range(pairs).wrap().flatten() for pairs in with_keys)

    @cached_property
    def touched_before(self) -> isl.Map:
        """From a tile to the elements that earlier tiles of its strip may touch."""
        return self.frame.before.apply_range(self.touched)

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
        """Elements that could be stored and that somebody reads afterwards."""
        return stores if self.wanted_outside is None else stores.intersect(self.wanted_outside)


def keyed_arrays(nest: TiledNest) -> list[KeyedArray]:
    """Every array that the statements touch, in the order of the component's ports, then locals."""
    frames = {nest.strip_dims: Frame(nest)}
    frame = frames[nest.strip_dims]
    reaches = [reach for statement in nest.statements for reach in (*statement.reads, *statement.writes)]
    names = {reach.array for reach in reaches}
    arrays = []
    for array in (_keyed(frame, name) for name in nest.arrays if name in names):
        dims = _strip_dims_of_uses(array) if array.is_local else nest.strip_dims
        arrays.append(replace(array, frame=frames.setdefault(dims, Frame(nest.along(dims)))))
    return arrays


def _strip_dims_of_uses(array: KeyedArray) -> int:
    """The fewest dimensions of strips that hold all uses of an element of a local each."""
    nest, uses = array.frame.nest, array.touched
    with answered_in_time(nest.name, patience=PATIENCE):
        together = coalesced(uses.apply_range(uses.reverse()))
        enough = (
            dims
            for dims in (0, *range(nest.strip_dims, nest.depth))
            if together.is_subset(keys_of_one_strip(nest.along(dims)))
        )
        return next(enough, nest.depth)


def _is_variable(array: KeyedArray) -> bool:
    """Whether each of a local is used within a tile, and wholly before or after any other.

    That is so if some first coordinates of the times of its uses are those of no other, and the same for all its uses.
    """
    nest = array.frame.nest
    if nest.strip_dims:
        return False
    around, rank = len(nest.arrays[array.name].around), len(nest.arrays[array.name].shape)
    with answered_in_time(nest.name, patience=PATIENCE):
        times = coalesced(array.touched.project_out(isl.dim_type.out, around, rank - around)).reverse()
        prefixes = (times.project_out(isl.dim_type.out, own, nest.depth + 1 - own) for own in range(nest.depth + 1))
        return any(prefix.is_single_valued() and prefix.is_injective() for prefix in prefixes)


def _keyed(frame: Frame, name: str) -> KeyedArray:
    statements = list(zip(frame.keys, frame.nest.statements, strict=True))
    reads = [(keys, reach) for keys, statement in statements for reach in statement.reads if reach.array == name]
    writes = [(keys, reach) for keys, statement in statements for reach in statement.writes if reach.array == name]
    empty = relation(frame.nest, key_names(frame.nest), _elements(len(frame.nest.arrays[name].shape)), [])

    def gathered(accesses: Sequence[tuple[isl.Map, isl.Map]]) -> isl.Map:
        return union([empty, *(keys.reverse().apply_range(reach) for keys, reach in accesses)]).coalesce()

    return KeyedArray(
        frame,
        name,
        reads=gathered([(keys, reach.may) for keys, reach in reads]),
        writes=gathered([(keys, reach.may) for keys, reach in writes]),
        sure_writes=gathered([(keys, reach.sure) for keys, reach in writes]),
        sure_reads=gathered([(keys, reach.sure) for keys, reach in reads]),
        sums=gathered(
            [
                (keys, reach.may)
                for keys, statement in statements
                for reach in statement.writes
                if reach.array == name and statement.assign is not None and statement.assign.accumulate
            ]
        ),
    )


def _elements(rank: int) -> list[str]:
    return [f"e{axis}" for axis in range(rank)]


# First accesses and last writes.
#
# An access happens at [lead, tile in the strip, key, phase]:
# reads have phase 0 and come before the writes of their instance, phase 1. The lead is 1 for possible writes where the
# question is which elements need a load: the first access of such an element is a read, or it is no sure access at all.


def loads_by_first_access(array: KeyedArray) -> isl.Map:
    """Load(T): the elements whose first access is in T, if they are read before a sure write (theorems 2, 7)."""
    nest = array.frame.nest
    moments = [
        _placed(array, array.reads, lead="0", phase="0"),
        _placed(array, array.sure_writes, lead="0", phase="1"),
        _placed(array, array.writes, lead="1", phase="0"),
    ]
    width = nest.strip_dims + nest.depth + 3
    reading = isl.Set(f"{{ [{', '.join(f'z{place}' for place in range(width))}] : z{width - 1} = 0 }}")
    needed = union(moments).lexmin().intersect_range(reading).domain()
    return _by_tile(nest, _placed(array, array.touched).lexmin().intersect_domain(needed))


def stores_by_last_write(array: KeyedArray) -> isl.Map:
    """Store(T): the elements whose last possible write is in T (theorems 2, 7)."""
    return array.storable(_by_tile(array.frame.nest, _placed(array, array.writes).lexmax()))


def _placed(array: KeyedArray, accesses: isl.Map, lead: str = "", phase: str = "") -> isl.Map:
    """From [element -> outer tile coordinates] to the tile in the strip, or with a lead and a phase to the moment."""
    nest = array.frame.nest
    if any(nest.by_origin):
        hint = "give numbers as tile sizes, or use the method of set differences"
        raise error("bad-tile", "first accesses and last writes need tile sizes that are numbers", hint=hint)
    check_moduli(accesses)
    outer, strip = _coordinates(nest)
    image = [lead, *strip, *key_names(nest), phase] if lead else strip
    tile_and_key = array.frame.inside.range_map().reverse().flatten_range()
    names = ", ".join([*outer, *strip, *key_names(nest)])
    split = isl.Map(f"{{ [{names}] -> [[{', '.join(outer)}] -> [{', '.join(image)}]] }}")
    return accesses.reverse().apply_range(tile_and_key.apply_range(split)).uncurry()


def _by_tile(nest: TiledNest, tiles: isl.Map) -> isl.Map:
    """From [element -> outer] -> tile in the strip to tile -> element."""
    outer, strip = (", ".join(names) for names in _coordinates(nest))
    joined = isl.Map(f"{{ [[{outer}] -> [{strip}]] -> [{', '.join(filter(None, (outer, strip)))}] }}")
    return tiles.curry().apply_range(joined).reverse()


def _coordinates(nest: TiledNest) -> tuple[list[str], list[str]]:
    """Names of a tile's coordinates, outside and inside the strip."""
    names, outer = [f"t{axis}" for axis in range(nest.depth)], nest.depth - nest.strip_dims
    return names[:outer], names[outer:]


# One polyhedron for each set.


def simple_load(array: KeyedArray, load: isl.Map) -> isl.Map:
    """A polyhedron around the loads that overwrites nothing an earlier tile of the strip may have written."""
    return _enclosing_polyhedron(array, load, array.frame.before.apply_range(array.writes), array.frame.first_tiles)


def simple_store(array: KeyedArray, store: isl.Map) -> isl.Map:
    """A polyhedron around the stores that stores nothing a later tile of the strip may write.

    What it stores beyond what the strip writes has to be loaded: give the result to `load_for`.
    """
    return _enclosing_polyhedron(array, store, array.written_after, array.frame.last_tiles)


def _enclosing_polyhedron(array: KeyedArray, moved: isl.Map, forbidden: isl.Map, when: isl.Set) -> isl.Map:
    """A plain polyhedron that holds all transfers and none that is forbidden; else all of a strip at once."""
    check_moduli(moved)
    parts = moved.get_basic_maps()
    if not parts or (len(parts) == 1 and not parts[0].dim(isl.dim_type.div)):
        return moved
    hull = _inside(array, moved.remove_divs().simple_hull())
    if hull.is_disjoint(forbidden):
        return hull
    strip = array.frame.same_strip.apply_range(moved).intersect_domain(when)
    return _inside(array, strip.remove_divs().simple_hull()).intersect_domain(when)


def _inside(array: KeyedArray, hull: isl.BasicMap) -> isl.Map:
    """What of a polyhedron lies in the array and at tiles that run."""
    tiles = array.frame.tiles
    inside = isl.Map.from_basic_map(hull).intersect_range(array.elements)
    inside = inside.intersect_domain(isl.Set.from_basic_set(tiles.remove_divs().simple_hull())).coalesce()
    return inside if inside.domain().is_subset(tiles) else inside.intersect_domain(tiles)
