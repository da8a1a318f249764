"""Runs of tasks, accesses to memories, and data that are loaded and stored in a frame, for many structures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np

from arrayol.arrays import IntArray
from hwmodel.memory_kinds import KindName

Key = TypeVar("Key")


class AccessTable(Protocol):
    """Counts of S structures, each (S,), or (1,) if all have the same."""

    @property
    def runs(self) -> Mapping[str, IntArray]:
        """The number of runs of each task."""

    @property
    def moved(self) -> Mapping[str, IntArray]:
        """The data of each array that are loaded and stored."""

    @property
    def port_words(self) -> Mapping[str, IntArray]:
        """The words that the port moves for each array, in the bursts or requests of all steps."""

    def of_memory(self, kind: KindName, name: str) -> tuple[IntArray, IntArray]:
        """The data that are read from a memory and written to it, by tasks and by loads and stores."""

    def only(self, rows: IntArray) -> AccessTable:
        """The counts of some structures."""


@dataclass(frozen=True, eq=False)
class JoinedAccesses:
    """Structures of several tables: `tables` with the rows of each, out of `structures` rows."""

    tables: Sequence[tuple[IntArray, AccessTable]]
    structures: int

    @property
    def runs(self) -> Mapping[str, IntArray]:
        """The number of runs of each task."""
        return self._put(lambda table: table.runs)

    @property
    def moved(self) -> Mapping[str, IntArray]:
        """The data of each array that are loaded and stored."""
        return self._put(lambda table: table.moved)

    @property
    def port_words(self) -> Mapping[str, IntArray]:
        """The words that the port moves for each array."""
        return self._put(lambda table: table.port_words)

    def of_memory(self, kind: KindName, name: str) -> tuple[IntArray, IntArray]:
        """The data that are read from a memory and written to it."""
        accesses = self._put(lambda table: dict(enumerate(table.of_memory(kind, name))))
        return accesses[0], accesses[1]

    def only(self, rows: IntArray) -> AccessTable:
        """The counts of some structures."""
        where = np.full(self.structures, -1)
        where[rows] = np.arange(len(rows))
        there = [(where[own], table) for own, table in self.tables]
        return JoinedAccesses(
            [(own[own >= 0], table.only(np.flatnonzero(own >= 0))) for own, table in there], len(rows)
        )

    def _put(self, of: Callable[[AccessTable], Mapping[Key, IntArray]]) -> dict[Key, IntArray]:
        """Collect values by key of all tables, by row."""
        collected: dict[Key, IntArray] = {}
        for rows, table in self.tables:
            for key, values in of(table).items():
                collected.setdefault(key, np.zeros(self.structures, np.int64))[rows] = values
        return collected
