"""Addressed sizes of buffers, for many structures at once (`hwmodel/local_memory/contents.py` defines them).

A source's data are products of lines along the block dimensions (`axis_lines`), combined to an outer and an inner line.
Structures share lines, so the terms of each line (`line_terms`) are computed once, and for a structure only the
combination of the two lines (`line_words`). Both are cached for all groups of a network (`line_cache`), since sources
of many buffers and groups have lines in common.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from arrayol.arrays import IntArray
from hwmodel.cost_model.counted.axes.axes import Mask
from hwmodel.cost_model.counted.block_order import Structures
from hwmodel.cost_model.counted.buffer_size.coupled_contents import CoupledBuffer, coupled_memories
from hwmodel.cost_model.counted.buffer_size.line_words import LinesOf, words_of_pairs
from hwmodel.cost_model.counted.counts import GroupCounts, Source
from hwmodel.cost_model.memories.figures import Wanted
from hwmodel.local_memory.bank_functions import BankFunction, Residues, one_bank


@dataclass(frozen=True, eq=False)
class Sizes:
    """The addressed sizes of the buffers of a separable group, each with its sources' data one after another."""

    counts: GroupCounts

    def sizes(self, structures: Structures, first: int | None = None) -> IntArray:
        """The words of each buffer, (S, memories); 0 for other memories.

        With `first`, only the memories of lower numbers are computed, and all others are 0.
        """
        words = np.zeros((len(structures.pairs), len(self.counts.memories)), np.int64)
        coupled, every = coupled_memories(self.counts, structures.walked), np.arange(len(structures.pairs))
        sources = [
            (number, one_bank(len(self._shape(source))), every)
            for number, source in enumerate(self.counts.sources)
            if source.memory not in coupled and (first is None or source.memory < first)
        ]
        for (number, _, _), own in zip(sources, self._of_sources(structures, sources), strict=True):
            source = self.counts.sources[number]
            words[:, source.memory] += own * source.free
        for row, memory in np.argwhere(_enumerated_buffers(structures, coupled)).tolist():
            words[row, memory] = CoupledBuffer(self.counts, structures, row, memory).size
        return words

    def _shape(self, source: Source) -> Sequence[int]:
        """The shape of the array of a source."""
        return self.counts.parts.group.accesses.shape(self.counts.memories[source.memory].memory.name)

    def depths(self, structures: Structures, wanted: Sequence[Wanted]) -> list[IntArray]:
        """The words of the deepest bank of buffers under bank functions, (n,) for each request."""
        depths = [np.zeros(len(rows), np.int64) for _, _, rows in wanted]
        coupled = coupled_memories(self.counts, structures.walked)
        requests = [
            (place, number)
            for place, (memory, _, _) in enumerate(wanted)
            for number, source in enumerate(self.counts.sources)
            if source.memory == memory and memory not in coupled
        ]
        words = self._of_sources(structures, [(number, *wanted[place][1:]) for place, number in requests])
        for (place, number), own in zip(requests, words, strict=True):
            depths[place] += own * self._free(self.counts.sources[number], wanted[place][1])
        apart, buffers = _enumerated_buffers(structures, coupled), dict[tuple[int, int], CoupledBuffer]()
        for own, (memory, function, rows) in zip(depths, wanted, strict=True):
            for place in np.flatnonzero(apart[rows, memory]).tolist():
                key = int(rows[place]), memory
                if key not in buffers:
                    buffers[key] = CoupledBuffer(self.counts, structures, *key)
                own[place] = buffers[key].depth(function)
        return depths

    def _free(self, source: Source, function: BankFunction) -> int:
        """The data of a bank along the free axes of a source."""
        free = self.counts.parts.free_axes(source.piece)
        return math.prod(_most(self.counts.free_indices(source.piece, axis), function, axis) for axis in free)

    def _of_sources(self, structures: Structures, wanted: Iterable[Wanted]) -> list[IntArray]:
        """The words of a bank for each datum of the free axes, for requests of sources, (n,) each."""
        asked = [
            (self.counts.sources[number].lag, *self._sides(structures, number, function), rows)
            for number, function, rows in wanted
        ]
        pairs = [structures.pairs[rows] for _, _, _, rows in asked]
        keys = [
            (lag, outer[row], inner[column])
            for (lag, high, wide, _), own in zip(asked, pairs, strict=True)
            for outer, inner in [(high.keys, wide.keys)]
            for row, column in own.tolist()
        ]
        ends = np.cumsum([len(own) for own in pairs])

        def words(places: IntArray) -> IntArray:
            """The words of the pairs at some positions."""
            found, of, every = np.zeros_like(places), np.searchsorted(ends, places, "right"), np.concatenate(pairs)
            own = [(number, np.flatnonzero(of == number)) for number in np.unique(of).tolist()]
            told = [(*asked[number][:-1], every[places[some]]) for number, some in own]
            for (_, some), each in zip(own, words_of_pairs(told, self.counts.lines), strict=True):
                found[some] = each
            return found

        return np.split(self.counts.lines.words(keys, words), ends[:-1]) if asked else []

    def _sides(self, structures: Structures, number: int, function: BankFunction) -> tuple[LinesOf, LinesOf]:
        """The outer and inner lines of a source under a bank function."""
        own = self.counts.parts.axes[self.counts.sources[number].piece]
        axes = [own[block] for block in structures.blocks]
        return (
            LinesOf(structures.outer, number, axes[:-1], function),
            LinesOf(structures.inner, number, axes[-1:], function),
        )


def _enumerated_buffers(structures: Structures, coupled: frozenset[int]) -> Mask:
    """The buffers (S, memories) of Cartesian structures that are sized from the list of their data."""
    apart: Mask = structures.listed.copy()
    apart[:, sorted(coupled)] = True
    return apart & structures.holds[:, None]


def _most(indices: Mask, function: BankFunction, axis: int) -> int:
    """The largest number of a free axis' indices that are in one bank."""
    index = np.flatnonzero(indices)
    if isinstance(function, Residues):
        return int(np.bincount(index % function.moduli[axis]).max(initial=0))
    shared = function.shared
    return len(np.unique(shared.group(index - index[:1]))) if axis == shared.axis else len(index)
