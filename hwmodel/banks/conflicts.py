"""References of one array as they move together or apart, and whether a linear mapping keeps them from conflicts.

A mapping bank(x) = floor(a.x / B) mod N must do so in every iteration, of which there may be no end. Few stand for all:

- References that move together (equal coefficients and unknown parts) keep their distances. A shift of their common
  base by B renames the banks in a ring, so the residues modulo B that the base takes decide.
- For others, indices that are equal modulo N B give the same banks, so one class of iterations for each such residue is
  looked at; two references may share a bank there if they touch one element all over the class.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import gcd, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import IntArray
from hwmodel.banks.references import NormalisedLoop, Reference, Subscript

Exact = NDArray[np.object_]  # integers of any size
Truths = NDArray[np.bool_]

_WIDEST_MASK = 63
_CLASS = 2_000  # what a class of iterations costs beside its banks


@dataclass(frozen=True, slots=True)
class Moving:
    """The distinct references of one array in one body.

    `coefficients` has the shape (references, dimensions, steps), `offsets` (references, dimensions): at indices l a
    reference touches coefficients l + offsets. A step is a loop, of `extents[step]` iterations, or an unknown part;
    None is without end. `distinct` are the references, `repeated_reads` those of equal addresses beyond the first.
    `loose` has per dimension the factor of unknown parts that not all references share, 0 where there are none: only
    mappings that are blind to its multiples are safe.
    """

    distinct: tuple[Reference, ...]
    repeated_reads: tuple[Reference, ...]
    coefficients: Exact
    offsets: Exact
    extents: tuple[int | None, ...]
    loose: tuple[int, ...]

    @property
    def rank(self) -> int:
        return len(self.loose)

    @property
    def uniform(self) -> bool:
        """Whether all references move together."""
        return bool((self.coefficients == self.coefficients[:1]).all())

    @property
    def is_blind(self) -> bool:
        """Whether only mappings that are blind to loose parts are safe, so that others are not tried."""
        return any(self.loose)

    @property
    def least(self) -> int:
        """The elements of the first iteration that surely differ: they need as many banks."""
        return len({tuple(row) for row in (self._distinct_by(self.offsets)).tolist()})

    def _distinct_by(self, offsets: Exact) -> Exact:
        columns = [column % factor if factor else column for column, factor in zip(offsets.T, self.loose, strict=True)]
        return np.array(columns, object).T

    def steps(self, modulus: int) -> tuple[int, ...]:
        """Per dimension the least residue whose multiples are safe with the loose parts."""
        return tuple(modulus // gcd(factor, modulus) if factor else 1 for factor in self.loose)

    def cost(self, vectors: int, modulus: int, block: int) -> int:
        """How many banks it takes, about, to try so many vectors."""
        computed = vectors * len(self.distinct)
        if self.uniform:
            return computed * block
        return (computed + _CLASS) * prod(_least(extent, modulus) for extent in self.extents)

    def free_of_conflicts(self, vectors: IntArray, banks: int, block: int) -> Truths:
        """For each row a of `vectors` whether floor(a.x / block) mod banks keeps all references apart."""
        return self._uniform(vectors, banks, block) if self.uniform else self._any(vectors, banks, block)

    def _uniform(self, vectors: IntArray, banks: int, block: int) -> Truths:
        """A shift of the base by whole blocks renames the banks: its residues modulo the block are all that matters."""
        places = vectors @ _modulo(self.offsets, banks * block).T
        free = are_disjoint(places // block % banks, banks)
        if block > 1 and free.any():
            kept = np.flatnonzero(free)
            reached = self._base_residues(vectors[kept], block)
            for shift in range(1, block):
                apart = are_disjoint((places[kept] + shift) // block % banks, banks)
                free[kept] &= apart | ~reached[:, shift]
        return free

    def _base_residues(self, vectors: IntArray, block: int) -> Truths:
        """Which residues modulo the block the base a.(coefficients l) takes: exact, by one step after the other."""
        steps = vectors @ _modulo(self.coefficients[0], block) % block
        reached = np.zeros((len(vectors), block), bool)
        reached[:, 0] = True
        columns = np.arange(block)
        for step, extent in enumerate(self.extents):
            before = reached.copy()
            for count in range(1, _least(extent, block)):
                source = (columns[None, :] - count * steps[:, step : step + 1]) % block
                reached |= np.take_along_axis(before, source, axis=1)
        return reached

    def _any(self, vectors: IntArray, banks: int, block: int) -> Truths:
        """Each class of iterations with equal residues of the indices."""
        modulus = banks * block
        free = np.ones(len(vectors), bool)
        for index in product(*(range(_least(extent, modulus)) for extent in self.extents)):
            kept = np.flatnonzero(free)
            if not len(kept):
                break
            elements = self.coefficients @ np.array(index, object) + self.offsets
            bank = vectors[kept] @ _modulo(elements, modulus).T // block % banks
            fine = np.ones(len(kept), bool)
            for one, other in self._disjoint_in(index, elements, modulus):
                fine &= bank[:, one] != bank[:, other]
            free[kept] = fine
        return free

    def _disjoint_in(self, index: Sequence[int], elements: Exact, modulus: int) -> list[tuple[int, int]]:
        """The pairs of references that touch two elements somewhere in a class of iterations."""
        again = [extent is None or place + modulus < extent for place, extent in zip(index, self.extents, strict=True)]
        moves = self.coefficients[:, :, again]
        return [
            (one, other)
            for one in range(len(elements))
            for other in range(one)
            if (elements[one] != elements[other]).any() or (moves[one] != moves[other]).any()
        ]


def moving(references: Sequence[Reference], loops: Sequence[NormalisedLoop]) -> Moving:
    """References of one array as matrices; of equal ones the first stands for all."""
    first: dict[Any, Reference] = {}
    read: set[Any] = set()
    repeated: list[Reference] = []
    for reference in references:
        first.setdefault(reference.subscripts, reference)
        if not reference.write:
            repeated += [reference] if reference.subscripts in read else []
            read.add(reference.subscripts)
    distinct = tuple(first.values())
    parts = [[_unknowns(part) for part in reference.subscripts] for reference in distinct]
    shared = [
        [unknown for unknown in dimension[0] if all(unknown in each for each in dimension)]
        for dimension in zip(*parts, strict=True)
    ]
    texts = list(dict.fromkeys(text for dimension in shared for text, _ in dimension))
    rank = len(shared)
    coefficients = np.zeros((len(distinct), rank, len(loops) + len(texts)), object)
    offsets = np.zeros((len(distinct), rank), object)
    for number, reference in enumerate(distinct):
        for axis, part in enumerate(reference.subscripts):
            offsets[number, axis] = part.offset
            coefficients[number, axis, : len(loops)] = part.coefficients
    for axis, dimension in enumerate(shared):
        for text, factor in dimension:
            coefficients[:, axis, len(loops) + texts.index(text)] = factor
    loose = tuple(
        gcd(*(factor for each in dimension for text, factor in each if (text, factor) not in common))
        for dimension, common in zip(zip(*parts, strict=True), shared, strict=True)
    )
    extents = (*(loop.extent for loop in loops), *(None for _ in texts))
    return Moving(distinct, tuple(repeated), coefficients, offsets, extents, loose)


def _unknowns(part: Subscript) -> list[tuple[str, int]]:
    return [(unknown.text, unknown.factor) for unknown in part.unknown]


def _modulo(numbers: Exact, modulus: int) -> IntArray:
    residues: IntArray = (numbers % modulus).astype(np.int64)
    return residues


def _least(extent: int | None, modulus: int) -> int:
    return modulus if extent is None else min(extent, modulus)


def are_disjoint(bank: IntArray, banks: int) -> Truths:
    """For each row whether its entries differ."""
    if banks <= _WIDEST_MASK:
        masks = np.bitwise_or.reduce(np.left_shift(np.int64(1), bank), axis=1)
        apart: Truths = np.bitwise_count(masks) == bank.shape[1]
    else:
        apart = (np.diff(np.sort(bank, axis=1), axis=1) != 0).all(axis=1)
    return apart
