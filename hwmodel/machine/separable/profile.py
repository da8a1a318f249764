"""Counts by place along a line, held only where they change: work in a steady state takes no room."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hwmodel.machine.separable.axes import Ints


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
