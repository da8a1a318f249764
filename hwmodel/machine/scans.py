"""Scans: the orders in which blocks are taken, and those that a task's delays allow (docs/machine.md, section 2).

A scan is illegal if the block of some r - d comes after that of r. Blocks follow each other in lexicographic order of
their indices, and the block index of r - d along a dimension depends on the index of r there alone. So such an r exists
if and only if there is a dimension along which r - d can lie in a later block, while along every dimension further out
it can lie in the same one: whether each can be is decided by trying all indices of one dimension (`_moves`), and the
indices found make up a repetition that shows it. Nothing is sampled, and no pairs of repetitions are formed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import permutations, product

import numpy as np
from numpy.typing import NDArray

from arrayol.ir.spec import Delay
from hwmodel.accesses import Extents, Indices
from hwmodel.design import Blocks, Scan

Pair = tuple[tuple[int, ...], tuple[int, ...]]


def all_scans(rank: int) -> Iterator[Scan]:
    """Every permutation of the dimensions with every choice of directions."""
    for dimensions in permutations(range(rank)):
        for descending in product((False, True), repeat=rank):
            yield Scan(dimensions, descending)


def block_counts(extents: Extents, shape: Sequence[int]) -> Extents:
    """How many blocks stand along each dimension; the last of them may be smaller."""
    return tuple(-(-extent // side) for extent, side in zip(extents, shape, strict=True))


def block_places(repetitions: Indices, extents: Extents, blocks: Blocks) -> NDArray[np.int64]:
    """The place in the block order of the block of each repetition, given as an (n, rank) array."""
    counts = block_counts(extents, blocks.shape)
    place = np.zeros(len(repetitions), np.int64)
    for dimension, down in zip(blocks.scan.dimensions, blocks.scan.descending, strict=True):
        block = repetitions[:, dimension] // blocks.shape[dimension]
        place = place * counts[dimension] + (counts[dimension] - 1 - block if down else block)
    return place


def prefixes(extents: Extents, blocks: Blocks, level: int) -> NDArray[np.int64]:
    """For each block, in their order, the number of the values that the `level` outer loops have there."""
    counts = block_counts(extents, blocks.shape)
    inner = math.prod(counts[dimension] for dimension in blocks.scan.dimensions[level:])
    return np.arange(math.prod(counts)) // inner


def breaking_pair(extents: Extents, delays: Sequence[Delay], blocks: Blocks) -> tuple[Delay, Pair] | None:
    """A delay, a repetition, and the repetition it reads from that lies in a later block; None for a legal scan."""
    for delay in delays:
        chosen = [max(0, step) for step in delay.vector]  # some repetition whose r - d lies in the space
        for dimension, down in zip(blocks.scan.dimensions, blocks.scan.descending, strict=True):
            moves = _moves(extents[dimension], blocks.shape[dimension], delay.vector[dimension])
            back, same = (moves.ahead if down else moves.behind), moves.same
            if back is not None:
                chosen[dimension] = back
                before = tuple(place - step for place, step in zip(chosen, delay.vector, strict=True))
                return delay, (tuple(chosen), before)
            if same is None:
                break
            chosen[dimension] = same
    return None


class _Moves:
    """Along one dimension: an index whose delayed index is in a lower block, in a higher one, in the same one."""

    def __init__(self, extent: int, side: int, step: int) -> None:
        index = np.arange(max(0, step), min(extent, extent + step))
        change = index // side - (index - step) // side
        self.ahead, self.behind, self.same = (
            int(index[moves][0]) if moves.any() else None for moves in (change > 0, change < 0, change == 0)
        )


@lru_cache(maxsize=4096)
def _moves(extent: int, side: int, step: int) -> _Moves:
    return _Moves(extent, side, step)


def legal_scans(extents: Extents, delays: Sequence[Delay], shape: Extents) -> tuple[Scan, ...]:
    """The scans that blocks of a shape may take.

    First those legal for blocks of one repetition too; then others, unless they differ from one already listed only in
    the direction of dimensions with a single block.
    """
    rank = len(extents)
    legal = [scan for scan in all_scans(rank) if breaking_pair(extents, delays, Blocks(shape, scan)) is None]
    offered = [scan for scan in legal if breaking_pair(extents, delays, Blocks((1,) * rank, scan)) is None]
    orders = {_order(scan, extents, shape) for scan in offered}
    for scan in legal:
        order = _order(scan, extents, shape)
        if order not in orders:
            offered.append(scan)
            orders.add(order)
    return tuple(offered)


def _order(scan: Scan, extents: Extents, shape: Extents) -> tuple[tuple[int, bool], ...]:
    """A scan without directions that make no difference: those of dimensions with a single block."""
    counts = block_counts(extents, shape)
    directed = zip(scan.dimensions, scan.descending, strict=True)
    return tuple((dimension, down and counts[dimension] > 1) for dimension, down in directed)
