"""Whether a front has settled: of a search that gains little more, what it would still spend is better saved."""

from __future__ import annotations

from collections.abc import Sequence

from arrayol.arrays import IntArray
from dse.pareto.hypervolume import share_of

LEAST = 0.06  # of the budget, before which no front has: coarse rounds may stand still for a while
SINCE = 2 / 3  # of the work: what came later has gained
GAIN = 0.01  # of the hypervolume at most

Look = tuple[float, IntArray]  # seconds of work, and the front's objectives then, of shape (points, objectives)


def has_settled(looks: Sequence[Look], budget: float) -> bool:
    """Whether the last third of the work has hardly raised the hypervolume, by looks in ascending order of work.

    Never before a share of the `budget`, in seconds of work.
    """
    if not looks or looks[-1][0] < LEAST * budget:
        return False
    spent, front = looks[-1]
    before = next((values for at, values in reversed(looks) if at <= SINCE * spent), None)
    return before is not None and share_of(before, front) >= 1 - GAIN
