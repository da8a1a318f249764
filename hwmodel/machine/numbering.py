"""Distinct numbers of many, by a table of all that they may be where that is small, else by a sort."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_TIMES = 4  # as large as the numbers are many the table may be


def distinct(numbers: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    """The distinct ones of some numbers from 0 to below `most`, ascending."""
    if most > _TIMES * len(numbers):
        return ascending(numbers)
    return np.flatnonzero(_there(numbers, most))


def ascending(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """The distinct ones of any numbers, ascending. `np.unique` alone hashes, which takes ten times as long of many."""
    found = np.sort(numbers, axis=None)
    heads = np.ones(len(found), np.bool_)
    np.not_equal(found[1:], found[:-1], out=heads[1:])
    return found[heads]


def numbered(numbers: NDArray[np.int64], most: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The same, and for each number which of them it is."""
    if most > _TIMES * len(numbers):
        found = ascending(numbers)
        return found, np.searchsorted(found, numbers)
    there = _there(numbers, most)
    return np.flatnonzero(there), (np.cumsum(there) - 1)[numbers]


def _there(numbers: NDArray[np.int64], most: int) -> NDArray[np.bool_]:
    there = np.zeros(most, np.bool_)
    there[numbers] = True
    return there
