"""What buffers hold where dimensions are coupled (`coupling`).

The data of a source are every combination of what it brings along each component of the blocks. So they are a product
of loops if they are one along each component, which is asked once for each choice of its sides (`piece_of`): a piece
then has the loops of all components, in the order of the scan. Where they are none along some component, all data of
the buffer are listed, every combination with the step that brings it and that of its last use; and they have addresses
by their subscripts (docs/machine.md, section 5).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from hwmodel.local_memory.contents import Contents, Listed, Pieces
from hwmodel.local_memory.pieces import Loop, Piece
from hwmodel.machine.moves import Brought
from hwmodel.machine.pieces import piece_of
from hwmodel.machine.separable.axes import Ints
from hwmodel.machine.separable.axis_table import AxisTable
from hwmodel.machine.separable.block_order import Structures, Walked
from hwmodel.machine.separable.counts import GroupCounts


def coupled_memories(counts: GroupCounts, walked: Sequence[Walked]) -> frozenset[int]:
    """The buffers that hold data of which a component has several loops or axes, by number."""
    several = any(len(each.loops) > 1 for each in walked)
    parts = counts.parts
    return frozenset(
        source.memory
        for source in counts.sources
        if several or any(len(side) > 1 for side in parts.spaces.axes(parts.array_of(source.piece)))
    )


def coupled_contents(counts: GroupCounts, structures: Structures, row: int, memory: int, first: int = 0) -> Contents:
    """What a buffer holds in one of the structures; step 0 has stage `first`."""
    shape = counts.parts.group.accesses.shape(counts.memories[memory].name)
    walk = [(each, int(pick)) for each, pick in zip(structures.walked, structures.picks[row], strict=True)]
    sources = [_Combined(counts, walk, number) for number, own in enumerate(counts.sources) if own.memory == memory]
    pieces = [source.piece(first) for source in sources]
    whole = [piece for piece in pieces if piece is not None]
    if len(whole) == len(pieces):
        return Pieces(shape, tuple(piece for piece in whole if piece.lines.pairs))
    columns = zip(*(source.data(first) for source in sources), strict=True)
    element, born, last = (np.concatenate(column) for column in columns)
    return Listed(shape, element, born, last, math.prod(sources[0].places))


@dataclass(frozen=True, eq=False)
class _Combined:
    """What a source brings in one structure: of each component of the blocks what its side brings."""

    counts: GroupCounts
    walk: Sequence[tuple[Walked, int]]
    number: int

    @property
    def places(self) -> list[int]:
        """The places of the scan's loops."""
        places: dict[int, int] = {}
        for each, pick in self.walk:
            places |= dict(zip(each.loops, each.table.loops[pick].tolist(), strict=True))
        return [places[loop] for loop in range(len(places))]

    def piece(self, first: int) -> Piece | None:
        """The product of loops that it is; None where it is none."""
        source, loops, free = self.counts.sources[self.number], dict[int, Loop](), list[Loop]()
        for each, pick in self.walk:
            axes = self._axes(each.block)
            own = _piece_along(each.table, self.number, pick, [self._shape[axis] for axis in axes], source.lag)
            if own is None:
                return None
            along = [loop if loop.axis is None else replace(loop, axis=axes[loop.axis]) for loop in _loops(own)]
            loops |= dict(zip(each.loops, along, strict=False))
            free += along[len(each.loops) :]
        for side in self.counts.parts.free_axes(source.piece):
            for axis in self.counts.parts.axes_of(source.piece, side):
                free.append(Loop.free(axis, self.counts.free_subscripts(source.piece, axis)))
        free.sort(key=lambda loop: loop.axis or 0)
        ordered = [loops[loop] for loop in range(len(loops))]
        return Piece(tuple(ordered[:-1]), tuple(ordered[-1:]), tuple(free), source.lag, source.stage - first)

    def data(self, first: int) -> tuple[Ints, Ints, Ints]:
        """All its data: the element, the step that brings it, and that of its last use."""
        source, weights = self.counts.sources[self.number], _weights(self.places)
        element, born, last = (np.zeros(1, np.int64) for _ in range(3))
        for each, pick in self.walk:
            cell, come, gone = each.table.lines[self.number].instances(pick)
            element = _with(element, self._elements(self._axes(each.block), cell))
            wide, own = each.table.loops[pick].tolist(), [weights[loop] for loop in each.loops]
            born, last = _with(born, _numbers(come, wide, own)), _with(last, _numbers(gone, wide, own))
        for side in self.counts.parts.free_axes(source.piece):
            cells = np.flatnonzero(self.counts.free_indices(source.piece, side))
            element = _with(element, self._elements(self.counts.parts.axes_of(source.piece, side), cells))
            born, last = _with(born, 0 * cells), _with(last, 0 * cells)
        stage = source.stage - first
        return element, born + stage, last + stage + source.lag

    @property
    def _shape(self) -> Sequence[int]:
        parts = self.counts.parts
        return parts.group.accesses.shape(parts.array_of(self.counts.sources[self.number].piece))

    def _axes(self, block: int) -> Sequence[int]:
        """The axes of the array that move with a dimension of the blocks."""
        parts, piece = self.counts.parts, self.counts.sources[self.number].piece
        side = parts.axes[piece][block]
        return () if side is None else parts.axes_of(piece, side)

    def _elements(self, axes: Sequence[int], cells: Ints) -> Ints:
        """What cells of some axes count in the numbers of elements."""
        weights = _weights(self._shape)
        return _numbers(cells, [self._shape[axis] for axis in axes], [weights[axis] for axis in axes])


def _piece_along(table: AxisTable, number: int, side: int, shape: Sequence[int], lag: int) -> Piece | None:
    """The product that a source is along one component, for one choice of its sides; None where it is none."""
    key = number, side
    if key not in table.pieces:
        cell, come, gone = table.lines[number].instances(side)
        brought = Brought(cell, come, gone + lag, 0, lag)
        table.pieces[key] = piece_of(tuple(shape), tuple(table.loops[side].tolist()), brought)
    return table.pieces[key]


def _loops(piece: Piece) -> tuple[Loop, ...]:
    return (*piece.outer, *piece.inner, *piece.free)


def _with(numbers: Ints, others: Ints) -> Ints:
    """The sums of all pairs."""
    return (numbers[:, None] + others[None, :]).ravel()


def _weights(extents: Sequence[int]) -> list[int]:
    """What an index along each of some extents counts in a row-major number."""
    return [math.prod(extents[place + 1 :]) for place in range(len(extents))]


def _numbers(codes: Ints, extents: Sequence[int], weights: Sequence[int]) -> Ints:
    """The sums of the digits of row-major numbers, each times what it counts."""
    digits = np.unravel_index(codes, tuple(extents)) if extents else ()
    total = np.zeros(len(codes), np.int64)
    for weight, digit in zip(weights, digits, strict=True):
        total += weight * digit
    return total
