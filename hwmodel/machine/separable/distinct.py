"""Distinct rows of tables of integers, and rows of one table in another."""

from __future__ import annotations

import numpy as np

from hwmodel.machine.separable.axes import Ints

_FACTORS = np.random.default_rng(1).integers(1, 1 << 62, 256) | 1


def distinct_rows(table: Ints) -> tuple[Ints, Ints]:
    """One number of each distinct row of a table (n, columns), and for each row which of them it equals.

    Rows are told apart by a sum modulo 2^64; where two that differ have the same, all are sorted instead.
    """
    first, kind = _distinct(table @ np.resize(_FACTORS, table.shape[1]))
    if (table[first[kind]] == table).all():
        return first, kind
    _, first, kind = np.unique(table, axis=0, return_index=True, return_inverse=True)
    return first, kind.ravel()


def places_of(rows: Ints, table: Ints) -> Ints | None:
    """Where each of some rows (n, columns) stands in a table of distinct ones; None where one does not."""
    places = {row.tobytes(): place for place, row in enumerate(np.ascontiguousarray(table))}
    found = [places.get(row.tobytes(), -1) for row in np.ascontiguousarray(rows)]
    return np.array(found, np.intp) if -1 not in found else None


def _distinct(key: Ints) -> tuple[Ints, Ints]:
    """The first place of each distinct key (n,), ascending by key, and for each key which of them it is."""
    order = key.argsort(kind="stable")
    ascending = key[order]
    heads = np.ones(len(key), np.bool_)
    np.not_equal(ascending[1:], ascending[:-1], out=heads[1:])
    kind = np.empty(len(key), np.intp)
    kind[order] = np.cumsum(heads) - 1
    return order[heads], kind
