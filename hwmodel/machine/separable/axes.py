"""Which repetition dimension moves along which array axis, and with which dimension of the blocks.

First each tiler by itself (`links`): what it touches is a product over the axes, each with one dimension of the
repetition at most.

Then the group as a whole (`find_parts`): the last task's dimensions are those of the blocks; against the dataflow, an
axis moves with the dimension of the blocks that its reader's dimension moves with, and a dimension of its writer with
that of the axis. Two that claim one dimension, or one that claims two, are put together (`coupling`), and all is asked
again.

Several tilers of the group may write one array: what each writes is a piece of it, no two of which share an element.
What a tiler reads of the array is no product then, but what it reads of a piece is, as the common part of two products.
So everything is asked of pieces, as if each were an array of its own; an array with one writer is one piece, and so is
one from outside. Only memories and bursts are those of the array: the sums over its pieces (`counts`, `timing`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from hwmodel.accesses import Extents
from hwmodel.machine.group import Group
from hwmodel.machine.separable.coupling import Dimensions, Spaces, couple
from hwmodel.machine.separable.links import Link, separate
from hwmodel.machine.ticks import Stages

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


ByBlock = list[int | None]  # by block dimension


@dataclass(frozen=True, slots=True)
class Along:
    """A delay along a dimension: its step there; and the task's own dimension, with how many of its indices it spans.

    Both are the same where the dimension stands for itself alone.
    """

    dimension: int
    step: int
    own: int
    span: int


@dataclass(frozen=True, eq=False)
class Parts:
    """A group whose tilers follow the axes.

    `pieces` holds those of each array that the group makes; `writes` what writes each, `reads` what reads each and what
    is loaded. `dimensions` holds for each task, by dimension of the blocks, the repetition dimension that moves with
    it: the place of an index depends on that of the blocks there. `axes` holds the same for pieces and their axes. What
    moves with no dimension of the blocks is done at once.
    """

    group: Group
    stages: Stages
    pieces: dict[str, list[str]]
    reads: dict[str, list[Link]]
    writes: dict[str, Link]
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
        """The dimensions of the last task that each of those of the blocks stands for."""
        return self.spaces.dimensions(self.group.last)

    def extents(self, task: str) -> Extents:
        """The indices of each dimension of a task."""
        return self.spaces.extents(task)

    @property
    def order(self) -> list[str]:
        """The tasks against the dataflow, the last one first."""
        return [self.group.last, *(task for task in reversed(self.group.tasks) if task != self.group.last)]

    def free_dimensions(self, task: str) -> list[int]:
        """The repetition dimensions of a task that move with nothing."""
        return [k for k in range(len(self.spaces.dimensions(task))) if k not in self.dimensions[task]]

    def array_of(self, piece: str) -> str:
        """The array that a piece belongs to."""
        return next((array for array, pieces in self.pieces.items() if piece in pieces), piece)

    def free_axes(self, piece: str) -> list[int]:
        """The axes of a piece that move with nothing."""
        return [axis for axis in range(len(self._links(piece)[0].axes)) if axis not in self.axes[piece]]

    def extent(self, piece: str, axis: int) -> int:
        """How long an axis of a piece's array is."""
        return self._links(piece)[0].axes[axis].extent

    def axes_of(self, piece: str, side: int) -> Dimensions:
        """The axes of a piece's array that one of its own stands for."""
        return self.spaces.axes(self.array_of(piece))[side]

    def elements_of(self, link: Link) -> Ints:
        """The elements that a tiler touches, by row-major number."""
        array = self.array_of(link.piece)
        shape, columns = self.group.accesses.shape(array), dict[int, Ints]()
        sides = self.spaces.axes(array)
        cells = np.meshgrid(*(np.flatnonzero(axis.touched) for axis in link.axes), indexing="ij")
        for side, own in zip(sides, cells, strict=True):
            columns |= dict(zip(side, np.unravel_index(own.ravel(), [shape[axis] for axis in side]), strict=True))
        if not columns:
            return np.zeros(1, np.int64)
        return np.asarray(np.ravel_multi_index([columns[axis] for axis in range(len(shape))], shape), np.int64)

    def _links(self, piece: str) -> list[Link]:
        return [self.writes[piece]] if piece in self.writes else self.reads[piece]

    def delay(self, task: str) -> Along | None:
        """The acting delay of a task, along the one dimension it moves along."""
        delays = self.group.delays(task)
        if not delays:
            return None
        own, step = next((k, step) for k, step in enumerate(delays[0].vector) if step)
        return Along(self.spaces.set_of(task, own), step * self.spaces.stride(task, own), own, abs(step))

    def pieces_of(self, task: str) -> list[str]:
        """The pieces of arrays that a task makes."""
        return [piece for piece, link in self.writes.items() if link.task == task]


def find_parts(group: Group, stages: Stages) -> Parts | None:
    """The parts of a group; None where a delay does not follow the axes, or a tiler reads nothing at times.

    What claims one dimension together is put together, and so are those that one thing claims, until none do.
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


def _links(group: Group, spaces: Spaces) -> tuple[dict[str, list[str]], dict[str, list[Link]], dict[str, Link]] | None:
    """Pieces by array, and what reads and what writes each; None where a tiler does not follow the axes."""
    pieces: dict[str, list[str]] = {}
    writes: dict[str, Link] = {}
    for array, makers in group.made.items():
        touches = [touch for task in makers for touch in group.writes(task, array)]
        written = [separate(group.accesses, touch, spaces) for touch in touches]
        pieces[array] = [array] if len(touches) == 1 else [f"{array}, piece {place}" for place in range(len(touches))]
        for piece, link in zip(pieces[array], written, strict=True):
            if link is None:
                return None
            writes[piece] = replace(link, piece=piece)
    reads: dict[str, list[Link]] = {}
    for touch in (touch for task in group.tasks for touch in group.accesses.reads[task]):
        if group.accesses.is_resident(touch.array):
            continue
        link = separate(group.accesses, touch, spaces)
        own = _by_piece(link, [writes[piece] for piece in pieces.get(touch.array, [])]) if link is not None else None
        if own is None:
            return None
        for each in own:
            reads.setdefault(each.piece, []).append(each)
    return pieces, reads, writes


def _by_piece(link: Link, pieces: Sequence[Link]) -> list[Link] | None:
    """What a tiler reads, piece by piece; None where it reads what none of several pieces holds (of other frames)."""
    if len(pieces) <= 1:
        return [replace(link, piece=piece.piece) for piece in pieces] or [link]
    own = [part for part in map(link.within, pieces) if part.size]
    return own if sum(part.size for part in own) == link.size else None


def _simple_delays(group: Group, task: str) -> bool:
    """Whether a task has at most one acting delay, along one dimension."""
    delays = group.delays(task)
    return not delays or (len(delays) == 1 and sum(map(bool, delays[0].vector)) == 1)


def _place_task(parts: Parts, task: str) -> bool:
    """Find what a task's dimensions move with, from the readers of its pieces."""
    dimensions: ByBlock = [None] * parts.rank
    if task == parts.group.last:
        dimensions = list(range(parts.rank))
    elif not any(piece in parts.reads for piece in parts.pieces_of(task)):
        return False  # the group reads other pieces of its arrays only
    for piece in parts.pieces_of(task):
        if not _place_piece(parts, piece):
            return False
        for block, axis in enumerate(parts.axes[piece]):
            dimension = None if axis is None else parts.writes[piece].axes[axis].dimension
            if dimension is not None and not _claim(parts, dimensions, block, dimension, task):
                return False
    parts.dimensions[task] = dimensions
    # What a task's dimensions move with, the axes of its pieces do too.
    for piece in parts.pieces_of(task):
        for block, moving in enumerate(dimensions):
            along = None if moving is None else parts.writes[piece].axis_of(moving)
            if along is not None and not _claim(parts, parts.axes[piece], block, along, piece):
                return False
    return True


def _place_piece(parts: Parts, piece: str) -> bool:
    axes: ByBlock = [None] * parts.rank
    for link in parts.reads.get(piece, []):
        for block, moving in enumerate(parts.dimensions[link.task]):
            axis = None if moving is None else link.axis_of(moving)
            if axis is not None and not _claim(parts, axes, block, axis, piece):
                return False
    parts.axes[piece] = axes
    return True


def _claim(parts: Parts, places: ByBlock, block: int, index: int, name: str) -> bool:
    """Let `index` of a task or piece move with a dimension of the blocks: with one alone, and nothing else moves there.

    Where that is not so, those that claim one another are put together.
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
