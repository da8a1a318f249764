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

from itertools import permutations

import numpy as np

from hwmodel.local_memory.addresses import ElementBox, Ints

_ORDERS = 4  # axes up to which all orders are tried


def element_box(shape: tuple[int, ...], element: Ints, born: Ints, last: Ints, bank: Ints | None = None) -> ElementBox:
    """The addresses of data: elements by row-major number, each alive from step `born` to step `last`, both included.

    Data of different banks never meet: all banks share the moduli. Raises ValueError where two data of a bank are alive
    at once that are one element, brought in one step.
    """
    apart = np.zeros(len(born), np.int64) if bank is None else bank
    rank, start = len(shape), int(born.min()) if len(born) else 0
    every = max(1, int(np.gcd.reduce(born - start))) if len(born) else 1
    coordinates = [*(np.unravel_index(element, shape) if shape else ()), (born - start) // every]
    boxes = [
        ElementBox(shape, order, _moduli(apart, coordinates, order, born, last), start, every)
        for order in _orders(rank)
    ]
    return min(boxes, key=lambda box: box.size)


def _orders(rank: int) -> list[tuple[int, ...]]:
    """The axes in every order, with the step (numbered `rank`) outside or inside of them."""
    axes = list(permutations(range(rank))) if rank <= _ORDERS else [tuple(range(rank))]
    return [order for some in axes for order in ((rank, *some), (*some, rank))]


def _moduli(apart: Ints, coordinates: list[Ints], order: tuple[int, ...], born: Ints, last: Ints) -> tuple[int, ...]:
    alike, moduli = apart, []
    for number in order:
        moduli.append(1 + _greatest_distance(alike, coordinates[number], born, last))
        _, alike = np.unique(np.stack([alike, coordinates[number]]), axis=1, return_inverse=True)
        alike = alike.ravel()
    if len(np.unique(alike)) < len(alike):
        raise ValueError("an element is brought twice in one step")
    return tuple(moduli)


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
