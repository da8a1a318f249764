"""Distinct numbers of many, by a table of all that they may be where that is small, else by a sort."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

_TIMES = 4  # as large as the numbers are many the table may be


def distinct(numbers: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    """The distinct ones of some numbers from 0 to below `most`, ascending."""
    return Numbers.among([numbers], most, len(numbers)).distinct


def ascending(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """The distinct ones of any numbers, ascending. `np.unique` alone hashes, which takes ten times as long of many.

    What stands side by side is told apart first: often that is all of it, and the rest is sorted, or nearly.
    """
    found = _changes(numbers.ravel())
    if bool((found[1:] > found[:-1]).all()):
        return found
    return _changes(np.sort(found))


def _changes(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Those that are not as the one before."""
    heads = np.ones(len(numbers), np.bool_)
    np.not_equal(numbers[1:], numbers[:-1], out=heads[1:])
    return numbers[heads]


def narrow(numbers: NDArray[np.int64], most: int) -> NDArray[np.signedinteger[Any]]:
    """Numbers from 0 to below `most` in few bytes, to be kept: before anything is computed of them they are widened."""
    return numbers.astype(_narrowest(most))


def _narrowest(most: int) -> type[np.int32] | type[np.int64]:
    return np.int32 if most <= np.iinfo(np.int32).max else np.int64


def numbered(numbers: NDArray[np.int64], most: int) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
    """The same, and for each number which of them it is."""
    found = Numbers.among([numbers], most, len(numbers))
    return found.distinct, found.of(numbers)


@dataclass(frozen=True, eq=False)
class Numbers:
    """The `distinct` ones of many numbers, and where there is one the table of which of them a number is."""

    distinct: NDArray[np.int64]
    table: NDArray[np.signedinteger[Any]] | None

    @staticmethod
    def among(parts: Iterable[NDArray[np.int64]], most: int, number: int) -> Numbers:
        """Those of `number` numbers from 0 to below `most`, given in parts."""
        if most > _TIMES * number:
            return Numbers(ascending(np.concatenate([np.zeros(0, np.int64), *map(ascending, parts)])), None)
        there = np.zeros(most, np.bool_)
        for part in parts:
            there[part] = True
        table: NDArray[np.signedinteger[Any]] = np.cumsum(there, dtype=_narrowest(most))
        table -= 1
        return Numbers(np.flatnonzero(there), table)

    def of(self, numbers: NDArray[np.int64]) -> NDArray[np.intp]:
        """Which of them each number is."""
        if self.table is None:
            return np.searchsorted(self.distinct, numbers)
        return self.table[numbers].astype(np.intp)
