"""Distinct rows of tables of integers, and rows of one table in another."""

from __future__ import annotations

import numpy as np

from arrayol.arrays import IntArray

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
