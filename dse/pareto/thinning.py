"""Fewer points of a front, each dropped one near a kept one: what `epsilon` allows."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from dse.pareto.fronts import Front


def thinned(front: Front, epsilon: float) -> Front:
    """A part of the front that has, for each of its points, one at most 1 + epsilon times as large in every figure.

    Sums and maxima of such parts of groups' fronts have the same property for whole designs.
    """
    if not epsilon or not len(front):
        return front
    allowed = 1 + Fraction(str(epsilon))
    kept: list[int] = []
    scaled = front.values * allowed.denominator
    bounds = front.values * allowed.numerator
    for row in range(len(front)):
        if not kept or not (scaled[kept] <= bounds[row]).all(axis=1).any():
            kept.append(row)
    return front.at(np.array(kept, np.intp))
