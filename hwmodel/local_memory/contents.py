"""The contents of a buffer, and the sizes of its memory: pieces that are products of two lines, or a list of data.

Under residues per axis each bank is a separate buffer: it has the indices of each line whose subscripts have its
residues. All banks are addressed alike: in one part or in parts by class, whichever makes the deepest bank smaller,
each part in the form that does, and at the same base in all banks. So a part is as deep as its largest bank.

A linear function mixes the subscripts: the columns that a bank has differ from row to row. But B neighbours along the
last axis lie in B banks, since gcd(alpha_last, B) = 1; for a bank layout, as many as `Linear.shared` says. So they take
one address, each in its bank, like one index that lives as long as any of them (`LoopPlaces.in_groups`): the addresses
are those of a buffer of such groups, equal in all banks. Two data of one bank that are live together are never in one
group, since all other subscripts of a group are equal.

Pieces lie one after another in each bank.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from arrayol.arrays import IntArray
from hwmodel.local_memory.addresses import (
    Addresses,
    BankAddresses,
    BankedWords,
    BufferWords,
    ElementBox,
    Form,
    Groups,
    Part,
    PieceWords,
    RowNumbers,
    placed,
)
from hwmodel.local_memory.bank_functions import BankFunction, Linear
from hwmodel.local_memory.enumerated import element_box
from hwmodel.local_memory.forms import alike, forms_of, least_form
from hwmodel.local_memory.lines import BufferLines, Line, LoopPlaces, Piece, Subscripts, combined, line_of

Bank = tuple[int, int]  # a group of outer and one of inner indices


def depth_of(pieces: Sequence[Piece], function: BankFunction) -> int:
    """The words of the deepest bank of a buffer of these pieces."""
    return sum(_Banks.of(piece, function).depth for piece in pieces)


def bank_addresses(piece: Piece, function: BankFunction) -> BankAddresses:
    """The addresses of a piece in its banks."""
    divided = _Banks.of(piece, function)
    addresses = {
        bank: Addresses(
            divided.parts.get(bank, ()),
            lines.outer.classes,
            lines.inner.classes,
            lines.outer.numbers_by_class,
            lines.inner.numbers_by_class,
            divided.free,
        )
        for bank, lines in divided.lines.items()
    }
    return BankAddresses(divided.depth, divided.outer, divided.inner, addresses, divided.offset)


def enumerated_box(
    shape: tuple[int, ...], element: IntArray, born: IntArray, last: IntArray, function: BankFunction
) -> ElementBox:
    """Addresses in banks of data that are not a product (`enumerated`), from the addresses of elements in their banks.

    The moduli are shared by all banks, so its size is their depth.
    """
    places = np.stack(np.unravel_index(element, shape), axis=1) if shape else np.zeros((len(element), 0), np.int64)
    return element_box(function.rows(shape), function.address(places, shape), born, last, function.bank(places))


@dataclass(frozen=True, eq=False)
class _Banks:
    """The banks of a piece: the groups of its outer and inner indices, and the lines and parts of each bank.

    `offset` numbers the places of the free part in their banks, `free` is the most that a bank has, and `depth` the
    words of all parts together.
    """

    outer: Groups
    inner: Groups
    offset: IntArray
    lines: Mapping[Bank, BufferLines]
    parts: Mapping[Bank, tuple[Part, ...]]
    free: int
    depth: int

    @staticmethod
    def of(piece: Piece, function: BankFunction) -> _Banks:
        """Divide a piece among the banks of a function."""
        outer, rows = _shared_out(piece.outer, function)
        inner, columns = _shared_out(piece.inner, function)
        offset, places = _shared_out(piece.free, function)
        most = max((line.indices for line in places), default=0)
        lines = {
            (row, column): BufferLines(of_row, of_column, piece.lag)
            for row, of_row in enumerate(rows)
            for column, of_column in enumerate(columns)
        }
        whole, apart = _parts_by_bank({None: lines}), _parts_by_bank(_by_class(lines))
        parts, depth = min((whole, apart), key=lambda choice: choice[1])
        return _Banks(outer, inner, offset.number, lines, parts, most, depth * most)


def _shared_out(loops: Sequence[LoopPlaces], function: BankFunction) -> tuple[Groups, list[Line]]:
    """The indices of a line by bank, and the line of each bank; equal banks have one line."""
    if isinstance(function, Linear):
        whole = [(loop, np.arange(len(loop.first))) for loop in loops]
        shared = function.shared
        parts = [loop.in_groups(shared) if loop.axis == shared.axis else (loop, own) for loop, own in whole]
        number = combined([own for _, own in parts], [len(loop.first) for loop, _ in parts])
        return Groups(0 * number, number), [line_of([loop for loop, _ in parts])]
    moduli = [1 if loop.axis is None else function.moduli[loop.axis] for loop in loops]
    code = combined([loop.subscript % modulus for loop, modulus in zip(loops, moduli, strict=True)], moduli)
    group = (np.cumsum(np.bincount(code) > 0) - 1)[code]  # codes are below the number of banks
    line = line_of(loops)
    return _numbered(group), [line.only(group == number) for number in range(int(group.max(initial=-1)) + 1)]


def _by_class(banks: Mapping[Bank, BufferLines]) -> Mapping[Bank | None, Mapping[Bank, BufferLines]]:
    """The banks of each pair of classes."""
    parts: dict[Bank | None, dict[Bank, BufferLines]] = {}
    for bank, own in banks.items():
        for classes, lines in own.by_class():
            parts.setdefault(classes, {})[bank] = lines
    return dict(sorted(parts.items(), key=lambda part: part[0] or (0, 0)))


def _parts_by_bank(
    parts: Mapping[Bank | None, Mapping[Bank, BufferLines]],
) -> tuple[Mapping[Bank, tuple[Part, ...]], int]:
    """The parts of each bank, at the same base in all, and the depth of all parts together."""
    base, of_bank = 0, dict[Bank, tuple[Part, ...]]()
    for classes, banks in parts.items():
        forms = _least_forms(banks)
        for bank, form in forms.items():
            of_bank[bank] = (*of_bank.get(bank, ()), Part(classes, form, base))
        base += max((form.size for form in forms.values()), default=0)
    return of_bank, base


def _least_forms(banks: Mapping[Bank, BufferLines]) -> Mapping[Bank, Form]:
    """The form of each bank: in all banks the one for which the largest bank is smallest."""
    kinds, own = dict[tuple[bytes, ...], BufferLines](), dict[Bank, tuple[bytes, ...]]()
    for bank, lines in banks.items():
        if lines.pairs:
            ends = (lines.outer.first, lines.outer.last, lines.inner.first, lines.inner.last)
            own[bank] = tuple(each.tobytes() for each in ends)
            kinds.setdefault(own[bank], lines)
    if not own:
        return {}
    forms = list(zip(*(forms_of(lines) for lines in kinds.values()), strict=True))
    sizes = [max(form.size for form in same) for same in forms]
    least = dict(zip(kinds, alike(forms[sizes.index(min(sizes))], list(kinds.values())), strict=True))
    return {bank: least[kind] for bank, kind in own.items()}


def _numbered(group: IntArray) -> Groups:
    """Number the indices within each group."""
    order = np.argsort(group.astype(np.uint16), kind="stable")  # by digits: no comparing; banks are few
    count = np.bincount(group)
    number = np.empty(len(group), np.int64)
    number[order] = np.arange(len(group)) - np.repeat(np.cumsum(count) - count, count)
    return Groups(group, number)


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
