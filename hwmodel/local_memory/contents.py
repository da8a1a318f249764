"""The contents of a buffer, and the sizes of its memory: pieces that are products of two lines, or a list of data."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from arrayol.arrays import IntArray
from hwmodel.local_memory.addresses import Addresses, BankAddresses, ElementBox, Part, placed
from hwmodel.local_memory.bank_depths import bank_addresses, depth_of, enumerated_box
from hwmodel.local_memory.bank_functions import BankFunction
from hwmodel.local_memory.banked import BankedWords
from hwmodel.local_memory.enumerated import element_box
from hwmodel.local_memory.forms import least_form
from hwmodel.local_memory.lines import BufferLines
from hwmodel.local_memory.pieces import Piece, Subscripts
from hwmodel.local_memory.words import BufferWords, PieceWords, RowNumbers

# The addresses of a buffer, in one part or in several, whichever takes fewer words.
#
# The idea. Data of different lifetimes in one memory cost words: a few rows that stay for a whole frame stretch every
# modulus. So the indices of each line fall into three classes by life (`lines`), and a buffer is either one part, or
# has a part for each non-empty pair of classes: the rows that neighbouring blocks share become a line buffer, all other
# data a double buffer. A tie is one part.


def addresses_of(lines: BufferLines) -> Addresses:
    """The addresses of a buffer."""
    outer, inner = lines.outer, lines.inner
    return Addresses(
        _parts(lines), outer.classes, inner.classes, outer.numbers_by_class, inner.numbers_by_class, lines.free
    )


def size_of(lines: BufferLines) -> int:
    """The number of words that the addresses of a buffer take."""
    return sum(part.form.size for part in _parts(lines)) * lines.free


def _parts(lines: BufferLines) -> tuple[Part, ...]:
    """The parts of a buffer, in the choice that takes fewer words."""
    if not lines.pairs:
        return ()
    whole, by_class = Part(None, least_form(lines)), list(lines.by_class())
    if len(by_class) == 1:
        return (whole,)
    split = placed(tuple(Part(classes, least_form(own)) for classes, own in by_class))
    return (whole,) if whole.form.size <= sum(part.form.size for part in split) else split


Extents = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Pieces:
    """Pieces of an array, one after another in the buffer."""

    shape: Extents
    pieces: tuple[Piece, ...]

    @property
    def size(self) -> int:
        """The words of the buffer."""
        return sum(size_of(piece.lines) for piece in self.pieces)

    @property
    def in_succession(self) -> Pieces:
        """The pieces if frames follow each other."""
        return replace(self, pieces=tuple(piece.in_succession for piece in self.pieces))

    @property
    def words(self) -> BufferWords:
        """The word of each datum."""
        return BufferWords(
            self.shape, tuple(_words(self.shape, piece, addresses_of(piece.lines)) for piece in self.pieces)
        )

    def depth(self, function: BankFunction) -> int:
        """The words of the deepest bank."""
        return depth_of(self.pieces, function)

    def in_banks(self, function: BankFunction) -> BankedWords:
        """The word of each datum in banks."""
        pieces = (_words(self.shape, piece, bank_addresses(piece, function)) for piece in self.pieces)
        return BankedWords(self.shape, function, BufferWords(self.shape, tuple(pieces)))


def _words(shape: Extents, piece: Piece, addresses: Addresses | BankAddresses) -> PieceWords:
    """The words of a piece."""
    lines, sides = piece.lines, [Subscripts.of(loops) for loops in (piece.outer, piece.inner, piece.free)]
    extents = [tuple(shape[axis] for axis in side.axes) for side in sides]
    of_lines = [
        RowNumbers.of(np.column_stack([side.places, line.first]), (*sizes, line.places))
        for side, line, sizes in zip(sides[:2], (lines.outer, lines.inner), extents[:2], strict=True)
    ]
    free = RowNumbers.of(sides[2].places, extents[2])
    axes = (sides[0].axes, sides[1].axes, sides[2].axes)
    return PieceWords(addresses, axes, (of_lines[0], of_lines[1], free), lines.inner.places, piece.start)


@dataclass(frozen=True, eq=False)
class Listed:
    """Data one by one: the element of each, the step that brings it and the step of its last use, both included.

    A frame has `period` steps.
    """

    shape: Extents
    element: IntArray
    born: IntArray
    last: IntArray
    period: int

    @property
    def size(self) -> int:
        """The words of the buffer."""
        return self.words.size

    @property
    def in_succession(self) -> Listed:
        """The data if frames follow each other: as many frames as data of the first can meet stand for all."""
        if not len(self.element):
            return self
        times = 1 + int(self.last.max() - self.born.min()) // self.period
        later = np.repeat(np.arange(times) * self.period, len(self.element))
        repeated = [np.tile(column, times) for column in (self.element, self.born, self.last)]
        return replace(self, element=repeated[0], born=repeated[1] + later, last=repeated[2] + later)

    @cached_property
    def words(self) -> ElementBox:
        """The word of each datum."""
        return element_box(self.shape, self.element, self.born, self.last)

    def depth(self, function: BankFunction) -> int:
        """The words of the deepest bank."""
        return self._box(function).size

    def in_banks(self, function: BankFunction) -> BankedWords:
        """The word of each datum in banks."""
        return BankedWords(self.shape, function, self._box(function))

    def _box(self, function: BankFunction) -> ElementBox:
        """The addresses of the data in their banks."""
        return enumerated_box(self.shape, self.element, self.born, self.last, function)


Contents = Pieces | Listed
