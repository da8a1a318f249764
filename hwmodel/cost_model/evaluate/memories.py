"""Sizes of the memories of structures from their tables: addressed sizes, or sizes as built."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from arrayol.arrays import IntArray
from hwmodel.cost_model.memories.figures import (
    BuiltMemories,
    BuiltMemory,
    distinct_rates,
)
from hwmodel.cost_model.memories.organised import Builder
from hwmodel.cost_model.metrics import EvaluatedMemories
from hwmodel.cost_model.tables.group_tables import GroupTables
from hwmodel.cost_model.tables.memories import BufferTable, FifoMemory, TaskMemory


@dataclass(frozen=True, eq=False)
class MemoryFigures:
    """The figures of a table's memories that no rate changes in size, and of those of tasks, computed once each."""

    builder: Builder
    buffers: BufferTable

    @cached_property
    def of_buffers(self) -> Sequence[BuiltMemory]:
        """The built figures of buffers and states, in the order of the table."""
        return [
            memory.figures(self.builder, self.buffers, number) for number, memory in enumerate(self.buffers.memories)
        ]

    @cached_property
    def of_tasks(self) -> Sequence[BuiltMemory]:
        """The built figures of the memories that single tasks have."""
        return [own.figures(self.builder) for own in TaskMemory.all_of(self.builder)]


def built_memories(
    tables: GroupTables, known: MemoryFigures | None, combinations: IntArray, *, has_energy: bool
) -> EvaluatedMemories | None:
    """The memories of structures as built, under combinations (1|S, U, tasks); None without a technology."""
    if known is None:
        return None
    kinds = known.builder.terms.kinds

    @cache
    def built() -> BuiltMemories:
        paths, tasks, builder = tables.steps.paths, tables.steps.tasks, known.builder
        fifos = [_built_fifo(tables, builder, fifo, combinations) for fifo in tables.fifos]
        memories = [*known.of_buffers, *fifos, *known.of_tasks]
        every = (*tables.buffers.memories, *tables.fifos, *TaskMemory.all_of(builder)) if has_energy else ()
        accesses = [tables.accesses.of_memory(memory.kind.name, memory.name) for memory in every]
        rows, fetch = tables.rows, known.buffers.fetch
        return BuiltMemories(paths, tasks, combinations, rows, memories, kinds.cost_names, accesses, fetch)

    return EvaluatedMemories(
        lambda *designs: built().figures(*designs),
        lambda *designs: built().least(*designs),
        kinds.cost_names,
        kinds.has_blocks,
    )


def resident_figures(tables: GroupTables, known: MemoryFigures | None, combinations: IntArray) -> IntArray:
    """The internal memory of resident arrays under combinations of rates (1|S, U, tasks).

    Data, bits and blocks, (3, 1, U) or (3, S, U). Zero without a technology, where resident arrays are counted outside
    all groups. Resident arrays hold their data through the whole frame, so groups that share memory (`--reuse-memory`)
    share only the other memories.
    """
    shape = combinations.shape[:2]
    if known is None:
        return np.zeros((3, *shape), np.int64)
    places, columns = (axis.ravel() for axis in np.indices(shape))
    every, paths, tasks = np.arange(len(combinations)), tables.steps.paths, tables.steps.tasks
    built = BuiltMemories(paths, tasks, combinations, every, known.of_tasks, ()).figures(places, columns)
    return np.stack([built.data, built.bits, built.blocks]).reshape(3, *shape)


def _built_fifo(tables: GroupTables, builder: Builder, fifo: FifoMemory, combinations: IntArray) -> BuiltMemory:
    """The built figures of a FIFO under combinations of rates."""
    paths, known = tables.steps.paths, dict[tuple[tuple[int, int], ...], int | None]()
    for row in _rates_of(tables, fifo, combinations)[0].tolist():
        path = paths.at_rates(dict(zip(fifo.tasks, row, strict=True)))
        known[tuple(path.values())] = fifo.data(tuple(row))
    return fifo.figures(builder, known)


def fifo_data(tables: GroupTables, fifo: FifoMemory, combinations: IntArray) -> IntArray:
    """The largest number of data in a FIFO under combinations of rates, (1, U) or (S, U)."""
    rates, of = _rates_of(tables, fifo, combinations)
    data: IntArray = np.array([fifo.data(tuple(row)) or 0 for row in rates.tolist()], np.int64)[of]
    return data


def _rates_of(tables: GroupTables, fifo: FifoMemory, combinations: IntArray) -> tuple[IntArray, IntArray]:
    """The distinct rates of a FIFO's tasks, and the index of each combination among them."""
    return distinct_rates(combinations[:, :, [tables.steps.tasks.index(task) for task in fifo.tasks]])
