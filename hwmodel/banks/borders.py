"""References through borders, whose elements move apart or meet near the ends of an array, under linear mappings.

A border makes of a coordinate beyond an end one inside, axis by axis. So near an end the references of a window lie
otherwise to each other than inside, and some touch one element: that is one access (docs/machine.md, section 7). Along
an axis there are few such constellations, since all iterations far from the ends have the same; and where no loop moves
along two axes, each goes with each of the other axes. Of a constellation the place of its first element matters modulo
B only, as in `conflicts`: a shift by B renames the banks in a ring.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod

import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import IntArray
from arrayol.execute.patterns import elements_of
from hwmodel.banks.conflicts import are_disjoint
from hwmodel.banks.references import Fold, NormalisedLoop, Reference

Truths = NDArray[np.bool_]

_MOST_PLACES = 1 << 16  # of the loops along one axis


@dataclass(frozen=True, slots=True)
class Axis:
    """One subscript of references (n): `coefficients` (n, loops) of its own loops, and a fold where there is one."""

    coefficients: IntArray
    offsets: IntArray
    folds: tuple[Fold | None, ...]
    extents: tuple[int | None, ...]

    @property
    def is_uniform(self) -> bool:
        """Whether the references keep their distances."""
        return not any(self.folds) and bool((self.coefficients == self.coefficients[:1]).all())

    def places(self, block: int) -> tuple[int | None, ...]:
        """How many indices of each loop show every constellation; None for no end."""
        if not self.is_uniform:
            return self.extents
        return tuple(block if extent is None else min(extent, block) for extent in self.extents)

    def constellations(self, block: int) -> IntArray:
        """Coordinates of the references, (kinds, n): each distinct one, the most different ones first."""
        indices = np.indices([extent or 0 for extent in self.places(block)]).reshape(len(self.extents), -1).T
        rows = (indices if self.extents else np.zeros((1, 0), np.int64)) @ self.coefficients.T + self.offsets
        for number, fold in enumerate(self.folds):
            if fold is not None:
                rows[:, number] = elements_of(fold.border, rows[:, number], fold.extent)
        kinds = np.column_stack([rows - rows[:, :1], rows[:, 0] % block])
        chosen = rows[np.unique(kinds, axis=0, return_index=True)[1]]
        different = [len(set(row)) for row in chosen.tolist()]
        ordered: IntArray = chosen[np.argsort(different, kind="stable")[::-1]]
        return ordered


@dataclass(frozen=True, slots=True)
class Folding:
    """References of one array in one body, some through borders, and the distinct ones; in the place of a `Moving`."""

    references: tuple[Reference, ...]
    distinct: tuple[Reference, ...]
    axes: tuple[Axis, ...]
    kept: dict[int, list[IntArray]] = field(default_factory=dict, repr=False, compare=False)

    @property
    def rank(self) -> int:
        return len(self.axes)

    @property
    def is_blind(self) -> bool:
        """Every mapping can be judged."""
        return False

    @property
    def least(self) -> int:
        """The most elements of one iteration: they need as many banks."""
        return max(len(elements) for elements in self._elements(1))

    @property
    def repeated_reads(self) -> tuple[Reference, ...]:
        """A reference that some iteration touches the element of another one with, if there is one."""
        meet = any(len(elements) < len(self.references) for elements in self._elements(1))
        return self.distinct[:1] if meet else ()

    def steps(self, modulus: int) -> tuple[int, ...]:
        """Per dimension the step between residues to try: all of them, whatever the modulus."""
        return (1,) * self.rank

    def cost(self, vectors: int, modulus: int, block: int) -> int:
        """How many banks it takes, about, to try so many vectors."""
        return vectors * len(self.distinct) * len(self._elements(block))

    def free_of_conflicts(self, vectors: IntArray, banks: int, block: int) -> Truths:
        """For each row a of `vectors` whether floor(a.x / block) mod banks keeps all elements of an iteration apart."""
        free = np.ones(len(vectors), np.bool_)
        for elements in self._elements(block):
            kept = np.flatnonzero(free)
            if not len(kept):
                break
            places = vectors[kept] @ (elements % (banks * block)).T
            free[kept] = are_disjoint(places // block % banks, banks)
        return free

    def _elements(self, block: int) -> list[IntArray]:
        """The distinct elements (k, rank) of iterations of each kind."""
        if block not in self.kept:
            kinds = product(*(axis.constellations(block) for axis in self.axes))
            self.kept[block] = [np.unique(np.stack(rows, axis=1), axis=0) for rows in kinds]
        return self.kept[block]


def folding(references: Sequence[Reference], loops: Sequence[NormalisedLoop]) -> Folding | None:
    """Reads of one array, some through borders; None where none is, or where a loop moves along two axes."""
    distinct = tuple({reference.subscripts: reference for reference in references}.values())
    unknown = [term for reference in distinct for part in reference.subscripts for term in part.unknown]
    if not unknown or any(term.fold is None for term in unknown) or any(one.write for one in references):
        return None
    axes, taken = [], set[int]()
    for parts in zip(*(reference.subscripts for reference in distinct), strict=True):
        own = [place for place in range(len(loops)) if any(part.coefficients[place] for part in parts)]
        coefficients = np.array([[part.coefficients[place] for place in own] for part in parts], np.int64)
        offsets = np.array([part.offset for part in parts], np.int64)
        folds = tuple(next((term.fold for term in part.unknown), None) for part in parts)
        axis = Axis(coefficients, offsets, folds, tuple(loops[place].extent for place in own))
        places = axis.places(1)
        if taken & set(own) or None in places or prod(extent or 0 for extent in places) > _MOST_PLACES:
            return None
        taken |= set(own)
        axes.append(axis)
    return Folding(tuple(references), distinct, tuple(axes))
