"""How many elements tiles move, as formulas in the symbols and the tile's coordinates."""

from __future__ import annotations

import islpy as isl

from arrayol.polyhedral.isl import TooHardError, bounded_effort
from arrayol.tiling.conditions import only_tiles
from arrayol.tiling.counting import Counter
from arrayol.tiling.formulas import Formula
from arrayol.tiling.nest import PREFIX, TiledNest

EFFORT = 3_000_000  # isl's operations for one formula


def size_formula(relation: isl.Map, nest: TiledNest) -> Formula | None:
    """The number of elements that a relation gives each tile, by the tile's coordinates and the symbols.

    None where no formula was found within bounds.
    """
    relation = relation.intersect_domain(only_tiles(relation.domain(), nest))
    flat = relation.wrap().flatten()
    names = [f"{PREFIX}{name}" for name in nest.tile_names]
    parameters = flat.dim(isl.dim_type.param)
    moved = flat.move_dims(isl.dim_type.param, parameters, isl.dim_type.set, 0, nest.depth)
    for place, name in enumerate(names):
        moved = moved.set_dim_name(isl.dim_type.param, parameters + place, name)
    known = nest.context.add_dims(isl.dim_type.param, nest.depth)
    for place, name in enumerate(names):
        known = known.set_dim_name(isl.dim_type.param, parameters + place, name)
    exists = moved.params()
    return count_formula(moved, known.intersect(exists.simple_hull()))


def total_formula(relation: isl.Map, nest: TiledNest) -> Formula | None:
    """The number of pairs of a relation from tiles to elements: its elements summed over all tiles.

    None where no formula was found within bounds, or where a tile size is symbolic: only multiples of it are origins.
    """
    return None if any(nest.by_origin) else count_formula(relation.wrap().flatten(), nest.context)


def count_formula(points: isl.Set, context: isl.Set) -> Formula | None:
    """The number of points of a set as a function of its parameters; None where it was not found within bounds."""
    try:
        with bounded_effort(EFFORT):
            return Counter(context).formula(points)
    except TooHardError:
        return None
