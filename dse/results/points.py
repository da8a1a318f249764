"""Designs of stored results as points: the chosen objectives by number, smaller is better."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dse.results.schema import Design
from dse.space.figures import MACHINE

Values = NDArray[np.float64]


def grows(figure: str) -> bool:
    """Whether larger is better for a figure of this name; a cost's is smaller."""
    return figure in MACHINE and MACHINE[figure].grows


def values_of(designs: Sequence[Design], objectives: Sequence[str]) -> Values:
    """Of shape (designs, objectives); figures of which more is better are negative."""
    signs = [-1 if grows(name) else 1 for name in objectives]
    rows = [
        [sign * design.objectives[name] for sign, name in zip(signs, objectives, strict=True)] for design in designs
    ]
    return np.array(rows, np.float64).reshape(len(designs), len(objectives))


def reference_of(values: Values) -> Values:
    """The corner up to which volumes are measured: a tenth worse than the worst value of each objective."""
    worst = values.max(axis=0)
    corner: Values = worst + np.maximum(np.abs(worst) / 10, 1e-9)
    return corner
