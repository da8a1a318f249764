"""Where arrays lie in external memory, and sets of elements as bursts (docs/platform.md).

Arrays are row-major and follow one another in one address space, each from the start of a memory row on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import prod

import numpy as np

from arrayol.arrays import IntArray
from arrayol.tiling.nest import NestArray
from hwmodel.external_memory import Bursts
from hwmodel.platform import Platform


@dataclass(frozen=True, slots=True)
class Place:
    """An array in external memory: its first byte, bytes per element, and extents (row-major)."""

    base: int
    element_bytes: int
    shape: tuple[int, ...]

    def linear(self, element: IntArray) -> IntArray:
        """The row-major number of each row of subscripts (n, rank), shape (n,)."""
        number = np.zeros(len(element), np.int64)
        for axis, extent in enumerate(self.shape):
            number = number * extent + element[:, axis]
        return number


def places(arrays: Mapping[str, NestArray], platform: Platform) -> dict[str, Place]:
    """The place of each array but locals, in the order given; without a row model arrays follow each other at once."""
    (channel,) = platform.channels
    align = channel.rows.row_bytes if channel.rows is not None else 1
    taken: dict[str, Place] = {}
    free = 0
    for name, array in arrays.items():
        if array.is_local:
            continue
        place = Place(free, array.type.bytes, tuple(extent or 1 for extent in array.shape))
        taken[name] = place
        free += -(-prod(place.shape) * place.element_bytes // align) * align
    return taken


@dataclass(frozen=True, eq=False)
class TransferMoves:
    """Elements that move between the memories, arrays of shape n.

    `unit` numbers the tile or strip that an element moves for, `array` its place, `element` is its row-major number.
    """

    unit: IntArray
    array: IntArray
    element: IntArray

    def __len__(self) -> int:
        return len(self.unit)


def moves(parts: Iterable[tuple[IntArray, IntArray | int, IntArray]]) -> TransferMoves:
    """Moves from (unit, array number, element number), without repetition, in the order of the port."""
    held = [(unit, np.broadcast_to(array, unit.shape), element) for unit, array, element in parts]
    if not held:
        return TransferMoves(*(np.zeros(0, np.int64) for _ in range(3)))
    unit, array, element = (np.concatenate(column) for column in zip(*held, strict=True))
    arrays, elements = (int(column.max(initial=0)) + 1 for column in (array, element))
    keys = np.sort((unit * arrays + array) * elements + element, kind="stable")  # of sorted runs: soon done
    keys = keys[np.diff(keys, prepend=-1) > 0]
    return TransferMoves(keys // elements // arrays, keys // elements % arrays, keys % elements)


@dataclass(frozen=True, eq=False)
class UnitBursts:
    """Bursts, and the unit that each belongs to."""

    unit: IntArray
    bursts: Bursts


def bases_and_sizes(where: Iterable[Place]) -> tuple[IntArray, IntArray]:
    """First byte and bytes per element, by the number of the place."""
    held = list(where)
    return np.array([place.base for place in held]), np.array([place.element_bytes for place in held])


def as_bursts(moved: TransferMoves, where: Iterable[Place], write: bool) -> UnitBursts:
    """One burst for each run of consecutive elements of an array and unit."""
    base, size = bases_and_sizes(where)
    if not len(moved):
        nothing = np.zeros(0, np.int64)
        return UnitBursts(nothing, Bursts(nothing, nothing, nothing, np.zeros(0, np.bool_)))
    goes_on = (np.diff(moved.unit) == 0) & (np.diff(moved.array) == 0) & (np.diff(moved.element) == 1)
    starts = np.flatnonzero(np.concatenate([[True], ~goes_on]))
    data = np.diff([*starts, len(moved)])
    array = moved.array[starts]
    address = base[array] + moved.element[starts] * size[array]
    return UnitBursts(moved.unit[starts], Bursts(address, data * size[array], data, np.full(len(starts), write)))
