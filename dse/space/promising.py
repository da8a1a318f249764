"""Blocks of a single task that move little for the memory that they take, by an estimate, without a price.

What a prefix of the scan reads of an array is estimated as a box: its sides are those of the pattern, and what the
pattern moves within the prefix. An array that is kept at a level is fetched once for each prefix of it, and lies in the
memory with what the next tick brings; a delay keeps what its chain passes while the loops inside its own run. Blocks of
blocks are estimated too: a dimension of the outer blocks is walked in smaller ones, as the innermost loop. So very many
blocks are compared in a moment, and few need a price.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray

from dse.space.mappings import MappingSpace, ShapeTable, count_of
from dse.space.rates import FINEST, finest_ladder, ladder
from hwmodel.accesses import Touch
from hwmodel.design import Blocks, GroupDesign, Processor, ReuseLevel, Scan, with_keeps

SHARES = 4, 16  # smaller blocks in an outer one, along the innermost loop
SCANS_AT_MOST = 24  # that are compared
SHAPES_AT_MOST = 1 << 12
TICKS_AT_MOST = 1 << 15  # of blocks of blocks: such of more take long to price
Numbers = NDArray[np.float64]  # one for each shape


@dataclass(frozen=True)
class _Choices:
    """Blocks under one scan with one keep for each array: outer blocks (S, rank), sides (S, rank), and figures (S, 2).

    `inner` is the dimension that is walked twice, if any; the figures are bytes of traffic and bits of memory.
    """

    scan: Scan
    inner: int | None
    outer: ShapeTable
    sides: ShapeTable
    keeps: tuple[ReuseLevel, ...]
    figures: Numbers

    def only(self, rows: NDArray[np.intp]) -> _Choices:
        """Some of them."""
        return _Choices(self.scan, self.inner, self.outer[rows], self.sides[rows], self.keeps, self.figures[rows])


def promising(space: MappingSpace, task: str) -> tuple[Numbers, list[GroupDesign]]:
    """Structures of a single task that no other dominates by the estimates, and these, (n, 2), ascending by traffic.

    The estimates are bytes of traffic and bits of memory. Empty where scans or shapes are too many to be compared.
    """
    found = _Estimate(space, task).front()
    structures = [one for choices in found for one in _structures(space, task, choices)]
    figures = np.concatenate([choices.figures for choices in found]) if found else np.zeros((0, 2))
    kept = [row for row, one in enumerate(structures) if space.model.is_legal(task, one.blocks)]
    kept.sort(key=lambda row: tuple(figures[row]))
    return figures[kept], [structures[row] for row in kept]


def _structures(space: MappingSpace, task: str, choices: _Choices) -> Iterator[GroupDesign]:
    loaded = space.loaded((task,))
    for outer, sides in zip(choices.outer.tolist(), choices.sides.tolist(), strict=True):
        blocks = Blocks(tuple(sides), choices.scan, () if choices.inner is None else tuple(outer))
        keeps = dict(zip(loaded, choices.keeps, strict=True))
        yield with_keeps(GroupDesign((Processor(task),), blocks), keeps)


class _Estimate:
    """Compares the blocks of a task under all scans that only go upwards."""

    def __init__(self, space: MappingSpace, task: str) -> None:
        self.space, self.task = space, task
        self.accesses = space.accesses
        self.extents = tuple(space.accesses.extents(task))
        self.loaded = space.loaded((task,))
        self.reads = {
            array: [touch for touch in self.accesses.reads[task] if touch.array == array] for array in self.loaded
        }
        self.moving = {array: _moving(touches, len(self.extents)) for array, touches in self.reads.items()}

    def front(self) -> list[_Choices]:
        """What none of the others beats."""
        legal = self.space.scans(self.task, self.extents)
        if count_of(legal) > SCANS_AT_MOST << len(self.extents):
            return []
        scans = [scan for scan in legal if not any(scan.descending)][:SCANS_AT_MOST]
        best = list[_Choices]()
        for scan in scans:
            best = _front([*best, *self._under(scan)])
        return best

    @cached_property
    def _shapes(self) -> ShapeTable:
        """Blocks, or outer blocks: of the finest sides, or of coarser ones where these are too many."""
        ratio = FINEST
        sides = [self._sides(extent, ratio) for extent in self.extents]
        while np.prod(list(map(len, sides))) > SHAPES_AT_MOST:
            ratio *= FINEST
            sides = [self._sides(extent, ratio) for extent in self.extents]
        return np.array(list(product(*sides)), np.int64).reshape(-1, len(self.extents))

    def _sides(self, extent: int, ratio: float) -> tuple[int, ...]:
        if self.space.study.blocks == "divisors":
            return self.space.sides(extent)
        return finest_ladder(extent) if ratio == FINEST else ladder(extent, ratio)

    def _under(self, scan: Scan) -> Iterator[_Choices]:
        """Blocks under a scan, and blocks of blocks with one more loop inside it."""
        shapes = self._shapes
        yield from self._kept(scan, None, shapes, shapes)
        if self.space.study.outer_blocks is not None:
            return
        for inner in scan.dimensions[:-1]:
            whole = shapes[:, inner]
            twice = Scan((*scan.dimensions, inner), (*scan.descending, False))
            delayed = any(delay.vector[inner] for delay in self.accesses.delays(self.task))
            for share in () if delayed else SHARES:
                rows = np.flatnonzero((whole >= share) & (self.extents[inner] % whole == 0))
                sides = shapes[rows].copy()
                sides[:, inner] = -(-whole[rows] // share)
                soon = self._ticks(sides) <= TICKS_AT_MOST
                if soon.any():
                    yield from self._kept(twice, inner, shapes[rows[soon]], sides[soon])

    def _ticks(self, sides: ShapeTable) -> NDArray[np.int64]:
        """How many blocks there are, (S,)."""
        ticks: NDArray[np.int64] = (-(-np.array(self.extents, np.int64) // sides)).prod(axis=1)
        return ticks

    def _kept(self, scan: Scan, inner: int | None, outer: ShapeTable, sides: ShapeTable) -> Iterator[_Choices]:
        """All choices of a keep for each array, of those that fetch otherwise: at each level inside a loop of its own.

        Each is reduced to its front.
        """
        walk = _Walk(scan, self.extents, outer, sides)
        moved, held = self._stored_and_held(walk)
        each = [self._of_array(array, walk) for array in self.loaded]
        for choice in product(*each):
            traffic = moved + sum(own[1] for own in choice)
            memory = held + sum(own[2] for own in choice)
            keeps = tuple(own[0] for own in choice)
            found = _Choices(scan, inner, outer, sides, keeps, np.stack([traffic, memory], axis=1))
            yield found.only(_best(found.figures))

    def _of_array(self, array: str, walk: _Walk) -> list[tuple[ReuseLevel, Numbers, Numbers]]:
        """What each keep of an array moves and holds, in bytes and in bits."""
        element, loops, moving = self.space.model.network.arrays[array].type, walk.loops, self.moving[array]
        levels = [0, *(level for level in range(1, loops + 1) if walk.scan.dimensions[level - 1] in moving)]
        tick = self._box(array, walk.spans(loops))
        found = []
        for keep in (ReuseLevel(level) for level in levels):
            if keep not in self.space.keeps_of(array, loops):
                continue
            fetched = self._box(array, walk.means(keep.level)) * walk.prefixes(keep.level)
            held = self._box(array, walk.spans(self._level_held(array, walk, keep.level))) + tick
            found.append((keep, fetched * element.bytes, held * element.bits))
        return found

    def _level_held(self, array: str, walk: _Walk, level: int) -> int:
        """The level of the prefixes whose data are held together, of an array that is fetched for those of a level.

        A loop that moves the array does not read the data again, but for those that neighbouring blocks share.
        """
        while level < walk.loops and (at := walk.scan.dimensions[level]) in self.moving[array]:
            level += 1
            if any(_overlaps(touch, at) for touch in self.reads[array]):
                break
        return level

    def _stored_and_held(self, walk: _Walk) -> tuple[Numbers, Numbers]:
        """What is stored, in bytes, and what outputs and delays hold, in bits."""
        arrays, process = self.space.model.network.arrays, self.space.model.network.processes[self.task]
        moved = float(sum(self.accesses.size(one) * arrays[one].type.bytes for one in process.writes))
        held, delays = np.zeros(len(walk.sides)), self.accesses.delays(self.task)
        acting = {at for delay in delays if delay.acts for at, step in enumerate(delay.vector) if step}
        alternates = walk.scan.dimensions[-1] not in acting
        for touch in self.accesses.writes[self.task]:
            made = _box_of(touch, self.accesses.shape(touch.array), walk.spans(walk.loops))
            held = held + (1 + alternates) * made * arrays[touch.array].type.bits
        ports = {port.name: port for port in process.output_ports}
        level = min((walk.scan.dimensions.index(at) for at in acting), default=walk.loops)
        for delay in (one for one in delays if one.acts):
            spans = [span for at, span in enumerate(walk.spans(level)) if at not in acting]
            own = ports[delay.output]
            data = math.prod(extent or 1 for extent in own.shape)
            held = held + np.prod(spans, axis=0) * float(data * own.type.bits)
        return np.full(len(walk.sides), moved), held

    def _box(self, array: str, spans: Sequence[Numbers]) -> Numbers:
        """The elements of an array that so many indices of each dimension read, at most those that there are."""
        shape = self.accesses.shape(array)
        box: Numbers = np.max([_box_of(touch, shape, spans) for touch in self.reads[array]], axis=0)
        return box


@dataclass(frozen=True, eq=False)
class _Walk:
    """A scan over blocks of some sides (S, rank) in outer blocks (S, rank)."""

    scan: Scan
    extents: tuple[int, ...]
    outer: ShapeTable
    sides: ShapeTable

    @property
    def loops(self) -> int:
        """How many loops it has."""
        return len(self.scan.dimensions)

    def spans(self, level: int) -> list[Numbers]:
        """How many indices of each dimension the ticks of a prefix have, at most."""
        return [self._span(at, level) for at in range(len(self.extents))]

    def means(self, level: int) -> list[Numbers]:
        """Mean indices of each dimension that the ticks of a prefix have: blocks at the ends may be smaller."""
        counts = [np.ones(len(self.sides)) for _ in self.extents]
        for loop, at in enumerate(self.scan.dimensions[:level]):
            counts[at] = counts[at] * self._count(loop)
        return [extent / count for extent, count in zip(self.extents, counts, strict=True)]

    def prefixes(self, level: int) -> Numbers:
        """How many prefixes there are."""
        each = [self._count(loop) for loop in range(level)]
        number: Numbers = np.prod([np.ones(len(self.sides)), *each], axis=0)
        return number

    def _span(self, at: int, level: int) -> Numbers:
        done, whole = self.scan.dimensions[:level].count(at), self.scan.dimensions.count(at)
        if not done:
            return np.full(len(self.sides), float(self.extents[at]))
        return (self.sides if done == whole else self.outer)[:, at].astype(np.float64)

    def _count(self, loop: int) -> Numbers:
        """How often a loop runs within those outside of it."""
        at = self.scan.dimensions[loop]
        return np.ceil(self._span(at, loop) / self._span(at, loop + 1))


def _box_of(touch: Touch, shape: Sequence[int], spans: Sequence[Numbers]) -> Numbers:
    """The elements that so many indices of each dimension touch."""
    sides = []
    for axis, extent in enumerate(shape):
        steps, inside = touch.tiler.paving[axis], touch.tiler.fitting[axis]
        reach = sum(abs(step) * (side - 1) for step, side in zip(inside, touch.pattern, strict=True))
        moves = sum((abs(step) * (span - 1) for step, span in zip(steps, spans, strict=True)), np.zeros_like(spans[0]))
        sides.append(np.minimum(float(extent), 1 + reach + moves))
    box: Numbers = np.prod(sides, axis=0) if sides else np.ones_like(spans[0])
    return box


def _overlaps(touch: Touch, at: int) -> bool:
    """Whether repetitions that follow each other along a dimension read elements in common."""
    for row, inside in zip(touch.tiler.paving, touch.tiler.fitting, strict=True):
        reach = sum(abs(step) * (side - 1) for step, side in zip(inside, touch.pattern, strict=True))
        if row[at] and reach < abs(row[at]):
            return False
    return True


def _moving(touches: Sequence[Touch], rank: int) -> frozenset[int]:
    """The dimensions that move what is read."""
    rows = [row for touch in touches for row in touch.tiler.paving]
    return frozenset(at for at in range(rank) if any(row[at] for row in rows))


def _front(choices: Sequence[_Choices]) -> list[_Choices]:
    """Choices that no other of all together dominates."""
    if not choices:
        return []
    ends = np.cumsum([len(each.figures) for each in choices])
    kept = np.sort(_best(np.concatenate([each.figures for each in choices])))
    starts = [0, *ends[:-1].tolist()]
    parts = [kept[(kept >= start) & (kept < end)] - start for start, end in zip(starts, ends.tolist(), strict=True)]
    return [each.only(rows) for each, rows in zip(choices, parts, strict=True) if len(rows)]


def _best(figures: Numbers) -> NDArray[np.intp]:
    """The rows of two figures (n, 2) that no other row beats; of equal ones the first."""
    order = np.lexsort((figures[:, 1], figures[:, 0]))
    least = np.minimum.accumulate(figures[order, 1])
    is_better = np.concatenate([[True], least[1:] < least[:-1]])
    rows: NDArray[np.intp] = order[is_better]
    return rows
