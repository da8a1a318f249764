"""One structure under many combinations of units, by the exact path."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from arrayol.errors import ArrayolError
from hwmodel.access import Accesses
from hwmodel.design import GroupDesign
from hwmodel.machine.estimate import MemoryUse
from hwmodel.machine.group import Elements
from hwmodel.machine.memories import fifo_memories, kept_memories
from hwmodel.machine.plan import Plan, plan_group
from hwmodel.machine.port import PortCycles
from hwmodel.machine.priced import Figures, Priced, unit_figures
from hwmodel.machine.processors import Pipeline
from hwmodel.platform import Platform

_CELLS = 1 << 22  # of intermediate arrays at a time


@dataclass(frozen=True, eq=False)
class _Variants:
    """What a pipeline does under each of V combinations of its own units.

    `cycles` (V, steps) of the whole pipeline; `of` (U,) says which variant each combination of the group has.
    """

    cycles: Elements
    folded: Elements
    of: Elements
    legal: NDArray[np.bool_]
    fifos: tuple[tuple[MemoryUse, ...], ...]


def price_structure(accesses: Accesses, platform: Platform, structure: GroupDesign, units: Elements) -> Priced:
    """The figures of one structure under combinations of units (U, tasks), tasks as in the structure.

    Raises ArrayolError for what docs/machine.md, section 6, refuses whatever the units.
    """
    plain = tuple(replace(processor, units=1) for processor in structure.processors)
    plan = plan_group(accesses, platform, replace(structure, processors=plain))
    place = {processor.task: number for number, processor in enumerate(plain)}
    variants = [
        _variants(plan, pipeline, units[:, [place[task] for task in pipeline]])
        for pipeline in plan.processors.pipelines
    ]
    legal = np.logical_and.reduce([one.legal[one.of] for one in variants])
    kept = kept_memories(plan)

    def memory(size: Callable[[MemoryUse], int]) -> Figures:
        found = np.full(len(units), sum(size(one) for one in kept))
        for pipeline in variants:
            found += np.array([sum(map(size, fifos)) for fifos in pipeline.fifos])[pipeline.of]
        return found[None, :]

    number, costs = unit_figures(accesses, platform, tuple(place), units)
    has_blocks = platform.local.block_bits is not None
    return Priced(
        legal=legal[None, :],
        latency_cycles=_sums(plan.port, [(one.cycles, one.of) for one in variants], len(units))[None, :],
        internal_memory_data=memory(lambda one: one.data),
        internal_memory_bits=memory(lambda one: one.bits),
        memory_blocks=memory(lambda one: one.blocks or 0) if has_blocks else None,
        traffic_bytes=np.full((1, 1), plan.traffic_bytes),
        units=number,
        costs=costs,
        frame=lambda: _sums(plan.folded_port, [(one.folded, one.of) for one in variants], len(units))[None, :],
    )


def _variants(plan: Plan, pipeline: Pipeline, units: Elements) -> _Variants:
    found, of = np.unique(units, axis=0, return_inverse=True)
    most = np.array([plan.processors.most[task] or np.iinfo(np.int64).max for task in pipeline])
    legal: NDArray[np.bool_] = np.asarray((found <= most).all(axis=1))
    cycles = np.zeros((len(found), plan.steps), np.int64)
    folded = np.zeros((len(found), plan.ticks), np.int64)
    fifos: list[tuple[MemoryUse, ...]] = [()] * len(found)
    inner = tuple(array for array, data in plan.fifos.items() if data.source in pipeline)
    for number in np.flatnonzero(legal).tolist():
        busy = plan.processors.busy(pipeline, tuple(found[number].tolist()))
        cycles[number] = np.max([one.cycles for one in busy.values()], axis=0)
        folded[number] = plan.folded(cycles[number])
        try:
            plan.require_order(busy, inner)
        except ArrayolError:
            legal[number] = False
            continue
        fifos[number] = fifo_memories(plan, busy, inner)
    return _Variants(cycles, folded, of.ravel(), legal, tuple(fifos))


def _sums(port: PortCycles, variants: Sequence[tuple[Elements, Elements]], combinations: int) -> Elements:
    """For each combination the sum over steps of the longest of port and pipelines; equal steps are summed once."""
    rows = np.concatenate([port.cycles[None, :], *(cycles for cycles, _ in variants)])
    kinds, times = np.unique(rows, axis=1, return_counts=True)
    total = np.zeros(combinations, np.int64)
    chunk = max(1, _CELLS // max(1, kinds.shape[1]))
    for start in range(0, combinations, chunk):
        some = slice(start, start + chunk)
        longest = np.broadcast_to(kinds[0], (len(total[some]), kinds.shape[1]))
        first = 1
        for cycles, of in variants:
            longest = np.maximum(longest, kinds[first + of[some]])
            first += len(cycles)
        total[some] = longest @ times
    return total
