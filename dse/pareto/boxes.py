"""Some points that stand for a front: one of each box of a grid on logarithmic axes."""

from __future__ import annotations

from bisect import bisect_left

import numpy as np

from arrayol.arrays import IntArray
from dse.pareto.fronts import Rows
from hwmodel.cost_model.numbering import distinct_rows

_FINEST = 2.0**-12  # side of a box, of logarithms to base 2,
_HALVINGS = 18  # and how often it is doubled until all is in one


def box_rows(values: IntArray, most: int) -> Rows:
    """Some rows of a front (n, figures): one of each box of a grid on logarithmic axes, and the best of each figure.

    The grid is the finest of those tried, each twice as coarse as the one before, with at most `most` boxes.
    """
    if len(values) <= most:
        return np.arange(len(values))
    boxes = np.floor(np.log2(np.maximum(values, 1)) / _FINEST).astype(np.int64)
    enough = bisect_left(range(_HALVINGS), True, key=lambda times: len(distinct_rows(boxes >> times)[0]) <= most)
    return np.unique(np.concatenate([distinct_rows(boxes >> enough)[0], values.argmin(axis=0)]))
