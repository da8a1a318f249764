"""Theorems 2 and 7 of paper C: loads by the first access to an element, stores by the last write; no differences.

Tile numbers are needed here, so no size may be symbolic. An access happens at [lead, tile in the strip, key, phase]:
reads have phase 0 and come before the writes of their instance, phase 1. The lead is 1 for possible writes where the
question is which elements need a load: the first access of such an element is a read, or it is no sure access at all.
"""

from __future__ import annotations

import islpy as isl

from arrayol.errors import error
from arrayol.tiling.load_store import KeyedArray
from arrayol.tiling.nest import TiledNest
from arrayol.tiling.relations import check_moduli, inside_text, relation


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
