"""What a pipeline (tasks joined by FIFOs; mostly one) does in each step under combinations of its own rates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arrayol.errors import ArrayolError
from hwmodel.design import units_of
from hwmodel.machine.estimate import MemoryUse
from hwmodel.machine.group import Elements
from hwmodel.machine.group_plan import KindsOfSteps
from hwmodel.machine.memories import fifo_memories
from hwmodel.machine.schedule.processors import Pipeline


@dataclass(frozen=True, eq=False)
class Variants:
    """What a pipeline of `tasks` does under each of V combinations of its own rates, those ascending (V, tasks).

    `cycles` (V, kinds) of the whole pipeline in each kind of its steps; `of` (U,) says which variant each combination
    of the group has.
    """

    tasks: Pipeline
    rates: Elements
    cycles: Elements
    of: Elements
    legal: NDArray[np.bool_]
    fifos: tuple[tuple[MemoryUse, ...], ...]


def variants_of(processors: KindsOfSteps, pipeline: Pipeline, rates: Elements) -> Variants:
    """The variants of a pipeline in combinations of its rates (U, tasks of the pipeline)."""
    distinct, of = np.unique(rates, axis=0, return_inverse=True)
    most = np.array([processors.most[task] or np.iinfo(np.int64).max for task in pipeline])
    legal = most >= units_of(distinct)
    legal = np.asarray(legal.all(axis=1))
    one_of_each = processors.one_of_each(pipeline)
    cycles = np.zeros((len(distinct), one_of_each.steps), np.int64)
    fifos: list[tuple[MemoryUse, ...]] = [()] * len(distinct)
    for number in np.flatnonzero(legal).tolist():
        busy = one_of_each.busy(pipeline, tuple(distinct[number].tolist()))
        cycles[number] = np.max([work.cycles for work in busy.values()], axis=0)
        try:
            one_of_each.require_order(busy, one_of_each.fifos)
        except ArrayolError:
            legal[number] = False
            continue
        fifos[number] = fifo_memories(one_of_each, busy, one_of_each.fifos)
    return Variants(pipeline, distinct, cycles, of.ravel(), legal, tuple(fifos))
