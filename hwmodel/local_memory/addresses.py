"""Addresses and banks of a buffer's data, and the word of each datum: frozen values that a design carries.

A datum is given by its index x0 on the outer line, its index x1 on the inner line, and the offset in its `free` part
(`lines`). Each part of a buffer has one of three forms, a function of two counters:

    box     (x0 mod m0) m1 + x1 mod m1
    linear  (x0 T1 + x1) mod M, or (x0 T1 - x1) mod M, with T1 the number of the part's inner indices
    ring    serial(x) mod M, where serial is the order of birth, in a step row-major

Box is successive moduli (Lefebvre and Feautrier 1998), linear a lattice of one row (Darte, Schreiber and Villard 2005),
ring a modulus on the order in which the scan brings the data. `parts` chooses the forms.

A buffer holds pieces, one after another, or data with a box of their own (`addresses`). The piece of a datum, and its
indices there, follow from its subscripts and from the places of the loops in the step that brings it.

`organisations` and `port_plan` decide about these; here are their results.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np

from arrayol.arrays import IntArray
from hwmodel.local_memory.bank_functions import BankFunction


class Form(Protocol):
    """Slots of a part's index pairs: `slot` takes indices numbered in the part and gives 0 to `size` - 1."""

    @property
    def name(self) -> str:
        """The name of the form in reports."""

    @property
    def size(self) -> int:
        """The number of slots."""

    def slot(self, outer: IntArray, inner: IntArray) -> IntArray:
        """The slot of each pair of indices."""


@dataclass(frozen=True, slots=True)
class Box:
    """A modulus for each line."""

    outer: int
    inner: int
    name = "box"

    @property
    def size(self) -> int:
        """The product of the moduli."""
        return self.outer * self.inner

    def slot(self, outer: IntArray, inner: IntArray) -> IntArray:
        """(x0 mod m0) m1 + x1 mod m1."""
        return outer % self.outer * self.inner + inner % self.inner


@dataclass(frozen=True, slots=True)
class LinearForm:
    """One modulus for the row-major number of a pair, with the inner line upwards (`sign` 1) or downwards (-1)."""

    row: int
    sign: int
    size: int
    name = "linear"

    def slot(self, outer: IntArray, inner: IntArray) -> IntArray:
        """(x0 T1 +- x1) mod M."""
        return (outer * self.row + self.sign * inner) % self.size


@dataclass(frozen=True, eq=False)
class BirthOrder:
    """The order of birth of the indices of a line.

    For each index: how many are born at places `before` its own, how many at the same place (`together`, itself
    included), and how many of those have a lower index (`rank`).
    """

    before: IntArray
    together: IntArray
    rank: IntArray


@dataclass(frozen=True, eq=False)
class Ring:
    """One modulus for the order of birth."""

    outer: BirthOrder
    inner: BirthOrder
    row: int
    size: int
    name = "ring"

    def serial(self, outer: IntArray, inner: IntArray) -> IntArray:
        """The number of data of the part that are born before each pair; in its own step, those before it row-major."""
        rows, columns = self.outer, self.inner
        whole_rows = rows.before[outer] * self.row
        steps_of_row = rows.together[outer] * columns.before[inner]
        own_step = rows.rank[outer] * columns.together[inner] + columns.rank[inner]
        serial: IntArray = whole_rows + steps_of_row + own_step
        return serial

    def slot(self, outer: IntArray, inner: IntArray) -> IntArray:
        """serial(x) mod M."""
        return self.serial(outer, inner) % self.size


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a buffer: its outer and inner class, or None for all indices; its form, and its first word."""

    classes: tuple[int, int] | None
    form: Form
    base: int = 0


@dataclass(frozen=True, eq=False)
class Addresses:
    """The address of every datum of a buffer. `outer` and `inner` are the classes of the indices of both lines.

    `outer_number` and `inner_number` count the indices of each class from 0. A pair's `free` data have consecutive
    words.
    """

    parts: tuple[Part, ...]
    outer: IntArray
    inner: IntArray
    outer_number: IntArray
    inner_number: IntArray
    free: int

    @property
    def size(self) -> int:
        """The words of the buffer: its parts one after another."""
        return sum(part.form.size for part in self.parts) * self.free

    def address(self, outer: IntArray, inner: IntArray, offset: IntArray) -> IntArray:
        """The word of each datum, given by its indices on both lines and the offset in its free part; -1 for none."""
        words = np.full(np.broadcast_shapes(outer.shape, inner.shape, offset.shape), -1, np.int64)
        outer, inner, offset = np.broadcast_arrays(outer, inner, offset)
        for part in self.parts:
            if part.classes is None:
                in_part, rows, columns = np.ones(words.shape, np.bool_), outer, inner
            else:
                in_part = (self.outer[outer] == part.classes[0]) & (self.inner[inner] == part.classes[1])
                rows, columns = self.outer_number[outer], self.inner_number[inner]
            words[in_part] = (part.base + part.form.slot(rows[in_part], columns[in_part])) * self.free + offset[in_part]
        return words


@dataclass(frozen=True, eq=False)
class Groups:
    """The indices of a line, or places of the free part, by bank: the group of each, and its number there."""

    group: IntArray
    number: IntArray


@dataclass(frozen=True, eq=False)
class BankAddresses:
    """The address of every datum of a buffer in its bank; `size` is the number of words of the deepest bank.

    `outer` and `inner` group the indices of the lines, and `banks` has the addresses of a pair of groups. A pair's
    `free` data of a bank have consecutive words, numbered by `offset`.
    """

    size: int
    outer: Groups
    inner: Groups
    banks: Mapping[tuple[int, int], Addresses]
    offset: IntArray

    def address(self, outer: IntArray, inner: IntArray, offset: IntArray) -> IntArray:
        """The word of each datum in its bank, given by its indices on both lines and the offset; -1 for none."""
        words = np.full(np.broadcast_shapes(outer.shape, inner.shape, offset.shape), -1, np.int64)
        outer, inner, offset = np.broadcast_arrays(outer, inner, offset)
        groups = self.outer.group[outer], self.inner.group[inner]
        for (row, column), addresses in self.banks.items():
            in_bank = (groups[0] == row) & (groups[1] == column)
            rows, columns = self.outer.number[outer[in_bank]], self.inner.number[inner[in_bank]]
            words[in_bank] = addresses.address(rows, columns, self.offset[offset[in_bank]])
        return words


@dataclass(frozen=True, slots=True)
class ElementBox:
    """Moduli for the subscripts of an array and for the fetch that brings a datum, for data that are not a product.

    `order` lists the coordinates of the moduli, the most significant first: axes, or the number of axes for the fetch.
    Data come every `every` steps, from step `start` on, so a fetch is one of (step - start) / every.
    """

    shape: tuple[int, ...]
    order: tuple[int, ...]
    moduli: tuple[int, ...]
    start: int = 0
    every: int = 1

    @property
    def size(self) -> int:
        """The number of words, the product of the moduli."""
        return math.prod(self.moduli)

    def word(self, element: IntArray, step: IntArray) -> IntArray:
        """The word of each datum, an element by row-major number that is brought in a step."""
        words = np.zeros(element.shape, np.int64)
        coordinates = (
            *(np.unravel_index(element, self.shape) if self.shape else ()),
            (step - self.start) // self.every,
        )
        for number, modulus in zip(self.order, self.moduli, strict=True):
            words = words * modulus + coordinates[number] % modulus
        return words


def placed(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """Place parts one after another, from slot 0 on."""
    bases = np.cumsum([0, *(part.form.size for part in parts)]).tolist()
    return tuple(replace(part, base=base) for part, base in zip(parts, bases[:-1], strict=True))


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


Place = tuple[int, ...]
ReaderName = tuple[str, int]  # a task, and the number of one of its input tilers


@dataclass(frozen=True, slots=True)
class WindowReads:
    """The reads of a window: the new elements (`fresh`) of a round, which come from `fill` rounds earlier on.

    They come in their order, at most `each` in a cycle, and are relative to the origin of the first unit's pattern. All
    other elements are in registers.
    """

    fresh: tuple[Place, ...]
    each: int
    fill: int


@dataclass(frozen=True, slots=True)
class ReadPorts:
    """The ports of each bank that only one reader uses, and its window.

    `random` is the number of elements that a repetition reads at subscripts computed from data, 0 for none.
    """

    ports: int = 1
    window: WindowReads | None = None
    random: int = 0


@dataclass(frozen=True)
class BankedMemory:
    """Banks of `depth` words, each with so many read `ports` in a cycle, over all copies.

    Each of the `writers` has its own copies, which it writes through one port. `storing` is the number of ports of each
    bank through which the storer reads in a cycle. With a bank layout each unit is a reader, or a writer, with the
    ports in `readers`.
    """

    function: BankFunction
    depth: int
    ports: int
    readers: Mapping[ReaderName, ReadPorts] = field(default_factory=dict)
    storing: int = 1
    writers: int = 1


@dataclass(frozen=True, eq=False)
class BankedWords:
    """The words of a buffer in banks, bank after bank; `in_bank` has the words in each bank."""

    shape: tuple[int, ...]
    function: BankFunction
    in_bank: BufferWords | ElementBox

    @property
    def depth(self) -> int:
        """The words of a bank."""
        return self.in_bank.size

    @property
    def size(self) -> int:
        """The words of all banks."""
        return self.function.banks * self.depth

    def word(self, element: IntArray, step: IntArray) -> IntArray:
        """The word of each datum, an element by row-major number that is brought in a step; -1 for none."""
        places = (
            np.stack(np.unravel_index(element, self.shape), axis=1)
            if self.shape
            else np.zeros((len(element), 0), np.int64)
        )
        in_bank = self.in_bank
        numbers = element if isinstance(in_bank, BufferWords) else self.function.address(places, self.shape)
        words = in_bank.word(numbers, step)
        return np.where(words < 0, -1, self.function.bank(places) * self.depth + words)
