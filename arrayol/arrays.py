"""Types of arrays, named once, and the distinct rows of one."""

from __future__ import annotations

from math import prod

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

_MOST_NUMBERS = 1 << 62  # of places in a box


def distinct_rows(rows: IntArray) -> IntArray:
    """The distinct rows of a table (n, columns), in lexicographic order."""
    if not rows.size:
        return rows[:1]
    low, extents = rows.min(axis=0), [int(length) + 1 for length in np.ptp(rows, axis=0)]
    if prod(extents) < _MOST_NUMBERS:  # one number for each row, in a box around all: they sort faster
        numbers = np.sort(np.ravel_multi_index(tuple((rows - low).T), extents), kind="stable")
        numbers = numbers[np.diff(numbers, prepend=-1) > 0]
        restored: IntArray = np.stack(np.unravel_index(numbers, extents), axis=1) + low
        return restored
    ordered = rows[np.lexsort(rows.T[::-1])]  # much faster than `np.unique` along an axis, which compares bytes
    fresh = np.concatenate([[True], (ordered[1:] != ordered[:-1]).any(axis=1)])
    distinct: IntArray = ordered[fresh]
    return distinct
