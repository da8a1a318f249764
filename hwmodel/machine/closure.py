"""Needs closed under a task's delays: with repetition r also r - d (docs/machine.md, section 2)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from arrayol.ir.spec import Delay
from hwmodel.accesses import Extents

Grid = NDArray[np.int64]
Slices = tuple[slice, ...]


def closed(need: Grid, extents: Extents, delays: Sequence[Delay]) -> Grid:
    """The least tick among those of r, r + d, r + 2 d, ... for every repetition r, given by their row-major numbers."""
    if not delays:
        return need
    grid = need.reshape(extents).copy()
    while True:
        before = grid.copy()
        for delay in delays:
            _close_chains(grid, delay.vector)
        if len(delays) == 1 or np.array_equal(before, grid):
            return grid.ravel()


def _close_chains(grid: Grid, vector: tuple[int, ...]) -> None:
    """After the step of 2^k d every entry is the least of those up to (2^(k+1) - 1) d later."""
    step = vector
    while all(abs(part) < extent for part, extent in zip(step, grid.shape, strict=True)):
        source, target = shifted(step, grid.shape)
        grid[source] = np.minimum(grid[source], grid[target])
        step = tuple(2 * part for part in step)


def shifted(step: Sequence[int], extents: Sequence[int]) -> tuple[Slices, Slices]:
    """The box of the repetitions r - step and the box of the repetitions r, where both lie in the space."""
    early = tuple(slice(max(0, -part), extent - max(0, part)) for part, extent in zip(step, extents, strict=True))
    late = tuple(slice(max(0, part), extent - max(0, -part)) for part, extent in zip(step, extents, strict=True))
    return early, late


def closed_over_frames(
    need: Grid, extents: Extents, across: Sequence[Delay], within: Sequence[Delay], never: int, final: int
) -> Grid:
    """What only a later frame needs of this one, by delays that reach back a frame, is done at tick `final`."""
    if not across:
        return need
    grid = need.reshape(extents).copy()
    while True:
        before = grid.copy()
        for delay in across:
            step = [0 if extent == 1 else part for part, extent in zip(delay.vector, extents, strict=True)]
            early, late = shifted(step, extents)
            grid[early] = np.where((grid[late] != never) & (grid[early] == never), final, grid[early])
        grid = closed(grid.ravel(), extents, within).reshape(extents)
        if np.array_equal(before, grid):
            return grid.ravel()
