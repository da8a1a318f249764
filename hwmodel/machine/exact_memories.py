"""What the memories of one structure are built of at many rates, by the exact path (docs/machine.md, section 13)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial

import numpy as np

from hwmodel.local_memory.bank_functions import BankFunction
from hwmodel.machine.access_counts import Counts
from hwmodel.machine.built.buffer_figures import BufferFigures
from hwmodel.machine.built.figures import ROWS, BuiltMemories, BuiltMemory, of_rates, rates_at
from hwmodel.machine.built.local_ports import Rates
from hwmodel.machine.built.organised import Builder
from hwmodel.machine.energy import PlanEnergy, energy_prices
from hwmodel.machine.estimate import MemoryKind, MemoryUse
from hwmodel.machine.group import Elements
from hwmodel.machine.group_plan import GroupPlan
from hwmodel.machine.pipeline_variants import Variants
from hwmodel.machine.priced import PricedMemories
from hwmodel.machine.schedule.processors import Pipeline

_FifoUses = dict[tuple[tuple[int, int], ...], MemoryUse]  # by units and occupancies of a pipeline's tasks


def built_memories(
    plan: GroupPlan, tasks: tuple[str, ...], variants: Sequence[Variants], rates: Elements, kept: Sequence[MemoryUse]
) -> PricedMemories | None:
    """The memories as they are built at combinations of rates (U, tasks); None without a technology."""
    builder = plan.builder
    if builder is None:
        return None
    paths, kinds, row = plan.processors.paths, builder.terms.kinds, np.zeros(1, np.int64)

    @cache
    def built() -> BuiltMemories:
        memories = _built_memories(plan, builder, variants, kept)
        return BuiltMemories(paths, tasks, rates[None, :, :], row, memories, kinds.cost_names)

    return PricedMemories(
        lambda *designs: built().figures(*designs),
        lambda *designs: built().least(*designs),
        kinds.cost_names,
        kinds.has_blocks,
    )


def _built_memories(
    plan: GroupPlan, builder: Builder, variants: Sequence[Variants], kept: Sequence[MemoryUse]
) -> list[BuiltMemory]:
    accesses, found = _accesses(plan), list[BuiltMemory]()
    for use in kept:
        touching, moved = builder.touching(use.kind, use.name), accesses(use.kind, use.name)
        if use.kind == "buffer":
            buffer = _buffer(plan, builder, use)
            found.append(BuiltMemory(touching, buffer.kind, buffer.figures, moved, buffer.least))
        else:
            found.append(of_rates(touching, partial(_state, builder, use), moved))
    for own in variants:
        for array, uses in _fifos_at_rates(plan, own).items():
            found.append(of_rates(own.tasks, partial(_fifo, builder, own.tasks, uses), accesses("fifo", array)))
    for task, array in builder.residents:
        moved = accesses(builder.resident_kind(array), f"{task}.{array}")
        found.append(of_rates((task,), partial(builder.figures_of_resident, task, array), moved))
    return found


def _buffer(plan: GroupPlan, builder: Builder, use: MemoryUse) -> BufferFigures:
    """A buffer of the one structure."""

    def same(words: int) -> Callable[[Elements], Elements]:
        return lambda rows: np.full(len(rows), words)

    def depths(function: BankFunction, rows: Elements) -> Elements:
        return np.full(len(rows), plan.depth(use.name, function))

    return BufferFigures(builder, use.name, 1, same(use.addressed), same(use.live), depths)


def _state(builder: Builder, use: MemoryUse, rates: Rates) -> tuple[float, ...]:
    ((units, _),) = rates.values()
    return builder.figures(builder.state(use.name, units, use.addressed), use.width)


def _fifos_at_rates(plan: GroupPlan, variants: Variants) -> dict[str, _FifoUses]:
    """The FIFOs inside a pipeline by array, and by units and occupancies of its tasks where those are legal."""
    found: dict[str, _FifoUses] = {}
    for row, uses in zip(variants.rates.tolist(), variants.fifos, strict=True):
        rates = rates_at(plan.processors.paths, dict(zip(variants.tasks, row, strict=True)))
        for use in uses:
            found.setdefault(use.name, {})[tuple(rates.values())] = use
    return found


def _fifo(builder: Builder, pipeline: Pipeline, uses: _FifoUses, rates: Rates) -> tuple[float, ...]:
    use = uses.get(tuple(rates[task] for task in pipeline))
    return (0.0,) * ROWS if use is None else builder.figures(builder.fifo(use.name, rates, use.live), use.width)


def _accesses(plan: GroupPlan) -> Callable[[MemoryKind, str], tuple[Elements, Elements]]:
    """What says how many data are read from a memory and written to it, (1,) each; 0 where nobody asks for energies."""
    prices = energy_prices(plan.platform, plan.group.network)
    counts = PlanEnergy.of(plan, prices).counts if prices is not None else Counts()
    return lambda kind, name: (np.array([counts[kind, name, False]]), np.array([counts[kind, name, True]]))
