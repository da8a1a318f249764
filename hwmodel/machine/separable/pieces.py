"""What the buffers of one structure hold, as pieces on two lines (`hwmodel/local_memory/pieces`).

A piece is a product of lines along the dimensions of the blocks (`axis_lines`). An axis of its array that moves with
one of them belongs to its line, unless all its subscripts come and go in the same places: such an axis is free, as is
one that moves with no dimension.
"""

from __future__ import annotations

import numpy as np

from hwmodel.local_memory.contents import Pieces
from hwmodel.local_memory.pieces import Loop, Piece
from hwmodel.machine.separable.axis_table import AxisTable
from hwmodel.machine.separable.block_order import Structures
from hwmodel.machine.separable.counts import GroupCounts, Source


def buffer_contents(counts: GroupCounts, structures: Structures, first: int) -> dict[int, Pieces]:
    """What each buffer holds in the one structure there is, by number of the memory; step 0 has stage `first`."""
    pieces: dict[int, list[Piece]] = {}
    for number, source in enumerate(counts.sources):
        piece = _piece(counts, structures, number, source, first)
        pieces.setdefault(source.memory, []).extend([piece] if piece.lines.pairs else [])
    shape = counts.parts.group.accesses.shape
    return {memory: Pieces(shape(counts.memories[memory].name), tuple(own)) for memory, own in pieces.items()}


def _piece(counts: GroupCounts, structures: Structures, number: int, source: Source, first: int) -> Piece:
    parts = counts.parts
    axes = [parts.axes[source.piece][block] for block in structures.blocks]
    orders = [
        (table, side)
        for order in (structures.outer, structures.inner)
        for table, side in zip(order.tables, order.picks[0], strict=True)
    ]
    along = [_along(table, side, number, axis) for (table, side), axis in zip(orders, axes, strict=True)]
    free = [loop for _, loop in along if loop is not None]
    free += [
        Loop.free(axis, np.flatnonzero(counts.free_indices(source.piece, axis)))
        for axis in parts.free_axes(source.piece)
    ]
    loops = [loop for loop, _ in along]
    free.sort(key=lambda loop: loop.axis or 0)
    return Piece(tuple(loops[:-1]), tuple(loops[-1:]), tuple(free), source.lag, source.stage - first)


def _along(table: AxisTable, side: int, number: int, axis: int | None) -> tuple[Loop, Loop | None]:
    """The indices along one dimension of the blocks, and the subscripts of its axis if that is free."""
    lines = table.lines[number]
    subscript, first, last, free = lines.indices(side)
    is_free = axis is not None and bool(lines.alike[side])
    loop = Loop(int(table.places[side]), None if is_free else axis, subscript, first, last)
    return loop, Loop.free(axis, free) if axis is not None and is_free else None
