"""Integers in arrays: distinct numbers and rows, numbered by a table or by sorting, and the range that 64 bits hold."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import IntArray
from arrayol.errors import ArrayolError, error
from arrayol.text import rounded

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


_FACTORS = np.random.default_rng(1).integers(1, 1 << 62, 256) | 1


def distinct_rows(table: IntArray) -> tuple[IntArray, IntArray]:
    """The distinct rows of a table (n, columns): the index of one row of each, and for each row its number among them.

    Rows are compared by a hash (a sum modulo 2^64). On a collision the rows are sorted instead, so the result is exact.
    """
    first, kind = _distinct(table @ np.resize(_FACTORS, table.shape[1]))
    if (table[first[kind]] == table).all():
        return first, kind
    _, first, kind = np.unique(table, axis=0, return_index=True, return_inverse=True)
    return first, kind.ravel()


def places_of(rows: IntArray, table: IntArray) -> IntArray | None:
    """The index of each of some rows (n, columns) in a table of distinct rows; None if one is missing."""
    places = {row.tobytes(): place for place, row in enumerate(np.ascontiguousarray(table))}
    index = [places.get(row.tobytes(), -1) for row in np.ascontiguousarray(rows)]
    return np.array(index, np.intp) if -1 not in index else None


def _distinct(key: IntArray) -> tuple[IntArray, IntArray]:
    """The first index of each distinct key (n,), ascending by key, and for each key its number among them."""
    order = key.argsort(kind="stable")
    ascending = key[order]
    heads = np.ones(len(key), np.bool_)
    np.not_equal(ascending[1:], ascending[:-1], out=heads[1:])
    kind = np.empty(len(key), np.intp)
    kind[order] = np.cumsum(heads) - 1
    return order[heads], kind


LIMIT = 1 << 62  # half of what 64 bits hold
EXACT_LIMIT = 1 << 50  # of what is a float on its way: all its units are told apart
SMALLER = "make arrays and repetitions smaller, as by --set"


def too_large(what: str, hint: str, limit: int = LIMIT) -> ArrayolError:
    """The error `figure-too-large`."""
    message = f"{what}; the machine model is exact below 2^{limit.bit_length() - 1}, {rounded(limit)}"
    return error("figure-too-large", message, hint=hint)


def require_numbers(*factors: int) -> None:
    """Raises ArrayolError (`figure-too-large`) if so many combinations cannot be numbered in 64 bits."""
    if math.prod(factors) >= LIMIT:
        shown = " x ".join(rounded(factor) for factor in factors)
        raise too_large(f"the model would tell {shown} accesses apart", SMALLER)


def require_energy(femtojoules: float) -> None:
    """Raises ArrayolError (`figure-too-large`) for an energy that 64 bits do not hold."""
    if femtojoules >= LIMIT:
        raise too_large(f"energy may come to {rounded(int(femtojoules))} fJ per frame", SMALLER)
