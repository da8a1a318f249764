"""Functions from places to banks, and the first one without a conflict (docs/machine.md, section 13).

Two places of one cycle must be in different banks. For a linear function that hangs on their difference d alone:
alpha . d mod B != 0; for residues per axis some d_a mod B_a != 0. So the sets of all ports become one list of
differences, and a function passes where it sends none of them to 0. A function that passes does so from wherever the
sets are put.

The search goes upwards from the largest set: for each number of banks first residues, then linear functions, each in
lexicographic order. A linear function stays as good if all of alpha is multiplied by a unit modulo B, and of such
multiples the first in order has gcd(alpha_a, B) as its first entry other than 0: no other is tried. gcd(alpha_last, B)
= 1, so that B data in sequence lie in B banks, and an address in the bank is the place with the last index divided.

An axis along which no two places differ tells none apart: the first function has a modulus of 1 there, or alpha 0. So
such axes, but for the last, are left out of the search.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, product
from operator import le

import numpy as np
from numpy.typing import NDArray

from hwmodel.accesses import flat
from hwmodel.local_memory.offsets import Places

MOST_BANKS = 1024  # tried, unless fewer are allowed
WORK = 2_000_000  # products of a difference and all but the last entry before linear functions are given up
_CHUNK = 1 << 18
_CELLS = 1 << 24  # of a box of differences
_WHOLE = 1 << 24  # numbers below are whole as 32-bit floats

Floats = NDArray[np.float32 | np.float64]


@dataclass(frozen=True, slots=True)
class Residues:
    """bank(x) = the digits x_a mod B_a, row-major."""

    moduli: tuple[int, ...]

    @property
    def banks(self) -> int:
        """The number of banks."""
        return math.prod(self.moduli)

    def bank(self, places: Places) -> Places:
        """The banks of places (number, rank)."""
        number = np.zeros(len(places), np.int64)
        for axis, modulus in enumerate(self.moduli):
            number = number * modulus + places[:, axis] % modulus
        return number

    def rows(self, extents: Sequence[int]) -> tuple[int, ...]:
        """The extents of a bank that holds its share of a box."""
        return tuple(-(-extent // modulus) for extent, modulus in zip(extents, self.moduli, strict=True))

    def address(self, places: Places, extents: Sequence[int]) -> Places:
        """Where places (number, rank) of a box lie in their banks: a number for each, below the product of `rows`."""
        return flat(places // np.array(self.moduli, np.int64), self.rows(extents))

    def __str__(self) -> str:
        return f"residues ({', '.join(map(str, self.moduli))})"


@dataclass(frozen=True, slots=True)
class Linear:
    """bank(x) = floor(alpha . x / block) mod B.

    Functions that are searched have a block of 1 and gcd(alpha_last, B) = 1; a bank layout may be any.
    """

    alpha: tuple[int, ...]
    banks: int
    block: int = 1

    @property
    def shared(self) -> Shared:
        """The axis along which most neighbours lie in different banks, of equal ones the last.

        A step of `stride` = block / gcd(alpha_a, block) along axis a leads m = alpha_a stride / block banks further, so
        B / gcd(m, B) indices, each so far from the one before, lie in different banks.
        """
        axes = reversed(range(len(self.alpha)))
        of_scalar = Shared(0, self.banks, 1)  # a scalar has no axis to share out
        return max((_shared(axis, self) for axis in axes), key=lambda own: own.number, default=of_scalar)

    def bank(self, places: Places) -> Places:
        """The banks of places (number, rank)."""
        return np.asarray(places @ np.array(self.alpha, np.int64) // self.block % self.banks, np.int64)

    def rows(self, extents: Sequence[int]) -> tuple[int, ...]:
        """The extents of a bank that holds its share of a box."""
        own = self.shared
        return tuple(own.groups(extent) if axis == own.axis else extent for axis, extent in enumerate(extents))

    def address(self, places: Places, extents: Sequence[int]) -> Places:
        """Where places (number, rank) of a box lie in their banks: a number for each, below the product of `rows`."""
        divided, own = places.copy(), self.shared
        if self.alpha:
            divided[:, own.axis] = own.group(places[:, own.axis])
        return flat(divided, self.rows(extents))

    def __str__(self) -> str:
        vector = f"({', '.join(map(str, self.alpha))})"
        return f"linear {vector} mod {self.banks}" + (f" of blocks of {self.block}" if self.block > 1 else "")


@dataclass(frozen=True, slots=True)
class Shared:
    """How indices of an axis share addresses: `number` of them, each a `stride` from the one before, one address."""

    axis: int
    number: int
    stride: int

    def group(self, index: Places) -> Places:
        """The number of the address of each index, from 0 on."""
        span = self.number * self.stride
        group: Places = index // span * self.stride + index % self.stride
        return group

    def groups(self, extent: int) -> int:
        """How many addresses indices below an extent have at most."""
        whole, rest = divmod(extent, self.number * self.stride)
        return whole * self.stride + min(rest, self.stride)


def _shared(axis: int, function: Linear) -> Shared:
    part = function.alpha[axis]
    stride = function.block // math.gcd(part, function.block)
    further = part * stride // function.block
    return Shared(axis, function.banks // math.gcd(further, function.banks), stride)


BankFunction = Residues | Linear


def box_depth(function: BankFunction, extents: Sequence[int]) -> int:
    """The words of each bank for a box of data."""
    return math.prod(function.rows(extents)) if extents else 1


def one_bank(rank: int) -> BankFunction:
    """All places in one bank."""
    return Residues((1,) * rank)


def _test_of_residues(differences: Places) -> Callable[[Residues], bool]:
    """What tells of residues whether places with these differences are never in one bank.

    They are in one where a difference is a multiple of the modulus along each axis. In a box of all differences these
    are few cells, which is quick where the box is not too large.
    """
    reach = np.abs(differences).max(axis=0, initial=0)
    if math.prod(2 * int(far) + 1 for far in reach) > _CELLS:
        return lambda one: bool((one.bank(differences) != 0).all())
    box = np.zeros(2 * reach + 1, np.bool_)
    box[tuple((differences + reach).T)] = True

    def is_free(one: Residues) -> bool:
        multiples = (slice(int(far) % part, None, part) for far, part in zip(reach, one.moduli, strict=True))
        return not box[tuple(multiples)].any()

    return is_free


def smallest_function(
    differences: Places, least: int, most: int = MOST_BANKS, *, power_of_two: bool = False
) -> BankFunction | None:
    """The first function without a conflict of `least` banks or more, up to `most`; None where none is found.

    `least` is how many places the largest set has: fewer banks have a conflict. With `power_of_two` only such numbers
    of banks are tried.
    """
    rank = differences.shape[1]
    if not len(differences) and least <= 1:
        return one_bank(rank)
    axes = [axis for axis in range(rank) if axis == rank - 1 or differences[:, axis].any()]
    moving = np.ascontiguousarray(differences[:, axes], np.int64)
    found = _smallest(moving.tobytes(), len(axes), least, most, power_of_two)
    return None if found is None else _widened(found, axes, rank)


def _widened(function: BankFunction, axes: Sequence[int], rank: int) -> BankFunction:
    """A function of some axes as one of all `rank`."""
    if isinstance(function, Residues):
        of_axis = dict(zip(axes, function.moduli, strict=True))
        return Residues(tuple(of_axis.get(axis, 1) for axis in range(rank)))
    of_axis = dict(zip(axes, function.alpha, strict=True))
    return Linear(tuple(of_axis.get(axis, 0) for axis in range(rank)), function.banks)


@lru_cache(maxsize=256)
def _smallest(rows: bytes, rank: int, least: int, most: int, power_of_two: bool) -> BankFunction | None:
    """The first function for differences (n, rank): other ports may lead to the same ones."""
    differences, work = np.frombuffer(rows, np.int64).reshape(-1, rank), WORK
    is_free = _test_of_residues(differences)
    widest = [_wide(int(far) + 1, power_of_two=power_of_two) for far in np.abs(differences).max(axis=0, initial=0)]
    for banks in range(max(1, least), most + 1):
        if power_of_two and banks & banks - 1:
            continue
        residues = (Residues(moduli) for moduli in factors(banks, rank) if all(map(le, moduli, widest)))
        found: BankFunction | None = next(filter(is_free, residues), None)
        if found is None and work > 0 and rank:
            found, work = _linear(differences, banks, work)
        if found is not None:
            return found
    return None


def _wide(number: int, *, power_of_two: bool) -> int:
    """The modulus that tells so many indices in sequence apart: a larger one tells no others."""
    return 1 << (number - 1).bit_length() if power_of_two else number


@lru_cache(maxsize=4096)
def factors(number: int, rank: int) -> tuple[tuple[int, ...], ...]:
    """The ways to write a number as a product of `rank` factors, in lexicographic order."""
    if rank <= 1:
        return ((number,),) * rank
    divisors = (factor for factor in range(1, number + 1) if number % factor == 0)
    return tuple((first, *rest) for first in divisors for rest in factors(number // first, rank - 1))


def _linear(differences: Places, banks: int, work: int) -> tuple[Linear | None, int]:
    """The first linear function of so many banks, and what is left of the work.

    For each vector but for its last entry u: a difference with last entry v, which the others send to e, forbids the u
    with u v + e = 0 mod B. With g = gcd(v, B) these are a residue class mod B / g if g divides e, and none otherwise.
    """
    common, inverses = _divisors_and_inverses(banks)
    leading, last = differences[:, :-1] % banks, differences[:, -1] % banks
    number = np.float32 if leading.shape[1] * banks**2 < _WHOLE else np.float64
    parts = []
    for divisor in np.unique(common[last]).tolist():
        own = common[last] == divisor
        lead, inverse = leading[own].T, -inverses[last[own]]
        lead = lead * inverse % banks if divisor == 1 else lead
        parts.append((divisor, lead.astype(number), inverse.astype(number)))
    units = np.flatnonzero(common == 1)
    prefixes = _prefixes(banks, leading.shape[1])
    while work > 0 and (chunk := list(islice(prefixes, max(1, _CHUNK // (len(differences) + banks))))):
        work -= len(chunk) * max(1, len(differences))
        vectors = np.array(chunk, number).reshape(len(chunk), -1)
        forbidden = np.zeros((len(chunk), banks), np.bool_)
        for divisor, lead, inverse in parts:
            sent = vectors @ lead
            if divisor == 1:  # most of them: 1 divides all
                _mark(forbidden, _modulo(sent, banks))
                continue
            residues, sent = banks // divisor, _modulo(sent, banks)
            share = np.floor(sent / divisor)
            some = np.zeros((len(chunk), residues + 1), np.bool_)  # the last column is for those that forbid none
            _mark(some, np.where(share * divisor == sent, _modulo(share * inverse, residues), residues))
            forbidden |= np.tile(some[:, :-1], divisor)
        row, column = np.nonzero(~forbidden[:, units])
        if len(row):
            return Linear((*chunk[row[0]], int(units[column[0]])), banks), work
    return None, work


def _modulo(numbers: Floats, modulus: int) -> Floats:
    """The residues of whole numbers, which floats multiply and divide many times faster than integers.

    All are below 2^24, or 2^53 in doubles. So a quotient q + r / m with r < m is not rounded up to q + 1.
    """
    residues: Floats = numbers - np.floor(numbers / modulus) * modulus
    return residues


def _mark(table: NDArray[np.bool_], columns: Floats) -> None:
    """Set some columns of each row, as many of each."""
    rows, wide = table.shape
    table.reshape(-1)[(columns + np.arange(0, rows * wide, wide)[:, None]).astype(np.intp).reshape(-1)] = True


def _prefixes(banks: int, length: int) -> Iterator[tuple[int, ...]]:
    """All but the last entry of the vectors worth trying, in lexicographic order."""
    divisors = [factor for factor in range(1, banks) if banks % factor == 0]
    for entries in product((0, *divisors), *[range(banks)] * (length - 1)) if length else [()]:
        first = next((entry for entry in entries if entry), None)
        if first is None or banks % first == 0:
            yield entries


@lru_cache(maxsize=MOST_BANKS)
def _divisors_and_inverses(banks: int) -> tuple[Places, Places]:
    """For each v below a number of banks B: g = gcd(v, B), and the inverse of v / g mod B / g."""
    common = [math.gcd(entry, banks) for entry in range(banks)]
    inverses = [pow(entry // part, -1, banks // part) for entry, part in enumerate(common)]
    return np.array(common, np.int64), np.array(inverses, np.int64)
