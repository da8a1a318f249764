"""Whole designs of which none dominates another, which only get better: what searches that are never exact keep."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from arrayol.arrays import IntArray
from dse.pareto.combine import Groups
from dse.pareto.fronts import Front, front_of


@dataclass(frozen=True)
class Wholes:
    """Their figures (n, figures), ascending, units (n,) and the groups of each."""

    values: IntArray
    units: IntArray
    designs: tuple[Groups, ...] = ()

    @staticmethod
    def none(figures: int) -> Wholes:
        """Not one yet, of so many figures."""
        return Wholes(np.zeros((0, figures), np.int64), np.zeros(0, np.int64))

    @property
    def front(self) -> Front:
        """Their front."""
        return Front(self.values, self.units, np.arange(len(self)))

    def __len__(self) -> int:
        return len(self.values)

    def joined(self, values: IntArray, units: IntArray, design: Callable[[int], Groups]) -> Wholes:
        """With further designs, given by their rows: those that none of all dominates."""
        front = front_of(np.concatenate([self.values, values]), np.concatenate([self.units, units]))
        known = len(self)
        designs = (self.designs[row] if row < known else design(row - known) for row in front.origin.tolist())
        return Wholes(front.values, front.units, tuple(designs))
