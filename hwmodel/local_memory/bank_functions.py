"""Functions from elements to banks, and the first function without a conflict (docs/machine.md, section 13).

The idea. Two elements of one cycle must be in different banks. For a linear function that depends only on their
difference d: alpha . d mod B != 0. For residues per axis, some d_a mod B_a != 0. So the joint sets of all ports become
one list of differences, and a function passes if it maps none of them to 0, wherever the sets are put.

The search goes upwards from the size of the largest set. For each number of banks it tries residues, then linear
functions, each in lexicographic order. A linear function stays equally good if alpha is multiplied by a unit modulo B.
Among these multiples, the first in order has gcd(alpha_a, B) as its first nonzero entry: only such vectors are tried.
gcd(alpha_last, B) = 1, so that B consecutive elements lie in B banks, and the address in the bank is the index vector
with its last entry divided by B.

An axis along which no two elements differ separates none: the first function has a modulus of 1 there, or alpha 0. So
such axes, except the last, are left out of the search.
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
        """The banks of elements, given by index vectors (number, rank)."""
        number = np.zeros(len(places), np.int64)
        for axis, modulus in enumerate(self.moduli):
            number = number * modulus + places[:, axis] % modulus
        return number

    def sharing(self, axis: int) -> int:
        """The indices of an axis in a group that shares addresses: each group has the same places in all banks."""
        return self.moduli[axis]

    def rows(self, extents: Sequence[int]) -> tuple[int, ...]:
        """The extents of a bank's share of a box."""
        return tuple(-(-extent // modulus) for extent, modulus in zip(extents, self.moduli, strict=True))

    def address(self, places: Places, extents: Sequence[int]) -> Places:
        """The addresses in their banks of elements (number, rank) of a box, below the product of `rows`."""
        return flat(places // np.array(self.moduli, np.int64), self.rows(extents))

    def __str__(self) -> str:
        return f"residues ({', '.join(map(str, self.moduli))})"


@dataclass(frozen=True, slots=True)
class Linear:
    """bank(x) = floor(alpha . x / block) mod B.

    Functions from the search have a block of 1 and gcd(alpha_last, B) = 1; a bank layout may have any.
    """

    alpha: tuple[int, ...]
    banks: int
    block: int = 1

    @property
    def shared(self) -> Shared:
        """The axis along which most neighbours lie in different banks, of equal ones the last.

        A step of `stride` = block / gcd(alpha_a, block) along axis a leads m = alpha_a stride / block banks further. So
        B / gcd(m, B) indices, a stride apart, lie in different banks.
        """
        axes = reversed(range(len(self.alpha)))
        of_scalar = Shared(0, self.banks, 1)  # a scalar has no axis to share out
        return max((_shared(axis, self) for axis in axes), key=lambda own: own.number, default=of_scalar)

    def bank(self, places: Places) -> Places:
        """The banks of elements, given by index vectors (number, rank)."""
        return np.asarray(places @ np.array(self.alpha, np.int64) // self.block % self.banks, np.int64)

    def sharing(self, axis: int) -> int:
        """The indices of an axis in a group that shares addresses: each group has the same places in all banks."""
        shared = self.shared
        return shared.number * shared.stride if axis == shared.axis or self.block > 1 else 1

    def rows(self, extents: Sequence[int]) -> tuple[int, ...]:
        """The extents of a bank's share of a box."""
        shared = self.shared
        return tuple(shared.groups(extent) if axis == shared.axis else extent for axis, extent in enumerate(extents))

    def address(self, places: Places, extents: Sequence[int]) -> Places:
        """The addresses in their banks of elements (number, rank) of a box, below the product of `rows`."""
        divided, shared = places.copy(), self.shared
        if self.alpha:
            divided[:, shared.axis] = shared.group(places[:, shared.axis])
        return flat(divided, self.rows(extents))

    def __str__(self) -> str:
        vector = f"({', '.join(map(str, self.alpha))})"
        return f"linear {vector} mod {self.banks}" + (f" of blocks of {self.block}" if self.block > 1 else "")


@dataclass(frozen=True, slots=True)
class Shared:
    """Indices of an axis that share addresses: groups of `number` indices, a `stride` apart, have one address."""

    axis: int
    number: int
    stride: int

    def group(self, index: Places) -> Places:
        """The number of the address of each index, from 0 on."""
        span = self.number * self.stride
        group: Places = index // span * self.stride + index % self.stride
        return group

    def groups(self, extent: int) -> int:
        """The largest number of addresses of the indices below an extent."""
        whole, remainder = divmod(extent, self.number * self.stride)
        return whole * self.stride + min(remainder, self.stride)


def _shared(axis: int, function: Linear) -> Shared:
    """The sharing of addresses along an axis."""
    part = function.alpha[axis]
    stride = function.block // math.gcd(part, function.block)
    further = part * stride // function.block
    return Shared(axis, function.banks // math.gcd(further, function.banks), stride)


BankFunction = Residues | Linear


def box_depth(function: BankFunction, extents: Sequence[int]) -> int:
    """The words of each bank for a box of elements."""
    return math.prod(function.rows(extents)) if extents else 1


def one_bank(rank: int) -> BankFunction:
    """The function that maps all elements to one bank."""
    return Residues((1,) * rank)


def _test_of_residues(differences: Places) -> Callable[[Residues], bool]:
    """A test whether residues separate elements with these differences.

    They fail if a difference is a multiple of the modulus along each axis. In a box of all differences these are few
    cells, which is a quick test if the box is not too large.
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
    """The first function without a conflict with at least `least` and at most `most` banks; None if none is found.

    `least` is the size of the largest set: fewer banks have a conflict. With `power_of_two` only such numbers of banks
    are tried.
    """
    rank = differences.shape[1]
    if not len(differences) and least <= 1:
        return one_bank(rank)
    axes = [axis for axis in range(rank) if axis == rank - 1 or differences[:, axis].any()]
    moving = np.ascontiguousarray(differences[:, axes], np.int64)
    smallest = _smallest(moving.tobytes(), len(axes), least, most, power_of_two)
    return None if smallest is None else _widened(smallest, axes, rank)


def _widened(function: BankFunction, axes: Sequence[int], rank: int) -> BankFunction:
    """A function of some axes as a function of all `rank` axes."""
    if isinstance(function, Residues):
        of_axis = dict(zip(axes, function.moduli, strict=True))
        return Residues(tuple(of_axis.get(axis, 1) for axis in range(rank)))
    of_axis = dict(zip(axes, function.alpha, strict=True))
    return Linear(tuple(of_axis.get(axis, 0) for axis in range(rank)), function.banks)


@lru_cache(maxsize=256)
def _smallest(rows: bytes, rank: int, least: int, most: int, power_of_two: bool) -> BankFunction | None:
    """The first function for differences (n, rank), cached, since other ports may lead to equal ones."""
    differences, work = np.frombuffer(rows, np.int64).reshape(-1, rank), WORK
    is_free = _test_of_residues(differences)
    widest = [_wide(int(far) + 1, power_of_two=power_of_two) for far in np.abs(differences).max(axis=0, initial=0)]
    for banks in range(max(1, least), most + 1):
        if power_of_two and banks & banks - 1:
            continue
        residues = (Residues(moduli) for moduli in factors(banks, rank) if all(map(le, moduli, widest)))
        function: BankFunction | None = next(filter(is_free, residues), None)
        if function is None and work > 0 and rank:
            function, work = _linear(differences, banks, work)
        if function is not None:
            return function
    return None


def _wide(number: int, *, power_of_two: bool) -> int:
    """The smallest modulus that separates so many consecutive indices."""
    return 1 << (number - 1).bit_length() if power_of_two else number


@lru_cache(maxsize=4096)
def factors(number: int, rank: int) -> tuple[tuple[int, ...], ...]:
    """The factorisations of a number into `rank` factors, in lexicographic order."""
    if rank <= 1:
        return ((number,),) * rank
    divisors = (factor for factor in range(1, number + 1) if number % factor == 0)
    return tuple((first, *rest) for first in divisors for rest in factors(number // first, rank - 1))


def _linear(differences: Places, banks: int, work: int) -> tuple[Linear | None, int]:
    """The first linear function with so many banks, and the amount of work that is left.

    For each vector without its last entry u: a difference with last entry v, whose other entries are mapped to e,
    forbids the u with u v + e = 0 mod B. With g = gcd(v, B) these are a residue class mod B / g if g divides e, and
    none otherwise.
    """
    common, inverses = _divisors_and_inverses(banks)
    leading, last = differences[:, :-1] % banks, differences[:, -1] % banks
    number = np.float32 if leading.shape[1] * banks**2 < _WHOLE else np.float64
    parts = []
    for divisor in np.unique(common[last]).tolist():
        has_divisor = common[last] == divisor
        lead, inverse = leading[has_divisor].T, -inverses[last[has_divisor]]
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
            forbidden_residues = np.zeros(
                (len(chunk), residues + 1), np.bool_
            )  # the last column is for those that forbid none
            _mark(forbidden_residues, np.where(share * divisor == sent, _modulo(share * inverse, residues), residues))
            forbidden |= np.tile(forbidden_residues[:, :-1], divisor)
        row, column = np.nonzero(~forbidden[:, units])
        if len(row):
            return Linear((*chunk[row[0]], int(units[column[0]])), banks), work
    return None, work


def _modulo(numbers: Floats, modulus: int) -> Floats:
    """The residues of whole numbers as floats, which multiply and divide many times faster than integers.

    All are below 2^24, or 2^53 in doubles, so a quotient q + r / m with r < m is not rounded up to q + 1.
    """
    residues: Floats = numbers - np.floor(numbers / modulus) * modulus
    return residues


def _mark(table: NDArray[np.bool_], columns: Floats) -> None:
    """Set some columns of each row, equally many in each."""
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
