"""Counts along one block dimension, by place in the block order, for many block sides at once.

A table is the histogram of the fields of `first_use`: how many indices have each place. The rows of all block sides
stand in one array, so a whole set of sides costs a few array operations, and structures that share a side share its
row.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial, reduce

import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import IntArray
from hwmodel.cost_model.counted.axes.axes import Mask
from hwmodel.cost_model.counted.axes.axis_lines import AxisLines, lines_at, row_lines, shared
from hwmodel.cost_model.counted.axes.fetches import ONCE, START, Instances, Reading, Strips, instances_of
from hwmodel.cost_model.counted.axes.first_use import Fields, fields_along
from hwmodel.cost_model.counted.axes.moved import MovedAxis
from hwmodel.cost_model.counted.axes.places import BEFORE, NEVER, Merge, Places
from hwmodel.cost_model.counted.counts import GroupCounts, Lifetime
from hwmodel.cost_model.counted.runs import AxisRuns, MovedIndices, other_axis, runs_along
from hwmodel.cost_model.issue.rounds import RowLines
from hwmodel.cost_model.numbering import ascending
from hwmodel.local_memory.lines import Piece

Counts = IntArray
StoredCounts = NDArray[np.int32]  # half the bytes: along one dimension there is room for them


@dataclass(frozen=True, eq=False)
class AxisTable:
    """Counts along one block dimension for S choices of block sides; counts beyond the last place of a choice are 0.

    - `loops` (S, loops): the places of each loop of the scan along this dimension.
    - `happens` (S, Q, places): the counted quantities.
    - `kinds` (S, T, places): the kind of rows of each task that moves along this dimension, an index of its `rows`
      (`row_lines`).
    - `coupled`: for tasks with several (merged) dimensions here, by task and dimension, the kinds of rows along it (S,
      places) and their lines. `product` (S,): whether the indices of these dimensions run, and are moved, in all
      combinations.
    - `contiguous` (S, T): whether the indices of each task at a place are consecutive, if its delay acts along this
      dimension.
    - `born`, `dead` (S, I, places): births and deaths of each lifetime in memories.
    - `merges`: the records of merged readers, by block side.
    - `at_once` (S,), by piece that is stored and read, or read in part: whether every element is last read at the place
      that makes it.
    - `runs`: the runs along each axis that is moved, where runs are counted.
    - `lines`: the lines of each source of a buffer. `pieces`: by source and block side, the product that they were
      found to be (`coupled_contents`).
    - `lasts`: by followed piece, the last places (S, cells) of each reader.
    - `single` (S,), by array from outside: whether each of its indices is fetched once.
    - `again` (S, cells), by recomputing task: the number of places of each index. `read_whole` (S,), by piece that such
      a task makes and others read: whether all of it is read wherever it is made.
    """

    loops: IntArray
    happens: StoredCounts
    kinds: StoredCounts
    rows: tuple[RowLines, ...]
    coupled: Mapping[tuple[str, int], tuple[Counts, RowLines]]
    product: Mask
    contiguous: Mask
    born: StoredCounts
    dead: StoredCounts
    merges: dict[tuple[str, str], Merge]
    at_once: dict[str, Mask]
    runs: tuple[AxisRuns, ...]
    lines: tuple[AxisLines, ...]
    lasts: Mapping[str, Sequence[IntArray]]
    single: Mapping[str, Mask]
    again: Mapping[str, IntArray]
    read_whole: Mapping[str, Mask]
    pieces: dict[tuple[int, int], Piece | None] = field(default_factory=dict, repr=False)

    @cached_property
    def places(self) -> IntArray:
        """The number of places of each choice of sides, (S,)."""
        places: IntArray = self.loops.prod(axis=1)
        return places

    @cached_property
    def longest(self) -> IntArray:
        """The longest line of each task at any place, (S, T)."""
        return np.stack(
            [lines.longest[self.kinds[:, task]].max(axis=1) for task, lines in enumerate(self.rows)], axis=1
        )

    @property
    def nbytes(self) -> int:
        """The bytes of the counts and lines."""
        lines = {id(part): part.nbytes for part in self.lines}
        lasts = sum(part.nbytes for fields in self.lasts.values() for part in fields)
        return (
            lasts
            + sum(counts.nbytes for counts in (self.happens, self.kinds, self.born, self.dead))
            + sum(part.kind.nbytes for part in self.runs)
            + sum(lines.values())
        )


@dataclass(frozen=True)
class LoopOrder:
    """The loops of a scan along a block dimension, outermost first, with the last task's dimension that each walks."""

    block: int
    dimensions: tuple[int, ...]
    descending: tuple[bool, ...]


def axis_table(counts: GroupCounts, walk: LoopOrder, sides: IntArray, codes: IntArray) -> AxisTable:
    """The counts along one block dimension for sides (S, loops).

    `codes` (S, loaded arrays) say how each array is fetched (`fetches`).
    """
    parts, block = counts.parts, walk.block
    loops, fields = fields_of(counts, walk, sides)
    places = loops.prod(axis=1)
    most = int(places.max())
    fetches = {
        name: _Fetches.of(counts, fields, (block, name), codes[:, number], loops)
        for number, name in enumerate(parts.group.loaded)
    }
    fetched = {name: own.counted(most) for name, own in fetches.items()}
    counted = [
        fetched[entry.source][0]
        if entry.kind == "load"
        else _histogram(_stored(counts, fields, block, entry.source), most)
        if entry.kind == "store"
        else _work(fields, entry.source, most)
        for entry in counts.counted
    ]
    kinds, rows = zip(*(_rows(counts, fields, block, task, most) for task in parts.group.tasks), strict=True)
    coupled, products = _coupled(counts, fields, block, most)
    living = [way for memory in counts.memories for way in memory.living]
    lives = [fetched.get(way.source) or _lives(counts, fields, block, way, most) for way in living]
    never = np.zeros((len(sides), 0, most), np.int32)
    along = [
        _runs(counts, fields, fetches, moved, len(sides), most) if moved.block == block else other_axis(places, most)
        for moved in counts.moved.axes
    ]
    return AxisTable(
        loops,
        _stacked(counted),
        _stacked(kinds),
        rows,
        coupled,
        np.logical_and.reduce(
            [
                *products,
                *(runs.product for runs in along),
                *(_closes_in_order(counts, fields, block, task) for task in counts.delayed),
                np.ones(len(sides), np.bool_),
            ]
        ),
        np.stack([*map(partial(_is_contiguous, counts, block, coupled), parts.group.tasks, kinds, rows)], axis=1),
        _stacked([born for born, _ in lives]) if lives else never,
        _stacked([dead for _, dead in lives]) if lives else never,
        fields.merges,
        {
            piece: _is_read_at_once(fields, piece)
            for piece in (*counts.stored, *counts.read_in_part, *counts.fifos)
            if piece in fields.read and piece not in fields.again
        },
        tuple(along),
        shared([_lines(counts, fields, fetches, places, source.piece) for source in counts.sources]),
        {piece: fields.lasts[piece] for piece in counts.followed},
        {name: own.once for name, own in fetches.items()},
        {task: fields.again[task].times for task in counts.again},
        fields.read_whole,
    )


def _stacked(counts: Sequence[Counts]) -> StoredCounts:
    """Stack counts (S, places) of several quantities as (S, quantities, places)."""
    return np.stack(counts, axis=1, dtype=np.int32)


def fields_of(counts: GroupCounts, walk: LoopOrder, sides: IntArray) -> tuple[IntArray, Fields]:
    """The places of each loop of a walk (S, loops), and the fields along it, for blocks of these sides (S, loops)."""
    parts = counts.parts
    own, extents = parts.blocks[walk.block], parts.group.accesses.extents(parts.group.last)
    index = np.indices([extents[k] for k in own]).reshape(len(own), -1)
    loops = np.stack([-(-extents[k] // side) for k, side in zip(walk.dimensions, sides.T, strict=True)], axis=1)
    place = np.zeros((len(sides), index.shape[1]), np.int64)
    for k, down, side, wide in zip(walk.dimensions, walk.descending, sides.T, loops.T, strict=True):
        digit = index[own.index(k)][None, :] // side[:, None]
        place = place * wide[:, None] + (wide[:, None] - 1 - digit if down else digit)
    return loops, fields_along(parts, counts.masks, walk.block, place, counts.again)


def reading_along(counts: GroupCounts, walk: LoopOrder, sides: IntArray) -> Reading:
    """How arrays from outside are read along a block dimension, for block sides (S, loops)."""
    loops, fields = fields_of(counts, walk, sides)
    return Reading.along(counts.parts, counts.masks, fields, walk.block, loops.prod(axis=1))


@dataclass(frozen=True, eq=False)
class _Fetches:
    """When the indices of a loaded array come and when they are last used: the fields `come` and `gone`.

    These hold for the block sides in the mask `once` (S,); the other sides have the fetches `several`.
    """

    come: IntArray
    gone: IntArray
    once: Mask
    several: Instances | None

    @staticmethod
    def of(counts: GroupCounts, fields: Fields, what: tuple[int, str], codes: IntArray, loops: IntArray) -> _Fetches:
        """The fetches of an array along a block dimension (`what`: the dimension and the array), under codes (S,)."""
        block, array = what
        come, gone = fields.read[array], fields.last[array]
        come = np.where((come != NEVER) & (codes == START)[:, None], 0, come)
        once = (codes == ONCE) | (codes == START)
        if once.all():
            return _Fetches(come, gone, once, None)
        several, merge = instances_of(counts.parts, counts.masks, fields, block, array, Strips.of(codes, loops))
        for kind in ("first", "last"):
            fields.merges[kind, array] = fields.merges[kind, array].where(once, merge)
        return _Fetches(come, gone, once, several)

    def counted(self, most: int) -> tuple[Counts, Counts]:
        """The numbers of indices that come, and that are used last, at each place, (S, places) each."""
        come, gone, several = _histogram(self.come, most), _histogram(self.gone, most), self.several
        if several is None:
            return come, gone
        numbers = (np.bincount(several.side * most + at, minlength=come.size) for at in (several.first, several.last))
        first, last = (number.reshape(come.shape) for number in numbers)
        return np.where(self.once[:, None], come, first), np.where(self.once[:, None], gone, last)

    def moved(self) -> MovedIndices:
        """The indices that come, with their places."""
        come, several = MovedIndices.of_field(self.come), self.several
        if several is None:
            return come
        again = MovedIndices(several.side, several.first, several.cell).only(~self.once[several.side])
        return come.only(self.once[come.side]).joined(again)

    def lines(self, places: IntArray) -> AxisLines:
        """The lines of the indices that come."""
        once, several = AxisLines.of_fields(places, self.come, self.gone), self.several
        return once if several is None else AxisLines.either(self.once, once, AxisLines.of_instances(places, several))


def _lines(
    counts: GroupCounts, fields: Fields, fetches: Mapping[str, _Fetches], places: IntArray, piece: str
) -> AxisLines:
    """The lines of the data that a source brings."""
    if piece in fetches:
        return fetches[piece].lines(places)
    if piece in fields.again:
        side, cell, place = fields.again[piece].split
        return AxisLines.of_instances(places, Instances(side, cell, place, place))
    made, last = fields.made[piece], fields.made[piece]
    if piece in fields.last and piece not in counts.stored:
        last = np.where(fields.last[piece] == BEFORE, made, fields.last[piece])
    return AxisLines.of_fields(places, made, last)


def _runs(
    counts: GroupCounts, fields: Fields, fetches: Mapping[str, _Fetches], moved: MovedAxis, sides: int, most: int
) -> AxisRuns:
    """Runs, at each place, of the moved indices of an axis that moves with this block dimension."""
    (kind, array), source = moved.burst, moved.sources[0]
    every = (
        MovedIndices.of_field(_stored(counts, fields, moved.block, indices))
        if kind == "store"
        else fetches[indices].moved()
        for indices in moved.sources
    )
    come, word, parts = reduce(MovedIndices.joined, every), (moved.width, moved.inner), counts.parts
    side = parts.axes[source][moved.block]
    axes = () if side is None else parts.axes_of(source, side)
    if len(axes) == 1:
        return runs_along(come, sides, most, moved.extent, word)
    shape = parts.group.accesses.shape(array)
    extents = [shape[axis] for axis in axes]
    indices = np.unravel_index(come.cell, extents)[axes.index(moved.axis)]
    pairs = ascending((come.side * most + come.place) * moved.extent + indices)
    place = pairs // moved.extent
    product = _in_all_combinations(come.side * most + come.place, come.cell, extents, (sides, most))
    runs = runs_along(MovedIndices(place // most, place % most, pairs % moved.extent), sides, most, moved.extent, word)
    return replace(runs, product=product)


def _coupled(
    counts: GroupCounts, fields: Fields, block: int, most: int
) -> tuple[dict[tuple[str, int], tuple[Counts, RowLines]], list[Mask]]:
    """Kinds of rows at each place, by task and dimension, of tasks with merged dimensions here.

    The second result has a mask (sides,) for each of these tasks: whether its indices run in all combinations.
    """
    parts, rows, products = counts.parts, dict[tuple[str, int], tuple[Counts, RowLines]](), list[Mask]()
    for task in parts.group.tasks:
        moving = parts.dimensions[task][block]
        own = () if moving is None else parts.spaces.dimensions(task)[moving]
        if len(own) > 1:
            extents, work = parts.group.accesses.extents(task), fields.work[task]
            side, cell = np.nonzero(work != NEVER)
            slot, shape = side * most + work[side, cell], [extents[k] for k in own]
            products.append(_in_all_combinations(slot, cell, shape, (len(work), most)))
            for k, index in zip(own, np.unravel_index(cell, shape), strict=True):
                rows[task, k] = lines_at(slot, index, extents[k], (len(work), most))
    return rows, products


def _in_all_combinations(slot: IntArray, cell: IntArray, extents: Sequence[int], shape: tuple[int, int]) -> Mask:
    """Whether the cells (each once) at each `slot` of (sides, places) are all combinations of indices, (sides,)."""
    size, combinations = math.prod(shape), np.ones(1, np.int64)
    for index, extent in zip(np.unravel_index(cell, extents), extents, strict=True):
        combinations = combinations * np.bincount(ascending(slot * extent + index) // extent, minlength=size)
    product: Mask = np.all((combinations == np.bincount(slot, minlength=size)).reshape(shape), axis=1)
    return product


def _stored(counts: GroupCounts, fields: Fields, block: int, piece: str) -> IntArray:
    """The field of the indices of a piece that are stored: the place at which each is made."""
    made, axis = fields.made[piece], counts.parts.axes[piece][block]
    if axis is None or piece not in counts.needed_in_part:
        return made
    return np.where(counts.needed_in_part[piece][axis], made, NEVER)


def _work(fields: Fields, task: str, most: int) -> Counts:
    """The number of indices of a task that run at each place, (sides, places)."""
    return _of_places(fields.again[task], most) if task in fields.again else _histogram(fields.work[task], most)


def _of_places(places: Places, most: int) -> Counts:
    """The number of indices at each place, (sides, places)."""
    side, _, place = places.split
    return np.bincount(side * most + place, minlength=places.sides * most).reshape(places.sides, most)


def _histogram(field: IntArray, most: int) -> Counts:
    """The number of cells of a field (sides, cells) that have each place, (sides, places)."""
    sides = len(field)
    slots = field + np.arange(0, sides * most, most)[:, None]
    number = np.bincount(slots[(field != NEVER) & (field != BEFORE)], minlength=sides * most)
    return number.reshape(sides, most)


def _rows(counts: GroupCounts, fields: Fields, block: int, task: str, most: int) -> tuple[Counts, RowLines]:
    """The kinds of a task's rows at each place, and their lines.

    There is a single kind if the task does not move along this dimension, or has merged dimensions here (see
    `_coupled`).
    """
    work = fields.work[task]
    moving = counts.parts.dimensions[task][block]
    if moving is None or len(counts.parts.spaces.dimensions(task)[moving]) > 1:
        return np.ones((len(work), most), np.int64), RowLines.whole(1)
    if task in fields.again:
        side, cell, place = fields.again[task].split
        return lines_at(side * most + place, cell, work.shape[1], (len(work), most))
    return row_lines(work, most)


def _is_contiguous(
    counts: GroupCounts,
    block: int,
    coupled: Mapping[tuple[str, int], tuple[Counts, RowLines]],
    task: str,
    kinds: Counts,
    rows: RowLines,
) -> Mask:
    """Whether the indices of a task at each place are consecutive, if its delay acts along this dimension, (sides,)."""
    delay = counts.parts.delay(task)
    if delay is not None and (task, delay.own) in coupled:
        kinds, rows = coupled[task, delay.own]
    whole: Mask = np.asarray((rows.lines[kinds] <= 1).all(axis=1))
    return whole if _is_delayed(counts, block, task) else np.ones_like(whole)


def _is_delayed(counts: GroupCounts, block: int, task: str) -> bool:
    """Whether a task's delay acts along this block dimension."""
    delay = counts.parts.delay(task)
    return delay is not None and delay.dimension == counts.parts.dimensions[task][block]


def _in_chains(work: IntArray, step: int) -> IntArray:
    """The cells of a field, sorted by chain: (sides, chains, places along the chain); NEVER where a chain has ended."""
    forward = work if step > 0 else work[:, ::-1]
    sides, cells = forward.shape
    padded = np.full((sides, -(-cells // abs(step)) * abs(step)), NEVER)
    padded[:, :cells] = forward
    return padded.reshape(sides, -1, abs(step)).transpose(0, 2, 1)


def _lives(counts: GroupCounts, fields: Fields, block: int, living: Lifetime, most: int) -> tuple[Counts, Counts]:
    """Births and deaths of one lifetime, by place, (sides, places) each."""
    if living.fate == "chain":
        return _chain_lives(counts, fields, block, living.source, most)
    piece = living.source
    if piece in fields.again and living.fate != "stored":
        number = _of_places(fields.again[piece], most)
        return number, number
    if living.fate == "read":
        # An element that is read lives from its making; unread elements are another lifetime, "lost".
        source = np.where(fields.read[piece] == NEVER, NEVER, fields.made[piece])
        return _histogram(source, most), _histogram(fields.last[piece], most)
    made = _histogram(fields.made[piece], most)
    return made, made


def _chain_lives(counts: GroupCounts, fields: Fields, block: int, task: str, most: int) -> tuple[Counts, Counts]:
    """First and last instances, by place, of the chains that have two instances or more."""
    work = fields.work[task]
    if not _is_delayed(counts, block, task):
        number = _histogram(work, most)
        return number, number
    first, last = _chain_ends(counts, work, task)
    return _histogram(first, most), _histogram(last, most)


def _chain_ends(counts: GroupCounts, work: IntArray, task: str) -> tuple[IntArray, IntArray]:
    """The places where chains of two instances or more begin and end, (S, chains).

    The marks are NEVER and BEFORE for all other chains.
    """
    delay = counts.parts.delay(task)
    assert delay is not None, "the delay acts"
    chains = _in_chains(work, delay.step)
    several = (chains != NEVER).sum(axis=2) > 1
    last = np.where(several, np.where(chains == NEVER, BEFORE, chains).max(axis=2), BEFORE)
    return np.where(several, chains[:, :, 0], NEVER), last


def _closes_in_order(counts: GroupCounts, fields: Fields, block: int, task: str) -> Mask:
    """Whether chains close in the order in which they open, by block side: only then a state takes its live count.

    Chains are numbered as they open, and a word is free again when all chains before it have closed (docs/machine.md,
    section 5).
    """
    if not _is_delayed(counts, block, task):
        return np.ones(len(fields.work[task]), np.bool_)
    first, last = _chain_ends(counts, fields.work[task], task)
    # Chains that open together have to close together, and one that opens later has to close later.
    order = np.argsort(first, axis=1, kind="stable")  # those of one instance come last
    opens, closes = (np.diff(np.take_along_axis(column, order, axis=1), axis=1) for column in (first, last))
    there = np.take_along_axis(first, order, axis=1)[:, 1:] != NEVER
    in_order: Mask = (~there | (np.sign(opens) == np.sign(closes))).all(axis=1)
    return in_order


def _is_read_at_once(fields: Fields, piece: str) -> Mask:
    """Whether every element of a piece is last read at the place that makes it (or never read), by block side."""
    made, last = fields.made[piece], fields.last[piece]
    at_once: Mask = np.asarray(((last <= made) | (last == BEFORE)).all(axis=1))
    return at_once
