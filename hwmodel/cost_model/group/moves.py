"""Elements that a group loads, keeps and stores, one entry for each instance (docs/machine.md, sections 2, 3 and 5).

The idea. With one tick for each block, a tick has digits along the loops of the scan. An axis of a source's array moves
with a loop if the loop's digits differ between subscripts of the axis: digits of the ticks that bring the instances, or
of the ticks that use them last. An index of a loop is a subscript of the axis that moves with it, together with the
digit of the fetch that brings it; it lives to the greatest last digit of its instances. If all combinations of indices
occur, with all places of the free axes, and no instance is used later than its indices live, the source's instances are
a product (`hwmodel/local_memory`). Living longer than its use does no harm.

Contents that are not products, because of cuts or borders, are listed instance by instance.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import IntArray
from hwmodel.accesses import Extents, Touch
from hwmodel.cost_model.group.group import Group
from hwmodel.cost_model.group.scans import prefixes
from hwmodel.cost_model.group.ticks import STORES, Stages, Ticks, Work, is_unchanging, read_at
from hwmodel.cost_model.numbering import NumberTable, ascending, distinct, narrow, numbered
from hwmodel.design import Blocks, GroupDesign, ReuseLevel
from hwmodel.local_memory.contents import Contents, Listed, Pieces
from hwmodel.local_memory.lines import LoopPlaces, Piece


@dataclass(frozen=True, eq=False)
class Brought:
    """Instances of elements that one source brings: the step of birth and the step of the last use of each.

    The source (the loader, or a tiler that writes) works `stage` steps after the tick. The last stage that uses the
    instances follows by `lag` steps; 0 if none does.
    """

    element: IntArray
    born: IntArray
    last: IntArray
    stage: int
    lag: int

    def from_step(self, first: int) -> Brought:
        """The instances with steps counted from another one."""
        return replace(self, born=self.born - first, last=self.last - first, stage=self.stage - first)


@dataclass(frozen=True, eq=False)
class Lifetimes:
    """All instances of the elements of one array, by source."""

    array: str
    sources: tuple[Brought, ...]

    def a_step_later(self) -> Lifetimes:
        """These moves, born a step later: what comes at the end of a step, when its readers have left."""
        later = (replace(own, born=own.born + 1, stage=own.stage + 1, lag=own.lag - 1) for own in self.sources)
        return replace(self, sources=tuple(later))

    @cached_property
    def element(self) -> IntArray:
        """The element of each instance."""
        return np.concatenate([source.element for source in self.sources])

    @cached_property
    def born(self) -> IntArray:
        """The step of birth of each instance."""
        return np.concatenate([source.born for source in self.sources])

    @cached_property
    def last(self) -> IntArray:
        """The step of the last use of each instance."""
        return np.concatenate([source.last for source in self.sources])


@dataclass(frozen=True, eq=False)
class Stored:
    """Elements of one array that are stored, and the step of each."""

    array: str
    element: IntArray
    step: IntArray


def load_array(group: Group, design: GroupDesign, ticks: Ticks, stages: Stages, array: str) -> Lifetimes:
    """The fetches of an array from outside under its keep; an unchanging array is fetched once."""
    keep = ReuseLevel(0) if is_unchanging(group, ticks, array) else design.keep_of(array)
    uses, size = _Uses.of(group, ticks, stages, array), group.accesses.size(array)
    prefix = _prefixes(group, design.blocks, ticks, keep.level)
    # Of each element prefixes count from its first one: so keys are few, and need no sort.
    start = np.full(size, prefix.max(initial=0))
    for element, tick, _ in uses.parts() if prefix.any() else ():
        np.minimum.at(start, element, prefix[tick])
    latest = max((int((prefix[tick] - start[element]).max()) for element, tick, _ in uses.parts()), default=0)
    count = latest + 2  # so that no prefix of an element follows one of another directly
    keys = (element * count + prefix[tick] - start[element] for element, tick, _ in uses.parts())
    numbers = NumberTable.among(keys, size * count, uses.number)
    fetches, joined = numbers.distinct, None
    if keep.shared:  # of prefixes those of one element that follow each other directly are one fetch
        heads = np.diff(fetches, prepend=-2) > 1
        fetches, joined = fetches[heads], np.cumsum(heads) - 1
    first = np.full(len(fetches), len(ticks.block))
    end = np.full(len(fetches), np.iinfo(np.int64).min)
    for element, tick, lag in uses.parts():
        instance = numbers.of(element * count + prefix[tick] - start[element])
        instance = instance if joined is None else joined[instance]
        np.minimum.at(first, instance, tick)
        np.maximum.at(end, instance, tick + lag)
    if keep.eager:
        first = np.searchsorted(prefix, start[fetches // count] + fetches % count)
    stage = stages.load[array]
    latest_use = max(stages.task[reader] for reader in group.readers(array)) - stage
    return Lifetimes(array, (Brought(fetches // count, first + stage, end, stage, latest_use),))


def make_array(group: Group, ticks: Ticks, stages: Stages, array: str) -> tuple[Lifetimes, Stored]:
    """The instances that the group makes of an array, by all tilers that write it, and those that are stored."""
    writers = [(task, touch) for task in group.writers_of[array] for touch in group.writes(task, array)]
    is_only = len(writers) == 1
    made, stored = zip(
        *(_births_of_task(group, ticks, stages, writer, alone=is_only) for writer in writers), strict=True
    )
    out = (np.concatenate([getattr(each, name) for each in stored]) for name in ("element", "step"))
    return Lifetimes(array, made), Stored(array, *out)


def _births_of_task(
    group: Group, ticks: Ticks, stages: Stages, writer: tuple[str, Touch], *, alone: bool
) -> tuple[Brought, Stored]:
    """The instances that a task makes of an array through one tiler (`alone` if there is no other), and stores."""
    (task, touch), array = writer, writer[1].array
    work, stage = ticks.work[task], stages.task[task]
    element, run = _elements_made(group, work, touch)
    born, last, latest = work.tick[run] + stage, work.tick[run] + stage, [stage]
    order = _Instances.of(element, work.use[run], len(ticks.block), once=work.once)
    for reader in group.readers(array):
        for all_read, at in read_at(group, reader, array, ticks.work[reader]):
            own = slice(None) if alone else np.isin(all_read, element)
            read, tick = all_read[own], at[own]
            if len(read):
                np.maximum.at(last, order.find(read, tick), tick + stages.task[reader])
                latest.append(stages.task[reader])
    kept = _stored(group, array, element, work.tick[run])
    out = Stored(array, element[kept], ticks.block_ticks[ticks.block[work.tick[run[kept]]]] + STORES)
    last[kept] = np.maximum(last[kept], out.step)
    latest += [STORES] if len(kept) else []
    return Brought(element, born, last, stage, max(latest) - stage), out


@dataclass(frozen=True, eq=False)
class _Uses:
    """All accesses of a group to an array, stored narrow and read in parts, since there are many."""

    kept: Sequence[tuple[NDArray[np.signedinteger[Any]], NDArray[np.signedinteger[Any]], int]]
    number: int

    @staticmethod
    def of(group: Group, ticks: Ticks, stages: Stages, array: str) -> _Uses:
        """Collect the accesses."""
        size, last = group.accesses.size(array), len(ticks.block)
        kept = [
            (narrow(element, size), narrow(tick, last), stages.task[reader])
            for reader in group.readers(array)
            for element, tick in read_at(group, reader, array, ticks.work[reader])
            if len(element)
        ]
        return _Uses(kept, sum(len(element) for element, _, _ in kept))

    def parts(self) -> Iterator[tuple[IntArray, IntArray, int]]:
        """The element of each access, the reader's tick, and the steps from that to the access, in parts."""
        for element, tick, lag in self.kept:
            yield element.astype(np.int64), tick.astype(np.int64), lag


def _prefixes(group: Group, blocks: Blocks, ticks: Ticks, level: int) -> IntArray:
    """The prefix of each tick at a level, numbered in the order of the ticks.

    The tick itself at the level of all loops.
    """
    if level >= len(blocks.scan.dimensions) and level:
        return np.arange(len(ticks.block))
    prefix: IntArray = prefixes(group.accesses.extents(group.last), blocks, level)[ticks.block]
    return prefix


def _elements_made(group: Group, work: Work, touch: Touch) -> tuple[IntArray, IntArray]:
    """The elements that runs of a task write through a tiler, and the number of the writing run."""
    none = np.zeros(0, np.int64)
    parts = [(none, none)]
    for rows, written in group.accesses.in_parts(touch, work.repetition):
        parts.append((written.ravel(), np.repeat(rows, written.shape[1])))
    element, run = (np.concatenate(each) for each in zip(*parts, strict=True))
    return element, run


@dataclass(frozen=True, eq=False)
class _Instances:
    """Instances sorted by element or, if elements have several, by `keys` of element and tick of use."""

    order: IntArray
    keys: IntArray | None
    ticks: int

    @staticmethod
    def of(element: IntArray, use: IntArray, ticks: int, *, once: bool) -> _Instances:
        if once:
            order = np.zeros(int(element.max(initial=-1)) + 1, np.int64)
            order[element] = np.arange(len(element))
            return _Instances(order, None, ticks)
        key = element * ticks + use
        order = np.argsort(key)
        return _Instances(order, key[order], ticks)

    def find(self, element: IntArray, tick: IntArray) -> IntArray:
        """The instance of each element that is read at a tick."""
        if self.keys is None:
            return self.order[element]
        instances: IntArray = self.order[np.searchsorted(self.keys, element * self.ticks + tick)]
        return instances


def _stored(group: Group, array: str, element: IntArray, tick: IntArray) -> IntArray:
    """The first instance of each element that is needed outside."""
    if array not in group.stored:
        return np.zeros(0, np.int64)
    order = np.lexsort((tick, element))
    first = order[np.diff(element[order], prepend=-1) != 0]
    stored: IntArray = first[group.needed_outside(array)[element[first]]]
    return stored


def largest_live(born: IntArray, last: IntArray) -> int:
    """The largest number of intervals born..last (both included) that hold one step."""
    if not len(born):
        return 0
    start = int(born.min())
    change = np.bincount(born - start, minlength=int(last.max()) - start + 2).astype(np.int64)
    change -= np.bincount(last + 1 - start, minlength=len(change))
    return int(np.cumsum(change).max())


def largest_live_folded(born: IntArray, last: IntArray, period: int) -> int:
    """The largest number of intervals born..last that hold one step, if all are repeated every `period` steps."""
    if not len(born):
        return 0
    whole = (last + 1 - born) // period  # so often an interval covers every step of the period
    change = np.zeros(2 * period + 1, np.int64)
    start = born % period
    np.add.at(change, start, 1)
    np.add.at(change, start + (last + 1 - born) % period, -1)
    live = np.cumsum(change)
    return int(whole.sum()) + int((live[:period] + live[period : 2 * period]).max())


Narrow = NDArray[np.signedinteger[Any]]  # widened before it is multiplied


def contents_of(shape: Extents, loops: Extents, ticks: int, held: Lifetimes) -> Contents:
    """The contents of the buffer of an array; `loops` has the places of each loop, outermost first."""
    sources = [source for source in held.sources if len(source.element)]
    if ticks == math.prod(loops):
        pieces = [piece_of(shape, loops or (1,), source) for source in sources]
        products = tuple(piece for piece in pieces if piece is not None)
        if len(products) == len(sources):
            return Pieces(shape, products)
    return Listed(shape, held.element, held.born, held.last, ticks)


def piece_of(shape: Extents, loops: Extents, source: Brought) -> Piece | None:
    """The piece of an array that a source brings, with so many places of each loop; None if it is not a product."""
    instances = _Fields.of(shape, loops, source)
    indices = instances.indices()
    if indices is None:
        return None
    moving = [index.loop.axis for index in indices]
    numbers, free = [index.number for index in indices], list[LoopPlaces]()
    for axis in (axis for axis in range(len(shape)) if axis not in moving):
        distinct, number = numbered(instances.subscripts[axis], shape[axis])
        free, numbers = [*free, LoopPlaces.free(axis, distinct)], [*numbers, number]
    along = [index.loop for index in indices]
    sizes = [len(loop.first) for loop in (*along, *free)]
    if math.prod(sizes) != len(source.element):
        return None
    together = np.bincount(np.ravel_multi_index(numbers, sizes), minlength=len(source.element))
    dead = np.ravel_multi_index([index.loop.last[index.number] for index in indices], loops)
    if not (together == 1).all() or (dead < instances.final_tick).any():
        return None
    return Piece(tuple(along[:-1]), tuple(along[-1:]), tuple(free), source.lag, source.stage)


@dataclass(frozen=True, eq=False)
class _Index:
    """The indices of a loop, and the number of each instance's index."""

    loop: LoopPlaces
    number: IntArray


@dataclass(frozen=True, eq=False)
class _Fields:
    """Instances of a source: subscripts by axis, and by loop the digits of the ticks of birth and last use."""

    loops: Extents
    subscripts: Sequence[Narrow]
    first: Sequence[Narrow]
    last: Sequence[Narrow]
    final_tick: Narrow
    used: NDArray[np.bool_]

    @staticmethod
    def of(shape: Extents, loops: Extents, source: Brought) -> _Fields:
        """Decode the instances of a source."""
        ticks, elements = math.prod(loops), math.prod(shape)
        tick = narrow(source.born - source.stage, ticks)
        final = np.maximum(narrow(source.last - source.stage - source.lag, ticks), tick)
        subscripts = _digits(narrow(source.element, elements), shape)
        return _Fields(loops, subscripts, _digits(tick, loops), _digits(final, loops), final, source.last > source.born)

    def indices(self) -> list[_Index] | None:
        """The indices of each loop; None if an axis moves with several loops, or several axes with one loop."""
        axes = [
            [axis for axis in range(len(self.subscripts)) if self._moves(axis, loop)] for loop in range(len(self.loops))
        ]
        moving = [axis for along in axes for axis in along]
        if len(moving) > len(set(moving)) or any(len(along) > 1 for along in axes):
            return None
        return [self._index(loop, *along) for loop, along in enumerate(axes)]

    def _moves(self, axis: int, loop: int) -> bool:
        """Whether the digits of a loop differ between subscripts of an axis."""
        subscript, first, last = self.subscripts[axis], self.first[loop], self.last[loop]
        if self.loops[loop] == 1 or not len(subscript) or subscript.min() == subscript.max():
            return False
        if not _are_alike(subscript, first):
            return True
        # The last use of what is not used says nothing, unless nothing of the subscript is used.
        known = slice(None) if self._all_used else self.used | ~np.isin(subscript, subscript[self.used])
        ends = first * np.int64(self.loops[loop]) + last
        return not _are_alike(subscript[known], ends[known])

    @cached_property
    def _all_used(self) -> bool:
        return bool(self.used.all())

    def _index(self, loop: int, axis: int | None = None) -> _Index:
        """The indices of a loop with the axis that moves with it."""
        extent = self.loops[loop]
        key = self.first[loop] if axis is None else self.subscripts[axis] * np.int64(extent) + self.first[loop]
        distinct, number = numbered(key, int(key.max()) + 1)
        last = np.zeros(len(distinct), np.int64)
        np.maximum.at(last, number, self.last[loop].astype(np.int64))  # of one type it takes a tenth
        return _Index(LoopPlaces(extent, axis, distinct // extent, distinct % extent, last), number)


def _digits(numbers: Narrow, extents: Extents) -> Sequence[Narrow]:
    """The index vectors of row-major numbers, by axis."""
    digits = list[Narrow]()
    for extent in reversed(extents):
        digits.append(numbers % extent)
        numbers = numbers // extent
    return digits[::-1]


def _are_alike(subscript: Narrow, digit: Narrow) -> bool:
    """Whether all subscripts occur with the same set of digits."""
    if not len(digit) or digit.min() == digit.max() or subscript.min() == subscript.max():
        return True
    digits, digit = numbered(digit, int(digit.max()) + 1)
    extent = len(digits)
    pairs = distinct(subscript * np.int64(extent) + digit, (int(subscript.max()) + 1) * extent)
    return len(pairs) == len(ascending(pairs // extent)) * len(ascending(pairs % extent))
