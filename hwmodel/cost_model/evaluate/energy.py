"""Energies of structures (docs/machine.md, section 12): the energy of one operation times the counts of the tables."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from arrayol.arrays import IntArray
from hwmodel.cost_model.energy import EnergyCosts, repetition_fj, with_residents
from hwmodel.cost_model.estimate import MemoryUse
from hwmodel.cost_model.evaluate.additive import port_bits
from hwmodel.cost_model.evaluate.memories import fifo_data
from hwmodel.cost_model.numbering import require_energy
from hwmodel.cost_model.tables.group_tables import GroupTables
from hwmodel.design import interval_of

Terms = Sequence[tuple[IntArray, IntArray]]  # numbers and prices


def outside_fj(tables: GroupTables, prices: EnergyCosts) -> IntArray:
    """The energy of the external memory in a frame, in fJ, (S, 1)."""
    external = np.array([prices.external])
    return _sum([(bits, external) for bits in port_bits(tables).values()], (tables.structures,))[:, None]


def datapaths_fj(tables: GroupTables, combinations: IntArray) -> IntArray:
    """The energy of the tasks' datapaths in a frame, in fJ, under combinations of rates (1|S, U, tasks): (1|S, U)."""
    runs, paths, terms = tables.accesses.runs, tables.steps.paths, []
    for place, task in enumerate(tables.steps.tasks):
        intervals, of = np.unique(interval_of(combinations[:, :, place]), return_inverse=True)
        each = np.array([sum(repetition_fj(paths.at(task, interval))) for interval in intervals.tolist()], np.int64)
        terms.append((runs[task][:, None], each[of.reshape(combinations.shape[:2])]))
    return _sum(terms, (max(len(combinations), *map(len, runs.values())), combinations.shape[1]))


def addressed_fj(tables: GroupTables, prices: EnergyCosts, combinations: IntArray) -> IntArray:
    """The energy of local memories in a frame, in fJ, on a platform without kinds of memories, (S, 1) or (S, U).

    Each memory has its addressed size.
    """
    words, terms = tables.buffers.addressed(tables.rows), []
    for number, memory in enumerate(tables.buffers.memories):
        sizes, of = np.unique(-(-words[:, number] // memory.banks) * memory.bits, return_inverse=True)
        each = np.array([prices.access(size, memory.bits) for size in sizes.tolist()], np.int64)[of.ravel()]
        terms += [(data, each) for data in tables.accesses.of_memory(memory.kind.name, memory.name)]
    for use in with_residents(tables.group.accesses, tables.platform, tables.group.tasks, ()):
        terms += _priced(tables, prices, use)
    total = _sum(terms, (tables.structures,))[:, None]
    for fifo in tables.fifos:
        there = fifo_data(tables, fifo, combinations)
        sizes, of = np.unique(there, return_inverse=True)
        each = np.array([prices.access(size * fifo.bits, fifo.bits) for size in sizes.tolist()], np.int64)
        own = each[of.reshape(there.shape)]
        total = total + _sum(
            [(data[:, None], own) for data in tables.accesses.of_memory(fifo.kind.name, fifo.name)], there.shape
        )
    return total


def _priced(tables: GroupTables, prices: EnergyCosts, use: MemoryUse) -> Terms:
    """Accesses to a memory that is the same in all structures, with the energy of one.

    A memory without accesses counts 0, since it may be too large to have an energy.
    """
    accesses = tables.accesses.of_memory(use.kind, use.name)
    each = np.array([prices.memory(use)[0] if any(map(np.any, accesses)) else 0])
    return [(data, each) for data in accesses]


def _sum(terms: Terms, shape: tuple[int, ...]) -> IntArray:
    """The sum of products, broadcast to a shape. Raises ArrayolError if 64 bits may not hold it."""
    require_energy(sum(float(number.max(initial=0)) * float(price.max(initial=0)) for number, price in terms))
    total = np.zeros(shape, np.int64)
    for number, price in terms:
        total += number * price
    return total
