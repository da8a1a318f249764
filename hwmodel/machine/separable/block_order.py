"""The order of the blocks as rows and columns: the innermost dimension of the scan, and all others together.

A step s of the group is (row, column) = divmod(s, columns); something of stage `shift` does in it what belongs to the
place `shift` steps earlier in the block order: some rows above (`late`), in another column. Only those rows and columns
are looked at where something changes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from hwmodel.machine.separable.axes import Ints
from hwmodel.machine.separable.axis_table import AxisTable
from hwmodel.machine.separable.counts import GroupCounts
from hwmodel.machine.separable.distinct import distinct_rows
from hwmodel.machine.separable.profile import Profile

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
