"""The order of the blocks as rows and columns: the innermost dimension of the scan, and all others together.

A step s of the group is (row, column) = divmod(s, columns); something that lags `shift` steps behind does in it what
belongs to the place s - shift of the block order: some rows above (`late`), in another column. Its count there is the
product of a count of the row and a count of the column.

Along most of the block order work is in a steady state: counts of neighbouring places are equal. So counts are held,
and rows and columns looked at, only where some entry changes (`PlaceCounts`), each with the run up to the next change.
That loses nothing: between two changes all rows (columns) are equal, and count as one that occurs `run` times. A
structure with R rows and C columns that change costs R C products, whatever the number of its blocks; and all
structures that share the sides of some dimensions share their rows or columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from hwmodel.design import Scan
from hwmodel.machine.schedule.rounds import RowLines
from hwmodel.machine.separable.axes import Ints, Mask
from hwmodel.machine.separable.axis_table import AxisTable
from hwmodel.machine.separable.counts import GroupCounts, UnitDimensions
from hwmodel.machine.separable.distinct import distinct_rows
from hwmodel.machine.separable.runs import row_starts


@dataclass(frozen=True, eq=False)
class PlaceCounts:
    """Counts of Q entries by place, for S choices of block sides with `places` (S,) places each.

    A change is a place where a count differs from that one place before; each entry of each choice has one at place 0
    and one (to no count) at its end. `key` sorts changes by choice, entry and place; `count` holds from each on, and
    `below` is the sum of counts before it.
    """

    places: Ints
    entries: int
    width: int
    key: Ints
    count: Ints
    below: Ints

    @staticmethod
    def of(counts: Ints, places: Ints) -> PlaceCounts:
        """Those of counts (S, Q, P), of which the first `places` (S,) stand."""
        sides, entries, most = counts.shape
        padded = np.zeros((sides, entries, most + 1), np.int64)
        padded[:, :, :-1] = counts
        changing = np.empty(padded.shape, np.bool_)
        np.not_equal(padded[:, :, 1:], padded[:, :, :-1], out=changing[:, :, 1:])
        changing[:, :, 0] = True
        changing[np.arange(sides), :, places] = True
        key = np.flatnonzero(changing)
        count = padded.ravel()[key]
        run = np.diff(key, append=key[-1:] + 1)
        grown = np.cumsum(count * run) - count * run
        starts = np.searchsorted(key, key // (most + 1) * (most + 1))
        return PlaceCounts(places, entries, most + 1, key, count, grown - grown[starts])

    @cached_property
    def changes(self) -> tuple[Ints, Ints, Ints]:
        """Choice of sides, entry and place of each change, those at the ends included."""
        side, place = self.key // self.width, self.key % self.width
        side, entry = side // self.entries, side % self.entries
        inside = place <= self.places[side]
        return side[inside], entry[inside], place[inside]

    def changes_of(self, entries: Mask) -> tuple[Ints, Ints, Ints]:
        """Those of some entries (Q,)."""
        side, entry, place = self.changes
        own = entries[entry] if not entries.all() else slice(None)
        return side[own], entry[own], place[own]

    def totals(self) -> Ints:
        """The sum of all counts of each entry for each choice of sides, (S, Q)."""
        side, entry = np.arange(len(self.places))[:, None], np.arange(self.entries)[None, :]
        return self.at(side, entry, self.places[:, None])[1]

    def at(self, side: Ints, entry: Ints, place: Ints) -> tuple[Ints, Ints]:
        """Counts at places, and sums of the counts before them; nothing stands before place 0 or after the end."""
        inside = np.clip(place, 0, self.places[side])
        wanted = (side * self.entries + entry) * self.width + inside
        change = np.searchsorted(self.key, wanted, side="right") - 1
        count = self.count[change]
        below = self.below[change] + count * (wanted - self.key[change])
        return np.where(place < 0, 0, count), below


Value = TypeVar("Value")


@dataclass(frozen=True, eq=False)
class OrderCounts:
    """Counts by place along one or several dimensions of the blocks, for S choices of their sides.

    `steps` has as entries what is counted, then by task the kind of its rows of lines (`row_lines`), then by task with
    a delay the indices along that, then runs of what is moved (`runs`); `lives` all births, then all deaths in
    memories. `line` (S, tasks) is the longest line of all places, `contiguous` (S, tasks) whether what is at a place
    follows each other along the delay. `tables` are those of the dimensions, `picks` (S, dimensions) the side of each.
    `kept` holds what was computed of it.
    """

    places: Ints
    steps: PlaceCounts
    lives: PlaceCounts
    line: Ints
    contiguous: Mask
    tables: Sequence[AxisTable]
    picks: Ints
    kept: dict[tuple[object, ...], Any] = field(default_factory=dict, repr=False)

    def once(self, make: Callable[[], Value], *key: object) -> Value:
        """What `make` returns, made once for each key."""
        if key not in self.kept:
            self.kept[key] = make()
        value: Value = self.kept[key]
        return value


@dataclass(frozen=True, eq=False)
class _Dense:
    places: Ints
    steps: Ints
    lives: Ints
    line: Ints
    contiguous: Mask


@dataclass(frozen=True, eq=False)
class Along:
    """What is counted one dimension of the blocks at a time: entries of steps, as rows of `happens`.

    An entry counts as often as the row does along the dimension if `own` (dimensions, entries) says so, else once
    where the row does at all. The first `tasks` are kinds of rows of lines instead.
    """

    row: Ints
    own: Mask
    tasks: int


def order_counts(tables: Sequence[AxisTable], picks: Ints, along: Along) -> OrderCounts:
    """The dimensions of `tables`, outermost first, as one; `picks` (S, dimensions) chooses a side of each."""
    order, *others = [_picked(table, picks[:, number], along, number) for number, table in enumerate(tables)]
    for other in others:
        order = _product(order, other)
    steps, lives = PlaceCounts.of(order.steps, order.places), PlaceCounts.of(order.lives, order.places)
    return OrderCounts(order.places, steps, lives, order.line, order.contiguous, tables, picks)


def _single_place(counts: GroupCounts) -> OrderCounts:
    """Of no dimension at all: one place."""
    tasks, living = len(counts.parts.group.tasks), sum(len(memory.living) for memory in counts.memories)
    places = np.ones(1, np.int64)
    entries = len(counts.shift), 2 * living
    steps, lives = (PlaceCounts.of(np.ones((1, number, 1), np.int64), places) for number in entries)
    line, contiguous = np.ones((1, tasks), np.int64), np.ones((1, tasks), np.bool_)
    return OrderCounts(places, steps, lives, line, contiguous, (), np.zeros((1, 0), np.int64))


def _picked(table: AxisTable, pick: Ints, along: Along, dimension: int) -> _Dense:
    happens = table.happens[pick]
    once, own = ~along.own[dimension], along.own[dimension, : along.tasks]
    counted = np.concatenate([table.kinds[pick], happens[:, along.row[along.tasks :]]], axis=1)
    counted[:, once] = happens[:, along.row[once]] > 0
    line = np.where(own, table.longest[pick], counted[:, : along.tasks].max(axis=2))
    steps = np.concatenate([happens, counted, table.runs[pick]], axis=1)
    lives = np.concatenate([table.born[pick], table.dead[pick]], axis=1)
    return _Dense(table.places[pick], steps, lives, line, table.contiguous[pick])


def _product(outer: _Dense, inner: _Dense) -> _Dense:
    """Two dimensions as one: for each place of the outer all places of the inner."""
    places = outer.places * inner.places
    steps = _places_of_both(outer.steps, inner.steps, outer.places, inner.places)
    lives = _places_of_both(outer.lives, inner.lives, outer.places, inner.places)
    return _Dense(places, steps, lives, outer.line * inner.line, outer.contiguous & inner.contiguous)


def _places_of_both(outer: Ints, inner: Ints, rows: Ints, columns: Ints) -> Ints:
    counts = np.zeros((*outer.shape[:2], int((rows * columns).max())), np.int64)
    for side, (high, wide) in enumerate(zip(rows.tolist(), columns.tolist(), strict=True)):
        both = outer[side, :, :high, None] * inner[side, :, None, :wide]
        counts[side, :, : high * wide] = both.reshape(outer.shape[1], -1)
    return counts


@dataclass(frozen=True, eq=False)
class PlaceRuns:
    """Places for groups of entries, by number of the choice of sides, group and place; `run` is how far the next is."""

    side: Ints
    group: Ints
    place: Ints
    run: Ints


def changing_rows(by_place: PlaceCounts, group: Ints, late: int, *, cyclic: bool) -> PlaceRuns:
    """The rows at which an entry of a group (Q,) changes there or up to `late` rows above; `late` follow the last.

    Entries of group -1 are left out.
    """
    side, entry, place = by_place.changes_of(group >= 0)
    rows = place[:, None] + np.arange(late + 1)
    if cyclic:
        rows %= by_place.places[side][:, None]
    total = by_place.places if cyclic else by_place.places + late
    return distinct_places(side.repeat(late + 1), group[entry].repeat(late + 1), rows.ravel(), total)


def changing_columns(by_place: PlaceCounts, group: Ints, shift: Ints) -> PlaceRuns:
    """The columns at which what stands `shift` (Q,) steps before changes for an entry of a group (Q,), but for -1."""
    side, entry, place = by_place.changes_of(group >= 0)
    sides, groups = len(by_place.places), int(group.max()) + 1
    first = np.zeros(sides * groups, np.int64)
    return distinct_places(
        np.concatenate([np.arange(sides).repeat(groups), side]),
        np.concatenate([np.tile(np.arange(groups), sides), group[entry]]),
        np.concatenate([first, (place + shift[entry]) % by_place.places[side]]),
        by_place.places,
    )


def with_ends(chosen: PlaceRuns, total: Ints) -> PlaceRuns:
    """The same places, and with each the last one before the next."""
    places = np.concatenate([chosen.place, chosen.place + chosen.run - 1])
    return distinct_places(np.tile(chosen.side, 2), np.tile(chosen.group, 2), places, total)


def distinct_places(side: Ints, group: Ints, place: Ints, total: Ints) -> PlaceRuns:
    """Distinct places by choice of sides and group, those from its `total` (S,) on left out."""
    groups, wide = int(group.max()) + 1, int(total.max()) + 1
    inside = place < total[side]
    both = np.unique((side[inside] * groups + group[inside]) * wide + place[inside])
    slot, place = both // wide, both % wide
    side = slot // groups
    after = np.append(place[1:], 0)
    last = np.append(slot[1:] != slot[:-1], [True])
    return PlaceRuns(side, slot % groups, place, np.where(last, total[side], after) - place)


def above(by_place: PlaceCounts, entry: Ints, rows: PlaceRuns, late: int, *, cyclic: bool = False) -> tuple[Ints, Ints]:
    """What stands in chosen rows (n) and up to `late` rows above, for their groups' entries (G, E).

    Counts and sums before, both (n, E, late + 1). With `cyclic` the rows before the first are the last ones.
    """
    side = rows.side[:, None, None]
    row = rows.place[:, None, None] - np.arange(late + 1)
    row = row % by_place.places[side] if cyclic else row
    return by_place.at(side, entry[rows.group][:, :, None], row)


def earlier(by_place: PlaceCounts, entry: Ints, shift: Ints, columns: PlaceRuns) -> tuple[Ints, Ints, Ints]:
    """What stands `shift` (G, E) steps before chosen columns (n), for their groups' entries (G, E).

    Rows above, the count there, and the sum of counts up to and with that column, all (n, E).
    """
    side = columns.side[:, None]
    wide = by_place.places[side]
    place = columns.place[:, None] - shift[columns.group]
    late = np.maximum(-(place // wide), 0)
    count, below = by_place.at(side, entry[columns.group], place + late * wide)
    return late, count, below + count


@dataclass(frozen=True, eq=False)
class Kinds:
    """Values (S, K, ...) of kinds of rows or columns, and how often each occurs (S, K), 0 for padding."""

    values: Ints
    times: Ints


def kinds_of(side: Ints, values: Ints, times: Ints) -> Kinds:
    """Values (n, ...) that occur so many times (n), equal ones of one choice of sides put together."""
    first, kind = distinct_rows(np.concatenate([side[:, None], values.reshape(len(values), -1)], axis=1))
    order = np.argsort(side[first], kind="stable")
    number = np.bincount(side[first])
    column = np.empty(len(first), np.int64)
    column[order] = np.arange(len(first)) - np.repeat(np.cumsum(number) - number, number)
    padded = np.zeros((len(number), int(number.max()), *values.shape[1:]), np.int64)
    padded[side[first], column] = values[first]
    counts = np.zeros(padded.shape[:2], np.int64)
    np.add.at(counts, (side, column[kind]), times)
    return Kinds(padded, counts)


@dataclass(frozen=True, eq=False)
class Structures:
    """S structures of one scan as pairs (S, 2) of choices of outer and inner sides; whether they are products (S,).

    `blocks` are the dimensions of the blocks, outermost first. `rows` has by task the lines of its kinds of rows,
    `longest` (S, tasks) the longest that occurs, `starts` (S, bursts, 3) what `runs.row_starts` tells of runs.
    """

    blocks: tuple[int, ...]
    outer: OrderCounts
    inner: OrderCounts
    pairs: Ints
    holds: Mask
    rows: tuple[RowLines, ...]
    longest: Ints
    starts: Ints

    @property
    def contiguous(self) -> Mask:
        """Whether what a step has of each task follows each other along its delay, as far as blocks go, (S, tasks)."""
        contiguous: Mask = self.outer.contiguous[self.pairs[:, 0]] & self.inner.contiguous[self.pairs[:, 1]]
        return contiguous

    def by_lateness(self, shift: int) -> Iterator[tuple[int, Ints]]:
        """How many rows above its step the work of a shift lies at most, and the structures for which that holds.

        One where rows are long, several where they are short: those come apart, so that the many long ones are light.
        """
        late = -(-shift // self.inner.places)[self.pairs[:, 1]]
        for chosen in (np.flatnonzero(late <= 1), np.flatnonzero(late > 1)):
            if len(chosen):
                yield int(late[chosen].max()), chosen


def make_structures(
    counts: GroupCounts,
    scan: Scan,
    tables: Sequence[AxisTable],
    picks: Ints,
    kept: dict[tuple[object, ...], OrderCounts],
) -> Structures:
    """Structures whose sides are `picks` (S, dimensions) of tables of the scan's dimensions, outermost first.

    `kept` holds the counts of the dimensions that were put together so far.
    """
    units = counts.unit_dimensions(scan)
    along = _along(counts, scan, units)
    outer, rows = _order(counts, tables[:-1], picks[:, :-1], replace(along, own=along.own[:-1]), kept)
    inner, columns = _order(counts, tables[-1:], picks[:, -1:], replace(along, own=along.own[-1:]), kept)
    pairs, starts = np.stack([rows, columns], axis=1), np.zeros((len(picks), 0, 3), np.int64)
    if counts.by_run:
        by_block = {
            block: table.starts[pick] for block, table, pick in zip(scan.dimensions, tables, picks.T, strict=True)
        }
        starts = row_starts(counts, by_block, len(picks))
    lines = _lines(counts, scan, tables, units)
    # What moves with no block is there, or not, as one kind of row.
    free = [1 if along.own[:, number].any() else int(own.longest[1]) for number, own in enumerate(lines)]
    longest = outer.line[rows] * inner.line[columns] * np.array(free)
    holds = _holds(counts, scan, tables, picks)
    return Structures(scan.dimensions, outer, inner, pairs, holds, lines, longest, starts)


def _lines(counts: GroupCounts, scan: Scan, tables: Sequence[AxisTable], units: UnitDimensions) -> tuple[RowLines, ...]:
    """The lines of each task's kinds of rows: of the table of its unit dimension, or of a row that never changes."""
    by_block = dict(zip(scan.dimensions, tables, strict=True))
    found = []
    for number, (task, dimension) in enumerate(zip(counts.parts.group.tasks, units, strict=True)):
        moving = counts.parts.dimensions[task]
        if dimension is None or dimension not in moving:
            found.append(counts.free_rows(task, dimension))
        else:
            found.append(by_block[moving.index(dimension)].rows[number])
    return tuple(found)


def _along(counts: GroupCounts, scan: Scan, units: UnitDimensions) -> Along:
    tasks, parts = counts.parts.group.tasks, counts.parts
    wanted = list(zip(tasks, units, strict=True))
    for task in counts.delayed:
        delay = parts.delay(task)
        wanted.append((task, delay[1] if delay else None))
    row = np.array([counts.names.index(("task", task)) for task, _ in wanted])
    own = [[k is not None and parts.dimensions[task][block] == k for task, k in wanted] for block in scan.dimensions]
    return Along(row, np.array(own, np.bool_).reshape(len(own), len(wanted)), len(tasks))


def _order(
    counts: GroupCounts,
    tables: Sequence[AxisTable],
    picks: Ints,
    along: Along,
    kept: dict[tuple[object, ...], OrderCounts],
) -> tuple[OrderCounts, Ints]:
    """The distinct choices of sides of some dimensions put together, and which of them each structure has."""
    if not tables:
        return _single_place(counts), np.zeros(len(picks), np.int64)
    distinct, number = np.unique(picks, axis=0, return_inverse=True)
    key = *tables, distinct.tobytes(), along.own.tobytes()
    if key not in kept:
        kept[key] = order_counts(tables, distinct, along)
    return kept[key], number.ravel()


def _holds(counts: GroupCounts, scan: Scan, tables: Sequence[AxisTable], picks: Ints) -> Mask:
    """Whether every merge of several readers is exact: they differ along one dimension, or one leads along all.

    Readers of different stages are compared in steps, not places: the last of them is one that works latest.
    """
    holds = np.ones(len(picks), np.bool_)
    sides = list(zip(tables, picks.T, strict=True))
    for key in dict.fromkeys([*counts.masks.merges, *(key for table in tables for key in table.merges)]):
        merges = counts.masks.merges.get(key, [])
        differs = np.full(len(picks), sum(int(merge.differs[0]) for merge in merges))
        leaders = np.full(len(picks), counts.latest_readers(key[1]) if key[0] == "last" else -1)
        same_stage = bool((leaders & 1 << 62).all())
        for merge in merges:
            leaders &= merge.leaders[0]
        for table, pick in sides:
            if key in table.merges:
                differs += table.merges[key].differs[pick]
                leaders &= table.merges[key].leaders[pick]
        holds &= (leaders != 0) | (same_stage & (differs <= 1))
    for piece in dict.fromkeys(piece for table in tables for piece in table.at_once):
        at_once = np.stack([table.at_once[piece][pick] for table, pick in sides])
        holds &= _lives_as_a_product(counts, piece, scan.dimensions, at_once)
    return holds


def _lives_as_a_product(counts: GroupCounts, piece: str, blocks: Sequence[int], at_once: Mask) -> Mask:
    """Whether lives of a piece are a product, (S,): it is read at once along all dimensions of the blocks (K, S).

    What is read in part may also be read later along one of them, if it is that dimension that tells what is read:
    then what is not read dies as it is made, and the rest does not.
    """
    unread, of_free = counts.read_in_part.get(piece, ([], True))
    freely = unread if len(unread) == 1 and not of_free else []
    others = [place for place, block in enumerate(blocks) if block not in freely]
    return np.asarray(at_once[others].all(axis=0), np.bool_)
