"""The words of the data of a buffer, by element and step: frozen values that a design carries.

A buffer holds pieces, one after another, or data with a box of their own (`addresses`). Which piece a datum is of, and
its indices there, follow from its subscripts and from the places of the loops in the step that brings it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from hwmodel.local_memory.addresses import Addresses, BankAddresses, Ints


class Words(Protocol):
    """The memory of a buffer: `size` words, and which of them each datum has."""

    @property
    def size(self) -> int:
        """How many words there are."""

    def word(self, element: Ints, step: Ints) -> Ints:
        """The word of each datum: an element by its row-major number, brought in a step; -1 for none."""


@dataclass(frozen=True, eq=False)
class Numbers:
    """The numbers of rows of coordinates that differ: `extents` bound each coordinate from above."""

    extents: tuple[int, ...]
    keys: Ints
    order: Ints

    @staticmethod
    def of(rows: Ints, extents: tuple[int, ...]) -> Numbers:
        """The numbers of rows (n, coordinates) are their places."""
        keys = _key(rows, extents)
        order = np.argsort(keys)
        return Numbers(extents, keys[order], order)

    def find(self, rows: Ints) -> Ints:
        """The number of each row, -1 where it is none of them."""
        keys = _key(rows, self.extents)
        places = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[places] == keys, self.order[places], -1)


def _key(rows: Ints, extents: tuple[int, ...]) -> Ints:
    key = np.zeros(len(rows), np.int64)
    for column, extent in zip(rows.T, extents, strict=True):
        key = key * extent + column
    return key


@dataclass(frozen=True, eq=False)
class PieceWords:
    """The words of a piece: axes of both lines and of the free part, and the numbers of their subscripts.

    Those of a line come with the place of the line at which they are brought. Step `start` is the first place of both
    lines; the inner one has `places`.
    """

    addresses: Addresses | BankAddresses
    axes: tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]
    numbers: tuple[Numbers, Numbers, Numbers]
    places: int
    start: int

    @property
    def size(self) -> int:
        """The words of the piece."""
        return self.addresses.size

    def word(self, subscripts: Ints, step: Ints) -> Ints:
        """The word of each datum, by its subscripts (n, rank) and the step that brings it; -1 for none of the piece."""
        row, column = np.divmod(step - self.start, self.places)
        own = [subscripts[:, axes] for axes in self.axes]
        rows = (np.column_stack([own[0], row]), np.column_stack([own[1], column]), own[2])
        outer, inner, free = (number.find(each) for number, each in zip(self.numbers, rows, strict=True))
        words = np.full(len(step), -1, np.int64)
        there = (outer >= 0) & (inner >= 0) & (free >= 0)
        words[there] = self.addresses.address(outer[there], inner[there], free[there])
        return words


@dataclass(frozen=True, eq=False)
class BufferWords:
    """The words of a buffer of an array of some shape: its pieces one after another."""

    shape: tuple[int, ...]
    pieces: tuple[PieceWords, ...]

    @property
    def size(self) -> int:
        """The words of all pieces."""
        return sum(piece.size for piece in self.pieces)

    def word(self, element: Ints, step: Ints) -> Ints:
        """The word of each datum: an element by its row-major number, brought in a step; -1 for none."""
        words, base = np.full(len(element), -1, np.int64), 0
        subscripts = (
            np.column_stack(np.unravel_index(element, self.shape))
            if self.shape
            else np.zeros((len(element), 0), np.int64)
        )
        for piece in self.pieces:
            found = piece.word(subscripts, step)
            words = np.where(found >= 0, base + found, words)
            base += piece.size
        return words
