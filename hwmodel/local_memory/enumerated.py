"""Addresses of data that are no product of two lines: a box on the array's own subscripts, from every lifetime.

What cuts or several writers bring has no simple shape. Its data still have subscripts, and the step that
brings them tells several fetches of one element apart (counted in fetches where these come at equal distances, as
whole strips do). With an order of these coordinates, the least modulus of each is
1 + the greatest distance along it of two data that meet and are equal along all before it: successive moduli, so no two
data that meet have one address. All orders of the axes are tried, the step before or behind them; the smallest stays.

Two data meet if they live in a common step, then also in the step that brings the later of them. Of data that come and
go together only the extremes count, and these are few: a sort of one number for each datum, which holds what it is
equal to others in, its life and its coordinate, finds them. In the order in which they begin, a life meets those that
begin while it goes on, which stand side by side: their extremes are looked up.

Data meet only within a run of lives that overlap one after another. So no two of a run are farther apart than its
extremes, and where all lives of a run have a step in common these are the distance. Of the others the runs with the
widest come first, and those that are no wider than what these show are left out.

With the step outside, the longest life and the data that come in one step say what an order takes at least: mostly more
than another order takes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from hwmodel.local_memory.addresses import ElementBox, Ints

_ORDERS = 4  # axes up to which all orders are tried
_FIRST = 16  # one in so many of all data are in the runs that come first

Mask = NDArray[np.bool_]


def element_box(shape: tuple[int, ...], element: Ints, born: Ints, last: Ints, bank: Ints | None = None) -> ElementBox:
    """The addresses of data: elements by row-major number, each alive from step `born` to step `last`, both included.

    Data of different banks never meet: all banks share the moduli. Raises ValueError where two data of a bank are alive
    at once that are one element, brought in one step.
    """
    rank, start = len(shape), int(born.min()) if len(born) else 0
    every = max(1, int(np.gcd.reduce(born - start))) if len(born) else 1
    coordinates = (*(np.unravel_index(element, shape) if shape else ()), (born - start) // every)
    apart = np.zeros(len(born), np.int64) if bank is None else bank
    moduli = _Moduli.of(coordinates, born, last, apart)
    if not moduli.are_apart:
        raise ValueError("an element is brought twice in one step")
    order = moduli.least(_orders(rank))
    return ElementBox(shape, order, moduli.of_order(order), start, every)


def _orders(rank: int) -> list[tuple[int, ...]]:
    """The axes in every order, with the step (numbered `rank`) outside or inside of them."""
    axes = list(permutations(range(rank))) if rank <= _ORDERS else [tuple(range(rank))]
    return [order for some in axes for order in ((rank, *some), (*some, rank))]


_LARGEST = 1 << 62  # of a number that holds several


@dataclass(frozen=True, eq=False)
class _Moduli:
    """The least modulus of a coordinate, given which ones stand before it: in whatever order these do.

    `life` is by datum which of the lives, ascending from step `born` to step `last`, it has.
    """

    coordinates: tuple[Ints, ...]
    life: Ints
    born: Ints
    last: Ints
    bank: Ints
    known: dict[tuple[frozenset[int], int], int] = field(default_factory=dict)

    @staticmethod
    def of(coordinates: tuple[Ints, ...], born: Ints, last: Ints, bank: Ints) -> _Moduli:
        """Of data with these coordinates and lives; those of other banks do not count for each other."""
        start, wide = int(born.min(initial=0)), int(last.max(initial=0)) + 1
        lives, life = np.unique((born - start) * (wide - start) + last - start, return_inverse=True)
        first, end = np.divmod(lives, wide - start) if len(lives) else (lives, lives)
        return _Moduli(coordinates, life.ravel(), first, end, bank)

    def alike(self, those: frozenset[int]) -> Ints:
        """A number for each datum: the same for those of a bank that are equal along some coordinates."""
        numbers, size = self.bank, _range(self.bank)
        room = _LARGEST // max(self._widest * len(self.born), self._steps)
        for coordinate in (self.coordinates[number] for number in sorted(those)):
            wide = _range(coordinate)
            if size * wide > room:
                distinct, number = np.unique(numbers, return_inverse=True)
                numbers, size = number.ravel(), len(distinct)
            numbers, size = numbers * wide + coordinate, size * wide
        return numbers

    @property
    def _widest(self) -> int:
        return max(map(_range, self.coordinates))

    @property
    def _steps(self) -> int:
        """A step more than there are: those of one number stand apart from the next one's."""
        return 2 + int(self.last.max(initial=0))

    @property
    def are_apart(self) -> bool:
        """Whether no two data of a bank are equal along all coordinates."""
        ordered = np.sort(self.alike(frozenset(range(len(self.coordinates)))))
        return not bool((ordered[1:] == ordered[:-1]).any())

    def of_order(self, order: tuple[int, ...]) -> tuple[int, ...]:
        """The moduli of an order."""
        return tuple(self._least(frozenset(order[:place]), number) for place, number in enumerate(order))

    def least(self, orders: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
        """The first of the orders that take the fewest words; none is followed beyond what another one takes.

        Those with the step inside mostly take fewer: so they come first, and of others it is asked whether they may.
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
        """What an order with the step outside takes at least: by the longest life, and by data that come together."""
        if not len(self.life):
            return 1
        longest = int(np.argmax((self.last - self.born)[self.life]))
        born, end, steps = self.born[self.life], self.last[self.life[longest]], self.coordinates[order[0]]
        meeting = (self.bank == self.bank[longest]) & (born >= born[longest]) & (born <= end)
        return (1 + int(steps[meeting].max() - steps[longest])) * math.prod(self._together.of_order(order[1:]))

    @cached_property
    def _together(self) -> _Moduli:
        """Many data of a bank that come in one step, so that all of them meet."""
        born = self.born[self.life]
        rows = np.flatnonzero(born == self.born[np.bincount(self.life).argmax()])
        some = rows[self.bank[rows] == np.bincount(self.bank[rows]).argmax()]
        none = np.zeros(len(some), np.int64)
        return _Moduli.of(tuple(own[some] for own in self.coordinates), none, none, none)

    def _least(self, before: frozenset[int], number: int) -> int:
        if (before, number) not in self.known:
            self.known[before, number] = 1 + self._greatest_distance(before, number)
        return self.known[before, number]

    def _greatest_distance(self, before: frozenset[int], number: int) -> int:
        """The greatest difference along a coordinate of two data that are alike and meet."""
        coordinate, lives = self.coordinates[number], len(self.born)
        if not lives:
            return 0
        wide = _range(coordinate)
        packed = (self.alike(before) * lives + self.life) * wide + coordinate
        packed.sort()
        group = packed // wide
        heads = np.flatnonzero(np.append(True, group[1:] != group[:-1]))
        group, ends = group[heads], np.append(heads[1:], len(packed)) - 1
        least, most = packed[heads] - group * wide, packed[ends] - group * wide
        alike, life = np.divmod(group, lives)
        begin, end = alike * self._steps + self.born[life], alike * self._steps + self.last[life]
        runs = _runs(begin, end)
        rows = np.diff(runs, append=len(begin))
        span = np.maximum.reduceat(most, runs) - np.minimum.reduceat(least, runs)
        all_meet = begin[runs + rows - 1] <= np.minimum.reduceat(end, runs)
        found = int(span[all_meet].max(initial=0))
        span[all_meet] = 0
        for some in _portions(rows, np.argsort(-span, kind="stable")) if (span > found).any() else ():
            own = np.flatnonzero((some & (span > found)).repeat(rows))  # in others no two are farther apart
            if len(own):
                found = max(found, _distance_of_meeting(begin[own], end[own], least[own], most[own]))
        return found


def _runs(begin: Ints, end: Ints) -> Ints:
    """Where runs of lives start that are linked by such as meet: from `begin`, ascending, to `end`, both included."""
    return np.flatnonzero(np.append(True, begin[1:] > np.maximum.accumulate(end)[:-1]))


def _distance_of_meeting(begin: Ints, end: Ints, least: Ints, most: Ints) -> int:
    """The greatest difference of data of lives that meet, or of one life.

    A life, in the order of `begin`, meets those up to the last that begins while it goes on: their extremes are those
    of two stretches of a power of two.
    """
    after = np.searchsorted(begin, end, side="right")
    power = (np.frexp(after - np.arange(len(begin)))[1] - 1).astype(np.uint8)
    order, counts = np.argsort(power, kind="stable"), np.bincount(power)
    high, low, found = most, least, 0
    for level, own in enumerate(np.split(order, np.cumsum(counts)[:-1])):
        if level:
            half = 1 << (level - 1)
            high, low = np.maximum(high[:-half], high[half:]), np.minimum(low[:-half], low[half:])
        if len(own):
            other = after[own] - (1 << level)
            above = np.maximum(high[own], high[other]) - least[own]
            below = most[own] - np.minimum(low[own], low[other])
            found = max(found, int(above.max()), int(below.max()))
    return found


def _portions(rows: Ints, order: Ints) -> Iterator[Mask]:
    """The runs in two portions: in an order those with the first share of all rows, then the others."""
    first = np.zeros(len(rows), np.bool_)
    first[order[np.cumsum(rows[order]) <= max(int(rows.sum()) // _FIRST, int(rows[order[0]]))]] = True
    yield first
    yield ~first


def _range(numbers: Ints) -> int:
    return int(numbers.max(initial=0)) + 1
