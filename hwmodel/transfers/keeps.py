"""What each array moves if it is kept at another level than a strip (docs/transfers.md, "Reading the result").

At level l an array is kept while the l outer coordinates of the tiles stay: an element is loaded by the first of these
tiles that needs it, unless an earlier one of them surely wrote it, and stored by the last that may write it. A strip
along k dimensions is the level k less than the depth; at the level of the depth each tile is for itself. Arrays do not
depend on each other's levels, so each is counted alone, element by element.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from arrayol.arrays import IntArray
from arrayol.tiling.enumerate import rows
from arrayol.tiling.liveness import single_tile_needs, touched
from hwmodel.transfers.bursts import TransferMoves, as_bursts, moves
from hwmodel.transfers.policies import PlanContext


@dataclass(frozen=True)
class KeepCost:
    """What an array moves over all tiles if it is kept at a level; `live` are the most elements kept at once."""

    level: int
    data_loaded: int
    data_stored: int
    bytes_moved: int
    bursts: int
    live: int

    def to_json(self) -> dict[str, int]:
        """All figures by name."""
        return {part.name: getattr(self, part.name) for part in fields(self)}


def keep_costs(ground: PlanContext) -> dict[str, tuple[KeepCost, ...]]:
    """By array that tiles move, at each level from 0 to the depth. Raises TooHardError as `evaluate` does."""
    prefixes = [_prefixes(ground.clock.tile, level) for level in range(ground.nest.depth + 1)]
    accesses = {name: _Accesses.of(ground, name) for name in ground.traffic.moved}
    return {
        name: tuple(own.cost(ground, level, prefix) for level, prefix in enumerate(prefixes))
        for name, own in accesses.items()
    }


def _prefixes(tile: IntArray, level: int) -> IntArray:
    """The number of the values that the outer coordinates of each tile have, in the order of execution."""
    if not len(tile):
        return np.zeros(0, np.int64)
    new = (np.diff(tile[:, :level], axis=0) != 0).any(axis=1)
    return np.concatenate([[0], np.cumsum(new)]).astype(np.int64)


Pairs = tuple[IntArray, IntArray]  # tiles by place in the order of execution, and row-major numbers of elements


@dataclass(frozen=True, eq=False)
class _Accesses:
    """What tiles need of an array if they keep nothing, surely and possibly write, and touch."""

    place: int
    needed: Pairs
    sure: Pairs
    written: Pairs
    touched: Pairs

    @staticmethod
    def of(ground: PlanContext, name: str) -> _Accesses:
        traffic = ground.traffic
        relations = (
            single_tile_needs(traffic, name),
            traffic.surely_written[name],
            traffic.written[name],
            touched(traffic, name),
        )
        pairs = []
        for relation in relations:
            tile, element = rows(relation)
            number = ground.clock.numbers(tile) if len(tile) else np.zeros(0, np.int64)
            pairs.append((number, ground.places[name].linear(element)))
        return _Accesses(list(ground.places).index(name), *pairs)

    def cost(self, ground: PlanContext, level: int, prefix: IntArray) -> KeepCost:
        """The figures where what tiles with one prefix share is kept."""
        wide = 1 + max((int(element.max(initial=0)) for _, element in (self.needed, self.touched)), default=0)
        loads, where = _ends(self.needed, prefix, wide, last=False)
        sure, writer = _ends(self.sure, prefix, wide, last=False)
        written = np.full(len(loads), len(prefix))
        known = np.isin(loads, sure)
        written[known] = writer[np.searchsorted(sure, loads[known])]
        wanted = where <= written
        stores, writing = _ends(self.written, prefix, wide, last=True)
        load = as_bursts(self._moves(where[wanted], loads[wanted] % wide), ground.places.values(), write=False)
        store = as_bursts(self._moves(writing, stores % wide), ground.places.values(), write=True)
        first, last = (_ends(self.touched, prefix, wide, last=end)[1] for end in (False, True))
        change = np.bincount(first, minlength=len(prefix) + 1) - np.bincount(last + 1, minlength=len(prefix) + 1)
        return KeepCost(
            level,
            int(wanted.sum()),
            len(stores),
            int(load.bursts.size.sum() + store.bursts.size.sum()),
            len(load.bursts) + len(store.bursts),
            int(np.cumsum(change).max(initial=0)),
        )

    def _moves(self, tile: IntArray, element: IntArray) -> TransferMoves:
        return moves([(tile, self.place, element)])


def _ends(pairs: Pairs, prefix: IntArray, wide: int, *, last: bool) -> Pairs:
    """Each prefix and element in one number, ascending, and the first or last of its tiles."""
    tile, element = pairs
    key = prefix[tile] * wide + element if len(tile) else element
    order = np.lexsort((-tile if last else tile, key))
    key, tile = key[order], tile[order]
    heads = np.diff(key, prepend=-1) != 0
    return key[heads], tile[heads]
