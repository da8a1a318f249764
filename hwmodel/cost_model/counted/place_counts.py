"""Counts by place, stored only where an entry changes, and the rows and columns that are evaluated for them.

The idea. Along most of the block order the pipeline is in a steady state: counts of neighbouring places are equal. So
counts are stored, and rows and columns evaluated, only where some entry changes (`PlaceCounts`), each with the run up
to the next change. This is exact: between two changes all rows (columns) are equal, and stand for one that occurs `run`
times.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from arrayol.arrays import IntArray
from hwmodel.cost_model.counted.axes.axes import Mask
from hwmodel.cost_model.numbering import distinct, distinct_rows


@dataclass(frozen=True, eq=False)
class PlaceCounts:
    """Counts of Q entries by place, for S choices of block sides with `places` (S,) places each.

    A change is a place where a count differs from that of the place before. Each entry of each choice has a change at
    place 0 and one (to count 0) at its end. `key` sorts changes by choice, entry and place; `count` is the count from
    each change on, and `below` the sum of the counts before it.
    """

    places: IntArray
    entries: int
    width: int
    key: IntArray
    count: IntArray
    below: IntArray

    @staticmethod
    def of(counts: IntArray, places: IntArray) -> PlaceCounts:
        """Compress counts (S, Q, P), of which the first `places` (S,) are valid."""
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

    @staticmethod
    def joined(parts: Sequence[PlaceCounts]) -> PlaceCounts:
        """Concatenate the counts of several sets of choices of sides."""
        width, first = max(part.width for part in parts), np.cumsum([0, *(len(part.places) for part in parts)])
        keys = []
        for part, start in zip(parts, first[:-1].tolist(), strict=True):
            row, place = part.key // part.width, part.key % part.width
            keys.append((row + start * part.entries) * width + place)
        places, count, below = (
            np.concatenate([getattr(part, name) for part in parts]) for name in ("places", "count", "below")
        )
        return PlaceCounts(places, parts[0].entries, width, np.concatenate(keys), count, below)

    @cached_property
    def changes(self) -> tuple[IntArray, IntArray, IntArray]:
        """Choice of sides, entry and place of each change, those at the ends included, (changes,) each."""
        side, place = self.key // self.width, self.key % self.width
        side, entry = side // self.entries, side % self.entries
        inside = place <= self.places[side]
        return side[inside], entry[inside], place[inside]

    def changes_of(self, entries: Mask) -> tuple[IntArray, IntArray, IntArray]:
        """The changes of the entries in a mask (Q,): choice of sides, entry and place."""
        side, entry, place = self.changes
        chosen = entries[entry] if not entries.all() else slice(None)
        return side[chosen], entry[chosen], place[chosen]

    def totals(self) -> IntArray:
        """The sum of all counts of each entry for each choice of sides, (S, Q)."""
        side, entry = np.arange(len(self.places))[:, None], np.arange(self.entries)[None, :]
        return self.at(side, entry, self.places[:, None])[1]

    def counts_at(self, side: IntArray, entry: IntArray, place: IntArray) -> IntArray:
        """The counts of entries at places; 0 before place 0 and after the end."""
        _, change = self._last_changes(side, entry, place)
        return np.where(place < 0, 0, self.count[change])

    def at(self, side: IntArray, entry: IntArray, place: IntArray) -> tuple[IntArray, IntArray]:
        """The counts of entries at places, and the sums of the counts before these places."""
        wanted, change = self._last_changes(side, entry, place)
        count = self.count[change]
        below = self.below[change] + count * (wanted - self.key[change])
        return np.where(place < 0, 0, count), below

    def _last_changes(self, side: IntArray, entry: IntArray, place: IntArray) -> tuple[IntArray, IntArray]:
        """The keys of some places, and the number of the last change up to each of them."""
        inside = np.clip(place, 0, self.places[side])
        wanted = (side * self.entries + entry) * self.width + inside
        every = len(self.places) * self.entries * self.width
        if wanted.size < every:
            return wanted, np.searchsorted(self.key, wanted, side="right") - 1
        return wanted, np.arange(len(self.key)).repeat(np.diff(self.key, append=every))[wanted]


@dataclass(frozen=True, eq=False)
class PlaceRuns:
    """Places of groups of entries, sorted by choice of sides, group and place.

    `run` is the distance to the next place.
    """

    side: IntArray
    group: IntArray
    place: IntArray
    run: IntArray


def changing_rows(by_place: PlaceCounts, group: IntArray, late: int, *, cyclic: bool) -> PlaceRuns:
    """The rows at which an entry of a group (Q,) changes there or up to `late` rows above.

    Not cyclic, `late` rows follow the last one. Entries of group -1 are left out.
    """
    side, entry, place = by_place.changes_of(group >= 0)
    rows = place[:, None] + np.arange(late + 1)
    if cyclic:
        rows %= by_place.places[side][:, None]
    total = by_place.places if cyclic else by_place.places + late
    return distinct_places(side.repeat(late + 1), group[entry].repeat(late + 1), rows.ravel(), total)


def changing_columns(by_place: PlaceCounts, group: IntArray, shift: IntArray) -> PlaceRuns:
    """The columns at which an entry of a group (Q,), taken `shift` (Q,) steps earlier, changes.

    Group -1 is left out.
    """
    side, entry, place = by_place.changes_of(group >= 0)
    sides, groups = len(by_place.places), int(group.max()) + 1
    first = np.zeros(sides * groups, np.int64)
    return distinct_places(
        np.concatenate([np.arange(sides).repeat(groups), side]),
        np.concatenate([np.tile(np.arange(groups), sides), group[entry]]),
        np.concatenate([first, (place + shift[entry]) % by_place.places[side]]),
        by_place.places,
    )


def with_ends(chosen: PlaceRuns, total: IntArray) -> PlaceRuns:
    """Add to each place the last one before the next place."""
    places = np.concatenate([chosen.place, chosen.place + chosen.run - 1])
    return distinct_places(np.tile(chosen.side, 2), np.tile(chosen.group, 2), places, total)


def distinct_places(side: IntArray, group: IntArray, place: IntArray, total: IntArray) -> PlaceRuns:
    """The distinct places by choice of sides and group; places from the `total` (S,) of a choice on are left out."""
    groups, wide = int(group.max()) + 1, int(total.max()) + 1
    inside = place < total[side]
    both = distinct((side[inside] * groups + group[inside]) * wide + place[inside], len(total) * groups * wide)
    slot, place = both // wide, both % wide
    side = slot // groups
    after = np.append(place[1:], 0)
    last = np.append(slot[1:] != slot[:-1], [True])
    return PlaceRuns(side, slot % groups, place, np.where(last, total[side], after) - place)


def above(by_place: PlaceCounts, entry: IntArray, rows: PlaceRuns, late: int) -> tuple[IntArray, IntArray]:
    """Counts and sums before them, in chosen rows (n,) and up to `late` rows above, for their groups' entries (G, E).

    Both results are (n, E, late + 1).
    """
    count, below = by_place.at(*_rows_above(entry, rows, late))
    return np.moveaxis(count, -1, 0), np.moveaxis(below, -1, 0)


def counts_above(by_place: PlaceCounts, entry: IntArray, rows: PlaceRuns, late: int, *, cyclic: bool) -> IntArray:
    """Counts in chosen rows (n,) and up to `late` rows above, (n, E, late + 1).

    With `cyclic`, the rows before the first are the last ones.
    """
    side, entries, row = _rows_above(entry, rows, late)
    count = by_place.counts_at(side, entries, row % by_place.places[side] if cyclic else row)
    return np.moveaxis(count, -1, 0)


def _rows_above(entry: IntArray, rows: PlaceRuns, late: int) -> tuple[IntArray, IntArray, IntArray]:
    """Indices of `PlaceCounts.at` for rows and those above.

    The rows (n,) are the last axis, so that the search ascends.
    """
    return rows.side, entry[rows.group].T[:, None, :], rows.place - np.arange(late + 1)[:, None]


def earlier(
    by_place: PlaceCounts, entry: IntArray, shift: IntArray, columns: PlaceRuns
) -> tuple[IntArray, IntArray, IntArray]:
    """Counts `shift` (G, E) steps before chosen columns (n,), for their groups' entries (G, E).

    Returns the rows above, the count there, and the sum of counts up to and including that column, (n, E) each.
    """
    side = columns.side[:, None]
    wide = by_place.places[side]
    place = columns.place[:, None] - shift[columns.group]
    late = np.maximum(-(place // wide), 0)
    count, below = by_place.at(side, entry[columns.group], place + late * wide)
    return late, count, below + count


@dataclass(frozen=True, eq=False)
class KindCounts:
    """Values (S, K, ...) of kinds of rows or columns, and how often each occurs (S, K), 0 for padding."""

    values: IntArray
    times: IntArray

    @property
    def number(self) -> IntArray:
        """The number of kinds before the padding, at least 1, (S,)."""
        number: IntArray = np.maximum(1, self.times.shape[1] - (self.times[:, ::-1] > 0).argmax(axis=1))
        return number

    def first(self, number: int) -> KindCounts:
        """The first `number` kinds; all others must be padding."""
        return KindCounts(self.values[:, :number], self.times[:, :number])


def kinds_of(side: IntArray, values: IntArray, times: IntArray) -> KindCounts:
    """Combine equal values (n, ...) of one choice of sides into kinds; each value occurs `times` (n,) times."""
    own_side = side[:, None].astype(values.dtype)
    first, kind = distinct_rows(np.concatenate([own_side, values.reshape(len(values), -1)], axis=1))
    order = np.argsort(side[first], kind="stable")
    number = np.bincount(side[first])
    column = np.empty(len(first), np.int64)
    column[order] = np.arange(len(first)) - np.repeat(np.cumsum(number) - number, number)
    padded = np.zeros((len(number), int(number.max()), *values.shape[1:]), values.dtype)
    padded[side[first], column] = values[first]
    counts = np.zeros(padded.shape[:2], np.int64)
    np.add.at(counts, (side, column[kind]), times)
    return KindCounts(padded, counts)
