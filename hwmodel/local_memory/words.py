"""The word of each datum of a buffer, by element and step: frozen values that a design carries.

A buffer holds pieces, one after another, or data with a box of their own (`addresses`). The piece of a datum, and its
indices there, follow from its subscripts and from the places of the loops in the step that brings it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from arrayol.arrays import IntArray
from hwmodel.local_memory.addresses import Addresses, BankAddresses


class Words(Protocol):
    """The memory of a buffer: `size` words, and the word of each datum."""

    @property
    def size(self) -> int:
        """The number of words."""

    def word(self, element: IntArray, step: IntArray) -> IntArray:
        """The word of each datum, an element by row-major number that is brought in a step; -1 for none."""


@dataclass(frozen=True, eq=False)
class RowNumbers:
    """The numbers of distinct rows of coordinates; `extents` bound each coordinate from above."""

    extents: tuple[int, ...]
    keys: IntArray
    order: IntArray

    @staticmethod
    def of(rows: IntArray, extents: tuple[int, ...]) -> RowNumbers:
        """Number rows (n, coordinates) by their position."""
        keys = _key(rows, extents)
        order = np.argsort(keys)
        return RowNumbers(extents, keys[order], order)

    def find(self, rows: IntArray) -> IntArray:
        """The number of each row; -1 for an unknown one."""
        keys = _key(rows, self.extents)
        places = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[places] == keys, self.order[places], -1)


def _key(rows: IntArray, extents: tuple[int, ...]) -> IntArray:
    """The mixed-radix number of each row."""
    key = np.zeros(len(rows), np.int64)
    for column, extent in zip(rows.T, extents, strict=True):
        key = key * extent + column
    return key


@dataclass(frozen=True, eq=False)
class PieceWords:
    """The words of a piece: the axes of both lines and of the free part, and the numbers of their subscripts.

    Rows of a line include the place of the line at which they are brought. Step `start` is the first place of both
    lines; the inner line has `places`.
    """

    addresses: Addresses | BankAddresses
    axes: tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]
    numbers: tuple[RowNumbers, RowNumbers, RowNumbers]
    places: int
    start: int

    @property
    def size(self) -> int:
        """The words of the piece."""
        return self.addresses.size

    def word(self, subscripts: IntArray, step: IntArray) -> IntArray:
        """The word of each datum, by its subscripts (n, rank) and the step that brings it.

        -1 for data of other pieces.
        """
        row, column = np.divmod(step - self.start, self.places)
        columns = [subscripts[:, axes] for axes in self.axes]
        rows = (np.column_stack([columns[0], row]), np.column_stack([columns[1], column]), columns[2])
        outer, inner, free = (number.find(each) for number, each in zip(self.numbers, rows, strict=True))
        words = np.full(len(step), -1, np.int64)
        there = (outer >= 0) & (inner >= 0) & (free >= 0)
        words[there] = self.addresses.address(outer[there], inner[there], free[there])
        return words


@dataclass(frozen=True, eq=False)
class BufferWords:
    """The words of an array's buffer: its pieces one after another."""

    shape: tuple[int, ...]
    pieces: tuple[PieceWords, ...]

    @property
    def size(self) -> int:
        """The words of all pieces."""
        return sum(piece.size for piece in self.pieces)

    def word(self, element: IntArray, step: IntArray) -> IntArray:
        """The word of each datum, an element by row-major number that is brought in a step; -1 for none."""
        words, base = np.full(len(element), -1, np.int64), 0
        subscripts = (
            np.column_stack(np.unravel_index(element, self.shape))
            if self.shape
            else np.zeros((len(element), 0), np.int64)
        )
        for piece in self.pieces:
            piece_words = piece.word(subscripts, step)
            words = np.where(piece_words >= 0, base + piece_words, words)
            base += piece.size
        return words
