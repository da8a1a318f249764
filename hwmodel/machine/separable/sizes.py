"""Addressed sizes of buffers, for many structures at once (`hwmodel/local_memory/parts` says what they are).

A source's data are products of lines along the dimensions of the blocks (`axis_lines`), put together to an outer and
an inner line. Structures share lines, so what each line says for itself (`line_terms`) is computed once, and of a
structure only what the two say together. Sources whose lines and lag are equal, as those of a chain of filters, are
priced together.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from hwmodel.local_memory.lines import CLASSES
from hwmodel.machine.separable.axes import Ints, Mask
from hwmodel.machine.separable.block_order import OrderCounts, Structures
from hwmodel.machine.separable.counts import GroupCounts
from hwmodel.machine.separable.line_runs import ClassLines, LineRuns
from hwmodel.machine.separable.line_terms import InnerTerms, OuterTerms, carries_of

_CELLS = 1 << 20  # of intermediate arrays at a time


@dataclass(frozen=True, eq=False)
class Sizes:
    """The sizes of the buffers of a separable group, each with its sources' data one after another."""

    counts: GroupCounts

    def sizes(self, structures: Structures) -> Ints:
        """The words of each buffer, (S, memories); 0 for other memories."""
        words = np.zeros((len(structures.pairs), len(self.counts.memories)), np.int64)
        known: dict[tuple[object, ...], Ints] = {}
        for number, source in enumerate(self.counts.sources):
            lines = [table.lines[number] for order in (structures.outer, structures.inner) for table in order.tables]
            key = source.lag, *map(id, lines)
            if key not in known:
                known[key] = self._of_source(structures, number, source.lag)
            words[:, source.memory] += known[key] * source.free
        return words

    def _of_source(self, structures: Structures, number: int, lag: int) -> Ints:
        """Words for each datum of the axes that move with no dimension of the blocks, (S,)."""
        outer, inner = (_Order.of(order, number) for order in (structures.outer, structures.inner))
        carries = carries_of(inner.own.lines.places, lag)
        row, column = structures.pairs.T
        pairs = Pairs(OuterTerms.of(outer.own.lines, carries), InnerTerms.of(inner.own.lines, lag, carries))
        one = pairs.least(outer.own.whole[row], inner.own.whole[column])
        several = np.flatnonzero(outer.several[row] | inner.several[column])
        if len(several):
            parts = [
                pairs.least(outer.own.apart[row[several], high], inner.own.apart[column[several], wide])
                for high in CLASSES
                for wide in CLASSES
            ]
            one[several] = np.minimum(one[several], sum(parts))
        words: Ints = one * outer.free[row] * inner.free[column]
        return words


@dataclass(frozen=True, eq=False)
class _Order:
    """The lines of a source for all choices of sides of some dimensions, and how many data are free of them."""

    own: ClassLines
    free: Ints

    @property
    def several(self) -> Mask:
        """Which lines have indices of several classes."""
        several: Mask = (self.own.apart >= 0).sum(axis=1) > 1
        return several

    @staticmethod
    def of(order: OrderCounts, number: int) -> _Order:
        lines, free = LineRuns.single(len(order.picks)), np.ones(len(order.picks), np.int64)
        for table, pick in zip(order.tables, order.picks.T, strict=True):
            along, alike = table.lines[number].line_runs()
            lines, free = lines.times(along.taken(pick)), free * alike[pick]
        return _Order(ClassLines.of(lines), free)


@dataclass(frozen=True, eq=False)
class Pairs:
    """What outer and inner lines say together."""

    outer: OuterTerms
    inner: InnerTerms

    def least(self, outer: Ints, inner: Ints) -> Ints:
        """The size of the smallest form of pairs of lines (n,); 0 for pairs with -1."""
        size = np.zeros(len(outer), np.int64)
        there = np.flatnonzero((outer >= 0) & (inner >= 0))
        size[there] = self.forms(outer[there], inner[there]).min(axis=0)
        return size

    def forms(self, outer: Ints, inner: Ints) -> Ints:
        """The least sizes of box, linear and ring of pairs of lines, (3, n)."""
        sizes = np.zeros((3, len(outer)), np.int64)
        for part in self._chunks(len(outer)):
            rows, columns = outer[part], inner[part]
            sizes[:, part] = self._box(rows, columns), self._linear(rows, columns), self._ring(rows, columns)
        return sizes

    def _chunks(self, pairs: int) -> Iterator[slice]:
        rows, columns = self.outer.births, self.inner.births
        step = max(1, _CELLS // (len(rows) * max(4, rows.shape[2] * columns.shape[2])))
        return (slice(start, start + step) for start in range(0, pairs, step))

    def _box(self, outer: Ints, inner: Ints) -> Ints:
        rows: Ints = self.outer.extent[self.inner.carry[inner], outer]
        return rows * np.where(self.outer.moves[outer], self.inner.count[inner], self.inner.extent[inner])

    def _linear(self, outer: Ints, inner: Ints) -> Ints:
        count = self.inner.count[inner]
        own, before = (terms[:, :, None, outer] for terms in (self.outer.own, self.outer.before))
        column, start = (terms[:, None, :, inner] for terms in (self.inner.column, self.inner.start))
        reach = np.maximum(own * count + column, before * count + count - 1 + start).max(axis=0)
        size: Ints = 1 + np.maximum(reach, 0).min(axis=(0, 1))
        return size

    def _ring(self, outer: Ints, inner: Ints) -> Ints:
        rows, columns = self.outer.births[:, outer, :, None], self.inner.births[:, inner, None]
        signs = (1, 1, -1, -1)  # both factors of the last two are negative
        total = columns[..., -1] + sum(sign * rows[..., k] * columns[..., k] for k, sign in enumerate(signs))
        size: Ints = np.maximum(total.max(axis=(0, 2, 3)), 0)
        return size
