"""Loads and stores as one polyhedron per array, still valid in the sense of theorems 3 and 4 of paper C.

The hull of all loads could load again what an earlier tile wrote, and the hull of all stores could store what a later
tile still writes. Where it would, the whole strip is loaded before its first tile, or stored after its last.
"""

from __future__ import annotations

import islpy as isl

from arrayol.tiling.load_store import KeyedArray
from arrayol.tiling.relations import check_moduli, same_strip


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
