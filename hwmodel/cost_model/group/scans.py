"""Scans: the orders in which blocks are taken, and those that a task's delays allow (docs/machine.md, section 2).

The idea. A scan is illegal if the block of some r - d comes after that of r. Blocks are in lexicographic order of their
indices, and the block index of r - d along a dimension depends only on the index of r there. So such an r exists if and
only if there is a dimension along which r - d can lie in a later block, while along every outer dimension it can lie in
the same one. `moves_of` says whether each is possible, and the indices that it finds make up a repetition that shows
it. Nothing is sampled, and no pairs of repetitions are formed. `hwmodel.cost_model.group.legal_scans` has
the legal scans.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import IntArray
from arrayol.ir.spec import Delay
from hwmodel.accesses import Extents
from hwmodel.design import Blocks

Pair = tuple[tuple[int, ...], tuple[int, ...]]


def block_places(repetitions: IntArray, extents: Extents, blocks: Blocks) -> NDArray[np.int64]:
    """The index in the block order of the block of each repetition, given as an (n, rank) array.

    With blocks of blocks, the repetitions must be the whole space, since indices are then counted among them.
    """
    place = _loop_places([repetitions[:, dimension] for dimension in range(len(extents))], extents, blocks)
    return np.unique(place, return_inverse=True)[1].ravel() if blocks.outer else place


def prefixes(extents: Extents, blocks: Blocks, level: int) -> NDArray[np.int64]:
    """The number of the prefix of each block, in block order: the values of the `level` outer loops."""
    starts = [_starts(extent, blocks.sides(dimension)) for dimension, extent in enumerate(extents)]
    places = np.sort(_loop_places([grid.ravel() for grid in np.meshgrid(*starts, indexing="ij")], extents, blocks))
    inner = math.prod(loop_counts(extents, blocks)[level:])
    return np.unique(places // inner, return_inverse=True)[1].ravel()


def _starts(extent: int, sides: Sequence[int]) -> IntArray:
    """The indices at which blocks along a dimension start."""
    index = np.arange(extent)
    for side in sides[:-1]:
        index = index % side
    return np.flatnonzero(index % sides[-1] == 0)


def loop_counts(extents: Extents, blocks: Blocks) -> list[int]:
    """The most places of each loop; for inner blocks, those in a whole outer block."""
    remaining, counts, loops = list(extents), list[int](), _loops(blocks)
    for dimension, _, side in loops:
        counts.append(-(-remaining[dimension] // side))
        remaining[dimension] = min(remaining[dimension], side)
    return counts


def _loops(blocks: Blocks) -> list[tuple[int, bool, int]]:
    """The loops of a scan: dimension, whether it descends, and the side of its blocks."""
    remaining = {dimension: list(blocks.sides(dimension)) for dimension in blocks.scan.dimensions}
    directed = zip(blocks.scan.dimensions, blocks.scan.descending, strict=True)
    return [(dimension, down, remaining[dimension].pop(0)) for dimension, down in directed]


def _loop_places(columns: Sequence[IntArray], extents: Extents, blocks: Blocks) -> NDArray[np.int64]:
    """The places in all loops of each repetition's block, as one number; one column of indices per dimension.

    Outer blocks at the far ends may have fewer blocks than others: some numbers then belong to no block.
    """
    remaining = list(columns)
    place = np.zeros(columns[0].shape if columns else 1, np.int64)
    for (dimension, down, side), count in zip(_loops(blocks), loop_counts(extents, blocks), strict=True):
        block, remaining[dimension] = remaining[dimension] // side, remaining[dimension] % side
        place = place * count + (count - 1 - block if down else block)
    return place


def breaking_pair(extents: Extents, delays: Sequence[Delay], blocks: Blocks) -> tuple[Delay, Pair] | None:
    """A delay, a repetition, and the repetition it reads from, which lies in a later block; None for a legal scan."""
    for delay in delays:
        chosen = [max(0, step) for step in delay.vector]  # some repetition whose r - d lies in the space
        along = enumerate(zip(extents, delay.vector, strict=True))
        remaining = [list(moves_of(extent, blocks.sides(dimension), step)) for dimension, (extent, step) in along]
        for dimension, down in zip(blocks.scan.dimensions, blocks.scan.descending, strict=True):
            moves = remaining[dimension].pop(0)
            back, same = (moves.ahead if down else moves.behind), moves.same
            if back is not None:
                chosen[dimension] = back
                before = tuple(place - step for place, step in zip(chosen, delay.vector, strict=True))
                return delay, (tuple(chosen), before)
            if same is None:
                break
            chosen[dimension] = same
    return None


@dataclass(frozen=True, slots=True)
class DelayMoves:
    """The first index along one dimension whose delayed index is in a lower, a higher, or the same block.

    None if there is no such index.
    """

    ahead: int | None
    behind: int | None
    same: int | None


@lru_cache(maxsize=4096)
def moves_of(extent: int, sides: tuple[int, ...], step: int) -> tuple[DelayMoves, ...]:
    """The moves at each level of blocks, for indices that stay in the same block at all outer levels.

    The first block at a level shows all that can happen in any of its blocks, and all indices before those of others.
    """
    moves = []
    for side in sides:
        far, starts = abs(step), max(0, step)  # the first index whose delayed one lies in the space
        same = crossing = None
        if far < extent:
            same = starts if far < side else None
            if step and far >= side:
                crossing = starts
            elif step and side < extent:
                crossing = side if step > 0 else side - far
        moves.append(DelayMoves(crossing if step > 0 else None, crossing if step < 0 else None, same))
        extent = min(extent, side) if same is not None else 0
    return tuple(moves)
