"""Contents of buffers that are not known beforehand to be Cartesian products of lines.

These are buffers of merged dimensions (`coupling`), buffers whose data several readers of different stages, or along
several dimensions, use last (`block_order`), and buffers whose data are stored and also read later. The data of a
source are still all combinations of its cells along each component of the blocks. So they are a product of loops if
they are one along each component, which is tested once for each choice of its sides (`piece_of`). The piece then has
the loops of all components, in the order of the scan. Otherwise all data of the buffer are listed: every combination,
with the step that brings it and the step of its last use, the latest of all readers. They have addresses by their
subscripts (docs/machine.md, section 5).

The size of such a list depends on few of its data (`cells`), and the live count only on how many data come and go
together.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce

import numpy as np

from arrayol.arrays import IntArray
from hwmodel.cost_model.counted.axes.axes import Mask
from hwmodel.cost_model.counted.axes.cells import Cells, Residue
from hwmodel.cost_model.counted.axes.places import BEFORE
from hwmodel.cost_model.counted.axis_table import AxisTable
from hwmodel.cost_model.counted.block_order import Structures, Walked
from hwmodel.cost_model.counted.counts import GroupCounts, Source
from hwmodel.cost_model.group.moves import Brought, piece_of
from hwmodel.cost_model.group.ticks import STORES
from hwmodel.cost_model.numbering import numbered
from hwmodel.local_memory.bank_functions import BankFunction, Linear
from hwmodel.local_memory.contents import Contents, Listed, Pieces
from hwmodel.local_memory.lines import LoopPlaces, Piece

_ONE_BANK = Residue(1)
_UNREAD = np.int64(-1) << 56  # less than all ticks, several times added too


def coupled_memories(counts: GroupCounts, walked: Sequence[Walked]) -> frozenset[int]:
    """The numbers of the buffers whose data have a component with several loops or axes."""
    several = any(len(each.loops) > 1 for each in walked)
    parts = counts.parts
    return frozenset(
        source.memory
        for source in counts.sources
        if several or any(len(side) > 1 for side in parts.spaces.axes(parts.array_of(source.piece)))
    )


@dataclass(frozen=True, eq=False)
class CoupledBuffer:
    """One buffer of one structure, sized from the list of its data.

    With `by_reader`, the last uses are not Cartesian, and each reader of a followed piece is evaluated separately.
    """

    counts: GroupCounts
    structures: Structures
    row: int
    memory: int

    @property
    def by_reader(self) -> bool:
        """Whether last uses have to be computed reader by reader."""
        return bool(self.structures.listed[self.row, self.memory])

    @property
    def live(self) -> int:
        """The live count of its data."""
        columns = [source.data(source.classes()) for source in self._sources]
        if not columns:
            return 0
        _, born, last, weight = (np.concatenate(column) for column in zip(*columns, strict=True))
        if not len(born):
            return 0
        ends = np.concatenate([born, last + 1]) - born.min()
        steps, number = numbered(ends, int(ends.max()) + 1)
        change = np.bincount(number, np.concatenate([weight, -weight]), len(steps))
        return int(np.cumsum(change).max())

    @property
    def size(self) -> int:
        """The words that its addresses take."""
        return self._once(None, lambda: self._contents(None).size)

    def depth(self, function: BankFunction) -> int:
        """The words of its deepest bank under a bank function."""
        return self._once(function, lambda: self._contents(function).depth(function))

    def _once(self, function: BankFunction | None, words: Callable[[], int]) -> int:
        """Words, computed once for all buffers of a network with equal cells; cached longer than lines are."""
        key = "coupled", function, self._content
        return int(self.counts.lines.words([key], lambda _: np.array([words()]))[0])

    @cached_property
    def _content(self) -> bytes:
        """A digest of everything that the buffer's words depend on."""
        content = hashlib.blake2b(repr(self._shape).encode(), digest_size=16)
        for source in self._sources:
            content.update(source.content)
        return content.digest()

    @property
    def _pieces(self) -> tuple[Piece | None, ...]:
        """The product that each source is (None if it is none), tested once for all bank functions."""

        def content(_: Sequence[Hashable]) -> list[tuple[Piece | None, ...]]:
            return [tuple(source.piece() for source in self._sources)]

        return self.counts.lines.values([("pieces", self._content)], content)[0]

    @property
    def _shape(self) -> tuple[int, ...]:
        """The shape of the buffer's array."""
        return tuple(self.counts.parts.group.accesses.shape(self.counts.memories[self.memory].memory.name))

    def _contents(self, function: BankFunction | None) -> Contents:
        """The contents in the banks of a function: pieces if all sources are products, else a list of data."""
        shape, pieces = self._shape, self._pieces
        whole = [piece for piece in pieces if piece is not None]
        if len(whole) == len(pieces):
            return Pieces(shape, tuple(piece for piece in whole if piece.lines.pairs))
        columns = zip(*(source.data(source.ends(function)) for source in self._sources), strict=True)
        element, born, last, _ = (np.concatenate(column) for column in columns)
        return Listed(shape, element, born, last, math.prod(self._sources[0].places))

    @cached_property
    def _sources(self) -> list[_Combined]:
        """The sources of its data, without those of which no repetition reads anything."""
        picks = zip(self.structures.walked, self.structures.picks[self.row], strict=True)
        walk = [(each, int(pick)) for each, pick in picks]
        own = [(number, each.piece) for number, each in enumerate(self.counts.sources) if each.memory == self.memory]
        by_reader = self.counts.followed if self.by_reader else frozenset()
        sources = [
            _Combined(self.counts, walk, number, by_reader=piece in by_reader, alone=len(own) == 1)
            for number, piece in own
        ]
        return [source for source in sources if not source.is_empty]


@dataclass(frozen=True, eq=False)
class _Combined:
    """The data of a source in one structure, as cells along each component of the blocks.

    It is `alone` if no other source has data in the buffer.
    """

    counts: GroupCounts
    walk: Sequence[tuple[Walked, int]]
    number: int
    by_reader: bool
    alone: bool

    @property
    def source(self) -> Source:
        """The source."""
        return self.counts.sources[self.number]

    @property
    def is_empty(self) -> bool:
        """Whether the source brings no data."""
        return any(len(cells.element) == 0 for cells, _ in self._with_axes)

    @property
    def places(self) -> list[int]:
        """The number of places of each loop of the scan."""
        places: dict[int, int] = {}
        for each, pick in self.walk:
            places |= dict(zip(each.loops, each.table.loops[pick].tolist(), strict=True))
        return [places[loop] for loop in range(len(places))]

    @property
    def content(self) -> bytes:
        """A digest of the source's data and of their births and last uses."""
        source, loops = self.source, [each.loops for each, _ in self.walk]
        stages = source.stage, source.lag, self._stages.tolist(), source.piece in self.counts.stored
        settings = *stages, self.places, loops, self.by_reader, self.alone
        content = hashlib.blake2b(repr(settings).encode(), digest_size=16)
        for cells, axes in self._with_axes:
            columns = cells.element, cells.born, cells.lasts, cells.needed, cells.subscripts, cells.place, cells.late
            content.update(repr((axes, cells.places, *(own.shape for own in columns))).encode())
            for own in columns:
                content.update(np.ascontiguousarray(own).data)
        return content.digest()

    def piece(self) -> Piece | None:
        """The product of loops that the data are; None if they are not a product."""
        content = self._by_readers() if self.by_reader else self._by_components()
        if content is None:
            return None
        loops, free = content
        free = sorted(free, key=lambda loop: loop.axis or 0)
        ordered = [loops[loop] for loop in range(len(loops))]
        return Piece(tuple(ordered[:-1]), tuple(ordered[-1:]), tuple(free), self.source.lag, self.source.stage)

    def _by_readers(self) -> tuple[dict[int, LoopPlaces], list[LoopPlaces]] | None:
        """The loops and the free axes' loops, each tested with all cells of its component and few cells of all others.

        If the data are not a product with few cells of each component, they are none with all of them.
        """
        few = [
            cells if len(axes) > 1 else self._few(place, [_ONE_BANK] * len(axes))
            for place, (cells, axes) in enumerate(self._with_axes)
        ]
        if self._piece_of(few) is None:
            return None
        loops, free = dict[int, LoopPlaces](), list[LoopPlaces]()
        of_blocks = [each.loops for each, _ in self.walk]
        for number, (cells, axes) in enumerate(self._with_axes):
            piece = self._piece_of([*few[:number], cells, *few[number + 1 :]])
            if piece is None:
                return None
            along = (*piece.outer, *piece.inner)
            loops |= {loop: along[loop] for loop in (of_blocks[number] if number < len(of_blocks) else ())}
            free += [loop for loop in piece.free if loop.axis in axes]
        return loops, free

    def _by_components(self) -> tuple[dict[int, LoopPlaces], list[LoopPlaces]] | None:
        """The loops and the free axes' loops, each from its component independently of all others."""
        loops, free = dict[int, LoopPlaces](), list[LoopPlaces]()
        for each, pick in self.walk:
            axes = self._axes(each.block)
            piece = _piece_along(each.table, self.number, pick, [self._shape[axis] for axis in axes], self.source.lag)
            if piece is None:
                return None
            along = [loop if loop.axis is None else replace(loop, axis=axes[loop.axis]) for loop in _loops(piece)]
            loops |= dict(zip(each.loops, along, strict=False))
            free += along[len(each.loops) :]
        for side in self.counts.parts.free_axes(self.source.piece):
            for axis in self.counts.parts.axes_of(self.source.piece, side):
                free.append(LoopPlaces.free(axis, self.counts.free_subscripts(self.source.piece, axis)))
        return loops, free

    def _piece_of(self, components: Sequence[Cells]) -> Piece | None:
        """The product that combinations of some cells are; None if they are none."""
        element, born, last, _ = self.data(components)
        brought = Brought(element, born, last, self.source.stage, self.source.lag)
        return piece_of(tuple(self._shape), tuple(self.places), brought)

    def classes(self) -> list[Cells]:
        """By component, one cell for all that come and are last used together, for the live count.

        Along the outermost component, cells near the ends are enough, since all rows in the middle are alike.
        """
        return [
            (self._near_ends(place, [_ONE_BANK] * len(axes)) if self._is_outermost(place) else cells).classes()
            for place, (cells, axes) in enumerate(self._with_axes)
        ]

    def ends(self, function: BankFunction | None) -> list[Cells]:
        """By component, the cells that decide sizes: in the banks of a function, or in one bank."""
        return [
            self._few(place, [_residue(function, axis) for axis in axes])
            for place, (_, axes) in enumerate(self._with_axes)
        ]

    def _few(self, place: int, residues: Sequence[Residue]) -> Cells:
        """The cells of a component that stand for all of them."""
        return self._near_ends(place, residues).ends(residues)

    def _near_ends(self, place: int, residues: Sequence[Residue]) -> Cells:
        """The cells of a component near the ends of its loop.

        All cells, if other sources have data in the buffer, or if a reader works in an earlier stage than the source.
        """
        cells, lags = self._with_axes[place][0], self._stages - self.source.stage
        if not self.alone or lags.min() < 0:
            return cells
        return cells.near_ends(residues, int(lags.max()), outermost=self._is_outermost(place))

    def _is_outermost(self, place: int) -> bool:
        """Whether a component contains the outermost loop of the scan."""
        return place < len(self.walk) and 0 in self.walk[place][0].loops

    def data(self, components: Sequence[Cells]) -> tuple[IntArray, IntArray, IntArray, IntArray]:
        """All combinations of cells: element, step of birth, step of last use, and weight, (n,) each."""
        element, born, weight = np.zeros(1, np.int64), np.zeros(1, np.int64), np.ones(1, np.int64)
        lasts = np.zeros((len(components[0].lasts) if components else 1, 1), np.int64)
        for cells in components:
            element, born = _with(element, cells.element), _with(born, cells.born)
            weight = (weight[:, None] * cells.weight).ravel()
            # Ticks add over components, as weights of digits; a reader that never uses a cell stays far below 0.
            lasts = (lasts[:, :, None] + cells.lasts[:, None, :]).reshape(len(lasts), len(weight))
        stages = self._stages[:, None]
        steps = np.where(lasts < 0, _UNREAD, lasts + stages) if self.by_reader else lasts + stages
        born = born + self.source.stage
        last = np.maximum(born, steps.max(axis=0, initial=_UNREAD))
        if self.by_reader and self.source.piece in self.counts.stored:
            needed = reduce(np.logical_and.outer, (cells.needed for cells in components), np.ones((), np.bool_)).ravel()
            last = np.where(needed, np.maximum(last, born - self.source.stage + STORES), last)
        return element, born, last, weight

    @property
    def _stages(self) -> IntArray:
        """The stage in which each reader uses the data, or the latest of all if they are not followed one by one."""
        if not self.by_reader:
            return np.array([self.source.stage + self.source.lag])
        readers = self.counts.parts.reads.get(self.source.piece, [])
        return np.array([self.counts.parts.stages.task[link.task] for link in readers], np.int64)

    @cached_property
    def _with_axes(self) -> list[tuple[Cells, Sequence[int]]]:
        """The cells of each component with their array axes: of walked block dimensions, then of free axes."""
        weights, parts, piece = _weights(self.places), self.counts.parts, self.source.piece
        components: list[tuple[Cells, Sequence[int]]] = []
        for each, pick in self.walk:
            cell, come, gone = each.table.lines[self.number].instances(pick)
            lasts = [gone]
            if self.by_reader:
                lasts = [own[pick][cell] for own in each.table.lasts.get(piece, ())]
            wide, own = each.table.loops[pick].tolist(), [weights[loop] for loop in each.loops]
            ticks = [np.where(last == BEFORE, _UNREAD, _numbers(np.maximum(last, 0), wide, own)) for last in lasts]
            table = np.array(ticks, np.int64).reshape(len(lasts), len(cell))
            axes = self._axes(each.block)
            late = np.array(lasts, np.int64).reshape(table.shape)
            along = come, late, wide[0] if len(wide) == 1 else 0
            needed = self._needed(parts.axes[piece][each.block], cell)
            components.append((self._of_cells(axes, cell, _numbers(come, wide, own), table, needed, along), axes))
        for side in parts.free_axes(piece):
            cell = np.flatnonzero(self.counts.free_indices(piece, side))
            none = np.zeros((len(self._stages), len(cell)), np.int64)
            axes, needed = parts.axes_of(piece, side), self._needed(side, cell)
            components.append((self._of_cells(axes, cell, 0 * cell, none, needed, (0 * cell, none, 0)), axes))
        return components

    def _needed(self, side: int | None, cell: IntArray) -> Mask:
        """Mask of the indices of an axis that are needed outside; all, if no part of the piece is followed."""
        needed = self.counts.needed_in_part.get(self.source.piece)
        return np.ones(len(cell), np.bool_) if side is None or needed is None else needed[side][cell]

    def _of_cells(
        self,
        axes: Sequence[int],
        cell: IntArray,
        born: IntArray,
        lasts: IntArray,
        needed: Mask,
        along: tuple[IntArray, IntArray, int],
    ) -> Cells:
        """The cells of one component, from the numbers `cell` of its merged axes."""
        weights, extents = _weights(self._shape), [self._shape[axis] for axis in axes]
        subscripts = np.array(np.unravel_index(cell, extents) if axes else (), np.int64).reshape(len(axes), len(cell))
        element = _numbers(cell, extents, [weights[axis] for axis in axes])
        return Cells(element, born, lasts, np.ones(len(cell), np.int64), needed, subscripts, *along)

    @property
    def _shape(self) -> Sequence[int]:
        """The shape of the source's array."""
        parts = self.counts.parts
        return parts.group.accesses.shape(parts.array_of(self.source.piece))

    def _axes(self, block: int) -> Sequence[int]:
        """The axes of the array that move with a block dimension."""
        parts, piece = self.counts.parts, self.source.piece
        side = parts.axes[piece][block]
        return () if side is None else parts.axes_of(piece, side)


def _residue(function: BankFunction | None, axis: int) -> Residue:
    """The residue along an axis by which the banks of a function differ."""
    if function is None:
        return _ONE_BANK
    if isinstance(function, Linear):
        return Residue(function.banks * function.block, function.block > 1 or axis == function.shared.axis)
    return Residue(function.moduli[axis])


def _piece_along(table: AxisTable, number: int, side: int, shape: Sequence[int], lag: int) -> Piece | None:
    """The product that a source is along one component, for one choice of its sides; None if it is none."""
    key = number, side
    if key not in table.pieces:
        cell, come, gone = table.lines[number].instances(side)
        brought = Brought(cell, come, gone + lag, 0, lag)
        table.pieces[key] = piece_of(tuple(shape), tuple(table.loops[side].tolist()), brought)
    return table.pieces[key]


def _loops(piece: Piece) -> tuple[LoopPlaces, ...]:
    """All loops of a piece, outermost first, then those of its free axes."""
    return (*piece.outer, *piece.inner, *piece.free)


def _with(numbers: IntArray, others: IntArray) -> IntArray:
    """The sums of all pairs of a number and another, (n m,)."""
    return (numbers[:, None] + others[None, :]).ravel()


def _weights(extents: Sequence[int]) -> list[int]:
    """The row-major weight of an index along each of some extents."""
    return [math.prod(extents[place + 1 :]) for place in range(len(extents))]


def _numbers(codes: IntArray, extents: Sequence[int], weights: Sequence[int]) -> IntArray:
    """Decode row-major numbers into digits over `extents`, and sum them with other `weights`, (n,)."""
    digits = np.unravel_index(codes, tuple(extents)) if extents else ()
    total = np.zeros(len(codes), np.int64)
    for weight, digit in zip(weights, digits, strict=True):
        total += weight * digit
    return total
