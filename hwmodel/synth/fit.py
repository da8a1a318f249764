"""Coefficients of features from designs that were synthesised: least squares, none below 0.

Those of programs, counters and the port are fitted to the parts of the netlists that are these, all others to the rest.
In the sum of all parts neither would be told from the other by so few designs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
AROUND = ("memory", "port", "lane")  # the features of programs, counters and the port
FOR_COST = {  # the features that may take LUT, and those that may take FF
    "lut": (*AROUND, "match", "join", "choose"),
    "ff": (*AROUND, "held", "bank"),
}
DIGITS = 4  # of a coefficient


@dataclass(frozen=True)
class Sample:
    """A design: its features, what the model says of a cost without them, and what synthesis found.

    Of that programs, counters and the port have what is `around` units and memories.
    """

    features: dict[str, float]
    modelled: float
    found: float
    around: float


def fitted(samples: Sequence[Sample], names: Sequence[str]) -> dict[str, float]:
    """By feature the coefficient that makes errors of a part, relative to the whole design, the least."""
    weights = np.array([1 / max(1.0, sample.found) for sample in samples])
    around = [sample.around for sample in samples]
    within = [sample.found - sample.around - sample.modelled for sample in samples]
    found = dict[str, float]()
    for own, amounts in (
        ([name for name in names if name in AROUND], around),
        ([name for name in names if name not in AROUND], within),
    ):
        rows = np.array([[sample.features.get(name, 0.0) for name in own] for sample in samples])
        values = non_negative(rows * weights[:, None], np.array(amounts) * weights)
        found |= {name: float(f"{value:.{DIGITS}g}") for name, value in zip(own, values.tolist(), strict=True)}
    return found


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
