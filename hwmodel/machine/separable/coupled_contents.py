"""What buffers hold that are no product of lines by any condition that is known beforehand.

So it is where dimensions are coupled (`coupling`), where several readers of different stages, or along several
dimensions, use data last (`block_order`), and where data that are stored are also read later. The data of a source are
still every combination of what it brings along each component of the blocks. So they are a product of loops if they are
one along each component, which is asked once for each choice of its sides (`piece_of`): a piece then has the loops of
all components, in the order of the scan. Else all data of the buffer are listed, every combination with the step that
brings it and that of its last use, the latest of its readers'; and they have addresses by their subscripts
(docs/machine.md, section 5).

For the size of such a list few of its data matter: of those along a component that come together, and that each reader
uses last together, the ones at either end along an axis (in a bank: of one residue). What lies between meets the same
data, and is at no greater distance from any. And of the number that live, only how many there are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from hwmodel.local_memory.bank_functions import BankFunction, Linear
from hwmodel.local_memory.contents import Contents, Listed, Pieces
from hwmodel.local_memory.pieces import Loop, Piece
from hwmodel.machine.moves import Brought
from hwmodel.machine.pieces import piece_of
from hwmodel.machine.separable.axes import Ints
from hwmodel.machine.separable.axis_table import AxisTable
from hwmodel.machine.separable.block_order import Structures, Walked
from hwmodel.machine.separable.counts import GroupCounts, Source
from hwmodel.machine.separable.distinct import distinct_rows
from hwmodel.machine.separable.first_use import BEFORE
from hwmodel.machine.ticks import STORES

_UNREAD = np.int64(-1) << 56  # less than all ticks, several times added too


def coupled_memories(counts: GroupCounts, walked: Sequence[Walked]) -> frozenset[int]:
    """The buffers that hold data of which a component has several loops or axes, by number."""
    several = any(len(each.loops) > 1 for each in walked)
    parts = counts.parts
    return frozenset(
        source.memory
        for source in counts.sources
        if several or any(len(side) > 1 for side in parts.spaces.axes(parts.array_of(source.piece)))
    )


@dataclass(frozen=True, eq=False)
class CoupledBuffer:
    """A buffer in one of some structures. `by_reader` if last uses are no product: then each reader is followed."""

    counts: GroupCounts
    structures: Structures
    row: int
    memory: int

    @property
    def by_reader(self) -> bool:
        """Whether what several readers use last has to be told reader by reader."""
        return bool(self.structures.listed[self.row, self.memory])

    @property
    def live(self) -> int:
        """How many of its data live at once at most."""
        columns = [source.data(source.classes()) for source in self._sources]
        _, born, last, weight = (np.concatenate(column) for column in zip(*columns, strict=True))
        start = int(born.min(initial=0))
        change = np.zeros(int(last.max(initial=0)) - start + 2, np.int64)
        np.add.at(change, born - start, weight)
        np.add.at(change, last + 1 - start, -weight)
        return int(np.cumsum(change).max())

    @property
    def size(self) -> int:
        """The words that its addresses take."""
        return self._contents(None).size

    def depth(self, function: BankFunction) -> int:
        """The words of its deepest bank."""
        return self._contents(function).depth(function)

    def _contents(self, function: BankFunction | None) -> Contents:
        shape = self.counts.parts.group.accesses.shape(self.counts.memories[self.memory].name)
        pieces = [source.piece() for source in self._sources]
        whole = [piece for piece in pieces if piece is not None]
        if len(whole) == len(pieces):
            return Pieces(shape, tuple(piece for piece in whole if piece.lines.pairs))
        columns = zip(*(source.data(source.ends(function)) for source in self._sources), strict=True)
        element, born, last, _ = (np.concatenate(column) for column in columns)
        return Listed(shape, element, born, last, math.prod(self._sources[0].places))

    @property
    def _sources(self) -> list[_Combined]:
        picks = zip(self.structures.walked, self.structures.picks[self.row], strict=True)
        walk = [(each, int(pick)) for each, pick in picks]
        numbers = [number for number, own in enumerate(self.counts.sources) if own.memory == self.memory]
        return [_Combined(self.counts, walk, number, by_reader=self.by_reader) for number in numbers]


@dataclass(frozen=True, eq=False)
class _Cells:
    """What one component has of a source: of each cell what it counts in the numbers of elements, and ticks.

    `born` (n,) brings it, and each of R readers uses it last at `lasts` (R, n), _UNREAD if never; `weight` (n,) is how
    many there are of it. `subscripts` (axes, n).
    """

    element: Ints
    born: Ints
    lasts: Ints
    weight: Ints
    subscripts: Ints

    @property
    def together(self) -> Ints:
        """A number for each cell: the same for those that come and are used last together."""
        return distinct_rows(np.concatenate([self.born[None, :], self.lasts]).T)[1]

    def only(self, chosen: Ints) -> _Cells:
        """Some of the cells."""
        return _Cells(
            self.element[chosen],
            self.born[chosen],
            self.lasts[:, chosen],
            self.weight[chosen],
            self.subscripts[:, chosen],
        )

    def classes(self) -> _Cells:
        """One cell for all that come and are used last together."""
        first, number = np.unique(self.together, return_index=True, return_inverse=True)[1:]
        return replace(self.only(first), weight=np.bincount(number.ravel()))

    def ends(self, moduli: Sequence[int]) -> _Cells:
        """Of those together, and of one residue along each axis, the ones at either end along some axis."""
        kept = np.zeros(len(self.born), np.bool_) if len(self.subscripts) else np.ones(len(self.born), np.bool_)
        alike = [self.together, *(own % modulus for own, modulus in zip(self.subscripts, moduli, strict=True))]
        for axis, own in enumerate(self.subscripts):
            others = np.array([*alike, *np.delete(self.subscripts, axis, axis=0)]).T
            group = distinct_rows(others)[1]
            order = np.lexsort((own, group))
            heads = np.diff(group[order], prepend=-1) != 0
            kept[order[heads]] = True
            kept[order[np.append(heads[1:], True)]] = True
        return self.only(np.flatnonzero(kept))


@dataclass(frozen=True, eq=False)
class _Combined:
    """What a source brings in one structure: of each component of the blocks what its side brings."""

    counts: GroupCounts
    walk: Sequence[tuple[Walked, int]]
    number: int
    by_reader: bool

    @property
    def source(self) -> Source:
        """The source."""
        return self.counts.sources[self.number]

    @property
    def places(self) -> list[int]:
        """The places of the scan's loops."""
        places: dict[int, int] = {}
        for each, pick in self.walk:
            places |= dict(zip(each.loops, each.table.loops[pick].tolist(), strict=True))
        return [places[loop] for loop in range(len(places))]

    def piece(self) -> Piece | None:
        """The product of loops that it is; None where it is none."""
        if self.by_reader:
            # What is no product by the cells at the ends is none by all of them.
            few = [cells if len(axes) > 1 else cells.ends([1] * len(axes)) for cells, axes in self._with_axes]
            return None if self._piece_of(few) is None else self._piece_of([cells for cells, _ in self._with_axes])
        loops, free = dict[int, Loop](), list[Loop]()
        for each, pick in self.walk:
            axes = self._axes(each.block)
            own = _piece_along(each.table, self.number, pick, [self._shape[axis] for axis in axes], self.source.lag)
            if own is None:
                return None
            along = [loop if loop.axis is None else replace(loop, axis=axes[loop.axis]) for loop in _loops(own)]
            loops |= dict(zip(each.loops, along, strict=False))
            free += along[len(each.loops) :]
        for side in self.counts.parts.free_axes(self.source.piece):
            for axis in self.counts.parts.axes_of(self.source.piece, side):
                free.append(Loop.free(axis, self.counts.free_subscripts(self.source.piece, axis)))
        free.sort(key=lambda loop: loop.axis or 0)
        ordered = [loops[loop] for loop in range(len(loops))]
        return Piece(tuple(ordered[:-1]), tuple(ordered[-1:]), tuple(free), self.source.lag, self.source.stage)

    def _piece_of(self, components: Sequence[_Cells]) -> Piece | None:
        element, born, last, _ = self.data(components)
        brought = Brought(element, born, last, self.source.stage, self.source.lag)
        return piece_of(tuple(self._shape), tuple(self.places), brought)

    def classes(self) -> list[_Cells]:
        """By component, one cell for all that come and are used last together."""
        return [cells.classes() for cells, _ in self._with_axes]

    def ends(self, function: BankFunction | None) -> list[_Cells]:
        """By component the cells that sizes hang on: in the banks of a function, or in one."""
        return [cells.ends([_modulus(function, axis) for axis in axes]) for cells, axes in self._with_axes]

    def data(self, components: Sequence[_Cells]) -> tuple[Ints, Ints, Ints, Ints]:
        """All combinations of cells: the element, the step that brings it, that of its last use, how many there are."""
        element, born, weight = np.zeros(1, np.int64), np.zeros(1, np.int64), np.ones(1, np.int64)
        lasts = np.zeros((len(components[0].lasts) if components else 1, 1), np.int64)
        for cells in components:
            element, born = _with(element, cells.element), _with(born, cells.born)
            weight = (weight[:, None] * cells.weight).ravel()
            lasts = (lasts[:, :, None] + cells.lasts[:, None, :]).reshape(len(lasts), len(weight))  # of no reader too
        stages = self._stages[:, None]
        steps = np.where(lasts < 0, _UNREAD, lasts + stages) if self.by_reader else lasts + stages
        born = born + self.source.stage
        last = np.maximum(born, steps.max(axis=0, initial=_UNREAD))
        if self.by_reader and self.source.piece in self.counts.stored:
            last = np.maximum(last, born - self.source.stage + STORES)
        return element, born, last, weight

    @property
    def _stages(self) -> Ints:
        """By reader in which stage it uses the data; of all together the last."""
        if not self.by_reader:
            return np.array([self.source.stage + self.source.lag])
        readers = self.counts.parts.reads.get(self.source.piece, [])
        return np.array([self.counts.parts.stages.task[link.task] for link in readers], np.int64)

    @property
    def _with_axes(self) -> list[tuple[_Cells, Sequence[int]]]:
        """What each component has, and the axes of the array; then what moves with no block."""
        weights, parts, piece = _weights(self.places), self.counts.parts, self.source.piece
        components: list[tuple[_Cells, Sequence[int]]] = []
        for each, pick in self.walk:
            cell, come, gone = each.table.lines[self.number].instances(pick)
            lasts = [gone]
            if self.by_reader:
                lasts = [own[pick][cell] for own in each.table.lasts.get(piece, ())]
            wide, own = each.table.loops[pick].tolist(), [weights[loop] for loop in each.loops]
            ticks = [np.where(last == BEFORE, _UNREAD, _numbers(np.maximum(last, 0), wide, own)) for last in lasts]
            table = np.array(ticks, np.int64).reshape(len(lasts), len(cell))
            axes = self._axes(each.block)
            components.append((self._of_cells(axes, cell, _numbers(come, wide, own), table), axes))
        for side in parts.free_axes(piece):
            cell = np.flatnonzero(self.counts.free_indices(piece, side))
            none = np.zeros((len(self._stages), len(cell)), np.int64)
            axes = parts.axes_of(piece, side)
            components.append((self._of_cells(axes, cell, 0 * cell, none), axes))
        return components

    def _of_cells(self, axes: Sequence[int], cell: Ints, born: Ints, lasts: Ints) -> _Cells:
        weights, extents = _weights(self._shape), [self._shape[axis] for axis in axes]
        subscripts = np.array(np.unravel_index(cell, extents) if axes else (), np.int64).reshape(len(axes), len(cell))
        element = _numbers(cell, extents, [weights[axis] for axis in axes])
        return _Cells(element, born, lasts, np.ones(len(cell), np.int64), subscripts)

    @property
    def _shape(self) -> Sequence[int]:
        parts = self.counts.parts
        return parts.group.accesses.shape(parts.array_of(self.source.piece))

    def _axes(self, block: int) -> Sequence[int]:
        """The axes of the array that move with a dimension of the blocks."""
        parts, piece = self.counts.parts, self.source.piece
        side = parts.axes[piece][block]
        return () if side is None else parts.axes_of(piece, side)


def _modulus(function: BankFunction | None, axis: int) -> int:
    """By what residue along an axis the banks of a function differ."""
    if function is None:
        return 1
    return function.banks if isinstance(function, Linear) else function.moduli[axis]


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
