"""What it costs to bring arrays into a custom layout and back, and when that pays (paper B, section 4.5).

Before the nest each live element is moved from the array to its virtual memory, after it each result back. Virtual
memories hold disjoint lattices of an array (`partition`), so the elements that the nest touches are marked once, in the
array's shape, and each memory counts the marks on its lattice: the counts add up to the elements moved, none twice. An
affine reference marks a slice where no two loops move one dimension, else its iterations one by one; both are exact.
What a condition or data decide marks all that the stride allows, and the cost is then an upper bound.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from hwmodel.banks.custom import Custom, VirtualMemory
from hwmodel.banks.partition import Lattice, lattice_of
from hwmodel.banks.references import Body, NormalisedLoop, Reference, Subscript, UnrolledNest

ELEMENTS_AT_MOST = 1 << 26  # of an array that is marked element by element
_ITERATIONS_AT_ONCE = 1 << 22


@dataclass(frozen=True, slots=True)
class Touched:
    """A mask in the array's shape; where `exact` is false it may hold elements that are not touched."""

    mask: NDArray[np.bool_]
    exact: bool


def touched(nest: UnrolledNest, array: str, *, writes: bool) -> Touched | None:
    """The elements of an array that a nest reads, or writes; None for an array too large to mark, or without end.

    `nest` is not unrolled: then its loops cover the remainders too. What is not affine or depends on a condition counts
    as everything that its stride allows.
    """
    info = nest.arrays[array]
    if info.elements is None or info.elements > ELEMENTS_AT_MOST:
        return None
    mask = np.zeros(tuple(extent or 0 for extent in info.shape), dtype=np.bool_)
    exact = True
    for body in nest.bodies:
        references = [each for each in body.references if each.array == array and each.write == writes]
        exact = exact and (not references or _is_box(body)) and all(each.affine and each.certain for each in references)
        _mark(mask, references, body.loops)
    return Touched(mask, exact)


def _is_box(body: Body) -> bool:
    """Whether no loop's bound depends on another's index: then all combinations run."""
    extents = [loop.extent for loop in body.loops]
    return body.runs is not None and None not in extents and body.runs == prod(extent or 0 for extent in extents)


def _mark(mask: NDArray[np.bool_], references: Iterable[Reference], loops: Sequence[NormalisedLoop]) -> None:
    for reference in references:
        if not reference.affine or any(loop.extent is None for loop in loops):
            mask[lattice_slices(lattice_of(reference))] = True
        elif _is_separable(reference):
            _mark_slice(mask, reference, loops)
        else:
            _mark_points(mask, reference, loops)


def lattice_slices(lattice: Lattice) -> tuple[slice, ...]:
    """The elements of a lattice from 0 on, as NumPy takes them."""
    return tuple(
        slice(first, None, stride) if stride else slice(max(0, first), max(0, first + 1)) for stride, first in lattice
    )


def _is_separable(reference: Reference) -> bool:
    """Whether no loop moves two dimensions, and none is moved by two loops."""
    rows = [part.coefficients for part in reference.subscripts]
    moved = [sum(factor != 0 for factor in row) for row in rows]
    moving = [sum(factor != 0 for factor in column) for column in zip(*rows, strict=True)]
    return max([*moved, *moving], default=0) <= 1


def _mark_slice(mask: NDArray[np.bool_], reference: Reference, loops: Sequence[NormalisedLoop]) -> None:
    slices = []
    for part, size in zip(reference.subscripts, mask.shape, strict=True):
        step, extent = next(
            ((factor, loop.extent or 0) for factor, loop in zip(part.coefficients, loops, strict=True) if factor),
            (1, 1),
        )
        first, last = sorted((part.offset, part.offset + step * (extent - 1)))
        first += max(0, -(first // abs(step))) * abs(step)  # the first inside the array
        slices.append(slice(first, min(last + 1, size), abs(step)))
    if all((loop.extent or 0) > 0 for loop in loops):
        mask[tuple(slices)] = True


def _mark_points(mask: NDArray[np.bool_], reference: Reference, loops: Sequence[NormalisedLoop]) -> None:
    """Every iteration of the loops that move the reference; in parts of bounded size."""
    moving = [place for place in range(len(loops)) if any(part.coefficients[place] for part in reference.subscripts)]
    counts = [loops[place].extent or 0 for place in moving]
    total = prod(counts)
    for start in range(0, total, _ITERATIONS_AT_ONCE):
        indices = np.unravel_index(np.arange(start, min(total, start + _ITERATIONS_AT_ONCE)), counts)
        places = [_values(part, moving, indices) for part in reference.subscripts]
        inside = np.logical_and.reduce(
            [(place >= 0) & (place < size) for place, size in zip(places, mask.shape, strict=True)]
        )
        mask[tuple(place[inside] for place in places)] = True


def _values(subscript: Subscript, moving: Sequence[int], indices: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    values = np.full(indices[0].shape, subscript.offset, dtype=np.int64)
    for place, index in zip(moving, indices, strict=True):
        values += subscript.coefficients[place] * index
    return values


def count_in(memory: VirtualMemory, mask: NDArray[np.bool_]) -> int:
    """How many marked elements of the array a memory holds."""
    part = mask[lattice_slices(tuple(zip(memory.strides, memory.suffix, strict=True)))]
    held = np.zeros(part.shape, dtype=np.bool_)
    for lattice in memory.lattices:
        held[tuple(map(_within, lattice, memory.strides, memory.suffix))] = True
    return int(np.count_nonzero(part & held))


def _within(own: tuple[int, int], stride: int, suffix: int) -> slice:
    """One dimension of a reference's lattice, in places of a memory with a stride and suffix."""
    if stride == 0:
        return slice(None)
    place = (own[1] - suffix) // stride
    return slice(place, None, own[0] // stride) if own[0] else slice(max(0, place), max(0, place + 1))


@dataclass(frozen=True, slots=True)
class Reorganisation:
    """Elements moved by one reorganisation before and one restoration after a nest, and their cycles.

    Only what is live moves: elements that the nest reads from before it, and those it writes that are used after it.
    Banks work in parallel, one access each per cycle, and the other side keeps pace, so the busiest bank decides.
    `exact` is false where elements may be counted that the nest does not touch. `break_even` is the number of
    executions of the nest between the two from which the custom layout, reorganisation included, takes no more cycles
    than one memory does (remainders taken as equal); None where it always takes more.
    """

    elements_in: int
    elements_out: int
    cycles_in: int
    cycles_out: int
    exact: bool
    break_even: int | None

    @property
    def cycles(self) -> int:
        return self.cycles_in + self.cycles_out


def reorganisation(base: UnrolledNest, custom: Custom, saved: int | None) -> Reorganisation | None:
    """The cost of a layout for `base`, the nest before unrolling; None where an array is infinite or too large.

    `saved` are the cycles that one execution of the nest takes less than with one memory, None for an endless nest.
    """
    counts = {False: Counter[int](), True: Counter[int]()}
    elements, exact = {False: 0, True: 0}, True
    for array in base.arrays.values():
        for out, live in ((False, array.live_in), (True, array.live_out)):
            memories = [(number, memory) for number, memory in enumerate(custom.memories) if memory.array == array.name]
            if not live or not memories:
                continue
            marked = touched(base, array.name, writes=out)
            if marked is None:
                return None
            exact = exact and marked.exact
            for number, memory in memories:
                held = count_in(memory, marked.mask)
                counts[out][custom.bank[number]] += held
                elements[out] += held
    cycles = {out: max(counts[out].values(), default=0) for out in counts}
    break_even = max(1, -(-sum(cycles.values()) // saved)) if saved is not None and saved > 0 else None
    return Reorganisation(elements[False], elements[True], cycles[False], cycles[True], exact, break_even)
