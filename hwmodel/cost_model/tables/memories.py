"""The local memories of a group, a class for each kind: the tasks it depends on, its organisation and its figures."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import ClassVar, Protocol

import numpy as np

from arrayol.arrays import BoolArray, IntArray
from hwmodel.cost_model.estimate import block_count
from hwmodel.cost_model.memories.bank_figures import RowCache, SizeTable
from hwmodel.cost_model.memories.figures import ROWS, BuiltMemory, Figures, Wanted, of_rates
from hwmodel.cost_model.memories.local_ports import Rates
from hwmodel.cost_model.memories.organised import BufferFigures, Builder, Kind
from hwmodel.local_memory.bank_functions import BankFunction
from hwmodel.local_memory.organisations import Organisation, organise_bins
from hwmodel.memory_kinds import BINS, BUFFER, FIFO, STATE, LocalMemoryKind
from hwmodel.platform import Platform


class BufferTable(Protocol):
    """The buffers and delay states of structures; each row is computed when it is first read."""

    @property
    def memories(self) -> Sequence[TableMemory]:
        """The memories: buffers, then states."""

    @property
    def structures(self) -> int:
        """The number of structures."""

    @property
    def live(self) -> RowCache:
        """The live count of each memory, (S, memories)."""

    @property
    def addressed(self) -> RowCache:
        """The addressed size of each memory in one bank, in words, (S, memories)."""

    def depths(self, memory: int, function: BankFunction, rows: IntArray) -> IntArray:
        """The words of the deepest bank of a buffer in some structures (n,)."""

    def fetch(self, wanted: Iterable[Wanted]) -> None:
        """Compute depths that will be asked for next, if that takes less time together."""

    def are_listed(self, memory: int) -> BoolArray:
        """The structures in which a buffer takes its own time to compute, (S,)."""

    def state_banks(self, memory: int, units: int, rows: IntArray) -> IntArray:
        """Banks (n,) that separate the chains on which so many units work, in some structures."""


@dataclass(frozen=True, slots=True)
class Sized:
    """The size of a memory in one structure at some rates, in data.

    The memory is that of the `number` in a `table`, and the structure the one at the position `at` of `rows`, whose
    values are computed together.
    """

    data: int
    table: BufferTable
    number: int
    rows: IntArray
    at: int


@dataclass(frozen=True, slots=True)
class MemoryRow(ABC):
    """A local memory: name, bits of a datum, banks on a platform without kinds of memories, and kind."""

    name: str
    bits: int
    banks: int = 1
    kind: LocalMemoryKind = BUFFER

    @abstractmethod
    def touching(self, builder: Builder) -> tuple[str, ...]:
        """The tasks on whose rates the memory depends."""

    @abstractmethod
    def organisation(self, builder: Builder, rates: Rates, sized: Sized) -> Organisation:
        """The organisation of the memory in one structure, at rates of its tasks."""


class TableMemory(MemoryRow):
    """A memory whose size depends on no rate, so that a table of structures has a column for it."""

    asks_for_ports: ClassVar[bool] = False  # which may be more than something serves

    @abstractmethod
    def figures(self, builder: Builder, table: BufferTable, number: int) -> BuiltMemory:
        """The figures of the memory as built, in the structures of a table; `number` is its column."""


class BufferMemory(TableMemory):
    """The buffer of an array."""

    asks_for_ports: ClassVar[bool] = True

    def touching(self, builder: Builder) -> tuple[str, ...]:
        """The tasks that read or write the array."""
        return builder.ports.touching(self.name)

    def organisation(self, builder: Builder, rates: Rates, sized: Sized) -> Organisation:
        """The organisation for the ports of the buffer's tasks and the depths of its banks."""

        def depth(function: BankFunction) -> int:
            return int(sized.table.depths(sized.number, function, sized.rows)[sized.at])

        return builder.buffer(self.name, rates, sized.data, depth)

    def figures(self, builder: Builder, table: BufferTable, number: int) -> BuiltMemory:
        """The figures of the buffer from its words, live counts, and depths of banks."""
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

    kind: LocalMemoryKind = STATE

    def touching(self, builder: Builder) -> tuple[str, ...]:
        """The task that has the delay."""
        del builder
        return (self.name.rpartition(".")[0],)

    def organisation(self, builder: Builder, rates: Rates, sized: Sized) -> Organisation:
        """The organisation in banks that separate the chains of the units."""
        units, cycles = _rate(self, builder, rates)
        banks = sized.table.state_banks(sized.number, units, sized.rows)
        return builder.state(self.name, int(banks[sized.at]), sized.data, cycles)

    def figures(self, builder: Builder, table: BufferTable, number: int) -> BuiltMemory:
        """The figures of the state from its words and banks, which depend on the rate of the task."""

        @cache
        def sizes(banks: int, cycles: int) -> SizeTable:
            return SizeTable(lambda data: builder.figures(builder.state(self.name, banks, data, cycles), self.bits))

        def figures(rate: tuple[int, int], rows: IntArray) -> Figures:
            units, cycles = rate
            data, banks = table.addressed(rows)[:, number], table.state_banks(number, units, rows)
            all_figures = np.zeros((ROWS, len(rows)))
            for bank_count in np.unique(banks).tolist():
                all_figures[:, banks == bank_count] = sizes(bank_count, cycles)(data[banks == bank_count])
            return all_figures

        return BuiltMemory(self.touching(builder), partial(_rate, self, builder), figures)


@dataclass(frozen=True, slots=True)
class FifoMemory(MemoryRow):
    """The FIFO of an array inside a pipeline of `tasks`.

    `data` gives the largest number of data in it at rates of the tasks; None for rates that are refused.
    """

    kind: LocalMemoryKind = FIFO
    tasks: tuple[str, ...] = ()
    data: Callable[[tuple[int, ...]], int | None] = lambda _: None

    def touching(self, builder: Builder) -> tuple[str, ...]:
        """The tasks of the pipeline."""
        del builder
        return self.tasks

    def organisation(self, builder: Builder, rates: Rates, sized: Sized) -> Organisation:
        """The organisation as a bank that is as wide as the FIFO's wider end."""
        return builder.fifo(self.name, rates, sized.data)

    def figures(self, builder: Builder, known: dict[tuple[tuple[int, int], ...], int | None]) -> BuiltMemory:
        """The figures of the FIFO from its data, which are `known` by units and occupancies of its tasks."""

        def figures(rates: Rates) -> tuple[float, ...]:
            data = known[tuple(rates[task] for task in self.tasks)]
            if data is None:
                return (0.0,) * ROWS
            return builder.figures(builder.fifo(self.name, rates, data), self.bits)

        return of_rates(self.tasks, figures)


@dataclass(frozen=True, slots=True)
class TaskMemory(MemoryRow):
    """A memory that only a `task` has, and of which no structure of its group decides; named TASK.NAME."""

    task: str = ""

    @staticmethod
    def all_of(builder: Builder) -> tuple[TaskMemory, ...]:
        """The memories of all tasks of a group: of resident arrays, and those in units."""
        kinds = builder.ports.group.accesses.residents
        return (
            *(
                Resident(f"{task}.{array}", builder.bits(array), kind=kinds[array], task=task, array=array)
                for task, array in builder.residents
            ),
            *(
                BinsMemory(f"{task}.{bins.port}", bins.bits, kind=BINS, task=task, words=bins.words)
                for task in builder.ports.group.tasks
                for bins in builder.bins(task)
            ),
        )

    @staticmethod
    def internal_of(builder: Builder | None) -> list[tuple[int, int]]:
        """The data and the bits of a datum of a group's memories of tasks that count as internal memory.

        This is a lower bound of them as built; empty without a technology.
        """
        if builder is None:
            return []
        return [(own.least_data(builder), own.bits) for own in TaskMemory.all_of(builder) if own.kind.is_internal]

    def touching(self, builder: Builder) -> tuple[str, ...]:
        """The task of the memory."""
        del builder
        return (self.task,)

    @abstractmethod
    def least_data(self, builder: Builder) -> int:
        """A lower bound of its data as built."""

    @abstractmethod
    def is_needed(self, builder: Builder, rates: Rates) -> bool:
        """Whether the task has it at these rates."""

    def figures(self, builder: Builder) -> BuiltMemory:
        """The figures, equal in all structures; internal memory is 0 for ROMs."""

        def figures(rates: Rates) -> tuple[float, ...]:
            if not self.is_needed(builder, rates):
                return (0.0,) * ROWS
            own = builder.figures(self.built(builder, rates), self.bits)
            return own if self.kind.is_internal else (0, 0, *own[2:])

        return of_rates((self.task,), figures)

    @abstractmethod
    def built(self, builder: Builder, rates: Rates) -> Organisation:
        """The organisation of the memory at rates of its task."""

    def organisation(self, builder: Builder, rates: Rates, sized: Sized) -> Organisation:
        """One organisation for all structures."""
        del sized
        return self.built(builder, rates)


@dataclass(frozen=True, slots=True)
class BinsMemory(TaskMemory):
    """The memories in the units of a task to whose `words` sums are added at subscripts that data decide."""

    words: int = 0

    def least_data(self, builder: Builder) -> int:
        """The words of one unit's two memories."""
        del builder
        return 2 * self.words

    def is_needed(self, builder: Builder, rates: Rates) -> bool:
        """Each unit has them."""
        del builder, rates
        return True

    def built(self, builder: Builder, rates: Rates) -> Organisation:
        """Two memories for each unit."""
        return organise_bins(rates[self.task][0], self.words, self.bits, builder.terms)


@dataclass(frozen=True, slots=True)
class Resident(TaskMemory):
    """The memory of a task for a resident `array`, of kind ONCE or ROM.

    The live count and addressed size of resident arrays are counted outside all groups.
    """

    array: str = ""

    def least_data(self, builder: Builder) -> int:
        """All elements of the array."""
        return builder.ports.group.accesses.size(self.array)

    def is_needed(self, builder: Builder, rates: Rates) -> bool:
        """Not where the elements are constants of the datapath."""
        return builder.needs_resident(self.task, self.array, rates)

    def built(self, builder: Builder, rates: Rates) -> Organisation:
        """The organisation for the ports through which the task reads the array."""
        return builder.resident(self.task, self.array, rates)


def memory_blocks(platform: Platform, memories: Sequence[MemoryRow], words: IntArray) -> IntArray:
    """The memory blocks of memories with so many words, (..., memories); 0 on a platform without blocks."""
    if platform.local.block_bits is None:
        return np.zeros_like(words)
    bits, banks = (np.array(own, np.int64) for own in zip(*((one.bits, one.banks) for one in memories), strict=True))
    return block_count(words, bits, banks, platform.local.block_bits)


def _needs(number: int, buffer: BufferFigures, kind: Kind, rows: IntArray) -> Iterator[Wanted]:
    """The bank depths on which the figures of a kind of buffer depend, in some structures."""
    return ((number, function, some) for function, some in buffer.needs(kind, rows))


def _rate(state: DelayState, builder: Builder, rates: Rates) -> tuple[int, int]:
    """The units of the task that has a delay, and its occupancy."""
    (task,) = state.touching(builder)
    return rates[task]
