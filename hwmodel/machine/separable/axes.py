"""Which repetition dimension moves along which array axis, and with which dimension of the blocks.

First each tiler by itself (`separate`): along an axis its subscript is origin + paving r + fitting i, modulo the extent
where it wraps; if at most one dimension of r and of i has a factor there, and none has one on two axes, what the tiler
touches is a product over the axes of sets of pairs (index of r, index of the axis). Dimensions of one index move
nothing, nor do factors that are multiples of the extent of an axis that wraps.

Then the group as a whole (`find_parts`): the last task's dimensions are those of the blocks; against the dataflow, an
axis moves with the dimension of the blocks that its reader's dimension moves with, and a dimension of its writer with
that of the axis. Two that claim one dimension, or one that claims two, make the group not separable.

Several tilers of the group may write one array: what each writes is a piece of it, no two of which share an element.
What a tiler reads of the array is no product then, but what it reads of a piece is, as the common part of two products.
So everything is asked of pieces, as if each were an array of its own; an array with one writer is one piece, and so is
one from outside. Only memories and bursts are those of the array: the sums over its pieces (`counts`, `timing`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from arrayol.execute.patterns import elements_of
from arrayol.ir.spec import Delay
from hwmodel.accesses import Accesses, Extents, Touch
from hwmodel.machine.group import Group
from hwmodel.machine.ticks import Stages

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class AxisLink:
    """Along one array axis: pairs of an index of one repetition dimension (0 where there is none) and of the axis."""

    dimension: int | None
    repetition: Ints
    element: Ints
    extent: int

    @cached_property
    def by_element(self) -> Runs:
        """The repetitions' indices that touch each element of the axis."""
        return Runs.of(self.element, self.repetition)

    @cached_property
    def by_repetition(self) -> Runs:
        """The axis' elements that each repetition index touches."""
        return Runs.of(self.repetition, self.element)

    @cached_property
    def touched(self) -> Mask:
        """Which elements of the axis are touched."""
        touched = np.zeros(self.extent, np.bool_)
        touched[self.element] = True
        return touched

    def only(self, elements: Mask) -> AxisLink:
        """The pairs with these elements of the axis."""
        chosen = elements[self.element]
        return replace(self, repetition=self.repetition[chosen], element=self.element[chosen])

    def touched_by(self, runs: Mask) -> Mask:
        """Which elements of the axis those indices of the repetition dimension touch that run."""
        touched = np.zeros(self.extent, np.bool_)
        touched[self.element[runs[self.repetition]]] = True
        return touched


@dataclass(frozen=True, eq=False)
class Runs:
    """Pairs sorted by key: the keys that occur, where each one's values begin, and the values."""

    key: Ints
    start: Ints
    value: Ints

    @staticmethod
    def of(key: Ints, value: Ints) -> Runs:
        order = np.argsort(key, kind="stable")
        heads = np.flatnonzero(np.diff(key[order], prepend=-1) != 0)
        return Runs(key[order][heads], heads, value[order])


@dataclass(frozen=True, eq=False)
class Link:
    """A tiler of a task as one link per axis of the array, of which it touches one piece or all.

    `allowed` holds the indices that access at all, by repetition dimension (those of a delay's tiled default, or of an
    exit).
    """

    task: str
    piece: str
    axes: tuple[AxisLink, ...]
    allowed: dict[int, Mask]

    def axis_of(self, dimension: int) -> int | None:
        """The array axis that a repetition dimension moves along, None where it moves along none."""
        for axis, link in enumerate(self.axes):
            if link.dimension == dimension:
                return axis
        return None

    @property
    def size(self) -> int:
        """How many elements are touched."""
        return math.prod(int(axis.touched.sum()) for axis in self.axes)

    def within(self, piece: Link) -> Link:
        """What it touches of a piece."""
        axes = tuple(own.only(other.touched) for own, other in zip(self.axes, piece.axes, strict=True))
        return replace(self, piece=piece.piece, axes=axes)


def separate(accesses: Accesses, touch: Touch) -> Link | None:
    """A tiler by axes; None where a dimension of repetition or pattern moves along several, or several along one.

    A border acts axis by axis too.
    """
    extents = accesses.extents(touch.process)
    shape = accesses.shape(touch.array)
    declared = accesses.network.arrays[touch.array].shape
    allowed = _allowed(touch, extents)
    if allowed is None:
        return None
    axes, taken, used = [], set[int](), set[int]()
    for axis, extent in enumerate(shape):
        wraps = touch.tiler.wrap and declared[axis] is not None
        moving = _moving(touch.tiler.paving[axis], extents, extent if wraps else None)
        along = _moving(touch.tiler.fitting[axis], touch.pattern, extent if wraps else None)
        if len(moving) > 1 or taken & set(moving) or used & set(along):
            return None
        taken |= set(moving)
        used |= set(along)
        dimension = moving[0] if moving else None
        index = np.zeros(1, np.int64)
        if dimension is not None:
            index = np.arange(extents[dimension])[allowed.get(dimension, np.ones(extents[dimension], np.bool_))]
        step = touch.tiler.paving[axis][moving[0]] if moving else 0
        offsets = _offsets(touch, axis)
        element = touch.tiler.origin[axis] + step * index[:, None] + offsets[None, :]
        element = element % extent if wraps else elements_of(touch.tiler.border, element, extent)
        pairs = np.unique(np.stack([np.repeat(index, len(offsets)), element.ravel()]), axis=1)
        if touch.tiler.border is not None:  # of a constant only what is inside is an element
            pairs = pairs[:, (pairs[1] >= 0) & (pairs[1] < extent)]
            if len(np.unique(pairs[0])) < len(index):
                return None  # some repetitions read nothing, whatever their other indices
        axes.append(AxisLink(dimension, pairs[0], pairs[1], extent))
    return Link(touch.process, touch.array, tuple(axes), allowed)


def _moving(factors: Sequence[int], extents: Sequence[int], period: int | None) -> list[int]:
    """The dimensions of more than one index that move along an axis."""
    return [
        dimension
        for dimension, (factor, extent) in enumerate(zip(factors, extents, strict=True))
        if extent > 1 and (factor % period if period else factor)
    ]


def _offsets(touch: Touch, axis: int) -> Ints:
    """The distinct places of a pattern along an axis."""
    offsets = np.zeros(1, np.int64)
    for factor, extent in zip(touch.tiler.fitting[axis], touch.pattern, strict=True):
        offsets = np.unique(offsets[:, None] + factor * np.arange(extent)[None, :])
    return offsets


def _allowed(touch: Touch, extents: Extents) -> dict[int, Mask] | None:
    """The indices r_k with r - v outside the space, where only dimension k decides that; None where several do."""
    if touch.outside is None:
        return {}
    pairs = list(enumerate(zip(touch.outside, extents, strict=True)))
    if any(abs(step) >= extent for _, (step, extent) in pairs):
        return {}
    moving = [(dimension, step, extent) for dimension, (step, extent) in pairs if step]
    if len(moving) != 1:
        return None
    dimension, step, extent = moving[0]
    before = np.arange(extent) - step
    return {dimension: (before < 0) | (before >= extent)}


ByBlock = list[int | None]  # by block dimension


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
    dimensions: dict[str, ByBlock] = field(default_factory=dict)
    axes: dict[str, ByBlock] = field(default_factory=dict)

    @property
    def rank(self) -> int:
        """The number of dimensions of the blocks."""
        return len(self.group.accesses.extents(self.group.last))

    @property
    def order(self) -> list[str]:
        """The tasks against the dataflow, the last one first."""
        return [self.group.last, *(task for task in reversed(self.group.tasks) if task != self.group.last)]

    def free_dimensions(self, task: str) -> list[int]:
        """The repetition dimensions of a task that move with nothing."""
        return [k for k in range(len(self.group.accesses.extents(task))) if k not in self.dimensions[task]]

    def array_of(self, piece: str) -> str:
        """The array that a piece belongs to."""
        return next((array for array, pieces in self.pieces.items() if piece in pieces), piece)

    def free_axes(self, piece: str) -> list[int]:
        """The axes of a piece that move with nothing."""
        return [axis for axis in range(len(self._links(piece)[0].axes)) if axis not in self.axes[piece]]

    def extent(self, piece: str, axis: int) -> int:
        """How long an axis of a piece's array is."""
        return self._links(piece)[0].axes[axis].extent

    def _links(self, piece: str) -> list[Link]:
        return [self.writes[piece]] if piece in self.writes else self.reads[piece]

    def delay(self, task: str) -> tuple[Delay, int] | None:
        """The acting delay of a task and the one dimension it moves along."""
        delays = self.group.delays(task)
        if not delays:
            return None
        return delays[0], next(k for k, step in enumerate(delays[0].vector) if step)

    def pieces_of(self, task: str) -> list[str]:
        """The pieces of arrays that a task makes."""
        return [piece for piece, link in self.writes.items() if link.task == task]


def find_parts(group: Group, stages: Stages) -> Parts | None:
    """The parts of a group; None where a tiler or a delay does not follow the axes, or two claim one dimension."""
    links = _links(group)
    if links is None or not all(_simple_delays(group, task) for task in group.tasks):
        return None
    parts = Parts(group, stages, *links)
    for task in parts.order:
        if not _place_task(parts, task):
            return None
    return parts if all(_place_piece(parts, array) for array in group.loaded) else None


def _links(group: Group) -> tuple[dict[str, list[str]], dict[str, list[Link]], dict[str, Link]] | None:
    """Pieces by array, and what reads and what writes each; None where a tiler does not follow the axes."""
    pieces: dict[str, list[str]] = {}
    writes: dict[str, Link] = {}
    for array, makers in group.made.items():
        touches = [touch for task in makers for touch in group.writes(task, array)]
        written = [separate(group.accesses, touch) for touch in touches]
        pieces[array] = [array] if len(touches) == 1 else [f"{array}, piece {place}" for place in range(len(touches))]
        for piece, link in zip(pieces[array], written, strict=True):
            if link is None:
                return None
            writes[piece] = replace(link, piece=piece)
    reads: dict[str, list[Link]] = {}
    for touch in (touch for task in group.tasks for touch in group.accesses.reads[task]):
        if group.accesses.is_resident(touch.array):
            continue
        link = separate(group.accesses, touch)
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
            if dimension is not None and not _claim(dimensions, block, dimension):
                return False
    parts.dimensions[task] = dimensions
    # What a task's dimensions move with, the axes of its pieces do too.
    for piece in parts.pieces_of(task):
        for block, moving in enumerate(dimensions):
            along = None if moving is None else parts.writes[piece].axis_of(moving)
            if along is not None and not _claim(parts.axes[piece], block, along):
                return False
    return True


def _place_piece(parts: Parts, piece: str) -> bool:
    axes: ByBlock = [None] * parts.rank
    for link in parts.reads.get(piece, []):
        for block, moving in enumerate(parts.dimensions[link.task]):
            axis = None if moving is None else link.axis_of(moving)
            if axis is not None and not _claim(axes, block, axis):
                return False
    parts.axes[piece] = axes
    return True


def _claim(places: ByBlock, block: int, index: int) -> bool:
    """Let `index` move with a dimension of the blocks: it moves with one alone, and nothing else moves there."""
    if places[block] == index:
        return True
    if places[block] is not None or index in places:
        return False
    places[block] = index
    return True
