"""The largest live sets of the memories of a separable group."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hwmodel.machine.separable.ledger import Ledger
from hwmodel.machine.separable.lines import Lines
from hwmodel.machine.separable.links import Ints
from hwmodel.machine.separable.walk import Line, above, earlier, turning_columns, turning_rows, with_ends

_CELLS = 1 << 21  # of intermediate arrays at a time


@dataclass(frozen=True, eq=False)
class LiveSets:
    """What lives in the memories that blocks change (G of them), in at most E ways each: entries of the lines' `lives`.

    `entry` (G, 2 E) births then deaths, padded by the first with `factor` (G, E) 0; `shift` in steps likewise.
    """

    ledger: Ledger

    @cached_property
    def memories(self) -> list[int]:
        """The memories that blocks change, by number."""
        return [number for number, memory in enumerate(self.ledger.memories) if memory.living]

    @cached_property
    def _ways(self) -> int:
        return max(len(memory.living) for memory in self.ledger.memories)

    @cached_property
    def group(self) -> Ints:
        """The memory (counted among those that blocks change) of each entry of the lines' `lives`."""
        sizes = [len(self.ledger.memories[number].living) for number in self.memories]
        return np.tile(np.repeat(np.arange(len(sizes)), sizes), 2)

    @cached_property
    def shift(self) -> Ints:
        """Steps by which each entry of the lines' `lives` lags behind the first load."""
        first = min(one.stage for one in self.ledger.counted)
        living = [one for memory in self.ledger.memories for one in memory.living]
        return np.array([one.born - first for one in living] + [one.dead - first for one in living], np.int64)

    @cached_property
    def entry(self) -> Ints:
        """Entries of each memory's births, then of its deaths (G, 2 E)."""
        half = len(self.group) // 2
        found = np.zeros((len(self.memories), 2 * self._ways), np.int64)
        for number in range(len(self.memories)):
            own = np.flatnonzero(self.group[:half] == number)
            found[number] = np.tile(np.resize(own, self._ways), 2) + np.repeat([0, half], self._ways)
        return found

    @cached_property
    def factor(self) -> Ints:
        """Data of one index of each way (G, E); 0 for padding."""
        found = np.zeros((len(self.memories), self._ways), np.int64)
        for number, memory in enumerate(self.memories):
            for way, one in enumerate(self.ledger.memories[memory].living):
                found[number, way] = one.factor * self.ledger.memories[memory].size
        return found

    def sizes(self, lines: Lines) -> Ints:
        """The data that each memory holds at most, (S, memories)."""
        found = np.tile(np.array([memory.fixed for memory in self.ledger.memories], np.int64), (len(lines.pairs), 1))
        if self.memories:
            columns = self._columns(lines.inner)
            for late, chosen in lines.by_lateness(int(self.shift.max())):
                outer, first = np.unique(lines.pairs[chosen, 0], return_inverse=True)
                inner, second = np.unique(lines.pairs[chosen, 1], return_inverse=True)
                grid = self._grid(self._rows(lines.outer, late).only(outer), columns.only(inner))
                found[np.ix_(chosen, np.array(self.memories))] = grid[:, first, second].T
        return found

    def folded_sizes(self, lines: Lines) -> Ints:
        """The same for one structure where frames follow each other without a pause, (memories,)."""
        found = np.array([memory.fixed for memory in self.ledger.memories], np.int64)
        if self.memories:
            columns = self._columns(lines.inner)
            ((late, _),) = lines.by_lateness(int(self.shift.max()))
            period = int(lines.outer.places[0])
            every = np.arange(-(-(period + late) // period) * period)
            rows = self._seen(lines.outer, np.tile(every, (1, len(self.memories), 1)), late)
            live = _products(rows.features(), columns.features(late, self.factor))
            folded = live.reshape(len(self.memories), -1, period, live.shape[2]).sum(axis=1)
            found[self.memories] = folded.max(axis=(1, 2))
        return found

    def _grid(self, rows: _Rows, columns: _Columns) -> Ints:
        """The largest live sets of all outer with all inner lines, (G, outer, inner)."""
        right = columns.features(rows.count.shape[4] - 1, self.factor)
        inner, places = columns.late.shape[0], columns.late.shape[2]
        found = np.zeros((len(self.memories), len(rows.count), inner), np.int64)
        chunk = max(1, _CELLS // (rows.count.shape[1] * rows.count.shape[2] * right.shape[2]))
        for start in range(0, len(rows.count), chunk):
            some = slice(start, start + chunk)
            live = _products(rows.only(np.arange(len(rows.count))[some]).features(), right)
            by_line = live.reshape(len(live), -1, rows.count.shape[2], inner, places)
            found[:, some] = by_line.max(axis=4).max(axis=2)
        return found

    def _rows(self, outer: Line, late: int) -> _Rows:
        """Along rows with equal counts live sets are straight, so they are largest at the ends of such runs."""
        turning = turning_rows(outer.lives, self.group, late, cyclic=False)
        return self._seen(outer, with_ends(turning, outer.places + late).place, late)

    def _seen(self, outer: Line, rows: Ints, late: int) -> _Rows:
        count, below = above(outer.lives, self.entry, rows, late)
        births = below[:, :, :, : self._ways, :1]
        return _Rows(count, below - np.tile(births, (1, 1, 1, 2, 1)))

    def _columns(self, inner: Line) -> _Columns:
        """Along columns with equal counts live sets are straight too: largest before a change or at the end."""
        turning = turning_columns(inner.lives, self.group, self.shift)
        ends = turning.place + np.maximum(turning.run, 1) - 1
        late, _, upto = earlier(inner.lives, self.entry, self.shift[self.entry], ends)
        line = np.arange(len(inner.places))[:, None, None]
        _, whole = inner.lives.seen(line, self.entry[None], inner.places[line])
        return _Columns(late, upto, whole)


@dataclass(frozen=True, eq=False)
class _Rows:
    """In chosen rows and up to some rows above (S, G, K, 2 E, late + 1): counts, and the sums of all before.

    Sums are taken from the births before the row itself.
    """

    count: Ints
    below: Ints

    def only(self, chosen: Ints) -> _Rows:
        """Those of some lines."""
        return _Rows(self.count[chosen], self.below[chosen])

    def features(self) -> Ints:
        """All of a row that a live set is linear in: (G, S K, 2 x 2 E x (late + 1))."""
        both = np.stack([self.below, self.count], axis=3).swapaxes(0, 1)
        lines = both.shape[1] * both.shape[2]
        return both.reshape(len(both), lines, -1)


@dataclass(frozen=True, eq=False)
class _Columns:
    """In chosen columns (S, G, K, 2 E): rows above, the sum up to the column there; `whole` (S, G, 2 E) of a row."""

    late: Ints
    upto: Ints
    whole: Ints

    def only(self, chosen: Ints) -> _Columns:
        """Those of some lines."""
        return _Columns(self.late[chosen], self.upto[chosen], self.whole[chosen])

    def features(self, late: int, factor: Ints) -> Ints:
        """What the features of a row are multiplied with, deaths taken off: (G, 2 x 2 E x (late + 1), S K)."""
        signed = np.concatenate([factor, -factor], axis=1)
        sums = np.stack([np.broadcast_to(self.whole[:, :, None, :], self.upto.shape), self.upto], axis=3)
        above_by = self.late[:, :, :, None, :, None] == np.arange(late + 1)
        weighed = (sums * signed[:, None, None, :])[..., None] * above_by
        found: Ints = weighed.reshape(*weighed.shape[:3], -1).transpose(1, 3, 0, 2)
        return found.reshape(*found.shape[:2], -1)


def _products(rows: Ints, columns: Ints) -> Ints:
    """Matrix products of integers, (G, rows, columns): in floats, which are faster, where those are exact."""
    largest = float(np.abs(rows).max()) * float(np.abs(columns).max()) * rows.shape[2]
    if largest < 1 << 52:
        return (rows.astype(np.float64) @ columns.astype(np.float64)).astype(np.int64)
    return rows @ columns
