"""Where an array that stays inside a fused block lies: an array of the block, whose index is a combination of steps.

The producer's columns, joined, are its axes: element e of the whole array is e0(R) + L z, with z the index inside.
Every tiler of the block is put in these coordinates by solving L z = column in integers. A layout is taken only where
that has solutions, the block's writes fill the box of z, each place once, and each read stays in it or may go round:
then every read finds what the one write of its element has put there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from arrayol.ir.intervals import reached
from arrayol.ir.spec import IntMatrix, Link, Port, Shape, Tiler, identity, whole_array_tiler
from arrayol.polyhedral.accesses import Access, acting_axes, least_combination
from arrayol.polyhedral.isl import TooHardError
from arrayol.polyhedral.macro_pattern import fitting_offset
from arrayol.polyhedral.single_write import find_clash, find_hole
from arrayol.transforms.blocks.block import (
    Blocks,
    Vector,
    added,
    columns_of,
    inner_columns,
    minus,
    moved,
    rows_of,
    times,
    union_of,
)


@dataclass(frozen=True, slots=True)
class Use:
    """A link, and the shape of its pattern."""

    link: Link
    pattern: Shape


@dataclass(frozen=True, slots=True)
class Layout:
    """The block's array of `shape`, the inner tilers of writes and reads in their order, and its place in the whole."""

    shape: Shape
    writes: tuple[Tiler, ...]
    reads: tuple[Tiler, ...]
    outer: Tiler


def lay_out(array: Port, writes: Sequence[Use], reads: Sequence[Use], maker: Blocks, reader: Blocks) -> Layout | None:
    """A layout that holds what the block's producer writes, each element once, and where every read finds its element.

    None where there is none along the producer's columns nor along the array's axes.
    """
    for basis in _bases(array, writes, maker):
        layout = _Basis(array, basis, maker, reader).lay_out(writes, reads)
        if layout:
            return layout
    return None


def lay_out_whole(array: Port, writes: Sequence[Use], reads: Sequence[Use], maker: Blocks) -> Layout:
    """The layout of a block that is everything: the array as it is."""
    outer = whole_array_tiler(len(array.shape), array.span, steps=len(maker.outer))
    write_tilers, read_tilers = (tuple(use.link.tiler for use in uses) for uses in (writes, reads))
    return Layout(array.shape, write_tilers, read_tilers, outer)


def _bases(array: Port, writes: Sequence[Use], maker: Blocks) -> Iterator[tuple[Vector, ...]]:
    rank = len(array.shape)
    columns, extents = inner_columns(writes[0].link.tiler, writes[0].pattern, maker)
    union = union_of(columns, extents, rank)
    yield tuple(column for column, extent in zip(union.columns, union.extents, strict=True) if extent != 1)
    yield union.columns
    yield identity(rank)


@dataclass(frozen=True, slots=True)
class _Placed:
    """A tiler in coordinates of the block: places of steps and pattern, and the span that they reach over."""

    steps: tuple[Vector, ...]
    pattern: tuple[Vector, ...]
    spans: tuple[tuple[int, int | None], ...]

    def tiler(self, offset: Vector, like: Tiler, wrap: bool) -> Tiler:
        rank = len(offset)
        return Tiler(offset, rows_of(self.steps, rank), rows_of(self.pattern, rank), wrap, like.span)


@dataclass(frozen=True, slots=True)
class _Basis:
    array: Port
    columns: tuple[Vector, ...]
    maker: Blocks
    reader: Blocks

    @property
    def matrix(self) -> IntMatrix:
        return rows_of(self.columns, len(self.array.shape))

    def lay_out(self, writes: Sequence[Use], reads: Sequence[Use]) -> Layout | None:
        written = self._written(writes)
        if written is None:
            return None
        shape, base, tilers = written
        accesses = [
            Access(tiler, self.maker.extents, use.pattern, shape) for tiler, use in zip(tilers, writes, strict=True)
        ]
        try:
            if find_clash(accesses) or find_hole(accesses):
                return None
        except TooHardError:
            return None
        read_tilers = [self._read(use, shape, base) for use in reads]
        if None in read_tilers:
            return None
        first = writes[0].link.tiler
        outer = moved(first, self.maker, minus(base, _start(first, self.maker)), self.columns)
        return Layout(shape, tuple(tilers), tuple(tiler for tiler in read_tilers if tiler), outer)

    def _written(self, writes: Sequence[Use]) -> tuple[Shape, Vector, list[Tiler]] | None:
        """The shape of the block's array, its first element in the first block, and the inner tilers of the writes."""
        starts = [_start(use.link.tiler, self.maker) for use in writes]
        tilers = [self._placed(use, self.maker) for use in writes]
        offsets = [least_combination(self.matrix, minus(start, starts[0])) for start in starts]
        if None in tilers or None in offsets:
            return None
        both = [(tiler, offset) for tiler, offset in zip(tilers, offsets, strict=True) if tiler and offset is not None]
        lows, highs = [], []
        for axis in range(len(self.columns)):
            lows.append(min(offset[axis] + placed.spans[axis][0] for placed, offset in both))
            ends = [(offset[axis], placed.spans[axis][1]) for placed, offset in both]
            finite = [begin + end for begin, end in ends if end is not None]
            highs.append(max(finite) if len(finite) == len(ends) else None)
        shape = tuple(None if high is None else high - low + 1 for low, high in zip(lows, highs, strict=True))
        base = added(starts[0], times(self.matrix, lows))
        return (
            shape,
            base,
            [
                placed.tiler(minus(offset, lows), use.link.tiler, False)
                for (placed, offset), use in zip(both, writes, strict=True)
            ],
        )

    def _read(self, use: Use, shape: Shape, base: Vector) -> Tiler | None:
        placed, tiler = self._placed(use, self.reader), use.link.tiler
        if placed is None:
            return None
        target = minus(_start(tiler, self.reader), base)
        acting = acting_axes(Access(tiler, self.reader.space, use.pattern, self.array.shape))
        if acting:
            return self._read_beyond(placed, tiler, target, (shape, base), acting)
        periods = self.array.shape if tiler.wrap else (None,) * len(self.array.shape)
        offset = fitting_offset(self.matrix, target, placed.spans, shape, periods)
        if offset is not None:
            return placed.tiler(offset, tiler, False)
        offset = least_combination(self.matrix, target, periods=periods)
        if offset is None or not self._goes_round(offset, placed, shape, periods):
            return None
        return placed.tiler(offset, tiler, True)

    def _read_beyond(
        self, placed: _Placed, tiler: Tiler, target: Vector, held: tuple[Shape, Vector], acting: Sequence[int]
    ) -> Tiler | None:
        """A read through a border; the block, of a shape and a first element, must hold whole axes where that acts."""
        (shape, base), along = held, set[int]()
        steps = [times(tiler.paving, column) for column in columns_of(self.reader.paving, len(self.reader.outer))]
        moving = [step for step, count in zip(steps, self.reader.outer, strict=True) if count != 1]
        for axis in acting:
            own = [place for place, column in enumerate(self.columns) if column[axis]]
            unit = identity(len(self.array.shape))[axis]
            if base[axis] or any(step[axis] for step in moving) or [self.columns[place] for place in own] != [unit]:
                return None
            if shape[own[0]] != self.array.shape[axis]:
                return None
            along.add(own[0])
        offset = least_combination(self.matrix, target)
        if offset is None:
            return None
        for place, (begin, (low, high), extent) in enumerate(zip(offset, placed.spans, shape, strict=True)):
            inside = begin + low >= 0 and (extent is None or (high is not None and begin + high < extent))
            if place not in along and not inside:
                return None
        return replace(placed.tiler(offset, tiler, False), border=tiler.border)

    def _goes_round(self, offset: Vector, placed: _Placed, shape: Shape, periods: Shape) -> bool:
        """Whether the dimensions that a read leaves hold a whole turn of the array: it may go on at their start."""
        for column, begin, (low, high), extent in zip(self.columns, offset, placed.spans, shape, strict=True):
            inside = begin + low >= 0 and (extent is None or (high is not None and begin + high < extent))
            if not inside and (extent is None or not _is_turn(column, extent, periods)):
                return False
        return True

    def _placed(self, use: Use, blocks: Blocks) -> _Placed | None:
        columns, extents = inner_columns(use.link.tiler, use.pattern, blocks)
        places: list[Vector] = []
        for column, extent in zip(columns, extents, strict=True):
            place = least_combination(self.matrix, column)
            if place is None and extent != 1:
                return None
            places.append(place or (0,) * len(self.columns))  # what takes one step only never moves
        steps = len(blocks.extents)
        return _Placed(tuple(places[:steps]), tuple(places[steps:]), _spans(places, extents, len(self.columns)))


def _start(tiler: Tiler, blocks: Blocks) -> Vector:
    """The first element that the first block touches."""
    return added(tiler.origin, times(tiler.paving, blocks.origin))


def _is_turn(column: Vector, extent: int, periods: Shape) -> bool:
    return all(
        entry * extent == 0 if period is None else entry * extent % period == 0
        for entry, period in zip(column, periods, strict=True)
    )


def _spans(places: Sequence[Vector], extents: Shape, rank: int) -> tuple[tuple[int, int | None], ...]:
    """How far below and above its start the sum of all steps reaches in each dimension."""
    spans: list[tuple[int, int | None]] = []
    for axis in range(rank):
        endless = any(extent is None and place[axis] for place, extent in zip(places, extents, strict=True))
        low, high = reached(
            0, (place[axis] * ((extent or 1) - 1) for place, extent in zip(places, extents, strict=True))
        )
        spans.append((low, None if endless else high))
    return tuple(spans)
