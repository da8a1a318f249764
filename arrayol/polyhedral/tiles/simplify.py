"""Loads and stores as one polyhedron per array, still valid in the sense of theorems 3 and 4 of paper C.

The hull of all loads could load again what an earlier tile wrote, and the hull of all stores could store what a later
tile still writes. Where it would, the whole strip is loaded before its first tile, or stored after its last.
"""

from __future__ import annotations

import islpy as isl

from arrayol.polyhedral.tiles.keyed import KeyedArray
from arrayol.polyhedral.tiles.relations import same_strip


def simple_load(array: KeyedArray, load: isl.Map) -> isl.Map:
    """A polyhedron around the loads that overwrites nothing an earlier tile of the strip may have written."""
    hull = _hull(array, load)
    if hull.is_disjoint(array.written_before):
        return hull
    return _gathered(array, load, array.frame.first_tiles)


def simple_store(array: KeyedArray, store: isl.Map) -> isl.Map:
    """A polyhedron around the stores that stores nothing a later tile of the strip may write.

    What it stores beyond what the strip writes has to be loaded: give the result to `load_for`.
    """
    hull = _hull(array, store)
    if hull.is_disjoint(array.written_after):
        return hull
    return _gathered(array, store, array.frame.last_tiles)


def _gathered(array: KeyedArray, moved: isl.Map, when: isl.Set) -> isl.Map:
    """All that a strip moves, moved in one of its tiles."""
    return _hull(array, same_strip(array.frame.nest).apply_range(moved).intersect_domain(when)).intersect_domain(when)


def _hull(array: KeyedArray, found: isl.Map) -> isl.Map:
    """The least polyhedron around a relation, at tiles that run."""
    if found.is_empty():
        return found
    hull = isl.Map.from_basic_map(found.remove_divs().convex_hull()).coalesce()
    running = array.frame.tiles
    return hull if hull.domain().is_subset(running) else hull.intersect_domain(running)
