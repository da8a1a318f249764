"""The addresses of a buffer's data: frozen values that a design carries.

A datum is given by its index x0 on the outer line, its index x1 on the inner line, and the offset in its `free` part
(`lines`). Each part of a buffer has one of three forms, a function of two counters:

    box     (x0 mod m0) m1 + x1 mod m1
    linear  (x0 T1 + x1) mod M, or (x0 T1 - x1) mod M, with T1 the number of the part's inner indices
    ring    serial(x) mod M, where serial is the order of birth, in a step row-major

Box is successive moduli (Lefebvre and Feautrier 1998), linear a lattice of one row (Darte, Schreiber and Villard 2005),
ring a modulus on the order in which the scan brings the data. `parts` chooses the forms.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from arrayol.arrays import IntArray


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
