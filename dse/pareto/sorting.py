"""Pareto fronts by moocore, which loads only when asked."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dse.pareto.counted import Points


def non_dominated(points: Points) -> NDArray[np.intp]:
    """Rows of the Pareto front, ascending; equal points stay together."""
    import moocore  # type: ignore[import-untyped]  # noqa: PLC0415

    if not len(points):
        return np.zeros(0, dtype=np.intp)
    # Dominance sees only the order along each objective, and small ranks are exact as floats.
    return np.flatnonzero(moocore.is_nondominated(_ranks(points).astype(np.float64), keep_weakly=True))


def _ranks(points: Points) -> NDArray[np.intp]:
    columns = [np.unique(column, return_inverse=True)[1].reshape(-1) for column in points.T]
    return np.stack(columns, axis=1)
