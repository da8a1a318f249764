"""The block order as rows and columns: a column for each place of the inner dimensions, a row for the outer ones.

The idea. A step s of the group is (row, column) = divmod(s, columns). Work that lags `shift` steps behind is that of
the place s - shift of the block order: some rows above (`late`), in another column. Its count there is the product of a
count of the row and a count of the column.

Counts are stored, and rows and columns evaluated, only where a count changes (`place_counts`). A structure with R rows
and C columns that change costs R C products, whatever the number of its blocks, and all structures that share the sides
of some dimensions share their rows or columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import Any, TypeVar

import numpy as np

from arrayol.arrays import IntArray
from hwmodel.cost_model.counted.axes.axes import Mask
from hwmodel.cost_model.counted.axes.line_cache import bytes_of
from hwmodel.cost_model.counted.axis_table import AxisTable
from hwmodel.cost_model.counted.counts import GroupCounts, UnitDimensions
from hwmodel.cost_model.counted.place_counts import PlaceCounts
from hwmodel.cost_model.counted.runs import StructureRuns
from hwmodel.cost_model.issue.rounds import RowLines
from hwmodel.cost_model.numbering import distinct_rows, places_of
from hwmodel.design import Scan

Value = TypeVar("Value")


@dataclass(frozen=True, eq=False)
class OrderCounts:
    """Counts by place along one or several block dimensions combined, for S choices of their sides.

    `steps` has as entries the counted quantities, then by task the kind of its rows of lines (`row_lines`), then by
    task with a delay the indices along it, then the runs of moved axes (`runs`). `lives` has all births, then all
    deaths in memories. `line` (S, tasks) is the longest line at any place, and `contiguous` (S, tasks) whether the
    indices at a place are consecutive along the delay. `tables` are those of the dimensions, `picks` (S, dimensions)
    the block side of each. `kept` caches values derived from these.
    """

    places: IntArray
    steps: PlaceCounts
    lives: PlaceCounts
    line: IntArray
    contiguous: Mask
    tables: Sequence[AxisTable]
    picks: IntArray
    kept: dict[tuple[object, ...], Any] = field(default_factory=dict, repr=False)
    _counted: list[int] = field(default_factory=lambda: [0, 0], repr=False)  # of `kept`, and their bytes

    @property
    def nbytes(self) -> int:
        """The bytes of the counts and of all cached values; only new cached values are measured."""
        number, size = self._counted
        size += sum(map(bytes_of, islice(self.kept.values(), number, None)))
        self._counted[:] = len(self.kept), size
        return size + self._own_bytes

    @cached_property
    def _own_bytes(self) -> int:
        return bytes_of((self.steps, self.lives))

    def once(self, make: Callable[[], Value], *key: object) -> Value:
        """The value that `make` returns, computed once for each key."""
        if key not in self.kept:
            self.kept[key] = make()
        value: Value = self.kept[key]
        return value


@dataclass(frozen=True, eq=False)
class _Dense:
    """Uncompressed counts of choices of sides.

    `loops` are the numbers of the scan's loops, `wide` (S, loops) the places of each.
    """

    loops: tuple[int, ...]
    wide: IntArray
    steps: IntArray
    lives: IntArray
    line: IntArray
    contiguous: Mask


@dataclass(frozen=True, eq=False)
class DimensionCounts:
    """The entries that depend on one block dimension at a time: lines of tasks, and indices along delays.

    `row` is the quantity of each entry in `happens`. An entry counts as often as the quantity does along a dimension if
    `own` (dimensions, entries) is set, and once where the quantity occurs at all otherwise. The first `tasks` entries
    are kinds of rows of lines. `keys` are the task and its dimension of each entry.
    """

    row: IntArray
    own: Mask
    keys: tuple[tuple[str, int | None], ...]
    tasks: int


@dataclass(frozen=True, eq=False)
class Walked:
    """A block dimension with its table, and the scan's loops that walk it."""

    block: int
    table: AxisTable
    loops: tuple[int, ...]


_CELLS = 1 << 18  # of counts by place at a time
_WIDER = 16  # times as many choices of sides may stand for some of them


def order_counts(walked: Sequence[Walked], picks: IntArray, along: DimensionCounts) -> OrderCounts:
    """Combine dimensions, ordered by their outermost loops; `picks` (S, dimensions) chooses a block side of each."""
    places = np.prod([each.table.places[pick] for each, pick in zip(walked, picks.T, strict=True)], axis=0)
    entries = walked[0].table.happens.shape[1] + 2 * walked[0].table.born.shape[1] + len(along.row)
    chunk = max(1, _CELLS // (entries * int(places.max())))
    parts = [_order_counts(walked, picks[start : start + chunk], along) for start in range(0, len(picks), chunk)]
    if len(parts) == 1:
        return parts[0]
    return OrderCounts(
        places,
        PlaceCounts.joined([part.steps for part in parts]),
        PlaceCounts.joined([part.lives for part in parts]),
        np.concatenate([part.line for part in parts]),
        np.concatenate([part.contiguous for part in parts]),
        parts[0].tables,
        picks,
    )


def _order_counts(walked: Sequence[Walked], picks: IntArray, along: DimensionCounts) -> OrderCounts:
    """Combine the dimensions for all choices of sides in one go."""
    order, *others = [_picked(each, picks[:, number], along, number) for number, each in enumerate(walked)]
    for other in others:
        order = _product(order, other)
    places = order.wide.prod(axis=1)
    steps, lives = PlaceCounts.of(order.steps, places), PlaceCounts.of(order.lives, places)
    return OrderCounts(places, steps, lives, order.line, order.contiguous, [each.table for each in walked], picks)


def _single_place(counts: GroupCounts) -> OrderCounts:
    """The counts of no dimension at all: one place."""
    tasks, living = len(counts.parts.group.tasks), sum(len(memory.living) for memory in counts.memories)
    places = np.ones(1, np.int64)
    entries = len(counts.shift), 2 * living
    steps, lives = (PlaceCounts.of(np.ones((1, number, 1), np.int64), places) for number in entries)
    line, contiguous = np.ones((1, tasks), np.int64), np.ones((1, tasks), np.bool_)
    return OrderCounts(places, steps, lives, line, contiguous, (), np.zeros((1, 0), np.int64))


def _picked(walked: Walked, pick: IntArray, along: DimensionCounts, dimension: int) -> _Dense:
    """The counts of a dimension for the chosen sides (S,), as arrays."""
    table, most = walked.table, int(walked.table.places[pick].max())
    counts = table.happens, table.kinds, table.born, table.dead
    happens, kinds, born, dead = (own[:, :, :most][pick].astype(np.int64) for own in counts)
    once, own = ~along.own[dimension], along.own[dimension, : along.tasks]
    counted = np.concatenate([kinds, happens[:, along.row[along.tasks :]]], axis=1)
    longest = table.longest[pick]
    for entry, (task, k) in enumerate(along.keys):
        if k is not None and (task, k) in table.coupled:
            coupled, rows = table.coupled[task, k]
            coupled = coupled[:, :most][pick]
            if entry < along.tasks:
                counted[:, entry], longest[:, entry] = coupled, rows.longest[coupled].max(axis=1)
            else:
                counted[:, entry] = rows.repetitions[coupled]
    counted[:, once] = happens[:, along.row[once]] > 0
    line = np.where(own, longest, counted[:, : along.tasks].max(axis=2))
    steps = np.concatenate([happens, counted, *(own.kind[:, None, :most][pick] for own in table.runs)], axis=1)
    lives = np.concatenate([born, dead], axis=1)
    return _Dense(walked.loops, table.loops[pick], steps, lives, line, table.contiguous[pick])


def _product(outer: _Dense, inner: _Dense) -> _Dense:
    """Combine two dimensions: all combinations of their places, in the order of the scan's loops."""
    loops = outer.loops + inner.loops
    order = np.argsort(loops)
    both = np.concatenate([outer.wide, inner.wide], axis=1)
    steps = _places_of_both(outer.steps, inner.steps, outer.wide, inner.wide, order)
    lives = _places_of_both(outer.lives, inner.lives, outer.wide, inner.wide, order)
    return _Dense(
        tuple(sorted(loops)),
        both[:, order],
        steps,
        lives,
        outer.line * inner.line,
        outer.contiguous & inner.contiguous,
    )


def _places_of_both(outer: IntArray, inner: IntArray, rows: IntArray, columns: IntArray, order: IntArray) -> IntArray:
    """Products of the counts of two orders (S, Q, places) at all combinations of places.

    `rows` and `columns` (S, loops) are the places of their loops, and `order` sorts all loops as the scan has them.
    """
    high, wide = rows.prod(axis=1), columns.prod(axis=1)
    counts = np.zeros((*outer.shape[:2], int((high * wide).max())), np.int64)
    apart = np.array_equal(order, np.arange(len(order)))
    for side, (some, others) in enumerate(zip(high.tolist(), wide.tolist(), strict=True)):
        both = outer[side, :, :some, None] * inner[side, :, None, :others]
        if not apart:
            grid = both.reshape(len(both), *rows[side], *columns[side])
            both = grid.transpose(0, *(order + 1))
        counts[side, :, : some * others] = both.reshape(outer.shape[1], -1)
    return counts


@dataclass(frozen=True, eq=False)
class Structures:
    """S structures of one scan as pairs (S, 2) of choices of outer and inner sides.

    `holds` (S,) says which are Cartesian; `listed` (S, memories) marks buffers whose last uses are not, which are sized
    from their data. `walked` are the block dimensions by their outermost loops, `picks` (S, dimensions) their sides.
    `rows` has by task the lines of each kind of rows, `longest` (S, tasks) the longest line that occurs, `runs` the
    runs of moved axes.
    """

    walked: Sequence[Walked]
    picks: IntArray
    outer: OrderCounts
    inner: OrderCounts
    pairs: IntArray
    holds: Mask
    listed: Mask
    rows: tuple[RowLines, ...]
    longest: IntArray
    runs: StructureRuns

    @property
    def blocks(self) -> tuple[int, ...]:
        """The block dimensions, by their outermost loops."""
        return tuple(each.block for each in self.walked)

    @property
    def contiguous(self) -> Mask:
        """Whether each task's indices in a step are consecutive along its delay, as far as blocks tell, (S, tasks)."""
        contiguous: Mask = self.outer.contiguous[self.pairs[:, 0]] & self.inner.contiguous[self.pairs[:, 1]]
        return contiguous

    def only(self, rows: IntArray) -> Structures:
        """The structures of some rows."""
        return replace(
            self,
            picks=self.picks[rows],
            pairs=self.pairs[rows],
            holds=self.holds[rows],
            listed=self.listed[rows],
            longest=self.longest[rows],
            runs=self.runs.only(rows),
        )

    def by_lateness(self, shift: int) -> Iterator[tuple[int, IntArray]]:
        """Structures by the number of rows that work with some shift lies above its step, at most.

        Structures with long rows (late 0 or 1) are separated from those with short ones, so that the many with long
        rows stay cheap.
        """
        late = -(-shift // self.inner.places)[self.pairs[:, 1]]
        for chosen in (np.flatnonzero(late <= 1), np.flatnonzero(late > 1)):
            if len(chosen):
                yield int(late[chosen].max()), chosen


def make_structures(
    counts: GroupCounts,
    scan: Scan,
    walked: Sequence[Walked],
    picks: IntArray,
    kept: dict[tuple[object, ...], OrderCounts],
) -> Structures:
    """The structures with the sides `picks` (S, dimensions) of each walked block dimension.

    Rows and columns are split at the innermost loop that leaves no dimension with loops on both sides. `kept` caches
    the counts of combined dimensions.
    """
    units = counts.unit_dimensions(scan)
    along = _along(counts, walked, units)
    # A dimension's loops have to be on one side of the split, since its counts are one factor.
    split = len(scan.dimensions) - 1
    while any(each.loops[0] < split <= each.loops[-1] for each in walked):
        split -= 1
    inside = [each.loops[-1] >= split for each in walked]
    sides = [[number for number, own in enumerate(inside) if own == end] for end in (False, True)]
    (outer, rows), (inner, columns) = (
        _order(counts, [walked[k] for k in own], picks[:, own], replace(along, own=along.own[own]), kept)
        for own in sides
    )
    pairs, along_blocks = np.stack([rows, columns], axis=1), _by_block(walked, picks)
    runs = StructureRuns(counts, [(each.table.runs, pick) for each, pick in along_blocks])
    lines = _lines(counts, walked, units)
    # What moves with no block is there, or not, as one kind of row.
    free = [1 if along.own[:, number].any() else int(own.longest[1]) for number, own in enumerate(lines)]
    longest = outer.line[rows] * inner.line[columns] * np.array(free)
    holds, listed = _holds(counts, walked, picks)
    return Structures(walked, picks, outer, inner, pairs, holds, listed, lines, longest, runs)


def _lines(counts: GroupCounts, walked: Sequence[Walked], units: UnitDimensions) -> tuple[RowLines, ...]:
    """The lines of each task's kinds of rows: from the table of its unit dimension, or of a row that never changes."""
    tables, parts = {each.block: each.table for each in walked}, counts.parts
    lines = []
    for number, (task, dimension) in enumerate(zip(parts.group.tasks, units, strict=True)):
        merged = None if dimension is None else parts.spaces.set_of(task, dimension)
        if dimension is None or merged not in parts.dimensions[task]:
            lines.append(counts.free_rows(task, dimension))
            continue
        table = tables[parts.dimensions[task].index(merged)]
        coupled = table.coupled.get((task, dimension))
        lines.append(table.rows[number] if coupled is None else coupled[1])
    return tuple(lines)


def _by_block(walked: Sequence[Walked], picks: IntArray) -> list[tuple[Walked, IntArray]]:
    """The walked dimensions and their picks, ordered by block dimension."""
    return sorted(zip(walked, picks.T, strict=True), key=lambda pair: pair[0].block)


def _along(counts: GroupCounts, walked: Sequence[Walked], units: UnitDimensions) -> DimensionCounts:
    """The entries that depend on one dimension at a time, in the order of `walked`."""
    tasks, parts = counts.parts.group.tasks, counts.parts
    wanted = list(zip(tasks, units, strict=True))
    for task in counts.delayed:
        delay = parts.delay(task)
        wanted.append((task, delay.own if delay else None))
    row = np.array([counts.names.index(("task", task)) for task, _ in wanted])
    own = [
        [k is not None and parts.dimensions[task][each.block] == parts.spaces.set_of(task, k) for task, k in wanted]
        for each in walked
    ]
    return DimensionCounts(row, np.array(own, np.bool_).reshape(len(own), len(wanted)), tuple(wanted), len(tasks))


def _order(
    counts: GroupCounts,
    walked: Sequence[Walked],
    picks: IntArray,
    along: DimensionCounts,
    kept: dict[tuple[object, ...], OrderCounts],
) -> tuple[OrderCounts, IntArray]:
    """The combined dimensions for the distinct choices of their sides, and the choice of each structure.

    The largest set of choices so far is used for subsets of it too, with all values that were derived from it.
    """
    if not walked:
        return _single_place(counts), np.zeros(len(picks), np.int64)
    first, number = distinct_rows(picks)
    distinct = picks[first]
    named = along.keys if any(each.table.coupled for each in walked) else ()
    common = *((each.table, each.loops) for each in walked), along.own.tobytes(), named
    # Reuse a larger set of choices, unless it is so large that combining its rows costs more than it saves.
    wider, key = kept.get(common), (*common, distinct.tobytes())
    place = None if wider is None or len(wider.picks) > _WIDER * len(distinct) else places_of(distinct, wider.picks)
    if wider is not None and place is not None:
        return wider, place[number]
    if key not in kept:
        kept[key] = order_counts(walked, distinct, along)
        if wider is None or len(distinct) > len(wider.picks):
            kept[common] = kept[key]
    return kept[key], number


def _holds(counts: GroupCounts, walked: Sequence[Walked], picks: IntArray) -> tuple[Mask, Mask]:
    """Whether each structure is Cartesian, (S,), and the buffers that have to be sized from their data, (S, memories).

    A structure is Cartesian if every merge of several readers is exact: they differ along one dimension, or one leads
    along all. Readers of different stages are compared in steps, not places: the last of them is one that works latest.
    Merged dimensions of a task or array must occur in all combinations, FIFOs must be read at the tick that writes
    them, and the results of recomputing tasks must be read wherever they are made.

    Last uses concern nothing but lifetimes in one buffer. If only these are not Cartesian, and the readers can be
    followed one by one (`coupled_contents`), the structure holds and the buffer is listed.
    """
    sides = [(each.table, pick) for each, pick in zip(walked, picks.T, strict=True)]
    holds = np.logical_and.reduce([np.ones(len(picks), np.bool_), *(table.product[pick] for table, pick in sides)])
    for piece in dict.fromkeys(piece for table, _ in sides for piece in table.read_whole):
        holds &= np.logical_and.reduce([table.read_whole[piece][pick] for table, pick in sides])
    wrong: dict[str, Mask] = {}
    for key in dict.fromkeys([*counts.masks.merges, *(key for table, _ in sides for key in table.merges)]):
        exact = _is_exact(counts, sides, key, len(picks))
        if key[0] == "last":
            wrong[key[1]] = ~exact
        else:
            holds &= exact
    for piece in dict.fromkeys(piece for table, _ in sides for piece in table.at_once):
        at_once = np.stack([table.at_once[piece][pick] for table, pick in sides])
        if piece in counts.fifos:
            holds &= at_once.all(axis=0)
            continue
        wrong[piece] = wrong[piece] | ~_lives_as_a_product(counts, piece, [each.block for each in walked], at_once)
        wrong[piece] |= piece in counts.needed_in_part
        wrong[piece] |= piece in counts.read_in_part and _is_coupled(counts, walked, piece)
    listed = np.zeros((len(picks), len(counts.memories)), np.bool_)
    for piece, own in wrong.items():
        if piece in counts.fifos:
            continue
        followed = np.full(len(picks), piece in counts.followed)
        for table, pick in sides:
            followed &= table.single[piece][pick] if piece in table.single else True
        holds &= ~own | followed
        listed[:, counts.memory_of[piece]] |= own & followed
    return holds, listed


def _is_exact(
    counts: GroupCounts, sides: Sequence[tuple[AxisTable, IntArray]], key: tuple[str, str], number: int
) -> Mask:
    """Whether a merge is exact for each of `number` structures with a block side of each table, (number,)."""
    merges = counts.masks.merges.get(key, [])
    differs = np.full(number, sum(int(merge.differs[0]) for merge in merges))
    leaders = np.full(number, counts.latest_readers(key[1]) if key[0] == "last" else -1)
    same_stage = bool((leaders & 1 << 62).all())
    for merge in merges:
        leaders &= merge.leaders[0]
    for table, pick in sides:
        if key in table.merges:
            differs += table.merges[key].differs[pick]
            leaders &= table.merges[key].leaders[pick]
    exact: Mask = (leaders != 0) | (same_stage & (differs <= 1))
    return exact


def _is_coupled(counts: GroupCounts, walked: Sequence[Walked], piece: str) -> bool:
    """Whether several loops, or several axes of a piece's array, are merged: unread elements are then not followed."""
    axes = counts.parts.spaces.axes(counts.parts.array_of(piece))
    return any(len(dimensions) > 1 for dimensions in axes) or any(len(each.loops) > 1 for each in walked)


def _lives_as_a_product(counts: GroupCounts, piece: str, blocks: Sequence[int], at_once: Mask) -> Mask:
    """Whether the lifetimes of a piece are Cartesian, (S,): it is read at once along all block dimensions (K, S).

    A piece that is read in part may also be read later along one dimension, if that dimension alone decides which
    elements are read: then unread elements die as they are made, and all others live on.
    """
    unread, of_free = counts.read_in_part.get(piece, ([], True))
    freely = unread if len(unread) == 1 and not of_free else []
    others = [place for place, block in enumerate(blocks) if block not in freely]
    return np.asarray(at_once[others].all(axis=0), np.bool_)
