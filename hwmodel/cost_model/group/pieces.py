"""The contents of each buffer, from every instance of an element: pieces that are products of two lines, if they are.

The idea. With one tick for each block, a tick has digits along the loops of the scan. An axis of a source's array moves
with a loop if the loop's digits differ between subscripts of the axis: digits of the ticks that bring the instances, or
of the ticks that use them last. An index of a loop is a subscript of the axis that moves with it, together with the
digit of the fetch that brings it; it lives to the greatest last digit of its instances. If all combinations of indices
occur, with all places of the free axes, and no instance is used later than its indices live, the source's instances are
a product (`hwmodel/local_memory`). Living longer than its use does no harm.

Contents that are not products, because of cuts or borders, are listed instance by instance.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import IntArray
from hwmodel.accesses import Extents
from hwmodel.cost_model.group.moves import Brought, Lifetimes
from hwmodel.cost_model.numbering import ascending, distinct, narrow, numbered
from hwmodel.local_memory.contents import Contents, Listed, Pieces
from hwmodel.local_memory.pieces import LoopPlaces, Piece

Narrow = NDArray[np.signedinteger[Any]]  # widened before it is multiplied


def contents_of(shape: Extents, loops: Extents, ticks: int, held: Lifetimes) -> Contents:
    """The contents of the buffer of an array; `loops` has the places of each loop, outermost first."""
    sources = [source for source in held.sources if len(source.element)]
    if ticks == math.prod(loops):
        pieces = [piece_of(shape, loops or (1,), source) for source in sources]
        products = tuple(piece for piece in pieces if piece is not None)
        if len(products) == len(sources):
            return Pieces(shape, products)
    return Listed(shape, held.element, held.born, held.last, ticks)


def piece_of(shape: Extents, loops: Extents, source: Brought) -> Piece | None:
    """The piece of an array that a source brings, with so many places of each loop; None if it is not a product."""
    instances = _Instances.of(shape, loops, source)
    indices = instances.indices()
    if indices is None:
        return None
    moving = [index.loop.axis for index in indices]
    numbers, free = [index.number for index in indices], list[LoopPlaces]()
    for axis in (axis for axis in range(len(shape)) if axis not in moving):
        distinct, number = numbered(instances.subscripts[axis], shape[axis])
        free, numbers = [*free, LoopPlaces.free(axis, distinct)], [*numbers, number]
    along = [index.loop for index in indices]
    sizes = [len(loop.first) for loop in (*along, *free)]
    if math.prod(sizes) != len(source.element):
        return None
    together = np.bincount(np.ravel_multi_index(numbers, sizes), minlength=len(source.element))
    dead = np.ravel_multi_index([index.loop.last[index.number] for index in indices], loops)
    if not (together == 1).all() or (dead < instances.final_tick).any():
        return None
    return Piece(tuple(along[:-1]), tuple(along[-1:]), tuple(free), source.lag, source.stage)


@dataclass(frozen=True, eq=False)
class _Index:
    """The indices of a loop, and the number of each instance's index."""

    loop: LoopPlaces
    number: IntArray


@dataclass(frozen=True, eq=False)
class _Instances:
    """Instances of a source: subscripts by axis, and by loop the digits of the ticks of birth and last use."""

    loops: Extents
    subscripts: Sequence[Narrow]
    first: Sequence[Narrow]
    last: Sequence[Narrow]
    final_tick: Narrow
    used: NDArray[np.bool_]

    @staticmethod
    def of(shape: Extents, loops: Extents, source: Brought) -> _Instances:
        """Decode the instances of a source."""
        ticks, elements = math.prod(loops), math.prod(shape)
        tick = narrow(source.born - source.stage, ticks)
        final = np.maximum(narrow(source.last - source.stage - source.lag, ticks), tick)
        subscripts = _digits(narrow(source.element, elements), shape)
        return _Instances(
            loops, subscripts, _digits(tick, loops), _digits(final, loops), final, source.last > source.born
        )

    def indices(self) -> list[_Index] | None:
        """The indices of each loop; None if an axis moves with several loops, or several axes with one loop."""
        axes = [
            [axis for axis in range(len(self.subscripts)) if self._moves(axis, loop)] for loop in range(len(self.loops))
        ]
        moving = [axis for along in axes for axis in along]
        if len(moving) > len(set(moving)) or any(len(along) > 1 for along in axes):
            return None
        return [self._index(loop, *along) for loop, along in enumerate(axes)]

    def _moves(self, axis: int, loop: int) -> bool:
        """Whether the digits of a loop differ between subscripts of an axis."""
        subscript, first, last = self.subscripts[axis], self.first[loop], self.last[loop]
        if self.loops[loop] == 1 or not len(subscript) or subscript.min() == subscript.max():
            return False
        if not _are_alike(subscript, first):
            return True
        # The last use of what is not used says nothing, unless nothing of the subscript is used.
        known = slice(None) if self._all_used else self.used | ~np.isin(subscript, subscript[self.used])
        ends = first * np.int64(self.loops[loop]) + last
        return not _are_alike(subscript[known], ends[known])

    @cached_property
    def _all_used(self) -> bool:
        return bool(self.used.all())

    def _index(self, loop: int, axis: int | None = None) -> _Index:
        """The indices of a loop with the axis that moves with it."""
        extent = self.loops[loop]
        key = self.first[loop] if axis is None else self.subscripts[axis] * np.int64(extent) + self.first[loop]
        distinct, number = numbered(key, int(key.max()) + 1)
        last = np.zeros(len(distinct), np.int64)
        np.maximum.at(last, number, self.last[loop].astype(np.int64))  # of one type it takes a tenth
        return _Index(LoopPlaces(extent, axis, distinct // extent, distinct % extent, last), number)


def _digits(numbers: Narrow, extents: Extents) -> Sequence[Narrow]:
    """The index vectors of row-major numbers, by axis."""
    digits = list[Narrow]()
    for extent in reversed(extents):
        digits.append(numbers % extent)
        numbers = numbers // extent
    return digits[::-1]


def _are_alike(subscript: Narrow, digit: Narrow) -> bool:
    """Whether all subscripts occur with the same set of digits."""
    if not len(digit) or digit.min() == digit.max() or subscript.min() == subscript.max():
        return True
    digits, digit = numbered(digit, int(digit.max()) + 1)
    extent = len(digits)
    pairs = distinct(subscript * np.int64(extent) + digit, (int(subscript.max()) + 1) * extent)
    return len(pairs) == len(ascending(pairs // extent)) * len(ascending(pairs % extent))
