"""Which references of an array may share elements: the paper's partition and the finest one that eq. 2 allows.

In each dimension a reference reaches only coordinates with the residue of its offset b modulo its stride s, the
greatest common divisor of its coefficients (eq. 1). If two offsets differ modulo gcd(s, s') in some dimension, the two
references name no common element in any two iterations: equal coordinates would make the divisor divide b - b' (paper
B, theorem 1). Only references that this keeps apart are parted, so no element lies in two memories and no copy has to
follow another. That data then find each other again after renaming is theorems 2 to 4: see `custom`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import combinations_with_replacement
from math import gcd
from typing import TypeVar

from hwmodel.banks.references import Reference

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
    return _regroup(
        references, lambda lattices: [part for group in _paper_groups(lattices) for part in _components(group)]
    )


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
