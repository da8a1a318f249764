"""The local memories of a group, each kind a class: whose rates it depends on, and what it is built of."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import ClassVar, Protocol

import numpy as np

from arrayol.arrays import BoolArray, IntArray
from hwmodel.local_memory.bank_functions import BankFunction
from hwmodel.local_memory.organisations import Organisation
from hwmodel.machine.built.bank_figures import SizeTable
from hwmodel.machine.built.buffer_figures import BufferFigures, Kind
from hwmodel.machine.built.figures import ROWS, BuiltMemory, Figures, Wanted, of_rates
from hwmodel.machine.built.local_ports import Rates
from hwmodel.machine.built.organised import Builder
from hwmodel.machine.built.row_cache import RowCache
from hwmodel.machine.estimate import block_count
from hwmodel.memory_kinds import BUFFER, FIFO, STATE, MemoryKind
from hwmodel.platform import Platform


class BufferTable(Protocol):
    """The buffers and delay states of structures, each row computed when it is first asked for."""

    @property
    def memories(self) -> Sequence[TableMemory]:
        """Buffers, then states."""

    @property
    def structures(self) -> int:
        """How many structures there are."""

    @property
    def live(self) -> RowCache:
        """Data that are live at once in each memory, (S, memories)."""

    @property
    def addressed(self) -> RowCache:
        """Words that the addresses of each memory take in one bank, (S, memories)."""

    def depths(self, memory: int, function: BankFunction, rows: IntArray) -> IntArray:
        """The words of the deepest bank of a buffer in some structures (n,)."""

    def fetch(self, wanted: Iterable[Wanted]) -> None:
        """Find out depths that are asked for next, which may take less time together."""

    def are_listed(self, memory: int) -> BoolArray:
        """The structures of which a buffer takes its own time, (S,)."""

    def state_banks(self, memory: int, units: int, rows: IntArray) -> IntArray:
        """Banks (n,) that keep apart the chains which so many units have in work, in some structures."""


@dataclass(frozen=True, slots=True)
class Sized:
    """What a memory of one structure holds at some rates: so many `data`.

    It has a `number` in a `table`; the structure is that of the place `at` among `rows`, which are asked for together.
    """

    data: int
    table: BufferTable
    number: int
    rows: IntArray
    at: int


@dataclass(frozen=True, slots=True)
class LocalMemory(ABC):
    """A local memory: its name, the bits of a datum, its banks where nothing can be built, and its kind."""

    name: str
    bits: int
    banks: int = 1
    kind: MemoryKind = BUFFER

    @abstractmethod
    def touching(self, builder: Builder) -> tuple[str, ...]:
        """The tasks on whose rates it depends."""

    @abstractmethod
    def organisation(self, builder: Builder, rates: Rates, sized: Sized) -> Organisation:
        """What it is built of in one structure, at rates of its tasks."""


class TableMemory(LocalMemory):
    """A memory that no rate makes larger or smaller, so that a table of structures has a column for it."""

    asks_for_ports: ClassVar[bool] = False  # which may be more than something serves

    @abstractmethod
    def figures(self, builder: Builder, table: BufferTable, number: int) -> BuiltMemory:
        """What it takes as it is built in the structures of a table, in which it has this number."""


class Buffer(TableMemory):
    """The buffer of an array."""

    asks_for_ports: ClassVar[bool] = True

    def touching(self, builder: Builder) -> tuple[str, ...]:
        """The tasks that read or write the array."""
        return builder.ports.touching(self.name)

    def organisation(self, builder: Builder, rates: Rates, sized: Sized) -> Organisation:
        """By the ports that its tasks ask for and the depths of banks."""

        def depth(function: BankFunction) -> int:
            return int(sized.table.depths(sized.number, function, sized.rows)[sized.at])

        return builder.buffer(self.name, rates, sized.data, depth)

    def figures(self, builder: Builder, table: BufferTable, number: int) -> BuiltMemory:
        """By its words, what lives, and the depths of banks."""
        figures = BufferFigures(
            builder,
            self.name,
            table.structures,
            lambda rows: table.addressed(rows)[:, number],
            lambda rows: table.live(rows)[:, number],
            partial(table.depths, number),
        )
        needs = partial(_needs, number, figures)
        listed = table.are_listed(number)
        return BuiltMemory(self.touching(builder), figures.kind, figures.figures, figures.least, listed, needs)


@dataclass(frozen=True, slots=True)
class DelayState(TableMemory):
    """The state of a delay, named TASK.PORT."""

    kind: MemoryKind = STATE

    def touching(self, builder: Builder) -> tuple[str, ...]:
        """The task that has the delay."""
        del builder
        return (self.name.rpartition(".")[0],)

    def organisation(self, builder: Builder, rates: Rates, sized: Sized) -> Organisation:
        """In banks that keep the chains of the units apart."""
        banks = sized.table.state_banks(sized.number, _units(self, builder, rates), sized.rows)
        return builder.state(self.name, int(banks[sized.at]), sized.data)

    def figures(self, builder: Builder, table: BufferTable, number: int) -> BuiltMemory:
        """By its words and banks, which the units of the task decide."""

        @cache
        def sizes(banks: int) -> SizeTable:
            return SizeTable(lambda data: builder.figures(builder.state(self.name, banks, data), self.bits))

        def figures(units: int, rows: IntArray) -> Figures:
            data, banks = table.addressed(rows)[:, number], table.state_banks(number, units, rows)
            found = np.zeros((ROWS, len(rows)))
            for own in np.unique(banks).tolist():
                found[:, banks == own] = sizes(own)(data[banks == own])
            return found

        return BuiltMemory(self.touching(builder), partial(_units, self, builder), figures)


@dataclass(frozen=True, slots=True)
class Fifo(LocalMemory):
    """The FIFO of an array inside a pipeline of `tasks`.

    `data` are there at once at rates of these; None where the rates are refused.
    """

    kind: MemoryKind = FIFO
    tasks: tuple[str, ...] = ()
    data: Callable[[tuple[int, ...]], int | None] = lambda _: None

    def touching(self, builder: Builder) -> tuple[str, ...]:
        """The tasks of the pipeline."""
        del builder
        return self.tasks

    def organisation(self, builder: Builder, rates: Rates, sized: Sized) -> Organisation:
        """As wide as its wider end."""
        return builder.fifo(self.name, rates, sized.data)

    def figures(self, builder: Builder, known: dict[tuple[tuple[int, int], ...], int | None]) -> BuiltMemory:
        """By its data, `known` by units and occupancies of its tasks."""

        def figures(rates: Rates) -> tuple[float, ...]:
            data = known[tuple(rates[task] for task in self.tasks)]
            if data is None:
                return (0.0,) * ROWS
            return builder.figures(builder.fifo(self.name, rates, data), self.bits)

        return of_rates(self.tasks, figures)


@dataclass(frozen=True, slots=True)
class Resident(LocalMemory):
    """What a `task` has of an `array` that is on the chip in every frame, of kind ONCE or ROM; named TASK.ARRAY.

    What is live of such arrays, and what their addresses take, is counted beside all groups.
    """

    task: str = ""
    array: str = ""

    @staticmethod
    def all_of(builder: Builder) -> tuple[Resident, ...]:
        """Those of the tasks of a group."""
        kinds = builder.ports.group.accesses.residents
        return tuple(
            Resident(f"{task}.{array}", builder.bits(array), kind=kinds[array], task=task, array=array)
            for task, array in builder.residents
        )

    @staticmethod
    def internal_of(builder: Builder | None) -> list[tuple[int, int]]:
        """The data of each of those of a group that count as internal memory, and the bits of one datum.

        That is the least that they take as they are built; nothing without a technology.
        """
        if builder is None:
            return []
        size = builder.ports.group.accesses.size
        return [(size(own.array), own.bits) for own in Resident.all_of(builder) if own.kind.is_internal]

    def touching(self, builder: Builder) -> tuple[str, ...]:
        """The task."""
        del builder
        return (self.task,)

    def organisation(self, builder: Builder, rates: Rates, sized: Sized) -> Organisation:
        """By the ports that the task reads it through."""
        del sized
        return builder.resident(self.task, self.array, rates)

    def figures(self, builder: Builder) -> BuiltMemory:
        """The same in all structures; of ROMs those of internal memory are 0."""

        def figures(rates: Rates) -> tuple[float, ...]:
            own = builder.figures(builder.resident(self.task, self.array, rates), self.bits)
            return own if self.kind.is_internal else (0, 0, *own[2:])

        return of_rates((self.task,), figures)


def memory_blocks(platform: Platform, memories: Sequence[LocalMemory], words: IntArray) -> IntArray:
    """The blocks of memories of so many words, (..., memories), each in its banks; 0 on a platform without blocks."""
    if platform.local.block_bits is None:
        return np.zeros_like(words)
    bits, banks = (np.array(own, np.int64) for own in zip(*((one.bits, one.banks) for one in memories), strict=True))
    return block_count(words, bits, banks, platform.local.block_bits)


def _needs(number: int, buffer: BufferFigures, kind: Kind, rows: IntArray) -> Iterator[Wanted]:
    """The depths that figures of a kind of buffer depend on in some structures."""
    return ((number, function, some) for function, some in buffer.needs(kind, rows))


def _units(state: DelayState, builder: Builder, rates: Rates) -> int:
    """The units of the task that has a delay."""
    (task,) = state.touching(builder)
    return rates[task][0]
