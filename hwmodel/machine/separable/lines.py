"""Structures of one scan as pairs of lines, and whether they are products after all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from hwmodel.machine.separable.axes import Ints, Mask
from hwmodel.machine.separable.axis_table import AxisTable
from hwmodel.machine.separable.block_order import Line, line_of, single_place
from hwmodel.machine.separable.counts import GroupCounts


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
