"""What a pipeline (tasks joined by FIFOs; mostly one) does in each step under combinations of its own rates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arrayol.errors import ArrayolError
from hwmodel.design import units_of
from hwmodel.machine.estimate import MemoryUse
from hwmodel.machine.group import Elements
from hwmodel.machine.memories import fifo_memories
from hwmodel.machine.plan import Plan
from hwmodel.machine.schedule.processors import Pipeline


@dataclass(frozen=True, eq=False)
class Variants:
    """What a pipeline of `tasks` does under each of V combinations of its own rates, those ascending (V, tasks).

    `cycles` (V, steps) of the whole pipeline, `folded` (V, ticks) where frames follow each other; `of` (U,) says which
    variant each combination of the group has.
    """

    tasks: Pipeline
    rates: Elements
    cycles: Elements
    folded: Elements
    of: Elements
    legal: NDArray[np.bool_]
    fifos: tuple[tuple[MemoryUse, ...], ...]


def variants_of(plan: Plan, pipeline: Pipeline, rates: Elements) -> Variants:
    """The variants of a pipeline in combinations of its rates (U, tasks of the pipeline)."""
    distinct, of = np.unique(rates, axis=0, return_inverse=True)
    most = np.array([plan.processors.most[task] or np.iinfo(np.int64).max for task in pipeline])
    legal = most >= units_of(distinct)
    legal = np.asarray(legal.all(axis=1))
    cycles = np.zeros((len(distinct), plan.steps), np.int64)
    folded = np.zeros((len(distinct), plan.ticks), np.int64)
    fifos: list[tuple[MemoryUse, ...]] = [()] * len(distinct)
    inner = tuple(array for array, data in plan.fifos.items() if {data.source, data.target} <= set(pipeline))
    for number in np.flatnonzero(legal).tolist():
        busy = plan.processors.busy(pipeline, tuple(distinct[number].tolist()))
        cycles[number] = np.max([work.cycles for work in busy.values()], axis=0)
        folded[number] = plan.folded(cycles[number])
        try:
            plan.require_order(busy, inner)
        except ArrayolError:
            legal[number] = False
            continue
        fifos[number] = fifo_memories(plan, busy, inner)
    return Variants(pipeline, distinct, cycles, folded, of.ravel(), legal, tuple(fifos))
