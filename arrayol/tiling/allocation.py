"""Modular allocation of local memory after Darte, Schreiber and Villard ("Lattice-based memory allocation", 2005).

An element x takes the slot M x mod b, component by component. Two elements x and y share a slot exactly where
M (x - y) = 0 mod b, so only differences count: the allocation is right if no difference d of two elements alive at
once, other than 0, has M d = 0 mod b. Lifetimes are exact, and so is their set of differences, which each choice of M
and b is checked against in full. Nothing says that the smallest allocation is of this form: `allocate` takes the best
that it tries, and tells the largest live set beside it, which is a lower bound.

With symbols there are no differences to list. There M is the identity, and b the extents of the live sets as formulas.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations, product
from math import prod

import islpy as isl
import numpy as np

from arrayol.arrays import IntArray, distinct_rows
from arrayol.polyhedral.isl import TooHardError, bounded_effort
from arrayol.text import rounded
from arrayol.tiling.liveness import Lifetimes, lifetimes, live
from arrayol.tiling.nest import NestArray, Traffic
from arrayol.tiling.quasi_affine import Conjunctions, QuasiAffine, case_text, conditions_of, form_of, hold

Rows = tuple[tuple[int, ...], ...]

SKEWS = (1, -1, 2, -2)  # multiples of one subscript added to another, tried where the axes alone waste slots
TRIES = 400  # smaller moduli that are tried per choice of rows


@dataclass(frozen=True, slots=True)
class Allocation:
    """Slots for the elements of an array: subscripts x go to `matrix` x mod `moduli`, row by row.

    `live` is the size of the largest live set, which no allocation can be smaller than. `reason` says in a sentence
    why no two elements that are alive at once share a slot.
    """

    matrix: Rows
    moduli: tuple[int, ...]
    live: int
    reason: str

    @property
    def size(self) -> int:
        """Slots in all."""
        return prod(self.moduli)

    def slots(self, elements: IntArray) -> IntArray:
        """The slot number of each row of `elements` (n, rank), shape (n,)."""
        number = np.zeros(len(elements), np.int64)
        for row, modulus in zip(self.matrix, self.moduli, strict=True):
            number = number * modulus + (elements @ np.array(row, np.int64)) % modulus
        return number


def allocate(alive: Lifetimes) -> Allocation:
    """The smallest allocation that is found for some lifetimes: see `allocate_all`."""
    return allocate_all([alive])


def allocate_overlapped(traffic: Traffic, name: str) -> Allocation:
    """The slots of an array under double buffering; what starts at zero with the tile takes no turns in a variable."""
    if name in traffic.variables and traffic.zeroed[name].is_empty():
        return as_variable(traffic.nest.arrays[name])
    return allocate(lifetimes(traffic, name, overlapped=True))


def as_variable(array: NestArray) -> Allocation:
    """The slots of a local that is a variable: it is the only one of its name at any time."""
    around, rank = len(array.around), len(array.shape)
    moduli = tuple(extent or 1 for extent in array.shape[around:])
    rows = tuple(tuple(int(row == column) for column in range(rank)) for row in range(around, rank))
    return Allocation(rows, moduli, 0, "each is used within a tile, and before the next one is")


def allocate_all(parts: Iterable[Lifetimes]) -> Allocation:
    """The smallest allocation among permuted and slightly skewed axes, with successive moduli and smaller ones tried.

    It serves lifetimes of several parts, whose elements are not alive together.

    Successive moduli, for d as M maps it: b_1 exceeds every |d_1|, b_2 every |d_2| of the differences whose d_1 is 0,
    and so on; then d = 0 mod b forces d_1 = 0, then d_2 = 0, and so to the end. Smaller moduli are checked against each
    difference.
    """
    seen: set[bytes] = set()
    found: IntArray | None = None
    largest = 0
    for alive in parts:
        own = conflict_differences(alive, seen)
        found = own if found is None else distinct_rows(np.concatenate([found, own]))
        largest = max(largest, alive.largest())
    assert found is not None
    differences, rank = found, found.shape[1]
    best: Allocation | None = None
    for matrix in _matrices(rank):
        allocation = _with_rows(differences, matrix, largest)
        if best is None or allocation.size < best.size:
            best = allocation
        if best.size <= max(largest, 1):
            break
    assert best is not None
    return best


def conflict_differences(alive: Lifetimes, seen: set[bytes] | None = None) -> IntArray:
    """The differences, other than 0, of elements that are alive in one step of a strip, shape (n, rank).

    Of d and -d one is kept. d is one where the live set and itself moved by d overlap: the autocorrelation of each live
    set's window tells all of them at once. Live sets of one shape are done once, and not if `seen` has it already.
    """
    rank = alive.element.shape[1]
    if not rank:
        return np.zeros((0, 0), np.int64)
    seen = set() if seen is None else seen
    farthest = np.ptp(alive.element, axis=0) if len(alive.element) else np.zeros(rank, np.int64)
    differences = np.zeros(0, np.int64)  # one number per difference sorts fast
    for window in _windows(alive):
        key = np.array(window.shape).tobytes() + np.packbits(window).tobytes()
        if key in seen:
            continue
        seen.add(key)
        numbers = np.ravel_multi_index(tuple((_differences(window) + farthest).T), tuple(2 * farthest + 1))
        differences = np.union1d(differences, numbers)
    return np.column_stack(np.unravel_index(differences, tuple(2 * farthest + 1))) - farthest


def _windows(alive: Lifetimes) -> Iterator[np.ndarray]:
    """Each live set as an array of booleans over the smallest box around it."""
    starts = np.flatnonzero(np.diff(alive.strip, prepend=-1))
    for start, end in zip(starts, [*starts, len(alive.strip)][1:], strict=True):
        element, first, last = alive.element[start:end], alive.first[start:end], alive.last[start:end]
        for step in range(int(first.min()), int(last.max()) + 1):
            points = element[(first <= step) & (step <= last)]
            if len(points):
                low = points.min(axis=0)
                window = np.zeros(tuple(np.ptp(points, axis=0) + 1), np.bool_)
                window[tuple((points - low).T)] = True
                yield window


def _differences(window: np.ndarray) -> IntArray:
    """All differences d of two points of a window with d lexicographically above 0.

    The counts of pairs are integers, at most the window's size, so that the transform's rounding stays far from 1/2.
    """
    shape = tuple(2 * extent - 1 for extent in window.shape)
    axes = tuple(range(window.ndim))
    spectrum = np.fft.rfftn(window.astype(np.float64), shape, axes)
    pairs = np.fft.irfftn(spectrum * spectrum.conj(), shape, axes)  # how many pairs have each difference, cyclic
    differences = np.argwhere(pairs > 0.5)
    differences = np.where(differences >= np.array(window.shape), differences - np.array(shape), differences)
    order = np.zeros(len(differences), np.int64)
    for axis in reversed(range(window.ndim)):
        order = np.where(differences[:, axis] != 0, np.sign(differences[:, axis]), order)
    return differences[order > 0].astype(np.int64)


def _matrices(rank: int) -> Iterator[Rows]:
    """Unimodular choices of rows: permutations of the axes, then one axis added to another."""
    identity = np.eye(rank, dtype=np.int64)
    for order in permutations(range(rank)):
        yield _rows(identity[list(order)])
    for (row, column), factor in product(permutations(range(rank), 2), SKEWS):
        skewed = identity.copy()
        skewed[row, column] = factor
        for front in range(rank):
            yield _rows(skewed[[front, *(axis for axis in range(rank) if axis != front)]])


def _rows(matrix: np.ndarray) -> Rows:
    return tuple(tuple(int(entry) for entry in row) for row in matrix)


def _with_rows(differences: IntArray, matrix: Rows, largest: int) -> Allocation:
    images = differences @ np.array(matrix, np.int64).T.reshape(-1, len(matrix)) if matrix else differences
    moduli = _successive(images)
    smaller = _shrunk(images, moduli, largest)
    reason = _successive_reason(moduli) if smaller == moduli else _tried_reason(len(differences), smaller)
    return Allocation(matrix, smaller, largest, reason)


def _successive(images: IntArray) -> tuple[int, ...]:
    moduli = []
    for axis in range(images.shape[1]):
        column = np.abs(images[:, axis])
        moduli.append(int(column.max(initial=0)) + 1)
        images = images[column == 0]
    return tuple(moduli)


def _shrunk(images: IntArray, moduli: Sequence[int], largest: int) -> tuple[int, ...]:
    """Smaller moduli, axis by axis, under which no difference meets its slot; at least `largest` slots stay."""
    chosen = list(moduli)
    for axis in range(len(chosen)):
        others = [other for other in range(len(chosen)) if other != axis]
        meeting = np.ones(len(images), np.bool_)
        for other in others:
            meeting &= images[:, other] % chosen[other] == 0
        column = images[meeting, axis]
        least = -(-largest // max(prod(chosen[other] for other in others), 1))
        tries = range(max(least, 1), chosen[axis])[:TRIES]
        chosen[axis] = next((modulus for modulus in tries if not (column % modulus == 0).any()), chosen[axis])
    return tuple(chosen)


def _successive_reason(moduli: Sequence[int]) -> str:
    if not moduli:
        return "a scalar has one slot"
    if len(moduli) == 1:
        return f"elements alive at once are at most {moduli[0] - 1} apart, less than {moduli[0]}"
    parts = [f"at most {modulus - 1} apart in component {axis}" for axis, modulus in enumerate(moduli)]
    return f"elements alive at once are {', then where equal '.join(parts)}; each is less than its modulus"


def _tried_reason(count: int, moduli: Sequence[int]) -> str:
    shown = str(moduli[0]) if len(moduli) == 1 else f"({', '.join(map(str, moduli))})"
    return f"none of the {rounded(count)} differences of elements alive at once is a multiple of {shown}"


# The modular allocation of an array as formulas in symbols, without overlap.

EFFORT = 200_000  # isl's operations for all moduli of an array: about a second


@dataclass(frozen=True, slots=True)
class Modulus:
    """A modulus case by case: `value` where one of some conjunctions on the symbols holds."""

    cases: tuple[tuple[Conjunctions, QuasiAffine], ...]

    def at(self, values: Mapping[str, int]) -> int:
        """The modulus for values of the symbols; 1 where nothing is alive."""
        for where, value in self.cases:
            if hold(where, values):
                return value.at(values)
        return 1

    def __str__(self) -> str:
        return "\n".join(case_text(value, where) for where, value in self.cases) or "1"


def moduli_formula(traffic: Traffic, array: str) -> tuple[Modulus, ...] | None:
    """One modulus per dimension of an array: x takes the slot x mod b, dimension by dimension.

    b_k is the largest extent along k of the elements alive in one tile: two of them differ by less than b_k in each
    dimension, and by a multiple of it only where they are equal. Where a tile size is symbolic all windows of that size
    count, also those between the tiles: the modulus is right, and sometimes larger than it need be. None where no
    formula was found within bounds.
    """
    try:
        with bounded_effort(EFFORT):
            alive = live(traffic, array)
            return tuple(_modulus(reach, traffic.nest.context) for reach in _reaches(alive))
    except TooHardError:
        return None


def _reaches(alive: isl.Map) -> Iterator[isl.PwAff]:
    """The largest difference of two elements alive in one tile, along each dimension, by the symbols."""
    if alive.dim(isl.dim_type.out) == 1:
        yield alive.reverse().apply_range(alive).deltas().coalesce().dim_max(0)
        return
    for axis in range(alive.dim(isl.dim_type.out)):  # by the tiles' extents: isl takes long over differences of points
        extent = alive.dim_max(axis).sub(alive.dim_min(axis))
        yield isl.Map.from_pw_aff(extent).range().coalesce().dim_max(0)


def _modulus(reach: isl.PwAff, context: isl.Set) -> Modulus:
    cases = []
    for where, value in reach.coalesce().gist_params(context).get_pieces():
        form, denominator = form_of(value, [])
        assert denominator == 1  # a maximum of integers
        parts = tuple(tuple(conditions_of(part, [])) for part in where.params().compute_divs().get_basic_sets())
        cases.append((parts, form + 1))
    return Modulus(tuple(cases))
