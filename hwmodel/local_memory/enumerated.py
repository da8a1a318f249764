"""Addresses of data that are no product of two lines: a box on the array's own subscripts, from every lifetime.

What cuts, recomputing or several writers bring has no simple shape. Its data still have subscripts, and the step that
brings them tells several fetches of one element apart (counted in fetches where these come at equal distances, as
whole strips do). With an order of these coordinates, the least modulus of each is
1 + the greatest distance along it of two data that meet and are equal along all before it: successive moduli, so no two
data that meet have one address. All orders of the axes are tried, the step before or behind them; the smallest stays.

Two data meet if they live in a common step, then also in the step that brings the later of them. So among those that
are equal along all coordinates before, the greatest distance is that of the extremes of what lives in such a step. They
are found for all steps at once: an interval of steps is covered by two of a power of two, of which each level hands its
extremes on to the next lower one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import permutations

import numpy as np

from hwmodel.local_memory.addresses import ElementBox, Ints

_ORDERS = 4  # axes up to which all orders are tried


def element_box(shape: tuple[int, ...], element: Ints, born: Ints, last: Ints, bank: Ints | None = None) -> ElementBox:
    """The addresses of data: elements by row-major number, each alive from step `born` to step `last`, both included.

    Data of different banks never meet: all banks share the moduli. Raises ValueError where two data of a bank are alive
    at once that are one element, brought in one step.
    """
    rank, start = len(shape), int(born.min()) if len(born) else 0
    every = max(1, int(np.gcd.reduce(born - start))) if len(born) else 1
    coordinates = (*(np.unravel_index(element, shape) if shape else ()), (born - start) // every)
    apart = np.zeros(len(born), np.int64) if bank is None else np.unique(bank, return_inverse=True)[1].ravel()
    moduli = _Moduli(coordinates, born, last, {frozenset(): apart})
    if len(np.unique(moduli.alike(frozenset(range(rank + 1))))) < len(born):
        raise ValueError("an element is brought twice in one step")
    order = moduli.least(_orders(rank))
    return ElementBox(shape, order, moduli.of(order), start, every)


def _orders(rank: int) -> list[tuple[int, ...]]:
    """The axes in every order, with the step (numbered `rank`) outside or inside of them."""
    axes = list(permutations(range(rank))) if rank <= _ORDERS else [tuple(range(rank))]
    return [order for some in axes for order in ((rank, *some), (*some, rank))]


@dataclass(frozen=True, eq=False)
class _Moduli:
    """The least modulus of a coordinate, given which ones stand before it: in whatever order these do."""

    coordinates: tuple[Ints, ...]
    born: Ints
    last: Ints
    numbers: dict[frozenset[int], Ints]
    known: dict[tuple[frozenset[int], int], int] = field(default_factory=dict)

    def alike(self, those: frozenset[int]) -> Ints:
        """A number for each datum: the same for those of a bank that are equal along some coordinates."""
        if those not in self.numbers:
            greatest = max(those)
            last = self.coordinates[greatest]
            pairs = self.alike(those - {greatest}) * (int(last.max(initial=0)) + 1) + last
            self.numbers[those] = np.unique(pairs, return_inverse=True)[1].ravel()
        return self.numbers[those]

    def of(self, order: tuple[int, ...]) -> tuple[int, ...]:
        """The moduli of an order."""
        return tuple(self._least(frozenset(order[:place]), number) for place, number in enumerate(order))

    def least(self, orders: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
        """The first of the orders that take the fewest words; none is followed beyond what another one takes."""
        best, fewest = orders[0], math.prod(self.of(orders[0]))
        for order in orders[1:]:
            size = 1
            for place, number in enumerate(order):
                size *= self._least(frozenset(order[:place]), number)
                if size >= fewest:
                    break
            else:
                best, fewest = order, size
        return best

    def _least(self, before: frozenset[int], number: int) -> int:
        if (before, number) not in self.known:
            distance = _greatest_distance(self.alike(before), self.coordinates[number], self.born, self.last)
            self.known[before, number] = 1 + distance
        return self.known[before, number]


def _greatest_distance(alike: Ints, coordinate: Ints, born: Ints, last: Ints) -> int:
    """The greatest difference of the coordinates of two data that are `alike` and meet."""
    if not len(born):
        return 0
    start = int(born.min())
    steps = int(last.max()) - start + 1
    wide = 1 + steps  # a group's steps stand apart from the next one's
    places = np.unique(alike * wide + born - start)
    first = np.searchsorted(places, alike * wide + born - start)
    end = np.searchsorted(places, alike * wide + last - start, side="right")
    high, low = _extremes(len(places), first, end, coordinate), _extremes(len(places), first, end, -coordinate)
    return int((high + low).max())


def _extremes(places: int, first: Ints, end: Ints, value: Ints) -> Ints:
    """By place the greatest value of those whose interval first .. end - 1 holds it; each has one that does."""
    level = np.log2(end - first).astype(np.int64)
    none = np.iinfo(np.int64).min // 2
    greatest = np.full(places, none)
    for power in range(int(level.max()), -1, -1):
        if power < int(level.max()):
            half = greatest.copy()
            half[1 << power :] = np.maximum(half[1 << power :], greatest[: places - (1 << power)])
            greatest = half
        own = level == power
        np.maximum.at(greatest, first[own], value[own])
        np.maximum.at(greatest, end[own] - (1 << power), value[own])
    return greatest
