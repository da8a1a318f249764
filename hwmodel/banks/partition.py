"""Which references of an array may share elements: the paper's partition and the finest one that eq. 2 allows."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement, product
from math import gcd, prod
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from hwmodel.banks.references import Loop, Reference, Subscript

Key = TypeVar("Key", bound=Hashable)
Partition = tuple[Reference, ...]
Lattice = tuple[tuple[int, int], ...]  # per dimension stride s and residue b mod s, or 0 and b where s = 0


def lattice_of(reference: Reference) -> Lattice:
    """The elements that a reference can name, per dimension: those with the residue of its offset modulo its stride."""
    return tuple((part.stride, residue(part.offset, part.stride)) for part in reference.subscripts)


def residue(offset: int, stride: int) -> int:
    """Eq. 4: b mod |s|, from 0 to |s| - 1; b itself where s = 0."""
    return offset % abs(stride) if stride else offset


def independent(one: Lattice, other: Lattice) -> bool:
    """Theorem 1, eq. 2: some dimension keeps two references apart."""
    return any(
        residue(first[1], common) != residue(second[1], common)
        for first, second in zip(one, other, strict=True)
        for common in (gcd(first[0], second[0]),)
    )


def paper_partition(references: Sequence[Reference]) -> tuple[Partition, ...]:
    """Fig. 4: split by residues modulo the common stride, one dimension after the other, as long as that splits.

    Read over all residues 0 .. s - 1, and over all distinct offsets where s = 0 (as printed, the loop from 1 misses
    residue 0). Partitions are ordered by residues; references keep their order.
    """
    return _regroup(references, _paper_groups)


def finer_partition(references: Sequence[Reference]) -> tuple[Partition, ...]:
    """The connected components of references that are not independent by eq. 2.

    It never merges what fig. 4 separates, and separates more: 6i, 10i + 1 and 15i + 2 are pairwise independent.
    """
    return _regroup(references, lambda found: [part for group in _paper_groups(found) for part in _components(group)])


PARTITIONS: dict[str, Callable[[Sequence[Reference]], tuple[Partition, ...]]] = {
    "paper": paper_partition,
    "finer": finer_partition,
}


def _regroup(
    references: Sequence[Reference], split: Callable[[list[Lattice]], list[list[Lattice]]]
) -> tuple[Partition, ...]:
    """Partition references by a partition of their lattices; equal lattices stay together."""
    members: dict[Lattice, list[int]] = {}
    for place, reference in enumerate(references):
        members.setdefault(lattice_of(reference), []).append(place)
    places = [sorted(place for lattice in group for place in members[lattice]) for group in split(list(members))]
    return tuple(tuple(references[place] for place in group) for group in places)


def _paper_groups(lattices: list[Lattice]) -> list[list[Lattice]]:
    """Procedure Subpartition by a stack: deep recursion would end at large strides."""
    done: list[list[Lattice]] = []
    waiting = [(lattices, 0)] if lattices else []
    while waiting:
        group, dimension = waiting.pop()
        if len(group) == 1 or dimension == len(group[0]):
            done.append(group)
            continue
        common = gcd(*(lattice[dimension][0] for lattice in group))
        parts = _buckets(group, [residue(lattice[dimension][1], common) for lattice in group])
        if len(parts) == 1:
            waiting.append((group, dimension + 1))
        else:
            waiting += [(parts[key], dimension) for key in sorted(parts, reverse=True)]
    return done


def _components(group: list[Lattice]) -> list[list[Lattice]]:
    """Connected components, by buckets for each pair of stride vectors: of those there are few."""
    parent = {lattice: lattice for lattice in group}
    left = len(group)
    by_strides = _buckets(group, [tuple(stride for stride, _ in lattice) for lattice in group])
    for one, other in combinations_with_replacement(by_strides, 2):
        if left == 1:
            break
        commons = [gcd(first, second) for first, second in zip(one, other, strict=True)]
        together = [*by_strides[one], *(by_strides[other] if other != one else ())]
        for bucket in _buckets(together, [_residues(lattice, commons) for lattice in together]).values():
            if len({tuple(stride for stride, _ in lattice) for lattice in bucket}) == len({one, other}):
                left -= _join(parent, bucket)  # two of equal strides meet only through one of the other
    return list(_buckets(group, [_root(parent, lattice) for lattice in group]).values())


def _residues(lattice: Lattice, commons: Sequence[int]) -> tuple[int, ...]:
    return tuple(residue(offset, common) for (_, offset), common in zip(lattice, commons, strict=True))


def _join(parent: dict[Lattice, Lattice], bucket: Sequence[Lattice]) -> int:
    """Unite a bucket; how many sets went away."""
    joined, first = 0, _root(parent, bucket[0])
    for lattice in bucket[1:]:
        root = _root(parent, lattice)
        if root != first:
            parent[root] = first
            joined += 1
    return joined


def _root(parent: dict[Lattice, Lattice], lattice: Lattice) -> Lattice:
    while parent[lattice] is not lattice:
        parent[lattice] = lattice = parent[parent[lattice]]
    return lattice


def _buckets(lattices: Iterable[Lattice], keys: Iterable[Key]) -> dict[Key, list[Lattice]]:
    buckets: dict[Key, list[Lattice]] = {}
    for lattice, key in zip(lattices, keys, strict=True):
        buckets.setdefault(key, []).append(lattice)
    return buckets


# References of one array as they move together or apart, and whether a mapping keeps them from conflicts.
#
# References that move together (equal coefficients and unknown parts) keep their distances: the distances and the
# residues that their common base takes decide. Others are looked at in every class of iterations that banks can tell
# apart: those of equal index residues.

Integers = NDArray[np.int64]
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
    def least(self) -> int:
        """The elements of the first iteration that surely differ: they need as many banks."""
        return len({tuple(row) for row in (self._apart_by(self.offsets)).tolist()})

    def _apart_by(self, offsets: Exact) -> Exact:
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

    def free_of_conflicts(self, vectors: Integers, banks: int, block: int) -> Truths:
        """For each row a of `vectors` whether floor(a.x / block) mod banks keeps all references apart."""
        return self._uniform(vectors, banks, block) if self.uniform else self._any(vectors, banks, block)

    def _uniform(self, vectors: Integers, banks: int, block: int) -> Truths:
        """A shift of the base by whole blocks renames the banks: its residues modulo the block are all that matters."""
        places = vectors @ _moving_residues(self.offsets, banks * block).T
        free = _apart(places // block % banks, banks)
        if block > 1 and free.any():
            kept = np.flatnonzero(free)
            reached = self._base_residues(vectors[kept], block)
            for shift in range(1, block):
                apart = _apart((places[kept] + shift) // block % banks, banks)
                free[kept] &= apart | ~reached[:, shift]
        return free

    def _base_residues(self, vectors: Integers, block: int) -> Truths:
        """Which residues modulo the block the base a.(coefficients l) takes: exact, by one step after the other."""
        steps = vectors @ _moving_residues(self.coefficients[0], block) % block
        reached = np.zeros((len(vectors), block), bool)
        reached[:, 0] = True
        columns = np.arange(block)
        for step, extent in enumerate(self.extents):
            before = reached.copy()
            for count in range(1, _least(extent, block)):
                source = (columns[None, :] - count * steps[:, step : step + 1]) % block
                reached |= np.take_along_axis(before, source, axis=1)
        return reached

    def _any(self, vectors: Integers, banks: int, block: int) -> Truths:
        """Each class of iterations with equal residues of the indices."""
        modulus = banks * block
        free = np.ones(len(vectors), bool)
        for index in product(*(range(_least(extent, modulus)) for extent in self.extents)):
            kept = np.flatnonzero(free)
            if not len(kept):
                break
            elements = self.coefficients @ np.array(index, object) + self.offsets
            bank = vectors[kept] @ _moving_residues(elements, modulus).T // block % banks
            fine = np.ones(len(kept), bool)
            for one, other in self._apart_in(index, elements, modulus):
                fine &= bank[:, one] != bank[:, other]
            free[kept] = fine
        return free

    def _apart_in(self, index: Sequence[int], elements: Exact, modulus: int) -> list[tuple[int, int]]:
        """The pairs of references that touch two elements somewhere in a class of iterations."""
        again = [extent is None or place + modulus < extent for place, extent in zip(index, self.extents, strict=True)]
        moves = self.coefficients[:, :, again]
        return [
            (one, other)
            for one in range(len(elements))
            for other in range(one)
            if (elements[one] != elements[other]).any() or (moves[one] != moves[other]).any()
        ]


def moving(references: Sequence[Reference], loops: Sequence[Loop]) -> Moving:
    """References of one array as matrices; of equal ones the first stands for all."""
    first: dict[Any, Reference] = {}
    read: set[Any] = set()
    repeated: list[Reference] = []
    for reference in references:
        first.setdefault(reference.subscripts, reference)
        if not reference.write and reference.subscripts in read:
            repeated.append(reference)
        if not reference.write:
            read.add(reference.subscripts)
    distinct = tuple(first.values())
    parts = [[_unknowns(part) for part in reference.subscripts] for reference in distinct]
    shared = [
        [one for one in dimension[0] if all(one in each for each in dimension)]
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


def _moving_residues(numbers: Exact, modulus: int) -> Integers:
    found: Integers = (numbers % modulus).astype(np.int64)
    return found


def _least(extent: int | None, modulus: int) -> int:
    return modulus if extent is None else min(extent, modulus)


def _apart(bank: Integers, banks: int) -> Truths:
    """For each row whether its entries differ."""
    if banks <= _WIDEST_MASK:
        masks = np.bitwise_or.reduce(np.left_shift(np.int64(1), bank), axis=1)
        found: Truths = np.bitwise_count(masks) == bank.shape[1]
    else:
        found = (np.diff(np.sort(bank, axis=1), axis=1) != 0).all(axis=1)
    return found
