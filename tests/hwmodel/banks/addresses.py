"""Where each element of an array lies under a layout: its bank, and its address there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

import numpy as np

from arrayol.arrays import IntArray
from arrayol.ir.spec import Shape
from hwmodel.banks.custom import Custom, VirtualMemory
from hwmodel.banks.partition import residue
from hwmodel.banks.references import ArrayInfo
from hwmodel.banks.report import NOWHERE, Elements, held_by


def naive_place(arrays: Mapping[str, ArrayInfo], name: str, elements: Elements) -> tuple[IntArray, IntArray]:
    """Bank 0 and row-major addresses, one array after the other. Raises ValueError behind an infinite array."""
    sizes = [array.elements for array in arrays.values()]
    return np.zeros(len(elements), dtype=np.int64), _base(arrays, name, sizes) + _row_major(
        arrays[name].shape, elements
    )


def cyclic_place(
    arrays: Mapping[str, ArrayInfo], name: str, elements: Elements, banks: int
) -> tuple[IntArray, IntArray]:
    """Modulo unrolling: element [.., j] in bank j mod N; rows follow each other in every bank."""
    shapes = {other: _folded(array.shape, banks) for other, array in arrays.items()}
    sizes = [_size(shape) for shape in shapes.values()]
    rows = elements.copy()
    rows[:, -1] //= banks
    return elements[:, -1] % banks, _base(arrays, name, sizes) + _row_major(shapes[name], rows)


def custom_address(custom: Custom, name: str, elements: Elements) -> IntArray:
    """The address in the bank: its memories follow each other. Raises ValueError behind an infinite memory."""
    addresses = np.full(len(elements), NOWHERE, dtype=np.int64)
    sizes: dict[int, list[int | None]] = {}
    for memory, bank in zip(custom.memories, custom.bank, strict=True):
        before = sizes.setdefault(bank, [])
        if memory.array == name and memory.replica == 0:
            held = held_by(memory, elements)
            addresses[held] = _sum(before) + _row_major(memory.shape, _inner(memory, elements[held]))
        before.append(_size(memory.shape))
    return addresses


def _folded(shape: Shape, banks: int) -> Shape:
    last = shape[-1]
    return (*shape[:-1], None if last is None else -(-last // banks))


def _inner(memory: VirtualMemory, elements: Elements) -> Elements:
    """Eq. 7 for many elements."""
    strides = np.array([stride or 1 for stride in memory.strides], dtype=np.int64)
    return (elements - np.array(memory.suffix, dtype=np.int64)) // strides


def _base(arrays: Mapping[str, ArrayInfo], name: str, sizes: Sequence[int | None]) -> int:
    return _sum(list(sizes)[: list(arrays).index(name)])


def _size(shape: Shape) -> int | None:
    return None if None in shape else prod(extent or 0 for extent in shape)


def _sum(sizes: Sequence[int | None]) -> int:
    if None in sizes:
        raise ValueError("behind an infinite array there is no address")
    return sum(size or 0 for size in sizes)


def _row_major(shape: Shape, elements: Elements) -> IntArray:
    """Addresses; only the first dimension may be infinite for them to exist."""
    if None in shape[1:]:
        raise ValueError("rows without end have no addresses")
    steps = [prod(extent or 0 for extent in shape[axis + 1 :]) for axis in range(len(shape))]
    return np.asarray(elements @ np.array(steps, dtype=np.int64), dtype=np.int64)


def holds(memory: VirtualMemory, element: Sequence[int]) -> bool:
    """Whether a reference of the partition can name the element; no other partition's then can."""
    return any(
        all(
            residue(coordinate, stride) == offset for coordinate, (stride, offset) in zip(element, lattice, strict=True)
        )
        for lattice in memory.lattices
    )


def place_in(memory: VirtualMemory, element: Sequence[int]) -> tuple[int, ...] | None:
    """Eq. 7: where the memory keeps an element of the array; None for an element that it does not hold."""
    if not holds(memory, element):
        return None
    dimensions = zip(element, memory.suffix, memory.strides, strict=True)
    return tuple((coordinate - first) // stride if stride else 0 for coordinate, first, stride in dimensions)


def element_at(memory: VirtualMemory, place: Sequence[int]) -> tuple[int, ...]:
    """The inverse of eq. 7: the element of the array at a place of the memory."""
    dimensions = zip(place, memory.suffix, memory.strides, strict=True)
    return tuple(first + stride * index for index, first, stride in dimensions)


def banks_of(custom: Custom) -> dict[str, int]:
    """The bank of each memory by its name."""
    return {memory.name: bank for memory, bank in zip(custom.memories, custom.bank, strict=True)}
