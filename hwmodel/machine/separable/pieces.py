"""What the buffers of one structure hold, as pieces on two lines (`hwmodel/local_memory/pieces`).

A piece is a product of lines along the dimensions of the blocks (`axis_lines`). An axis of its array that moves with
one of them belongs to its line, unless all its subscripts come and go in the same places: such an axis is free, as is
one that moves with no dimension.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hwmodel.local_memory.contents import Pieces
from hwmodel.local_memory.lines import Line, Lines
from hwmodel.local_memory.pieces import Piece, Subscripts
from hwmodel.machine.separable.axes import Ints
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


@dataclass(frozen=True, eq=False)
class _Along:
    """A line along one dimension of the blocks: subscripts of an axis, or none; those of the axis if it is free."""

    places: int
    axis: int | None
    subscript: Ints
    first: Ints
    last: Ints
    free: tuple[int, Ints] | None

    @staticmethod
    def of(table: AxisTable, side: int, number: int, axis: int | None) -> _Along:
        lines = table.lines[number]
        subscript, first, last, free = lines.indices(side)
        if axis is None or lines.alike[side]:
            return _Along(int(table.places[side]), None, subscript, first, last, None if axis is None else (axis, free))
        return _Along(int(table.places[side]), axis, subscript, first, last, None)


def _piece(counts: GroupCounts, structures: Structures, number: int, source: Source, first: int) -> Piece:
    parts = counts.parts
    axes = [parts.axes[source.piece][block] for block in structures.blocks]
    orders = [
        (table, pick)
        for order in (structures.outer, structures.inner)
        for table, pick in zip(order.tables, order.picks[0], strict=True)
    ]
    along = [_Along.of(table, side, number, axis) for (table, side), axis in zip(orders, axes, strict=True)]
    free = dict(own.free for own in along if own.free is not None)
    for axis in parts.free_axes(source.piece):
        free[axis] = np.flatnonzero(counts.free_indices(source.piece, axis))
    (outer, rows), (inner, columns) = _line(along[:-1]), _line(along[-1:])
    subscripts = _subscripts([(axis, free[axis]) for axis in sorted(free)])
    lines = Lines(outer, inner, source.lag, len(subscripts.places))
    return Piece(lines, rows, columns, subscripts, source.stage - first)


def _line(along: Sequence[_Along]) -> tuple[Line, Subscripts]:
    """The line of some dimensions: all combinations of their indices, the outermost dimension's first."""
    loops = [own.places for own in along]
    sizes = [len(own.first) for own in along]
    chosen = np.unravel_index(np.arange(math.prod(sizes)), sizes) if sizes else ()
    first, last = np.zeros(math.prod(sizes), np.int64), np.zeros(math.prod(sizes), np.int64)
    for own, at in zip(along, chosen, strict=True):
        first, last = first * own.places + own.first[at], last * own.places + own.last[at]
    moving = [(own.axis, own.subscript[at]) for own, at in zip(along, chosen, strict=True) if own.axis is not None]
    columns = np.stack([places for _, places in moving], axis=1) if moving else np.zeros((len(first), 0), np.int64)
    return Line(math.prod(loops), first, last), Subscripts(tuple(axis for axis, _ in moving), columns)


def _subscripts(axes: Sequence[tuple[int, Ints]]) -> Subscripts:
    """All combinations of subscripts of some axes, row-major."""
    grid = np.meshgrid(*(places for _, places in axes), indexing="ij")
    columns = np.stack([each.ravel() for each in grid], axis=1) if axes else np.zeros((1, 0), np.int64)
    return Subscripts(tuple(axis for axis, _ in axes), columns)
