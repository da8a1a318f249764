"""Pareto fronts by pymoo, which loads only when asked."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dse.pareto import Points


def non_dominated(points: Points) -> NDArray[np.intp]:
    """Rows of the Pareto front, ascending, by pymoo's non-dominated sorting; equal points stay together."""
    from pymoo.util.nds.non_dominated_sorting import (  # type: ignore[import-untyped]  # noqa: PLC0415
        NonDominatedSorting,
    )

    if not len(points):
        return np.zeros(0, dtype=np.intp)
    # Dominance sees only the order along each objective, and small ranks are exact as floats.
    ranks, place = np.unique(_ranks(points), axis=0, return_inverse=True)
    front = NonDominatedSorting().do(ranks.astype(np.float64), only_non_dominated_front=True)
    return np.flatnonzero(np.isin(place.reshape(-1), front))


def _ranks(points: Points) -> NDArray[np.intp]:
    columns = [np.unique(column, return_inverse=True)[1].reshape(-1) for column in points.T]
    return np.stack(columns, axis=1)
