"""Tiles and instances of a nest without symbols, in the order in which they run."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

import islpy as isl
import numpy as np

from arrayol.tiling.enumerate import Integers, points, rows
from arrayol.tiling.nest import TiledNest
from arrayol.tiling.relations import tile_of_time
from arrayol.tiling.tile import answered_in_time


@dataclass(frozen=True, slots=True)
class Iterations:
    """Every instance of a nest, row by row in the order of execution.

    `tile` and `time` have a column for each schedule dimension, `statement` gives places in `nest.statements`,
    `instance` the values of the range variables, padded with zeros up to those of the deepest statement.
    """

    tile: Integers
    time: Integers
    statement: Integers
    instance: Integers


def tile_set(nest: TiledNest) -> isl.Set:
    """The tiles in which an instance runs. Raises ArrayolError (`nest-too-hard`)."""
    with answered_in_time(nest.name):
        times = [one.domain.apply(one.schedule) for one in nest.statements]
        return reduce(lambda one, other: one.union(other), times).apply(tile_of_time(nest)).coalesce()


def tiles(nest: TiledNest) -> Integers:
    """The tiles in which an instance runs, in the order of execution: shape (tiles, schedule dimensions)."""
    return points(tile_set(nest))


def strips(nest: TiledNest) -> list[Integers]:
    """The tiles of each strip, strips and tiles in the order of execution."""
    found = tiles(nest)
    outer = found[:, : nest.depth - nest.strip_dims]
    starts = np.flatnonzero(np.any(outer[1:] != outer[:-1], axis=1)) + 1
    return [strip for strip in np.split(found, starts) if len(strip)]


def iterations(nest: TiledNest) -> Iterations:
    """Every instance, in the order of execution: by tile, time, and place in the text."""
    sizes = np.array([size for size in nest.sizes if isinstance(size, int)], np.int64)
    width = max(len(one.indices) for one in nest.statements)
    found = [rows(one.schedule.intersect_domain(one.domain)) for one in nest.statements]
    time = np.concatenate([one.image for one in found])
    statement = np.concatenate([np.full(len(one.image), place) for place, one in enumerate(found)])
    instance = np.concatenate([np.pad(one.domain, [(0, 0), (0, width - one.domain.shape[1])]) for one in found])
    tile = time // sizes
    order = np.lexsort([statement, *time.T[::-1], *tile.T[::-1]])
    return Iterations(tile[order], time[order], statement[order], instance[order])
