"""Distinct numbers: by a table of all possible values if that is small, else by sorting."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

_TIMES = 4  # as large as the numbers are many the table may be


def distinct(numbers: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    """The distinct numbers among some from 0 to below `most`, ascending."""
    return NumberTable.among([numbers], most, len(numbers)).distinct


def ascending(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """The distinct numbers among any, ascending; faster than `np.unique`, which hashes many numbers first.

    Equal neighbours are dropped first: often that is all, and the remaining numbers are sorted or nearly so.
    """
    distinct = _changes(numbers.ravel())
    if bool((distinct[1:] > distinct[:-1]).all()):
        return distinct
    return _changes(np.sort(distinct))


def _changes(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """The numbers that differ from the one before."""
    heads = np.ones(len(numbers), np.bool_)
    np.not_equal(numbers[1:], numbers[:-1], out=heads[1:])
    return numbers[heads]


def narrow(numbers: NDArray[np.int64], most: int) -> NDArray[np.signedinteger[Any]]:
    """Numbers from 0 to below `most` in few bytes, for storage; they are widened before any computation."""
    return numbers.astype(_narrowest(most))


def _narrowest(most: int) -> type[np.int32] | type[np.int64]:
    return np.int32 if most <= np.iinfo(np.int32).max else np.int64


def numbered(numbers: NDArray[np.int64], most: int) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
    """The distinct numbers among some from 0 to below `most`, and the index of each number among them."""
    numbers_of = NumberTable.among([numbers], most, len(numbers))
    return numbers_of.distinct, numbers_of.of(numbers)


@dataclass(frozen=True, eq=False)
class NumberTable:
    """The `distinct` numbers among many and, if it is small, a table from number to index."""

    distinct: NDArray[np.int64]
    table: NDArray[np.signedinteger[Any]] | None

    @staticmethod
    def among(parts: Iterable[NDArray[np.int64]], most: int, number: int) -> NumberTable:
        """The distinct numbers among `number` ones from 0 to below `most`, given in parts."""
        if most > _TIMES * number:
            return NumberTable(ascending(np.concatenate([np.zeros(0, np.int64), *map(ascending, parts)])), None)
        there = np.zeros(most, np.bool_)
        for part in parts:
            there[part] = True
        table: NDArray[np.signedinteger[Any]] = np.cumsum(there, dtype=_narrowest(most))
        table -= 1
        return NumberTable(np.flatnonzero(there), table)

    def of(self, numbers: NDArray[np.int64]) -> NDArray[np.intp]:
        """The index of each number among the distinct ones."""
        if self.table is None:
            return np.searchsorted(self.distinct, numbers)
        return self.table[numbers].astype(np.intp)
