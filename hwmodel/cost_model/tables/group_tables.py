"""The tables of a group, from which all figures of its structures are computed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Protocol, TypeVar

import numpy as np

from arrayol.arrays import BoolArray, IntArray
from hwmodel.cost_model.energy import EnergyCosts
from hwmodel.cost_model.estimate import Evaluator
from hwmodel.cost_model.group.group import Group
from hwmodel.cost_model.memories.bank_figures import RowCache
from hwmodel.cost_model.memories.figures import Wanted
from hwmodel.cost_model.memories.local_ports import LocalPorts
from hwmodel.cost_model.memories.organised import Builder
from hwmodel.cost_model.tables.memories import BufferTable, FifoMemory, TableMemory
from hwmodel.cost_model.tables.steps import JoinedSteps, StepTable
from hwmodel.design import BankLayout
from hwmodel.local_memory.bank_functions import BankFunction
from hwmodel.memory_kinds import KindName
from hwmodel.platform import Platform


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


@dataclass(frozen=True, eq=False)
class GroupTables:
    """S structures of a group; `rows` are their rows in `buffers`, which may have more.

    `ports` and `layouts` say for which ports memories are built; `prices` are the energies of operations, None without
    any. The rows of structures that are `missing` mean nothing: `tables_of` makes the tables of one of them.
    """

    group: Group
    platform: Platform
    ports: LocalPorts
    layouts: tuple[BankLayout, ...]
    evaluator: Evaluator
    prices: EnergyCosts | None
    steps: StepTable
    buffers: BufferTable
    accesses: AccessTable
    rows: IntArray
    fifos: tuple[FifoMemory, ...] = ()
    missing: BoolArray = field(default_factory=lambda: np.zeros(1, np.bool_))
    tables_of: Callable[[int], GroupTables] | None = None

    @property
    def structures(self) -> int:
        """The number of structures."""
        return len(self.rows)

    @property
    def builder(self) -> Builder | None:
        """The builder of memories; None without a technology."""
        return Builder.of(self.ports, self.layouts)

    @property
    def without_fifos(self) -> GroupTables:
        """The tables without FIFOs: each task is independent of its neighbours within a step."""
        return replace(self, steps=self.steps.without_fifos, fifos=())

    def only(self, rows: IntArray) -> GroupTables:
        """The tables of some structures."""
        return replace(
            self,
            steps=self.steps.only(rows),
            accesses=self.accesses.only(rows),
            rows=self.rows[rows],
            missing=self.missing[rows],
            tables_of=self.tables_of and _at(self.tables_of, rows),
        )

    @property
    def complete(self) -> GroupTables:
        """The tables with rows for all structures that are missing."""
        missing = np.flatnonzero(self.missing)
        if not len(missing):
            return self
        assert self.tables_of is not None, "what is missing can be made"
        return self.joined(missing, [self.tables_of(row) for row in missing.tolist()])

    def joined(self, missing: IntArray, others: Sequence[GroupTables]) -> GroupTables:
        """Replace the rows of `missing` structures by other tables of one structure each."""
        there = np.flatnonzero(~self.missing)
        steps = [(there, self.steps.only(there))] if len(there) else []
        accesses = [(there, self.accesses.only(there))] if len(there) else []
        for row, other in zip(missing[:, None], others, strict=True):
            steps.append((row, other.steps))
            accesses.append((row, other.accesses))
        buffers = {row: other.buffers for row, other in zip(self.rows[missing].tolist(), others, strict=True)}
        return replace(
            self,
            steps=JoinedSteps(steps, self.structures),
            buffers=JoinedBuffers(self.buffers, buffers),
            accesses=JoinedAccesses(accesses, self.structures),
            missing=np.zeros(self.structures, np.bool_),
            tables_of=None,
        )


def _at(tables_of: Callable[[int], GroupTables], rows: IntArray) -> Callable[[int], GroupTables]:
    """Number the structures of `tables_of` by some rows."""
    return lambda row: tables_of(int(rows[row]))
