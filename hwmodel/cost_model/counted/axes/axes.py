"""Which repetition dimension moves along which array axis, and with which block dimension.

Each tiler is first separated by axes (`links`): the elements that it touches are a Cartesian product over the axes,
each axis with at most one dimension of the repetition.

Then dimensions are matched over the whole group (`find_parts`), against the dataflow. The last task's dimensions are
the block dimensions. An array axis moves with the block dimension that its reader's dimension moves with, and a
dimension of the writer moves with the block dimension of the axis. If two dimensions claim one block dimension, or one
claims two, they are merged (`coupling`) and the matching starts again.

Several tilers of the group may write one array. The elements that each of them writes are a *piece* of the array, and
no two pieces share an element. The elements that a tiler reads of such an array are not Cartesian, but those that it
reads of one piece are, as the intersection of two products. So all counts are made by piece, as if each piece were an
array. An array with one writer, or from outside the group, is one piece. Only memories and bursts belong to the array:
they are sums over its pieces (`counts`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import IntArray
from hwmodel.accesses import Extents
from hwmodel.cost_model.counted.axes.coupling import Dimensions, Spaces, couple
from hwmodel.cost_model.counted.axes.links import TilerLink, separate
from hwmodel.cost_model.group.group import Group
from hwmodel.cost_model.group.ticks import Stages

Mask = NDArray[np.bool_]


ByBlock = list[int | None]  # by block dimension


@dataclass(frozen=True, slots=True)
class Along:
    """An acting delay along one dimension.

    `dimension` is the (possibly merged) dimension that it moves along and `step` its distance there, in cells. `own` is
    the task's dimension before merging and `span` the delay's distance in indices of it; both pairs are equal if the
    dimension is not merged.
    """

    dimension: int
    step: int
    own: int
    span: int


@dataclass(frozen=True, eq=False)
class Parts:
    """A group whose tilers follow the axes.

    `pieces` lists the pieces of each array that the group makes. `writes` has the tiler that writes each piece, and
    `reads` the tilers that read each piece or loaded array. `dimensions` holds for each task, by block dimension, the
    repetition dimension that moves with it (None for none): the place of an index is that of the block along this
    dimension. `axes` holds the same for pieces and their axes. Indices of a *free* dimension, which moves with no block
    dimension, all run at the same tick.
    """

    group: Group
    stages: Stages
    pieces: dict[str, list[str]]
    reads: dict[str, list[TilerLink]]
    writes: dict[str, TilerLink]
    spaces: Spaces
    dimensions: dict[str, ByBlock] = field(default_factory=dict)
    axes: dict[str, ByBlock] = field(default_factory=dict)
    clashed: list[str] = field(default_factory=list)

    @property
    def rank(self) -> int:
        """The number of dimensions of the blocks."""
        return len(self.blocks)

    @property
    def blocks(self) -> Sequence[Dimensions]:
        """The dimensions of the last task that are merged into each block dimension."""
        return self.spaces.dimensions(self.group.last)

    def extents(self, task: str) -> Extents:
        """The number of indices of each (merged) dimension of a task."""
        return self.spaces.extents(task)

    @property
    def order(self) -> list[str]:
        """The tasks against the dataflow, the last task first."""
        return [self.group.last, *(task for task in reversed(self.group.tasks) if task != self.group.last)]

    def free_dimensions(self, task: str) -> list[int]:
        """The repetition dimensions of a task that move with no block dimension."""
        return [k for k in range(len(self.spaces.dimensions(task))) if k not in self.dimensions[task]]

    def array_of(self, piece: str) -> str:
        """The array that a piece belongs to."""
        return next((array for array, pieces in self.pieces.items() if piece in pieces), piece)

    def free_axes(self, piece: str) -> list[int]:
        """The axes of a piece that move with no block dimension."""
        return [axis for axis in range(len(self._links(piece)[0].axes)) if axis not in self.axes[piece]]

    def extent(self, piece: str, axis: int) -> int:
        """The extent of a (merged) axis of a piece's array."""
        return self._links(piece)[0].axes[axis].extent

    def axes_of(self, piece: str, side: int) -> Dimensions:
        """The axes of a piece's array that are merged into its axis `side`."""
        return self.spaces.axes(self.array_of(piece))[side]

    def elements_of(self, link: TilerLink) -> IntArray:
        """The row-major numbers of the elements that a tiler touches, (elements,)."""
        array = self.array_of(link.piece)
        shape, columns = self.group.accesses.shape(array), dict[int, IntArray]()
        sides = self.spaces.axes(array)
        cells = np.meshgrid(*(np.flatnonzero(axis.touched) for axis in link.axes), indexing="ij")
        for side, cell in zip(sides, cells, strict=True):
            columns |= dict(zip(side, np.unravel_index(cell.ravel(), [shape[axis] for axis in side]), strict=True))
        if not columns:
            return np.zeros(1, np.int64)
        return np.asarray(np.ravel_multi_index([columns[axis] for axis in range(len(shape))], shape), np.int64)

    def _links(self, piece: str) -> list[TilerLink]:
        return [self.writes[piece]] if piece in self.writes else self.reads[piece]

    def delay(self, task: str) -> Along | None:
        """The acting delay of a task, or None. It moves along one dimension (`_simple_delays`)."""
        delays = self.group.delays(task)
        if not delays:
            return None
        own, step = next((k, step) for k, step in enumerate(delays[0].vector) if step)
        return Along(self.spaces.set_of(task, own), step * self.spaces.stride(task, own), own, abs(step))

    def pieces_of(self, task: str) -> list[str]:
        """The pieces of arrays that a task makes."""
        return [piece for piece, link in self.writes.items() if link.task == task]


def find_parts(group: Group, stages: Stages) -> Parts | None:
    """Match the dimensions and axes of a group with those of its blocks.

    Returns None if a delay does not follow the axes, or if a tiler reads no element in some repetition. Dimensions that
    claim each other are merged until no claims conflict.
    """
    if not all(_simple_delays(group, task) for task in group.tasks):
        return None
    spaces = Spaces(group.accesses)
    touches = [
        touch
        for task in group.tasks
        for touch in (*group.accesses.reads[task], *group.accesses.writes[task])
        if not group.accesses.is_resident(touch.array)
    ]
    while True:
        couple(spaces, touches)
        links = _links(group, spaces)
        if links is None:
            return None
        parts = Parts(group, stages, *links, spaces)
        if all(_place_task(parts, task) for task in parts.order) and all(
            _place_piece(parts, array) for array in group.loaded
        ):
            return parts
        if not parts.clashed:
            return None


def _links(
    group: Group, spaces: Spaces
) -> tuple[dict[str, list[str]], dict[str, list[TilerLink]], dict[str, TilerLink]] | None:
    """Pieces by array, the tilers that read each piece, and the tiler that writes it.

    None if a tiler is not separable.
    """
    pieces: dict[str, list[str]] = {}
    writes: dict[str, TilerLink] = {}
    for array, makers in group.writers_of.items():
        touches = [touch for task in makers for touch in group.writes(task, array)]
        written = [separate(group.accesses, touch, spaces) for touch in touches]
        pieces[array] = [array] if len(touches) == 1 else [f"{array}, piece {place}" for place in range(len(touches))]
        for piece, link in zip(pieces[array], written, strict=True):
            if link is None:
                return None
            writes[piece] = replace(link, piece=piece)
    reads: dict[str, list[TilerLink]] = {}
    for touch in (touch for task in group.tasks for touch in group.accesses.reads[task]):
        if group.accesses.is_resident(touch.array):
            continue
        link = separate(group.accesses, touch, spaces)
        writers = [writes[piece] for piece in pieces.get(touch.array, [])]
        by_piece = None if link is None else _by_piece(link, writers)
        if by_piece is None:
            return None
        for part in by_piece:
            reads.setdefault(part.piece, []).append(part)
    return pieces, reads, writes


def _by_piece(link: TilerLink, pieces: Sequence[TilerLink]) -> list[TilerLink] | None:
    """Split a reading tiler by the pieces of its array.

    None if it reads elements of no piece (those of other frames).
    """
    if len(pieces) <= 1:
        return [replace(link, piece=piece.piece) for piece in pieces] or [link]
    parts_read = [part for part in map(link.within, pieces) if part.size]
    return parts_read if sum(part.size for part in parts_read) == link.size else None


def _simple_delays(group: Group, task: str) -> bool:
    """Whether a task has at most one acting delay, along one dimension."""
    delays = group.delays(task)
    return not delays or (len(delays) == 1 and sum(map(bool, delays[0].vector)) == 1)


def _place_task(parts: Parts, task: str) -> bool:
    """Match a task's dimensions with block dimensions, from the readers of its pieces; False after a conflict."""
    dimensions: ByBlock = [None] * parts.rank
    if task == parts.group.last:
        dimensions = list(range(parts.rank))
    elif task in parts.group.following:
        if not _place_following(parts, dimensions, task):
            return False
    elif not any(piece in parts.reads for piece in parts.pieces_of(task)):
        return False  # the group reads other pieces of its arrays only
    if not all(_place_made(parts, dimensions, task, piece) for piece in parts.pieces_of(task)):
        return False
    parts.dimensions[task] = dimensions
    # What a task's dimensions move with, the axes of its pieces do too.
    for piece in parts.pieces_of(task):
        for block, moving in enumerate(dimensions):
            along = None if moving is None else parts.writes[piece].axis_of(moving)
            if along is not None and not _claim(parts, parts.axes[piece], block, along, piece):
                return False
    return True


def _place_following(parts: Parts, dimensions: ByBlock, task: str) -> bool:
    """Match the dimensions of a last task that are in loops with the leading one's; False after a conflict."""
    set_of, last = parts.spaces.set_of, parts.group.last
    return all(
        _claim(parts, dimensions, set_of(last, loop.leading), set_of(task, loop.own), task)
        for loop in parts.group.following[task]
    )


def _place_made(parts: Parts, dimensions: ByBlock, task: str, piece: str) -> bool:
    """Match the dimensions of a task that move along the axes of a piece that it makes; False after a conflict."""
    if not _place_piece(parts, piece):
        return False
    for block, axis in enumerate(parts.axes[piece]):
        dimension = None if axis is None else parts.writes[piece].axes[axis].dimension
        if dimension is not None and not _claim(parts, dimensions, block, dimension, task):
            return False
    return True


def _place_piece(parts: Parts, piece: str) -> bool:
    """Match a piece's axes with block dimensions, from the dimensions of its readers; False after a conflict."""
    axes: ByBlock = [None] * parts.rank
    for link in parts.reads.get(piece, []):
        for block, moving in enumerate(parts.dimensions[link.task]):
            axis = None if moving is None else link.axis_of(moving)
            if axis is not None and not _claim(parts, axes, block, axis, piece):
                return False
    parts.axes[piece] = axes
    return True


def _claim(parts: Parts, places: ByBlock, block: int, index: int, name: str) -> bool:
    """Let `index` (a dimension of a task or an axis of a piece) move with a block dimension.

    Each block dimension takes at most one index of `name`, and each index at most one block dimension. On a conflict
    the claimants are merged, `name` is noted in `clashed`, and False is returned: the caller matches again.
    """
    if places[block] == index:
        return True
    other = places[block]
    if other is not None and name in parts.group.tasks:
        parts.spaces.unite_dimensions(name, [other, index])
    elif other is not None:
        parts.spaces.unite_axes(parts.array_of(name), [other, index])
    elif index in places:
        parts.spaces.unite_dimensions(parts.group.last, [places.index(index), block])
    else:
        places[block] = index
        return True
    parts.clashed.append(name)
    return False
