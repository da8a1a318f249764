"""What each buffer holds, from every instance of an element: pieces that are products of two lines, where they are.

A tick has digits along the loops of the scan where there is one for each block. Of a source, an axis of the array moves
with a loop if digits along it differ between its subscripts: digits of the ticks that bring its instances, or of the
ticks that use them last. An index of a loop is a subscript of the axis that moves with it, with the digit of the fetch
that brings it; it lives to the greatest last digit of its instances. If all combinations of indices are there, with all
places of the axes that move with no loop, and none is used later than its indices live, then the source's instances
are such a product (`hwmodel/local_memory`). Living longer than its use does no harm.

What is no product, for the sake of cuts, recomputing or borders, is listed instance by instance.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hwmodel.accesses import Extents
from hwmodel.local_memory.contents import Contents, Listed, Pieces
from hwmodel.local_memory.lines import Line, Lines
from hwmodel.local_memory.pieces import Piece, Subscripts
from hwmodel.machine.group import Elements
from hwmodel.machine.moves import Brought, Held


def contents_of(shape: Extents, loops: Extents, ticks: int, held: Held) -> Contents:
    """What the buffer of an array of a shape holds; `loops` has the places of each loop, the outermost first."""
    sources = [source for source in held.sources if len(source.element)]
    if ticks == math.prod(loops):
        pieces = [piece_of(shape, loops or (1,), source) for source in sources]
        products = tuple(piece for piece in pieces if piece is not None)
        if len(products) == len(sources):
            return Pieces(shape, products)
    return Listed(shape, held.element, held.born, held.last, ticks)


def piece_of(shape: Extents, loops: Extents, source: Brought) -> Piece | None:
    """The piece of an array of this shape that a source brings in so many places of each loop; None for no product."""
    instances = _Instances.of(shape, loops, source)
    indices = instances.indices()
    if indices is None:
        return None
    free = _Free.of(instances.subscripts, [index.axis for index in indices])
    sizes = [*(len(index.first) for index in indices), *free.sizes]
    if math.prod(sizes) != len(source.element):
        return None
    numbers = [*(index.number for index in indices), *free.numbers]
    together = np.bincount(np.ravel_multi_index(numbers, sizes), minlength=len(source.element))
    dead = np.ravel_multi_index([index.last[index.number] for index in indices], loops)
    if not (together == 1).all() or (dead < instances.final_tick).any():
        return None
    (outer, rows), (inner, columns) = _line(indices[:-1], loops[:-1]), _line(indices[-1:], loops[-1:])
    lines = Lines(outer, inner, source.lag, math.prod(free.sizes))
    return Piece(lines, rows, columns, free.subscripts, source.stage)


@dataclass(frozen=True, eq=False)
class _Index:
    """The indices of a loop: subscripts of the axis that moves with it, if one does, and the loop's digits of each.

    `number` is that of each instance.
    """

    axis: int | None
    subscript: Elements
    first: Elements
    last: Elements
    number: Elements


@dataclass(frozen=True, eq=False)
class _Instances:
    """Instances of a source: subscripts by axis, and digits by loop of the ticks that bring each and use it last."""

    loops: Extents
    subscripts: Sequence[Elements]
    first: Sequence[Elements]
    last: Sequence[Elements]
    final_tick: Elements
    used: NDArray[np.bool_]

    @staticmethod
    def of(shape: Extents, loops: Extents, source: Brought) -> _Instances:
        tick = source.born - source.stage
        final = np.maximum(source.last - source.stage - source.lag, tick)
        subscripts = np.unravel_index(source.element, shape) if shape else ()
        first, last = np.unravel_index(tick, loops), np.unravel_index(final, loops)
        return _Instances(loops, subscripts, first, last, final, source.last > source.born)

    def indices(self) -> list[_Index] | None:
        """The indices of each loop; None where an axis moves with several loops, or several with one."""
        axes = [
            [axis for axis in range(len(self.subscripts)) if self._moves(axis, loop)] for loop in range(len(self.loops))
        ]
        moving = [axis for along in axes for axis in along]
        if len(moving) > len(set(moving)) or any(len(along) > 1 for along in axes):
            return None
        return [self._index(loop, *along) for loop, along in enumerate(axes)]

    def _moves(self, axis: int, loop: int) -> bool:
        """Whether digits of the loop differ between subscripts of an axis."""
        subscript, first, last = self.subscripts[axis], self.first[loop], self.last[loop]
        # The last use of what is not used says nothing, unless nothing of the subscript is used.
        known = self.used if self.used.all() else self.used | ~np.isin(subscript, subscript[self.used])
        ends = (first * self.loops[loop] + last)[known]
        return not (_are_alike(subscript, first) and _are_alike(subscript[known], ends))

    def _index(self, loop: int, axis: int | None = None) -> _Index:
        extent = self.loops[loop]
        own = self.first[loop] if axis is None else self.subscripts[axis] * extent + self.first[loop]
        found, number = np.unique(own, return_inverse=True)
        last = np.zeros(len(found), np.int64)
        np.maximum.at(last, number.ravel(), self.last[loop])
        return _Index(axis, found // extent, found % extent, last, number.ravel())


def _are_alike(subscript: Elements, digit: Elements) -> bool:
    """Whether all subscripts have the same digits."""
    if not len(digit) or digit.min() == digit.max() or subscript.min() == subscript.max():
        return True
    extent = int(digit.max()) + 1
    pairs = np.unique(subscript * extent + digit)
    return len(pairs) == len(np.unique(pairs // extent)) * len(np.unique(pairs % extent))


def _line(indices: Sequence[_Index], loops: Extents) -> tuple[Line, Subscripts]:
    """The line of some loops, and the subscripts of its indices: all combinations, the first loop's outermost."""
    sizes = [len(index.first) for index in indices]
    chosen = np.unravel_index(np.arange(math.prod(sizes)), sizes) if sizes else ()
    first, last = (
        np.ravel_multi_index([digits[own] for digits, own in zip(ends, chosen, strict=True)], loops)
        if sizes
        else np.zeros(1, np.int64)
        for ends in ([index.first for index in indices], [index.last for index in indices])
    )
    moving = [(index.axis, index.subscript[own]) for index, own in zip(indices, chosen, strict=True)]
    axes = tuple(axis for axis, _ in moving if axis is not None)
    places = [subscript for axis, subscript in moving if axis is not None]
    return Line(math.prod(loops), first, last), Subscripts(axes, _columns(places, len(first)))


@dataclass(frozen=True, eq=False)
class _Free:
    """The axes that move with no loop: how many subscripts of each there are, and the number of each instance's."""

    sizes: list[int]
    numbers: list[Elements]
    subscripts: Subscripts

    @staticmethod
    def of(subscripts: Sequence[Elements], moving: Sequence[int | None]) -> _Free:
        axes = tuple(axis for axis in range(len(subscripts)) if axis not in moving)
        found = [np.unique(subscripts[axis], return_inverse=True) for axis in axes]
        sizes = [len(own) for own, _ in found]
        chosen = np.unravel_index(np.arange(math.prod(sizes)), sizes) if sizes else ()
        places = [own[at] for (own, _), at in zip(found, chosen, strict=True)]
        return _Free(
            sizes, [number.ravel() for _, number in found], Subscripts(axes, _columns(places, math.prod(sizes)))
        )


def _columns(places: Sequence[Elements], rows: int) -> Elements:
    return np.stack(places, axis=1) if places else np.zeros((rows, 0), np.int64)
