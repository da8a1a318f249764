"""Tilers that many constructions need."""

from __future__ import annotations

from arrayol.ir.spec import IntMatrix, Tiler
from arrayol.source import Span


def identity(size: int) -> IntMatrix:
    """The identity matrix, row by row."""
    return tuple(tuple(int(row == column) for column in range(size)) for row in range(size))


def zeros(rows: int, columns: int) -> IntMatrix:
    """A matrix of zeros, row by row."""
    return ((0,) * columns,) * rows


def whole_array_tiler(rank: int, span: Span, steps: int = 0) -> Tiler:
    """e(r, f) = f: each repetition, of so many dimensions, has the array of that rank itself as its pattern."""
    return Tiler((0,) * rank, zeros(rank, steps), identity(rank), False, span)


def own_part_tiler(steps: int, rank: int, span: Span) -> Tiler:
    """e(r, f) = (r, f): each repetition, of so many dimensions, has a part of the array for itself, of that rank."""
    paving = identity(steps) + zeros(rank, steps)
    return Tiler((0,) * (steps + rank), paving, zeros(steps, rank) + identity(rank), False, span)
