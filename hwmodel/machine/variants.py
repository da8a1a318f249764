"""What pipelines do under combinations of their own units, and how long steps are under those of all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arrayol.errors import ArrayolError
from hwmodel.machine.estimate import MemoryUse
from hwmodel.machine.group import Elements
from hwmodel.machine.memories import fifo_memories
from hwmodel.machine.plan import Plan
from hwmodel.machine.port import PortCycles
from hwmodel.machine.processors import Pipeline

_CELLS = 1 << 22  # of intermediate arrays at a time


@dataclass(frozen=True, eq=False)
class Variants:
    """What a pipeline does under each of V combinations of its own units, those ascending (V, tasks of the pipeline).

    `cycles` (V, steps) of the whole pipeline, `folded` (V, ticks) where frames follow each other; `of` (U,) says which
    variant each combination of the group has.
    """

    units: Elements
    cycles: Elements
    folded: Elements
    of: Elements
    legal: NDArray[np.bool_]
    fifos: tuple[tuple[MemoryUse, ...], ...]


def variants_of(plan: Plan, pipeline: Pipeline, units: Elements) -> Variants:
    """The variants of a pipeline in combinations of its units (U, tasks of the pipeline)."""
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
    return Variants(found, cycles, folded, of.ravel(), legal, tuple(fifos))


@dataclass(frozen=True, eq=False)
class StepTable:
    """Cycles of the port and of the variants of P pipelines in each kind of step, which occurs so many `times`.

    `port` (kinds,), `pipelines` (V, kinds) by pipeline.
    """

    port: Elements
    pipelines: tuple[Elements, ...]
    times: Elements

    @staticmethod
    def of(port: PortCycles, pipelines: Sequence[Elements]) -> StepTable:
        """Of the port in all steps, and pipelines (V, steps); steps that are equal under all variants are one kind."""
        rows = np.concatenate([port.cycles[None, :], *pipelines])
        kinds, times = np.unique(rows, axis=1, return_counts=True)
        ends = np.cumsum([1, *(len(cycles) for cycles in pipelines[:-1])])
        return StepTable(kinds[0], tuple(np.split(kinds[1:], ends[1:] - 1)), times)

    def sums(self, chosen: Sequence[Elements]) -> Elements:
        """For each combination of variants, `chosen` (U,) of each pipeline, the sum of all steps' lengths."""
        total = np.zeros(len(chosen[0]), np.int64)
        for some, longest in self.lengths(chosen):
            total[some] = longest @ self.times
        return total

    def lengths(self, chosen: Sequence[Elements]) -> Iterator[tuple[slice, Elements]]:
        """The same by kind of step (combinations, kinds), some combinations at a time."""
        count, chunk = len(chosen[0]), max(1, _CELLS // max(1, len(self.times)))
        for start in range(0, count, chunk):
            some = slice(start, min(count, start + chunk))
            longest = np.broadcast_to(self.port, (some.stop - start, len(self.port)))
            for cycles, of in zip(self.pipelines, chosen, strict=True):
                longest = np.maximum(longest, cycles[of[some]])
            yield some, longest
