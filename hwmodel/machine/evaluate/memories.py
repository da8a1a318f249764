"""What the memories of structures take, by their tables: their addressed size, or what they are built of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial

import numpy as np

from arrayol.arrays import IntArray
from hwmodel.machine.built.figures import (
    BuiltMemories,
    BuiltMemory,
    distinct_rates,
    of_rates,
    rates_at,
)
from hwmodel.machine.built.organised import Builder
from hwmodel.machine.memory_kinds import KindName
from hwmodel.machine.priced import PricedMemories
from hwmodel.machine.tables.group_tables import GroupTables
from hwmodel.machine.tables.memories import BufferTable, Fifo


@dataclass(frozen=True, eq=False)
class MemoryFigures:
    """The figures of the memories of a table that no rate changes, and of resident arrays, each computed once."""

    builder: Builder
    buffers: BufferTable

    @cached_property
    def of_buffers(self) -> Sequence[BuiltMemory]:
        """Buffers and states, in the order of the table."""
        return [own.figures(self.builder, self.buffers, number) for number, own in enumerate(self.buffers.memories)]

    @cached_property
    def of_residents(self) -> Sequence[BuiltMemory]:
        """What each task has of resident arrays."""
        figures = self.builder.figures_of_resident
        return [of_rates((task,), partial(figures, task, array)) for task, array in self.builder.residents]


def built_memories(
    tables: GroupTables, known: MemoryFigures | None, combinations: IntArray, *, has_energy: bool
) -> PricedMemories | None:
    """The memories of structures as they are built, under combinations (1|S, U, tasks); None without a technology."""
    if known is None:
        return None
    kinds = known.builder.terms.kinds

    @cache
    def built() -> BuiltMemories:
        paths, tasks, builder = tables.steps.paths, tables.steps.tasks, known.builder
        fifos = [_built_fifo(tables, builder, fifo, combinations) for fifo in tables.fifos]
        memories = [*known.of_buffers, *fifos, *known.of_residents]
        accesses = [tables.accesses.of_memory(*own) for own in _names(tables, builder)] if has_energy else []
        rows, fetch = tables.rows, known.buffers.fetch
        return BuiltMemories(paths, tasks, combinations, rows, memories, kinds.cost_names, accesses, fetch)

    return PricedMemories(
        lambda *designs: built().figures(*designs),
        lambda *designs: built().least(*designs),
        kinds.cost_names,
        kinds.has_blocks,
    )


def _names(tables: GroupTables, builder: Builder) -> Iterator[tuple[KindName, str]]:
    """Kind and name of each memory: buffers, states, FIFOs, and of what each task has of resident arrays."""
    yield from ((memory.kind.name, memory.name) for memory in (*tables.buffers.memories, *tables.fifos))
    yield from ((builder.resident_kind(array), f"{task}.{array}") for task, array in builder.residents)


def _built_fifo(tables: GroupTables, builder: Builder, fifo: Fifo, combinations: IntArray) -> BuiltMemory:
    paths, known = tables.steps.paths, dict[tuple[tuple[int, int], ...], int | None]()
    for row in _rates_of(tables, fifo, combinations)[0].tolist():
        own = rates_at(paths, dict(zip(fifo.tasks, row, strict=True)))
        known[tuple(own.values())] = fifo.data(tuple(row))
    return fifo.figures(builder, known)


def fifo_data(tables: GroupTables, fifo: Fifo, combinations: IntArray) -> IntArray:
    """The data that are in a FIFO at once under combinations of rates, (1, U) or (S, U)."""
    rates, of = _rates_of(tables, fifo, combinations)
    data: IntArray = np.array([fifo.data(tuple(row)) or 0 for row in rates.tolist()], np.int64)[of]
    return data


def _rates_of(tables: GroupTables, fifo: Fifo, combinations: IntArray) -> tuple[IntArray, IntArray]:
    """The rates of a FIFO's tasks that differ, and which of them each combination has."""
    return distinct_rates(combinations[:, :, [tables.steps.tasks.index(task) for task in fifo.tasks]])
