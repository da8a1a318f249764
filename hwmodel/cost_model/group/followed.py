"""When repetitions of a last task run that follow those of the leading one (docs/machine.md, section 2)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from arrayol.arrays import IntArray
from hwmodel.last_tasks import SharedLoop


def followed(places: IntArray, leading: Sequence[int], own: Sequence[int], shared: Sequence[SharedLoop]) -> IntArray:
    """For each repetition of a task the least of the places of those that it goes with, (sides, repetitions).

    `places` (sides, repetitions) are those of the leading task, whose extents are `leading`; those of the task are
    `own`. Along a dimension that they do not share, a repetition goes with every index.
    """
    grid = places.reshape(len(places), *leading)
    alone = tuple(1 + k for k in range(len(leading)) if k not in {loop.leading for loop in shared})
    grid = grid.min(axis=alone, keepdims=True)
    index: list[IntArray] = [np.zeros((1,) * len(own), np.int64) for _ in leading]
    for loop in shared:
        along = np.arange(own[loop.own]) * loop.pace.numerator // loop.pace.denominator
        shape = [extent if k == loop.own else 1 for k, extent in enumerate(own)]
        index[loop.leading] = np.minimum(along, leading[loop.leading] - 1).reshape(shape)
    found = grid[(slice(None), *index)] if leading else grid.reshape(len(places), *(1 for _ in own))
    return np.broadcast_to(found, (len(places), *own)).reshape(len(places), math.prod(own)).copy()
