"""Addresses of data that are not a product of two lines: a box over the array's subscripts, from every lifetime.

The idea. Data of cuts or of several writers have no simple shape. They still have subscripts, and the step that brings
them separates several fetches of one element (counted in fetches if these come at equal distances, as whole strips do).
Given an order of these coordinates, the least modulus of each is 1 + the greatest distance along it of two data that
are live together and equal along all earlier coordinates: these are successive moduli, so no two data that are live
together have one address. All orders of the axes are tried, with the step outermost or innermost; the smallest size is
taken.

Two data meet if they live in a common step, and so also in the step that brings the later of them. Of data that come
and go together only the extremes count, and these are few. Data are sorted by the coordinates in which they agree, then
by lifetime, with a radix sort, once for all coordinates. In order of birth, a life meets those that begin while it
lasts, and these are adjacent: their extremes are looked up.

Data meet only within a run of lives that overlap one after another. So no two data of a run are farther apart than its
extremes, and if all lives of a run have a step in common these are the distance. Of all other runs the widest come
first, and those that are no wider than the distance found so far are left out.

With the step outermost, the longest life and the data that come in one step give a lower bound of an order's size,
which is mostly more than another order takes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import IntArray
from hwmodel.local_memory.addresses import ElementBox

_ORDERS = 4  # axes up to which all orders are tried
_FIRST = 16  # one in so many of all data are in the runs that come first

Mask = NDArray[np.bool_]


def element_box(
    shape: tuple[int, ...], element: IntArray, born: IntArray, last: IntArray, bank: IntArray | None = None
) -> ElementBox:
    """The addresses of data: elements by row-major number, each live from step `born` to step `last`, both included.

    Data of different banks never meet, and all banks share the moduli. Raises ValueError if two data of a bank are one
    element, brought in one step.
    """
    rank = len(shape)
    if not len(born):
        return ElementBox(shape, _orders(rank)[0], (1,) * (rank + 1), 0, 1)
    start = int(born.min())
    every = max(1, int(np.gcd.reduce(born - start)))
    coordinates = (*(np.unravel_index(element, shape) if shape else ()), (born - start) // every)
    apart = np.zeros(len(born), np.int64) if bank is None else bank
    moduli = _Moduli.of(coordinates, born, last, apart)
    if not moduli.are_disjoint:
        raise ValueError("an element is brought twice in one step")
    order = moduli.least(_orders(rank))
    return ElementBox(shape, order, moduli.of_order(order), start, every)


def _orders(rank: int) -> list[tuple[int, ...]]:
    """The axes in every order, with the step (numbered `rank`) outermost or innermost."""
    axes = list(permutations(range(rank))) if rank <= _ORDERS else [tuple(range(rank))]
    return [order for axis_order in axes for order in ((rank, *axis_order), (*axis_order, rank))]


_LARGEST = 1 << 62  # of a number that holds several


@dataclass(frozen=True, eq=False)
class _Meeting:
    """Data grouped by a number (`alike`) and a life, with groups that meet adjacent; valid for any coordinate.

    `order` sorts data by group, and groups start at `heads`. Lives of number a go from `begin` to `end`, and steps of
    different numbers do not overlap. `runs` are the starts of runs of groups, with so many `rows`, that are linked by
    meeting lives; in the runs of `all_meet` all lives have a step in common.
    """

    order: IntArray
    heads: IntArray
    begin: IntArray
    end: IntArray
    runs: IntArray
    rows: IntArray
    all_meet: Mask

    @staticmethod
    def of(alike: IntArray, life: IntArray, born: IntArray, last: IntArray, steps: int) -> _Meeting:
        """Group data by number and life, both ascending; lives are from step `born` to step `last`."""
        order = _stable_order(alike)
        alike, life = alike[order], life[order]
        heads = np.flatnonzero(np.append(True, (alike[1:] != alike[:-1]) | (life[1:] != life[:-1])))
        base, life = alike[heads] * steps, life[heads]
        begin, end = base + born[life], base + last[life]
        runs = _runs(begin, end)
        rows = np.diff(runs, append=len(begin))
        all_meet = begin[runs + rows - 1] <= np.minimum.reduceat(end, runs)
        return _Meeting(order, heads, begin, end, runs, rows, all_meet)

    def distance(self, coordinate: IntArray) -> int:
        """The greatest difference along a coordinate of two data of equal number that meet."""
        ordered = coordinate[self.order]
        least, most = np.minimum.reduceat(ordered, self.heads), np.maximum.reduceat(ordered, self.heads)
        span = np.maximum.reduceat(most, self.runs) - np.minimum.reduceat(least, self.runs)
        greatest = int(span[self.all_meet].max(initial=0))
        span[self.all_meet] = 0
        for portion in _portions(self.rows, np.argsort(-span, kind="stable")) if (span > greatest).any() else ():
            own = np.flatnonzero((portion & (span > greatest)).repeat(self.rows))  # in others no two are farther apart
            if len(own):
                greatest = max(greatest, _distance_of_meeting(self.begin[own], self.end[own], least[own], most[own]))
        return greatest


@dataclass(frozen=True, eq=False)
class _Moduli:
    """The least modulus of a coordinate, given the set of coordinates before it.

    `life` is the number of each datum's lifetime, ascending; lifetimes are from step `born` to step `last`. Data are in
    its order.
    """

    coordinates: tuple[IntArray, ...]
    life: IntArray
    born: IntArray
    last: IntArray
    bank: IntArray
    known: dict[tuple[frozenset[int], int], int] = field(default_factory=dict)
    meeting: dict[frozenset[int], _Meeting] = field(default_factory=dict)

    @staticmethod
    def of(coordinates: tuple[IntArray, ...], born: IntArray, last: IntArray, bank: IntArray) -> _Moduli:
        """The moduli of data with these coordinates and lifetimes; data of different banks do not meet."""
        start, wide = int(born.min()), int(last.max()) + 1
        packed = (born - start) * (wide - start) + last - start
        order = _stable_order(packed)
        packed = packed[order]
        is_new = np.append(True, packed[1:] != packed[:-1])
        first, end = np.divmod(packed[is_new], wide - start)
        return _Moduli(
            tuple(coordinate[order] for coordinate in coordinates), np.cumsum(is_new) - 1, first, end, bank[order]
        )

    def alike(self, those: frozenset[int]) -> IntArray:
        """A number for each datum, equal for data of one bank that are equal along some coordinates."""
        numbers, size = self.bank, _range(self.bank)
        room = _LARGEST // self._steps
        for coordinate in (self.coordinates[number] for number in sorted(those)):
            wide = _range(coordinate)
            if size * wide > room:
                distinct, number = np.unique(numbers, return_inverse=True)
                numbers, size = number.ravel(), len(distinct)
            numbers, size = numbers * wide + coordinate, size * wide
        return numbers

    @cached_property
    def _steps(self) -> int:
        """One more than the number of steps, so that steps of different numbers do not overlap."""
        return 2 + int(self.last.max())

    @property
    def are_disjoint(self) -> bool:
        """Whether no two data of a bank are equal along all coordinates."""
        axes, step = frozenset(range(len(self.coordinates) - 1)), self.coordinates[-1]
        order, element = self._meeting(axes).order, self.alike(axes)
        alike = (element[order[1:]] == element[order[:-1]]) & (step[order[1:]] == step[order[:-1]])
        return not bool(alike.any())

    def of_order(self, order: tuple[int, ...]) -> tuple[int, ...]:
        """The moduli of an order of the coordinates."""
        return tuple(self._least(frozenset(order[:place]), number) for place, number in enumerate(order))

    def least(self, orders: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
        """The first of the orders that take the fewest words; each is given up once it takes more than another.

        Orders with the step innermost mostly take fewer words, so they come first, and all others only if a lower bound
        allows.
        """
        step = len(self.coordinates) - 1
        best, fewest = 0, _LARGEST
        for place in sorted(range(len(orders)), key=lambda place: orders[place][0] == step):
            order, size = orders[place], 1
            if order[0] == step and (self._floor(order), place) > (fewest, best):
                continue
            for at, number in enumerate(order):
                size *= self._least(frozenset(order[:at]), number)
                if (size, place) > (fewest, best):
                    break
            else:
                best, fewest = place, size
        return orders[best]

    def _floor(self, order: tuple[int, ...]) -> int:
        """A lower bound of an order with the step outermost, from the longest life and data that come together."""
        return self._steps_at_once * math.prod(self._together.of_order(order[1:]))

    @cached_property
    def _steps_at_once(self) -> int:
        """The number of steps that bring data during the longest life."""
        longest = int(np.argmax((self.last - self.born)[self.life]))
        born, end, steps = self.born[self.life], self.last[self.life[longest]], self.coordinates[-1]
        meeting = (self.bank == self.bank[longest]) & (born >= born[longest]) & (born <= end)
        return 1 + int(steps[meeting].max() - steps[longest])

    @cached_property
    def _together(self) -> _Moduli:
        """Many data of a bank that come in one step, so that all of them meet."""
        born = self.born[self.life]
        rows = np.flatnonzero(born == self.born[np.bincount(self.life).argmax()])
        rows_of_bank = rows[self.bank[rows] == np.bincount(self.bank[rows]).argmax()]
        none = np.zeros(len(rows_of_bank), np.int64)
        return _Moduli.of(tuple(coordinate[rows_of_bank] for coordinate in self.coordinates), none, none, none)

    def _least(self, before: frozenset[int], number: int) -> int:
        """The least modulus of a coordinate after a set of others, cached."""
        if (before, number) not in self.known:
            self.known[before, number] = 1 + self._meeting(before).distance(self.coordinates[number])
        return self.known[before, number]

    def _meeting(self, alike: frozenset[int]) -> _Meeting:
        """The groups of data that are equal along some coordinates, cached."""
        if alike not in self.meeting:
            numbers = self.alike(alike)
            self.meeting[alike] = _Meeting.of(numbers, self.life, self.born, self.last, self._steps)
        return self.meeting[alike]


def _stable_order(numbers: IntArray) -> IntArray:
    """A stable sort of numbers, by digits of 16 bits, which needs no comparisons."""
    order, size = np.argsort(numbers.astype(np.uint16), kind="stable"), int(numbers.max(initial=0))
    while size := size >> 16:
        numbers = numbers >> 16
        order = order[np.argsort(numbers[order].astype(np.uint16), kind="stable")]
    return order


def _runs(begin: IntArray, end: IntArray) -> IntArray:
    """The starts of runs of lives that overlap one after another.

    Lives go from `begin`, ascending, to `end`, both included.
    """
    return np.flatnonzero(np.append(True, begin[1:] > np.maximum.accumulate(end)[:-1]))


def _distance_of_meeting(begin: IntArray, end: IntArray, least: IntArray, most: IntArray) -> int:
    """The greatest difference of data of lives that meet, or of one life.

    A life, in order of `begin`, meets those up to the last that begins while it lasts. Their extremes are those of two
    intervals whose length is a power of two (a sparse table).
    """
    after = np.searchsorted(begin, end, side="right")
    power = (np.frexp(after - np.arange(len(begin)))[1] - 1).astype(np.uint8)
    order, counts = np.argsort(power, kind="stable"), np.bincount(power)
    high, low, distance = most, least, 0
    for level, own in enumerate(np.split(order, np.cumsum(counts)[:-1])):
        if level:
            half = 1 << (level - 1)
            high, low = np.maximum(high[:-half], high[half:]), np.minimum(low[:-half], low[half:])
        if len(own):
            other = after[own] - (1 << level)
            above = np.maximum(high[own], high[other]) - least[own]
            below = most[own] - np.minimum(low[own], low[other])
            distance = max(distance, int(above.max()), int(below.max()))
    return distance


def _portions(rows: IntArray, order: IntArray) -> Iterator[Mask]:
    """The runs in two portions: those that come first in an order, with a share of all rows, then all others."""
    first = np.zeros(len(rows), np.bool_)
    first[order[np.cumsum(rows[order]) <= max(int(rows.sum()) // _FIRST, int(rows[order[0]]))]] = True
    yield first
    yield ~first


def _range(numbers: IntArray) -> int:
    """One more than the greatest number."""
    return int(numbers.max(initial=0)) + 1
