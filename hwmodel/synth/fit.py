"""Coefficients of features from designs that were synthesised: least relative errors, none below 0."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
FOR_COST = {  # the features that may take LUT, and those that may take FF
    "lut": ("memory", "port", "lane", "ways", "bent", "across", "uneven", "waiting", "chosen"),
    "ff": ("memory", "port", "lane", "named", "held", "bank"),
}
DIGITS = 4  # of a coefficient
ROUNDS, CLOSE = 50, 0.02  # of weighing anew, and the relative error below which designs weigh the same


@dataclass(frozen=True)
class Sample:
    """A design: its features, what the model says of a cost without them, and what synthesis found."""

    features: dict[str, float]
    modelled: float
    found: float


def fitted(samples: Sequence[Sample], names: Sequence[str]) -> dict[str, float]:
    """By feature the coefficient that makes the sum of all relative errors the least.

    Not that of their squares: a design with something in it that no feature tells would pull at all others. By least
    squares of which each, in the next round, weighs the less the larger its error is.
    """
    values = least_errors([sample.found for sample in samples], samples, names)
    return rounded(dict(zip(names, values.tolist(), strict=True)))


def rounded(coefficients: dict[str, float]) -> dict[str, float]:
    """Coefficients to a few digits."""
    return {name: float(f"{value:.{DIGITS}g}") for name, value in coefficients.items()}


def least_errors(wholes: Sequence[float], samples: Sequence[Sample], names: Sequence[str]) -> Floats:
    """The coefficients of the least sum of errors, each relative to a whole."""
    found = np.maximum(1.0, np.array(wholes, dtype=float))
    rows = np.array([[sample.features.get(name, 0.0) for name in names] for sample in samples]) / found[:, None]
    rest = np.array([sample.found - sample.modelled for sample in samples]) / found
    values = np.zeros(len(names))
    weights = np.ones(len(samples))
    for _ in range(ROUNDS):
        values = non_negative(rows * weights[:, None], rest * weights)
        weights = 1 / np.sqrt(np.maximum(np.abs(rest - rows @ values), CLOSE))
    return values


def predicted(sample: Sample, coefficients: dict[str, float]) -> float:
    """What the model says with coefficients."""
    return sample.modelled + sum(value * sample.features.get(name, 0.0) for name, value in coefficients.items())


def non_negative(rows: Floats, values: Floats) -> Floats:
    """The x >= 0 for which rows x is nearest to the values, by Lawson and Hanson's active sets.

    Features of which no sample has any, or that are as others together, get 0 or a share.
    """
    scale = np.sqrt((rows**2).sum(axis=0))
    scale[scale == 0] = 1.0
    scaled, count = rows / scale, rows.shape[1]
    found, free = np.zeros(count), np.zeros(count, np.bool_)
    for _ in range(10 * count):
        gradient = scaled.T @ (values - scaled @ found)
        gradient[free] = 0.0
        if gradient.max(initial=0.0) <= 1e-10:
            break
        free[int(gradient.argmax())] = True
        found, free = _inside(scaled, values, found, free)
    return np.asarray(found / scale)


def _inside(rows: Floats, values: Floats, found: Floats, free: Any) -> tuple[Floats, Any]:
    """The least squares of what is free, from `found` on no further than until something is 0."""
    while True:
        aim = np.zeros_like(found)
        aim[free] = np.linalg.lstsq(rows[:, free], values, rcond=None)[0]
        below = free & (aim <= 0)
        if not below.any():
            return aim, free
        step = float((found[below] / np.maximum(found[below] - aim[below], 1e-300)).min())
        found = found + step * (aim - found)
        free = free & (found > 1e-12)
        found = np.where(free, found, 0.0)
