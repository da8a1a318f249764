"""The buffers and delay states of many structures of a separable group, with their addressed sizes.

A source's data are products of lines along the block dimensions (`axis_lines`), combined to an outer and an inner line.
Structures share lines, so the terms of each line (`line_terms`) are computed once, and for a structure only the
combination of the two lines (`line_words`). Both are cached for all groups of a network (`line_cache`), since sources
of many buffers and groups have lines in common.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from arrayol.arrays import IntArray
from hwmodel.cost_model.counted.axes.axes import Mask
from hwmodel.cost_model.counted.block_order import Structures
from hwmodel.cost_model.counted.buffer_size.coupled_contents import CoupledBuffer, coupled_memories
from hwmodel.cost_model.counted.buffer_size.line_words import LinesOf, words_of_pairs
from hwmodel.cost_model.counted.buffer_size.live_sets import LiveSets
from hwmodel.cost_model.counted.counts import GroupCounts, Source
from hwmodel.cost_model.memories.bank_figures import RowCache
from hwmodel.cost_model.memories.figures import Wanted
from hwmodel.cost_model.numbering import ascending
from hwmodel.cost_model.tables.memories import DelayState, TableMemory
from hwmodel.design import BankLayout
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


@dataclass(frozen=True, eq=False)
class CountedBuffers:
    """The memories of the Cartesian structures among `of`; the figures of all other structures mean nothing."""

    counts: GroupCounts
    of: Structures
    layouts: tuple[BankLayout, ...] = ()
    _depths: dict[tuple[int, BankFunction], RowCache] = field(default_factory=dict, repr=False)

    @property
    def structures(self) -> int:
        """The number of structures."""
        return len(self.of.pairs)

    @cached_property
    def addressed(self) -> RowCache:
        """The addressed size of each buffer and the live count of each state, (S, memories)."""
        sizes, states = Sizes(self.counts), LiveSets(self.counts, (DelayState,))
        are_states = np.array([isinstance(counted.memory, DelayState) for counted in self.counts.memories], np.bool_)

        def of_rows(rows: IntArray) -> IntArray:
            some, (there, live) = self.of.only(rows), self.live.known(rows)
            return sizes.sizes(some) + (live * are_states if there.all() else states.sizes(some))

        return self._cache(of_rows)

    @cached_property
    def live(self) -> RowCache:
        """The live count of each memory, (S, memories)."""
        return self._cache(lambda rows: LiveSets(self.counts).sizes(self.of.only(rows)))

    def depths(self, memory: int, function: BankFunction, rows: IntArray) -> IntArray:
        """The words of the deepest bank of a buffer in some structures, (n,)."""
        return self._depths_of(memory, function)(rows)

    def fetch(self, wanted: Iterable[Wanted]) -> None:
        """Compute depths that will be asked for next: many buffers together take hardly longer than one."""
        requests: dict[tuple[int, BankFunction], list[IntArray]] = {}
        for memory, function, rows in wanted:
            requests.setdefault((memory, function), []).append(rows)
        tables = [(self._depths_of(*key), key, ascending(np.concatenate(rows))) for key, rows in requests.items()]
        new = [(known, (*key, rows)) for known, key, every in tables if len(rows := known.new(every))]
        depths_of = Sizes(self.counts).depths(self.of, [wanted for _, wanted in new])
        for (known, (_, _, rows)), depths in zip(new, depths_of, strict=True):
            known.put(rows, depths)

    def _depths_of(self, memory: int, function: BankFunction) -> RowCache:
        key = memory, function
        if key not in self._depths:
            depths = Sizes(self.counts).depths
            self._depths[key] = self._cache(lambda new: depths(self.of, [(*key, new)])[0])
        return self._depths[key]

    def are_listed(self, memory: int) -> Mask:
        """The structures in which a buffer is sized from the list of its data, (S,)."""
        coupled = memory in coupled_memories(self.counts, self.of.walked)
        return np.asarray(self.of.listed[:, memory] | coupled, np.bool_)

    def state_banks(self, memory: int, units: int, rows: IntArray) -> IntArray:
        """Banks (n,) that separate the chains of so many units: one for each unit, at most one for each chain."""
        chains = self.addressed(rows)[:, memory] // self.counts.memories[memory].size
        return np.asarray(np.maximum(1, np.minimum(units, chains)))

    @cached_property
    def memories(self) -> Sequence[TableMemory]:
        """The memories: buffers, then states."""
        layouts = {layout.array: layout.banks for layout in self.layouts}
        return [
            replace(counted.memory, banks=layouts.get(counted.memory.name, counted.memory.banks))
            for counted in self.counts.memories
        ]

    def _cache(self, compute: Callable[[IntArray], IntArray]) -> RowCache:
        return RowCache(self.structures, compute)
