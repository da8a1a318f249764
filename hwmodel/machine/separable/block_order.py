"""The order of the blocks as rows and columns: the innermost dimension of the scan, and all others together.

A step s of the group is (row, column) = divmod(s, columns); something of stage `shift` does in it what belongs to the
place `shift` steps earlier in the block order: some rows above (`late`), in another column. Only those rows and columns
are looked at where something changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from hwmodel.machine.separable.axes import Ints, Mask
from hwmodel.machine.separable.axis_table import AxisTable
from hwmodel.machine.separable.counts import GroupCounts

# Counts by place along a line, held only where they change: work in a steady state takes no room.


@dataclass(frozen=True, eq=False)
class Profile:
    """Counts of Q entries by place along S lines of `places` (S,) places each.

    A turn is a place where a count differs from that one place before; each entry of each line has one at place 0 and
    one (to no count) at its end. `key` sorts turns by line, entry and place; `count` holds from each on, `below` is the
    sum of counts before it.
    """

    places: Ints
    entries: int
    width: int
    key: Ints
    count: Ints
    below: Ints

    @staticmethod
    def of(counts: Ints, places: Ints) -> Profile:
        """The profile of counts (S, Q, P), of which the first `places` (S,) stand."""
        lines, entries, most = counts.shape
        padded = np.zeros((lines, entries, most + 1), np.int64)
        padded[:, :, :-1] = counts
        turning = np.empty(padded.shape, np.bool_)
        np.not_equal(padded[:, :, 1:], padded[:, :, :-1], out=turning[:, :, 1:])
        turning[:, :, 0] = True
        turning[np.arange(lines), :, places] = True
        key = np.flatnonzero(turning)
        count = padded.ravel()[key]
        run = np.diff(key, append=key[-1:] + 1)
        grown = np.cumsum(count * run) - count * run
        starts = np.searchsorted(key, key // (most + 1) * (most + 1))
        return Profile(places, entries, most + 1, key, count, grown - grown[starts])

    @cached_property
    def turns(self) -> tuple[Ints, Ints, Ints]:
        """Line, entry and place of each turn, those at the ends included."""
        line, place = self.key // self.width, self.key % self.width
        line, entry = line // self.entries, line % self.entries
        inside = place <= self.places[line]
        return line[inside], entry[inside], place[inside]

    def totals(self) -> Ints:
        """The sum of all counts of each entry of each line, (S, Q)."""
        line, entry = np.arange(len(self.places))[:, None], np.arange(self.entries)[None, :]
        return self.seen(line, entry, self.places[:, None])[1]

    def seen(self, line: Ints, entry: Ints, place: Ints) -> tuple[Ints, Ints]:
        """Counts at places, and sums of the counts before them; nothing stands before place 0 or after the end."""
        inside = np.clip(place, 0, self.places[line])
        wanted = (line * self.entries + entry) * self.width + inside
        found = np.searchsorted(self.key, wanted, side="right") - 1
        count = self.count[found]
        below = self.below[found] + count * (wanted - self.key[found])
        return np.where(place < 0, 0, count), below


# Distinct rows of tables of integers.

_FACTORS = np.random.default_rng(1).integers(1, 1 << 62, 256) | 1


def distinct_rows(table: Ints) -> tuple[Ints, Ints]:
    """One number of each distinct row of a table (n, columns), and for each row which of them it equals.

    Rows are told apart by a sum modulo 2^64; where two that differ have the same, all are sorted instead.
    """
    key = table @ np.resize(_FACTORS, table.shape[1])
    _, first, kind = np.unique(key, return_index=True, return_inverse=True)
    if np.array_equal(table[first[kind]], table):
        return first, kind
    _, first, kind = np.unique(table, axis=0, return_index=True, return_inverse=True)
    return first, kind.ravel()


Found = TypeVar("Found")


@dataclass(frozen=True, eq=False)
class Line:
    """Counts by place along one or several dimensions of the blocks, for S choices of their sides.

    `steps` has as entries what is counted and the longest chains of tasks, `lives` all births, then all deaths
    in memories; `chains` (S, tasks) is the largest number of chains at a place. `kept` holds what was found of it.
    """

    places: Ints
    steps: Profile
    lives: Profile
    chains: Ints
    kept: dict[tuple[object, ...], Any] = field(default_factory=dict, repr=False)

    def once(self, make: Callable[[], Found], *key: object) -> Found:
        """What `make` finds, found once for each key."""
        if key not in self.kept:
            self.kept[key] = make()
        found: Found = self.kept[key]
        return found


@dataclass(frozen=True, eq=False)
class _Dense:
    places: Ints
    steps: Ints
    lives: Ints
    chains: Ints


def line_of(tables: Sequence[AxisTable], picks: Ints) -> Line:
    """The dimensions of `tables`, outermost first, as one; `picks` (S, dimensions) chooses a side of each."""
    line, *others = [_picked(table, picks[:, number]) for number, table in enumerate(tables)]
    for other in others:
        line = _product(line, other)
    steps, lives = Profile.of(line.steps, line.places), Profile.of(line.lives, line.places)
    return Line(line.places, steps, lives, line.chains)


def single_place(counts: GroupCounts) -> Line:
    """The line of no dimension at all: one place."""
    tasks, living = len(counts.parts.group.tasks), sum(len(memory.living) for memory in counts.memories)
    one, steps, lives = np.ones(1, np.int64), len(counts.counted) + tasks, 2 * living
    profiles = [Profile.of(np.ones((1, entries, 1), np.int64), one) for entries in (steps, lives)]
    return Line(one, profiles[0], profiles[1], np.ones((1, tasks), np.int64))


def _picked(table: AxisTable, pick: Ints) -> _Dense:
    steps = np.concatenate([table.happens[pick], table.longest[pick]], axis=1)
    lives = np.concatenate([table.born[pick], table.dead[pick]], axis=1)
    return _Dense(table.places[pick], steps, lives, table.chains[pick].max(axis=2))


def _product(outer: _Dense, inner: _Dense) -> _Dense:
    """Two lines as one: for each place of the outer all places of the inner."""
    places = outer.places * inner.places
    steps = _places_of_both(outer.steps, inner.steps, outer.places, inner.places)
    lives = _places_of_both(outer.lives, inner.lives, outer.places, inner.places)
    return _Dense(places, steps, lives, outer.chains * inner.chains)


def _places_of_both(outer: Ints, inner: Ints, rows: Ints, columns: Ints) -> Ints:
    found = np.zeros((*outer.shape[:2], int((rows * columns).max())), np.int64)
    for line, (high, wide) in enumerate(zip(rows.tolist(), columns.tolist(), strict=True)):
        both = outer[line, :, :high, None] * inner[line, :, None, :wide]
        found[line, :, : high * wide] = both.reshape(outer.shape[1], -1)
    return found


@dataclass(frozen=True, eq=False)
class Chosen:
    """Places chosen on lines for groups of entries, sorted by line, group and place; `run` is how far the next is."""

    line: Ints
    group: Ints
    place: Ints
    run: Ints


def turning_rows(profile: Profile, group: Ints, late: int, *, cyclic: bool) -> Chosen:
    """The rows at which an entry of a group (Q,) changes there or up to `late` rows above; `late` follow the last."""
    line, entry, place = profile.turns
    rows = place[:, None] + np.arange(late + 1)
    if cyclic:
        rows %= profile.places[line][:, None]
    total = profile.places if cyclic else profile.places + late
    return chosen_places(line.repeat(late + 1), group[entry].repeat(late + 1), rows.ravel(), total)


def turning_columns(profile: Profile, group: Ints, shift: Ints) -> Chosen:
    """The columns at which what stands `shift` (Q,) steps before changes for an entry of a group (Q,)."""
    line, entry, place = profile.turns
    lines, groups = len(profile.places), int(group.max()) + 1
    first = np.zeros(lines * groups, np.int64)
    return chosen_places(
        np.concatenate([np.arange(lines).repeat(groups), line]),
        np.concatenate([np.tile(np.arange(groups), lines), group[entry]]),
        np.concatenate([first, (place + shift[entry]) % profile.places[line]]),
        profile.places,
    )


def with_ends(chosen: Chosen, total: Ints) -> Chosen:
    """The same places, and with each the last one before the next."""
    places = np.concatenate([chosen.place, chosen.place + chosen.run - 1])
    return chosen_places(np.tile(chosen.line, 2), np.tile(chosen.group, 2), places, total)


def chosen_places(line: Ints, group: Ints, place: Ints, total: Ints) -> Chosen:
    """Distinct places by line and group, those from the line's `total` (S,) on left out."""
    groups, wide = int(group.max()) + 1, int(total.max()) + 1
    inside = place < total[line]
    both = np.unique((line[inside] * groups + group[inside]) * wide + place[inside])
    slot, place = both // wide, both % wide
    line = slot // groups
    after = np.append(place[1:], 0)
    last = np.append(slot[1:] != slot[:-1], [True])
    return Chosen(line, slot % groups, place, np.where(last, total[line], after) - place)


def above(profile: Profile, entry: Ints, rows: Chosen, late: int, *, cyclic: bool = False) -> tuple[Ints, Ints]:
    """What stands in chosen rows (n) and up to `late` rows above, for their groups' entries (G, E).

    Counts and sums before, both (n, E, late + 1). With `cyclic` the rows before the first are the last ones.
    """
    line = rows.line[:, None, None]
    row = rows.place[:, None, None] - np.arange(late + 1)
    row = row % profile.places[line] if cyclic else row
    return profile.seen(line, entry[rows.group][:, :, None], row)


def earlier(profile: Profile, entry: Ints, shift: Ints, columns: Chosen) -> tuple[Ints, Ints, Ints]:
    """What stands `shift` (G, E) steps before chosen columns (n), for their groups' entries (G, E).

    Rows above, the count there, and the sum of counts up to and with that column, all (n, E).
    """
    line = columns.line[:, None]
    wide = profile.places[line]
    place = columns.place[:, None] - shift[columns.group]
    late = np.maximum(-(place // wide), 0)
    count, below = profile.seen(line, entry[columns.group], place + late * wide)
    return late, count, below + count


@dataclass(frozen=True, eq=False)
class Kinds:
    """Values (S, K, ...) of kinds of rows or columns, and how often each occurs (S, K), 0 for padding."""

    values: Ints
    times: Ints


def kinds_of(line: Ints, values: Ints, times: Ints) -> Kinds:
    """Values (n, ...) of lines that occur so many times (n), equal ones of a line put together."""
    first, kind = distinct_rows(np.concatenate([line[:, None], values.reshape(len(values), -1)], axis=1))
    order = np.argsort(line[first], kind="stable")
    number = np.bincount(line[first])
    column = np.empty(len(first), np.int64)
    column[order] = np.arange(len(first)) - np.repeat(np.cumsum(number) - number, number)
    padded = np.zeros((len(number), int(number.max()), *values.shape[1:]), np.int64)
    padded[line[first], column] = values[first]
    counts = np.zeros(padded.shape[:2], np.int64)
    np.add.at(counts, (line, column[kind]), times)
    return Kinds(padded, counts)


# Structures of one scan as pairs of lines, and whether they are products after all.


@dataclass(frozen=True, eq=False)
class Lines:
    """S structures as pairs (S, 2) of an outer and an inner line, and whether they are products (S,)."""

    outer: Line
    inner: Line
    pairs: Ints
    holds: Mask

    def by_lateness(self, shift: int) -> Iterator[tuple[int, Ints]]:
        """How many rows above its step the work of a shift lies at most, and the structures for which that holds.

        One where rows are long, several where they are short: those come apart, so that the many long ones are light.
        """
        late = -(-shift // self.inner.places)[self.pairs[:, 1]]
        for chosen in (np.flatnonzero(late <= 1), np.flatnonzero(late > 1)):
            if len(chosen):
                yield int(late[chosen].max()), chosen


def make_lines(
    counts: GroupCounts, tables: Sequence[AxisTable], picks: Ints, kept: dict[tuple[object, ...], Line]
) -> Lines:
    """Structures whose sides are `picks` (S, dimensions) of tables of the scan's dimensions, outermost first.

    `kept` holds the lines made so far.
    """
    holds = _holds(counts, tables, picks)
    if not tables:
        one = single_place(counts)
        return Lines(one, one, np.zeros((len(picks), 2), np.int64), holds)
    inner, second = np.unique(picks[:, -1:], axis=0, return_inverse=True)
    inner_line = _line(tables[-1:], inner, kept)
    if len(tables) == 1:
        pairs = np.stack([np.zeros(len(picks), np.int64), second.ravel()], axis=1)
        return Lines(single_place(counts), inner_line, pairs, holds)
    outer, first = np.unique(picks[:, :-1], axis=0, return_inverse=True)
    pairs = np.stack([first.ravel(), second.ravel()], axis=1)
    return Lines(_line(tables[:-1], outer, kept), inner_line, pairs, holds)


def _line(tables: Sequence[AxisTable], picks: Ints, kept: dict[tuple[object, ...], Line]) -> Line:
    key = *tables, picks.tobytes()
    if key not in kept:
        kept[key] = line_of(tables, picks)
    return kept[key]


def _holds(counts: GroupCounts, tables: Sequence[AxisTable], picks: Ints) -> Mask:
    """Whether every merge of several readers is exact: they differ along one dimension, or one leads along all."""
    found = np.ones(len(picks), np.bool_)
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
        found &= (leaders != 0) | (same_stage & (differs <= 1))
    for table, pick in sides:
        for at_once in table.at_once.values():
            found &= at_once[pick]
    return found
