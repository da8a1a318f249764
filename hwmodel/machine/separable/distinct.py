"""Distinct rows of tables of integers, and rows of one table in another."""

from __future__ import annotations

import numpy as np

from hwmodel.machine.separable.axes import Ints

_FACTORS = np.random.default_rng(1).integers(1, 1 << 62, 256) | 1


def distinct_rows(table: Ints) -> tuple[Ints, Ints]:
    """One number of each distinct row of a table (n, columns), and for each row which of them it equals.

    Rows are told apart by a sum modulo 2^64; where two that differ have the same, all are sorted instead.
    """
    key = table @ np.resize(_FACTORS, table.shape[1])
    _, first, kind = np.unique(key, return_index=True, return_inverse=True)
    if np.array_equal(table[first[kind]], table):
        return first, kind
    _, first, kind = np.unique(table, axis=0, return_index=True, return_inverse=True)
    return first, kind.ravel()


def places_of(rows: Ints, table: Ints) -> Ints | None:
    """Where each of some rows (n, columns) stands in a table of distinct ones; None where one does not."""
    places = {row.tobytes(): place for place, row in enumerate(np.ascontiguousarray(table))}
    found = [places.get(row.tobytes(), -1) for row in np.ascontiguousarray(rows)]
    return np.array(found, np.intp) if -1 not in found else None
