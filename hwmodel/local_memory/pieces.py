"""What one source brings to a buffer: its lines, and which elements of the array their indices stand for.

A source is the loader, or a task that writes the array. An axis of the array that moves with the inner loop of the walk
belongs to the inner line, one that moves with other loops to the outer line, one that no tick tells apart is free. An
index of a line stands for the subscripts of its axes and for the fetch that brings it: what is fetched again has an
index for each fetch. Indices ascend by subscript, then by fetch; those of several loops by the outermost loop first.
"""

from __future__ import annotations

from dataclasses import dataclass

from hwmodel.local_memory.addresses import Ints
from hwmodel.local_memory.lines import Lines


@dataclass(frozen=True, eq=False)
class Subscripts:
    """Subscripts of some axes of an array, `places` (indices, axes) in the order of the indices."""

    axes: tuple[int, ...]
    places: Ints


@dataclass(frozen=True, eq=False)
class Piece:
    """Lines with the subscripts of their indices; the `free` part of each pair in the row-major order of its axes.

    `start` is the step in which the source does what it does for the first place of the walk.
    """

    lines: Lines
    outer: Subscripts
    inner: Subscripts
    free: Subscripts
    start: int = 0
