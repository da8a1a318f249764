"""Which dimensions of tasks and axes of arrays move together: sets of them, members with their ratios to the root."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

Key = tuple[str, str, int]  # ("task", "node" or "array", name, dimension or axis)


@dataclass
class LoopSets:
    """A forest (union-find without ranks): the sets of dimensions and axes that are one loop.

    `above` has for each member that is no root the member above it, and how many indices of that one an index passes.
    """

    above: dict[Key, tuple[Key, Fraction]] = field(default_factory=dict)

    def root(self, key: Key) -> tuple[Key, Fraction]:
        """The root of a member's set, and how many indices of the root an index of the member passes."""
        ratio = Fraction(1)
        while key in self.above:
            key, step = self.above[key]
            ratio *= step
        return key, ratio

    def link(self, dimension: Key, axis: Key, factor: int) -> tuple[Fraction, Fraction] | None:
        """Join the sets of a dimension and of an axis, of which the dimension passes `factor` indices.

        Returns None; where both are in one set with other ratios, the dimension's ratio and the one asked for.
        """
        (root, ratio), (axis_root, axis_ratio) = self.root(dimension), self.root(axis)
        if root != axis_root:
            self.above[root] = axis_root, factor * axis_ratio / ratio
            return None
        return None if ratio == factor * axis_ratio else (ratio, factor * axis_ratio)
