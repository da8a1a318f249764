"""Buffers and delay states of structures of several tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from arrayol.arrays import BoolArray, IntArray
from hwmodel.cost_model.memories.figures import Wanted
from hwmodel.cost_model.memories.row_cache import RowCache
from hwmodel.cost_model.tables.memories import BufferTable, TableMemory
from hwmodel.local_memory.bank_functions import BankFunction


@dataclass(frozen=True, eq=False)
class JoinedBuffers:
    """A table of structures, in which some rows (`others`) have tables of their own."""

    table: BufferTable
    others: Mapping[int, BufferTable]

    @property
    def memories(self) -> Sequence[TableMemory]:
        """The memories: buffers, then states."""
        return self.table.memories

    @property
    def structures(self) -> int:
        """The number of structures."""
        return self.table.structures

    @cached_property
    def live(self) -> RowCache:
        """The live count of each memory, (S, memories)."""
        return RowCache(self.structures, lambda rows: self._of_rows(rows, lambda table, own: table.live(own)))

    @cached_property
    def addressed(self) -> RowCache:
        """The addressed size of each memory in one bank, in words, (S, memories)."""
        return RowCache(self.structures, lambda rows: self._of_rows(rows, lambda table, own: table.addressed(own)))

    def depths(self, memory: int, function: BankFunction, rows: IntArray) -> IntArray:
        """The words of the deepest bank of a buffer in some structures (n,)."""
        return self._of_rows(rows, lambda table, own: table.depths(memory, function, own))

    def fetch(self, wanted: Iterable[Wanted]) -> None:
        """Compute depths that will be asked for next."""
        self.table.fetch((memory, function, rows[self._there(rows)]) for memory, function, rows in wanted)

    def are_listed(self, memory: int) -> BoolArray:
        """The structures in which a buffer takes its own time to compute, (S,)."""
        listed = np.array(self.table.are_listed(memory))
        listed[list(self.others)] = True
        return listed

    def state_banks(self, memory: int, units: int, rows: IntArray) -> IntArray:
        """Banks (n,) that separate the chains on which so many units work."""
        return self._of_rows(rows, lambda table, own: table.state_banks(memory, units, own))

    def _there(self, rows: IntArray) -> BoolArray:
        """Which rows belong to the main table."""
        return ~np.isin(rows, list(self.others))

    def _of_rows(self, rows: IntArray, of: Callable[[BufferTable, IntArray], IntArray]) -> IntArray:
        """Values (n, ...) of some structures, each from its table."""
        there = self._there(rows)
        if there.all():
            return of(self.table, rows)
        parts = [(np.flatnonzero(there), of(self.table, rows[there]))] if there.any() else []
        parts += [
            (place, of(self.others[int(rows[place[0]])], np.zeros(1, np.intp)))
            for place in np.flatnonzero(~there)[:, None]
        ]
        collected = np.zeros((len(rows), *parts[0][1].shape[1:]), np.int64)
        for places, own in parts:
            collected[places] = own
        return collected
