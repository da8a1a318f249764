"""Addressed sizes of buffers, for many structures at once (`hwmodel/local_memory/parts` says what they are).

A source's data are products of lines along the dimensions of the blocks (`axis_lines`), put together to an outer and
an inner line. Structures share lines, so what each line says for itself (`line_terms`) is computed once, and of a
structure only what the two say together (`line_words`). That is kept for all groups of a network (`line_cache`):
sources of many buffers and groups have lines in common.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from hwmodel.local_memory.bank_functions import BankFunction, Residues, one_bank
from hwmodel.machine.built.figures import Wanted
from hwmodel.machine.separable.axes import Ints, Mask
from hwmodel.machine.separable.block_order import Structures
from hwmodel.machine.separable.counts import GroupCounts, Source
from hwmodel.machine.separable.coupled_contents import CoupledBuffer, coupled_memories
from hwmodel.machine.separable.line_words import LinesOf, words_of_pairs


@dataclass(frozen=True, eq=False)
class Sizes:
    """The sizes of the buffers of a separable group, each with its sources' data one after another."""

    counts: GroupCounts

    def sizes(self, structures: Structures, first: int | None = None) -> Ints:
        """The words of each buffer, (S, memories); 0 for other memories, and for all but the `first` ones if named."""
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
        for row, memory in np.argwhere(_apart(structures, coupled)).tolist():
            words[row, memory] = CoupledBuffer(self.counts, structures, row, memory).size
        return words

    def _shape(self, source: Source) -> Sequence[int]:
        return self.counts.parts.group.accesses.shape(self.counts.memories[source.memory].memory.name)

    def depths(self, structures: Structures, wanted: Sequence[Wanted]) -> list[Ints]:
        """The words of the deepest bank of buffers under functions from places to banks, (n,) each."""
        found = [np.zeros(len(rows), np.int64) for _, _, rows in wanted]
        coupled = coupled_memories(self.counts, structures.walked)
        asked = [
            (place, number)
            for place, (memory, _, _) in enumerate(wanted)
            for number, source in enumerate(self.counts.sources)
            if source.memory == memory and memory not in coupled
        ]
        words = self._of_sources(structures, [(number, *wanted[place][1:]) for place, number in asked])
        for (place, number), own in zip(asked, words, strict=True):
            found[place] += own * self._free(self.counts.sources[number], wanted[place][1])
        apart, buffers = _apart(structures, coupled), dict[tuple[int, int], CoupledBuffer]()
        for own, (memory, function, rows) in zip(found, wanted, strict=True):
            for place in np.flatnonzero(apart[rows, memory]).tolist():
                key = int(rows[place]), memory
                if key not in buffers:
                    buffers[key] = CoupledBuffer(self.counts, structures, *key)
                own[place] = buffers[key].depth(function)
        return found

    def _free(self, source: Source, function: BankFunction) -> int:
        """The data of a bank along the axes that move with no dimension of the blocks."""
        free = self.counts.parts.free_axes(source.piece)
        return math.prod(_most(self.counts.free_indices(source.piece, axis), function, axis) for axis in free)

    def _of_sources(self, structures: Structures, wanted: Iterable[Wanted]) -> list[Ints]:
        """Words in a bank for each datum of the axes that move with no dimension of the blocks, of sources (n,)."""
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

        def words(places: Ints) -> Ints:
            """Those of some of the pairs."""
            found, of, every = np.zeros_like(places), np.searchsorted(ends, places, "right"), np.concatenate(pairs)
            own = [(number, np.flatnonzero(of == number)) for number in np.unique(of).tolist()]
            told = [(*asked[number][:-1], every[places[some]]) for number, some in own]
            for (_, some), each in zip(own, words_of_pairs(told, self.counts.lines), strict=True):
                found[some] = each
            return found

        return np.split(self.counts.lines.words(keys, words), ends[:-1]) if asked else []

    def _sides(self, structures: Structures, number: int, function: BankFunction) -> tuple[LinesOf, LinesOf]:
        """The outer and inner lines of a source."""
        own = self.counts.parts.axes[self.counts.sources[number].piece]
        axes = [own[block] for block in structures.blocks]
        return (
            LinesOf(structures.outer, number, axes[:-1], function),
            LinesOf(structures.inner, number, axes[-1:], function),
        )


def _apart(structures: Structures, coupled: frozenset[int]) -> Mask:
    """Which buffers (S, memories) are told by themselves, of structures that are products."""
    apart: Mask = structures.listed.copy()
    apart[:, sorted(coupled)] = True
    return apart & structures.holds[:, None]


def _most(indices: Mask, function: BankFunction, axis: int) -> int:
    """How many indices of an axis that is free have one bank at most."""
    index = np.flatnonzero(indices)
    if isinstance(function, Residues):
        return int(np.bincount(index % function.moduli[axis]).max(initial=0))
    shared = function.shared
    return len(np.unique(shared.group(index - index[:1]))) if axis == shared.axis else len(index)
