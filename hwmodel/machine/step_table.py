"""The lengths of a planned group's steps under many variants of its pipelines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from hwmodel.machine.group import Elements
from hwmodel.machine.group_plan import GroupPlan
from hwmodel.machine.pipeline_variants import Variants
from hwmodel.machine.priced import LATENCY

_CELLS = 1 << 22  # of intermediate arrays at a time


@dataclass(frozen=True, eq=False)
class StepTable:
    """Cycles of the port and of the variants of P pipelines in each kind of step, which occurs so many `times`.

    `port` (kinds,), `pipelines` (V, kinds) by pipeline.
    """

    port: Elements
    pipelines: tuple[Elements, ...]
    times: Elements

    @staticmethod
    def of(plan: GroupPlan, variants: Sequence[Variants], time: str) -> StepTable:
        """The steps that a time is the sum of."""
        kinds = plan.step_kinds(tuple(own.tasks for own in variants), folded=time != LATENCY)
        pipelines = (own.cycles[:, kind] for own, kind in zip(variants, kinds.pipelines, strict=True))
        return StepTable(kinds.port.cycles, tuple(pipelines), kinds.times)

    def sums(self, chosen: Sequence[Elements]) -> Elements:
        """For each combination of variants, `chosen` (U,) of each pipeline, the sum of all steps' lengths."""
        total = np.zeros(len(chosen[0]), np.int64)
        for part, longest in self.lengths(chosen):
            total[part] = longest @ self.times
        return total

    def lengths(self, chosen: Sequence[Elements]) -> Iterator[tuple[slice, Elements]]:
        """The same by kind of step (combinations, kinds), some combinations at a time."""
        count, chunk = len(chosen[0]), max(1, _CELLS // max(1, len(self.times)))
        for start in range(0, count, chunk):
            part = slice(start, min(count, start + chunk))
            longest = np.broadcast_to(self.port, (part.stop - start, len(self.port)))
            for cycles, of in zip(self.pipelines, chosen, strict=True):
                longest = np.maximum(longest, cycles[of[part]])
            yield part, longest
