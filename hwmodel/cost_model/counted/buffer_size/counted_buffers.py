"""The buffers and delay states of many structures of a separable group."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from arrayol.arrays import IntArray
from hwmodel.cost_model.counted.axes.axes import Mask
from hwmodel.cost_model.counted.block_order import Structures
from hwmodel.cost_model.counted.buffer_size.coupled_contents import coupled_memories
from hwmodel.cost_model.counted.buffer_size.live_sets import LiveSets
from hwmodel.cost_model.counted.buffer_size.sizes import Sizes
from hwmodel.cost_model.counted.counts import GroupCounts
from hwmodel.cost_model.memories.figures import Wanted
from hwmodel.cost_model.memories.row_cache import RowCache
from hwmodel.cost_model.numbering import ascending
from hwmodel.cost_model.tables.memories import DelayState, TableMemory
from hwmodel.design import BankLayout
from hwmodel.local_memory.bank_functions import BankFunction


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
