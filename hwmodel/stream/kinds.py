"""Equal rows of a table of small numbers, such as reads that differ only in their repetition."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from arrayol.arrays import IntArray


def by_kind(*columns: IntArray) -> Iterator[tuple[tuple[int, ...], IntArray]]:
    """Each distinct row of a table, given as columns of small numbers from 0 on, and at which row numbers it stands.

    All in ascending order.
    """
    if not len(columns[0]):
        return
    code, sizes = np.zeros(len(columns[0]), np.int64), [int(column.max()) + 1 for column in columns]
    for column, size in zip(columns, sizes, strict=True):
        code = code * size + column
    codes = np.flatnonzero(np.bincount(code))
    for number in codes.tolist():
        rest, kind = number, list[int]()
        for size in reversed(sizes):
            rest, own = divmod(rest, size)
            kind.append(own)
        places = np.arange(len(code)) if len(codes) == 1 else np.flatnonzero(code == number)
        yield tuple(reversed(kind)), places
