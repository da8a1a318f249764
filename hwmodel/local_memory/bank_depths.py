"""How deep the banks of a buffer are, and the address of each datum in its bank (docs/machine.md, section 13).

Under residues per axis each bank is a buffer of its own: it has the indices of each line whose subscripts have its
residues. All banks are addressed in one way: in one part or in classes apart, whichever makes the deepest bank smaller,
each part in the form that does, and at the same base in all banks. So a part is as deep as its largest bank.

A linear function mixes the subscripts, so that a bank holds other columns in each row. Only the box form has addresses
then, and it is the last axis that the banks share out: of its indices, those of one residue modulo the banks are
numbered by themselves. Two data of a bank that are equal in all other subscripts are of one residue. So the box is

- with the last axis on the inner line: m0 as for one bank, m1 the greatest extent of a residue's indices;
- with the last axis free: m0 m1 as for one bank, with as many neighbours as the most subscripts of a residue;
- with the last axis alone on the outer line: m0 the greatest extent of a residue's indices, m1 all inner indices, so
  that data with one address are of one inner index; or the box of one bank where that is smaller, as it also is with
  other axes beside the last on the outer line.

Pieces lie one after another in each bank.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hwmodel.local_memory.addresses import Addresses, BankAddresses, Box, ElementBox, Form, Groups, Ints, Part, placed
from hwmodel.local_memory.bank_functions import BankFunction, Linear, Residues
from hwmodel.local_memory.enumerated import element_box
from hwmodel.local_memory.forms import box, extent, forms_of, reaches
from hwmodel.local_memory.lines import Line, Lines
from hwmodel.local_memory.pieces import Piece, Subscripts

Bank = tuple[int, int]  # a group of outer and one of inner indices


def depth_of(pieces: Sequence[Piece], function: BankFunction) -> int:
    """The words of the deepest bank of a buffer of these pieces."""
    if isinstance(function, Linear):
        return sum(_linear(piece, function).size for piece in pieces)
    return sum(_Shares.of(piece, function).depth for piece in pieces)


def bank_addresses(piece: Piece, function: BankFunction) -> BankAddresses:
    """The addresses of a piece in its banks."""
    return _by_residues(piece, function) if isinstance(function, Residues) else _linear(piece, function)


def enumerated_box(shape: tuple[int, ...], element: Ints, born: Ints, last: Ints, function: BankFunction) -> ElementBox:
    """Addresses in banks of data that are no product (`enumerated`): of the numbers that places have in their banks.

    The moduli are those of all banks, so its size is their depth.
    """
    places = np.stack(np.unravel_index(element, shape), axis=1) if shape else np.zeros((len(element), 0), np.int64)
    return element_box(function.rows(shape), function.address(places, shape), born, last, function.bank(places))


def _by_residues(piece: Piece, function: Residues) -> BankAddresses:
    shares = _Shares.of(piece, function)
    outer, inner, free = (_numbered(group) for group in shares.groups)
    addresses = {
        bank: Addresses(
            shares.parts.get(bank, ()),
            own.outer.classes,
            own.inner.classes,
            own.outer.numbers_by_class,
            own.inner.numbers_by_class,
            shares.free,
        )
        for bank, own in shares.banks.items()
    }
    return BankAddresses(shares.depth, outer, inner, addresses, free.number)


@dataclass(frozen=True, eq=False)
class _Shares:
    """What banks have of a piece under residues: `groups` of its outer, inner and free indices, lines by bank.

    `free` is the most places of the free part that a bank has, `depth` the words of all parts together.
    """

    groups: tuple[Ints, Ints, Ints]
    banks: Mapping[Bank, Lines]
    parts: Mapping[Bank, tuple[Part, ...]]
    free: int
    depth: int

    @staticmethod
    def of(piece: Piece, function: Residues) -> _Shares:
        outer, inner, free = (_groups(side, function.moduli) for side in (piece.outer, piece.inner, piece.free))
        lines, most = piece.lines, int(np.bincount(free).max(initial=0))
        rows, columns = _lines_by_group(lines.outer, outer), _lines_by_group(lines.inner, inner)
        banks = {
            (row, column): Lines(of_row, of_column, lines.lag)
            for row, of_row in enumerate(rows)
            for column, of_column in enumerate(columns)
        }
        one, apart = _parts({None: banks}), _parts(_by_class(banks))
        parts, depth = min((one, apart), key=lambda choice: choice[1])
        return _Shares((outer, inner, free), banks, parts, most, depth * most)


def _by_class(banks: Mapping[Bank, Lines]) -> Mapping[Bank | None, Mapping[Bank, Lines]]:
    """The banks of each pair of classes."""
    parts: dict[Bank | None, dict[Bank, Lines]] = {}
    for bank, own in banks.items():
        for classes, lines in own.by_class():
            parts.setdefault(classes, {})[bank] = lines
    return dict(sorted(parts.items(), key=lambda part: part[0] or (0, 0)))


def _parts(parts: Mapping[Bank | None, Mapping[Bank, Lines]]) -> tuple[Mapping[Bank, tuple[Part, ...]], int]:
    """The parts of each bank, at the same base in all, and how deep all are together."""
    base, of_bank = 0, dict[Bank, tuple[Part, ...]]()
    for classes, banks in parts.items():
        forms = _least_forms(banks)
        for bank, form in forms.items():
            of_bank[bank] = (*of_bank.get(bank, ()), Part(classes, form, base))
        base += max((form.size for form in forms.values()), default=0)
    return of_bank, base


def _least_forms(banks: Mapping[Bank, Lines]) -> Mapping[Bank, Form]:
    """The form of each bank, in all the one of which the largest bank is smallest."""
    known = dict[tuple[bytes, ...], tuple[Form, ...]]()
    forms = dict[Bank, tuple[Form, ...]]()
    for bank, own in banks.items():
        if own.pairs:
            ends = (own.outer.first, own.outer.last, own.inner.first, own.inner.last)
            key = tuple(each.tobytes() for each in ends)
            forms[bank] = known[key] if key in known else known.setdefault(key, forms_of(own))
    if not forms:
        return {}
    sizes = [max(form.size for form in same) for same in zip(*forms.values(), strict=True)]
    best = sizes.index(min(sizes))
    return {bank: own[best] for bank, own in forms.items()}


def _linear(piece: Piece, function: Linear) -> BankAddresses:
    lines, last, number = piece.lines, len(function.alpha) - 1, function.banks
    if not lines.pairs:
        return BankAddresses(0, _ungrouped(lines.outer.indices), _ungrouped(lines.inner.indices), {}, np.arange(0))
    rows, columns = reaches(lines)
    form, free = box(lines), lines.free
    outer, inner = np.arange(lines.outer.indices), np.arange(lines.inner.indices)
    offset = np.arange(lines.free)
    if last in piece.inner.axes:
        own = _groups_of_last(piece.inner, last, number)
        form, inner = Box(form.outer, _greatest_extent(lines.inner, own, columns)), own.number
    elif piece.outer.axes == (last,):
        own = _groups_of_last(piece.outer, last, number)
        turned = Box(_greatest_extent(lines.outer, own, rows), lines.inner.indices)
        if turned.size < form.size:
            form, outer = turned, own.number
    elif last in piece.free.axes:
        offset, free = _shared_out(piece.free, last, number)
    addresses = Addresses(placed((Part(None, form),)), outer, inner, outer, inner, free)
    groups = [Groups(np.zeros(len(each), np.int64), each) for each in (outer, inner)]
    return BankAddresses(addresses.size, groups[0], groups[1], {(0, 0): addresses}, offset)


def _groups(side: Subscripts, moduli: Sequence[int]) -> Ints:
    """Indices by the residues of their subscripts: the group of each, those that are there numbered from 0."""
    code = np.zeros(len(side.places), np.int64)
    for column, axis in enumerate(side.axes):
        code = code * moduli[axis] + side.places[:, column] % moduli[axis]
    there = np.bincount(code) > 0  # codes are below the number of banks
    group: Ints = (np.cumsum(there) - 1)[code]
    return group


def _groups_of_last(side: Subscripts, last: int, banks: int) -> Groups:
    """Indices by the residue of their subscript along the last axis."""
    return _numbered(side.places[:, side.axes.index(last)] % banks)


def _numbered(group: Ints) -> Groups:
    order = np.argsort(group.astype(np.uint16), kind="stable")  # by digits: no comparing; banks are few
    count = np.bincount(group)
    number = np.empty(len(group), np.int64)
    number[order] = np.arange(len(group)) - np.repeat(np.cumsum(count) - count, count)
    return Groups(group, number)


def _ungrouped(indices: int) -> Groups:
    return Groups(np.zeros(indices, np.int64), np.arange(indices))


def _lines_by_group(line: Line, group: Ints) -> list[Line]:
    return [line.only(group == number) for number in range(int(group.max(initial=-1)) + 1)]


def _greatest_extent(line: Line, groups: Groups, reach: int) -> int:
    return max(extent(line.only(groups.group == number), reach) for number in np.unique(groups.group).tolist())


def _shared_out(free: Subscripts, last: int, banks: int) -> tuple[Ints, int]:
    """The offsets of places of the free part if the last axis is shared out, and how many there are."""
    column = free.axes.index(last)
    others = np.delete(free.places, column, axis=1)
    other = np.unique(others, axis=0, return_inverse=True)[1].reshape(-1) if others.size else others.sum(axis=1)
    subscripts = np.unique(free.places[:, column])
    numbered = _numbered(subscripts % banks)
    each = int(np.bincount(numbered.group).max())
    own = numbered.number[np.searchsorted(subscripts, free.places[:, column])]
    return other * each + own, each * (int(other.max()) + 1)
